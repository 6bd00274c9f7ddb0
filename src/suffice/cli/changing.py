"""The verbs that change a model file: update, forget and refresh."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from copy import copy
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import suffice as sf
from suffice.cli.classifiers import classifier
from suffice.cli.file_options import no_rows, open_files
from suffice.cli.outputs import note, save, say, write
from suffice.engines.passes import sample_size
from suffice.engines.roles import Roles, roles
from suffice.engines.row_sources import Arrow
from suffice.errors import FileError, InputError, LabelError, SubtractionError
from suffice.estimators.shell.journals import only_learned
from suffice.later import pa
from suffice.models.choosing.chooser import ROWS
from suffice.stats.bottom_k import BottomK, rows_of
from suffice.store.models import pieces
from suffice.telling import counted, untold

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None

__all__ = ["forget", "key_of", "refresh", "update"]


def _one_at_a_time(verb: Callable[..., None]) -> Callable[..., None]:
    """Let a verb wait until no other is changing the same model file, so that no rows are lost."""

    @wraps(verb)
    def alone(path: Path, *args: Any) -> None:
        with _locked(path):
            verb(path, *args)

    return alone


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a model file, which may be replaced while this waits; systems without locks go on."""
    while True:
        with ExitStack() as stack:
            with suppress(OSError):  # the verb says what is wrong with the path
                file = stack.enter_context(path.open("rb"))
                if fcntl is not None:
                    fcntl.flock(file, fcntl.LOCK_EX)
                    if not os.path.samestat(os.fstat(file.fileno()), path.stat()):
                        continue
            yield
            return


@_one_at_a_time
def update(
    path: Path, data: list[Path], output: Path | None, once: bool, journal: Any, errors: str, as_json: bool
) -> None:
    """Add more rows to a model, batch by batch; with `once`, leave out those that it has learned before."""
    model = classifier(path)
    earlier, rows, again = copy(model), 0, 0
    if once and model.journal_ is None:
        raise _without_journal("--once", path)
    for columns, table in _batches(model, data, errors):
        if earlier.journal_ is not None:
            known = earlier.has_learned(columns.features(table), columns.labels(table), journal=journal)
            again += int(known.sum())
            table = table.filter(pa.array(~known)) if once else table
        if table.num_rows:
            X, y = columns.features(table), columns.labels(table)
            _admit(model, y)
            model.partial_fit(X, y, journal=journal)
            rows += table.num_rows
    save(model, output or path)
    if again and not once:
        which = f"{again:,} of {counted(rows, 'row')} had been learned before"
        note([f"{which}, and {'counts' if again == 1 else 'count'} once more; --once leaves out such rows"])
    facts = {"model": str(output or path), "rows": rows, "again": again, "what": "learned"}
    left_out = f", left out {counted(again, 'row')} learned before" if again and once else ""
    say(as_json, facts, f"Learned {counted(rows, 'more row')}{left_out}; wrote {output or path}")


def _admit(model: Any, labels: Any) -> None:
    """Add new classes to a model, unless its classes were declared; NaiveBayes does so itself."""
    known, seen = model.classes_, np.unique(np.asarray(labels))
    if isinstance(model, sf.NaiveBayes) or model._model.declared is not None or np.isin(seen, known).all():
        return
    if (known.dtype.kind in "UO") != (seen.dtype.kind in "UO"):
        raise LabelError(
            f"The column of labels must hold labels such as {known.tolist()[0]!r}, like the model's classes; got "
            f"{seen.tolist()[0]!r}."
        )
    classes = np.union1d(known, seen)
    model._put(model._model.among(classes), model._predictor.views, model._stale)


@_one_at_a_time
def forget(
    path: Path,
    data: list[Path],
    output: Path | None,
    drop_views: bool,
    journal: Any,
    certificate: Path | None,
    errors: str,
    as_json: bool,
) -> None:
    """Remove rows from a model; with a journal, write a certificate."""
    model = classifier(path)
    target, rows, signed = output or path, 0, None
    if not data:
        _drop_views(model, target, drop_views, as_json)
        return
    if certificate is not None and model.journal_ is None:
        raise _without_journal("--certificate", path)
    for columns, table in _batches(model, data, errors, together=model.journal_ is not None):
        X, y = columns.features(table), columns.labels(table)
        try:
            answer = model.forget(X, y, drop_views=drop_views, journal=journal)
        except SubtractionError as error:
            raise _not_learned(error, path) from error
        signed = answer if isinstance(answer, sf.Certificate) else None
        rows += table.num_rows
        if not hasattr(model, "classes_"):
            raise InputError(
                f"These are all the rows that the model has learned. Delete the model file {str(path)!r} instead."
            )
    facts: dict[str, Any] = {"model": str(target), "rows": rows, "what": "forgotten"}
    lines = [f"Forgot {counted(rows, 'row')}; wrote {target}"]
    if signed is None:
        save(model, target)
    else:
        proof = certificate or _unused(target, signed)
        if proof.exists():
            raise FileError(
                f"The file {str(proof)!r} exists already, and certificates are not replaced. Name another file with "
                "--certificate."
            )
        write((target, pieces(model)), (proof, [signed.json.encode()]))
        facts |= {"certificate": str(proof), "left": signed.left}
        lines.append(f"Wrote the certificate {proof}")
        if signed.left:
            held = f"The model still holds {counted(signed.left, 'equal row')}"
            lines.append(f"{held}: forget a row as often as it was learned")
    if model.stale_:
        lines.append(
            f"The hyperparameters keep a trace of the removed rows. 'suffice forget {target} --drop-views' drops them; "
            "'suffice refresh' chooses them again on the rows that are left."
        )
    say(as_json, facts, *lines)


