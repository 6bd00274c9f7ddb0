"""What a file keeps: every kind of model, parameter, label and table."""

import pickle
from copy import copy, deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

import suffice as sf
from store.cases import COUNTS, REALS, TABLE, TEXTS, Y, answer, models
from suffice import concepts, estimators
from suffice.errors import KindError, PathError
from suffice.store import describe, file_io, from_bytes, registry, to_bytes
from suffice.store.values import Reader, Writer

MODELS = models()


def there_and_back(model: Any, folder: Path) -> Any:
    sf.save(model, folder / "model.suffice")
    return sf.load(folder / "model.suffice")


def test_every_estimator_can_be_kept() -> None:
    public = {getattr(estimators, name) for name in estimators.__all__}
    assert {kind for kind in public if isinstance(kind, type) and issubclass(kind, BaseEstimator)} == set(
        registry.ESTIMATORS.values()
    )


def test_every_learner_can_be_kept() -> None:
    public = {getattr(concepts, name) for name in concepts.__all__}
    assert {kind.__name__ for kind in public if hasattr(kind, "observe")} == set(registry.LEARNERS)
    assert {type(model).__name__ for model, _ in MODELS.values()} == {*registry.ESTIMATORS, *registry.LEARNERS}


@pytest.mark.parametrize("mapped", [False, pytest.param(True, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", MODELS)
def test_it_says_the_same(name: str, mapped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if mapped:
        monkeypatch.setattr(file_io, "MAPPED", 0)
    model, rows = MODELS[name]
    loaded = there_and_back(model, tmp_path)
    assert type(loaded) is type(model)
    assert repr(loaded) == repr(model)
    for other in (loaded, copy(loaded), deepcopy(loaded), pickle.loads(pickle.dumps(loaded))):
        np.testing.assert_array_equal(answer(other, rows), answer(model, rows), strict=True)
    before = (tmp_path / "model.suffice").read_bytes()
    there_and_back(loaded, tmp_path)
    assert (tmp_path / "model.suffice").read_bytes() == before
    assert to_bytes(model) == before
    np.testing.assert_array_equal(answer(from_bytes(before), rows), answer(model, rows), strict=True)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, lambda table: pd.DataFrame(table).to_numpy()])
def test_tables_of_any_library(frame: Any, tmp_path: Path) -> None:
    names = ("colour", "size", "events", "flag")
    table = frame({name: TABLE[name] for name in names})
    model = sf.NaiveBayes().fit(table, Y)
    loaded = there_and_back(model, tmp_path)
    np.testing.assert_array_equal(loaded.predict_joint_log_proba(table), model.predict_joint_log_proba(table))
    assert type(loaded.table(next(iter(model.columns_)))) is type(model.table(next(iter(model.columns_))))
    assert loaded.columns_ == model.columns_
    assert loaded.feature_powers_ == model.feature_powers_
    assert loaded.partial_fit(table, Y).class_count_.tolist() == (2 * model.class_count_).tolist()
    np.testing.assert_array_equal(loaded.predict(table), copy(model).partial_fit(table, Y).predict(table))


def test_names_of_features_and_targets(tmp_path: Path) -> None:
    table = pd.DataFrame(COUNTS, columns=["a", "b", "c"])
    model = there_and_back(sf.MultinomialNB().fit(table, Y), tmp_path)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table.rename(columns={"a": "z"}))
    named = there_and_back(sf.NaiveBayes().fit(table.assign(y=Y), "y"), tmp_path)
    assert named.predict(table.assign(y=Y)).shape == (8,)  # the target is known, and no stranger


def test_declared_classes_stay_declared(tmp_path: Path) -> None:
    model = sf.BernoulliNB().partial_fit(COUNTS, Y, classes=["eggs", "ham", "nobody", "spam"])
    loaded = there_and_back(model, tmp_path)
    removed = Y == "ham"
    assert loaded.forget(COUNTS[removed], Y[removed]).classes_.tolist() == ["eggs", "ham", "nobody", "spam"]


@pytest.mark.parametrize(
    "labels",
    [
        [False, True],
        np.array([2**63, 2**63 + 1], np.uint64),
        np.array([-0.0, 1.0]),
        ["\ud800", "\U0010ffff"],
        np.array(["short", "x" * 5000]),
        np.array([f"class {i:04}" for i in range(2000)]),
        np.array([f"class {i:04}" for i in range(2000)], object),
        np.arange(2000),
    ],
    ids=lambda labels: str(np.asarray(labels).dtype),
)
def test_labels_keep_their_type(labels: Any, tmp_path: Path) -> None:
    y = np.tile(np.asarray(labels), 3)
    X = np.arange(len(y))[:, None]
    model = sf.MultinomialNB().fit(X, y)
    loaded = there_and_back(model, tmp_path)
    assert loaded.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X), strict=True)


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, -1e-300, float("inf"), float("-inf"), "text", (1, (2.5, None)), [1, "a"], {"a": 1, 2: (3,)},
        frozenset({2, 3}), {1, 2}, np.float64(0.1), np.float32(0.1), np.int8(-3), np.bool_(True), np.int64, 10**40,
        np.dtype("<f4"), np.array([0.1, np.nan]), np.array([[1, 2], [3, 4]], np.int16), np.array(3.5),
        np.array(["a", None, 3, 2.5], object), np.array(["2020-01-01", "2021-01-01"], "M8[D]"), np.array([], object),
        np.array([["a", "bcd"], ["", "ä"]]), np.array([b"a", b"bc"]), [f"word {i}" for i in range(500)],
        np.zeros((0, 3)), np.array(["x" * 70000]), sf.Beta(2, 3), sf.Dirichlet([1, 2]), sf.Gamma([1.0, 2.0], 3.0),
        sf.Pareto(1.0, 2.0), sf.NormalInverseWishart(np.zeros(2), 1.0, 4.0, np.eye(2)), sf.columns.Drop(),
        {"a": sf.columns.Text(ngram_range=(1, 2)), "b": "gaussian"},
    ],
    ids=lambda value: f"{type(value).__name__} {str(value)[:20]}",
)  # fmt: skip
def test_a_value_comes_back_as_it_was(value: Any, tmp_path: Path) -> None:
    class Held:
        """Tensors without a file."""

        def __init__(self, tensors: dict[str, Any]) -> None:
            self.layout, self._tensors = self, tensors
            self.tensors = tensors

        def array(self, name: str) -> Any:
            return self._tensors[name]

    writer = Writer()
    node = writer.write(value, "x")
    held: Any = Held(writer.tensors)
    back = Reader(held).read(node)
    assert type(back) is type(value)
    if isinstance(value, np.ndarray):
        np.testing.assert_array_equal(back, value, strict=True)
    else:
        assert back == value


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"tokenizer": str.split}, "tokenizer"),
        ({"preprocessor": str.lower}, "preprocessor"),
        ({"analyzer": lambda text: text.split()}, "analyzer"),
        ({"strip_accents": lambda text: text}, "strip_accents"),
    ],
)
def test_code_is_not_kept(parameters: dict[str, Any], what: str, tmp_path: Path) -> None:
    model = sf.TextClassifier(temper=None, feature_powers=None, tokens=sf.Tokens(**parameters)).fit(TEXTS, Y)
    with pytest.raises(KindError, match=f"The parameter '{what}' must be something .* got a function"):
        sf.save(model, tmp_path / "model.suffice")
    assert not list(tmp_path.iterdir())


