"""Naive Bayes for word counts, by the complement of each class."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from suffice.errors import KindError
from suffice.estimators.counts import LOO, CountClassifier
from suffice.estimators.multinomial import MultinomialNB
from suffice.estimators.views import TEMPER
from suffice.models import Complement, Scorer, linear
from suffice.models.evidence import NO_EVIDENCE
from suffice.posterior import Dirichlet
from suffice.typing import Array

__all__ = ["ComplementNB"]


class ComplementNB(MultinomialNB):
    """Naive Bayes for word counts in uneven classes: each class is described by what the others are.

    A drop-in for scikit-learn's class of the same name (Rennie et al. 2003). The class prior plays no part in it,
    unless there is only one class.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), Dirichlet or "loo", default=1.0
        Pseudo-counts added to every word; 0 for none. "loo" finds the number of least leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    fit_prior : bool, default=True
        Only used with a single class.
    class_prior : array of shape (n_classes,) or Dirichlet, default=None
        Not used.
    norm : bool, default=False
        Whether to divide each class's weights by their sum.
    temper : float, pair of floats, "loo" or None, default=None
        Power that likelihoods are raised to, so that probabilities are honest, and an exponent of the
        document's length that it is divided by. "loo" chooses it by
        leave-one-out on the rows that are given to fit. The class prior is not tempered.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    feature_all_ : ndarray of shape (n_features,)
        Total count of each word.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Total count of each word in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Weight of each word for each class.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the words, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[2, 1, 0], [1, 2, 0], [0, 1, 3], [0, 0, 2]]
    >>> sf.ComplementNB().fit(X, [0, 0, 1, 1]).predict([[1, 1, 0], [0, 1, 2]])
    array([0, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **{k: v for k, v in CountClassifier._parameter_constraints.items() if k != "estimate"},
        "alpha": [*CountClassifier._parameter_constraints["alpha"], Dirichlet, LOO],
        "norm": ["boolean"],
        "temper": TEMPER,
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
        temper: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.temper = temper

    @property
    def feature_all_(self) -> Array:
        """Total count of each word."""
        total: Array = self.feature_count_.sum(axis=0)
        return total

    def _must_share(self) -> None:
        raise KindError(f"ComplementNB cannot learn without labels: {NO_EVIDENCE['complement']}. Use MultinomialNB.")

    def _remake(self) -> None:
        self._remake_prior()
        self._event = Complement(self._pseudo_counts("Dirichlet"), self.norm)

    def _log_theta(self) -> Array:
        weights: Array = self._event.weights(self._features)
        return weights

    def _scorer_of(self, t: Any, n: Array) -> Scorer:
        return linear(self._event.weights(t), np.zeros(len(n)))

    def _log_prior(self) -> Array:
        return self.class_log_prior_ if len(self.classes_) == 1 else np.zeros(len(self.classes_))

    def _log_prior_of(self, counts: Array) -> Array:
        return np.zeros(counts.shape[-1])
