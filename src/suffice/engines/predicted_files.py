"""Predict the rows of files batch by batch, in constant memory and without importing scikit-learn."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.engines.opened_files import given_of, opened
from suffice.engines.read_ahead import ahead
from suffice.engines.roles import Roles, roles
from suffice.estimators.shell.atomic import snapshot
from suffice.later import pa
from suffice.tables.row_files import Files
from suffice.tables.sniff import LONGEST_ROW
from suffice.typing import Array

__all__ = ["ReadSoFar", "classifier_of", "predict_files", "probabilities_of"]


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
