"""Naive Bayes for word counts."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError
from suffice.estimators.counts import EVIDENCE, LOO, CountClassifier, TotalsClassifier
from suffice.estimators.shared import class_log_prior
from suffice.estimators.views import TEMPER
from suffice.estimators.weights import FeatureWeights
from suffice.models import Multinomial, Scorer
from suffice.models.empirical.pseudo_counts import one_alpha, symmetric_terms
from suffice.models.evidence import log_coefficient
from suffice.models.removal import group_codes
from suffice.models.sample import some_rows
from suffice.models.text_model import TextModel
from suffice.models.empirical.weak import weak_count
from suffice.models.weights import fit_weights
from suffice.models.word_weights import Documents, Tokens, WordRows, choose
from suffice.posterior import Dirichlet
from suffice.stats.inputs import Rows
from suffice.stats.words import read_weights
from suffice.text import Analysis
from suffice.typing import Array

__all__ = ["MultinomialNB"]

ENOUGH = 8000
"""Rows that the ridge is chosen by."""


class MultinomialNB(TotalsClassifier):
    """Naive Bayes for word counts: documents of any length, as counts of each word.

    A drop-in for scikit-learn's class of the same name, with more ways to estimate.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), Dirichlet, "evidence" or "loo", default=1.0
        Pseudo-counts added to every word; 0 for none. "evidence" finds the number that makes the training rows most
        probable, "loo" the one of least leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    fit_prior : bool, default=True
        Whether to learn the class prior from the data; otherwise it is uniform.
    class_prior : array of shape (n_classes,) or Dirichlet, default=None
        Class probabilities that the data do not change, or a belief that they do.
    estimate : {"mle", "map", "mean", "predictive"}, default="mean"
        How words' probabilities are estimated: by maximum likelihood, the posterior's mode or its mean, or not at all,
        by integrating them out (the whole document is then scored by the Dirichlet-multinomial).
    temper : float, pair of floats, "loo" or None, default=None
        Power that likelihoods are raised to, so that probabilities are honest, and an exponent of the
        document's length that it is divided by. "loo" chooses it by
        leave-one-out on the rows that are given to fit. The class prior is not tempered.
    weights : "loo" or None, default=None
        Evidence weights: an exponent for each word, so that what several words say counts once. "loo" takes those with
        which each row is predicted best by what the others taught.
    ridge : float, default=None
        How strongly weights are held at one. If not given, that with which most of the rows predict the others best.

    Attributes
    ----------
    alpha_ : float, ndarray or Dirichlet
        The pseudo-counts in use.
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Total count of each word in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Log-probability of each word in each class.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the words, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[2, 1, 0], [1, 2, 0], [0, 1, 3], [0, 0, 2]]
    >>> model = sf.MultinomialNB().fit(X, ["ham", "ham", "spam", "spam"])
    >>> model.predict([[1, 1, 0], [0, 1, 2]])
    array(['ham', 'spam'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CountClassifier._parameter_constraints,
        "alpha": [*CountClassifier._parameter_constraints["alpha"], Dirichlet, EVIDENCE],
        "temper": TEMPER,
        "weights": [LOO, None],
        "ridge": [Interval(Real, 0, None, closed="neither"), None],
    }

    _orders = True

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        estimate: Any = "mean",
        temper: Any = None,
        weights: Any = None,
        ridge: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.estimate = estimate
        self.temper = temper
        self.weights = weights
        self.ridge = ridge

    @property
    def feature_log_prob_(self) -> Array:
        """Log-probability of each word in each class."""
        logs: Array = self._view("log_theta", self._log_theta)
        return logs

    def _remake(self) -> None:
        self._remake_prior()
        self._event = Multinomial(self._pseudo_counts("Dirichlet"), self.estimate, self._exponents())
        if self.estimate == "map":  # may be refused: now, not later
            self._view("log_theta", self._log_theta)

    @property
    def weights_(self) -> Array:
        """The evidence weight of each word: near 0 where other words have said it already."""
        check_is_fitted(self)
        chosen = self._exponents()
        return np.ones(self.n_features_in_) if chosen is None else chosen

    def _exponents(self) -> Array | None:
        return None if self._weights is None else self._weights.features

    def _fit_weights(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> FeatureWeights:
        alpha = self._check_alpha() if not isinstance(self.alpha, Dirichlet) else None
        if alpha is None or np.ndim(alpha) or alpha <= 0 or self.estimate not in ("mean", "mle", "map"):
            raise InputError(
                "The 'weights' parameter of MultinomialNB can be 'loo' with one alpha above 0 for all words and an "
                f"estimate other than 'predictive'; got alpha={self.alpha!r}, estimate={self.estimate!r}."
            )
        matrix, codes = csr_matrix(self._read_rows(X), dtype=np.float64), self._codes_of(y)
        given = read_weights(sample_weight, len(codes))
        group = None if groups is None else group_codes(groups, len(codes))
        given = np.ones(len(codes)) if given is None else given
        documents = Documents(matrix, codes, given, group, lambda n: class_log_prior(self, n))
        counts: Any = Tokens(csr_matrix(self.feature_count_), self._classes.counts)
        model = TextModel("multinomial", counts, Analysis(), float(alpha), self.estimate)
        few = documents.some(some_rows(len(codes), ENOUGH, group))
        start = choose(model, few, model.alpha, self.temper_, self.ridge, True).start
        found = fit_weights(WordRows.of(model, documents, self.temper_), start.ridge, start)
        terms = dict(zip(self.classes_.tolist(), found.classes.tolist(), strict=True))
        return FeatureWeights(terms, found.ridge, found.features)

    def _find_prior(self) -> float:
        t: Any = self._features
        return one_alpha(symmetric_terms(t.counts, t.counts.shape[1], t.counts.sum(axis=1)))

    def _weak_priors(self, whole: dict[str, Any], k: int) -> dict[str, Any]:
        words, rows = whole["features"].counts, whole["classes"].counts
        alpha = weak_count(float(words.sum()), float(rows.sum()), words.shape[1], self.estimate)
        return dict.fromkeys(self._own_priors(), alpha)

    def _log_theta(self) -> Array:
        logs: Array = self._event.log_theta(self._features)
        return logs

    def _lengths(self, X: Any) -> Array:
        return self._lengths_of_rows(Rows.read(self._read_rows(X), "X"))

    def _lengths_of_rows(self, rows: Rows) -> Array:
        return np.asarray(rows.matrix.sum(axis=1, dtype=np.float64)).ravel()

    def _scorer_of(self, t: Any, n: Array) -> Scorer:
        scorer: Scorer = self._event.scorer(t)
        return scorer

    def _counted_rows(self, X: Any) -> tuple[Any, Any]:
        return self._read_rows(X), log_coefficient

    def _pseudo_counts(self, family: str) -> Array:
        if isinstance(self.alpha, Dirichlet):
            if self.alpha.alpha.shape != (self.n_features_in_,):
                raise ValueError(
                    f"The 'alpha' parameter of {type(self).__name__} must be a {family} of {self.n_features_in_} "
                    f"categories, one per feature. Got one of shape {self.alpha.alpha.shape} instead."
                )
            return self.alpha.alpha
        return np.broadcast_to(np.asarray(self._check_alpha(), np.float64), (self.n_features_in_,))
