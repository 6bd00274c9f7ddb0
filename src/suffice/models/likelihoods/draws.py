"""Draw rows: first parameters (plug-in, or from the posterior), then rows given the parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from suffice.later import sparse
from suffice.posterior import NormalInverseWishart
from suffice.posterior.base import Conjugate
from suffice.posterior.mean_variance import MeanCovariance
from suffice.typing import Array, Integers

__all__ = ["Draw", "Parameters", "bags", "rows_of", "width_of", "with_one_covariance"]

Parameters = Literal["estimate", "each", "once"]
NUMBERS_AT_ONCE = 2**21


@dataclass(frozen=True, eq=False)
class Draw:
    """Describe a draw: one row for each of the given classes, the random generator, and the source of parameters.

    "estimate" draws from what scores rows: plug-in parameters, or parameters drawn per row for estimate="predictive".
    "each" draws parameters from the posterior for every row, "once" for all rows together.
    """

    codes: Integers
    rng: np.random.Generator
    parameters: Parameters = "estimate"
    lengths: Integers | None = None  # lengths of rows of words; Poisson around the mean if not given
    rows: float = 1.0  # weight of the training rows

    def source(
        self, estimate: str, plugged: Callable[[], Any], belief: Callable[[], Conjugate[Any]]
    ) -> Callable[[Integers], Any]:
        """Return a function from class codes to the parameters of their rows."""
        if self.plugs_in(estimate):
            theta = plugged()
        elif self.parameters == "once":
            theta = belief().sample(self.rng)
        else:
            believed = belief()
            return lambda codes: believed[codes].sample(self.rng)
        return lambda codes: _lines(theta, codes)

    def plugs_in(self, estimate: str) -> bool:
        """Return whether parameters are plugged in."""
        return self.parameters == "estimate" and estimate != "predictive"

    def lengths_about(self, mean: float) -> Integers:
        """Return the number of words per row: as given, or drawn from a Poisson distribution with this mean."""
        return self.rng.poisson(mean, len(self.codes)) if self.lengths is None else self.lengths

    def parts(self, width: int) -> list[Draw]:
        """Return the draw split into parts, to keep few numbers in memory at once."""
        step = max(1, NUMBERS_AT_ONCE // max(1, width))
        ends = range(0, len(self.codes), step) if len(self.codes) else (0,)
        return [self._part(slice(at, at + step)) for at in ends]

    def _part(self, block: slice) -> Draw:
        lengths = None if self.lengths is None else self.lengths[block]
        return replace(self, codes=self.codes[block], lengths=lengths)


def _lines(theta: Any, codes: Integers) -> Any:
    if isinstance(theta, tuple):  # a pair of mean and variance, or mean and covariance
        return type(theta)(*(np.asarray(part)[codes] for part in theta))
    return np.asarray(theta)[codes]


def with_one_covariance(belief: NormalInverseWishart, rng: np.random.Generator) -> MeanCovariance:
    """Return one drawn covariance for all classes, and a drawn mean for each."""
    covariance = belief[0].sample(rng).covariance
    steps = rng.standard_normal(belief.m.shape) @ np.linalg.cholesky(covariance).T
    means = belief.m + steps / np.sqrt(np.asarray(belief.kappa))[:, None]
    return MeanCovariance(means, np.broadcast_to(covariance, (len(means), *covariance.shape)))


def width_of(t: Any) -> int:
    """Return the number of features of a statistic."""
    return int(t.width if hasattr(t, "width") else t.shape[-1])


def rows_of(draw: Draw, width: int, of: Callable[[Integers], Any], simulated: Callable[[Any, Draw], Any]) -> Any:
    """Return drawn rows: `of` finds each row's parameters, and `simulated` draws the row."""
    return np.concatenate([simulated(of(part.codes), part) for part in draw.parts(width)])


def bags(draw: Draw, width: int, of: Callable[[Integers], Array], mean: float) -> Any:
    """Return drawn word counts, rows × words as CSR: `of` finds word probabilities, `mean` is the mean length."""
    drawn, at, lengths = [], 0, draw.lengths_about(mean)
    for part in draw.parts(width):
        shares = of(part.codes)
        shares = shares / shares.sum(axis=1, keepdims=True)
        words = draw.rng.multinomial(lengths[at : at + len(shares)], shares)
        drawn.append(sparse.csr_matrix(words.astype(np.float64)))
        at += len(shares)
    return sparse.vstack(drawn, format="csr")
