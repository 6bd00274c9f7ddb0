"""Gather the contents of a report as numbers and words, without charts and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import InputError, SufficeError
from suffice.estimators import mutual_information
from suffice.models.answers.features import prior_in_words
from suffice.models.answers.ranking import believed
from suffice.models.choosing.judge import some_rows
from suffice.models.likelihoods.pictures import FeatureBelief
from suffice.reporting.alerts import alerts
from suffice.reporting.associations import Associations, associations
from suffice.reporting.column_summaries import summarized
from suffice.reporting.column_views import ColumnView, column_views
from suffice.reporting.joint_views import JointViews, joint_views
from suffice.reporting.judged_rows import JudgedRows, judge
from suffice.reporting.labelled_rows import LabelledRows, read
from suffice.reporting.learning import learning_curve
from suffice.reporting.pitfalls import Alert, repeated
from suffice.reporting.shown_rows import Example, chosen, confidently_wrong
from suffice.reporting.thresholds import Thresholds, thresholds
from suffice.reporting.two_classes import two_to_show
from suffice.reporting.wording import percent
from suffice.typing import Integers

__all__ = ["DataFacts", "Facts", "Informative", "gather"]

MOST_ROWS = 50_000
MOST_COLUMNS = 12
LISTED = 40
INFORMATIVE, PROBABLE = 24, 8
WRONG = 8


@dataclass(frozen=True)
class DataFacts:
    """Facts about the rows."""

    rows: int  # that are judged
    given: int
    learned: float
    unit: str  # "texts" or "rows"
    classes: list[dict[str, Any]]
    figures: list[tuple[str, str]]
    columns: list[dict[str, Any]]
    more: int  # columns not listed
    alerts: list[Alert]


@dataclass(frozen=True)
class Informative:
    """Features by mutual information, and for each class the most probable features and those that favour it."""

    ranked: list[dict[str, Any]]
    unit: str
    by_class: list[dict[str, Any]]
    why_not: str


@dataclass(frozen=True)
class Facts:
    """The contents of a report on a model and its rows."""

    model: Any
    name: str
    data: DataFacts
    judged: JudgedRows
    words: FeatureBelief | None
    pair: tuple[int, int]
    columns: list[ColumnView]
    together: JointViews | None
    informative: Informative
    examples: list[Example]
    wrong: list[Example]
    curve: list[dict[str, float]]
    no_curve: str
    target: str | None  # its name, if it is known
    thresholds: Thresholds | None
    associations: Associations | None


def gather(
    model: Any,
    X: Any,
    y: Any,
    examples: Sequence[int] | None,
    held_out: bool | None,
    target: str | None = None,
) -> Facts:
    """Read the rows, judge them, and look into the model."""
    all_rows = read(model, X, y, target)
    which = some_rows(len(all_rows), MOST_ROWS)
    if examples is not None:
        which = np.union1d(which, _places(all_rows, examples))
    given = all_rows.take(which) if len(which) < len(all_rows) else all_rows
    judged = judge(model, given, held_out, all_rows)
    words = believed(model._predictor, model._feature_names(), model._reader.by_block)
    pair = two_to_show(judged.confusion)
    drawn, every = column_views(model, MOST_COLUMNS) if words is None else ([], [])
    curve, no_curve = learning_curve(model, given)
    return Facts(
        model,
        _called(model),
        _data(model, all_rows, given, judged),
        judged,
        words,
        pair,
        drawn,
        joint_views(model),
        _informative(model, judged, words, every),
        chosen(model, given, judged, examples),
        confidently_wrong(model, given, judged, WRONG),
        curve,
        no_curve,
        all_rows.target,
        thresholds(judged),
        associations(model, given),
    )


def _places(all_rows: LabelledRows, examples: Sequence[int]) -> Integers:
    """Return the positions of the rows with the given numbers."""
    for i in examples:
        if i not in all_rows.numbers:
            most = int(all_rows.numbers[-1]) + 1
            raise InputError(
                f"The argument 'examples' of report must hold numbers of rows whose label the model knows, below "
                f"{most:,}; got {i!r}."
            )
    return np.searchsorted(all_rows.numbers, np.asarray(examples, np.int64))


def _called(model: Any) -> str:
    """Return the name of the model with its parameters that are not the defaults."""
    plain = type(model)()
    own = {k: v for k, v in model.get_params(deep=False).items() if repr(v) != repr(plain.get_params(deep=False)[k])}
    parameters = ", ".join(f"{name}={value!r}" for name, value in own.items())
    parameters = parameters if len(parameters) < 200 else parameters[:199] + "…"
    return f"{type(model).__name__}({parameters})"


def _data(model: Any, all_rows: LabelledRows, given: LabelledRows, judged: JudgedRows) -> DataFacts:
    count = {str(label): int(n) for label, n in zip(*np.unique(given.labels, return_counts=True), strict=True)}
    classes = [
        {"code": c, "class": str(label), "rows": count.get(str(label), 0), "learned": float(model.class_count_[c])}
        for c, label in enumerate(model.classes_)
    ]
    unit = "texts" if given.texts else "rows"
    learned = float(np.sum(model.class_count_))
    found = alerts(model, all_rows, given, judged)
    figures, columns, more = _of_texts(model, given) if given.texts else _of_columns(model, given)
    again = repeated(given)
    if again:
        figures.append((f"{unit} that repeat another", f"{again:,} ({percent(again / len(given))})"))
    return DataFacts(len(given), len(all_rows), learned, unit, classes, figures, columns, more, found)


def _of_texts(model: Any, given: LabelledRows) -> tuple[list[tuple[str, str]], list[dict[str, Any]], int]:
    sample = [given.rows[i] for i in some_rows(len(given), 2000)]
    lengths = [len(text.split()) for text in sample]
    empty = sum(not text.strip() for text in given.rows)
    figures = [
        ("buckets of words" if model._reader.hash_bits else "words known", f"{model._model.blocks['text'].t.width:,}"),
        ("words, median", f"{np.median(lengths):,.0f}"),
        ("empty texts", f"{empty:,}"),
    ]
    return figures, [], 0


def _of_columns(model: Any, given: LabelledRows) -> tuple[list[tuple[str, str]], list[dict[str, Any]], int]:
    width = int(model.n_features_in_)
    if not model._reader.by_block:
        return [("features", f"{width:,}")], [], 0
    table = given.table()
    names = [name for name in model._model.blocks if name in table]
    lines = []
    for name in names[:LISTED]:
        block, missing = model._model.blocks[name], table[name].n_missing
        line = {"name": str(name), "kind": block.likelihood.word, "missing": missing, "share": missing / len(table)}
        line["summary"] = summarized(table[name])
        line |= {"prior": prior_in_words(block.settled, block.t), "power": model.feature_powers_.get(name)}
        lines.append(line)
    holes = sum(table[name].n_missing for name in names[:400])
    cells = max(1, len(table) * min(400, len(names)))
    return (
        [("columns", f"{width:,}"), ("missing values", f"{100 * holes / cells:.1f}\u202f%")],
        lines,
        len(names) - len(lines),
    )


def _informative(model: Any, judged: JudgedRows, words: FeatureBelief | None, every: list[ColumnView]) -> Informative:
    why_not = ""
    ranked: list[dict[str, Any]] = []
    try:
        if words is None:
            known = [view for view in every if view.bits is not None][:INFORMATIVE]
            ranked = [{"feature": view.name, "bits": view.bits, "tooltip": view.kind} for view in known]
            why_not = "" if ranked else "No column has a mutual information with the class."
        else:
            found = mutual_information(model, "bits")
            ranked = [_word(words, int(j), judged) for j in found.order[:INFORMATIVE]]
            for line, value in zip(ranked, found.values.tolist(), strict=False):
                line["bits"] = value
    except (SufficeError, ValueError) as error:
        why_not = f"Mutual information is left out: {error}"
    return Informative(ranked, "word" if words is not None else "column", _by_class(model, words), why_not)


def _word(words: FeatureBelief, j: int, judged: JudgedRows) -> dict[str, Any]:
    mean = words.mean([j])[:, 0]
    top = int(mean.argmax())
    description = f"most in {judged.classes[top]}: {mean[top]:.3g}"
    if words.sure:
        low, high = (ends[top, 0] for ends in words.ends([j]))
        description += f" ({low:.3g} to {high:.3g})"
    return {"feature": str(words.names[j]), "tooltip": description, "code": top}


def _by_class(model: Any, words: FeatureBelief | None) -> list[dict[str, Any]]:
    lines = []
    for c in np.sort(np.argsort(-np.asarray(model.class_count_), kind="stable")[:LISTED]).tolist():
        label = model.classes_[c]
        probable: list[dict[str, Any]] = []
        if words is not None:
            which = words.most(c, PROBABLE)
            mean = words.mean(which)[c]
            low, high = words.ends(which) if words.sure else (np.full((c + 1, len(which)), np.nan),) * 2
            for j, p, a, b in zip(which, mean, low[c], high[c], strict=True):
                ends = f" ({a:.2g} to {b:.2g})" if words.sure else ""
                probable.append({"name": str(words.names[j]), "tooltip": f"{p:.3g}{ends}"})
        try:
            speaks = [
                {
                    "name": str(row.feature),
                    "value": "" if words is not None else row.value,
                    "tooltip": f"{row.log_odds:.3g}",
                }
                for row in model.top_features(label, PROBABLE if words is not None else 5)
            ]
        except (SufficeError, ValueError):
            speaks = []
        lines.append({"code": c, "class": str(label), "probable": probable, "speaks": speaks})
    return lines
