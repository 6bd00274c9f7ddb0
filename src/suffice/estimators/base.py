"""What the classifiers share: fitting is counting and adding, predicting is Bayes' rule over scores."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import assert_all_finite
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_non_negative, validate_data

from suffice.errors import DataError
from suffice.models import Scorer, decide, joint, log_posterior
from suffice.posterior import Beta, Dirichlet, Gamma
from suffice.stats import ClassCounts, Statistic, TokenCounts
from suffice.stats.inputs import COUNT, KERNEL_TYPES, Rows
from suffice.typing import Array, Integers

__all__ = ["CountClassifier", "NaiveBayesClassifier", "TotalsClassifier"]

SMALLEST_ALPHA = 1e-10
ESTIMATES = StrOptions({"mle", "map", "mean", "predictive"})


class NaiveBayesClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Statistics in `_classes` and `_features`; everything else is remade from them after each change."""

    _classes: ClassCounts
    _features: Statistic
    classes_: Any
    n_features_in_: int

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to training data, forgetting whatever was learned before.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            What each row counts for; one if not given.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        with _all_or_nothing(self):
            X, y = self._read(X, y, reset=True)
            self._learn(X, *_classes_and_codes(y), sample_weight, fresh=True)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more batch. Any cutting into batches gives the same model as one fit.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that can appear; needed at the first call, optional later.
        sample_weight : array-like of shape (n_samples,), default=None
            What each row counts for; one if not given.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        with _all_or_nothing(self):
            first = not hasattr(self, "classes_")
            known = self._known_classes(classes, first)
            X, y = self._read(X, y, reset=first)
            seen, codes = _classes_and_codes(y)
            strangers = np.setdiff1d(seen, known)
            if len(strangers):
                raise ValueError(f"The target label(s) {strangers} in y do not exist in the initial classes {known}")
            self._learn(X, known, np.searchsorted(known, seen)[codes], sample_weight, fresh=first)
        return self

    def predict(self, X: Any) -> Any:
        """The most probable class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            A label from ``classes_`` for each row.
        """
        codes = self._ask(decide, X)
        return self.classes_[codes]

    def predict_joint_log_proba(self, X: Any) -> Array:
        """ln p(x, c) = ln p(c) + ln p(x | c) of each row and class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        joint : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        scores: Array = self._ask(joint, X)
        return scores

    def predict_log_proba(self, X: Any) -> Array:
        """ln p(c | x) of each row and class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        logs: Array = self._ask(log_posterior, X)
        return logs

    def predict_proba(self, X: Any) -> Array:
        """p(c | x) of each row and class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; rows add up to one.
        """
        logs: Array = self._ask(log_posterior, X)
        return np.exp(logs, out=logs)

    def _known_classes(self, classes: Any, first: bool) -> Any:
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if first:
            return np.unique(np.asarray(classes))
        if classes is not None and not np.array_equal(self.classes_, np.sort(np.asarray(classes))):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        return self.classes_

    def _learn(self, X: Any, classes: Any, codes: Any, sample_weight: Any, fresh: bool) -> None:
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        count = ClassCounts.of_labels(codes, weights, n_classes=len(classes))
        with self._in_words_of_sklearn(X):
            features = self._count(X, codes, weights, len(classes), fresh)
        self.classes_ = classes
        self._classes = count if fresh else self._classes + count
        self._features = features if fresh else self._features + features
        self._made = {}
        self._remake()

    def _ask(self, question: Callable[[Scorer, Any, Array], Any], X: Any) -> Any:
        if not hasattr(self, "_classes"):
            check_is_fitted(self)
        plain = self._is_plain(X)
        if not plain:
            X = self._read_rows(X)
        with self._in_words_of_sklearn(X):
            rows = Rows(X, X.shape[1:], "X") if plain else Rows.read(X, "X")
            return question(self._view("scorer", self._make_scorer), self._as_model_sees(rows), self._log_prior())

    def _is_plain(self, X: Any) -> bool:
        """Whether X is what the kernels read as it is: then there is nothing to convert, and they check the values."""
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype in KERNEL_TYPES
            and X.shape[1] == self.n_features_in_
            and len(X) > 0
            and X.flags.aligned
            and X.flags.forc
            and "feature_names_in_" not in vars(self)
        )

    @contextmanager
    def _in_words_of_sklearn(self, X: Any) -> Iterator[None]:
        """Values that kernels refuse are complained about as scikit-learn's users expect."""
        try:
            yield
        except DataError:
            self._refuse_missing(X.data if issparse(X) else X)
            if self.__sklearn_tags__().input_tags.positive_only:
                check_non_negative(X, f"{type(self).__name__} (input X)")
            raise

    def _refuse_missing(self, values: Any) -> None:
        name = type(self).__name__
        if values.dtype.kind in "fO" and (values != values).any():  # only a NaN differs from itself
            raise DataError(
                f"Input X contains NaN. {name} needs a value everywhere; NaiveBayes will accept missing values."
            ) from None
        assert_all_finite(values, estimator_name=name, input_name="X")

    def _view(self, name: str, make: Callable[[], Any]) -> Any:
        """What is made of the statistics, when it is first asked for; every change of them starts anew."""
        made = self._made
        if name not in made:
            view = make()
            for array in view if isinstance(view, list) else [view]:
                if isinstance(array, np.ndarray):
                    array.setflags(write=False)  # changes to it would change nothing
            made[name] = view
        return made[name]

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {**state, "_made": {}} if "_made" in state else state

    def _as_model_sees(self, rows: Rows) -> Rows:
        return rows

    @abstractmethod
    def _read(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]: ...

    @abstractmethod
    def _read_rows(self, X: Any) -> Any: ...

    @abstractmethod
    def _count(self, X: Any, codes: Any, weights: Any, n_classes: int, fresh: bool) -> Statistic: ...

    @abstractmethod
    def _remake(self) -> None:
        """What must be right at once: the class prior, and parameters that may be refused."""

    @abstractmethod
    def _make_scorer(self) -> Scorer: ...

    @abstractmethod
    def _log_prior(self) -> Array: ...

    _made: dict[str, Any]


