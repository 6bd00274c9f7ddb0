"""A coin: Bernoulli or binomial likelihood, Beta prior.

x | θ ~ Bernoulli(θ)      θ ~ Beta(a, b)      statistic: N₁ ones, N₀ zeros, N = N₁ + N₀

BB-1  posterior         Beta(a + N₁, b + N₀)
BB-2  mean, variance    a/(a+b),  ab / ((a+b)²(a+b+1))
BB-3  mode              (a−1)/(a+b−2) if a, b > 1; an end, both ends or every point otherwise
BB-4  weight of prior   λ = (a+b)/(N+a+b) in the mean, (a+b−2)/(N+a+b−2) in the mode
BB-5  one more trial    Bernoulli(a/(a+b))
BB-6  M more trials     beta-binomial(M, a, b)
BB-7  log evidence      ln B(a+N₁, b+N₀) − ln B(a, b)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from suffice.errors import DataError, InputError, KeywordError, NoUniqueMode
from suffice.later import betainc, betaincinv, betaln, stats, xlog1py, xlogy
from suffice.posterior.base import (
    Conjugate,
    S,
    draws,
    generator,
    parameters,
    plain,
    require,
    tails,
    together,
)
from suffice.posterior.masses import BetaBinomial
from suffice.posterior.special import STRONG, chances, deviance, log_rising, points, stirling_rest, where_known
from suffice.stats import BinaryCounts
from suffice.stats.inputs import COUNT, WHOLE
from suffice.typing import Array, Floats, Interval, Rng, Size


@dataclass(frozen=True, init=False, eq=False, repr=False)
class BetaBelief(Conjugate[S]):
    """A Beta belief about a probability, whichever way trials are counted."""

    a: Floats
    b: Floats

    def __init__(self, a: ArrayLike = 1, b: ArrayLike = 1) -> None:
        given = parameters(type(self).__name__, a=a, b=b)
        for name, array in given.items():
            require(type(self).__name__, name, array, array > 0, "positive")
        self._set(**given)

    @property
    def proper(self) -> bool:
        """Always true, because both parameters are positive."""
        return True

    @property
    def mean(self) -> Floats:
        """Expected probability."""
        return self.a / (self.a + self.b)  # BB-2

    @property
    def var(self) -> Floats:
        """Variance of the probability."""
        return self.mean * (self.b / (self.a + self.b)) / (self.a + self.b + 1)  # BB-2

    @property
    def mode(self) -> Floats:
        """Most probable value; raises NoUniqueMode if there is more than one."""
        if (np.asarray(self.modes()) != "point").any():
            raise NoUniqueMode(f"{self!r} has no unique mode: modes() returns {self.modes()!r}.").advise(
                python="Use mean instead."
            )
        a, b = np.asarray(self.a), np.asarray(self.b)
        inner = (a - 1) / np.where((a > 1) & (b > 1), (a - 1) + (b - 1), 1)  # BB-3
        return plain(np.where((a > 1) & (b > 1), inner, np.where(a > b, 1.0, 0.0)))

    def modes(self) -> Any:
        """Return for each member "point", "two" (both ends), or "flat" (every point).

        >>> import suffice as sf
        >>> sf.Beta([3, 1, 0.5], [2, 1, 0.5]).modes()
        array(['point', 'flat', 'two'], dtype='<U5')
        """
        a, b = np.asarray(self.a), np.asarray(self.b)
        flat, two = (a == 1) & (b == 1), (a < 1) & (b < 1)
        return plain(np.where(flat, "flat", np.where(two, "two", "point")))  # BB-3

    def interval(self, level: float = 0.95, kind: Literal["equal", "highest"] = "equal") -> Interval:
        """Return bounds that contain the parameter with probability `level`.

        "equal" leaves the same probability on both sides; "highest" returns the shortest interval (that of highest
        density), and raises NoUniqueMode if the density is highest at both ends.
        """
        if kind not in ("equal", "highest"):
            raise InputError("kind", "be 'equal' or 'highest'", got=kind)
        lower, upper = tails(level)
        if kind == "equal":
            return plain(betaincinv(self.a, self.b, lower)), plain(betaincinv(self.a, self.b, upper))
        return self._highest_density(level)

    def logpdf(self, x: ArrayLike) -> Floats:
        """Return the log-density at a probability.

        >>> import suffice as sf
        >>> round(float(sf.Beta(5, 19).logpdf(0.2)), 4)
        1.5788
        """
        at = points(x, self.batch_shape)
        inside = np.where((at >= 0) & (at <= 1), at, 0.5)
        with np.errstate(divide="ignore"):
            logs = xlogy(self.a - 1, inside) + xlog1py(self.b - 1, -inside) - betaln(self.a, self.b)
        if np.any(np.minimum(self.a, self.b) > STRONG):
            logs = np.where(np.minimum(self.a, self.b) > STRONG, self._log_of_strong(inside), logs)
        return plain(where_known(at, (at >= 0) & (at <= 1), logs))

    def _log_of_strong(self, x: Array) -> Array:
        """Return the log-density where a and b are large: near the mode, the terms of the plain one cancel."""
        a, b = (np.maximum(each, STRONG) for each in (np.asarray(self.a), np.asarray(self.b)))
        n = a + b
        with np.errstate(divide="ignore", invalid="ignore"):
            height = (np.log(a) + np.log(b) - np.log(n) - np.log(2 * np.pi)) / 2 - np.log(x) - np.log1p(-x)
            away = deviance(a, n * x) + deviance(b, n * (1 - x)) + stirling_rest(a) + stirling_rest(b)
            return np.where((x > 0) & (x < 1), height - away + stirling_rest(n), -np.inf)

    def cdf(self, x: ArrayLike) -> Floats:
        """Return the probability that the parameter is at most x."""
        return plain(betainc(self.a, self.b, np.clip(points(x, self.batch_shape), 0.0, 1.0)))

    def quantile(self, p: ArrayLike) -> Floats:
        """Return the value below which the parameter lies with probability p."""
        return plain(betaincinv(self.a, self.b, chances(p, self.batch_shape)))

    def _highest_density(self, level: float) -> Interval:
        """Return the shortest interval, whose ends have equal density, by bisection from the end nearer to it."""
        if np.any(np.maximum(self.a, self.b) < 1):
            raise NoUniqueMode(
                f"{self!r} is highest at both ends, so no single interval holds its highest density."
            ).advise(python="Use kind='equal'.")
        a, b, mirrored = np.minimum(self.a, self.b), np.maximum(self.a, self.b), np.asarray(self.a) > self.b
        low, high = np.zeros(np.shape(a)), np.full(np.shape(a), 1 - level)
        with np.errstate(all="ignore"):
            for _ in range(60):
                middle = (low + high) / 2
                left, right = betaincinv(a, b, middle), betaincinv(a, b, middle + level)
                rising = stats.beta.logpdf(left, a, b) < stats.beta.logpdf(right, a, b)
                low, high = np.where(rising, middle, low), np.where(rising, high, middle)
        below = np.where(a > 1, (low + high) / 2, np.where((a == 1) & (b == 1), (1 - level) / 2, 0.0))
        left, right = betaincinv(a, b, below), betaincinv(a, b, below + level)
        return plain(np.where(mirrored, 1 - right, left)), plain(np.where(mirrored, 1 - left, right))

    def sample(self, size: Size = (), rng: Rng = None) -> Any:
        """Draw probabilities."""
        return plain(generator(rng).beta(self.a, self.b, (*draws(size), *self.batch_shape)))


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Beta(BetaBelief[BinaryCounts]):
    """Belief about the probability of heads.

    Parameters
    ----------
    a, b : float or array
        Numbers of heads and tails that the belief is worth; both positive. ``Beta(1, 1)``, the default, is uniform.

    Examples
    --------
    >>> belief = Beta(2, 2).update(heads=3, tails=17)
    >>> belief
    Beta(a=5, b=19)
    >>> round(belief.mean, 4), round(belief.mode, 4)
    (0.2083, 0.1818)
    >>> lower, upper = belief.interval(0.95)
    >>> round(lower, 3), round(upper, 3)
    (0.075, 0.388)

    No heads in three tosses does not mean that heads are impossible (the black swan):

    >>> round(Beta(1, 1).update(heads=0, tails=3).predict().pmf(1), 9)
    0.2
    """

    learns_from = (BinaryCounts,)

    def __init__(self, a: ArrayLike = 1, b: ArrayLike = 1) -> None:
        super().__init__(a, b)

    def update(
        self,
        statistic: BinaryCounts | None = None,
        *,
        heads: ArrayLike | None = None,
        tails: ArrayLike | None = None,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Beta:
        """Return the belief after counts of heads and tails, after single trials, or after a statistic.

        Parameters
        ----------
        heads, tails : number or array, optional
            Numbers of heads and of tails; 0 if only the other is given.
        values : array, optional
            Zeros and ones, one row per trial.
        weights : array, optional
            Weight of each row of `values`; 1 by default.
        statistic : BinaryCounts, optional
            Statistic of the data, instead of keywords.
        """
        t = self._read(statistic, heads=heads, tails=tails, values=values, weights=weights)
        return Beta(self.a + t.ones, self.b + t.zeros)  # BB-1

    def prior_weight(self, trials: ArrayLike, of: Literal["mean", "mode"] = "mean") -> Floats:
        """Return the share λ of this belief in the posterior mean (or mode) after `trials` trials; the data have 1 − λ.

        >>> Beta(2, 2).prior_weight(20) == 4 / 24
        True
        """
        if of not in ("mean", "mode"):
            raise InputError("of", "be 'mean' or 'mode'", got=of)
        trials = COUNT.read(trials, "trials")
        together("Beta.prior_weight", trials=trials, a=np.asarray(self.a))
        strength = np.asarray(self.a + self.b) - (2 if of == "mode" else 0)
        if of == "mode" and not ((np.minimum(self.a, self.b) >= 1) & (strength > 0)).all():
            raise NoUniqueMode(f"The weight of a prior in the mode requires a, b ≥ 1 and a + b > 2; got {self!r}.")
        return plain(strength / (trials + strength))  # BB-4

    @classmethod
    def simulate(cls, parameter: Any, rng: Rng = None) -> Any:
        """Toss a coin for each probability of heads; return 1 for heads and 0 for tails.

        >>> Beta.simulate([0.0, 1.0]).tolist()
        [0, 1]
        """
        return plain((generator(rng).random(np.shape(parameter)) < parameter).astype(np.int64))

    def predict(self, trials: ArrayLike = 1) -> BetaBinomial:
        """Return the distribution of the number of heads in future trials."""
        n, a, b = WHOLE.read(trials, "trials"), np.asarray(self.a), np.asarray(self.b)
        together("Beta.predict", trials=n, a=a)
        return BetaBinomial(n, a, b)

    def log_evidence(
        self,
        statistic: BinaryCounts | None = None,
        *,
        heads: ArrayLike | None = None,
        tails: ArrayLike | None = None,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Floats:
        """Return the log-probability of the trials in order; that of counts alone is ``predict(N).logpmf(heads)``."""
        t = self._read(statistic, heads=heads, tails=tails, values=values, weights=weights)
        return plain(self._evidence(t.ones, t.zeros))

    def _evidence(self, ones: Array, zeros: Array) -> Array:
        """Return the log-probability of trials in order, from their numbers."""
        total = log_rising(self.a + self.b, ones + zeros)
        return np.asarray(log_rising(self.a, ones) + log_rising(self.b, zeros) - total)  # BB-7

    def _collect(
        self, values: Any = None, weights: Any = None, heads: ArrayLike | None = None, tails: ArrayLike | None = None
    ) -> BinaryCounts:
        if values is not None:
            if heads is not None or tails is not None:
                raise KeywordError("Beta learns from 'values', or from 'heads' and 'tails'; got both.")
            return super()._collect(values, weights)
        ones, zeros = (
            COUNT.read(0 if heads is None else heads, "heads"),
            COUNT.read(0 if tails is None else tails, "tails"),
        )
        if 0 in together("Beta", heads=ones, tails=zeros):
            raise DataError("heads and tails", "hold at least one number").but("got none")
        return BinaryCounts(ones + 0 * zeros, ones + zeros)
