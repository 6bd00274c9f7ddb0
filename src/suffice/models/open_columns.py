"""Keep enough of a column whose likelihood was chosen, not declared, for every likelihood it may get.

A chosen likelihood is a view. Besides its statistic, such a numeric column keeps moments (for a normal), sums (for
event counts), and counts on a grid (for bins and categories). So models fitted apart can be added, whatever each has
chosen. The grid is as fine as a limit on its cells allows. Grids of fewer bits nest in finer ones, so the grid of a sum
is that of all rows, in any order.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from suffice.errors import DataError, InputError, SubtractionError
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.categorical import Categorical
from suffice.models.likelihoods.gaussian import LARGEST, Gaussian
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.likelihoods.silent import Drop, Unknown
from suffice.models.likelihoods.text_column import Text
from suffice.models.model import Block, Name
from suffice.models.scoring.rows import Labels
from suffice.stats import ClassCounts, DiagonalMoments, PoissonSums, ValueCounts
from suffice.stats.grid import BITS, coarser, counted_on_grid, distinct, on_grid
from suffice.stats.inputs import EXACT, WHOLE
from suffice.tables import Column, numbers
from suffice.typing import Array, Integers

CELLS = 1024
"""Largest number of counts, by value and class, kept besides the statistic of the column's own likelihood."""

VALUES_AT_ONCE = 2**14

PARTS = ("moments", "sums", "grid", "bits", "exact")


@dataclass(frozen=True, eq=False)
class Numbers:
    """Hold moments, sums and a grid of one column, each None if it cannot exist or no longer does."""

    moments: DiagonalMoments | None
    sums: PoissonSums | None
    grid: ValueCounts | None
    bits: int = BITS  # of the grid
    exact: bool = True  # whether all numbers are whole and distinct on the finest grid

    @classmethod
    def of(cls, column: Column, labels: Labels, known: tuple[Any, ...] = (), bits: int = BITS) -> Numbers:
        """Return the numbers of a column, on a grid of at most `bits` bits; `known` statistics are reused."""
        values = numbers(column)
        if column.missing is not None:
            values, labels = values[~column.missing], labels.take(~column.missing)
        values = values.astype(np.float64, copy=False)
        rows: dict[str, Any] = {"labels": labels.y, "weights": labels.weights, "n_classes": labels.n_classes}
        grid = next((t for t in known if type(t) is ValueCounts), None) if bits == BITS else None
        if grid is None:
            grid = _on_grid(values, labels, bits)
        exact = _whole(values) and _all(values, lambda part: on_grid(part) == part)
        return cls(**_sums(values, rows, known), grid=grid, bits=bits, exact=exact)._bounded()

    @property
    def parts(self) -> dict[str, Any]:
        """Return all parts by name, for a file."""
        return {name: getattr(self, name) for name in PARTS}

    @classmethod
    def of_parts(cls, parts: Any) -> Numbers:
        """Return the numbers read from a file; raise DataError if the parts are wrong."""
        if not isinstance(parts, dict) or list(parts) != list(PARTS):
            raise DataError("The statistics of a column", f"be {list(PARTS)}").but(f"got {str(parts)[:80]}")
        return cls(**parts)

    def _bounded(self) -> Numbers:
        grid, bits = self.grid, self.bits
        while grid is not None and len(grid.count) > CELLS and bits > 0:
            bits = max(0, bits - int(np.ceil(np.log2(len(grid.count) / CELLS))))  # dropping a bit keeps at least half
            grid = coarser(grid, bits)
        return replace(self, grid=grid, bits=bits)

    def on(self, bits: int) -> ValueCounts | None:
        """Return counts on a grid of `bits` bits; None if only coarser ones are kept."""
        if self.grid is None or bits > self.bits:
            return None
        return self.grid if bits == self.bits else coarser(self.grid, bits)

    def __add__(self, other: Numbers) -> Numbers:
        return self._with(other, operator.add)

    def __sub__(self, other: Numbers) -> Numbers:
        return self._with(other, operator.sub)

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
        """Return the same rows with other classes: class c becomes `place[c]`; −1 drops it."""
        return self._each(lambda part: part.with_classes(place, n_classes))

    def scaled(self, factor: float) -> Numbers:
        """Return the numbers as if every row weighed `factor` times as much."""
        return self._each(lambda part: part.scaled(factor))

    def without_trace(self) -> Numbers:
        """Return the numbers without traces of removed rows; an exact grid recomputes the rest."""
        grid = self.grid
        if grid is None or not self.exact or self.bits < BITS:
            return self._each(lambda part: part.without_trace())
        rows = {"labels": grid.line, "weights": grid.count, "n_classes": int(grid.classes)}
        return replace(self, **_sums(grid.values[grid.place], rows))

    def check(self, name: Any, n_classes: int) -> None:
        """Raise DataError unless the parts are counts of one column in `n_classes` classes."""
        kinds: dict[str, Any] = {"moments": DiagonalMoments, "sums": PoissonSums, "grid": ValueCounts}
        for part, kind in kinds.items():
            t = getattr(self, part)
            if t is not None and (type(t) is not kind or t.shape not in ((n_classes,), (n_classes, 1))):
                raise DataError(f"The statistic of column {name!r}", f"be a {kind.__name__} of {n_classes} classes")
        given: dict[str, Any] = self.parts
        if type(given["exact"]) is not bool or type(given["bits"]) is not int or not 0 <= self.bits <= BITS:
            raise DataError(f"The grid of column {name!r}", f"have 0 to {BITS} bits", got=self.bits)


