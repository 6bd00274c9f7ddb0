"""What a classifier of tables knows and answers: a model and a statistic per column, and all that is made of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, LabelError
from suffice.estimators.kinds import declared_models, tell_of_dropped
from suffice.estimators.rows import aligned, one_row, read, weighed
from suffice.estimators.shared import Classifier, class_log_prior
from suffice.estimators.summary import as_html, as_text
from suffice.estimators.table_shares import TableShares
from suffice.estimators.weights import ColumnWeights
from suffice.models.columns import ColumnModel, Drop, Unknown
from suffice.models.columns.beliefs import TableBelief
from suffice.models.columns.open import Numbers
from suffice.models.known import known_rows
from suffice.models.logs import raised_to
from suffice.models.removal import group_codes
from suffice.models.sample import hashed, some_rows
from suffice.models.table_votes import table_votes
from suffice.models.tables import TableModel, TableScorer
from suffice.models.top import Top, top_of_table
from suffice.models.votes import Votes
from suffice.models.weights import JUDGED, ColumnRows, choose_ridge, fit_weights
from suffice.stats.hashing import table_rows
from suffice.stats.words import read_weights
from suffice.tables import Table
from suffice.typing import Array, Booleans, Integers

__all__ = ["TableCounts"]

ENOUGH, NUMBERS = 4000, 2**25
"""Rows that the ridge is chosen by; and votes that weights are fitted on, at most."""


class TableCounts(TableShares, Classifier):
    """Models and statistics of columns behind the face of `NaiveBayes`, which names the parameters."""

    columns: Any
    estimate: Any
    unseen: str
    weights: Any
    ridge: float | None
    effort: str
    columns_: dict[str | int, ColumnModel]
    statistics_: dict[str | int, Any]
    class_count_: Array
    class_log_prior_: Array
    n_features_in_: int
    feature_names_in_: Any
    _learned: TableModel
    _backend: str | None
    _named: bool  # whether columns have names rather than places
    _target: Any

    def _votes(self, x: Any) -> tuple[Votes, Array, Any]:
        row = one_row(x)
        table = aligned(self, row)
        scorer = self._view("scorer", self._make_scorer)
        return table_votes(self._learned, scorer, table, self.estimate), self._log_prior(), row

    def _top(self, code: int, k: int) -> list[Top]:
        return top_of_table(self._learned, code, k, self.weights_)

    def _united(self, seen: Any, classes: Any, first: bool) -> Any:
        """All classes: declared, or known so far and seen now."""
        if first and classes is None:
            return seen
        known = self._known_classes(classes, first)
        if first or self._declared is not None:
            strangers = np.setdiff1d(seen, known)
            if len(strangers):
                raise LabelError(f"The target label(s) {strangers} in y do not exist in the initial classes {known}.")
            return known
        if known.dtype.kind != seen.dtype.kind and "U" in known.dtype.kind + seen.dtype.kind:
            raise LabelError(
                f"The target must hold labels like {known[:1].tolist()[0]!r}; got {seen[:1].tolist()[0]!r}."
            )
        return np.union1d(known, seen)

    def _start(self, table: Table, classes: Any) -> None:
        """Nothing learned yet."""
        if not table.names:
            raise DataError(
                f"The argument 'X' must have columns to learn from; got 0 feature(s) (shape=({len(table)}, 0)) while a "
                "minimum of 1 is required."
            )
        self.classes_, self._backend, self._named = classes, table.backend, table.named
        self._learned = TableModel.zero(table.names, len(classes))
        self.n_features_in_ = len(table.names)
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if all(isinstance(name, str) for name in table.names):
            self.feature_names_in_ = np.array(table.names, dtype=object)

    def _learn(self, table: Table, classes: Any, codes: Integers, sample_weight: Any) -> None:
        table, codes, weights = weighed(table, codes, sample_weight)
        before = self._learned.with_classes(np.asarray(np.searchsorted(classes, self.classes_)), len(classes))
        learned = before.learn(table, codes, weights, declared_models(self.columns, list(before.columns), self._target))
        tell_of_dropped(before, learned, self.columns, table)
        self._set_statistics(classes, {"table": learned})

    def _get_statistics(self) -> dict[str, Any]:
        return {"table": self._learned}

    def _set_statistics(self, classes: Any, statistics: dict[str, Any]) -> None:
        self.classes_, self._learned, self._made = classes, statistics["table"], {}
        self.columns_, self.statistics_ = dict(self._learned.columns), dict(self._learned.statistics)
        self.n_features_in_ = len(self.columns_)
        self.class_count_ = self._learned.rows.counts.copy()
        self.class_log_prior_ = class_log_prior(self, self._learned.rows.counts)
        if self.estimate == "map":  # may be refused: now, not later
            self._view("scorer", self._make_scorer)

    def _held_names(self) -> dict[str | int, ColumnModel]:
        return self.columns_

    _schema = (*Classifier._schema, "_backend", "_named", "_target", "columns_")
    _weights_kind = ColumnWeights
    _weighed = 100  # fewer rows cannot tell which columns repeat each other

    def _restore(self, classes: Any, statistics: dict[str, Any]) -> None:
        if self._backend not in (None, "pandas", "polars", "pyarrow") or type(self._named) is not bool:
            raise DataError(f"A table must be of a library that is known; got {self._backend!r}.")
        kept = {name: Numbers.of_parts(parts) for name, parts in statistics.get("open", {}).items()}
        table = TableModel(statistics["rows"], self.columns_, statistics["columns"], kept)
        table.check(len(classes))
        self._set_statistics(classes, {"table": table})

    def _remembered(self) -> dict[str, Any]:
        kept = {name: numbers.parts for name, numbers in self._learned.open.items()}
        return {"rows": self._learned.rows, "columns": dict(self._learned.statistics), "open": kept}

    def _read_again(self, X: Any, y: Any) -> tuple[Any, Any]:
        return self._rows_and_labels(X, y)

    def _row_bytes(self, X: Any) -> Iterable[bytes]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # who counts the rows has told, or will
            table = aligned(self, Table.read(X, "X"))
        return table_rows(table, [name for name, model in self.columns_.items() if not isinstance(model, Drop)])

    def _class_rows(self) -> Array:
        return self._learned.rows.counts

    def _log_prior_of(self, counts: Array) -> Array:
        return np.asarray(class_log_prior(self, counts) + self._class_terms())

    @property
    def weights_(self) -> dict[Any, float]:
        """The exponent of each column that votes: near 0 where others have said it already."""
        check_is_fitted(self)
        voting = [name for name, model in self.columns_.items() if not isinstance(model, Drop | Unknown)]
        chosen = self._weights
        return {name: 1.0 if chosen is None else chosen.columns.get(name, 1.0) for name in voting}

    def _fit_weights(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> ColumnWeights:
        _, prior, codes, rows, _ = self._judged(X, y, sample_weight, groups)
        group = None if groups is None else group_codes(groups, len(codes))
        given = read_weights(sample_weight, len(codes))
        given = np.ones(len(codes)) if given is None else given
        votes = self._learned.leave_out(aligned(self, Table.read(X, "X")), codes, given, group, self.estimate)
        if not votes:
            return ColumnWeights({}, 1.0, {})
        which = some_rows(len(codes), max(1, NUMBERS // (len(votes) * len(self.classes_))), group)
        table = np.stack([vote[which] for vote in votes.values()]) * self._powers(X)
        prior = np.broadcast_to(prior, (len(codes), len(self.classes_)))
        together = None if group is None else group[which]
        every = ColumnRows.of(table, prior[which], codes[which], rows[which], together)
        found = fit_weights(every, self._ridge_of(every) if self.ridge is None else self.ridge, tolerance=1e-9)
        columns = dict(zip(votes, found.features.tolist(), strict=True))
        return ColumnWeights(
            dict(zip(self.classes_.tolist(), found.classes.tolist(), strict=True)), found.ridge, columns
        )

    def _ridge_of(self, rows: ColumnRows) -> float:
        """How strongly weights are held at one: each part of some rows is judged by what the others choose."""
        few = rows.some(np.isin(np.arange(len(rows.codes)), some_rows(len(rows.codes), ENOUGH)))
        part = hashed(few.group) % np.uint64(JUDGED)
        return choose_ridge([(few.some(part != k), few.some(part == k)) for k in range(JUDGED)]).ridge

    def _evidence_cells(self) -> tuple[Any, Any, Array | None]:
        return list(self.columns_), self._learned.evidence(), None

    def _belief(self) -> TableBelief:
        return self._learned.belief(self.unseen == "error", None if self._weights is None else self._weights.columns)

    def _known(self, X: Any, least: int) -> Booleans:
        return known_rows(self._learned, aligned(self, Table.read(X, "X")), least)

    def _leave_out(self, X: Any, codes: Integers, weights: Array, group: Integers | None) -> Array:
        table = aligned(self, Table.read(X, "X"))
        votes = self._learned.leave_out(table, codes, weights, group, self.estimate)
        chosen = {} if self._weights is None else self._weights.columns
        scores = np.zeros((len(codes), len(self.classes_)))
        for name, vote in votes.items():
            scores += raised_to(vote, chosen.get(name, 1.0))
        return scores

    def _rows_and_labels(self, X: Any, y: Any) -> tuple[Any, Any]:
        table, _, (classes, codes) = read(self, X, y, None)
        return table, classes[codes]

    def _take_rows(self, X: Any, which: Integers) -> Any:
        keep = np.zeros(len(X), bool)
        keep[which] = True
        return X.take(keep)

    def _choose_models(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Choose the models of columns anew, where these are all rows and the models were not declared."""
        table, _, (classes, codes) = read(self, X, y, None)
        table, codes, weights = weighed(aligned(self, table), codes, sample_weight)
        codes = np.asarray(np.searchsorted(self.classes_, classes))[codes]
        declared = declared_models(self.columns, list(self.columns_), self._target)
        nothing = TableModel.zero(list(self.columns_), len(self.classes_))
        fresh = nothing.learn(table, codes, weights, declared)
        self._set_statistics(self.classes_, {"table": self._learned.rechosen(fresh)})

    def _rows_of_classes(self, statistics: dict[str, Any]) -> Any:
        return statistics["table"].rows.counts

    def _count_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, dict[str, Any]]:
        table, _, (classes, codes) = read(self, X, y, None)
        table, codes, weights = weighed(aligned(self, table), codes, sample_weight)
        nothing = self._learned.emptied(len(classes))
        return classes, {"table": nothing.learn(table, codes, weights, {})}

    def _ask(self, question: Callable[[Any, Any, Array], Any], X: Any) -> Any:
        check_is_fitted(self)
        table = aligned(self, Table.read(X, "X"))
        scorer = self._tempered(self._view("scorer", self._make_scorer))
        return question(scorer, table, self._log_prior())

    def _log_prior(self) -> Array:
        return np.asarray(self.class_log_prior_ + self._class_terms())

    def _make_scorer(self) -> TableScorer:
        weights = None if self._weights is None else self._weights.columns
        return self._learned.scorer(self.estimate, self.unseen == "error", weights)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        name: str = super().__repr__(N_CHAR_MAX)
        return as_text(self, name) if hasattr(self, "_learned") else name

    def _repr_html_(self) -> str:
        return as_html(self, super().__repr__())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
