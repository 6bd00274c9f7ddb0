"""Log loss and reliability, against scikit-learn and by hand."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
import sklearn.metrics
from scipy import sparse, stats

import suffice as sf
from refusals import refused
from suffice.errors import InputError, KindError, LabelError, ShapeError
from suffice.evaluate import crossfit, hold_out, log_loss, reliability, share_interval, validate

CLASSES = np.array(["a", "b", "c"])


def predictions() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.dirichlet([1, 1, 1], 200), rng.choice(CLASSES, 200)


def test_log_loss_is_that_of_scikit_learn_where_nothing_is_clipped() -> None:
    p, y = predictions()
    np.testing.assert_allclose(log_loss(np.log(p), y, CLASSES), sklearn.metrics.log_loss(y, p), rtol=1e-12)
    assert log_loss([[-1e5, 0.0]], ["a"], ["a", "b"]) == 1e5


def test_reliability_by_hand() -> None:
    p, y = predictions()
    best, sure = CLASSES[p.argmax(axis=1)], p.max(axis=1)
    error = 0.0
    for low in np.arange(10) / 10:
        some = (sure >= low) & (sure < low + 0.1)
        if some.any():
            error += some.mean() * abs((best[some] == y[some]).mean() - sure[some].mean())
    np.testing.assert_allclose(reliability(p, y, CLASSES, bins=10).error, error, rtol=1e-9)


def test_what_is_no_probability() -> None:
    p, y = predictions()
    for wrong in (np.full_like(p, np.nan), -p, p + 1):
        with pytest.raises(InputError, match="from 0 to 1"):
            reliability(wrong, y, CLASSES)
    for wrong in (p, np.full_like(p, np.nan)):
        with pytest.raises(InputError, match="at most 0"):
            log_loss(wrong, y, CLASSES)
    with pytest.raises(InputError, match="the first argument, before labels"):
        reliability(y, p, CLASSES)
    with pytest.raises(ShapeError, match="200 rows"):
        reliability(p[:3], y, CLASSES)
    with pytest.raises(LabelError, match="'q'"):
        reliability(p[:1], ["q"], CLASSES)


def test_it_can_be_drawn() -> None:
    p, y = predictions()
    assert sf.plots.reliability({"model": reliability(p, y, CLASSES)}).to_dict()
    with pytest.raises(KindError, match="Reliability"):
        sf.plots.reliability({"model": 3})  # type: ignore[dict-item]


def test_bounds_of_a_share_hold_it_and_are_the_shortest_that_do() -> None:
    for level in [0.5, 0.95, 0.999]:
        for right, n in [(0, 1), (1, 1), (0, 40), (40, 40), (179, 179), (1, 2), (7, 9), (891, 1000), (3, 10**6)]:
            low, high = share_interval(right, n, level)
            assert 0 <= low <= right / n <= high <= 1
            belief = stats.beta(1 + right, 1 + n - right)
            assert belief.cdf(high) - belief.cdf(low) == pytest.approx(level, abs=1e-6)
            below = np.linspace(0, 1 - level, 400)[1:-1]
            assert high - low <= (belief.ppf(below + level) - belief.ppf(below)).min() + 1e-7
            if right in (0, n):
                assert (low if right == 0 else high) == right / n


def test_a_share_of_nothing_is_anywhere() -> None:
    assert share_interval(0, 0) == pytest.approx((0.025, 0.975))
    with refused(InputError, "right", must="be from 0 to 'n', 3", got="4"):
        share_interval(4, 3)
    with refused(InputError, "level", must="lie between 0 and 1", got="1"):
        share_interval(1, 3, 1)


def rows_of(n: int = 200) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    y = rng.choice(CLASSES, n, p=[0.5, 0.3, 0.2])
    return rng.poisson(1 + 2.0 * (np.searchsorted(CLASSES, y)[:, None] == np.arange(3))), y


def test_scores_of_classes_are_those_of_scikit_learn() -> None:
    X, y = rows_of()
    weights = np.random.default_rng(2).random(len(y))
    model = sf.MultinomialNB().fit(X[:100], y[:100])
    for weight in (None, weights[100:]):
        found = validate(model, X[100:], y[100:], weight)
        said = model.predict(X[100:])
        matrix = sklearn.metrics.confusion_matrix(y[100:], said, sample_weight=weight)
        np.testing.assert_allclose(found.confusion, matrix, rtol=1e-12)
        expected = sklearn.metrics.precision_recall_fscore_support(y[100:], said, sample_weight=weight)[:3]
        scores = [[one.precision, one.recall, one.f1] for one in found.by_class]
        np.testing.assert_allclose(np.transpose(scores), expected, rtol=1e-12)
        assert found.accuracy == pytest.approx(sklearn.metrics.accuracy_score(y[100:], said, sample_weight=weight))
    found = validate(model, X[100:], y[100:])
    assert found.confusion.dtype.kind == "i"
    assert found.log_loss == pytest.approx(log_loss(model.predict_log_proba(X[100:]), y[100:], CLASSES))
    expected_bins = reliability(found.probabilities, y[100:], CLASSES)
    np.testing.assert_allclose(found.reliability().error, expected_bins.error)
    low, high = found.reliability().intervals()
    assert ((low <= expected_bins.accuracy) & (expected_bins.accuracy <= high)).all()
    of_b = found.reliability(bins=5, target="b")
    assert of_b.rows @ of_b.accuracy == pytest.approx((y[100:] == "b").sum())
    with pytest.raises(LabelError, match="'q'"):
        found.reliability(target="q")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, lambda X: X.tolist()], ids=["array", "sparse", "list"])
def test_a_hold_out_is_a_fit_to_the_other_rows(form: Any) -> None:
    X, y = rows_of()
    found = hold_out(sf.MultinomialNB(), form(X), y)
    held = found.held_out
    assert np.array_equal(held, crossfit(sf.MultinomialNB(), X, y).fold == 0)
    model = sf.MultinomialNB().fit(X[~held], y[~held])
    assert np.array_equal(found.probabilities, model.predict_proba(X[held]))
    assert np.array_equal(found.model.class_count_, model.class_count_)


def test_labels_that_are_a_column_of_the_table_are_not_learned_from() -> None:
    X, y = rows_of()
    columns: dict[str, Any] = {f"c{j}": X[:, j] for j in range(3)}
    apart = hold_out(sf.NaiveBayes(effort="fast"), columns, y)
    frame = pd.DataFrame(columns | {"y": y})
    for among in (
        hold_out(sf.NaiveBayes(effort="fast"), frame, "y"),
        hold_out(sf.NaiveBayes(effort="fast"), frame, frame["y"]),
    ):
        assert np.array_equal(among.held_out, apart.held_out)
        assert np.array_equal(among.log_probabilities, apart.log_probabilities)
    model = sf.NaiveBayes(effort="fast").fit(frame, "y")
    assert validate(model, frame, "y").log_loss == validate(model, columns, y).log_loss


def test_rows_of_classes_that_are_not_learned_are_left_out_of_the_scores() -> None:
    X, y = rows_of()
    model = sf.MultinomialNB().fit(X, y)
    found, without = validate(model, [*X, X[0]], [*y, "new"]), validate(model, X, y)
    assert (found.n_singletons, found.classes.tolist()) == (1, ["a", "b", "c", "new"])
    assert (found.log_loss, found.accuracy, found.baseline) == (without.log_loss, without.accuracy, without.baseline)
    assert found.confusion[:3, :3].tolist() == without.confusion.tolist()
    assert np.isnan([found.by_class[3].recall, found.by_class[3].precision, found.by_class[3].f1]).all()
    with pytest.raises(LabelError, match="at least 2 rows"):
        hold_out(sf.MultinomialNB(), X[:1], y[:1])
