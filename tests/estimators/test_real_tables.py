"""NaiveBayes on tables people know, where they are beside the clone: Adult and Votes."""

from typing import Any

import numpy as np
import pytest
import sklearn.naive_bayes as peers
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import OrdinalEncoder

import suffice as sf
from datasets.shared import real
from estimators.plain import NaiveBayes
from suffice.datasets import read_table

Part = tuple[dict[str, Any], Any]


def missing(column: Any) -> Any:
    return np.array([value is None or value != value for value in column])


@pytest.fixture(scope="module")
def adult() -> dict[str, Part]:
    tables = {part: read_table("adult", real("adult"), part) for part in ("train", "test")}
    return {part: (table.X, table.y) for part, table in tables.items()}


@pytest.fixture(scope="module")
def known(adult: dict[str, Part]) -> dict[str, Part]:
    """Return the rows without unknown values."""
    found = {}
    for part, (X, y) in adult.items():
        keep = ~np.any([missing(column) for column in X.values()], axis=0)
        found[part] = ({name: column[keep] for name, column in X.items()}, y[keep])
    return found


def test_adult_without_unknown_rows_is_the_product_of_scikit_learns_two(known: dict[str, Part]) -> None:
    (X, y), (Z, z) = known["train"], known["test"]
    assert (len(y), len(z)) == (30_162, 15_060)
    numeric = [name for name, column in X.items() if column.dtype.kind in "if"]
    words = [name for name in X if name not in numeric]
    assert (len(numeric), len(words)) == (6, 8)
    numbers, places = peers.GaussianNB(), peers.CategoricalNB()
    numbers.fit(np.column_stack([X[name] for name in numeric]), y)
    code = OrdinalEncoder().fit(np.column_stack([X[name] for name in words]))
    places.fit(code.transform(np.column_stack([X[name] for name in words])), y)
    theirs = numbers.predict_joint_log_proba(np.column_stack([Z[name] for name in numeric]))
    theirs = theirs + places.predict_joint_log_proba(code.transform(np.column_stack([Z[name] for name in words])))
    theirs -= places.class_log_prior_  # counted twice
    theirs -= np.logaddexp.reduce(theirs, axis=1, keepdims=True)

    # of a prior worth nothing, the mean variance is the plain one: (b + Σ(x−m)²/2) / (a + n/2 − 1) with a = 1, b → 0
    plain = sf.columns.Gaussian(sf.NormalInverseGamma(0, 1e-12, 1, 1e-12), floor=numbers.epsilon_)
    same = sf.columns.Categorical(alpha=1, other=0)
    columns = dict.fromkeys(numeric, plain) | dict.fromkeys(words, same)
    ours = NaiveBayes(columns, estimate="mean", class_prior="counted").fit(X, y)
    assert (ours.predict(Z) != z).sum() == 2724
    np.testing.assert_allclose(np.exp(theirs), ours.predict_proba(Z), rtol=0, atol=1e-6)


def test_adult_as_it_is(adult: dict[str, Part]) -> None:
    (X, y), (Z, z) = adult["train"], adult["test"]
    assert len(z) == 16_281
    fitted = NaiveBayes().fit(X, y)
    assert (fitted.predict(Z) != z).mean() <= 0.16
    assert fitted.columns_["education"].word == "categorical"
    row = {name: column[0] for name, column in Z.items()}
    logs = fitted.predict_log_proba({name: column[:1] for name, column in Z.items()})[0]
    assert abs(fitted.explain(row).log_odds) == pytest.approx(abs(logs[0] - logs[1]), abs=1e-9)


def test_votes_that_were_not_cast_are_better_left_out_than_counted() -> None:
    table = read_table("votes", real("votes"))
    rows = np.column_stack(list(table.X.values())).astype(object)
    gaps = np.array([missing(column) for column in rows])
    assert gaps.sum() > 300
    rows[gaps] = None
    filled = np.where(gaps, "?", rows)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    losses = [
        log_loss(table.y, cross_val_predict(NaiveBayes(), X, table.y, cv=folds, method="predict_proba"))
        for X in (rows, filled)
    ]
    assert losses[0] < losses[1]
