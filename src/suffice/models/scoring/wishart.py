"""What is believed of the scores of real vectors, over mean and covariance of their classes (SX-5).

With W = Σ⁻¹ ~ Wishart(ν, Λ⁻¹), μ | Σ ~ Normal(m, Σ/κ), h = δᵀΛ⁻¹δ and δ = x − m, the score ½ ln|W| − ½ (x−μ)ᵀW(x−μ) has

    mean       ½ Σ ψ((ν−i)/2) − ½ ln|Λ/2| − ½ (νh + d/κ)
    variance   ¼ (Σ ψ₁((ν−i)/2) + 2νh² + 4νh/κ + 2d/κ² − 4h),    i = 0 … d−1
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import digamma, polygamma

from suffice.models.scoring.ellipses import Ellipses
from suffice.posterior import NormalInverseWishart
from suffice.typing import Array

if TYPE_CHECKING:
    from suffice.models.scoring.rows import MatrixRows

__all__ = ["VectorBelief"]


@dataclass(frozen=True, eq=False)
class VectorBelief:
    """Normal-inverse-Wishart beliefs, one for each class; or with one Λ for all of them."""

    known: Ellipses
    scale: Array  # Λ, classes × d × d or 1 × d × d

    def moments(self, rows: MatrixRows) -> tuple[Array, Array]:
        """Return mean and variance of each score, rows × classes."""
        h, d = self.known.distances(rows), self.known.law.d
        nu, kappa = self.known.nu, self.known.kappa
        halves = (nu[:, None] - np.arange(d)) / 2
        log_det = self.known.log_det - d * np.log(2)
        mean = 0.5 * (digamma(halves).sum(axis=1) - log_det - d * np.log(2 * np.pi) - d / kappa - nu * h)
        spread = polygamma(1, halves).sum(axis=1) + 2 * d / kappa**2
        return mean, 0.25 * (spread + 2 * nu * h**2 + 4 * nu * h / kappa - 4 * h)  # SX-5

    def covariances(self, rows: MatrixRows) -> Array | None:
        """Return covariances of scores by one Λ, rows × classes × classes; None where scores are independent."""
        if len(self.scale) > 1 or len(self.known.mean) == 1:
            return None
        turned, means = self.known.turned(rows.numbers)
        away = turned[:, None] - means
        nu, kappa, d = self.known.nu[0], self.known.kappa, self.known.law.d
        dots = np.einsum("nai,nbi->nab", away, away)
        h = np.einsum("naa->na", dots)
        together = polygamma(1, (nu - np.arange(d)) / 2).sum() + 2 * nu * dots**2 - 2 * h[:, :, None] - 2 * h[:, None]
        at = np.arange(len(kappa))
        together[:, at, at] += 4 * nu * h / kappa + 2 * d / kappa**2
        return np.asarray(together / 4)  # SX-5

    def draws(self, rows: MatrixRows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under drawn means and covariances, size × rows × classes."""
        x, known, bodies = rows.numbers, self.known, len(self.scale)
        belief = NormalInverseWishart(known.mean[:bodies], known.kappa[:bodies], known.nu[:bodies], self.scale)
        out = np.empty((size, len(x), len(known.mean)))
        for k in range(size):
            covariance = belief.sample(rng).covariance
            steps = rng.standard_normal(known.mean.shape) / np.sqrt(known.kappa)[:, None]
            for c in range(len(known.mean)):
                root = np.linalg.cholesky(covariance[c if bodies > 1 else 0])
                away = np.linalg.solve(root, (x - known.mean[c]).T) - steps[c][:, None]
                volume = np.log(np.diagonal(root)).sum() + known.law.d / 2 * np.log(2 * np.pi)
                out[k, :, c] = -volume - 0.5 * np.square(away).sum(axis=0)
        return out
