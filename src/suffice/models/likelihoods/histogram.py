"""Model numeric columns of any shape by bins on a fixed fine grid, chosen by evidence (`empirical.bins`).

score      ln θ_cb,   θ_cb = (N_cb + A·share_b) / (N_c + A)                                            HB-1
evidence   of the bins, and of the density that all classes share; classes have it by their rows       HB-2, HB-3

Bins that were chosen stay fixed where rows are held out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.errors import DataError, NoUniqueMode
from suffice.models.empirical.bins import Bins, chosen_bins, given_bins, log_density, shared_density
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.draws import Draw
from suffice.models.likelihoods.places import Shares
from suffice.models.likelihoods.shared import added
from suffice.models.scoring.cells import Cells, log
from suffice.models.scoring.results import Estimate
from suffice.models.scoring.rows import MatrixRows
from suffice.posterior.special import log_rising
from suffice.stats import ValueCounts
from suffice.stats.grid import BITS, coarser, on_grid
from suffice.stats.inputs import POSITIVE, REAL
from suffice.tables import Column, numbers
from suffice.typing import Array, Integers


def _places(edges: Array, rows: MatrixRows) -> Integers:
    """Return the bin of each row, −1 where the value is missing."""
    place = np.searchsorted(edges, rows.source.matrix[:, 0], side="right")
    return place if rows.present is None else np.where(rows.present, place, -1)


def _share(bins: Bins) -> Array:
    """Return each bin's share of all rows, with empty bins counted as one row."""
    totals = bins.counts.sum(axis=0)
    totals = np.where(totals > 0, totals, 1.0) if totals.any() else np.ones(len(totals))
    return np.asarray(totals / totals.sum())


