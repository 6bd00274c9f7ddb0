"""A real number: normal likelihood, normal-inverse-gamma prior.

x | μ, σ² ~ Normal(μ, σ²)      μ | σ² ~ Normal(m, σ²/κ)      σ² ~ InverseGamma(a, b)
statistic: n, x̄, S = Σ(x − x̄)²

NG-1  posterior         κ' = κ+n, m' = (κm + n x̄)/κ', a' = a + n/2, b' = b + S/2 + κn(x̄−m)²/(2κ')
NG-2  one more value    Student-t, 2a degrees of freedom, location m, scale² b(κ+1)/(aκ)
NG-3  log evidence      ln Γ(a')−ln Γ(a) + a ln b − a' ln b' + ½(ln κ − ln κ') − (n/2) ln 2π;
                        with a flat mean, κ = 0, given the first row
NG-4  MLE               x̄ and S/n (of the statistic)
NG-5  joint mode        m and b/(a + 3/2)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.posterior.base import draws, generator, parameters, plain, require
from suffice.posterior.densities import InverseGamma, StudentT
from suffice.posterior.mean_variance import (
    ByItself,
    MeanVariance,
    finite,
    pair,
    require_first_row,
    weighted_mean,
)
from suffice.posterior.special import log_rising
from suffice.stats import DiagonalMoments
from suffice.typing import Array, Floats, Rng, Size


@dataclass(frozen=True, init=False, eq=False, repr=False)
class NormalInverseGamma(ByItself[DiagonalMoments]):
    """Belief about the mean and the variance of real numbers.

    Parameters
    ----------
    m, kappa : float or array
        Guess of the mean, and the number of values that it is worth; ``kappa=0`` is a flat mean.
    a, b : float or array
        Shape and scale of the inverse-gamma belief about the variance: worth 2a values with scatter 2b; positive.

    Examples
    --------
    >>> belief = NormalInverseGamma(m=0, kappa=1, a=1, b=1).update(values=[4.0, 5.0, 6.0])
    >>> belief
    NormalInverseGamma(m=3.75, kappa=4, a=2.5, b=11.375)
    >>> belief.mode
    MeanVariance(mean=3.75, variance=2.84375)
    >>> belief.predict().mean
    3.75
    """

    m: Floats
    kappa: Floats
    a: Floats
    b: Floats

    learns_from = (DiagonalMoments,)

    def __init__(self, m: ArrayLike, kappa: ArrayLike, a: ArrayLike, b: ArrayLike) -> None:
        given = parameters("NormalInverseGamma", m=m, kappa=kappa, a=a, b=b)
        require("NormalInverseGamma", "kappa", given["kappa"], given["kappa"] >= 0, "zero or positive")
        for name in "ab":
            require("NormalInverseGamma", name, given[name], given[name] > 0, "positive")
        self._set(**given)

    @property
    def proper(self) -> bool:
        """Whether kappa is positive; a flat mean does not integrate to one."""
        return bool(np.all(np.asarray(self.kappa) > 0))

    def update(
        self,
        statistic: DiagonalMoments | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> NormalInverseGamma:
        """Return the belief after real numbers, or after a statistic of them.

        Parameters
        ----------
        values : array, optional
            Real numbers, one row per observation.
        weights : array, optional
            Weight of each row of `values`; 1 by default.
        statistic : DiagonalMoments, optional
            Statistic of the data, instead of keywords.
        """
        t = self._read(statistic, values=values, weights=weights)
        m = weighted_mean(self.m, np.asarray(self.kappa), t.mean + t.mean_lo, t.n)  # NG-1
        return NormalInverseGamma(m, self.kappa + t.n, self.a + t.n / 2, self.b + self._growth(t))  # NG-1

    @property
    def mean(self) -> MeanVariance:
        """Expected mean and expected variance (infinite where a ≤ 1)."""
        a = np.asarray(self.a)
        return MeanVariance(self.m, plain(np.where(a > 1, self.b / np.where(a > 1, a - 1, 1.0), np.inf)))

    @property
    def mode(self) -> MeanVariance:
        """Most probable mean and variance together."""
        return MeanVariance(self.m, self.b / (self.a + 3 / 2))  # NG-5

    @property
    def var(self) -> MeanVariance:
        """Variances of the belief about the mean and about the variance."""
        self._require_proper("The variance of the mean")
        a = np.asarray(self.a)
        known = np.where(a > 2, a, 3.0)
        with np.errstate(over="ignore"):
            of_variance = np.where(a > 2, (self.b / (known - 1)) ** 2 / (known - 2), np.inf)
        return MeanVariance(plain(np.asarray(self.mean.variance) / self.kappa), plain(of_variance))

    def marginal(self) -> MeanVariance:
        """Return the marginal beliefs about the mean, a Student-t, and about the variance, an inverse gamma.

        >>> belief = NormalInverseGamma(m=3.75, kappa=4, a=2.5, b=11.375)
        >>> round(belief.marginal().mean.cdf(0), 4)                        # that the mean is negative
        0.0085
        """
        self._require_proper("A marginal")
        a, b = np.asarray(self.a), np.asarray(self.b)
        return MeanVariance(StudentT(2 * a, np.asarray(self.m), np.sqrt(b / a / self.kappa)), InverseGamma(a, b))

    def logpdf(self, x: Any) -> Floats:
        """Return the log-density at a pair: a mean, and a variance."""
        self._require_proper("A density")
        mean, variance = pair(x, self.batch_shape, self.batch_shape)
        spread = variance / self.kappa
        with np.errstate(all="ignore"):
            away = -np.log(2 * np.pi * spread) / 2 - np.square(mean - self.m) / (2 * spread)
            logs = self.marginal().variance._log(variance)
            return plain(np.where(np.isfinite(logs), logs + away, logs))

    def sample(self, size: Size = (), rng: Rng = None) -> MeanVariance:
        """Draw means and variances jointly."""
        self._require_proper("A sample")
        rng, shape = generator(rng), (*draws(size), *self.batch_shape)
        with np.errstate(all="ignore"):  # a vague belief may draw an infinite variance
            variance = self.b / rng.standard_gamma(self.a, shape)
            return MeanVariance(plain(rng.normal(self.m, np.sqrt(variance / self.kappa), shape)), plain(variance))

    @classmethod
    def simulate(cls, parameter: Any, rng: Rng = None) -> Any:
        """Draw a normal number for each pair of a mean and a variance."""
        mean, variance = parameter
        return plain(generator(rng).normal(mean, np.sqrt(variance)))

    def predict(self) -> StudentT:
        """Return the distribution of the next value."""
        self._require_proper("A prediction")
        a, b, kappa = np.asarray(self.a), np.asarray(self.b), np.asarray(self.kappa)
        return StudentT(2 * a, np.asarray(self.m), np.sqrt(b / a * (1 + 1 / kappa)))  # NG-2

    def log_evidence(
        self,
        statistic: DiagonalMoments | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Floats:
        """Return the log-density of the values; with a flat mean (kappa=0), of all but the first given the first."""
        t = self._read(statistic, values=values, weights=weights)
        flat = np.asarray(self.kappa) == 0  # a flat mean is fixed by the first row
        require_first_row(flat, t.n)
        first = np.where(flat & (t.n > 0), 1.0, 0.0)  # NG-3
        a, n = self.a + first / 2, t.n - first
        growth = self._growth(t)
        ratio = np.where(flat, np.maximum(t.n, 1.0), 1 + t.n / np.where(flat, 1.0, self.kappa))
        scales = -a * np.log1p(growth / self.b) - n / 2 * np.log(self.b + growth)  # NG-3
        return plain(log_rising(a, n / 2) + scales - np.log(ratio) / 2 - n / 2 * np.log(2 * np.pi))  # NG-3

    def _growth(self, t: DiagonalMoments) -> Array:
        """Return b' − b."""
        kappa = np.asarray(self.kappa)
        shared = kappa * t.n / np.where(kappa + t.n > 0, kappa + t.n, 1.0)
        away = np.where(shared > 0, (t.mean - self.m) + t.mean_lo, 0.0)
        with np.errstate(over="ignore"):
            return finite((t.scatter + shared * away**2) / 2)  # NG-1
