"""The picture of a predictive check: where the real rows are, in standard deviations of those drawn."""

from typing import Any

import numpy as np
import pytest

import suffice as sf
from plots.shown import holding

STATISTICS = ("share of zeros", "standard deviation", "minimum", "maximum")


@pytest.fixture(scope="module")
def found() -> Any:
    """Return a check of counts that are 0 or about 20, beside counts that are Poisson."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 200) * rng.poisson(20, 200), rng.poisson(3, 200)])
    y = np.where(np.arange(200) % 2 == 0, "even", "odd")
    return sf.check(sf.PoissonNB().fit(X, y), X, y, draws=60)


def test_dots_are_drawn_rows_and_diamonds_real_ones(found: Any) -> None:
    chart = sf.plots.check(found, most=20)
    diamonds, dots = holding(chart, "real"), holding(chart, "away")
    checked = 0
    for diamond in diamonds:
        feature, _, rest = diamond["name"].partition(", ")
        label, _, statistic = rest.partition(": ")
        if statistic not in STATISTICS:
            continue
        at = STATISTICS.index(statistic), found.classes.tolist().index(label), found.features.index(feature)
        drawn = np.array([each[at] for each in found.drawn])
        if drawn.std() == 0:
            continue
        mean, spread = np.mean(drawn), np.std(drawn, ddof=1)
        shown = [dot["away"] for dot in dots if dot["place"] == diamond["place"] and "name" not in dot]
        assert shown == pytest.approx(((drawn - mean) / spread).tolist())
        assert diamond["away"] == pytest.approx(np.clip((diamond["real"] - mean) / spread, -25, 25))
        checked += 1
    assert checked >= 8


def test_what_the_model_never_draws_is_far_from_the_dots(found: Any) -> None:
    """Half of the counts are zero, and not one of those drawn is: no standard deviation to measure by."""
    chart = sf.plots.check(found)
    zeros = next(one for one in holding(chart, "real") if one["name"] == "column 0, even: share of zeros")
    assert zeros["real"] > 0.3
    assert found.drawn[:, 0, 0, 0].std() == 0
    assert zeros["away"] == 25
    assert zeros["place"] in (0, 1)
    near = [one["away"] for one in holding(chart, "away") if one["place"] == zeros["place"] and "name" not in one]
    assert near == [0.0] * 60
