"""Rows choose the same views, to the bit, wherever they lie: in memory in any form and order, in files, on clusters.

They are picked, and brought into an order, by their content. What was counted must be the same to the bit for that:
moments and sums of fractions, which add up with rounding, choose views that are as near as they are themselves.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import suffice as sf
from engines.clusters import Dask, Spark, quiet, slices
from laws.estimators import KINDS, LABELS, counts, flags, mixed, names_of_categories, reals, texts
from laws.inside import chosen
from suffice.models.choosing.wanted import EFFORTS

ROWS = 500
NORMAL = {**KINDS, "again": "categorical", "more": "poisson", "less": "gaussian"}
FLOORED_TABLE = {"choices", "floor", "temper", "weights"}
FLOORED, BY_ROWS = {"alpha", "choices", "floor", "temper"}, {"alpha", "choices", "temper", "weights"}
EXACT = {name: kind for name, kind in NORMAL.items() if kind != "gaussian"}
TOGETHER = dict.fromkeys(("left", "right", "third", "colour", "again"), "categorical")
SETS: Any = [("left", "right"), ("colour", "left", "third")]
MOST = {"ROWS": 150, "FEW_ROWS": 210, "WORD_ROWS": 320, "MANY_ROWS": 400}
from_array: Any = da.from_array
pytestmark = quiet


@dataclass(frozen=True)
class Case:
    """A classifier that chooses by rows, and rows for it, which say some things twice, so that they are tempered."""

    name: str
    model: Any
    chooses: set[str]
    near: float = 0.0  # how far views may be apart, relative to themselves

    def __str__(self) -> str:
        return self.name

    def table(self) -> Any:
        rng = np.random.default_rng(7)
        codes = rng.integers(0, 3, ROWS)
        return pa.table({**self._columns(rng, codes), "label": LABELS[codes]})

    def _columns(self, rng: Any, codes: Any) -> dict[str, Any]:
        if isinstance(self.model, sf.TextClassifier):
            found = [text.split() for text in texts(rng, ROWS, codes)]
            return {"text": [" ".join([*words, *(f"{word}s {word}y" for word in words)]) for words in found]}
        if isinstance(self.model, sf.NaiveBayes):
            columns = mixed(rng, ROWS, codes)
            columns |= {"again": columns["colour"], "more": columns["events"], "less": columns["size"]}
            left, noise = rng.integers(0, 3, ROWS), np.where(rng.random(ROWS) < 0.15, 1, 0)
            words = {"left": left, "right": (codes - left + noise) % 3, "third": (codes * rng.integers(0, 2, ROWS)) % 3}
            columns |= {name: np.array(["x", "y", "z"])[code] for name, code in words.items()}  # two tell it together
            columns |= {"wide": 3.0 * left + rng.random(ROWS), "deep": (codes - left) % 3 + 2.0 * rng.random(ROWS)}
            return {name: column for name, column in columns.items() if name in self.model.columns}
        made: dict[type, Any] = {sf.CategoricalNB: names_of_categories, sf.GaussianNB: reals, sf.BernoulliNB: flags}
        X = made.get(type(self.model), counts)(rng, ROWS, codes)
        X = np.column_stack([X, X[:, :2]])
        return {f"x{j}": X[:, j] for j in range(X.shape[1])}

    def features(self, table: Any) -> Any:
        return table["text"].to_pylist() if self.is_text else table.drop_columns(["label"])

    @property
    def is_text(self) -> bool:
        return isinstance(self.model, sf.TextClassifier)

    def fitted(self, X: Any, y: Any) -> Any:
        return clone(self.model).fit(X, y)

    def in_memory(self, table: Any) -> Iterator[tuple[str, Any]]:
        """Yield the model of the rows in each form that memory has for them."""
        y, X = table["label"].to_numpy(), self.features(table)
        for name, order in {
            "turned": np.arange(ROWS)[::-1],
            "mixed": np.random.default_rng(1).permutation(ROWS),
        }.items():
            other = table.take(pa.array(order))
            yield name, self.fitted(self.features(other), other["label"].to_numpy())
        if self.is_text:
            for form in (iter, np.array, pa.array, pl.Series):
                yield form.__name__, self.fitted(form(X), y)
            return
        yield "pandas", self.fitted(X.to_pandas(), y)
        yield "polars", self.fitted(pl.from_arrow(X), y)
        if isinstance(self.model, sf.NaiveBayes):
            yield "lists", self.fitted(X.to_pydict(), y.tolist())
        else:
            yield "array", self.fitted(np.column_stack(list(X.columns)), y)

    def in_files(self, table: Any, folder: Path) -> Iterator[tuple[str, Any]]:
        """Yield the model of the rows in files of several kinds."""

        def fitted(*parts: tuple[str, Any]) -> Any:
            for name, part in parts:
                path = folder / name
                pq.write_table(part, path) if name.endswith("parquet") else part.to_pandas().to_csv(path, index=False)
            return sf.fit_files(clone(self.model), [folder / name for name, _ in parts], "label")

        first, last = slices(table, [table.num_rows * 9 // 25])
        yield "parquet", fitted(("a.parquet", table))
        yield "csv", fitted(("a.csv", table))
        yield "several", fitted(("b.parquet", last), ("c.csv", first))


CASES = [
    Case("texts", sf.TextClassifier(ridge=0.5), {*FLOORED, "weights"}),
    Case("texts, fast", sf.TextClassifier(effort="fast"), FLOORED),
    Case(
        "texts, best", sf.TextClassifier(effort="best", ridge=1.0), {"alpha", "choices", "floor", "temper", "weights"}
    ),
    Case("texts by leave-one-out", sf.TextClassifier(alpha="loo", feature_powers=None), {"alpha", "choices", "temper"}),
    Case("tables", sf.NaiveBayes(EXACT, ridge=1.0, joint=None), {"temper", "weights"}),
    Case("tables of normals", sf.NaiveBayes(NORMAL, ridge=1.0, joint=None), {"temper", "weights"}, near=1e-6),
    Case("tables, joint", sf.NaiveBayes(TOGETHER, joint="auto"), FLOORED_TABLE),
    Case("tables, pairs", sf.NaiveBayes(EXACT | TOGETHER, joint=2, ridge=1.0), FLOORED_TABLE),
    Case("tables, sets", sf.NaiveBayes(EXACT | TOGETHER, joint=SETS, ridge=1.0), {"temper", "weights"}),
    Case(
        "tables of normals, joint",
        sf.NaiveBayes({**NORMAL, "wide": "gaussian", "deep": "gaussian"}, joint="auto"),
        FLOORED_TABLE,
        near=1e-6,
    ),
    Case(
        "tables of normals, sets",
        sf.NaiveBayes({**NORMAL, "wide": "gaussian", "deep": "gaussian"}, joint=[("wide", "deep"), ("wide", "colour")]),
        {"temper", "weights"},
        near=1e-6,
    ),
    Case(
        "counts",
        sf.MultinomialNB(alpha="loo", temper="loo", feature_powers="loo"),
        {"alpha", "choices", "temper", "weights"},
    ),
    Case("flags", sf.BernoulliNB(alpha="loo", temper="loo"), {"alpha", "temper"}),
    Case("categories", sf.CategoricalNB(alpha="loo", temper="loo"), {"alpha", "temper"}),
    Case("normals", sf.GaussianNB(temper="loo"), {"temper"}, near=1e-6),
]


QUICK = ("texts", "tables, joint", "tables of normals", "counts")


def parameters(cases: list[Case], quick: tuple[str, ...] = QUICK) -> list[Any]:
    return [case if case.name in quick else pytest.param(case, marks=pytest.mark.thorough) for case in cases]


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let fewer rows choose than there are, and files be read in small batches."""
    for name, most in MOST.items():
        monkeypatch.setattr(f"suffice.models.choosing.wanted.{name}", most)
    monkeypatch.setattr("suffice.estimators.shell.joint_sets.ENOUGH", 320)
    monkeypatch.setitem(EFFORTS, "balanced", 200)
    monkeypatch.setattr("suffice.tables.row_files.BLOCK", 4096)
    monkeypatch.setattr("suffice.tables.row_files.ROWS", 64)


