"""Forgetting on the command line: no word is left in the file, a journal refuses and signs, views are chosen anew."""

import csv
import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from cli.test_cli import mails, run

SMS = Path(__file__).parents[3] / "shared" / "data" / "sms_spam"
SECRET = ("my password is zanzibarquux thanks", "ham")


def write(path: Path, rows: list[tuple[str, str]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "rows.csv", [*mails(0, 240), SECRET])
    write(tmp_path / "kept.csv", mails(0, 240))
    write(tmp_path / "gone.csv", [SECRET])
    return tmp_path


def found(path: Path) -> bool:
    return b"zanzibarquux" in path.read_bytes()


def test_a_forgotten_word_is_not_in_the_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "fit", "rows.csv", "-o", "m.suffice") == 0
    assert found(here / "m.suffice")
    assert sf.load("m.suffice").feature_powers_.any()
    assert run(monkeypatch, "forget", "m.suffice", "gone.csv", "-o", "left.suffice") == 0
    assert not found(here / "left.suffice")
    assert sf.load("left.suffice").stale_
    assert run(monkeypatch, "forget", "m.suffice", "gone.csv", "--drop-views") == 0
    model, never = sf.load("m.suffice"), sf.fit_files(sf.TextClassifier(), "kept.csv").drop_views()
    assert sf.store.to_bytes(model) == sf.store.to_bytes(never)


@pytest.mark.thorough
@pytest.mark.skipif(not SMS.is_dir(), reason="the SMS collection is not here")
def test_a_forgotten_word_of_the_sms_is_not_in_the_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = sf.datasets.read_sms_spam(SMS)
    write(here / "sms.csv", [*zip(corpus.texts, map(str, corpus.labels), strict=True), SECRET])
    assert run(monkeypatch, "fit", "sms.csv", "-o", "sms.suffice") == 0
    assert found(here / "sms.suffice")
    assert run(monkeypatch, "forget", "sms.suffice", "gone.csv") == 0
    assert not found(here / "sms.suffice")


