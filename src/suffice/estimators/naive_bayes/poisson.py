"""Naive Bayes for Poisson counts."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.estimators.naive_bayes.multinomial import checked_alpha, two_parameters
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.parameters import (
    COUNTS,
    EVIDENCE,
    Alpha,
    ClassPriorLike,
    Constraints,
    Estimate,
    ReadOptions,
    Tags,
    Tempering,
    Vector,
    class_prior_of,
)
from suffice.estimators.shell.stored import State
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.poisson import Poisson
from suffice.models.views import Views
from suffice.posterior import Gamma
from suffice.readers.one_block import MatrixReader
from suffice.stats import RateCounts, Statistic, TokenCounts
from suffice.stats.inputs import COUNT
from suffice.typing import Array

__all__ = ["PoissonNB"]


class PoissonNB(MatrixClassifier):
    """Naive Bayes for counts of independent events: calls, clicks, goals.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), Gamma, "evidence" or "loo", default=1.0
        Pseudo-events, and as many pseudo-rows, added to every feature: a prior rate of one event per row, with the
        weight of `alpha` rows. A Gamma states the prior in general. "evidence" chooses the Gamma, shared by all
        features, that maximizes the evidence of the training rows; "loo" chooses the number that minimizes the
        leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=1.0
        Prior over the classes. A number is the pseudo-count of every class, a Dirichlet holds one per class; `estimate`
        says how pseudo-counts and rows are combined. "counted" uses the class frequencies of the rows, "uniform" gives
        every class the same probability, and an array fixes the probabilities.
    estimate : {"mle", "map", "mean", "predictive"}, default="predictive"
        How rates are estimated; "predictive" integrates them out, which gives a negative binomial.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.

    Attributes
    ----------
    alpha_ : float, ndarray or Gamma
        The prior in use.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Total count of each feature in each class.
    rate_ : ndarray of shape (n_classes, n_features)
        Estimated rate of each feature in each class; the posterior mean for "predictive".
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[0, 5], [1, 7], [6, 1], [4, 0]]
    >>> sf.PoissonNB().fit(X, ["night", "night", "day", "day"]).predict([[5, 2]])
    array(['day'], dtype='<U5')
    """

    _parameter_constraints: ClassVar[Constraints] = {**COUNTS, "alpha": [*COUNTS["alpha"], Gamma, EVIDENCE]}
    _reading: ClassVar[ReadOptions] = {"accept_sparse": ["csr", "csc"], "ensure_all_finite": False}

    def __init__(
        self,
        *,
        alpha: Alpha | Gamma | Literal["evidence"] = 1.0,
        force_alpha: bool = True,
        class_prior: ClassPriorLike = 1.0,
        estimate: Estimate = "predictive",
        temper: Tempering | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.class_prior = class_prior
        self.estimate = estimate
        self.temper = temper

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    def _make_reader(self) -> MatrixReader:
        return MatrixReader(COUNT)

    def _likelihood(self, views: Views) -> Poisson:
        if not isinstance(self.alpha, Gamma) and isinstance(checked_alpha(self, views), str):
            return Poisson("evidence", self.estimate, factorials=False)
        shape, rate = two_parameters(self, Gamma, views)
        return Poisson(None, self.estimate, shape, rate, factorials=False)

    def _class_prior(self) -> ClassPrior:
        return class_prior_of(self)

    @property
    def alpha_(self) -> float | Vector | Gamma:
        """The prior in use: as given, or as "evidence" or "loo" chose it."""
        check_is_fitted(self)
        if not isinstance(self.alpha, str):
            return self.alpha
        settled = self._settled_as(Poisson)
        return settled.prior if isinstance(settled.prior, Gamma) else float(np.ravel(settled.shape)[0])

    @property
    def feature_count_(self) -> Array:
        """Total count of each feature in each class."""
        return np.asarray(self._statistic.counts)

    @property
    def rate_(self) -> Array:
        """Estimated rate of each feature in each class; the posterior mean for "predictive"."""
        settled = self._settled_as(Poisson)
        return np.asarray(settled.estimated(self._block.t.n, self._block.t.total, np.nan))

    def _kinds(self, likelihood: Likelihood) -> tuple[type[Statistic], ...]:
        return RateCounts, TokenCounts

    def _read_statistic(self, statistics: State) -> RateCounts:
        """Return totals and numbers of rows, which older files store separately."""
        found = statistics["features"]
        return (
            found if isinstance(found, RateCounts) else RateCounts(found.counts, statistics["classes"].counts[:, None])
        )
