"""Naive Bayes for any table."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar, Literal, Self

from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError
from suffice.estimators.shell.joint_sets import JointColumns
from suffice.estimators.shell.parameters import (
    CHECKS,
    ClassPriorLike,
    Constraints,
    Estimate,
    Tempering,
    class_prior_of,
    constraints_of,
    fit_context,
    is_loo,
)
from suffice.estimators.shell.stored_tables import TABLE_DOMAINS
from suffice.estimators.shell.table_classifier import ColumnModels, TableClassifier
from suffice.models.answers.features import parameter_table
from suffice.models.choosing.wanted import Effort, Wanted
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Name
from suffice.readers.table_columns import closest, columns_of
from suffice.tables import frame_of
from suffice.typing import DataLike, GroupsLike, JournalKey, LabelsLike, WeightsLike

__all__ = ["NaiveBayes"]

WEIGHED = 100  # smallest number of rows that column weights are fitted on


class NaiveBayes(TableClassifier):
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

    def _class_prior(self) -> ClassPrior:
        return class_prior_of(self)

    def _wanted(self, rows: int) -> Wanted | None:
        temper: Literal["loo"] | None = "loo" if is_loo(self.temper) else None
        weights: Literal["blocks"] | None = "blocks" if is_loo(self.feature_powers) else None
        wanted = Wanted(None, temper, False, weights, self.ridge, WEIGHED, length_exponent=0.0, effort=self.effort)
        return wanted if temper or weights else None

    @property
    def columns_(self) -> dict[Name, Likelihood]:
        """The model of each column."""
        return columns_of(self._model)

    @property
    def statistics_(self) -> dict[Name, Any]:
        """The statistic of each column."""
        return {name: block.statistic for name, block in self._model.alone.items()}

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
            raise InputError(f"The argument 'column' must be a column of the model; got {column!r}.{near}")
        block = self._model.blocks[column]
        return frame_of(parameter_table(block.settled, block.t, self.classes_, level), self._reader.backend)
