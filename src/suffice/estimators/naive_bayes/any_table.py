"""Naive Bayes for any table."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError, LabelError
from suffice.estimators.shell import joint_sets
from suffice.estimators.shell.atomic import query
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.folds import FOLDS, fold_numbers, scored_by_folds
from suffice.estimators.shell.joint_sets import JointColumns, common_sets, kinds_of_groups, views_without
from suffice.estimators.shell.model_cards import as_text, parts_of_columns
from suffice.estimators.shell.parameters import (
    CHECKS,
    ClassPriorLike,
    Constraints,
    Estimate,
    Tempering,
    constraints_of,
    fit_context,
    is_loo,
)
from suffice.estimators.shell.table_answers import TABLE_DOMAINS, ColumnModels, TableAnswers
from suffice.models.answers.derived import parameter_table
from suffice.models.choices import Choice
from suffice.models.choosing.chooser import NOTHING_SETTLED, Effort, Settled, Wanted
from suffice.models.choosing.smoothing import Scored, choose_temper
from suffice.models.model import Model, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.removal import group_codes
from suffice.models.views import ColumnWeights, Views
from suffice.readers.joint_columns import counted_together
from suffice.readers.labels import Examples, Given
from suffice.readers.table import TableReader
from suffice.readers.table_columns import chosen_by_sample, closest, rechosen
from suffice.stats.word_counts import read_weights
from suffice.tables import Table, frame_of
from suffice.typing import Array, DataLike, GroupsLike, JournalKey, LabelArray, LabelsLike, WeightsLike

WEIGHED = 100  # smallest number of rows that column weights are fitted on


class NaiveBayes(TableAnswers, Classifier):
    """Naive Bayes for any table: numbers, categories, flags, counts and text, with missing values.

    Pass a dataframe and the name of its target. The values of a column determine its model: Bernoulli for True and
    False; categorical for short strings and for whole numbers with few distinct values; Gaussian, histogram, Poisson or
    categorical for other numbers, whichever the data favour; word counts for long strings. Joint columns, whose values
    are not independent within classes, are found. Missing values (None, NaN, NA, null) are not counted at fit and
    contribute nothing at predict. A category that training rows lack has the probability that the prior reserves for
    it.

    Parameters
    ----------
    columns : "auto" or dict, default="auto"
        Models of columns, by name: "bernoulli", "categorical", "gaussian", "histogram", "poisson", "text", "drop",
        "auto", or a model from ``sf.columns`` with a prior of its own. Other columns get models as described above.
        Models are fixed at the first fit. A chosen model, unlike a declared one, is a view: the counts keep enough of
        its column to merge with classifiers that chose differently, and `refresh` chooses again.
    estimate : {"mle", "map", "mean", "predictive"}, default="predictive"
        How the parameters of columns are estimated; "predictive" integrates them out.
    unseen : {"prior", "error"}, default="prior"
        What predict does with an unknown category: "prior" gives it the probability of a new category, "error" raises.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=1.0
        Prior over the classes. A number is the pseudo-count of every class, a Dirichlet holds one per class; `estimate`
        says how pseudo-counts and rows are combined. "counted" uses the class frequencies of the rows, "uniform" gives
        every class the same probability, and an array fixes the probabilities.
    temper : float, "loo" or None, default="loo"
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.
    feature_powers : "loo" or None, default="loo"
        Feature powers: an exponent per column, near 0 if other columns carry the same information, so that it counts
        once. "loo" chooses them by leave-one-out on the training rows, if there are at least 100; None gives every
        column power 1.
    ridge : float, default=None
        Strength of the ridge penalty that shrinks powers toward 1. If not given, it minimizes the log loss on held-out
        rows.
    effort : {"fast", "balanced", "best"}, default="balanced"
        How much time is spent on choices. "fast" fits no powers, and chooses the temper on at most 2,000 rows;
        "balanced" chooses both on at most 20,000 rows, "best" on at most 200,000. Rows are selected by a hash of their
        content, so that their order does not matter.
    joint : "auto", 2, 3, list of tuples or None, default="auto"
        Joint columns: sets of two or three columns whose joint value says more about the class than each column alone.
        "auto" chooses the sets, and their number, on held-out rows, and chooses none unless they improve the log loss
        of these rows; 2 or 3 also limits the columns of a set; a list such as ``[("age", "job")]`` declares the sets.
        The same rows choose whether numeric columns get one multivariate normal per class, whether values get residual
        terms, and what share of the labels may be wrong (label noise). None, or a list, makes none of these choices.
        The choices need feature_powers="loo", 100 rows and more effort than "fast". With Dask and Spark, counting the
        sets takes one more pass.
    memory_limit : int, default=2_000_000_000
        Approximate number of bytes for the counts of joint columns. A warning names the sets that do not fit.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    columns_ : dict
        The model of each column.
    statistics_ : dict
        The statistic of each column.
    n_features_in_ : int
        Number of columns, without the target.
    feature_names_in_ : ndarray
        Names of the columns at the first fit, if all are strings.
    feature_powers_ : dict
        The exponent of each column, or set of joint columns, that is not dropped: near 0 if others carry the same
        information.
    choices_ : Choices
        What was chosen on held-out rows, and the alternatives that were tried.
    temper_ : Temper
        The power that likelihoods are raised to, and the exponent of document length.
    joint_ : dict
        The model of each set of joint columns, with the log loss it saves; the largest power comes first.

    Examples
    --------
    >>> import suffice as sf
    >>> table = {
    ...     "hours": [1.5, 7.0, None, 2.0, 8.5, 6.0],
    ...     "city": ["Oslo", "Rome", "Oslo", "Oslo", "Rome", None],
    ...     "late": [True, False, True, None, False, False],
    ...     "passed": ["no", "yes", "no", "no", "yes", "yes"],
    ... }
    >>> model = sf.NaiveBayes().fit(table, "passed")
    >>> model.predict({"hours": [7.5, None], "city": ["Lima", "Oslo"], "late": [False, True]})
    array(['yes', 'no'], dtype='<U3')
    """

    _parameter_constraints: ClassVar[Constraints] = constraints_of(TABLE_DOMAINS)
    _tags = ("allow_nan", "categorical", "string", "sparse")

    def __init__(
        self,
        columns: ColumnModels = "auto",
        *,
        estimate: Estimate = "predictive",
        unseen: Literal["prior", "error"] = "prior",
        class_prior: ClassPriorLike = 1.0,
        temper: Tempering | None = "loo",
        feature_powers: Literal["loo"] | None = "loo",
        ridge: float | None = None,
        effort: Effort = "balanced",
        joint: JointColumns = "auto",
        memory_limit: int = 2_000_000_000,
    ) -> None:
        self.columns = columns
        self.estimate = estimate
        self.unseen = unseen
        self.class_prior = class_prior
        self.temper = temper
        self.feature_powers = feature_powers
        self.ridge = ridge
        self.effort = effort
        self.joint = joint
        self.memory_limit = memory_limit

    @fit_context
    def fit(
        self,
        X: DataLike,
        y: LabelsLike | None = None,
        sample_weight: WeightsLike = None,
        *,
        target: Hashable | None = None,
        groups: GroupsLike = None,
        journal: JournalKey = None,
    ) -> Self:
        """Fit the classifier to a table; forget what it learned before.

        Parameters
        ----------
        X : dataframe, dict of arrays, array or sparse matrix
            A table of pandas, polars (also lazy), pyarrow or another library, or other columns.
        y : array-like of shape (n_rows,), or str
            Class labels, or the name of the column that holds them.
        sample_weight : array-like of shape (n_rows,), default=None
            The weight of each row; 1 if not given.
        target : str, default=None
            The name of the column of class labels, instead of `y`.
        groups : array-like of shape (n_rows,), default=None
            Groups of dependent rows, such as those of one person. Choices on left-out rows leave out whole groups.
        journal : bool, str or bytes, default=None
            Whether to keep a journal of rows, so that `forget` refuses rows that were not learned. A key of your own
            hides the journal from people who can guess rows; it is not stored, and is needed again later.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        return self._fit(self._read_table(X, y, target, sample_weight, True), groups, journal)

    @fit_context
    def partial_fit(
        self,
        X: DataLike,
        y: LabelsLike | None = None,
        classes: LabelsLike | None = None,
        sample_weight: WeightsLike = None,
        *,
        target: Hashable | None = None,
        journal: JournalKey = None,
    ) -> Self:
        """Learn from one more batch of rows, without forgetting earlier batches.

        The first batch chooses the models of columns that are not declared, and the views (by default temper, powers
        and joint columns). If it chooses the same column models as all rows would, the counts are those of one fit.
        Views stay in force; ``stale_`` is True once they are older than the counts. ``refresh`` with all rows chooses
        models and views again; the model is then that of one fit.

        Parameters
        ----------
        X : dataframe, dict of arrays, array or sparse matrix
            A table, as for fit.
        y : array-like of shape (n_rows,), or str
            Class labels, or the name of the column that holds them.
        classes : array-like of shape (n_classes,), default=None
            All classes that can appear. If not given, any batch may add classes.
        sample_weight : array-like of shape (n_rows,), default=None
            The weight of each row; 1 if not given.
        target : str, default=None
            The name of the column of class labels, instead of `y`.
        journal : bool, str or bytes, default=None
            As for `fit` in the first batch; later the key of the journal, if it has one.

        Returns
        -------
        self : object
            The classifier.
        """
        first = not self.__sklearn_is_fitted__()
        return self._learn(self._read_table(X, y, target, sample_weight, first), classes, journal, first)

    def _wanted(self, rows: int) -> Wanted | None:
        temper: Literal["loo"] | None = "loo" if is_loo(self.temper) else None
        weights: Literal["blocks"] | None = "blocks" if is_loo(self.feature_powers) else None
        wanted = Wanted(None, temper, False, weights, self.ridge, WEIGHED, length_exponent=0.0, effort=self.effort)
        return wanted if temper or weights else None

    def score(self, X: DataLike, y: LabelsLike, sample_weight: WeightsLike = None) -> float:
        """Return the accuracy: the share of rows, or of their weights, whose class is predicted correctly.

        Parameters
        ----------
        X : dataframe, dict of arrays, array or sparse matrix
            A table, as for fit.
        y : array-like of shape (n_rows,), or str
            Class labels, or the name of the column that holds them.
        sample_weight : array-like of shape (n_rows,), default=None
            The weight of each row; 1 if not given.

        Returns
        -------
        accuracy : float
            Between 0 and 1.
        """
        if isinstance(y, str):
            _, _, (classes, codes) = self._reader.read(X, y, None, CHECKS)
            y = classes[codes]
        return float(super().score(X, y, sample_weight))

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

    def _known_classes(self, classes: LabelsLike | None, examples: Examples, first: bool) -> LabelArray:
        if first and classes is None:
            return examples.classes
        if first or classes is not None or self._model.declared is not None:
            return super()._known_classes(classes, examples, first)
        known, seen = self.classes_, examples.classes
        if known.dtype.kind != seen.dtype.kind and "U" in known.dtype.kind + seen.dtype.kind:
            raise LabelError(
                "The target",
                f"hold labels of the same kind as before, such as {known[:1].tolist()[0]!r}",
                got=seen[:1].tolist()[0],
            )
        return np.union1d(known, seen)

    def _count(self, examples: Examples) -> Model:
        before = self._model if self.__sklearn_is_fitted__() else None
        weights = examples.weights
        if weights is not None:
            if not weights.any():
                raise DataError("sample_weight", "give at least one row a weight above 0").but("got only zeros")
            examples = examples if weights.all() else examples.take(np.flatnonzero(weights > 0), self._reader)
        model = self._reader.count(examples.source, examples.labels, before, examples.classes)
        self._reader.tell_of_dropped(before, model, examples.source)
        return joint_sets.with_declared(self.joint, self._reader, examples, model, before)

    def _rechosen(self, examples: Examples, sample: bool = False) -> Model:
        weights = examples.weights
        if weights is not None and not weights.all():
            examples = examples.take(np.flatnonzero(weights > 0), self._reader)
        fresh = self._reader.count(examples.source, examples.labels, None, examples.classes)
        if sample and not np.allclose(fresh.n, self._model.n, rtol=1e-9):
            return chosen_by_sample(self._model, fresh)
        fresh = joint_sets.with_declared(self.joint, self._reader, examples, fresh, None)
        return rechosen(self._model, fresh.with_likelihoods(self._reader.likelihoods(fresh)))

    @property
    def _chose(self) -> bool:
        declared = self.columns if isinstance(self.columns, Mapping) else {}
        return super()._chose or any(name not in declared for name in self._model.alone)

    def _chosen(
        self, predictor: Predictor, examples: Examples, groups: GroupsLike, settled: Settled | None
    ) -> tuple[Model, Views]:
        model, free, kinds = predictor.model, not joint_sets.is_declared(self.joint), tuple[Choice, ...]()
        complete = settled is None and np.isclose(examples.counted, model.n.sum(), rtol=1e-9)
        if complete and self._chose and len(examples) < joint_sets.LEAST:
            return model, self._chosen_by_folds(examples, groups)
        if complete and groups is not None:
            normals, kinds = kinds_of_groups(predictor, self._reader, examples, groups, self._wanted(0))
            predictor = self._predictor_of(replace(model, blocks={**model.blocks, **normals}), Views())
        if free and complete:
            predictor = self._predictor_of(replace(predictor.model, blocks=predictor.model.alone), Views())
            count = partial(counted_together, examples.source, examples.labels)
            predictor, settled = self._joined(predictor, examples, groups, count)
        settled = settled or NOTHING_SETTLED
        settled = replace(settled, choices=(*kinds, *settled.choices))
        model, views = super()._chosen(predictor, examples, groups, settled)
        effective = joint_sets.effective_sets(model, views.weights)
        if free and isinstance(views.weights, ColumnWeights) and len(effective) < len(model.blocks):
            return replace(model, blocks=effective), replace(views, weights=views.weights.only(effective))
        return model, views

    def _chosen_by_folds(self, examples: Examples, groups: GroupsLike) -> Views:
        """Choose the temper of few rows, each scored with models of columns that the rows outside its fold choose."""
        wanted = self._wanted(len(examples))
        if wanted is None or not wanted.temper:
            return Views()
        group = None if groups is None else group_codes(groups, len(examples))
        few, order, group = examples.picked(self._reader, len(examples), group)
        fold = np.empty(len(few), np.int64)
        fold[order] = fold_numbers(few.codes[order], group, FOLDS)
        if group is not None:
            group = group[np.argsort(order)]
        scored = [Scored.of(judged, 0.0) for _, judged in scored_by_folds(self, few, group, fold, views=False)]
        return Views(temper=choose_temper(Scored.joined(scored)))

    def _joined(
        self, predictor: Predictor, examples: Examples, groups: GroupsLike, count: joint_sets.CountSets
    ) -> tuple[Predictor, Settled]:
        """Add joint columns, declared or chosen by these rows, with their counts in all rows."""
        joint, wanted, model = self.joint, self._wanted(len(examples)), predictor.model
        reader, found = self._reader.of(model), joint_sets.Found({})
        if joint_sets.is_declared(joint):
            found = joint_sets.Found(joint_sets.declared_laws(joint, reader, model, examples.source))
        elif wanted is not None and self._rows_for_sets():
            power = None if wanted.temper else self._temper(Views()).power
            order = 2 if joint == 2 else 3
            found = joint_sets.chosen_sets(predictor, reader, examples, groups, power, order, self.memory_limit)
        more = count(found.laws) if found.laws else {}
        if more:
            predictor = self._predictor_of(replace(model, blocks={**model.blocks, **more}), Views())
        return predictor, found.settled

    def _rows_for_sets(self) -> int:
        return joint_sets.rows_for_sets(self.joint, self._wanted(0))

    def _uncut(self) -> dict[str, object]:
        """Return parameters that count single columns only: joint columns are counted after rows have chosen them."""
        return {"joint": None}

    def _models(self, others: Sequence[Classifier]) -> list[Model]:
        return common_sets(super()._models(others), joint_sets.is_declared(self.joint))

    def _views_on(self, seen: Predictor, model: Model) -> Views:
        return views_without(seen, model)

    def _known_columns(self, X: Given, y: LabelsLike) -> tuple[Table, LabelArray]:
        table, _, (classes, codes) = self._reader.read(X, y, None, CHECKS)
        return table.only([name for name in table.names if name in self._model.blocks]), classes[codes]

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        name: str = super().__repr__(N_CHAR_MAX)
        return as_text(self, name) if self.__sklearn_is_fitted__() else name

    def _card_parts(self) -> Iterator[str]:
        yield from super()._card_parts()
        yield from parts_of_columns(self)

    @query
    def table(self, column: Name, level: float = 0.95) -> Any:
        """Return a dataframe of one column's posterior means and credible intervals, class by class.

        Parameters
        ----------
        column : str or int
            The column's name.
        level : float, default=0.95
            Posterior probability of each interval.

        Returns
        -------
        table : dataframe
            A dataframe of the library that the model was fitted with, or else of pandas, polars or pyarrow, whichever
            is installed. `n` is the number of rows that were counted.
        """
        check_is_fitted(self)
        if column not in self._model.blocks:
            near = closest(column, self._model.blocks)
            raise InputError("column", "be a column of the model", got=column).advise(near)
        block = self._model.blocks[column]
        return frame_of(parameter_table(block.settled, block.t, self.classes_, level), self._reader.backend)


def _weights(sample_weight: WeightsLike, rows: int) -> Array | None:
    """Return the weight of each row; a number is the weight of every row."""
    given: object = sample_weight
    return read_weights(np.full(rows, float(given)) if isinstance(given, Real) else given, rows)
