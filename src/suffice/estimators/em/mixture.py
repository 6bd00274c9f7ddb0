"""Clusters: EM over any generative classifier, without a single label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, MetaEstimatorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from suffice.estimators.em.reading import Begun, StandsOnClassifier, checked_copy, opened, without_views
from suffice.estimators.em.search import Clusters, Everywhere, Limits, Search, tell_of_clusters
from suffice.estimators.em.starts import Start, given_shares, weights_of_rows
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.model_cards import parts_of_weights
from suffice.estimators.shell.parameters import Constraints, Interval, RandomState, StrOptions, fit_nested
from suffice.later import logsumexp
from suffice.models.expectation import bic, log_joint, share_out
from suffice.models.predictor import RowsByName
from suffice.models.scoring.cells import AS_IT_IS
from suffice.models.shared_rows import Weighed
from suffice.notebook import figures
from suffice.typing import Array, DataLike, Integers, LabelsLike, WeightsLike

__all__ = ["Mixture"]


class Mixture(StandsOnClassifier, MetaEstimatorMixin, ClusterMixin, BaseEstimator):
    """A mixture model: clusters of rows, each described as a classifier describes a class.

    Bernoullis for flags, multinomials for documents, Gaussians for numbers, any mix of columns for tables: whatever the
    classifier is a model of. Clusters are found by EM from several starts; that of the highest evidence stays.

    Parameters
    ----------
    estimator : classifier
        A generative classifier of this library: all but ComplementNB and its kind.
    n_components : int, "bic" or "evidence", default=2
        How many clusters; or from 1 to `max_components` the number with the least BIC, or with the highest evidence by
        Cheeseman and Stutz, for which the classifier needs a prior, proper or learned.
    max_components : int, default=10
        The most clusters to try, where their number is to be chosen.
    n_init : int, default=4
        Starts. Of numbers, from k-means: the first, third, … with columns of one spread, the others with columns as
        they are. Of all else, the first, third, … are from rows that differ, the others from a random partition.
    max_iter : int, default=100
        Most steps from each start.
    tol : float, default=1e-4
        A step that changes the objective by no more than this, in nats a row, is the last.
    random_state : int, RandomState or None, default=None
        What starts are drawn with.
    verbose : bool, default=False
        Whether to tell of each step.
    record_bound : bool, default=False
        Whether to keep the lower bound of each step in `bound_`.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier, whose classes are the clusters 0, 1, …: it explains and can be saved.
    n_components_ : int
        The number of clusters.
    weights_ : ndarray of shape (n_components,)
        The share of rows that each cluster has; 0 for one that has died.
    labels_ : ndarray of shape (n_rows,)
        The cluster of each training row. Not set by engines, which have no order of rows.
    objective_ : list of float
        ln p of rows and parameters: at the start that was best, and after each step, stage by stage.
    bound_ : list of float
        With `record_bound`, the lower bound after the M step that follows each objective: between that objective and
        the next (EM-4). NaN where a stage ends.
    stages_ : list of int
        Where each stage begins in `objective_`: one stage, or where the classifier learns its prior, three. Each has
        an objective of its own.
    n_iter_ : int
        How often the model was made from that start.
    converged_ : bool
        Whether its steps came to an end.
    criterion_ : dict
        BIC or log evidence of each number of clusters that was tried.

    Notes
    -----
    Where the classifier learns its prior (``prior="loo"`` or ``"evidence"``, ``alpha="evidence"``), the first stage has
    a weak one that is fixed and the same for all clusters: of vectors, the normal-inverse-Wishart of Fraley and Raftery
    (2007) about the mean and the covariance of all rows; of columns of numbers, the same one by one; of counts, one
    event at the mean rate; of flags and categories a pseudo-count of one, of words one row in all. Starts are compared
    by their evidence under it (without any prior, by the objective). Then the prior is learned from the best clusters,
    and steps go on with it; then once more, so that the model is what its counts say. With
    ``n_components="evidence"`` numbers are compared under the learned prior; of vectors, with the mean of the weak one.
    Where each cluster has a full covariance, a drawn start is first smoothed by steps with one covariance for all.
    Clusters that rows do not tell apart are warned of (``ConvergenceWarning``), whatever `converged_` says.
    What a classifier chooses by rows and labels (temper, weights, `alpha="loo"`) is off here, and columns act alone.
    ``SemiSupervised`` says when the objective can fall within a stage. A cluster without rows dies, unless the class
    prior is uniform, given or a Dirichlet belief: then it keeps what that and the prior of its parameters say.

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
        """Find clusters.

        Parameters
        ----------
        X : as for the estimator
            Training rows: an array, a table, or texts.
        y : ignored
            There for scikit-learn's sake.
        sample_weight : array-like of shape (n_rows,), default=None
            What each row counts for; one if not given.
        init : array-like or fitted classifier, default=None
            Where to start, in place of `n_init` starts: shares, (n_rows, n_components), whose rows add up to one;
            the cluster of each row, (n_rows,), as any `n_components` labels; of numbers the mean of each cluster,
            (n_components, n_features), which has the rows that are nearest; or what has a `predict_proba` of rows.

        Returns
        -------
        self : object
            The fitted mixture.
        """
        X = list(X) if isinstance(X, Iterator) else X
        estimator = without_views(checked_copy(self.estimator, "Mixture"))
        (source, _), reader = opened(estimator, X), estimator._reader
        weights = weights_of_rows(sample_weight, reader.size(source))
        seen = np.flatnonzero(weights > 0)  # a row of no weight was not seen, nor what it holds
        some = source if len(seen) == len(weights) else reader.take(source, seen)
        begun = Begun.of(estimator, [some])
        parts = [(begun.rows(some), weights[seen])]
        first = None if init is None else given_shares(init, X, seen, len(weights), self.n_components, begun, parts)
        found = self._fit(begun, parts, first=first)
        tell_of_clusters(found, self.max_iter)
        shares = found.shares if some is source else self._shares(self.estimator_._reader.parts(source))
        self.labels_ = shares.argmax(axis=1)
        return self

    def _fit(
        self, begun: Begun, parts: Sequence[Weighed], everywhere: Everywhere | None = None, first: Array | None = None
    ) -> Clusters:
        """Find clusters of rows that are here; from there on, if they are some of many, of all rows everywhere."""
        compares = isinstance(self.n_components, str)
        limits = Limits(self.n_init, self.max_iter, self.tol, self.verbose, compares, self.record_bound)
        search = Search(begun, parts, limits, check_random_state(self.random_state), everywhere, first)
        self.__dict__.pop("criterion_", None)
        if isinstance(self.n_components, str):
            found, self.criterion_ = search.chosen(self.n_components, self.max_components)
        else:
            found = search.best(int(self.n_components))
        self.estimator_ = begun.fitted(found.model)
        self._restored()
        self.stages_ = found.stages
        self._keep(found.objective, found.bound, found.converged)
        return found

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
        """Return ln p(x, c) of rows; a temper that was given is no part of a density."""
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
            Numbers from 0.
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
            Rows add up to one.
        """
        return share_out(self._joint(X), self.estimator_.class_log_prior_)[0]

    def score_samples(self, X: DataLike) -> Array:
        """Return ln p(x) of each row; of a text, of its words in their order.

        Parameters
        ----------
        X : as for fit
            Rows.

        Returns
        -------
        logs : ndarray of shape (n_samples,)
            Log-densities, or log-probabilities.
        """
        return np.asarray(logsumexp(self._joint(X), axis=1))

    def score(self, X: DataLike, y: LabelsLike | None = None) -> float:
        """Return the mean of ln p(x) over rows.

        Parameters
        ----------
        X : as for fit
            Rows.
        y : ignored
            There for scikit-learn's sake.

        Returns
        -------
        score : float
            In nats a row.
        """
        return float(self.score_samples(X).mean())

    def bic(self, X: DataLike) -> float:
        """Return −2 ln p(X) + parameters · ln rows: the less, the better.

        Parameters
        ----------
        X : as for fit
            Rows.

        Returns
        -------
        bic : float
            Bayesian information criterion.
        """
        logs = self.score_samples(X)
        return bic(self.estimator_._model, float(logs.sum()), float(len(logs)))
