"""Fit one class of bursty words: the Pólya urn that its documents are drawn from.

Pólya's urn holds α_w balls of word w, s = Σα in all. A drawn ball goes back with one more of its word, so a word that
occurred becomes more likely. A document of n words has probability
n!/Πx! · Π_w α_w(α_w+1)…(α_w+x_w−1) / s(s+1)…(s+n−1), and the derivative of the log-likelihood with respect to α_w is

    A_w(α_w) − D(s)        A_w = Σ_i ψ(x_iw+α_w) − ψ(α_w)        D = Σ_i ψ(n_i+s) − ψ(s)

At the maximum, all A_w equal one number, D(s). A step replaces A_w by c/(α_w+d), equal in value and derivative. Then s
alone is sought, by a Newton step in ln s, and α_w = c/D − d. This is the joint Newton step of all α, whose Hessian is
diagonal except for s, with curves that keep α positive in place of parabolas. Where no document repeats a word,
A_w = df_w/α_w is such a curve. Elkan's approximation (EDCM) uses it for every word, and is the starting point.

**Prior.** Each class is credited with documents of one word: `prior` gives their number for each word. Such a document
has probability α_w/s, so this is a Dirichlet(1 + prior) prior on the mean α/s, as in multinomial naive Bayes. How
bursty words are is left to the data. Without it, a word that a class has not seen is impossible there.

**Bounds.** Without overdispersion (one document, identical documents, or documents of a single word), s would diverge,
towards the multinomial. Where each document repeats one word, s would tend to 0. It is kept above 1e-6, where one word
follows another in a millionth of the cases, and below 1e6 times the longest document, where the variance of every
count is within a millionth of the multinomial's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from suffice.later import gammaln, optimize
from suffice.posterior.special import digamma_rise, log_rising, trigamma_fall
from suffice.typing import Array, Integers

LEAST, MOST = 1e-6, 1e6
"""Bounds of s; the upper one is relative to the length of the longest document."""

REACH = 2.3
"""Largest change of ln s in a step: a factor of ten."""

FLAT = 1e-12
"""Derivative with respect to ln s that counts as rounding error, relative to the two terms of its difference."""

HALVINGS = 10
SLACK = 1e-13
"""Largest relative drop of a log-likelihood that counts as rounding error."""


class Urn(NamedTuple):
    """The α of every word, the log-likelihood, the number of steps, and whether they converged."""

    alpha: Array
    log_likelihood: float
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class Documents:
    """The sufficient statistics of a class's documents.

    `count` documents hold `word` `value` times; `times` documents have `length` words. No value is 0, and no (word,
    value) occurs twice. Words are numbers below len(prior), and `prior` is the number of one-word documents credited to
    each.
    """

    word: Integers
    value: Array
    count: Array
    length: Array
    times: Array
    prior: Array

    def holding(self) -> Array:
        """Return how many documents hold each word, including those of the prior."""
        return np.asarray(np.bincount(self.word, self.count, minlength=len(self.prior)) + self.prior)

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the bounds of s."""
        return LEAST, MOST * max(1.0, float(self.length.max(initial=0.0)))

    def rate(self, s: float) -> float:
        """Return D(s), including the documents of the prior."""
        return float(self.times @ digamma_rise(s, self.length) + self.prior.sum() / s)

    def log_likelihood(self, alpha: Array) -> float:
        """Return the log-likelihood of the documents as unordered counts of words."""
        drawn = self.count @ (log_rising(alpha[self.word], self.value) - gammaln(self.value + 1))
        return float(drawn + self.times @ (gammaln(self.length + 1) - log_rising(alpha.sum(), self.length)))  # NB-6

    def log_approximation(self, beta: Array) -> float:
        """Return the log-likelihood under Elkan's approximation, which is not normalized."""
        drawn = self.count @ np.log(beta[self.word] / self.value)
        return float(drawn + self.times @ (gammaln(self.length + 1) - log_rising(beta.sum(), self.length)))  # NB-7

    def concentration(self, c: float) -> float:
        """Return the s where c/s = D(s), or the nearest bound."""
        low, high = self.bounds

        def gradient(log_s: float) -> float:
            s = float(np.exp(log_s))
            return c - s * self.rate(s)

        if self.length.max(initial=0.0) <= 1 or gradient(np.log(high)) >= 0:
            return high  # documents of one word do not determine s
        if gradient(np.log(low)) <= 0:
            return low
        return float(np.exp(optimize.brentq(gradient, np.log(low), np.log(high), xtol=1e-14)))

    def next_concentration(self, s: float, c: float, d: float) -> float:
        """Return s after a Newton step in ln s towards c/(s+d) = D(s); of length REACH where it is not concave."""
        up, down = c * s / (s + d), s * self.rate(s)
        if abs(up - down) <= FLAT * down:
            return s  # at the maximum, or flat in s
        fall = self.times @ trigamma_fall(s, self.length) + self.prior.sum() / s**2
        curvature = up - down + s**2 * fall - c * (s / (s + d)) ** 2
        step = (down - up) / curvature if curvature < 0 else np.copysign(REACH, up - down)  # NB-6
        return float(np.clip(s * np.exp(np.clip(step, -REACH, REACH)), *self.bounds))


