"""Show estimators in notebooks: what a fitted one has learned, and its parameters. Tables show columns as text, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from inspect import Parameter, signature
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from suffice.estimators.shell.atomic import snapshot
from suffice.models.answers.derived import prior_in_words
from suffice.notebook import MOST, Markup, bar, card, folded, line, table, written
from suffice.stats import Statistic
from suffice.stats.word_counts import WordCounts
from suffice.telling import counted

if TYPE_CHECKING:
    from suffice.estimators.naive_bayes.any_table import NaiveBayes
    from suffice.estimators.shell.classifier import Classifier

COLUMNS = 60
HEAD = ("column", "kind", "rows", "prior")

NUMBERS, DENSE, TOP = 2**25, 4, 5
"""Numbers up to which top features are looked for, in about a second; how many one of a dense table is worth; and how
many features are shown."""


def as_text(estimator: NaiveBayes, name: str) -> str:
    """Return classes, and a line per column."""
    counts = estimator.class_count_
    sizes = [f"{label} {n:,.15g}" for label, n in zip(estimator.classes_, counts, strict=True)]
    more = f", and {len(sizes) - 10} more" if len(sizes) > 10 else ""
    classes = f"{counted(len(sizes), 'class', 'classes')}: {', '.join(sizes[:10])}{more}"
    lines = [HEAD, *((a, b, "" if n is None else f"{n:,.15g}", d) for a, b, n, d in _columns(estimator))]
    width = [max(len(line[k]) for line in lines) for k in range(3)]
    shown = [f"  {a:{width[0]}}  {b:{width[1]}}  {c:>{width[2]}}  {d}".rstrip() for a, b, c, d in lines]
    return "\n".join([name, f"  {counted(counts.sum(), 'row')} of {classes}", *shown])


def card_of_estimator(estimator: BaseEstimator) -> str:
    """Return the card of an estimator: what it has learned if it is fitted, and its parameters."""
    model = snapshot(estimator)

    def parts() -> Iterator[str]:
        try:
            check_is_fitted(model)
        except NotFittedError:
            yield line("Not fitted.")
            yield _parameters(model)
        else:
            yield from model._card_parts()
            yield folded("Parameters", _parameters(model))

    return card(model, parts, " ".join(BaseEstimator.__repr__(model).split()))


def bundle_of_estimator(estimator: BaseEstimator, **kwargs: object) -> dict[str, str]:
    """Return what notebooks ask for: the card, too, unless scikit-learn was told to display text."""
    text = {"text/plain": repr(estimator)}
    return text if get_config()["display"] == "text" else {**text, "text/html": card_of_estimator(estimator)}


def _parameters(model: BaseEstimator) -> str:
    """Return the parameters as a table; those that differ from their defaults first, and bold."""
    defaults = {name: one.default for name, one in signature(type(model)).parameters.items()}
    changed, usual = list[tuple[str, Markup]](), list[tuple[str, Markup]]()
    for name, value in model.get_params(deep=False).items():
        shown = written(" ".join(repr(value).split()))
        default = defaults.get(name, Parameter.empty)
        if default is Parameter.empty or repr(value) == repr(default):
            usual.append((name, Markup(shown)))
        else:
            changed.append((name, Markup(f"<b>{shown}</b>")))
    rows = [*changed, *usual]
    return table(["parameter", "value"], rows, most=len(rows)) if rows else line("No parameters.")


def parts_of_classifier(model: Classifier) -> Iterator[str]:
    """Yield classes with their rows and top features, and what held-out rows chose."""
    counts, classes = model.class_count_, model.classes_
    yield line(f"{counted(counts.sum(), 'row')} of {counted(len(classes), 'class', 'classes')}")
    shares = (counts / max(float(counts.sum()), 1e-300)).tolist()
    top = _top_features(model)
    rows = [
        (str(label), float(n), bar(share), *top[k : k + 1])
        for k, (label, n, share) in enumerate(zip(classes[:MOST], counts[:MOST], shares[:MOST], strict=True))
    ]
    yield table(["class", "rows", "", *["top features"] * bool(top)], rows, len(classes))
    made = model._predictor.views.choices or ()
    found = [
        (one.name, one.chosen, next((t.log_loss for t in one.tried if t.option == one.chosen), None)) for one in made
    ]
    if found:
        caption = f"Chosen on held-out rows{' of an earlier state' * model.stale_}"
        yield table(["choice", "chosen", "held-out log loss"], found, caption=caption)
    if model.stale_:
        yield line("Stale: rows came or went since the settings were chosen; refresh(X, y) chooses them again.")


def _top_features(model: Classifier) -> list[str]:
    """Return the top features of each class that is shown, in words; nothing for a model too large to look through."""
    shown, numbers = model.classes_[:MOST], 0  # about how many numbers are looked at for one class
    for block in model._model.voting.values():
        if isinstance(block.t, WordCounts):
            numbers += int(block.t.tokens.nnz + block.t.width)
        else:
            numbers += DENSE * int(np.prod(block.t.shape)) if isinstance(block.t, Statistic) else 1
    if len(model.classes_) < 2 or len(shown) * numbers > NUMBERS:
        return []
    lines = []
    for label in shown:
        found = [row.feature for row in model.top_features(label, 3 * TOP)]
        names = dict.fromkeys(f"column {one}" if isinstance(one, int) else str(one) for one in found)
        lines.append(", ".join([*names][:TOP]))
    return lines


def parts_of_columns(estimator: NaiveBayes) -> Iterator[str]:
    """Yield a table with a line per column."""
    powers = {str(name): power for name, power in estimator.feature_powers_.items()}
    rows = [(*column, *[powers.get(column[0])] * bool(powers)) for column in _columns(estimator)]
    yield table([*HEAD, *["power"] * bool(powers)], rows, most=len(rows))


def _columns(estimator: NaiveBayes) -> Iterator[tuple[str, str, float | None, str]]:
    """Yield column, kind, rows that have a value, and prior; the middle of a long list is left out."""
    blocks = list(estimator._model.blocks.items())
    for k, (name, block) in enumerate(blocks):
        if len(blocks) > COLUMNS and COLUMNS // 2 <= k < len(blocks) - COLUMNS // 2:
            if k == COLUMNS // 2:
                yield "…", f"{len(blocks) - COLUMNS} more", None, ""
            continue
        rows = float(np.sum(block.statistic.n)) if hasattr(block.statistic, "n") else 0.0
        yield str(name), block.likelihood.word, rows, prior_in_words(block.settled, block.t)


def parts_of_weights(
    names: Iterable[object], weights: ArrayLike, head: str, called: str, total: int | None = None
) -> Iterator[str]:
    """Yield a table of shares with bars."""
    rows = [(str(name), weight, bar(weight)) for name, weight in zip(names, np.asarray(weights).tolist(), strict=False)]
    yield table([head, called, ""], rows, total)
