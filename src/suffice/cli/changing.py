"""Verbs that change a model file: learn more, unlearn, choose anew."""

from __future__ import annotations

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
from suffice.errors import FileError, InputError, LabelError
from suffice.later import pa
from suffice.models.choosing.wanted import ROWS
from suffice.stats.bottom_k import BottomK, rows_of
from suffice.store.models import pieces
from suffice.telling import counted

__all__ = ["forget", "key_of", "refresh", "update"]


def update(path: Path, data: list[Path], output: Path | None, journal: Any, errors: str, as_json: bool) -> None:
    """Learn more rows, batch by batch."""
    model = classifier(path)
    rows = 0
    for X, y, many in _batches(model, data, errors):
        _admit(model, y)
        model.partial_fit(X, y, journal=journal)
        rows += many
    save(model, output or path)
    facts = {"model": str(output or path), "rows": rows, "what": "learned"}
    say(as_json, facts, f"{counted(rows, 'row')} learned, in {output or path}")


def _admit(model: Any, labels: Any) -> None:
    """Make room for classes that are new to a model, unless `classes` lists them all; NaiveBayes does so itself."""
    known, seen = model.classes_, np.unique(np.asarray(labels))
    if isinstance(model, sf.NaiveBayes) or model._model.declared is not None or np.isin(seen, known).all():
        return
    if (known.dtype.kind in "UO") != (seen.dtype.kind in "UO"):
        raise LabelError(
            f"The target must hold labels of the model's kind, such as {known.tolist()[0]!r}; got {seen.tolist()[0]!r}."
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
    """Unlearn rows; where there is a journal, all of them or none, with a certificate."""
    model = classifier(path)
    target, rows, signed = output or path, 0, None
    if certificate is not None and model.journal_ is None:
        raise InputError(
            "The option '--certificate' needs a model with a journal; fit it with 'suffice fit --journal'."
        )
    for X, y, many in _batches(model, data, errors, together=model.journal_ is not None):
        answer = model.forget(X, y, drop_views=drop_views, journal=journal)
        signed = answer if isinstance(answer, sf.Certificate) else None
        rows += many
        if not hasattr(model, "classes_"):
            raise InputError("All that the model has learned would be forgotten; delete its file instead.")
    facts: dict[str, Any] = {"model": str(target), "rows": rows, "what": "forgotten"}
    lines = [f"{counted(rows, 'row')} forgotten, in {target}"]
    if signed is None:
        save(model, target)
    else:
        proof = certificate or _unused(target, signed)
        if proof.exists():
            raise FileError(f"The certificate {str(proof)!r} exists already and is not replaced; name another file.")
        write((target, pieces(model)), (proof, [signed.json.encode()]))
        facts["certificate"] = str(proof)
        lines.append(f"certificate in {proof}")
    if model.stale_:
        lines.append("what was chosen by rows keeps a trace of them until 'suffice refresh'; --drop-views drops it")
    say(as_json, facts, *lines)


def refresh(path: Path, data: list[Path], output: Path | None, errors: str, as_json: bool) -> None:
    """Choose anew what is chosen by rows, by those that `suffice fit` chooses by."""
    model = classifier(path)
    files, most = open_files(data, errors, model), sample_size(model) or ROWS
    kept = BottomK(most)
    for part in files:
        columns = roles(part, model, getattr(model, "target_", None), getattr(model, "text_column_", None))
        table = FileRows(columns.labelled(part, files)).table(columns.names)
        kept.add(table, model._read(columns.features(table), columns.labels(table), None, False).hashes(model._reader))
    found = kept.table()
    if found is None:
        raise no_rows(data)
    sample = rows_of(found, most)
    model.refresh(columns.features(sample), columns.labels(sample))
    save(model, output or path)
    facts = {"model": str(output or path), "rows": sample.num_rows, "what": "chosen by"}
    say(as_json, facts, f"chosen anew by {counted(sample.num_rows, 'row')}, in {output or path}")


def key_of(wanted: bool, path: Path | None) -> Any:
    """Return what the library takes as 'journal': a key of a file, True, or None."""
    if path is None:
        return True if wanted else None
    key = path.read_bytes().rstrip(b"\r\n")
    if not key:
        raise InputError(f"The file of the option '--journal-key' must hold a key; {str(path)!r} is empty.")
    return key


def _batches(model: Any, data: list[Path], errors: str, together: bool = False) -> Iterator[tuple[Any, Any, int]]:
    """Yield features, labels and their number, batch by batch or all together."""
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
    """Return a name beside the model's that no certificate has."""
    moment = "".join(letter for letter in signed.time.partition("+")[0] if letter.isalnum())
    names = [f"{model.stem}.forgotten-{moment}Z{more}.json" for more in ("", *(f"-{k}" for k in range(2, 1000)))]
    return next(path for path in map(model.with_name, names) if not path.exists())
