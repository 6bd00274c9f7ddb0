"""Compare models of the same data by their evidence (SX-8), and other models by how well they predict labels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from suffice.errors import ImproperPrior, InputError, KindError
from suffice.estimators.comparing.validation import CROSS_VAL_PREDICT, crossfit
from suffice.estimators.shell.classifier import Classifier
from suffice.models.answers.derived import measured
from suffice.models.model import Name
from suffice.models.predictor import normalise
from suffice.notebook import card, table
from suffice.posterior import Dirichlet, Pareto
from suffice.posterior.base import Conjugate, plain
from suffice.posterior.beta import BetaBelief
from suffice.posterior.gamma import GammaBelief
from suffice.readers.labels import Given
from suffice.stats import Statistic
from suffice.stats.word_counts import WordCounts
from suffice.tables import frame_of
from suffice.typing import Array, DataLike, Floats, GroupsLike, Label, LabelsLike, WeightsLike

Compared = Classifier | Conjugate[Any] | ArrayLike
"""A fitted classifier, a belief, or a value of the parameter of a belief."""


def bayes_factor(a: Compared, b: Compared, X: DataLike | None = None, **data: object) -> Floats:
    """Return the log Bayes factor of `a` against `b`: the log evidence of the data under `a`, less that under `b`.

    Parameters
    ----------
    a, b : fitted classifiers; or beliefs of one family; or a belief and a value of its parameter
        Classifiers must have learned the same data: rows, columns and counts are checked, as far as both models keep
        them, and a difference raises an error. (Evidences of different columns are evidences of different data.) Use
        ``compare(models, X, y)`` for models of different data. Flat means (``kappa=0``) are compared with flat means
        only. A value is a point hypothesis, such as 0.5.
    X : as for fit, default=None
        The training rows; needed to compare models of counts of different kinds (see ``evidence``).
    **data : as for update
        The data that beliefs are compared on, such as ``heads=3, tails=17``, or ``statistic=...``.

    Returns
    -------
    log_bayes_factor : float
        Above 0 if the data favour `a`; 3 means odds of about 20 to 1. An array for tables of beliefs.

    Examples
    --------
    >>> import suffice as sf
    >>> X, y = [[1, 0], [1, 1], [1, 0], [0, 1], [0, 1], [0, 0]], [0, 0, 0, 1, 1, 1]
    >>> plain, strong = (sf.BernoulliNB(alpha=alpha).fit(X, y) for alpha in (1, 100))
    >>> round(sf.bayes_factor(plain, strong), 3)
    0.556

    Is the coin fair? Three heads in twenty tosses speak against it, 44 to 1:

    >>> round(sf.bayes_factor(sf.Beta(1, 1), 0.5, heads=3, tails=17), 3)
    3.78
    """
    if not (isinstance(a, Classifier) and isinstance(b, Classifier)):
        return _of_beliefs(a, b, X, data)
    if data:
        raise InputError(
            f"Classifiers are compared on the rows they learned; got data, too: {', '.join(data)}."
        ).advise("Leave it out.")
    must_share_data({"a": a, "b": b}, X is not None)
    return float(a.evidence(X).total - b.evidence(X).total)  # SX-8


def _of_beliefs(a: Compared, b: Compared, X: DataLike | None, data: dict[str, object]) -> Floats:
    """Return the log Bayes factor of two beliefs, or of a belief and a value of its parameter."""
    if not isinstance(a, Conjugate) and not isinstance(b, Conjugate):
        raise KindError("The arguments of bayes_factor", "be two fitted classifiers, or at least one belief").but(
            f"got {type(a).__name__} and {type(b).__name__}"
        )
    if X is not None or not data:
        raise InputError(
            "Beliefs are compared on data given as for update, such as heads=3, tails=17; got "
            f"{'X, which is for classifiers' if X is not None else 'none'}."
        )
    if not isinstance(a, Conjugate):
        return plain(-np.asarray(_of_beliefs(b, a, X, data)))
    if not isinstance(b, Conjugate):
        return plain(np.asarray(a.log_evidence(**data)) - _log_likelihood(a, b, data))
    if type(a) is not type(b):
        raise InputError("Beliefs that are compared", "be of one family").but(
            f"got {type(a).__name__} and {type(b).__name__}"
        )
    must_both_be_flat(a, b)
    return plain(np.asarray(a.log_evidence(**data)) - b.log_evidence(**data))


def _log_likelihood(belief: Conjugate[Any], value: ArrayLike, data: dict[str, object]) -> Array:
    """Return ln p of the data at a value of the parameter: evidence · posterior / prior, by a prior that allows it."""
    prior = belief
    if isinstance(belief, BetaBelief | GammaBelief):
        prior = type(belief)(np.ones(belief.batch_shape), np.ones(belief.batch_shape))
    elif isinstance(belief, Dirichlet):
        prior = Dirichlet(np.ones_like(belief.alpha))
    elif isinstance(belief, Pareto):
        end = np.asarray(value, np.float64)
        prior = Pareto(np.where(end > 0, end, 1.0), 1.0)
    before = np.asarray(prior.logpdf(value))
    if not np.isfinite(before).all():
        raise InputError(f"The parameter of {type(belief).__name__} cannot have the value {value!r}.").advise(
            "Give one inside its support."
        )
    return np.asarray(prior.log_evidence(**data) + np.asarray(prior.update(**data).logpdf(value)) - before)


class Ranking:
    """A table of models, best first, with a column per score."""

    names: list[str]

    @abstractmethod
    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the columns of the table as arrays."""

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe of `backend`: "pandas", "polars" or "pyarrow"; by default of one that is installed."""
        return frame_of(self.to_dict(), backend)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.to_dict()[name]

    def __repr__(self) -> str:
        columns = self.to_dict()
        shown = [[name, *(_short(value) for value in columns[name])] for name in columns]
        wide = [max(map(len, column)) for column in shown]
        lines = [[cell.rjust(w) for cell, w in zip(line, wide, strict=True)] for line in zip(*shown, strict=True)]
        return "\n".join("  ".join([line[0].strip().ljust(wide[0]), *line[1:]]) for line in lines)

    def _repr_html_(self) -> str:
        return card(self, self._parts, type(self).__name__)

    def _parts(self) -> Iterator[str]:
        columns = self.to_dict()
        head = [name.replace("_", " ") for name in columns]
        yield table(head, zip(*(column.tolist() for column in columns.values()), strict=True), len(self))


@dataclass(frozen=True, repr=False)
class Comparison(Ranking):
    """Models ranked by their evidence, best first.

    >>> import suffice as sf
    >>> X, y = [[3, 0], [2, 1], [0, 4]], ["tea", "tea", "rum"]
    >>> found = sf.compare({str(a): sf.MultinomialNB(alpha=a).fit(X, y) for a in (1, 10)})
    >>> found.names, found.probability.round(2)
    (['1', '10'], array([0.76, 0.24]))
    """

    names: list[str]
    log_evidence: Array
    difference: Array  # to the best
    probability: Array  # of each model, under a uniform prior over the models

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the columns of the table as arrays."""
        return {
            "model": np.array(self.names, dtype=object),
            "log_evidence": self.log_evidence,
            "difference": self.difference,
            "probability": self.probability,
        }


