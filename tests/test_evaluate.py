"""Log loss and reliability, against scikit-learn and by hand."""

from typing import Any

import numpy as np
import pytest
import sklearn.metrics
from scipy import stats

import suffice as sf
from suffice.errors import InputError, KindError, LabelError, ShapeError
from suffice.evaluate import log_loss, reliability, share_interval

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
    with pytest.raises(InputError, match="'right' must be from 0 to 'n', 3; got 4"):
        share_interval(4, 3)
    with pytest.raises(InputError, match="'level' must lie between 0 and 1; got 1"):
        share_interval(1, 3, 1)
