"""Ctrl-C, SIGTERM and SIGHUP, real ones, at many moments: exit 128 + number and all as it was, or done and complete."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import suffice as sf
from cli.test_cli import VERBS, mails, run, write
from suffice.cli import interrupts, outputs
from suffice.store import file_io

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="handlers are looked up in /proc")

INTERRUPTED = "suffice: interrupted; nothing was changed\n"
WORDS = {
    "fit": ["mail.csv", "-o", "out"],
    "predict": ["m.suffice", "mail.csv", "-o", "out"],
    "evaluate": ["mail.csv", "--method", "folds"],
    "explain": ["m.suffice", "mail.csv", "--row", "20000"],
    "inspect": ["m.suffice"],
    "update": ["m.suffice", "mail.csv", "-o", "out"],
    "forget": ["m.suffice", "some.csv", "-o", "out"],
    "refresh": ["m.suffice", "mail.csv", "-o", "out"],
    "merge": ["m.suffice", "m.suffice", "-o", "out"],
    "compare": ["m.suffice", "m.suffice", "--data", "mail.csv"],
    "report": ["m.suffice", "mail.csv", "-o", "out"],
    "demo": ["-o", "out"],
}
WRITING = [verb for verb in VERBS if "out" in WORDS[verb]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with rows, a model, and an output of yesterday."""
    monkeypatch.chdir(tmp_path)
    return laid_out(tmp_path, 1)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Return the folder with more rows."""
    return laid_out(tmp_path, 100)


def laid_out(folder: Path, times: int) -> Path:
    write(folder / "mail.csv", mails(0, 200) * times)
    write(folder / "some.csv", mails(0, 100) * times)
    sf.save(sf.fit_files(sf.TextClassifier(effort="fast"), folder / "mail.csv"), folder / "m.suffice")
    (folder / "out").write_text("yesterday")
    return folder


def stop_at(here: Path, number: int, delay: float, *words: str) -> tuple[int, str]:
    """Start a command, wait until it would notice a signal and then a while, and send one."""
    process = subprocess.Popen(
        [sys.executable, "-m", "suffice.cli", *words],
        cwd=here,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # jobs in the background ignore it
    )
    while process.poll() is None and not _catches(process.pid, signal.SIGTERM):
        time.sleep(0.005)
    time.sleep(delay)
    process.send_signal(number)
    said = process.communicate(timeout=120)[1]
    return process.returncode, said


def _catches(pid: int, number: int) -> bool:
    found = re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text())
    return found is not None and bool(int(found[1], 16) >> (number - 1) & 1)


def check(here: Path, verb: str, before: dict[str, bytes], code: int, said: str, number: int) -> None:
    now = {path.name: path.read_bytes() for path in here.iterdir()}
    if code == 0:  # it was faster
        assert verb not in WRITING or now.pop("out") != before.pop("out")
    else:
        assert (code, said) == (128 + number, INTERRUPTED)
    assert now == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("verb", [pytest.param(v, marks=[] if v == "predict" else pytest.mark.thorough) for v in VERBS])
def test_a_signal_ends_every_verb_at_once_and_changes_nothing(verb: str, number: int, many: Path) -> None:
    before = {path.name: path.read_bytes() for path in many.iterdir()}
    code, said = stop_at(many, number, 0.0, verb, *WORDS[verb])
    assert code == 128 + number
    check(many, verb, before, code, said, number)


@pytest.mark.thorough
@pytest.mark.parametrize("delay", [0.3, 0.8, 1.3])
@pytest.mark.parametrize("verb", VERBS)
def test_whenever_a_signal_comes_all_is_as_it_was_or_complete(verb: str, delay: float, many: Path) -> None:
    before = {path.name: path.read_bytes() for path in many.iterdir()}
    check(many, verb, before, *stop_at(many, signal.SIGINT, delay, verb, *WORDS[verb]), signal.SIGINT)


def at_once(number: int) -> None:
    os.kill(os.getpid(), number)


def outcome_of(verb: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = run(monkeypatch, verb, *WORDS[verb])
    lines = capfd.readouterr().err.splitlines(keepends=True)
    return code, "".join(line for line in lines if not line.startswith("suffice: read "))


SHORT = [verb for verb in WRITING if verb not in ("demo", "report")]


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, *(pytest.param(one, marks=pytest.mark.thorough) for one in (signal.SIGTERM, signal.SIGHUP))],
)
@pytest.mark.parametrize("verb", SHORT)
def test_a_signal_while_the_output_is_written(
    verb: str, number: int, here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def late() -> None:
        assert len(list(here.glob(".out.*.tmp"))) == 1
        at_once(number)
        commit()

    commit = interrupts.commit
    monkeypatch.setattr(outputs, "commit", late)
    assert outcome_of(verb, monkeypatch, capfd) == (128 + number, INTERRUPTED)
    assert (here / "out").read_text() == "yesterday"
    assert not list(here.glob(".*"))


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("verb", SHORT)
def test_a_signal_when_the_output_takes_its_place_is_too_late(
    verb: str, after: bool, here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    replace = os.replace

    def put(beside: Any, target: Any) -> None:
        for number in [] if after else [signal.SIGINT, signal.SIGTERM]:
            at_once(number)
        replace(beside, target)
        if target.name == "out" and after:
            at_once(signal.SIGTERM)

    monkeypatch.setattr(
        file_io, "os", _Instead(os, replace=lambda a, b: put(a, b) if b.name == "out" else replace(a, b))
    )
    assert outcome_of(verb, monkeypatch, capfd) == (0, "")
    assert (here / "out").read_bytes() != b"yesterday"


def test_a_signal_while_python_is_torn_down_is_too_late(here: Path) -> None:
    late = """
import os, signal, sys
class Late:
    def __del__(self, kill=os.kill, pid=os.getpid(), numbers=(signal.SIGINT, signal.SIGTERM)):
        for number in numbers:
            kill(pid, number)
late = Late()
from suffice.cli.main import main
sys.argv = ["suffice", "inspect", "m.suffice"]
main()
"""
    done = subprocess.run([sys.executable, "-c", late], cwd=here, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


class _Instead:
    """A module with some names of another."""

    def __init__(self, module: Any, **names: Any) -> None:
        self._module, self._names = module, names

    def __getattr__(self, name: str) -> Any:
        return self._names[name] if name in self._names else getattr(self._module, name)


def test_a_signal_whose_exception_was_lost_still_ends(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def lost() -> None:
        with suppress(KeyboardInterrupt):
            at_once(signal.SIGINT)
        commit()

    commit = interrupts.commit
    monkeypatch.setattr(outputs, "commit", lost)
    assert outcome_of("predict", monkeypatch, capfd) == (130, INTERRUPTED)
    assert (here / "out").read_text() == "yesterday"


def test_signals_that_are_ignored_stay_ignored(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert run(monkeypatch, "inspect", "m.suffice") == 0
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