@dataclass(frozen=True, repr=False)
class LossComparison(Ranking):
    """Models ranked by the log loss of held-out labels, best first.

    >>> import suffice as sf
    >>> X, y = [[3, 0], [2, 1], [0, 4]] * 9, ["tea", "tea", "rum"] * 9
    >>> found = sf.compare({str(a): sf.MultinomialNB(alpha=a) for a in (1, 100)}, X, y)
    >>> found.names, found.log_loss.round(3)
    (['1', '100'], array([0.002, 0.374]))
    """

    names: list[str]
    log_loss: Array
    difference: Array  # to the best
    error: Array  # the standard error of the difference, over the rows
    accuracy: Array

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the columns of the table as arrays."""
        return {
            "model": np.array(self.names, dtype=object),
            "log_loss": self.log_loss,
            "difference": self.difference,
            "error": self.error,
            "accuracy": self.accuracy,
        }


@overload
def compare(models: Mapping[str, Classifier], X: DataLike | None = None, y: None = None) -> Comparison: ...


@overload
def compare(
    models: Mapping[str, Classifier],
    X: DataLike | Mapping[str, DataLike],
    y: LabelsLike,
    *,
    sample_weight: WeightsLike = None,
    groups: GroupsLike = None,
) -> LossComparison: ...


def compare(
    models: Mapping[str, Classifier],
    X: DataLike | Mapping[str, DataLike] | None = None,
    y: LabelsLike | None = None,
    *,
    sample_weight: WeightsLike = None,
    groups: GroupsLike = None,
) -> Comparison | LossComparison:
    """Compare models by their evidence, or, given labels, by how well they predict them in cross-validation.

    Evidence is the probability of all columns and labels, so it compares only models of the same rows and columns;
    others raise an error. With `y`, models may differ in columns, words and kind: ``sf.evaluate.crossfit`` evaluates
    each of them, all on the same folds.

    Parameters
    ----------
    models : dict of classifiers
        Classifiers by name. They must be fitted if they are compared by evidence.
    X : as for fit, default=None
        The training rows; needed with `y`, and to compare models of counts of different kinds by evidence (see
        ``evidence``). With `y`, it may be a dict of rows for each model, with the names of `models` as keys.
    y : as for fit, default=None
        Labels of the rows. If given, models are compared by held-out log loss.
    sample_weight, groups : array-like of shape (n_rows,), default=None
        As for ``sf.evaluate.crossfit``.

    Returns
    -------
    comparison : Comparison or LossComparison
        By evidence: the log evidence, its difference to the best, and the posterior probability of each model under a
        uniform prior. By labels: the log loss, its difference to the best with a standard error, and the accuracy.
        ``to_frame()`` returns a dataframe.

    Examples
    --------
    >>> import suffice as sf
    >>> X, y = [[1, 0], [1, 1], [1, 0], [0, 1], [0, 1], [0, 0]], [0, 0, 0, 1, 1, 1]
    >>> sf.compare({str(alpha): sf.BernoulliNB(alpha=alpha).fit(X, y) for alpha in (0.1, 1, 100)})
    model  log_evidence  difference  probability
    1           -11.901       0.000        0.567
    100         -12.457      -0.556        0.325
    0.1         -13.555      -1.653        0.108
    >>> fewer = sf.BernoulliNB().fit([row[:1] for row in X], y)
    >>> sf.compare({"both": sf.BernoulliNB(), "first": fewer}, {"both": X, "first": [row[:1] for row in X]}, y)
    model  log_loss  difference  error  accuracy
    first     0.320       0.000  0.000     1.000
    both      0.413       0.093  0.071     1.000
    """
    given: object = models
    if not isinstance(given, Mapping) or not given:
        raise InputError("compare.models", "be a dict of at least one classifier by name", got=models)
    if y is not None:
        return _by_losses(models, X, y, sample_weight, groups)
    must_share_data(models, X is not None)
    evidence = np.array([model.evidence(X).total for model in models.values()])
    order = np.argsort(-evidence, kind="stable")
    shares = evidence[None, order].copy()
    normalise(shares, np.zeros(len(order)))  # SX-8
    names = [str(list(models)[i]) for i in order]
    return Comparison(names, evidence[order], evidence[order] - evidence[order[0]], np.exp(shares[0]))


def _by_losses(
    models: Mapping[str, Classifier],
    X: DataLike | Mapping[str, DataLike] | None,
    y: LabelsLike,
    sample_weight: WeightsLike,
    groups: GroupsLike,
) -> LossComparison:
    if X is None:
        raise InputError("compare.X", "hold the rows that 'y' has labels of").but("got None")
    own = cast("Mapping[str, DataLike]", X) if isinstance(X, Mapping) and set(X) == set(models) else None
    for name, model in models.items():  # before any is fitted
        if not isinstance(model, Classifier):
            raise KindError(f"The model {name!r}", "be a classifier of suffice").but(
                f"got {type(model).__name__}", python=CROSS_VAL_PREDICT
            )
    found = {}
    for name, model in models.items():
        rows: Given = X if own is None else own[name]
        if model.__sklearn_is_fitted__():
            rows, y = model._known_columns(rows, y)
        found[str(name)] = crossfit(model, rows, y, sample_weight, groups=groups)
    judged = ~np.logical_or.reduce([one.alone for one in found.values()])
    losses = {name: one.losses[judged] for name, one in found.items()}
    weights = next(iter(found.values())).weights[judged]
    means = {name: float(weights @ loss / weights.sum()) for name, loss in losses.items()}
    names = sorted(found, key=lambda name: means[name])
    mean = np.array([means[name] for name in names])
    apart = [losses[name] - losses[names[0]] for name in names]
    errors = [np.sqrt(weights**2 @ (one - weights @ one / weights.sum()) ** 2) / weights.sum() for one in apart]
    accuracy = np.array([found[name].accuracy for name in names])
    return LossComparison(names, mean, mean - mean[0], np.array(errors, np.float64), accuracy)


def _short(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.3f}"


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
            raise KindError(f"The model {name!r}", "be a fitted classifier of suffice").but(
                f"got {type(model).__name__}"
            )
        check_is_fitted(model)
    first, *others = models
    mine = _data_of(models[first], coefficients)
    for name in others:
        why = _difference(first, mine, name, _data_of(models[name], coefficients))
        if why:
            raise InputError("Models compared by evidence", "have learned the same rows and columns").but(
                f"got a difference: {why}", python=OTHERWISE
            )


def must_both_be_flat(a: object, b: object) -> None:
    """Raise ImproperPrior if one of two beliefs has a flat mean, whose evidence is given the first row."""
    flat = [np.asarray(getattr(belief, "kappa", 1.0)) == 0 for belief in (a, b)]
    if (flat[0] != flat[1]).any():
        raise ImproperPrior(
            "The evidence with a flat mean (kappa=0) is that of the rows after the first, so it cannot be "
            "compared with the evidence of all rows."
        ).advise(python="Give both beliefs kappa=0, or both a kappa above 0.")


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
    names = list(model._reader.features(model._model))
    if isinstance(block.t, WordCounts):
        frequency = block.t.document_frequency if "there or not" in measure else block.t.frequency
        return names, [measure] * len(names), frequency.tolist()
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
