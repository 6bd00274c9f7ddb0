"""What verbs write: beside the target and renamed, never over what is read, and in formats that others can read."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import suffice as sf
from cli.test_cli import here, mails, run, write
from suffice.cli.outputs import as_json

__all__ = ["here"]

COMMAND = [sys.executable, "-m", "suffice.cli"]


def table_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


# --- never over what is read


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (["fit", "mail.csv"], "mail.csv"),
        (["predict", "mail.suffice", "new.csv"], "new.csv"),
        (["predict", "mail.suffice", "new.csv"], "mail.suffice"),
        (["update", "mail.suffice", "more.csv"], "more.csv"),
        (["forget", "mail.suffice", "withdrawn.csv"], "withdrawn.csv"),
        (["refresh", "mail.suffice", "mail.csv"], "mail.csv"),
        (["merge", "old.suffice", "new.suffice"], "new.suffice"),
        (["report", "mail.suffice", "test.csv"], "test.csv"),
        (["report", "mail.suffice", "test.csv"], "mail.suffice"),
    ],
)
@pytest.mark.parametrize(
    "how", ["name", *(pytest.param(way, marks=pytest.mark.thorough) for way in ("link", "hard link", "another way"))]
)
def test_an_output_that_is_read_is_refused(
    words: list[str],
    target: str,
    how: str,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    output = {"name": target, "another way": f"../{here.name}/./{target}"}.get(how, "other")
    if how == "link":
        (here / "other").symlink_to(here / target)
    if how == "hard link":
        os.link(here / target, here / "other")
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    assert run(monkeypatch, *words, "-o", output) == 2
    assert "must not name a file that is read" in capfd.readouterr().err
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before


@pytest.mark.thorough
def test_texts_of_a_folder_and_standard_input_are_read_too(here: Path) -> None:
    for label in ("spam", "ham"):
        (here / "texts" / label).mkdir(parents=True)
        (here / "texts" / label / "1.txt").write_text("cheap pills")
    for words, data in (
        (["fit", "texts", "-o", "texts/ham/model.suffice"], None),
        (["predict", "mail.suffice", "-", "-o", "new.csv"], here / "new.csv"),
    ):
        with (data or Path(os.devnull)).open() as stdin:
            done = subprocess.run(
                [*COMMAND, *words], cwd=here, stdin=stdin, capture_output=True, text=True, check=False
            )
        assert (done.returncode, "must not name a file that is read" in done.stderr) == (2, True)
    assert (here / "new.csv").read_text().startswith("text")


def test_the_model_itself_is_what_update_writes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "update", "mail.suffice", "more.csv", "-o", "mail.suffice") == 0
    assert sf.load(here / "mail.suffice").class_count_.sum() == 240


@pytest.mark.parametrize(
    "words",
    [
        ["predict", "nowhere.suffice", "new.csv"],
        ["predict", "mail.suffice", "nowhere.csv"],
        ["predict", "mail.suffice", "bad.csv"],
        ["fit", "bad.csv"],
        ["report", "mail.suffice", "bad.csv"],
        ["update", "mail.suffice", "bad.csv"],
    ],
)
def test_what_goes_wrong_leaves_the_output_as_it_was(
    words: list[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (f"{text},{label}" for text, label in mails(0, 100))
    (here / "bad.csv").write_text("\n".join(["text,label", *rows, "one,two,three"]))
    (here / "out").write_text("yesterday")
    assert run(monkeypatch, *words, "-o", "out") in (2, 3)
    assert (here / "out").read_text() == "yesterday"
    assert not list(here.glob(".*"))


def test_an_output_that_a_pattern_names_is_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    write(here / "part1.csv", mails(0, 20))
    before = (here / "part1.csv").read_bytes()
    assert run(monkeypatch, "fit", "part*.csv", "-o", "part1.csv") == 2
    assert "must not name a file that is read" in capfd.readouterr().err
    assert (here / "part1.csv").read_bytes() == before
    assert run(monkeypatch, "fit", "part*.csv", "-o", "parts.suffice") == 0


def test_a_folder_that_is_not_there_is_noticed_before_the_work(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sf, "fit_files", None)
    assert run(monkeypatch, "fit", "mail.csv", "-o", "nowhere/m.suffice") == 3
    assert "no such folder" in capfd.readouterr().err


def test_devices_are_written_to_and_stay_devices(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(here / "pipe")
    reader = os.open(here / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert run(monkeypatch, "predict", "mail.suffice", "new.csv", "-o", "pipe") == 0
    assert os.read(reader, 100).startswith(b"text,prediction")
    os.close(reader)
    assert (here / "pipe").is_fifo()


# --- standard output


@pytest.mark.thorough
def test_who_stops_listening_is_not_complained_to(here: Path) -> None:
    write(here / "big.csv", mails(0, 200) * 100)
    for words in (["predict", "mail.suffice", "big.csv"], ["predict", "mail.suffice", "big.csv", "--json"], ["--help"]):
        process = subprocess.Popen([*COMMAND, *words], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stderr is not None
        if words[0] == "predict":
            process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait() == 141


def test_the_version(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "--version") == 0
    assert capfd.readouterr().out == f"suffice {sf.__version__}\n"


def test_json_has_no_infinity() -> None:
    values = {"a": float("inf"), "b": [np.float64("-inf"), float("nan"), 1], "c": (np.int64(3), None), 4: b"x"}
    assert json.loads(as_json(values), parse_constant=pytest.fail) == {
        "a": None,
        "b": [None, None, 1],
        "c": [3, None],
        "4": "x",
    }


def test_verbs_write_no_infinity(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A class that all words speak against, without a pseudo-count: its log loss is infinite."""
    write(here / "wrong.csv", [("aa bb", "spam"), ("aa bb", "ham")])
    sure = sf.TextClassifier(alpha=0).fit(["aa bb", "cc dd"] * 4, ["ham", "spam"] * 4)
    sf.save(sure, here / "sure.suffice")
    for words in (
        ["compare", "sure.suffice", "--data", "wrong.csv"],
        ["evaluate", "sure.suffice", "wrong.csv"],
        ["explain", "sure.suffice", "aa bb"],
        ["predict", "sure.suffice", "wrong.csv"],
    ):
        assert run(monkeypatch, *words, "--json") == 0
        for line in capfd.readouterr().out.splitlines():
            json.loads(line, parse_constant=pytest.fail)


