"""Columns of numbers whose model was chosen, not declared: what is kept of them serves every model they may get.

A model that was chosen is a view. Besides its own statistic such a column has moments (for a normal), sums (for counts
of events), and counts on a grid (for bins and categories), so that models fitted apart can be added whatever each has
chosen. The grid is as fine as leaves it few cells: grids of fewer bits lie within finer ones, so the grid of a sum is
that of all rows, in whatever order they come.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from suffice.errors import DataError, SubtractionError
from suffice.models.columns.base import ColumnModel, present
from suffice.models.columns.categories import Bernoulli, Categorical
from suffice.models.columns.histogram import Histogram
from suffice.models.columns.real import LARGEST, Gaussian, Poisson
from suffice.models.columns.words import Text
from suffice.stats import BinaryCounts, DiagonalMoments, PoissonSums, ValueCounts
from suffice.stats.grid import BITS, coarser, distinct, on_grid
from suffice.stats.inputs import EXACT, WHOLE
from suffice.tables import Column
from suffice.typing import Array, Integers

__all__ = ["Chosen", "Kept", "Numbers", "common", "served"]

CELLS = 1024
"""Counts of a value in a class that are kept at most, beside the statistic of the column's own model."""


BLOCK = 2**14

PARTS = ("moments", "sums", "grid", "bits", "exact")


@dataclass(frozen=True, eq=False)
class Numbers:
    """Moments, sums and a grid of one column; None where there can be none, or no longer."""

    moments: DiagonalMoments | None
    sums: PoissonSums | None
    grid: ValueCounts | None
    bits: int = BITS  # of the grid
    exact: bool = True  # whether the finest grid tells all numbers apart, which are whole

    @classmethod
    def of(
        cls,
        column: Column,
        codes: Integers,
        weights: Array | None,
        n_classes: int,
        known: tuple[Any, ...] = (),
        bits: int = BITS,
    ) -> Numbers:
        """Count a column, on a grid of so many bits or fewer; statistics of it that are known need no counting."""
        values, codes, weights = present(column, codes, weights)
        values = values.astype(np.float64, copy=False)
        rows: dict[str, Any] = {"labels": codes, "weights": weights, "n_classes": n_classes}
        grid = next((t for t in known if type(t) is ValueCounts), None) if bits == BITS else None
        if grid is None:
            cells, place = distinct(on_grid(values, bits))
            grid = ValueCounts.of_codes(place, cells, **rows)
        exact = _whole(values) and _all(values, lambda part: on_grid(part) == part)
        return cls(**_sums(values, rows, known), grid=grid, bits=bits, exact=exact)._bounded()

    @property
    def parts(self) -> dict[str, Any]:
        """All of it by name, for a file."""
        return {name: getattr(self, name) for name in PARTS}

    @classmethod
    def of_parts(cls, parts: Any) -> Numbers:
        """From what a file has."""
        if not isinstance(parts, dict) or list(parts) != list(PARTS):
            raise DataError(f"What is kept of a column must be {list(PARTS)}; got {str(parts)[:80]}.")
        return cls(**parts)

    def _bounded(self) -> Numbers:
        grid, bits = self.grid, self.bits
        while grid is not None and len(grid.count) > CELLS and bits > 0:
            bits -= 1
            grid = coarser(grid, bits)
        return replace(self, grid=grid, bits=bits)

    def on(self, bits: int) -> ValueCounts | None:
        """Counts on a grid of so many bits."""
        if self.grid is None or bits > self.bits:
            return None
        return self.grid if bits == self.bits else coarser(self.grid, bits)

    def __add__(self, other: Numbers) -> Numbers:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Numbers) -> Numbers:
        return self._with(other, lambda a, b: a - b)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Numbers) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash((self.moments, self.sums, self.grid, self.bits, self.exact))

    def _with(self, other: Numbers, how: Callable[[Any, Any], Any]) -> Numbers:
        bits = min(self.bits, other.bits)
        grids = self.on(bits), other.on(bits)
        moments, sums, grid = (
            None if a is None or b is None else _made(lambda a=a, b=b: how(a, b))  # type: ignore[misc]
            for a, b in ((self.moments, other.moments), (self.sums, other.sums), grids)
        )
        return Numbers(moments, sums, grid, bits, self.exact and other.exact)._bounded()

    def _each(self, how: Callable[[Any], Any]) -> Numbers:
        moments, sums, grid = (None if part is None else how(part) for part in (self.moments, self.sums, self.grid))
        return replace(self, moments=moments, sums=sums, grid=grid)

    def with_classes(self, place: Integers, n_classes: int) -> Numbers:
        """The same rows among other classes: class c becomes `place[c]`; −1 leaves it out."""
        return self._each(lambda part: part.with_classes(place, n_classes))

    def scaled(self, factor: float) -> Numbers:
        """As if every row had `factor` times its weight."""
        return self._each(lambda part: part.scaled(factor))

    def without_trace(self) -> Numbers:
        """The same, with nothing of rows that were taken away: where the grid tells all numbers, all is made of it."""
        grid = self.grid
        if grid is None or not self.exact or self.bits < BITS:
            return self._each(lambda part: part.without_trace())
        rows = {"labels": grid.line, "weights": grid.count, "n_classes": int(grid.classes)}
        return replace(self, **_sums(grid.values[grid.place], rows))

    def check(self, name: Any, n_classes: int) -> None:
        """Raise DataError unless these can be counts of one column in so many classes."""
        kinds: dict[str, Any] = {"moments": DiagonalMoments, "sums": PoissonSums, "grid": ValueCounts}
        for part, kind in kinds.items():
            t = getattr(self, part)
            if t is not None and (type(t) is not kind or t.shape not in ((n_classes,), (n_classes, 1))):
                raise DataError(f"What is kept of column {name!r} must be a {kind.__name__} of {n_classes} classes.")
        given: dict[str, Any] = self.parts
        if type(given["exact"]) is not bool or type(given["bits"]) is not int or not 0 <= self.bits <= BITS:
            raise DataError(f"The grid of column {name!r} must have 0 to {BITS} bits; got {self.bits!r}.")


