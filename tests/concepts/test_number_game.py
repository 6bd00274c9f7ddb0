"""The number game against its worked numbers and a plain enumeration."""

from math import exp
from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.concepts import usual_rules
from suffice.errors import InputError


def likelihoods(*numbers: int) -> dict[object, float]:
    table = sf.NumberGame().observe(list(numbers)).posterior_
    return dict(zip(table.names, np.exp(table.log_likelihood), strict=True))


def test_worked_numbers() -> None:
    one, four = likelihoods(16), likelihoods(16, 8, 2, 64)
    assert one["powers of 2"] == pytest.approx(1 / 6)
    assert one["even"] == pytest.approx(1 / 50)
    assert f"{four['powers of 2']:.1e}" == "7.7e-04"
    assert f"{four['even']:.1e}" == "1.6e-07"
    assert int(four["powers of 2"] / four["even"]) == 4822


def test_the_rules_and_their_weights() -> None:
    table = sf.NumberGame().posterior_
    assert len(table) == 32
    total = 2 * 5 + 28 + 2 * 0.01
    weights = dict(zip(table.names, table.prior * total, strict=True))
    assert weights["even"] == weights["odd"] == pytest.approx(5)
    assert weights["powers of 2 and 37"] == weights["powers of 2 but 32"] == pytest.approx(0.01)
    assert sorted(weights.values())[2:30] == pytest.approx([1] * 28)
    game = sf.NumberGame()
    assert game.items_of("powers of 2 and 37") == [2, 4, 8, 16, 32, 37, 64]
    assert game.items_of("powers of 2 but 32") == [2, 4, 8, 16, 64]
    assert game.items_of("powers of 10") == [10, 100]
    assert game.items_of("powers of 3") == [3, 9, 27, 81]
    assert game.items_of("squares") == [1, 4, 9, 16, 25, 36, 49, 64, 81, 100]
    assert game.items_of("ending in 3") == list(range(3, 100, 10))
    assert game.items_of("multiples of 7") == list(range(7, 99, 7))
    assert game.items_of("all") == list(game.domain) == list(range(1, 101))


@pytest.mark.parametrize("scale", [None, 3.0, 60])
@pytest.mark.parametrize("weight", [None, 0.0, 0.25, 1.0])
def test_intervals_by_the_erlang_density_of_their_size(weight: float | None, scale: float | None) -> None:
    share, size = 2 / 3 if weight is None else weight, scale or 10
    table = sf.NumberGame(prior="intervals", weight=weight, scale=scale).posterior_
    assert len(table) == 32 + 5050
    pairs = [(low, high) for low in range(1, 101) for high in range(low, 101)]
    erlang = {(low, high): (high - low + 1) / size**2 * exp(-(high - low + 1) / size) for low, high in pairs}
    total = sum(erlang.values())
    named = dict(zip(table.names, table.prior, strict=True))
    for (low, high), density in erlang.items():
        name = f"{low} to {high}" if low < high else f"only {low}"
        assert named[name] == pytest.approx((1 - share) * density / total)
    assert sum(named[rule] for rule in sf.NumberGame().hypotheses) == pytest.approx(share)
    assert {"all", "1 to 100"} < named.keys()


def test_nearby_numbers_belong_only_with_intervals() -> None:
    near = sf.NumberGame(prior="intervals").observe([16, 23, 19, 20]).membership()
    assert near[17] == pytest.approx(1, abs=1e-4)  # 18 lies among them
    assert (np.diff(near[23:60]) <= 1e-12).sum() > 30  # and it falls off beyond, but for rules
    assert sf.NumberGame().observe([16, 23, 19, 20]).map_ == ["all"]


def test_a_subclass_stays_itself() -> None:
    assert repr(sf.NumberGame().observe([16])) == "NumberGame(32 hypotheses, 100 items; 1 observed, best: powers of 4)"


