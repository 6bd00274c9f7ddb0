"""Names, units, containers and order decide nothing: a model is chosen by what follows from the data."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import datasets

import suffice as sf
from laws import noise

Rows: TypeAlias = Any
RENAMED = "ABCDEFGHIJ"
STANDARD_DEVIATION: dict[str, float] = {}


@cache
def table(name: str) -> tuple[Rows, Any, Rows]:
    """Return two thirds of a table with their labels, and the other rows."""
    if name == "mixed":
        rng = np.random.default_rng(0)
        X = pd.DataFrame(noise.mixed(rng, 240, 6))
        y = np.array(["no", "so", "yes"])[np.digitize(X["x0"].fillna(0) + rng.normal(size=240), [0.0, 1.0])]
    else:
        loaded = getattr(datasets, f"load_{name}")(as_frame=True)
        X, y = loaded.data.astype(float), loaded.target_names[loaded.target]
        X = X.loc[:, (X % 1 != 0).any()]  # counts are another kind in other units
    order = np.random.default_rng(0).permutation(len(X))
    train, new = order[: 2 * len(X) // 3], order[2 * len(X) // 3 :]
    return X.iloc[train].reset_index(drop=True), y[train], X.iloc[new].reset_index(drop=True)


@cache
def usual(name: str) -> Any:
    X, y, new = table(name)
    return sf.NaiveBayes().fit(X, y).predict_proba(new)


def numbers(X: Rows, change: Callable[[Any], Any]) -> Rows:
    return X.assign(**{name: change(X[name]) for name in X.select_dtypes("float").columns})


def in_capitals(X: Rows) -> Rows:
    return X.set_axis([f"{RENAMED[-k % 10]}{k}" for k in range(X.shape[1])], axis=1)


SAME: dict[str, Callable[[Rows], Any]] = {
    "columns renamed": in_capitals,
    "columns reversed": lambda X: X[X.columns[::-1]],
    "as Arrow": lambda X: pa.Table.from_pandas(X, preserve_index=False),
    "as a dictionary": lambda X: X.to_dict("list"),
    "units of an eighth": lambda X: numbers(X, lambda x: x * 8),
}
CLOSE: dict[str, Callable[[Rows], Any]] = {
    "times ten": lambda X: numbers(X, lambda x: x * 10),
    "of the other sign": lambda X: numbers(X, lambda x: -x),
    "moved": lambda X: numbers(X, lambda x: x + 3 * STANDARD_DEVIATION[x.name]),
}
NAMES = ["iris", "mixed", pytest.param("wine", marks=pytest.mark.thorough)]
NAMES += [pytest.param("breast_cancer", marks=pytest.mark.thorough)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", SAME)
def test_the_same_table_gives_the_same_model(change: str, name: str) -> None:
    if name == "mixed" and change.startswith("units"):
        pytest.skip("some of its numbers are counts")
    X, y, new = table(name)
    found = sf.NaiveBayes().fit(SAME[change](X), y).predict_proba(SAME[change](new))
    np.testing.assert_allclose(found, usual(name), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_order_of_rows_and_names_of_labels_do_not_matter(name: str) -> None:
    X, y, new = table(name)
    order = np.random.default_rng(1).permutation(len(y))
    found = sf.NaiveBayes().fit(X.iloc[order], y[order]).predict_proba(new)
    np.testing.assert_allclose(found, usual(name), rtol=0, atol=1e-9)
    found = sf.NaiveBayes().fit(X, np.searchsorted(np.unique(y), y)[:] * -1).predict_proba(new)[:, ::-1]
    np.testing.assert_allclose(found, usual(name), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["iris", *NAMES[2:]])
@pytest.mark.parametrize("change", CLOSE)
def test_another_unit_moves_little(change: str, name: str) -> None:
    X, y, new = table(name)
    STANDARD_DEVIATION.update(X.std().to_dict())
    found = sf.NaiveBayes().fit(CLOSE[change](X), y).predict_proba(CLOSE[change](new))
    assert np.abs(found - usual(name)).mean() <= 0.002
    assert (found.argmax(axis=1) != usual(name).argmax(axis=1)).mean() <= 0.002


@pytest.mark.parametrize("factor", [8.0, -4.0])
def test_vectors_in_other_units(factor: float) -> None:
    X, y, new = table("iris")
    one = sf.GaussianDiscriminant().fit(X.to_numpy(), y).predict_proba(new.to_numpy())
    two = (
        sf.GaussianDiscriminant().fit(factor * X.to_numpy()[:, ::-1], y).predict_proba(factor * new.to_numpy()[:, ::-1])
    )
    np.testing.assert_allclose(one, two, rtol=0, atol=1e-9)


COUNTED = {
    "multinomial": sf.MultinomialNB(alpha="loo", temper="loo", feature_powers="loo"),
    "urns": sf.DirichletMultinomialNB(temper="loo"),
    "poisson": sf.PoissonNB(alpha="evidence", temper="loo"),
}


@pytest.mark.parametrize("kind", COUNTED)
def test_a_zero_that_is_stored_is_a_zero(kind: str) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 150)
    X = rng.poisson(rng.gamma(0.5, 2.0, (3, 12))[y])
    model = COUNTED[kind]
    wanted = model.fit(X, y).predict_proba(X)
    stored = sparse.csr_matrix(X + 1)
    stored.data -= 1
    twice = sparse.csr_matrix((np.ones(2 * X.size), np.tile(np.arange(12), 300), np.arange(0, 3601, 24)), X.shape)
    twice.data = np.column_stack([X, np.zeros_like(X)]).ravel()  # each entry in two parts
    order = rng.permutation(150)
    for changed in (
        sparse.csr_matrix(X),
        stored,
        twice,
        X.astype(np.float32),
        X.astype(np.uint8),
        sparse.csc_matrix(X),
    ):
        np.testing.assert_allclose(model.fit(changed, y).predict_proba(X), wanted, rtol=0, atol=1e-9)
    assert (stored.toarray() == X).all()  # the zeros are still there
    assert stored.nnz == X.size
    np.testing.assert_allclose(
        model.fit(X[order][:, ::-1], 2 - y[order]).predict_proba(X[:, ::-1])[:, ::-1], wanted, atol=1e-5
    )


def test_texts_in_another_order_with_other_labels() -> None:
    rng = np.random.default_rng(0)
    texts, y = noise.texts(rng, 200, 5), rng.integers(0, 3, 200)
    texts = [
        f"{text} c{label}" if k % 3 else text for k, (text, label) in enumerate(zip(texts, y.tolist(), strict=True))
    ]
    new = noise.texts(rng, 50, 5)
    wanted = sf.TextClassifier().fit(texts, y).predict_proba(new)
    order = rng.permutation(200)
    found = sf.TextClassifier().fit([texts[i] for i in order], np.array(["z", "m", "a"])[y[order]]).predict_proba(new)
    np.testing.assert_allclose(found[:, ::-1], wanted, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["iris", "mixed"])
def test_files_in_any_order_are_one_table(name: str, tmp_path: Path) -> None:
    X, y, new = table(name)
    rows = X.assign(kind=y)
    rows[:30].to_csv(tmp_path / "a.csv", index=False)
    rows[30:].to_csv(tmp_path / "b.csv", index=False)
    for order in ("ab", "ba"):
        model = sf.fit_files(sf.NaiveBayes(), [tmp_path / f"{letter}.csv" for letter in order], target="kind")
        np.testing.assert_allclose(model.predict_proba(new), usual(name), rtol=0, atol=1e-9)


def test_a_sample_of_all_files_chooses_kinds_where_rows_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("suffice.models.choosing.chooser.ROWS", 60)
    X, y, _ = table("iris")
    rows = X.assign(kind=y)
    rows[:12].to_csv(tmp_path / "a.csv", index=False)
    rows[12:].to_csv(tmp_path / "b.csv", index=False)
    one, two = (
        sf.fit_files(sf.NaiveBayes(joint=None), [tmp_path / f"{letter}.csv" for letter in order], target="kind")
        for order in ("ab", "ba")
    )
    assert one.columns_ == two.columns_
    assert one.class_count_.sum() == len(rows)