@dataclass(frozen=True)
class Chosen:
    """A model of a column that was chosen by other rows than those to be counted, and not declared."""

    of: ColumnModel


@dataclass(frozen=True)
class Kept:
    """One column of a model: how it is modelled, its statistic, and what else is kept of it."""

    model: ColumnModel
    statistic: Any
    numbers: Numbers | None

    @property
    def bits(self) -> int | None:
        """Of the finest grid that it has; None if it has none."""
        if isinstance(self.model, Histogram):
            return self.model.bits
        if isinstance(self.model, Categorical):
            return BITS if self.statistic.values.dtype.kind == "f" else None
        return self.numbers.bits if self.numbers is not None and self.numbers.grid is not None else None


def common(first: Kept, second: Kept) -> ColumnModel | None:
    """The model of a column that was modelled in two ways, the larger part first: its own if both can serve it."""
    bins = [kept.bits for kept in (first, second) if kept.bits is not None]
    shared = Histogram(bits=min(bins)) if len(bins) == 2 else None
    wanted = [shared if isinstance(kept.model, Histogram) else kept.model for kept in (first, second)]
    for model in (*wanted, shared, Gaussian(), Text()):
        if model is not None and served(model, first) is not None and served(model, second) is not None:
            return model
    return None


def served(model: ColumnModel, kept: Kept) -> Any:
    """The statistic that a column has for some model, exactly as if it had been counted for it; None if it has none."""
    if kept.model == model:
        return kept.statistic
    numbers = kept.numbers
    if isinstance(model, Histogram):
        own = kept.statistic if isinstance(kept.model, Histogram | Categorical) else None
        if own is not None and kept.bits is not None and own.values.dtype.kind == "f":
            return coarser(own, model.bits) if model.bits <= kept.bits else None
        return None if numbers is None else numbers.on(model.bits)
    if isinstance(model, Categorical):
        return _values(kept)
    if isinstance(model, Text) and isinstance(kept.model, Categorical) and kept.statistic.values.dtype.kind == "O":
        t = kept.statistic
        words = Column("", "string", pa.array(t.values[t.place].tolist(), pa.large_string()))
        return model.count(words, t.line, t.count, int(t.classes))
    if numbers is None:
        return None
    return numbers.moments if model == Gaussian() else numbers.sums if model == Poisson() else None


def _values(kept: Kept) -> ValueCounts | None:
    """Counts of values, where the grid tells them apart and they are whole; and of flags."""
    if isinstance(kept.model, Bernoulli) and isinstance(kept.statistic, BinaryCounts):
        t = kept.statistic
        counts = np.column_stack([t.zeros, t.ones])
        line, place = np.nonzero(counts)
        return ValueCounts.of_codes(place, np.array([0.0, 1.0]), line, counts[line, place], n_classes=len(counts))
    numbers = kept.numbers
    if numbers is None or not numbers.exact:
        return None
    if isinstance(kept.model, Histogram) and kept.model.bits == BITS:
        return kept.statistic  # type: ignore[no-any-return]
    return numbers.on(BITS)


def _sums(values: Array, rows: dict[str, Any], known: tuple[Any, ...] = ()) -> dict[str, Any]:
    """Moments of numbers that can be squared, and sums of those that can be counts."""
    have: dict[type, Any] = {type(t): t for t in known}
    small = bool(max(values.max(initial=0.0), -values.min(initial=0.0)) <= LARGEST)
    moments = have.get(DiagonalMoments) or (
        _made(lambda: DiagonalMoments.of(values[:, None], **rows)) if small else None
    )
    sums = have.get(PoissonSums)
    if sums is None and _all(values, WHOLE.accepts):
        sums = _made(lambda: PoissonSums.of(values[:, None], **rows))
    return {"moments": moments, "sums": sums}


def _whole(values: Array) -> bool:
    return _all(values, lambda part: (part == np.floor(part)) & (np.abs(part) < EXACT))


def _all(values: Array, holds: Callable[[Any], Any]) -> bool:
    """Whether something holds of all values; most columns of which it does not show it early."""
    return all(bool(holds(values[at : at + BLOCK]).all()) for at in range(0, len(values), BLOCK))


def _made(make: Callable[[], Any]) -> Any:
    """A statistic, or None where numbers are too large for it, or rows go that it does not have."""
    try:
        return make()
    except (DataError, SubtractionError):
        return None
