"""Parameters of classifiers: what they can be, how scikit-learn checks them, and what those that many share mean.

Everything of scikit-learn that is private or may move is here, so that a release of theirs breaks one file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import Tags, validation
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_is_fitted, column_or_1d

from suffice.errors import InputError, KindError, PriorError
from suffice.estimators.shell.stored import params_in_files, verify
from suffice.models.choosing.wanted import Wanted
from suffice.models.class_prior import ClassPrior
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.results import Estimate
from suffice.posterior import Dirichlet
from suffice.readers.labels import Given, LabelChecks, check_kinds_of_labels
from suffice.sparse import sound
from suffice.typing import Array, WeightsLike

__all__ = [
    "CHECKS", "CLASS_PRIOR", "COUNTS", "ESTIMATES", "EVIDENCE", "LENGTH_EXPONENT", "LOO", "NUMBER", "RIDGE",
    "SKLEARN_PRIOR", "TEMPER", "Alpha", "ClassPriorLike", "Constraints", "Estimate", "HasMethods", "Interval",
    "RandomState", "ReadOptions", "StrOptions", "Tags", "Tempering", "Vector", "agree", "beliefs_of", "check_temper",
    "checked_weights", "class_prior_of", "counts_of_belief", "fit_context", "fit_nested", "given_temper", "is_loo",
    "length_exponent_of", "must_sum_to_one", "num_samples", "validate_data", "wanted_of",
]  # fmt: skip

# what they can be -----------------------------------------------------------------------------------------------------

Vector: TypeAlias = Sequence[float] | np.ndarray[Any, Any]
"""One for each feature, or each class."""

Alpha: TypeAlias = float | Vector | Literal["loo"]
"""Pseudo-counts: one for all, one for each feature, or that rows are to choose one."""

ClassPriorLike: TypeAlias = Literal["counted", "uniform"] | float | Vector | Dirichlet
"""What is believed of classes: see the parameter of that name."""

Tempering: TypeAlias = float | Literal["loo"]
"""A power, or that rows are to choose it."""

RandomState: TypeAlias = int | np.random.RandomState | None
"""What scikit-learn draws with: a seed, a generator of its kind, or None for fresh randomness."""

Constraints: TypeAlias = dict[str, Sequence[object] | str]
"""What scikit-learn lets each parameter of a class be."""


class ReadOptions(TypedDict, total=False):
    """How scikit-learn reads rows."""

    accept_sparse: bool | list[str]
    dtype: str | type | list[type] | None
    ensure_all_finite: bool
    ensure_min_samples: int


class Tempered(Protocol):
    """An estimator that has a temper; it may have an exponent of length, too."""

    @property
    def temper(self) -> Tempering | None:
        """What likelihoods are raised to."""

    @property
    def estimate(self) -> str:
        """How parameters are estimated."""


class HasClassPrior(Protocol):
    """An estimator that has a class prior; a drop-in for one of scikit-learn has `fit_prior`, too."""

    @property
    def class_prior(self) -> ClassPriorLike | None:
        """What is believed of classes."""


ESTIMATES = StrOptions({"mle", "map", "mean", "predictive"})
EVIDENCE, LOO = StrOptions({"evidence", "loo"}), StrOptions({"loo"})
NUMBER = Interval(Real, 0, None, closed="left")
TEMPER: list[object] = [Interval(Real, 0, None, closed="neither"), LOO, None]
LENGTH_EXPONENT: list[object] = [Interval(Real, None, None, closed="neither"), LOO, None]
RIDGE: list[object] = [Interval(Real, 0, None, closed="neither"), None]

CLASS_PRIOR: list[object] = [
    "array-like",
    Dirichlet,
    StrOptions({"counted", "uniform"}),
    Interval(Real, 0, None, closed="neither"),
]
"""What a class prior can be, in every class."""

SKLEARN_PRIOR: Constraints = {"fit_prior": ["boolean"], "class_prior": [*CLASS_PRIOR, None]}
"""Constraints of the class prior by scikit-learn's names."""

COUNTS: Constraints = {
    "alpha": [NUMBER, "array-like"],
    "class_prior": CLASS_PRIOR,
    "force_alpha": ["boolean"],
    "estimate": [ESTIMATES],
    "temper": TEMPER,
}
"""Constraints of the parameters that classifiers of counts share."""

# scikit-learn ---------------------------------------------------------------------------------------------------------

CHECKS = LabelChecks(lambda y: column_or_1d(y, warn=True), check_classification_targets)
"""What scikit-learn's users expect of labels."""

F = TypeVar("F", bound=Callable[..., object])


def fit_context(method: F) -> F:
    """Check the parameters of an estimator before it learns."""
    wrapped: F = _fit_context(prefer_skip_nested_validation=True)(method)
    return wrapped


def fit_nested(method: F) -> F:
    """Check the parameters of an estimator, and of those inside, before it learns."""
    wrapped: F = _fit_context(prefer_skip_nested_validation=False)(method)
    return wrapped


def validate_data(estimator: BaseEstimator, X: Given, *args: object, **options: object) -> Any:
    """Read rows as scikit-learn does, after a look at sparse matrices that it would convert unseen."""
    return validation.validate_data(estimator, sound(X, "X") if issparse(X) else X, *args, **options)


def checked_weights(sample_weight: WeightsLike, X: Given) -> Array:
    """Return what each row counts for, as scikit-learn reads it."""
    weights: Array = _check_sample_weight(sample_weight, X, dtype=np.float64)
    return weights


