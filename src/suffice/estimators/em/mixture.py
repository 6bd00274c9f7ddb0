"""Mixture models: EM over any generative classifier, without labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, MetaEstimatorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError
from suffice.estimators.em.base import EMSetup, FittedByEM, checked_copy, opened, without_views
from suffice.estimators.em.search import Clusters, Everywhere, Search, Start, given_shares, tell_of_clusters
from suffice.estimators.shell.atomic import query
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.model_cards import parts_of_weights
from suffice.estimators.shell.parameters import Constraints, Interval, RandomState, StrOptions, fit_nested
from suffice.later import logsumexp
from suffice.models.drawn_rows import log_base
from suffice.models.expectation import Weighed, bic, log_joint, share_out
from suffice.models.predictor import Predictor, RowsByName
from suffice.models.scoring.cells import AS_IT_IS
from suffice.notebook import figures
from suffice.stats.word_counts import read_weights
from suffice.typing import Array, DataLike, Integers, LabelsLike, WeightsLike

__all__ = ["Mixture"]


class Mixture(FittedByEM, MetaEstimatorMixin, ClusterMixin, BaseEstimator):
    """A mixture model, whose components are distributions of rows as a classifier has them for its classes.

    Components are Bernoullis for flags, multinomials for documents, Gaussians for numbers, or any mix of columns for
    tables, depending on the classifier. EM runs from several starts; the result with the highest evidence is kept.

    Parameters
    ----------
    estimator : classifier
        A generative classifier of this library. Fit refuses ComplementNB, LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis, a DirichletMultinomialNB with method="edcm", and a TextClassifier with
        model="complement" or a bursty model.
    n_components : int, "bic" or "evidence", default=2
        Number of clusters. "bic" chooses the number from 1 to `max_components` with the lowest BIC; "evidence" the one
        with the highest Cheeseman-Stutz evidence, for which the classifier needs a prior that is proper or learned.
    max_components : int, default=10
        Largest number of clusters to try if the number is chosen.
    n_init : int, default=4
        Number of starts. For numeric rows, starts come from k-means: the first, third, … on standardized columns, the
        others on the columns as they are. For other rows, the first, third, … start from rows that differ, the others
        from a random partition.
    max_iter : int, default=100
        Largest number of EM steps from each start, in each stage (see Notes).
    tol : float, default=1e-4
        Convergence tolerance: EM stops when a step changes the objective by at most this many nats per row.
    random_state : int, RandomState or None, default=None
        Seed or generator of the random starts.
    verbose : bool, default=False
        Whether to print a line for each step to standard error.
    record_bound : bool, default=False
        Whether to record the lower bound of each step in `bound_`.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier, whose classes are the clusters 0, 1, …; it can explain rows and be saved.
    n_components_ : int
        The number of clusters.
    weights_ : ndarray of shape (n_components,)
        Mixture weight of each cluster: the share of its rows; 0 for a cluster that has no rows left.
    labels_ : ndarray of shape (n_rows,)
        The cluster of each training row. Not available after a fit by an engine, where rows have no order.
    objective_ : list of float
        ln p(rows, parameters) from the best start: at the start, and after each step, stage by stage.
    bound_ : list of float
        With `record_bound`, the lower bound after the M step that follows each objective; it lies between that
        objective and the next (EM-4). NaN at the end of each stage.
    stages_ : list of int
        Index in `objective_` at which each stage begins. There is one stage, or three if the classifier learns its
        prior; objectives of different stages cannot be compared.
    n_iter_ : int
        Number of models from the best start on, the start included: the length of `objective_`.
    converged_ : bool
        Whether EM converged within `max_iter` steps in every stage.
    criterion_ : dict
        BIC or log evidence of each number of clusters that was tried, if the number was chosen.

    Notes
    -----
    A classifier learns its prior with ``prior="loo"`` or ``"evidence"``, or ``alpha="evidence"``. EM then has three
    stages. The first uses a weak prior that is fixed and the same for all clusters: for vectors, the
    normal-inverse-Wishart of Fraley and Raftery (2007) around the mean and the covariance of all rows; for numeric
    columns, the same prior column by column; for counts, one event at the mean rate; for flags and categories, a
    pseudo-count of one; for words, one row in total. Starts are compared by their evidence under this prior, or by the
    objective without a prior. The second stage learns the prior from the best clusters and continues with it. The third
    learns the prior once more, so that the model agrees with its counts.

    ``n_components="evidence"`` compares numbers of clusters under the learned prior; for vectors, with the mean of the
    weak prior. If each cluster has a full covariance, a drawn start is first smoothed by steps with one covariance for
    all clusters. Clusters that the rows do not distinguish raise a ``ConvergenceWarning``, whatever `converged_` is.
    Choices that need rows with labels (temper, feature powers, ``alpha="loo"``) and joint columns are disabled.
    ``SemiSupervised`` says when the objective can decrease within a stage. A cluster without rows gets weight 0, unless
    the class prior is uniform, given or a Dirichlet: then it keeps the prior's weight and parameters.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]
    >>> model = sf.Mixture(sf.BernoulliNB(), n_components=2, random_state=0).fit(X)
    >>> model.labels_ == model.labels_[0]
    array([ True,  True,  True, False, False, False])
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "estimator": "no_validation",
        "n_components": [Interval(Integral, 1, None, closed="left"), StrOptions({"bic", "evidence"})],
        "max_components": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "verbose": ["boolean"],
        "record_bound": ["boolean"],
    }

    _more = ("criterion_", "stages_", "bound_")

    n_components_: int
    weights_: Array
    labels_: Integers
    stages_: list[int]
    criterion_: dict[int, float]

    def __init__(
        self,
        estimator: Classifier,
        n_components: int | Literal["bic", "evidence"] = 2,
        *,
        max_components: int = 10,
        n_init: int = 4,
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: RandomState = None,
        verbose: bool = False,
        record_bound: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_components = n_components
        self.max_components = max_components
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.record_bound = record_bound

    @fit_nested
    def fit(
        self, X: DataLike, y: LabelsLike | None = None, sample_weight: WeightsLike = None, *, init: Start | None = None
    ) -> Self:
        """Fit the mixture to rows.

        Parameters
        ----------
        X : as for the estimator
            Training rows: an array, a table, or texts.
        y : ignored
            Accepted for compatibility with scikit-learn.
        sample_weight : array-like of shape (n_rows,), default=None
            The weight of each row; 1 if not given.
        init : array-like or fitted classifier, default=None
            A single start, in place of `n_init` starts: cluster probabilities of shape (n_rows, n_components), with
            rows that sum to one; a cluster label per row, with `n_components` distinct labels; for Gaussian
            classifiers, means of shape (n_components, n_features), each with its nearest rows; or an object whose
            `predict_proba` returns cluster probabilities.

        Returns
        -------
        self : object
            The fitted mixture.
        """
        X = list(X) if isinstance(X, Iterator) else X
        estimator = without_views(checked_copy(self.estimator, "Mixture"))
        (source, _), reader = opened(estimator, X), estimator._reader
        given = read_weights(sample_weight, reader.size(source))
        weights = np.ones(reader.size(source)) if given is None else given
        if not weights.any():
            raise InputError("sample_weight", "give at least one row a weight above 0").but("got only zeros")
        seen = np.flatnonzero(weights > 0)  # rows of weight 0 do not count, nor do their categories or words
        some = source if len(seen) == len(weights) else reader.take(source, seen)
        setup = EMSetup.of(estimator, [some])
        parts = [(setup.rows(some), weights[seen])]
        first = None if init is None else given_shares(init, X, seen, len(weights), self.n_components, setup, parts)
        clusters = self._fit(setup, parts, first=first)
        tell_of_clusters(clusters, self.max_iter)
        shares = clusters.shares
        if shares is None or some is not source:
            shares = self._shares(self.estimator_._reader.parts(source))
        self.labels_ = shares.argmax(axis=1)
        return self

    def _fit(
        self, setup: EMSetup, parts: Sequence[Weighed], everywhere: Everywhere | None = None, first: Array | None = None
    ) -> Clusters:
        """Find clusters in local rows; if these are a sample, continue with all rows of `everywhere`."""
        search = Search(setup, parts, self, check_random_state(self.random_state), everywhere, first)
        self.__dict__.pop("criterion_", None)
        if isinstance(self.n_components, str):
            clusters, self.criterion_ = search.chosen(self.n_components, self.max_components)
        else:
            clusters = search.best(int(self.n_components))
        self.estimator_ = setup.fitted(clusters.model)
        self._restored()
        self.stages_ = clusters.stages
        self._keep(clusters.history)
        return clusters

    def _restored(self) -> None:
        self.weights_ = np.exp(self.estimator_.class_log_prior_)
        self.n_components_ = len(self.weights_)

    def _card_parts(self) -> Iterator[str]:
        yield figures({"components": self.n_components_, "steps": self.n_iter_, "converged": self.converged_})
        yield from parts_of_weights(range(self.n_components_), self.weights_, "component", "weight")

    def _joint(self, X: DataLike) -> Array:
        check_is_fitted(self)
        return self.estimator_._answer(lambda _, rows: self._joint_of(rows), X)

    def _joint_of(self, rows: RowsByName) -> Array:
        """Return ln p(x, c) of rows, without the temper, since it is not part of a density."""
        return log_joint(replace(self.estimator_._predictor, temper=AS_IT_IS), rows)

    def _shares(self, parts: Iterable[RowsByName]) -> Array:
        joint = np.concatenate([self._joint_of(rows) for rows in parts])
        return share_out(joint, self.estimator_.class_log_prior_)[0]

    def predict(self, X: DataLike) -> Integers:
        """Return the most probable cluster of each row.

        Parameters
        ----------
        X : as for fit
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Cluster numbers, from 0.
        """
        return np.asarray(self.predict_proba(X).argmax(axis=1), np.int64)

    def predict_proba(self, X: DataLike) -> Array:
        """Return the probability of each cluster for each row.

        Parameters
        ----------
        X : as for fit
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_components)
            Probabilities; each row sums to one.
        """
        return share_out(self._joint(X), self.estimator_.class_log_prior_)[0]

    def score_samples(self, X: DataLike) -> Array:
        """Return ln p(x) of each row; for a text, that of its known words in their order.

        Every known word lowers it, and missing values do not: compare texts of one length, and rows with the same gaps.

        Parameters
        ----------
        X : as for fit
            Rows.

        Returns
        -------
        logs : ndarray of shape (n_samples,)
            Log-densities of numbers, log-probabilities of other values.
        """
        check_is_fitted(self)
        return self.estimator_._answer(self._log_density, X)

    def _log_density(self, predictor: Predictor, rows: RowsByName) -> Array:
        return np.asarray(logsumexp(self._joint_of(rows), axis=1)) + log_base(predictor, rows)

    def score(self, X: DataLike, y: LabelsLike | None = None) -> float:
        """Return the mean of ln p(x) over the rows.

        Parameters
        ----------
        X : as for fit
            Rows.
        y : ignored
            Accepted for compatibility with scikit-learn.

        Returns
        -------
        score : float
            Mean log-likelihood, in nats per row.
        """
        return float(self.score_samples(X).mean())

    @query
    def bic(self, X: DataLike) -> float:
        """Return the Bayesian information criterion, −2 ln p(X) + parameters · ln rows; lower is better.

        Parameters
        ----------
        X : as for fit
            Rows.

        Returns
        -------
        bic : float
            The criterion.
        """
        logs = self.score_samples(X)
        return bic(self.estimator_._model, float(logs.sum()), float(len(logs)))
