"""Rows that are easy to make, and some that are hard to show."""

from typing import Any

import numpy as np

NASTY = "say \"free\" <script>alert(1)</script> & 'now' </script><!-- עברית 🎈 \u2028 ]]> {{ 7*7 }}"


def letters(n: int = 120) -> tuple[list[str], list[str]]:
    """Return texts of two classes that overlap."""
    rng = np.random.default_rng(3)
    spam, ham, both = (
        ["free", "cash", "prize", "now", "win"],
        ["lunch", "report", "meeting", "thanks", "home"],
        ["you", "the", "to", "call"],
    )
    texts, labels = [], []
    for i in range(n):
        label = ("spam", "ham")[i % 2]
        own, other = (spam, ham) if label == "spam" else (ham, spam)
        words = [*rng.choice(own, 3), *rng.choice(both, 4), *rng.choice(other, int(rng.integers(0, 4)))]
        texts.append(" ".join(rng.permutation(words)) + f" nr{i}")
        labels.append(label)
    return texts, labels


def counts(n: int = 150, classes: int = 3, width: int = 12) -> tuple[Any, Any]:
    """Return counts of words of some classes."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, classes, n)
    theta = rng.dirichlet(np.ones(width) * 0.5, classes)
    return np.stack([rng.multinomial(9, theta[c]) for c in y]), y


def table(n: int = 150) -> tuple[dict[str, Any], Any]:
    """Return columns of every kind, with holes."""
    rng = np.random.default_rng(2)
    y = np.array(["no", "yes"])[rng.integers(0, 2, n)]
    yes = y == "yes"
    size = np.where(rng.random(n) < 0.1, np.nan, rng.normal(5 + 2 * yes, 1.5))
    town = np.where(rng.random(n) < 0.3 + 0.4 * yes, "Oslo", "Rome").astype(object)
    town[::9] = None
    return {
        "size <b>": size,
        "town": town,
        "flag": rng.random(n) < 0.2 + 0.5 * yes,
        "visits": rng.poisson(2 + 3 * yes),
        "all alike": np.ones(n),
    }, y


def lights(n: int = 400) -> tuple[dict[str, Any], Any]:
    """Return columns of which two, and three, act together."""
    rng = np.random.default_rng(5)
    X: dict[str, Any] = {name: rng.choice(["no", "yes"], n) for name in ("lamp", "door", "rain <b>")}
    X["hour"] = rng.uniform(0, 24, n)
    odd = (X["lamp"] == "yes") ^ (X["door"] == "yes")
    return X, np.where(odd ^ (rng.random(n) < 0.1), "away", "home")
