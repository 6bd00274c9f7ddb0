"""Real vectors whose columns are independent within a class, as a Gaussian discriminant without correlations (GD-1)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from suffice.models.likelihoods.discriminant import unfit, would_shrink
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.scoring.ellipses import SingularCovariance
from suffice.models.scoring.reals import NormalDensities, StudentTs
from suffice.posterior import NormalInverseGamma
from suffice.stats import DiagonalMoments

__all__ = ["DiagonalDiscriminant"]


@dataclass(frozen=True, eq=False, repr=False)
class DiagonalDiscriminant(Gaussian):
    """Real vectors without correlations in a class: normals of each column, none of which may be constant."""

    column: bool = field(default=False, repr=False)

    word = "diagonal discriminant"

    def settled(self, t: DiagonalMoments) -> Self:
        """Return the likelihood with its prior made definite; without one for maximum likelihood."""
        if self.estimate == "mle":
            return replace(self, prior=None)
        if not isinstance(self.prior, str | NormalInverseGamma):
            raise unfit(NormalInverseGamma, t.mean.shape[1], "diagonal", self.prior)
        return super().settled(t)

    def scorer(self, t: DiagonalMoments) -> NormalDensities | StudentTs:
        """Return what scores rows; raise SingularCovariance where a column of a class does not vary."""
        constant = np.argwhere((t.scatter <= 0) & (t.n > 0))
        if self.estimate == "mle" and len(constant):
            code, place = constant[0].tolist()
            raise SingularCovariance(f"column {place} does not vary", code)
        return super().scorer(t)

    def must_share(self) -> None:
        """Raise KindError where EM could shrink a variance to nothing."""
        if self.estimate == "mle":
            raise would_shrink("diagonal")
