"""Show beliefs and predictive distributions in notebooks: one of a number as a curve, others as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from suffice.notebook import MOST, bar, line, plot, summary, table
from suffice.typing import Array

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
            yield _entries(belief, [f.name for f in fields(belief)], shape, lambda one: one._values())
    elif shape:
        yield _members(belief, shape)
    elif hasattr(belief, "alpha"):
        yield _categories(belief)
    elif hasattr(belief, "m"):
        known = belief.marginal()
        for name, one in (("mean", known.mean), ("variance", known.variance)):
            yield _coordinates(one, name) if one.batch else _of_number(one, f"{name} of the numbers", name)
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
    share = hasattr(one, "a") and hasattr(one, "b")
    if share and high - low > 0.05:
        return 0.0, 1.0
    far = float(one.quantile(0.999)), high + 2 * (high - low)
    start = max(float(one.quantile(0.001)), low - 2 * (high - low))
    end = min(*far)
    return (0.0 if 0 <= start < 0.2 * end else start), end


def _categories(belief: Any) -> str:
    """Return the probabilities of categories as a table with bars."""
    count = belief.alpha.shape[-1]
    mean = belief.mean[:MOST]
    ends: Any = (np.ones(1), np.ones(1)) if count == 1 else belief.marginal()[:MOST].interval(0.95)
    rows = zip(range(count), belief.alpha[:MOST].tolist(), mean.tolist(), *ends, map(bar, mean.tolist()), strict=False)
    return table(["category", "alpha", "mean", "2.5 %", "97.5 %", ""], rows, count)


def _coordinates(one: Any, name: str) -> str:
    """Return the marginal distributions of the coordinates of a vector as a table."""
    return _table_of(one, one.batch, "coordinate", name)


def _members(belief: Any, shape: tuple[int, ...]) -> str:
    """Return the first members of a table of beliefs, each with its mean."""
    if hasattr(belief, "alpha") or (hasattr(belief, "m") and np.ndim(belief.m) > len(shape)):
        width = min(COORDINATES, np.shape(belief.alpha if hasattr(belief, "alpha") else belief.m)[-1])

        def means(one: Any) -> list[Array]:
            found = np.asarray(one.mean if hasattr(one, "alpha") else one.m)
            return [found[..., k] for k in range(width)]

        return _entries(belief, [f"mean [{k}]" for k in range(width)], shape, means)
    if hasattr(belief, "m"):

        def both(one: Any) -> list[Array]:
            return [one.mean.mean, *one.interval(0.95).mean, one.mean.variance]

        return _entries(belief, ["mean", "2.5 %", "97.5 %", "variance"], shape, both)
    names = [f.name for f in fields(belief)]
    return _entries(
        belief, [*names, "mean", "2.5 %", "97.5 %"], shape, lambda one: [*one._values(), one.mean, *one.interval(0.95)]
    )


def _entries(belief: Any, head: Sequence[str], shape: tuple[int, ...], columns: Any) -> str:
    """Return a table with a line per member of a table of beliefs."""
    total = int(np.prod(shape))
    places = np.unravel_index(np.arange(min(total, MOST)), shape)
    found = [np.asarray(column) for column in columns(belief[places])] if total else []
    found = [one if one.ndim == 1 else np.array([str(row.tolist()) for row in one], object) for one in found]
    rows = [(_place(at), *cells) for *at, cells in zip(*places, zip(*found, strict=True), strict=True)] if total else []
    return table(["member", *head], rows, total)


def _place(at: Sequence[Any]) -> str:
    return f"[{', '.join(str(int(one)) for one in at)}]"


def parts_of_predictive(one: Any) -> Iterator[str]:
    """Yield what a predictive distribution shows: its curve or spikes, or a table."""
    if hasattr(one, "probabilities"):
        yield _next_category(one)
    elif one.event:
        yield _coordinates(one.marginal(), "outcome")
    elif one.batch:
        yield _table_of(one, one.batch, "member", "outcome")
    elif hasattr(one, "pmf"):
        yield _counts(one)
    else:
        yield _of_number(one, repr(one), "mean")


def _next_category(one: Any) -> str:
    probabilities = one.probabilities
    if one.batch:
        width = min(COORDINATES, probabilities.shape[-1])
        total = int(np.prod(one.batch))
        lines = probabilities.reshape(total, -1)[:MOST, :width]
        places = zip(*np.unravel_index(np.arange(len(lines)), one.batch), strict=True)
        rows = [(_place(at), *cells) for at, cells in zip(places, lines.tolist(), strict=True)]
        return table(["member", *(f"p [{k}]" for k in range(width))], rows, total)
    shown = probabilities[:MOST].tolist()
    rows = [(code, share, bar(share)) for code, share in enumerate(shown)]
    return table(["category", "probability", ""], rows, len(probabilities))


def _counts(one: Any) -> str:
    """Return the probabilities of counts as spikes; of very many counts, as a curve."""
    mean, sd = float(one.mean), float(np.sqrt(one.var))
    trials = float(getattr(one, "trials", np.inf))
    low, high = max(0.0, np.floor(mean - 4 * sd)), min(trials, np.ceil(mean + 5 * sd))
    count = int(high - low) + 1
    x = np.unique(np.round(np.linspace(low, high, min(count, BARS))))
    start, end = (np.nan, np.nan) if MANY < trials < np.inf else one.interval(0.95)
    between = None if np.isnan(start) else (float(start), float(end))
    said = summary({"mean": mean, "sd": sd}, between)
    axis = (low - 0.6, high + 0.6) if count <= BARS else (low, high)
    drawn = plot(
        x, one.pmf(x), f"Probabilities of {one!r}: {said}", axis=axis, ends=between, mean=mean, spikes=count <= BARS
    )
    return drawn + line(said)


def _table_of(one: Any, shape: tuple[int, ...], member: str, name: str) -> str:
    """Return means and 95 % intervals of a table of distributions."""
    total = int(np.prod(shape))
    columns = [np.broadcast_to(np.asarray(one.mean), shape)]
    columns += [np.asarray(end) for end in one.interval(0.95)] if 0 < total <= MANY else []
    lines = np.array([column.reshape(-1)[:MOST] for column in columns]).T.tolist()
    places = zip(*np.unravel_index(np.arange(min(total, MOST)), shape), strict=True)
    rows = [(_place(at), *cells) for at, cells in zip(places, lines, strict=True)]
    head = [member, f"mean of the {name}" if name != "mean" else "mean", "2.5 %", "97.5 %"][: len(columns) + 1]
    return table(head, rows, total)
