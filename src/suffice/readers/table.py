"""Read tables of any library: the columns that a model knows, how each is read, and their counts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, InputError, KeywordError, ShapeError
from suffice.models.answers.parts import Wording
from suffice.models.likelihoods.base import Likelihood, changed_where_known, check
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.likelihoods.silent import Drop, NoValues
from suffice.models.model import Block, Model, Name
from suffice.models.open_columns import Chosen, OpenBlock
from suffice.models.scoring.results import Estimate
from suffice.models.scoring.rows import Labels, Rows
from suffice.parallel import in_parallel
from suffice.readers.joint_columns import counted_together, joint_rows, without_forgotten
from suffice.readers.labels import Coded, LabelChecks, column_classes, label_column, same_values
from suffice.readers.one_block import is_column
from suffice.readers.table_columns import (
    closest,
    counted_again,
    counted_all,
    counted_first,
    declared_likelihoods,
    is_free,
    listed,
)  # fmt: skip
from suffice.stats import ClassCounts
from suffice.stats.content import RowHashes, table_hashes, table_rows
from suffice.stats.row_order import Values, values_of_columns
from suffice.tables import Column, Table
from suffice.tables.series import is_series
from suffice.telling import tell
from suffice.typing import Integers

__all__ = ["TableReader", "one_row"]


@dataclass(frozen=True)
class TableReader:
    """Reader of tables: the columns that a model knows, and the user's options for them."""

    columns: Any = "auto"  # likelihoods that the user declares
    estimate: Estimate = "predictive"
    strict: bool = False  # whether an unseen category is an error
    owner: str = "NaiveBayes"  # name of the classifier in messages
    names: tuple[Name, ...] = ()
    named: bool = True  # whether columns have names rather than positions
    backend: str | None = None
    target: Name | None = None
    settled: Mapping[Name, Likelihood] = field(default_factory=dict)  # likelihoods that a model has fixed

    by_block = True
    categories = feature_names = None

    # data of the user -------------------------------------------------------------------------------------------------

    def read(self, X: Any, y: Any, target: Any, checks: LabelChecks) -> tuple[Table, Name | None, Coded]:
        """Return the columns to learn from, the name of the target if it is a column, and classes with codes."""
        table = Table.read(X, "X")
        if target is not None and y is not None:
            raise KeywordError("Labels", "be given once: as 'y', or as the name of a column, 'target'").but("got both")
        if isinstance(y, str):
            y, target = None, y
        if target is None and y is None:
            raise InputError(f"{self.owner} requires y to be passed, but the target y is None.").advise(
                "Pass labels, or the name of their column."
            )
        if not len(table):
            raise DataError("X", "have rows").but(f"got 0 sample(s) (shape=(0, {table.width}))")
        if target is not None:
            target = target if isinstance(target, str | int) else str(target)  # as tables name columns
            if target not in table:
                raise InputError(f"The target {target!r}", "be a column of the table").advise(
                    closest(target, table.names)
                )
            return table.without([target]), target, column_classes(table[target], checks)
        labels = label_column(y, len(table), checks)
        name = _source(y, table, labels)
        return (table if name is None else table.without([name])), name, column_classes(labels, checks)

    def without_labels(self, X: Any, y: Any) -> tuple[Table, Any]:
        """Return the columns to learn from and the labels, which may have gaps, and may be given as a column's name."""
        table = Table.read(X, "X")
        if isinstance(y, str):
            return table.without([y]), X[y]
        name = _source(y, table, Table.read({"y": y}, "y")["y"]) if is_series(y) else None
        return (table if name is None else table.without([name])), y

    def started(self, table: Table, target: Name | None = None) -> TableReader:
        """Return the reader for tables like `table`, the first one."""
        if not table.names:
            raise DataError("X", "have columns to learn from").but(
                f"got 0 feature(s) (shape=({len(table)}, 0)) while a minimum of 1 is required"
            )
        return replace(self, names=tuple(table.names), named=table.named, backend=table.backend, target=target)

    def aligned(self, table: Table) -> Table:
        """Return the columns that the model knows, in its order; warn of unknown columns and of absent ones."""
        known = list(self.names)
        if not table.named or not self.named:
            return self._by_place(table, known)
        lacking = [name for name in known if name not in table]
        if len(lacking) == len(known):
            shown = ", ".join(repr(name) for name in known[:5])
            raise DataError("X", f"have columns that the model knows ({shown})").but(f"got {table.names[:5]}")
        among = set(known)
        extra = [name for name in table.names if name not in among and name != self.target]
        if extra:
            tell(f"Columns ignored, unknown to the model: {_first_five(extra)}.")
        if lacking:
            tell(f"Columns missing from the table, treated as missing in every row: {_first_five(lacking)}.")
        return table.only(name for name in known if name in table)

    def _by_place(self, table: Table, known: list[Name]) -> Table:
        """Return the columns of a table by position, since an array has no names."""
        if table.named and set(known) <= set(table.names):
            return table.only(known)
        if len(table.names) != len(known):
            raise ShapeError(
                f"X has {len(table.names)} features, but {self.owner} is expecting {len(known)} features as input."
            )
        if table.named:
            tell(
                "",
                python=f"X has feature names, but {self.owner} was fitted without feature names",
                shell="The model was fitted without column names: the columns of the file are taken in their order.",
            )
        elif self.named:
            tell(f"X does not have valid feature names, but {self.owner} was fitted with feature names")
        return table.renamed(known)

    def rows(self, table: Table, likelihoods: Mapping[Name, Likelihood] | None = None) -> dict[Name, Rows]:
        """Return the rows of each column as its likelihood reads it; columns that the table lacks are left out."""
        by = self.settled if likelihoods is None else likelihoods
        names = [name for name in by if name in table]
        read = in_parallel(lambda name: _rows(table, name, by[name]), names)
        together = joint_rows(table, by) if any(one.correction for one in by.values()) else {}
        return {**dict(zip(names, read, strict=True)), **together}

    def parts(self, table: Table) -> Iterator[dict[Name, Rows]]:
        """Yield all rows at once."""
        yield self.rows(table)

    def take(self, table: Table, which: Integers) -> Table:
        """Return a subset of the rows, in the order of the table."""
        keep = np.zeros(len(table), bool)
        keep[which] = True
        return table.take(keep)

    def size(self, table: Table) -> int:
        """Return the number of rows."""
        return len(table)

    def hashes(self, table: Table) -> RowHashes:
        """Return a hash of the content of each row, without columns that the model drops."""
        return table_hashes(table, self._read_names)

    def values(self, table: Table) -> list[Values]:
        """Return the values that decide the order of the rows, without columns that the model drops."""
        return values_of_columns(table, self._read_names)

    @property
    def _read_names(self) -> list[Name]:
        return [name for name in self.names if self.settled.get(name) != Drop()]

    def row_bytes(self, X: Any) -> Iterable[bytes]:
        """Return each row as bytes, which are equal for equal rows, without columns that the model drops."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # counting the rows gives the warnings
            table = self.aligned(Table.read(X, "X"))
        return table_rows(table, self._read_names)

    # counts and likelihoods -------------------------------------------------------------------------------------------

    @property
    def declared(self) -> dict[Name, Likelihood | Chosen]:
        """Declared likelihood of each column that has one."""
        return declared_likelihoods(self.columns, self.names, self.target)

    def count(self, table: Table, labels: Labels, model: Model | None, classes: NDArray[Any]) -> Model:
        """Return the model of these rows alone.

        Columns whose likelihood `model` has fixed are counted by it; the others by the declared likelihood, or else by
        the one that these rows favour.
        """
        before, declared = {} if model is None else model.blocks, self.declared

        def counted(name: Name) -> OpenBlock:
            block, given = before.get(name), declared.get(name)
            if is_free(block):
                return counted_first(name, table, labels, given)
            assert isinstance(block, OpenBlock)
            wanted = given.of if isinstance(given, Chosen) else given
            if wanted is not None and self._used(wanted) != self._used(block.likelihood):
                raise InputError(
                    f"Column {name!r} was fixed as {block.likelihood!r} at the first fit; got {wanted!r}."
                ).advise(python="Call fit to change it.")
            return counted_again(name, table, labels, block)

        free = [name for name in self.names if name in table and name not in declared and is_free(before.get(name))]
        blocks: dict[Name, Block] = {**counted_all(self.names, table, labels, free, counted)}
        blocks |= counted_together(table, labels, {} if model is None else model.likelihoods)
        return Model(classes, ClassCounts.of_labels(labels.y, labels.weights, n_classes=labels.n_classes), blocks)

    def of(self, model: Model) -> TableReader:
        """Return the reader for tables of a model."""
        return replace(self, names=tuple(model.alone), settled=model.likelihoods)

    def features(self, model: Model) -> list[Name]:
        """Return the names of columns that carry evidence."""
        return [name for name, block in model.voting.items() if not block.likelihood.correction]

    def source(self, X: Any) -> Table:
        """Return the columns of a table that the model knows."""
        return self.aligned(Table.read(X, "X"))

    def one(self, x: Any) -> Table:
        """Return a table of this single row."""
        return one_row(x)

    def wording(self, model: Model, source: Any, read: Table) -> Wording:
        """Return the values of one row by column."""
        return Wording.of_columns(model.voting, read)

    def likelihoods(self, model: Model) -> dict[Name, Likelihood]:
        """Return the likelihoods of a model that differ from the user's options, changed to comply with them."""
        have = model.likelihoods
        kinds = {id(one): one for one in have.values()}  # many columns share one
        made = {key: self._used(one) for key, one in kinds.items()}
        other = {key for key, one in kinds.items() if made[key] != one}
        used = {name: made[id(one)] for name, one in have.items() if id(one) in other}
        return used | {name: law for name, law in without_forgotten(model).items() if law != have[name]}

    def _used(self, likelihood: Likelihood) -> Likelihood:
        return changed_where_known(likelihood, estimate=self.estimate, strict=self.strict)

    def settled_by_all(self, tables: Sequence[Table]) -> Model:
        """Return the model of all rows as one class; numbers without declared bins are normal, as bins need classes."""
        largest_first = sorted(tables, key=len, reverse=True)
        model, declared = self._by_all(largest_first), self.declared
        found = model.likelihoods
        bins = [name for name in found if found[name] == Histogram() and name not in declared]
        if bins:
            normal = replace(self, names=tuple(bins), columns=dict.fromkeys(bins, Gaussian()))
            model = replace(model, blocks={**model.blocks, **normal._by_all(largest_first).blocks})
        self.tell_of_dropped(None, model, largest_first[0])
        return model

    def _by_all(self, tables: Sequence[Table]) -> Model:
        model = None
        for table in tables:
            labels = Labels(np.zeros(len(table), np.int64), None, 1)
            part = self.count(table, labels, model, np.zeros(1, np.int64))
            model = part if model is None else model + part
        assert model is not None
        return model

    def tell_of_dropped(self, before: Model | None, after: Model, table: Table) -> None:
        """Warn of columns that are now left out although the user did not declare it."""
        known = {} if before is None else before.likelihoods
        fresh = [name for name, one in after.likelihoods.items() if one == Drop() and known.get(name) != Drop()]
        silently = [name for name in fresh if self.columns == "auto" or name not in self.columns]
        dates = [name for name in silently if table[name].storage == "date"]
        others = [name for name in silently if name not in dates]
        if dates:
            tell(
                f"{listed(dates)} of dates left out: add what matters of dates, such as the weekday, the month or the "
                "number of days since, as columns of their own.",
                python=f"columns={{{dates[0]!r}: 'drop'}} silences this.",
                shell=f"--drop {dates[0]!r} silences this.",
            )
        if others:
            tell(
                f"{listed(others)} left out: every row has a different value, as identifiers do.",
                python=f"columns={{{others[0]!r}: 'categorical'}} or 'text' keeps it, 'drop' silences this.",
                shell=f"--drop {others[0]!r} silences this.",
            )


def _rows(table: Table, name: Name, likelihood: Likelihood) -> Rows:
    if likelihood.silent:
        return NoValues(len(table))
    column = table[name]
    if column.n_missing == len(column):  # of any storage
        return NoValues(len(table))
    check(likelihood, column, "was learned as")
    return likelihood.rows(column)


def _source(y: Any, table: Table, labels: Column) -> Any:
    """Return the column of the table that the labels were taken from, if any: a model must not learn from it."""
    name = getattr(y, "name", None)
    if name is None or name not in table:
        return None
    return name if same_values(table[name], labels) else None


def one_row(row: Any) -> Table:
    """Return one row as a table, from a dict of values, a Series, a list or a table of one row."""
    if isinstance(row, np.ndarray | list | tuple) and np.ndim(row) == 1:
        row = np.asarray(row, dtype=object)[None]
    elif hasattr(row, "to_dict") and not hasattr(row, "columns"):  # a row of pandas
        row = row.to_dict()
    if isinstance(row, dict):
        row = {name: value if is_column(value) else [value] for name, value in row.items()}
    table = Table.read(row, "x")
    if len(table) != 1:
        raise InputError("x", "be one row").but(f"got {len(table)} rows")
    return table


def _first_five(names: list[Name]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
