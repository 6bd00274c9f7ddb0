"""Feature powers of columns: what several columns say counts once."""

from copy import copy
from typing import Any

import numpy as np
import pytest

import suffice as sf
from laws.estimators import KINDS as SIX
from laws.estimators import LABELS, mixed
from suffice.evaluate import log_loss
from suffice.models.answers.intervals import independent_bounds
from suffice.tables import Table


def repeated(seed: int, n: int) -> tuple[dict[str, Any], Any]:
    """Return one informative column, and five copies of another that is less so."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    found, again = rng.normal(y, 0.8), rng.normal(y, 1.5)
    return {"told": found, **{f"copy {i}": again for i in range(5)}}, y


def test_copies_count_once() -> None:
    X, y = repeated(0, 2000)
    Z, z = repeated(1, 2000)
    plain, weighed = (sf.NaiveBayes(feature_powers=weights, joint=None).fit(X, y) for weights in (None, "loo"))
    once = sf.NaiveBayes(temper=None, feature_powers=None).fit({name: X[name] for name in ("told", "copy 0")}, y)
    losses = [log_loss(m.predict_log_proba(Z), z, m.classes_) for m in (plain, weighed)]
    best = log_loss(once.predict_log_proba({name: Z[name] for name in ("told", "copy 0")}), z, once.classes_)
    assert losses[1] < losses[0]
    assert losses[1] == pytest.approx(best, abs=0.003)
    powers = {name: weight * weighed.temper_.power for name, weight in weighed.feature_powers_.items()}
    assert powers["told"] == pytest.approx(1, abs=0.15)
    assert sum(powers[f"copy {i}"] for i in range(5)) == pytest.approx(1, abs=0.25)


KINDS = {**SIX, **{f"note {i}": "text" for i in range(3)}}


def data(seed: int, n: int) -> tuple[Any, Any]:
    """Return a column of each kind, and the text three times more."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    table = mixed(rng, n, codes)
    return {**table, **{f"note {i}": table["note"] for i in range(3)}}, LABELS[codes]


def test_explanations_intervals_and_leaving_out_have_the_weights() -> None:
    X, y = data(0, 150)
    model = sf.NaiveBayes(KINDS, feature_powers="loo", joint=None).fit(X, y)
    assert set(model.feature_powers_) == set(KINDS)
    assert any(abs(weight - 1) > 0.05 for weight in model.feature_powers_.values())
    row = {name: values[:1] for name, values in X.items()}
    logs = model.predict_log_proba(row)[0]
    assert model.explain(row, "a", "b").log_odds == pytest.approx(logs[0] - logs[1], abs=1e-9)
    plain = sf.NaiveBayes(KINDS, feature_powers=None).fit(X, y)
    loss, other = (sf.evaluate.leave_one_out(each, X, y).log_loss for each in (model, plain))
    assert loss < other
    mean, variance = (np.array(part) for part in model._predictor.prior.moments(model.class_count_))
    terms, power = model._predictor.log_prior - model.class_log_prior_, model.temper_.power
    mean, variance = np.tile(mean + terms, (150, 1)), np.tile(variance, (150, 1))
    rows: Any = model._reader.rows(Table.read(X))
    for name, block in model._model.blocks.items():
        here = rows[name].present[:, None]
        first, second = block.settled.belief(block.t, None).moments(rows[name])
        mean += np.where(here, model.feature_powers_[name] * power * first, 0)
        variance += np.where(here, (model.feature_powers_[name] * power) ** 2 * second, 0)
    for got, expected in zip(model.predict_interval(X), independent_bounds(mean, variance, 0.9), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_they_are_a_view() -> None:
    X, y = data(1, 150)
    first, last = ({name: values[part] for name, values in X.items()} for part in (slice(100), slice(100, 150)))
    model = sf.NaiveBayes(KINDS, feature_powers="loo", joint=None).fit(first, y[:100])
    before = model.feature_powers_
    model.partial_fit(last, y[100:])
    assert model.stale_
    assert model.feature_powers_ == before
    whole = sf.NaiveBayes(KINDS, feature_powers="loo", joint=None).fit(X, y)
    np.testing.assert_allclose(model.refresh(X, y).predict_proba(X), whole.predict_proba(X), atol=5e-3)
    assert set(copy(whole).forget(last, y[100:], drop_views=True).feature_powers_.values()) == {1.0}
    other = sf.NaiveBayes(KINDS, feature_powers="loo", joint=None).fit(last, y[100:])
    assert (other + whole).feature_powers_ == whole.feature_powers_
