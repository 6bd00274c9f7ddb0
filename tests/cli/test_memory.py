"""Where memory runs out, a verb says so, and at which rows; no file is changed or called damaged."""

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cli.test_cli import VERBS, here, run
from cli.test_streams import WORDS
from suffice.tables.row_files import Files

__all__ = ["here"]

ROWS = {"predict": 20, "forget": 10}
"""The rows of the files that a verb reads, 120 for others."""
READING = [verb for verb in VERBS if any(word.endswith(".csv") for word in WORDS[verb])]
ERRORS: dict[str, Exception] = {
    "Python": MemoryError(),
    "Arrow": pa.ArrowMemoryError("malloc of size 64 failed"),
    "system": OSError(errno.ENOMEM, "Cannot allocate memory"),
    "thread": RuntimeError("can't start new thread"),
}


def files_of(here: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in here.iterdir()}


@pytest.mark.parametrize(
    ("verb", "kind"),
    [
        pytest.param(verb, kind, marks=[] if kind == "Python" or verb == "predict" else pytest.mark.thorough)
        for verb in READING
        for kind in ERRORS
    ],
)
def test_it_says_at_which_rows_memory_ran_out(
    verb: str, kind: str, here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def short(files: Files, path: Path) -> Iterator[Any]:
        yield from read(files, path)
        raise ERRORS[kind]

    read, before = Files._csv, files_of(here)
    monkeypatch.setattr(Files, "_csv", short)
    assert run(monkeypatch, verb, *WORDS[verb]) == 4
    assert capfd.readouterr().err.splitlines()[-1] == (
        f"suffice: Memory ran out after {ROWS.get(verb, 120)} rows of the files. Give the command more memory, or give "
        "it fewer rows, or fewer columns with --drop or --keep."
    )
    assert files_of(here) == before


@pytest.mark.parametrize("verb", VERBS)
def test_a_model_that_needs_more_memory_is_not_called_damaged(
    verb: str, here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def short(*args: Any, **options: Any) -> Any:
        raise MemoryError

    for place in ("store.values.Reader.read", "engines.local.fit_by", "datasets.docstrings", "TextClassifier.fit"):
        monkeypatch.setattr(f"suffice.{place}", short)
    assert run(monkeypatch, verb, *WORDS[verb]) == 4
    said = capfd.readouterr().err
    assert "suffice: Memory ran out" in said
    assert "must" not in said
