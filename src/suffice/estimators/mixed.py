"""Naive Bayes for any table."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError
from suffice.estimators.algebra import all_or_nothing
from suffice.estimators.kinds import closest
from suffice.estimators.rows import aligned, read
from suffice.estimators.shared import ESTIMATES
from suffice.estimators.table_counts import TableCounts
from suffice.estimators.views import TEMPER
from suffice.posterior import Dirichlet
from suffice.tables import frame_of

__all__ = ["NaiveBayes"]


class NaiveBayes(TableCounts):
    """Naive Bayes for the table you have: numbers, categories, flags, counts and text, with holes.

    Give it a dataframe and the name of its target. Each column gets a model by what it holds: True and False a
    Bernoulli; words and a few whole numbers a categorical; other numbers a Gaussian, a histogram, a Poisson or a
    categorical, whichever the data favour; long strings count words. Missing values (None, NaN, NA, null) do not count
    at fit and do not vote at predict. Categories never seen in training get the probability their prior keeps for them.

    Parameters
    ----------
    columns : "auto" or dict, default="auto"
        A model for some columns, the others get theirs as told above: "bernoulli", "categorical", "gaussian",
        "histogram", "poisson", "text", "drop", "auto", or one from ``sf.columns`` with a prior of its own. Models are
        settled at the first fit. One that was chosen, not declared, is a view: of such a column enough is kept to add
        models that have chosen differently, and `refresh` chooses anew.
    estimate : {"mle", "map", "mean", "predictive"}, default="predictive"
        How a column's parameters are estimated; "predictive" integrates them out.
    unseen : {"prior", "error"}, default="prior"
        What to do about a category that was never seen: give it the probability of a new one, or raise.
    fit_prior : bool, default=True
        Whether to learn the class prior from the data; otherwise it is uniform.
    class_prior : array of shape (n_classes,) or Dirichlet, default=None
        Class probabilities that the data do not change, or a belief that they do.
    temper : float, pair of floats, "loo" or None, default="loo"
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by
        leave-one-out on the rows that are given to fit. The class prior is not tempered.
    weights : "loo" or None, default="loo"
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
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", Dirichlet, None],
        "temper": TEMPER,
        "weights": [StrOptions({"loo"}), None],
        "ridge": [Interval(Real, 0, None, closed="neither"), None],
        "effort": [StrOptions({"fast", "balanced", "best"})],
    }

    def __init__(
        self,
        columns: Any = "auto",
        *,
        estimate: Any = "predictive",
        unseen: str = "prior",
        fit_prior: bool = True,
        class_prior: Any = None,
        temper: Any = "loo",
        weights: Any = "loo",
        ridge: float | None = None,
        effort: str = "balanced",
    ) -> None:
        self.columns = columns
        self.estimate = estimate
        self.unseen = unseen
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.temper = temper
        self.weights = weights
        self.ridge = ridge
        self.effort = effort

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
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
        """Fit to a table, forgetting whatever was learned before.

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
        with all_or_nothing(self):
            table, self._target, (classes, codes) = read(self, X, y, target)
            self._declared, self._chosen = None, {}
            self._start(table, classes)
            book = self._open(journal, classes[codes], sample_weight, first=True)
            self._learn(table, classes, codes, sample_weight)
            self._close(book, table)
            self._fit_views(table, classes[codes], sample_weight, groups)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
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
        with all_or_nothing(self):
            first = not hasattr(self, "classes_")
            table, labels = self._absorb(X, y, target, classes, sample_weight, first)
            self._close(self._open(journal, labels, sample_weight, first), table)
            if first:
                self._fit_views(table, labels, sample_weight)
            self._stale = not first
        return self

    def _absorb(self, X: Any, y: Any, target: Any, classes: Any, sample_weight: Any, first: bool) -> tuple[Any, Any]:
        """Count more rows; gives them as they were read, with their labels."""
        table, name, (seen, codes) = read(self, X, y, target)
        known = self._united(seen, classes, first)
        self._target = name if name is not None or first else self._target
        if first:
            self._declared, self._chosen = known if classes is not None else None, {}
            self._start(table, known)
        else:
            table = aligned(self, table)
        self._learn(table, known, np.asarray(np.searchsorted(known, seen))[codes], sample_weight)
        return table, seen[codes]

    def _fit_parts(self, parts: Iterable[tuple[Any, Any]]) -> None:
        """Count tables and labels part by part, forgetting what was learned; classes may turn up in any part."""
        first = True
        for table, labels in parts:
            self._absorb(table, labels, None, None, None, first)
            first = False
        if first:
            raise DataError("The argument 'paths' must lead to rows; the files have none.")
        self._stale = False

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose class is predicted right.

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
            _, _, (classes, codes) = read(self, X, y, None)
            y = classes[codes]
        return float(super().score(X, y, sample_weight))

    def table(self, column: Any, level: float = 0.95) -> Any:
        """What the model knows of one column, class by class: posterior means and intervals, as a dataframe.

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
        if column not in self.columns_:
            raise InputError(
                f"The argument 'column' must be one of the model's; got {column!r}.{closest(column, self.columns_)}"
            )
        told = self.columns_[column].table(self.statistics_[column], self.classes_, level)
        return frame_of(told, self._backend)
