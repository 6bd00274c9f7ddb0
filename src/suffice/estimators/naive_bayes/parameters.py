"""What classifiers of counts share: their parameters, and what these mean."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from suffice.errors import InputError, PriorError
from suffice.estimators.shell.judging import length_exponent_of
from suffice.estimators.shell.sklearn_api import Interval, StrOptions
from suffice.models.choosing.chooser import Wanted
from suffice.models.class_prior import ClassPrior
from suffice.models.views import Views
from suffice.posterior import Dirichlet
from suffice.posterior.base import Conjugate
from suffice.telling import tell
from suffice.typing import Array

__all__ = [
    "CLASS_PRIOR", "COUNTS", "ESTIMATES", "EVIDENCE", "LENGTH_EXPONENT", "LOO", "NUMBER", "RIDGE", "SKLEARN_PRIOR",
    "TEMPER", "checked_alpha", "class_prior_of", "is_loo", "must_fit_features", "must_sum_to_one", "two_parameters",
    "wanted_of",
]  # fmt: skip

SMALLEST_ALPHA = 1e-10
ESTIMATES = StrOptions({"mle", "map", "mean", "predictive"})
EVIDENCE, LOO = StrOptions({"evidence", "loo"}), StrOptions({"loo"})
NUMBER = Interval(Real, 0, None, closed="left")
TEMPER: list[Any] = [Interval(Real, 0, None, closed="neither"), LOO, None]
LENGTH_EXPONENT: list[Any] = [Interval(Real, None, None, closed="neither"), LOO, None]
RIDGE: list[Any] = [Interval(Real, 0, None, closed="neither"), None]

CLASS_PRIOR: list[Any] = [
    "array-like",
    Dirichlet,
    StrOptions({"counted", "uniform"}),
    Interval(Real, 0, None, closed="neither"),
]
"""What a class prior can be, in every class."""

SKLEARN_PRIOR: dict[str, Any] = {"fit_prior": ["boolean"], "class_prior": [*CLASS_PRIOR, None]}
"""Constraints of the class prior by scikit-learn's names."""

COUNTS: dict[str, Any] = {
    "alpha": [NUMBER, "array-like"],
    "class_prior": CLASS_PRIOR,
    "force_alpha": ["boolean"],
    "estimate": [ESTIMATES],
    "temper": TEMPER,
}
"""Constraints of the parameters that classifiers of counts share."""


def is_loo(value: Any) -> bool:
    """Return whether a parameter is to be chosen by leaving rows out."""
    return isinstance(value, str) and value == "loo"


def class_prior_of(estimator: Any, flat: bool = False) -> ClassPrior:
    """Return the class prior of an estimator; raise ValueError if it can be none.

    A drop-in for a class of scikit-learn has its parameter `fit_prior`, and takes any numbers for probabilities.
    """
    given, drop_in = estimator.class_prior, hasattr(estimator, "fit_prior")
    if given is None:
        given = "counted" if estimator.fit_prior else "uniform"
    if not isinstance(given, str | Real | Dirichlet):
        given = np.array(given, np.float64)
        if not drop_in:
            must_sum_to_one(given, "class_prior", type(estimator).__name__)
    return ClassPrior(given, getattr(estimator, "estimate", "mean"), flat)


def must_sum_to_one(given: Array, parameter: str, name: str) -> None:
    """Raise InputError unless these are probabilities."""
    if given.ndim != 1 or not (given >= 0).all() or not np.isclose(given.sum(), 1.0):
        raise InputError(
            f"The '{parameter}' parameter of {name} must hold probabilities of the classes, which sum to 1. Got "
            f"{given.tolist()} instead; a pseudo-count of each class is a Dirichlet."
        )


def checked_alpha(estimator: Any, views: Views) -> Any:
    """Return the pseudo-counts: as given, as chosen by rows, or "evidence"; raise InputError if they cannot be."""
    given = estimator.alpha
    if is_loo(given):
        return 1.0 if views.alpha is None else views.alpha
    if isinstance(given, str):
        return given
    alpha: Any = given if isinstance(given, Real) else np.array(given)  # it may change under us
    if isinstance(alpha, np.ndarray):
        _check_array(estimator, alpha)
    if np.min(alpha) < SMALLEST_ALPHA and not getattr(estimator, "force_alpha", True):
        tell(
            f"alpha too small will result in numeric errors, setting alpha = {SMALLEST_ALPHA:.1e}. "
            "Use `force_alpha=True` to keep alpha unchanged.",
        )
        return np.maximum(alpha, SMALLEST_ALPHA)
    return alpha


def _check_array(estimator: Any, alpha: Array) -> None:
    name, features = type(estimator).__name__, estimator.n_features_in_
    if alpha.ndim != 1 or not np.isfinite(alpha).all():
        what = f"an array of shape {alpha.shape}" if alpha.ndim != 1 else "NaN or infinity among them"
        raise InputError(
            f"The 'alpha' parameter of {name} must be a number, or finite numbers, one per feature ({features}). Got "
            f"{what} instead."
        )
    if alpha.shape[0] != features:
        raise InputError(
            "When alpha is an array, it should contains `n_features`. "
            f"Got {alpha.shape[0]} elements instead of {features}."
        )
    if alpha.min() < 0:
        raise InputError("All values in alpha must be greater than 0.")


def must_fit_features(estimator: Any, belief: Conjugate[Any], parameter: str) -> None:
    """Raise PriorError unless this is one belief, or one per feature."""
    if belief.batch_shape not in ((), (estimator.n_features_in_,)):
        raise PriorError(
            f"The '{parameter}' parameter of {type(estimator).__name__} must be a {type(belief).__name__}, or one per "
            f"feature ({estimator.n_features_in_}). Got a table of shape {belief.batch_shape} instead."
        )


def two_parameters(estimator: Any, family: type[Any], views: Views) -> tuple[Array, Array]:
    """Return the two parameters of a prior: those of a belief, or `alpha` for both."""
    given: Any = estimator.alpha
    if not isinstance(given, family):
        alpha = np.asarray(checked_alpha(estimator, views), np.float64)
        return alpha, alpha
    must_fit_features(estimator, given, "alpha")
    first, second = (np.asarray(value) for value in given._values())
    return first, second


def wanted_of(estimator: Any, **more: Any) -> Wanted | None:
    """Return what training rows are to choose, by the parameters `alpha` and `temper` and more; None if nothing."""
    alpha: Any = "loo" if is_loo(getattr(estimator, "alpha", None)) else None
    temper: Any = "loo" if is_loo(estimator.temper) else None
    bounds = (1.0, 10.0) if estimator.estimate == "map" else (1e-5, 10.0)
    exponent = length_exponent_of(estimator)
    wanted = Wanted(**{"alpha": alpha, "temper": temper, "alpha_bounds": bounds, "length_exponent": exponent, **more})
    return wanted if wanted.alpha or wanted.temper or wanted.prior or wanted.weights else None
