"""Naive Bayes for word counts."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, PriorError
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.parameters import (
    COUNTS,
    EVIDENCE,
    LENGTH_EXPONENT,
    LOO,
    RIDGE,
    SKLEARN_PRIOR,
    Alpha,
    ClassPriorLike,
    Constraints,
    Estimate,
    ReadOptions,
    Tags,
    Tempering,
    Vector,
    class_prior_of,
    counts_of_belief,
    is_loo,
    wanted_of,
)
from suffice.models.choosing.chooser import Wanted
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.views import Views
from suffice.posterior import Dirichlet
from suffice.posterior.base import Conjugate
from suffice.readers.one_block import MatrixReader
from suffice.stats.inputs import COUNT
from suffice.telling import tell
from suffice.typing import Array

__all__ = ["MultinomialNB", "pseudo_counts"]


class HasFeatures(Protocol):
    """An estimator that knows the number of features."""

    n_features_in_: int


class Smoothed(HasFeatures, Protocol):
    """An estimator that has pseudo-counts."""

    @property
    def alpha(self) -> Alpha | Conjugate[Any] | Literal["evidence"]:
        """The pseudo-counts."""


SMALLEST_ALPHA = 1e-10


class MultinomialNB(MatrixClassifier):
    """Naive Bayes for word counts: a document of any length is a row of counts, one per word.

    A drop-in for scikit-learn's class of the same name, with more ways to estimate.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), Dirichlet, "evidence" or "loo", default=1.0
        Pseudo-count added to the count of every word, or one per word; 0 disables smoothing. "evidence" chooses the
        number that maximizes the evidence of the training rows; "loo" chooses the number that minimizes the
        leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    fit_prior : bool, default=True
        Whether to learn the class prior from the data; otherwise it is uniform.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=None
        Prior over the classes. An array fixes the probabilities; a number is the pseudo-count of every class, a
        Dirichlet holds one per class, and `estimate` says how pseudo-counts and rows are combined. "counted" and
        "uniform" equal `fit_prior` True and False. If not given, `fit_prior` decides.
    estimate : {"mle", "map", "mean", "predictive"}, default="mean"
        How word probabilities are estimated: by maximum likelihood, by the posterior mode or mean, or not at all,
        because they are integrated out: the Dirichlet-multinomial then scores the whole document.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.
    length_exponent : float, "loo" or None, default="loo"
        Exponent of document length: a document of length n has the temper divided by n to this exponent. "loo" chooses
        it together with the temper, and is 0 if `temper` is a number or None; None is 0.
    feature_powers : "loo" or None, default=None
        Feature powers: an exponent per word, so that what several words repeat counts once. "loo" fits them
        so that each row is predicted best from the others; it needs a single alpha above 0, an estimate other than
        "predictive", and at most 128 classes unless `ridge` is given. None gives every word power 1.
    ridge : float, default=None
        Strength of the ridge penalty that shrinks feature powers toward 1. If not given, it minimizes the log loss on
        held-out rows.

    Attributes
    ----------
    alpha_ : float, ndarray or Dirichlet
        The pseudo-counts in use.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Total count of each word in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Log-probability of each word in each class.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the words, if X had them.
    feature_powers_ : ndarray of shape (n_features,)
        The power of each word: near 0 if other words carry the same information.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[2, 1, 0], [1, 2, 0], [0, 1, 3], [0, 0, 2]]
    >>> model = sf.MultinomialNB().fit(X, ["ham", "ham", "spam", "spam"])
    >>> model.predict([[1, 1, 0], [0, 1, 2]])
    array(['ham', 'spam'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **COUNTS,
        **SKLEARN_PRIOR,
        "alpha": [*COUNTS["alpha"], Dirichlet, EVIDENCE],
        "length_exponent": LENGTH_EXPONENT,
        "feature_powers": [LOO, None],
        "ridge": RIDGE,
    }
    _reading: ClassVar[ReadOptions] = {"accept_sparse": ["csr", "csc"], "ensure_all_finite": False}

    def __init__(
        self,
        *,
        alpha: Alpha | Dirichlet | Literal["evidence"] = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ClassPriorLike | None = None,
        estimate: Estimate = "mean",
        temper: Tempering | None = None,
        length_exponent: Tempering | None = "loo",
        feature_powers: Literal["loo"] | None = None,
        ridge: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.estimate = estimate
        self.temper = temper
        self.length_exponent = length_exponent
        self.feature_powers = feature_powers
        self.ridge = ridge

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    def _make_reader(self) -> MatrixReader:
        return MatrixReader(COUNT)

    def _likelihood(self, views: Views) -> Multinomial:
        return Multinomial(pseudo_counts(self, views), self.estimate)

    def _class_prior(self) -> ClassPrior:
        return class_prior_of(self)

    def _wanted(self, rows: int) -> Wanted | None:
        if is_loo(self.feature_powers):
            alpha = None if isinstance(self.alpha, Dirichlet) else checked_alpha(self, Views())
            if (
                alpha is None
                or np.ndim(alpha)
                or (not isinstance(alpha, str) and alpha <= 0)
                or self.estimate == "predictive"
            ):
                raise InputError(
                    "The 'feature_powers' parameter of MultinomialNB can be 'loo' only with a single alpha above 0 "
                    f"and an estimate other than 'predictive'; got alpha={self.alpha!r}, estimate={self.estimate!r}."
                )
        return wanted_of(self, weights="features" if is_loo(self.feature_powers) else None, ridge=self.ridge)

    @property
    def alpha_(self) -> float | Vector | Dirichlet:
        """The pseudo-counts in use: as given, or as "evidence" or "loo" chose them."""
        check_is_fitted(self)
        alpha = self._settled_as(Multinomial).alpha if isinstance(self.alpha, str) else self.alpha
        assert not isinstance(alpha, str)
        return alpha

    @property
    def feature_count_(self) -> Array:
        """Total count of each word in each class."""
        return np.asarray(self._statistic.counts)

    @property
    def feature_log_prob_(self) -> Array:
        """Log-probability of each word in each class."""
        settled = self._settled_as(Multinomial)
        return np.asarray(settled.log_theta(self._block.t).values)

    @property
    def feature_powers_(self) -> Array:
        """The power of each word: near 0 if other words carry the same information."""
        check_is_fitted(self)
        powers = self._block.powers(self._predictor.views.weights)
        return np.ones(self.n_features_in_) if powers is None else powers


def pseudo_counts(estimator: Smoothed, views: Views) -> float | Array | str:
    """Return one pseudo-count per word, one for all words, or "evidence"."""
    if not isinstance(estimator.alpha, Dirichlet):
        alpha = checked_alpha(estimator, views)
        return alpha if isinstance(alpha, str) else np.asarray(alpha, np.float64) if np.ndim(alpha) else float(alpha)
    return counts_of_belief(estimator.alpha, estimator.n_features_in_, "one per feature", type(estimator).__name__)


def checked_alpha(estimator: Smoothed, views: Views) -> float | Array | str:
    """Return the pseudo-counts as given, those that rows chose, or "evidence"; raise InputError if they are invalid."""
    given = estimator.alpha
    if is_loo(given):
        return 1.0 if views.alpha is None else views.alpha
    if isinstance(given, str):
        return given
    alpha = float(given) if isinstance(given, Real) else np.array(given)  # a copy: the caller may change the original
    if isinstance(alpha, np.ndarray):
        _check_array(estimator, alpha)
    if np.min(alpha) < SMALLEST_ALPHA and not getattr(estimator, "force_alpha", True):
        tell(
            f"alpha too small will result in numeric errors, setting alpha = {SMALLEST_ALPHA:.1e}. "
            "Use `force_alpha=True` to keep alpha unchanged.",
        )
        return np.maximum(alpha, SMALLEST_ALPHA)
    return alpha


def _check_array(estimator: Smoothed, alpha: Array) -> None:
    name, features = type(estimator).__name__, estimator.n_features_in_
    if alpha.ndim != 1 or not np.isfinite(alpha).all():
        what = f"an array of shape {alpha.shape}" if alpha.ndim != 1 else "values that are NaN or infinite"
        raise InputError(
            f"The 'alpha' parameter of {name} must be one number, or {features} finite numbers, one per feature. Got "
            f"{what} instead."
        )
    if alpha.shape[0] != features:
        raise InputError(
            "When alpha is an array, it should contains `n_features`. "
            f"Got {alpha.shape[0]} elements instead of {features}."
        )
    if alpha.min() < 0:
        raise InputError("All values in alpha must be greater than 0.")


def must_fit_features(estimator: HasFeatures, belief: Conjugate[Any], parameter: str) -> None:
    """Raise PriorError unless a belief is a single one, or a table of one per feature."""
    if belief.batch_shape not in ((), (estimator.n_features_in_,)):
        raise PriorError(
            f"The '{parameter}' parameter of {type(estimator).__name__} must be one {type(belief).__name__}, or a "
            f"table of shape ({estimator.n_features_in_},), one per feature. Got a table of shape {belief.batch_shape} "
            "instead."
        )


def two_parameters(estimator: Smoothed, family: type[Conjugate[Any]], views: Views) -> tuple[Array, Array]:
    """Return the two parameters of the prior: those of the belief, or `alpha` twice."""
    given = estimator.alpha
    if not isinstance(given, family):
        alpha = np.asarray(checked_alpha(estimator, views), np.float64)
        return alpha, alpha
    must_fit_features(estimator, given, "alpha")
    first, second = (np.asarray(value) for value in given._values())
    return first, second
