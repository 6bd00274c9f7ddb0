"""Read the header of a model file, which describes the model without its arrays."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suffice.store.file_io import File
from suffice.store.layout import refuse
from suffice.store.values import SECTIONS, Reader

__all__ = ["FORMAT", "PARTS", "VERSION", "ModelFile", "checksums_of", "describe", "parts_of", "short"]

FORMAT, VERSION = "suffice", 1
PARTS = ("estimator", "parameters", *SECTIONS)


@dataclass(frozen=True)
class ModelFile:
    """The contents of the header of a model file.

    Attributes
    ----------
    path : Path
        The path of the file.
    size : int
        Its size in bytes.
    format_version : int
        The version of the layout.
    library_version : str
        The version of suffice that wrote the file.
    estimator : str
        The name of the class of the model.
    parameters : dict
        The parameters of the model.
    classes : ndarray or None
        The labels of a classifier.
    schema : dict
        The form of the rows that the model reads.
    tensors : dict
        The type and shape of each array, by name.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import suffice as sf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tea.suffice"
    >>> sf.save(sf.MultinomialNB().fit([[2, 0], [0, 1]], ["tea", "rum"]), path)
    >>> sf.store.describe(path).estimator
    'MultinomialNB'
    """

    path: Path
    size: int
    format_version: int
    library_version: str
    estimator: str
    parameters: dict[str, Any]
    classes: Any
    schema: dict[str, Any]
    tensors: dict[str, tuple[str, tuple[int, ...]]]


def describe(path: str | os.PathLike[str]) -> ModelFile:
    """Describe the contents of a model file by its header alone.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    file : ModelFile
        The estimator, parameters, classes, schema and arrays.

    Examples
    --------
    >>> import suffice as sf, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "flags.suffice"
    >>> sf.save(sf.BernoulliNB(alpha=0.5).fit([[0], [0], [1]], ["a", "a", "b"]), path)
    >>> found = sf.store.describe(path)
    >>> found.estimator, found.parameters["alpha"], found.classes.tolist(), found.tensors["statistics/0/counts"]
    ('BernoulliNB', 0.5, ['a', 'b'], ('F64', (2,)))
    """
    file = File(path)
    parts, about, reader = parts_of(file), file.layout.metadata, Reader(file)
    try:
        parameters = reader.parameters(parts["parameters"])
        classes, schema = (reader.read(parts.get(part)) for part in ("classes", "schema"))
    except MemoryError:
        raise
    except Exception as error:
        raise refuse(file.path, "describe a model", short(error)) from error
    tensors = {name: (tensor.dtype, tensor.shape) for name, tensor in file.layout.tensors.items()}
    version, library = int(about["format_version"]), about.get("library_version", "")
    return ModelFile(
        file.path, file.size, version, library, parts["estimator"], parameters, classes, schema or {}, tensors
    )


def parts_of(file: File) -> dict[str, Any]:
    """Return each part of the model as parsed JSON; raise ModelFileError for another format or a later version."""
    about = file.layout.metadata
    if about.get("format") != FORMAT:
        raise refuse(file.path, f"have the format {FORMAT!r}", f"{about.get('format', 'none')!r:.80}")
    version = about.get("format_version", "")
    if not version.isascii() or not version.isdigit() or not 1 <= int(version[:9]) <= VERSION:
        later = f"{version!r:.20}, written by suffice {about.get('library_version')!r:.40}; a later suffice may read it"
        raise refuse(file.path, f"have a format version from 1 to {VERSION}", later)
    return {part: _parsed(file, part) for part in PARTS if part in about}


def checksums_of(file: File) -> dict[str, Any]:
    """Return the checksum of each tensor."""
    found = _parsed(file, "checksums")
    if not isinstance(found, dict) or set(found) != set(file.layout.tensors):
        raise refuse(file.path, "have a checksum for each of its tensors", "checksums of other tensors")
    return found


def _parsed(file: File, part: str) -> Any:
    try:
        return json.loads(file.layout.metadata.get(part, ""))
    except (ValueError, RecursionError) as error:
        raise refuse(file.path, f"have JSON in {part!r} of its header", str(error)[:80]) from None


def short(error: Exception) -> str:
    """Return an error in one line, for a file that cannot be read."""
    text = " ".join(str(error).split()).rstrip(".")
    return f"one that cannot be read: {text[:200] or type(error).__name__}"
