"""Bags and Arrays, and what Dask shows of a fit; dataframes are in `test_laws.py`."""

from typing import Any

import dask.array as da
import dask.bag as db
import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

import suffice as sf
from engines.clusters import Dask
from laws.estimators import LABELS, counts, mixed, reals, texts
from suffice.engines import dask
from suffice.errors import DataError, InputError, KindError

ROWS = 90
PLAIN: dict[str, Any] = {"alpha": 1.0, "temper": None, "feature_powers": None}
from_array: Any = da.from_array
from_sequence: Any = db.from_sequence


def drawn(make: Any) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, ROWS)
    return make(rng, ROWS, codes), LABELS[codes]


@pytest.mark.parametrize("parts", [1, 4, 40])
def test_a_bag_of_pairs(parts: int) -> None:
    X, y = drawn(texts)
    bag = from_sequence(list(zip(X, y.tolist(), strict=True)), npartitions=parts)
    model = dask.fit(sf.TextClassifier(**PLAIN), bag)
    assert model.counts_ == sf.TextClassifier(**PLAIN).fit(X, y).counts_
    answers = dask.predict(model, from_sequence(X, npartitions=parts)).compute(scheduler="threads")
    assert [one["prediction"] for one in answers] == model.predict(X).tolist()
    assert [one["probability"] for one in answers] == model.predict_proba(X).max(axis=1).tolist()


def test_a_bag_of_records() -> None:
    X, y = drawn(mixed)
    records = [dict(zip([*X, "label"], row, strict=True)) for row in zip(*X.values(), y.tolist(), strict=True)]
    quick: dict[str, Any] = {"temper": None, "feature_powers": None}
    model = dask.fit(sf.NaiveBayes(**quick), from_sequence(records, npartitions=5), "label")
    local = sf.NaiveBayes(**quick).fit(X, y)
    assert model.columns_ == local.columns_
    np.testing.assert_allclose(model.predict_proba(X), local.predict_proba(X), rtol=1e-9)
    answers = dask.predict(model, from_sequence(records, npartitions=2)).compute(scheduler="threads")
    assert [one["prediction"] for one in answers] == local.predict(X).tolist()


def test_labels_that_are_whole_numbers_stay_so() -> None:
    bag = from_sequence([({"n": 1}["n"], 3), (2, 5)], npartitions=1).map(lambda pair: ([float(pair[0])], pair[1]))
    model = dask.fit(sf.GaussianNB(), bag)
    assert model.classes_.tolist() == [3, 5]
    assert model.classes_.dtype == np.int64


@pytest.mark.parametrize("chunks", [(90, 5), (20, 2), (1, 1)])
def test_an_array(chunks: tuple[int, int]) -> None:
    X, y = drawn(counts)
    rows = from_array(X, chunks=chunks)
    model = dask.fit(sf.MultinomialNB(temper="loo"), rows, from_array(y, chunks=30))
    local = sf.MultinomialNB(temper="loo").fit(X, y)
    assert (model.feature_count_ == local.feature_count_).all()
    assert model.temper_.power == pytest.approx(local.temper_.power)
    answers = dask.predict(model, rows)
    assert answers.dtype == local.classes_.dtype
    assert answers.compute().tolist() == local.predict(X).tolist()


def test_an_array_of_unknown_length_and_one_of_sparse_blocks() -> None:
    X, y = drawn(reals)
    rows, labels = from_array(X, chunks=(40, 3)), from_array(y, chunks=40)
    some = rows[:, 0] > 0
    model = dask.fit(sf.GaussianNB(), rows[some], labels[some])
    local = sf.GaussianNB().fit(X[X[:, 0] > 0], y[X[:, 0] > 0])
    np.testing.assert_allclose(model.theta_, local.theta_, rtol=1e-12)
    X, y = drawn(counts)
    blocks = from_array(X, chunks=(40, 5)).map_blocks(sparse.csr_matrix)
    model = dask.fit(sf.MultinomialNB(), blocks, from_array(y, chunks=40))
    assert (model.feature_count_ == sf.MultinomialNB().fit(X, y).feature_count_).all()


def test_a_value_of_another_kind_in_a_bag() -> None:
    pairs = [("red apple", "x"), ("blue sky", "y"), (17, "x"), ("sea", "y"), ("red", "x"), "torn"]
    bag = from_sequence(pairs, npartitions=2)
    with pytest.raises(DataError, match=r"row 2 of partition 0 cannot: .*errors='skip'"):
        dask.fit(sf.TextClassifier(), bag)
    model = dask.fit(sf.TextClassifier(), bag, errors="skip")
    assert model.skipped_rows_ == 2
    assert model.class_count_.tolist() == [2, 2]


