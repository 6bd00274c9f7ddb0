"""A die: categorical or multinomial likelihood, Dirichlet prior.

x | θ ~ Categorical(θ)      θ ~ Dirichlet(α)      statistic: N₁..N_K, N = ΣN_k      α₀ = Σα_k

DM-1  posterior         Dirichlet(α + N)
DM-2  mean, (co)var.    α_k/α₀,  α_k(α₀−α_k) / (α₀²(α₀+1)),  −α_iα_j / (α₀²(α₀+1))
DM-3  mode              (α_k−1)/(α₀−K) if all α_k ≥ 1 and α₀ > K
DM-4  one more trial    Categorical(α/α₀)
DM-5  m more trials     Dirichlet-multinomial(m, α)
DM-6  log evidence      Σ[ln Γ(α_k+N_k) − ln Γ(α_k)] + ln Γ(α₀) − ln Γ(α₀+N)
DM-7  symmetric prior   α_k = strength / K
DM-8  unigram model     words of a vocabulary with a slot for unknown ones: DM-4 of their counts
DM-9  background        a prior worth μ words of probabilities p: α_k = μ p_k
DM-10  mixture          (1 − λ) N_k/N + λ p_k, which is no posterior mean
DM-11  leave-one-out    Σ N_k ln of DM-8 or DM-10 by all other words: it chooses μ or λ
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from suffice.errors import DataError, InputError, KeywordError, NoUniqueMode, PriorError, ShapeError
from suffice.later import gammaln, xlogy
from suffice.posterior.base import Conjugate, generator, numbers, plain, require
from suffice.posterior.beta import Beta
from suffice.posterior.masses import CategoricalMass, DirichletMultinomial, draw_dirichlet
from suffice.posterior.special import STRONG, deviance, log_rising, points, stirling_rest
from suffice.stats import CategoryCounts, ClassCounts, TokenCounts
from suffice.stats.inputs import COUNT, WHOLE
from suffice.typing import Array, Floats, Integers, Interval, Rng, Size

Counted = ClassCounts | TokenCounts | CategoryCounts


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Dirichlet(Conjugate[Counted]):
    """Belief about the probabilities of K categories.

    Parameters
    ----------
    alpha : array, categories on the last axis
        Number of observations of each category that the belief is worth; all positive.

    Examples
    --------
    >>> belief = Dirichlet([1, 1, 1]).update(counts=[3, 0, 1])
    >>> belief
    Dirichlet(alpha=[4., 1., 2.])
    >>> belief.predict().probabilities.round(3)
    array([0.571, 0.143, 0.286])

    A nursery rhyme's words (mary lamb little big fleece white black snow rain, and one slot for all others):

    >>> rhyme = Dirichlet(np.ones(10)).update(counts=[2, 4, 4, 0, 1, 1, 0, 1, 0, 4])
    >>> rhyme.predict().probabilities * 27  # DM-8
    array([3., 5., 5., 1., 2., 2., 1., 2., 1., 5.])
    """

    alpha: Array

    learns_from = (TokenCounts, ClassCounts, CategoryCounts)

    def __init__(self, alpha: ArrayLike) -> None:
        array = np.atleast_1d(numbers("Dirichlet", "alpha", alpha))
        if np.ndim(alpha) == 0 or array.shape[-1] == 0:
            raise PriorError("Dirichlet.alpha", "list one number per category", got=alpha)
        require("Dirichlet", "alpha", array, array > 0, "positive")
        self._set(alpha=array)

    @classmethod
    def symmetric(cls, categories: int, strength: ArrayLike) -> Dirichlet:
        """Return the prior that favours no category and is worth `strength` observations in all.

        >>> Dirichlet.symmetric(4, strength=2)
        Dirichlet(alpha=[0.5, 0.5, 0.5, 0.5])
        """
        strength = numbers("Dirichlet", "strength", strength)
        size: Any = categories
        if not isinstance(size, int | np.integer) or size < 1:
            raise PriorError("categories", "be a whole number of at least 1", got=categories)
        return cls(np.repeat((strength / categories)[..., None], categories, axis=-1))  # DM-7

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the table of beliefs; () for a single belief."""
        return self.alpha.shape[:-1]

    @property
    def proper(self) -> bool:
        """Always true, because all parameters are positive."""
        return True

    def update(
        self,
        statistic: Counted | None = None,
        *,
        counts: ArrayLike | None = None,
        values: ArrayLike | None = None,
        categories: Iterable[Hashable] | None = None,
        weights: ArrayLike | None = None,
    ) -> Dirichlet:
        """Return the belief after counts per category, after single trials, or after a statistic.

        Parameters
        ----------
        counts : array, optional
            Count of each category, on the last axis.
        values : array, optional
            Category of each trial; needs `categories`.
        categories : list of K values, optional
            The categories that `values` may hold, in the order of `alpha`: ``range(6)`` for codes 0..5, ``range(1, 7)``
            for the faces of a die. They are required, because trials such as 1, 3, 2 could be either.
        weights : array, optional
            Weight of each row of `values`; 1 by default.
        statistic : TokenCounts, ClassCounts or CategoryCounts, optional
            Statistic of the data, instead of keywords.

        Examples
        --------
        >>> Dirichlet(np.ones(6)).update(values=[1, 3, 3, 6], categories=range(1, 7))
        Dirichlet(alpha=[2., 1., 3., 1., 1., 2.])
        >>> Dirichlet([1, 1]).update(values=["heads", "heads"], categories=["tails", "heads"])
        Dirichlet(alpha=[1., 3.])
        """
        t = self._read(statistic, counts=counts, values=values, categories=categories, weights=weights)
        return Dirichlet(self.alpha + t.counts)  # DM-1

    @property
    def mean(self) -> Array:
        """Expected probabilities."""
        return self.alpha / self._total  # DM-2

    @property
    def var(self) -> Array:
        """Variance of each probability."""
        return self.mean * (self._others / self._total) / (self._total + 1)  # DM-2

    @property
    def cov(self) -> Array:
        """Covariance matrix of the probabilities."""
        p = self.mean
        covariance = -p[..., :, None] * p[..., None, :] / (self._total[..., None] + 1)  # DM-2
        return np.where(np.eye(p.shape[-1], dtype=bool), self.var[..., None, :], covariance)

    @property
    def mode(self) -> Array:
        """Most probable vector of probabilities; raises NoUniqueMode if there is none or more than one."""
        if (np.asarray(self.modes()) != "point").any():
            raise NoUniqueMode(f"{self!r} has no unique mode: modes() returns {self.modes()!r}.").advise(
                python="Use mean instead."
            )
        excess = (self.alpha - 1).sum(axis=-1, keepdims=True)  # α₀ − K
        inside = (self.alpha >= 1).all(axis=-1, keepdims=True) & (excess > 0)
        inner = (self.alpha - 1) / np.where(inside, excess, 1)  # DM-3
        corner = (self.alpha == self.alpha.max(axis=-1, keepdims=True)).astype(np.float64)  # K ≤ 2, as for a coin
        return np.where(inside, inner, corner)

    def modes(self) -> Any:
        """Return "point", "two" (both corners, K = 2), "flat" or "none" (K ≥ 3, some α_k < 1) for each member."""
        a, size = self.alpha, self.alpha.shape[-1]
        flat = (a == 1).all(axis=-1) & (size > 1)
        below = (a < 1).any(axis=-1) & (size > 2)
        two = (a < 1).all(axis=-1) & (size == 2)
        return plain(np.select([flat, below, two], ["flat", "none", "two"], "point"))  # DM-3

    def marginal(self) -> Beta:
        """Return the marginal belief about each category's probability, as one batch of Betas.

        >>> Dirichlet([4, 1, 2]).marginal()
        Beta(a=[4., 1., 2.], b=[3., 6., 5.])
        """
        if self.alpha.shape[-1] == 1:
            raise PriorError("A Dirichlet of one category has no marginals: its probability is 1.")
        return Beta(self.alpha, self._others)

    def interval(self, level: float = 0.95) -> Interval:
        """Return equal-tailed bounds of each category's probability."""
        return self.marginal().interval(level)

    def logpdf(self, x: ArrayLike) -> Floats:
        """Return the log-density at vectors of probabilities, which lie on the last axis and add up to one.

        >>> round(float(Dirichlet([2, 3, 4]).pdf([0.2, 0.3, 0.5])), 3)
        7.56
        """
        alike = np.shape(x)[-1:] == self.alpha.shape[-1:]
        at = points(x, self.alpha.shape) if alike else np.full(1, np.nan)
        if not ((at >= 0).all() and (np.abs(at.sum(axis=-1) - 1) < 1e-8).all()):
            raise InputError("x", f"hold vectors of {self.alpha.shape[-1]} probabilities that add up to 1").but(
                f"got {np.array2string(np.asarray(x), threshold=6)}"
            )
        with np.errstate(divide="ignore", invalid="ignore"):  # NaN where one factor is infinite and another zero
            logs = xlogy(self.alpha - 1, at).sum(axis=-1)
        total = self._total[..., 0]
        logs = logs + gammaln(total) - gammaln(self.alpha).sum(axis=-1)
        strong = (self.alpha > STRONG).all(axis=-1)
        return plain(np.where(strong, self._log_of_strong(at), logs) if strong.any() else logs)

    def _log_of_strong(self, x: Array) -> Array:
        """Return the log-density where all α_k are large: near the mode, the terms of the plain one cancel."""
        alpha = np.maximum(self.alpha, STRONG)
        total = alpha.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.log(alpha / (2 * np.pi)) / 2 - np.log(x) - stirling_rest(alpha)
            terms = np.where(x > 0, terms - deviance(alpha, total[..., None] * x), -np.inf)
        return np.asarray(terms.sum(axis=-1) - np.log(total / (2 * np.pi)) / 2 + stirling_rest(total))

    def cdf(self, x: ArrayLike) -> Floats:
        """Return the probability that each category's probability is at most x."""
        return self.marginal().cdf(x)

    def quantile(self, p: ArrayLike) -> Floats:
        """Return the value below which each category's probability lies with probability p."""
        return self.marginal().quantile(p)

    def sample(self, size: Size = (), rng: Rng = None) -> Array:
        """Draw vectors of probabilities."""
        return draw_dirichlet(self.alpha, rng, size)

    @classmethod
    def simulate(cls, parameter: Any, rng: Rng = None) -> Any:
        """Draw a category code for each vector of probabilities.

        >>> Dirichlet.simulate([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]).tolist()
        [1, 0]
        """
        shares = np.asarray(parameter, np.float64)
        ends = np.cumsum(shares, axis=-1)
        at = generator(rng).random(shares.shape[:-1])[..., None] * ends[..., -1:]
        return plain(np.asarray((at >= ends[..., :-1]).sum(axis=-1), np.int64))

    @overload
    def predict(self, trials: None = None) -> CategoricalMass: ...
    @overload
    def predict(self, trials: int) -> DirichletMultinomial: ...
    def predict(self, trials: int | None = None) -> CategoricalMass | DirichletMultinomial:
        """Return the distribution of the next category's code; with `trials`, of the counts in that many trials."""
        if trials is None:
            return CategoricalMass(self.alpha)
        count = WHOLE.read(trials, "trials")
        if count.ndim:
            raise ShapeError("Dirichlet.predict.trials", "be one number").but(f"got shape {count.shape}")
        return DirichletMultinomial(self.alpha, int(count))

    def log_evidence(
        self,
        statistic: Counted | None = None,
        *,
        counts: ArrayLike | None = None,
        values: ArrayLike | None = None,
        categories: Iterable[Hashable] | None = None,
        weights: ArrayLike | None = None,
    ) -> Floats:
        """Return the log-probability of the trials in order; that of counts alone is ``predict(N).logpmf(counts)``."""
        t = self._read(statistic, counts=counts, values=values, categories=categories, weights=weights)
        return plain(self._evidence(t.counts))

    def _evidence(self, counts: Array) -> Array:
        """Return the log-probability of trials in order, from the count of each category on the last axis."""
        each = np.sum(log_rising(self.alpha, counts), axis=-1)
        return np.asarray(each - log_rising(self._total[..., 0], np.sum(counts, axis=-1)))  # DM-6

    @property
    def _total(self) -> Array:
        return np.asarray(self.alpha.sum(axis=-1, keepdims=True))

    @property
    def _others(self) -> Array:
        """Sum of all other α for each category, computed without cancellation."""
        before, after = np.zeros_like(self.alpha), np.zeros_like(self.alpha)
        before[..., 1:] = np.cumsum(self.alpha, axis=-1)[..., :-1]
        after[..., :-1] = np.cumsum(self.alpha[..., ::-1], axis=-1)[..., ::-1][..., 1:]
        return before + after

    def _collect(
        self,
        values: Any = None,
        weights: Any = None,
        counts: ArrayLike | None = None,
        categories: Iterable[Hashable] | None = None,
    ) -> Counted:
        if values is None:
            if categories is not None:
                raise KeywordError("The keyword 'categories' of Dirichlet needs 'values'; got it without them.")
            seen = COUNT.read(() if counts is None else counts, "counts")
            if seen.size == 0:
                raise DataError("counts", "hold a number per category").but("got none")
            return TokenCounts(seen)
        if counts is not None:
            raise KeywordError("Dirichlet learns from 'values' or from 'counts'; got both.")
        size = self.alpha.shape[-1]
        if categories is None:
            raise KeywordError(
                f"The keyword 'values' of Dirichlet needs 'categories', the {size} values in the order of 'alpha': "
                f"range({size}) if they are numbered from 0, range(1, {size + 1}) if from 1; got none."
            )
        codes = codes_of(values, places_of(categories, size))
        return CategoryCounts.of(codes, weights=weights, sizes=[size])

    def _check_fit(self, statistic: Counted) -> None:
        if isinstance(statistic, CategoryCounts):
            if len(statistic.sizes) > 1:
                raise ShapeError(
                    f"A Dirichlet learns from one column of categories; got {len(statistic.sizes)}."
                ).advise(python="Use update(counts=statistic.column(j)).")
            statistic = TokenCounts(statistic.counts)
        super()._check_fit(statistic)


