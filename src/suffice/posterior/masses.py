"""Define distributions of future counts and categories.

scipy has them, but loses digits for strong beliefs (a Gamma worth 1e12 counts predicts a mean of 2.99993 for 3). So the
logs of their masses are written with `log_rising`; all are tested against scipy where it is accurate.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import InputError, PriorError
from suffice.later import betainc, betaincc, gammaln, xlog1py
from suffice.posterior.base import draws, generator, plain
from suffice.posterior.predictive import Mass
from suffice.posterior.special import STRONG, deviance, log_rising, stirling_rest
from suffice.typing import Array, Floats, Rng, Size

CELLS, ROUNDING = 2**24, 1e-14
"""Largest number of probabilities that are added up; and the relative rounding error of doing so."""


class BetaBinomial(Mass):
    """Number of ones in a number of trials whose probability of a one is Beta(a, b)."""

    def __init__(self, trials: Array, a: Array, b: Array) -> None:
        self.trials, self.a, self.b = np.broadcast_arrays(trials, a, b)
        self.batch = self.a.shape

    def _log(self, x: Array) -> Array:
        n, a, b = self.trials, self.a, self.b
        k = _possible(x, n)
        ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        sequence = log_rising(a, k) + log_rising(b, n - k) - log_rising(a + b, n)  # BB-6
        return _where_possible(x, n, ways + sequence)

    def _cdf(self, x: Array) -> Array:
        return _summed(self, x, int(self.trials.max(initial=0)))

    def _quantile(self, p: Array) -> Array:
        return _least(self, p, int(self.trials.max(initial=0)), self.trials)

    @property
    def mean(self) -> Floats:
        """Expected number of ones."""
        return plain(self.trials * (self.a / (self.a + self.b)))  # BB-5

    @property
    def var(self) -> Floats:
        """Variance of the number of ones."""
        total = self.a + self.b
        return plain(self.mean * (self.b / total) * (total + self.trials) / (total + 1))  # BB-6

    def sample(self, size: Size = (), rng: Rng = None) -> Any:
        """Draw numbers of ones."""
        rng, shape = generator(rng), (*draws(size), *self.batch)
        return plain(rng.binomial(self.trials.astype(np.int64), rng.beta(self.a, self.b, shape), shape))

    def __repr__(self) -> str:
        return f"BetaBinomial(trials={plain(self.trials)}, a={plain(self.a)}, b={plain(self.b)})"


class CountMass(Mass):
    """A predictive over the counts 0, 1, 2, … without an upper end."""

    @abstractmethod
    def _log_of_count(self, k: Array) -> Array:
        """Return the log-probability of whole numbers."""

    @abstractmethod
    def _up_to(self, k: Array) -> Array:
        """Return the probability of counts up to a whole number of at least 0."""

    def _log(self, x: Array) -> Array:
        return _where_possible(x, np.inf, self._log_of_count(_possible(x, np.inf)))

    def _cdf(self, x: Array) -> Array:
        floored = np.floor(np.maximum(x, -1.0))
        return np.where(floored < 0, 0.0, np.where(np.isinf(x), 1.0, self._up_to(np.maximum(floored, 0.0))))

    def _quantile(self, p: Array) -> Array:
        p = np.broadcast_to(p, np.broadcast_shapes(p.shape, self.batch))
        low, high = np.full(p.shape, -1.0), np.ones(p.shape)
        while (short := (self._cdf(high) < p) & (p < 1) & np.isfinite(high)).any():
            high = np.where(short, 2 * high, high)
        while (high - low > np.maximum(1, ROUNDING * high)).any():  # cdf(low) < p ≤ cdf(high)
            middle = np.floor(low + (high - low) / 2)
            enough = self._cdf(middle) >= p
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return np.where(p == 1, np.inf, high)


class NegativeBinomial(CountMass):
    """A Poisson count whose rate is Gamma(shape, rate)."""

    def __init__(self, shape: Array, rate: Array) -> None:
        self.shape, self.rate = shape, rate
        self.batch = shape.shape

    def _log_of_count(self, k: Array) -> Array:
        s, r, k = np.broadcast_arrays(self.shape, self.rate, k)
        chances = -s * np.log1p(1 / r) - xlog1py(k, r)  # s ln p + k ln(1 − p), p = r/(r+1)
        large = np.maximum(k, s)
        ways = np.where(k > s, log_rising(large + 1, s - 1) - gammaln(s), log_rising(s, k) - gammaln(k + 1))
        strong = np.minimum(s, k) > STRONG
        logs = np.asarray(ways + chances)  # GP-2
        return np.where(strong, self._log_of_strong(k), logs) if strong.any() else logs

    def _log_of_strong(self, k: Array) -> Array:
        """Return the log-probability where s and k are large: near the mode, the terms of the plain one cancel."""
        s, k, r = np.maximum(self.shape, STRONG), np.maximum(k, STRONG), self.rate
        n = s + k
        height = (np.log(s / (2 * np.pi)) - np.log(k) - np.log(n)) / 2 + stirling_rest(n)
        return np.asarray(
            height - stirling_rest(s) - stirling_rest(k) - deviance(s, n / (1 + 1 / r)) - deviance(k, n / (1 + r))
        )

    def _up_to(self, k: Array) -> Array:
        few, many = 1 / (1 + self.rate), 1 / (1 + 1 / self.rate)  # one of them may be rounded to one
        below = np.where(self.rate < 1, betainc(self.shape, k + 1, many), betaincc(k + 1, self.shape, few))
        return np.asarray(below)

    @property
    def mean(self) -> Floats:
        """Expected count."""
        return plain(self.shape / self.rate)

    @property
    def var(self) -> Floats:
        """Variance of the count."""
        return plain(self.shape / self.rate * (1 + 1 / self.rate))

    def sample(self, size: Size = (), rng: Rng = None) -> Any:
        """Draw counts."""
        rng = generator(rng)
        rates = rng.gamma(self.shape, 1 / self.rate, (*draws(size), *self.batch))
        if np.any(rates > 1e18):
            raise InputError(f"A count can be drawn only from rates up to 1e18; got {np.max(rates):g}.")
        return plain(rng.poisson(rates))

    def __repr__(self) -> str:
        return f"NegativeBinomial(shape={plain(self.shape)}, rate={plain(self.rate)})"


class CategoricalMass(Mass):
    """The next category, a code 0..K−1; `probabilities` has the categories on its last axis."""

    def __init__(self, alpha: Array) -> None:
        self.alpha, self.batch = alpha, alpha.shape[:-1]

    @property
    def probabilities(self) -> Array:
        """Probability of each category."""
        return np.asarray(self.alpha / self.alpha.sum(axis=-1, keepdims=True))

    def _log(self, x: Array) -> Array:
        size = self.alpha.shape[-1]
        shape = np.broadcast_shapes(self.batch, x.shape)
        codes = np.broadcast_to(_possible(x, size - 1), shape).astype(np.int64)
        table = np.log(self.alpha) - np.log(self.alpha.sum(axis=-1, keepdims=True))  # DM-4
        picked = np.take_along_axis(np.broadcast_to(table, (*shape, size)), codes[..., None], -1)[..., 0]
        return _where_possible(x, size - 1, picked)

    def _cdf(self, x: Array) -> Array:
        return _summed(self, x, self.alpha.shape[-1] - 1)

    def _quantile(self, p: Array) -> Array:
        return _least(self, p, self.alpha.shape[-1] - 1, self.alpha.shape[-1] - 1)

    @property
    def mean(self) -> Floats:
        """Expected indicator of each category: its probability."""
        return self.probabilities

    @property
    def var(self) -> Floats:
        """Variance of each category's indicator."""
        return self.probabilities * (1 - self.probabilities)

    def sample(self, size: Size = (), rng: Rng = None) -> Any:
        """Draw codes."""
        cumulative = np.cumsum(self.alpha, axis=-1)
        at = generator(rng).random((*draws(size), *self.batch, 1)) * cumulative[..., -1:]
        return plain((at >= cumulative).sum(axis=-1))

    def __repr__(self) -> str:
        return f"Categorical({self.probabilities})"


