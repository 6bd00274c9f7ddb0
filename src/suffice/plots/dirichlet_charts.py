"""Plot a Dirichlet belief: its density on the triangle of three probabilities, and draws of any dimension."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from suffice.errors import InputError
from suffice.plots.altair import GREY, PALETTE, alt, dressed
from suffice.plots.elements import cut, fixed, require, rows_of, whole_number
from suffice.posterior import Dirichlet
from suffice.typing import Array, Rng

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
    _check(belief, "simplex")
    if len(belief.alpha) != 3:
        raise InputError("simplex.belief", "be about 3 categories").but(
            f"got {len(belief.alpha)}", python="Use plots.draws for others."
        )
    called = _names(names, 3)
    across, up = alt.X("x:Q", axis=None, scale=fixed(0, 1)), alt.Y("y:Q", axis=None, scale=fixed(0, TALL))
    # The density as small upright and inverted triangles, coloured by the density at their centres.
    i, j = (part.ravel() for part in np.meshgrid(np.arange(SIDE), np.arange(SIDE)))
    cells = []  # the three probabilities at the centres, the density there, and the shape
    for inside, part, shape in ((i + j < SIDE, 1 / 3, UP), (i + j < SIDE - 1, 2 / 3, DOWN)):
        second, third = (i[inside] + part) / SIDE, (j[inside] + part) / SIDE
        points: Array = np.stack([1 - second - third, second, third])
        cells.append((points, stats.dirichlet.pdf(points, belief.alpha), shape))
    every = np.concatenate([density for _, density, _ in cells])
    top = float(np.quantile(every, 0.995) if (belief.alpha < 1).any() else every.max())  # may be infinite at an edge
    scale = alt.Scale(scheme="viridis", domain=[0, top], clamp=True)
    shown = alt.Legend(title="density", gradientLength=120, tickCount=4, offset=LEGEND)
    layers = []
    for points, density, shape in cells:
        x, y = CORNERS.T @ points
        marks = alt.Chart(rows_of(x=x, y=y, density=density))
        marks = marks.mark_point(shape=shape, filled=True, opacity=1, size=(1.06 * size / SIDE) ** 2)
        colour = alt.Color("density:Q", scale=scale, legend=shown)
        layers.append(marks.encode(x=across, y=up, color=colour, tooltip=[alt.Tooltip("density:Q", format=".3g")]))
    if whole_number(samples, "samples", 0):
        x, y = (belief.sample(samples, rng) @ CORNERS).T
        dots = alt.Chart(rows_of(x=x, y=y)).encode(x="x:Q", y="y:Q")
        layers.append(dots.mark_circle(color="white", stroke="black", strokeWidth=0.6, size=16, opacity=0.85))
    around = CORNERS[[0, 1, 2, 0]]
    outline = alt.Chart(rows_of(x=around[:, 0], y=around[:, 1], step=range(4)))
    layers.append(outline.mark_line(color=GREY, strokeWidth=1.2).encode(x="x:Q", y="y:Q", order="step:O"))
    for at, dy in ((slice(2), 14), (slice(2, 3), -10)):
        words = alt.Chart(rows_of(x=CORNERS[at, 0], y=CORNERS[at, 1], name=called[at]))
        words = words.mark_text(color=GREY, fontWeight="bold", dy=dy)
        layers.append(words.encode(x="x:Q", y="y:Q", text="name:N"))
    return dressed(alt.layer(*layers).properties(width=size, height=int(size * TALL)), repr(belief))


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
    _check(belief, "draws")
    number, k = whole_number(size, "size"), len(belief.alpha)
    order = [f"draw {at + 1}" for at in range(number)]
    data = rows_of(
        draw=np.repeat(order, k),
        category=_names(names, k) * number,
        probability=belief.sample(number, rng).ravel(),
        expected=list(belief.mean) * number,
    )
    category = alt.X("category:N", sort=None, title=None, axis=alt.Axis(labelAngle=0 if k < 8 else -40, ticks=False))
    up = alt.Y("probability:Q", title="probability", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=3))
    bars = alt.Chart().mark_bar(color=PALETTE[0]).encode(x=category, y=up, tooltip=["category:N", "probability:Q"])
    ticks = alt.Chart().mark_tick(color=PALETTE[1], thickness=2)
    ticks = ticks.encode(x=category, y=alt.Y("expected:Q", title="probability"))
    one = alt.layer(bars, ticks, data=data).properties(width=width, height=90)
    return dressed(one.facet(facet=alt.Facet("draw:N", title=None, sort=order), columns=4), repr(belief))


def _check(belief: Any, function: str) -> None:
    """Raise unless a belief is one Dirichlet."""
    require(belief, Dirichlet, f"{function}.belief", "a Dirichlet")
    if belief.batch_shape:
        raise InputError(f"{function}.belief", "be one belief").but(f"got a table of shape {belief.batch_shape}")


def _names(names: Any, k: int) -> list[str]:
    called = [str(at + 1) for at in range(k)] if names is None else [cut(name, 24) for name in names]
    if len(called) != k:
        raise InputError("names", f"name each of {k} categories").but(f"got {len(called)} names")
    return called
