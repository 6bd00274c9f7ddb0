"""Classifiers of tables, with a block per column."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Literal, TypeAlias

import numpy as np

from suffice.errors import DataError, LabelError
from suffice.estimators.shell import joint_sets
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.folds import FOLDS, fold_numbers, scored_by_folds
from suffice.estimators.shell.grouped_columns import kinds_of_groups
from suffice.estimators.shell.model_cards import as_text, parts_of_columns
from suffice.estimators.shell.parameters import CHECKS
from suffice.estimators.shell.sets_apart import common_sets, views_without
from suffice.estimators.shell.stored import OF_FILES, State, written_views
from suffice.estimators.shell.stored_tables import SCHEMA, restored_table, weights_of
from suffice.models.answers.parts import Wording
from suffice.models.choices import Choice
from suffice.models.choosing.smoothing import Scored, choose_temper
from suffice.models.choosing.wanted import NOTHING_SETTLED, Settled
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Model, Name, Together
from suffice.models.open_columns import OpenBlock
from suffice.models.predictor import Predictor
from suffice.models.scoring.removal import group_codes
from suffice.models.views import ColumnWeights, Views
from suffice.readers.joint_columns import counted_together
from suffice.readers.labels import Examples, Given
from suffice.readers.table import TableReader, one_row
from suffice.readers.table_columns import columns_of, rechosen
from suffice.stats.word_counts import read_weights
from suffice.tables import Table
from suffice.typing import Array, GroupsLike, LabelArray, LabelsLike, RowLike, WeightsLike

__all__ = ["ColumnModels", "TableClassifier"]

ColumnModels: TypeAlias = Literal["auto"] | Mapping[str, Likelihood | str] | Mapping[int, Likelihood | str]
"""Models of columns by name; "auto" chooses the model of every column that is not named."""


class TableClassifier(Classifier):
    """A classifier of tables of any library, with a block per column."""

    _kind_of_rows = "table"

    columns: ColumnModels
    unseen: Literal["prior", "error"]
    feature_powers: Literal["loo"] | None
    joint: joint_sets.JointColumns
    memory_limit: int
    _reader: TableReader
    n_features_in_: int
    feature_names_in_: LabelArray

    _tags = ("allow_nan", "categorical", "string", "sparse")

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
        """Return a reader with the options that the parameters define."""
        return replace(reader, columns=self.columns, estimate=self.estimate, strict=self.unseen == "error")

    def _known_classes(self, classes: LabelsLike | None, examples: Examples, first: bool) -> LabelArray:
        if first and classes is None:
            return examples.classes
        if first or classes is not None or self._model.declared is not None:
            return super()._known_classes(classes, examples, first)
        known, seen = self.classes_, examples.classes
        if known.dtype.kind != seen.dtype.kind and "U" in known.dtype.kind + seen.dtype.kind:
            raise LabelError(
                f"The target must hold labels of the same kind as before, such as {known[:1].tolist()[0]!r}; got "
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
        return joint_sets.with_declared(self.joint, self._reader, examples, model, before)

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        self._reader = self._reader.of(model)
        super()._put(model, views, stale)
        self._reader, self.n_features_in_ = self._reader.of(self._model), len(self._model.alone)

    def _likelihoods(self, model: Model, views: Views) -> Mapping[Name, Likelihood]:
        return self._reader.likelihoods(model)

    def _rechosen(self, examples: Examples) -> Model:
        weights = examples.weights
        if weights is not None and not weights.all():
            examples = examples.take(np.flatnonzero(weights > 0), self._reader)
        fresh = self._reader.count(examples.source, examples.labels, None, examples.classes)
        fresh = joint_sets.with_declared(self.joint, self._reader, examples, fresh, None)
        return rechosen(self._model, fresh.with_likelihoods(self._reader.likelihoods(fresh)))

    @property
    def _chose(self) -> bool:
        declared = self.columns if isinstance(self.columns, Mapping) else {}
        return super()._chose or any(name not in declared for name in self._model.alone)

    def _choose(self, examples: Examples, groups: GroupsLike, settled: Settled | None = None) -> None:
        chosen = not joint_sets.is_declared(self.joint)
        complete = settled is None and np.isclose(examples.counted, self._model.n.sum(), rtol=1e-9)
        kinds: tuple[Choice, ...] = ()
        if complete and self._chose and len(examples) < joint_sets.LEAST:
            self._choose_by_folds(examples, groups)
            return
        if complete and groups is not None:
            normals, kinds = kinds_of_groups(self._predictor, self._reader, examples, groups, self._wanted(0))
            self._put(replace(self._model, blocks={**self._model.blocks, **normals}), Views(), stale=False)
        if chosen and complete:
            self._put(replace(self._model, blocks=self._model.alone), Views(), stale=False)
            settled = self._join(examples, groups, partial(counted_together, examples.source, examples.labels))
        settled = settled or NOTHING_SETTLED
        super()._choose(examples, groups, replace(settled, choices=(*kinds, *settled.choices)))
        model, views = self._model, self._predictor.views
        heard = joint_sets.heard_sets(model, views.weights)
        if chosen and isinstance(views.weights, ColumnWeights) and len(heard) < len(model.blocks):
            self._put(replace(model, blocks=heard), replace(views, weights=views.weights.only(heard)), self._stale)

    def _choose_by_folds(self, examples: Examples, groups: GroupsLike) -> None:
        """Choose the temper of few rows, each scored with models of columns that the rows outside its fold choose."""
        wanted = self._wanted(len(examples))
        if wanted is None or not wanted.temper:
            return
        group = None if groups is None else group_codes(groups, len(examples))
        few, order, group = examples.picked(self._reader, len(examples), group)
        fold = np.empty(len(few), np.int64)
        fold[order] = fold_numbers(few.codes[order], group, FOLDS)
        if group is not None:
            group = group[np.argsort(order)]
        scored = [Scored.of(judged, 0.0) for _, judged in scored_by_folds(self, few, group, fold, views=False)]
        self._put(self._model, Views(temper=choose_temper(Scored.joined(scored))), stale=False)

    def _join(self, examples: Examples, groups: GroupsLike, count: joint_sets.CountSets) -> Settled:
        """Add joint columns, declared or chosen by these rows, with their counts in all rows."""
        found = self._together(examples, groups)
        more = count(found.laws) if found.laws else {}
        if more:
            self._put(replace(self._model, blocks={**self._model.blocks, **more}), Views(), stale=False)
        return found.settled

    def _together(self, examples: Examples, groups: GroupsLike) -> joint_sets.Found:
        """Return the joint columns, as declared or as these rows choose them; not counted yet."""
        joint, wanted = self.joint, self._wanted(len(examples))
        if joint_sets.is_declared(joint):
            return joint_sets.Found(joint_sets.declared_laws(joint, self._reader, self._model, examples.source))
        if wanted is None or not self._rows_for_sets():
            return joint_sets.Found({})
        power = None if wanted.temper else self._temper(Views()).power
        order = 2 if joint == 2 else 3
        return joint_sets.chosen_sets(self._predictor, self._reader, examples, groups, power, order, self.memory_limit)

    def _rows_for_sets(self) -> int:
        return joint_sets.rows_for_sets(self.joint, self._wanted(0))

    def _uncut(self) -> dict[str, object]:
        """Return parameters that count single columns only: joint columns are counted after rows have chosen them."""
        return {"joint": None}

    def _models(self, others: Sequence[Classifier]) -> list[Model]:
        return common_sets(super()._models(others), joint_sets.is_declared(self.joint))

    def _views_on(self, seen: Predictor, model: Model) -> Views:
        return views_without(seen, model)

    @property
    def feature_powers_(self) -> dict[Name, float]:
        """The exponent of each column that is not dropped: near 0 if others carry the same information."""
        weights = self._predictor.views.weights if self.__sklearn_is_fitted__() else None
        return weights_of(self._model, weights)

    @property
    def joint_(self) -> dict[tuple[Name, ...], Likelihood]:
        """The model of each set of joint columns, the largest power first."""
        return joint_sets.joint_of(self._model, self.feature_powers_)

    def _named_features(self) -> list[Name]:
        return [name for name, block in self._model.voting.items() if not block.likelihood.correction]

    def _source(self, X: Given) -> Table:
        return self._reader.aligned(Table.read(X, "X"))

    def _one(self, x: RowLike) -> Table:
        return one_row(x)

    def _known_columns(self, X: Given, y: LabelsLike) -> tuple[Table, LabelArray]:
        table, _, (classes, codes) = self._reader.read(X, y, None, CHECKS)
        return table.only([name for name in table.names if name in self._model.blocks]), classes[codes]

    def _wording(self, source: Given, read: Table) -> Wording:
        return Wording.of_columns(self._model.voting, read)

    @property
    def _backend(self) -> str | None:  # type: ignore[override]
        return self._reader.backend

    # files and notebooks ----------------------------------------------------------------------------------------------

    def _get_state(self) -> State:
        """Return what a file stores besides the parameters."""
        model, reader = self._model, self._reader
        known = {**vars(self), "_declared": model.declared, "columns_": columns_of(model)}
        known |= {"_backend": reader.backend, "_named": reader.named, "_target": reader.target}
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
        restored_table(self, state)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        name: str = super().__repr__(N_CHAR_MAX)
        return as_text(self, name) if self.__sklearn_is_fitted__() else name

    def _card_parts(self) -> Iterator[str]:
        yield from super()._card_parts()
        yield from parts_of_columns(self)


def _weights(sample_weight: WeightsLike, rows: int) -> Array | None:
    """Return the weight of each row; a number is the weight of every row."""
    given: object = sample_weight
    return read_weights(np.full(rows, float(given)) if isinstance(given, Real) else given, rows)