def _listed(values: Any, name: str) -> list[Any]:
    """Return a list, array, range or column as a list of plain values."""
    try:
        array = np.asarray(values if hasattr(values, "__array__") else list(values), object)
    except (TypeError, ValueError):
        raise ShapeError(name, "be a list of categories", got=values) from None
    if array.ndim != 1:
        raise ShapeError(name, "be a list of categories").but(f"got an array of shape {array.shape}")
    return list(array.tolist())


def places_of(categories: Iterable[Hashable], size: int) -> dict[Any, int]:
    """Return the place of each category in `alpha`."""
    listed = _listed(categories, "categories")
    places = {category: place for place, category in enumerate(listed) if isinstance(category, Hashable)}
    if not len(places) == len(listed) == size:
        raise InputError("categories", f"list {size} different values, one for each of 'alpha'", got=listed)
    return places


def codes_of(values: Any, places: dict[Any, int]) -> Integers:
    """Return the place of each value's category."""
    listed = _listed(values, "values")
    if not listed:
        raise DataError("values", "hold at least one row").but("got none")
    for row, value in enumerate(listed):
        if not isinstance(value, Hashable) or value not in places:
            raise DataError("values", "hold only values listed in 'categories'").but(f"got {value!r} at [{row}]")
    return np.array([places[value] for value in listed], np.int64)
