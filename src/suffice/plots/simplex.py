"""Plot a Dirichlet belief: its density on the triangle of three probabilities, and draws of any dimension."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from suffice.errors import InputError, KindError
from suffice.plots.altair import GREY, PALETTE, altair, cut, dressed, rows_of, whole_number
from suffice.posterior import Dirichlet
from suffice.typing import Array, Rng

__all__ = ["draws", "simplex"]

SIDE = 40
"""Cells along a side of the triangle."""

TALL = np.sqrt(3) / 2
CORNERS: Array = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, TALL]])
UP, DOWN = "M0,-1.1547L1,0.57735L-1,0.57735Z", "M0,1.1547L1,-0.57735L-1,-0.57735Z"
"""Triangles of side 2 around their centres."""

LEGEND = 30
"""Pixels from the triangle to the legend: names of corners stand between."""


def simplex(belief: Dirichlet, samples: int = 200, rng: Rng = 0, names: Any = None, size: int = 340) -> Any:
    """Plot the density of a Dirichlet of three categories on a triangle, with draws; a corner is a certain category.

    Parameters
    ----------
    belief : Dirichlet
        A belief about three categories.
    samples : int, default=200
        The number of draws to show; 0 for none.
    rng : Generator or int, default=0
        The random generator of the draws, or its seed.
    names : list, default=None
        The names of the categories; by default 1, 2, 3.
    size : int, default=340
        Side of the triangle in pixels.

    Returns
    -------
    chart : altair.LayerChart

    Examples
    --------
    >>> import suffice as sf
    >>> chart = sf.plots.simplex(sf.Dirichlet([1, 1, 1]).update(counts=[3, 0, 1]), names=["red", "green", "blue"])
    """
    known = _one(belief, "simplex")
    if len(known.alpha) != 3:
        raise InputError(
            f"The argument 'belief' of simplex must be about 3 categories; got {len(known.alpha)}. "
            "Use plots.draws for others."
        )
    called = _names(names, 3)
    layers = _density(known, size)
    if whole_number(samples, "samples", 0):
        layers.append(_dots(known.sample(samples, rng)))
    chart = altair().layer(*layers, _outline(), *_corners(called))
    return dressed(chart.properties(width=size, height=int(size * TALL)), repr(known))


def draws(belief: Dirichlet, size: int = 8, rng: Rng = 0, names: Any = None, width: int = 130) -> Any:
    """Plot draws from a Dirichlet as small bar charts, with a line at the mean.

    Parameters
    ----------
    belief : Dirichlet
        A belief about any number of categories.
    size : int, default=8
        The number of draws.
    rng : Generator or int, default=0
        The random generator of the draws, or its seed.
    names : list, default=None
        The names of the categories; by default numbers from 1.
    width : int, default=130
        Width of each picture in pixels.

    Returns
    -------
    chart : altair.FacetChart

    Examples
    --------
    >>> import suffice as sf
    >>> chart = sf.plots.draws(sf.Dirichlet([0.1] * 5))
    """
    alt = altair()
    known = _one(belief, "draws")
    number, k = whole_number(size, "size"), len(known.alpha)
    called = _names(names, k)
    data = rows_of(
        draw=[f"draw {at + 1}" for at in range(number) for _ in range(k)],
        category=called * number,
        probability=known.sample(number, rng).ravel(),
        expected=list(known.mean) * number,
    )
    category = alt.X("category:N", sort=None, title=None, axis=alt.Axis(labelAngle=0 if k < 8 else -40, ticks=False))
    up = alt.Y("probability:Q", title="probability", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=3))
    bars = alt.Chart().mark_bar(color=PALETTE[0]).encode(x=category, y=up, tooltip=["category:N", "probability:Q"])
    ticks = (
        alt.Chart()
        .mark_tick(color=PALETTE[1], thickness=2)
        .encode(x=category, y=alt.Y("expected:Q", title="probability"))
    )
    one = alt.layer(bars, ticks, data=data).properties(width=width, height=90)
    order = [f"draw {at + 1}" for at in range(number)]
    strip = one.facet(facet=alt.Facet("draw:N", title=None, sort=order), columns=4)
    return dressed(strip, repr(known))


def _one(belief: Any, function: str) -> Dirichlet:
    if not isinstance(belief, Dirichlet):
        raise KindError(f"The argument 'belief' of {function} must be a Dirichlet; got a {type(belief).__name__}.")
    if belief.batch_shape:
        raise InputError(
            f"The argument 'belief' of {function} must be one belief; got a table of shape {belief.batch_shape}."
        )
    return belief


def _names(names: Any, k: int) -> list[str]:
    called = [str(at + 1) for at in range(k)] if names is None else [cut(name, 24) for name in names]
    if len(called) != k:
        raise InputError(f"The argument 'names' must name each of {k} categories; got {len(called)} names.")
    return called


def _density(belief: Dirichlet, size: int) -> list[Any]:
    """Draw the density as small upright and inverted triangles, coloured by the density at their centres."""
    i, j = (part.ravel() for part in np.meshgrid(np.arange(SIDE), np.arange(SIDE)))
    stand, hang = i + j < SIDE, i + j < SIDE - 1
    standing, hanging = (np.stack([i[k] + part, j[k] + part]) / SIDE for k, part in ((stand, 1 / 3), (hang, 2 / 3)))
    heights = [stats.dirichlet.pdf(_points(cells), belief.alpha) for cells in (standing, hanging)]
    every = np.concatenate(heights)
    top = float(
        np.quantile(every, 0.995) if (belief.alpha < 1).any() else every.max()
    )  # the density may be infinite at an edge
    cells = zip((standing, hanging), heights, (UP, DOWN), strict=True)
    return [_cells(CORNERS.T @ _points(where), height, shape, top, size) for where, height, shape in cells]


def _points(cells: Array) -> Array:
    """Return the three probabilities of points, given the second and the third."""
    return np.concatenate([1 - cells.sum(axis=0, keepdims=True), cells])


def _cells(places: Array, heights: Array, shape: str, top: float, size: int) -> Any:
    alt = altair()
    colour = alt.Color(
        "density:Q",
        scale=alt.Scale(scheme="viridis", domain=[0, top], clamp=True),
        legend=alt.Legend(title="density", gradientLength=120, tickCount=4, offset=LEGEND),
    )
    across = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, 1], nice=False))
    up = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[0, TALL], nice=False))
    marks = alt.Chart(rows_of(x=places[0], y=places[1], density=heights))
    marks = marks.mark_point(shape=shape, filled=True, opacity=1, size=(1.06 * size / SIDE) ** 2)
    return marks.encode(x=across, y=up, color=colour, tooltip=[alt.Tooltip("density:Q", format=".3g")])


def _dots(points: Array) -> Any:
    x, y = (points @ CORNERS).T
    dots = (
        altair()
        .Chart(rows_of(x=x, y=y))
        .mark_circle(color="white", stroke="black", strokeWidth=0.6, size=16, opacity=0.85)
    )
    return dots.encode(x="x:Q", y="y:Q")


def _outline() -> Any:
    around = CORNERS[[0, 1, 2, 0]]
    data = rows_of(x=around[:, 0], y=around[:, 1], step=range(4))
    return altair().Chart(data).mark_line(color=GREY, strokeWidth=1.2).encode(x="x:Q", y="y:Q", order="step:O")


def _corners(names: list[str]) -> list[Any]:
    alt = altair()
    below = rows_of(x=CORNERS[:2, 0], y=CORNERS[:2, 1], name=names[:2])
    above = rows_of(x=CORNERS[2:, 0], y=CORNERS[2:, 1], name=names[2:])
    places = ((below, {"dy": 14}), (above, {"dy": -10}))
    return [
        alt.Chart(data).mark_text(color=GREY, fontWeight="bold", **way).encode(x="x:Q", y="y:Q", text="name:N")
        for data, way in places
    ]
