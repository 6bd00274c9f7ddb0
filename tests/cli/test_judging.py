"""What `evaluate` and `report` print is an estimate of how rows to come are predicted, and says which one it is."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suffice as sf
from cli.test_cli import mails, run, write
from suffice.evaluate import crossfit, leave_one_out, share_interval


@pytest.fixture
def output_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Any:
    """Run a verb in a folder with mail.csv, new.csv and m.suffice, the model of the first; gives what it prints."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "mail.csv", mails(1, 120))
    write(tmp_path / "new.csv", [(f"{text} today{k}", label) for k, (text, label) in enumerate(mails(9, 60))])
    assert run(monkeypatch, "fit", "mail.csv", "-o", "m.suffice") == 0
    capfd.readouterr()

    def ask(*words: str) -> str:
        assert run(monkeypatch, *words) == 0
        return capfd.readouterr().out

    return ask


def test_rows_that_were_learned_are_judged_by_models_without_them(output_of: Any) -> None:
    found = json.loads(output_of("evaluate", "m.suffice", "mail.csv", "--json"))
    texts, labels = zip(*mails(1, 120), strict=True)
    expected = crossfit(sf.load("m.suffice"), list(texts), np.array(labels))
    assert found["log_loss"] == pytest.approx(expected.log_loss)
    assert found["accuracy"] == expected.accuracy
    assert found["how"].startswith("These are the rows that the model learned")
    assert "split into 5 folds" in found["how"]
    lines = output_of("evaluate", "m.suffice", "mail.csv", "--method", "folds", "--folds", "3")
    assert "split into 3 folds" in " ".join(lines.split())
    assert output_of("evaluate", "m.suffice", "mail.csv", "--folds", "3") == lines
    assert "split into 4 folds" in " ".join(output_of("evaluate", "mail.csv", "--folds", "4").split())


def test_rows_that_are_new_are_judged_as_they_are(output_of: Any) -> None:
    found = json.loads(output_of("evaluate", "m.suffice", "new.csv", "--json"))
    assert found["how"].startswith("The counts of the model do not contain all of these rows")
    assert found["rows"] == 60
    said = json.loads(output_of("evaluate", "m.suffice", "new.csv", "--method", "holdout", "--json"))
    assert said["log_loss"] == found["log_loss"]


@pytest.mark.thorough
def test_a_model_fitted_by_hand_judges_as_a_fresh_one_does(output_of: Any) -> None:
    fresh = json.loads(output_of("evaluate", "mail.csv", "--method", "folds", "--json"))
    learned = json.loads(output_of("evaluate", "m.suffice", "mail.csv", "--method", "folds", "--json"))
    assert fresh["log_loss"] == pytest.approx(learned["log_loss"], rel=1e-9)
    single = json.loads(output_of("evaluate", "mail.csv", "--method", "loo", "--json"))
    model = sf.load("m.suffice")
    texts, labels = zip(*mails(1, 120), strict=True)
    found = leave_one_out(model, list(texts), np.array(labels))
    assert single["log_loss"] == pytest.approx(found.log_loss, rel=1e-9)
    held = json.loads(output_of("evaluate", "mail.csv", "--json"))
    assert held["rows"] == 24
    assert held["how"] == "Hold-out: a model fitted to 96 rows is evaluated on 24 other rows."


def test_the_interval_holds_the_accuracy(output_of: Any) -> None:
    Path("sure.csv").write_text("x,class\n" + "".join(f"{'ab'[k % 2]},{'cd'[k % 2]}\n" for k in range(100)))
    found = json.loads(output_of("evaluate", "sure.csv", "--json"))
    assert found["accuracy"] == 1.0 == found["high"]
    assert (found["low"], found["high"]) == share_interval(20, 20)
    assert "accuracy   1.0000   (95 %: 0.8671 to 1.0000)" in output_of("evaluate", "sure.csv")


@pytest.mark.thorough
def test_a_report_says_what_it_judged_by(output_of: Any) -> None:
    assert "These are the rows that the model learned" in output_of("report", "m.suffice", "mail.csv")
    assert "These are the rows that the model learned" in Path("report.html").read_text()
    assert "The counts of the model do not contain all of these rows" in output_of("report", "m.suffice", "new.csv")
    assert "These rows were learned." in output_of("report", "m.suffice", "mail.csv", "--learned")
    assert "You say that these rows were held out" in output_of("report", "m.suffice", "new.csv", "--new")
    write(Path("some.csv"), mails(1, 120)[:30])
    assert "could contain them" in output_of("report", "m.suffice", "some.csv")


