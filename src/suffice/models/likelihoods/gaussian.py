"""Model real numbers: a normal per class and feature, or the Student-t that integrates its parameters out.

score      Σ_j ln Normal(x_j; x̄_cj, S_cj/N_c + floor), or with the posterior's mean or mode, or ln of NG-2   NB-4
held out   S − S_g − (x̄_g − x̄)²·gN/(N−g) for S, without g rows of mean x̄_g and scatter S_g                   SX-3
evidence   NG-3
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from suffice.errors import DataError, ImproperPrior, InputError
from suffice.later import gammaln
from suffice.models.empirical.normals import belief_about_normals
from suffice.models.empirical.weak import largest_variance, single, vague_normal, weak_normals
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.pictures import ClassDistributions, curves_of_numbers
from suffice.models.likelihoods.shared import must_be, top_numbers
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.information import of_densities
from suffice.models.scoring.linear import DenseHeldOut
from suffice.models.scoring.reals import TINY, Downdates, NormalBelief, NormalDensities, StudentTs, in_unit
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Contributions, Estimate, TopFeature
from suffice.models.scoring.rows import MatrixRows
from suffice.parallel import in_parallel
from suffice.posterior import NormalInverseGamma
from suffice.posterior.mean_variance import MeanVariance
from suffice.stats import DiagonalMoments
from suffice.stats.inputs import COUNT
from suffice.tables import Column, numbers
from suffice.typing import Array, Integers

LARGEST = 2.0**500  # sums of squares of larger numbers might overflow
PAIRS_AT_ONCE = 2**14


@dataclass(frozen=True, eq=False, repr=False)
class Gaussian(Likelihood):
    """Model numbers by a normal per class, or with estimate="predictive" by the Student-t that integrates it out.

    Parameters
    ----------
    prior : NormalInverseGamma or "evidence", default=None
        Prior on mean and variance, or "evidence" to choose the one that maximizes the column's evidence. By default,
        the mean has the mean of all rows, worth 0.01 rows, and the variance that within classes, worth one row. So the
        unit of the numbers does not matter.
    floor : float, default=0.0
        Number added to plug-in variances ("mle", "map", "mean").

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"height": sf.columns.Gaussian(prior=sf.NormalInverseGamma(170, 1, 2, 50))})
    >>> model.fit({"height": [165.0, 160.0, 185.0, None]}, ["a", "a", "b", "b"]).predict({"height": [163.0, 190.0]})
    array(['a', 'b'], dtype='<U1')
    """

    prior: NormalInverseGamma | str | None = None
    floor: float = 0.0
    estimate: Estimate = field(default="predictive", repr=False)
    column: bool = field(default=True, repr=False)  # a table column, whose default prior is in its own unit
    var_smoothing: float = field(default=0.0, repr=False)  # of a matrix: part of the largest variance in the floor
    unit: float = field(default=1.0, repr=False)  # a power of two that divides numbers before scoring

    word, family = "gaussian", NormalInverseGamma
    parameter: ClassVar[str] = "prior"
    """Name of the parameter of the matrix classifier that gives the prior."""
    statistic = DiagonalMoments
    storages = frozenset({"bool", "integer", "real"})

    def __post_init__(self) -> None:
        if self.column:
            COUNT.read(self.floor, "floor")
            must_be(self.prior, NormalInverseGamma, "Gaussian")

    def settled(self, t: DiagonalMoments) -> Self:
        """Return the likelihood with a definite prior, floor and unit."""
        if not self.column:
            return self._settled_matrix(t)
        if isinstance(self.prior, NormalInverseGamma):
            return self  # in the user's unit
        vague = vague_normal(t)
        unit = float(2.0 ** (np.frexp(vague.b / (vague.a - 1))[1] // 2))
        return replace(self, prior=vague if self.prior is None else single(belief_about_normals(t)), unit=unit)

    def _settled_matrix(self, t: DiagonalMoments) -> Self:
        if self.estimate != "mle" and self.prior is None:
            raise InputError(
                f"The '{self.parameter}' parameter", f"be a NormalInverseGamma for estimate={self.estimate!r}"
            ).but("got None")
        prior = belief_about_normals(t) if isinstance(self.prior, str) else self.prior
        more = self.var_smoothing * largest_variance(t) if self.var_smoothing else 0.0
        return replace(self, prior=prior, floor=self.floor + more, var_smoothing=0.0)

    def parameters(self, t: DiagonalMoments) -> tuple[Array, Array]:
        """Return mean and variance of each class and feature; without rows or a prior, 0 and the floor."""
        if self.prior is None or self.estimate == "mle":
            return t.mean, np.nan_to_num(t.variance) + self.floor  # NB-4
        belief = self.posterior(t)
        mean, variance = belief.mode if self.estimate == "map" else belief.mean
        return np.asarray(mean), np.asarray(variance) + self.floor

    def _in_own_unit(self, t: DiagonalMoments) -> tuple[Self, DiagonalMoments]:
        """Return the likelihood and its statistic divided by `unit`, a power of two, so that no digit changes."""
        if self.unit == 1:
            return self, t
        scale = {"mean": self.unit, "mean_lo": self.unit, "n": 1.0}
        rest = DiagonalMoments(**{name: part / scale.get(name, self.unit**2) for name, part in t.arrays().items()})
        m, kappa, a, b = self._given_prior("A score")._values()
        prior = NormalInverseGamma(m / self.unit, kappa, a, b / self.unit**2)
        return replace(self, prior=prior, floor=self.floor / self.unit**2, column=False, unit=1.0), rest

    def _densities(self, t: DiagonalMoments, unit: float = 1.0) -> NormalDensities | StudentTs:
        if self.estimate == "predictive" and self.prior is not None:
            student = self.posterior(t).predict()  # NB-4
            return StudentTs(student.df, student.location, student.scale, unit)
        return NormalDensities(*self.parameters(t), unit)

    def scorer(self, t: DiagonalMoments) -> NormalDensities | StudentTs:
        """Return the scorer of rows."""
        own, rest = self._in_own_unit(t)
        return own._densities(rest, self.unit)

    def held_out(self, t: DiagonalMoments, rows: MatrixRows, removed: Removal) -> DenseHeldOut:
        """Return scores of training rows by all classes, each without the row or its group."""
        own, total = self._in_own_unit(t)
        scores = own._densities(total, self.unit).scores(rows)
        less = Downdates(total, in_unit(rows, self.unit).matrix, removed)
        found = np.empty(len(removed.row))

        def fill(pairs: slice) -> None:
            found[pairs] = own._without(less, pairs)

        in_parallel(fill, [slice(at, at + PAIRS_AT_ONCE) for at in range(0, len(found), PAIRS_AT_ONCE)])
        scores[removed.row, removed.code] = found
        return DenseHeldOut(scores)

    def _without(self, less: Downdates, pairs: slice) -> Array:
        """Return ln p of each pair's row by the pair's class after the removal."""
        x = less.values(pairs)
        if not less.removed.alone or (self.estimate != "mle" and self.prior is not None):
            return np.asarray(self.logs_without(less, pairs).sum(axis=1))
        scores, empty = less.plain_logs(pairs, x, self.floor)
        if empty.any():
            scores[empty] = self._densities(less.moments(pairs, x)).logs(x)[empty].sum(axis=1)
        return scores

    def logs_without(self, less: Downdates, pairs: slice) -> Array:
        """Return ln p of each feature of each pair's row by the pair's class after the removal, pairs × features."""
        x = less.values(pairs)
        return self._densities(less.moments(pairs, x)).logs(x)

    def contributions(self, t: DiagonalMoments, rows: MatrixRows, weights: Array | None = None) -> Contributions:
        """Return the contribution of each number of the row."""
        (x,) = rows.numbers
        densities, places = self.scorer(t), list(range(len(x)))
        logs, shown = densities.logs(x / self.unit).T, [f"{value:.6g}" for value in x.tolist()]
        if isinstance(densities, StudentTs):
            return Contributions(places, shown, logs)
        squared = densities.squared(x / self.unit)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            spread = (squared + (squared - 1) ** 2 / 2) / np.broadcast_to(t.n, squared.shape)
        return Contributions(places, shown, logs, (logs, np.where(np.isfinite(spread), spread, np.nan).T))

    def posterior(self, t: DiagonalMoments, features: Integers | None = None) -> NormalInverseGamma:
        """Return the posterior of each class's means and variances."""
        belief = self._given_prior("A posterior").update(t)
        if features is None:
            return belief
        return NormalInverseGamma(*(np.broadcast_to(part, t.mean.shape)[:, features] for part in belief._values()))

    def plug_in(self, t: DiagonalMoments) -> MeanVariance:
        """Return the plug-in means and variances, classes × features."""
        return MeanVariance(*self.parameters(t))

    def _given_prior(self, what: str) -> NormalInverseGamma:
        if isinstance(self.prior, NormalInverseGamma):
            return self.prior
        raise ImproperPrior(f"{what} needs a proper prior; got {self.parameter}={self.prior}.").advise(
            python="Use a NormalInverseGamma."
        )

    def _posterior_or_flat(self, t: DiagonalMoments) -> NormalInverseGamma:
        """Return the posterior; without a prior, that of a prior flat in the mean and in the log of the variance."""
        if self.prior is not None:
            return self.posterior(t)
        n = np.broadcast_to(np.maximum(t.n, 1.0), t.mean.shape)
        variance = np.maximum(np.nan_to_num(t.variance) + self.floor, TINY)
        return NormalInverseGamma(t.mean, n, np.maximum(n - 1, 1.0) / 2, n * variance / 2)

    def belief(self, t: DiagonalMoments, weights: Array | None = None) -> NormalBelief:
        """Return the posterior distribution of scores."""
        own, rest = self._in_own_unit(t)
        m, kappa, a, b = (np.broadcast_to(part, t.mean.shape) for part in own._posterior_or_flat(rest)._values())
        return NormalBelief(m, kappa, a, b, self.unit)

    def intervals(self, t: DiagonalMoments, level: float) -> Any:
        """Return credible bounds of each mean."""
        return self._posterior_or_flat(t).interval(level).mean

    def log_evidence(self, t: DiagonalMoments) -> Cells:
        """Return the log evidence of each class and feature."""
        return Cells(np.asarray(self._given_prior("The evidence").log_evidence(t)))

    def top_features(
        self, t: DiagonalMoments, n: Array, code: int, k: int, weights: Array | None = None
    ) -> list[TopFeature]:
        """Return the features whose normal in the class differs most from that of the others."""
        mean, variance = self.posterior(t).mean if self.column else self.parameters(t)
        return top_numbers(np.asarray(mean), np.asarray(variance), t.n[:, 0] if self.column else n, code, k)

    def information(self, t: DiagonalMoments, prior: Array) -> Array:
        """Return the mutual information of the class and each number."""
        densities = self.scorer(t)
        return of_densities(densities.quantiles, densities.logs, prior)

    def distributions(self, t: DiagonalMoments, level: float) -> list[ClassDistributions]:
        """Return the normal of each column in each class."""
        mean, variance = self.posterior(t).mean if self.column else self.parameters(t)
        sd, (low, high) = np.sqrt(np.maximum(variance, 1e-300)), self.intervals(t, level)
        columns = zip(np.asarray(mean).T, np.asarray(sd).T, low.T, high.T, strict=True)
        return [curves_of_numbers(m, s, (a, b), t.n[:, 0]) for m, s, a, b in columns]

    def lacks(self, what: Literal["evidence", "density", "shares"]) -> str:
        """Return why it has no part in EM: a variance could shrink to zero; empty if none could."""
        plain = not self.column and (self.prior is None or self.estimate == "mle")
        if what != "shares" or not plain or not self.var_smoothing == self.floor == 0:
            return ""
        return (
            "The 'var_smoothing' parameter of GaussianNB must be above 0 to learn without labels by maximum "
            "likelihood, where a variance may shrink to zero; got 0. Or use a 'prior' with estimate='map'."
        )

    def log_prior_density(self, t: DiagonalMoments) -> float:
        """Return ln p of the plug-in means and variances: σ^(−2A) exp(−(2b + κ(μ−m)²) / 2σ²)."""
        if self.prior is None or self.estimate in ("mle", "predictive"):
            return 0.0
        m, kappa, a, b = map(np.asarray, self._given_prior("A density")._values())
        mean, variance = self.parameters(t)
        power = a + 1.5 if self.estimate == "map" else a - 1
        constant = a * np.log(b) - gammaln(a) + np.log(np.where(kappa > 0, kappa, 1.0) / (2 * np.pi)) / 2
        return float((constant - power * np.log(variance) - (2 * b + kappa * (mean - m) ** 2) / (2 * variance)).sum())

    def log_measure(self, t: DiagonalMoments, rows: MatrixRows) -> Array | float:
        """Return −ln(unit) for each row with a value, since scores are densities in units of `unit`."""
        per_row = -float(np.log(self.unit))
        return per_row if rows.present is None else np.where(rows.present, per_row, 0.0)

    @property
    def learns_prior(self) -> bool:
        """Return whether the prior maximizes the evidence and is used."""
        return isinstance(self.prior, str) and (self.column or self.estimate != "mle")

    @property
    def learns_from_labels(self) -> bool:
        """Return whether classes share a prior that their labels determine."""
        return self.learns_prior

    def weak(self, t: DiagonalMoments, rows: float, k: int) -> Self:
        """Return the likelihood with a weak prior in place of a learned one, made from all rows as one class."""
        if not self.learns_prior:
            return self
        prior = weak_normals(t, k)  # by WP-2
        return replace(self, prior=single(prior) if self.column else prior)

    def points(self, rows: MatrixRows) -> Array | None:
        """Return the rows of a matrix as points; None for a table column."""
        return None if self.column else rows.numbers

    def rows(self, column: Column) -> MatrixRows:
        """Return a column as numbers; raise DataError if their squares could overflow."""
        values = numbers(column)
        if values.dtype.kind == "f" and len(values) and max(-values.min(), values.max()) > LARGEST:
            raise DataError(
                f"Column {column.name!r} is {self.word} and", "hold numbers of at most 2**500", column=column.name
            ).but(f"got {values[np.abs(values).argmax()]}")
        return MatrixRows.of_column(values, column.name, None if column.missing is None else column.present)

    def served(self, block: Any) -> Any:
        """Return the moments of a block, or those kept alongside the counts of another family."""
        return super().served(block) or (block.numbers and block.numbers.moments)

    def prior_in_words(self, t: DiagonalMoments) -> str:
        """Return the normal-inverse-gamma prior in words."""
        m, kappa, a, b = (float(np.ravel(part)[0]) for part in self._given_prior("A description")._values())
        return f"NormalInverseGamma({m:.4g}, {kappa:g}, {a:g}, {b:.4g})"
