"""What a process that was killed leaves beside a model file: the next save removes it, and nothing else."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import suffice as sf
from suffice.store import file_io

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no kill -9")

SAVING = """
import os, sys
from pathlib import Path
from suffice.store.file_io import replacing
with replacing(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
    file.write(b" and half")
"""


MANY = """
import os, sys
from pathlib import Path
from suffice.store.file_io import replacing
for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 200):
    with replacing(Path(sys.argv[1])) as file:
        file.write(b"%d" % os.getpid())
"""


def saver(path: Path) -> "subprocess.Popen[str]":
    """Return a process in the middle of a save."""
    process = subprocess.Popen(
        [sys.executable, "-c", SAVING, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    process.stdout.close()
    return process


def begun(folder: Path) -> list[Path]:
    return sorted(folder.glob(".*.tmp"))


def save(path: Path) -> None:
    sf.save(sf.BernoulliNB().fit([[0], [1]], [0, 1]), path)


@pytest.mark.thorough
def test_the_next_save_removes_what_a_kill_left(tmp_path: Path) -> None:
    path = tmp_path / "model.suffice"
    dead, alive = saver(path), saver(path)
    dead.send_signal(signal.SIGKILL)
    dead.communicate()
    assert len(begun(tmp_path)) == 2
    save(path)
    assert len(begun(tmp_path)) == 1  # that of the one that lives
    assert alive.stdin is not None
    alive.stdin.close()
    assert alive.wait() == 0
    assert path.read_bytes() == b"half and half"
    assert begun(tmp_path) == []


def test_other_files_stay(tmp_path: Path) -> None:
    path, token = tmp_path / "model.suffice", "0123456789abcdef"
    others = [f".other.suffice.{token}.tmp", f".model.suffice.x.{token}.tmp", ".model.suffice.tmp", f"m.{token}.tmp"]
    for name in [*others, f".model.suffice.{token}.tmp"]:
        (tmp_path / name).write_text("mine")
    save(path)
    assert {file.name for file in tmp_path.iterdir()} == {path.name, *others}


def test_a_file_that_is_cleaned_away_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, lock = tmp_path / "model.suffice", file_io._locked
    done: list[bool] = []

    def late(file: object) -> bool | None:
        if not done:
            done.append(True)
            begun(tmp_path)[0].unlink()
        return lock(file)

    monkeypatch.setattr(file_io, "_locked", late)
    save(path)
    assert sf.load(path).classes_.tolist() == [0, 1]
    assert begun(tmp_path) == []


def test_where_there_are_no_locks_files_are_written_and_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError("no locks")

    path, left = tmp_path / "model.suffice", tmp_path / ".model.suffice.0123456789abcdef.tmp"
    left.write_text("whose?")
    monkeypatch.setattr(file_io.fcntl, "flock", unsupported)
    save(path)
    assert left.exists()
    assert sf.load(path).classes_.tolist() == [0, 1]
    monkeypatch.setattr(file_io, "fcntl", None)  # Windows: what is open cannot be removed, and this is not open
    save(path)
    assert begun(tmp_path) == [left]  # it may be new, and about to replace the file
    os.utime(left, (0, 0))
    save(path)
    assert begun(tmp_path) == []


@pytest.mark.thorough
def test_processes_that_save_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Each replaces the file, and none takes the others' unfinished files for leftovers."""
    path = tmp_path / "model.suffice"
    savers = [subprocess.Popen([sys.executable, "-c", MANY, str(path)], stderr=subprocess.PIPE) for _ in range(3)]
    told = [one.communicate()[1].decode() for one in savers]
    assert [one.returncode for one in savers] == [0] * 3, told
    assert path.read_bytes() in {b"%d" % one.pid for one in savers}
    assert begun(tmp_path) == []


def test_an_unfinished_file_is_not_cleaned_away_before_it_replaces_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, replace = tmp_path / "model.suffice", os.replace

    def late(beside: Path, target: Path) -> None:
        monkeypatch.setattr(os, "replace", replace)
        subprocess.run([sys.executable, "-c", MANY, str(path), "1"], check=True)  # another process cleans and saves
        replace(beside, target)

    monkeypatch.setattr(os, "replace", late)
    save(path)
    assert sf.load(path).classes_.tolist() == [0, 1]  # the last one wins


def test_names_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    for name in ("m" * 255, "é" * 127, "語" * 85):
        save(tmp_path / name)
        assert sf.load(tmp_path / name).classes_.tolist() == [0, 1]
    assert begun(tmp_path) == []


def test_a_device_is_written_to_and_stays_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    save(tmp_path / "pipe")
    assert len(os.read(reader, 10**6)) > 100
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()
