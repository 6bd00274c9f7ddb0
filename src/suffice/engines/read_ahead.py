"""Read batches ahead in a thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterable
from typing import Any

__all__ = ["ahead"]

AHEAD = 2
"""Batches that are read ahead."""


def ahead(batches: Iterable[Any], many: int = AHEAD) -> Generator[Any]:
    """Yield batches that a separate thread reads ahead."""
    passed: queue.Queue[Any] = queue.Queue(maxsize=many)
    over, stop = object(), threading.Event()

    def put(item: Any) -> bool:
        while not stop.is_set():
            try:
                passed.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def read() -> None:
        try:
            for batch in batches:
                if not put((batch, None)):
                    return
            put((over, None))
        except BaseException as error:
            put((over, error))

    thread = threading.Thread(target=read, name="suffice-reader", daemon=True)
    thread.start()
    try:
        while True:
            batch, error = passed.get()
            if error is not None:
                raise error
            if batch is over:
                return
            yield batch
    finally:
        stop.set()
        thread.join()
