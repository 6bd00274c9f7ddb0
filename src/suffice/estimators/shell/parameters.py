"""Check parameters and read rows with scikit-learn; `parameter_domains.py` defines allowed values and their meaning.

All private parts of scikit-learn are imported here, so that a new release of it breaks only one file.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import Tags, validation
from sklearn.utils._metadata_requests import RequestMethod
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_is_fitted, column_or_1d

from suffice.errors import InputError, KindError, PriorError
from suffice.estimators.shell.atomic import verify
from suffice.estimators.shell.parameter_domains import (
    CLASS_PRIORS,
    ESTIMATE,
    EXPONENTS,
    RIDGES,
    TEMPERS,
    Alpha,
    ClassPriorLike,
    Domain,
    OneOf,
    Tempered,
    Tempering,
    Vector,
    Within,
    class_prior_of,
    counts_of_belief,
    given_temper,
    is_loo,
    length_exponent_of,
    must_sum_to_one,
)  # fmt: skip
from suffice.estimators.shell.stored import params_in_files
from suffice.later import issparse
from suffice.models.choosing.chooser import Wanted
from suffice.models.scoring.results import Estimate
from suffice.posterior import Dirichlet
from suffice.readers.labels import Given, LabelChecks, check_kinds_of_labels
from suffice.sparse import sound
from suffice.stats.inputs import as_numbers
from suffice.typing import Array, WeightsLike

__all__ = [
    "CHECKS", "CLASS_PRIOR", "COUNTS", "ESTIMATES", "EVIDENCE", "LENGTH_EXPONENT", "LOO", "NUMBER", "RIDGE",
    "SKLEARN_PRIOR", "TEMPER", "Alpha", "ClassPriorLike", "Constraints", "Estimate", "HasMethods", "Interval",
    "RandomState", "ReadOptions", "StrOptions", "Tags", "Tempering", "Vector", "agree", "beliefs_of",
    "checked_weights", "class_prior_of", "constraints_of", "counts_of_belief", "fit_context", "fit_nested",
    "given_temper", "is_loo", "length_exponent_of", "must_sum_to_one", "num_samples", "shorten_requests",
    "validate_data", "wanted_of",
]  # fmt: skip

# allowed values -------------------------------------------------------------------------------------------------------

RandomState: TypeAlias = int | np.random.RandomState | None
"""A seed, a generator of scikit-learn's kind, or None for a random seed."""

Constraints: TypeAlias = dict[str, Sequence[object] | str]
"""The allowed values of each parameter, as scikit-learn declares them."""


class ReadOptions(TypedDict, total=False):
    """Options of scikit-learn's `validate_data`."""

    accept_sparse: bool | list[str]
    dtype: str | type | list[type] | None
    ensure_all_finite: bool
    ensure_min_samples: int


def constraints_of(domains: Mapping[str, Domain]) -> Constraints:
    """Return the allowed values of parameters as scikit-learn's constraints."""
    return {name: domain if isinstance(domain, str) else _listed(domain) for name, domain in domains.items()}


def _listed(domain: Domain) -> list[object]:
    return [_constraint(one) for one in domain]


def _constraint(one: object) -> object:
    if isinstance(one, Within):
        return Interval(one.kind, one.low, one.high, closed=one.closed)
    return StrOptions(set(one.words)) if isinstance(one, OneOf) else one


ESTIMATES = _constraint(ESTIMATE)
EVIDENCE, LOO = StrOptions({"evidence", "loo"}), StrOptions({"loo"})
NUMBER = Interval(Real, 0, None, closed="left")
TEMPER, LENGTH_EXPONENT, RIDGE, CLASS_PRIOR = map(_listed, (TEMPERS, EXPONENTS, RIDGES, CLASS_PRIORS))

SKLEARN_PRIOR: Constraints = {"fit_prior": ["boolean"], "class_prior": [*CLASS_PRIOR, None]}
"""Constraints of the class prior under scikit-learn's parameter names."""

COUNTS: Constraints = {
    "alpha": [NUMBER, "array-like"],
    "class_prior": CLASS_PRIOR,
    "force_alpha": ["boolean"],
    "estimate": [ESTIMATES],
    "temper": TEMPER,
}
"""Constraints of parameters that all classifiers of counts have."""

# scikit-learn ---------------------------------------------------------------------------------------------------------

CHECKS = LabelChecks(partial(column_or_1d, warn=True), check_classification_targets)
"""scikit-learn's checks of labels."""

F = TypeVar("F", bound=Callable[..., object])


def fit_context(method: F) -> F:
    """Make a method check the parameters of its estimator first."""
    wrapped: F = _fit_context(prefer_skip_nested_validation=True)(method)
    return wrapped


def fit_nested(method: F) -> F:
    """Make a method check the parameters of its estimator, and of nested estimators, first."""
    wrapped: F = _fit_context(prefer_skip_nested_validation=False)(method)
    return wrapped


class ShortRequest(RequestMethod):
    """A `set_*_request` method of scikit-learn whose help is one line, not a page."""

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        method = super().__get__(instance, owner)
        named = [one.replace(annotation=one.empty) for one in inspect.signature(method).parameters.values()]
        method.__signature__ = inspect.Signature(named)
        method.__doc__ = f"Set which metadata scikit-learn's meta-estimators pass to `{self.name}` (metadata routing)."
        return method


