"""Notebooks show pictures without a network, and the user's choice of a renderer stays; saved pictures can be read."""

import copy
import io
import pickle
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import altair as alt
import pytest

import suffice as sf

TEXTS = sf.TextClassifier("bernoulli").fit(["red apple", "red pear", "blue sky"], ["fruit", "fruit", "air"])
LIGHTS = sf.NaiveBayes(joint=[("lamp", "door")]).fit(
    {"lamp": ["on", "on", "off", "off"] * 30, "door": ["open", "shut"] * 60}, ["home", "away", "away", "home"] * 30
)
CHARTS: dict[str, Callable[[], Any]] = {
    "belief": lambda: sf.plots.belief(sf.Beta(2, 3)),
    "filmstrip": lambda: sf.plots.filmstrip(sf.Beta(2, 2), [1, 0, 1, 1]),
    "predictive": lambda: sf.plots.predictive(sf.Gamma(2, 1)),
    "simplex": lambda: sf.plots.simplex(sf.Dirichlet([2, 3, 4])),
    "hypotheses": lambda: sf.plots.hypotheses(sf.ConceptLearner({"a": {1, 2}, "b": {1}}).observe([1])),
    "joint": lambda: sf.plots.joint(LIGHTS, "lamp", "door"),
    "words": lambda: sf.plots.words(TEXTS),
    "waterfall": lambda: sf.plots.waterfall(TEXTS.explain("red sky")),
    "reliability": lambda: sf.plots.reliability(
        sf.evaluate.reliability([[0.9, 0.1], [0.3, 0.7]], ["a", "b"], ["a", "b"])
    ),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_notebook_loads_nothing(name: str) -> None:
    before = alt.renderers.active
    bundle = CHARTS[name]()._repr_mimebundle_()
    assert alt.renderers.active == before
    assert list(bundle) == ["image/svg+xml"]
    assert "<script" not in bundle["image/svg+xml"]
    namespaces = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert set(re.findall(r"https?://[^\"'\s<]+", bundle["image/svg+xml"])) <= namespaces


def test_a_renderer_that_the_user_chose_is_used() -> None:
    with alt.renderers.enable("json"):
        data, _ = CHARTS["belief"]()._repr_mimebundle_()
    assert "application/json" in data


def test_without_the_library_that_draws_it_is_altairs_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    chart = CHARTS["belief"]()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert list(chart._repr_mimebundle_()) == ["text/html"]


def test_what_is_made_of_a_chart_is_shown_offline_too() -> None:
    chart = CHARTS["waterfall"]()
    assert type(chart).__name__ == "HConcatChart"
    assert isinstance(chart, alt.HConcatChart)
    others: list[Any] = [chart.properties(title="Why"), copy.deepcopy(chart), pickle.loads(pickle.dumps(chart))]
    for other in others:
        assert "image/svg+xml" in other._repr_mimebundle_()
    assert pickle.loads(pickle.dumps(chart)).to_dict() == chart.to_dict()


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_a_printed_picture_is_opaque_with_dark_words(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, picture = list[Any](), b"IHDR" + bytes(8)

    def draw(spec: Any, **_: Any) -> bytes:
        seen.append(spec)
        return picture

    monkeypatch.setattr(f"vl_convert.vegalite_to_{kind}", draw)
    chart, file = CHARTS["waterfall"](), io.BytesIO()
    chart.save(file, format=kind)
    assert file.getvalue() == picture
    with alt.renderers.enable("png"):
        chart._repr_mimebundle_()
    for spec in seen:
        assert spec["config"]["background"] == "white"
        assert {spec["config"][part]["labelColor"] for part in ("axis", "legend")} == {"#43474f"}
        assert "'color': '#80858f'" not in str(spec)
    assert chart.to_dict()["config"]["background"] == "transparent"


def test_a_picture_saved_as_a_page_loads_nothing(tmp_path: Path) -> None:
    CHARTS["belief"]().save(tmp_path / "a.html")
    assert "jsdelivr" not in (tmp_path / "a.html").read_text(encoding="utf-8")
