"""What is shown of models, and what they learn later: `inspect`, `explain`, and `update` with classes that are new."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

import suffice as sf
from cli.test_cli import here, mails, run, write
from store.cases import models
from suffice.cli.lines import lines_of_mistakes, lines_of_scores
from suffice.evaluate import ClassScores
from suffice.models.answers.derived import parameter_table

__all__ = ["here"]


def lines_of(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert run(monkeypatch, *words) == 0
    return capfd.readouterr().out.splitlines()


@pytest.fixture
def table(here: Path) -> Path:
    """Return a file with a column of each kind."""
    rng = np.random.default_rng(0)
    rows = ["size,colour,wait,late,outcome"]
    for k in range(200):
        size, colour = 5 * (k % 2) + rng.normal(), ("red", "blue", "green")[k % 2 if k % 5 else 2]
        rows.append(f"{size:.3f},{colour},{rng.exponential(1 + k % 2):.4f},{k % 4 == 0},{('no', 'yes')[k % 2]}")
    (here / "t.csv").write_text("\n".join(rows))
    return here / "t.csv"


def test_inspect_tells_target_classes_and_columns_with_their_values(
    table: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "fit", "t.csv", "-o", "t.suffice") == 0
    capfd.readouterr()
    lines = lines_of(monkeypatch, capfd, "inspect", "t.suffice")
    assert lines[0] == "NaiveBayes of 200 rows, 2 classes, 4 columns; predicts 'outcome'"
    assert any(line.startswith("no      100  50.0 %  size low") for line in lines)
    at = lines.index(next(line for line in lines if line.startswith("size: gaussian, mean ± standard deviation")))
    model = sf.load("t.suffice")
    for line, label in zip(lines[at + 1 :], ("no", "yes"), strict=False):
        size = parameter_table(model._model.blocks["size"].settled, model.statistics_["size"], model.classes_, 0.95)
        c = model.classes_.tolist().index(label)
        assert line == f"  {label:<3}  {size['mean'][c]:.4g} ± {size['sd'][c]:.3g}"
    assert any(line.startswith("colour: categorical, 3 values") for line in lines)
    assert any(line.startswith("wait: ") for line in lines)
    assert any("true: 5" in line for line in lines)
    assert max(map(len, lines)) <= 80
    facts = json.loads(lines_of(monkeypatch, capfd, "inspect", "t.suffice", "--json")[0])
    assert facts["target"] == "outcome"
    assert facts["rows"] == {"no": 100, "yes": 100}
    shares = facts["columns"]["colour"]["classes"]["no"]["values"]
    assert sum(shares.values()) == pytest.approx(1)
    found = ", ".join(f"{name}: {100 * shares[name]:.0f} %" for name in ("red", "green", "blue"))
    assert f"  no   {found}" in lines


def test_inspect_tells_the_words_of_texts(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = lines_of(monkeypatch, capfd, "inspect", "mail.suffice")
    assert lines[0] == "TextClassifier of 120 rows, 2 classes, 11 words; predicts 'label' from 'text'"
    assert [line.split()[0] for line in lines[-2:]] == ["ham", "spam"]
    assert {"cheap", "pills", "prize", "win"} & set(lines[-1].replace(",", "").split())


@pytest.mark.thorough
def test_any_model_can_be_inspected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, (model, _) in models().items():
        path = str(tmp_path / f"{name}.suffice")
        sf.save(model, path)
        lines = lines_of(monkeypatch, capfd, "inspect", path)
        assert lines[0].startswith(type(model).__name__), name
        assert max(map(len, lines)) <= 80
        json.loads(lines_of(monkeypatch, capfd, "inspect", path, "--json")[0], parse_constant=pytest.fail)


def test_update_takes_new_classes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts are those of one fit."""
    party = [(f"party tonight number{k}", "invitation") for k in range(5)]
    write(here / "party.csv", [*party, *mails(1, 10)])
    write(here / "all.csv", [*mails(0, 120), *party, *mails(1, 10)])
    assert run(monkeypatch, "update", "mail.suffice", "party.csv") == 0
    model = sf.load(here / "mail.suffice")
    assert model.counts_ == sf.fit_files(sf.TextClassifier(), here / "all.csv").counts_
    assert model.predict(["party tonight"]).tolist() == ["invitation"]
    assert model.stale_
    assert run(monkeypatch, "forget", "mail.suffice", "party.csv") == 0
    assert sf.load(here / "mail.suffice").counts_ == sf.load(here / "old.suffice").counts_