def edcm(documents: Documents) -> Urn:
    """Return the fit of Elkan's approximation: β proportional to document frequencies, and their sum s by one equation.

    A solution exists if there are fewer (document, word) pairs than words counted with repetition, and more pairs than
    documents. Otherwise s is at its bound.
    """
    df = documents.holding()
    if not df.any():
        return Urn(df, 0.0, 0, True)
    beta = df * (documents.concentration(float(df.sum())) / df.sum())  # NB-7
    return Urn(beta, documents.log_approximation(beta), 1, True)


def dcm(documents: Documents, max_iter: int = 100, tol: float = 1e-6) -> Urn:
    """Return the maximum-likelihood urn, starting from Elkan's approximation.

    Steps end when no ln α changes by more than `tol`, or after `max_iter` of them.
    """
    df, start = documents.holding(), edcm(documents)
    if not df.any():
        return start
    climb, alpha = _Climb.of(documents, df, start.alpha)
    change, n_iter = np.inf, 0
    while change > tol and n_iter < max_iter:
        before, n_iter = alpha, n_iter + 1
        alpha = climb.higher(before)
        change = float(np.abs(np.log(alpha / before)).max())
    every = climb.spread(alpha, df)
    return Urn(every, documents.log_likelihood(every), n_iter, change <= tol)


@dataclass(frozen=True)
class _Climb:
    """The words that some document repeats; all others are pooled and share the curve df/α."""

    documents: Documents
    repeated: Integers  # places of the repeated words
    df: Array  # document frequencies of these words, then the sum of the others, if any
    word: Integers  # for each record of a value above 1: its place in df, …
    more: Array  # … the value minus 1, …
    count: Array  # … and the number of documents with it

    @classmethod
    def of(cls, documents: Documents, df: Array, alpha: Array) -> tuple[_Climb, Array]:
        """Return the function to maximize, and the starting point."""
        again = documents.value > 1
        repeated, place = np.unique(documents.word[again], return_inverse=True)
        others = np.ones(len(df), bool)
        others[repeated] = False
        end = slice(None) if df[others].any() else slice(-1)
        climb = cls(
            documents,
            repeated,
            np.append(df[repeated], df[others].sum())[end],
            place,
            documents.value[again] - 1,
            documents.count[again],
        )
        return climb, np.append(alpha[repeated], alpha[others].sum())[end]

    def spread(self, alpha: Array, df: Array) -> Array:
        """Return α of every word."""
        every: Array = df * (alpha[-1] / self.df[-1])  # used only where there are others
        every[self.repeated] = alpha[: len(self.repeated)]
        return every

    def height(self, alpha: Array) -> float:
        """Return the log-likelihood of documents and prior, up to a constant."""
        t = self.documents
        drawn = self.df @ np.log(alpha) + self.count @ log_rising(1 + alpha[self.word], self.more)
        s = alpha.sum()
        return float(drawn - t.times @ log_rising(s, t.length) - t.prior.sum() * np.log(s))

    def higher(self, alpha: Array) -> Array:
        """Return the next α, with a likelihood that is no lower beyond rounding."""
        gradient = self._by_word(digamma_rise(1 + alpha[self.word], self.more)) + self.df / alpha
        curvature = self._by_word(trigamma_fall(1 + alpha[self.word], self.more)) + self.df / alpha**2
        least, step = self.height(alpha), self._newton(alpha, gradient, curvature)
        least -= SLACK * abs(least)
        for _ in range(HALVINGS):
            if self.height(step) >= least:
                return step
            step = np.sqrt(step * alpha)
        step = alpha * gradient / self.documents.rate(alpha.sum())  # NB-6
        return step if self.height(step) >= least else alpha

    def _newton(self, alpha: Array, gradient: Array, curvature: Array) -> Array:
        """Return the maximum if each A_w is c/(α_w+d), with α_w ≥ df_w/D, which holds since α_w·A_w ≥ df_w."""
        c, d = gradient**2 / curvature, np.maximum(gradient / curvature - alpha, 0)  # NB-6
        s = self.documents.next_concentration(float(alpha.sum()), float(c.sum()), float(d.sum()))
        rate = c.sum() / (s + d.sum())
        step = np.maximum(c / rate - d, self.df / rate)  # NB-6
        return np.asarray(step * (s / step.sum()))

    def _by_word(self, values: Array) -> Array:
        return np.bincount(self.word, self.count * values, minlength=len(self.df)).astype(np.float64, copy=False)
