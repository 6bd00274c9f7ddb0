"""Naive Bayes for counts of independent events."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from suffice.estimators.counts import EVIDENCE, CountClassifier, TotalsClassifier
from suffice.estimators.views import TEMPER
from suffice.models import Poisson, Scorer
from suffice.models.empirical.pseudo_counts import gamma_of_counts, rate_terms
from suffice.models.evidence import log_coefficient
from suffice.models.empirical.weak import weak_rate
from suffice.posterior import Gamma
from suffice.typing import Array

__all__ = ["PoissonNB"]


class PoissonNB(TotalsClassifier):
    """Naive Bayes for counts of independent events: calls, clicks, goals.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), Gamma, "evidence" or "loo", default=1.0
        Events, and the same number of rows they were seen in, added to every feature: a prior guess of one event a row,
        worth `alpha` rows. A Gamma says it in general; "evidence" finds the one, for all features, that makes the
        training rows most probable, "loo" the number of least leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    fit_prior : bool, default=True
        Whether to learn the class prior from the data; otherwise it is uniform.
    class_prior : array of shape (n_classes,) or Dirichlet, default=None
        Class probabilities that the data do not change, or a belief that they do.
    estimate : {"mle", "map", "mean", "predictive"}, default="predictive"
        How the rates are estimated; "predictive" integrates them out (negative binomial).
    temper : float, pair of floats, "loo" or None, default=None
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by
        leave-one-out on the rows that are given to fit. The class prior is not tempered.

    Attributes
    ----------
    alpha_ : float, ndarray or Gamma
        The prior in use.
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Total count of each feature in each class.
    rate_ : ndarray of shape (n_classes, n_features)
        Estimated rate of each feature in each class (the posterior's mean for "predictive").
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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CountClassifier._parameter_constraints,
        "alpha": [*CountClassifier._parameter_constraints["alpha"], Gamma, EVIDENCE],
        "temper": TEMPER,
    }

    _orders = False

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        estimate: Any = "predictive",
        temper: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.estimate = estimate
        self.temper = temper

    @property
    def rate_(self) -> Array:
        """Rate of each feature in each class."""
        rates: Array = self._view("rates", self._rates)
        return rates

    def _remake(self) -> None:
        self._remake_prior()
        self._event = Poisson(*self._two_parameters(Gamma), self.estimate)
        if self.estimate == "map":  # may be refused: now, not later
            self._view("rates", self._rates)

    def _find_prior(self) -> Gamma:
        t: Any = self._features
        return gamma_of_counts(rate_terms(t.counts, self.class_count_[:, None]))

    def _weak_priors(self, whole: dict[str, Any], k: int) -> dict[str, Any]:
        return {name: weak_rate(whole["features"], whole["classes"].counts) for name in self._own_priors()}

    def _counted_rows(self, X: Any) -> tuple[Any, Any]:
        return self._read_rows(X), partial(log_coefficient, lengths=False)

    def _rates(self) -> Array:
        t: Any = self._features
        rates: Array = self._event.rates(t, self.class_count_[:, None])
        return rates

    def _scorer_of(self, t: Any, n: Array) -> Scorer:
        scorer: Scorer = self._event.scorer(t, n[:, None])
        return scorer