def _drop_views(model: Any, target: Path, wanted: bool, as_json: bool) -> None:
    """Drop the hyperparameters that rows chose, without forgetting rows."""
    if not wanted:
        raise InputError("The verb 'forget' needs files of rows to forget, or --drop-views alone; got neither.")
    save(model.drop_views(), target)
    facts = {"model": str(target), "rows": 0, "what": "forgotten"}
    say(as_json, facts, f"Dropped the hyperparameters that rows chose; wrote {target}")


def _not_learned(error: SubtractionError, path: Path, before: int = 0) -> SubtractionError:
    """Return the error for rows that a model has not learned, in terms of the files, `before` rows into them."""
    found = re.search(r"\b[Rr]ow ([\d,]+) [^:]*: it (.*?)\.(?: |$)", str(error))
    which = "These rows include a row that was not learned with this label, or was forgotten already"
    if found is not None:
        which = f"Row {before + int(found[1].replace(',', '')) + 1:,} of the files {found[2]}"
    return SubtractionError(f"{which}. The model file {str(path)!r} is unchanged.")


def _without_journal(option: str, path: Path) -> InputError:
    return InputError(
        f"The option '{option}' needs a model with a journal, which {str(path)!r} does not keep. Fit it with "
        "'suffice fit --journal'."
    )


@_one_at_a_time
def refresh(path: Path, data: list[Path], output: Path | None, errors: str, as_json: bool) -> None:
    """Choose the hyperparameters of a model again, on the rows that `suffice fit` would sample."""
    model = classifier(path)
    files, most = open_files(data, errors, model), sample_size(model) or ROWS
    kept, parts, rows = BottomK(most), list[pa.Table](), 0
    whole = getattr(model, "joint", None) is not None  # joint columns are counted in all rows once some have chosen
    for part in files:
        columns = roles(part, model, getattr(model, "target_", None), getattr(model, "text_column_", None))
        table = Arrow(columns.labelled(part, files), of_file=True).table(columns.names)
        examples = model._read(columns.features(table), columns.labels(table), None, False)
        try:
            only_learned(model.journal_, examples, model._reader)
        except SubtractionError as error:
            raise _not_learned(error, path, rows) from error
        rows += table.num_rows
        if whole:
            parts.append(table)
        else:
            kept.add(table, examples.hashes(model._reader))
    found = pa.concat_tables(parts) if parts else kept.table()
    if found is None:
        raise no_rows(data)
    sample = found if whole else rows_of(found, most)
    if rows < model.class_count_.sum():
        note([f"the files hold {rows:,} of {model.class_count_.sum():,.15g} rows of the model; give all of them"])
    with untold("Views are chosen on"):  # a sample, as 'suffice fit' takes it
        model.refresh(columns.features(sample), columns.labels(sample))
    save(model, output or path)
    facts = {"model": str(output or path), "rows": sample.num_rows, "what": "chosen by"}
    say(as_json, facts, f"Chose hyperparameters on {counted(sample.num_rows, 'row')}; wrote {output or path}")


def key_of(wanted: bool, path: Path | None) -> Any:
    """Return the journal argument of the library: the key in a file, True, or None."""
    if path is None:
        return True if wanted else None
    key = path.read_bytes().rstrip(b"\r\n")
    if not key:
        raise InputError(f"The file of the option '--journal-key' must hold a key; {str(path)!r} is empty.")
    return key


def _batches(model: Any, data: list[Path], errors: str, together: bool = False) -> Iterator[tuple[Roles, Any]]:
    """Yield the roles of columns and the labelled rows, batch by batch or all together."""
    files = open_files(data, errors, model)
    parts: Any = iter(files)
    if together:
        batches = list(parts)
        if not batches:
            raise no_rows(data)
        parts = [pa.concat_tables(batches, promote_options="permissive")]
    for part in parts:
        columns = roles(part, model, getattr(model, "target_", None), getattr(model, "text_column_", None))
        yield columns, columns.labelled(part, files)


def _unused(model: Path, signed: sf.Certificate) -> Path:
    """Return an unused file name for a certificate, beside the model file."""
    moment = "".join(letter for letter in signed.time.partition("+")[0] if letter.isalnum())
    names = [f"{model.stem}.forgotten-{moment}Z{more}.json" for more in ("", *(f"-{k}" for k in range(2, 1000)))]
    return next(path for path in map(model.with_name, names) if not path.exists())
