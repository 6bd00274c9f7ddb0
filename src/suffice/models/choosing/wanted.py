"""Describe what training rows are to choose, the budget for it, and what was chosen before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from suffice.models.choices import Choice
from suffice.models.choosing.residuals import FittedByName, ResidualChoice
from suffice.waiting import NOBODY_WAITS, Waiting

__all__ = ["EFFORTS", "FEW", "MANY", "NOTHING_SETTLED", "ROWS", "SCORES", "Effort", "Settled", "Wanted"]

Effort = Literal["fast", "balanced", "best"]
Judging = Literal["loo", "held_out"]

ROWS, FEW_ROWS, MANY_ROWS, SCORES = 20_000, 2000, 200_000, 2**24
"""Largest number of rows for choosing: by default, with little effort, and with the best; and of their scores."""

WORD_ROWS = 50_000
"""Largest number of rows that word weights are fitted on below effort="best"."""

EFFORTS = {"fast": 2000, "balanced": 8000, "best": 16000}
"""Number of rows that choose pseudo-count, temper and ridge together, by effort."""

MANY = 128
"""Number of classes above which words are weighted only with effort="best" or a given ridge."""

FEW = 50
"""Number of rows below which no pseudo-count is chosen together with a temper."""


@dataclass(frozen=True)
class Settled:
    """Hold what was chosen before the weights of blocks: their ridge, residuals on top, and a floor."""

    ridge: float | None = None
    residuals: ResidualChoice | None = None
    floor: float | None = None
    initial: FittedByName | None = None  # starting point of the weights
    choices: tuple[Choice, ...] = ()


NOTHING_SETTLED = Settled()


@dataclass(frozen=True)
class Wanted:
    """Describe what training rows are to choose, and the budget for it. A fixed temper is that of the predictor."""

    alpha: Judging | Literal["counts"] | None = None  # "counts" where rows are too few to hold any out
    temper: Judging | None = None  # "held_out" means leave-one-out if nothing else is held out
    prior: bool = False  # prior of covariances, for a model of one such block
    weights: Literal["features", "blocks"] | None = None
    ridge: float | None = None  # strength of shrinkage of weights to one; chosen if None
    least_rows: int = 0  # needed to fit weights, and to choose a pseudo-count by held-out rows
    alpha_bounds: tuple[float, float] = (1e-5, 10.0)
    length_exponent: float | None = None  # for documents; chosen with the temper if None
    effort: Effort | None = None
    residuals: ResidualChoice | None = None  # on top of block weights
    initial: FittedByName | None = None  # starting point of block weights
    word_residuals: bool = False  # on top of word weights, if they lower the held-out loss
    floor: bool = False  # whether to choose a floor for wrong labels
    memory_limit: int | None = None  # bytes for word weights; if None, few rows fit them
    waiting: Waiting = NOBODY_WAITS  # receives the expected time and the progress

    @property
    def sample_size(self) -> int:
        """Return the largest number of rows to choose by, from any source; 0 if nothing is chosen."""
        if not (self.alpha or self.temper or self.prior or self.weights):
            return 0
        words = self.weights == "features" and self.memory_limit is not None and self.effort == "balanced"
        return WORD_ROWS if words else self.most_rows

    @property
    def most_rows(self) -> int:
        """Return the largest number of rows that are left out one by one."""
        return {"fast": FEW_ROWS, "best": MANY_ROWS}.get(self.effort or "", ROWS)

    @property
    def folds(self) -> bool:
        """Return whether each part of the rows is held out in turn, for any number of rows."""
        return self.effort == "best"

    def with_settled(self, settled: Settled) -> Wanted:
        """Return the settings with a ridge that was already chosen, unless one is given, and with residuals."""
        ridge = settled.ridge if self.ridge is None else self.ridge
        return replace(self, ridge=ridge, residuals=settled.residuals, initial=settled.initial)

    def of_rows(self, rows: int) -> Wanted | None:
        """Return what `rows` rows can choose; None if nothing."""
        weights = self.weights if rows >= self.least_rows else None
        few = rows < max(FEW, self.least_rows)
        alpha = "counts" if self.alpha == "held_out" and few else self.alpha
        some = alpha or self.temper or self.prior or weights
        return replace(self, alpha=alpha, weights=weights) if some else None

    def most_together(self, classes: int) -> int:
        """Return the number of rows that choose together."""
        return max(min(EFFORTS[self.effort or "balanced"], SCORES // classes), FEW)
