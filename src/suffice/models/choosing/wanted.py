"""What training rows are to choose, how much may be spent on it, and what was settled before."""

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
"""Rows that something is chosen by, at most; with little effort, and with the best; and scores of these."""

WORD_ROWS = 50_000
"""Rows that weights of words are fitted on, at most, unless the effort is to be the best."""

EFFORTS = {"fast": 2000, "balanced": 8000, "best": 16000}
"""Rows that pseudo-count, temper and ridge are chosen by together."""

MANY = 128
"""Classes beyond which words are weighed only with the best effort, or where a ridge is given."""

FEW = 50
"""Fewer rows than this choose no pseudo-count together with a temper: there is too little to judge by."""


@dataclass(frozen=True)
class Settled:
    """What was chosen before the weights of blocks: their ridge, residuals on top of them, and a floor."""

    ridge: float | None = None
    residuals: ResidualChoice | None = None
    floor: float | None = None
    initial: FittedByName | None = None  # where the search for weights starts
    choices: tuple[Choice, ...] = ()


NOTHING_SETTLED = Settled()


@dataclass(frozen=True)
class Wanted:
    """What training rows are to choose, and how much may be spent on it. A temper that is given is the predictor's."""

    alpha: Judging | Literal["counts"] | None = None  # "counts": rows are too few to judge
    temper: Judging | None = None  # "held_out": by leave-one-out if nothing else is chosen by rows held out
    prior: bool = False  # of covariances, for one block that has them
    weights: Literal["features", "blocks"] | None = None
    ridge: float | None = None  # how strongly weights are held at one; chosen if not given
    least_rows: int = 0  # that weights are fitted on, and that choose a pseudo-count outside the counts
    alpha_bounds: tuple[float, float] = (1e-5, 10.0)
    length_exponent: float | None = None  # of rows that are documents; chosen with the temper if not given
    effort: Effort | None = None
    residuals: ResidualChoice | None = None  # on top of weights of blocks
    initial: FittedByName | None = None  # where the search for weights of blocks starts
    word_residuals: bool = False  # on top of weights of words, if they pay
    floor: bool = False  # whether labels may be wrong
    memory_limit: int | None = None  # bytes for weights of words; if not given, they are fitted on few rows
    waiting: Waiting = NOBODY_WAITS  # is told how long it takes, and how far it is

    @property
    def sample_size(self) -> int:
        """How many rows there are to choose by, at most, wherever they come from: none if nothing is chosen."""
        if not (self.alpha or self.temper or self.prior or self.weights):
            return 0
        words = self.weights == "features" and self.memory_limit is not None and self.effort == "balanced"
        return WORD_ROWS if words else self.most_rows

    @property
    def most_rows(self) -> int:
        """How many rows are left out one by one, at most."""
        return {"fast": FEW_ROWS, "best": MANY_ROWS}.get(self.effort or "", ROWS)

    @property
    def folds(self) -> bool:
        """Whether each part of the rows judges what the others chose, however many rows there are."""
        return self.effort == "best"

    def with_settled(self, settled: Settled) -> Wanted:
        """Return the same with a ridge that was chosen already, unless one is given, and with residuals."""
        ridge = settled.ridge if self.ridge is None else self.ridge
        return replace(self, ridge=ridge, residuals=settled.residuals, initial=settled.initial)

    def of_rows(self, rows: int) -> Wanted | None:
        """Return what so many rows can choose; None if nothing."""
        weights = self.weights if rows >= self.least_rows else None
        few = rows < max(FEW, self.least_rows)
        alpha = "counts" if self.alpha == "held_out" and few else self.alpha
        some = alpha or self.temper or self.prior or weights
        return replace(self, alpha=alpha, weights=weights) if some else None

    def most_together(self, classes: int) -> int:
        """Return how many rows choose together."""
        return max(min(EFFORTS[self.effort or "balanced"], SCORES // classes), FEW)
