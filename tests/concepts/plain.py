"""Concept learning by exact fractions and loops: slow, plain, and not our code."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import combinations

Hypotheses = Sequence[frozenset[Hashable]]
Facts = Sequence[tuple[Hashable, str]]
"""Items, each with how it was seen: "drawn", "in" or "out"."""


def likelihood(h: frozenset[Hashable], facts: Facts, items: int, noise: Fraction) -> Fraction:
    product = Fraction(1)
    for item, how in facts:
        if how == "drawn":
            product *= (1 - noise) * (Fraction(1, len(h)) if item in h else 0) + noise / items
        else:
            product *= 1 - noise if (item in h) == (how == "in") else noise
    return product


def joint(
    hypotheses: Hypotheses, prior: Sequence[Fraction], facts: Facts, items: int, noise: Fraction
) -> list[Fraction]:
    total = sum(prior)
    return [p / total * likelihood(h, facts, items, noise) for h, p in zip(hypotheses, prior, strict=True)]


def membership(hypotheses: Hypotheses, posterior: Sequence[Fraction], domain: Sequence[Hashable]) -> list[Fraction]:
    return [sum((p for h, p in zip(hypotheses, posterior, strict=True) if x in h), Fraction(0)) for x in domain]


def explained(hypotheses: Hypotheses, facts: Facts) -> bool:
    return any(all((item in h) == (how != "out") for item, how in facts) for h in hypotheses)


def minimal(hypotheses: Hypotheses, facts: Facts) -> bool:
    """Return whether the facts exclude each other, and any smaller number of them does not."""
    fewer = combinations(facts, len(facts) - 1)
    return not explained(hypotheses, facts) and all(explained(hypotheses, some) for some in fewer)
