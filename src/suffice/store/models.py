"""Models ↔ files."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import suffice
from suffice.errors import KindError, ModelFileError
from suffice.store import registry
from suffice.store.file_io import Bytes, File, digest, read_path, replace_file
from suffice.store.layout import refuse, written
from suffice.store.values import SECTIONS, Reader, Writer

__all__ = ["ModelFile", "describe", "from_bytes", "load", "save", "to_bytes"]

FORMAT, VERSION = "suffice", 1
PARTS = ("estimator", "parameters", *SECTIONS)


@dataclass(frozen=True)
class ModelFile:
    """The contents of the header of a model file.

    Attributes
    ----------
    path : Path
        The file.
    size : int
        Its bytes.
    format_version : int
        Version of the layout.
    library_version : str
        Version of suffice that wrote it.
    estimator : str
        Name of the class.
    parameters : dict
        What the estimator was made with.
    classes : ndarray or None
        The labels, of a classifier.
    schema : dict
        What rows look like.
    tensors : dict
        Type and shape of each array, by name.

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


class Seal:
    """The checks of a file that are still to be made, before anything is learned on top of it."""

    def __init__(self, file: File, checksums: dict[str, Any]) -> None:
        self._file, self._checksums = file, checksums

    def __call__(self) -> None:
        self._file.verify(self._checksums)

    def __reduce__(self) -> tuple[Any, ...]:
        self()
        return _verified, ()