@dataclass(frozen=True)
class Chosen:
    """Hold a column's likelihood that other rows chose, as opposed to a declared one."""

    of: Likelihood


@dataclass(frozen=True, eq=False)
class OpenBlock(Block):
    """Model a table column. Blocks with different likelihoods can be added if either likelihood fits what both keep."""

    numbers: Numbers | None = None  # of a numeric column whose likelihood was chosen

    @classmethod
    def of_column(cls, likelihood: Likelihood, column: Column, labels: Labels) -> OpenBlock:
        """Return the block that counts a column's rows with a value."""
        return cls(likelihood, Block.of(likelihood, likelihood.rows(column), labels).statistic)

    @classmethod
    def silent(cls, likelihood: Likelihood, n_classes: int) -> OpenBlock:
        """Return the block of a column that is not counted."""
        return cls(likelihood, ClassCounts(np.zeros(n_classes)))

    @classmethod
    def unknown(cls, n_classes: int) -> OpenBlock:
        """Return the block of a column without a value so far."""
        return cls.silent(Unknown(), n_classes)

    @property
    def grid_bits(self) -> int | None:
        """Return the bits of the finest grid that numbers are counted on; None if there is none."""
        if isinstance(self.statistic, ValueCounts):
            family: Any = self.likelihood  # counts values, and knows the grid's bits
            bits: int | None = family.grid_bits(self.statistic)
            return bits
        return None if self.numbers is None or self.numbers.grid is None else self.numbers.bits

    def with_statistic(self, change: Callable[[Any], Any]) -> Self:
        """Return the block with all its counts changed."""
        kept = None if self.numbers is None else change(self.numbers)
        return replace(self, statistic=change(self.statistic), numbers=kept)

    def with_numbers(self, numbers: Numbers) -> OpenBlock:
        """Return the block with the given numbers, keeping a settled likelihood."""
        block = replace(self, numbers=numbers)
        if "settled" in vars(self):
            block.__dict__["settled"] = self.settled
        return block

    def combined(self, other: Block, how: Callable[[Any, Any], Any], name: Name) -> Block:
        """Return the block of both, added or subtracted; a block without evidence yields to the other."""
        assert isinstance(other, OpenBlock)
        if how is operator.sub:
            return self._without(other, name)
        if other.likelihood.silent and not isinstance(self.likelihood, Unknown):
            return self
        if self.likelihood.silent:
            return other
        numbers = None if self.numbers is None or other.numbers is None else self.numbers + other.numbers
        if self.likelihood == other.likelihood:
            return replace(self, statistic=self._with(other.statistic, how, name), numbers=numbers)
        common = _common(self, other)
        if common is None:
            raise _different(name, self.likelihood, other.likelihood)
        return OpenBlock(*common, numbers)

    def _with(self, statistic: Any, how: Callable[[Any, Any], Any], name: Name) -> Any:
        """Return both statistics added or subtracted; errors name the column."""
        try:
            return how(self.statistic, statistic)
        except DataError as error:
            raise DataError(f"Column {name!r} cannot be counted as {self.likelihood.word}: {error}") from error

    def _without(self, other: OpenBlock, name: Name) -> OpenBlock:
        """Return the block without the rows of another; without any rows left, it is unknown again."""
        if self.likelihood.silent or other.likelihood.silent:
            return self
        removed = self.likelihood.served(other)
        if removed is None:
            raise _different(name, self.likelihood, other.likelihood)
        rest = self._with(removed, operator.sub, name)
        if not np.any(rest.n):
            return OpenBlock.unknown(len(rest.n))
        numbers = None if self.numbers is None or other.numbers is None else self.numbers - other.numbers
        return replace(self, statistic=rest, numbers=numbers)


