"""Choose, read for, and change classifiers by the rows of files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from suffice.engines.files import given_of, opened
from suffice.engines.passes import sample_size
from suffice.engines.roles import Roles, guess_target, is_text, roles
from suffice.engines.row_sources import Arrow
from suffice.errors import InputError, LabelError, SubtractionError
from suffice.estimators.naive_bayes.any_table import NaiveBayes
from suffice.estimators.shell.atomic import changing, must_be_fitted
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.journals import Certificate, only_learned
from suffice.estimators.texts.text_classifier import TextClassifier
from suffice.later import pa
from suffice.models.choosing.chooser import ROWS
from suffice.stats.bottom_k import BottomK, rows_of
from suffice.tables.row_files import Files
from suffice.telling import tell, untold
from suffice.typing import JournalKey


def classifier_for(
    paths: Any, target: str | None = None, *, effort: Any = "balanced", **reading: Any
) -> TextClassifier | NaiveBayes:
    """Return an unfitted classifier that suits the rows of files: for texts, or for tables of columns.

    Texts are a single column of prose besides the labels, or one that is called "text".

    Parameters
    ----------
    paths : path or list of paths
        The files, as for `fit_files`; their first rows are read.
    target : str, default=None
        The column of labels; if not given, it is guessed from its name.
    effort : {"fast", "balanced", "best"}, default="balanced"
        The parameter of the classifier.
    **reading
        How the files are written, and ``errors``, as for `fit_files`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = path.write_text("text,label\\ncheap pills,spam\\nlunch at noon,ham\\n")
    >>> classifier_for(path)
    TextClassifier()
    """
    files = _opened(paths, reading, target=target)
    first = next(iter(files), None)
    if first is None:
        raise no_rows(files)
    label = target or guess_target(first.column_names)
    others = [name for name in first.column_names if name != label]
    texts = others == ["text"] or (len(others) == 1 and is_text(first[others[0]]))
    return TextClassifier(effort=effort) if texts else NaiveBayes(effort=effort)


def read_files(
    paths: Any, model: Classifier, target: str | None = None, *, text: str | None = None, **reading: Any
) -> tuple[Any, Any, str]:
    """Return all labelled rows of files in memory, as a classifier takes them, with their labels.

    Parameters
    ----------
    paths : path or list of paths
        The files.
    model : classifier
        The classifier that the rows are for. The columns of a fitted one are read as it has learned them.
    target, text : str, default=None
        The columns of labels and texts; by default, those of the model, or guessed.
    **reading
        How the files are written, and ``errors``, as for `fit_files`.

    Returns
    -------
    X, y
        The rows, texts or a table, and their labels, as ``fit``, ``sf.evaluate.validate`` and ``sf.report`` take them.
    target : str
        The column of labels.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = path.write_text("text,label\\ncheap pills,spam\\nlunch at noon,ham\\n")
    >>> X, y, target = read_files(path, TextClassifier())
    >>> X.to_pylist(), y.tolist(), target
    (['cheap pills', 'lunch at noon'], ['spam', 'ham'], 'label')
    """
    files = _opened(paths, reading, model, target)
    ((columns, table),) = _batches(files, model, True, target, text)
    return columns.features(table), columns.labels(table), columns.target


def update_files(
    model: Classifier, paths: Any, *, once: bool = False, journal: JournalKey = None, **reading: Any
) -> tuple[int, int]:
    """Let a fitted classifier learn more labelled rows, batch by batch.

    New classes are added, unless the classes were declared. An error leaves the classifier as it was.

    Parameters
    ----------
    model : fitted classifier
        The classifier, which is changed in place.
    paths : path or list of paths
        The files.
    once : bool, default=False
        Whether to leave out rows that the model has learned before, by its journal.
    journal : bool, str or bytes, default=None
        The key of the journal, as for ``partial_fit``.
    **reading
        How the files are written, and ``errors``, as for `fit_files`.

    Returns
    -------
    rows, again : int
        Number of rows learned, and of rows that a journal says were learned before.

    Examples
    --------
    >>> model = TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"])
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "more.csv"
    >>> _ = path.write_text("text,label\\ncheap watches,spam\\nparty tonight,fun\\n")
    >>> update_files(model, path), model.classes_.tolist()
    ((2, 0), ['fun', 'ham', 'spam'])
    """
    must_be_fitted(model)
    kept, rows, again = model.journal_ is not None, 0, 0
    if once and not kept:
        raise InputError("The argument 'once' needs a model that keeps a journal; this one was fitted without.").advise(
            python="Fit it again with 'journal'."
        )
    with changing(model) as changed:
        for columns, table in _batches(_opened(paths, reading, model), model):
            if kept:
                known = model.has_learned(columns.features(table), columns.labels(table), journal=journal)
                again += int(known.sum())
                table = table.filter(pa.array(~known)) if once else table
            if table.num_rows:
                X, y = columns.features(table), columns.labels(table)
                _admit(changed, y)
                changed.partial_fit(X, y, journal=journal)
                rows += table.num_rows
    return rows, again


def _admit(model: Any, labels: Any) -> None:
    """Add new classes to a model, unless its classes were declared; tables do so themselves."""
    known, seen = model.classes_, np.unique(np.asarray(labels))
    if isinstance(model, NaiveBayes) or model._model.declared is not None or np.isin(seen, known).all():
        return
    if (known.dtype.kind in "UO") != (seen.dtype.kind in "UO"):
        raise LabelError(
            "The column of labels",
            f"hold labels such as {known.tolist()[0]!r}, like the model's classes",
            got=seen.tolist()[0],
        )
    model._put(model._model.among(np.union1d(known, seen)), model._predictor.views, model._stale)


def forget_files(
    model: Classifier, paths: Any, *, drop_views: bool = False, journal: JournalKey = None, **reading: Any
) -> tuple[int, Certificate | None]:
    """Let a fitted classifier forget labelled rows: batch by batch, or all in one step if it keeps a journal.

    An error leaves the classifier as it was.

    Parameters
    ----------
    model : fitted classifier
        The classifier, which is changed in place.
    paths : path or list of paths
        The files.
    drop_views, journal : as for ``forget``
        Whether to drop what was chosen, and the key of the journal.
    **reading
        How the files are written, and ``errors``, as for `fit_files`.

    Returns
    -------
    rows : int
        Number of forgotten rows.
    certificate : Certificate or None
        The certificate, if the model keeps a journal.

    Examples
    --------
    >>> model = TextClassifier().fit(["cheap pills", "lunch at noon", "lunch"], ["spam", "ham", "ham"], journal=True)
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "gone.csv"
    >>> _ = path.write_text("text,label\\ncheap pills,spam\\n")
    >>> rows, certificate = forget_files(model, path)
    >>> rows, certificate.rows, model.classes_.tolist()
    (1, 1, ['ham'])
    """
    must_be_fitted(model)
    rows, signed = 0, None
    with changing(model) as changed:
        for columns, table in _batches(_opened(paths, reading, model), model, model.journal_ is not None):
            if not hasattr(changed, "classes_"):
                raise SubtractionError("The files", "hold rows that were learned").but(
                    "they hold more than the model has"
                )
            X, y = columns.features(table), columns.labels(table)
            found = changed.forget(X, y, drop_views=drop_views, journal=journal)
            signed = found if isinstance(found, Certificate) else None
            rows += table.num_rows
    return rows, signed


def refresh_files(model: Classifier, paths: Any, **reading: Any) -> int:
    """Choose the views of a fitted classifier again, on the rows that `fit_files` would choose them on.

    Parameters
    ----------
    model : fitted classifier
        The classifier, which is changed in place.
    paths : path or list of paths
        The files with all rows that the model holds, as for `fit_files`; fewer rows give a warning.
    **reading
        How the files are written, and ``errors``, as for `fit_files`.

    Returns
    -------
    rows : int
        Number of rows that views were chosen on.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = path.write_text("text,label\\n" + "cheap pills,spam\\nlunch at noon,ham\\n" * 9)
    >>> model = TextClassifier().fit(["cheap pills", "lunch at noon"] * 9, ["spam", "ham"] * 9)
    >>> refresh_files(model.drop_views(), path)
    18
    """
    must_be_fitted(model)
    files, most = _opened(paths, reading, model), sample_size(model) or ROWS
    sample, parts, rows = BottomK(most), list[pa.Table](), 0
    every = getattr(model, "joint", None) is not None  # joint columns are counted in all rows once some have chosen
    for columns, batch in _batches(files, model):
        table = Arrow(batch, of_file=True).table(columns.names)
        examples = model._read(columns.features(table), columns.labels(table), None, False)
        try:
            only_learned(model.journal_, examples, model._reader)
        except SubtractionError as error:
            error.row = None if error.row is None else rows + error.row
            raise
        rows += table.num_rows
        if every:
            parts.append(table)
        else:
            sample.add(table, examples.hashes(model._reader))
    kept = pa.concat_tables(parts) if parts else sample.table()
    if kept is None:
        raise no_rows(files)
    kept = kept if every else rows_of(kept, most)
    held = float(model.class_count_.sum())
    if rows < held:
        tell(f"The files hold {rows:,} of {held:,.15g} rows of the model. Pass all of them.")
    with untold("Views are chosen on"):  # a sample, as `fit_files` takes it
        model.refresh(columns.features(kept), columns.labels(kept))
    return int(kept.num_rows)


def no_rows(files: Files) -> InputError:
    """Return the error for files without rows."""
    return InputError("The files", "hold rows").but(
        f"found none in {', '.join(repr(str(path)) for path in files.paths)}"
    )


def _opened(paths: Any, reading: dict[str, Any], model: Classifier | None = None, target: str | None = None) -> Files:
    if isinstance(paths, Files):
        return paths
    errors = reading.pop("errors", "raise")
    return opened(paths, errors, given_of(**reading), model, target)


def _batches(
    files: Files, model: Classifier, in_one: bool = False, target: str | None = None, text: str | None = None
) -> Iterator[tuple[Roles, Any]]:
    """Yield the roles of columns and the labelled rows of files, batch by batch or all in one."""
    parts: Any = iter(files)
    if in_one:
        tables = list(parts)
        if not tables:
            raise no_rows(files)
        parts = [pa.concat_tables(tables, promote_options="permissive")]
    target, text = target or getattr(model, "target_", None), text or getattr(model, "text_column_", None)
    for part in parts:
        columns = roles(part, model, target, text)
        yield columns, columns.labelled(part, files)
    files.tell_loss()
