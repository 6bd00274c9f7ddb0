"""Report the progress of long work: an estimate of its duration before it starts, and its stages."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

SOON = 5.0
"""Seconds up to which nothing is reported."""


class Waiting:
    """Stages of a long task: reported as lines if `verbose`, else by a bar if stderr is a terminal, else not at all.

    `stages` maps each stage, in order, to its share of the time; some may be skipped.

    >>> with Waiting("TextClassifier", {"weights": 1.0}) as waiting:
    ...     waiting.expect(60.0)
    ...     waiting.stage("weights")
    """

    def __init__(self, owner: str, stages: Mapping[str, float], verbose: bool = False) -> None:
        self.owner, self.stages, self.verbose = owner, stages, verbose
        self._bar: Any = None
        self._told = ""  # the estimate that was reported

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._bar, self._told = None, ""

    def expect(self, seconds: float) -> None:
        """Report the expected duration, unless it is short or was reported before."""
        if seconds <= SOON or not self.stages or self._told:
            return
        self._told = f"about {seconds:.0f} seconds" if seconds < 90 else f"about {seconds / 60:.0f} minutes"
        if self.verbose or not _on_terminal():  # lines are not written over a bar
            self._line(f"choices will take {self._told}")
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._bar.add_task(f"{self.owner} chooses ({self._told})", total=1.0)
        self._bar.start()

    def stage(self, name: str) -> None:
        """Report which stage starts."""
        self._line(name)
        if self._bar is not None:
            names = list(self.stages)
            done = sum(self.stages[one] for one in names[: names.index(name)])
            described = f"{self.owner} chooses {name} ({self._told})"
            self._bar.update(self._bar.task_ids[0], completed=done, description=described)

    def step(self, number: int, value: float) -> None:
        """Report one step of a fit, and the loss per row after it."""
        self._line(f"weights, step {number}: {value:.5f} a row")

    def _line(self, text: str) -> None:
        if self.verbose and sys.stderr is not None:
            print(f"[{self.owner}] {text}", file=sys.stderr)


def _on_terminal() -> bool:
    """Return whether standard error is a terminal; a service may have none, or one of its own."""
    try:
        return bool(sys.stderr.isatty())
    except (AttributeError, ValueError, OSError):
        return False


NOBODY_WAITS = Waiting("", {})
