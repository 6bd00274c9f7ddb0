"""Gather the contents of a report as numbers and words, without charts and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import InputError, SufficeError
from suffice.estimators import merge, mutual_information
from suffice.estimators.shell.stored import params_in_files
from suffice.models.answers.derived import prior_in_words
from suffice.models.answers.ranking import believed
from suffice.models.choosing.judge import some_rows
from suffice.models.likelihoods.pictures import FeatureBelief
from suffice.plots.features import word_lines
from suffice.readers.columns import FAMILIES
from suffice.reporting.column_facts import Associations, associations, summarized
from suffice.reporting.column_views import ColumnView, JointViews, column_views, joint_views, largest
from suffice.reporting.judged_rows import LEVEL, JudgedRows, judge, share
from suffice.reporting.labelled_rows import LabelledRows, read
from suffice.reporting.pitfalls import Alert, alerts, repeated
from suffice.reporting.shown_rows import Example, chosen, confidently_wrong
from suffice.reporting.thresholds import Thresholds, thresholds
from suffice.reporting.wording import percent
from suffice.stats.content import hashed
from suffice.typing import Integers

MOST_ROWS = 50_000
MOST_COLUMNS = 12
LISTED = 40
INFORMATIVE, PROBABLE, SPIKES = 24, 8, 300
WRONG = 8
CURVE, FEWEST, JUDGED, STEPS = 16_000, 60, 4, 7
"""The learning curve: the most and the fewest rows, one in how many is held out, and the number of points."""


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
    pair: tuple[int, int]  # the two classes that are compared word by word
    shown: Integers  # the words, in the order of the vocabulary
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
        for number in examples:
            if number not in all_rows.numbers:
                raise InputError(
                    "report.examples",
                    f"hold numbers of rows whose label the model knows, below {int(all_rows.numbers[-1]) + 1:,}",
                    got=number,
                )
        which = np.union1d(which, np.searchsorted(all_rows.numbers, np.asarray(examples, np.int64)))
    given = all_rows.take(which) if len(which) < len(all_rows) else all_rows
    judged = judge(model, given, held_out, all_rows)
    words = believed(model._predictor, model._reader.feature_names, model._reader.by_block)
    drawn, every = column_views(model, MOST_COLUMNS) if words is None else ([], [])
    curve, no_curve = learning_curve(model, given)
    pair = two_to_show(judged.confusion)
    return Facts(
        model=model, name=_called(model), data=_data(model, all_rows, given, judged), judged=judged, words=words,
        pair=pair, shown=_most_probable(words, pair), columns=drawn, together=joint_views(model),
        informative=_informative(model, judged, words, every), examples=chosen(model, given, judged, examples),
        wrong=confidently_wrong(model, given, judged, WRONG), curve=curve, no_curve=no_curve, target=all_rows.target,
        thresholds=thresholds(judged), associations=associations(model, given),
    )  # fmt: skip


def two_to_show(confusion: NDArray[np.int64]) -> tuple[int, int]:
    """Return the two classes that are confused most, or the two largest if none are confused."""
    k = len(confusion)
    if k < 2:
        return 0, 0
    both = np.triu(confusion + confusion.T, 1)
    if both.any():
        a, b = divmod(int(both.argmax()), k)
        return a, b
    a, b = np.sort(np.argsort(-confusion.sum(axis=1), kind="stable")[:2]).tolist()
    return a, b


def _most_probable(words: FeatureBelief | None, pair: tuple[int, int]) -> Integers:
    """Return the words that are most probable in either of two classes."""
    if words is None:
        return np.zeros(0, np.int64)
    best = np.union1d(*(words.most(c, SPIKES) for c in pair))
    mean = words.mean(best)[list(pair)].max(axis=0)
    return np.sort(best[np.argsort(-mean, kind="stable")[:SPIKES]])


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
    figures, columns, more = (_of_texts if given.texts else _of_columns)(model, given)
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
    table = given.table
    names = [name for name in model._model.blocks if name in table]
    lines = []
    for name in names[:LISTED]:
        block, missing = model._model.blocks[name], table[name].n_missing
        line = {"name": str(name), "kind": block.likelihood.word, "missing": missing, "share": missing / len(table)}
        line |= {"prior": prior_in_words(block.settled, block.t), "power": model.feature_powers_.get(name)}
        lines.append({**line, "summary": summarized(given.coded(name))})
    holes = sum(table[name].n_missing for name in names[:400]) / max(1, len(table) * min(400, len(names)))
    figures = [("columns", f"{width:,}"), ("missing values", percent(holes))]
    return figures, lines, len(names) - len(lines)


def _informative(model: Any, judged: JudgedRows, words: FeatureBelief | None, every: list[ColumnView]) -> Informative:
    ranked, why_not = list[dict[str, Any]](), ""
    try:
        if words is None:
            known = [view for view in every if view.bits is not None][:INFORMATIVE]
            ranked = [{"feature": view.name, "bits": view.bits, "tooltip": view.kind} for view in known]
            why_not = "" if ranked else "No column has a mutual information with the class."
        else:
            found = mutual_information(model, "bits")
            for j, bits in zip(found.order[:INFORMATIVE], found.values.tolist(), strict=False):
                top = int(words.mean([j])[:, 0].argmax())
                (line,) = word_lines(words, top, [j], LEVEL)
                tooltip = f"most in {judged.classes[top]}: {line['mean']:.3g}"
                tooltip += f" ({line['low']:.3g} to {line['high']:.3g})" if words.sure else ""
                ranked.append({"feature": line["word"], "tooltip": tooltip, "code": top, "bits": bits})
    except (SufficeError, ValueError) as error:
        why_not = f"Mutual information is left out: {error}"
    lines = []
    for c in largest(model, LISTED):
        label, probable, favours = model.classes_[c], list[dict[str, Any]](), list[dict[str, Any]]()
        for line in [] if words is None else word_lines(words, c, words.most(c, PROBABLE), LEVEL):
            ends = f" ({line['low']:.2g} to {line['high']:.2g})" if words is not None and words.sure else ""
            probable.append({"name": line["word"], "tooltip": f"{line['mean']:.3g}{ends}"})
        try:
            for row in model.top_features(label, PROBABLE if words is not None else 5):
                value = "" if words is not None else row.value
                favours.append({"name": str(row.feature), "value": value, "tooltip": f"{row.log_odds:.3g}"})
        except (SufficeError, ValueError):
            pass
        lines.append({"code": c, "class": str(label), "probable": probable, "speaks": favours})
    return Informative(ranked, "word" if words is not None else "column", lines, why_not)


def learning_curve(model: Any, given: LabelledRows) -> tuple[list[dict[str, float]], str]:
    """Return the accuracy on held-out rows by the number of rows learned, and the reason if there is no curve."""
    if len(given) < FEWEST:
        return [], f"A learning curve needs at least {FEWEST} rows; got {len(given):,}."
    sample = given.sample(CURVE)
    order = np.argsort(hashed(np.arange(len(sample)) + len(sample)), kind="stable")
    cut = len(sample) // JUDGED
    judged, rest = sample.take(np.sort(order[:cut])), order[cut:]
    least = max(10, 4 * len(model.classes_))
    sizes = [len(rest) >> k for k in reversed(range(STEPS)) if len(rest) >> k >= least] or [len(rest)]
    points, learned, start = list[dict[str, float]](), None, 0
    try:
        for size in sizes:
            part = sample.take(np.sort(rest[start:size]))
            more = _plain(model).fit(part.rows, part.labels)
            learned, start = more if learned is None else merge([learned, more]), size
            right = int((learned.predict(judged.rows) == judged.labels).sum())
            points.append({"rows": size, **share(right, len(judged))})
    except (SufficeError, ValueError) as error:
        return [], f"The learning curve is left out: {error}"
    return points, ""


def _plain(model: Any) -> Any:
    """Return an unfitted model with the same parameters and likelihoods, but without slow choices."""
    params = dict(params_in_files(model))
    params |= {name: value for name, value in (("feature_powers", None), ("effort", "fast")) if name in params}
    if "ngram_range" in params:
        params["ngram_range"] = model.ngram_range_
        params["min_df"] = None if params["vocabulary"] is not None else model.min_df_
    if "columns" in params:
        params["columns"] = {name: one for name, one in model.columns_.items() if isinstance(one, FAMILIES)}
    return type(model)(**params)