def num_samples(X: Given) -> int:
    """Return the number of rows of whatever scikit-learn knows."""
    return int(_num_samples(X))


# what they mean -------------------------------------------------------------------------------------------------------


def is_loo(value: object) -> bool:
    """Return whether a parameter is to be chosen by leaving rows out."""
    return isinstance(value, str) and value == "loo"


def class_prior_of(estimator: HasClassPrior, flat: bool = False) -> ClassPrior:
    """Return the class prior of an estimator; raise ValueError if it can be none.

    A drop-in for a class of scikit-learn has its parameter `fit_prior`, and takes any numbers for probabilities.
    """
    given, fit_prior = estimator.class_prior, getattr(estimator, "fit_prior", None)
    if given is None:
        given = "counted" if fit_prior else "uniform"
    if not isinstance(given, str | Real | Dirichlet):
        given = np.array(given, np.float64)
        if fit_prior is None:
            must_sum_to_one(given, "class_prior", type(estimator).__name__)
    return ClassPrior(given, getattr(estimator, "estimate", "mean"), flat)


def must_sum_to_one(given: Array, parameter: str, name: str) -> None:
    """Raise InputError unless these are probabilities."""
    if given.ndim != 1 or not (given >= 0).all() or not np.isclose(given.sum(), 1.0):
        raise InputError(
            f"The '{parameter}' parameter of {name} must hold probabilities of the classes, which sum to 1. Got "
            f"{given.tolist()} instead; a pseudo-count of each class is a Dirichlet."
        )


def counts_of_belief(belief: Dirichlet, categories: int, what: str, name: str) -> float | Array:
    """Return the pseudo-counts of a Dirichlet, one number where all are equal; raise PriorError if they do not fit."""
    alpha = belief.alpha
    if alpha.shape != (categories,):
        raise PriorError(
            f"The 'alpha' parameter of {name} must be a Dirichlet of {categories:,} categories, {what}. Got one of "
            f"shape {alpha.shape} instead."
        )
    return float(alpha[0]) if (alpha == alpha[0]).all() else alpha


def beliefs_of(estimator: BaseEstimator) -> list[Dirichlet]:
    """Return the belief about each feature, where `alpha` is one or lists them; raise PriorError unless it has all."""
    given, features = estimator.alpha, estimator.n_features_in_
    if not isinstance(given, Dirichlet | list | tuple):
        return []
    every = [given] * features if isinstance(given, Dirichlet) else list(given)
    if len(every) != features or not all(isinstance(one, Dirichlet) and one.alpha.ndim == 1 for one in every):
        raise PriorError(
            f"The 'alpha' parameter of {type(estimator).__name__} must be a number, a Dirichlet or a list of "
            f"{features} Dirichlets, one per feature. Got {given!r} instead."
        )
    return every


def wanted_of(
    estimator: Tempered, *, prior: bool = False, weights: Literal["features"] | None = None, ridge: float | None = None
) -> Wanted | None:
    """Return what training rows are to choose, by the parameters `alpha` and `temper` and more; None if nothing."""
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


def check_temper(estimator: Tempered) -> None:
    """Raise InputError if the temper is a pair, which it was while it held the exponent of length, too."""
    given: object = estimator.temper
    if isinstance(given, tuple | list | np.ndarray):
        name = type(estimator).__name__
        ways = f"The 'temper' parameter of {name} must be one number above 0, 'loo' or None"
        if not hasattr(estimator, "length_exponent"):
            raise InputError(f"{ways} (only documents have a 'length_exponent'); got {given!r}.")
        instead = f": use temper={given[0]!r}, length_exponent={given[1]!r}" if len(given) == 2 else ""
        raise InputError(f"{ways}, and the exponent of length is 'length_exponent'; got temper={given!r}{instead}.")


def given_temper(estimator: Tempered) -> Temper | None:
    """Return the temper that the parameters give; None if rows are to choose it."""
    check_temper(estimator)
    power, exponent = estimator.temper, length_exponent_of(estimator)
    if isinstance(power, str):
        return None
    power = 1.0 if power is None else power
    if not _is_finite(power) or power <= 0:
        raise InputError(
            f"The 'temper' parameter of {type(estimator).__name__} must be one number above 0, 'loo' or None; got "
            f"{power!r}."
        )
    return Temper(float(power), 0.0 if exponent is None else exponent)


def length_exponent_of(estimator: Tempered) -> float | None:
    """Return the exponent of a row's length that its power is divided by; None if it is chosen with the temper."""
    given = getattr(estimator, "length_exponent", None)
    if isinstance(given, str):
        return None if isinstance(estimator.temper, str) else 0.0
    if given is not None and not _is_finite(given):
        raise InputError(
            f"The 'length_exponent' parameter of {type(estimator).__name__} must be one finite number, 'loo' or None; "
            f"got {given!r}."
        )
    return 0.0 if given is None else float(given)


def _is_finite(value: object) -> bool:
    return isinstance(value, Real) and bool(np.isfinite(float(value)))


def agree(model: BaseEstimator, other: BaseEstimator) -> None:
    """Raise unless both models are of one kind, with the same parameters and labels of one kind."""
    if type(model) is not type(other):
        raise KindError(f"A {type(model).__name__} can only be combined with another one; got {type(other).__name__}.")
    for one in (model, other):
        check_is_fitted(one)
        verify(one)
    theirs = params_in_files(other)
    for name, value in params_in_files(model).items():
        if not _same(value, theirs[name]):
            raise InputError(
                f"Models that are combined must have the same parameters; {name!r} is {value!r} in one and "
                f"{theirs[name]!r} in the other."
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
