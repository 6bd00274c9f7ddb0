"""Compute bounds of class probabilities by the delta method on log-odds, or by draws from the posterior (SX-5).

With M_c and V_c the posterior mean and variance of ln p(x, c | θ),

    logit p_c ≈ Normal(M_c − ln Σ_{k≠c} e^{M_k},  V_c + Σ_{k≠c} (p_k / (1 − p_c))² V_k)

Blocks are independent, so their means and variances add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from suffice.errors import InputError
from suffice.later import expit, logsumexp, ndtri
from suffice.models.model import Name
from suffice.models.predictor import NUMBERS_AT_ONCE, Predictor
from suffice.models.scoring.results import Belief
from suffice.models.scoring.rows import Rows
from suffice.posterior.base import generator, tails
from suffice.typing import Array, Rng

RowsByName = Mapping[Name, Rows]


def bounds(
    predictor: Predictor, rows: RowsByName, level: float, rng: np.random.Generator | None = None, size: int = 1
) -> tuple[Array, Array]:
    """Return lower and upper bounds of each class probability, rows × classes.

    Use the delta method, or with a generator `size` draws of all parameters.
    """
    beliefs = _Beliefs.of(predictor, rows)
    low, high = np.empty((2, _size(rows), len(predictor.model.classes)))
    for stretch in _stretches(rows, len(predictor.model.classes) * size):
        part = {name: one.part(stretch) for name, one in rows.items()}
        powers = np.broadcast_to(predictor.powers(part), (stretch.stop - stretch.start,))[:, None]
        if rng is None:
            low[stretch], high[stretch] = beliefs.delta(part, powers, level)
        else:
            low[stretch], high[stretch] = beliefs.drawn(part, powers, level, rng, size)
    return _floored(predictor, low), _floored(predictor, high)


def drawn_by(level: float, method: str, n_samples: object, seed: Rng) -> tuple[np.random.Generator | None, int]:
    """Return the generator of draws (None for the delta method) and their number; raise InputError if wrong."""
    tails(level)
    if method not in ("delta", "sample"):
        raise InputError("method", "be 'delta' or 'sample'", got=method)
    if not isinstance(n_samples, Integral) or n_samples < 2:
        raise InputError("n_samples", "be a whole number of at least 2", got=n_samples)
    return (None, 1) if method == "delta" else (generator(seed), int(n_samples))


def _floored(predictor: Predictor, bound: Array) -> Array:
    if not predictor.views.floor:
        return bound
    with np.errstate(divide="ignore"):
        return np.exp(predictor.floored(np.log(bound)))


def _size(rows: RowsByName) -> int:
    return len(next(iter(rows.values()), ()))


def _stretches(rows: RowsByName, numbers: int) -> Iterator[slice]:
    """Return slices of rows that keep both values and scores few at once."""
    n, width = _size(rows), sum(part.width for part in rows.values())
    step = max(1, NUMBERS_AT_ONCE // max(1, numbers, width))
    return (slice(at, min(n, at + step)) for at in range(0, n, step))


@dataclass(frozen=True)
class _Beliefs:
    """The posterior of each block's scores, with the views and the class prior."""

    predictor: Predictor
    blocks: Mapping[Name, Belief]

    @classmethod
    def of(cls, predictor: Predictor, rows: RowsByName) -> _Beliefs:
        """Return the beliefs of the blocks that have values in these rows."""
        weights, found = predictor.views.weights, dict[Name, Belief]()
        for name, block in predictor.model.voting.items():
            if name in rows and _any(rows[name]):
                found[name] = block.settled.belief(block.t, block.powers(weights))
        return cls(predictor, found)

    def power(self, name: Name) -> float:
        """Return the power of a block's evidence."""
        weights = self.predictor.views.weights
        return 1.0 if weights is None else weights.of_block(name)

    def added(self, name: Name, rows: Rows) -> Any:
        """Return what is added to a block's evidence."""
        weights, model = self.predictor.views.weights, self.predictor.model
        more = model.blocks[name].added(weights, name, rows, model.classes)
        return 0.0 if more is None else more

    @property
    def terms(self) -> Any:
        """Return the terms of classes."""
        weights = self.predictor.views.weights
        return 0.0 if weights is None else weights.terms(self.predictor.model.classes)

    def delta(self, rows: RowsByName, powers: Array, level: float) -> tuple[Array, Array]:
        """Return bounds from the mean and variance of each score, with covariances where scores are dependent."""
        mean, variance = np.zeros((2, len(powers), len(self.predictor.model.classes)))
        covariance = None
        for name, belief in self._here(rows):
            first, second = belief.moments(rows[name])
            mean += self.power(name) * _where(rows[name], first) + self.added(name, rows[name])
            together = getattr(belief, "covariances", _independent)(rows[name])
            if together is None:
                variance += self.power(name) ** 2 * _where(rows[name], second)
            else:
                more = self.power(name) ** 2 * together
                covariance = more if covariance is None else covariance + more
        first, second = self.predictor.prior.moments(self.predictor.model.n)
        joint, spread = first + self.terms + powers * mean, second + powers**2 * variance
        if covariance is None:
            return independent_bounds(joint, spread, level)
        return dependent_bounds(joint, powers[:, :, None] ** 2 * covariance + _diagonal(spread), level)

    def drawn(
        self, rows: RowsByName, powers: Array, level: float, rng: np.random.Generator, size: int
    ) -> tuple[Array, Array]:
        """Return bounds from draws of all parameters."""
        scores = np.zeros((size, len(powers), len(self.predictor.model.classes)))
        for name, belief in self._here(rows):
            drawn = _where(rows[name], belief.draws(rows[name], rng, size))
            scores += self.power(name) * drawn + self.added(name, rows[name])
        scores *= powers
        scores += (self.predictor.prior.draws(self.predictor.model.n, rng, size) + self.terms)[:, None]
        scores -= scores.max(axis=2, keepdims=True)
        chances = np.exp(scores, out=scores)
        chances /= chances.sum(axis=2, keepdims=True)
        low, high = np.quantile(chances, tails(level), axis=0)
        return low, high

    def _here(self, rows: RowsByName) -> list[tuple[Name, Belief]]:
        return [(name, belief) for name, belief in self.blocks.items() if _any(rows[name])]


