"""Names on an axis are shown as they are, whatever they are: a word may be one of Vega's own."""

import pytest
import vl_convert

import suffice as sf

NAMES = ["if", "datum", "don't", 'say "so"', "back\\slash", "null"]


@pytest.mark.parametrize("names", [NAMES, ["if"]], ids=["many", "one"])
def test_any_name_can_stand_on_an_axis(names: list[str]) -> None:
    learner = sf.ConceptLearner({name: {1, place} for place, name in enumerate(names)})
    chart = sf.plots.hypotheses(learner.observe([1]))
    svg = vl_convert.vegalite_to_svg(chart.to_dict())
    for name in names:
        assert name.replace('"', "&quot;") in svg or name in svg


def test_a_text_with_the_word_if() -> None:
    model = sf.TextClassifier("bernoulli").fit(["if not", "if so", "then"], ["a", "a", "b"])
    for chart in (sf.plots.words(model), sf.plots.information(sf.mutual_information(model))):
        assert ">if<" in vl_convert.vegalite_to_svg(chart.to_dict())
