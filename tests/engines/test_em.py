"""EM whose steps are passes: on any engine, however rows are cut, what EM in memory comes to."""

import warnings
from pathlib import Path
from typing import Any, Literal

import dask.array as da
import dask.bag as db
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln, logsumexp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import suffice as sf
from engines.clusters import Dask, Spark, every_engine, quiet
from engines.test_laws import cuts_of_rows, fewer, table_of
from laws.estimators import ESTIMATORS, EstimatorCase
from laws.inside import chosen
from suffice.engines import dask
from suffice.errors import DataError, InputError, KindError, LabelError
from suffice.stats.content import with_labels
from suffice.store import from_bytes, to_bytes
from suffice.text import text_hashes

pytestmark = [quiet, pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")]
ROWS = 60
ONE_OF_EACH = ("TextClassifier", "NaiveBayes", "MultinomialNB", "GaussianDiscriminant full")
NAMES = (*ONE_OF_EACH, "CategoricalNB by name", "GaussianNB", "NaiveBayes joint", "TextClassifier hashed")
CASES = {case.name: case for case in ESTIMATORS if case.name in NAMES}
from_array: Any = da.from_array
from_sequence: Any = db.from_sequence


def partly(case: EstimatorCase, seed: int) -> tuple[Any, Any, list[Any]]:
    """Return a table of which every third row has a label, what the estimator takes for X, and the labels."""
    table, X = table_of(case, seed)
    labels = [label if i % 3 == 0 else None for i, label in enumerate(table["label"].to_pylist())]
    return table.drop_columns(["label"]).append_column("label", pa.array(labels)), X, labels


def assert_the_local_fit(name: str, engine: Any, cuts: list[int], seed: int, **parameters: Any) -> Any:
    table, X, labels = partly(CASES[name], seed)
    model = sf.SemiSupervised(clone(CASES[name].model), **{"max_iter": 3, "tol": 0.0, **parameters})
    local = clone(model).fit(X, labels)
    there = engine.fit(model, engine.split(table, cuts), "label")
    assert there is model
    assert_same(there, local, X)
    assert there.skipped_rows_ == 0
    assert not hasattr(there, "transduction_")
    return there


def assert_same(there: Any, local: Any, X: Any) -> None:
    assert there.objective_ == pytest.approx(local.objective_, rel=1e-9)
    assert hasattr(there, "bound_") == hasattr(local, "bound_") == local.record_bound
    if local.record_bound:
        assert there.bound_ == pytest.approx(local.bound_, rel=1e-9, nan_ok=True)
    assert (there.n_iter_, there.converged_) == (local.n_iter_, local.converged_)
    assert np.array_equal(there.estimator_.classes_, local.estimator_.classes_)
    np.testing.assert_allclose(there.predict_proba(X), local.predict_proba(X), rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    "name", [*ONE_OF_EACH, *(pytest.param(name, marks=pytest.mark.thorough) for name in NAMES[len(ONE_OF_EACH) :])]
)
@settings(max_examples=3)
@given(cuts=cuts_of_rows, seed=st.integers(0, 5), weight=st.sampled_from([1.0, 0.3]))
def test_any_partitioning_on_dask(name: str, cuts: list[int], seed: int, weight: float) -> None:
    assert_the_local_fit(name, Dask(), cuts, seed, unlabelled_weight=weight)


@every_engine
@pytest.mark.parametrize("name", ONE_OF_EACH)
@fewer
@given(cuts=cuts_of_rows, seed=st.integers(0, 5))
def test_any_partitioning_is_the_local_fit(engine: Any, name: str, cuts: list[int], seed: int) -> None:
    assert_the_local_fit(name, engine, cuts, seed, max_iter=1)


@every_engine
def test_the_bound_is_that_of_the_local_fit(engine: Any) -> None:
    model = assert_the_local_fit("MultinomialNB", engine, [17, 40], 3, unlabelled_weight=0.3, record_bound=True)
    assert np.isfinite(model.bound_[:-1]).all()


@every_engine
def test_parts_without_labels_without_rows_and_without_anything_else(engine: Any) -> None:
    """Labels first, then rows without: each part has only one kind of rows, and one has none."""
    table, X = table_of(CASES["MultinomialNB"], 2)
    labels = [*table["label"].to_pylist()[:20], *[None] * 40]
    model = sf.SemiSupervised(sf.MultinomialNB(), max_iter=2, tol=0.0)
    local = clone(model).fit(X, labels)
    data = table.drop_columns(["label"]).append_column("label", pa.array(labels))
    assert_same(engine.fit(model, engine.split(data, [20, 20, 50]), "label"), local, X)


@every_engine
def test_models_of_columns_are_chosen_as_in_memory(engine: Any) -> None:
    table, X, labels = partly(CASES["NaiveBayes"], 3)
    model = sf.SemiSupervised(sf.NaiveBayes(temper=None, feature_powers=None), max_iter=2, tol=0.0)
    local = clone(model).fit(X, labels)
    there = engine.fit(model, engine.split(table, [11, 40]), "label")
    assert there.estimator_.columns_ == local.estimator_.columns_
    assert_same(there, local, X)
    assert there.estimator_.get_params() == local.estimator_.get_params()
    again = from_bytes(to_bytes(there))
    assert np.array_equal(again.predict_proba(X), there.predict_proba(X))


def test_what_is_chosen_by_rows_is_chosen_by_labelled_ones() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 240)
    body = CASES["TextClassifier"].rows(rng, 240, codes)
    labels = [str(c) if i % 4 else None for i, c in enumerate(codes.tolist())]
    table = pa.table({"body": body, "label": pa.array(labels)})
    X, y = table["body"].to_pylist(), table["label"].to_pylist()
    model = sf.SemiSupervised(sf.TextClassifier(), unlabelled_weight="loo", max_iter=2)
    local = clone(model).fit(X, y)
    there = Dask().fit(model, Dask().split(table, [50, 170]), "label")
    assert {"alpha", "temper"} <= set(chosen(there.estimator_)) == set(chosen(local.estimator_))
    assert there.losses_ == pytest.approx(local.losses_, rel=1e-9)
    assert there.unlabelled_weight_ == local.unlabelled_weight_
    assert there.estimator_.alpha_ == pytest.approx(local.estimator_.alpha_)
    assert there.objective_ == pytest.approx(local.objective_, rel=1e-9)
    np.testing.assert_allclose(there.predict_proba(X), local.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("gap", [-1, np.nan], ids=str)
def test_arrays_with_labels_of_numbers(gap: float) -> None:
    X, y = CASES["GaussianNB"].data(4, ROWS, np.array([3, 5, 7]))
    some = np.where(np.arange(ROWS) % 3, gap, y)
    local = sf.SemiSupervised(sf.GaussianNB(), max_iter=3, tol=0.0).fit(X, some)
    there = dask.fit(sf.SemiSupervised(sf.GaussianNB(), max_iter=3, tol=0.0), from_array(X, 20), from_array(some, 20))
    assert_same(there, local, X)
    assert there.classes_.dtype == local.classes_.dtype == some.dtype
    assert there.predict(X).tolist() == local.predict(X).tolist()


def test_partitions_are_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suffice.engines.jobs.AT_ONCE", 7)
    assert_the_local_fit("NaiveBayes", Dask(), [3, 5, 8], 2)


def test_truth_values_as_labels() -> None:
    table = pa.table({"x": [0.0, 9.0, 1.0, 8.0, 0.5], "label": pa.array([True, False, None, None, None])})
    model = Dask().fit(sf.SemiSupervised(sf.NaiveBayes({"x": "gaussian"})), Dask().split(table, [2]), "label")
    assert model.classes_.tolist() == [False, True]
    assert model.predict({"x": [0.2, 7.0]}).tolist() == [True, False]


LARGE = 2**63
WORDS = pa.array([f"c{i:03}" for i in range(128)])


@pytest.mark.parametrize(
    "labels",
    [
        pa.array(["x\0", "x", "x", "b", "b", "b", None, None] * 16),
        pa.array([LARGE, LARGE + 1, LARGE + 2, LARGE + 2, None, LARGE, LARGE, LARGE + 1] * 16, pa.uint64()),
        pa.DictionaryArray.from_arrays(pa.array([*range(128)], pa.int8()), WORDS),
    ],
    ids=["words that numpy has for one", "large numbers", "a dictionary that is full"],
)
def test_labels_of_all_kinds(labels: Any) -> None:
    table = pa.table({"x": np.random.default_rng(0).normal(size=384), "label": pa.chunked_array([labels] * 3)})
    if pa.types.is_dictionary(labels.type):
        gaps = pa.DictionaryArray.from_arrays(pa.array([*range(120), *[None] * 8], pa.int8()), WORDS)
        table = table.set_column(1, "label", pa.chunked_array([labels, labels, gaps]))
    model, X = sf.SemiSupervised(sf.GaussianNB(var_smoothing=0.1), max_iter=3, tol=0.0), table.select(["x"])
    local = clone(model).fit(X, table["label"].to_pylist())
    there = Dask().fit(model, Dask().split(table, [100]), "label", "x")
    assert_same(there, local, X)
    np.testing.assert_allclose(there.estimator_.class_count_, local.estimator_.class_count_)


def test_a_bag_whose_labels_come_late() -> None:
    texts = ["cheap pills", "noon in the park", "pills on sale", "lunch at noon", "cheap watches on sale"]
    labels = [None, None, None, "ham", "spam"]
    bag = from_sequence([{"text": t, "label": y} for t, y in zip(texts, labels, strict=True)], npartitions=5)
    plain: dict[str, Any] = {"alpha": 1.0, "temper": None, "feature_powers": None}
    model = dask.fit(sf.SemiSupervised(sf.TextClassifier(**plain)), bag, "label")
    assert_same(model, sf.SemiSupervised(sf.TextClassifier(**plain)).fit(texts, labels), texts)
    answers = dask.predict(model, from_sequence(texts)).compute(scheduler="threads")
    assert [one["prediction"] for one in answers] == ["spam", "ham", "spam", "ham", "spam"]


def poisoned() -> tuple[Any, Any]:
    """Return rows of which the 37th cannot be counted, and the places of the others."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 50)
    n, m = rng.poisson(1 + 5 * codes).astype(float), rng.poisson(6 - 5 * codes).astype(float)
    n[37] = -1.0
    labels = [str(c) if i < 20 else None for i, c in enumerate(codes.tolist())]
    return pa.table({"n": n, "m": m, "label": pa.array(labels)}), np.delete(np.arange(50), 37)


@every_engine
def test_a_poisoned_row_is_named_or_skipped_in_every_pass(engine: Any) -> None:
    table, good = poisoned()
    data, rows = engine.split(table, [20, 30, 50]), table.take(pa.array(good))
    model = sf.SemiSupervised(sf.MultinomialNB(), max_iter=2)
    with pytest.raises(DataError, match=r"row 7 of partition 2 cannot: .*egative"):
        engine.fit(model, data, "label")
    assert not hasattr(model, "estimator_")
    engine.fit(model, data, "label", errors="skip")
    assert model.skipped_rows_ == 1
    X = rows.select(["n", "m"])
    assert_same(model, clone(model).fit(X, rows["label"].to_pylist()), X)


def test_a_poisoned_row_is_in_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suffice.engines.em.ROWS", 25)
    data = Dask().split(poisoned()[0], [20, 30, 50])
    model = sf.Mixture(sf.MultinomialNB(), random_state=0, n_init=1, max_iter=3)
    with pytest.raises(DataError, match=r"row 7 of partition 2 cannot: .*egative"):
        dask.fit(model, data, "label")
    dask.fit(model, data, "label", errors="skip")
    assert model.skipped_rows_ == 1
    assert model.estimator_.class_count_.sum() == pytest.approx(49)
    assert np.isfinite(model.objective_).all()


@every_engine
def test_clusters_of_few_rows_are_those_of_the_same_rows_in_memory(engine: Any) -> None:
    table, _ = table_of(CASES["TextClassifier"], 5)
    table = table.select(["text"])
    model = sf.Mixture(sf.TextClassifier(min_df=2), 3, n_init=2, max_iter=4, random_state=0)
    nothing = np.array([None]), np.zeros(len(table), np.int64)
    hashes = with_labels(text_hashes(table["text"]), *nothing)
    ordered = table.take(pa.array(np.argsort(hashes, kind="stable")))["text"].to_pylist()
    local = clone(model).fit(ordered)
    there = engine.fit(model, engine.split(table, [0, 17, 17]))
    assert_same(there, local, ordered)
    assert there.estimator_.words_.tolist() == local.estimator_.words_.tolist()
    assert not hasattr(there, "labels_")


def blocks(n: int = 400) -> Any:
    """Return flags of three kinds of rows."""
    rng = np.random.default_rng(0)
    kinds = np.kron(np.eye(3), np.ones((1, 4)))
    return (rng.random((n, 12)) < 0.1 + 0.75 * kinds[rng.integers(0, 3, n)]).astype(int)


def assert_settled(mixture: Any, X: Any) -> None:
    """Check by hand that the rows' shares give the model, and the objective ln p of rows and flags ~ Beta(2, 2)."""
    on, off = mixture.estimator_.feature_log_prob_, np.log1p(-np.exp(mixture.estimator_.feature_log_prob_))
    joint = X @ on.T + (1 - X) @ off.T + np.log(mixture.weights_)
    shares = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    n = shares.sum(axis=0)
    np.testing.assert_allclose(np.exp(on), (shares.T @ X + 1) / (n[:, None] + 2), atol=1e-6)
    np.testing.assert_allclose(mixture.weights_, n / len(X), atol=1e-6)
    prior = (on + off - betaln(2, 2)).sum()
    assert mixture.objective_[-1] == pytest.approx(logsumexp(joint, axis=1).sum() + prior, rel=1e-9)


@every_engine
def test_clusters_of_more_rows_than_are_kept(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starts are made by some rows, and the steps go on over all, to where a fit in memory ends."""
    monkeypatch.setattr("suffice.engines.em.ROWS", 60)
    X = blocks()
    table = pa.table({f"x{j}": X[:, j] for j in range(12)})
    model = engine.fit(
        sf.Mixture(sf.BernoulliNB(), 3, random_state=0, tol=1e-10, max_iter=30), engine.split(table, [9, 9, 300])
    )
    assert model.converged_
    assert model.estimator_.class_count_.sum() == pytest.approx(400)
    assert_settled(model, X)
    local = sf.Mixture(sf.BernoulliNB(), 3, random_state=0, tol=1e-10).fit(table)
    assert model.objective_[-1] == pytest.approx(local.objective_[-1], rel=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("criterion", ["bic", "evidence"])
def test_how_many_clusters(criterion: Literal["bic", "evidence"], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suffice.engines.em.ROWS", 100)
    X = blocks()
    table = pa.table({f"x{j}": X[:, j] for j in range(12)})
    options: dict[str, Any] = {"max_components": 4, "random_state": 0, "n_init": 2, "tol": 1e-8}
    local = sf.Mixture(sf.BernoulliNB(), criterion, **options).fit(table)
    there = Dask().fit(sf.Mixture(sf.BernoulliNB(), criterion, **options), Dask().split(table, [150]))
    assert there.n_components_ == local.n_components_ == 3
    for k in (1, 3):  # four clusters of three kinds of rows end in one of many ways
        assert there.criterion_[k] == pytest.approx(local.criterion_[k], rel=1e-6)


def test_clusters_of_tables_with_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that no kept row has are known all the same."""
    monkeypatch.setattr("suffice.engines.em.ROWS", 8)
    table, _ = table_of(CASES["NaiveBayes"], 6)
    note = pa.array([f"{text or ''} w{i}" for i, text in enumerate(table["note"].to_pylist())])
    table = table.set_column(table.column_names.index("note"), "note", note)
    model = sf.Mixture(clone(CASES["NaiveBayes"].model), 2, random_state=0, max_iter=3)
    there = Dask().fit(model, Dask().split(table, [20]), "label")
    words = there.estimator_.statistics_["note"].words.strings.tolist()
    assert {f"w{i}" for i in range(ROWS)} <= set(words)
    assert "label" not in there.estimator_.columns_
    assert there.estimator_.class_count_.sum() == pytest.approx(ROWS)


def test_arrays_and_bags_without_labels() -> None:
    X = blocks(60)
    model = dask.fit(sf.Mixture(sf.BernoulliNB(), 2, random_state=0), from_array(X, (25, 12)))
    assert dask.predict(model, from_array(X, (25, 12))).compute().tolist() == model.predict(X).tolist()
    texts = ["cheap pills", "lunch at noon", "pills", "noon"] * 3
    plain = sf.TextClassifier(alpha=1.0, temper=None, feature_powers=None)
    found = dask.fit(sf.Mixture(plain, 2, random_state=0), from_sequence(texts, npartitions=3)).predict(texts)
    assert found[:4].tolist() in ([0, 1, 0, 1], [1, 0, 1, 0])


def test_two_numbers_are_a_row_and_no_pair() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    mixture = sf.Mixture(sf.GaussianNB(), random_state=0)
    models = [
        dask.fit(clone(mixture), from_sequence([make(row) for row in X.tolist()], npartitions=2))
        for make in (tuple, list)
    ]
    assert [model.n_features_in_ for model in models] == [2, 2]
    assert np.array_equal(models[0].predict(X), models[1].predict(X))


@pytest.mark.thorough
def test_a_stage_of_a_spark_pipeline(spark: Any) -> None:
    from suffice.engines.spark import SparkSufficeEstimator

    table, X, labels = partly(CASES["MultinomialNB"], 1)
    inner = sf.SemiSupervised(sf.MultinomialNB(), max_iter=1)
    data = Spark(spark).split(table, [30])
    answers = SparkSufficeEstimator(inner, "label").fit(data).transform(data).toArrow()
    assert not hasattr(inner, "estimator_")
    assert answers["prediction"].to_pylist() == clone(inner).fit(X, labels).predict(X).tolist()


@every_engine
def test_steps_are_printed_and_an_early_end_is_warned_of(engine: Any, capsys: pytest.CaptureFixture[str]) -> None:
    table, X, labels = partly(CASES["MultinomialNB"], 1)
    model = sf.SemiSupervised(sf.MultinomialNB(), max_iter=1, tol=0.0, verbose=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        engine.fit(model, engine.split(table, [30]), "label")
    (warning,) = [one for one in caught if one.category is ConvergenceWarning]
    assert "SemiSupervised did not converge in max_iter=1" in str(warning.message)
    assert warning.filename.endswith("clusters.py")  # of the tests, which call the engine
    there = capsys.readouterr().err
    clone(model).fit(X, labels)
    assert there == capsys.readouterr().err
    assert there.count("[SemiSupervised] weight 1, step") == 2


def data_of(**columns: Any) -> Any:
    return Dask().split(pa.table(columns), [1])


COUNTS = {"n": [1, 2, 0], "m": [0, 1, 3]}


def test_what_is_refused() -> None:
    labels = {"label": ["a", None, "b"]}
    three: Any = 3
    with pytest.raises(KindError, match="must be a classifier of suffice"):
        dask.fit(sf.SemiSupervised(three), data_of(**COUNTS, **labels), "label")
    with pytest.raises(KindError, match="cannot learn without labels"):
        dask.fit(sf.Mixture(sf.ComplementNB()), data_of(**COUNTS))
    with pytest.raises(KindError, match="the function"):
        dask.fit(
            sf.SemiSupervised(sf.TextClassifier(tokens=sf.Tokens(tokenizer=str.split))),
            data_of(text=["a", "b", "c"], **labels),
        )
    with pytest.raises(InputError, match="errors"):
        dask.fit(sf.Mixture(sf.MultinomialNB()), data_of(**COUNTS), errors="ignore")
    with pytest.raises(InputError, match="must be at most the number of rows, 3; got 4"):
        dask.fit(sf.Mixture(sf.MultinomialNB(), 4), data_of(**COUNTS))


def test_labels_that_are_refused() -> None:
    model = sf.SemiSupervised(sf.MultinomialNB())
    with pytest.raises(LabelError, match=r"at least one row; all 3 are missing\. Use Mixture"):
        dask.fit(model, data_of(**COUNTS, label=pa.array([None] * 3, pa.string())), "label")
    with pytest.raises(LabelError, match="at least two classes"):
        dask.fit(model, data_of(**COUNTS, label=["a", None, None]), "label")
    with pytest.raises(
        DataError, match=r"row 0 of partition 0 cannot: The column of labels must hold words, numbers or True/False"
    ):
        dask.fit(model, data_of(**COUNTS, label=pa.array([0, 1, None], pa.date32())), "label")
    with pytest.raises(DataError, match="must hold rows; there are none"):
        dask.fit(model, Dask().split(pa.table({**COUNTS, "label": ["a", "b", "c"]}).slice(0, 0), [0]), "label")
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("most", [ROWS, 10**6])
def test_em_reads_files_again_and_again(most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, 200)
    labels = [["x", "y"][code] if known else None for code, known in zip(codes, rng.random(200) < 0.3, strict=True)]
    table = pa.table({"n": rng.normal(3.0 * codes), "label": labels})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=64)
    X = table.select(["n"])
    there = sf.fit_files(sf.SemiSupervised(sf.NaiveBayes()), tmp_path / "a.parquet")
    local = sf.SemiSupervised(sf.NaiveBayes()).fit(X, labels)
    assert there.objective_ == pytest.approx(local.objective_, rel=1e-9)
    assert there.estimator_.target_ == "label"
    monkeypatch.setattr("suffice.engines.em.ROWS", most)
    clusters = sf.Mixture(sf.GaussianNB(), random_state=0)
    found = sf.fit_files(clone(clusters), tmp_path / "a.parquet", "label")
    assert found.objective_[-1] == pytest.approx(clusters.fit(X).objective_[-1], abs=0.2)
    assert found.skipped_rows_ == 0
    with pytest.raises(InputError, match="'journal'"):
        sf.fit_files(clone(clusters), tmp_path / "a.parquet", "label", journal=True)