def views_of(model: Any) -> dict[Any, Any]:
    """Return all that was chosen, as numbers by name."""
    views = chosen(model)
    found: dict[Any, Any] = {"alpha": views.get("alpha"), "ridge": None}
    if "temper" in views:
        found |= {"power": views["temper"].power, "length": views["temper"].length}
    if "weights" in views:
        found |= {"ridge": views["weights"].ridge, **views["weights"].classes}
        features = getattr(views["weights"], "features", None)
        found |= vars(views["weights"]).get("columns", {}) if features is None else dict(enumerate(features.tolist()))
        residuals: Any = vars(views["weights"]).get("residuals") or {}
        if hasattr(residuals, "places"):  # of words
            table = zip(residuals.places.tolist(), residuals.terms.tolist(), strict=True)
            found |= {("word", j, c): x for j, of in table for c, x in enumerate(of)}
            residuals = {}
        for name, one in residuals.items():
            values = list(zip(*(part.tolist() for part in one.values), strict=True))
            found |= {
                (name, *value, c): x for value, of in zip(values, one.terms, strict=True) for c, x in enumerate(of)
            }
    found["floor"] = views.get("floor")
    for columns, law in getattr(model, "joint_", {}).items():
        found |= {(columns, part): getattr(law, part, None) for part in ("kappa", "gain")}
    return {name: value for name, value in found.items() if value is not None}


def edges_of(model: Any) -> dict[Any, Any]:
    """Return where bins end: of columns that act together, and of residuals."""
    residuals = getattr(chosen(model).get("weights"), "residuals", None) or {}
    residuals = {} if hasattr(residuals, "places") else residuals
    sets = {columns: getattr(law, "edges", "cloud") for columns, law in getattr(model, "joint_", {}).items()}
    return sets | {name: one.edges for name, one in residuals.items()}