def shorten_requests(cls: type) -> None:
    """Give the `set_*_request` methods of a class one line of help; delete those that repeat a parent's."""
    generated = {name: one for name, one in vars(cls).items() if isinstance(one, RequestMethod)}
    for name, one in generated.items():
        parent = next((vars(base)[name] for base in cls.__mro__[1:] if name in vars(base)), None)
        if isinstance(parent, ShortRequest) and parent.keys == one.keys:
            delattr(cls, name)
        else:
            setattr(cls, name, ShortRequest(one.name, one.keys, one.validate_keys))


def validate_data(estimator: BaseEstimator, X: Given, *args: object, **options: object) -> Any:
    """Read rows as scikit-learn does, after checking sparse matrices, which it converts without a check."""
    if np.ma.isMaskedArray(X) and np.ma.is_masked(X):
        place = tuple(int(at) for at in np.argwhere(np.ma.getmaskarray(X))[0])
        raise InputError(f"{type(estimator).__name__} (input X)", "hold a value everywhere").but(
            f"got a masked one at {place}",
            python="Fill masked values or leave out their rows, or use NaiveBayes, which takes them as missing.",
        )
    if options.get("dtype", "") is None and _is_list_of_words(X):
        X = np.array(X, object)  # numpy's own strings cannot end in NUL
    given = sound(X, "X") if issparse(X) else _with_plain_categories(X)
    return validation.validate_data(estimator, given, *args, **options)


def _is_list_of_words(X: Given) -> bool:
    rows = X if isinstance(X, list) else []
    return bool(rows) and isinstance(rows[0], list | tuple) and any(isinstance(value, str) for value in rows[0])


def _with_plain_categories(X: Given) -> Given:
    """Return a pandas frame whose categories are plain values if it has flags, too: scikit-learn makes both numbers."""
    change, columns = getattr(X, "astype", None), getattr(X, "columns", None)
    if change is None or columns is None or not getattr(columns, "is_unique", False):
        return X
    kinds = {name: str(dtype) for name, dtype in zip(columns, getattr(X, "dtypes", ()), strict=True)}
    flags = {"bool", "boolean"} & {*kinds.values()}
    categories = {name: object for name, kind in kinds.items() if kind == "category"}
    changed: Given = change(categories) if flags and categories else X
    return changed


def checked_weights(sample_weight: WeightsLike, X: Given) -> Array:
    """Return the weight of each row, checked by scikit-learn."""
    if np.ma.isMaskedArray(sample_weight):
        sample_weight = as_numbers(sample_weight, "sample_weight")
    weights: Array = _check_sample_weight(sample_weight, X, dtype=np.float64)
    return weights


def num_samples(X: Given) -> int:
    """Return the number of rows of anything that scikit-learn accepts."""
    return int(_num_samples(X))


# meaning for models ---------------------------------------------------------------------------------------------------


def beliefs_of(estimator: BaseEstimator) -> list[Dirichlet]:
    """Return the Dirichlet of each feature if `alpha` holds them, else []; raise PriorError if one is missing."""
    given, features = estimator.alpha, estimator.n_features_in_
    if not isinstance(given, Dirichlet | list | tuple):
        return []
    every = [given] * features if isinstance(given, Dirichlet) else list(given)
    if len(every) != features or not all(isinstance(one, Dirichlet) and one.alpha.ndim == 1 for one in every):
        raise PriorError(
            f"{type(estimator).__name__}.alpha",
            f"be a number, a Dirichlet or a list of {features} Dirichlets, one per feature",
            got=given,
        )
    return every


def wanted_of(
    estimator: Tempered, *, prior: bool = False, weights: Literal["features"] | None = None, ridge: float | None = None
) -> Wanted | None:
    """Return what training rows choose, according to `alpha`, `temper` and the arguments; None if nothing."""
    wanted = Wanted(
        "loo" if is_loo(getattr(estimator, "alpha", None)) else None,
        "loo" if is_loo(estimator.temper) else None,
        prior,
        weights,
        ridge,
        alpha_bounds=(1.0, 10.0) if estimator.estimate == "map" else (1e-5, 10.0),
        length_exponent=length_exponent_of(estimator),
    )
    return wanted if wanted.alpha or wanted.temper or wanted.prior or wanted.weights else None


def agree(model: BaseEstimator, other: BaseEstimator) -> None:
    """Raise unless both models are fitted, of one class, and have the same parameters and kind of labels."""
    if type(model) is not type(other):
        raise KindError(
            f"A {type(model).__name__} can only be combined with another one; got a {type(other).__name__}."
        )
    for one in (model, other):
        check_is_fitted(one)
        verify(one)
    theirs = params_in_files(other)
    for name, value in params_in_files(model).items():
        if not _same(value, theirs[name]):
            raise InputError("Models that are combined", "have the same parameters").but(
                f"{name!r} is {value!r} in one and {theirs[name]!r} in the other", "Fit them with the same value."
            )
    check_kinds_of_labels(model.classes_, other.classes_)


def _same(a: object, b: object) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray | list | tuple) or isinstance(b, np.ndarray | list | tuple):
        return type(a) is type(b) and np.array_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object))
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in (a, b)):
        return bool(a == b)  # 1 and 1.0, of Python or of numpy
    return type(a) is type(b) and bool(a == b)
