"""What is known of a table: rows of each class, and for each column its model and its statistic. Adds and subtracts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np

from suffice.errors import DataError, InputError, ShapeError
from suffice.models.columns import Categorical, ColumnModel, ColumnScorer, Drop, Histogram, Unknown
from suffice.models.columns.beliefs import TableBelief, column_belief
from suffice.models.columns.choice import chosen
from suffice.models.columns.evidence import column_evidence
from suffice.models.columns.open import Chosen, Kept, Numbers, common, served
from suffice.models.columns.silent import Silent
from suffice.models.events import Estimate
from suffice.models.logs import raised_to
from suffice.models.removal import removals
from suffice.parallel import in_parallel, thread_count
from suffice.stats import ClassCounts
from suffice.stats.base import has_rows_of
from suffice.stats.words import WordCounts
from suffice.tables import Column, Table, kind_of
from suffice.typing import Array, Integers

__all__ = ["TableModel", "TableScorer"]

WORTH_A_THREAD = 8192

Name = str | int


@dataclass(frozen=True, eq=False)
class TableModel:
    """Models of columns, settled by the first rows that have a value, and what was counted with them."""

    rows: ClassCounts
    columns: Mapping[Name, ColumnModel]
    statistics: Mapping[Name, Any]
    open: Mapping[Name, Numbers] = field(default_factory=dict)  # columns of numbers whose model was chosen

    @classmethod
    def zero(cls, names: list[Name], n_classes: int) -> Self:
        """Nothing seen yet."""
        nothing = ClassCounts(np.zeros(n_classes))
        return cls(nothing, dict.fromkeys(names, Unknown()), dict.fromkeys(names, nothing))

    def check(self, n_classes: int) -> None:
        """Raise DataError or ShapeError unless every column has a model, and the statistic that it counts."""
        named = all(type(name) in (str, int) and isinstance(model, ColumnModel) for name, model in self.columns.items())
        if not named or list(self.columns) != list(self.statistics):
            raise DataError("A table must have columns with names, a model and a statistic each.")
        if type(self.rows) is not ClassCounts or self.rows.shape != (n_classes,):
            raise ShapeError(f"A table must have rows of {n_classes} classes.")
        for name, model in self.columns.items():
            t = self.statistics[name]
            if type(t) is not model.statistic:
                raise DataError(f"Column {name!r} must have {model.statistic.__name__}; got {type(t).__name__}.")
            shape = (t.n_classes,) if isinstance(t, WordCounts) else t.shape
            hashed = isinstance(t, WordCounts) and t.hash_bits  # columns have words by name
            counted = isinstance(t, WordCounts) or has_rows_of(t, n_classes)
            shapes = ((n_classes,),) if type(t) is ClassCounts else ((n_classes,), (n_classes, 1))
            if hashed or not counted or shape not in shapes:
                raise ShapeError(f"Column {name!r} must have counts of {n_classes} classes; got shape {shape}.")
        if set(self.open) - set(self.columns):
            raise DataError("What is kept of columns must be of columns that are there.")
        for name, numbers in self.open.items():
            numbers.check(name, n_classes)

    def emptied(self, n_classes: int) -> TableModel:
        """The same models of columns, without a row."""
        place = np.full(len(self.rows.counts), -1)
        return self.with_classes(place, n_classes)

    def learn(
        self, table: Table, codes: Integers, weights: Array | None, declared: Mapping[Name, ColumnModel | Chosen]
    ) -> TableModel:
        """With the rows of a table added; columns that it lacks are missing in all of them."""
        n = len(self.rows.counts)
        found = in_parallel(lambda name: self._counted(name, table, codes, weights, declared), list(self.columns))
        return _of_parts(
            self.rows + ClassCounts.of_labels(codes, weights, n_classes=n), dict(zip(self.columns, found, strict=True))
        )

    def _counted(
        self,
        name: Name,
        table: Table,
        codes: Integers,
        weights: Array | None,
        declared: Mapping[Name, ColumnModel | Chosen],
    ) -> Kept:
        """A column's model, settled here if it was not yet, and its statistic with these rows."""
        model, before, numbers = self.columns[name], self.statistics[name], self.open.get(name)
        settled, given = not isinstance(model, Unknown), declared.get(name)
        wanted = given.of if isinstance(given, Chosen) else given
        if settled and wanted is not None and wanted != model:
            raise InputError(
                f"Column {name!r} was settled as {model!r} at the first fit; got {wanted!r}, which needs a fit from "
                "the start."
            )
        if not settled and isinstance(wanted, Drop):
            model = wanted
        if isinstance(model, Drop) or name not in table:
            return Kept(model, before, numbers)
        column, n = table[name], len(self.rows.counts)
        if not settled:
            kind = kind_of(column, weights)
            if kind == "nothing" or wanted is None:
                model, counted, grid = chosen(column, kind, codes, weights, n)
                if grid is not None:
                    numbers = Numbers.of(column, codes, weights, n, (grid, counted))
                return Kept(model, counted, numbers)
            model = wanted
        elif column.n_missing == len(column):  # whatever kind of nothing it is
            return Kept(model, before, numbers)
        model.read(column, "was learned as" if settled else "is declared")
        try:
            counted = model.count(column, codes, weights, n)
            if not settled and isinstance(given, Chosen) and column.storage in ("integer", "real"):
                numbers = Numbers.of(column, codes, weights, n)
            elif numbers is not None:
                known = () if isinstance(model, Categorical | Histogram) else (counted,)  # of another grid, or of none
                numbers += Numbers.of(column, codes, weights, n, known, numbers.bits)
            return Kept(model, before + counted if settled else counted, numbers)
        except DataError as error:
            if repr(name) in str(error):
                raise
            raise DataError(f"Column {name!r} cannot be counted as {model.word}: {error}") from error

    def with_classes(self, place: Integers, n_classes: int) -> TableModel:
        """The same rows among other classes: class c becomes `place[c]`; −1 leaves it out."""
        if np.array_equal(place, np.arange(n_classes)):
            return self
        moved, kept = (
            {name: t.with_classes(place, n_classes) for name, t in each.items()}
            for each in (self.statistics, self.open)
        )
        return replace(self, rows=self.rows.with_classes(place, n_classes), statistics=moved, open=kept)

    def scaled(self, factor: float) -> TableModel:
        """As if every row had `factor` times its weight."""
        lighter, kept = ({name: t.scaled(factor) for name, t in each.items()} for each in (self.statistics, self.open))
        return replace(self, rows=self.rows.scaled(factor), statistics=lighter, open=kept)

    def without_trace(self) -> TableModel:
        """The same, with nothing of rows that were taken away."""
        left, kept = ({name: t.without_trace() for name, t in each.items()} for each in (self.statistics, self.open))
        return replace(self, statistics=left, open=kept)

    def __sub__(self, other: TableModel) -> TableModel:
        """The rows of this one without those of another, which has no columns of its own."""
        left = {name: self._kept(name) for name in self.columns}
        nothing = Kept(Unknown(), ClassCounts(np.zeros(len(self.rows.counts))), None)
        for name, mine in left.items():
            its = other._kept(name)
            if isinstance(mine.model, Silent) or isinstance(its.model, Silent):
                continue
            gone = served(mine.model, its)
            if gone is None:
                raise _different(name, mine.model, its.model)
            rest = mine.statistic - gone
            numbers = None if mine.numbers is None or its.numbers is None else mine.numbers - its.numbers
            left[name] = Kept(mine.model, rest, numbers) if np.any(rest.n) else nothing
        return _of_parts(self.rows - other.rows, left)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TableModel):
            return NotImplemented
        return self.rows == other.rows and self.columns == other.columns and self.statistics == other.statistics

    def __hash__(self) -> int:
        return hash((self.rows, *self.statistics.values()))

    def __add__(self, other: TableModel) -> TableModel:
        """The rows of both, and the columns of either.

        A column that was modelled in two ways gets the model of the part with more rows, if what is kept serves it.
        """
        larger = self.rows.counts.sum() >= other.rows.counts.sum()
        names = [*self.columns, *(name for name in other.columns if name not in self.columns)]
        both = {name: _united(name, self._kept(name), other._kept(name), larger) for name in names}
        return _of_parts(self.rows + other.rows, both)

    def _kept(self, name: Name) -> Kept:
        return Kept(self.columns.get(name, Unknown()), self.statistics.get(name), self.open.get(name))

    def rechosen(self, fresh: TableModel) -> TableModel:
        """With the models of columns that all its rows, counted once more, have chosen.

        What is modelled as before is as it was counted; nothing changes unless these are the rows of this model.
        """
        if not np.allclose(fresh.rows.counts, self.rows.counts, rtol=1e-9):
            return self
        anew = {name: self._kept(name) for name in self.columns}
        for name, model in fresh.columns.items():
            other = model != self.columns[name] or (name in fresh.open) != (name in self.open)
            if other and not isinstance(model, Unknown):
                anew[name] = fresh._kept(name)
        return _of_parts(self.rows, anew)

    def scorer(self, estimate: Estimate, strict: bool, weights: Mapping[Name, float] | None = None) -> TableScorer:
        """What scores new rows, by columns of these weights; where it is strict, a category never seen is an error."""
        names = [name for name, model in self.columns.items() if not isinstance(model, Drop | Unknown)]
        made = in_parallel(lambda name: self.columns[name].scorer(self.statistics[name], estimate, strict), names)
        return TableScorer(dict(zip(names, made, strict=True)), self.columns, len(self.rows.counts), weights or {})

    def evidence(self) -> Array:
        """ln p of each column's values: classes × columns."""
        return np.column_stack([column_evidence(self.columns[name], self.statistics[name]) for name in self.columns])

    def belief(self, strict: bool, weights: Mapping[Name, float] | None = None) -> TableBelief:
        """What is believed of the scores of new rows, by columns of these weights."""
        made = {name: column_belief(model, self.statistics[name], strict) for name, model in self.columns.items()}
        there = {name: belief for name, belief in made.items() if belief is not None}
        return TableBelief(there, self.columns, len(self.rows.counts), weights or {})

    def leave_out(
        self, table: Table, codes: Integers, weights: Array, group: Integers | None, estimate: Estimate
    ) -> dict[Name, Array]:
        """What each column says of each row, by classes that have not seen the row, or its group: rows × classes."""
        gone = list(removals(codes, weights, group, len(self.rows.counts)))

        def votes(name: Name) -> Array:
            model, t, column = self.columns[name], self.statistics[name], table[name]
            if column.n_missing == len(column):  # whatever kind of nothing it is
                return np.zeros((len(column), len(self.rows.counts)))
            model.read(column, "was learned as")
            says = model.scorer(t, estimate, False).scores(column)
            for removal in gone:
                says[removal.rows, removal.code] = model.leave_out(t, column, removal, estimate)
            return says

        names = [
            name for name, model in self.columns.items() if not isinstance(model, Drop | Unknown) and name in table
        ]
        return dict(zip(names, in_parallel(votes, names), strict=True))


