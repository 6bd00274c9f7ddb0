"""What is forgotten is gone: from counts, from what was chosen by rows, from the file and from memory."""

import pickle
from copy import copy
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from laws import weighed
from laws.estimators import VECTORS, EstimatorCase, every_kind_of_rows
from laws.inside import chosen, statistics
from laws.test_estimators import rows
from suffice.store import registry
from suffice.store.file_io import Bytes
from suffice.store.models import to_bytes

N, GONE = 240, np.arange(100, 112)  # enough rows for weights of words and columns
KEPT = np.setdiff1d(np.arange(N), GONE)
ROUNDED = ("mean", "mean_lo", "scatter", "scatter_lo", "log_factorials")
LEARNED = {"temper": "loo", "feature_powers": "loo", "effort": "balanced"}


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (weighed.Texts, weighed.Counts, weighed.Columns):
        monkeypatch.setitem(registry.ESTIMATORS, kind.__name__, kind)


def token(rng: np.random.Generator) -> str:
    return "".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), 12))


def planted(X: Any, word: str) -> Any:
    """Return the rows, where those to be forgotten have a word or a category of their own."""
    if isinstance(X, list):
        return [f"{text} {word}" if i in GONE else text for i, text in enumerate(X)]
    if isinstance(X, dict):
        table = {name: list(values) for name, values in X.items()}
        for i in GONE:
            table["colour"][i], table["note"][i] = word, f"{table['note'][i] or ''} {word}"
        return table
    if X.dtype.kind == "U":
        X = X.astype("U12")
        X[GONE, 0] = word
    return X


def secret_rows(case: EstimatorCase, seed: int) -> tuple[Any, Any, list[str]]:
    """Return rows, labels, and the words that only rows to be forgotten have."""
    rng = np.random.default_rng(seed)
    X, y = case.data(seed, N)
    word, label = token(rng), token(rng)
    y = y.astype("U12")
    y[GONE[:6]], y[GONE[6:]] = label, "a"
    return planted(X, word), y, [word, label]


def choosing(case: EstimatorCase) -> Any:
    """Return the classifier, choosing by rows all that it can choose."""
    model = clone(case.model)
    wanted = {name: LEARNED[name] for name in LEARNED if name in model.get_params()}
    if "MultinomialNB predictive" in case.name:  # which cannot weigh
        del wanted["feature_powers"]
    return model.set_params(**wanted)


def found(data: bytes, secrets: list[str]) -> list[str]:
    return [word for word in secrets if word.encode() in data or word.encode("utf-32-le") in data]


@every_kind_of_rows
def test_no_word_of_forgotten_rows_is_left_in_the_file_or_in_memory(case: EstimatorCase) -> None:
    X, y, secrets = secret_rows(case, 0)
    unfitted = choosing(case)
    if (
        "ngram_range" in unfitted.get_params()
    ):  # a few texts may choose other tokens than all: then nothing is subtracted
        unfitted.set_params(ngram_range=(1, 1))
    model = clone(unfitted).fit(X, y)
    assert secrets[1] in found(to_bytes(model), secrets)
    removed = rows(X, GONE), y[GONE]
    part = clone(unfitted).fit(*removed)
    for left in (
        copy(model) - part,
        copy(model).forget(*removed),
        copy(model).decay(0.5).forget(*removed, np.full(12, 0.5)),
    ):
        assert not found(to_bytes(left), secrets)
        assert not found(pickle.dumps(left), secrets)
        assert left.stale_ == bool(chosen(model))
        assert chosen(left).keys() == chosen(model).keys()
    np.testing.assert_array_equal(
        copy(model).forget(*removed).predict_log_proba(X), (copy(model) - part).predict_log_proba(X)
    )


