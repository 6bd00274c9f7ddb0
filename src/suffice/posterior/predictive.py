"""Distributions of data yet to come. Densities are scipy's wherever scipy has them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from suffice.posterior.base import draws, generator, plain
from suffice.typing import Array, Floats, Rng, Size

__all__ = ["Categorical", "Continuous", "DirichletMultinomial", "Discrete", "MultivariateT", "Predictive", "UpToEnd"]


class Predictive(ABC):
    """What can be asked of any predictive distribution."""

    @abstractmethod
    def log(self, x: ArrayLike) -> Floats:
        """Log-probability, or log-density, of x."""

    @property
    @abstractmethod
    def mean(self) -> Floats:
        """Expected value."""

    @property
    @abstractmethod
    def var(self) -> Floats:
        """Variance."""

    @abstractmethod
    def sample(self, rng: Rng = None, size: Size = ()) -> Any:
        """Draws: an array of shape `size` followed by the shape of one draw."""


class Mass(Predictive):
    """A predictive over countable outcomes."""

    def logpmf(self, x: ArrayLike) -> Floats:
        """Log-probability of x."""
        return self.log(x)

    def pmf(self, x: ArrayLike) -> Floats:
        """Probability of x."""
        return plain(np.exp(self.log(x)))


class Density(Predictive):
    """A predictive over real outcomes."""

    def logpdf(self, x: ArrayLike) -> Floats:
        """Log-density at x."""
        return self.log(x)

    def pdf(self, x: ArrayLike) -> Floats:
        """Density at x."""
        return plain(np.exp(self.log(x)))


class _Univariate(Predictive):
    """One of scipy's frozen distributions, or a batch of them."""

    _log: str

    def __init__(self, distribution: Any) -> None:
        self.distribution = distribution

    def log(self, x: ArrayLike) -> Floats:
        """Log-probability, or log-density, of x."""
        return plain(getattr(self.distribution, self._log)(np.asarray(x)))

    @property
    def mean(self) -> Floats:
        """Expected value."""
        return plain(self.distribution.mean())

    @property
    def var(self) -> Floats:
        """Variance."""
        return plain(self.distribution.var())

    def sample(self, rng: Rng = None, size: Size = ()) -> Any:
        """Draws: an array of shape `size` followed by the batch's shape."""
        shape = draws(size) + np.shape(self.distribution.mean())
        return plain(self.distribution.rvs(size=shape, random_state=generator(rng)))

    def __repr__(self) -> str:
        given = ", ".join(f"{np.asarray(a)}" for a in (*self.distribution.args, *self.distribution.kwds.values()))
        return f"{type(self).__name__}({self.distribution.dist.name}: {given})"


class Discrete(_Univariate, Mass):
    """A predictive over whole numbers."""

    _log = "logpmf"


class Continuous(_Univariate, Density):
    """A predictive over real numbers."""

    _log = "logpdf"


class Categorical(Mass):
    """The next category: outcomes are codes 0..K−1, `probabilities` has them on its last axis."""

    def __init__(self, probabilities: Array) -> None:
        self.probabilities = probabilities

    def log(self, x: ArrayLike) -> Floats:
        """Log-probability of codes; anything else has none."""
        codes = np.asarray(x)
        size = self.probabilities.shape[-1]
        inside = (codes >= 0) & (codes < size) & (codes == np.floor(codes))
        safe = np.where(inside, codes, 0).astype(np.int64)
        batch = self.probabilities.shape[:-1]
        shape = np.broadcast_shapes(batch, safe.shape)
        table = np.broadcast_to(np.log(self.probabilities), (*shape, size))
        picked = np.take_along_axis(table, np.broadcast_to(safe, shape)[..., None], -1)[..., 0]
        return plain(np.where(inside, picked, -np.inf))

    @property
    def mean(self) -> Floats:
        """Expected share of each category, one trial ahead: the probabilities themselves."""
        return self.probabilities

    @property
    def var(self) -> Floats:
        """Variance of each category's indicator."""
        return self.probabilities * (1 - self.probabilities)

    def sample(self, rng: Rng = None, size: Size = ()) -> Any:
        """Codes, of shape `size` followed by the batch's shape."""
        cumulative = np.cumsum(self.probabilities, axis=-1)
        at = generator(rng).random((*draws(size), *self.probabilities.shape[:-1], 1)) * cumulative[..., -1:]
        return plain((at >= cumulative).sum(axis=-1))

    def __repr__(self) -> str:
        return f"Categorical({self.probabilities})"


class DirichletMultinomial(Mass):
    """Counts of each category in several trials to come, on the last axis."""

    def __init__(self, alpha: Array, trials: int) -> None:
        self.alpha, self.trials = alpha, trials
        self.distribution = stats.dirichlet_multinomial(alpha, trials)

    def log(self, x: ArrayLike) -> Floats:
        """Log-probability of a vector of counts."""
        return plain(self.distribution.logpmf(np.asarray(x)))

    @property
    def mean(self) -> Floats:
        """Expected counts."""
        return np.asarray(self.distribution.mean())

    @property
    def var(self) -> Floats:
        """Variance of each count."""
        return np.asarray(self.distribution.var())

    def sample(self, rng: Rng = None, size: Size = ()) -> NDArray[np.int64]:
        """Vectors of counts, of shape `size` followed by the shape of alpha."""
        rng = generator(rng)
        return rng.multinomial(self.trials, draw_dirichlet(self.alpha, rng, size))

    def __repr__(self) -> str:
        return f"DirichletMultinomial(alpha={self.alpha}, trials={self.trials})"


