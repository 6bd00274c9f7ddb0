"""Show estimators in notebooks: what a fitted one has learned, and its parameters. Tables show columns as text, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from inspect import signature
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from suffice.estimators.shell.whole import whole
from suffice.models.answers.features import prior_in_words
from suffice.models.answers.parts import TopFeatures
from suffice.models.model import Name
from suffice.notebook import MOST, Markup, bar, card, folded, line, table, written
from suffice.stats import Statistic
from suffice.stats.word_counts import WordCounts
from suffice.telling import counted

if TYPE_CHECKING:
    from suffice.estimators.shell.classifier import Classifier
    from suffice.estimators.shell.table_classifier import TableClassifier

__all__ = [
    "as_text", "bundle_of_estimator", "card_of_estimator", "parts_of_classifier", "parts_of_columns",
    "parts_of_weights",
]  # fmt: skip

COLUMNS = 60
HEAD = ("column", "kind", "rows", "prior")

NUMBERS, DENSE, TOP = 2**25, 4, 5
"""Numbers up to which top features are looked for, in about a second; how many one of a dense table is worth; and how
many features are shown."""


def as_text(estimator: TableClassifier, name: str) -> str:
    """Return classes, and a line per column."""
    lines = [HEAD, *_lines(estimator)]
    width = [max(len(line[k]) for line in lines) for k in range(3)]
    shown = [f"  {a:{width[0]}}  {b:{width[1]}}  {c:>{width[2]}}  {d}".rstrip() for a, b, c, d in lines]
    return "\n".join([name, f"  {_rows(estimator)}", *shown])


def card_of_estimator(estimator: BaseEstimator) -> str:
    """Return the card of an estimator: what it has learned if it is fitted, and its parameters."""
    model = whole(estimator)

    def parts() -> Iterator[str]:
        if not _is_fitted(model):
            yield line("Not fitted.")
            yield _parameters(model)
            return
        yield from model._card_parts()
        yield folded("Parameters", _parameters(model))

    return card(model, parts, " ".join(BaseEstimator.__repr__(model).split()))


def bundle_of_estimator(estimator: BaseEstimator, **kwargs: object) -> dict[str, str]:
    """Return what notebooks ask for: the card, too, unless scikit-learn was told to display text."""
    text = {"text/plain": repr(estimator)}
    return text if get_config()["display"] == "text" else {**text, "text/html": card_of_estimator(estimator)}


def _is_fitted(model: BaseEstimator) -> bool:
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _parameters(model: BaseEstimator) -> str:
    """Return the parameters as a table; those that differ from their defaults first, and bold."""
    given, defaults = model.get_params(deep=False), _defaults(type(model))
    changed = {name: repr(value) != repr(defaults.get(name, value)) for name, value in given.items()}
    order = sorted(given, key=lambda name: not changed[name])
    values = {name: written(" ".join(repr(given[name]).split())) for name in order}
    rows = [(name, Markup(f"<b>{values[name]}</b>" if changed[name] else values[name])) for name in order]
    return table(["parameter", "value"], rows, most=len(rows)) if rows else line("No parameters.")


def _defaults(kind: type) -> dict[str, object]:
    """Return the default of each parameter of a class that has one."""
    return {name: one.default for name, one in signature(kind).parameters.items() if one.default is not one.empty}


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
    shown = min(MOST, len(model.classes_))
    work = shown * sum(_size(block.t) for block in model._model.voting.values())
    if len(model.classes_) < 2 or work > NUMBERS:
        return []
    return [", ".join(_names(model.top_features(label, 3 * TOP))) for label in model.classes_[:shown]]


def _size(t: object) -> int:
    """Return about how many numbers are looked at to find the top features of one class."""
    if isinstance(t, WordCounts):
        return int(t.tokens.nnz + t.width)
    return DENSE * int(np.prod(t.shape)) if isinstance(t, Statistic) else 1


def _names(found: TopFeatures) -> list[str]:
    """Return the names of the first features, each once."""
    names = [f"column {row.feature}" if isinstance(row.feature, int) else str(row.feature) for row in found]
    return [*dict.fromkeys(names)][:TOP]


def parts_of_columns(estimator: TableClassifier) -> Iterator[str]:
    """Yield a table with a line per column."""
    powers = {str(name): power for name, power in estimator.feature_powers_.items()}
    head = [*HEAD, *["power"] * bool(powers)]
    rows = [
        (name, kind, float(n.replace(",", "")) if n else None, prior, *[powers.get(name)] * bool(powers))
        for name, kind, n, prior in _lines(estimator)
    ]
    yield table(head, rows, most=len(rows))


def parts_of_weights(
    names: Iterable[object], weights: ArrayLike, head: str, called: str, total: int | None = None
) -> Iterator[str]:
    """Yield a table of shares with bars."""
    rows = [(str(name), weight, bar(weight)) for name, weight in zip(names, np.asarray(weights).tolist(), strict=False)]
    yield table([head, called, ""], rows, total)


def _rows(estimator: TableClassifier) -> str:
    counts = estimator.class_count_
    each = [f"{label} {n:,.15g}" for label, n in zip(estimator.classes_, counts, strict=True)]
    more = f", and {len(each) - 10} more" if len(each) > 10 else ""
    sizes = f"{counted(counts.sum(), 'row')} of {counted(len(each), 'class', 'classes')}"
    return f"{sizes}: {', '.join(each[:10])}{more}"


def _lines(estimator: TableClassifier) -> list[tuple[str, str, str, str]]:
    """Return column, kind, rows that have a value, and prior; the middle of a long list is left out."""
    names = list(estimator._model.blocks)
    shown = names if len(names) <= COLUMNS else [*names[: COLUMNS // 2], None, *names[-(COLUMNS // 2) :]]
    gap = ("…", f"{len(names) - len(shown) + 1} more", "", "")
    return [gap if name is None else _line(estimator, name) for name in shown]


def _line(estimator: TableClassifier, name: Name) -> tuple[str, str, str, str]:
    block = estimator._model.blocks[name]
    rows = float(np.sum(block.statistic.n)) if hasattr(block.statistic, "n") else 0.0
    return str(name), block.likelihood.word, f"{rows:,.15g}", prior_in_words(block.settled, block.t)
