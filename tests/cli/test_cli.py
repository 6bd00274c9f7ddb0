"""The command line: every verb, the example in its help, and errors of one line."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import typer

import suffice as sf
from suffice.cli.main import main
from suffice.cli.verbs import app

VERBS = [
    "fit",
    "predict",
    "evaluate",
    "explain",
    "inspect",
    "update",
    "forget",
    "refresh",
    "merge",
    "compare",
    "report",
    "demo",
]


def mails(seed: int, n: int) -> list[tuple[str, str]]:
    rng = np.random.default_rng(seed)
    words = {"spam": ["cheap", "pills", "prize", "win"], "ham": ["lunch", "noon", "meeting", "report"]}
    rows = []
    for _ in range(n):
        label = str(rng.choice(["spam", "ham"]))
        other = words[label] + ["the", "at", "you"]
        rows.append((" ".join(rng.choice(other, 6)), label))
    return rows


def write(path: Path, rows: list[tuple[str, str]], label: bool = True) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label"] if label else ["text"])
        writer.writerows(rows if label else [row[:1] for row in rows])
    return path


@cache
def model_of_mails() -> bytes:
    """Return the model file that all examples begin with."""
    with TemporaryDirectory() as folder:
        write(Path(folder) / "mail.csv", mails(0, 120))
        return sf.store.to_bytes(sf.fit_files(sf.TextClassifier(), Path(folder) / "mail.csv"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with what the examples need."""
    monkeypatch.chdir(tmp_path)
    for name, seed in {"mail": 0, "more": 1, "test": 2}.items():
        write(tmp_path / f"{name}.csv", mails(seed, 120))
    write(tmp_path / "withdrawn.csv", mails(0, 120)[:10])
    write(tmp_path / "new.csv", mails(3, 20), label=False)
    for name in ("mail", "old", "new", "monday", "tuesday"):
        (tmp_path / f"{name}.suffice").write_bytes(model_of_mails())
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["suffice", *words])
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_each_verb_is_there() -> None:
    assert [command.callback.__name__ for command in app.registered_commands if command.callback] == VERBS


@pytest.mark.parametrize("verb", [pytest.param(v, marks=pytest.mark.thorough if v == "demo" else []) for v in VERBS])
def test_the_example_of_its_help_runs(
    verb: str, here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    callback: Any = next(c.callback for c in app.registered_commands if c.callback and c.callback.__name__ == verb)
    example = re.search(r"Example: suffice (.*)", callback.__doc__)
    assert example is not None
    words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', example.group(1))]
    assert run(monkeypatch, *words) == 0
    printed = capfd.readouterr()
    assert all(line.startswith("suffice: read ") for line in printed.err.splitlines())
    assert printed.out or (here / "answers.csv").exists()
    assert run(monkeypatch, verb, "--help") == 0
    assert capfd.readouterr().out.count("Example: suffice ") == 1


def test_from_a_file_to_an_answer(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "fit", "mail.csv", "-o", "m.suffice", "--json") == 0
    printed = json.loads(capfd.readouterr().out)
    assert printed["kind"] == "TextClassifier"
    assert printed["rows"] == 120
    assert run(monkeypatch, "predict", "m.suffice", "new.csv", "-o", "answers.csv") == 0
    with (here / "answers.csv").open() as file:
        answers = [row["prediction"] for row in csv.DictReader(file)]
    texts = [text for text, _ in mails(3, 20)]
    assert answers == sf.load(here / "m.suffice").predict(texts).tolist()
    assert run(monkeypatch, "predict", "m.suffice", "new.csv", "--json") == 0
    lines = capfd.readouterr().out.splitlines()
    assert [json.loads(line)["prediction"] for line in lines] == answers
    for method in ("holdout", "folds", "loo"):
        assert run(monkeypatch, "evaluate", "mail.csv", "--method", method, "--json") == 0
        assert json.loads(capfd.readouterr().out)["accuracy"] > 0.9
    assert run(monkeypatch, "explain", "m.suffice", "new.csv", "--row", "3", "--json") == 0
    assert json.loads(capfd.readouterr().out)["target"] in ("ham", "spam")
    assert run(monkeypatch, "inspect", "m.suffice", "--json") == 0
    assert json.loads(capfd.readouterr().out)["estimator"] == "TextClassifier"


def test_what_is_learned_and_forgotten_is_as_if_it_had_never_been(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sf.load(here / "mail.suffice").counts_
    assert run(monkeypatch, "update", "mail.suffice", "more.csv") == 0
    assert sf.load(here / "mail.suffice").class_count_.sum() == 240
    assert run(monkeypatch, "forget", "mail.suffice", "more.csv") == 0
    assert sf.load(here / "mail.suffice").counts_ == before


def test_a_table_gets_its_own_model(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    rows = [f"{rng.normal(k % 2):.3f},{'red' if k % 3 else 'blue'},{'ab'[k % 2]}" for k in range(80)]
    (here / "t.csv").write_text("\n".join(["size,colour,class", *rows]))
    assert run(monkeypatch, "fit", "t.csv", "-o", "t.suffice") == 0
    assert isinstance(sf.load(here / "t.suffice"), sf.NaiveBayes)
    assert run(monkeypatch, "predict", "t.suffice", "t.csv", "-o", "out.csv") == 0
    assert run(monkeypatch, "explain", "t.suffice", "t.csv", "--row", "2") == 0


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["fit", "nowhere.csv"], 3, "does not exist"),
        (["fit", "mail.csv", "--target", "lable"], 2, "Did you mean 'label'"),
        (["fit", "mail.csv", "--kind", "poem"], 2, "--kind"),
        (["fit", "mail.csv", "--effort", "much"], 2, "effort"),
        (["inspect", "mail.csv"], 3, "model file"),
        (["predict", "nowhere.suffice", "new.csv"], 3, "nowhere.suffice"),
        (["evaluate", "mail.csv", "--method", "guess"], 2, "--method"),
        (["explain", "mail.suffice", "new.csv", "--row", "99"], 2, "--row"),
        (["explain", "mail.suffice", "hello", "--target", "eggs"], 2, "eggs"),
        (["forget", "mail.suffice", "test.csv"], 2, "a row that was not learned"),
        (["fly"], 2, "No such command"),
        (["fit"], 2, "Missing argument"),
    ],
)
def test_errors_are_one_line(
    words: list[str],
    code: int,
    says: str,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, *words) == code
    printed = capfd.readouterr().err
    assert printed.count("\n") == 1
    assert printed.startswith("suffice: ")
    assert says in printed
    assert "Traceback" not in printed


