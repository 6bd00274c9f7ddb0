"""Model columns jointly: how much more often values occur together in a class than each alone suggests.

score      ℓ_c(v) = ln (n_c(v) + κ) / (E_c(v) + κ)                                                      JC-2
expected   pair: E_c(ab) = n_c(a) n_c(b) / n_c                                                          JC-1
           triple: E_c(abd) = n_c(ab) n_c(ad) n_c(bd) n_c / (n_c(a) n_c(b) n_c(d)), at most each pair's count
evidence   of a pair's lifts, against columns that act alone:           the sum over cells of              JC-3
           ln κ(κ+1)…(κ+n−1) − n ln κ − (κ + n) ln(1 + E/κ) + E
held out   the same without the removed rows in all of these counts                                     SX-3

This is a term added to what the columns say alone, not a density: evidence and EM leave it out (JC-7).
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
from suffice.models.scoring.grouping import Cuts, binned, grouped, pools, with_missing
from suffice.models.scoring.joint_rows import JointRows, axis_order, axis_words, joint_names
from suffice.models.scoring.lifts import left_of, log_evidence_of_lift, log_lift, with_expected
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Contributions, Estimate, HeldOut, Scorer, TopFeature, lift_in_words
from suffice.models.scoring.rows import Labels
from suffice.posterior import Gamma
from suffice.stats.inputs import POSITIVE
from suffice.stats.value_counts import JointCounts, in_words
from suffice.tables import Column, numbers, refuse
from suffice.typing import Array, Integers

CELLS = 2**22
"""Largest size of the table that rows are scored by: classes × joint values."""

UNSEEN = "never seen together"


def coded(column: Column, cuts: Cuts, missing: bool = False) -> tuple[Integers, NDArray[Any]]:
    """Return a code for each row of a column, and the words that codes stand for.

    A missing value has the code −1, unless it is modelled as a value.
    """
    if cuts is None or pools(cuts):
        codes, labels = categories(column)
        place, words = grouped(codes, in_words(labels), cuts)
    else:
        if column.storage in ("string", "category", "date") and column.present.any():
            refuse(column, "numbers", "was learned as")
        place, words = binned(numbers(column), cuts)
        place = place if column.missing is None else np.where(column.missing, -1, place)
    return with_missing(place, words) if missing else (place, words)


def check_sizes(sizes: list[int], labels: Labels) -> None:
    """Raise DataError if columns of the given sizes have too many joint values."""
    if labels.n_classes * float(np.prod(sizes)) > CELLS:
        shown = " × ".join(f"{size:,}" for size in sizes)
        raise DataError("Columns that act together", f"have at most {CELLS // labels.n_classes:,} joint values").but(
            f"got {shown}", "Leave out the column with the most values, or group its rare values."
        )


@dataclass(frozen=True, eq=False, repr=False)
class Joint(Likelihood):
    """Model two or three columns jointly: the evidence of their joint value beyond what each says alone.

    Parameters
    ----------
    kappa : float or None, default=1.0
        Prior weight, in rows, of the assumption that columns act alone. None chooses the κ that maximizes the evidence
        of a pair, up to 10. For three columns, expected counts define no probability model, and None means 1.
    edges : tuple, default=()
        For each column, the upper ends of bins, or the categories that are not pooled; None for a column of categories
        that all stand for themselves.
    gain : float, default=None
        Reduction of log loss per held-out row, if training rows chose the columns; None if the user declared them.
    missing : bool, default=False
        Whether to model a missing value as a value. If not, rows that lack one of the columns do not count.
    """

    kappa: float | None = 1.0
    edges: tuple[Cuts, ...] = ()
    gain: float | None = None
    missing: bool = False
    estimate: Estimate = field(default="mean", repr=False)  # has no effect: lifts use their posterior mean

    word = "joint"
    statistic = JointCounts
    correction: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.kappa is not None:
            POSITIVE.read(self.kappa, "kappa")

    def count(self, rows: JointRows, labels: Labels) -> JointCounts:
        """Return counts of joint values by class."""
        check_sizes([len(values) for values in rows.values], labels)
        return rows.count(JointCounts, labels)

    def settled(self, t: JointCounts) -> Joint:
        """Return the likelihood with a definite κ."""
        return self if self.kappa is not None else replace(self, kappa=self._kappa(t))

    def _kappa(self, t: JointCounts) -> float:
        """Return κ as given, or the one that maximizes the evidence."""
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
        """Return the log Bayes factor of each class's joint counts, for columns that act jointly against alone."""
        if len(t.sizes) == 3:
            raise KindError("Three columns have no evidence of acting together: their expected counts define no model.")
        return np.asarray(log_evidence_of_lift(*self._tables(t), self._kappa(t)).sum(axis=1))

    def scorer(self, t: JointCounts) -> Scorer:
        """Return the scorer of rows; joint values with an unknown value score 0."""
        return PlaceScores.of(self.log_lifts(t), lambda rows: rows.places(t))

    def held_out(self, t: JointCounts, rows: JointRows, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, each without the row or its group."""
        return LiftsHeldOut(self, t, rows, removed)

    def contributions(self, t: JointCounts, rows: JointRows, weights: Array | None = None) -> Contributions:
        """Return the contribution of the row's joint value beyond those of its single values."""
        place = int(rows.places(t)[0])
        if place < 0:
            return Contributions([0], [UNSEEN], np.zeros((1, int(t.classes))))
        count, every = (table[:, place] for table in self._tables(t))
        kappa = self._kappa(t)
        belief = (digamma(count + kappa) - np.log(every + kappa))[None], trigamma(count + kappa)[None]
        logs = log_lift(count, every, kappa)
        return Contributions([0], [joint_names(t, self.edges)[place]], logs[None], belief, lifts={0: np.exp(logs)})

    def posterior(self, t: JointCounts, features: Integers | None = None) -> Gamma:
        """Return the posterior of each lift, classes × joint values."""
        (count, every), kappa = self._tables(t), self._kappa(t)
        which = slice(None) if features is None else features
        return Gamma(count[:, which] + kappa, every[:, which] + kappa)

    def belief(self, t: JointCounts, weights: Array | None = None) -> LiftBelief:
        """Return the posterior distribution of scores."""
        (count, every), kappa = self._tables(t), self._kappa(t)
        return LiftBelief(t, count + kappa, every + kappa)

    def top_features(
        self, t: JointCounts, n: Array, code: int, k: int, weights: Array | None = None
    ) -> list[TopFeature]:
        """Return the joint values with the most evidence for the class."""
        lifts, table = self.log_lifts(t), t.table.reshape(int(t.classes), -1)
        share = table[code] / max(float(table[code].sum()), 1e-300)
        brought, names = share * (lifts[code] - share_of_others(t.n, code) @ lifts), joint_names(t, self.edges)
        return strongest(
            brought, k, lambda i: (0, f"{names[i]}: jointly {lift_in_words(np.exp(lifts[code, i]))} as frequent")
        )

    def lifts(self, t: JointCounts) -> JointLifts:
        """Return how often values occur jointly, with numbers in order of size and words by name."""
        orders = [axis_order(axis) for axis in t.axes]
        words = [axis_words(axis, cuts) for axis, cuts in zip(t.axes, self.cuts(len(orders)), strict=True)]
        named = tuple(tuple(one[at] for at in order) for one, order in zip(words, orders, strict=True))
        shape = (max(1, int(t.classes)), *t.sizes)
        count, every = (cells.reshape(shape)[np.ix_(range(shape[0]), *orders)] for cells in self._tables(t))
        return JointLifts(named, count, every, self._kappa(t))

    def rows(self, *columns: Column) -> JointRows:
        """Return columns as rows of joint values."""
        read = [
            coded(column, cuts, self.missing) for column, cuts in zip(columns, self.cuts(len(columns)), strict=True)
        ]
        return JointRows(tuple(codes for codes, _ in read), tuple(values for _, values in read))

    def cuts(self, columns: int) -> tuple[Cuts, ...]:
        """Return how the values of each of `columns` columns are grouped."""
        return self.edges or (None,) * columns

    def table(self, t: JointCounts, classes: NDArray[Any], level: float) -> dict[str, Any]:
        """Return counts, expected counts and lifts with their bounds, one line per joint value and class."""
        count, every = self._tables(t)
        low, high = self.posterior(t).interval(level)
        lift = np.exp(self.log_lifts(t))
        names = np.array(joint_names(t, self.edges), object)
        return by_value("value", names, classes, n=count, expected=every, lift=lift, low=low, high=high)

    def prior_in_words(self, t: JointCounts) -> str:
        """Return the prior of a lift in words."""
        kappa = self._kappa(t)
        return f"Gamma({kappa:.4g}, {kappa:.4g}) over {int(np.prod(t.sizes)):,} joint values"


@dataclass(frozen=True, eq=False)
class LiftsHeldOut:
    """Compute lifts of training rows by classes without them, on demand."""

    likelihood: Joint
    t: JointCounts
    rows: JointRows
    removed: Removal

    def scores(self, feature_weights: Array | None = None) -> Array:
        """Return untempered scores, rows × classes; `feature_weights` has no effect."""
        rows, removed = self.rows, self.removed
        scores, codes = self.likelihood.scorer(self.t).scores(rows), rows.among(self.t)
        own = log_lift(*left_of(self.t.table, codes, removed), self.likelihood._kappa(self.t))  # SX-3
        there = rows.present
        scores[removed.row, removed.code] = own if there is None else np.where(there[removed.row], own, 0.0)
        return scores

    def lengths(self) -> Array | None:
        """Return None, since rows are not documents."""
        return None
