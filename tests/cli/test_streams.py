"""Standard streams that are closed, that cannot be written, that take only ASCII, or that are read as files."""

import json
import os
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

import suffice as sf
from cli.test_cli import VERBS, here, mails, run, write

__all__ = ["here"]

COMMAND = [sys.executable, "-m", "suffice.cli"]
WORDS = {
    "fit": ["mail.csv", "-o", "out"],
    "predict": ["mail.suffice", "new.csv", "-o", "out"],
    "evaluate": ["mail.csv"],
    "explain": ["mail.suffice", "cheap pills"],
    "inspect": ["mail.suffice"],
    "update": ["mail.suffice", "more.csv", "-o", "out"],
    "forget": ["mail.suffice", "withdrawn.csv", "-o", "out"],
    "refresh": ["mail.suffice", "mail.csv", "-o", "out"],
    "merge": ["old.suffice", "new.suffice", "-o", "out"],
    "compare": ["old.suffice", "new.suffice", "--data", "test.csv"],
    "report": ["mail.suffice", "test.csv", "-o", "out"],
    "demo": ["-o", "out"],
}
SILENT = ("predict",)
"""Verbs that print nothing when they write a file."""
QUICK = ("fit", "predict", "evaluate", "update")
every_verb = pytest.mark.parametrize(
    "verb", [pytest.param(verb, marks=[] if verb in QUICK else pytest.mark.thorough) for verb in VERBS]
)


