"""Names and allowed values of parameters, and the meaning of those that many classifiers share; without scikit-learn.

Allowed values are declared once, here or in the class of the parameter. `parameters.py` passes them to scikit-learn,
which checks the arguments of users; `allows` checks the parameters in a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from numbers import Real
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from suffice.errors import InputError, KeywordError, PriorError
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.scoring.cells import Temper
from suffice.posterior import Conjugate, Dirichlet
from suffice.typing import Array

# allowed values -------------------------------------------------------------------------------------------------------

Vector: TypeAlias = Sequence[float] | np.ndarray[Any, Any]
"""One number per feature, or per class."""

Alpha: TypeAlias = float | Vector | Literal["loo"]
"""Pseudo-counts: one for all features, one per feature, or "loo", which lets rows choose one."""

ClassPriorLike: TypeAlias = Literal["counted", "uniform"] | float | Vector | Dirichlet
"""Values of the parameter `class_prior`."""

Tempering: TypeAlias = float | Literal["loo"]
"""A power, or "loo", which lets rows choose it."""


class Tempered(Protocol):
    """An estimator with a `temper`, and perhaps a `length_exponent`."""

    @property
    def temper(self) -> Tempering | None:
        """The power that likelihoods are raised to."""

    @property
    def estimate(self) -> str:
        """How parameters are estimated."""


class HasClassPrior(Protocol):
    """An estimator with a `class_prior`, and perhaps scikit-learn's `fit_prior`."""

    @property
    def class_prior(self) -> ClassPriorLike | None:
        """The prior over the classes."""


@dataclass(frozen=True)
class OneOf:
    """A set of allowed strings."""

    words: frozenset[str]

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and value in self.words


@dataclass(frozen=True)
class Within:
    """An interval of numbers of a type; a bound of None is infinite, and `closed` names the bounds that it includes."""

    kind: type
    low: float | None
    high: float | None
    closed: Literal["left", "right", "both", "neither"]

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, self.kind) or not isinstance(value, Real):
            return False
        number = float(value)
        low, high = -np.inf if self.low is None else self.low, np.inf if self.high is None else self.high
        above = number >= low if self.closed in ("left", "both") else number > low  # False for NaN
        return above and (number <= high if self.closed in ("right", "both") else number < high)


Domain: TypeAlias = Sequence[object] | str
"""The allowed values of a parameter; "no_validation" if it is checked elsewhere."""

LARGEST = 2.0**500
"""Largest size of a number in a parameter."""

ESTIMATE = OneOf(frozenset({"mle", "map", "mean", "predictive"}))
POSITIVE = Within(Real, 0, None, "neither")
TEMPERS: Domain = [POSITIVE, OneOf(frozenset({"loo"})), None]
EXPONENTS: Domain = [Within(Real, -30, 30, "both"), OneOf(frozenset({"loo"})), None]
RIDGES: Domain = [POSITIVE, None]
EFFORTS = OneOf(frozenset({"fast", "balanced", "best"}))

CLASS_PRIORS: Domain = ["array-like", Dirichlet, OneOf(frozenset({"counted", "uniform"})), POSITIVE]
"""Allowed values of `class_prior` in every class."""

NAMED: dict[str, tuple[type, ...]] = {"array-like": (list, tuple, np.ndarray), "boolean": (bool, np.bool_)}
"""Types in files that scikit-learn's words stand for."""


def allows(domains: Mapping[str, Domain], given: Mapping[str, object]) -> bool:
    """Return whether exactly these parameters are given, each with an allowed value."""
    return set(domains) == set(given) and all(_among(value, domains[name]) for name, value in given.items())


def _among(value: object, domain: Domain) -> bool:
    return isinstance(domain, str) or any(_is(value, one) for one in domain)


def _is(value: object, one: object) -> bool:
    if isinstance(one, OneOf | Within):
        return value in one
    if isinstance(one, str | type):
        return isinstance(value, NAMED[one] if isinstance(one, str) else one)
    return value is one