def test_bugs_have_a_code_of_their_own(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def broken(**options: Any) -> None:
        raise RuntimeError("oh\nno")

    monkeypatch.setattr("suffice.cli.main.app", broken)
    assert run(monkeypatch, "fit") == 1
    assert capfd.readouterr().err == (
        "suffice: internal error, RuntimeError: oh no. Please report it with the command that you typed.\n"
    )

    def stopped(**options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("suffice.cli.main.app", stopped)
    assert run(monkeypatch, "fit") == 130

    def ended(**options: Any) -> None:
        raise typer.Exit(4)

    monkeypatch.setattr("suffice.cli.main.app", ended)
    assert run(monkeypatch, "fit") == 4


@pytest.mark.thorough
def test_standard_input_and_output(here: Path) -> None:
    command = [sys.executable, "-m", "suffice.cli"]
    data = (here / "mail.csv").read_bytes()
    subprocess.run([*command, "fit", "-", "-o", "m.suffice"], input=data, check=True, cwd=here, capture_output=True)
    done = subprocess.run(
        [*command, "predict", "m.suffice", "-"], input=data, check=True, cwd=here, capture_output=True
    )
    assert done.stdout.count(b"\n") == 121


def test_a_model_on_standard_output_is_all_that_is_there(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for words in (["merge", "old.suffice", "new.suffice"], ["update", "old.suffice", "more.csv", "--json"]):
        assert run(monkeypatch, *words, "-o", "-") == 0
        printed = capfdbinary.readouterr()
        assert sf.store.from_bytes(printed.out).class_count_.sum() == 240
        assert b"240" in printed.err or b'"rows": 120' in printed.err
    assert run(monkeypatch, "report", "mail.suffice", "test.csv", "-o", "-") == 0
    assert capfdbinary.readouterr().out.rstrip().endswith(b"</html>")


def test_nothing_heavy_is_imported_for_help() -> None:
    code = (
        "import sys; sys.argv = ['suffice', '--help']; from suffice.cli.main import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([name for name in ('numpy', 'scipy', 'sklearn', 'pyarrow') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "fit" in done.stdout


@pytest.mark.thorough
def test_a_kill_in_the_middle_of_an_update_loses_nothing(here: Path) -> None:
    """The file is the old one or the new one, whenever the process dies."""
    path = here / "mail.suffice"
    write(here / "big.csv", mails(5, 3000))
    loop = (
        "from suffice.cli.verbs import app\n"
        "print('ready', flush=True)\n"
        "while True: app(['update', 'mail.suffice', 'more.csv'], standalone_mode=False)\n"
    )
    rows = 120
    for delay in (0.0, 0.02, 0.05, 0.1, 0.2):
        process = subprocess.Popen([sys.executable, "-c", loop], cwd=here, stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        now = int(sf.load(path, verify=True).class_count_.sum())
        assert now >= rows
        assert now % 120 == 0
        rows = now