@every_verb
def test_a_closed_stream_is_no_bug(
    verb: str, here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Python sets a stream to None if its file descriptor is closed."""
    writes = "out" in WORDS[verb]
    for stream in ("stdin", "stdout", "stderr"):
        (here / "out").unlink(missing_ok=True)
        lost = stream == "stdout" and verb not in SILENT
        with monkeypatch.context() as closed:
            closed.setattr(sys, stream, None)
            assert run(monkeypatch, verb, *WORDS[verb]) == (3 if lost else 0)
            getattr(sys, stream).close()
        said = capfd.readouterr().err
        if lost:
            assert "suffice: Standard output cannot be written: bad file descriptor." in said
            assert ("'out' is complete" in said) == writes
            assert ("do not repeat" in said) == (verb in ("update", "forget", "refresh"))
        assert (here / "out").exists() == writes
        assert "internal" not in said


@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        (["fit", "mail.csv", "-o", "out"], ">&-", 3),
        pytest.param(["fit", "mail.csv", "-o", "out"], "<&- 2>&-", 0, marks=pytest.mark.thorough),
        pytest.param(["predict", "mail.suffice", "new.csv"], ">&- 2>&-", 3, marks=pytest.mark.thorough),
        pytest.param(["merge", "old.suffice", "new.suffice", "-o", "-"], ">&-", 3, marks=pytest.mark.thorough),
        pytest.param(["predict", "mail.suffice", "-"], "<&-", 3, marks=pytest.mark.thorough),
        pytest.param(["fit", "nowhere.csv"], "2>&-", 3, marks=pytest.mark.thorough),
        pytest.param(["fit", "mail.csv", "-o", "out"], "2>/dev/full", 0, marks=pytest.mark.thorough),
        pytest.param(["predict", "mail.suffice", "new.csv"], ">/dev/full", 3, marks=pytest.mark.thorough),
        pytest.param(["--help"], ">&-", 3, marks=pytest.mark.thorough),
        pytest.param(["--version"], ">/dev/full", 3, marks=pytest.mark.thorough),
        pytest.param([], ">/dev/full", 3, marks=pytest.mark.thorough),
    ],
)
def test_a_shell_that_closes_streams(words: list[str], closed: str, code: int, here: Path) -> None:
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *COMMAND, *words]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    assert (done.returncode, "internal" in done.stderr) == (code, False), done.stderr
    if words[:1] == ["fit"] and words[1] == "mail.csv":
        assert sf.load(here / "out").class_count_.sum() == 120


@every_verb
def test_names_are_escaped_where_only_ascii_can_be_printed(
    verb: str, here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = [(text, label.replace("a", "ä")) for text, label in mails(0, 60)]
    for name in ("mail", "more", "test", "withdrawn", "new"):
        write(here / f"{name}.csv", rows[:10] if name == "withdrawn" else rows)
    for name in ("mail", "old", "new"):
        sf.save(sf.fit_files(sf.TextClassifier(effort="fast"), here / "mail.csv"), here / f"{name}.suffice")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="ascii", errors="strict")  # type: ignore[union-attr]
    try:
        assert run(monkeypatch, verb, *[word.replace("out", "öut") for word in WORDS[verb]]) == 0
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    printed = capfd.readouterr()
    assert printed.out.isascii()
    if verb in ("evaluate", "inspect"):
        assert "h\\xe4m" in printed.out


@pytest.mark.thorough
@pytest.mark.parametrize(
    "words",
    [
        ["fit", "mail.csv", "-o", "é.suffice"],
        ["predict", "ü.suffice", "new.csv", "-o", "é.csv"],
        ["explain", "ü.suffice", "chéap pills"],
        ["report", "ü.suffice", "test.csv", "-o", "é.html"],
        ["inspect", "ü.suffice"],
        ["--help"],
    ],
)
def test_a_locale_of_ascii(words: list[str], here: Path) -> None:
    (here / "mail.suffice").rename(here / "ü.suffice")
    ascii_only = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    done = subprocess.run([*COMMAND, *words], cwd=here, env=ascii_only, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert "-o" not in words or (here / words[-1]).exists()


# --- streams that are read


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["fit", "-", "-"], 2, "must name each stream once, .* got '-' twice"),
        (["fit", "-"], 3, "suffice: Standard input must start with a line of column names; it is empty"),
        (["predict", "mail.suffice", "-"], 3, "suffice: Standard input must start with a line of column names"),
        (["explain", "mail.suffice", "-"], 3, "suffice: Standard input must start with a line of column names"),
        (["compare", "mail.suffice", "old.suffice", "--data", "-"], 3, "suffice: Standard input must start with"),
    ],
)
def test_standard_input_is_called_so(
    words: list[str],
    code: int,
    says: str,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert run(monkeypatch, *words) == code
    assert re.search(says, capfd.readouterr().err)


def test_standard_input_is_compared_on_by_every_model(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with (here / "test.csv").open() as rows:
        monkeypatch.setattr(sys, "stdin", rows)
        assert run(monkeypatch, "compare", "mail.suffice", "old.suffice", "--data", "-", "--json") == 0
    found = json.loads(capfd.readouterr().out)["models"]
    assert found[0]["log_loss"] == found[1]["log_loss"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_read_once(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process substitution of the shell, <(...), is one."""
    os.mkfifo(here / "pipe")
    for words in (["fit", "pipe", "-o", "out"], ["explain", "out", "pipe", "--row", "120"]):
        writer = threading.Thread(target=lambda: (here / "pipe").write_bytes((here / "mail.csv").read_bytes()))
        writer.start()
        assert run(monkeypatch, *words) == 0
        writer.join(10)
        assert not writer.is_alive()
    assert sf.load(here / "out").class_count_.sum() == 120


@pytest.mark.filterwarnings("default")
def test_lines_of_text_are_called_so(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (here / "lines").write_text("cheap pills\nlunch, at noon\n")
    with (here / "lines").open() as lines:
        monkeypatch.setattr(sys, "stdin", lines)
        assert run(monkeypatch, "predict", "mail.suffice", "-") == 0
    printed = capfd.readouterr()
    assert len(printed.out.splitlines()) == 3
    assert "suffice: read standard input: lines of text; 2 rows" in printed.err
    assert "json" not in printed.err


def test_a_note_is_printed_once(here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def fit(*args: Any) -> None:
        for _ in range(3):
            warnings.warn("Beware.", stacklevel=1)

    monkeypatch.setattr("suffice.cli.verbs.fit", fit)
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            assert run(monkeypatch, "fit", "mail.csv") == 0
        assert capfd.readouterr().err == "suffice: note: Beware.\n"