def _verified() -> None:
    """Do nothing: the seal of a file that has been checked."""


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file, in the place of what is there. A crash leaves the old file or the new one.

    Statistics are kept, not only what was made of them: a loaded model goes on learning, merges and forgets. Functions
    given as parameters (a tokenizer) cannot be kept.

    Parameters
    ----------
    model : fitted estimator
        Any of this library.
    path : str or Path
        Where to.

    See Also
    --------
    load, describe

    Examples
    --------
    >>> import suffice as sf, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "spam.suffice"
    >>> model = sf.TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"])
    >>> sf.save(model, path)
    >>> sf.load(path).predict(["cheap lunch pills"])
    array(['spam'], dtype='<U4')
    """
    _check_kind(model, "save")
    target = read_path(path)
    replace_file(target, pieces(model))


def to_bytes(model: Any) -> bytes:
    """Return what `save` would write, as bytes: for a network, a cache, a column of a table.

    Parameters
    ----------
    model : fitted estimator
        Any of this library.

    Returns
    -------
    data : bytes
        A whole model file.

    Examples
    --------
    >>> import suffice as sf
    >>> data = sf.store.to_bytes(sf.BernoulliNB().fit([[0], [1]], ["a", "b"]))
    >>> sf.store.from_bytes(data).predict([[1]])
    array(['b'], dtype='<U1')
    """
    _check_kind(model, "to_bytes")
    return b"".join(pieces(model))


def from_bytes(data: bytes) -> Any:
    """Return the model of the bytes of its file, after checking all of them against their checksums.

    Parameters
    ----------
    data : bytes
        What `to_bytes` gave, or what a model file holds.

    Returns
    -------
    model : estimator
        As it was.

    Examples
    --------
    >>> import suffice as sf
    >>> data = sf.store.to_bytes(sf.BernoulliNB().fit([[0], [1]], ["a", "b"]))
    >>> sf.store.from_bytes(data).partial_fit([[1]], ["b"]).class_count_
    array([1., 2.])
    """
    return _built(Bytes(data), verify=True)


def load(path: str | os.PathLike[str], *, verify: bool = False) -> Any:
    """Read a model from a file. Nothing of the file is run, and a damaged one is refused.

    Large files are mapped into memory rather than read; what lies in them is compared with its checksums before
    anything is learned, merged or forgotten on top of it. Small ones are compared at once.

    Parameters
    ----------
    path : str or Path
        The file.
    verify : bool, default=False
        Whether to compare all of a large file with its checksums now.

    Returns
    -------
    model : estimator
        As it was saved.

    See Also
    --------
    save, describe

    Examples
    --------
    >>> import suffice as sf, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "flags.suffice"
    >>> sf.save(sf.BernoulliNB().fit([[0], [0], [1]], ["a", "a", "b"]), path)
    >>> sf.load(path).partial_fit([[1]], ["b"]).class_count_
    array([2., 2.])
    """
    return _built(File(path), verify)


def _check_kind(model: Any, name: str) -> None:
    if type(model) not in registry.ESTIMATORS.values():
        what = "a class" if isinstance(model, type) else f"a {type(model).__module__}.{type(model).__qualname__}"
        raise KindError(f"The argument 'model' of {name} must be a fitted estimator of suffice itself; got {what}.")


def pieces(model: Any) -> list[Any]:
    """Return the header and the arrays of a file, in their order."""
    writer = Writer()
    parts = writer.estimator(model, fitted=True)
    checksums = {name: digest(array) for name, array in writer.tensors.items()}
    texts = {part: json.dumps(parts[part], separators=(",", ":")) for part in PARTS if part in parts}
    about = {"format": FORMAT, "format_version": str(VERSION), "library_version": suffice.__version__}
    head, arrays = written(writer.tensors, {**about, **texts, "checksums": json.dumps(checksums)})
    return [head, *arrays]


def _built(file: File, verify: bool) -> Any:
    """Build the model of a file."""
    parts, checksums = _parts(file), _checksums(file)
    if verify or not file.mapped:
        file.verify(checksums)
    reader = Reader(file)
    try:
        model = reader.estimator(parts)
        reader.done()
    except ModelFileError:
        raise
    except Exception as error:  # whatever a forged file makes of a constructor
        raise refuse(file.path, "hold a model", _short(error)) from error
    if not file.verified:
        for built in reader.built:
            built._verify = Seal(file, checksums)
    return model


def describe(path: str | os.PathLike[str]) -> ModelFile:
    """Describe what a model file holds, by its header alone.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    file : ModelFile
        Estimator, parameters, classes, schema and arrays.

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
    parts, about, reader = _parts(file), file.layout.metadata, Reader(file)
    try:
        parameters = reader.parameters(parts["parameters"], parts.get("estimator"))
        classes, schema = (reader.read(parts.get(part)) for part in ("classes", "schema"))
    except Exception as error:
        raise refuse(file.path, "describe a model", _short(error)) from error
    tensors = {name: (tensor.dtype, tensor.shape) for name, tensor in file.layout.tensors.items()}
    version, library = int(about["format_version"]), about.get("library_version", "")
    return ModelFile(
        file.path, file.size, version, library, parts["estimator"], parameters, classes, schema or {}, tensors
    )


def _parts(file: File) -> dict[str, Any]:
    """Return each part of the model, as JSON."""
    about = file.layout.metadata
    if about.get("format") != FORMAT:
        raise refuse(file.path, f"have the format {FORMAT!r}", f"{about.get('format', 'none')!r:.80}")
    version = about.get("format_version", "")
    if not version.isascii() or not version.isdigit() or not 1 <= int(version[:9]) <= VERSION:
        later = f"{version!r:.20}, written by suffice {about.get('library_version')!r:.40}; a later suffice may read it"
        raise refuse(file.path, f"have a format version from 1 to {VERSION}", later)
    return {part: _parsed(file, part) for part in PARTS if part in about}


def _checksums(file: File) -> dict[str, Any]:
    found = _parsed(file, "checksums")
    if not isinstance(found, dict) or set(found) != set(file.layout.tensors):
        raise refuse(file.path, "have a checksum for each of its tensors", "others")
    return found


def _parsed(file: File, part: str) -> Any:
    try:
        return json.loads(file.layout.metadata.get(part, ""))
    except (ValueError, RecursionError) as error:
        raise refuse(file.path, f"have JSON in {part!r} of its header", str(error)[:80]) from None


def _short(error: Exception) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return f"none: {text[:200] or type(error).__name__}"
