"""What a fitted NaiveBayes shows of itself: columns at a glance, tables with intervals, explanations."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

import suffice as sf
from estimators.mixed import KINDS, every_kind, labels, model, rows_of, values_of
from estimators.plain import NaiveBayes

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def lines(frame: Any) -> dict[str, list[Any]]:
    return {name: list(np.asarray(frame[name])) for name in getattr(frame, "column_names", frame.columns)}


def test_at_a_glance() -> None:
    table, y = every_kind()
    assert repr(sf.NaiveBayes()) == "NaiveBayes()"
    shown = repr(model().fit(table | {"late": [None] * 60}, y))
    assert "60 rows of 3 classes" in shown
    for kind in KINDS:
        assert f"  {kind} " in shown
    assert "unknown" in shown
    assert "Dirichlet(1 each) over 7 categories and others" in shown
    assert "Beta(a=1, b=1)" in shown


def test_in_a_notebook_names_are_escaped() -> None:
    bad = "<script>alert(1)</script>"
    fitted = NaiveBayes().fit({bad: ["<b>", "c"] * 2, "x": [1.5, 2.0, 3.0, 4.5]}, ["<i>", "v"] * 2)
    pages = [fitted._repr_html_(), fitted._repr_mimebundle_()["text/html"]]
    pages.append(fitted.explain({bad: "<b>", "x": 1})._repr_html_())
    pages.append(NaiveBayes({bad: "drop"})._repr_html_())
    for page in pages:
        assert "&lt;script&gt;" in page
        assert not any(tag in page for tag in ("<script>", "<b>c", "<i>"))
    assert fitted._repr_mimebundle_()["text/plain"] == repr(fitted)


def test_many_columns_are_cut_short() -> None:
    shown = repr(NaiveBayes().fit(np.random.default_rng(0).normal(size=(5, 70)), [0, 1, 0, 1, 0]))
    assert "10 more" in shown
    assert shown.count("\n") < 70


def test_tables_come_as_they_went() -> None:
    for kind in [*KINDS, "numbers"]:
        for library in FRAMES:
            y = labels()
            column = [1, 2, 3] * 20 if kind == "numbers" else values_of(kind, y)
            fitted = NaiveBayes({"x": "categorical" if kind == "numbers" else kind}).fit(
                FRAMES[library]({"x": column}), y
            )
            table = fitted.table("x")
            assert type(table).__module__.startswith(library)
            listed = lines(table)
            assert set(listed["class"]) == {0, 1, 2}
            assert all(low <= high for low, high in zip(listed["low"], listed["high"], strict=True))
            if kind not in ("text", "histogram"):
                by_class = np.bincount(y) if kind != "numbers" else [20, 20, 20]
                n = [
                    sum(n for n, c in zip(listed["n"], listed["class"], strict=True) if c == label)
                    for label in range(3)
                ]
                assert sum(n) == sum(by_class) == 60


def close(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got, want, rtol=1e-9)


def test_numbers_of_tables_are_scipys() -> None:
    table, y = every_kind()
    fitted = model().fit(table, y)
    n = np.bincount(y)

    listed, on = lines(fitted.table("bernoulli", 0.9)), np.bincount(y, table["bernoulli"])
    beta = stats.beta(1 + on, 1 + n - on)
    close([listed["probability"], listed["low"], listed["high"]], [beta.mean(), beta.ppf(0.05), beta.ppf(0.95)])

    listed, total = lines(fitted.table("poisson")), np.bincount(y, table["poisson"])
    gamma = stats.gamma(1 + total, scale=1 / (n + len(y) / total.sum()))
    close([listed["rate"], listed["low"], listed["high"]], [gamma.mean(), gamma.ppf(0.025), gamma.ppf(0.975)])

    listed = lines(fitted.table("categorical"))
    for value, label, count, mean, low, high in zip(*listed.values(), strict=True):
        seen = sum(x == value for x, c in zip(table["categorical"], y, strict=True) if c == label)
        beta = stats.beta(1 + seen, n[label] - seen + 7)
        close([count, mean, low, high], [seen, beta.mean(), beta.ppf(0.025), beta.ppf(0.975)])

    listed, x = lines(fitted.table("gaussian")), np.array(table["gaussian"])
    parts = [x[y == c] for c in range(3)]
    scatter = np.array([((part - part.mean()) ** 2).sum() for part in parts])
    means, kappa, a = np.array([part.mean() for part in parts]), 0.01 + n, 1.5 + n / 2
    b = 0.5 * scatter.sum() / 60 + scatter / 2 + 0.01 * n * (means - x.mean()) ** 2 / (2 * kappa)
    t = stats.t(2 * a, (0.01 * x.mean() + n * means) / kappa, np.sqrt(b / (a * kappa)))
    close([listed["mean"], listed["low"], listed["high"]], [t.mean(), t.ppf(0.025), t.ppf(0.975)])
    variance = stats.invgamma(a, scale=b)
    ends = [variance.mean(), variance.ppf(0.025), variance.ppf(0.975)]
    close([listed["sd"], listed["sd_low"], listed["sd_high"]], np.sqrt(ends))


def test_a_table_of_what_is_certain() -> None:
    fitted = NaiveBayes({"c": sf.columns.Categorical(other=0)}).fit({"x": [1.5] * 4, "c": ["a"] * 4}, [0, 1] * 2)
    for name in ("x", "c"):
        listed = lines(fitted.table(name))
        assert listed["probability"] == listed["low"] == listed["high"] == [1.0, 1.0]


def test_a_table_of_what() -> None:
    fitted = NaiveBayes().fit({"age": [1.5, 2.0]}, [0, 1])
    with pytest.raises(ValueError, match=r"must be a column of the model; got 'agee'\. Did you mean 'age'"):
        fitted.table("agee")
    with pytest.raises(ValueError, match="level"):
        fitted.table("age", level=2)


def test_a_row_may_be_written_in_many_ways() -> None:
    table, y = every_kind()
    fitted = model().fit(table, y)
    expected = fitted.explain(rows_of(table, [5]))
    frame = pd.DataFrame(table)
    for row in (
        {name: column[5] for name, column in table.items()},
        frame.iloc[5],
        frame.iloc[[5]],
        pl.DataFrame(table)[5],
        pl.DataFrame(table).row(5, named=True),
        pa.table(table).slice(5, 1),
    ):
        explanation = fitted.explain(row)
        assert explanation.to_dict()["log_odds"] == expected.to_dict()["log_odds"]
        assert (explanation.target, explanation.against) == (expected.target, expected.against)
    X = np.random.default_rng(0).normal(size=(60, 2)) + y[:, None]
    placed = NaiveBayes().fit(X, y)
    for row in (X[5], X[5].tolist(), tuple(X[5]), X[5:6]):
        assert placed.explain(row).log_odds == placed.explain(X[5:6]).log_odds


def test_two_classes_are_compared() -> None:
    table, y = every_kind()
    fitted = model().fit(table, y)
    row = rows_of(table, [0])
    order = np.argsort(-fitted.predict_log_proba(row)[0])
    explanation = fitted.explain(row)
    assert (explanation.target, explanation.against) == (order[0], order[1])
    assert fitted.explain(row, target=order[2]).against == order[0]
    assert fitted.explain(row, against=order[0]).target == order[1]
    assert fitted.explain(row, order[1], order[0]).log_odds == pytest.approx(-explanation.log_odds)
    for wrong, said in (
        ({"target": 9}, "'target' must be one of \\[0, 1, 2\\]; got 9"),
        ({"against": "x"}, "'against' must be one of"),
        ({"target": 1, "against": 1}, "must be two classes; got 1 for both"),
    ):
        with pytest.raises(ValueError, match=said):
            fitted.explain(row, **wrong)
    with pytest.raises(ValueError, match="must be one row; got 2"):
        fitted.explain(rows_of(table, [0, 1]))
    with pytest.raises(ValueError, match="at least two classes"):
        NaiveBayes().fit({"x": [1.5, 2.0]}, [0, 0]).explain({"x": 1})


def test_an_explanation_reads_as_the_row_was_read() -> None:
    table = {"code": [1234567, 7654321] * 10, "x": np.arange(20.0) ** 2 + 0.5, "c": ["a", "b"] * 10}
    fitted = NaiveBayes({"x": sf.columns.Histogram(edges=(100.0,))}).fit(table, [0, 1] * 10)
    explanation = fitted.explain({"code": 1234567.0, "x": 5.5, "c": "z"})
    values = dict(zip(explanation.features, explanation.values, strict=True))
    assert values == {"code": "1234567", "x": "5.5 (below 100)", "c": "z (never seen)"}
    assert "1234567" in str(fitted.table("code"))
    explanation = fitted.explain({"code": None, "x": 5.5, "c": "a"})
    assert dict(zip(explanation.features, explanation.values, strict=True))["code"] == "missing"
