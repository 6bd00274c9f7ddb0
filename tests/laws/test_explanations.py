"""An explanation adds up to what the model says, whatever the model."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from laws.estimators import ESTIMATORS, EstimatorCase, every_estimator, mixed
from laws.inside import put_label_noise
from laws.weighed import hold
from refusals import refused
from suffice.estimators.shell.classifier import Classifier

PAIRS = [("a", "b"), ("b", "c"), ("c", "a")]


def rows_of(X: Any, at: list[int]) -> Any:
    if isinstance(X, dict):
        return {name: [column[i] for i in at] for name, column in X.items()}
    return X[at] if isinstance(X, np.ndarray) else [X[i] for i in at]


def fitted(case: EstimatorCase, **parameters: Any) -> tuple[Any, Any]:
    X, y = case.data(0, 60)
    return clone(case.model).set_params(**parameters).fit(X, y), case.data(1, 12)[0]


@every_estimator
def test_the_parts_add_up_to_the_log_odds(case: EstimatorCase) -> None:
    model, X = fitted(case)
    for i in range(12):
        row = rows_of(X, [i])
        logs = dict(zip(model.classes_.tolist(), model.predict_log_proba(row)[0], strict=True))
        for a, b in PAIRS:
            explanation = model.explain(row, a, b)
            assert explanation.log_odds == pytest.approx(logs[a] - logs[b], abs=1e-9)
            assert len(explanation.features) == len(explanation.values) == len(explanation.contributions)
        explanation = model.explain(row)
        assert explanation.target == model.predict(row)[0]
        assert explanation.against == sorted(logs, key=lambda c: -logs[c])[1]


@every_estimator
def test_the_two_classes_are_the_most_probable_with_label_noise_too(case: EstimatorCase) -> None:
    X, y = case.data(0, 60)
    model = clone(case.model).fit(X, y, sample_weight=np.select([y == "a", y == "b"], [1.0, 2.0], 6.0))
    put_label_noise(model, 0.2)
    for i in range(30):
        row = rows_of(X, [i])
        logs = dict(zip(model.classes_.tolist(), model.predict_log_proba(row)[0], strict=True))
        explanation = model.explain(row)
        first, second, _ = sorted(logs.values(), reverse=True)
        assert (logs[explanation.target], logs[explanation.against]) == (first, second)
        assert explanation.log_odds == pytest.approx(first - second, abs=1e-9)


@pytest.mark.parametrize("case", [case for case in ESTIMATORS if "weighed" in case.name], ids=str)
def test_only_what_adds_next_to_nothing_is_called_redundant(case: EstimatorCase) -> None:
    for power in (0.0, 0.01, 0.049):
        model, X = fitted(case)
        weights = model._predictor.views.weights
        if "NaiveBayes" in case.name:
            hold(model, replace(weights, columns=dict.fromkeys(weights.columns, power)))
        else:
            hold(model, replace(weights, features=np.full(len(weights.features), power)))
        lines = [line for i in range(12) for line in model.explain(rows_of(X, [i])).top(99)]
        for _, value, weight in [line for line in lines if str(line[0])[0] != "(" and line[1] != "missing"]:
            assert ("redundant given other " in value) == (abs(weight) < 0.1)
            assert ("% of its log-odds" in value) == (abs(weight) >= 0.1 and power > 0)


@every_estimator
def test_the_other_way_round_it_is_the_opposite(case: EstimatorCase) -> None:
    model, X = fitted(case)
    for i in range(6):
        one, other = model.explain(rows_of(X, [i]), "a", "c"), model.explain(rows_of(X, [i]), "c", "a")
        assert one.prior == -other.prior
        np.testing.assert_array_equal(one.contributions, -other.contributions)
        assert (one.low is None) == (other.high is None)
        if one.low is not None:
            assert one.high is not None
            np.testing.assert_allclose(one.low, -np.asarray(other.high), rtol=1e-12)
            known = ~np.isnan(one.low)
            assert (one.low <= one.contributions)[known].all()
            assert (one.contributions <= one.high)[known].all()


@every_estimator
def test_the_order_of_columns_is_irrelevant(case: EstimatorCase) -> None:
    (X, y), (Z, _) = case.data(0, 60), case.data(1, 6)
    if isinstance(X, list):
        X, Z = ([" ".join(reversed(text.split())) for text in texts] for texts in (X, Z))
        turned, places = clone(case.model).fit(X, y), None
    elif isinstance(X, dict):
        turned = clone(case.model).fit(dict(reversed(X.items())), y)
        Z, places = dict(reversed(Z.items())), None
    else:
        turned, Z, places = clone(case.model).fit(X[:, ::-1], y), Z[:, ::-1], X.shape[1] - 1
    model, straight = fitted(case)[0], case.data(1, 6)[0]
    for i in range(6):
        one, other = model.explain(rows_of(straight, [i]), "a", "b"), turned.explain(rows_of(Z, [i]), "a", "b")
        weights = dict(zip(other.features, other.contributions, strict=True))
        for feature, weight in zip(one.features, one.contributions, strict=True):
            there = feature if places is None or isinstance(feature, str) else places - feature
            assert weights[there] == pytest.approx(weight, abs=1e-9)


@every_estimator
def test_a_power_multiplies_all_but_the_prior(case: EstimatorCase) -> None:
    (plain_model, X), (tempered, _) = (fitted(case, temper=temper) for temper in (None, 0.25))
    row = rows_of(X, [0])
    plain, explanation = (model.explain(row, "a", "b") for model in (plain_model, tempered))
    logs = tempered.predict_log_proba(row)[0]
    assert explanation.log_odds == pytest.approx(logs[0] - logs[1], abs=1e-9)
    assert explanation.prior == plain.prior
    np.testing.assert_allclose(explanation.contributions, plain.contributions / 4, rtol=1e-12)


@every_estimator
def test_exactly_one_row_is_required(case: EstimatorCase) -> None:
    model, X = fitted(case)
    with pytest.raises(ValueError, match=r"'x' must be one (row; got 2 rows|text; got 2 texts)\.$"):
        model.explain(rows_of(X, [0, 1]))
    with refused(ValueError, "target", must="be one of"):
        model.explain(rows_of(X, [0]), target="z")


@every_estimator
def test_an_explanation_is_shown(case: EstimatorCase) -> None:
    model, X = fitted(case)
    explanation = model.explain(rows_of(X, [0]))
    assert repr(explanation).startswith(f"{explanation.target} rather than {explanation.against}: log-odds ")
    assert "class='sf-bar'" in explanation._repr_html_()
    frame = explanation.to_frame("polars")
    assert frame.columns == ["feature", "value", "log_odds", "low", "high"]
    assert frame["log_odds"].sum() == pytest.approx(explanation.log_odds)
    assert [weight for _, _, weight in explanation.top(2)] == sorted(explanation.contributions, key=lambda w: -abs(w))[
        :2
    ]


def can_estimate(case: EstimatorCase, estimate: str) -> bool:
    """Return whether a classifier has this way to estimate, and does not refuse it."""
    if "estimate" not in case.model.get_params() or case.name.endswith("urns"):
        return False
    if isinstance(case.model, sf.GaussianNB):
        return case.model.prior is not None or estimate == "mle"
    if estimate == "map":
        return "NaiveBayes" not in case.name and "evidence" not in case.name
    return True


@every_estimator
def test_every_estimate_adds_up(case: EstimatorCase) -> None:
    more = {"columns": {**case.model.columns, "wait": "gaussian"}} if case.rows is mixed else {}
    ways = [way for way in ("mle", "mean", "predictive", "map") if can_estimate(case, way)]
    models = [fitted(case, estimate=estimate, **more) for estimate in ways]
    for (model, X), i in product(models, range(6)):
        row = rows_of(X, [i])
        logs = model.predict_log_proba(row)[0]
        if np.isfinite(logs[:2]).all():
            assert model.explain(row, "a", "b").log_odds == pytest.approx(logs[0] - logs[1], abs=1e-9)
        elif np.isfinite(logs[:2]).any():
            assert model.explain(row, "a", "b").log_odds == logs[0] - logs[1]
        else:
            with pytest.raises(ValueError, match="both impossible"):
                model.explain(row, "a", "b")


@every_estimator
def test_what_speaks_for_a_class(case: EstimatorCase) -> None:
    model, _ = fitted(case)
    for label in "abc":
        top = model.top_features(label, 4)
        assert 0 < len(top) <= 4
        weights = [row.log_odds for row in top]
        assert weights == sorted(weights, reverse=True)
        assert min(weights) > 0
        assert repr(top).startswith(f"Log-odds of {label}, relative to the average of the other classes:\n")
    assert len(model.top_features("a", 0)) == 0
    with refused(ValueError, "class_", must="be one of"):
        model.top_features("z")
    with refused(ValueError, "top_features.k", must="be a whole number"):
        model.top_features("a", -1)


@every_estimator
def test_without_costs_a_decision_is_a_prediction(case: EstimatorCase) -> None:
    model, X = fitted(case)
    np.testing.assert_array_equal(model.decide(X), model.predict(X))
    assert (model.decide(X, abstain=0.0) == None).sum() == (model.predict_proba(X).max(axis=1) < 1).sum()  # noqa: E711
    assert set(model.decide(X, {(c, "b"): 1e9 for c in "ac"})) <= {"a", "c"}
    assert isinstance(model, Classifier)
