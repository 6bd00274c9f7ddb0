"""Alerts say what is wrong with a model or its rows, and are quiet where nothing is."""

from typing import Any

import numpy as np
import pytest

import suffice as sf
from reporting.data import counts, letters, table
from suffice.reporting.alerts import NAMES
from suffice.reporting.facts import gather
from suffice.reporting.pitfalls import Alert


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
    assert found["leak"].found == "Column 'copy' alone tells the label of every row."
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


def test_ordinary_columns_with_holes_are_quiet() -> None:
    X, y = table()
    assert set(alerts(sf.NaiveBayes().fit(X, y), X, y)) <= {"constant", "unknown"}
