"""Signals: the command line has handlers of its own, and tests run it in their own process."""

import signal
from collections.abc import Iterator

import pytest

NUMBERS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Restore the signal handlers that were set before."""
    before = {number: signal.getsignal(number) for number in NUMBERS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
