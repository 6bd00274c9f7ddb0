"""How much conclusions of the number game depend on the prior: the page's table against enumeration in fractions."""

from fractions import Fraction
from math import exp

import pytest
from gallery import GALLERY, run

ASKED = (4, 10, 17, 32)
DATA = {"after 16": (16,), "after 16, 8, 2, 64": (16, 8, 2, 64)}
NUMBERS = range(1, 101)


def rules(parity: int = 5, oddball: Fraction = Fraction(1, 100)) -> list[tuple[str, set[int], Fraction]]:
    """Return each rule with its weight, written down anew."""
    powers = {f"powers of {b}": {b**k for k in range(1, 8) if b**k <= 100} for b in range(2, 11)}
    plain = {
        **{f"multiples of {k}": {n for n in NUMBERS if n % k == 0} for k in range(3, 11)},
        **{f"ending in {k}": set(range(k, 101, 10)) for k in range(1, 10)},
        **powers,
        "squares": {n * n for n in range(1, 11)},
        "all": set(NUMBERS),
    }
    twos = powers["powers of 2"]
    found = [(name, items, Fraction(1)) for name, items in plain.items()]
    found += [("even", set(range(2, 101, 2)), Fraction(parity)), ("odd", set(range(1, 101, 2)), Fraction(parity))]
    return [*found, ("powers of 2 and 37", twos | {37}, oddball), ("powers of 2 but 32", twos - {32}, oddball)]


def with_intervals(share: Fraction) -> list[tuple[str, set[int], Fraction]]:
    """Return rules and intervals, the rules with so much of the prior together."""
    usual = rules()
    total = sum(weight for *_, weight in usual)
    ends = [(low, high) for low in NUMBERS for high in range(low, 101)]
    sizes = [Fraction((high - low + 1) * exp(-(high - low + 1) / 10)) for low, high in ends]
    scale = (1 - share) / sum(sizes)
    named = [f"{low} to {high}" if low < high else f"only {low}" for low, high in ends]
    held = [set(range(low, high + 1)) for low, high in ends]
    kept = [(name, items, weight * share / total) for name, items, weight in usual]
    return kept + [(name, items, size * scale) for name, items, size in zip(named, held, sizes, strict=True)]


PRIORS = {
    "the usual": rules(),
    "even, odd × 1": rules(parity=1),
    "even, odd × 25": rules(parity=25),
    "odd-balls × 1": rules(oddball=Fraction(1)),
    "1/3 intervals": with_intervals(Fraction(2, 3)),
    "99 % intervals": with_intervals(Fraction(1, 100)),
    "only intervals": with_intervals(Fraction(0)),
}


def believed(prior: list[tuple[str, set[int], Fraction]], data: tuple[int, ...]) -> tuple[list[Fraction], str]:
    """Return the membership of the numbers asked about, and the best hypothesis."""
    joint = [(weight / len(items) ** len(data), items, name) for name, items, weight in prior if items >= set(data)]
    total = sum(weight for weight, *_ in joint)
    shares = [sum((weight for weight, items, _ in joint if n in items), Fraction(0)) / total for n in ASKED]
    return shares, max(joint, key=lambda one: one[0])[2]


@pytest.fixture(scope="module")
def table() -> dict[tuple[str, str], list[str]]:
    """Return the lines of the page's table: numbers, then the best hypothesis."""
    shown = [one.printed for one in run(GALLERY / "number_game.py") if "even, odd × 25" in one.printed]
    found, after = {}, ""
    for line in shown[0].splitlines():
        name, rest = line[:22].strip(), line[22:]
        if name in DATA:
            after = name
        else:
            found[after, name] = [*rest[:24].split(), rest[24:].strip()]
    return found


def test_the_page_says_what_enumeration_says(table: dict[tuple[str, str], list[str]]) -> None:
    assert list(table) == [(after, name) for after in DATA for name in PRIORS]
    for (after, name), told in table.items():
        shares, best = believed(PRIORS[name], DATA[after])
        assert told == [*(f"{float(share):.2f}" for share in shares), best], (after, name)


def test_one_example_leaves_it_to_the_prior_and_four_hardly() -> None:
    reasonable = [prior for name, prior in PRIORS.items() if name not in ("odd-balls × 1", "only intervals")]
    spread = {
        after: max(
            max(column) - min(column) for column in zip(*(believed(p, data)[0] for p in reasonable), strict=True)
        )
        for after, data in DATA.items()
    }
    assert spread["after 16"] > 0.8
    assert spread["after 16, 8, 2, 64"] < 0.01
    assert {believed(prior, DATA["after 16, 8, 2, 64"])[1] for prior in reasonable} == {"powers of 2"}
    assert len({believed(prior, DATA["after 16"])[1] for prior in reasonable}) == 3


def test_an_odd_ball_of_equal_weight_beats_powers_of_two_by_its_size_alone() -> None:
    prior, data = PRIORS["odd-balls × 1"], DATA["after 16, 8, 2, 64"]
    joint = {name: weight / len(items) ** 4 for name, items, weight in prior if items >= set(data)}
    assert joint["powers of 2 but 32"] / joint["powers of 2"] == Fraction(6, 5) ** 4
