"""What classifiers of rows share: fitting is counting and adding, predicting is Bayes' rule over scores."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import _fit_context
from sklearn.utils import _safe_indexing, assert_all_finite
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_non_negative

from suffice.errors import DataError, InputError, LabelError, ShapeError
from suffice.estimators.algebra import all_or_nothing
from suffice.estimators.explaining import RowExplaining
from suffice.estimators.shared import Classifier, classes_and_codes, labelled
from suffice.estimators.shares import RowShares
from suffice.models import Scorer
from suffice.models.beliefs import belief_about, intervals_of
from suffice.models.evidence import feature_evidence
from suffice.models.uncertainty import Belief
from suffice.stats import CategoryCounts, ClassCounts, Statistic
from suffice.stats.base import has_rows_of
from suffice.stats.hashing import matrix_rows, value_rows
from suffice.stats.inputs import KERNEL_TYPES, Rows
from suffice.typing import Array, Integers

__all__ = ["NaiveBayesClassifier"]


class NaiveBayesClassifier(RowShares, RowExplaining, Classifier, metaclass=ABCMeta):
    """Statistics in `_classes` and `_features`; everything else is remade from them after each change."""

    _classes: ClassCounts
    _features: Statistic
    _event: Any
    classes_: Any
    n_features_in_: int

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, journal: Any = None) -> Self:
        """Fit to training data, forgetting whatever was learned before.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            What each row counts for; one if not given.
        groups : array-like of shape (n_samples,), default=None
            Rows that belong together: each is left out with its whole group where something is chosen by leave-one-out.
        journal : bool, str or bytes, default=None
            Whether to keep a journal of rows, so that `forget` refuses others. A key of your own, which is not stored
            and needed again, keeps the journal from those who can guess rows.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        with all_or_nothing(self):
            given, (X, y) = X, self._read(X, labelled(y), reset=True)
            self._declared, self._chosen = None, {}
            book = self._open(journal, y, sample_weight, first=True)
            self._learn(X, *classes_and_codes(y), sample_weight, fresh=True)
            self._close(book, X)
            self._settle(len(y))
            self._fit_views(given, y, sample_weight, groups)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, *, journal: Any = None
    ) -> Self:
        """Learn from one more batch: what is counted is that of one fit, however rows are cut into batches.

        What is chosen by rows (where a temper, weights, a pseudo-count or a prior are "loo") is chosen by the first
        batch and stays in force; ``stale_`` is True once it is older than the counts, and ``refresh`` with all rows
        chooses it anew: then the model is that of one fit.

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
        journal : bool, str or bytes, default=None
            As for `fit` in the first batch; later the key, if there is one.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        with all_or_nothing(self):
            first = not hasattr(self, "classes_")
            known = self._known_classes(classes, first)
            self._declared = known if first else self._declared
            self._chosen = {} if first else self._chosen
            given, (X, y) = X, self._read(X, labelled(y), reset=first)
            seen, codes = classes_and_codes(y)
            strangers = np.setdiff1d(seen, known)
            if len(strangers):
                raise ValueError(f"The target label(s) {strangers} in y do not exist in the initial classes {known}")
            book = self._open(journal, y, sample_weight, first)
            self._learn(X, known, np.searchsorted(known, seen)[codes], sample_weight, fresh=first)
            self._close(book, X)
            if first:
                self._fit_views(given, y, sample_weight)
            self._stale = not first
        return self

    def _settle(self, rows: int) -> None:
        """What a fit refuses at once, of so many rows; after a batch, questions refuse it."""

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

    def _fit_parts(self, parts: Iterable[tuple[Any, Any]]) -> None:
        """Count rows and labels part by part, forgetting what was learned; classes may turn up in any part."""
        self._declared, self._chosen, self._stale = None, {}, False
        fresh = True
        for given, labels in parts:
            X, y = self._read(given, labelled(labels), reset=fresh)
            seen, codes = classes_and_codes(y)
            classes = seen if fresh else np.union1d(self.classes_, seen)
            if not fresh:
                place = np.searchsorted(classes, self.classes_)
                self._classes = self._classes.with_classes(place, len(classes))
                self._features = self._features.with_classes(place, len(classes))
            self._learn(X, classes, np.searchsorted(classes, seen)[codes], None, fresh=fresh)
            fresh = False
        if fresh:
            raise DataError("The argument 'parts' must lead to rows; there are none.")

    def _get_statistics(self) -> dict[str, Any]:
        return {"classes": self._classes, "features": self._features}

    def _set_statistics(self, classes: Any, statistics: dict[str, Any]) -> None:
        self.classes_, self._classes, self._features = classes, statistics["classes"], statistics["features"]
        self._made = {}
        self._remake()

    _feature_counts: ClassVar[type[Statistic]]

    def _restore(self, classes: Any, statistics: dict[str, Any]) -> None:
        shape = (len(classes), self.n_features_in_)
        kind = self._kind_of_features()
        if set(statistics) != {"classes", "features"} or type(statistics["features"]) is not kind:
            raise DataError(f"Statistics must be of classes and {kind.__name__}; got {statistics}.")
        if statistics["classes"].shape != shape[:1] or statistics["features"].shape != shape:
            raise ShapeError(f"Statistics must be of {shape} classes and features.")
        if not has_rows_of(statistics["features"], shape[0]):
            raise ShapeError(f"Statistics must have the rows of {shape[0]} classes.")
        NaiveBayesClassifier._set_statistics(self, classes, statistics)

    def _kind_of_features(self) -> type[Statistic]:
        return self._feature_counts

    def _rows_of_classes(self, statistics: dict[str, Any]) -> Any:
        return statistics["classes"].counts

    def _count_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, dict[str, Any]]:
        X, y = self._read(X, y, reset=False)
        classes, codes = classes_and_codes(y)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        with self._in_words_of_sklearn(X):
            features = self._count(X, codes, weights, len(classes), False)
        return classes, {
            "classes": ClassCounts.of_labels(codes, weights, n_classes=len(classes)),
            "features": features,
        }

    def _read_again(self, X: Any, y: Any) -> tuple[Any, Any]:
        return self._read(X, y, reset=False)

    def _row_bytes(self, X: Any) -> Iterable[bytes]:
        return matrix_rows(X) if issparse(X) or X.dtype.kind in "biuf" else value_rows(X)

    def _class_rows(self) -> Array:
        return self._classes.counts

    def _evidence_cells(self) -> tuple[Any, Any, Array | None]:
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_))
        return names, feature_evidence(self._event, self._features, self._classes.counts), None

    def feature_interval(self, level: float = 0.9) -> Any:
        """Bounds of each parameter, which hold it with probability `level`: of θ, of a rate, or of a mean.

        Parameters
        ----------
        level : float, default=0.9
            Probability that the bounds hold, the same outside on each side.

        Returns
        -------
        lower, upper : ndarrays of shape (n_classes, n_features)
            From the posterior of each; for columns of categories, lists of arrays (n_classes, n_categories).
        """
        check_is_fitted(self)
        return intervals_of(self._event, self._features, self._classes.counts, level)

    def _belief(self) -> Belief:
        return belief_about(self._event, self._features, self._classes.counts)

    def _leave_out(self, X: Any, codes: Integers, weights: Array, group: Integers | None) -> Array:
        X = self._read_rows(X)
        if X.shape[0] != len(codes):
            raise LabelError(f"The argument 'y' must hold one label per row, {X.shape[0]}; got {len(codes)}.")
        rows = self._as_model_sees(Rows.read(X, "X"))
        scores = self._view("scorer", self._make_scorer).scores(rows)
        if group is None:
            return self._without_own(rows, codes, weights, scores)
        return self._without_groups(rows, codes, weights, group, scores)

    def _take_rows(self, X: Any, which: Integers) -> Any:
        if type(X).__module__.startswith("pyarrow"):
            return X.take(which)
        return _safe_indexing(X.tocsr() if hasattr(X, "tocsr") else X, which)

    def _without_own(self, rows: Rows, codes: Integers, weights: Array, scores: Array) -> Array:
        n = self._classes.counts
        without: Array = self._event.leave_out(self._features, n, rows, codes, weights, scores)
        return without

    def _without_groups(self, rows: Rows, codes: Integers, weights: Array, group: Integers, scores: Array) -> Array:
        """Group by group: the statistic without the group's, and what it says of the group."""
        n = len(self.classes_)
        sizes: dict[str, Any] = {}
        if isinstance(self._features, CategoryCounts):
            sizes["sizes"] = self._features.sizes
        for members in np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1]):
            some = replace(rows, matrix=rows.matrix[members])
            code, weight = codes[members], weights[members]
            gone = type(self._features).of(some, code, weight, n_classes=n, **sizes)
            left = self._classes - ClassCounts.of_labels(code, weight, n_classes=n)
            scores[members] = self._scorer_of(self._features - gone, left.counts).scores(some)
        return scores

    def _make_scorer(self) -> Scorer:
        return self._scorer_of(self._features, self._classes.counts)

    @abstractmethod
    def _scorer_of(self, t: Any, n: Array) -> Scorer:
        """What scores rows by a statistic of classes of n rows, with the parameters as they are."""

    def _agree(self, other: Any) -> None:
        super()._agree(other)
        if self.n_features_in_ != other.n_features_in_:
            raise ShapeError(
                f"Models that are combined must have the same features; got {self.n_features_in_} and "
                f"{other.n_features_in_}."
            )
        mine, its = (getattr(model, "feature_names_in_", None) for model in (self, other))
        if mine is not None and its is not None and not np.array_equal(mine, its):
            a, b = next((a, b) for a, b in zip(mine, its, strict=True) if a != b)
            raise InputError(f"Models that are combined must have the same features; got {a!r} and {b!r}.")

    def _ask(self, question: Callable[[Scorer, Any, Array], Any], X: Any) -> Any:
        if not hasattr(self, "_classes"):
            check_is_fitted(self)
        plain = self._is_plain(X)
        if not plain:
            X = self._read_rows(X)
        with self._in_words_of_sklearn(X):
            rows = Rows(X, X.shape[1:], "X") if plain else Rows.read(X, "X")
            scorer = self._tempered(self._view("scorer", self._make_scorer))
            return question(scorer, self._as_model_sees(rows), self._log_prior())

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
        if values.dtype.kind in "fO" and _any_gap(values):
            raise DataError(
                f"Input X contains NaN. {name} needs a value everywhere; NaiveBayes accepts missing values."
            ) from None
        assert_all_finite(values, estimator_name=name, input_name="X")

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
    def _log_prior(self) -> Array: ...

    _made: dict[str, Any]


def _any_gap(values: Any) -> bool:
    """Whether there is a NaN, which differs from itself, or a None among the values."""
    if bool((values != values).any()):
        return True
    return values.dtype.kind == "O" and any(value is None for value in values.flat)
