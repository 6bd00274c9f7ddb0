"""Fit and predict from files, batch by batch: memory does not grow with them, and counts are those of one fit.

One thread reads and decodes while another counts. Some rows, picked by a hash of their number, are kept aside; what is
chosen by rows (pseudo-count, temper, weights) is chosen by them.
"""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from suffice.engines.columns import Roles, given_of, opened, roles
from suffice.errors import DataError, KindError
from suffice.estimators.mixed import NaiveBayes
from suffice.estimators.text import TextClassifier
from suffice.estimators.shell.whole import changing, whole
from suffice.models.sample import hashed
from suffice.tables.files import Files

__all__ = ["Told", "fit_files", "predict_files"]

KEPT = 20_000
AHEAD = 2
"""Batches that are read before their turn."""


@dataclass
class Told:
    """How far it is: rows so far, bytes read of all, and rows that were skipped."""

    rows: int
    read: int
    size: int
    skipped: int


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
    tell: Callable[[Told], None] = lambda told: None,
    look: Callable[[Any, Any, Any], None] = lambda model, X, y: None,
) -> Any:
    """Fit a TextClassifier or NaiveBayes to files, however large they are.

    Parameters
    ----------
    estimator : TextClassifier or NaiveBayes
        It is fitted, and returned.
    paths : path or list of paths
        Delimited text (CSV, TSV, ...), JSON lines, Parquet or Arrow, also packed (.gz, .zst), or folders of folders of
        text files. How a text is written is found out by its first 256 kB.
    target : str, default=None
        The column of labels; if not given, the one whose name says so ("label", "class", ...), or the folder. Labels of
        delimited text are strings, as they stand there; other files keep their types.
    text : str, default=None
        For TextClassifier, the column of texts; if not given, the one whose name says so, or the only one of words.
    errors : {"raise", "skip"}, default="raise"
        Whether a malformed row is an error, or left out and counted in ``estimator.skipped_rows_``; more than one in a
        hundred is a warning.
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
        Is told after each batch how far it is.
    look : callable, default does nothing
        Is shown the model, and rows with their labels that were kept aside, before anything is chosen by them.

    Returns
    -------
    estimator : object
        Its counts are those of a fit in memory, to the bit. What is chosen by rows is chosen by at most 20,000 of them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import suffice as sf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = path.write_text("text,label\\ncheap pills,spam\\nlunch at noon,ham\\n")
    >>> sf.fit_files(sf.TextClassifier(), path).predict(["cheap lunch pills"])
    array(['spam'], dtype='<U4')
    """
    if not isinstance(estimator, NaiveBayes | TextClassifier):
        raise KindError(
            f"The argument 'estimator' must be a TextClassifier or a NaiveBayes; got {type(estimator).__name__}."
        )
    given = given_of(sep, quote, header, missing, encoding, drop, keep)
    files = paths if isinstance(paths, Files) else opened(paths, errors, given, target=target)
    with changing(estimator) as model:
        stream = _Parts(files, model, target, text, tell)
        model._validate_params()
        model._fit_parts(model._entered(stream, journal))
        X, y = model._rows_and_labels(*stream.kept.rows())
        look(model, X, y)
        model._fit_views(X, y, None)
        model.skipped_rows_ = files.skipped
        if isinstance(model, NaiveBayes):
            model._target = model.target_  # a column that later tables may have, and predictions ignore
    files.tell_loss()
    return estimator


