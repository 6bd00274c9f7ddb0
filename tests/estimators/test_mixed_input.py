"""Any table in, whatever the library and the order of its columns."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import suffice as sf
from estimators.mixed import every_kind, labels
from estimators.plain import NaiveBayes
from refusals import refused
from suffice.errors import InputError, KindError

HERE = __file__


def holey() -> tuple[dict[str, list[Any]], list[str]]:
    """Return every kind of column with missing values, and labels in words."""
    table, y = every_kind()
    for place, name in enumerate(table):
        table[name] = [None if i % 9 == place else value for i, value in enumerate(table[name])]
    return table, [f"class {label}" for label in y]


def numpy_backed(table: dict[str, list[Any]]) -> Any:
    return pd.DataFrame({name: pd.Series(column, dtype=object).infer_objects() for name, column in table.items()})


LIBRARIES: dict[str, Any] = {
    "pandas": numpy_backed,
    "pandas objects": lambda table: pd.DataFrame(table, dtype=object),
    "pandas nullable": lambda table: pd.DataFrame(table, dtype=object).convert_dtypes(),
    "pandas pyarrow": lambda table: pa.table(table).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "polars categories": lambda table: pl.DataFrame(table).with_columns(pl.col("categorical").cast(pl.Categorical)),
    "pyarrow": pa.table,
    "pyarrow chunks": lambda table: pa.concat_tables([pa.table(table).slice(0, 7), pa.table(table).slice(7)]),
}


def test_the_same_data_are_the_same_model() -> None:
    each_columns: Any = ["auto", {"histogram": "histogram", "text": "text"}]
    for columns in each_columns:
        for library in LIBRARIES:
            table, y = holey()
            plain = NaiveBayes(columns).fit(table, y)
            frame = LIBRARIES[library](table)
            fitted = NaiveBayes(columns).fit(frame, y)
            assert fitted.columns_ == plain.columns_
            np.testing.assert_array_equal(fitted.predict_log_proba(table), plain.predict_log_proba(table))
            np.testing.assert_array_equal(fitted.predict_log_proba(frame), plain.predict_log_proba(table))


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_target_may_be_a_column(library: str) -> None:
    table, y = holey()
    plain = NaiveBayes().fit(table, y)
    frame = LIBRARIES[library](table | {"label": y})
    for fitted in (NaiveBayes().fit(frame, "label"), NaiveBayes().fit(frame, target="label")):
        assert "label" not in fitted.columns_
        np.testing.assert_array_equal(fitted.predict_log_proba(frame), plain.predict_log_proba(table))  # silently
        assert fitted.partial_fit(frame, "label").class_count_.sum() == 2 * len(y)


def test_labels_of_any_type() -> None:
    x, words = {"x": [1.5, 2.0, 3.0, 4.0]}, ["v", "u", "v", "u"]
    for y in (words, np.array(words), np.array(words, object), pd.Series(words), pl.Series(words), pa.array(words)):
        assert NaiveBayes().fit(x, y).classes_.tolist() == ["u", "v"]
    for y in (pd.Series(words, dtype="category"), pl.Series(words, dtype=pl.Enum(["w", "v", "u"]))):
        assert NaiveBayes().fit(x, y).classes_.tolist() == ["u", "v"]
    assert NaiveBayes().fit(x, [True, False, True, False]).classes_.dtype == bool
    assert NaiveBayes().fit(x, [2.0, 1.0, 2.0, 1.0]).classes_.tolist() == [1.0, 2.0]
    assert NaiveBayes().fit(x, pd.array([5, 3, 5, 3], dtype="Int64")).classes_.tolist() == [3, 5]


def test_arrays_and_sparse_matrices_and_lists() -> None:
    y = labels()
    X = np.random.default_rng(0).poisson(1, (60, 4)) * (y[:, None] + 0.5)
    expected = NaiveBayes().fit(X, y).predict_log_proba(X)
    X.setflags(write=False)
    for other in (X.tolist(), np.asfortranarray(X), sparse.csr_matrix(X), sparse.csc_array(X), X[::-1][::-1]):
        fitted = NaiveBayes().fit(other, y)
        np.testing.assert_array_equal(fitted.predict_log_proba(other), expected)
        np.testing.assert_array_equal(fitted.predict_log_proba(X), expected)
    frame = pd.DataFrame(X)
    np.testing.assert_array_equal(NaiveBayes().fit(frame, y).predict_log_proba(frame[[2, 0, 3, 1]]), expected)


def test_names_and_places() -> None:
    y = labels()
    X = np.random.default_rng(0).normal(size=(60, 2)) + y[:, None]
    frame = pd.DataFrame(X, columns=["b", "a"])
    named, placed = NaiveBayes().fit(frame, y), NaiveBayes().fit(X, y)
    expected = placed.predict_log_proba(X)
    np.testing.assert_array_equal(named.predict_log_proba(frame[["a", "b"]]), expected)
    with pytest.warns(UserWarning, match="X does not have valid feature names") as caught:
        np.testing.assert_array_equal(named.predict_log_proba(X), expected)
    with pytest.warns(UserWarning, match="X has feature names, but NaiveBayes was fitted without") as told_too:
        np.testing.assert_array_equal(placed.predict_log_proba(frame), expected)
    assert [w.filename for w in [*caught, *told_too]] == [HERE] * 2
    assert named.feature_names_in_.tolist() == ["b", "a"]
    assert not hasattr(placed, "feature_names_in_")


def test_extra_and_missing_columns_are_warned_of_once() -> None:
    table, y = {"a": [1.5, 2.0, 3.0, 4.5], "b": ["x", "y"] * 2, "c": [True, False] * 2}, [0, 1, 0, 1]
    fitted = NaiveBayes().fit(table, y)
    extra = table | {"d": [1] * 4, "e": [object()] * 4}
    for ask in (fitted.predict, fitted.predict_proba, fitted.predict_log_proba, fitted.predict_joint_log_proba):
        with pytest.warns(UserWarning, match="Columns") as caught:
            ask(extra)
        assert [str(w.message) for w in caught] == ["Columns ignored, unknown to the model: 'd', 'e'."]
        assert caught[0].filename == HERE
    with pytest.warns(UserWarning, match="Columns") as caught:
        got = fitted.predict_log_proba({"b": table["b"]})
    assert [str(w.message) for w in caught] == [
        "Columns missing from the table, treated as missing in every row: 'a', 'c'."
    ]
    np.testing.assert_array_equal(got, fitted.predict_log_proba({"a": [None] * 4, "b": table["b"], "c": [None] * 4}))
    with pytest.warns(UserWarning, match="ignored, unknown to the model: 'd'") as caught:
        fitted.partial_fit(table | {"d": [1] * 4}, y)
    assert [w.filename for w in caught] == [HERE]
    many = {f"x{i}": [0] * 4 for i in range(8)}
    with pytest.warns(UserWarning, match="'x0', 'x1', 'x2', 'x3', 'x4' and 3 more"):
        fitted.predict(table | many)


def test_whole_numbers_may_be_names() -> None:
    frame = pd.DataFrame({7: [1.5, 2.0, 3.0, 4.5], 3: ["x", "y"] * 2})
    fitted = NaiveBayes({3: "categorical"}).fit(frame, [0, 1, 0, 1])
    with pytest.warns(UserWarning, match="Columns") as caught:
        got = fitted.predict_log_proba(pd.DataFrame({9: [1.0], 3: ["x"]}))
    assert [str(w.message) for w in caught] == [
        "Columns ignored, unknown to the model: 9.",
        "Columns missing from the table, treated as missing in every row: 7.",
    ]
    row: dict[int, list[str | None]] = {7: [None], 3: ["x"]}
    np.testing.assert_array_equal(got, fitted.predict_log_proba(row))
    tuples = pd.DataFrame({("a", "b"): [1.5, 2.0, 3.0, 4.5], ("a", "c"): ["x", "y"] * 2})
    assert NaiveBayes().fit(tuples, target=("a", "c")).classes_.tolist() == ["x", "y"]


def test_categories_are_known_by_name_not_by_code() -> None:
    y = ["u", "v", "u", "v"]
    some = pd.DataFrame({"x": pd.Categorical(["b", "c", "b", "c"], categories=["z", "c", "b", "a"])})
    fitted = NaiveBayes(unseen="error").fit(some, y)
    assert fitted.statistics_["x"].values.tolist() == ["b", "c"]
    other = pd.DataFrame({"x": pd.Categorical(["c", "b"], categories=["b", "c", "unused"])})
    assert fitted.predict(other).tolist() == ["v", "u"]
    numbers = pd.DataFrame({"x": pd.Categorical([30, 10, 30, 10])})
    assert NaiveBayes().fit(numbers, y).predict({"x": [10, 30]}).tolist() == ["v", "u"]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint8, np.uint64, np.int64])
def test_whole_numbers_of_any_width(dtype: Any) -> None:
    bounds = np.iinfo(dtype)
    x = np.array([bounds.min, bounds.max, 0, 5] * 10, dtype)
    y = x > 4
    assert NaiveBayes().fit({"x": x}, y).score({"x": x}, y) >= 0.75
    if bounds.bits < 64:
        assert NaiveBayes({"x": "categorical"}).fit({"x": x}, y).score({"x": x}, y) == 1
    else:
        worst = max(bounds.max, bounds.min, key=abs)
        with pytest.raises(ValueError, match=rf"Column 'x' must hold numbers below 2\*\*53 .*; got {worst}\."):
            NaiveBayes({"x": "categorical"}).fit({"x": x}, y)
    wide = NaiveBayes().fit({"x": np.arange(2**60, 2**60 + 10**18, 10**16)}, [0] * 50 + [1] * 50)
    assert wide.predict({"x": [2**60, 2**60 + 10**18]}).tolist() == [0, 1]


@pytest.mark.parametrize("scale", [5e-324 * 2**45, 1e-300, 1e-160])
def test_numbers_whose_squares_vanish_are_refused(scale: float) -> None:
    x = np.concatenate([np.arange(1, 100), -np.arange(1, 100)]) * scale
    with pytest.raises(
        ValueError, match=r"Column 'x' must hold numbers that are equal or differ by at least 2\*\*-500"
    ):
        NaiveBayes().fit({"x": x}, x > 0)


@pytest.mark.parametrize("scale", [1e-140, 1e160, 1e300])
def test_numbers_of_any_size(scale: float) -> None:
    x = np.concatenate([np.arange(1, 100), -np.arange(1, 100)]) * scale
    fitted = NaiveBayes().fit({"x": x}, x > 0)
    assert fitted.score({"x": x}, x > 0) == 1


def test_narrow_beside_wide() -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([-1e10 * rng.random(100), 1e-9 * rng.random(100), [1e300, -1e300, 1e-300]])
    for y in (x > 0, rng.integers(0, 2, len(x))):
        assert np.isfinite(NaiveBayes().fit({"x": x[:200]}, y[:200]).predict_log_proba({"x": x[:200]})).all()
        assert np.isfinite(NaiveBayes().fit({"x": x}, y).predict_log_proba({"x": x})).all()


def test_texts_without_words() -> None:
    fitted = NaiveBayes({"t": "text"}).fit({"t": ["", " ", "", ""]}, [0, 1, 0, 0])
    np.testing.assert_allclose(fitted.predict_proba({"t": ["hello", ""]}), [[0.75, 0.25]] * 2)
    assert len(fitted.table("t")) == 0
    np.testing.assert_allclose(fitted.leave_one_out({"t": ["", " ", "", ""]}, [0, 1, 0, 0])[0], [2 / 3, 1 / 3])
    fitted.partial_fit({"t": ["hello world", "good bye"]}, [1, 0])
    assert fitted.predict({"t": ["hello"]}).tolist() == [1]


def test_one_row_and_one_class_and_one_value() -> None:
    row: dict[str, list[Any]] = {"a": [1.5], "b": ["x"], "c": [3], "d": [True]}
    assert NaiveBayes().fit(row, ["u"]).predict_proba(row).tolist() == [[1.0]]
    same = {name: column * 6 for name, column in row.items()}
    fitted = NaiveBayes().fit(same, ["u", "v"] * 3)
    np.testing.assert_allclose(fitted.predict_proba(row), [[0.5, 0.5]])
    for name in same:
        assert len(fitted.table(name)) >= 2
    assert fitted.predict({name: [] for name in row}).shape == (0,)


def test_mixed_weights_do_not_drown_each_other() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=50)
    weights = np.where(np.arange(50) < 25, 1e12, 1e-6)
    assert np.isfinite(NaiveBayes().fit({"x": x}, x > 0, weights).predict_log_proba({"x": x})).all()


def test_a_power_of_two_changes_not_a_bit() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 200)
    x, wait = rng.normal(y, 1.0), rng.exponential(1.0 + y)
    kinds = {"x": "gaussian", "wait": "histogram"}
    plain = NaiveBayes(kinds).fit({"x": x, "wait": wait}, y)
    for factor in (2.0**-30, 0.5, 1024.0, 2.0**41):
        scaled = {"x": x * factor, "wait": wait * factor}
        again = NaiveBayes(kinds).fit(scaled, y)
        np.testing.assert_array_equal(again.predict_proba(scaled), plain.predict_proba({"x": x, "wait": wait}))
        np.testing.assert_array_equal(again.leave_one_out(scaled, y), plain.leave_one_out({"x": x, "wait": wait}, y))


def test_labels_that_are_a_column_are_not_learned_from() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "y": ["u", "v", "u", "v"]})
    model = NaiveBayes().fit(frame, frame["y"])
    assert list(model.columns_) == ["a"]
    assert model.score(frame, "y") == model.score(frame[["a"]], frame["y"])
    other = NaiveBayes().fit(frame, pd.Series(["u", "u", "v", "v"], name="y"))
    assert list(other.columns_) == ["a", "y"]


def test_what_is_said_of_columns_that_cannot_be() -> None:
    frame = {"a": [1.0, 2.0, 3.0, 4.0], "y": ["u", "v", "u", "v"]}
    with pytest.raises(InputError, match="'y', which is the target"):
        NaiveBayes(columns={"y": "drop"}).fit(frame, "y")
    kind: Any = sf.columns.Gaussian
    with pytest.raises(InputError, match=r"Did you mean Gaussian\(\)\?"):
        NaiveBayes(columns={"a": kind}).fit(frame, "y")
    wrong: Any = sf.Beta(1, 1)
    with refused(KindError, "Gaussian.prior", must="be a NormalInverseGamma"):
        sf.columns.Gaussian(prior=wrong)
