"""Summaries of columns and their associations, against numpy and scipy."""

import numpy as np
import pytest
from scipy.stats.contingency import association, crosstab

import suffice as sf
from suffice.reporting.associations import associations, cramers_v
from suffice.reporting.column_summaries import summarized
from suffice.reporting.labelled_rows import LabelledRows, read
from suffice.tables import Table


def test_numbers_have_quantiles_and_bins() -> None:
    values = np.r_[np.random.default_rng(0).gamma(2, 3, 500), [np.nan] * 20]
    found = summarized(Table.read({"x": values})["x"])
    assert found.missing == 20
    assert found.quantiles == pytest.approx(np.nanquantile(values, [0, 0.25, 0.5, 0.75, 1]))
    assert found.mean == pytest.approx(np.nanmean(values))
    counts = np.histogram(values[:500], len(found.bins))[0]
    assert found.bins == pytest.approx(counts / counts.max())


def test_categories_have_their_most_frequent_values() -> None:
    values = np.array(["a"] * 5 + ["b"] * 3 + ["c", "d", "e"] + [None] * 2, object)
    found = summarized(Table.read({"x": values})["x"])
    assert found.frequent[:2] == [("a", 5 / 11), ("b", 3 / 11)]
    assert (found.distinct, found.missing) == (5, 2)
    assert found.others == pytest.approx(1 / 11)
    flags = summarized(Table.read({"x": np.array([True, False, True])})["x"])
    assert flags.frequent == [("True", 2 / 3), ("False", 1 / 3)]
    assert summarized(Table.read({"x": [None, None]})["x"]).distinct == 0
    assert summarized(Table.read({"x": [1, 1, 2]})["x"]).frequent == [("1", 2 / 3), ("2", 1 / 3)]


def test_cramers_v_is_scipys_corrected() -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(0, 4, 500)
    b = np.where(rng.random(500) < 0.6, a % 3, rng.integers(0, 3, 500))
    raw = association(crosstab(a, b).count, method="cramer")
    phi = max(0.0, raw**2 * 2 - 3 * 2 / 499)
    assert cramers_v(a, b) == pytest.approx(np.sqrt(phi / min(4 - 9 / 499 - 1, 3 - 4 / 499 - 1)))
    assert cramers_v(a, a) == 1.0
    assert np.isnan(cramers_v(a, np.zeros(500, int)))
    holes = np.where(np.arange(500) < 50, -1, b)
    assert cramers_v(a, holes) == cramers_v(a[50:], b[50:])


def test_independent_columns_are_near_zero() -> None:
    rng = np.random.default_rng(2)
    assert max(cramers_v(rng.integers(0, 10, 300), rng.integers(0, 10, 300)) for _ in range(20)) < 0.15


def test_the_label_is_the_first_column() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    X = {"copy": np.array(["n", "y"])[y], "noise": rng.normal(size=400), "words": [f"a b {i}" for i in range(400)]}
    model = sf.NaiveBayes(joint=None).fit(X, y)
    found = associations(model, read(model, X, y, "sick"))
    assert found is not None
    assert found.names == ["sick", "copy", "noise"]
    assert found.values[0, 1] == pytest.approx(1.0)
    assert found.values[0, 2] < 0.2
    assert np.array_equal(found.values, found.values.T)
    texts = sf.TextClassifier().fit(["tea rum", "gin rye"], ["x", "y"])
    assert associations(texts, LabelledRows(["a b"], np.array(["x"]), np.arange(1))) is None