def read_as(likelihood: Likelihood, t: Any) -> Literal["number", "word"] | None:
    """Return how to read fields of a file so that they match what was counted; None if it does not matter."""
    if isinstance(likelihood, Drop):
        return None
    if isinstance(likelihood, Categorical) and len(t.values) and t.values.dtype.kind != "O":
        return "number"
    return "word" if "string" in likelihood.storages else "number"


def _common(a: OpenBlock, b: OpenBlock) -> tuple[Likelihood, Any] | None:
    """Return a likelihood that fits both blocks, preferably the larger one's, with the statistic of both."""
    bits = [block.grid_bits for block in (a, b)]
    shared = None if bits[0] is None or bits[1] is None else Histogram(bits=min(bits[0], bits[1]))
    wanted = [_on_shared_grid(block.likelihood, shared) for block in (a, b)]
    larger_first = wanted if np.sum(a.statistic.n) >= np.sum(b.statistic.n) else wanted[::-1]
    for likelihood in (*larger_first, shared, Gaussian(), Text()):
        served = (None, None) if likelihood is None else (likelihood.served(a), likelihood.served(b))
        if likelihood is not None and served[0] is not None and served[1] is not None:
            return likelihood, served[0] + served[1]
    return None


def _on_shared_grid(likelihood: Likelihood, shared: Histogram | None) -> Likelihood | None:
    """Return the shared grid's likelihood in place of one on a grid, and any other unchanged."""
    return shared if hasattr(likelihood, "bits") else likelihood


def _different(name: Name, mine: Likelihood, theirs: Likelihood) -> InputError:
    return InputError(
        f"Column {name!r} is {mine!r} in one model and {theirs!r} in the other, and their statistics fit "
        f"neither; declare one for both: columns={{{name!r}: {mine.word!r}}}."
    )


def _on_grid(values: Array, labels: Labels, bits: int) -> ValueCounts:
    """Return counts of numbers on a grid of `bits` bits."""
    found = None if labels.weights is not None else counted_on_grid(values, bits, labels.y, labels.n_classes)
    if found is None:
        cells, place = distinct(on_grid(values, bits))
        return ValueCounts.of_codes(place, cells, labels.y, labels.weights, n_classes=labels.n_classes)
    numbers, line, count = found
    cells, place = np.unique(numbers, return_inverse=True)
    return ValueCounts.of_codes(place, cells, line, count, n_classes=labels.n_classes)


def _sums(values: Array, rows: dict[str, Any], known: tuple[Any, ...] = ()) -> dict[str, Any]:
    """Return moments if the numbers can be squared, and sums if they can be counts; None otherwise."""
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
    """Return whether a condition holds for all values, tested in chunks to stop early."""
    return all(bool(holds(values[at : at + VALUES_AT_ONCE]).all()) for at in range(0, len(values), VALUES_AT_ONCE))


def _made(make: Callable[[], Any]) -> Any:
    """Return a statistic; None where numbers are too large for it, or it lacks the rows to remove."""
    try:
        return make()
    except (DataError, SubtractionError):
        return None