def _classes_and_codes(y: Any) -> tuple[Any, Integers]:
    """The classes, sorted, and the place of each row's among them."""
    if y.dtype.kind in "iu" and y.ndim == 1 and len(y):
        least, most = int(y.min()), int(y.max())
        if most - least < max(1024, len(y)) and most < 2**62:  # no need to sort
            shifted = y.astype(np.int64, copy=False) - least
            seen = np.bincount(shifted, minlength=1) > 0
            places = np.cumsum(seen) - 1
            return (np.flatnonzero(seen) + least).astype(y.dtype), places[shifted]
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes


@contextmanager
def _all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Whatever goes wrong inside, the estimator is left as it was."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


class CountClassifier(NaiveBayesClassifier):
    """Classifiers of counts: pseudo-counts `alpha`, and an empirical, uniform, given or Dirichlet class prior."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", Dirichlet, None],
        "force_alpha": ["boolean"],
        "estimate": [ESTIMATES],
    }

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any
    class_count_: Array
    class_log_prior_: Array

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True
        return tags

    def _read(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X, y = validate_data(self, X, y, accept_sparse=["csr", "csc"], reset=reset, ensure_all_finite=False)
        return X, y

    def _read_rows(self, X: Any) -> Any:
        return validate_data(self, X, accept_sparse="csr", reset=False, ensure_all_finite=False)

    def _check_alpha(self) -> Any:
        alpha: Any = self.alpha if isinstance(self.alpha, Real) else np.array(self.alpha)  # it may change under us
        if isinstance(alpha, np.ndarray):
            if alpha.ndim != 1 or not np.isfinite(alpha).all():
                what = f"an array of shape {alpha.shape}" if alpha.ndim != 1 else "NaN or infinity among them"
                raise ValueError(
                    f"The 'alpha' parameter of {type(self).__name__} must be a number, or finite numbers, one per "
                    f"feature ({self.n_features_in_}). Got {what} instead."
                )
            if alpha.shape[0] != self.n_features_in_:
                raise ValueError(
                    "When alpha is an array, it should contains `n_features`. "
                    f"Got {alpha.shape[0]} elements instead of {self.n_features_in_}."
                )
            if alpha.min() < 0:
                raise ValueError("All values in alpha must be greater than 0.")
        if np.min(alpha) < SMALLEST_ALPHA and not self.force_alpha:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {SMALLEST_ALPHA:.1e}. "
                "Use `force_alpha=True` to keep alpha unchanged.",
                stacklevel=2,
            )
            return np.maximum(alpha, SMALLEST_ALPHA)
        return alpha

    def _two_parameters(self, family: type[Beta | Gamma]) -> tuple[Array, Array]:
        """The prior's two parameters: those of an object, or `alpha` for both."""
        if not isinstance(self.alpha, family):
            alpha = np.asarray(self._check_alpha(), np.float64)
            return alpha, alpha
        if self.alpha.batch_shape not in ((), (self.n_features_in_,)):
            raise ValueError(
                f"The 'alpha' parameter of {type(self).__name__} must be a {family.__name__}, or one per feature "
                f"({self.n_features_in_}). Got a table of shape {self.alpha.batch_shape} instead."
            )
        first, second = (np.asarray(value) for value in self.alpha._values())
        return first, second

    def _remake_prior(self) -> None:
        self.class_count_ = self._classes.counts.copy()
        n_classes = len(self.classes_)
        if isinstance(self.class_prior, Dirichlet):
            if self.class_prior.alpha.shape != (n_classes,):
                raise ValueError(
                    f"The 'class_prior' parameter of {type(self).__name__} must be a Dirichlet of {n_classes} "
                    f"categories, one per class. Got one of shape {self.class_prior.alpha.shape} instead."
                )
            self.class_log_prior_ = np.log(self.class_prior.update(self._classes).mean)
        elif self.class_prior is not None:
            if len(self.class_prior) != n_classes:
                raise ValueError("Number of priors must match number of classes.")
            with np.errstate(divide="ignore"):
                self.class_log_prior_ = np.log(self.class_prior)
        elif self.fit_prior:
            with np.errstate(divide="ignore"):
                self.class_log_prior_ = np.log(self.class_count_) - np.log(self.class_count_.sum())
        else:
            self.class_log_prior_ = np.full(n_classes, -np.log(n_classes))

    def _log_prior(self) -> Array:
        return self.class_log_prior_


class TotalsClassifier(CountClassifier):
    """Classifiers that know a class by the total of each non-negative feature."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _as_model_sees(self, rows: Rows) -> Rows:
        return rows.must_be(COUNT)

    def _count(self, X: Any, codes: Any, weights: Any, n_classes: int, fresh: bool) -> Statistic:
        return TokenCounts.of(X, codes, weights, n_classes=n_classes, name="X")

    @property
    def feature_count_(self) -> Array:
        """Total count of each feature in each class."""
        counts: Array = self._features.arrays()["counts"]
        return counts