@dataclass(frozen=True, eq=False, repr=False)
class Histogram(Shares):
    """Model numbers by bins. Counts on a fixed fine grid are kept, and bins are chosen again after every change.

    Parameters
    ----------
    strength : float, default=1.0
        Prior sample size per class, in rows distributed as those of all classes together.
    edges : tuple of float, default=None
        Edges between bins. By default, the evidence chooses them.
    bits : int, default=12
        Resolution of the grid: significant bits kept of each number, after the first. 12 bits distinguish whole numbers
        below 8,192. Models fitted apart and then merged may have fewer.

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
    estimate: Estimate = field(default="mean", repr=False)
    chosen: Bins | None = field(default=None, repr=False, compare=False)  # bins of the statistic, once settled

    word = "histogram"
    statistic = ValueCounts
    storages = frozenset({"bool", "integer", "real"})

    def __post_init__(self) -> None:
        POSITIVE.read(self.strength, "strength")
        bits: Any = self.bits
        if type(bits) is not int or not 0 <= bits <= BITS:
            raise DataError("Histogram.bits", f"be a whole number from 0 to {BITS}", got=self.bits)
        if self.edges is not None:
            edges = REAL.read(np.array(self.edges, np.float64), "edges")
            if edges.ndim != 1 or (np.diff(edges) <= 0).any():
                raise DataError("Histogram.edges", "rise strictly").but(f"got {self.edges}")
            object.__setattr__(self, "edges", tuple(edges.tolist()))

    def settled(self, t: ValueCounts) -> Histogram:
        """Return the likelihood with the given bins or those of highest evidence; raise NoUniqueMode for "map"."""
        if self.estimate == "map":
            raise NoUniqueMode(
                "The estimate 'map' needs a unique mode, which a histogram's prior of less than one row per bin "
                "does not have."
            ).advise(python="Use estimate='mean' or 'predictive'.")
        given = None if self.edges is None else np.array(self.edges)
        return self.with_bins(chosen_bins(t, self.strength) if given is None else given_bins(t, given))

    def with_bins(self, bins: Bins) -> Histogram:
        """Return the likelihood with the given bins."""
        found = object.__new__(Histogram)
        found.__dict__.update({**vars(self), "chosen": bins})
        return found

    def with_counts_of(self, t: ValueCounts) -> Histogram:
        """Return the likelihood with its bins, and the counts of another statistic in them."""
        return self.with_bins(given_bins(t, self.bins(t).edges))

    @property
    def learns_from_labels(self) -> bool:
        """Return whether classes share bins that their labels determine."""
        return self.edges is None

    def settled_like(self, other: Likelihood) -> Histogram | None:
        """Return the likelihood with the bins of another that would choose the same; None if it would not."""
        if not isinstance(other, Histogram) or other.chosen is None or self.estimate == "map":
            return None
        same = (self.strength, self.edges, self.bits) == (other.strength, other.edges, other.bits)
        return self.with_bins(other.chosen) if same else None

    def bins(self, t: ValueCounts) -> Bins:
        """Return the bins, with the number of rows of each class."""
        return self.chosen if self.chosen is not None else self.settled(t).bins(t)

    def tables(self, t: ValueCounts) -> list[tuple[Array, Array]]:
        """Return counts, classes × bins, and pseudo-counts."""
        bins = self.bins(t)
        return [(bins.counts, np.asarray(self.strength * _share(bins)))]

    def names(self, t: ValueCounts) -> list[str]:
        """Return the bins in words."""
        return self.bins(t).names()

    def places(self, t: ValueCounts, rows: MatrixRows) -> Integers:
        """Return the bin of each row, −1 where the value is missing."""
        return _places(self.bins(t).edges, rows)

    def log_theta(self, t: ValueCounts) -> list[Array]:
        """Return ln θ, classes × bins; a class with neither rows nor a prior has the shares of all classes together."""
        ((counts, alpha),) = self.tables(t)
        amounts = counts + added(alpha, self.estimate)
        total = amounts.sum(axis=1, keepdims=True)
        return [log(np.where(total > 0, amounts / np.where(total > 0, total, 1.0), _share(self.bins(t))))]  # HB-1

    def sample(self, t: ValueCounts, draw: Draw) -> Array:
        """Return drawn values: first a bin, then a value in it, in proportion to its count over all classes."""
        return self.bins(t).drawn(t, self.drawn_places(t, draw), draw.rng)

    def log_base(self, t: ValueCounts, rows: Any) -> Array:
        """Return ln p of each value under the density of all classes together."""
        return shared_density(t, self.strength).log(rows.source.matrix[:, 0])

    def log_evidence(self, t: ValueCounts) -> Cells:
        """Return the log evidence of each class, classes × 1; a shared part is split in proportion to rows."""
        n = t.n
        if len(t.values) < 2:  # a single value has no density
            return Cells(np.zeros((len(n), 1)))
        bins = self.bins(t)
        share = _share(bins)
        own = log_rising(self.strength * share, bins.counts) - bins.counts * np.log(share)
        each = own.sum(axis=1) - log_rising(self.strength, n)  # HB-2
        cuts = bins.log_evidence - float(each.sum()) if self.edges is None else 0.0
        return Cells((each + n / n.sum() * (log_density(t) + cuts))[:, None])  # HB-3

    def log_measure(self, t: ValueCounts, rows: MatrixRows) -> Array | float:
        """Return −ln of the share of each row's bin, which makes scores densities relative to that of all rows."""
        bins = self.bins(t)
        return -np.append(np.log(_share(bins)), 0.0)[_places(bins.edges, rows)]

    def rows(self, column: Column) -> MatrixRows:
        """Return a column as numbers on the grid."""
        values = on_grid(numbers(column), self.bits)
        return MatrixRows.of_column(values, column.name, None if column.missing is None else ~column.missing)

    def reading(self, t: ValueCounts, column: Column) -> str:
        """Return the bin of a value; '' if there is only one bin."""
        bins = self.bins(t)
        name = bins.names()[int(_places(bins.edges, self.rows(column))[0])]
        return "" if name == "any" else name

    def measured(self, t: ValueCounts) -> str:
        """Return the kind of quantity that the evidence refers to."""
        return "densities of numbers"

    def prior_in_words(self, t: ValueCounts) -> str:
        """Return the strength of the prior and the number of bins in words."""
        bins = self.bins(t).counts.shape[1]
        return f"Dirichlet({self.strength:g} in total) over {bins} bin{'s' * (bins != 1)}"

    def grid_bits(self, t: ValueCounts) -> int | None:
        """Return the resolution of the grid, in bits."""
        return self.bits

    def served(self, block: Any) -> ValueCounts | None:
        """Return counts on this grid, where another block of the column keeps counts that are at least as fine."""
        t = block.statistic
        if block.likelihood == self:
            return super().served(block)  # type: ignore[no-any-return]
        bits = block.likelihood.grid_bits(t) if isinstance(t, ValueCounts) else None
        if bits is not None:
            return coarser(t, self.bits) if self.bits <= bits else None
        kept = getattr(block, "numbers", None)
        return None if kept is None else kept.on(self.bits)
