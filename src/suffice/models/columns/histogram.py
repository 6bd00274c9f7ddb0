"""Columns of numbers that are not bell-shaped: bins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, NoUniqueMode
from suffice.models.empirical.bins import Bins, chosen_bins, given_bins, log_density
from suffice.models.columns.base import ColumnModel, Lookup, Told, by_value, numbers, shares, without
from suffice.models.columns.real import NUMBERS
from suffice.models.events import Estimate
from suffice.models.logs import log
from suffice.models.removal import Removal
from suffice.stats import ValueCounts
from suffice.stats.grid import BITS, distinct, on_grid
from suffice.stats.inputs import POSITIVE, REAL
from suffice.tables import Column
from suffice.typing import Array, Integers

__all__ = ["Histogram"]


@dataclass(frozen=True, repr=False)
class Histogram(ColumnModel):
    """Numbers in bins. What is kept are counts on a fixed fine grid; the bins are chosen anew after every change.

    Parameters
    ----------
    strength : float, default=1.0
        Rows that the prior is worth in each class; they lie as those of all classes together do.
    edges : tuple of float, default=None
        Where bins end, instead of where the evidence puts it.
    bits : int, default=12
        How fine the grid is: bits of each number that are kept, after the first. 12 tell whole numbers below 8,192
        apart; models that were fitted apart, and merged, may have fewer.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"age": sf.columns.Histogram(edges=(18, 65))}, temper=None)
    >>> model.fit({"age": [10, 12, 30, 40, 70]}, ["no", "no", "yes", "yes", "no"]).predict({"age": [11, 35, 80]})
    array(['no', 'yes', 'no'], dtype='<U3')
    """

    strength: float = 1.0
    edges: tuple[float, ...] | None = None
    bits: int = BITS

    word = "histogram"
    statistic = ValueCounts
    storages = NUMBERS

    def __post_init__(self) -> None:
        POSITIVE.read(self.strength, "strength")
        bits: Any = self.bits
        if type(bits) is not int or not 0 <= bits <= BITS:
            raise DataError(
                f"The argument 'bits' of Histogram must be a whole number from 0 to {BITS}; got {self.bits!r}."
            )
        if self.edges is not None:
            edges = REAL.read(np.array(self.edges, np.float64), "edges")
            if edges.ndim != 1 or (np.diff(edges) <= 0).any():
                raise DataError(f"The argument 'edges' of Histogram must rise; got {self.edges}.")
            object.__setattr__(self, "edges", tuple(edges.tolist()))

    def count(self, column: Column, codes: Integers, weights: Array | None, n_classes: int) -> ValueCounts:
        """Counts on the grid."""
        values, place = distinct(on_grid(numbers(column), self.bits))
        if column.missing is not None:
            place = np.where(column.missing, -1, place)
        return ValueCounts.of_codes(place, values, codes, weights, n_classes=n_classes)

    def scorer(self, t: ValueCounts, estimate: Estimate, strict: bool) -> Lookup:
        """ln θ of each bin."""
        bins = self.bins(t)
        return Lookup.of(self._log_theta(bins, estimate), partial(_places, bins, self.bits), bins.names())

    def leave_out(self, t: ValueCounts, column: Column, removal: Removal, estimate: Estimate) -> Array:
        """ln θ of each row's bin."""
        bins = self.bins(t)
        strength = 0.0 if estimate == "mle" else self.strength
        return without(bins.counts, strength * _share(bins), _places(bins, self.bits, column), removal)

    def table(self, t: ValueCounts, classes: NDArray[Any], level: float) -> Told:
        """A line per bin and class."""
        bins = self.bins(t)
        alpha = bins.counts + self.strength * _share(bins)
        return by_value("value", np.array(bins.names(), dtype=object), classes, n=bins.counts, **shares(alpha, level))

    def prior_in_words(self, t: ValueCounts) -> str:
        """Strength and bins."""
        bins = self.bins(t).counts.shape[1]
        return f"Dirichlet({self.strength:g} in all) over {bins} bin{'s' * (bins != 1)}"

    def log_evidence(self, t: ValueCounts) -> float:
        """ln p of the numbers, all classes together, as a density."""
        return log_density(t) + self.bins(t).log_evidence

    def bins(self, t: ValueCounts) -> Bins:
        """Those of highest evidence, or as given."""
        return chosen_bins(t, self.strength) if self.edges is None else given_bins(t, np.array(self.edges))

    def _log_theta(self, bins: Bins, estimate: Estimate) -> Array:
        """Classes × bins; in a class without rows, and no prior, all that can be said is what holds for all."""
        share = _share(bins)
        if estimate == "map":
            raise NoUniqueMode(
                "The estimate 'map' needs a unique mode, which a histogram's prior of less than one row per bin does "
                "not have. Use estimate='mean' or 'predictive'."
            )
        strength = 0.0 if estimate == "mle" else self.strength
        n = bins.counts.sum(axis=1, keepdims=True)
        theta = (bins.counts + strength * share) / np.where(n + strength > 0, n + strength, 1.0)  # HB-1
        return log(np.where(n + strength > 0, theta, share))


def _places(bins: Bins, bits: int, column: Column) -> Integers:
    place = bins.place(on_grid(numbers(column), bits))
    return place if column.missing is None else np.where(column.missing, -1, place)


def _share(bins: Bins) -> Array:
    """Each bin's part of all rows; without rows, and in bins without, as if each had one."""
    totals = bins.counts.sum(axis=0)
    totals = np.where(totals > 0, totals, 1.0) if totals.any() else np.ones(len(totals))
    return np.asarray(totals / totals.sum())
