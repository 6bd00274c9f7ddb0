"""Summaries of columns and their associations, against numpy and scipy."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from scipy.stats.contingency import association, crosstab

import suffice as sf
from suffice.reporting.column_facts import associations, cramers_v, summarized
from suffice.reporting.facts import gather
from suffice.reporting.labelled_rows import LabelledRows, coded, read
from suffice.reporting.pitfalls import repeated
from suffice.tables import Table

pd: Any = pytest.importorskip("pandas")


def test_numbers_have_quantiles_and_bins() -> None:
    values = np.r_[np.random.default_rng(0).gamma(2, 3, 500), [np.nan] * 20]
    found = summarized(coded(Table.read({"x": values})["x"]))
    assert found.missing == 20
    assert found.quantiles == pytest.approx(np.nanquantile(values, [0, 0.25, 0.5, 0.75, 1]))
    assert found.mean == pytest.approx(np.nanmean(values))
    counts = np.histogram(values[:500], len(found.bins))[0]
    assert found.bins == pytest.approx(counts / counts.max())


def test_categories_have_their_most_frequent_values() -> None:
    values = np.array(["a"] * 5 + ["b"] * 3 + ["c", "d", "e"] + [None] * 2, object)
    found = summarized(coded(Table.read({"x": values})["x"]))
    assert found.frequent[:2] == [("a", 5 / 11), ("b", 3 / 11)]
    assert (found.distinct, found.missing) == (5, 2)
    assert found.others == pytest.approx(1 / 11)
    flags = summarized(coded(Table.read({"x": np.array([True, False, True])})["x"]))
    assert flags.frequent == [("True", 2 / 3), ("False", 1 / 3)]
    assert summarized(coded(Table.read({"x": [None, None]})["x"])).distinct == 0
    assert summarized(coded(Table.read({"x": [1, 1, 2]})["x"])).frequent == [("1", 2 / 3), ("2", 1 / 3)]


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


def v_of(a: np.ndarray, b: np.ndarray) -> float:
    """Return Cramér's V corrected for chance, from scipy's chi-squared."""
    table = crosstab(a, b).count
    (r, k), n = table.shape, table.sum()
    left = max(0.0, chi2_contingency(table, correction=False).statistic / n - (r - 1) * (k - 1) / (n - 1))
    return float(np.sqrt(left / (min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1)))


@pytest.mark.parametrize("often", [0, 1000])
def test_numbers_that_are_mostly_one_value_have_bins(often: int) -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 2000)
    gain = np.where(rng.random(2000) < np.where(y, 0.85, 0.99), often, rng.integers(1, 900, 2000))
    X = {"gain": gain, "noise": rng.normal(size=2000), "country": rng.choice([f"c{i}" for i in range(30)], 2000)}
    model = sf.NaiveBayes(joint=None).fit(X, y)
    found = associations(model, read(model, X, y, "rich"))
    assert found is not None
    assert found.names == ["rich", "gain", "noise"]
    assert found.left_out == ("country",)
    rest = np.quantile(gain[gain != often], np.arange(1, 10) / 10)
    binned = np.where(gain == often, -1, np.digitize(gain, rest))
    assert found.values[0, 1] == pytest.approx(v_of(y, binned))
    assert found.values[0, 1] > 0.2
    page = sf.report(model, X, y).html
    assert "Left out, with more than 20 values: <bdi>country</bdi>." in page


def test_two_numbers_that_fill_many_deciles_each_have_a_bin() -> None:
    rng = np.random.default_rng(5)
    size = np.where(rng.random(900) < 0.5, 0, np.where(rng.random(900) < 0.8, 7, rng.integers(8, 40, 900)))
    for sign in (1, -1):
        X, y = {"size": sign * size, "noise": rng.normal(size=900)}, np.select([size == 0, size == 7], ["a", "b"], "c")
        model = sf.NaiveBayes(joint=None).fit(X, y)
        found = associations(model, read(model, X, y))
        assert found is not None
        assert found.values[0, 1] == pytest.approx(1.0, abs=0.01)


def test_rows_that_repeat_others_are_counted() -> None:
    rng = np.random.default_rng(6)
    rows = pd.DataFrame(
        {"a": rng.integers(0, 30, 400), "b": rng.choice(np.array([None, "x", "y"]), 400), "y": rng.random(400) < 0.5}
    )
    model = sf.NaiveBayes(joint=None).fit(rows, "y")
    again = int(rows.duplicated().sum())
    for new in (None, True):
        figures = dict(gather(model, rows, "y", None, new).data.figures)
        assert figures["rows that repeat another"] == f"{again:,} ({100 * again / 400:.1f}\u202f%)"
    unique = rows.drop_duplicates()
    few = pd.concat([unique[:90], unique[:1]])
    assert repeated(read(model, few, "y")) == 1
    many = pd.concat([unique[:110], unique[:1]])
    assert repeated(read(model, many, "y")) == 0
    assert "rows that repeat another" not in dict(gather(model, unique, "y", None, None).data.figures)
    texts = ["tea milk", "rum cola", "gin rye"] * 20 + [f"ale {i}" for i in range(60)]
    labels = ["a", "b", "a"] * 20 + ["b"] * 60
    found = gather(sf.TextClassifier().fit(texts, labels), texts, labels, None, None).data
    assert dict(found.figures)["texts that repeat another"] == "57 (47.5\u202f%)"
