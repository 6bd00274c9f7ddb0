"""Open the files that a user names, read them ahead, and predict their rows, without importing scikit-learn."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from suffice.engines.roles import Roles, label_among, roles
from suffice.errors import KindError
from suffice.estimators.shell.atomic import snapshot
from suffice.later import pa
from suffice.models.open_columns import read_as
from suffice.tables.row_files import Files, Given
from suffice.tables.sniff import LONGEST_ROW
from suffice.typing import Array

AHEAD = 2
"""Batches that are read ahead."""


def given_of(
    sep: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] | None = None,
    encoding: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    longest_row: int = LONGEST_ROW,
) -> Given:
    """Return the options for reading files; raise KindError for a string in place of a list."""
    for name, words in (("missing", missing), ("drop", drop), ("keep", keep)):
        if isinstance(words, str):
            raise KindError(name, "be a list of strings").but(f"got the string {words!r}", f"Write [{words!r}].")
    words = None if missing is None else tuple(missing)
    return Given(sep, quote, header, encoding, words, tuple(drop), tuple(keep), longest_row)


def opened(
    paths: Any,
    errors: str,
    given: Given | None = None,
    model: Any = None,
    target: str | None = None,
    labelled: bool = True,
    strict: bool = False,
) -> Files:
    """Return the files, with columns read in the types that a fitted model has learned, and labels as strings.

    With `labelled=False`, rows need no label. With `strict=True`, every file must have the columns that the model has
    learned, or those of the first file.
    """
    known, text = target or getattr(model, "target_", None), getattr(model, "text_column_", None)
    listed = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    label = label_among if known is None else lambda names: known
    columns = getattr(model, "columns_", {})
    needs: dict[str, Any] = {str(name): read_as(column, model.statistics_[name]) for name, column in columns.items()}
    learned = {name: kind for name, kind in needs.items() if kind is not None}
    expected = tuple(name for name in (known, text) if name is not None)
    needed = None
    if strict:
        names = [name for name, column in columns.items() if not getattr(column, "silent", False)]
        names = names if hasattr(model, "columns_") else list(getattr(model, "feature_names_in_", ()))
        needed = tuple(map(str, names if text is None else [text, *names]))
    return Files(listed, errors, given or Given(), label, learned, expected, labelled, needed)


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


@dataclass
class ReadSoFar:
    """Progress: rows and bytes read so far, the total size, skipped rows, and the number of the pass, from 1."""

    rows: int
    read: int
    size: int
    skipped: int
    turn: int = 1


def classifier_of(model: Any) -> Any:
    """Return the fitted classifier inside an EM estimator, or the model itself."""
    return getattr(model, "estimator_", model)


def probabilities_of(model: Any, roles: Roles, table: Any) -> Array:
    """Return the class probabilities of the rows of an Arrow table."""
    rows = roles.features(table)
    nameless = roles.kind == "matrix" and not hasattr(model, "feature_names_in_")
    probabilities: Array = model.predict_proba(np.asarray(rows) if nameless else rows)
    return probabilities


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
    longest_row: int = LONGEST_ROW,
    tell: Callable[[ReadSoFar], None] = lambda read: None,
) -> Iterator[Any]:
    """Yield predictions of the rows of files, batch by batch.

    Parameters
    ----------
    model : fitted classifier
        The model, fitted in memory or in any other way.
    paths : path or list of paths
        The files, as for `fit_files`.
    errors : {"raise", "skip"}, default="raise"
        Whether a malformed row raises an error, or is skipped.
    keep : bool, default=False
        Whether to put the columns of the files first. If the name of an added column is taken, all added columns get a
        number: ``prediction_2``, and so on.
    sep, quote, header, missing, encoding : default=None
        How the files are written, as for `fit_files`.
    longest_row : int, default=2**26
        The most bytes of a row, as for `fit_files`.
    tell : callable, default does nothing
        Called after each batch with the progress so far.

    Yields
    ------
    table : pyarrow.Table
        The predicted class (``prediction``), its ``probability``, and the probability of every class (``p_<class>``).
        Files without rows give one table without rows.

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
    given = given_of(sep, quote, header, missing, encoding, longest_row=longest_row)
    classifier = classifier_of(snapshot(model))
    files = paths if isinstance(paths, Files) else opened(paths, errors, given, classifier, labelled=False)
    done, size = 0, files.size
    for table in ahead(files):
        columns = roles(table, classifier, None, getattr(classifier, "text_column_", None), labelled=False)
        probabilities = probabilities_of(classifier, columns, table)
        done += table.num_rows
        tell(ReadSoFar(done, files.read, size, files.skipped))
        yield _answers(classifier, probabilities, table if keep else None)
    if not done:
        empty = pa.table({name: pa.array([], pa.string()) for name in files.names if keep})
        yield _answers(classifier, np.empty((0, len(classifier.classes_))), empty)
    files.tell_loss()


def _answers(model: Any, probabilities: Any, beside: Any) -> Any:
    """Return predicted classes and probabilities as columns, after those of a table."""
    best = probabilities.argmax(axis=1)
    added = {"prediction": model.classes_[best], "probability": probabilities[np.arange(len(best)), best]}
    added |= {f"p_{label}": probabilities[:, c] for c, label in enumerate(model.classes_.tolist())}
    kept = {} if beside is None else {name: beside[name] for name in beside.column_names}
    number = next(n for n in itertools.count(1) if not kept.keys() & {_numbered(name, n) for name in added})
    return pa.table({**kept, **{_numbered(name, number): values for name, values in added.items()}})


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"
