"""Unigram model of words: a Dirichlet posterior, alone or backing off to a background.

alone             p(w) = (α_w + N_w) / (α₀ + N)                                          DM-8
Dirichlet         the prior is worth μ words of the background, α_w = μ p_b(w)           DM-9
Jelinek-Mercer    p(w) = (1 − λ) N_w/N + λ p_b(w): a mixture, which no prior makes       DM-10

How strong the background is, μ or λ, may be chosen by what each token of the texts is predicted to be by the others
(DM-11), from counts alone. Zhai and Lafferty, A study of smoothing methods for language models applied to information
retrieval, ACM Transactions on Information Systems 22 (2004).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from suffice.later import optimize
from suffice.models.likelihoods.draws import Draw, bags
from suffice.posterior import Dirichlet
from suffice.typing import Array, Integers

Smoothing = Literal["dirichlet", "jelinek_mercer"]

LIKE_BACKGROUND = 1e3
"""Largest μ chosen per token of the texts; beyond it, the texts have almost no influence."""


class TopWord(NamedTuple):
    """A word and its predictive probability."""

    word: str
    probability: float


class TopWords(tuple[TopWord, ...]):
    """Pairs of word and probability, the most probable first."""

    __slots__ = ()

    def __repr__(self) -> str:
        lines = [f"  {row.probability:8.4f}  {row.word}" for row in self]
        return "\n".join(["What comes next:", *(lines or ["  nothing"])])


@dataclass(frozen=True, eq=False)
class Unigram:
    """Posterior of the word probabilities by slot, and the weight of the background mixed in."""

    counts: Array
    belief: Dirichlet
    background: Array | None = None
    weight: float | None = None  # of the background in a mixture; None where all it says is in the belief

    @property
    def probabilities(self) -> Array:
        """Predictive probability of each slot."""
        return self.belief.predict().probabilities if self.weight is None else self._mixed(self._shares)

    @property
    def _shares(self) -> Array:
        total = self.counts.sum()
        return self.counts / total if total else self._behind

    @property
    def _behind(self) -> Array:
        assert self.background is not None
        return self.background

    def _mixed(self, shares: Array) -> Array:
        weight, background = self.weight, self._behind
        assert weight is not None
        return (1 - weight) * shares + weight * background  # DM-10

    def log_probability(self, slots: Integers, X: Any) -> Array:
        """Return Σ ln p of the words in each row of X (documents × words that have these slots)."""
        if self.weight is not None:
            return np.asarray(X @ np.log(self.probabilities)[slots])
        log_p = self.belief.predict().log(slots)  # DM-8
        return np.asarray(X @ log_p)

    def top(self, words: NDArray[Any], k: int) -> TopWords:
        """Return the k most probable words; ties keep their order."""
        p = self.probabilities
        best = np.argsort(-p, kind="stable")[:k]
        return TopWords(TopWord(*row) for row in zip(words[best].tolist(), p[best].tolist(), strict=True))

    def sample(self, draw: Draw, mean: float) -> Any:
        """Draw counts, texts × slots; lengths are Poisson with the given mean unless given."""
        belief = Dirichlet(self.belief.alpha[None])
        source = draw.source("mean", lambda: self.probabilities[None], lambda: belief)
        mixes = self.weight is not None and not draw.plugs_in("mean")
        return bags(draw, len(self.counts), (lambda codes: self._mixed(source(codes))) if mixes else source, mean)


def backing_off(counts: Array, background: Array, smoothing: Smoothing, strength: float, prior: Dirichlet) -> Unigram:
    """Return the model with a background: as the prior, or mixed with the posterior under the given prior."""
    if smoothing == "jelinek_mercer":
        return Unigram(counts, prior.update(counts=counts), background, strength)
    return Unigram(counts, worth(background, strength).update(counts=counts), background)


def worth(background: Array, mu: float) -> Dirichlet:
    """Return the Dirichlet prior worth μ words of the background."""
    return Dirichlet(mu * background)  # DM-9


def loo_strength(counts: Array, background: Array, smoothing: Smoothing) -> float:
    """Return the μ or λ that maximizes the leave-one-out likelihood of the tokens (DM-11).

    The background is worth one word at least, also where all words come again and again: no other is impossible. It
    speaks alone, or nearly, where there are no others.
    """
    total, met = float(counts.sum()), counts > 0
    times, p = counts[met], background[met]
    if smoothing == "dirichlet":
        most = LIKE_BACKGROUND * max(total, 1.0)
        if total < 2:
            return most
        grid = np.linspace(0.0, np.log(most), 65)
        return float(np.exp(_best(lambda x: loo_dirichlet(float(np.exp(x)), times, p, total), grid)))
    if total < 2:
        return 1.0
    return _best(lambda x: loo_jelinek_mercer(x, times, p, total), np.linspace(1 / (total + 1), 1.0, 65))


def loo_dirichlet(mu: float, c: Array, p: Array, N: float) -> float:
    """Return the leave-one-out log-likelihood of the tokens with a prior worth μ words of the background."""
    return float((c * np.log((c - 1 + mu * p) / (N - 1 + mu))).sum())  # DM-11


def loo_jelinek_mercer(weight: float, c: Array, p: Array, N: float) -> float:
    """Return the leave-one-out log-likelihood of the tokens with this weight of the background."""
    return float((c * np.log((1 - weight) * (c - 1) / (N - 1) + weight * p)).sum())  # DM-11


def _best(value: Callable[[float], float], grid: Array) -> float:
    """Return the maximizer of a smooth function: the best grid point, refined between its neighbours."""
    on_grid = np.array([value(float(x)) for x in grid])
    at = int(on_grid.argmax())
    between = float(grid[max(at - 1, 0)]), float(grid[min(at + 1, len(grid) - 1)])
    found = optimize.minimize_scalar(lambda x: -value(x), bounds=between, method="bounded", options={"xatol": 1e-10})
    return float(found.x) if -found.fun > on_grid[at] else float(grid[at])