class DirichletMultinomial(Mass):
    """Counts of each category in several future trials, on the last axis."""

    def __init__(self, alpha: Array, trials: int) -> None:
        self.alpha, self.trials = alpha, trials
        self.batch, self.event = alpha.shape[:-1], alpha.shape[-1:]

    def _log(self, x: Array) -> Array:
        k = _possible(x, self.trials)
        ways = gammaln(self.trials + 1) - gammaln(k + 1).sum(axis=-1)
        sequence = log_rising(self.alpha, k).sum(axis=-1) - log_rising(self.alpha.sum(axis=-1), self.trials)  # DM-5
        return _where_counts(x, self.trials, ways + sequence)

    def marginal(self) -> BetaBinomial:
        """Return the marginal distribution of each category's count, as one batch."""
        if self.alpha.shape[-1] == 1:
            raise PriorError("Counts of one category have no marginals: all trials fall into it.")
        others = self.alpha.sum(axis=-1, keepdims=True) - self.alpha
        return BetaBinomial(np.asarray(self.trials), self.alpha, others)

    def _cdf(self, x: Array) -> Array:
        return self.marginal()._cdf(x)

    def _quantile(self, p: Array) -> Array:
        return self.marginal()._quantile(p)

    @property
    def mean(self) -> Floats:
        """Expected counts."""
        return self.trials * self.alpha / self.alpha.sum(axis=-1, keepdims=True)

    @property
    def var(self) -> Floats:
        """Variance of each count."""
        total = self.alpha.sum(axis=-1, keepdims=True)
        return self.mean * (1 - self.alpha / total) * (total + self.trials) / (total + 1)

    @property
    def cov(self) -> Floats:
        """Covariance matrix of the counts."""
        p = self.alpha / self.alpha.sum(axis=-1, keepdims=True)
        spread = np.asarray(self.var) / (p * (1 - p))
        covariance = -p[..., :, None] * p[..., None, :] * spread[..., None]
        return np.where(np.eye(p.shape[-1], dtype=bool), np.asarray(self.var)[..., None, :], covariance)

    def sample(self, size: Size = (), rng: Rng = None) -> NDArray[np.int64]:
        """Draw vectors of counts."""
        rng = generator(rng)
        return rng.multinomial(self.trials, draw_dirichlet(self.alpha, rng, size))

    def __repr__(self) -> str:
        return f"DirichletMultinomial(alpha={self.alpha}, trials={self.trials})"


