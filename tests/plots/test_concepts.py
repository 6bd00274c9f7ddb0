from collections import defaultdict
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest

import suffice as sf
from plots.shown import holding, rows, titles
from refusals import refused
from suffice import plots

GAME = sf.NumberGame().observe([16])


def test_panels_show_the_table() -> None:
    table = GAME.posterior_
    lines = rows(plots.hypotheses(GAME, most=8))[0]
    assert [line["hypothesis"] for line in lines] == [*(name for name, _ in table.top(8)), "24 others"]
    for line in lines[:-1]:
        at = table.names.index(line["hypothesis"])
        assert line["prior"] == table.prior[at]
        assert line["likelihood"] == np.exp(table.log_likelihood[at])
        assert line["posterior"] == table.posterior[at]
    for part in ("prior", "posterior"):
        assert sum(line[part] for line in lines) == pytest.approx(1)
    assert titles(plots.hypotheses(GAME)) == {"prior", "likelihood", "posterior"}


@pytest.mark.parametrize("game", [GAME, sf.NumberGame(prior="intervals").observe([16, 23, 19, 20]), sf.NumberGame()])
def test_pieces_add_up_to_the_membership(game: Any) -> None:
    chart = plots.membership(game, stacked=4)
    total: dict[Any, float] = defaultdict(float)
    for line in holding(chart, "hypothesis"):
        total[line["item"]] += line["share"]
    np.testing.assert_allclose([total[item] for item in game.domain], game.membership(), atol=1e-8)
    assert len({line["hypothesis"] for line in holding(chart, "hypothesis")}) <= 5
    marks = [line["item"] for lines in rows(chart) for line in lines if "hypothesis" not in line]
    assert marks == sorted(set(game.observed_))


def test_one_page_has_both_and_one_colour_per_hypothesis() -> None:
    chart = plots.number_game(GAME, most=12, stacked=6)
    colours = {line["hypothesis"]: line["colour"] for line in holding(chart, "colour")}
    stack = chart.to_dict()["vconcat"][1]["layer"][0]["encoding"]["color"]["scale"]
    shown = dict(zip(stack["domain"], stack["range"], strict=True))
    assert len(shown) == 7
    assert all(colours[name] == colour for name, colour in shown.items() if name != "all others")
    assert chart.title.text == "after 16"
    assert plots.number_game(sf.NumberGame()).title.text == "before any example"


def test_items_that_are_no_numbers() -> None:
    animals = sf.ConceptLearner({"dogs": {"beagle", "poodle"}, "all": {"beagle", "poodle", "cat"}}).observe(["beagle"])
    chart = plots.membership(animals)
    assert [line["item"] for line in holding(chart, "hypothesis")][:2] == ["beagle", "poodle"]
    assert chart.to_dict()["layer"][0]["encoding"]["x"]["type"] == "nominal"


def test_what_is_no_learner_is_refused() -> None:
    for draw in (plots.hypotheses, plots.membership, plots.number_game):
        other: Any = sf.Beta(1, 1)
        with pytest.raises(TypeError, match=f"'learner' of {draw.__name__} must be a ConceptLearner"):
            draw(other)


HEALTHY = np.array([[188, 11], [207, 15], [198, 12.5], [193, 14], [204, 11.5], [201, 13.6]])


@pytest.mark.parametrize("learner", [sf.Rectangles(), sf.Rectangles([30.0, 4.0]), sf.Rectangles(9.0, sampling="weak")])
def test_lines_of_generalisation_are_where_the_probability_is(learner: Any) -> None:
    chart = plots.generalisation(learner, HEALTHY, after=[3, 6])
    assert [panel.title.text for panel in chart.concat] == ["after 3 examples", "after 6 examples"]
    assert {line["level"] for line in holding(chart, "order")} == {0.1, 0.3, 0.5, 0.7, 0.9}
    found = [lines for lines in rows(chart) if "order" in lines[0]]
    dots = [lines for lines in rows(chart) if set(lines[0]) == {"x", "y"}]
    for lines, seen, n in zip(found, dots, (3, 6), strict=True):
        belief = learner.observe(HEALTHY[:n])
        shares = belief.membership([[line["x"], line["y"]] for line in lines])
        np.testing.assert_allclose(shares, [line["level"] for line in lines], rtol=1e-3)
        assert [[line["x"], line["y"]] for line in seen] == HEALTHY[:n].tolist()


def test_generalisation_of_one_or_many_examples_and_of_tables() -> None:
    frame = pd.DataFrame(HEALTHY, columns=["cholesterol", "insulin"])
    assert {"cholesterol", "insulin"} <= titles(plots.generalisation(sf.Rectangles(), frame))
    for learner, points in (
        (sf.Rectangles(1e-6), HEALTHY[:1]),
        (sf.Rectangles(1e6), HEALTHY[:1]),
        (sf.Rectangles(), np.tile(HEALTHY, (3000, 1))),
    ):
        lines = holding(plots.generalisation(learner, points), "order")
        shares = learner.observe(points).membership([[line["x"], line["y"]] for line in lines])
        np.testing.assert_allclose(shares, [line["level"] for line in lines], rtol=2e-3)


def test_what_generalisation_cannot_show_is_refused() -> None:
    other: Any = GAME
    with refused(TypeError, "generalisation.learner", must="be a Rectangles", got="a NumberGame"):
        plots.generalisation(other, HEALTHY)
    with refused(ValueError, "generalisation.points", must="have 2 columns", got="3"):
        plots.generalisation(sf.Rectangles(), [[1, 2, 3]])
    for after in (7, [3, 7], []):
        with refused(ValueError, "generalisation.after", must="hold numbers from 1 to 6"):
            plots.generalisation(sf.Rectangles(), HEALTHY, after=after)
    with refused(TypeError, "after", must="be a whole number of at least 1", got="0"):
        plots.generalisation(sf.Rectangles(), HEALTHY, after=0)
