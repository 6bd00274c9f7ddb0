"""Make changes of estimators atomic: one at a time, complete or not at all, while other threads read a single state.

The state of an estimator is its ``__dict__``. A method with `change` works on a copy of it, which replaces the original
in one assignment at the end, unless an error is raised. A method with `query` runs on an object that shares the
``__dict__`` of the moment it started, so it sees one complete state, and never waits. Caches that it fills stay in that
state. Properties are queries.

The lock of an estimator is not part of its state: it is not copied, pickled or shown in ``vars``. No thread holds two
locks, since other models that take part in a change are only read.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy, deepcopy
from functools import wraps
from threading import RLock
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from weakref import WeakKeyDictionary

import suffice
from suffice.attributes import guard_properties
from suffice.errors import BusyError, KindError
from suffice.estimators.shell.parameter_domains import refuse_other_names
from suffice.signatures import explained

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

M = TypeVar("M")
F = TypeVar("F", bound=Callable[..., Any])

_locks: WeakKeyDictionary[object, Any] = WeakKeyDictionary()

if hasattr(os, "register_at_fork"):  # threads that hold locks do not exist in a child
    os.register_at_fork(after_in_child=_locks.clear)


def change(method: F) -> F:
    """Make a method change its estimator completely or not at all, while other changes wait."""

    @wraps(method)
    def changes(self: object, *args: object, **kwargs: object) -> object:
        with changing(self) as changed:
            result = method(changed, *args, **kwargs)
        return self if result is changed else result

    vars(changes)["changes"] = True
    return cast("F", changes)


def query(method: F) -> F:
    """Make a method read a single state of its estimator, whatever other threads do."""

    @wraps(method)
    def asks(self: object, *args: object, **kwargs: object) -> object:
        return method(snapshot(self), *args, **kwargs)

    vars(asks)["changes"] = False
    return cast("F", asks)


def snapshot(model: M) -> M:
    """Return the estimator in its current state, which later changes do not affect; any other object as it is."""
    if not isinstance(model, Atomic):
        return model
    now = object.__new__(type(model))
    now.__dict__ = model.__dict__
    return now


@contextmanager
def changing(model: M) -> Iterator[M]:
    """Yield a copy of the model to change, which replaces the model unless an error is raised; other changes wait."""
    lock = _locks.setdefault(model, RLock())
    if lock._is_owned():
        raise BusyError(f"A {type(model).__name__}", "not be changed while another change of it is in progress").but(
            "got a change from the iterator of rows that it is learning, or from a signal handler",
            "Change a copy, or wait.",
        )
    with lock:
        verify(model)
        before = model.__dict__.copy()
        changed = object.__new__(type(model))
        changed.__dict__ = before.copy()
        if "_made" in before:
            changed.__dict__["_made"] = before["_made"].copy()
        yield changed
        given = {name: value for name, value in model.__dict__.copy().items() if value is not before.get(name, before)}
        model.__dict__ = {**changed.__dict__, **given}  # keeps attributes assigned meanwhile


CHANGES = ("fit", "fit_predict", "fit_transform", "partial_fit", "set_params")
QUERIES = (
    "decision_function", "get_feature_names_out", "get_support", "inverse_transform", "predict", "predict_log_proba",
    "predict_proba", "sample", "score", "score_samples", "transform",
)  # fmt: skip
"""Methods of scikit-learn's API, of which many are inherited, so that no decorator could stand there."""


class Atomic:
    """An estimator whose changes are atomic, and whose state, for pickle, joblib and skops, is its model file.

    So there is one format to trust, and whatever comes back was checked as a file is. An estimator that is not fitted,
    or that no file can hold, such as one with a function as tokenizer, is pickled object by object.
    """

    def __init_subclass__(cls, **options: object) -> None:
        """Guard properties and the constructor of a subclass, and make inherited methods atomic."""
        super().__init_subclass__(**options)
        module = getattr(cls.__init__, "__module__", "")
        if "__init__" in vars(cls) or module.startswith("sklearn."):
            setattr(cls, "__init__", explained(cls.__init__))  # noqa: B010 - which types forbid to assign
        refuse_other_names(cls)
        guard_properties(cls, snapshot)
        for name in (*CHANGES, *QUERIES):
            method = inspect.getattr_static(cls, name, None)
            if inspect.isfunction(method) and not hasattr(method, "changes") and _is_known(method):
                setattr(cls, name, (change if name in CHANGES else query)(method))
        if any(name.endswith("_request") for name in vars(cls)):  # those that scikit-learn generates
            from suffice.estimators.shell.parameters import shorten_requests

            shorten_requests(cls)

    def __getstate__(self) -> dict[str, Any]:
        now = copy(self)  # one state, whatever other threads do
        data = file_of(now)
        if data is None:
            return dict(vars(now))
        kept = {name: value for name, value in vars(now).items() if name in BY_SKLEARN or _is_of_user(now, name)}
        return {**kept, FILE: data}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if FILE in state:
            built = suffice.store.from_bytes(state[FILE])  # above the estimators in the import order, so used late
            if type(built) is not type(self):
                raise KindError("The state", f"be that of a {type(self).__name__}", got_a=built)
            state = {**vars(built), **{name: value for name, value in state.items() if name != FILE}}
        self.__dict__ = dict(state)

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__ = vars(self).copy()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = memo[id(self)] = object.__new__(type(self))
        twin.__dict__ = deepcopy(vars(self).copy(), memo)
        return twin


def _is_known(method: Callable[..., object]) -> bool:
    """Return whether suffice or scikit-learn defines a method; those of users' classes stay as they are."""
    return method.__module__.partition(".")[0] in ("sklearn", "suffice")


def must_be_fitted(estimator: object) -> None:
    """Raise scikit-learn's NotFittedError unless a classifier is fitted, or was read from a file."""
    if "_predictor" not in vars(estimator):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)


def know_nothing(model: BaseEstimator) -> None:
    """Remove all fitted attributes of an estimator."""
    kept = set(model.get_params(deep=False))
    for name in [name for name in vars(model) if name not in kept]:
        delattr(model, name)


def verify(estimator: object) -> None:
    """Compare arrays from a file with their checksums, unless that was done before."""
    check = vars(estimator).get("_verify")
    if check is not None:
        check()


FILE = "model_file"
"""The key of a model file in the state of an estimator."""

BY_SKLEARN = {"_metadata_request", "_sklearn_output_config"}
"""Attributes that scikit-learn sets on request, and files do not hold."""


def file_of(model: object) -> bytes | None:
    """Return the bytes that `save` writes; None if the model is not fitted, or no file can hold it."""
    store: Any = suffice.store  # above the estimators in the import order, so used late
    try:
        data: bytes = store.to_bytes(model)
    except (KindError, ValueError) as error:
        if isinstance(error, KindError) or type(error).__name__ == "NotFittedError":
            return None
        raise
    return data


def _is_of_user(model: Any, name: str) -> bool:
    """Return whether a user has set an attribute, which is neither a parameter nor learned."""
    return not (name.startswith("_") or name.endswith("_") or name in model.get_params(deep=False))
