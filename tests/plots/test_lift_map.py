"""The picture of columns that act together shows what the model counted."""

from typing import Any

import numpy as np
import pytest
import vl_convert
from scipy import stats

import suffice as sf
from plots.shown import holding, titles
from refusals import refused
from suffice.errors import InputError, KindError


def table(n: int = 600) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    X: dict[str, Any] = {"a": rng.choice(["no", "yes"], n), "b": rng.choice(["low", "mid", "if"], n)}
    X["x"], X["city"] = rng.normal(size=n), np.array([f"c{min(k, 60)}" for k in rng.geometric(0.06, n)])
    return X, np.where((X["a"] == "yes") ^ (X["b"] == "mid"), "same", "other")


def fitted(*sets: tuple[str, ...]) -> Any:
    return sf.NaiveBayes(joint=list(sets)).fit(*table())


def test_cells_are_those_of_the_belief_about_a_lift() -> None:
    X, y = table()
    model = fitted(("a", "b"))
    cells = holding(sf.plots.joint(model, "b", "a", level=0.9), "lift")
    (kappa,) = (one.kappa for one in model.joint_.values())
    assert len(cells) == 2 * 6
    for k, cell in enumerate(cells):
        own = np.array(["other", "same"])[k // 6] == y
        down, across = X["b"] == cell["down"], X["a"] == cell["across"]
        n, expected = (own & down & across).sum(), (own & down).sum() * (own & across).sum() / own.sum()
        assert (cell["rows"], cell["expected"]) == (n, pytest.approx(expected))
        assert cell["lift"] == pytest.approx((n + kappa) / (expected + kappa))
        low, high = stats.gamma(n + kappa, scale=1 / (expected + kappa)).interval(0.9)
        assert (cell["low"], cell["high"]) == pytest.approx((low, high))
        assert (cell["sure"] < 1) == (low <= 1 <= high)
        assert 2 ** cell["power"] == pytest.approx(np.clip(cell["lift"], 1 / 8, 8))


def test_it_can_be_drawn_and_says_how_to_read_it() -> None:
    chart = sf.plots.joint(fitted(("a", "b")), "a", "b")
    svg = vl_convert.vegalite_to_svg(chart.to_dict())
    for words in ("a × b", "relative to expected", ">if<", ">mid<", ">same<", ">other<", "1×"):
        assert words in svg
    assert titles(chart) == {"a", "b"}


def test_rare_values_are_one_and_that_is_said() -> None:
    X, _ = table()
    model = fitted(("city", "x"))
    chart = sf.plots.joint(model, "city", "x", most=8)
    cells = holding(chart, "lift")
    found = len(set(X["city"].tolist()))
    assert len({cell["down"] for cell in cells}) == 8
    assert f"{found - 7} others" in {cell["down"] for cell in cells}
    assert sum(cell["rows"] for cell in cells) == 600
    said = chart.title.subtitle
    assert said[1] == f"The {found - 7} rarest of {found} values of city are pooled."
    bins = len(model.joint_["city", "x"].edges[1]) + 1
    assert said[2] == f"The {bins - 7} rarest of {bins} values of x are pooled."
    assert len({cell["across"] for cell in holding(sf.plots.joint(model, "city", "x"), "lift")}) == bins


def test_bins_stand_in_their_order() -> None:
    chart = sf.plots.joint(fitted(("a", "x")), "x", "a")
    names = {cell["y"]: cell["down"] for cell in holding(chart, "lift")}
    assert names[0].startswith("below ")
    assert names[max(names)].endswith(" or more")
    starts = [float(names[k].split(" to ")[0]) for k in sorted(names)[1:-1]]
    assert starts == sorted(starts)


def test_of_three_columns_values_of_the_third_have_panels() -> None:
    chart = sf.plots.joint(fitted(("a", "b", "city")), "b", "a", "city", classes=["same"])
    assert len(chart.vconcat) == 4
    assert "Shown are the 4 most frequent of 20 values of city." in chart.title.subtitle[-1]


def test_what_cannot_be_drawn_is_said() -> None:
    model = fitted(("a", "b"), ("a", "x"))
    with pytest.raises(InputError, match=r"no joint columns b × x; its joint columns are a × b, a × x\. Declare"):
        sf.plots.joint(model, "b", "x")
    with pytest.raises(InputError, match=r"This model has no joint columns.*joint=\[\('a', 'b'\)\]"):
        sf.plots.joint(sf.NaiveBayes(joint=None).fit(*table()), "a", "b")
    for other in (sf.NaiveBayes(), sf.GaussianNB().fit([[0.0], [1.0]], [0, 1]), None):
        with pytest.raises(KindError, match="must be a fitted NaiveBayes"):
            sf.plots.joint(other, "a", "b")
    with refused(InputError, "classes", must="be one of"):
        sf.plots.joint(model, "a", "b", classes=["neither"])
