"""How many threads the compiled kernels may use. The answer never changes a result, only its time."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from suffice.errors import InputError

__all__ = ["thread_count", "threads"]

VARIABLE = "SUFFICE_NUM_THREADS"
MOST = 1024

_chosen: ContextVar[int | None] = ContextVar("suffice_threads", default=None)


def thread_count() -> int:
    """Threads in force: `threads(n)`, else the environment's SUFFICE_NUM_THREADS, else the usable cores."""
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    text = os.environ.get(VARIABLE, "").strip()
    return _positive(text, f"The environment variable {VARIABLE}") if text else _usable_cores()


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Use at most `n` threads inside the ``with`` block, in this thread of Python.

    >>> import suffice as sf
    >>> with sf.threads(1):
    ...     sf.Beta(1, 1).update(values=[True, False, True])
    Beta(a=3, b=2)
    """
    token = _chosen.set(_positive(n, "The argument 'n' of threads"))
    try:
        yield
    finally:
        _chosen.reset(token)


def _positive(value: object, name: str) -> int:
    try:
        count = int(str(value))
    except ValueError:
        count = 0
    if count < 1:
        raise InputError(f"{name} must be a whole number of at least 1; got {value!r}.")
    return min(count, MOST)


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