@pytest.mark.filterwarnings("ignore:The models chose different joint columns")
@every_kind_of_rows
def test_without_views_the_file_is_that_of_a_model_that_never_saw_the_rows(case: EstimatorCase) -> None:
    X, y, secrets = secret_rows(case, 1)
    model = choosing(case)
    if "ngram_range" in model.get_params():  # what tokens are is chosen before texts are counted, and stays
        model.set_params(ngram_range=(1, 1))
    left = clone(model).fit(X, y).forget(rows(X, GONE), y[GONE], drop_views=True)
    never = clone(model).fit(rows(X, KEPT), y[KEPT]).drop_views()
    same_file(case, left, never)
    twice = (clone(model).fit(X, y) - clone(model).fit(rows(X, GONE), y[GONE])).drop_views()
    same_file(case, twice, never)
    assert not found(to_bytes(left), secrets)


def same_file(case: EstimatorCase, a: Any, b: Any) -> None:
    mine, theirs = to_bytes(a), to_bytes(b)
    if case.exact:
        assert mine == theirs
        return
    one, other = Bytes(mine), Bytes(theirs)
    assert without_checksums(one) == without_checksums(other)
    assert one.layout.tensors == other.layout.tensors
    for name in one.layout.tensors:
        if name.endswith("/peak"):  # an order of magnitude, and no more
            exponents = np.log2(one.array(name)) / 16
            assert (exponents == np.floor(exponents)).all()
            np.testing.assert_allclose(exponents, np.log2(other.array(name)) / 16, atol=1)
        elif name.rpartition("/")[2] in ROUNDED:
            np.testing.assert_allclose(one.array(name), other.array(name), rtol=1e-12, atol=1e-12)
        else:
            np.testing.assert_array_equal(one.array(name), other.array(name))


def without_checksums(file: Bytes) -> dict[str, str]:
    return {part: text for part, text in file.layout.metadata.items() if part not in ("checksums", "header_sha256")}


def test_a_column_without_a_value_left_is_as_before_its_first() -> None:
    table = {"x": [1.0, 2.0, 3.0], "city": ["Oslo", None, None], "note": [None, None, "so many words to tell of it"]}
    model = sf.NaiveBayes({"city": "categorical", "note": "text"}).fit(table, ["a", "a", "b"])
    never = sf.NaiveBayes({"city": "categorical", "note": "text"}).fit(rows(table, [1]), ["a"])
    for i, label in ((0, "a"), (2, "b")):
        model.forget(rows(table, [i]), [label], drop_views=True)
    assert to_bytes(model) == to_bytes(never.drop_views())
    model.partial_fit({"x": [4.0], "city": ["Rome"], "note": [None]}, ["a"])
    assert isinstance(model.columns_["city"], sf.columns.Categorical)


@pytest.mark.filterwarnings("ignore:The spread of")
def test_a_large_number_leaves_its_magnitude_at_most() -> None:
    X, y = np.array([[1.0], [2.0], [4.0], [7.0], [0.0]]), np.array([0, 0, 1, 1, 0])
    peaks = set()
    for large in (1.1e5, 3e5, 9e5):
        X[4] = large
        left = sf.GaussianNB().fit(X, y).forget(X[4:], y[4:], drop_views=True)
        peaks.add(float(statistics(left)["features"].peak.max()))
    assert peaks == {2.0**48}


@pytest.mark.filterwarnings("ignore:The spread of")  # of a constant beside 7e7
@pytest.mark.parametrize("model", [sf.GaussianNB(), sf.GaussianDiscriminant(temper=None, prior=VECTORS)], ids=repr)
@pytest.mark.parametrize("far", [10.0, 1e3, 1e5, 1e7])
def test_rows_can_go_one_by_one_without_a_trace(model: Any, far: float) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(20, 3))
        X[:, 1] = (X[:, 0], 7.25, X[:, 1], X[:, 1])[seed]  # a copy of another column; a constant
        X[0] *= far
        y = np.repeat([0, 1], [14, 6])
        left = clone(model).fit(X, y)
        for i in range(14):
            left.forget(X[[i]], y[[i]], drop_views=True)
        assert left.classes_.tolist() == [1]