class MultivariateT(Density):
    """Student's t for vectors; a batch is a list of scipy's, asked in turn."""

    def __init__(self, location: Array, shape: Array, df: Array) -> None:
        self.location, self.shape, self.df = location, shape, df

    def log(self, x: ArrayLike) -> Floats:
        """Log-density at vectors x."""
        points = np.asarray(x, np.float64)
        batch = self.df.shape
        full = np.broadcast_shapes(points.shape[:-1], batch)
        points = np.broadcast_to(points, (*full, self.location.shape[-1]))
        out = np.empty(full)
        for place in np.ndindex(batch):
            t = stats.multivariate_t(self.location[place], self.shape[place], float(self.df[place]))
            out[(..., *place)] = t.logpdf(points[(..., *place, slice(None))])
        return plain(out)

    @property
    def mean(self) -> Floats:
        """Expected vector; NaN with one degree of freedom or less."""
        return np.where(self.df[..., None] > 1, self.location, np.nan)

    @property
    def cov(self) -> Floats:
        """Covariance matrix; infinite on the diagonal with two degrees of freedom or less."""
        df = self.df[..., None, None]
        inflated = self.shape * df / np.where(df > 2, df - 2, 1.0)
        return np.where(df > 2, inflated, np.where(np.eye(self.shape.shape[-1], dtype=bool), np.inf, np.nan))

    @property
    def var(self) -> Floats:
        """Variance of each coordinate."""
        return np.asarray(np.diagonal(self.cov, axis1=-2, axis2=-1))

    def sample(self, rng: Rng = None, size: Size = ()) -> Array:
        """Vectors, of shape `size` followed by the shape of the location."""

        def draw(place: tuple[int, ...], rng: np.random.Generator, count: int) -> Array:
            t = stats.multivariate_t(self.location[place], self.shape[place], float(self.df[place]))
            return np.asarray(t.rvs(size=count, random_state=rng)).reshape(count, -1)

        return draw_each(draw, self.df.shape, self.location.shape[-1:], rng, size)

    def __repr__(self) -> str:
        return f"MultivariateT(location={self.location}, df={self.df})"


class UpToEnd(Density):
    """Uniform up to an end that is itself uncertain beyond c: K/(K+1) of Uniform(0, c), the rest Pareto's tail."""

    def __init__(self, c: Array, K: Array) -> None:
        self.inside = K / (K + 1)
        self.flat, self.tail = stats.uniform(0, c), stats.pareto(K, scale=c)
        self.c = c

    def log(self, x: ArrayLike) -> Floats:
        """Log-density at x."""
        x = np.asarray(x, np.float64)
        below = np.log(self.inside) + self.flat.logpdf(x)
        beyond = np.log1p(-self.inside) + self.tail.logpdf(np.where(x > self.c, x, 2 * self.c))
        return plain(np.where(x > self.c, beyond, below))

    @property
    def mean(self) -> Floats:
        """Expected value; infinite where K ≤ 1."""
        return plain(self.inside * self.flat.mean() + (1 - self.inside) * self.tail.mean())

    @property
    def var(self) -> Floats:
        """Variance; infinite where K ≤ 2."""
        second = self.inside * self.flat.moment(2) + (1 - self.inside) * (self.tail.var() + self.tail.mean() ** 2)
        finite = np.isfinite(second)
        return plain(np.where(finite, second - np.where(finite, self.mean, 0.0) ** 2, np.inf))

    def sample(self, rng: Rng = None, size: Size = ()) -> Any:
        """Draws, of shape `size` followed by the batch's shape."""
        rng = generator(rng)
        shape = (*draws(size), *np.shape(self.c))
        flat, tail = self.flat.rvs(shape, random_state=rng), self.tail.rvs(shape, random_state=rng)
        return plain(np.where(rng.random(shape) < self.inside, flat, tail))

    def __repr__(self) -> str:
        return f"UpToEnd(c={plain(self.c)}, K={plain(np.asarray(self.inside / (1 - self.inside)))})"


def draw_dirichlet(alpha: Array, rng: Rng, size: Size) -> Array:
    """Points on the simplex by numpy, which keeps tiny parameters from ending in 0/0."""

    def draw(place: tuple[int, ...], rng: np.random.Generator, count: int) -> Array:
        return rng.dirichlet(alpha[place], count)

    return draw_each(draw, alpha.shape[:-1], alpha.shape[-1:], rng, size)


def draw_each(
    draw: Callable[[tuple[int, ...], np.random.Generator, int], Array],
    batch: tuple[int, ...],
    event: tuple[int, ...],
    rng: Rng,
    size: Size,
) -> Array:
    """Draws member by member where a sampler knows no batches: shape `size` + batch + event."""
    shape, rng = draws(size), generator(rng)
    out = np.empty((int(np.prod(shape)), *batch, *event))
    for place in np.ndindex(batch):
        out[(slice(None), *place)] = draw(place, rng, len(out))
    return out.reshape(*shape, *batch, *event)
