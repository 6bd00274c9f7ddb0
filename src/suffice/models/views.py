"""What was chosen for a model by its training rows. Nothing of it flows back into a statistic.

    score_c(x) = ln π_c + b_c + s(x) · Σ_j w_j · ln p(x_j | c)      s(x) = a · n(x)^−γ                SX-7, SX-9
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.typing import Array

__all__ = ["AS_IT_IS", "Temper", "tempered"]


@dataclass(frozen=True)
class Temper:
    """A power of the likelihood, and an exponent of the row's length that it is divided by."""

    power: float = 1.0
    length: float = 0.0

    def of(self, lengths: Array | None) -> Any:
        """Return the power of each row; of a row without words, 0."""
        if self.length == 0 or lengths is None:
            return self.power
        known = np.where(lengths > 0, lengths, 1.0)
        return np.where(lengths > 0, self.power * known**-self.length, 0.0)  # SX-7


AS_IT_IS = Temper()


def tempered(scores: Array, powers: Any) -> Array:
    """Multiply scores by powers, in place; what is impossible stays so, unless a row says nothing at all."""
    each = powers if np.ndim(powers) == 0 else powers[:, None]
    with np.errstate(invalid="ignore"):
        scores *= each
    if np.ndim(powers):
        scores[powers == 0] = 0.0
    return scores
