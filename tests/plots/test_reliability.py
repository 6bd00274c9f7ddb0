from typing import Any

import numpy as np
import pytest

import suffice as sf
from plots.shown import holding, titles
from suffice import plots


def judged(seed: int) -> sf.evaluate.Reliability:
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([1, 1], 200)
    labels = np.where(rng.random(200) < shares[:, 0], "a", "b")
    return sf.evaluate.reliability(shares, labels, ["a", "b"], bins=6)


def test_dots_are_the_bins() -> None:
    first, second = judged(0), judged(1)
    chart = plots.reliability({"first": first, "second": second})
    lines = holding(chart, "confidence")
    for name, one in (("first", first), ("second", second)):
        mine = [line for line in lines if line["model"] == name][: len(one.rows)]
        np.testing.assert_array_equal([line["confidence"] for line in mine], one.confidence)
        np.testing.assert_array_equal([line["accuracy"] for line in mine], one.accuracy)
        np.testing.assert_allclose([line["share"] for line in mine], one.rows / 200)
    assert titles(chart) == {"confidence", "accuracy"}


def test_what_is_no_reliability_is_refused() -> None:
    other: Any = {"model": [0.5]}
    with pytest.raises(TypeError, match=r"'models' of reliability must hold Reliability; got .* as 'model'"):
        plots.reliability(other)