def test_what_is_no_model(tmp_path: Path) -> None:
    class Mine(sf.BernoulliNB):
        """Of a user."""

    for wrong in (Mine().fit(COUNTS, Y), 3, sf.BernoulliNB, {"a": 1}):
        with pytest.raises(KindError, match="fitted estimator of suffice itself"):
            sf.save(wrong, tmp_path / "model.suffice")
    with pytest.raises(NotFittedError):
        sf.save(sf.BernoulliNB(), tmp_path / "model.suffice")
    with pytest.raises(PathError, match="no such folder"):
        sf.save(sf.BernoulliNB().fit(COUNTS, Y), tmp_path / "none" / "model.suffice")
    with pytest.raises(PathError, match="a folder"):
        sf.save(sf.BernoulliNB().fit(COUNTS, Y), tmp_path)


def test_a_header_can_be_read_alone(tmp_path: Path) -> None:
    sf.save(MODELS["table"][0], tmp_path / "model.suffice")
    found = describe(tmp_path / "model.suffice")
    assert found.estimator == "NaiveBayes"
    assert found.library_version == sf.__version__
    assert found.classes.tolist() == ["eggs", "ham", "spam"]
    assert list(found.schema["columns_"]) == list(TABLE)
    assert found.parameters["columns"]["wait"] == sf.columns.Histogram(edges=(0.0, 2.0, 8.0))
    assert found.size == (tmp_path / "model.suffice").stat().st_size


def test_words_that_are_shared_are_shared_again(tmp_path: Path) -> None:
    texts = ["cheap pills today", "lunch at noon", "cheap watches", "are you at lunch"] * 60
    model = sf.TextClassifier(ridge=1.0, ngram_range=(1, 1)).fit(texts, ["spam", "ham", "spam", "ham"] * 60)
    loaded = there_and_back(model, tmp_path)
    assert loaded._predictor.views.weights.words is loaded.counts_.words


def test_a_loaded_model_needs_no_file(tmp_path: Path) -> None:
    loaded = there_and_back(sf.GaussianNB().fit(REALS, Y), tmp_path)
    (tmp_path / "model.suffice").write_bytes(b"")
    assert loaded.predict(REALS).shape == (8,)


def test_other_readers_see_the_numbers(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed")
    model = sf.MultinomialNB().fit(COUNTS, Y)
    for other in (model, MODELS["table"][0], MODELS["text"][0]):
        sf.save(other, tmp_path / "model.suffice")
        found = safetensors.load_file(tmp_path / "model.suffice")
        assert found.keys() == describe(tmp_path / "model.suffice").tensors.keys()
    sf.save(model, tmp_path / "model.suffice")
    found = safetensors.load_file(tmp_path / "model.suffice")
    np.testing.assert_array_equal(found["statistics/1/counts"], model.feature_count_)
