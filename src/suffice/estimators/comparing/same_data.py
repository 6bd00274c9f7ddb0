"""Check that models have learned the same data, as far as their counts show: only then can evidences be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from suffice.errors import ImproperPrior, InputError, KindError
from suffice.estimators.shell.classifier import Classifier
from suffice.models.answers.features import measured
from suffice.models.model import Name
from suffice.stats import Statistic
from suffice.stats.word_counts import WordCounts
from suffice.typing import Label

__all__ = ["must_both_be_flat", "must_share_data"]

COUNTS = "probabilities of counts"
ROUNDING = ("mean_lo", "scatter_lo", "peak")  # depends on the order of rows
OTHERWISE = "Compare models of different data by how well they predict labels: compare(models, X, y)."


@dataclass(frozen=True)
class Data:
    """The data behind an evidence: rows per class, and the name, measure and statistic of each feature."""

    classes: list[Label]
    rows: list[float]
    names: list[Name]
    measures: list[str]  # of each feature
    statistics: list[Statistic] | list[float]  # of each feature


def must_share_data(models: Mapping[str, Classifier], coefficients: bool) -> None:
    """Raise unless all are fitted classifiers of the same rows and features.

    With `coefficients`, evidences include n!/Πx!, so models of counts of different kinds can be compared.
    """
    for name, model in models.items():
        if not isinstance(model, Classifier):
            raise KindError(f"The model {name!r} must be a fitted classifier of suffice; got {type(model).__name__}.")
        check_is_fitted(model)
    first, *others = models
    mine = _data_of(models[first], coefficients)
    for name in others:
        why = _difference(first, mine, name, _data_of(models[name], coefficients))
        if why:
            raise InputError(
                f"Models compared by evidence must have learned the same rows and columns; got a difference: {why}. "
                f"{OTHERWISE}"
            )


def must_both_be_flat(a: object, b: object) -> None:
    """Raise ImproperPrior if one of two beliefs has a flat mean, whose evidence is given the first row."""
    flat = [np.asarray(getattr(belief, "kappa", 1.0)) == 0 for belief in (a, b)]
    if (flat[0] != flat[1]).any():
        raise ImproperPrior(
            "The evidence with a flat mean (kappa=0) is that of the rows after the first, so it cannot be compared "
            "with the evidence of all rows. Give both beliefs kappa=0, or both a kappa above 0."
        )


def _difference(a: str, mine: Data, b: str, theirs: Data) -> str:
    """Return a description of the first difference; '' if there is none."""
    if (mine.classes, mine.rows) != (theirs.classes, theirs.rows):
        return f"the rows of each class are {_by_class(mine)} in {a!r} and {_by_class(theirs)} in {b!r}"
    for here, there, one, two in ((mine.names, theirs.names, a, b), (theirs.names, mine.names, b, a)):
        known = set(there)
        lacking = next((name for name in here if name not in known), None)
        if lacking is not None:
            return f"{lacking!r} is in {one!r} and not in {two!r}"
    place = {name: i for i, name in enumerate(theirs.names)}
    for i, name in enumerate(mine.names):
        j = place[name]
        if mine.measures[i] != theirs.measures[j]:
            return f"for {name!r}, {a!r} has {mine.measures[i]} and {b!r} has {theirs.measures[j]}"
        if not _same(mine.statistics[i], theirs.statistics[j]):
            return f"the values of {name!r} are not the same in {a!r} and {b!r}"
    return ""


def _data_of(model: Classifier, coefficients: bool) -> Data:
    names, measures, statistics = _features(model, coefficients)
    return Data(model.classes_.tolist(), model.class_count_.tolist(), names, measures, statistics)


def _features(model: Classifier, coefficients: bool) -> tuple[list[Name], list[str], list[Statistic] | list[float]]:
    """Return names, measures and statistics of the columns of a table, or of the features of the only block."""
    voting = model._model.voting
    if model._reader.by_block:
        kinds = [measured(block.settled, block.t) for block in voting.values()]
        return list(voting), kinds, [block.statistic for block in voting.values()]
    (block,) = voting.values()
    measure = measured(block.settled, block.t)
    if measure == COUNTS and not coefficients:
        measure = f"{COUNTS} as {type(model).__name__} has them"
    if isinstance(block.t, WordCounts):
        names = list(range(block.t.width)) if block.t.hash_bits else block.t.words.strings.tolist()
        frequency = block.t.document_frequency if "there or not" in measure else block.t.frequency
        return names, [measure] * len(names), frequency.tolist()
    called = model._feature_names()
    names = list(range(model.n_features_in_)) if called is None else list(called)
    return names, [measure] * len(names), [block.statistic] * len(names)


def _same(a: Statistic | float, b: Statistic | float) -> bool:
    """Return whether two statistics can be of the same values; of different kinds, only `n` and `mean` are compared."""
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, float) and isinstance(b, float) and bool(np.isclose(a, b, rtol=1e-9))
    if a is b:
        return True
    mine, theirs = a.arrays(), b.arrays()
    kinds = [name for name in mine if name in theirs and (type(a) is type(b) or name in ("n", "mean"))]
    return all(_close(mine[name], theirs[name], type(a) is type(b)) for name in kinds if name not in ROUNDING)


def _close(a: NDArray[np.generic], b: NDArray[np.generic], strict: bool) -> bool:
    if a.shape != b.shape:
        return not strict
    if a.dtype.kind not in "biufc":
        return bool((a == b).all())
    scale = float(np.abs(a).max(initial=0.0))
    return bool(np.allclose(a, b, rtol=1e-9, atol=1e-9 * scale, equal_nan=True))


def _by_class(data: Data) -> str:
    return ", ".join(f"{name!s}: {count:g}" for name, count in zip(data.classes, data.rows, strict=True))
