"""Answer by a model of tables, and read it from a file, without scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from suffice.errors import DataError, ShapeError
from suffice.estimators.shell.answering import Answers
from suffice.estimators.shell.parameter_domains import (
    CLASS_PRIORS,
    EFFORTS,
    ESTIMATE,
    RIDGES,
    TEMPERS,
    ClassPriorLike,
    Domain,
    OneOf,
    Within,
)  # fmt: skip
from suffice.estimators.shell.stored import (
    OF_FILES,
    State,
    check_labels,
    check_schema,
    checked_journal,
    read_views,
    written_views,
)
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.cloud import Cloud
from suffice.models.likelihoods.joint import Joint
from suffice.models.model import Block, Model, Name, Together
from suffice.models.open_columns import Numbers, OpenBlock
from suffice.models.views import ColumnWeights, Views
from suffice.readers.table import TableReader
from suffice.readers.table_columns import check_block, columns_of
from suffice.stats import ClassCounts, FullMoments, JointCounts
from suffice.typing import LabelArray

if TYPE_CHECKING:
    from suffice.estimators.shell.joint_sets import JointColumns

SCHEMA = ("_declared", "n_features_in_", "feature_names_in_", "_backend", "_named", "_target", "columns_", "joint_")

TABLE_DOMAINS: dict[str, Domain] = {
    "columns": [OneOf(frozenset({"auto"})), dict],
    "estimate": [ESTIMATE],
    "unseen": [OneOf(frozenset({"prior", "error"}))],
    "class_prior": CLASS_PRIORS,
    "temper": TEMPERS,
    "feature_powers": [OneOf(frozenset({"loo"})), None],
    "ridge": RIDGES,
    "effort": [EFFORTS],
    "joint": [OneOf(frozenset({"auto"})), Within(Integral, 2, 3, "both"), list, None],
    "memory_limit": [Within(Integral, 1, None, "left")],
}
"""Allowed values of the parameters of NaiveBayes."""


ColumnModels: TypeAlias = Literal["auto"] | Mapping[str, Likelihood | str] | Mapping[int, Likelihood | str]
"""Models of columns by name; "auto" chooses the model of every column that is not named."""


class TableAnswers(Answers):
    """A model of tables, with a block per column: `NaiveBayes`, or one that was read from a file and cannot learn."""

    _kind_of_rows = "table"
    domains: ClassVar[dict[str, Domain]] = TABLE_DOMAINS

    columns: ColumnModels
    unseen: Literal["prior", "error"]
    class_prior: ClassPriorLike
    feature_powers: Literal["loo"] | None
    joint: JointColumns
    memory_limit: int
    feature_names_in_: LabelArray
    _reader: TableReader

    def __init__(self, **given: object) -> None:
        vars(self).update(given)

    def _likelihoods(self, model: Model, views: Views) -> Mapping[Name, Likelihood]:
        return self._reader.likelihoods(model)

    def _as_told(self, reader: TableReader) -> TableReader:
        return replace(reader, columns=self.columns, estimate=self.estimate, strict=self.unseen == "error")

    @property
    def n_features_in_(self) -> int:
        """Number of columns, without the target."""
        return len(self._model.alone)

    @property
    def columns_(self) -> dict[Name, Likelihood]:
        """The model of each column."""
        return columns_of(self._model)

    @property
    def statistics_(self) -> dict[Name, Any]:
        """The statistic of each column."""
        return {name: block.statistic for name, block in self._model.alone.items()}

    @property
    def feature_powers_(self) -> dict[Name, float]:
        """The exponent of each column that is not dropped: near 0 if others carry the same information."""
        weights = self._predictor.views.weights if self.__sklearn_is_fitted__() else None
        return {name: 1.0 if weights is None else weights.of_block(name) for name in self._model.voting}

    @property
    def joint_(self) -> dict[tuple[Name, ...], Likelihood]:
        """The model of each set of joint columns, the largest power first."""
        powers, blocks = self.feature_powers_, self._model.blocks
        names = sorted((name for name in blocks if isinstance(name, Together)), key=lambda name: -powers[name])
        return {name.columns: blocks[name].settled for name in names}

    def _get_state(self) -> State:
        """Return what a file stores besides the parameters."""
        model, reader = self._model, self._reader
        known = {**vars(self), "_declared": model.declared, "columns_": self.columns_}
        known |= {"_backend": reader.backend, "_named": reader.named, "_target": reader.target}
        known["n_features_in_"] = self.n_features_in_
        opened = {name: block for name, block in model.blocks.items() if isinstance(block, OpenBlock)}
        kept = {name: block.numbers.parts for name, block in opened.items() if block.numbers is not None}
        statistics = {
            "rows": model.rows,
            "columns": {name: block.statistic for name, block in model.alone.items()},
            "open": kept,
        }
        together = {name: block for name, block in model.blocks.items() if isinstance(name, Together)}
        if together:
            known["joint_"] = [(name.columns, block.likelihood) for name, block in together.items()]
            statistics["joint"] = [block.statistic for block in together.values()]
        journal = {} if self._journal is None else {"journal": self._journal}
        return {
            "classes": model.classes,
            "schema": {name: known[name] for name in (*SCHEMA, *OF_FILES) if name in known},
            "statistics": statistics | journal,
            "views": written_views(self._predictor.views, self._stale),
        }

    def _set_state(self, state: State) -> None:
        """Restore a state from a file, which may be forged; raise if it is invalid for this class."""
        classes, schema, statistics = state["classes"], dict(state["schema"]), dict(state["statistics"])
        check_labels(classes)
        check_schema(schema, SCHEMA)
        views, stale = read_views(state["views"], ColumnWeights)
        self._journal = checked_journal(statistics)
        named, backend = schema["_named"], schema["_backend"]
        if backend not in (None, "pandas", "polars", "pyarrow") or type(named) is not bool:
            raise DataError("The library of the table", "be pandas, polars, pyarrow or None", got=backend)
        model = _model(classes, schema, statistics)
        reader = TableReader(named=named, backend=backend, target=schema["_target"])
        self._reader = self._as_told(reader).of(model)
        self.__dict__.update({name: schema[name] for name in ("feature_names_in_", *OF_FILES) if name in schema})
        self._put(model, views, stale)


def _model(classes: LabelArray, schema: State, statistics: State) -> Model:
    columns, counted = schema["columns_"], statistics["columns"]
    kept = {name: Numbers.of_parts(parts) for name, parts in statistics["open"].items()}
    if not isinstance(columns, dict) or not isinstance(counted, dict) or list(columns) != list(counted):
        raise DataError("A table", "have a model and a statistic for each of its columns")
    if set(kept) - set(columns):
        raise DataError("The kept numbers", "belong to columns of the table")
    rows = statistics["rows"]
    if type(rows) is not ClassCounts or rows.shape != (len(classes),):
        raise ShapeError("A table", f"have a number of rows for each of {len(classes)} classes")
    blocks = {name: OpenBlock(likelihood, counted[name], kept.get(name)) for name, likelihood in columns.items()}
    for name, block in blocks.items():
        check_block(name, block, len(classes))
    together = _read_sets(schema.get("joint_", []), statistics.get("joint", []), columns, len(classes))
    return Model(classes, rows, {**blocks, **together}, schema["_declared"])


def _read_sets(named: object, counts: object, columns: Mapping[Name, Likelihood], classes: int) -> dict[Name, Block]:
    """Return the joint columns in a file; raise unless they are columns of the table with fitting counts."""
    if not isinstance(named, list) or not isinstance(counts, list) or len(named) != len(counts):
        raise DataError("Each set of joint columns", "have a statistic")
    found = dict[Name, Block]()
    for entry, t in zip(named, counts, strict=True):
        names, law = entry if isinstance(entry, tuple | list) and len(entry) == 2 else ((), None)
        if len(names) < 2 or not all(name in columns for name in names):
            raise DataError("Joint columns", "be at least two columns of the table")
        if law is None or not _fit(law, t, len(names), classes):
            raise ShapeError("Joint columns", f"have a model, and joint counts of {classes} classes")
        found[Together(names)] = Block(law, t)
    return found


def _fit(law: object, t: object, columns: int, classes: int) -> bool:
    """Return whether a likelihood and a statistic fit each other, and the numbers of columns and classes."""
    if isinstance(law, Cloud):
        return type(t) is FullMoments and t.mean.shape == (classes, columns)
    fit = isinstance(law, Joint) and columns <= 3 and len(law.edges) == columns
    return fit and type(t) is JointCounts and t.shape == (classes,) and len(t.sizes) in (0, columns)
