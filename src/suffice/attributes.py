"""Turn errors of properties into AttributeErrors, so that attributes an object does not have yet can be looked up."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, wraps
from typing import Any


def guard_properties(owner: type, seen: Callable[[Any], Any] | None = None) -> None:
    """Make errors of every property of a class, its own and those of mixins, AttributeErrors too.

    `hasattr`, `dir`, `inspect.getmembers` and notebooks read every attribute, and expect no other error. An error
    keeps its type: an improper prior still raises an ImproperPrior. If `seen` is given, public properties are computed
    from `seen(object)`.
    """
    names = {name for base in owner.__mro__ if base.__module__.startswith("suffice") for name in vars(base)}
    for name in names:
        found = inspect.getattr_static(owner, name, None)
        if type(found) is property and found.fget is not None:
            setattr(
                owner,
                name,
                Guarded(
                    _guarded(found.fget, None if name.startswith("_") else seen), found.fset, found.fdel, found.__doc__
                ),
            )


class Guarded(property):
    """A property whose errors are AttributeErrors."""

    def __init__(
        self,
        fget: Callable[[Any], Any],
        fset: Callable[[Any, Any], None] | None,
        fdel: Callable[[Any], None] | None,
        doc: str | None,
    ) -> None:
        super().__init__(fget, fset, fdel, doc)
        self.__doc__ = doc  # the docstring of this class would hide it from help()


def _guarded(get: Callable[[Any], Any], seen: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    @wraps(get)
    def read(model: Any) -> Any:
        try:
            return get(model if seen is None else seen(model))
        except AttributeError:
            raise
        except Exception as error:
            raise _missing(type(error), error.args, vars(error)).with_traceback(
                error.__traceback__
            ) from error.__cause__

    return read


def _missing(kind: Any, args: tuple[Any, ...], more: dict[str, Any]) -> Exception:
    """Return an error of this type that is also an AttributeError."""
    both = _both(kind)
    error = both.__new__(both, *args)
    vars(error).update(more)
    return error


@cache
def _both(kind: Any) -> type[Exception]:
    def __reduce__(self: Exception) -> Any:
        return _missing, (kind, self.args, vars(self))

    names = {"__module__": kind.__module__, "__doc__": kind.__doc__, "__reduce__": __reduce__}
    try:
        return type(kind.__name__, (kind, AttributeError), names)
    except TypeError:  # an ImportError or OSError cannot be both
        return AttributeError
