"""Naive Bayes for any table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError, LabelError
from suffice.estimators.naive_bayes.parameters import CLASS_PRIOR, ESTIMATES, RIDGE, TEMPER, class_prior_of, is_loo
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.sklearn_api import CHECKS, StrOptions, fit_context
from suffice.estimators.shell.stored import State
from suffice.estimators.tables.state import as_html, as_text, restored, state_of
from suffice.models.answers.parts import Wording, reading
from suffice.models.choosing.chooser import Wanted
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Model, Name
from suffice.models.views import Views
from suffice.readers.labels import Examples
from suffice.readers.table import TableReader, columns_of, one_row
from suffice.readers.table_columns import closest, rechosen
from suffice.stats.word_counts import read_weights
from suffice.tables import Table, frame_of

__all__ = ["NaiveBayes"]

WEIGHED = 100
"""Fewer rows cannot tell which columns repeat each other."""


class NaiveBayes(Classifier):
    """Naive Bayes for the table you have: numbers, categories, flags, counts and text, with holes.

    Give it a dataframe and the name of its target. Each column gets a model by what it holds: True and False a
    Bernoulli; words and a few whole numbers a categorical; other numbers a Gaussian, a histogram, a Poisson or a
    categorical, whichever the data favour; long strings count words. Missing values (None, NaN, NA, null) do not count
    at fit and do not vote at predict. Categories never seen in training get the probability their prior keeps for them.

    Parameters
    ----------
    columns : "auto" or dict, default="auto"
        A model for some columns, the others get theirs as described above: "bernoulli", "categorical", "gaussian",
        "histogram", "poisson", "text", "drop", "auto", or one from ``sf.columns`` with a prior of its own. Models are
        settled at the first fit. One that was chosen, not declared, is a view: of such a column enough is kept to add
        models that have chosen differently, and `refresh` chooses anew.
    estimate : {"mle", "map", "mean", "predictive"}, default="predictive"
        How a column's parameters are estimated; "predictive" integrates them out.
    unseen : {"prior", "error"}, default="prior"
        What to do about a category that was never seen: give it the probability of a new one, or raise.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=1.0
        Belief about the classes. A number is a pseudo-count of each, however many there are, a Dirichlet has one for
        each; `estimate` says what is made of it and the counted rows. "counted" takes the shares of the rows as they
        are, "uniform" gives each class the same; probabilities in an array are not changed by rows.
    temper : float, "loo" or None, default="loo"
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by leave-one-out on the
        rows that are given to fit. The class prior is not tempered.
    feature_weights : "loo" or None, default="loo"
        Whether each column's evidence is raised to a power of its own, chosen by leave-one-out on the rows that are
        given to fit: near 0 where other columns say the same, so that it counts once.
    ridge : float, default=None
        How strongly weights are held at one. If not given, that with which most of the rows predict the others best.
    effort : {"fast", "balanced", "best"}, default="balanced"
        "fast" fits no weights, and chooses the temper by 2,000 rows at most; "balanced" chooses both by 20,000, "best"
        by all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    columns_ : dict
        The model of each column.
    statistics_ : dict
        What was counted of each column.
    n_features_in_ : int
        Columns seen at the first fit, without the target.
    feature_names_in_ : ndarray
        Their names, where they are strings.
    feature_weights_ : dict
        The exponent of each column that votes: near 0 where others have said it already.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "columns": [StrOptions({"auto"}), dict],
        "estimate": [ESTIMATES],
        "unseen": [StrOptions({"prior", "error"})],
        "class_prior": CLASS_PRIOR,
        "temper": TEMPER,
        "feature_weights": [StrOptions({"loo"}), None],
        "ridge": RIDGE,
        "effort": [StrOptions({"fast", "balanced", "best"})],
    }

    def __init__(
        self,
        columns: Any = "auto",
        *,
        estimate: Any = "predictive",
        unseen: str = "prior",
        class_prior: Any = 1.0,
        temper: Any = "loo",
        feature_weights: Any = "loo",
        ridge: float | None = None,
        effort: str = "balanced",
    ) -> None:
        self.columns = columns
        self.estimate = estimate
        self.unseen = unseen
        self.class_prior = class_prior
        self.temper = temper
        self.feature_weights = feature_weights
        self.ridge = ridge
        self.effort = effort

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags

    _reader: TableReader
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    @fit_context
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        target: Any = None,
        groups: Any = None,
        journal: Any = None,
    ) -> Self:
        """Learn from a table, forgetting whatever was learned before.

        Parameters
        ----------
        X : dataframe, dict of arrays, array or sparse matrix
            pandas, polars (lazy too), pyarrow, or anything else that has columns.
        y : array-like of shape (n_rows,), or str
            Class labels, or the name of the column that holds them.
        sample_weight : array-like of shape (n_rows,), default=None
            What each row counts for; one if not given.
        target : str, default=None
            The name of the column of labels, instead of `y`.
        groups : array-like of shape (n_rows,), default=None
            Rows that belong together, such as those of one person: each is left out with its whole group when temper
            and weights are chosen.
        journal : bool, str or bytes, default=None
            Whether to keep a journal of rows, so that `forget` refuses others. A key of your own, which is not stored
            and needed again, keeps the journal from those who can guess rows.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        return self._fit(self._read_table(X, y, target, sample_weight, True), groups, journal)

    @fit_context
    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        target: Any = None,
        journal: Any = None,
    ) -> Self:
        """Learn from more rows: what is counted is that of one fit, if the first batch settles the kinds as that would.

        Kinds of columns that are not declared, and what is chosen by rows (by default temper and weights), are chosen
        by the first batch and stay in force; ``stale_`` is True once temper and weights are older than the counts, and
        ``refresh`` with all rows chooses all of it anew: then the model is that of one fit.

        Parameters
        ----------
        X : dataframe, dict of arrays, array or sparse matrix
            A table, as for fit.
        y : array-like of shape (n_rows,), or str
            Class labels, or the name of the column that holds them.
        classes : array-like of shape (n_classes,), default=None
            All classes that can appear. If not given, new ones may turn up in any batch.
        sample_weight : array-like of shape (n_rows,), default=None
            What each row counts for; one if not given.
        target : str, default=None
            The name of the column of labels, instead of `y`.
        journal : bool, str or bytes, default=None
            As for `fit` in the first batch; later the key, if there is one.

        Returns
        -------
        self : object
            The classifier.
        """
        first = not self.__sklearn_is_fitted__()
        return self._learn(self._read_table(X, y, target, sample_weight, first), classes, journal, first)

    def _read(self, X: Any, y: Any, sample_weight: Any, first: bool) -> Examples:
        return self._read_table(X, y, None, sample_weight, first)

    def _read_table(self, X: Any, y: Any, target: Any, sample_weight: Any, first: bool) -> Examples:
        reader = TableReader() if first else self._reader
        reader = replace(reader, columns=self.columns, estimate=self.estimate, strict=self.unseen == "error")
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

    def _known_classes(self, classes: Any, examples: Examples, first: bool) -> NDArray[Any]:
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

    def _class_prior(self) -> ClassPrior:
        return class_prior_of(self)

    def _wanted(self, rows: int) -> Wanted | None:
        temper: Any = "loo" if is_loo(self.temper) else None
        weights: Any = "blocks" if is_loo(self.feature_weights) else None
        effort: Any = self.effort
        if temper is None and weights is None:
            return None
        return Wanted(None, temper, False, weights, self.ridge, WEIGHED, length_exponent=0.0, effort=effort)

    def _rechosen(self, examples: Examples) -> Model:
        weights = examples.weights
        if weights is not None and not weights.all():
            examples = examples.take(np.flatnonzero(weights > 0), self._reader)
        fresh = self._reader.count(examples.source, examples.labels, None, examples.classes)
        return rechosen(self._model, fresh.with_likelihoods(self._reader.likelihoods(fresh)))

    def _source(self, X: Any) -> Any:
        return self._reader.aligned(Table.read(X, "X"))

    def _one(self, x: Any) -> Any:
        return one_row(x)

    def _known_columns(self, X: Any, y: Any) -> tuple[Any, Any]:
        table, _, (classes, codes) = self._reader.read(X, y, None, CHECKS)
        return table.only([name for name in table.names if name in self._model.blocks]), classes[codes]

    def _wording(self, source: Any, read: Any) -> Wording:
        blocks = self._model.voting
        return Wording(readings={name: reading(block, read[name]) for name, block in blocks.items() if name in read})

    @property
    def _backend(self) -> str | None:  # type: ignore[override]
        return self._reader.backend

    @property
    def columns_(self) -> dict[Name, Likelihood]:
        """The model of each column."""
        return columns_of(self._model)

    @property
    def statistics_(self) -> dict[Name, Any]:
        """What was counted of each column."""
        return {name: block.statistic for name, block in self._model.blocks.items()}

    @property
    def feature_weights_(self) -> dict[Any, float]:
        """The exponent of each column that votes: near 0 where others have said it already."""
        weights = self._predictor.views.weights if self.__sklearn_is_fitted__() else None
        return {name: 1.0 if weights is None else weights.of_block(name) for name in self._model.voting}

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class is predicted right.

        Parameters
        ----------
        X : dataframe, dict of arrays, array or sparse matrix
            A table, as for fit.
        y : array-like of shape (n_rows,), or str
            Class labels, or the name of the column that holds them.
        sample_weight : array-like of shape (n_rows,), default=None
            What each row counts for; one if not given.

        Returns
        -------
        accuracy : float
            Between 0 and 1.
        """
        if isinstance(y, str):
            _, _, (classes, codes) = self._reader.read(X, y, None, CHECKS)
            y = classes[codes]
        return float(super().score(X, y, sample_weight))

    def table(self, column: Any, level: float = 0.95) -> Any:
        """Return what the model knows of one column, class by class: posterior means and intervals, as a dataframe.

        Parameters
        ----------
        column : str or int
            The column's name.
        level : float, default=0.95
            Probability that the intervals hold.

        Returns
        -------
        table : dataframe
            Of the library that the model was fitted with, or pandas, polars or pyarrow, whichever there is. `n` is the
            number of rows that were counted.
        """
        check_is_fitted(self)
        if column not in self._model.blocks:
            known = self._model.blocks
            raise InputError(
                f"The argument 'column' must be one of the model's; got {column!r}.{closest(column, known)}"
            )
        block = self._model.blocks[column]
        return frame_of(block.settled.table(block.t, self.classes_, level), self._reader.backend)

    def _get_state(self) -> State:
        return state_of(self)

    def _set_state(self, state: State) -> None:
        restored(self, state)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        name: str = super().__repr__(N_CHAR_MAX)
        return as_text(self, name) if self.__sklearn_is_fitted__() else name

    def _repr_html_(self) -> str:
        return as_html(self, super().__repr__())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _weights(sample_weight: Any, rows: int) -> Any:
    """Return what each row counts for: as given, or one number for all."""
    each = np.full(rows, float(sample_weight)) if isinstance(sample_weight, Real) else sample_weight
    return read_weights(each, rows)
