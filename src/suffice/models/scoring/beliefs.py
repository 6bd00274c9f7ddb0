"""Compute how parameter uncertainty spreads into scores: beliefs about shares, rates and words (SX-5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import ImproperPrior
from suffice.later import betaincinv, betaln, digamma, gammaln, issparse, polygamma, sparse
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.linear import Linear
from suffice.models.scoring.results import Moments
from suffice.models.scoring.rows import MatrixRows, Rows
from suffice.posterior.base import Conjugate
from suffice.typing import Array

NO_INTERVAL = "An interval needs a proper posterior; with alpha=0, a class without counts has none. Use a larger alpha."
MANY = 2**14
NEWTON, TINY, SURE, UNSURE = 8, 1e-290, 1e-14, 1e30


def must_be_known(*parameters: Any) -> None:
    """Raise ImproperPrior unless all parameters of the posterior are positive."""
    if any((np.asarray(one) <= 0).any() for one in parameters):
        raise ImproperPrior(NO_INTERVAL)


def log_gammas(alpha: Array, rng: np.random.Generator) -> Array:
    """Return logarithms of draws from Gamma(α, 1) without underflow: ln Gamma(α+1) + ln(U)/α."""
    return np.asarray(np.log(rng.standard_gamma(alpha + 1)) - rng.standard_exponential(alpha.shape) / alpha)


def trigamma(x: Any) -> Array:
    """Return ψ₁(x). In a large table, each distinct number is evaluated once."""
    x = np.asarray(x)
    if x.size < MANY:
        return np.asarray(polygamma(1, x))
    values, place = np.unique(x, return_inverse=True)
    return np.asarray(polygamma(1, values)[place].reshape(x.shape))


def dirichlet_density(more: Any, log_theta: Cells) -> float:
    """Return ln Dirichlet(θ ; more + 1), summed over the classes of `log_theta`."""
    lines, width = log_theta.values.shape
    more = np.asarray(more, np.float64)
    if not width:
        return 0.0
    if np.ptp(more) == 0:
        one = float(np.ravel(more)[0])
        constant = gammaln(width * (one + 1)) - width * gammaln(one + 1)
        return float((one * log_theta.sum().sum() if one else 0.0) + lines * constant)
    free = more != 0  # 0 · ln 0 = 0
    constant = gammaln((more + 1).sum()) - gammaln(more + 1).sum()
    return float((log_theta.dense()[:, free] @ more[free]).sum() + lines * constant)


def belief_of_shares(own: Array, total: Array, times: Any = 1.0) -> tuple[Array, Array]:
    """Return mean and variance of times·ln θ for a share θ of a Dirichlet or Beta.

    ln θ has mean ψ(α_j) − ψ(α_0) and variance ψ₁(α_j) − ψ₁(α_0). Both are NaN where the posterior is improper.
    """
    sure = (own > 0) & (total > own * (1 - 1e-12))
    own, total = np.where(sure, own, 1.0), np.where(sure, total, 1.0)
    mean, variance = digamma(own) - digamma(total), polygamma(1, own) - polygamma(1, total)  # SX-5
    return np.where(sure, times * mean, np.nan), np.where(sure, times**2 * np.maximum(variance, 0.0), np.nan)


def bounds_of_ratio(mean: Array, variance: Array, tails: tuple[float, float]) -> tuple[Array, Array]:
    """Return quantiles of ln θ − ln θ', given the mean and variance of each: two × parts.

    A share of many is nearly a Gamma variable over its expected total, so each logarithm is taken for that of a Gamma
    variable of its variance. Then the difference is the logit of a Beta variable, and a constant.
    """
    a, b = _shape_of_log_gamma(variance)
    centre = (mean - digamma([a, b]))[0] - (mean - digamma([a, b]))[1]
    low, high = (centre + _logit_beta(tail, a, b) for tail in tails)  # SX-5
    return low, high


def _shape_of_log_gamma(variance: Array) -> Array:
    """Return the shape with ψ₁(shape) = variance, by Newton's method on 1/ψ₁, which is nearly linear."""
    tiny, variance = 1 / np.sqrt(variance), np.clip(variance, SURE, UNSURE)
    shape = 1 / variance + 1 / np.sqrt(variance)
    for _ in range(NEWTON):
        found = polygamma(1, shape)
        shape = np.maximum(shape + found * (1 - found / variance) / polygamma(2, shape), shape / 10)
    return np.asarray(np.where(variance < UNSURE, shape, tiny))


def _logit_beta(tail: float, a: Array, b: Array) -> Array:
    """Return a quantile of logit Beta(a, b); where it is nearly 0 or 1, from the first term of its distribution."""
    share, rest = betaincinv(a, b, tail), betaincinv(b, a, 1 - tail)
    with np.errstate(divide="ignore"):
        near_0, near_1 = np.log(tail * a) + betaln(a, b), np.log((1 - tail) * b) + betaln(a, b)
        found = np.log(share) - np.log(rest)
    return np.asarray(np.select([share < TINY, rest < TINY], [near_0 / a, -near_1 / b], found))


