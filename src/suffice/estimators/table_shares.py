"""Rows of tables that belong to classes in shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.estimators.kinds import declared_models, tell_of_dropped
from suffice.estimators.rows import aligned
from suffice.estimators.shares import Sharing
from suffice.models.columns import ColumnModel, Drop, Gaussian, Histogram, Text, Unknown
from suffice.models.columns.em import column_measure, column_parameters, column_prior
from suffice.models.columns.weak import learns_prior, with_found_prior, with_weak_prior
from suffice.models.tables import TableModel
from suffice.parallel import in_parallel
from suffice.stats.row_shares import rows_of_shares
from suffice.stats.word_shares import WordMatrix, no_documents
from suffice.stats.words import WordCounts
from suffice.tables import Table
from suffice.typing import Array, Integers

__all__ = ["TableShares"]


@dataclass(frozen=True)
class TableRows:
    """A table, and of its columns of text the words, read once."""

    table: Table
    texts: dict[Any, WordMatrix]


class TableShares(Sharing):
    """The same for tables. Which model a column gets is settled by all rows, as if they were of one class."""

    columns: Any
    estimate: Any
    _learned: TableModel

    def _begin(self, parts: list[Any], classes: Any) -> list[TableRows]:
        owner: Any = self
        tables = [Table.read(part, "X") for part in parts]
        owner._target, owner._declared, owner._stale = None, None, False
        owner._start(tables[0], classes)
        owner.columns_ = dict(self._learned.columns)
        tables = [tables[0], *(aligned(self, table) for table in tables[1:])]
        settled = self._settled(sorted(tables, key=len, reverse=True))
        self._learned = _with_words(settled.emptied(len(classes)), settled)
        return [TableRows(table, self._texts(table)) for table in tables]

    def _begin_with(self, counted: Any, place: Integers, classes: Any) -> dict[str, Any]:
        owner: Any = self
        vars(self).update({name: vars(counted)[name] for name in owner._schema if name in vars(counted)})
        owner._target, owner._declared, owner._stale = None, None, False
        settled: TableModel = counted._learned
        self._learned = _with_words(settled.emptied(len(classes)), settled)
        return {"table": _with_words(settled.with_classes(place, len(classes)), settled)}

    def _settled(self, tables: list[Table]) -> TableModel:
        """Models of columns by all rows; numbers are normal where they would be cut into bins, which takes classes."""
        nothing = TableModel.zero(tables[0].names, 1)
        declared = declared_models(self.columns, list(nothing.columns), None)
        settled = _learned(nothing, tables, declared)
        bins = [
            name for name, model in settled.columns.items() if isinstance(model, Histogram) and name not in declared
        ]
        if bins:
            settled = _learned(nothing, tables, {**declared, **dict.fromkeys(bins, Gaussian())})
        tell_of_dropped(nothing, settled, self.columns, tables[0])
        return settled

    def _known_rows(self, X: Any) -> TableRows:
        return TableRows(aligned(self, Table.read(X, "X")), {})

    def _shared_rows(self, X: Any) -> TableRows:
        table = aligned(self, Table.read(X, "X"))
        return TableRows(table, self._texts(table))

    def _texts(self, table: Table) -> dict[Any, WordMatrix]:
        found = {}
        for name, model in self._learned.columns.items():
            if isinstance(model, Text) and name in table:
                words = self._learned.statistics[name].words
                found[name] = WordMatrix(model.documents(table[name], words), words)
        return found

    def _count_shares(self, rows: TableRows, shares: Array, weights: Array) -> dict[str, Any]:
        nothing, n, table = self._learned.emptied(shares.shape[1]), shares.shape[1], rows.table

        def counted(name: Any) -> Any:
            model = nothing.columns[name]
            if name in rows.texts:
                there = table[name].present
                return rows.texts[name].take(there).counts((shares * weights[:, None])[there])
            if isinstance(model, Drop | Unknown) or name not in table or table[name].n_missing == len(table):
                return nothing.statistics[name]
            labels: Any = shares
            return model.count(table[name], labels, weights, n)

        names = list(nothing.columns)
        statistics = dict(zip(names, in_parallel(counted, names), strict=True))
        return {"table": TableModel(rows_of_shares(shares, weights), nothing.columns, statistics)}

    def _scores_of(self, rows: TableRows) -> Array:
        scores = self._learned.scorer(self.estimate, False).scores(rows.table)
        for name, model in self._learned.columns.items():
            if name in rows.table and rows.table[name].n_missing < len(rows.table):
                measure = column_measure(model, self._learned.statistics[name], rows.table[name])
                scores += np.reshape(measure, (-1, 1))
        return scores

    def _own_priors(self) -> dict[Any, Any]:
        return {name: model for name, model in self._learned.columns.items() if learns_prior(model)}

    def _weak_priors(self, whole: dict[str, Any], k: int) -> dict[Any, Any]:
        own, t = self._own_priors(), whole["table"].statistics
        return {name: with_weak_prior(model, t[name], k, self.estimate) for name, model in own.items()}

    def _found_priors(self) -> dict[Any, Any]:
        own, t = self._own_priors(), self._learned.statistics
        return {name: with_found_prior(model, t[name]) for name, model in own.items()}

    def _put_priors(self, priors: dict[Any, Any]) -> None:
        owner: Any = self
        self._learned = replace(self._learned, columns={**self._learned.columns, **priors})
        if hasattr(self, "classes_"):
            self._take_statistics(owner.classes_, {"table": self._learned})

    def _prior_density(self) -> float:
        known = self._learned
        return float(sum(column_prior(known.columns[name], t, self.estimate) for name, t in known.statistics.items()))

    def _free_parameters(self) -> int:
        known = self._learned
        each = sum(column_parameters(known.columns[name], t) for name, t in known.statistics.items())
        return len(known.rows.counts) * each


def _learned(model: TableModel, tables: list[Table], declared: Mapping[Any, ColumnModel]) -> TableModel:
    for table in tables:
        model = model.learn(table, np.zeros(len(table), np.int64), None, declared)
    return model


def _with_words(model: TableModel, settled: TableModel) -> TableModel:
    """The same, with a place for each word of columns of text."""
    statistics = dict(model.statistics)
    for name, t in settled.statistics.items():
        if isinstance(t, WordCounts):
            statistics[name] = no_documents(t, len(model.rows.counts)) + statistics[name]
    return replace(model, statistics=statistics)