def _of_parts(rows: ClassCounts, parts: Mapping[Name, Kept]) -> TableModel:
    kept = {name: part.numbers for name, part in parts.items() if part.numbers is not None}
    columns, statistics = (
        {name: getattr(part, what) for name, part in parts.items()} for what in ("model", "statistic")
    )
    return TableModel(rows, columns, statistics, kept)


def _united(name: Name, mine: Kept, its: Kept, larger: bool) -> Kept:
    """A column of two models; where one of them has left it out, or never met it, that of the other."""
    if its.statistic is None or (isinstance(its.model, Silent) and not isinstance(mine.model, Unknown)):
        return mine
    if isinstance(mine.model, Silent):
        return its
    numbers = None if mine.numbers is None or its.numbers is None else mine.numbers + its.numbers
    if mine.model == its.model:
        return Kept(mine.model, mine.statistic + its.statistic, numbers)
    model = common(mine, its) if larger else common(its, mine)
    if model is None:
        raise _different(name, mine.model, its.model)
    return Kept(model, served(model, mine) + served(model, its), numbers)


def _different(name: Name, mine: ColumnModel, its: ColumnModel) -> InputError:
    return InputError(
        f"Column {name!r} is {mine!r} in one model and {its!r} in the other, and what they keep of it serves neither; "
        f"name one for both: columns={{{name!r}: {mine.word!r}}}."
    )


