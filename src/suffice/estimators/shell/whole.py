"""Make changes of estimators atomic: one at a time, complete or not at all, while other threads read a single state.

The state of an estimator is its ``__dict__``. A change is made to a copy of it, which replaces the original in one
assignment at the end, unless an error is raised. A query runs on an object that shares the ``__dict__`` of the moment
it started, so it sees one complete state, and never waits. Caches that it fills stay in that state.

The lock of an estimator is not part of its state: it is not copied, pickled or shown in ``vars``. No thread holds two
locks, since other models that take part in a change are only read.

This file also lists parameters that scikit-learn's estimators have by another name: they raise an error with ours.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from suffice.attributes import guard_properties
from suffice.errors import BusyError, KeywordError
from suffice.estimators.shell.portable import Portable
from suffice.signatures import explained

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

__all__ = [
    "MOVED", "PARAMETERS", "Whole", "changing", "explain_constructor", "know_nothing", "must_be_fitted",
    "refuse_other_names", "take_turns", "whole",
]  # fmt: skip

CHANGES = {
    "decay", "drop_journal", "drop_views", "fit", "fit_predict", "fit_transform", "forget", "merge", "partial_fit",
    "refresh", "set_params",
}  # fmt: skip
"""Methods that change an estimator. Other public methods only read it."""

QUESTIONS = {"__add__", "__sub__", "_get_state"}
"""Other methods that read one state of an estimator."""

M = TypeVar("M")
Method: TypeAlias = Callable[..., Any]

_locks: WeakKeyDictionary[object, Any] = WeakKeyDictionary()

if hasattr(os, "register_at_fork"):  # threads that hold locks do not exist in a child
    os.register_at_fork(after_in_child=_locks.clear)


class Whole(Portable):
    """An estimator whose changes are made completely or not at all."""

    def __init_subclass__(cls, **options: object) -> None:
        """Make the changes of a subclass complete or not at all, and refuse names of other libraries."""
        super().__init_subclass__(**options)
        explain_constructor(cls)
        refuse_other_names(cls)
        take_turns(cls)


def take_turns(cls: type[BaseEstimator]) -> None:
    """Make methods that change an estimator atomic, and let other methods read a single state."""
    cls._takes_turns = True
    guard_properties(cls, whole)
    for name in {name for base in cls.__mro__ for name in vars(base)}:
        found = inspect.getattr_static(cls, name)
        if not inspect.isfunction(found) or hasattr(found, "_in_turn"):
            continue
        if name in CHANGES:
            setattr(cls, name, _change(found))
        elif name in QUESTIONS or (_is_ours(found) and not name.startswith("_")):
            setattr(cls, name, _question(found))
    if any(name.endswith("_request") for name in vars(cls)):  # those that scikit-learn generates
        from suffice.estimators.shell.parameters import shorten_requests

        shorten_requests(cls)


def explain_constructor(cls: Any) -> None:
    """Make errors about wrong parameters of a constructor list the known ones."""
    module = getattr(cls.__init__, "__module__", "")
    if "__init__" in vars(cls) or module.startswith("sklearn."):
        cls.__init__ = explained(cls.__init__)


def whole(model: M) -> M:
    """Return the model in its current state, which later changes do not affect."""
    if not getattr(type(model), "_takes_turns", False):
        return model
    now = object.__new__(type(model))
    now.__dict__ = model.__dict__
    return now


def must_be_fitted(estimator: object) -> None:
    """Raise scikit-learn's NotFittedError unless a classifier is fitted, or was read from a file."""
    if "_predictor" not in vars(estimator):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)


@contextmanager
def changing(model: M) -> Iterator[M]:
    """Yield a copy of the model to change, which replaces the model unless an error is raised; other changes wait."""
    lock = _locks.setdefault(model, RLock())
    if lock._is_owned():
        raise BusyError(
            f"A {type(model).__name__} must not be changed while another change of it is in progress; got a change "
            "from the iterator of rows that it is learning, or from a signal handler. Change a copy, or wait."
        )
    with lock:
        check = model.__dict__.get("_verify")
        if check is not None:  # arrays from a file are not compared with their checksums yet
            check()
        before = model.__dict__.copy()
        changed = object.__new__(type(model))
        changed.__dict__ = before.copy()
        if "_made" in before:
            changed.__dict__["_made"] = before["_made"].copy()
        yield changed
        given = {name: value for name, value in model.__dict__.copy().items() if value is not before.get(name, before)}
        model.__dict__ = {**changed.__dict__, **given}  # keeps attributes assigned meanwhile


def know_nothing(model: BaseEstimator) -> None:
    """Remove all fitted attributes of an estimator."""
    kept = set(model.get_params(deep=False))
    for name in [name for name in vars(model) if name not in kept]:
        delattr(model, name)


def _change(method: Method) -> Method:
    @wraps(method)
    def change(self: BaseEstimator, *args: object, **kwargs: object) -> object:
        with changing(self) as changed:
            result = method(changed, *args, **kwargs)
        return self if result is changed else result

    return _marked(change)


def _question(method: Method) -> Method:
    @wraps(method)
    def ask(self: BaseEstimator, *args: object, **kwargs: object) -> object:
        now = whole(self)
        result = method(now, *args, **kwargs)
        return self if result is now else result

    return _marked(ask)


def _marked(function: Method) -> Method:
    vars(function)["_in_turn"] = True
    return function


def _is_ours(method: Method) -> bool:
    """Return whether suffice or scikit-learn defines a method, so that it changes nothing; users' methods may."""
    module = method.__module__.partition(".")[0]
    if module != "sklearn":
        return module == "suffice"
    from sklearn.base import BaseEstimator

    return getattr(BaseEstimator, method.__name__, None) is not method


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


def _refusing(method: Method, name: str, parameters: dict[str, str]) -> Method:
    """Return the method, changed to raise KeywordError for parameters with another name."""

    @wraps(method)
    def refusing(self: BaseEstimator, *args: object, **given: object) -> object:
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
