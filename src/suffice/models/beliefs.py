"""From event models and their statistics to beliefs about scores, and to intervals of each parameter."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from suffice.errors import KindError
from suffice.models.bursty import Polya
from suffice.models.categorical import Categorical
from suffice.models.columns.base import shares
from suffice.models.discriminant import Discriminant
from suffice.models.events import Bernoulli, Complement, Multinomial, Poisson
from suffice.models.evidence import NO_EVIDENCE
from suffice.models.gaussian import Gaussian
from suffice.models.uncertainty import Belief, Categories, Flags, Rates, Reals, Words, must_be_known
from suffice.models.vector_beliefs import vector_belief
from suffice.posterior import Beta, Gamma, NormalInverseGamma
from suffice.posterior.mean_variance import mean_variance_interval
from suffice.stats import BinaryCounts, CategoryCounts, DiagonalMoments, FullMoments, TokenCounts
from suffice.typing import Array

__all__ = ["belief_about", "intervals_of", "normal_belief"]


@singledispatch
def belief_about(event: Any, t: Any, n: Array) -> Belief:
    """What is believed of scores, by the statistic of classes of n rows."""
    raise KindError(f"There are no intervals of {type(event).__name__}.")


@belief_about.register
def _(event: Bernoulli, t: BinaryCounts, n: Array) -> Belief:
    return Flags(event.a + t.ones, event.b + t.zeros)


@belief_about.register
def _(event: Categorical, t: CategoryCounts, n: Array) -> Belief:
    return Categories([t.column(j) + event.alpha for j in range(len(t.sizes))], float(event.alpha))


@belief_about.register
def _(event: Multinomial, t: TokenCounts, n: Array) -> Belief:
    return Words(t.counts, event.alpha, t.counts.shape[1], event.weights)


@belief_about.register
def _(event: Poisson, t: TokenCounts, n: Array) -> Belief:
    return Rates(event.shape + t.counts, np.broadcast_to(event.rate + n[:, None], t.counts.shape))


@belief_about.register
def _(event: Gaussian, t: DiagonalMoments, n: Array) -> Belief:
    belief = normal_belief(event, t)
    parts = (np.broadcast_to(part, t.mean.shape) for part in belief._values())
    return Reals(*parts)


@belief_about.register
def _(event: Discriminant, t: FullMoments, n: Array) -> Belief:
    return vector_belief(event, t)


@belief_about.register
def _(event: Complement, t: TokenCounts, n: Array) -> Belief:
    raise KindError(f"The complement of classes has no intervals: {NO_EVIDENCE['complement']}.")


@belief_about.register
def _(event: Polya, t: Any, n: Array) -> Belief:
    raise KindError(f"An urn has no intervals: {NO_EVIDENCE['urns']}.")


def normal_belief(event: Gaussian, t: DiagonalMoments) -> NormalInverseGamma:
    """The posterior; without a prior, that of a flat one (in the mean and the logarithm of the variance)."""
    if event.prior is not None:
        return event.prior.update(t)
    n = np.broadcast_to(np.maximum(t.n, 1.0), t.mean.shape)
    variance = np.maximum(np.nan_to_num(t.variance) + event.floor, np.finfo(np.float64).tiny)
    return NormalInverseGamma(t.mean, n, np.maximum(n - 1, 1.0) / 2, n * variance / 2)


@singledispatch
def intervals_of(event: Any, t: Any, n: Array, level: float) -> Any:
    """Lower and upper bounds of each parameter, classes × features."""
    belief_about(event, t, n)  # refused, with the reason
    raise KindError(f"There are no intervals of {type(event).__name__}.")


@intervals_of.register
def _(event: Bernoulli, t: BinaryCounts, n: Array, level: float) -> Any:
    a, b = event.a + t.ones, event.b + t.zeros
    must_be_known(a, b)
    return Beta(a, b).interval(level)


@intervals_of.register
def _(event: Categorical, t: CategoryCounts, n: Array, level: float) -> Any:
    columns = [t.column(j) + event.alpha for j in range(len(t.sizes))]
    must_be_known(*columns)
    found = [shares(column, level) for column in columns]
    return [one["low"] for one in found], [one["high"] for one in found]


@intervals_of.register
def _(event: Multinomial, t: TokenCounts, n: Array, level: float) -> Any:
    alpha = event.alpha + t.counts
    must_be_known(alpha)
    found = shares(alpha, level)
    return found["low"], found["high"]


@intervals_of.register
def _(event: Poisson, t: TokenCounts, n: Array, level: float) -> Any:
    shape, rate = event.shape + t.counts, event.rate + n[:, None]
    must_be_known(shape, rate)
    return Gamma(shape, rate).interval(level)


@intervals_of.register
def _(event: Gaussian, t: DiagonalMoments, n: Array, level: float) -> Any:
    return normal_belief(event, t).interval(level).mean


@intervals_of.register
def _(event: Discriminant, t: FullMoments, n: Array, level: float) -> Any:
    belief = vector_belief(event, t)
    known, d = belief.known, t.mean.shape[1]
    a = np.broadcast_to((known.nu[:, None] - d + 1) / 2, t.mean.shape)
    b = np.broadcast_to(np.diagonal(belief.scale, axis1=-2, axis2=-1) / 2, t.mean.shape)
    return mean_variance_interval(known.mean, known.kappa[:, None], a, b, level).mean