def test_arguments() -> None:
    other: Any = "flat"
    with pytest.raises(ValueError, match="'prior' parameter of NumberGame must be 'rules' or 'intervals'; got 'flat'"):
        sf.NumberGame(prior=other)
    with pytest.raises(TypeError, match="'weight' of NumberGame needs prior='intervals'"):
        sf.NumberGame(weight=0.5)
    with pytest.raises(TypeError, match="'scale' of NumberGame needs prior='intervals'"):
        sf.NumberGame(scale=5)
    for scale in (0, -1, np.inf, np.nan, "wide"):
        with pytest.raises(ValueError, match="'scale' parameter of NumberGame must be a number above 0; got"):
            sf.NumberGame(prior="intervals", scale=scale)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'weight' parameter of NumberGame must be a number from 0 to 1; got 2"):
        sf.NumberGame(prior="intervals", weight=2)
    with pytest.raises(ValueError, match=r"items of the domain \(1 to 100, 100 in all\); got 101"):
        sf.NumberGame().observe([16, 101])


def test_rules_and_numbers_of_ones_own() -> None:
    """Brute force: prior weight times one over the size of the concept for each example."""
    numbers = [4, 1, 2, 3, 9, 16, 25, 27]
    rules: dict[str, Any] = {"squares": {1, 4, 9, 16, 25}, "odd": lambda n: n % 2 == 1, "cubes": ({1, 27}, 3.0)}
    game = sf.NumberGame(rules=rules, numbers=numbers).observe([9, 1])
    size = {"squares": 5, "odd": 5, "cubes": 2}
    joint = {"squares": 1 / size["squares"] ** 2, "odd": 5 / size["odd"] ** 2, "cubes": 0.0}
    expected = {name: value / sum(joint.values()) for name, value in joint.items()}
    found = game.posterior_
    assert dict(zip(found.names, found.posterior, strict=True)) == pytest.approx(expected)
    assert game.domain == tuple(sorted(numbers))


def test_intervals_of_other_numbers_skip_what_is_not_there() -> None:
    game = sf.NumberGame("intervals", 0.0, rules={"all": {10, 20, 30}}, numbers=[10, 20, 30])
    assert [*game.hypotheses] == ["all", "only 10", "10 to 20", "10 to 30", "only 20", "20 to 30", "only 30"]
    assert game.observe([10, 20]).map_ == ["10 to 20"]


def test_the_usual_rules_are_those_of_the_number_game() -> None:
    usual, given = (game.observe([16]).posterior_ for game in (sf.NumberGame(), sf.NumberGame(rules=usual_rules())))
    assert usual.names == given.names
    np.testing.assert_array_equal(usual.posterior, given.posterior)
    wide = sf.NumberGame(numbers=range(1, 1001)).observe([512, 2, 64])
    assert wide.map_ == ["powers of 2"]
    assert wide.membership([1000, 256])[1] > 0.9


@pytest.mark.parametrize("numbers", [range(50, 100), range(1, 6), range(11, 21), range(-10, 0), [7]])
def test_usual_rules_that_no_number_follows_are_left_out(numbers: Any) -> None:
    game = sf.NumberGame(numbers=numbers)
    assert game.observe([numbers[-1]]).membership([numbers[-1]]) == pytest.approx([1.0])
    assert {*game.hypotheses} == {*usual_rules(numbers)} <= {*usual_rules()}
    assert "odd" in game.hypotheses
    assert ("powers of 5" in game.hypotheses) == any(n in (5, 25) for n in numbers)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rules": {"a": (2, 3, 4)}}, r"pair of one of these and a weight from 0 on; got \(2, 3, 4\) for 'a'"),
        ({"rules": {"a": (2, 3)}}, r"got \(2, 3\) for 'a'"),
        ({"rules": {"a": ({2}, -1)}}, r"got \(\{2\}, -1\) for 'a'"),
        ({"rules": {"a": "23"}}, "got '23' for 'a'"),
        ({"rules": {"1 to 3": {1, 2, 3}}, "prior": "intervals"}, "must not name a rule as an interval .* got '1 to 3'"),
        ({"numbers": [1, 1]}, "distinct whole numbers"),
        ({"numbers": 5}, "distinct whole numbers"),
        ({"numbers": [0.5]}, "distinct whole numbers"),
        ({"rules": ["even"]}, "a dict of rules by name"),
        ({"rules": {}}, "a dict of rules by name"),
        ({"prior": "intervals", "numbers": range(3000)}, "at most 2,000 numbers"),
        ({"rules": {"even": ({2}, -1.0)}}, "a weight from 0 on"),
    ],
)
def test_rules_and_numbers_that_make_no_game_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sf.NumberGame(**wrong)
