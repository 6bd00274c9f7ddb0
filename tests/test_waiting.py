"""Work that takes a while says so before it starts, and nobody is told of what is over soon."""

import io
from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.models.choosing import chooser
from suffice.waiting import SOON, Waiting

STAGES = {"one": 0.5, "two": 0.5}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def texts() -> tuple[list[str], Any]:
    rng = np.random.default_rng(0)
    labels = rng.choice(["ham", "spam"], 300)
    words = {"ham": ["lunch", "noon", "team"], "spam": ["prize", "free", "noon"]}
    return [" ".join(rng.choice(words[label], 4)) for label in labels], labels


def test_what_is_soon_over_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    with Waiting("Model", STAGES) as waiting:
        waiting.expect(SOON)
        waiting.stage("one")
    sf.TextClassifier().fit(*texts())
    assert capsys.readouterr().err == ""


def test_lines_tell_where_they_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with Waiting("Model", STAGES, verbose=True) as waiting:
        waiting.expect(12.3)
        waiting.stage("one")
        waiting.step(3, 0.25)
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "[Model] choices will take about 12 seconds", "[Model] one", "[Model] weights, step 3: 0.25000 a row"
    ]  # fmt: skip


def test_a_terminal_has_a_bar_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    out = Terminal()
    monkeypatch.setattr("sys.stderr", out)
    with Waiting("Model", STAGES) as waiting:
        waiting.expect(300.0)
        waiting.stage("two")
    shown = out.getvalue()
    assert "about 5 minutes" in shown
    assert "Model chooses two (about 5 minutes)" in shown


def test_a_fit_says_what_it_costs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(chooser, "AT_LEAST", 60.0)
    sf.TextClassifier(verbose=True).fit(*texts())
    told = capsys.readouterr().err
    assert told.startswith("[TextClassifier] choices will take about")
    assert told.count("choices will take") == 1
    assert told.index("tokens") < told.index("pseudo-count and weights") < told.index("word weights")


@pytest.mark.parametrize("stream", [None, object(), closed := io.StringIO()])
def test_a_service_may_have_no_terminal(monkeypatch: pytest.MonkeyPatch, stream: Any) -> None:
    closed.close()
    monkeypatch.setattr(chooser, "AT_LEAST", 60.0)
    monkeypatch.setattr("sys.stderr", stream)
    assert sf.TextClassifier().fit(*texts()).choices_


def test_tables_say_what_they_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    out, rng = Terminal(), np.random.default_rng(0)
    monkeypatch.setattr("sys.stderr", out)
    monkeypatch.setattr("suffice.estimators.shell.joint_sets.SECONDS", 1.0)
    X = rng.choice(["a", "b"], (300, 3))
    sf.NaiveBayes().fit(X, (X[:, 0] == X[:, 1]).astype(str))
    assert "NaiveBayes chooses columns that act together (about" in out.getvalue()
