"""Rows of numbers that belong to classes in shares: points, with normals that know little at first."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.estimators.shares import Sharing
from suffice.models.empirical.covariances import by_evidence
from suffice.models.empirical.weak import weak_normals, weak_vectors
from suffice.posterior import NormalInverseWishart
from suffice.stats import DiagonalMoments
from suffice.typing import Array

__all__ = ["NormalShares"]


class NormalShares(Sharing):
    """What normals add to rows in shares."""

    prior: Any
    estimate: Any

    def _own_priors(self) -> dict[str, Any]:
        return {"prior": self.prior} if isinstance(self.prior, str) and self.estimate != "mle" else {}

    def _points(self, rows: Any) -> Array:
        return np.asarray(rows.rows.matrix, np.float64)

    def _weak_priors(self, whole: dict[str, Any], k: int) -> dict[str, Any]:
        t = whole["features"]
        weak: Any = weak_normals if isinstance(t, DiagonalMoments) else weak_vectors
        return {name: weak(t, k) for name in self._own_priors()}

    def _judging_priors(self, weak: dict[str, Any]) -> dict[str, Any]:
        """Of vectors, one learned scale for all classes; a flat mean would make every class's first row free."""
        owner: Any = self
        found, vague = self._found_priors(), weak.get("prior")
        if isinstance(vague, NormalInverseWishart):
            prior = by_evidence(owner._features, owner.covariance, ["pooled"]).prior(owner._features)
            found["prior"] = NormalInverseWishart(vague.m, vague.kappa, prior.nu, prior.scale)
        return found