@pytest.mark.thorough
def test_a_column_that_tells_the_label_is_warned_of(
    output_of: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    lines = [f"{rng.normal(k % 2):.2f},{'yn'[k % 2]},7,{'ab'[k % 2]}\n" for k in range(100)]
    Path("leak.csv").write_text("size,copy,one,class\n" + "".join(lines))
    for words in (["fit", "leak.csv", "-o", "leak.suffice"], ["evaluate", "leak.csv"]):
        assert run(monkeypatch, *words) == 0
        said = capfd.readouterr().err
        assert "note: Column 'copy' alone determines the label of every row" in said
        assert "note: Column 'one' has only one value" in said
        assert "'size'" not in said
    found = json.loads(output_of("evaluate", "leak.csv", "--method", "folds", "--json"))
    assert found["warnings"][0].startswith("Column 'copy' alone determines")
    output_of("report", "leak.suffice", "leak.csv")
    assert "alone determines the label of every row" in Path("report.html").read_text()


def test_doubles_across_the_split_are_warned_of(output_of: Any) -> None:
    write(Path("twice.csv"), mails(1, 60) * 2)
    for method in ("holdout", "folds", "loo"):
        found = json.loads(output_of("evaluate", "twice.csv", "--method", method, "--json"))
        assert "have an exact duplicate in another part of the split" in found["warnings"][-1]
    assert json.loads(output_of("evaluate", "new.csv", "--json"))["warnings"] == []


def test_models_are_compared_on_rows_that_they_know_nothing_of(output_of: Any) -> None:
    write(Path("both.csv"), [*mails(1, 120), *mails(5, 60)])
    output_of("fit", "both.csv", "-o", "both.suffice")
    found = json.loads(output_of("compare", "m.suffice", "both.suffice", "--data", "mail.csv", "--json"))["models"]
    learned = json.loads(output_of("evaluate", "m.suffice", "mail.csv", "--json"))
    assert found[0]["log_loss"] == learned["log_loss"]
    assert "split into 5 folds" in found[0]["how"]
    assert "could contain them" in found[1]["how"]
    assert (
        "do not contain all of these rows"
        in output_of("compare", "m.suffice", "both.suffice", "--data", "new.csv").splitlines()[-1]
    )


def test_a_table_larger_than_the_sample_is_refreshed_like_a_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lamp, door = (rng.choice(["no", "yes"], 600) for _ in range(2))
    kind = np.where((lamp == door) ^ (rng.random(600) < 0.05), "home", "away")
    lines = ["lamp,door,kind", *map(",".join, zip(lamp, door, kind, strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(lines), encoding="utf-8")
    assert run(monkeypatch, "fit", "rows.csv", "-o", "m.suffice", "--target", "kind") == 0
    monkeypatch.setattr("suffice.engines.by_files.sample_size", lambda _: 100)
    assert run(monkeypatch, "refresh", "m.suffice", "rows.csv", "-o", "again.suffice") == 0
    fitted, again = sf.load("m.suffice"), sf.load("again.suffice")
    assert list(fitted.joint_) == list(again.joint_) == [("lamp", "door")]
    assert repr(fitted.choices_) == repr(again.choices_)


def test_a_label_that_only_held_out_rows_have_is_left_out(output_of: Any) -> None:
    rng = np.random.default_rng(0)
    found = set()
    for n in range(100, 110):
        rows = [f"{rng.integers(9)},{'ab'[i % 2]},{'xy'[i % 2]}" for i in range(n)]
        Path("t.csv").write_text("\n".join(["size,kind,class", *rows, "5,a,z"]))
        found.add("has not learned" in json.loads(output_of("evaluate", "t.csv", "--json"))["how"])
    assert found == {True, False}


def test_an_explanation_has_as_many_features_as_asked_for(output_of: Any) -> None:
    rng = np.random.default_rng(0)
    names = [f"c{k}" for k in range(25)]
    rows = [",".join([*map(str, rng.integers(0, 3, 25)), "ab"[i % 2]]) for i in range(150)]
    Path("wide.csv").write_text("\n".join([",".join([*names, "label"]), *rows]))
    output_of("fit", "wide.csv", "-o", "w.suffice")
    full = json.loads(output_of("explain", "w.suffice", "wide.csv", "--json"))["log_odds"]
    for top in (3, 15):
        lines = output_of("explain", "w.suffice", "wide.csv", "--top", str(top)).splitlines()[1:]
        weights = [float(line.split()[0]) for line in lines]
        assert len(lines) == top + 2 + ("(label noise)" in lines[-1])
        assert "(others)" in lines[top + 1]
        assert sum(weights) == pytest.approx(sum(full), abs=0.0005 * len(lines))
