"""The first answer comes soon: verbs that only answer import no library that takes longer than they do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import suffice as sf

HEAVY = ("sklearn", "scipy.stats", "pandas")

RUN = """
import json, sys
from suffice.cli.main import main
try:
    main()
finally:
    print(json.dumps([name for name in sys.modules if sys.modules[name] is not None]), file=sys.stderr)
"""


def ran(*args: str) -> tuple[str, set[str]]:
    """Return what a command prints, and which modules it has imported."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-c", RUN, *args], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout, set(json.loads(done.stderr.splitlines()[-1]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two models, and a row for each."""
    folder = tmp_path_factory.mktemp("models")
    texts = ["cheap pills, cheap watches", "lunch at noon?", "watches for you", "are you at lunch"] * 30
    text = sf.TextClassifier().fit(texts, ["spam", "ham"] * 60)
    rng, high = np.random.default_rng(0), np.arange(300) % 2 == 0
    table = {
        "age": rng.normal(40 + 10 * high, 5),
        "city": rng.choice(["Oslo", "Rome", "Bern"], 300),
        "visits": rng.poisson(2 + high),
        "member": rng.random(300) < 0.3 + 0.3 * high,
        "income": np.where(high, "high", "low"),
    }
    columns = {"visits": "poisson"}
    sf.save(text, folder / "text.suffice")
    sf.save(sf.NaiveBayes(columns=columns).fit(table, "income"), folder / "table.suffice")
    (folder / "text.csv").write_text("text\ncheap lunch for you\n")
    (folder / "table.csv").write_text("age,city,visits,member\n41.5,Oslo,3,true\n")
    return folder


@pytest.mark.parametrize(
    ("verb", "kind"),
    [
        ("predict", "text"),
        ("explain", "table"),
        *(
            pytest.param(verb, kind, marks=pytest.mark.thorough)
            for verb, kind in (("predict", "table"), ("explain", "text"), ("inspect", "text"), ("inspect", "table"))
        ),
    ],
)
def test_verbs_that_answer_import_nothing_heavy(folder: Path, verb: str, kind: str) -> None:
    """Each of the three takes longer to import than all of the rest together."""
    rows = [] if verb == "inspect" else [str(folder / f"{kind}.csv")]
    printed, modules = ran(verb, str(folder / f"{kind}.suffice"), *rows)
    assert printed
    assert "suffice.store.models" in modules
    assert [name for name in HEAVY if name in modules] == []


@pytest.mark.parametrize("kind", ["text", "table"])
def test_what_answers_for_a_file_answers_as_the_model_does(folder: Path, kind: str) -> None:
    model, stored = sf.load(folder / f"{kind}.suffice"), sf.store.models.load_to_answer(folder / f"{kind}.suffice")
    table: dict[str, list[object]] = {
        "age": [30.0, 60.0],
        "city": ["Oslo", "Lima"],
        "visits": [1, 4],
        "member": [True, None],
    }
    rows: object = ["cheap lunch", "noon"] if kind == "text" else table
    row: object = "cheap lunch" if kind == "text" else {name: values[0] for name, values in table.items()}
    assert type(stored) is not type(model)
    assert not hasattr(stored, "fit")
    if kind == "table":
        assert stored.columns_ == model.columns_
        assert stored.feature_powers_ == model.feature_powers_
        assert list(stored.statistics_) == list(model.statistics_)
    np.testing.assert_array_equal(stored.predict_proba(rows), model.predict_proba(rows))
    assert repr(stored.explain(row)) == repr(model.explain(row))
    np.testing.assert_array_equal(stored.classes_, model.classes_)
    np.testing.assert_array_equal(stored.class_count_, model.class_count_)
    assert stored.stale_ is model.stale_
    for label in model.classes_:
        assert repr(stored.top_features(label)) == repr(model.top_features(label))


def test_other_models_of_files_are_the_estimators_themselves(tmp_path: Path) -> None:
    sf.save(sf.MultinomialNB().fit([[2, 0], [0, 1]], ["tea", "rum"]), tmp_path / "tea.suffice")
    assert isinstance(sf.store.models.load_to_answer(tmp_path / "tea.suffice"), sf.MultinomialNB)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("table", "estimate", "best"),
        ("table", "ridge", -1.0),
        ("table", "memory_limit", 0),
        ("table", "temper", (1.0, 2.0)),
        ("text", "effort", 7),
        ("text", "alpha", float("inf")),
        ("text", "min_df", 1.5),
        ("text", "verbose", "yes"),
    ],
)
def test_parameters_that_cannot_be_are_refused_in_the_words_of_the_estimator(
    folder: Path, tmp_path: Path, kind: str, name: str, value: object
) -> None:
    """A file may hold anything: what answers for it refuses what the estimator would, and lets that say why."""
    model = sf.load(folder / f"{kind}.suffice")
    setattr(model, name, value)
    path = tmp_path / "forged.suffice"
    sf.save(model, path)
    messages = []
    for load in (sf.load, sf.store.models.load_to_answer):
        with pytest.raises(sf.errors.ModelFileError) as error:
            load(path)
        messages.append(str(error.value))
    assert messages[0] == messages[1]
    assert name in messages[0]
