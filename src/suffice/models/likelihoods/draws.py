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

Parameters = Literal["estimate", "each", "once"]
Drawer = Callable[[Integers | None], Any]
"""A function that draws the rows of a block: all features, or only those at the given places."""
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
    features: Integers | None = None  # places of the features to draw, each once; None for all

    def source(
        self, estimate: str, plugged: Callable[[], Any], belief: Callable[[], Conjugate[Any]]
    ) -> Callable[[Integers], Any]:
        """Return a function from class codes to the parameters of their rows."""
        if self.plugs_in(estimate):
            theta = plugged()
        elif self.parameters == "once":
            theta = belief().sample(rng=self.rng)
        else:
            believed = belief()
            return lambda codes: believed[codes].sample(rng=self.rng)
        return lambda codes: _lines(theta, codes)

    def plugs_in(self, estimate: str) -> bool:
        """Return whether parameters are plugged in."""
        return self.parameters == "estimate" and estimate != "predictive"

    def only(self, width: int) -> Integers | None:
        """Return the places of the features to draw; None if they are all of a block that has `width`."""
        return None if self.features is None or len(self.features) == width else self.features

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
    covariance = belief[0].sample(rng=rng).covariance
    steps = rng.standard_normal(belief.m.shape) @ np.linalg.cholesky(covariance).T
    means = belief.m + steps / np.sqrt(np.asarray(belief.kappa))[:, None]
    return MeanCovariance(means, np.broadcast_to(covariance, (len(means), *covariance.shape)))


def width_of(t: Any) -> int:
    """Return the number of features of a statistic."""
    return int(t.width if hasattr(t, "width") else t.shape[-1])


def rows_by_feature(likelihood: Any, t: Any, draw: Draw) -> Any:
    """Return drawn rows of a likelihood whose features are independent given the parameters."""
    some, family = draw.only(width_of(t)), likelihood.family
    of = draw.source(
        getattr(likelihood, "estimate", ""),
        lambda: _among(likelihood.plug_in(t), some),
        lambda: likelihood.posterior(t, some),
    )
    width = width_of(t) if some is None else len(some)
    return rows_of(draw, width, of, lambda theta, part: family.simulate(theta, part.rng))


def _among(theta: Any, some: Integers | None) -> Any:
    """Return the parameters of some features, classes × features."""
    if some is None:
        return theta
    if isinstance(theta, tuple):  # a pair of mean and variance
        return type(theta)(*(np.asarray(part)[:, some] for part in theta))
    return np.asarray(theta)[:, some]


def with_rest(part: Array, total: Array) -> Array:
    """Return parameters of some words, and as the last column those of all other words together.

    Merging categories of a multinomial adds their probabilities; of a Dirichlet, their parameters.
    """
    return np.column_stack([part, np.maximum(total - part.sum(axis=1), np.finfo(np.float64).tiny)])


def rows_of(draw: Draw, width: int, of: Callable[[Integers], Any], simulated: Callable[[Any, Draw], Any]) -> Any:
    """Return drawn rows: `of` finds each row's parameters, and `simulated` draws the row."""
    return np.concatenate([simulated(of(part.codes), part) for part in draw.parts(width)])


def bags(draw: Draw, width: int, of: Callable[[Integers], Array], mean: float) -> Any:
    """Return drawn word counts, rows × words as CSR of integers.

    `of` finds word probabilities, `mean` is the mean length. Where only some words are drawn, the last probability is
    that of all others, which are counted in the length and left out.
    """
    drawn, at, lengths, some = [], 0, draw.lengths_about(mean), draw.only(width)
    for part in draw.parts(width if some is None else len(some) + 1):
        shares = of(part.codes)
        shares = shares / shares.sum(axis=1, keepdims=True)
        words = draw.rng.multinomial(lengths[at : at + len(shares)], shares)
        drawn.append(sparse.csr_matrix(words if some is None else words[:, :-1]))
        at += len(shares)
    return sparse.vstack(drawn, format="csr")
