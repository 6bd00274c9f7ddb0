"""Files that are damaged, forged, or none at all are refused in one sentence; a crash loses nothing."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.errors import KindError, ModelFileError, PathError
from suffice.store import describe, file_io, layout, models
from suffice.store.layout import written
from suffice.store.models import VERSION

TESTS = Path(__file__).parents[1]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with a model."""
    place = tmp_path / "model.suffice"
    sf.save(sf.BernoulliNB().fit([[0, 1], [1, 1], [1, 0]], ["a", "a", "b"]), place)
    return place


def rewritten(path: Path, change: Callable[[dict[str, str]], Any]) -> None:
    """Rewrite a file with other metadata, and checksums that are right."""
    file = file_io.File(path)
    about = {key: value for key, value in file.layout.metadata.items() if key != "header_sha256"}
    change(about)
    head, arrays = written({name: file.array(name).copy() for name in file.layout.tensors}, about)
    path.write_bytes(head + b"".join(array.tobytes() for array in arrays))


def refused(path: Path) -> str:
    with pytest.raises(ModelFileError) as error:
        sf.load(path)
    message = str(error.value)
    assert str(path) in message
    assert "; got " in message
    assert message.endswith(".")
    assert "\n" not in message
    return message


def test_every_single_bit_counts(path: Path) -> None:
    raw = path.read_bytes()
    for at in range(0, len(raw), 7):
        path.write_bytes(raw[:at] + bytes([raw[at] ^ 1 << at % 8]) + raw[at + 1 :])
        refused(path)


def test_bytes_are_checked_as_files_are(path: Path) -> None:
    raw = path.read_bytes()
    damaged = [raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :] for at in (3, 50, len(raw) // 2, len(raw) - 1)]
    for data in [*damaged, raw[:-1], raw + b"\0", b""]:
        with pytest.raises(ModelFileError, match="<bytes>"):
            models.from_bytes(data)
    wrong: Any = bytearray(raw)
    with pytest.raises(KindError, match="must be bytes; got a bytearray"):
        models.from_bytes(wrong)


def test_every_cut_is_seen(path: Path) -> None:
    raw = path.read_bytes()
    for at in range(0, len(raw), 11):
        path.write_bytes(raw[:at])
        refused(path)
    path.write_bytes(raw + b"\0")
    assert "longer" in refused(path)


def test_a_header_can_be_too_large(path: Path) -> None:
    with open(path, "r+b") as file:
        file.write((2**40).to_bytes(8, "little"))
    assert "header" in refused(path)
    with open(path, "wb") as file:
        file.write((layout.LARGEST_HEADER + 8).to_bytes(8, "little"))
        file.truncate(layout.LARGEST_HEADER + 100)
    assert "header" in refused(path)


@pytest.mark.parametrize("version", ["2", "999999999999", "", "-1", "1.5", "²"])
def test_a_later_version_is_refused(path: Path, version: str) -> None:
    rewritten(path, lambda about: about.update(format_version=version, library_version="9.1"))
    message = refused(path)
    assert "format version" in message
    assert "9.1" in message


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("format", "other"),
        ("estimator", '"Pipeline"'),
        ("estimator", '"os.system"'),
        ("parameters", "[]"),
        ("parameters", '{"alpha": 1.0}'),
        ("classes", '{"$":"array","dtype":"|O","of":[1]}'),
        ("classes", '{"$":"array","dtype":"<U99999","of":["a","b"]}'),
        ("classes", '{"$":"array","dtype":"<U1","of":["b","a"]}'),
        ("views", "{"),
        ("views", "[" * 100_000),
        ("checksums", "{}"),
        ("checksums", "[]"),
        ("statistics", '{"$":"dict","of":[]}'),
        ("schema", "null"),
    ],
)
def test_a_forged_header_is_refused(path: Path, part: str, value: str) -> None:
    rewritten(path, lambda about: about.update({part: value}))
    refused(path)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F64", "shape": [2**62, 2**62], "data_offsets": [0, 16]},
        {"dtype": "F64", "shape": [0, 2**62], "data_offsets": [0, 0]},
        {"dtype": "F64", "shape": [-2], "data_offsets": [0, 16]},
        {"dtype": "F64", "shape": [2.0], "data_offsets": [0, 16]},
        {"dtype": "F64", "shape": [True, 2], "data_offsets": [0, 16]},
        {"dtype": "OBJ", "shape": [2], "data_offsets": [0, 16]},
        {"dtype": ["F64"], "shape": [2], "data_offsets": [0, 16]},
        {"dtype": "F64", "shape": [2], "data_offsets": [8, 24]},
        {"dtype": "F64", "shape": [2], "data_offsets": [-16, 0]},
        {"dtype": "F64", "shape": [2], "data_offsets": [2**60, 2**60 + 16]},
        {"dtype": "F64", "shape": [2], "data_offsets": [16, 0]},
        {"dtype": "F64", "shape": [2]},
        [],
    ],
)
def test_a_tensor_lies_where_it_should(path: Path, entry: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    name = next(name for name in header if name != "__metadata__")
    header[name] = entry
    header["__metadata__"]["header_sha256"] = "0" * 64
    text = json.dumps(header).encode()
    own = file_io.digest(text)
    text = text.replace(b"0" * 64, own.encode())
    path.write_bytes(len(text).to_bytes(8, "little") + text + raw[8 + length :])
    assert name in refused(path)


def test_what_is_no_file() -> None:
    for place in ("/no/such/file", __file__ + "/below"):
        with pytest.raises(PathError, match=r"The model file .* does not exist"):
            sf.load(place)
    with pytest.raises(PathError, match="a folder"):
        sf.load(Path(__file__).parent)
    with pytest.raises(ModelFileError):
        sf.load(__file__)
    with pytest.raises(TypeError, match="'path'"):
        sf.load(3)  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "pipe" in refused(tmp_path / "pipe")


@pytest.mark.thorough
def test_thousands_of_damaged_and_forged_files() -> None:
    """In a process of its own: a crash would be its end, and memory is scarce there."""
    run = [sys.executable, str(TESTS / "store" / "fuzz.py"), str(random.randrange(2**32)), "2000"]
    done = subprocess.run(run, capture_output=True, text=True, check=False, timeout=120, env=with_tests())
    assert done.returncode == 0, f"{run}\n{done.stderr[-2000:]}"
    assert json.loads(done.stdout)["refused"] > 1000


LOOP = """
import sys
import numpy as np
import suffice as sf
models = [sf.MultinomialNB().fit(np.full((2, 20000), n), ["a", "b"]) for n in (1, 2)]
sf.save(models[0], sys.argv[1])
print("there", flush=True)
while True:
    for model in models:
        sf.save(model, sys.argv[1])
"""


def with_tests() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(TESTS)}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no kill -9")
@pytest.mark.thorough
def test_a_crash_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    place, seen = tmp_path / "model.suffice", set()
    for seed in range(4):
        with subprocess.Popen([sys.executable, "-c", LOOP, str(place)], stdout=subprocess.PIPE) as loop:
            assert loop.stdout
            loop.stdout.readline()
            time.sleep(random.Random(seed).uniform(0, 0.1))
            loop.send_signal(signal.SIGKILL)
        model = sf.load(place, verify=True)
        seen.add(float(model.feature_count_[0, 0]))
        model.partial_fit(np.ones((2, 20000)), ["a", "b"])
    assert seen <= {1.0, 2.0}


