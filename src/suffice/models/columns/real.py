"""Columns of numbers: normal, or counts of events."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError
from suffice.models import events, gaussian
from suffice.models.columns.base import ColumnModel, Told, by_class, column_name, must_be, numbers, present, silent
from suffice.models.empirical.pseudo_counts import gamma_of_counts, rate_terms
from suffice.models.empirical.normals import belief_about_normals
from suffice.models.events import Estimate
from suffice.models.leave_out import left
from suffice.models.removal import Removal
from suffice.posterior import Gamma, NormalInverseGamma
from suffice.stats import DiagonalMoments, PoissonSums, TokenCounts
from suffice.stats.inputs import COUNT, WHOLE
from suffice.tables import Column
from suffice.typing import Array, Booleans, Integers

__all__ = ["Gaussian", "Poisson"]

NUMBERS = frozenset({"bool", "integer", "real"})

LARGEST = 2.0**500
"""The squares of larger numbers, summed, might leave the range of floats."""

KAPPA, SHAPE = 0.01, 1.5
"""What a Gaussian column's class means, and their variance, are worth before any row: next to nothing, and one row."""


@dataclass(frozen=True)
class Rows:
    """The scores of a matrix with one column, silent where a value is missing."""

    scorer: Any
    check: Any
    unit: float = 1.0

    def scores(self, column: Column) -> Array:
        """Rows × classes."""
        values = numbers(column)
        self.check(column, values)
        values = values if self.unit == 1 else values / self.unit
        scores: Array = self.scorer.scores(values[:, None])
        return silent(scores, column)


