"""Columns that act together: how much more often values come together in a class than each alone suggests.

score      ℓ_c(v) = ln (n_c(v) + κ) / (E_c(v) + κ)                                                      JC-2
expected   pair: E_c(ab) = n_c(a) n_c(b) / n_c                                                          JC-1
           triple: E_c(abd) = n_c(ab) n_c(ad) n_c(bd) n_c / (n_c(a) n_c(b) n_c(d)), at most each pair's count
evidence   of a pair's lifts, against columns that do not act together: the sum over cells of              JC-3
           ln κ(κ+1)…(κ+n−1) − n ln κ − (κ + n) ln(1 + E/κ) + E
held out   the same without the removed rows in all of these counts                                     SX-3

It is a term on top of what the columns say alone, not a density: the evidence of a model and EM leave it out (JC-7).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, KindError
from suffice.later import digamma
from suffice.models.empirical.pseudo_counts import kappa_of_lifts
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.categorical import categories
from suffice.models.likelihoods.pictures import JointLifts
from suffice.models.likelihoods.places import PlaceScores
from suffice.models.likelihoods.shared import by_value, share_of_others, strongest
from suffice.models.scoring.beliefs import LiftBelief, trigamma
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.grouping import Cuts, binned, grouped, pools, with_missing
from suffice.models.scoring.joint_rows import JointRows, axis_order, axis_words, joint_names
from suffice.models.scoring.lifts import left_of, log_evidence_of_lift, log_lift, with_expected
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Contributions, Estimate, HeldOut, Scorer, Speaks, lift_in_words
from suffice.models.scoring.rows import Labels
from suffice.posterior import Gamma
from suffice.stats.inputs import POSITIVE
from suffice.stats.joint_counts import JointCounts
from suffice.stats.value_counts import in_words
from suffice.tables import Column, numbers
from suffice.typing import Array, Booleans, Integers

__all__ = ["CELLS", "Joint", "check_sizes", "coded"]

CELLS = 2**22
"""Classes × joint values at most: a table of these is what rows are scored by."""

UNSEEN = "never seen together"


def coded(column: Column, cuts: Cuts, missing: bool = False) -> tuple[Integers, NDArray[Any]]:
    """Return a code for each row of a column, and the values that codes stand for, as words.

    The code of a missing value is −1, unless it is to be a value like others.
    """
    if cuts is None or pools(cuts):
        codes, labels = categories(column)
        place, words = grouped(codes, in_words(labels), cuts)
    else:
        place, words = binned(numbers(column), cuts)
        place = place if column.missing is None else np.where(column.missing, -1, place)
    return with_missing(place, words) if missing else (place, words)


def check_sizes(sizes: list[int], labels: Labels) -> None:
    """Raise DataError if columns of so many values have too many together."""
    if labels.n_classes * float(np.prod(sizes)) > CELLS:
        shown = " × ".join(f"{size:,}" for size in sizes)
        raise DataError(
            f"Columns that act together must have at most {CELLS // labels.n_classes:,} joint values; got {shown}. "
            "Leave out the one with most, or unite its rare values."
        )


@dataclass(frozen=True, eq=False, repr=False)
class Joint(Likelihood):
    """Two or three columns together: what their joint value says on top of what each says alone.

    Parameters
    ----------
    kappa : float or None, default=1.0
        How strongly columns are believed not to act together: that many rows' worth. None for the κ of highest
        evidence up to 10, for pairs; of three columns, expected counts are no model, and it is 1.
    edges : tuple, default=()
        For each column, where bins of its numbers end, or which of its categories are not pooled; None for a column of
        categories that all stand for themselves.
    gain : float, default=None
        What the columns save of the log loss of a row outside the counts, if rows chose them; None if they were
        declared.
    missing : bool, default=False
        Whether a missing value is a value like others. If not, rows that lack one of the columns do not count.
    """

    kappa: float | None = 1.0
    edges: tuple[Cuts, ...] = ()
    gain: float | None = None
    missing: bool = False
    estimate: Estimate = field(default="mean", repr=False)  # of which there is one: the mean of the belief about a lift

    word = "joint"
    statistic = JointCounts
    correction: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.kappa is not None:
            POSITIVE.read(self.kappa, "kappa")

    @property
    def chosen_by_rows(self) -> bool:
        """Whether the columns were chosen, not declared."""
        return self.gain is not None

    def count(self, rows: JointRows, labels: Labels) -> JointCounts:
        """Count joint values by class."""
        check_sizes([len(values) for values in rows.values], labels)
        return rows.count(JointCounts, labels)

    def settled(self, t: JointCounts) -> Joint:
        """Return the likelihood with a definite κ."""
        return self if self.kappa is not None else replace(self, kappa=self._kappa(t))

    def _kappa(self, t: JointCounts) -> float:
        """Return κ as given, or that of highest evidence."""
        if self.kappa is not None:
            return self.kappa
        return kappa_of_lifts(*self._tables(t)) if len(t.sizes) == 2 else 1.0

    def _tables(self, t: JointCounts) -> tuple[Array, Array]:
        """Return counts and expected counts, classes × joint values."""
        return with_expected(t.table)

    def log_lifts(self, t: JointCounts) -> Array:
        """Return ℓ, classes × joint values."""
        return log_lift(*self._tables(t), self._kappa(t))

    def log_evidence_of_lifts(self, t: JointCounts) -> Array:
        """Return how much more probable a pair acting together makes the joint counts of each class, as a logarithm."""
        if len(t.sizes) == 3:
            raise KindError("Three columns have no evidence of acting together: their expected counts are no model.")
        return np.asarray(log_evidence_of_lift(*self._tables(t), self._kappa(t)).sum(axis=1))

    def scorer(self, t: JointCounts) -> Scorer:
        """Return what scores rows; values never seen, alone, say nothing together."""
        return PlaceScores.of(self.log_lifts(t), lambda rows: rows.places(t))

    def held_out(self, t: JointCounts, rows: JointRows, removed: Removal) -> HeldOut:
        """Score training rows, each by classes without it or its group."""
        return LiftsHeldOut(self, t, rows, removed)

    def contributions(self, t: JointCounts, rows: JointRows, weights: Array | None = None) -> Contributions:
        """Explain one row: what its joint value says on top of its values."""
        place = int(rows.places(t)[0])
        if place < 0:
            return Contributions([0], [UNSEEN], np.zeros((1, int(t.classes))))
        count, every = (table[:, place] for table in self._tables(t))
        kappa = self._kappa(t)
        belief = (digamma(count + kappa) - np.log(every + kappa))[None], trigamma(count + kappa)[None]
        logs = log_lift(count, every, kappa)
        return Contributions([0], [joint_names(t, self.edges)[place]], logs[None], belief, lifts={0: np.exp(logs)})

    def posterior(self, t: JointCounts, features: Integers | None = None) -> Gamma:
        """Return the belief about each lift, classes × joint values."""
        (count, every), kappa = self._tables(t), self._kappa(t)
        which = slice(None) if features is None else features
        return Gamma(count[:, which] + kappa, every[:, which] + kappa)

    def belief(self, t: JointCounts, weights: Array | None = None) -> LiftBelief:
        """Return what is believed of the scores of rows."""
        (count, every), kappa = self._tables(t), self._kappa(t)
        return LiftBelief(t, count + kappa, every + kappa)

    def intervals(self, t: JointCounts, level: float) -> Any:
        """Return bounds of each lift, classes × joint values."""
        return self.posterior(t).interval(level)

    def log_evidence(self, t: JointCounts) -> Cells:
        """Return zeros, classes × 1: the columns alone have the evidence."""
        return Cells(np.zeros((int(t.classes), 1)))

    def speaks(self, t: JointCounts, n: Array, code: int, k: int, weights: Array | None = None) -> list[Speaks]:
        """Return the joint values that bring most evidence to a row of the class."""
        lifts, table = self.log_lifts(t), t.table.reshape(int(t.classes), -1)
        share = table[code] / max(float(table[code].sum()), 1e-300)
        brought, names = share * (lifts[code] - share_of_others(t.n, code) @ lifts), joint_names(t, self.edges)
        return strongest(
            brought, k, lambda i: (0, f"{names[i]}: together {lift_in_words(np.exp(lifts[code, i]))} as often")
        )

    def lifts(self, t: JointCounts) -> JointLifts:
        """Return how often values come together, each column in its order: of numbers, or of words."""
        orders = [axis_order(axis) for axis in t.axes]
        words = [axis_words(axis, cuts) for axis, cuts in zip(t.axes, self.cuts(len(orders)), strict=True)]
        named = tuple(tuple(one[at] for at in order) for one, order in zip(words, orders, strict=True))
        shape = (max(1, int(t.classes)), *t.sizes)
        count, every = (cells.reshape(shape)[np.ix_(range(shape[0]), *orders)] for cells in self._tables(t))
        return JointLifts(named, count, every, self._kappa(t))

    def known(self, t: JointCounts, rows: JointRows, least: int = 1) -> Booleans:
        """Return which rows have a joint value that was learned from so many rows or more."""
        return np.append(t.totals >= max(least, 1), False)[rows.places(t)]

    def rows(self, *columns: Column) -> JointRows:
        """Return columns by their joint values."""
        read = [
            coded(column, cuts, self.missing) for column, cuts in zip(columns, self.cuts(len(columns)), strict=True)
        ]
        return JointRows(tuple(codes for codes, _ in read), tuple(values for _, values in read))

    def cuts(self, columns: int) -> tuple[Cuts, ...]:
        """Return how values of each of so many columns are grouped."""
        return self.edges or (None,) * columns

    def table(self, t: JointCounts, classes: NDArray[Any], level: float) -> dict[str, Any]:
        """Return a line per joint value and class: rows, how many were expected, and bounds of the lift."""
        count, every = self._tables(t)
        low, high = self.intervals(t, level)
        lift = np.exp(self.log_lifts(t))
        names = np.array(joint_names(t, self.edges), object)
        return by_value("value", names, classes, n=count, expected=every, lift=lift, low=low, high=high)

    def prior_in_words(self, t: JointCounts) -> str:
        """Describe the belief about a lift."""
        kappa = self._kappa(t)
        return f"Gamma({kappa:.4g}, {kappa:.4g}) over {int(np.prod(t.sizes)):,} joint values"


@dataclass(frozen=True, eq=False)
class LiftsHeldOut:
    """Lifts of training rows by classes without them, found when they are wanted."""

    likelihood: Joint
    t: JointCounts
    rows: JointRows
    removed: Removal

    def scores(self, feature_weights: Array | None = None) -> Array:
        """Return rows × classes, not tempered."""
        rows, removed = self.rows, self.removed
        scores, codes = self.likelihood.scorer(self.t).scores(rows), rows.among(self.t)
        own = log_lift(*left_of(self.t.table, codes, removed), self.likelihood._kappa(self.t))  # SX-3
        there = rows.present
        scores[removed.row, removed.code] = own if there is None else np.where(there[removed.row], own, 0.0)
        return scores

    def lengths(self) -> Array | None:
        """Return None: rows are no documents."""
        return None
