"""Classifiers of tables: how they read rows, what a file keeps of them, and how they are shown."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from html import escape
from numbers import Real
from typing import Literal, TypeAlias

import numpy as np

from suffice.errors import DataError, LabelError, ShapeError
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.parameters import CHECKS, Tags
from suffice.estimators.shell.stored import (
    OF_FILES,
    State,
    check_labels,
    check_schema,
    checked_journal,
    read_views,
    written_views,
)
from suffice.models.answers.parts import Wording, reading
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Model, Name
from suffice.models.open_columns import Numbers, OpenBlock
from suffice.models.views import ColumnWeights, Views
from suffice.readers.labels import Examples, Given
from suffice.readers.table import TableReader, columns_of, one_row
from suffice.readers.table_columns import check_block, rechosen
from suffice.stats import ClassCounts
from suffice.stats.word_counts import read_weights
from suffice.tables import Table
from suffice.telling import counted
from suffice.typing import Array, LabelArray, LabelsLike, RowLike, WeightsLike

__all__ = ["ColumnModels", "TableClassifier"]

ColumnModels: TypeAlias = Literal["auto"] | Mapping[str, Likelihood | str] | Mapping[int, Likelihood | str]
"""How columns are modelled, by name; "auto" for all that are not named."""

SCHEMA = ("_declared", "n_features_in_", "feature_names_in_", "_backend", "_named", "_target", "columns_")


class TableClassifier(Classifier):
    """A classifier with a block for each column of a table, which reads tables of any library."""

    columns: ColumnModels
    unseen: Literal["prior", "error"]
    _reader: TableReader
    n_features_in_: int
    feature_names_in_: LabelArray

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags

    def _read(self, X: Given, y: LabelsLike, sample_weight: WeightsLike, first: bool) -> Examples:
        return self._read_table(X, y, None, sample_weight, first)

    def _read_table(
        self, X: Given, y: LabelsLike | None, target: Hashable | None, sample_weight: WeightsLike, first: bool
    ) -> Examples:
        reader = self._as_told(TableReader() if first else self._reader)
        table, name, (classes, codes) = reader.read(X, y, target, CHECKS)
        if first:
            reader = reader.started(table, name)
            self.__dict__.pop("feature_names_in_", None)
            if all(isinstance(name, str) for name in table.names):
                self.feature_names_in_ = np.array(table.names, dtype=object)
        else:
            reader = replace(reader, target=reader.target if name is None else name)
            table = reader.aligned(table)
        self._reader = reader
        return Examples(table, classes, codes, _weights(sample_weight, len(codes)))

    def _as_told(self, reader: TableReader) -> TableReader:
        """Return a reader that reads tables as the parameters say."""
        return replace(reader, columns=self.columns, estimate=self.estimate, strict=self.unseen == "error")

    def _known_classes(self, classes: LabelsLike | None, examples: Examples, first: bool) -> LabelArray:
        if first and classes is None:
            return examples.classes
        if first or classes is not None or self._model.declared is not None:
            return super()._known_classes(classes, examples, first)
        known, seen = self.classes_, examples.classes
        if known.dtype.kind != seen.dtype.kind and "U" in known.dtype.kind + seen.dtype.kind:
            raise LabelError(
                f"The target must hold labels of the model's kind, such as {known[:1].tolist()[0]!r}; got "
                f"{seen[:1].tolist()[0]!r}."
            )
        return np.union1d(known, seen)

    def _count(self, examples: Examples) -> Model:
        before = self._model if self.__sklearn_is_fitted__() else None
        weights = examples.weights
        if weights is not None:
            if not weights.any():
                raise DataError(
                    "The argument 'sample_weight' must give at least one row a weight above 0; got only zeros."
                )
            examples = examples if weights.all() else examples.take(np.flatnonzero(weights > 0), self._reader)
        model = self._reader.count(examples.source, examples.labels, before, examples.classes)
        self._reader.tell_of_dropped(before, model, examples.source)
        return model

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        self._reader = self._reader.of(model)
        super()._put(model, views, stale)
        self._reader, self.n_features_in_ = self._reader.of(self._model), len(self._model.blocks)

    def _likelihoods(self, model: Model, views: Views) -> Mapping[Name, Likelihood]:
        return self._reader.likelihoods(model)

    def _rechosen(self, examples: Examples) -> Model:
        weights = examples.weights
        if weights is not None and not weights.all():
            examples = examples.take(np.flatnonzero(weights > 0), self._reader)
        fresh = self._reader.count(examples.source, examples.labels, None, examples.classes)
        return rechosen(self._model, fresh.with_likelihoods(self._reader.likelihoods(fresh)))

    def _source(self, X: Given) -> Table:
        return self._reader.aligned(Table.read(X, "X"))

    def _one(self, x: RowLike) -> Table:
        return one_row(x)

    def _known_columns(self, X: Given, y: LabelsLike) -> tuple[Table, LabelArray]:
        table, _, (classes, codes) = self._reader.read(X, y, None, CHECKS)
        return table.only([name for name in table.names if name in self._model.blocks]), classes[codes]

    def _wording(self, source: Given, read: Table) -> Wording:
        blocks = self._model.voting
        return Wording(readings={name: reading(block, read[name]) for name, block in blocks.items() if name in read})

    @property
    def _backend(self) -> str | None:  # type: ignore[override]
        return self._reader.backend

    # files and notebooks ----------------------------------------------------------------------------------------------

    def _get_state(self) -> State:
        """Return what a file keeps beside the parameters."""
        model, reader = self._model, self._reader
        known = {**vars(self), "_declared": model.declared, "columns_": columns_of(model)}
        known |= {"_backend": reader.backend, "_named": reader.named, "_target": reader.target}
        opened = {name: block for name, block in model.blocks.items() if isinstance(block, OpenBlock)}
        kept = {name: block.numbers.parts for name, block in opened.items() if block.numbers is not None}
        statistics = {
            "rows": model.rows,
            "columns": {name: block.statistic for name, block in model.blocks.items()},
            "open": kept,
        }
        journal = {} if self._journal is None else {"journal": self._journal}
        return {
            "classes": model.classes,
            "schema": {name: known[name] for name in (*SCHEMA, *OF_FILES) if name in known},
            "statistics": statistics | journal,
            "views": written_views(self._predictor.views, self._stale),
        }

    def _set_state(self, state: State) -> None:
        """Make an estimator what a file says; raise if that is none of its class."""
        classes, schema, statistics = state["classes"], dict(state["schema"]), dict(state["statistics"])
        check_labels(classes)
        check_schema(schema, SCHEMA)
        views, stale = read_views(state["views"], ColumnWeights)
        self._journal = checked_journal(statistics)
        named, backend = schema["_named"], schema["_backend"]
        if backend not in (None, "pandas", "polars", "pyarrow") or type(named) is not bool:
            raise DataError(f"The table must come from a known library; got {backend!r}.")
        model = _model(classes, schema, statistics)
        self._reader = self._as_told(TableReader(named=named, backend=backend, target=schema["_target"])).of(model)
        self.__dict__.update({name: schema[name] for name in ("feature_names_in_", *OF_FILES) if name in schema})
        self._put(model, views, stale)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        name: str = super().__repr__(N_CHAR_MAX)
        return as_text(self, name) if self.__sklearn_is_fitted__() else name

    def _repr_html_(self) -> str:
        return as_html(self, super().__repr__())

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _weights(sample_weight: WeightsLike, rows: int) -> Array | None:
    """Return what each row counts for: as given, or one number for all."""
    given: object = sample_weight
    return read_weights(np.full(rows, float(given)) if isinstance(given, Real) else given, rows)


def _model(classes: LabelArray, schema: State, statistics: State) -> Model:
    columns, counted = schema["columns_"], statistics["columns"]
    kept = {name: Numbers.of_parts(parts) for name, parts in statistics.get("open", {}).items()}
    if not isinstance(columns, dict) or not isinstance(counted, dict) or list(columns) != list(counted):
        raise DataError("A table must have columns with names, a model and a statistic each.")
    if set(kept) - set(columns):
        raise DataError("Statistics must belong to columns of the table.")
    rows = statistics["rows"]
    if type(rows) is not ClassCounts or rows.shape != (len(classes),):
        raise ShapeError(f"A table must have rows of {len(classes)} classes.")
    blocks = {name: OpenBlock(likelihood, counted[name], kept.get(name)) for name, likelihood in columns.items()}
    for name, block in blocks.items():
        check_block(name, block, len(classes))
    return Model(classes, rows, blocks, schema["_declared"])


MOST = 60
HEAD = ("column", "kind", "rows", "prior")


def as_text(estimator: TableClassifier, name: str) -> str:
    """Return classes, and a line per column."""
    lines = [HEAD, *_lines(estimator)]
    width = [max(len(line[k]) for line in lines) for k in range(3)]
    shown = [f"  {a:{width[0]}}  {b:{width[1]}}  {c:>{width[2]}}  {d}".rstrip() for a, b, c, d in lines]
    return "\n".join([name, f"  {_rows(estimator)}", *shown])


def as_html(estimator: TableClassifier, name: str) -> str:
    """Return classes, and a line per column, as a table."""
    if not estimator.__sklearn_is_fitted__():
        return f"<pre>{escape(name)}</pre>"
    head = "".join(f"<th style='text-align:left'>{word}</th>" for word in HEAD)
    body = "".join(f"<tr>{_cells(line)}</tr>" for line in _lines(estimator))
    caption = f"<b>{escape(name)}</b><br>{escape(_rows(estimator))}"
    return f"<table><caption style='text-align:left'>{caption}</caption><tr>{head}</tr>{body}</table>"


def _cells(line: tuple[str, ...]) -> str:
    sides = ("left", "left", "right", "left")
    pairs = zip(sides, line, strict=True)
    return "".join(f"<td style='text-align:{side}'>{escape(cell)}</td>" for side, cell in pairs)


def _rows(estimator: TableClassifier) -> str:
    counts = estimator.class_count_
    each = [f"{label} {n:,.15g}" for label, n in zip(estimator.classes_, counts, strict=True)]
    more = f", and {len(each) - 10} more" if len(each) > 10 else ""
    sizes = f"{counted(counts.sum(), 'row')} of {counted(len(each), 'class', 'classes')}"
    return f"{sizes}: {', '.join(each[:10])}{more}"


def _lines(estimator: TableClassifier) -> list[tuple[str, str, str, str]]:
    """Return column, kind, rows that have a value, and prior; the middle of a long list is left out."""
    names = list(estimator._model.blocks)
    shown = names if len(names) <= MOST else [*names[: MOST // 2], None, *names[-(MOST // 2) :]]
    gap = ("…", f"{len(names) - len(shown) + 1} more", "", "")
    return [gap if name is None else _line(estimator, name) for name in shown]


def _line(estimator: TableClassifier, name: Name) -> tuple[str, str, str, str]:
    block = estimator._model.blocks[name]
    rows = float(np.sum(block.statistic.n)) if hasattr(block.statistic, "n") else 0.0
    return str(name), block.likelihood.word, f"{rows:,.15g}", block.likelihood.prior_in_words(block.t)