def _masses(of: Mass, most: int) -> Array:
    """Return the cumulative probabilities of outcomes 0 to `most`, on a new first axis."""
    cells = (most + 1) * int(np.prod(of.batch))
    if cells > CELLS:
        raise InputError(
            f"The probabilities of counts are added up one by one, at most {CELLS:,} of them; got {cells:,}."
        ).advise("Draw a sample instead.")
    outcomes = np.arange(most + 1.0).reshape(-1, *(1 for _ in of.batch))
    sums = np.cumsum(np.exp(of._log(outcomes)), axis=0)
    return np.asarray(sums / sums[-1])


def _summed(of: Mass, x: Array, most: int) -> Array:
    """Return the probability of outcomes of at most x."""
    sums = _masses(of, most)
    shape = np.broadcast_shapes(x.shape, of.batch)
    at = np.broadcast_to(np.clip(np.floor(np.where(np.isnan(x), 0.0, x)), -1, most), shape).astype(np.int64)
    table = np.broadcast_to(
        sums.reshape(len(sums), *(1 for _ in range(len(shape) - len(of.batch))), *of.batch), (len(sums), *shape)
    )
    found = np.take_along_axis(table, np.maximum(at, 0)[None], 0)[0]
    return np.where(np.isnan(x), np.nan, np.where(at < 0, 0.0, found))


def _least(of: Mass, p: Array, most: int, last: Any) -> Array:
    """Return the smallest outcome whose cumulative probability is at least p; `last` for p = 1."""
    sums = _masses(of, most).reshape(most + 1, -1)
    chance = np.broadcast_to(p, np.broadcast_shapes(p.shape, of.batch))
    asked = chance.reshape(-1, sums.shape[1]) * (1 - ROUNDING)
    found = [np.searchsorted(sums[:, k], asked[:, k]) for k in range(sums.shape[1])]
    return np.where(chance == 1, last, np.stack(found, axis=1).reshape(chance.shape).astype(np.float64))


def _possible(x: Array, most: Any) -> Array:
    """Return x where it is a whole number from 0 to `most`, a harmless value elsewhere."""
    floored = np.where(np.isfinite(x), np.floor(x), 0.0)
    return np.clip(floored, 0.0, most)


def _where_possible(x: Array, most: Any, log: Any) -> Array:
    """Return `log` at whole numbers from 0 to `most`, minus infinity at others; NaN stays NaN."""
    outside = np.where(np.isnan(x), np.nan, -np.inf)
    return np.where((x >= 0) & (x <= most) & (x == np.floor(x)) & np.isfinite(x), log, outside)


def _where_counts(x: Array, total: int, log: Any) -> Array:
    """Return `log` at vectors of whole numbers that add up to `total`, minus infinity at others; NaN stays NaN."""
    possible = ((x >= 0) & (x == np.floor(x))).all(axis=-1) & (x.sum(axis=-1) == total)
    return np.where(possible, log, np.where(np.isnan(x).any(axis=-1), np.nan, -np.inf))


def draw_dirichlet(alpha: Array, rng: Rng, size: Size) -> Array:
    """Draw points on the simplex, member by member; numpy's sampler avoids 0/0 for tiny parameters."""
    shape, rng = draws(size), generator(rng)
    out = np.empty((int(np.prod(shape)), *alpha.shape))
    for place in np.ndindex(alpha.shape[:-1]):
        out[(slice(None), *place)] = rng.dirichlet(alpha[place], len(out))
    return out.reshape(*shape, *alpha.shape)
