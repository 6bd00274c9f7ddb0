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
from suffice.models.choosing.wanted import Effort, Wanted
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Name
from suffice.readers.table_columns import closest, columns_of
from suffice.tables import frame_of
from suffice.typing import DataLike, GroupsLike, JournalKey, LabelsLike, WeightsLike

__all__ = ["NaiveBayes"]

WEIGHED = 100  # fewer rows cannot tell which columns repeat each other


class NaiveBayes(TableClassifier):
    """Naive Bayes for the table you have: numbers, categories, flags, counts and text, with holes.

    Give it a dataframe and the name of its target. Each column gets a model by what it holds: True and False a
    Bernoulli; words and a few whole numbers a categorical; other numbers a Gaussian, a histogram, a Poisson or a
    categorical, whichever the data favour; long strings count words. Columns that act together are found. Missing
    values (None, NaN, NA, null) do not count at fit and do not vote at predict. Categories never seen in training get
    the probability their prior keeps for them.

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
        by 200,000. Rows are picked by their content: their order changes nothing.
    joint : "auto", 2, 3, list of tuples or None, default="auto"
        Sets of two or three columns that act together: their joint value says more than each column alone. "auto"
        chooses them, and how many, by rows that are kept out of the counts, and none unless they predict these better;
        2 or 3 is the most columns of a set; a list such as ``[("age", "job")]`` declares them. By the same rows it
        chooses whether numbers are one cloud, and whether values get terms of their own. All of it
        needs weights, 100 rows, and more effort than "fast". Engines read rows once more to count sets.
    memory_limit : int, default=2_000_000_000
        Bytes that sets of columns may take, about; a warning names those for which there is no room.

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
    joint_ : dict
        The sets of columns that act together, the weightiest first: what is believed, and the log loss each saves.

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
        feature_weights: Literal["loo"] | None = "loo",
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
        self.feature_weights = feature_weights
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
        X: DataLike,
        y: LabelsLike | None = None,
        classes: LabelsLike | None = None,
        sample_weight: WeightsLike = None,
        *,
        target: Hashable | None = None,
        journal: JournalKey = None,
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

    def _class_prior(self) -> ClassPrior:
        return class_prior_of(self)

    def _wanted(self, rows: int) -> Wanted | None:
        temper: Literal["loo"] | None = "loo" if is_loo(self.temper) else None
        weights: Literal["blocks"] | None = "blocks" if is_loo(self.feature_weights) else None
        wanted = Wanted(None, temper, False, weights, self.ridge, WEIGHED, length_exponent=0.0, effort=self.effort)
        return wanted if temper or weights else None

    @property
    def columns_(self) -> dict[Name, Likelihood]:
        """The model of each column."""
        return columns_of(self._model)

    @property
    def statistics_(self) -> dict[Name, Any]:
        """What was counted of each column."""
        return {name: block.statistic for name, block in self._model.alone.items()}

    def score(self, X: DataLike, y: LabelsLike, sample_weight: WeightsLike = None) -> float:
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

    def table(self, column: Name, level: float = 0.95) -> Any:
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
            near = closest(column, self._model.blocks)
            raise InputError(f"The argument 'column' must be one of the model's; got {column!r}.{near}")
        block = self._model.blocks[column]
        return frame_of(block.settled.table(block.t, self.classes_, level), self._reader.backend)
