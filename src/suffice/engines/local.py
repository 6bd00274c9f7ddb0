"""Fit from files, batch by batch: memory does not grow with them, and counts are those of one fit.

Files are an engine like the others, with one part that is read in order. One thread reads and decodes while another
counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from suffice.engines.driver import fit_by
from suffice.engines.opened_files import given_of, opened
from suffice.engines.part_results import Job, PartResult
from suffice.engines.passes import Engine, Options, Request
from suffice.engines.predicted_files import ReadSoFar
from suffice.engines.read_ahead import ahead
from suffice.engines.roles import Roles, kind_of_rows
from suffice.engines.row_sources import FileRows
from suffice.errors import DataError, InputError
from suffice.tables.row_files import Files
from suffice.telling import tell as warn

__all__ = ["FilesEngine", "fit_files"]


def fit_files(
    estimator: Any,
    paths: Any,
    target: str | None = None,
    *,
    text: str | None = None,
    errors: str = "raise",
    sep: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] | None = None,
    encoding: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    journal: Any = None,
    tell: Callable[[ReadSoFar], None] = lambda read: None,
    look: Callable[[Any, Any, Any], None] | None = None,
) -> Any:
    """Fit a classifier to files, however large they are: one pass, and one more for each step of EM.

    Columns of ``NaiveBayes`` that act together take one more, too, unless ``joint`` is None.

    Parameters
    ----------
    estimator : classifier
        Any whose counts add, and ``SemiSupervised`` or ``Mixture`` over such. It is fitted, and returned.
    paths : path or list of paths
        Delimited text (CSV, TSV, ...), JSON lines, Parquet or Arrow, also packed (.gz, .zst), or folders of folders of
        text files. How a text is written is found out by its first 256 kB.
    target : str, default=None
        The column of labels; if not given, the one whose name says so ("label", "class", ...), or the folder. Labels of
        delimited text are strings, as they stand there; other files keep their types. ``SemiSupervised`` takes null,
        NaN and the number −1 for a missing one; ``Mixture`` leaves the column out, if it is given.
    text : str, default=None
        For TextClassifier, the column of texts; if not given, the one whose name says so, or the only one of words.
    errors : {"raise", "skip"}, default="raise"
        Whether a row that is malformed, or cannot be counted, is an error, or left out and counted in
        ``estimator.skipped_rows_``; more than one in a hundred is a warning.
    sep : str, default=None
        What separates the values of a delimited text.
    quote : str, default=None
        What values are quoted by; "none" if quotes are characters like any other.
    header : bool, default=None
        Whether the first row has the names of the columns; they are c1, c2, ... where none has.
    missing : list of str, default=None
        Words that stand for a missing value. If not given, the usual ones do ("", "?", "NA", "NaN", "null", ...); of
        labels only the empty one, so that "NA" and "None" may be classes.
    encoding : str, default=None
        How bytes are letters, such as "utf-8", "latin-1".
    drop, keep : list of str, default=()
        Columns to leave out, or the only ones to read besides the target.
    journal : bool, str or bytes, default=None
        Whether to keep a journal of the rows, under a key of your own if it is one; as for ``fit``.
    tell : callable, default does nothing
        Takes after each batch how far it is.
    look : callable, default=None
        Takes the model, and rows with their labels that were kept aside, before anything is chosen by them.

    Returns
    -------
    estimator : object
        Its counts are those of a fit in memory, to the bit. What is chosen by rows is chosen by some of them (20,000,
        of texts 50,000), picked by their content, and is that of a fit in memory, too: the order of rows and files
        changes nothing. Columns of a table that are not declared are settled by the first batch.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import suffice as sf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = path.write_text("text,label\\ncheap pills,spam\\nlunch at noon,ham\\n")
    >>> sf.fit_files(sf.TextClassifier(), path).predict(["cheap lunch pills"])
    array(['spam'], dtype='<U4')
    """
    given = given_of(sep, quote, header, missing, encoding, drop, keep)
    files = paths if isinstance(paths, Files) else opened(paths, errors, given, target=target)
    reads_texts = kind_of_rows(getattr(estimator, "estimator", estimator)) == "text"
    with closing(FilesEngine(files, tell)) as engine:
        request = Request(engine.first(), target, text if reads_texts else None, "text", lenient=True)
        fit_by(engine, estimator, request, Options.of(files.errors, journal, look))
    uncounted = estimator.skipped_rows_ - files.skipped
    if uncounted:
        files.skip(uncounted, "values that cannot be counted", read=True)
    files.tell_loss()
    return estimator


class FilesEngine(Engine):
    """The rows of files, as one part that is read in order."""

    argument, place, in_order = "paths", "the files", True

    def __init__(self, files: Files, tell: Callable[[ReadSoFar], None]) -> None:
        self.files, self._tell = files, tell
        self._batches: Generator[Any] | None = None
        self._first: Any = None
        self._names: list[str] = []
        self._turn = 0

    @property
    def once(self) -> bool:
        """Whether rows can be read only once: those of standard input."""
        return Path("-") in self.files.paths

    @property
    def skipped(self) -> int:
        """Rows that were left out before they came to any job."""
        return self.files.skipped

    def first(self) -> Any:
        """Return the first batch, which the first job will read, too."""
        self._batches = ahead(self.files)
        self._first = next(self._batches, None)
        if self._first is None:
            raise DataError("The argument 'paths' must lead to rows; the files have none.")
        self._names = self._first.column_names
        return self._first

    def close(self) -> None:
        """Stop reading."""
        if self._batches is not None:
            self._batches.close()

    def run(self, job: Job) -> PartResult:
        """Return what the job gives of all rows."""
        return job.count(self._sources(job.roles), 0, travels=False)

    def _sources(self, roles: Roles) -> Iterator[FileRows]:
        files, batches = self.files, self._batches
        if batches is None:  # the rows once more
            clean: dict[str, Any] = {"understood": [], "readings": {}, "names": [], "fault": ""}
            files = replace(files, skipped=0, rows=0, read=0, _share=0.0, _warned=False, **clean)
            batches = ahead(files)
        first, self._batches, self._first = self._first, None, None
        size, rows, self._turn = files.size, 0, self._turn + 1
        with closing(batches):
            for table in itertools.chain([] if first is None else [first], batches):
                _check_columns(roles, self._names, table.column_names)
                labelled = roles.labelled(table, files)
                rows += labelled.num_rows
                yield FileRows(labelled)
                self._tell(ReadSoFar(rows, files.read, size, files.skipped, self._turn))


def _check_columns(roles: Roles, known: list[str], names: list[str]) -> None:
    """Warn of columns that the first batch did not have; raise InputError if a column that is needed is not there."""
    lacking = [name for name in roles.columns if name not in names]
    if lacking and roles.kind != "table":
        raise InputError(f"The column {lacking[0]!r} must be in every file; at least one lacks it.")
    unknown = [name for name in names if name not in known] if roles.kind == "table" else []
    if unknown:
        warn(f"Columns ignored, unknown to the model: {', '.join(map(repr, unknown[:5]))}.")
