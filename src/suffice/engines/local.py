"""Fit to files batch by batch, in constant memory, with the counts of one fit in memory.

Files are an engine with a single part that is read in order. One thread reads and decodes while another counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from suffice.engines.driver import fit_by
from suffice.engines.files import ReadSoFar, ahead, given_of, opened
from suffice.engines.jobs import Job, PartResult
from suffice.engines.passes import Engine, Options, Request
from suffice.engines.roles import Roles, kind_of_rows
from suffice.engines.row_sources import Arrow
from suffice.errors import DataError, InputError
from suffice.tables.row_files import Files
from suffice.tables.sniff import LONGEST_ROW
from suffice.telling import tell as warn


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
    longest_row: int = LONGEST_ROW,
    journal: Any = None,
    tell: Callable[[ReadSoFar], None] = lambda read: None,
    look: Callable[[Any, Any, Any], None] | None = None,
) -> Any:
    """Fit a classifier to files of any size, in one pass over the rows, and one more for each step of EM.

    Joint columns of ``NaiveBayes`` take one more pass, unless ``joint`` is None.

    Parameters
    ----------
    estimator : classifier
        A classifier that is fitted by counting, or ``SemiSupervised`` or ``Mixture`` over one. It is fitted in place.
    paths : path or list of paths
        Delimited text (CSV, TSV, ...), JSON lines, Parquet or Arrow files, text also compressed (.gz, .zst, .bz2),
        folders of such files, patterns such as "parts/*.parquet", or folders of folders of text files. Folders named
        like "year=2024" add a column. The format of a delimited text is guessed from its first 256 kB.
    target : str, default=None
        The column of labels; if not given, the one whose name says so ("label", "class", ...), or, for folders of text
        files, the folder name.
        Labels of delimited text are strings, exactly as written; other files keep their types. ``SemiSupervised`` takes
        null, NaN and the number −1 as missing labels; ``Mixture`` leaves out the column, if it is given.
    text : str, default=None
        For TextClassifier, the column of texts; if not given, the one whose name says so, else the only column of
        prose, else the only column of strings.
    errors : {"raise", "skip"}, default="raise"
        Whether a row that is malformed or cannot be counted raises an error, or is skipped and counted in
        ``estimator.skipped_rows_``. Skipping more than one row in a hundred gives a warning.
    sep : str, default=None
        The separator of values in delimited text; if not given, it is guessed.
    quote : str, default=None
        The quote character; "none" if quotes are ordinary characters. If not given, it is guessed.
    header : bool, default=None
        Whether the first row holds the column names; without them, columns are c1, c2, ... If not given, it is guessed.
    missing : list of str, default=None
        Words that stand for a missing value. If not given, "", "?", "NA", "NaN", "null" and similar words; for labels
        only "", so that "NA" and "None" can be classes.
    encoding : str, default=None
        The text encoding, such as "utf-8" or "latin-1"; if not given, it is guessed.
    drop, keep : list of str, default=()
        Columns to leave out, or the only ones to read besides the target.
    longest_row : int, default=2**26
        The most bytes of a row of text, of a text in a folder, or of a value of Parquet and Arrow. A longer one is
        malformed.
    journal : bool, str or bytes, default=None
        Whether to keep a journal of the rows, or the key to keep it under, as for ``fit``.
    tell : callable, default does nothing
        Called after each batch with the progress so far.
    look : callable, default=None
        Called with the model, sampled rows and their labels, before the rows choose hyperparameters.

    Returns
    -------
    estimator : object
        The given estimator. Its counts are those of a fit in memory, to the bit. Hyperparameters are chosen on a sample
        of rows (20,000, or 50,000 texts) picked by their content, as in memory: the order of rows and files does not
        matter. A sample of all rows determines the likelihoods of columns that are not declared.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import suffice as sf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = path.write_text("text,label\\ncheap pills,spam\\nlunch at noon,ham\\n")
    >>> sf.fit_files(sf.TextClassifier(), path).predict(["cheap lunch pills"])
    array(['spam'], dtype='<U4')
    """
    given = given_of(sep, quote, header, missing, encoding, drop, keep, longest_row)
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
    """The engine over files: one part that is read in order."""

    argument, place, in_order = "paths", "the files", True

    def __init__(self, files: Files, tell: Callable[[ReadSoFar], None]) -> None:
        self.files, self._tell = files, tell
        self._batches: Generator[Any] | None = None
        self._first: Any = None
        self._names: list[str] = []
        self._turn = 0

    @property
    def once(self) -> bool:
        """Whether the rows can be read only once, as from standard input."""
        return Path("-") in self.files.paths

    @property
    def skipped(self) -> int:
        """Number of rows that were skipped while reading."""
        return self.files.skipped

    def first(self) -> Any:
        """Return the first batch, which the first job reads again."""
        self._batches = ahead(self.files)
        self._first = next(self._batches, None)
        if self._first is None:
            raise DataError("paths", "name files with rows").but("these have none")
        self._names = self._first.column_names
        return self._first

    def close(self) -> None:
        """Stop reading."""
        if self._batches is not None:
            self._batches.close()

    def run(self, job: Job) -> PartResult:
        """Return the result of a job for all rows."""
        return job.count(self._sources(job.roles), 0)

    def _sources(self, roles: Roles) -> Iterator[Arrow]:
        files, batches = self.files, self._batches
        if batches is None:  # another pass
            clean: dict[str, Any] = {"understood": [], "readings": {}, "names": [], "fault": ""}
            files = replace(files, skipped=0, rows=0, read=0, _share=0.0, _warned=False, **clean)
            batches = ahead(files)
        first, self._batches, self._first = self._first, None, None
        size, rows, self._turn = files.size, 0, self._turn + 1
        with closing(batches):
            for table in itertools.chain([] if first is None else [first], batches):
                names = table.column_names
                lacking = [name for name in roles.columns if name not in names]
                if lacking and roles.kind != "table":
                    raise InputError("Every file", f"have the column {lacking[0]!r}").but("at least one lacks it")
                unknown = [name for name in names if name not in self._names] if roles.kind == "table" else []
                if unknown:
                    shown = ", ".join(map(repr, unknown[:5]))
                    warn(f"Columns ignored, since the first rows lack them: {shown}.")
                labelled = roles.labelled(table, files)
                rows += labelled.num_rows
                yield Arrow(labelled, of_file=True)
                self._tell(ReadSoFar(rows, files.read, size, files.skipped, self._turn))