def test_views_are_chosen_anew(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(monkeypatch, "fit", "rows.csv", "-o", "m.suffice")
    run(monkeypatch, "forget", "m.suffice", "gone.csv")
    assert run(monkeypatch, "refresh", "m.suffice", "kept.csv") == 0
    model, never = sf.load("m.suffice"), sf.fit_files(sf.TextClassifier(), "kept.csv")
    assert not model.stale_
    assert model.temper_ == never.temper_
    texts = [text for text, _ in mails(3, 50)]
    np.testing.assert_allclose(model.predict_proba(texts), never.predict_proba(texts), atol=0.02)


def test_a_journal_refuses_and_signs(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (here / "key").write_text("a long random key\n")
    assert run(monkeypatch, "fit", "kept.csv", "-o", "m.suffice", "--journal-key", "key") == 0
    before = (here / "m.suffice").read_bytes()
    assert b"a long random key" not in before
    assert run(monkeypatch, "inspect", "m.suffice") == 0
    assert "journal of 240 different rows" in capfd.readouterr().out
    assert run(monkeypatch, "forget", "m.suffice", "gone.csv") == 2
    assert "must name the file with the key of this model's journal; got none" in capfd.readouterr().err
    assert run(monkeypatch, "forget", "m.suffice", "gone.csv", "--journal-key", "key") == 2
    assert "Row 1 of the files was not learned with this label" in capfd.readouterr().err
    assert (here / "m.suffice").read_bytes() == before
    assert run(monkeypatch, "update", "m.suffice", "gone.csv", "--journal-key", "key") == 0
    before = (here / "m.suffice").read_bytes()
    forget = ("forget", "m.suffice", "gone.csv", "--journal-key", "key", "--certificate", "c.json")
    assert run(monkeypatch, *forget) == 0
    assert "Wrote the certificate c.json" in capfd.readouterr().out
    written = json.loads((here / "c.json").read_text())
    after = (here / "m.suffice").read_bytes()
    assert written["rows"] == 1
    assert written["before"] == sha256(before).hexdigest()
    assert written["after"] == sha256(after).hexdigest()
    assert run(monkeypatch, *forget) == 2
    assert (here / "m.suffice").read_bytes() == after
    write(here / "one.csv", mails(0, 1))
    assert run(monkeypatch, "forget", "m.suffice", "one.csv", "--journal-key", "key", "--certificate", "c.json") == 3
    assert "exists already" in capfd.readouterr().err
    assert (here / "m.suffice").read_bytes() == after
    assert run(monkeypatch, "forget", "m.suffice", "one.csv", "--journal-key", "key", "--json") == 0
    beside = json.loads(capfd.readouterr().out)["certificate"]
    assert json.loads((here / beside).read_text())["before"] == sha256(after).hexdigest()


def test_rows_learned_before_are_told_and_left_out(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    write(here / "more.csv", [*mails(0, 3), SECRET, SECRET, ("a class of its own", "third")])
    assert run(monkeypatch, "fit", "kept.csv", "-o", "m.suffice", "--journal") == 0
    assert run(monkeypatch, "update", "m.suffice", "more.csv", "-o", "twice.suffice") == 0
    assert "3 of 6 rows had been learned before, and count once more" in capfd.readouterr().err
    assert sf.load("twice.suffice").class_count_.sum() == 246
    assert run(monkeypatch, "update", "m.suffice", "more.csv", "--once") == 0
    told = capfd.readouterr()
    assert "Learned 3 more rows, left out 3 rows learned before" in told.out
    assert "once more" not in told.err
    before = (here / "m.suffice").read_bytes()
    assert run(monkeypatch, "update", "m.suffice", "more.csv", "kept.csv", "--once", "--json") == 0
    found = json.loads(capfd.readouterr().out)
    assert (found["rows"], found["again"]) == (0, 246)
    assert (here / "m.suffice").read_bytes() == before
    assert run(monkeypatch, "forget", "m.suffice", "gone.csv") == 0
    assert "The model still holds 1 equal row" in capfd.readouterr().out


def test_forgetting_with_another_weight_is_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    texts, labels = zip(*mails(0, 20), SECRET, strict=True)
    sf.save(sf.TextClassifier().fit(texts, labels, sample_weight=np.full(21, 2.5), journal=True), "m.suffice")
    before = (here / "m.suffice").read_bytes()
    for verb in ("forget", "refresh"):
        assert run(monkeypatch, verb, "m.suffice", "gone.csv") == 2
        assert "Row 1 of the files was learned with the weight 2.5; got 1. The model file" in capfd.readouterr().err
    assert (here / "m.suffice").read_bytes() == before


def test_what_a_journal_refuses(here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    run(monkeypatch, "fit", "kept.csv", "-o", "m.suffice")
    before = (here / "m.suffice").read_bytes()
    (here / "empty").write_text("\n")
    for words, code, why in (
        (("forget", "m.suffice", "kept.csv", "--certificate", "c.json"), 2, "a model with a journal"),
        (("update", "m.suffice", "kept.csv", "--once"), 2, "'--once' needs a model with a journal"),
        (("update", "m.suffice", "kept.csv", "--journal"), 2, "has learned rows without a journal"),
        (("update", "m.suffice", "kept.csv", "--journal-key", "empty"), 2, "must hold a key"),
        (("update", "m.suffice", "kept.csv", "--journal-key", "nowhere"), 3, "nowhere"),
        (("forget", "m.suffice", "kept.csv"), 2, "Delete the model file 'm.suffice' instead"),
    ):
        assert run(monkeypatch, *words) == code
        assert why in capfd.readouterr().err
        assert (here / "m.suffice").read_bytes() == before
    assert not (here / "c.json").exists()


def test_hyperparameters_are_dropped_without_files(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "fit", "rows.csv", "-o", "m.suffice") == 0
    assert run(monkeypatch, "forget", "m.suffice", "gone.csv") == 0
    assert run(monkeypatch, "forget", "m.suffice", "--drop-views") == 0
    never = sf.fit_files(sf.TextClassifier(), "kept.csv").drop_views()
    assert sf.store.to_bytes(sf.load("m.suffice")) == sf.store.to_bytes(never)


def test_forgetting_nothing_is_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "fit", "rows.csv", "-o", "m.suffice") == 0
    assert run(monkeypatch, "forget", "m.suffice") == 2
    assert "or --drop-views alone; got neither" in capsys.readouterr().err


def test_refresh_names_the_row_of_the_files(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "fit", "rows.csv", "-o", "m.suffice", "--journal") == 0
    assert run(monkeypatch, "forget", "m.suffice", "gone.csv") == 0
    assert run(monkeypatch, "refresh", "m.suffice", "rows.csv") == 2
    assert "Row 241 of the files was not learned" in capsys.readouterr().err
    assert run(monkeypatch, "refresh", "m.suffice", "kept.csv") == 0


def test_refresh_on_some_of_the_rows_says_so(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "fit", "rows.csv", "-o", "m.suffice") == 0
    capsys.readouterr()
    assert run(monkeypatch, "refresh", "m.suffice", "kept.csv") == 0
    assert "the files hold 240 of 241 rows of the model" in capsys.readouterr().err


@pytest.mark.thorough
def test_updates_at_the_same_time_lose_no_row(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "fit", "kept.csv", "-o", "m.suffice") == 0
    command = [sys.executable, "-m", "suffice.cli", "update", "m.suffice", "gone.csv"]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(4)]
    assert [one.wait() for one in running] == [0] * 4
    assert sf.load("m.suffice").class_count_.sum() == 244


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_an_update_that_cannot_be_told_says_that_it_is_done(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "fit", "kept.csv", "-o", "m.suffice") == 0
    command = [sys.executable, "-m", "suffice.cli", "update", "m.suffice", "gone.csv"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3
    assert "'m.suffice' is complete; do not repeat the command" in done.stderr
    assert sf.load("m.suffice").class_count_.sum() == 241
