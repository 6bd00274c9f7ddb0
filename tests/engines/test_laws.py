"""Any engine, any partitioning, any number of workers: the local fit, to the bit where it counts."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import suffice as sf
from engines.clusters import Dask, Spark, every_engine, quiet
from laws.estimators import ESTIMATORS, LABELS, EstimatorCase, mixed, one_of_each_kind, texts
from laws.inside import chosen, statistics
from laws.test_estimators import assert_same
from suffice.store import registry, to_bytes

pytestmark = quiet
ROWS = 60
few = settings(max_examples=3)
fewer = settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture])
cuts_of_rows = st.lists(st.integers(0, ROWS), max_size=6)

CASES = [
    case
    for case in ESTIMATORS
    if type(case.model) in registry.ESTIMATORS.values() and not case.model._needs_all_rows()  # which is refused
]
NAMES = {
    *("CategoricalNB by name", "DirichletMultinomialNB", "GaussianNB", "MultinomialNB evidence"),
    *("GaussianDiscriminant full", "NaiveBayes", "NaiveBayes joint", "TextClassifier", "TextClassifier hashed"),
}
"""One of each kind: a job of Spark takes half a second."""


def table_of(case: EstimatorCase, seed: int) -> tuple[Any, Any]:
    """Return a table with labels, and what the estimator takes for X."""
    X, y = case.data(seed, ROWS)
    if isinstance(X, list):
        return pa.table({"text": X, "label": y}), X
    columns = X if isinstance(X, dict) else {f"x{j}": X[:, j] for j in range(X.shape[1])}
    features = pa.table(columns)
    return features.append_column("label", pa.array(y)), features


def assert_the_local_fit(case: EstimatorCase, engine: Any, cuts: list[int], seed: int) -> None:
    table, X = table_of(case, seed)
    local = clone(case.model).fit(X, table["label"].to_numpy())
    there = engine.fit(clone(case.model), engine.split(table, cuts), "label")
    assert_same(case, there, local, X)
    assert there.get_params() == local.get_params()
    assert there.skipped_rows_ == 0
    assert_near(statistics(there), statistics(local))


def assert_near(got: Any, expected: Any) -> None:
    """Check that counts are equal, and moments to 1e-12."""
    if isinstance(expected, dict):
        assert list(got) == list(expected)
        for name in expected:
            assert_near(got[name], expected[name])
    elif isinstance(expected, sf.stats.DiagonalMoments | sf.stats.FullMoments):
        for name in ("n", "mean", "scatter"):
            mine, theirs = getattr(got, name), getattr(expected, name)
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12 * np.abs(theirs).max())
    else:
        assert got == expected


@pytest.mark.parametrize("case", one_of_each_kind(CASES), ids=str)
@few
@given(cuts=cuts_of_rows, seed=st.integers(0, 5))
def test_every_estimator_on_dask(case: EstimatorCase, cuts: list[int], seed: int) -> None:
    assert_the_local_fit(case, Dask(), cuts, seed)


@every_engine
@pytest.mark.parametrize("case", [case for case in CASES if str(case) in NAMES], ids=str)
@fewer
@given(cuts=cuts_of_rows, seed=st.integers(0, 5))
def test_any_partitioning_is_the_local_fit(engine: Any, case: EstimatorCase, cuts: list[int], seed: int) -> None:
    assert_the_local_fit(case, engine, cuts, seed)


def many(seed: int, n: int = 300) -> Any:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    columns = {**mixed(rng, n, codes), "body": texts(rng, n, codes)}
    return pa.table({**columns, "label": LABELS[codes]})


@every_engine
@pytest.mark.parametrize("cuts", [[], [0, 10, 10, 250, 300]], ids=["one", "skewed"])
def test_models_of_columns_are_chosen_as_in_memory(engine: Any, cuts: list[int]) -> None:
    table = many(0)
    features = table.drop_columns(["label"])
    local = sf.NaiveBayes(temper=None, feature_powers=None).fit(features, table["label"].to_numpy())
    there = engine.fit(sf.NaiveBayes(temper=None, feature_powers=None), engine.split(table, cuts), "label")
    assert there.columns_ == local.columns_
    assert_near(statistics(there), statistics(local))
    np.testing.assert_allclose(there.predict_proba(features), local.predict_proba(features), rtol=1e-9)


@pytest.mark.thorough
@quiet
def test_what_is_chosen_by_rows_is_the_same_on_any_engine(spark: Any) -> None:
    table = many(1).select(["body", "label"])
    models = [
        engine.fit(sf.TextClassifier(ridge=1.0), engine.split(table, cuts), "label")
        for engine, cuts in ((Dask(), []), (Dask(), [7, 7, 200]), (Spark(spark), [100, 290]))
    ]
    assert {"alpha", "temper", "weights"} <= set(chosen(models[0]))
    assert len({to_bytes(model) for model in models}) == 1
    assert not models[0].stale_


@every_engine
def test_views_are_those_of_the_same_rows_in_memory(engine: Any) -> None:
    """Temper and weights of few rows hardly depend on their order, which is all that differs."""
    table = many(2)
    features = table.drop_columns(["label", "body"])
    there = engine.fit(sf.NaiveBayes(ridge=1.0), engine.split(table.drop_columns(["body"]), [40, 90]), "label")
    local = sf.NaiveBayes(ridge=1.0).fit(features, table["label"].to_numpy())
    assert there.temper_.power == pytest.approx(local.temper_.power, rel=1e-6)
    assert there.feature_powers_ == pytest.approx(local.feature_powers_, abs=1e-4)


@every_engine
def test_a_prior_that_rows_choose(engine: Any) -> None:
    case = next(case for case in CASES if str(case) == "GaussianDiscriminant full")
    table, X = table_of(case, 1)
    there = engine.fit(sf.GaussianDiscriminant(), engine.split(table, [7, 30]), "label")
    again = engine.fit(sf.GaussianDiscriminant(), engine.split(table, [50]), "label")
    assert "prior" in chosen(there)
    assert set(chosen(sf.GaussianDiscriminant().fit(X, table["label"].to_numpy()))) == set(chosen(there))
    np.testing.assert_allclose(there.predict_proba(X), again.predict_proba(X), rtol=1e-9)


@every_engine
def test_the_model_goes_on_learning_forgets_and_is_a_file(engine: Any, tmp_path: Any) -> None:
    table = many(3).select(["body", "label"])
    X, y = table["body"].to_pylist(), table["label"].to_numpy()
    model = engine.fit(sf.TextClassifier(effort="fast"), engine.split(table, [50]), "label", "body")
    sf.save(model, tmp_path / "m.suffice")
    again = sf.load(tmp_path / "m.suffice")
    again.forget(X[:100], y[:100])
    assert again.counts_ == sf.TextClassifier(effort="fast").fit(X[100:], y[100:]).counts_
    again.partial_fit(X[:100], y[:100])
    assert again.counts_ == model.counts_


@every_engine
@pytest.mark.parametrize("labels", [[0, 1, 1, 0], [True, False, True, True], ["b", "a", "b", "c"]], ids=str)
def test_predictions_are_those_of_the_model(engine: Any, labels: list[Any]) -> None:
    table = pa.table({"x": [0, 3, 4, 1], "z": [5, 0, 1, 4], "label": labels})
    X = table.select(["x", "z"])
    model = sf.MultinomialNB().fit(X, np.array(labels))
    answers = engine.predict(model, engine.split(table, [1, 1, 3]))
    assert answers.column_names[:3] == table.column_names
    assert answers["prediction"].to_pylist() == model.predict(X).tolist()
    np.testing.assert_array_equal(answers["probability"].to_numpy(), model.predict_proba(X).max(axis=1))
    if engine.name == "spark":
        assert np.array_equal(np.array(answers["probabilities"].to_pylist()), model.predict_proba(X))
    else:
        every = [answers[f"p_{label}"].to_numpy() for label in model.classes_]
        assert np.array_equal(np.column_stack(every), model.predict_proba(X))
