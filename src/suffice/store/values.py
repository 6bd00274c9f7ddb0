"""Convert values to JSON and tensors and back: parameters, labels, statistics and views, of a fixed set of types.

JSON types stand for themselves. Any other value is an object whose "$" names its type:

    {"$": "tuple" | "set" | "frozenset" | "list", "of": [value, …]}
    {"$": "dict", "of": [[key, value], …]}
    {"$": "number", "of": "inf" | "-inf" | "nan"}
    {"$": "scalar" | "type" | "dtype", "dtype": …, "of": value}        of numpy
    {"$": "array", "dtype": …, "of": [value, …]} or {…, "tensor": name}
    {"$": "strings", "bytes": name, "offset": name}                    many texts, as an array of objects
    {"$": "texts", …}                                                  the same, as a list
    {"$": "objects", "of": [value, …]}                                 an array of objects
    {"$": name of a statistic or a record, "of": {field: value, …}}
    {"$": "again", "of": k}                                            the k-th list of words, once more
    {"$": "estimator", "of": {"estimator": name, "parameters": …, …}}
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, KindError
from suffice.estimators.shell.atomic import snapshot, verify
from suffice.estimators.shell.stored import check_bounds, params_in_files
from suffice.stats import Journal, Statistic
from suffice.stats.word_counts import WordCounts
from suffice.store import registry
from suffice.store.file_io import File
from suffice.store.layout import DTYPES, little
from suffice.text import WordList
from suffice.text.word_list import is_utf8

__all__ = ["SECTIONS", "Reader", "Writer"]

SECTIONS = ("classes", "schema", "statistics", "views")
FEW, SMALL = 256, 2**16
"""The most labels, and the most bytes of labels, that are kept in the header itself."""

DATES = re.compile(r"<[mM]8\[(Y|M|W|D|h|m|s|ms|us|ns)\]")
SEQUENCES = {"tuple": tuple, "set": set, "frozenset": frozenset, "list": list}


class Writer:
    """A writer of values as JSON, which collects the arrays that the JSON names."""

    def __init__(self) -> None:
        self.tensors: dict[str, NDArray[Any]] = {}
        self._lists: list[WordList] = []

    def write(self, value: Any, name: str) -> Any:
        """Return the JSON of a value; its tensors, and errors, are named after `name`."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"$": "number", "of": repr(value)}
        if isinstance(value, np.ndarray):
            return self._array(value, name)
        if isinstance(value, Statistic | Journal | WordCounts):
            return self._statistic(value, name)
        if any(value is one for one in self._lists):
            return {"$": "again", "of": next(i for i, one in enumerate(self._lists) if value is one)}
        if type(value) in _NAMES:
            return self._record(value, name)
        if registry.is_estimator(value):
            return {"$": "estimator", "of": self.estimator(value, f"{name}/")}
        return self._collection(value, name)

    def estimator(self, model: Any, prefix: str = "", fitted: bool = False) -> dict[str, Any]:
        """Return the parts of an estimator: its class, its parameters, and its fitted state."""
        model = snapshot(model)
        verify(model)  # damage is not written under new checksums
        given = params_in_files(model)
        out: dict[str, Any] = {"estimator": type(model).__name__}
        out["parameters"] = {key: self.write(value, f"{prefix}parameters/{key}") for key, value in given.items()}
        state = model._get_state() if fitted or _is_fitted(model) else {}
        return out | {part: self.write(state[part], prefix + part) for part in SECTIONS if part in state}

    def _tensor(self, array: NDArray[Any], name: str) -> str:
        self.tensors[name] = little(array)
        return name

    def _statistic(self, value: Any, name: str) -> Any:
        arrays = value.arrays()
        of = {key: self._strings(array, f"{name}/{key}") for key, array in arrays.items() if array.dtype == object}
        of |= {key: self._tensor(array, f"{name}/{key}") for key, array in arrays.items() if array.dtype != object}
        if isinstance(value, WordCounts):
            self._lists.append(value.words)
        return {"$": type(value).__name__, "of": {key: of[key] for key in arrays}}

    def _record(self, value: Any, name: str) -> Any:
        inside = {one.name: getattr(value, one.name) for one in registry.public_fields(value)}
        of = {key: self.write(part, f"{name}/{key}") for key, part in inside.items()}
        if isinstance(value, WordList):
            self._lists.append(value)
        return {"$": _NAMES[type(value)], "of": of}

    def _collection(self, value: Any, name: str) -> Any:
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            return {"$": "scalar", "dtype": value.dtype.str, "of": self.write(value.item(), name)}
        if isinstance(value, str):
            return str.__str__(value)  # the repr of a name of several columns is shortened
        if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
            return {"$": "dtype" if isinstance(value, np.dtype) else "type", "dtype": np.dtype(value).str}
        if type(value) is dict:
            pairs = enumerate(value.items())
            of = [[self.write(k, f"{name}/{i}"), self.write(v, f"{name}/{i}")] for i, (k, v) in pairs]
            return {"$": "dict", "of": of}
        if type(value) is range:
            return self.write(list(value), name)
        if type(value) is list and len(value) > FEW and all(type(one) is str for one in value):
            return {**self._strings(_objects(value), name), "$": "texts"}
        if type(value) in SEQUENCES.values():
            each = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
            return {
                "$": type(value).__name__,
                "of": [self.write(one, f"{name}/{i}") for i, one in enumerate(each)],
            }
        raise KindError(_cannot(value, name))

    def _array(self, array: NDArray[Any], name: str) -> Any:
        kind = array.dtype.kind
        if kind == "O" and array.ndim == 1:
            if len(array) > FEW and all(type(one) is str for one in array):
                return self._strings(array, name)
            return {"$": "objects", "of": [self.write(one, f"{name}/{i}") for i, one in enumerate(array)]}
        plain = little(array)
        dtype = plain.dtype.str
        if kind in "biuU" and array.ndim == 1 and len(array) <= FEW and array.nbytes <= SMALL:
            return {"$": "array", "dtype": dtype, "of": array.tolist()}
        if kind in "US":
            unit = np.dtype("<u4" if kind == "U" else "|u1")
            shape = (*array.shape, array.dtype.itemsize // unit.itemsize)
            plain = np.frombuffer(plain.tobytes(), unit).reshape(shape) if array.size else np.empty(shape, unit)
        elif kind in "mM":
            plain = plain.view("<i8")
        elif dtype not in DTYPES.values():
            raise KindError(_cannot(array, name))
        return {"$": "array", "dtype": dtype, "tensor": self._tensor(plain, name)}

    def _strings(self, array: NDArray[Any], name: str) -> dict[str, Any]:
        coded = [text.encode("utf-8", "surrogatepass") for text in array]
        offset = np.concatenate([[0], np.cumsum([len(text) for text in coded])]).astype(np.int64)
        data = np.frombuffer(b"".join(coded), np.uint8)
        return {
            "$": "strings",
            "bytes": self._tensor(data, f"{name}/bytes"),
            "offset": self._tensor(offset, f"{name}/offset"),
        }


class Reader:
    """A reader of values from the JSON and tensors of a file, each of which is used once."""

    def __init__(self, file: File) -> None:
        self._file, self._free = file, set(file.layout.tensors)
        self._lists: list[WordList] = []
        self.built: list[Any] = []

    def done(self) -> None:
        """Raise DataError if a tensor was not used."""
        if self._free:
            raise DataError(f"every tensor must be named by a value, but {min(self._free)!r} is not")

    def read(self, node: Any) -> Any:
        """Return the value that some JSON stands for."""
        if node is None or isinstance(node, bool | int | float | str):
            return node
        if not isinstance(node, dict) or not isinstance(node.get("$"), str):
            raise DataError("a value must name its type")
        kind, of = node["$"], node.get("of")
        if kind in SEQUENCES:
            return SEQUENCES[kind](self.read(one) for one in _listed(of))
        if kind == "dict":
            return {self.read(key): self.read(value) for key, value in map(_listed, _listed(of))}
        if kind in registry.STATISTICS:
            return self._statistic(registry.STATISTICS[kind], of)
        if kind in registry.RECORDS:
            return self._record(registry.RECORDS[kind], of)
        return self._other(kind, node, of)

    def _other(self, kind: str, node: dict[str, Any], of: Any) -> Any:
        if kind == "estimator":
            return self.estimator(of)
        if kind == "again" and type(of) is int and 0 <= of < len(self._lists):
            return self._lists[of]
        if kind == "number" and of in ("inf", "-inf", "nan"):
            return float(of)
        if kind == "objects":
            return _objects([self.read(one) for one in _listed(of)])
        if kind in ("strings", "texts"):
            texts = self._strings(node)
            return texts if kind == "texts" else _objects(texts)
        if kind == "array":
            return self._array(node, of)
        if kind in ("scalar", "type", "dtype") and node.get("dtype") in DTYPES.values():
            dtype = np.dtype(node["dtype"])
            return dtype.type(self.read(of)) if kind == "scalar" else dtype if kind == "dtype" else dtype.type
        raise DataError(f"a value must be of a known kind; got {kind[:80]!r}")

    def model(self, parts: Any, to_answer: bool = False) -> Any:
        """Make the model of a file from its parts: an estimator or a concept learner."""
        learner = registry.learner(parts.get("estimator"))
        if learner is None:
            return self.estimator(parts, to_answer)
        given = self.parameters(parts["parameters"])
        return learner._of_file(given, {part: self.read(parts[part]) for part in SECTIONS if part in parts})

    def estimator(self, parts: Any, to_answer: bool = False) -> Any:
        """Make an estimator from its parts; with `to_answer`, its light form if it has one."""
        name: Any = parts.get("estimator") if isinstance(parts, dict) else parts
        if not isinstance(parts, dict) or not registry.is_known(name):
            raise DataError(f"an estimator must be one of {sorted(registry.ESTIMATORS)}; got {str(name)[:80]!r}")
        if set(parts) - {"estimator", "parameters", *SECTIONS}:
            raise DataError(f"an estimator must have only known parts; got {sorted(parts)}")
        given = self.parameters(parts["parameters"])
        model = registry.stored(name, given) if to_answer else None
        model = _made(name, given) if model is None else model
        state = {part: self.read(parts[part]) for part in SECTIONS if part in parts}
        if state:
            model._set_state(state)
            check_bounds(model, given)
            self.built.append(model)
        return model

    def parameters(self, node: Any) -> dict[str, Any]:
        """Return parameters by name."""
        if not isinstance(node, dict):
            raise DataError("parameters must have names")
        return {name: self.read(value) for name, value in node.items()}

    def _tensor(self, name: Any) -> NDArray[Any]:
        if not isinstance(name, str) or name not in self._free:
            raise DataError(f"a value must name an existing tensor that no other value names; got {str(name)[:80]!r}")
        self._free.remove(name)
        return self._file.array(name)

    def _statistic(self, kind: type[Any], of: Any) -> Any:
        if not isinstance(of, dict):
            raise DataError(f"{kind.__name__} must have arrays")
        value = kind.from_arrays({key: self._field(part) for key, part in of.items()})
        if isinstance(value, WordCounts):
            self._lists.append(value.words)
        return value

    def _field(self, part: Any) -> NDArray[Any]:
        """Return an array of a statistic: a tensor, or the strings of categories."""
        if isinstance(part, dict) and part.get("$") == "strings":
            return _objects(self._strings(part))
        return self._tensor(part)

    def _record(self, kind: type[Any], of: Any) -> Any:
        if not isinstance(of, dict):
            raise DataError(f"{kind.__name__} must have fields")
        value = registry.made(kind, {key: self.read(part) for key, part in of.items()})
        if isinstance(value, WordList):
            self._lists.append(value)
        return value

    def _strings(self, node: dict[str, Any]) -> list[str]:
        data, offset = self._tensor(node.get("bytes")), self._tensor(node.get("offset"))
        flat = data.ndim == offset.ndim == 1 and data.dtype == np.uint8 and offset.dtype == np.int64 and len(offset) > 0
        if not flat or offset[0] != 0 or offset[-1] != len(data) or (offset[1:] < offset[:-1]).any():
            raise DataError("texts must have offsets that increase to the number of their bytes")
        if not is_utf8(data, offset):
            raise DataError("texts must be UTF-8")
        text = data.tobytes()
        return [text[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(offset.tolist())]

    def _array(self, node: dict[str, Any], of: Any) -> NDArray[Any]:
        dtype = str(node.get("dtype"))
        text = re.fullmatch(r"<U(\d{1,5})|\|S(\d{1,9})", dtype)
        if "tensor" not in node:
            size = np.dtype(dtype).itemsize if text or dtype in DTYPES.values() else SMALL + 1
            if len(_listed(of)) * size > SMALL or not all(type(one) in (str, int, bool) for one in of):
                raise DataError(f"labels must be few, and of a known kind; got {dtype[:80]!r}")
            return np.array(of, dtype)
        tensor = self._tensor(node["tensor"])
        if text:
            return _as_text(tensor, "U" if dtype[1] == "U" else "S")
        if DATES.fullmatch(dtype) and tensor.dtype == np.int64:
            return tensor.view(dtype)
        if dtype not in DTYPES.values() or np.dtype(dtype) != tensor.dtype:
            raise DataError(f"an array must be of the kind of its tensor; got {dtype[:80]!r}")
        return tensor


def _made(name: str, given: dict[str, Any]) -> Any:
    """Return an unfitted estimator; raise unless these are its parameters, with allowed values."""
    kind = registry.estimator(name)
    if set(given) != set(kind._get_param_names()):
        raise DataError(f"{name} must have its own parameters; got {sorted(given)}")
    model = kind(**given)
    model._validate_params()
    return model


def _is_fitted(model: Any) -> bool:
    """Return whether an estimator is fitted."""
    known = getattr(model, "__sklearn_is_fitted__", None)
    return any(key.endswith("_") for key in vars(model)) if known is None else bool(known())


def _as_text(tensor: NDArray[Any], kind: str) -> NDArray[Any]:
    """Return code points or bytes as strings; the last axis is their length."""
    unit = np.dtype(np.uint32 if kind == "U" else np.uint8)
    if tensor.ndim < 2 or tensor.dtype != unit or tensor.shape[-1] < 1:
        raise DataError("strings of a fixed length must be an array of code points")
    if kind == "U" and tensor.max(initial=0) > 0x10FFFF:
        raise DataError("strings must hold valid code points")
    shape = tensor.shape[:-1]
    return np.ascontiguousarray(tensor).view(f"{kind}{tensor.shape[-1]}").reshape(shape)


def _listed(node: Any) -> list[Any]:
    if not isinstance(node, list):
        raise DataError("values must be in a list")
    return node


def _objects(values: list[Any]) -> NDArray[Any]:
    out = np.empty(len(values), object)
    out[:] = values
    return out


def _cannot(value: Any, name: str) -> str:
    place = f"The parameter {name.rpartition('/')[2]!r}" if "parameters/" in name else f"The value of {name!r}"
    what = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
    if callable(value):
        what = "a function, but files hold no code"
    return f"{place} must be something that a model file can hold; got {what}."


_NAMES = {kind: name for name, kind in registry.RECORDS.items()}