def test_update_of_a_table_takes_new_classes(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "fit", "t.csv", "-o", "t.suffice") == 0
    Path("maybe.csv").write_text("size,colour,wait,late,outcome\n9,pink,1.5,True,maybe\n")
    assert run(monkeypatch, "update", "t.suffice", "maybe.csv") == 0
    assert sf.load("t.suffice").classes_.tolist() == ["maybe", "no", "yes"]


def test_classes_that_were_declared_stay_all_there_are(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    declared: Any = sf.TextClassifier().partial_fit(["cheap pills"], ["spam"], classes=["ham", "spam"])
    sf.save(declared, here / "declared.suffice")
    write(here / "party.csv", [("party tonight", "invitation")])
    assert run(monkeypatch, "update", "declared.suffice", "party.csv") == 2
    assert "invitation" in capfd.readouterr().err
    assert sf.load(here / "declared.suffice").classes_.tolist() == ["ham", "spam"]


def test_evaluate_tells_baseline_classes_and_mistakes(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Scores are those of scikit-learn, of the answers that the model gives."""
    rows = [*mails(2, 120), *((text, "spam") for text, _ in mails(7, 30))]
    write(here / "hard.csv", rows)
    words = ["evaluate", "old.suffice", "hard.csv", "--method", "holdout"]
    written = json.loads(lines_of(monkeypatch, capfd, *words, "--json")[0])
    true = [label for _, label in rows]
    said = sf.load(here / "old.suffice").predict([text for text, _ in rows])
    assert written["confusion"] == confusion_matrix(true, said).tolist()
    columns = precision_recall_fscore_support(true, said, labels=["ham", "spam"])
    for key, expected in zip(("precision", "recall", "f1", "rows"), columns, strict=True):
        assert [written["classes"][label][key] for label in ("ham", "spam")] == pytest.approx(expected)
    assert written["baseline"]["answer"] == "spam"
    assert written["baseline"]["accuracy"] == true.count("spam") / len(true)
    lines = lines_of(monkeypatch, capfd, *words)
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("baseline   0.") and "always predicting spam" in line for line in lines)
    (matrix,) = (at for at, line in enumerate(lines) if line.startswith("true"))
    assert [[int(n) for n in line.split()[1:]] for line in lines[matrix + 1 : matrix + 3]] == written["confusion"]


def test_scores_of_classes_that_nobody_has_or_answers() -> None:
    found = [ClassScores("a", 3, 5, 3), ClassScores("b", 2, 0, 0), ClassScores("c", 0, 0, 0)]
    lines = lines_of_scores(found, 80)
    assert lines[2].split() == ["b", "2", "—", "0.0000", "0.0000"]
    assert lines[3].split() == ["c", "0", "—", "—", "—"]
    assert lines[4].split() == ["mean", "0.3000", "0.5000", "0.3750"]


def test_many_classes_have_their_mistakes_listed() -> None:
    names = [f"class number {k}" for k in range(60)]
    confusion = np.diag(np.full(60, 5))
    confusion[3, 7] = 4
    lines = lines_of_mistakes(confusion, names, 80)
    assert lines == ["most frequent mistakes", "      4  class number 3 predicted as class number 7"]
    sums = confusion.sum(axis=1), confusion.sum(axis=0), confusion.diagonal()
    table = lines_of_scores(list(map(ClassScores, names, *(part.tolist() for part in sums))), 80)
    assert len(table) == 53
    assert max(map(len, table)) <= 80
    assert lines_of_mistakes(np.diag(np.full(60, 5)), names, 80) == ["no mistakes"]
