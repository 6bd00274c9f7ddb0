"""Everything displays itself in a notebook: well-formed, escaped, bounded, without asking anything of the network."""

import re
import warnings
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn import config_context

import suffice as sf
from laws.displayed import BELIEFS, EVIL, OTHERS, STATISTICS_SHOWN, everything, of_tables, one_of_each
from laws.estimators import ESTIMATORS
from laws.registry import FAMILIES, STATISTICS
from suffice.datasets.corpus import Corpus

THINGS, QUICK = everything(), one_of_each()
VOID = {"br", "meta", "img", "hr", "input"}
LARGEST = 20_000
"""Characters of a card, style and all."""


class Tags(HTMLParser):
    """Whether tags close in order, and the attributes and text that were met."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.met: set[str] = set()
        self.text: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.met.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def made(make: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.thorough) for name in THINGS]
)
def test_a_card_is_sound_and_for_everybody(name: str) -> None:
    html = made(THINGS[name])._repr_html_()
    tags = Tags()
    tags.feed(html)
    tags.close()
    assert not tags.open
    assert "sf-plain" not in html  # nothing fell back to text
    assert len(html) < LARGEST
    assert not {"script", "link", "img", "iframe", "object"} & tags.met
    assert not {key for key, _ in tags.attributes} & {"src", "href", "onclick", "onload", "id"}
    assert not re.search(r"https?:|url\(|@import|//", html)
    root = ElementTree.fromstring(html)
    assert root.get("role") == "group"
    assert root.get("aria-label")
    assert all(picture.get("role") == "img" and picture.get("aria-label") for picture in root.iter("svg"))
    assert all(head.get("scope") in ("col", "row") for head in root.iter("th"))
    assert all(bar.get("aria-hidden") == "true" for bar in root.iter("span"))
    for table in root.iter("table"):
        body = table.find("tbody")
        assert body is not None
        assert len(body) <= 61


def test_names_are_escaped() -> None:
    shown = [name for name in QUICK if EVIL in "".join(text_of(made(THINGS[name])._repr_html_()))]
    assert {"NaiveBayes of mixed columns", "answer explanation of a table", "answer comparison", "answer table"} <= {
        *shown
    }
    assert len(shown) > len(QUICK) / 3


def text_of(html: str) -> list[str]:
    tags = Tags()
    tags.feed(html)
    return tags.text


def test_everything_registered_is_displayed() -> None:
    assert {str(case) for case in FAMILIES} <= {*BELIEFS}
    assert {str(case) for case in STATISTICS} <= {*STATISTICS_SHOWN}
    assert {f"{case}, not fitted" for case in ESTIMATORS} <= {*THINGS}
    assert {*OTHERS, *QUICK} <= {*THINGS}


def test_a_curve_shows_the_mean_and_the_interval() -> None:
    """Figures by scipy's own Beta: mean 0.375, quantiles 0.09899 and 0.70958."""
    html = sf.Beta(3, 5)._repr_html_()
    assert "mean 0.375 · 95 % interval 0.09899 to 0.7096" in html
    assert html.count("<svg") == 1
    sharp = sf.Beta(3e11, 7e11)._repr_html_()
    assert "mean 0.3 · 95 % interval 0.2999991 to 0.3000009" in sharp  # 0.3 ∓ 1.96·√(0.21e-12)


def test_an_improper_belief_says_so() -> None:
    for belief in (
        sf.Pareto(0, 0),
        sf.NormalInverseGamma(0, 0, 1, 1),
        sf.NormalInverseWishart([0, 0], 0, 3, np.eye(2)),
    ):
        assert "Improper: it does not integrate to one" in belief._repr_html_()


def test_long_tables_are_cut_short() -> None:
    assert "… and 980 more" in sf.Dirichlet(np.ones(1000))._repr_html_()
    assert "… and 999,980 more" in sf.Beta(np.ones(10**6), 1.0)._repr_html_()
    corpus = Corpus([""] * 30, [f"label {k}" for k in range(30)], ["g"] * 30)
    assert "… and 10 more" in corpus._repr_html_()


def test_a_classifier_shows_what_it_learned() -> None:
    model = of_tables()
    text = " ".join(text_of(model._repr_html_()))
    for word in ("60 rows of 3 classes", "histogram", "categorical", "top features", "year", "Parameters"):
        assert word in text
    rows = dict(zip(model.classes_.tolist(), model.class_count_.tolist(), strict=True))
    root = ElementTree.fromstring(model._repr_html_())
    lines = next(iter(root.iter("tbody")))
    found = {line[0].text: float(line[1].text or "") for line in lines}
    assert found == rows
    chosen = sf.TextClassifier().fit(["cheap pills", "lunch at noon"] * 150, ["spam", "ham"] * 150)
    assert "Chosen on held-out rows" in chosen._repr_html_()


def test_without_a_fit_parameters_are_shown() -> None:
    html = sf.MultinomialNB(alpha=0.25)._repr_html_()
    assert "Not fitted." in html
    root = ElementTree.fromstring(html)
    first = next(iter(root.iter("tbody")))[0]
    assert [first[0].text, "".join(first[1].itertext())] == ["alpha", "0.25"]


def test_the_bundle_heeds_scikit_learn() -> None:
    model = sf.MultinomialNB()
    assert {*model._repr_mimebundle_()} == {"text/plain", "text/html"}
    with config_context(display="text"):
        assert model._repr_mimebundle_() == {"text/plain": "MultinomialNB()"}


def test_what_cannot_be_shown_in_parts_is_shown_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sf.Beta, "interval", lambda self, level: 1 / 0)
    assert '<pre class="sf-plain">Beta(a=1, b=2)</pre>' in sf.Beta(1, 2)._repr_html_()


def test_labels_of_any_kind() -> None:
    for labels in ([0, 1], [True, False], [2007, 2008], ["a\x00b", "b\ud800"]):
        model = sf.BernoulliNB().fit([[0], [1]], labels)
        html = model._repr_html_()
        ElementTree.fromstring(html)
        html.encode()
        assert "2,007" not in html