# --- predictions


def answers(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *words: str) -> list[dict[str, str]]:
    assert run(monkeypatch, "predict", *words) == 0
    return table_of(capfd.readouterr().out)


def test_predictions_keep_the_columns(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = 'id,text,note\n7,"cheap ""pills"", now","two\nlines"\n8,lunch,\n'
    (here / "x.csv").write_text(text)
    got = answers(monkeypatch, capfd, "mail.suffice", "x.csv")
    assert [{name: row[name] for name in ("id", "text", "note")} for row in got] == table_of(text)
    assert list(got[0])[3:] == ["prediction", "probability", "p_ham", "p_spam"]
    only = answers(monkeypatch, capfd, "mail.suffice", "x.csv", "--only-prediction")
    assert only == [{name: row[name] for name in list(row)[3:]} for row in got]


def test_columns_of_the_same_name_are_both_kept(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "predict", "mail.suffice", "new.csv", "-o", "once.csv") == 0
    assert run(monkeypatch, "predict", "mail.suffice", "once.csv", "-o", "twice.csv") == 0
    once, twice, thrice = (here / "once.csv"), here / "twice.csv", here / "thrice.csv"
    assert run(monkeypatch, "predict", "mail.suffice", "twice.csv", "-o", str(thrice)) == 0
    added = ["prediction", "probability", "p_ham", "p_spam"]
    rows = table_of(thrice.read_text())
    assert list(rows[0]) == ["text", *added, *(f"{name}_2" for name in added), *(f"{name}_3" for name in added)]
    assert all(row["p_ham"] == row["p_ham_2"] == row["p_ham_3"] for row in rows)
    assert len(rows) == len(table_of(once.read_text())) == len(table_of(twice.read_text())) == 20


def test_a_file_without_rows_gives_a_header(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (here / "none.csv").write_text("id,text\n")
    pq.write_table(pa.table({"id": pa.array([], pa.int64()), "text": pa.array([], pa.string())}), here / "none.parquet")
    for name in ("none.csv", "none.parquet"):
        assert run(monkeypatch, "predict", "mail.suffice", name) == 0
        assert capfd.readouterr().out == "id,text,prediction,probability,p_ham,p_spam\n"
    assert run(monkeypatch, "predict", "mail.suffice", "none.csv", "--only-prediction") == 0
    assert capfd.readouterr().out == "prediction,probability,p_ham,p_spam\n"
    assert run(monkeypatch, "predict", "mail.suffice", "none.csv", "--json") == 0
    assert capfd.readouterr().out == ""


def test_columns_that_come_later_are_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (here / "a.jsonl").write_text('{"text": "lunch", "id": 1}\n')
    (here / "b.jsonl").write_text('{"text": "pills", "more": [{"x": null}, {"x": 1.5}]}\n')
    (here / "c.jsonl").write_text('{"text": "pills"}\n')
    rows = answers(monkeypatch, capfd, "mail.suffice", "a.jsonl", "c.jsonl")
    assert [row["id"] for row in rows] == ["1", ""]
    assert run(monkeypatch, "predict", "mail.suffice", "a.jsonl", "b.jsonl") == 2
    assert "--only-prediction" in capfd.readouterr().err
    assert json.loads(answers(monkeypatch, capfd, "mail.suffice", "b.jsonl")[0]["more"]) == [{"x": None}, {"x": 1.5}]


def test_answers_are_in_the_format_of_their_name(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("suffice.tables.row_files.BLOCK", 200)
    (here / "x.csv").write_text("id,text,size\n" + "".join(f"{k},cheap pills {k},{k / 4}\n" for k in range(60)))
    assert run(monkeypatch, "predict", "mail.suffice", "x.csv", "--json") == 0
    expected = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    for name in ("a.parquet", "a.PQ"):
        assert run(monkeypatch, "predict", "mail.suffice", "x.csv", "-o", name) == 0
        assert pq.read_table(here / name).to_pylist() == expected
    for name, more in {"a.jsonl": [], "a.ndjson": ["--json"], "a": ["--json"]}.items():
        assert run(monkeypatch, "predict", "mail.suffice", "x.csv", "-o", name, *more) == 0
        assert [json.loads(line) for line in (here / name).read_text().splitlines()] == expected
    for name in ("a.csv", "b"):
        assert run(monkeypatch, "predict", "mail.suffice", "x.csv", "-o", name) == 0
        assert [row["prediction"] for row in table_of((here / name).read_text())] == [r["prediction"] for r in expected]
    capfd.readouterr()
    for words in (["a.xlsx"], ["a.tsv"], ["a.csv.gz"], ["a.arrow"], ["a.csv", "--json"], ["a.parquet", "--json"]):
        (here / words[0]).write_text("yesterday")
        assert run(monkeypatch, "predict", "mail.suffice", "x.csv", "-o", *words) == 2
        assert re.search("must name a file that ends in|'--json' needs an output", capfd.readouterr().err)
        assert (here / words[0]).read_text() == "yesterday"


def test_answers_in_parquet_are_of_one_type(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (here / "a.jsonl").write_text('{"text": "lunch", "id": 1}\n')
    (here / "b.jsonl").write_text('{"text": "pills", "id": "x"}\n')
    (here / "c.jsonl").write_text('{"text": "pills"}\n')
    (here / "d.jsonl").write_text('{"text": "pills", "more": 1}\n')
    (here / "none.csv").write_text("id,text\n")
    predict = ["predict", "mail.suffice", "-o", "out.parquet"]
    assert run(monkeypatch, *predict, "a.jsonl", "c.jsonl") == 0
    assert pq.read_table(here / "out.parquet")["id"].to_pylist() == [1, None]
    assert run(monkeypatch, *predict, "a.jsonl", "b.jsonl") == 2
    assert "'id' is int64 in the first rows and string in later ones" in capfd.readouterr().err
    assert run(monkeypatch, *predict, "a.jsonl", "d.jsonl") == 2
    assert "'more' is not in the first rows" in capfd.readouterr().err
    assert pq.read_table(here / "out.parquet").num_rows == 2
    assert run(monkeypatch, *predict, "none.csv") == 0
    assert pq.read_table(here / "out.parquet").column_names[:3] == ["id", "text", "prediction"]


RISKY = ["=cmd|' /C calc'!A0", "+A1", "-A1", "@SUM(A1)", "\tx", "\rx"]
PLAIN = ["ham", "-1", "+1.5e3", "a=b", "'x"]


def test_formulas_in_class_names_are_escaped(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    classes = RISKY + PLAIN
    texts = [f"word{k}" for k in range(len(classes))]
    sf.save(sf.TextClassifier().fit(texts * 3, classes * 3), here / "risky.suffice")
    write(here / "words.csv", [(text, "") for text in texts], label=False)
    found = [row["prediction"] for row in answers(monkeypatch, capfd, "risky.suffice", "words.csv")]
    assert found == [*("'" + name for name in RISKY), *PLAIN]
    raw = [row["prediction"] for row in answers(monkeypatch, capfd, "risky.suffice", "words.csv", "--no-escape")]
    assert raw == classes
    assert run(monkeypatch, "predict", "risky.suffice", "words.csv", "--json") == 0
    lines: list[Any] = [json.loads(line) for line in capfd.readouterr().out.split("\n") if line]
    assert [line["prediction"] for line in lines] == classes


# --- texts


def test_a_long_text_is_explained(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for text in ("cheap pills " * 40, "x" * 5000):
        assert run(monkeypatch, "explain", "mail.suffice", text) == 0
        assert "rather than" in capfd.readouterr().out


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b"cheap pills, win a prize\n", ["cheap pills, win a prize"]),
        (b"cheap pills\r\n\r\nlunch at noon", ["cheap pills", "", "lunch at noon"]),
        (b"text\ncheap pills\n", ["cheap pills"]),
        (b"id,text\n7,cheap pills\n", ["cheap pills"]),
        (b"text\n", []),
        ('caf\u00e9 \u8a9e "prize"\n'.encode(), ['caf\u00e9 \u8a9e "prize"']),
    ],
)
def test_lines_of_standard_input_are_texts(data: bytes, texts: list[str], here: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "predict", "mail.suffice", "-"], input=data, cwd=here, capture_output=True, check=True
    )
    rows = table_of(done.stdout.decode())
    model = sf.load(here / "mail.suffice")
    assert [(row["text"], row["prediction"]) for row in rows] == [(text, model.predict([text])[0]) for text in texts]
    assert (b"so each of its lines is read as a text" in done.stderr) == (not data.startswith((b"text", b"id,")))
    assert done.stdout.startswith((b"text,prediction", b"id,text,prediction"))


@pytest.mark.thorough
def test_standard_input_can_be_explained(here: Path) -> None:
    words = [*COMMAND, "explain", "mail.suffice", "-"]
    done = subprocess.run(words, input=b"cheap pills\n", cwd=here, capture_output=True, check=True)
    assert done.stdout.startswith(b"spam rather than ham")
