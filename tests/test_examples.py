"""The examples run, keep to their page, and what they compute is what they say."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

import suffice as sf
from suffice.datasets import Corpus

EXAMPLES = Path(__file__).parents[1] / "examples"
SECTIONS = ("The corpus", "Training", "Held-out modules", "Where they went", "Ask it something", "Next:")
ESCAPE = re.compile(r"\033\[[0-9;]*[A-Za-z]|\r")


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"suffice_example_{name}", EXAMPLES / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


route = load("route")


def run(name: str, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py", *arguments],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    ).stdout


def on_terminal(*arguments: str, **environment: str) -> str:
    """Return what route.py writes when it writes to a terminal."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    plain = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    with subprocess.Popen(
        [sys.executable, EXAMPLES / "route.py", *arguments],
        stdout=theirs,
        env={**plain, "TERM": "xterm", **environment},
    ) as process:
        os.close(theirs)
        written = b""
        try:
            while chunk := os.read(ours, 65536):
                written += chunk
        except OSError:  # how Linux says that the other side was closed
            pass
    os.close(ours)
    assert process.returncode == 0
    return written.decode()


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return sf.datasets.docstrings(150, libraries=["numpy", "python", "scipy"])


@pytest.mark.thorough
def test_the_families_run() -> None:
    page = run("families")
    for answer in ("Beta(a=5, b=19)", "5/27   seen 4", "Pareto(b=100, K=1)", "True,   True", "SubtractionError"):
        assert answer in page


@pytest.mark.thorough
def test_the_demo_runs_and_keeps_to_its_page() -> None:
    page = run("route", "--quick")
    for section in SECTIONS:
        assert section in page
    assert "\033" not in page
    assert max(map(len, page.splitlines())) <= 100
    assert len(page.splitlines()) <= 70
    rows = [re.match(r"  [abc] (numpy|python|scipy) .*\[ *\d+\]", line) for line in page.splitlines()]
    assert [row[1] for row in rows if row] == ["numpy", "python", "scipy"]


@pytest.mark.thorough
@pytest.mark.parametrize("coloured", [True, False])
def test_colours_are_for_terminals_that_want_them(coloured: bool) -> None:
    page = on_terminal("--quick", "How do I open a socket?", **({} if coloured else {"NO_COLOR": "1"}))
    assert "reading the docstrings of numpy" in page
    assert ("\033[1m" in page) is coloured
    assert "How do I open a socket?" in ESCAPE.sub("", page)


@pytest.mark.thorough
@pytest.mark.parametrize(("n_labels", "width"), [(2, 100), (3, 80)])
def test_few_labels_and_narrow_terminals_make_a_page_too(
    corpus: Corpus, n_labels: int, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(route, "WIDTH", width)
    names = list(corpus.sizes)[:n_labels]
    rows = zip(corpus.texts, corpus.labels, corpus.groups, strict=True)
    few = Corpus(*(list(column) for column in zip(*(row for row in rows if row[1] in names), strict=True)))
    route.page(few, 1.0, 1.0)
    page = capsys.readouterr().out
    assert all(section in page for section in SECTIONS)
    assert max(map(len, page.splitlines())) <= width


@pytest.mark.parametrize(
    "settings",
    [
        route.CHOSEN,
        route.BESIDE,
        {"model": "multinomial"},
        {"model": "complement", "alpha": 0.1},
        {"model": "bernoulli"},
    ],
    ids=str,
)
def test_the_evidence_of_words_and_the_prior_add_up(corpus: Corpus, settings: dict[str, Any]) -> None:
    model = sf.TextClassifier(**{"temper": None, **settings}).fit(corpus.texts, corpus.labels)
    for text in ("How do I fit an array to an array, in a xyzzy array?", "", "xyzzy", corpus.texts[0]):
        joint, log_proba = model.predict_joint_log_proba([text])[0], model.predict_log_proba([text])[0]
        for top, other in ((0, 1), (2, 1), (0, 2)):
            prior, weights = route.evidence(model, text, top, other)
            total = prior + sum(weights.values())
            assert total - weights.get("(label noise)", 0.0) == pytest.approx(joint[top] - joint[other], abs=1e-9)
            assert total == pytest.approx(log_proba[top] - log_proba[other], abs=1e-9)
            assert weights.get("xyzzy", 0) == 0


def test_what_is_printed_of_the_evidence_adds_up() -> None:
    weights = {"spline": 1.9, "fit": -0.7, "how": 0.02, "do": -0.01}
    assert route.because(0.0, weights, 80) == "spline +1.9  fit −0.7  2 others +0.0  = +1.2"
    assert route.because(-0.5, weights, 30) == "prior −0.5  4 words +1.2  = +0.7"
    assert route.because(0.0, {}, 80) == "= +0.0"


def test_figures_are_those_of_scikit_learn(corpus: Corpus) -> None:
    train, test = corpus.split()
    model = sf.TextClassifier(**route.CHOSEN).fit(train.texts, train.labels)
    log_proba = model.predict_log_proba(test.texts)
    answers, truth = log_proba.argmax(axis=1), np.searchsorted(model.classes_, test.labels)
    right, balanced, sure, loss = route.scores(answers, truth, log_proba)
    assert right == pytest.approx(metrics.accuracy_score(truth, answers))
    assert balanced == pytest.approx(metrics.balanced_accuracy_score(truth, answers))
    assert sure == pytest.approx(np.exp(log_proba).max(axis=1).mean())
    assert loss == pytest.approx(metrics.log_loss(truth, np.exp(log_proba)))
    assert (route.confusion(truth, answers, 3) == metrics.confusion_matrix(truth, answers)).all()


def test_a_word_that_only_one_class_has_tells_it() -> None:
    texts = ["the cat sat", "the cat ran", "the dog sat", "the dog ran", "the cow ran", "a cow sat"]
    model = sf.TextClassifier(**route.CHOSEN).fit(texts, ["cat", "cat", "dog", "dog", "cow", "cow"])
    assert [words[0] for words in route.telling(model)] == list(model.classes_)


def test_the_remark_says_what_the_figures_say() -> None:
    assert "worse than that of a guess" in route.remark(0.2, 2.5, 1.4, 2.3)
    assert "2.00 for multinomial, 1.40 for complement" in route.remark(0.2, 2.0, 1.4, 2.3)
    assert "log loss" not in route.remark(0.2, 1.3, 1.4, 2.3)
    assert "not here" in route.remark(0.0, 2.0, 1.4, 2.3)
    assert [route.verdict(x) for x in (-0.1, 0.01, 0.1)] == ["underconfident", "as sure as right", "overconfident"]


def test_the_page_names_the_model_it_shows() -> None:
    assert {"model": "complement", "tokens": sf.Tokens(binary=True), "alpha": 1.0, "temper": None} == route.CHOSEN
    assert route.BESIDE["model"] == "multinomial"
