"""Naive Bayes for categories."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import reduce
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from suffice.errors import DataError, InputError
from suffice.estimators.algebra import narrowest
from suffice.estimators.counts import EVIDENCE, CountClassifier
from suffice.estimators.declared import declared, refuse_others
from suffice.estimators.validation import validate_data
from suffice.estimators.views import TEMPER
from suffice.models import Categorical, Scorer
from suffice.models.empirical.pseudo_counts import one_alpha, symmetric_terms
from suffice.stats import CategoryCounts, Statistic
from suffice.stats.counts import category_sizes
from suffice.stats.inputs import Rows
from suffice.typing import Array, Integers

__all__ = ["CategoricalNB"]


class CategoricalNB(CountClassifier):
    """Naive Bayes for columns of categories: codes 0, 1, 2, …, names, or any values.

    A drop-in for scikit-learn's class of the same name. Whole, non-negative numbers are codes, as there. Anything else
    (text, numbers with a fraction) is a category by its value, never cut off to a code. A category not known at fit has
    the mass of one seen no time, instead of an error.

    Parameters
    ----------
    alpha : float, "evidence" or "loo", default=1.0
        Pseudo-count added to every category; 0 for none. "evidence" finds the one, for all features, that makes the
        training rows most probable, "loo" the number of least leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    fit_prior : bool, default=True
        Whether to learn the class prior from the data; otherwise it is uniform.
    class_prior : array of shape (n_classes,) or Dirichlet, default=None
        Class probabilities that the data do not change, or a belief that they do.
    min_categories : int or array of shape (n_features,), default=None
        Categories that each feature has at least, seen or not; for codes, not for categories by value.
    categories : "auto" or list of n_features lists, default="auto"
        The values each feature can have, as in scikit-learn's OrdinalEncoder; all of them count as categories, seen or
        not, and others are refused at fit. With "auto", whole numbers are codes from 0, as in scikit-learn's
        CategoricalNB: the faces 1 to 6 of a die have seven categories unless ``categories=[range(1, 7)]`` is given.
    estimate : {"mle", "map", "mean", "predictive"}, default="mean"
        How the probabilities are estimated; "predictive" equals "mean" here.
    temper : float, pair of floats, "loo" or None, default=None
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by
        leave-one-out on the rows that are given to fit. The class prior is not tempered.

    Attributes
    ----------
    alpha_ : float
        The pseudo-count in use.
    categories_ : list of n_features ndarrays, or None
        The values of each feature's categories, sorted; None where they are the codes 0, 1, 2, …
    category_count_ : list of n_features ndarrays of shape (n_classes, n_categories)
        Rows of each class with each category.
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    feature_log_prob_ : list of n_features ndarrays of shape (n_classes, n_categories)
        Log-probability of each category.
    n_categories_ : ndarray of shape (n_features,)
        Number of categories of each feature.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[0, 2], [0, 1], [1, 0], [1, 0]]
    >>> model = sf.CategoricalNB().fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[0, 2], [1, 7]])
    array(['a', 'b'], dtype='<U1')
    >>> named = sf.CategoricalNB().fit([["red"], ["red"], ["blue"]], ["a", "a", "b"])
    >>> named.predict([["blue"], ["green"]])
    array(['b', 'a'], dtype='<U1')
    >>> dice = sf.CategoricalNB(categories=[range(1, 7)]).fit([[6], [6], [1]], ["loaded", "loaded", "fair"])
    >>> dice.n_categories_, dice.category_count_[0]
    (array([6]), array([[1., 0., 0., 0., 0., 0.],
           [0., 0., 0., 0., 0., 2.]]))
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CountClassifier._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left"), EVIDENCE],
        "categories": [StrOptions({"auto"}), list, tuple],
        "min_categories": [None, "array-like", Interval(Integral, 1, None, closed="left")],
        "temper": TEMPER,
    }

    categories_: list[Any] | None
    _feature_counts = CategoryCounts
    _schema = (*CountClassifier._schema, "categories_")

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
        categories: Any = "auto",
        estimate: Any = "mean",
        temper: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.categories = categories
        self.estimate = estimate
        self.temper = temper

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.sparse = False
        tags.input_tags.positive_only = True
        return tags

    def _read(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X, y = validate_data(self, X, y, dtype=None, accept_sparse=False, reset=reset, ensure_all_finite=False)
        self._refuse_missing(X)
        return _as_numbers(X), y

    def _is_plain(self, X: Any) -> bool:
        return self.categories_ is None and super()._is_plain(X)

    def _read_rows(self, X: Any) -> Any:
        X = validate_data(self, X, dtype=None, accept_sparse=False, reset=False, ensure_all_finite=False)
        self._refuse_missing(X)
        X = _as_numbers(X)
        return _numbers(X) if self.categories_ is None else self._encode(X)

    def _count(self, X: Any, codes: Any, weights: Any, n_classes: int, fresh: bool) -> Statistic:
        if weights is not None and (weights == 0).any():  # a row of no weight was not seen, nor were its categories
            X, codes, weights = (part[weights > 0] for part in (X, codes, weights))
        if fresh:
            self.categories_ = self._first_categories(X)
        if self.categories_ is None:
            rows = Rows.read(_numbers(X), "X")
            sizes = _at_least(category_sizes(rows), self.min_categories)
        else:
            self._meet(X, fresh)
            rows = Rows.read(self._encode(X), "X")
            sizes = np.array([len(values) for values in self.categories_])
        return CategoryCounts.of(rows, codes, weights, n_classes=n_classes, sizes=sizes)

    def _first_categories(self, X: Any) -> list[Any] | None:
        """Those that were given, or none yet; None for codes."""
        if not isinstance(self.categories, str):
            if self.min_categories is not None:
                raise ValueError("CategoricalNB takes one of 'categories' and 'min_categories'. Got both instead.")
            return declared(self.categories, X.shape[1])
        return None if _are_codes(X) else [np.empty(0, _values(X[:, j], j).dtype) for j in range(X.shape[1])]

    def _meet(self, X: Any, fresh: bool) -> None:
        """Make room for values not met before, keeping each feature's sorted."""
        known: Any = self.categories_
        if not isinstance(self.categories, str):
            refuse_others(declared(self.categories, X.shape[1]), [_values(X[:, j], j) for j in range(X.shape[1])])
        wider = [narrowest(np.union1d(values, _values(X[:, j], j))) for j, values in enumerate(known)]
        if not fresh:
            self._features = _with_room(self._features, known, wider)
        self.categories_ = wider

    def _alike(self, others: list[Any]) -> list[Any]:
        if any((self.categories_ is None) != (other.categories_ is None) for other in others):
            raise InputError("Models that are combined must have categories of one kind; got codes and values.")
        if self.categories_ is None:
            return [self, *others]
        models = [self, *(copy(other) for other in others)]
        wider = [reduce(np.union1d, each) for each in zip(*(model.categories_ for model in models), strict=True)]
        for model in models:
            model._features, model.categories_ = _with_room(model._features, model.categories_, wider), wider
        return models

    def _set_statistics(self, classes: Any, statistics: dict[str, Any]) -> None:
        super()._set_statistics(classes, {**statistics, "features": self._without_unseen(statistics["features"])})

    def _take_statistics(self, classes: Any, statistics: dict[str, Any]) -> None:
        super()._set_statistics(classes, statistics)  # categories that no row has yet stay: rows are coded by them

    def _restore(self, classes: Any, statistics: dict[str, Any]) -> None:
        super()._restore(classes, statistics)
        sizes = self.n_categories_.tolist()
        if self.categories_ is not None and [_each_once(values) for values in self.categories_] != sizes:
            raise DataError(f"Categories must be sorted, each of them once, {sizes} of them; got others.")

    def _without_unseen(self, t: CategoryCounts) -> CategoryCounts:
        """What is left of categories that no row has: none by value, and of codes those below the largest."""
        seen = [t.column(j).any(axis=0) for j in range(len(t.sizes))]
        if self.categories_ is not None:
            if not isinstance(self.categories, str):
                given = declared(self.categories, len(seen))
                seen = [
                    used | np.isin(known, one) for used, known, one in zip(seen, self.categories_, given, strict=True)
                ]
            self.categories_ = [narrowest(values[used]) for values, used in zip(self.categories_, seen, strict=True)]
            keep = seen
        else:
            used = np.array([int(np.flatnonzero(one).max(initial=-1)) + 1 for one in seen])
            sizes = _at_least(used, self.min_categories)
            keep = [np.arange(size) < most for size, most in zip(t.sizes, sizes, strict=True)]
        counts = np.concatenate([t.column(j)[:, one] for j, one in enumerate(keep)], axis=1)
        return CategoryCounts(counts, np.array([int(one.sum()) for one in keep]))

    def _encode(self, X: Any) -> Integers:
        """Codes of values; one beyond the last for a value not known."""
        known: Any = self.categories_
        out = np.empty(X.shape, np.int64)
        for j, values in enumerate(known):
            column = _values(X[:, j], j)
            place = np.minimum(np.searchsorted(values, column), len(values) - 1)
            out[:, j] = np.where(values[place] == column, place, len(values))
        return out

    @property
    def n_categories_(self) -> Integers:
        """Number of categories of each feature."""
        sizes: Integers = self._features.arrays()["sizes"]
        return sizes

    @property
    def category_count_(self) -> list[Array]:
        """Rows of each class with each category, feature by feature."""
        t: Any = self._features
        return [t.column(j) for j in range(self.n_features_in_)]

    @property
    def feature_log_prob_(self) -> list[Array]:
        """Log-probability of each category, feature by feature."""
        logs: list[Array] = self._view("log_theta", self._log_theta)
        return logs

    def _remake(self) -> None:
        self._remake_prior()
        self._event = Categorical(float(self._check_alpha()), self.estimate)
        if self.estimate == "map":  # may be refused: now, not later
            self._view("log_theta", self._log_theta)

    def _find_prior(self) -> float:
        t: Any = self._features
        totals = np.stack([counts.sum(axis=1) for counts in self.category_count_], axis=1)
        return one_alpha(symmetric_terms(t.counts, t.sizes, totals))

    def _log_theta(self) -> list[Array]:
        return [self._event.log_theta(counts) for counts in self.category_count_]

    def _scorer_of(self, t: Any, n: Array) -> Scorer:
        scorer: Scorer = self._event.scorer(t)
        return scorer


def _each_once(values: Any) -> int:
    """How many there are; −1 if they are not in order."""
    plain = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "USbiuf"
    return len(values) if plain and bool((values[1:] > values[:-1]).all()) else -1


def _with_room(t: Any, known: Any, wider: Any) -> CategoryCounts:
    """The same counts, with a place for every category of a longer list."""
    columns = []
    for j, (old, new) in enumerate(zip(known, wider, strict=True)):
        room = np.zeros((*t.counts.shape[:-1], len(new)))
        room[..., np.searchsorted(new, old)] = t.column(j)
        columns.append(room)
    return CategoryCounts(np.concatenate(columns, axis=-1), np.array([len(new) for new in wider]))


def _values(column: Any, j: int) -> Any:
    """A column that can be sorted: all text, or all numbers."""
    if column.dtype.kind != "O":
        return column
    kinds = {str if isinstance(value, str) else float if isinstance(value, Real) else type(value) for value in column}
    if len(kinds) > 1 or not kinds <= {str, float}:
        raise TypeError(
            f"CategoricalNB (input X): every argument must be a string or a number, one kind per column; column {j} "
            f"holds {', '.join(sorted(kind.__name__ for kind in kinds))}."
        )
    return column.astype(np.str_ if kinds == {str} else np.float64) if kinds else column.astype(np.float64)


def _as_numbers(X: Any) -> Any:
    """Numbers that came as objects, as a frame of mixed columns gives them; anything else as it is."""
    if X.dtype.kind != "O" or not all(isinstance(value, Real) for value in X.flat):
        return X
    return X.astype(np.int64 if all(isinstance(value, Integral) for value in X.flat) else np.float64)


def _are_codes(X: Any) -> bool:
    if X.dtype.kind in "biu":
        return True
    return X.dtype.kind == "f" and all(bool((np.floor(part) == part).all()) for part in _parts(X))


def _parts(X: Any) -> Iterator[Any]:
    """X, some rows at a time: what is made of them stays small."""
    step = max(1, 2**19 // max(1, X.shape[1]))
    return (X[at : at + step] for at in range(0, len(X), step))


def _numbers(X: Any) -> Any:
    if X.dtype.kind not in "biuf":
        raise ValueError(
            "CategoricalNB (input X) must hold category codes 0, 1, 2, … as at the first fit; "
            f"got an array of {X.dtype}."
        )
    return X


def _at_least(seen: Integers, least: Any) -> Integers:
    """`seen`, raised to `min_categories` where that is more."""
    if least is None:
        return seen
    wanted = np.asarray(least)
    if not np.issubdtype(wanted.dtype, np.signedinteger):
        raise ValueError(f"'min_categories' should have integral type. Got {wanted.dtype} instead.")
    if wanted.shape not in ((), seen.shape):
        raise ValueError(
            f"'min_categories' should have shape ({len(seen)},) when an array-like is provided. "
            f"Got {wanted.shape} instead."
        )
    return np.asarray(np.maximum(seen, wanted), np.int64)
