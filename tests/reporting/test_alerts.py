"""Alerts say what is wrong with a model or its rows, and are quiet where nothing is."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency, norm

import suffice as sf
from datasets.shared import real
from reporting.data import counts, letters, table
from suffice.reporting.column_facts import Drift, differing, drifts
from suffice.reporting.facts import gather
from suffice.reporting.labelled_rows import read
from suffice.reporting.pitfalls import NAMES, Alert

pd: Any = pytest.importorskip("pandas")


def alerts(model: Any, X: Any, y: Any, held_out: bool | None = None) -> dict[str, Alert]:
    found = gather(model, X, y, None, held_out).data.alerts
    kinds = [one.kind for one in found]
    assert kinds == sorted(kinds, key=[*NAMES].index)  # the most serious first
    assert all(one.found.endswith(".") for one in found)
    assert all(one.advice.endswith(".") or one.kind == "sample" for one in found)
    return {one.kind: one for one in found}


def made(n: int = 300, seed: int = 0) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = {"size": rng.normal(y, 1.0), "town": np.array(["Oslo", "Rome"])[(rng.random(n) < 0.3 + 0.4 * y).astype(int)]}
    return X, np.array(["no", "yes"])[y]


def test_nothing_is_wrong() -> None:
    X, y = made()
    model = sf.NaiveBayes(joint=None).fit(X, y)
    assert alerts(model, X, y) == {}
    assert "None: no column" in sf.report(model, X, y).html


def test_all_that_is_wrong_with_columns() -> None:
    X, y = made()
    X |= {"copy": y, "id": np.arange(300), "one": np.ones(300)}
    X["holes"] = np.where(np.arange(300) % 4 == 0, X["size"], np.nan)
    X["city"] = np.where(X["town"] == "Oslo", "O", "R")
    found = alerts(sf.NaiveBayes(joint=None).fit(X, y), X, y)
    assert {"leak", "identifier", "constant", "missing", "redundant"} <= set(found)
    assert found["leak"].found == "Column 'copy' alone determines the label of every row."
    assert found["missing"].found == "Column 'holes' (75\u202f%) has no value in at least half of the rows."
    assert found["redundant"].found == "Columns 'town' and 'city' determine each other."


def test_a_small_class() -> None:
    X, y = counts(200)
    y = np.where(np.arange(200) < 7, 9, y)
    found = alerts(sf.MultinomialNB().fit(X, y), X, y)
    assert found["few"].found == "Class '9' (7) has few rows here, so figures about it are uncertain."


def test_stale_views() -> None:
    texts, labels = letters(300)
    model = sf.TextClassifier().fit(texts[:200], labels[:200]).partial_fit(texts[200:250], labels[200:250])
    assert model.stale_
    assert "Call refresh(X, y)" in alerts(model, texts[250:], labels[250:], True)["stale"].advice
    model.refresh(texts[:250], labels[:250])
    assert "stale" not in alerts(model, texts[250:], labels[250:], True)


def test_duplicate_rows() -> None:
    texts, labels = ["tea milk", "rum cola"] * 30, ["a", "b"] * 30
    assert "Keep each text once" in alerts(sf.TextClassifier().fit(texts, labels), texts, labels)["duplicates"].advice


def test_a_model_that_gains_nothing() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 40)), rng.integers(0, 2, 300)
    found = alerts(sf.GaussianNB().fit(X, y), X, y)
    assert "is no better than that of the class shares alone" in found["useless"].found


@pytest.mark.parametrize(("share", "shifted"), [(0.5, False), (0.9, True)])
def test_class_shares_that_shift(share: float, shifted: bool) -> None:
    X, y = made(2000)
    model = sf.NaiveBayes(joint=None).fit({name: column[:1000] for name, column in X.items()}, y[:1000])
    yes = np.flatnonzero(y[1000:] == "yes")
    no = np.flatnonzero(y[1000:] == "no")
    rows = 1000 + np.concatenate([yes[: int(400 * share)], no[: 400 - int(400 * share)]])
    found = alerts(model, {name: column[rows] for name, column in X.items()}, y[rows], True)
    assert ("shift" in found) == shifted
    if shifted:
        assert "is 10.0% here" in found["shift"].found or "is 90.0% here" in found["shift"].found


def drifted(change: Any) -> list[Drift]:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 3000)
    X = {
        "normal": rng.normal(y, 1.0),
        "skew": rng.gamma(1 + y, 2.0),
        "town": np.array(["Oslo", "Rome", "Bern"])[(rng.random(3000) * 2 + y * 0.5).astype(int)],
        "flag": rng.random(3000) < 0.3 + 0.2 * y,
        "visits": rng.poisson(2 + y),
    }
    kinds = {"normal": "gaussian", "skew": "histogram", "visits": "poisson"}
    model = sf.NaiveBayes(columns=kinds, joint=None).fit({k: v[:2000] for k, v in X.items()}, y[:2000])
    new = {k: v[2000:].copy() for k, v in X.items()}
    change(new)
    return drifts(model, read(model, new, y[2000:]), gather(model, new, y[2000:], None, True).judged)


def test_columns_that_drift() -> None:
    assert drifted(lambda new: None) == []

    def moved(new: Any) -> None:
        new["normal"] += 1.0
        new["skew"] *= 2
        new["town"] = np.where(new["town"] == "Rome", "Riga", new["town"])
        new["flag"] |= np.arange(1000) % 2 == 0
        new["visits"] += 2

    found = {one.name: one for one in drifted(moved)}
    assert set(found) == {"normal", "skew", "town", "flag", "visits"}
    assert found["flag"].distance == pytest.approx(0.3, abs=0.04)  # 0.4, of which half of the others: + 0.5 · 0.6
    apart = 1 / np.sqrt(1.25)  # in standard deviations of both classes together
    assert found["normal"].distance == pytest.approx(2 * norm.cdf(apart / 2) - 1, abs=0.03)


def test_a_random_split_has_not_drifted() -> None:
    rows = pd.read_csv(real("titanic") / "titanic.csv").drop(columns=["alive"])
    new = np.random.default_rng(0).random(len(rows)) < 0.3
    model = sf.NaiveBayes(joint=None).fit(rows[~new], "class")
    assert "drift" not in alerts(model, rows[new], "class", True)


def held(model: Any, X: Any, y: Any) -> list[Drift]:
    given = read(model, X, y)
    return drifts(model, given, gather(model, X, y, None, True).judged)


@pytest.mark.parametrize("kind", ["categorical", "gaussian", "poisson", "histogram"])
def test_classes_count_by_their_rows_with_a_value(kind: str) -> None:
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 4000)
    size = np.where(rng.random(4000) < np.where(y, 0.95, 0.05), np.nan, rng.poisson(2.0 + 4 * y))
    model = sf.NaiveBayes(columns={"size": kind}, joint=None).fit({"size": size[:2000]}, y[:2000])
    assert held(model, {"size": size[2000:]}, y[2000:]) == []
    moved = np.where(np.isnan(size), np.nan, 8 - np.minimum(size, 8))
    (one,) = held(model, {"size": moved[2000:]}, y[2000:])
    assert one.missing is None
    if kind == "categorical":
        before, here = (np.bincount(each[~np.isnan(each)].astype(int), minlength=20) for each in (size[:2000], moved))
        apart = 0.5 * np.abs(before / before.sum() - here / here.sum()).sum()
        assert one.distance == pytest.approx(apart, abs=0.03)


@pytest.mark.parametrize("kind", ["categorical", "gaussian", "poisson", "histogram"])
def test_missing_values_that_drift(kind: str) -> None:
    rng = np.random.default_rng(7)
    y, size = rng.integers(0, 2, 1500), rng.poisson(3.0, 1500).astype(float)
    size[:60], size[1000:1170] = np.nan, np.nan
    model = sf.NaiveBayes(columns={"size": kind}, joint=None).fit({"size": size[:1000]}, y[:1000])
    (one,) = held(model, {"size": size[1000:]}, y[1000:])
    assert one.missing == (0.06, 0.34)
    assert one.distance == pytest.approx(0.28)
    assert one.chance == pytest.approx(chi2_contingency([[940, 60], [330, 170]], correction=False).pvalue)
    found = alerts(model, {"size": size[1000:]}, y[1000:], True)["drift"].found
    assert found == "Missingness differs: column 'size' (34\u202f% here, 6\u202f% of the training rows)."
    empty = held(model, {"size": np.full(500, np.nan)}, y[1000:])
    assert [one.missing for one in empty] == [(0.06, 1.0)]


def test_differing_counts_are_scipys() -> None:
    before, here = np.array([30.0, 50.0, 20.0, 0.0]), np.array([10.0, 9.0, 4.0, 2.0])
    distance, chance = differing(before, here)
    assert chance == pytest.approx(chi2_contingency([before, here], correction=False).pvalue)
    assert distance == pytest.approx(0.5 * np.abs(before / 100 - here / 25).sum())


def test_ordinary_columns_with_holes_are_quiet() -> None:
    X, y = table()
    assert set(alerts(sf.NaiveBayes().fit(X, y), X, y)) <= {"constant", "unknown"}
