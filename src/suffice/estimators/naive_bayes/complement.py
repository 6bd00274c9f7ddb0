"""Complement naive Bayes for word counts."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from suffice.estimators.naive_bayes.multinomial import pseudo_counts
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.parameters import (
    COUNTS,
    LENGTH_EXPONENT,
    LOO,
    SKLEARN_PRIOR,
    Alpha,
    ClassPriorLike,
    Constraints,
    ReadOptions,
    Tags,
    Tempering,
    Vector,
    class_prior_of,
)
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.complement import Complement
from suffice.models.views import Views
from suffice.posterior import Dirichlet
from suffice.readers.one_block import MatrixReader
from suffice.stats.inputs import COUNT
from suffice.typing import Array

__all__ = ["ComplementNB"]


class ComplementNB(MatrixClassifier):
    """Naive Bayes for word counts in uneven classes: each class is described by the words of all other classes.

    A drop-in for scikit-learn's class of the same name (Rennie et al. 2003). It ignores the class prior, unless there
    is only one class.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), Dirichlet or "loo", default=1.0
        Pseudo-count added to the count of every word, or one per word; 0 disables smoothing. "loo" chooses the number
        that minimizes the leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    fit_prior : bool, default=True
        Used only with a single class, and for `class_log_prior_`.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=None
        As for ``MultinomialNB``; like `fit_prior`, not used for predictions unless there is only one class.
    norm : bool, default=False
        Whether to divide each class's weights by their sum.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.
    length_exponent : float, "loo" or None, default="loo"
        Exponent of document length: a document of length n has the temper divided by n to this exponent. "loo" chooses
        it together with the temper, and is 0 if `temper` is a number or None; None is 0.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    feature_all_ : ndarray of shape (n_features,)
        Total count of each word.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Total count of each word in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Weight of each word in the score of each class.
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

    _gives_rows_a_probability: ClassVar[bool] = False
    _parameter_constraints: ClassVar[Constraints] = {
        **{name: rule for name, rule in COUNTS.items() if name != "estimate"},
        **SKLEARN_PRIOR,
        "alpha": [*COUNTS["alpha"], Dirichlet, LOO],
        "norm": ["boolean"],
        "length_exponent": LENGTH_EXPONENT,
    }
    _reading: ClassVar[ReadOptions] = {"accept_sparse": ["csr", "csc"], "ensure_all_finite": False}

    def __init__(
        self,
        *,
        alpha: Alpha | Dirichlet = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ClassPriorLike | None = None,
        norm: bool = False,
        temper: Tempering | None = None,
        length_exponent: Tempering | None = "loo",
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.temper = temper
        self.length_exponent = length_exponent

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    def _make_reader(self) -> MatrixReader:
        return MatrixReader(COUNT)

    def _likelihood(self, views: Views) -> Complement:
        alpha = pseudo_counts(self, views)
        assert not isinstance(alpha, str)
        return Complement(alpha, self.norm)

    def _class_prior(self) -> ClassPrior:
        return class_prior_of(self, flat=True)

    @property
    def alpha_(self) -> float | Vector | Dirichlet:
        """The pseudo-counts in use: as given, or as "loo" chose them."""
        settled = self._settled_as(Complement)
        return settled.alpha if isinstance(self.alpha, str) else self.alpha

    @property
    def feature_count_(self) -> Array:
        """Total count of each word in each class."""
        return np.asarray(self._statistic.counts)

    @property
    def feature_all_(self) -> Array:
        """Total count of each word."""
        return np.asarray(self.feature_count_.sum(axis=0))

    @property
    def feature_log_prob_(self) -> Array:
        """Weight of each word in the score of each class."""
        scorer: Any = self._block.scorer
        return np.asarray(scorer.columns(np.arange(self.n_features_in_)))
