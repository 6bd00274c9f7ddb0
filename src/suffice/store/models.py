"""Save models to files, load them, and describe files by their headers, without the arrays."""

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

FORMAT, VERSION = "suffice", 1
PARTS = ("estimator", "parameters", *SECTIONS)


class Seal:
    """The outstanding checksum comparison of a mapped file, which runs before the model learns more."""

    def __init__(self, file: File, checksums: dict[str, Any]) -> None:
        self._file, self._checksums = file, checksums

    def __call__(self) -> None:
        """Compare the checksums; raise ModelFileError if the file is damaged."""
        self._file.verify(self._checksums)

    def __reduce__(self) -> tuple[Any, ...]:
        self()
        return _verified, ()


def _verified() -> None:
    """Do nothing: the seal of a verified file."""


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file, replacing an existing one. A crash leaves either the old file or the new one.

    The file holds the statistics, so that a loaded model can learn more, merge and forget. Functions given as
    parameters, such as a tokenizer, cannot be saved.

    Parameters
    ----------
    model : fitted estimator, or learner of concepts
        A model of this library.
    path : str or Path
        The file to write.

    See Also
    --------
    load, store.describe

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
    """Return the bytes that `save` would write, for a network, a cache or a database.

    Parameters
    ----------
    model : fitted estimator, or learner of concepts
        A model of this library.

    Returns
    -------
    data : bytes
        A complete model file.

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
    """Load a model from the bytes of a model file, after verifying all checksums.

    Parameters
    ----------
    data : bytes
        The result of `to_bytes`, or the contents of a model file.

    Returns
    -------
    model : estimator
        The model that was saved.

    Examples
    --------
    >>> import suffice as sf
    >>> data = sf.store.to_bytes(sf.BernoulliNB().fit([[0], [1]], ["a", "b"]))
    >>> sf.store.from_bytes(data).partial_fit([[1]], ["b"]).class_count_
    array([1., 2.])
    """
    return _built(Bytes(data), verify=True)


def load(path: str | os.PathLike[str], *, verify: bool = False) -> Any:
    """Load a model from a file. No code from the file is run, and a damaged file raises ModelFileError.

    Large files are mapped into memory rather than read, and their data are compared with the checksums before the model
    learns, merges or forgets. Small files are verified at once.

    Parameters
    ----------
    path : str or Path
        The file.
    verify : bool, default=False
        Whether to verify all checksums of a large file at once.

    Returns
    -------
    model : estimator
        The model that was saved.

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


def load_to_answer(path: str | os.PathLike[str]) -> Any:
    """Load a model from a file to predict, explain or inspect, without importing scikit-learn for most files.

    The result has the attributes of the model that predictions need; it cannot learn.
    """
    return _built(File(path), verify=False, to_answer=True)


def _check_kind(model: Any, name: str) -> None:
    if not registry.is_estimator(model) and not registry.is_learner(model):
        what = "a class" if isinstance(model, type) else f"a {type(model).__module__}.{type(model).__qualname__}"
        raise KindError(f"{name}.model", "be a fitted estimator of suffice itself, or a learner of concepts").but(
            f"got {what}"
        )


def pieces(model: Any) -> list[Any]:
    """Return the header and the arrays of the file of a model, in order."""
    writer = Writer()
    parts = writer.estimator(model, fitted=True)
    checksums = {name: digest(array) for name, array in writer.tensors.items()}
    texts = {part: json.dumps(parts[part], separators=(",", ":")) for part in PARTS if part in parts}
    about = {"format": FORMAT, "format_version": str(VERSION), "library_version": suffice.__version__}
    head, arrays = written(writer.tensors, {**about, **texts, "checksums": json.dumps(checksums)})
    return [head, *arrays]


def _built(file: File, verify: bool, to_answer: bool = False) -> Any:
    """Build the model of a file; with `to_answer`, its light form, unless that fails."""
    parts, checksums = _parts(file), _checksums(file)
    if (
        verify or not file.mapped or registry.learner(parts.get("estimator")) is not None
    ):  # these are read completely anyway
        file.verify(checksums)
    reader = Reader(file)
    try:
        model = reader.model(parts, to_answer)
        reader.done()
    except (ModelFileError, MemoryError):
        raise
    except Exception as error:  # a forged file can make a constructor raise anything
        if to_answer:
            return _built(file, verify)
        raise refuse(file.path, "hold a model", _short(error)) from error
    if not file.verified:
        for built in reader.built:
            built._verify = Seal(file, checksums)
    return model


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
    parts, about, reader = _parts(file), file.layout.metadata, Reader(file)
    try:
        parameters = reader.parameters(parts["parameters"])
        classes, schema = (reader.read(parts.get(part)) for part in ("classes", "schema"))
    except MemoryError:
        raise
    except Exception as error:
        raise refuse(file.path, "describe a model", _short(error)) from error
    tensors = {name: (tensor.dtype, tensor.shape) for name, tensor in file.layout.tensors.items()}
    version, library = int(about["format_version"]), about.get("library_version", "")
    return ModelFile(
        file.path, file.size, version, library, parts["estimator"], parameters, classes, schema or {}, tensors
    )


def _parts(file: File) -> dict[str, Any]:
    """Return each part of the model as parsed JSON; raise ModelFileError for another format or a later version."""
    about = file.layout.metadata
    if about.get("format") != FORMAT:
        raise refuse(file.path, f"have the format {FORMAT!r}", f"{about.get('format', 'none')!r:.80}")
    version = about.get("format_version", "")
    if not version.isascii() or not version.isdigit() or not 1 <= int(version[:9]) <= VERSION:
        later = f"{version!r:.20}, written by suffice {about.get('library_version')!r:.40}; a later suffice may read it"
        raise refuse(file.path, f"have a format version from 1 to {VERSION}", later)
    return {part: _parsed(file, part) for part in PARTS if part in about}


def _checksums(file: File) -> dict[str, Any]:
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


def _short(error: Exception) -> str:
    """Return an error in one line, for a file that cannot be read."""
    text = " ".join(str(error).split()).rstrip(".")
    return f"one that cannot be read: {text[:200] or type(error).__name__}"
