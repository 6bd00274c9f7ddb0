"""What holds for NaiveBayes whatever its columns: each law over every kind that can be declared, and over "auto"."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn.base import clone

import suffice as sf
from estimators.mixed import KINDS, every_kind, labels, model, rows_of, values_of
from estimators.plain import NaiveBayes
from suffice.errors import InputError
from suffice.readers.table_columns import BY_WORD

AUTO = [*KINDS, "auto"]
SPLITS = st.lists(st.integers(0, 3), min_size=60, max_size=60)


def one_column(kind: str, seed: int = 0) -> tuple[dict[str, list[Any]], Any, sf.NaiveBayes]:
    """Return values with gaps, labels, and the unfitted model."""
    y = labels()
    column = values_of("histogram" if kind == "auto" else kind, y, seed)
    return {"x": [None if i % 7 == 3 else v for i, v in enumerate(column)]}, y, NaiveBayes({"x": kind})


def same(a: Any, b: Any, table: Any, atol: float = 1e-9) -> None:
    assert a.columns_ == b.columns_
    np.testing.assert_array_equal(a.classes_, b.classes_)
    np.testing.assert_allclose(a.class_count_, b.class_count_, rtol=1e-12)
    np.testing.assert_allclose(a.predict_log_proba(table), b.predict_log_proba(table), rtol=0, atol=atol)


def test_every_kind_is_here() -> None:
    assert {*KINDS, "drop"} == set(BY_WORD)


@pytest.mark.parametrize("kind", AUTO)
@given(parts=SPLITS)
def test_batches_equal_one_fit(kind: str, parts: list[int]) -> None:
    """Classes may be missing from a batch, or new in it."""
    table, y, unfitted = one_column(kind)
    whole = clone(unfitted).fit(table, y)
    batches = unfitted.set_params(columns={"x": whole.columns_["x"]})
    for part in range(4):
        rows = np.flatnonzero(np.array(parts) == part)
        if len(rows):
            batches.partial_fit(rows_of(table, rows), y[rows])
    same(batches, whole, table)


@pytest.mark.parametrize("kind", AUTO)
@given(weights=st.lists(st.integers(0, 3), min_size=60, max_size=60))
def test_weights_are_repetition(kind: str, weights: list[int]) -> None:
    """Weight 0 is a row that is not there, for the choice of a model too."""
    table, y, unfitted = one_column(kind)
    rows = np.repeat(np.arange(60), weights)
    assume(len(np.unique(y[rows])) == 3)
    weighted = clone(unfitted).fit(table, y, weights)
    same(weighted, unfitted.fit(rows_of(table, rows), y[rows]), table)


@given(weights=st.lists(st.integers(0, 2), min_size=40, max_size=40), spread=st.floats(0.0005, 0.02))
def test_weights_are_repetition_where_numbers_are_close_together(weights: list[int], spread: float) -> None:
    rng = np.random.default_rng(0)
    x, y = 1000 * (1 + spread * rng.standard_t(2, 40)), np.arange(40) % 2
    rows = np.repeat(np.arange(40), weights)
    assume(len(np.unique(y[rows])) == 2)
    same(NaiveBayes().fit({"x": x}, y, weights), NaiveBayes().fit({"x": x[rows]}, y[rows]), {"x": x})


@pytest.mark.parametrize("kind", AUTO)
@given(order=st.permutations(range(60)))
def test_the_order_of_rows_does_not_matter(kind: str, order: list[int]) -> None:
    table, y, unfitted = one_column(kind)
    same(clone(unfitted).fit(table, y), unfitted.fit(rows_of(table, order), y[order]), table)


@pytest.mark.parametrize("declared", [True, False])
def test_threads_do_not_matter(declared: bool) -> None:
    table, y = every_kind(20_000)
    results = []
    for n in (1, 2, 5):
        with sf.threads(n):
            fitted = (model() if declared else NaiveBayes()).fit(table, y)
            results.append(fitted.predict_log_proba(table))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_declared_classes_may_come_later_and_others_not_at_all() -> None:
    fitted = NaiveBayes().partial_fit({"x": ["a", "b"]}, ["u", "v"], classes=["u", "v", "w"])
    with pytest.raises(ValueError, match=r"\['z'\] in y do not exist"):
        fitted.partial_fit({"x": ["a"]}, ["z"])
    assert fitted.classes_.tolist() == ["u", "v", "w"]


def test_categories_never_shrink() -> None:
    fitted = NaiveBayes().partial_fit({"x": ["a", "b", "c"] * 3}, [0, 1, 0] * 3)
    fitted.partial_fit({"x": ["a", "a"]}, [0, 1])
    assert fitted.statistics_["x"].values.tolist() == ["a", "b", "c"]
    fitted.partial_fit({"x": ["0"]}, [0])
    assert fitted.statistics_["x"].values.tolist() == ["0", "a", "b", "c"]


@pytest.mark.parametrize("kind", ["bernoulli", "categorical", "poisson", "histogram"])
def test_short_floats_are_floats(kind: str) -> None:
    y = labels()
    x = np.array(values_of("bernoulli" if kind == "bernoulli" else "poisson", y))
    fits = [NaiveBayes({"x": kind}).fit({"x": x.astype(t)}, y) for t in (np.float32, np.float64)]
    assert fits[0].statistics_["x"] == fits[1].statistics_["x"]
    got = [fit.predict_log_proba({"x": x.astype(t)}) for fit in fits for t in (np.float32, np.float64)]
    for other in got[1:]:
        np.testing.assert_array_equal(got[0], other)


@pytest.mark.parametrize("kind", ["gaussian", "histogram", "auto"])
@given(
    values=st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=12, max_size=40),
    power=st.integers(-30, 30),
    seed=st.integers(0, 9),
)
@example(values=[1.0, 2.0, 3.5, 7.0] * 3, power=10, seed=0)
def test_powers_of_two_change_nothing(kind: str, values: list[float], power: int, seed: int) -> None:
    x = np.array([v if abs(v) > 1e-6 else 0.0 for v in values])
    assume(kind != "auto" or ((x != np.floor(x)).any() and (x * 2.0**power != np.floor(x * 2.0**power)).any()))
    y = np.random.default_rng(seed).integers(0, 2, len(x))
    assume(len(np.unique(y)) == 2)
    a = NaiveBayes({"x": kind}).fit({"x": x}, y)
    b = NaiveBayes({"x": kind}).fit({"x": x * 2.0**power}, y)
    assert a.columns_ == b.columns_
    np.testing.assert_allclose(
        a.predict_proba({"x": x}),
        b.predict_proba({"x": x * 2.0**power}),
        rtol=0,
        atol=0 if kind == "histogram" else 1e-12,
    )


def test_a_thousand_times_as_much_is_the_same() -> None:
    for seed in range(8):
        for kind in ["gaussian", "histogram", "auto"]:
            rng = np.random.default_rng(seed)
            y = labels(300, seed)
            x = rng.normal(size=300) + y if seed % 2 else np.exp(rng.normal(size=300) + y)
            a, b = (NaiveBayes({"x": kind}).fit({"x": x * unit}, y) for unit in (1, 1000))
            assert a.columns_ == b.columns_
            p, q = a.predict_proba({"x": x}), b.predict_proba({"x": x * 1000})
            np.testing.assert_allclose(p, q, rtol=0, atol=1e-9 if a.columns_["x"].word == "gaussian" else 0.03)
            assert (p.argmax(axis=1) != q.argmax(axis=1)).mean() <= (0 if a.columns_["x"].word == "gaussian" else 0.01)


def test_models_of_other_kinds_do_not_add_up() -> None:
    y = [0, 1] * 5
    a, b = (NaiveBayes({"size": kind}).fit({"size": range(10), "x": range(10)}, y) for kind in ("gaussian", "poisson"))
    with pytest.raises(InputError, match=r"Column 'size' is Gaussian\(\) in one model and Poisson\(\) in the other"):
        a._model + b._model


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_that_is_refused_leaves_the_model_as_it_was(kind: str) -> None:
    table, y = every_kind()
    fitted = model().fit(table, y)
    before, attributes = fitted.predict_log_proba(table), dict(vars(fitted))
    wrong = rows_of(table, range(4)) | {kind: [1.5, 2.5, 3.5, 4.5] if kind == "text" else ["x", "y", "z", ["list"]]}
    with pytest.raises((ValueError, TypeError), match=f"Column '{kind}'"):
        fitted.partial_fit(wrong, [0, 1, 2, 7])
    with pytest.raises(ValueError, match="sample_weight"):
        fitted.partial_fit(rows_of(table, range(4)), [0, 1, 2, 7], sample_weight=[1, 1, 1, np.nan])
    assert all(vars(fitted)[name] is value for name, value in attributes.items())
    np.testing.assert_array_equal(fitted.predict_log_proba(table), before)