@dataclass(frozen=True)
class RateBelief:
    """Gamma beliefs about Poisson rates, classes × features."""

    shape: Array
    rate: Array

    def moments(self, rows: MatrixRows) -> tuple[Array, Array]:
        """Return mean and variance of Σ x ln λ − λ for each row and class. The covariance of λ and ln λ is 1/r."""
        X, s, r = self._known(rows)
        squares = X.multiply(X) if issparse(X) else X * X
        mean = X @ (digamma(s) - np.log(r)).T - (s / r).sum(axis=1)
        return mean, squares @ trigamma(s).T - X @ (2 / r).T + (s / r**2).sum(axis=1)  # SX-5

    def draws(self, rows: MatrixRows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under `size` draws of λ, size × rows × classes."""
        X, s, r = self._known(rows)
        out = []
        for _ in range(size):
            logs = log_gammas(s, rng) - np.log(r)
            out.append(X @ logs.T - np.exp(logs).sum(axis=1))
        return np.stack(out)

    def _known(self, rows: MatrixRows) -> tuple[Any, Array, Array]:
        must_be_known(self.shape, self.rate)
        return rows.source.matrix.astype(np.float64), self.shape, self.rate


@dataclass(frozen=True, eq=False)
class WordBelief:
    """A Dirichlet belief about words for each class. Only words that occur in the rows are looked up."""

    counts: Cells
    alpha: Array  # a number, or one per word
    scorer: Linear

    def moments(self, rows: Rows) -> tuple[Array, Array]:
        """Return mean and variance of Σ w_j x_j ln θ_j for each row and class."""
        X, _, alpha, total = self._looked_at(rows)
        n = np.asarray(X.sum(axis=1)).ravel()[:, None]
        mean = X @ digamma(alpha).T - n * digamma(total)
        squares = X.multiply(X)
        return mean, np.maximum(squares @ trigamma(alpha).T - n**2 * trigamma(total), 0.0)  # SX-5

    def draws(self, rows: Rows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under `size` draws of θ. Words that occur in no row are drawn together, as one."""
        X, all_words, alpha, total = self._looked_at(rows)
        rest = np.maximum(total - alpha.sum(axis=1), 0.0)
        n, out = np.asarray(X.sum(axis=1)).ravel()[:, None], []
        for _ in range(size):
            logs = log_gammas(alpha, rng)
            every = np.logaddexp.reduce(logs, axis=1)
            if not all_words:
                every = np.logaddexp(every, log_gammas(rest, rng))
            out.append(X @ logs.T - np.where(n > 0, n * every, 0.0))
        return np.stack(out)

    def _looked_at(self, rows: Rows) -> tuple[Any, bool, Array, Array]:
        """Return rows × words that occur, whether these are the whole vocabulary, their α, and the total α by class."""
        x, by = rows.entries(self.scorer.t), self.scorer
        X = sparse.csr_matrix((by.counted(x.data), x.indices, x.indptr), x.shape).tocsc()
        there = np.flatnonzero(np.diff(X.indptr))
        if by.feature_weights is not None:
            powers = np.repeat(by.feature_weights, np.diff(X.indptr))
            X = sparse.csc_matrix((X.data * powers, X.indices, X.indptr), X.shape)
        prior = np.broadcast_to(self.alpha, (self.counts.width,))
        alpha, total = self.counts.columns(there) + prior[there], self.counts.sum() + prior.sum()
        must_be_known(alpha, total)
        return X[:, there].tocsr(), len(there) == self.counts.width, alpha, total


@dataclass(frozen=True, eq=False)
class LiftBelief:
    """Gamma beliefs about lifts, classes × joint values."""

    t: Any
    shape: Array
    rate: Array

    def moments(self, rows: Any) -> Moments:
        """Return mean and variance of ln λ of each row's joint value."""
        tables = digamma(self.shape) - np.log(self.rate), trigamma(self.shape)  # SX-5
        place = rows.places(self.t)
        mean, variance = (np.append(table, np.zeros((len(table), 1)), axis=1).T[place] for table in tables)
        return mean, variance

    def draws(self, rows: Any, rng: np.random.Generator, size: int) -> Array:
        """Return ln λ of each row's joint value under `size` draws of λ."""
        met, where = np.unique(rows.places(self.t), return_inverse=True)
        shape, rate = (np.append(table, np.ones((len(table), 1)), axis=1)[:, met] for table in (self.shape, self.rate))
        logs = log_gammas(np.broadcast_to(shape, (size, *shape.shape)), rng) - np.log(rate)
        logs[..., met < 0] = 0.0
        return np.asarray(logs[..., where].transpose(0, 2, 1))


def squeezed(beliefs: Conjugate[Any]) -> Conjugate[Any]:
    """Return a table of beliefs with its second axis, if any, dropped by taking the first member."""
    return beliefs[:, 0] if len(beliefs.batch_shape) > 1 else beliefs
