"""Files of what is no classifier: `inspect` shows what is in them, and verbs that need a classifier say so."""

import json
from pathlib import Path

import pytest

import suffice as sf
from cli.test_cli import here, run

__all__ = ["here"]


@pytest.fixture
def game(here: Path) -> Path:
    sf.save(sf.NumberGame().observe([16, 8, 2, 64]), "game.suffice")
    (here / "rows.csv").write_text("x,label\n1,a\n2,b\n")
    return here


def test_a_number_game_is_inspected(
    game: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "inspect", "game.suffice") == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "NumberGame after 4 examples, 32 hypotheses, 100 items"
    assert lines[3:] == repr(sf.load("game.suffice").posterior_).splitlines()
    assert run(monkeypatch, "inspect", "game.suffice", "--json") == 0
    facts = json.loads(capfd.readouterr().out)
    assert (facts["examples"], facts["hypotheses"], facts["items"]) == (4, 32, 100)
    assert facts["best"][0] == {"hypothesis": "powers of 2", "posterior": pytest.approx(0.97, abs=0.01)}


def test_rectangles_are_inspected(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    sf.save(sf.Rectangles().observe([[180, 10.5], [205, 14]]), "healthy.suffice")
    assert run(monkeypatch, "inspect", "healthy.suffice") == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "Rectangles after 2 examples, 2 features"
    assert lines[3:] == ["feature 0: examples from 180 to 205", "feature 1: examples from 10.5 to 14"]
    assert run(monkeypatch, "inspect", "healthy.suffice", "--json") == 0
    assert json.loads(capfd.readouterr().out)["tightest"] == [[180, 205], [10.5, 14]]
    sf.save(sf.Rectangles(), "none.suffice")
    assert run(monkeypatch, "inspect", "none.suffice") == 0
    assert capfd.readouterr().out.splitlines()[0] == "Rectangles after 0 examples, 0 features"


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "{}", "rows.csv"),
        ("explain", "{}", "rows.csv"),
        ("update", "{}", "rows.csv"),
        ("forget", "{}", "rows.csv"),
        ("refresh", "{}", "rows.csv"),
        ("evaluate", "{}", "rows.csv"),
        ("merge", "{}", "{}", "-o", "out.suffice"),
        ("compare", "{}", "--data", "rows.csv"),
        ("report", "{}", "rows.csv", "-o", "out.html"),
    ],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("file", ["game.suffice", "language.suffice"])
def test_verbs_that_need_a_classifier_say_so(
    words: tuple[str, ...], file: str, game: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    sf.save(sf.LanguageModel().fit(["had a little lamb"]), "language.suffice")
    before = Path(file).read_bytes()
    assert run(monkeypatch, *(word.format(file) for word in words)) == 2
    kind = "NumberGame" if file == "game.suffice" else "LanguageModel"
    said = capfd.readouterr().err
    assert f"The model file '{file}' must hold a classifier; it holds a {kind}, which" in " ".join(said.split())
    assert Path(file).read_bytes() == before
    assert not list(game.glob("out.*"))