def _any(rows: Rows) -> bool:
    return rows.present is None or bool(rows.present.any())


def _where(rows: Rows, numbers: Array) -> Array:
    """Return numbers with zeros where a row's value is missing."""
    return numbers if rows.present is None else np.where(rows.present[:, None], numbers, 0.0)


def _independent(rows: Rows) -> None:
    """Return None, since scores are independent."""


def _diagonal(variance: Array) -> Array:
    """Return a diagonal matrix for each row."""
    return np.asarray(variance[:, :, None] * np.eye(variance.shape[1]))


def dependent_bounds(mean: Array, covariance: Array, level: float) -> tuple[Array, Array]:
    """Return bounds from means and covariances of joint log probabilities, rows × classes × classes."""
    reach, low, high = float(ndtri((1 + level) / 2)), np.empty_like(mean), np.empty_like(mean)
    for c in range(mean.shape[1]):
        others = mean.copy()
        others[:, c] = -np.inf
        total = logsumexp(others, axis=1, keepdims=True)
        gradient = -np.exp(others - total)
        gradient[:, c] = 1.0
        spread = np.sqrt(np.maximum(np.einsum("na,nab,nb->n", gradient, covariance, gradient), 0.0))  # SX-5
        centre = mean[:, c] - total[:, 0]
        low[:, c], high[:, c] = expit(centre - reach * spread), expit(centre + reach * spread)
    return low, high


def independent_bounds(mean: Array, variance: Array, level: float) -> tuple[Array, Array]:
    """Return bounds from means and variances of independent joint log probabilities, rows × classes."""
    reach = float(ndtri((1 + level) / 2))
    best = mean.argmax(axis=1)[:, None]
    with np.errstate(invalid="ignore"):
        mean = mean - np.take_along_axis(mean, best, axis=1)  # keep digits for the differences
    runners = mean.copy()
    np.put_along_axis(runners, best, -np.inf, axis=1)
    with np.errstate(all="ignore"):  # a single class, or one of probability zero
        # Others are total minus one class. Without the most probable one, too few digits would remain, so
        # they are summed again.
        total, rest = (logsumexp(part, axis=1, keepdims=True) for part in (mean, runners))
        share, beside = (np.nan_to_num(np.exp(part - size)) for part, size in ((mean, total), (runners, rest)))
        noise = share**2 * variance
        other = total + np.log1p(-share)
        shared = np.maximum(noise.sum(axis=1, keepdims=True) - noise, 0.0) / (1 - share) ** 2  # SX-5
        np.put_along_axis(other, best, rest, axis=1)
        np.put_along_axis(shared, best, (beside**2 * variance).sum(axis=1, keepdims=True), axis=1)
        spread, centre = np.sqrt(variance + shared), mean - other
        return expit(centre - reach * spread), expit(centre + reach * spread)  # SX-5