def test_tasks_have_names_that_the_dashboard_groups() -> None:
    from dask.callbacks import Callback

    class Names(Callback):
        def _pretask(self, key: Any, dsk: Any, state: Any) -> None:
            seen.append(str(key))

    seen: list[str] = []
    table = pa.table({"text": ["red apple", "blue sky"] * 10, "label": ["x", "y"] * 10})
    start: Any = Names
    with start():
        dask.fit(sf.TextClassifier(**PLAIN), Dask().split(table, range(1, 20)), "label")
    assert sum(key.startswith("suffice-count-") for key in seen) == 20
    assert sum(key.startswith("suffice-merge-") for key in seen) == 3


@pytest.mark.parametrize(
    ("estimator", "arguments", "error", "said"),
    [
        (sf.TextClassifier(), {"target": "lable"}, InputError, "'target'.*Did you mean 'label'"),
        (sf.TextClassifier(), {"features": ["txt"]}, InputError, "'features'.*Did you mean 'text'"),
        (
            sf.TextClassifier(),
            {"features": ["more", "other"]},
            InputError,
            "one of 'more', 'other'; got none",
        ),
        (sf.TextClassifier(), {"features": ["label"]}, InputError, "other than the column of labels"),
        (sf.TextClassifier(), {"errors": "ignore"}, InputError, "'errors' must be 'raise' or 'skip'"),
        (
            sf.TextClassifier(tokens=sf.Tokens(tokenizer=str.split)),
            {"features": "text"},
            KindError,
            "'tokenizer'.*function 'split'",
        ),
        (
            sf.TextClassifier("complement", term_weighting=sf.TermWeighting(use_idf=True)),
            {"features": "text"},
            InputError,
            "all rows in memory",
        ),
        (sf.TextClassifier(alpha=-1.0), {"features": "text"}, ValueError, "alpha"),
        (
            sf.CountVectorizer(),
            {},
            KindError,
            "classifier of suffice that is fitted by counting; got a CountVectorizer",
        ),
        (sf.BernoulliNB(class_prior=[0.2, 0.3, 0.5]), {"features": "n"}, ValueError, "Number of priors"),
    ],
)
def test_arguments(estimator: Any, arguments: dict[str, Any], error: type[Exception], said: str) -> None:
    table = pa.table(
        {"text": ["a b", "c d"], "other": ["x", "z"], "more": ["x", "z"], "n": [0, 1], "label": ["p", "q"]}
    )
    with pytest.raises(error, match=said):
        dask.fit(estimator, Dask().split(table, [1]), **arguments)
    assert not hasattr(estimator, "classes_")


def test_what_em_has_fitted_predicts() -> None:
    X, y = drawn(counts)
    model = sf.SemiSupervised(sf.MultinomialNB()).fit(X, np.where(np.arange(ROWS) < 30, y, None))
    answers = dask.predict(model, from_array(X, chunks=(20, 5))).compute()
    assert answers.tolist() == model.predict(X).tolist()


def test_collections_that_are_none() -> None:
    with pytest.raises(KindError, match="dask DataFrame, Bag or Array; got a list"):
        dask.fit(sf.TextClassifier(), ["a"])
    with pytest.raises(InputError, match="dask Array of labels"):
        dask.fit(sf.GaussianNB(), from_array(np.ones((3, 2))), "label")
    with pytest.raises(DataError, match="the Bag has none"):
        dask.fit(sf.TextClassifier(), from_sequence([("a", "b")]).filter(lambda pair: False))
    model = sf.MultinomialNB().fit([[1, 2], [2, 1]], ["a", "b"])
    with pytest.raises(InputError, match="no column 'probability'"):
        dask.predict(model, Dask().split(pa.table({"x": [1], "probability": [1]}), []), ["x"])
    with pytest.raises(InputError, match="'errors'"):
        dask.predict(model, from_array(np.ones((3, 2))), errors="ignore")


def test_a_class_prior_of_all_classes_where_a_partition_has_one() -> None:
    table = pa.table({"n": [0, 1, 1, 0], "label": ["a", "b", "b", "a"]})
    model = dask.fit(sf.BernoulliNB(class_prior=[0.9, 0.1]), Dask().split(table, [1, 2, 3]), "label")
    assert model.class_log_prior_ == pytest.approx(np.log([0.9, 0.1]))


def test_a_column_that_no_row_of_the_sample_has_a_value_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suffice.engines.passes.ROWS", 1)
    rare = pa.array([None] * 50 + [2.5] * 2)
    table = pa.table({"x": np.arange(52) % 7, "rare": rare, "label": ["a", "b"] * 26})
    model = dask.fit(sf.NaiveBayes(temper=None, feature_powers=None), Dask().split(table, [20]), "label")
    assert model.columns_["rare"] == sf.columns.Histogram()
    assert model.statistics_["rare"].n.sum() == 2
