"""Plot how far a concept reaches beyond its examples, by contours of equal probability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.concepts import Rectangles
from suffice.errors import InputError, KindError, ShapeError
from suffice.plots.altair import GREY, PALETTE, altair, cut, dressed, rows_of, whole_number
from suffice.tables import Table
from suffice.telling import counted
from suffice.typing import Array

__all__ = ["generalisation"]

LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
FINE = 60
"""Points of a contour in each of its four corners."""

APART = 13
"""Height of a label in pixels."""


def generalisation(
    learner: Rectangles, points: Any, after: int | Sequence[int] | None = None, columns: int = 2, size: int = 280
) -> Any:
    """Plot the probability that points of the plane belong to a concept, given its first examples.

    Parameters
    ----------
    learner : Rectangles
        The learner before the points.
    points : dataframe or array of two columns
        The examples, in order.
    after : int or list of int, default=None
        The numbers of examples, with a picture each; by default one picture, with all examples.
    columns : int, default=2
        The number of pictures in a row.
    size : int, default=280
        Side of each picture in pixels.

    Returns
    -------
    chart : altair.ConcatChart

    Examples
    --------
    >>> import suffice as sf
    >>> healthy = [[180, 10], [205, 14], [190, 12], [186, 13], [201, 11], [197, 12]]
    >>> chart = sf.plots.generalisation(sf.Rectangles(), healthy, after=[3, 6])
    >>> len(chart.concat)
    2
    """
    if not isinstance(learner, Rectangles):
        raise KindError(
            f"The argument 'learner' of generalisation must be a Rectangles; got a {type(learner).__name__}."
        )
    every, names = _points(learner, points)
    steps = _steps(after, len(every))
    beliefs = [learner.observe(every[:n]) for n in steps]
    lines = [_contours(belief) for belief in beliefs]
    low, high = (np.stack([pick(line, axis=(0, 1)) for line in lines]) for pick in (np.min, np.max))
    ends = np.stack([low.min(axis=0), high.max(axis=0)], axis=1)
    room = 0.06 * (ends[:, 1] - ends[:, 0])
    ends += room[:, None] * [-1, 1]
    panels = [
        _panel(belief, line, every[:n], ends, names, size)
        for belief, line, n in zip(beliefs, lines, steps, strict=True)
    ]
    return dressed(altair().concat(*panels, columns=whole_number(columns, "columns"), spacing=26))


def _points(learner: Rectangles, points: Any) -> tuple[Array, list[str]]:
    """Return the examples as a matrix, and the names of the features."""
    table = Table.read(points)
    if table.width != 2:
        raise ShapeError(f"The argument 'points' of generalisation must have 2 columns; got {table.width}.")
    learner.observe(points)  # raises unless they are numbers
    names = [cut(name, 30) if table.named else f"feature {k}" for k, name in enumerate(table.names)]
    return np.asarray(points, np.float64), names


def _steps(after: Any, n: int) -> list[int]:
    given = [n] if after is None else [after] if isinstance(after, int | np.integer) else list(after)
    steps = [whole_number(one, "after") for one in given]
    if not steps or max(steps) > n:
        raise InputError(
            f"The argument 'after' of generalisation must hold numbers from 1 to {n}, as there are "
            f"{counted(n, 'example')}; got {after!r}."
        )
    return steps


def _contours(belief: Rectangles) -> Array:
    """Return the contour of each level around the examples: levels × points × 2.

    A probability is the product of one factor per feature, so a contour pairs the points where the product of both
    factors is the level.
    """
    reach, share = _shares(belief)
    (left, bottom), (right, top) = belief.tightest_.T
    lines = []
    for level in LEVELS:
        first = level ** np.linspace(0, 1, FINE)  # the factor of the first feature, from 1 to the level
        along, up = (
            np.interp(-np.log(part), -np.log(share[:, k]), reach[:, k]) for k, part in enumerate((first, level / first))
        )
        corner = np.stack([along, up], axis=1)
        ways = (1, 1, right, top), (1, -1, right, bottom), (-1, -1, left, bottom), (-1, 1, left, top)
        lines.append(np.concatenate([corner[:: sx * sy] * [sx, sy] + np.array([x, y]) for sx, sy, x, y in ways]))
    return np.stack(lines)


def _shares(belief: Rectangles) -> tuple[Array, Array]:
    """Return distances beyond the examples in each feature, and the probability that the concept reaches there."""
    low, high = belief.tightest_.T
    far = np.where(high > low, high - low, 1.0)
    least = LEVELS[0] / 10, LEVELS[0]
    while not ((least[0] <= (shares := belief.membership(high + np.diag(far)))) & (shares < least[1])).all():
        far = far * np.where(shares < least[0], 0.7, np.where(shares < least[1], 1.0, 1.6))
    reach = np.linspace(0, 1, 400)[:, None] ** 2 * far
    share = np.stack([belief.membership(high + reach[:, [k]] * np.eye(2)[k]) for k in range(2)], axis=1)
    return reach, share


def _panel(belief: Rectangles, lines: Array, seen: Array, ends: Array, names: list[str], size: int) -> Any:
    alt = altair()
    axes = {
        axis: kind(f"{axis}:Q", title=name, scale=alt.Scale(domain=domain.tolist(), nice=False, zero=False))
        for axis, kind, name, domain in zip("xy", (alt.X, alt.Y), names, ends, strict=True)
    }
    many = lines.shape[1]
    curves = rows_of(
        x=lines[..., 0].ravel(),
        y=lines[..., 1].ravel(),
        level=np.repeat(LEVELS, many),
        order=np.tile(np.arange(many), len(LEVELS)),
    )
    areas = alt.Chart(curves).mark_line(
        interpolate="linear-closed", fill=PALETTE[0], fillOpacity=0.13, color=PALETTE[0], strokeWidth=1
    )
    (left, bottom), (right, top) = belief.tightest_.T
    tight = alt.Chart(rows_of(x=[left], y=[bottom], right=[right], top=[top]))
    dots = alt.Chart(rows_of(x=seen[:, 0], y=seen[:, 1]))
    layers = [
        areas.encode(**axes, detail="level:N", order="order:Q"),
        tight.mark_rect(filled=False, stroke=GREY, strokeDash=[4, 3], strokeWidth=1.2).encode(
            **axes, x2="right:Q", y2="top:Q"
        ),
        dots.mark_point(filled=True, size=42, color=PALETTE[1], opacity=1, stroke="white", strokeWidth=0.7).encode(
            **axes
        ),
        _labels(lines, ends, size, axes),
    ]
    title = alt.Title(f"after {counted(belief.n_, 'example')}", fontSize=13, anchor="start")
    return alt.layer(*layers).properties(width=size, height=size, title=title)


def _labels(lines: Array, ends: Array, size: int, axes: dict[str, Any]) -> Any:
    """Draw the level of each contour above it, if there is room below the next contour."""
    tops = lines[..., 1].max(axis=1)
    middle = (lines[0, :, 0].min() + lines[0, :, 0].max()) / 2
    room = -np.diff(tops, prepend=np.inf) / (ends[1, 1] - ends[1, 0]) * size
    shown = np.flatnonzero(room >= APART)
    data = rows_of(x=[middle] * len(shown), y=tops[shown], level=[f"{100 * LEVELS[at]:.0f} %" for at in shown])
    marks = altair().Chart(data).mark_text(baseline="bottom", dy=-1, fontSize=11, color=GREY)
    return marks.encode(**axes, text="level:N")