def test_a_failure_leaves_the_old_file_and_no_other(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def fails(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("suffice.store.file_io.os.fsync", fails)
    with pytest.raises(OSError, match="no space"):
        sf.save(sf.BernoulliNB().fit([[0], [1]], [0, 1]), path)
    assert path.read_bytes() == before
    assert [place.name for place in path.parent.iterdir()] == [path.name]


def test_large_files_are_checked_before_they_are_built_upon(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_io, "MAPPED", 8)
    good = sf.load(path)
    raw = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(raw[:8], "little")
    raw[start : start + 8] = np.float64(3.0).tobytes()  # a count that could be
    path.unlink()  # the good one has the old file open
    path.write_bytes(bytes(raw))
    X, y = [[0, 1]], ["a"]
    changes: list[Callable[[Any], Any]] = [
        lambda m: m.partial_fit(X, y),
        lambda m: m.forget(X, y),
        lambda m: m.merge(good),
        lambda m: good + m,
        lambda m: good - m,
        lambda m: m.decay(0.5),
        lambda m: m.refresh(X, y),
        lambda m: sf.merge([good, m]),
        lambda m: sf.save(m, path.with_name("copy")),
        lambda m: sf.store.to_bytes(m),
    ]
    for change in changes:
        with pytest.raises(ModelFileError, match="damaged"):
            change(sf.load(path))
    assert len(sf.load(path).predict(X)) == 1
    with pytest.raises(ModelFileError, match="damaged"):
        sf.load(path, verify=True)
    assert good.partial_fit(X, y).class_count_.tolist() == [3.0, 1.0]


def test_permissions_and_links_stay(path: Path, tmp_path: Path) -> None:
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)
    sf.save(sf.BernoulliNB().fit([[0], [1]], [0, 1]), link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert sf.load(path).classes_.tolist() == [0, 1]


def test_the_version_that_is_written_is_the_one_that_is_read(path: Path) -> None:
    assert describe(path).format_version == VERSION


def test_a_header_that_is_no_object_is_refused(path: Path) -> None:
    for header in (b"[1]", b'{"a":1,"a":2}', b'{"a":NaN}'):
        path.write_bytes(len(header).to_bytes(8, "little") + header)
        assert "header" in refused(path)


class SizeSaid:
    """A size that stays what it was, whatever is set."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __get__(self, *_: object) -> int:
        return self.size

    def __set__(self, *_: object) -> None: ...


def test_a_file_that_shrinks_while_it_is_read_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    for kept, words in ((20, "bytes of header"), (8 + length + 1, "bytes of data")):
        path.write_bytes(raw)
        size = os.stat(path).st_size
        with open(path, "r+b") as file:
            file.truncate(kept)
        monkeypatch.setattr(file_io.File, "size", SizeSaid(size), raising=False)
        assert words in refused(path)
        monkeypatch.undo()