@dataclass(frozen=True)
class TableScorer:
    """A scorer per column. Columns that a table lacks are missing in every row."""

    columns: Mapping[Name, ColumnScorer]
    models: Mapping[Name, ColumnModel]
    classes: int
    weights: Mapping[Name, float]  # of columns; one where there is none

    def scores(self, table: Table) -> Array:
        """Rows × classes."""
        parts = min(thread_count(), 1 + len(table) // WORTH_A_THREAD)
        ends = np.linspace(0, len(table), parts + 1).astype(int).tolist()
        out = np.zeros((len(table), self.classes))

        def add(block: slice) -> None:
            for vote in self.votes(table.part(block)).values():
                out[block] += vote  # NB-9

        try:
            in_parallel(add, [slice(*pair) for pair in pairwise(ends)])
        except DataError:
            self.votes(table)  # says the same of the row's place in the table, not in its part
            raise
        return out

    def votes(self, table: Table) -> dict[Name, Array]:
        """w_j · ln p(x_j | c) of each column, rows × classes."""
        return {name: self._vote(name, table[name]) for name in self.columns if name in table}

    def _vote(self, name: Name, column: Column) -> Array:
        if column.n_missing == len(column):  # whatever kind of nothing it is
            return np.zeros((len(column), self.classes))
        self.models[name].read(column, "was learned as")
        votes = self.columns[name].scores(column)
        return raised_to(votes, self.weights[name]) if name in self.weights else votes
