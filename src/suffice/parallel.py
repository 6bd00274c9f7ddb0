"""Decide how many threads the compiled kernels may use; the number never changes a result, only its time.

A program that already runs many processes must not get many threads in each of them. joblib, Dask and Spark set
OMP_NUM_THREADS for their workers, which is obeyed; workers of a multiprocessing pool set nothing, and get one thread.
Concurrent calls in one process share the threads (native/threads.hpp).
"""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from suffice.errors import InputError

__all__ = ["in_parallel", "thread_count", "threads"]

A = TypeVar("A")
B = TypeVar("B")

VARIABLE = "SUFFICE_NUM_THREADS"
MOST = 1024

PARTS = 8
"""Number of batches per thread, so that all threads end at about the same time."""

_chosen: ContextVar[int | None] = ContextVar("suffice_threads", default=None)


def thread_count() -> int:
    """Return the number of threads: by `threads(n)`, else SUFFICE_NUM_THREADS or OMP_NUM_THREADS, else usable cores."""
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    text = os.environ.get(VARIABLE, "").strip()
    if text:
        return _positive(text, f"The environment variable {VARIABLE}")
    shared = os.environ.get("OMP_NUM_THREADS", "").strip()
    if shared.isdigit() and int(shared) > 0:
        return min(int(shared), _usable_cores())
    return 1 if multiprocessing.current_process().daemon else _usable_cores()


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Use at most `n` threads inside the ``with`` block, in this thread of Python.

    >>> import suffice as sf
    >>> with sf.threads(1):
    ...     sf.Beta(1, 1).update(values=[True, False, True])
    Beta(a=3, b=2)
    """
    token = _chosen.set(_positive(n, "threads.n"))
    try:
        yield
    finally:
        _chosen.reset(token)


def in_parallel(function: Callable[[A], B], items: Iterable[A]) -> list[B]:
    """Return `function` of each item, in order, computed several at a time; kernels inside use one thread each.

    >>> in_parallel(abs, [-2, 3])
    [2, 3]
    """
    work, workers = list(items), thread_count()
    if min(len(work), workers) < 2:
        return [function(item) for item in work]

    def alone(part: list[A]) -> list[B]:
        with threads(1):
            return [function(item) for item in part]

    step = max(1, len(work) // (PARTS * workers))  # batches items, since each task costs time
    with ThreadPoolExecutor(min(len(work), workers)) as pool:
        parts = pool.map(alone, [work[at : at + step] for at in range(0, len(work), step)])
        return [found for part in parts for found in part]


def _positive(value: object, name: str) -> int:
    try:
        count = int(str(value))
    except ValueError:
        count = 0
    if count < 1:
        raise InputError(name, "be a whole number of at least 1", got=value)
    return min(count, MOST)


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
