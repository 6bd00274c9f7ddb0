"""How sure a model is of its probabilities: from what is not known of its parameters (SX-5).

A score ln p(x | c, θ) is a number that depends on θ, and the posterior of θ makes it uncertain. Each belief here knows
its mean and variance for rows of data (`moments`), and can draw it (`draws`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from scipy.special import digamma, polygamma

from suffice.errors import ImproperPrior
from suffice.stats.inputs import Rows
from suffice.typing import Array, Integers

__all__ = ["Belief", "Categories", "Flags", "Rates", "Reals", "Words", "log_gammas", "matrix_of"]

Moments = tuple[Array, Array]

MANY = 2**14

FAR = 1e140
"""A squared distance, in variances, that is far enough: its square is a number too."""


class Belief(Protocol):
    """What is believed of the scores of rows."""

    def moments(self, X: Any) -> Moments:
        """Mean and variance of each score, rows × classes."""

    def draws(self, X: Any, rng: np.random.Generator, size: int) -> Array:
        """Scores under parameters drawn from the posterior: size × rows × classes."""


def matrix_of(X: Any) -> Any:
    """Rows as a model sees them: an array, or a sparse matrix."""
    if not isinstance(X, Rows):
        return X
    if X.above is None:
        return X.matrix.astype(np.float64)
    return (X.matrix > X.above).astype(np.float64)


def must_be_known(*parameters: Array) -> None:
    """Raise ImproperPrior where a posterior is none."""
    if any((np.asarray(one) <= 0).any() for one in parameters):
        raise ImproperPrior(
            "An interval needs a posterior that integrates to one; alpha=0 leaves none where a class has no count. Use "
            "a larger alpha."
        )


def log_gammas(alpha: Array, rng: np.random.Generator) -> Array:
    """ln of draws of Gamma(α, 1), also where they are too small to be written down: ln Gamma(α+1) + ln(U)/α."""
    return np.asarray(np.log(rng.standard_gamma(alpha + 1)) - rng.standard_exponential(alpha.shape) / alpha)


def trigamma(x: Any) -> Array:
    """ψ1. Of a large table, where most numbers come often, each is looked at once."""
    x = np.asarray(x)
    if x.size < MANY:
        return np.asarray(polygamma(1, x))
    values, place = np.unique(x, return_inverse=True)
    return np.asarray(polygamma(1, values)[place].reshape(x.shape))


@dataclass(frozen=True)
class Flags:
    """Beta beliefs, classes × features, about what is on or off."""

    a: Array
    b: Array

    def moments(self, X: Any) -> Moments:
        """Σ x ln θ + (1−x) ln(1−θ)."""
        must_be_known(self.a, self.b)
        X, total = matrix_of(X), self.a + self.b
        on, off = (digamma(part) - digamma(total) for part in (self.a, self.b))
        wide, narrow = (trigamma(part) - trigamma(total) for part in (self.a, self.b))
        return X @ (on - off).T + off.sum(axis=1), X @ (wide - narrow).T + narrow.sum(axis=1)  # SX-5

    def draws(self, X: Any, rng: np.random.Generator, size: int) -> Array:
        """The same under drawn θ."""
        must_be_known(self.a, self.b)
        X, out = matrix_of(X), []
        for _ in range(size):
            on, off = log_gammas(self.a, rng), log_gammas(self.b, rng)
            total = np.logaddexp(on, off)
            out.append(X @ (on - off).T + (off - total).sum(axis=1))
        return np.stack(out)


@dataclass(frozen=True)
class Words:
    """Dirichlet beliefs about words, one for each class; only the words of the documents are looked at."""

    counts: Any  # classes × words, dense or sparse
    alpha: Any  # a number, or one for each word
    width: int
    weights: Array | None = None  # evidence weights of words

    def moments(self, X: Any) -> Moments:
        """Σ w_j x_j ln θ_j."""
        X, _, alpha, total = self._asked(X)
        n = np.asarray(X.sum(axis=1)).ravel()[:, None]
        squares = X.multiply(X)
        mean = X @ digamma(alpha).T - n * digamma(total)
        return mean, np.maximum(squares @ trigamma(alpha).T - n**2 * trigamma(total), 0.0)  # SX-5

    def draws(self, X: Any, rng: np.random.Generator, size: int) -> Array:
        """The same under drawn θ; words that are not asked for are drawn as one."""
        X, whole, alpha, total = self._asked(X)
        rest = np.maximum(total - alpha.sum(axis=1), 0.0)
        n, out = np.asarray(X.sum(axis=1)).ravel()[:, None], []
        for _ in range(size):
            logs = log_gammas(alpha, rng)
            every = np.logaddexp.reduce(logs, axis=1)
            if not whole:
                every = np.logaddexp(every, log_gammas(rest, rng))
            out.append(X @ logs.T - np.where(n > 0, n * every, 0.0))
        return np.stack(out)

    def _asked(self, X: Any) -> tuple[Any, bool, Array, Array]:
        """Documents by the words they have, whether these are all, their α by class, and α of all words together."""
        X = sparse.csc_matrix(matrix_of(X))
        asked = np.flatnonzero(np.diff(X.indptr))
        if self.weights is not None:
            X = sparse.csc_matrix((X.data * np.repeat(self.weights, np.diff(X.indptr)), X.indices, X.indptr), X.shape)
        prior = np.broadcast_to(self.alpha, (self.width,))
        counts = self._by_word[:, asked]
        alpha = np.asarray(counts.toarray() if sparse.issparse(counts) else counts) + prior[asked]
        total = self._rows + prior.sum()
        must_be_known(alpha, total)
        return X[:, asked].tocsr(), len(asked) == self.width, alpha, total

    @cached_property
    def _by_word(self) -> Any:
        return self.counts.tocsc() if sparse.issparse(self.counts) else self.counts

    @cached_property
    def _rows(self) -> Array:
        return np.asarray(self.counts.sum(axis=1)).ravel()


@dataclass(frozen=True)
class Categories:
    """Dirichlet beliefs about columns of codes; `unseen` has α of a code beyond, and of all, by class."""

    alphas: list[Array]  # of each column, classes × codes
    unseen: float | None = None

    def moments(self, X: Any) -> Moments:
        """Σ_j ln θ_jx."""
        tables = [self._both(alpha) for alpha in self.alphas]
        mean, variance = ([table[k] for table in tables] for k in (0, 1))
        return self._looked_up(mean, X), self._looked_up(variance, X)

    def draws(self, X: Any, rng: np.random.Generator, size: int) -> Array:
        """The same under drawn θ; categories that are not asked for are drawn as one."""
        codes: Integers = matrix_of(X).astype(np.int64)
        out = np.zeros((size, len(codes), len(self.alphas[0])))
        for alpha, code in zip(self.alphas, codes.T, strict=True):
            must_be_known(alpha)
            wide = self._with_unseen(alpha)
            asked, place = np.unique(np.minimum(code[code >= 0], wide.shape[1] - 1), return_inverse=True)
            logs = log_gammas(np.broadcast_to(wide[:, asked], (size, len(alpha), len(asked))), rng)
            rest = np.setdiff1d(np.arange(alpha.shape[1]), asked)
            total = np.logaddexp.reduce(logs[..., asked < alpha.shape[1]], axis=2)
            if len(rest):
                others = alpha[:, rest].sum(axis=1)
                total = np.logaddexp(total, log_gammas(np.broadcast_to(others, total.shape), rng))
            out[:, code >= 0] += (logs - total[..., None])[..., place].transpose(0, 2, 1)
        return out

    def _both(self, alpha: Array) -> Moments:
        must_be_known(alpha)
        total = alpha.sum(axis=1, keepdims=True)
        wide = self._with_unseen(alpha)
        return digamma(wide) - digamma(total), np.maximum(trigamma(wide) - trigamma(total), 0.0)  # SX-5

    def _with_unseen(self, alpha: Array) -> Array:
        return alpha if self.unseen is None else np.column_stack([alpha, np.full(len(alpha), self.unseen)])

    def _looked_up(self, tables: list[Array], X: Any) -> Array:
        """A code of −1 is silent, one beyond the last is the last."""
        codes: Integers = matrix_of(X).astype(np.int64)
        lines = [np.vstack([table.T, np.zeros(len(table))]) for table in tables]
        places = [
            np.where(code < 0, -1, np.minimum(code, len(line) - 2)) for code, line in zip(codes.T, lines, strict=True)
        ]
        return np.asarray(sum(line[place] for line, place in zip(lines, places, strict=True)))


@dataclass(frozen=True)
class Rates:
    """Gamma beliefs about rates of events, classes × features."""

    shape: Array
    rate: Array

    def moments(self, X: Any) -> Moments:
        """Σ x ln λ − λ; λ and ln λ have the covariance 1/r."""
        must_be_known(self.shape, self.rate)
        X, (s, r) = matrix_of(X), np.broadcast_arrays(self.shape, self.rate)
        squares = X.multiply(X) if sparse.issparse(X) else X * X
        mean = X @ (digamma(s) - np.log(r)).T - (s / r).sum(axis=1)
        return mean, squares @ trigamma(s).T - X @ (2 / r).T + (s / r**2).sum(axis=1)  # SX-5

    def draws(self, X: Any, rng: np.random.Generator, size: int) -> Array:
        """The same under drawn λ."""
        must_be_known(self.shape, self.rate)
        X, (s, r), out = matrix_of(X), np.broadcast_arrays(self.shape, self.rate), []
        for _ in range(size):
            logs = log_gammas(s, rng) - np.log(r)
            out.append(X @ logs.T - np.exp(logs).sum(axis=1))
        return np.stack(out)


@dataclass(frozen=True)
class Reals:
    """Normal-inverse-gamma beliefs about means and variances, classes × features."""

    m: Array
    kappa: Array
    a: Array
    b: Array

    def moments(self, X: Any) -> Moments:
        """½ ln τ − ½ τ(x−μ)², with the precision τ ~ Gamma(a, b) and μ | τ ~ Normal(m, 1/(κτ))."""
        must_be_known(self.kappa, self.a, self.b)
        X = matrix_of(X)
        mean, variance = np.empty((2, len(X), len(self.m)))
        for c, (m, kappa, a, b) in enumerate(zip(self.m, self.kappa, self.a, self.b, strict=True)):
            with np.errstate(over="ignore"):
                far = np.minimum((X - m) ** 2 / b, FAR)
            square = a * far**2 + 4 * far * a / kappa + 2 / kappa**2
            mean[:, c] = (digamma(a) - np.log(2 * np.pi * b) - far * a - 1 / kappa).sum(axis=1) / 2
            variance[:, c] = (trigamma(a) + square - 2 * far).sum(axis=1) / 4  # SX-5
        return mean, variance

    def draws(self, X: Any, rng: np.random.Generator, size: int) -> Array:
        """The same under drawn means and variances."""
        must_be_known(self.kappa, self.a, self.b)
        X, out = matrix_of(X), np.empty((size, len(X), len(self.m)))
        for i in range(size):
            log_tau = log_gammas(self.a, rng) - np.log(self.b)
            tau = np.exp(log_tau)
            mu = rng.normal(self.m, 1 / np.sqrt(self.kappa * tau))
            top = (log_tau - np.log(2 * np.pi)).sum(axis=1) / 2
            for c in range(len(self.m)):
                out[i, :, c] = top[c] - ((X - mu[c]) ** 2) @ tau[c] / 2
        return out
