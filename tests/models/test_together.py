"""Sets of columns at once: scores as the sum of what each set says, and lifts as each set leaves rows out."""

from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.models.choosing.judge import judge
from suffice.models.together import JointTerms, SharedAxes, left_out_lifts, sets_of
from suffice.parallel import threads


def table(n: int = 300, seed: int = 0) -> tuple[dict[str, Any], Any]:
    """Return columns of words and numbers, with holes, whose classes depend on two columns together."""
    rng = np.random.default_rng(seed)
    a, b = rng.choice(["x", "y", "z"], n), rng.choice(["u", "v"], n)
    number = rng.normal(size=n).round(2)
    y = np.where((a == "x") ^ (b == "u") ^ (rng.random(n) < 0.1), "no", "yes")
    holes = rng.random((2, n)) < 0.1
    X = {"a": np.where(holes[0], np.array(None), a), "b": b, "number": np.where(holes[1], np.nan, number)}
    return X, y


SETS = [("a", "b"), ("b", "number"), ("a", "b", "number")]


def fitted() -> tuple[Any, Any, Any, Any]:
    X, y = table()
    model = sf.NaiveBayes(joint=SETS).fit(X, y)
    return model, model._predictor, model._reader.rows(model._source(X), model._model.likelihoods), y


def test_scores_of_all_sets_are_the_sum_of_each() -> None:
    _, predictor, rows, _ = fitted()
    assert predictor.together is not None
    out = np.zeros((300, 2))
    predictor.together.add(rows, out)
    votes = predictor.votes(rows)
    sets = list(sets_of(predictor.model.blocks))
    assert len(sets) == 3
    np.testing.assert_allclose(out, sum(votes[name] for name in sets), atol=1e-12)
    np.testing.assert_allclose(predictor.scores(rows), predictor.temper.power * sum(votes.values()), atol=1e-12)


def test_values_and_columns_that_are_not_there_add_nothing() -> None:
    model, predictor, _, _ = fitted()
    new = {"a": ["never", "x", None], "b": ["u", "never", "v"], "number": [0.1, 0.2, None]}
    rows = model._reader.rows(model._source(new), model._model.likelihoods)
    out = np.zeros((3, 2))
    predictor.together.add(rows, out)
    votes = predictor.votes(rows)
    np.testing.assert_allclose(out, sum(votes[name] for name in sets_of(predictor.model.blocks)), atol=1e-12)
    assert (out[2] == 0).all()


@pytest.mark.parametrize("grouped", [False, True])
def test_lifts_of_all_sets_are_those_of_each_left_out(grouped: bool) -> None:
    model, predictor, rows, y = fitted()
    codes = np.searchsorted(model.classes_, y)
    group = np.random.default_rng(1).integers(0, 40, 300) if grouped else None
    labels = sf.models.scoring.rows.Labels(codes, None, 2)
    judged = judge(predictor, rows, labels, group)
    sets = sets_of(predictor.model.blocks)
    out = np.zeros((3, 1, 300), np.float32)
    left_out_lifts(sets, rows, codes, np.ones(300), group, 0.5, out)
    for lifts, name in zip(out, sets, strict=True):
        scores = judged.votes()[name]
        np.testing.assert_allclose(lifts[0], 0.5 * (scores[:, 1] - scores[:, 0]), atol=1e-6)


def test_threads_do_not_change_a_bit_of_scores() -> None:
    X, y = table(6000)
    model = sf.NaiveBayes(joint=SETS).fit(X, y)
    found = []
    for n in (1, 2, 3):
        with threads(n):
            found.append(model.predict_log_proba(X).tobytes())
    assert found[0] == found[1] == found[2]


def test_a_model_without_sets_has_no_terms_of_sets() -> None:
    X, y = table()
    model = sf.NaiveBayes(joint=None).fit(X, y)
    assert JointTerms.of(model._model.blocks, None, model.classes_) is None
    assert SharedAxes.of({}).words == []
