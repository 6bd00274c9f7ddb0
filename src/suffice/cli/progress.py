"""Progress on a terminal: rows so far, rows per second and the remaining time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from suffice.telling import counted

__all__ = ["progress"]


@contextmanager
def progress(what: str) -> Iterator[Callable[[Any], None]]:
    """Show a progress bar on stderr if it is a terminal."""
    if not sys.stderr.isatty():
        yield lambda progress_so_far: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[rows]}"), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, rows="")

        def tell(progress_so_far: Any) -> None:
            turn = getattr(progress_so_far, "turn", 1)
            described = what if turn == 1 else f"{what}, pass {turn}"
            if bar.tasks[task].description != described:
                bar.reset(task, description=described)
            seconds = bar.tasks[task].elapsed or 1e-9
            rows = f"{counted(progress_so_far.rows, 'row')}, {progress_so_far.rows / seconds:,.0f}/s"
            bar.update(task, total=progress_so_far.size or None, completed=progress_so_far.read, rows=rows)

        yield tell
