"""Changes of an estimator come one after the other; a reader meanwhile sees it as it was, or as it will be.

What an estimator knows is in its ``__dict__``, and no change touches one that others may be reading: it is made to a
copy, which takes the old one's place in one assignment at the end, or not at all. A question goes to an object that
shares the ``__dict__`` of the moment it came, and so of one whole state, whatever happens meanwhile; it never waits.
Views that are made for it are kept in that state alone.

The lock of an estimator is not part of it: it is neither copied nor pickled nor seen in ``vars``. Nobody holds two of
them, since other models that take part in a change are read as any question reads them.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import RLock
from typing import Any
from weakref import WeakKeyDictionary

from sklearn.base import BaseEstimator

from suffice.attributes import guard_properties
from suffice.errors import BusyError
from suffice.estimators.shell.renamed import refuse_old_names

__all__ = ["Whole", "changing", "take_turns", "whole"]

CHANGES = {
    "decay", "drop_journal", "drop_views", "fit", "fit_predict", "fit_transform", "forget", "merge", "partial_fit",
    "refresh", "set_params",
}  # fmt: skip
"""Methods that change an estimator. Other public methods only read it, as do these:"""

QUESTIONS = {"__add__", "__sub__", "_get_state"}

_locks: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

if hasattr(os, "register_at_fork"):  # whoever holds a lock is not there in a child
    os.register_at_fork(after_in_child=_locks.clear)


class Whole:
    """An estimator whose changes are whole."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        refuse_old_names(cls)
        take_turns(cls)


def take_turns(cls: type[Any]) -> None:
    """Make the changes of a class of estimators whole, and its questions questions to one state."""
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


def whole(model: Any) -> Any:
    """Return the model as it is now: whatever changes it later leaves this as it is."""
    if not getattr(type(model), "_takes_turns", False):
        return model
    now = object.__new__(type(model))
    now.__dict__ = model.__dict__
    return now


@contextmanager
def changing(model: Any) -> Iterator[Any]:
    """Yield a copy of the model to change; it replaces the model unless an error is raised. Other changes wait."""
    lock = _locks.setdefault(model, RLock())
    if lock._is_owned():
        raise BusyError(
            f"A {type(model).__name__} must not be changed while another change of it is in progress; got a change "
            "from the rows that it is learning from, or from a signal handler."
        )
    with lock:
        check = model.__dict__.get("_verify")
        if check is not None:  # what was read from a file has still to be compared with its checksums
            check()
        before = model.__dict__.copy()
        changed = object.__new__(type(model))
        changed.__dict__ = before.copy()
        if "_made" in before:
            changed._made = before["_made"].copy()
        yield changed
        given = {name: value for name, value in model.__dict__.copy().items() if value is not before.get(name, before)}
        model.__dict__ = {**changed.__dict__, **given}  # with what was assigned meanwhile


def _change(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def change(self: Any, *args: Any, **kwargs: Any) -> Any:
        with changing(self) as changed:
            result = method(changed, *args, **kwargs)
        return self if result is changed else result

    return _marked(change)


def _question(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def ask(self: Any, *args: Any, **kwargs: Any) -> Any:
        now = whole(self)
        result = method(now, *args, **kwargs)
        return self if result is now else result

    return _marked(ask)


def _marked(function: Any) -> Callable[..., Any]:
    function._in_turn = True
    marked: Callable[..., Any] = function
    return marked


def _is_ours(method: Callable[..., Any]) -> bool:
    """Return whether a method is of suffice or scikit-learn: these change nothing, those of users may do anything."""
    module = method.__module__.partition(".")[0]
    return module == "suffice" or (module == "sklearn" and getattr(BaseEstimator, method.__name__, None) is not method)
