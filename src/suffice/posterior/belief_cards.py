"""Show beliefs and predictive distributions in notebooks: one of a number as a curve, others as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from suffice.notebook import MOST, bar, line, plot, summary, table

POINTS, BARS, MANY = 141, 140, 10_000
"""Points of a curve; spikes at most; distributions of a table, or trials, whose intervals are computed."""

COORDINATES = 6
"""Coordinates of a vector that are shown where there are several vectors."""


def title_of(one: Any, shape: tuple[int, ...]) -> str:
    """Return the title of a card: the repr, or for a table the name and the shape."""
    return repr(one) if not shape else f"{type(one).__name__}, a table of {' × '.join(map(str, shape))}"


def parts_of_belief(belief: Any) -> Iterator[str]:
    """Yield what a belief shows: its curve with the mean and the 95 % interval, or a table."""
    shape = belief.batch_shape
    if not belief.proper:
        yield line("Improper: it does not integrate to one. Update it with data first.")
        if shape:
            yield _members([f.name for f in fields(belief)], shape, lambda at: belief[at]._values())
    elif shape:
        yield _table_of_beliefs(belief, shape)
    elif hasattr(belief, "alpha"):
        count, mean = belief.alpha.shape[-1], belief.mean[:MOST].tolist()
        ends: Any = (np.ones(1), np.ones(1)) if count == 1 else belief.marginal()[:MOST].interval(0.95)
        rows = zip(range(count), belief.alpha[:MOST].tolist(), mean, *ends, map(bar, mean), strict=False)
        yield table(["category", "alpha", "mean", "2.5 %", "97.5 %", ""], rows, count)
    elif hasattr(belief, "m"):
        known = belief.marginal()
        for name, one in (("mean", known.mean), ("variance", known.variance)):
            yield _table_of(one, "coordinate", name) if one.batch else _of_number(one, f"{name} of the numbers", name)
    else:
        yield _of_number(belief, repr(belief), "mean")


def _of_number(one: Any, label: str, name: str) -> str:
    """Return the curve of a distribution of one number, with its mean and 95 % interval."""
    low, high = (float(end) for end in one.interval(0.95))
    mean, ends = float(one.mean), _reach(one, low, high)
    x = np.linspace(*ends, POINTS + 2)[1:-1]  # at the ends a density may be infinite
    with np.errstate(all="ignore"):
        y = np.exp(np.asarray(one.logpdf(x)))
    said = summary({"mean" if name == "mean" else f"mean of the {name}": mean}, (low, high))
    return plot(x, y, f"Density of {label}: {said}", axis=ends, ends=(low, high), mean=mean) + line(said)


def _reach(one: Any, low: float, high: float) -> tuple[float, float]:
    """Return the ends of a curve: all of [0, 1] for a share that is little known, otherwise beyond the interval."""
    if hasattr(one, "a") and hasattr(one, "b") and high - low > 0.05:
        return 0.0, 1.0
    start = max(float(one.quantile(0.001)), low - 2 * (high - low))
    end = min(float(one.quantile(0.999)), high + 2 * (high - low))
    return (0.0 if 0 <= start < 0.2 * end else start), end


def _table_of_beliefs(belief: Any, shape: tuple[int, ...]) -> str:
    """Return the first of many beliefs, each with its mean."""
    vector = "alpha" if hasattr(belief, "alpha") else "m" if hasattr(belief, "m") else ""
    if vector == "alpha" or (vector and np.ndim(belief.m) > len(shape)):
        width = min(COORDINATES, np.shape(getattr(belief, vector))[-1])

        def means(at: Any) -> list[Any]:
            return list(np.moveaxis(np.asarray(belief[at].mean if vector == "alpha" else belief[at].m), -1, 0)[:width])

        return _members([f"mean [{k}]" for k in range(width)], shape, means)

    def ends(at: Any) -> list[Any]:
        one = belief[at]
        if vector:
            return [one.mean.mean, *one.interval(0.95).mean, one.mean.variance]
        return [*one._values(), one.mean, *one.interval(0.95)]

    names = [] if vector else [f.name for f in fields(belief)]
    return _members([*names, "mean", "2.5 %", "97.5 %", *["variance"] * bool(vector)], shape, ends)


def _members(head: Sequence[str], shape: tuple[int, ...], columns: Any, member: str = "member") -> str:
    """Return a table with a line for each of the first members, from a function of their places."""
    total = int(np.prod(shape))
    places = np.unravel_index(np.arange(min(total, MOST)), shape)
    found = [np.asarray(column) for column in columns(places)] if total else []
    found = [one if one.ndim == 1 else np.array([str(row.tolist()) for row in one], object) for one in found]
    names = [f"[{', '.join(str(int(one)) for one in at)}]" for at in zip(*places, strict=True)]
    return table([member, *head], zip(names, *found, strict=True) if total else [], total)


def parts_of_predictive(one: Any) -> Iterator[str]:
    """Yield what a predictive distribution shows: its curve or spikes, or a table."""
    if hasattr(one, "probabilities"):
        shares = one.probabilities
        if one.batch:
            width = min(COORDINATES, shares.shape[-1])
            head = [f"p [{k}]" for k in range(width)]
            yield _members(head, one.batch, lambda at: [shares[(*at, k)] for k in range(width)])
            return
        rows = [(code, share, bar(share)) for code, share in enumerate(shares[:MOST].tolist())]
        yield table(["category", "probability", ""], rows, len(shares))
    elif one.event:
        yield _table_of(one.marginal(), "coordinate", "outcome")
    elif one.batch:
        yield _table_of(one, "member", "outcome")
    elif hasattr(one, "pmf"):
        yield _counts(one)
    else:
        yield _of_number(one, repr(one), "mean")


def _counts(one: Any) -> str:
    """Return the probabilities of counts as spikes; of very many counts, as a curve."""
    mean, sd = float(one.mean), float(np.sqrt(one.var))
    trials = float(getattr(one, "trials", np.inf))
    low, high = max(0.0, np.floor(mean - 4 * sd)), min(trials, np.ceil(mean + 5 * sd))
    count = int(high - low) + 1
    x = np.unique(np.round(np.linspace(low, high, min(count, BARS))))
    start, end = (np.nan, np.nan) if MANY < trials < np.inf else one.interval(0.95)
    between = None if np.isnan(start) else (float(start), float(end))
    said, few = summary({"mean": mean, "sd": sd}, between), count <= BARS
    axis, label = (low - 0.6 * few, high + 0.6 * few), f"Probabilities of {one!r}: {said}"
    return plot(x, one.pmf(x), label, axis=axis, ends=between, mean=mean, spikes=few) + line(said)


def _table_of(one: Any, member: str, name: str) -> str:
    """Return means and 95 % intervals of a table of distributions; only means of very many."""
    total = int(np.prod(one.batch))
    columns = [one.mean, *(one.interval(0.95) if 0 < total <= MANY else ())]
    head = [f"mean of the {name}" if name != "mean" else "mean", "2.5 %", "97.5 %"][: len(columns)]
    columns = [np.broadcast_to(np.asarray(column), one.batch) for column in columns]
    return _members(head, one.batch, lambda at: [column[at] for column in columns], member)