# meaning --------------------------------------------------------------------------------------------------------------


def is_loo(value: object) -> bool:
    """Return whether a parameter is "loo", chosen by leaving rows out."""
    return isinstance(value, str) and value == "loo"


def check_sizes(name: str, given: Mapping[str, object]) -> None:
    """Raise InputError for a parameter with a number so large that sums and products of it overflow."""
    for parameter, value in given.items():
        largest = _largest(value)
        if largest > LARGEST:
            raise InputError(f"{name}.{parameter}", "hold numbers of at most 2**500 in size").but(f"got {largest:.6g}")


def _largest(value: object) -> float:
    """Return the largest size of a number in a value of a parameter; 0 without numbers."""
    parts: Iterable[object] = ()
    if isinstance(value, Conjugate):
        parts = value._values()
    elif isinstance(value, Mapping):
        parts = value.values()
    elif isinstance(value, Likelihood):
        parts = vars(value).values()
    elif isinstance(value, list | tuple) and value and not isinstance(value[0], Real | str):
        parts = value
    elif isinstance(value, Real | list | tuple | np.ndarray) and np.asarray(value).dtype.kind in "iuf":
        return float(np.abs(np.asarray(value, np.float64)).max(initial=0.0))
    return max(map(_largest, parts), default=0.0)


def class_prior_of(estimator: HasClassPrior, flat: bool = False) -> ClassPrior:
    """Return the class prior of an estimator; raise InputError if its probabilities do not sum to 1.

    Drop-ins for scikit-learn have the parameter `fit_prior`, and accept probabilities with any sum.
    """
    given, fit_prior = estimator.class_prior, getattr(estimator, "fit_prior", None)
    if given is None:
        given = "counted" if fit_prior else "uniform"
    if isinstance(given, Mapping):
        raise InputError(
            f"{type(estimator).__name__}.class_prior", "hold probabilities in the order of 'classes_'"
        ).but("got a dict", "Pass a list of its values in that order.")
    if not isinstance(given, str | Real | Dirichlet):
        given = np.array(given, np.float64)
        if fit_prior is None:
            must_sum_to_one(given, "class_prior", type(estimator).__name__)
    return ClassPrior(given, getattr(estimator, "estimate", "mean"), flat)


def must_sum_to_one(given: Array, parameter: str, name: str) -> None:
    """Raise InputError unless an array holds probabilities that sum to 1."""
    if given.ndim != 1 or not (given >= 0).all() or not np.isclose(given.sum(), 1.0):
        raise InputError(f"{name}.{parameter}", "hold probabilities of the classes, which sum to 1").but(
            f"got {given.tolist()}", python="Use sf.Dirichlet for pseudo-counts of the classes."
        )


def counts_of_belief(belief: Dirichlet, categories: int, what: str, name: str) -> float | Array:
    """Return the pseudo-counts of a Dirichlet, one number if all are equal; raise PriorError if the size is wrong."""
    alpha = belief.alpha
    if alpha.shape != (categories,):
        raise PriorError(f"{name}.alpha", f"be a Dirichlet of {categories:,} categories, {what}").but(
            f"got one of shape {alpha.shape}"
        )
    return float(alpha[0]) if (alpha == alpha[0]).all() else alpha


def given_temper(estimator: Tempered) -> Temper | None:
    """Return the temper that the parameters define; None if rows choose it."""
    power, exponent = estimator.temper, length_exponent_of(estimator)
    if isinstance(power, str):
        return None
    power = 1.0 if power is None else power
    if not _is_finite(power) or power <= 0:
        raise InputError(f"{type(estimator).__name__}.temper", "be one number above 0, 'loo' or None", got=power)
    return Temper(float(power), 0.0 if exponent is None else exponent)