@dataclass(frozen=True, repr=False)
class Gaussian(ColumnModel):
    """A normal per class, or with estimate="predictive" the Student-t that integrates it out.

    Parameters
    ----------
    prior : NormalInverseGamma or "evidence", default=None
        Belief about mean and variance, or the one that makes the column most probable. If not given: the mean about
        that of all rows, worth 0.01 rows; the variance about that within classes, worth one row. So the unit of the
        numbers does not matter.
    floor : float, default=0.0
        Added to the variance where it is plugged in ("mle", "map", "mean").

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"height": sf.columns.Gaussian(prior=sf.NormalInverseGamma(170, 1, 2, 50))})
    >>> model.fit({"height": [165.0, 160.0, 185.0, None]}, ["a", "a", "b", "b"]).predict({"height": [163.0, 190.0]})
    array(['a', 'b'], dtype='<U1')
    """

    prior: NormalInverseGamma | str | None = None
    floor: float = 0.0

    word = "gaussian"
    statistic = DiagonalMoments
    storages = NUMBERS

    def __post_init__(self) -> None:
        COUNT.read(self.floor, "floor")
        must_be(self.prior, NormalInverseGamma, "Gaussian")

    def count(self, column: Column, codes: Integers, weights: Array | None, n_classes: int) -> DiagonalMoments:
        """Mean and scatter."""
        values, codes, weights = present(column, codes, weights)
        self._check(column, values)
        return DiagonalMoments.of(values[:, None], codes, weights, n_classes=n_classes, name=column_name(column))

    def scorer(self, t: DiagonalMoments, estimate: Estimate, strict: bool) -> Rows:
        """Scores of numbers."""
        model, rest, unit = self._in_own_unit(t, estimate)
        return Rows(model.scorer(rest), self._check, unit)

    def leave_out(self, t: DiagonalMoments, column: Column, removal: Removal, estimate: Estimate) -> Array:
        """Densities of each row's number."""
        model, whole, unit = self._in_own_unit(t, estimate)
        values, there = numbers(column) / unit, column.present
        rest = gaussian.without(whole, removal.code, *_moments(values, there, removal))
        own = model.densities(rest, values[removal.rows, None])
        return np.where(there[removal.rows], own, 0.0)

    def _in_own_unit(self, t: DiagonalMoments, estimate: Estimate) -> tuple[gaussian.Gaussian, DiagonalMoments, float]:
        """The model and its statistic in a unit of their own, a power of two: so that no other unit changes a bit.

        The unit drops out of densities, since all classes share it; a prior of the user's has the user's unit.
        """
        unit = 1.0
        if not isinstance(self.prior, NormalInverseGamma):
            variance = float(np.ravel(replace(self, prior=None).belief(t).b)[0]) / (SHAPE - 1)
            unit = 2.0 ** (np.frexp(variance)[1] // 2)
        scale = {"mean": unit, "mean_lo": unit, "n": 1.0}
        own = {name: array / scale.get(name, unit**2) for name, array in t.arrays().items()}
        rest = DiagonalMoments(**own)
        return gaussian.Gaussian(self.floor / unit**2, self.belief(rest), estimate), rest, unit

    def table(self, t: DiagonalMoments, classes: NDArray[Any], level: float) -> Told:
        """A line per class: mean and standard deviation."""
        belief = self.belief(t).update(t)
        ends, spread = belief.interval(level), np.sqrt(np.asarray(belief.mean.variance))
        low, high = np.sqrt(np.asarray(ends.variance))
        return by_class(
            classes, n=t.n, mean=belief.m, low=ends.mean[0], high=ends.mean[1], sd=spread, sd_low=low, sd_high=high
        )

    def prior_in_words(self, t: DiagonalMoments) -> str:
        """The normal-inverse-gamma."""
        prior = self.belief(t)
        m, kappa, a, b = (float(np.ravel(x)[0]) for x in (prior.m, prior.kappa, prior.a, prior.b))
        return f"NormalInverseGamma({m:.4g}, {kappa:g}, {a:g}, {b:.4g})"

    def log_evidence(self, t: DiagonalMoments) -> float:
        """ln p of the numbers, all classes together."""
        return float(np.sum(self.belief(t).log_evidence(t)))

    def belief(self, t: DiagonalMoments) -> NormalInverseGamma:
        """The prior as given, or one in the unit of the numbers."""
        if isinstance(self.prior, NormalInverseGamma):
            return self.prior
        if self.prior is not None:
            return belief_about_normals(t)
        n, mean = float(t.n.sum()), t.mean[:, 0]
        if n == 0:
            return NormalInverseGamma(0.0, KAPPA, SHAPE, SHAPE - 1)
        share = t.n[:, 0] / n
        pivot = mean[np.argmax(share)]
        middle = float(pivot + share @ (mean - pivot))
        within = float(t.scatter.sum()) / n
        total = within + float(share @ (mean - middle) ** 2)
        spread = max(within, 1e-9 * total, (2.0**-40 * abs(middle)) ** 2) or 1.0
        return NormalInverseGamma(middle, KAPPA, SHAPE, (SHAPE - 1) * spread)

    def _check(self, column: Column, values: NDArray[Any]) -> None:
        if values.dtype.kind == "f" and len(values) and max(-values.min(), values.max()) > LARGEST:
            raise DataError(
                f"{column_name(column)} is {self.word} and must hold numbers that can be squared; "
                f"got {values[np.abs(values).argmax()]}."
            )


@dataclass(frozen=True, repr=False)
class Poisson(ColumnModel):
    """Counts of events: a rate per class, or with estimate="predictive" the negative binomial that integrates it out.

    Parameters
    ----------
    prior : Gamma or "evidence", default=None
        Belief about the rate, or the one that makes the column most probable. If not given: about the mean of all
        rows, worth one event.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"calls": sf.columns.Poisson(prior=sf.Gamma(shape=2, rate=1))})
    >>> model.fit({"calls": [0, 1, 7, 5]}, ["quiet", "quiet", "busy", "busy"]).predict({"calls": [0, 9]})
    array(['quiet', 'busy'], dtype='<U5')
    """

    prior: Gamma | str | None = None

    word = "poisson"
    statistic = PoissonSums
    storages = NUMBERS

    def __post_init__(self) -> None:
        must_be(self.prior, Gamma, "Poisson")

    def count(self, column: Column, codes: Integers, weights: Array | None, n_classes: int) -> PoissonSums:
        """Σx, n and Σ ln x!."""
        values, codes, weights = present(column, codes, weights)
        if not WHOLE.accepts(values).all():
            wrong = values[~WHOLE.accepts(values)][0]
            raise DataError(f"{column_name(column)} is {self.word} and must hold counts 0, 1, 2, …; got {wrong}.")
        return PoissonSums.of(values[:, None], codes, weights, n_classes=n_classes)

    def scorer(self, t: PoissonSums, estimate: Estimate, strict: bool) -> Rows:
        """Scores of counts."""
        prior = self.belief(t)
        model = events.Poisson(np.asarray(prior.shape), np.asarray(prior.rate), estimate)
        return Rows(model.scorer(TokenCounts(t.total), t.n), self._check)

    def leave_out(self, t: PoissonSums, column: Column, removal: Removal, estimate: Estimate) -> Array:
        """Probabilities of each row's count."""
        values, there = numbers(column).astype(np.float64), column.present
        prior = self.belief(t)
        model = events.Poisson(np.asarray(prior.shape), np.asarray(prior.rate), estimate)
        n = left(t.n[removal.code], removal.total(there)[:, None])
        rest = left(t.total[removal.code], removal.sums(values * there)[:, None])
        x, first = values[removal.rows], np.zeros(len(removal.rows), np.int64)
        own = model.of_zeros(rest, n) + model.beyond_zero(rest[:, 0], rest[:, 0], n[:, 0], first, x)
        return np.where(there[removal.rows], own, 0.0)

    def table(self, t: PoissonSums, classes: NDArray[Any], level: float) -> Told:
        """A line per class."""
        belief = self.belief(t).update(t)
        low, high = belief.interval(level)
        return by_class(classes, n=t.n, rate=belief.mean, low=low, high=high)

    def prior_in_words(self, t: PoissonSums) -> str:
        """The Gamma."""
        prior = self.belief(t)
        return f"Gamma({float(np.ravel(prior.shape)[0]):g}, {float(np.ravel(prior.rate)[0]):.4g})"

    def log_evidence(self, t: PoissonSums) -> float:
        """ln p of the counts, all classes together."""
        return float(np.sum(self.belief(t).log_evidence(t)))

    def belief(self, t: PoissonSums) -> Gamma:
        """The prior as given, or one about the mean of all."""
        if isinstance(self.prior, Gamma):
            return self.prior
        if self.prior is not None:
            return gamma_of_counts(rate_terms(t.total, t.n))
        total, n = float(t.total.sum()), float(t.n.sum())
        return Gamma(1.0, n / total if total > 0 else 1.0)

    def _check(self, column: Column, values: NDArray[Any]) -> None:
        if values.min(initial=0) < 0:
            raise DataError(
                f"{column_name(column)} is {self.word} and must hold counts of at least 0; got {values.min()}."
            )


def _moments(values: Array, there: Booleans, removal: Removal) -> tuple[Array, Array, Array]:
    """Weight, mean and scatter of what goes for each row that asks: of the row itself, or of its group."""
    gone = removal.total(there)[:, None]
    if removal.member is None:
        return gone, values[removal.rows, None], np.zeros(1)
    members = removal.member.tocoo()
    kept = there[members.col]
    line, row, weight = members.row[kept], members.col[kept], members.data[kept]
    t = DiagonalMoments.of(values[row, None], line, weight, n_classes=removal.member.shape[0])
    return gone, t.mean[removal.group], t.scatter[removal.group]
