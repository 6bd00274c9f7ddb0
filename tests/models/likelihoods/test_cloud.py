"""Numbers as one cloud: densities of what is there by scipy, leaving out by fitting again."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import stats

import suffice as sf
from suffice.models.likelihoods.cloud import Cloud, CloudRows
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.rows import Labels
from suffice.stats import FullMoments
from suffice.tables import Table


def table(n: int = 60, seed: int = 0, holes: float = 0.15) -> tuple[pd.DataFrame, Any]:
    """Return three numbers that hang together differently in two classes, some of them missing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    base = rng.normal(size=(n, 3))
    turned = np.where(y[:, None] == 0, base @ np.array([[1, 0.9, 0], [0, 0.5, 0], [0, 0, 2.0]]), base[:, ::-1] + 0.5)
    turned[rng.random((n, 3)) < holes] = np.nan
    return pd.DataFrame(turned, columns=list("abc")), y


def rows_of(frame: Any) -> CloudRows:
    read = Table.read(frame, "X")
    return Cloud().rows(*(read[name] for name in frame))


def fitted(frame: Any, y: Any) -> tuple[Cloud, FullMoments]:
    t: FullMoments = Cloud().count(rows_of(frame), Labels(y, None, 2))
    found = Cloud().settled(t)
    assert isinstance(found, Cloud)
    return found, t


def test_rows_that_have_all_numbers_are_counted() -> None:
    X, y = table()
    _, t = fitted(X, y)
    whole = X.notna().all(axis=1).to_numpy()
    assert 0 < whole.sum() < len(X)
    expected = FullMoments.of(X[whole].to_numpy(), y[whole], n_classes=2)
    np.testing.assert_allclose(t.scatter, expected.scatter, rtol=1e-12)
    np.testing.assert_array_equal(t.n, expected.n)


def test_scores_are_those_of_the_numbers_that_are_there() -> None:
    X, y = table()
    law, t = fitted(X, y)
    scores = law.scorer(t).scores(rows_of(X))
    prior: Any = law.prior
    mean, kappa, nu, scale = prior.after(t)
    for i, row in enumerate(X.to_numpy()):
        here = ~np.isnan(row)
        for c in range(2):
            df = nu[c] - 3 + 1
            shape = (kappa[c] + 1) / kappa[c] * scale[c][np.ix_(here, here)] / df
            expected = stats.multivariate_t.logpdf(row[here], mean[c][here], shape, df) if here.any() else 0.0
            assert scores[i, c] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("grouped", [False, True])
def test_rows_are_left_out_of_the_counts_that_they_are_part_of(grouped: bool) -> None:
    X, y = table()
    law, t = fitted(X, y)
    group = np.random.default_rng(3).integers(0, 12, len(y)) if grouped else None
    removed = Removal.of(y, np.ones(len(y)), group)
    got = law.held_out(t, rows_of(X), removed).scores()
    for i in range(len(y)):
        out = np.arange(len(y)) == i if group is None else group == group[i]
        rest = t - Cloud().count(rows_of(X[out]), Labels(y[out], None, 2))
        np.testing.assert_allclose(got[i], law.scorer(rest).scores(rows_of(X.iloc[[i]]))[0], rtol=1e-9, atol=1e-9)


@pytest.mark.thorough
def test_beliefs_about_scores_are_those_of_draws() -> None:
    X, y = table(40)
    law, t = fitted(X, y)
    rows, belief = rows_of(X), law.belief(t)
    mean, variance = belief.moments(rows)
    drawn = belief.draws(rows, np.random.default_rng(0), 4000)
    some = rows.complete | (X.notna().any(axis=1)).to_numpy()
    np.testing.assert_allclose(drawn.mean(axis=0)[some], mean[some], atol=0.15, rtol=0.05)
    np.testing.assert_allclose(drawn.var(axis=0)[some], variance[some], rtol=0.35, atol=0.05)


def test_a_row_that_lacks_a_number_is_predicted_by_the_others() -> None:
    X, y = table(600, holes=0.0)
    model = sf.NaiveBayes().fit(X, y)
    assert ("a", "b", "c") in model.joint_
    cloud: Any = model.joint_["a", "b", "c"]
    assert cloud.gain > 0
    Z, z = table(400, seed=1, holes=0.0)
    whole, lacking = model.score(Z, z), model.score(Z.assign(c=np.nan), z)
    alone = sf.NaiveBayes(joint=None).fit(X[["a", "b"]], y).score(Z[["a", "b"]], z)
    assert whole > lacking > alone  # a and b still hang together
    with pytest.warns(UserWarning, match="missing from the table"):
        np.testing.assert_array_equal(model.predict(Z[["a", "b"]]), model.predict(Z.assign(c=np.nan)))
    explained = model.explain({"a": 1.0, "b": 1.5, "c": None})
    logs = model.predict_log_proba({"a": [1.0], "b": [1.5], "c": [None]})[0]
    assert explained.log_odds == pytest.approx(abs(logs[1] - logs[0]))
    assert any(value.startswith("1, 1.5, missing") for value in explained.values)