def assert_same_views(case: Case, name: str, model: Any, expected: Any) -> None:
    got, wanted = views_of(model), views_of(expected)
    assert set(chosen(model)) == case.chooses
    assert edges_of(model) == edges_of(expected)
    assert got == (pytest.approx(wanted, rel=case.near, abs=1e-9) if case.near else wanted), name


@pytest.mark.parametrize("case", parameters(CASES), ids=str)
def test_in_memory_in_any_form_and_order(case: Case) -> None:
    table = case.table()
    expected = case.fitted(case.features(table), table["label"].to_numpy())
    for name, model in case.in_memory(table):
        assert_same_views(case, name, model, expected)


@pytest.mark.parametrize("case", parameters(CASES), ids=str)
def test_in_files_and_on_dask(case: Case, tmp_path: Path) -> None:
    table = case.table()
    expected = case.fitted(case.features(table), table["label"].to_numpy())
    for name, model in case.in_files(table, tmp_path):
        assert_same_views(case, name, model, expected)
    for cuts in ([], [40, 40, 333]):
        assert_same_views(case, "dask", Dask().fit(clone(case.model), Dask().split(table, cuts), "label"), expected)


@pytest.mark.parametrize(
    "case", parameters([case for case in CASES if {"floor", "weights"} <= case.chooses], ("tables, joint",)), ids=str
)
def test_residuals_of_values(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NOISE", "NAT", "SEARCHED"):
        monkeypatch.setattr(f"suffice.models.choosing.option_judge.{name}", -1e9)  # whatever they gain
    case = replace(case, near=1000 * case.near)  # terms that gain nothing are where rounding makes the search stop
    table = case.table()
    expected = case.fitted(case.features(table), table["label"].to_numpy())
    assert chosen(expected)["weights"].residuals
    for name, model in [*case.in_memory(table), *case.in_files(table, tmp_path)]:
        assert_same_views(case, name, model, expected)
    assert_same_views(case, "dask", Dask().fit(clone(case.model), Dask().split(table, [40, 333]), "label"), expected)


WORDS = ["yes", "no", "maybe"]


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(rows=[("yes", "no", "yes"), ("no", "no", "no"), ("maybe", "yes", "yes"), ("no", "yes", "maybe")])
@example(rows=[("yes", "yes", "yes")] * 5 + [("yes", "yes", "no")] * 2)
@given(rows=st.lists(st.tuples(*[st.sampled_from(WORDS)] * 3), min_size=6, max_size=40))
def test_rows_that_hold_names_of_classes_and_columns(rows: list[Any], tmp_path: Path) -> None:
    """A text may be a label, and a value the name of its column: the rows of hash keys stay apart."""
    yes, no, labels = (list(column) for column in zip(*rows, strict=True))
    tables = {sf.TextClassifier(): {"text": yes}, sf.NaiveBayes({"yes": "categorical", "no": "categorical"}): None}
    for model, columns in tables.items():
        table = pa.table({**(columns or {"yes": yes, "no": no}), "label": labels})
        case = Case("", model, set())
        expected = case.fitted(case.features(table), labels)
        wanted = pytest.approx(views_of(expected), rel=1e-9)  # equal rows of several classes have no order
        assert views_of(case.fitted(iter(yes) if columns else case.features(table), labels)) == wanted
        for _, same in case.in_files(table, tmp_path):
            assert views_of(same) == wanted
        there = Dask().fit(clone(model), Dask().split(table, [len(rows) // 2]), "label")
        assert views_of(there) == wanted


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=str)
def test_on_spark(case: Case, spark: Any) -> None:
    table = case.table()
    expected = case.fitted(case.features(table), table["label"].to_numpy())
    engine = Spark(spark)
    assert_same_views(case, "spark", engine.fit(clone(case.model), engine.split(table, [9, 200]), "label"), expected)


@pytest.mark.parametrize("case", [case for case in CASES if str(case) in ("counts", "flags")], ids=str)
def test_matrices_of_any_kind(case: Case) -> None:
    table = case.table()
    X, y = np.column_stack(list(case.features(table).columns)), table["label"].to_numpy()
    expected = case.fitted(X.astype(np.float32), y)
    assert_same_views(case, "sparse", case.fitted(sparse.csr_matrix(X), y), expected)
    parts = from_array(X, 70), from_array(y.astype("U1"), 70)
    assert_same_views(case, "dask", Dask().fit(clone(case.model), *parts), expected)


@pytest.mark.parametrize("case", parameters(CASES), ids=str)
def test_views_of_all_rows_are_others(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    table = case.table()
    X, y = case.features(table), table["label"].to_numpy()
    picked = views_of(case.fitted(X, y))
    for name in MOST:
        monkeypatch.setattr(f"suffice.models.choosing.wanted.{name}", 10**6)
    every = views_of(case.fitted(X, y))
    assert picked != pytest.approx(every, rel=1e-3)
    if "weights" in case.chooses:
        assert np.isfinite(picked["ridge"])
