"""Throws damaged and forged files at `load`. Run by a test in a process of its own, with little memory."""

import json
import random
import resource
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import suffice as sf
from store.cases import answer, models
from suffice.errors import ModelFileError
from suffice.store.file_io import File, digest
from suffice.store.layout import written

JUNK: list[Any] = [
    None, True, -1, 0, 1, 2**31, 2**63, 10**30, 0.5, -1e300, "", "loo", "evidence", "\ud800", "x" * 300, [], {}, [[]],
    {"$": "tuple", "of": []}, {"$": "again", "of": 0}, {"$": "number", "of": "nan"}, {"$": "list", "of": [1, "a"]},
    {"$": "dict", "of": []}, {"$": "os.system", "of": "true"},
    {"$": "Temper", "of": {"power": -1.0, "length": 0.0, "prior": 1.0}},
    {"$": "array", "dtype": "<U99999", "of": ["a"] * 9}, {"$": "array", "dtype": "|O", "of": [1]},
]  # fmt: skip


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container and key in it."""
    for key in list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield node, key
        yield from places(node[key])


def forged(raw: bytes, file: File, rng: random.Random) -> bytes:
    """Return another header, or other data, with the checksums that they should have."""
    arrays = {name: file.array(name).copy() for name in file.layout.tensors}
    about = dict(file.layout.metadata)
    parts = {key: json.loads(about[key]) for key in about if about[key][:1] in '{["' and key != "checksums"}
    for _ in range(rng.randint(1, 3)):
        what = rng.random()
        if what < 0.5:
            some = list(places(parts))
            holder, key = rng.choice(some)
            other, at = rng.choice(some)
            holder[key] = json.loads(json.dumps(rng.choice([rng.choice(JUNK), other[at]])))
        elif what < 0.9 and arrays:
            disturb(arrays, rng)
        else:
            parts.pop(rng.choice(list(parts)), None) if len(parts) > 3 else None
    about.update({key: json.dumps(value) for key, value in parts.items()})
    about["checksums"] = json.dumps({name: digest(np.ascontiguousarray(array)) for name, array in arrays.items()})
    about.pop("header_sha256")
    head, ordered = written(arrays, about)
    return head + b"".join(array.tobytes() for array in ordered)


def disturb(arrays: dict[str, Any], rng: random.Random) -> None:
    name = rng.choice(list(arrays))
    array = arrays[name]
    what = rng.random()
    if what < 0.6 and array.size:
        flat = array.reshape(-1)
        extreme = [0, 1, -1, 2**31, 2**62, -(2**62), 255, 1e300, -1.0, np.nan, np.inf]
        with np.errstate(all="ignore"):
            flat[rng.randrange(len(flat))] = np.array(rng.choice(extreme)).astype(array.dtype)
    elif what < 0.8:
        arrays[name] = reshaped(array, rng)
    elif what < 0.9:
        arrays[name] = array.astype(rng.choice([np.float32, np.int32, np.uint8, np.bool_]))
    else:
        arrays[name], other = arrays[rng.choice(list(arrays))], array
        arrays[f"{name}/more"] = other


def reshaped(array: Any, rng: random.Random) -> Any:
    """Return an array in another shape: cut, repeated, turned, with an axis more or less."""
    if not array.ndim:
        return array.reshape(1)
    axis = rng.randrange(array.ndim)
    n = array.shape[axis]
    return rng.choice([
        np.take(array, range(n // 2), axis),
        np.take(array, range(max(n - 1, 0)), axis),
        np.concatenate([array, array], axis),
        array.T,
        array.reshape(-1),
        array[None],
        array[..., None],
    ]).copy()  # fmt: skip


def damaged(raw: bytes, rng: random.Random) -> bytes:
    """Flip bits, cut, insert, or say another length."""
    out = bytearray(raw)
    what = rng.random()
    if what < 0.5:
        for _ in range(rng.choice([1, 1, 2, 8])):
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    elif what < 0.7:
        del out[rng.randrange(len(out)) :]
    elif what < 0.8:
        out += bytes(rng.randrange(1, 64))
    elif what < 0.9:
        out[:8] = rng.choice([0, 1, 2**25, 2**40, 2**63, len(out), len(out) * 2]).to_bytes(8, "little")
    else:
        at, n = rng.randrange(len(out)), rng.randrange(1, 100)
        out[at : at + n] = rng.randbytes(n)
    return bytes(out)


def main(seed: int, files: int) -> None:
    rng = random.Random(seed)
    path = Path(tempfile.mkdtemp()) / "model.suffice"
    kept = []
    for model, rows in models().values():
        sf.save(model, path)
        kept.append((path.read_bytes(), File(path), rows))
    warnings.simplefilter("ignore")
    room = 2**31  # beyond what the process has now
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + room, size + room))
    came: Counter[str] = Counter()
    for i in range(files):
        raw, file, rows = rng.choice(kept)
        forge = rng.random() < 0.6
        path.write_bytes(forged(raw, file, rng) if forge else damaged(raw, rng))
        start = time.perf_counter()
        try:
            model = sf.load(path)
        except ModelFileError as error:
            came["refused" if "\n" not in str(error) else "more than a line"] += 1
        else:
            assert forge or path.read_bytes() == raw, f"file {i} is damaged and was not refused"
            came[asked(model, rows)] += 1
        took = time.perf_counter() - start
        assert took < 5, f"file {i} took {took:.1f} s"
    print(json.dumps(came))


def asked(model: Any, rows: Any) -> str:
    """Return what comes of a question: an answer, or an error of the usual kinds."""
    try:
        answer(model, rows)
    except ValueError as error:
        return type(error).__name__
    return "answered"


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