def predict_files(
    model: Any,
    paths: Any,
    *,
    errors: str = "raise",
    keep: bool = False,
    sep: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] | None = None,
    encoding: str | None = None,
    tell: Callable[[Told], None] = lambda told: None,
) -> Iterator[Any]:
    """Predictions of the rows of files, batch by batch.

    Parameters
    ----------
    model : TextClassifier or NaiveBayes
        A fitted model.
    paths : path or list of paths
        Files as for `fit_files`.
    errors : {"raise", "skip"}, default="raise"
        What to do about a malformed row.
    keep : bool, default=False
        Whether the columns of the files come first, as they were read. Where one has the name of a column that is
        added, all that are added get a number: ``prediction_2``, and so on.
    sep, quote, header, missing, encoding : default=None
        How the files are written, as for `fit_files`.
    tell : callable, default does nothing
        Is told after each batch how far it is.

    Yields
    ------
    table : pyarrow.Table
        The rows' class (``prediction``) and its ``probability``, and that of every class (``p_<class>``). Files without
        rows give one table without rows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import suffice as sf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "new.csv"
    >>> _ = path.write_text("text\\ncheap pills\\n")
    >>> model = sf.TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"])
    >>> [table["prediction"].to_pylist() for table in sf.predict_files(model, path)]
    [['spam']]
    >>> next(iter(sf.predict_files(model, path, keep=True))).column_names
    ['text', 'prediction', 'probability', 'p_ham', 'p_spam']
    """
    given = given_of(sep, quote, header, missing, encoding)
    files = paths if isinstance(paths, Files) else opened(paths, errors, given, model)
    done, size = 0, files.size
    model = whole(model)
    for table in ahead(files):
        its = roles(table, model, None, getattr(model, "text_column_", None), labelled=False)
        probabilities = model.predict_proba(its.features(table))
        done += table.num_rows
        tell(Told(done, files.read, size, files.skipped))
        yield _answers(model, probabilities, table if keep else None)
    if not done:
        empty = pa.table({name: pa.array([], pa.string()) for name in files.names if keep})
        yield _answers(model, np.empty((0, len(model.classes_))), empty)
    files.tell_loss()


def _answers(model: Any, probabilities: Any, beside: Any) -> Any:
    """Classes and probabilities as columns, behind those of a table."""
    best = probabilities.argmax(axis=1)
    added = {"prediction": model.classes_[best], "probability": probabilities[np.arange(len(best)), best]}
    added |= {f"p_{label}": probabilities[:, c] for c, label in enumerate(model.classes_.tolist())}
    kept = {} if beside is None else {name: beside[name] for name in beside.column_names}
    number = next(n for n in itertools.count(1) if not kept.keys() & {_numbered(name, n) for name in added})
    return pa.table({**kept, **{_numbered(name, number): values for name, values in added.items()}})


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"


@dataclass
class _Kept:
    """Rows of the smallest hashes so far."""

    most: int
    tables: list[Any] = field(default_factory=list)
    numbers: list[Any] = field(default_factory=list)
    seen: int = 0
    bound: int = 2**64 - 1

    def add(self, table: Any) -> None:
        numbers = np.arange(self.seen, self.seen + table.num_rows)
        self.seen += table.num_rows
        which = np.flatnonzero(hashed(numbers) <= np.uint64(self.bound))
        if len(which):
            self.tables.append(table.take(pa.array(which)))
            self.numbers.append(numbers[which])
        if sum(map(len, self.numbers)) > 2 * self.most:
            self._prune()

    def _prune(self) -> None:
        numbers = np.concatenate(self.numbers)
        order = np.argsort(hashed(numbers), kind="stable")[: self.most]
        self.bound = int(hashed(numbers[order[-1:]])[0])
        order = np.sort(order)
        whole = pa.concat_tables(self.tables, promote_options="permissive")
        self.tables, self.numbers = [whole.take(pa.array(order))], [numbers[order]]

    def table(self) -> Any:
        if sum(map(len, self.numbers)) > self.most:
            self._prune()
        return pa.concat_tables(self.tables, promote_options="permissive")


class _Parts:
    """Features and labels of files, part by part; some rows are kept aside."""

    def __init__(
        self, files: Files, estimator: Any, target: str | None, text: str | None, tell: Callable[[Told], None]
    ) -> None:
        self.files, self.estimator, self.target, self.text, self.tell = files, estimator, target, text, tell
        self.kept = _Sample(_Kept(KEPT), None)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        size = self.files.size
        for table in ahead(self.files):
            if self.kept.roles is None:
                self.kept.roles = roles(table, self.estimator, self.target, self.text, fresh=True)
                self.estimator.text_column_ = self.kept.roles.text
                self.estimator.target_ = self.kept.roles.target
            its = self.kept.roles
            table = its.labelled(table, self.files)
            self.kept.some.add(table)
            yield its.features(table), its.labels(table)
            self.tell(Told(self.kept.some.seen, self.files.read, size, self.files.skipped))


@dataclass
class _Sample:
    some: _Kept
    roles: Roles | None

    def rows(self) -> tuple[Any, Any]:
        if self.roles is None:
            raise DataError("The argument 'paths' must lead to rows; the files have none.")
        table = self.some.table()
        return self.roles.features(table), self.roles.labels(table)


def ahead(batches: Iterable[Any], many: int = AHEAD) -> Generator[Any]:
    """The same batches, read by a thread of their own before their turn."""
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
