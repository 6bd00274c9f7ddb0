"""The verbs that change a model file: update, forget and refresh."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import suffice as sf
from suffice.cli.classifiers import classifier
from suffice.cli.file_options import no_rows, open_files
from suffice.cli.outputs import save, say, write
from suffice.engines.passes import sample_size
from suffice.engines.roles import roles
from suffice.engines.row_sources import FileRows
from suffice.errors import FileError, InputError, LabelError, SubtractionError
from suffice.later import pa
from suffice.models.choosing.wanted import ROWS
from suffice.stats.bottom_k import BottomK, rows_of
from suffice.store.models import pieces
from suffice.telling import counted

__all__ = ["forget", "key_of", "refresh", "update"]


def update(path: Path, data: list[Path], output: Path | None, journal: Any, errors: str, as_json: bool) -> None:
    """Add more rows to a model, batch by batch."""
    model = classifier(path)
    rows = 0
    for X, y, many in _batches(model, data, errors):
        _admit(model, y)
        model.partial_fit(X, y, journal=journal)
        rows += many
    save(model, output or path)
    facts = {"model": str(output or path), "rows": rows, "what": "learned"}
    say(as_json, facts, f"Learned {counted(rows, 'more row')}; wrote {output or path}")


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
    if certificate is not None and model.journal_ is None:
        raise InputError(
            f"The option '--certificate' needs a model with a journal, which {str(path)!r} does not keep. Fit it with "
            "'suffice fit --journal'."
        )
    for X, y, many in _batches(model, data, errors, together=model.journal_ is not None):
        try:
            answer = model.forget(X, y, drop_views=drop_views, journal=journal)
        except SubtractionError as error:
            raise _not_learned(error, path) from error
        signed = answer if isinstance(answer, sf.Certificate) else None
        rows += many
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
        facts["certificate"] = str(proof)
        lines.append(f"Wrote the certificate {proof}")
    if model.stale_:
        lines.append(
            "The hyperparameters keep a trace of the removed rows: 'suffice refresh' chooses them again, --drop-views "
            "drops them."
        )
    say(as_json, facts, *lines)


def _not_learned(error: SubtractionError, path: Path) -> SubtractionError:
    """Return the error for rows that a model has not learned, in terms of the files."""
    row = re.search(r"\brow ([\d,]+)", str(error))
    which = "These rows" if row is None else f"Row {int(row[1].replace(',', '')) + 1:,} of the files"
    been = "include a row that was" if row is None else "was"
    return SubtractionError(
        f"{which} {been} not learned by the model with this label, or was forgotten already. The model file "
        f"{str(path)!r} is unchanged."
    )


def refresh(path: Path, data: list[Path], output: Path | None, errors: str, as_json: bool) -> None:
    """Choose the hyperparameters of a model again, on the rows that `suffice fit` would sample."""
    model = classifier(path)
    files, most = open_files(data, errors, model), sample_size(model) or ROWS
    kept, parts = BottomK(most), list[pa.Table]()
    whole = getattr(model, "joint", None) is not None  # joint columns are counted in all rows once some have chosen
    for part in files:
        columns = roles(part, model, getattr(model, "target_", None), getattr(model, "text_column_", None))
        table = FileRows(columns.labelled(part, files)).table(columns.names)
        if whole:
            parts.append(table)
        else:
            hashes = model._read(columns.features(table), columns.labels(table), None, False).hashes(model._reader)
            kept.add(table, hashes)
    found = pa.concat_tables(parts) if parts else kept.table()
    if found is None:
        raise no_rows(data)
    sample = found if whole else rows_of(found, most)
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


def _batches(model: Any, data: list[Path], errors: str, together: bool = False) -> Iterator[tuple[Any, Any, int]]:
    """Yield features, labels and the number of rows, batch by batch or all together."""
    files = open_files(data, errors, model)
    parts: Any = iter(files)
    if together:
        batches = list(parts)
        if not batches:
            raise no_rows(data)
        parts = [pa.concat_tables(batches, promote_options="permissive")]
    for part in parts:
        columns = roles(part, model, getattr(model, "target_", None), getattr(model, "text_column_", None))
        table = columns.labelled(part, files)
        yield columns.features(table), columns.labels(table), table.num_rows


def _unused(model: Path, signed: sf.Certificate) -> Path:
    """Return an unused file name for a certificate, beside the model file."""
    moment = "".join(letter for letter in signed.time.partition("+")[0] if letter.isalnum())
    names = [f"{model.stem}.forgotten-{moment}Z{more}.json" for more in ("", *(f"-{k}" for k in range(2, 1000)))]
    return next(path for path in map(model.with_name, names) if not path.exists())
