"""One class of bursty words: the urn that its documents were drawn from.

Pólya's urn holds α_w balls of word w, s = Σα in all. A drawn ball goes back with one more of its word: what came once
comes again. So a document of n words has probability n!/Πx! · Π_w α_w(α_w+1)…(α_w+x_w−1) / s(s+1)…(s+n−1), and the
derivative of the log-likelihood by α_w is

    A_w(α_w) − D(s)        A_w = Σ_i ψ(x_iw+α_w) − ψ(α_w)        D = Σ_i ψ(n_i+s) − ψ(s)

At the maximum all A_w are one number, D(s). A step puts c/(α_w+d) for A_w, equal in value and derivative; then s is all
there is to look for, by Newton's step along ln s, and α_w = c/D − d. This is Newton's step of all α at once, whose
Hessian is diagonal but for s, with curves that keep α positive in place of parabolas. Where no document repeats a word,
A_w = df_w/α_w is such a curve; Elkan's approximation (EDCM) takes it for every word, and is where the climb starts.

**Prior.** Each class has read documents of one word before its own: `prior` says how many of each word. Such a document
has probability α_w/s, so this is a Dirichlet(1 + prior) belief about the mean α/s, as in multinomial naive Bayes, and
leaves it to the data how bursty words are. Without it, a word that a class has not seen is impossible there.

**Bounds.** With no overdispersion (one document, identical ones, or all of one word) s would grow for ever: towards
the multinomial. Where each document repeats one word, s would shrink to nothing. It is kept above 1e-6, where a word
follows another one in a millionth of the cases, and below 1e6 times the longest document, where the variance of every
count is within a millionth of the multinomial's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from suffice.later import gammaln, optimize
from suffice.posterior.special import digamma_rise, log_rising, trigamma_fall
from suffice.typing import Array, Integers

__all__ = ["Documents", "Urn", "dcm", "edcm"]

LEAST, MOST = 1e-6, 1e6
"""Bounds of s, the upper one in lengths of the longest document."""

REACH = 2.3
"""How much a step may change ln s: tenfold, up or down."""

FLAT = 1e-12
"""A derivative by ln s that may be rounding, relative to the two parts it is the difference of."""

HALVINGS = 10
SLACK = 1e-13
"""What rounding may take from a log-likelihood, relative to it."""


class Urn(NamedTuple):
    """α of every word, the log-likelihood of the documents, steps taken, and whether they were enough."""

    alpha: Array
    log_likelihood: float
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class Documents:
    """All there is to know of a class's documents: `count` hold `word` `value` times, `times` have `length` words.

    No value is 0, no (word, value) comes twice; words are numbers below len(prior), and `prior` is how many one-word
    documents of each were read before.
    """

    word: Integers
    value: Array
    count: Array
    length: Array
    times: Array
    prior: Array

    def holding(self) -> Array:
        """Return how many documents hold each word, those of the prior included."""
        return np.asarray(np.bincount(self.word, self.count, minlength=len(self.prior)) + self.prior)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest s."""
        return LEAST, MOST * max(1.0, float(self.length.max(initial=0.0)))

    def rate(self, s: float) -> float:
        """Return D(s), with the documents of the prior."""
        return float(self.times @ digamma_rise(s, self.length) + self.prior.sum() / s)

    def log_likelihood(self, alpha: Array) -> float:
        """Return the log-likelihood of the documents under an urn, words in any order."""
        drawn = self.count @ (log_rising(alpha[self.word], self.value) - gammaln(self.value + 1))
        return float(drawn + self.times @ (gammaln(self.length + 1) - log_rising(alpha.sum(), self.length)))  # NB-6

    def log_approximation(self, beta: Array) -> float:
        """Return the log-likelihood by Elkan's approximation, which does not sum to one."""
        drawn = self.count @ np.log(beta[self.word] / self.value)
        return float(drawn + self.times @ (gammaln(self.length + 1) - log_rising(beta.sum(), self.length)))  # NB-7

    def concentration(self, c: float) -> float:
        """Return the s where c/s = D(s), or the bound that is nearest to it."""
        low, high = self.bounds

        def gradient(log_s: float) -> float:
            s = float(np.exp(log_s))
            return c - s * self.rate(s)

        if self.length.max(initial=0.0) <= 1 or gradient(np.log(high)) >= 0:
            return high  # one word a document says nothing of s
        if gradient(np.log(low)) <= 0:
            return low
        return float(np.exp(optimize.brentq(gradient, np.log(low), np.log(high), xtol=1e-14)))

    def next_concentration(self, s: float, c: float, d: float) -> float:
        """Return s after Newton's step in ln s to where c/(s+d) = D(s); a full step where that is not concave."""
        up, down = c * s / (s + d), s * self.rate(s)
        if abs(up - down) <= FLAT * down:
            return s  # the top, or all s are the same
        fall = self.times @ trigamma_fall(s, self.length) + self.prior.sum() / s**2
        curvature = up - down + s**2 * fall - c * (s / (s + d)) ** 2
        step = (down - up) / curvature if curvature < 0 else np.copysign(REACH, up - down)  # NB-6
        return float(np.clip(s * np.exp(np.clip(step, -REACH, REACH)), *self.bounds))


def edcm(documents: Documents) -> Urn:
    """Fit Elkan's approximation: β in proportion to the documents that hold a word, their sum s by one equation.

    It has a solution if there are fewer (document, word) pairs than words, counted with repetition, and more of them
    than documents; otherwise s is at its bound.
    """
    df = documents.holding()
    if not df.any():
        return Urn(df, 0.0, 0, True)
    beta = df * (documents.concentration(float(df.sum())) / df.sum())  # NB-7
    return Urn(beta, documents.log_approximation(beta), 1, True)


def dcm(documents: Documents, max_iter: int = 100, tol: float = 1e-6) -> Urn:
    """Fit by maximum likelihood from Elkan's approximation on, until no α changes by more than its `tol`-th part."""
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
    """The words that some document repeats, and all others as one: those share one curve, df/α."""

    documents: Documents
    repeated: Integers  # which words these are
    df: Array  # theirs, then that of the others together, if there are others
    word: Integers  # of each record of a value above 1: its place in df, …
    more: Array  # … the value without the first time, …
    count: Array  # … and how many documents have it

    @classmethod
    def of(cls, documents: Documents, df: Array, alpha: Array) -> tuple[_Climb, Array]:
        """Return the function to maximize, and where to start."""
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
        """Return the log-likelihood of documents and prior, but for a constant."""
        t = self.documents
        drawn = self.df @ np.log(alpha) + self.count @ log_rising(1 + alpha[self.word], self.more)
        s = alpha.sum()
        return float(drawn - t.times @ log_rising(s, t.length) - t.prior.sum() * np.log(s))

    def higher(self, alpha: Array) -> Array:
        """Return the next α, where the likelihood is no lower."""
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
        """Return the maximum if each A_w = c/(α_w+d). As α_w·A_w is at least df_w, α_w = df_w/D is never too much."""
        c, d = gradient**2 / curvature, np.maximum(gradient / curvature - alpha, 0)  # NB-6
        s = self.documents.next_concentration(float(alpha.sum()), float(c.sum()), float(d.sum()))
        rate = c.sum() / (s + d.sum())
        step = np.maximum(c / rate - d, self.df / rate)  # NB-6
        return np.asarray(step * (s / step.sum()))

    def _by_word(self, values: Array) -> Array:
        return np.bincount(self.word, self.count * values, minlength=len(self.df)).astype(np.float64, copy=False)