def length_exponent_of(estimator: Tempered) -> float | None:
    """Return the exponent of document length; None if it is chosen with the temper."""
    given = getattr(estimator, "length_exponent", None)
    if isinstance(given, str):
        return None if isinstance(estimator.temper, str) else 0.0
    if given is not None and not _is_finite(given):
        raise InputError(
            f"{type(estimator).__name__}.length_exponent", "be one finite number, 'loo' or None", got=given
        )
    return 0.0 if given is None else float(given)


def _is_finite(value: object) -> bool:
    return isinstance(value, Real) and bool(np.isfinite(float(value)))


# parameters of scikit-learn by other names ----------------------------------------------------------------------------

FIT_PRIOR = {"fit_prior": "class_prior"}

PARAMETERS: dict[str, dict[str, str]] = {
    "DirichletMultinomialNB": FIT_PRIOR,
    "GaussianDiscriminant": {"priors": "class_prior"},
    "NaiveBayes": FIT_PRIOR,
    "PoissonNB": FIT_PRIOR,
    "TextClassifier": FIT_PRIOR,
}
"""Parameters by the names of scikit-learn's estimators, and ours."""

VALUES: dict[tuple[str, object], str] = {
    ("fit_prior", True): "counted",
    ("fit_prior", False): "uniform",
    ("priors", None): "counted",
}
"""Values of `class_prior` that mean what values of scikit-learn's parameters do."""

TOKENS = (
    "analyzer", "lowercase", "strip_accents", "stop_words", "token_pattern", "tokenizer", "preprocessor", "encoding",
    "decode_error",
)  # fmt: skip
TERM_WEIGHTING = ("sublinear_tf", "use_idf", "normalize", "norm")

MOVED: dict[str, dict[str, str]] = {
    "LanguageModel": dict.fromkeys(TOKENS, "tokens"),
    "TextClassifier": {
        **dict.fromkeys((*TOKENS, "binary", "max_df", "hash_bits"), "tokens"),
        **dict.fromkeys(TERM_WEIGHTING, "term_weighting"),
    },
}
"""Options that are part of a value here: option to the parameter that takes the value."""


def refuse_other_names(cls: type) -> None:
    """Make the constructor and `set_params` of a class refuse parameters by the names of other libraries."""
    parameters = {
        **{name: f"takes '{new}' instead of '{name}'" for name, new in PARAMETERS.get(cls.__name__, {}).items()},
        **{name: f"takes '{name}' as a part of '{new}'" for name, new in MOVED.get(cls.__name__, {}).items()},
    }
    if not parameters or not cls.__module__.startswith("suffice."):
        return
    methods = {name: _refusing(getattr(cls, name), cls.__name__, parameters) for name in ("__init__", "set_params")}
    methods["set_params"].__doc__ = "Set parameters, those of a nested estimator by ``name__parameter``; return self."
    for name, method in methods.items():
        setattr(cls, name, method)


def _refusing(method: Callable[..., Any], name: str, parameters: dict[str, str]) -> Callable[..., Any]:
    """Return the method, changed to raise KeywordError for parameters with another name."""

    @wraps(method)
    def refusing(self: object, *args: object, **given: object) -> object:
        old = next((one for one in given if one in parameters), None)
        if old is not None:
            use = _instead(old, given, MOVED.get(name, {}))
            raise KeywordError(f"{name} {parameters[old]}; got {old}={given[old]!r}{use}.")
        return method(self, *args, **given)

    return refusing


def _instead(old: str, given: dict[str, object], moved: dict[str, str]) -> str:
    """Return the code that replaces a parameter, for an error; "" if it is the same value under our name."""
    if old in moved:
        alike = ", ".join(f"{one}={given[one]!r}" for one in given if moved.get(one) == moved[old])
        return f": use {moved[old]}=sf.{moved[old].title().replace('_', '')}({alike})"
    value = given[old]
    known = value is None or isinstance(value, bool)
    return f": use class_prior={VALUES[old, value]!r}" if known and (old, value) in VALUES else ""
