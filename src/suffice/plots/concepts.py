"""Plot the belief about a concept: its hypotheses, the membership of items, and how far it reaches beyond examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.concepts import ConceptLearner, Rectangles
from suffice.errors import InputError, ShapeError
from suffice.plots.altair import GREY, PALETTE, alt, dressed
from suffice.plots.elements import cut, fixed, heading, legend, named_places, require, rows_of, whole_number
from suffice.tables import Table
from suffice.telling import counted
from suffice.typing import Array

NAME = 30
OTHERS = "all others"
STACKED = 6
LEARNER = "a ConceptLearner or NumberGame"
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
FINE = 60
"""Points of a contour in each of its four corners."""
APART = 13
"""Height of a label in pixels."""


def number_game(learner: ConceptLearner, most: int = 12, stacked: int = STACKED, width: int = 640) -> Any:
    """Plot the prior, likelihood and posterior of the hypotheses, and the membership of each item below them.

    Parameters
    ----------
    learner : ConceptLearner or NumberGame
        The learner, with or without examples.
    most : int, default=12
        The number of most probable hypotheses with a line of their own.
    stacked : int, default=6
        The number of most probable hypotheses with a colour of their own in the membership.
    width : int, default=640
        Width of the picture in pixels.

    Returns
    -------
    chart : altair.VConcatChart

    Examples
    --------
    >>> import suffice as sf
    >>> chart = sf.plots.number_game(sf.NumberGame().observe([16, 8, 2, 64]))
    """
    require(learner, ConceptLearner, "number_game.learner", LEARNER)
    lines, colours = whole_number(most, "most"), whole_number(stacked, "stacked")
    parts = _panels(learner, lines, width, colours), _stack(learner, colours, width)
    return dressed(alt.vconcat(*parts, spacing=24).resolve_scale(color="independent"), _title(learner))


def hypotheses(learner: ConceptLearner, most: int = 12, width: int = 640) -> Any:
    """Plot the prior, likelihood and posterior of the most probable hypotheses side by side.

    Parameters
    ----------
    learner : ConceptLearner
        The learner, with or without examples.
    most : int, default=12
        The number of hypotheses with a line of their own; the others share one.
    width : int, default=640
        Width of the picture in pixels.

    Returns
    -------
    chart : altair.HConcatChart

    Examples
    --------
    >>> import suffice as sf
    >>> chart = sf.plots.hypotheses(sf.NumberGame().observe([16]), most=5)
    """
    require(learner, ConceptLearner, "hypotheses.learner", LEARNER)
    return dressed(_panels(learner, whole_number(most, "most"), width), _title(learner))


def membership(learner: ConceptLearner, stacked: int = STACKED, width: int = 640) -> Any:
    """Plot the probability that each item belongs to the concept, stacked by the hypotheses that contain it.

    Parameters
    ----------
    learner : ConceptLearner
        The learner, with or without examples.
    stacked : int, default=6
        The number of hypotheses with a colour of their own; the others share one.
    width : int, default=640
        Width of the picture in pixels.

    Returns
    -------
    chart : altair.LayerChart

    Examples
    --------
    >>> import suffice as sf
    >>> chart = sf.plots.membership(sf.NumberGame(prior="intervals").observe([16, 23, 19, 20]))
    """
    require(learner, ConceptLearner, "membership.learner", LEARNER)
    return dressed(_stack(learner, whole_number(stacked, "stacked"), width), _title(learner))


def item_axis(learner: ConceptLearner, width: int) -> tuple[Any, dict[str, float]]:
    """Return the axis of items, numbers at their value and others in order, and the width of a bar."""
    items: Any = learner.domain
    if not all(isinstance(item, int | float) for item in items):
        return alt.X("item:N", sort=None, title=None, axis=alt.Axis(labelAngle=-40)), {}
    low, high = min(items) - 1, max(items) + 1
    return alt.X("item:Q", scale=fixed(low, high), title="item"), {"size": max(1.0, 0.8 * width / (high - low))}


def _title(learner: ConceptLearner) -> str:
    seen = learner.observed_
    return cut("after " + ", ".join(map(str, seen)), 80) if seen else "before any example"


def _panels(learner: ConceptLearner, most: int, width: int, stacked: int = STACKED) -> Any:
    """Draw columns of bars for prior, likelihood and posterior, in the colours of the membership."""
    table = learner.posterior_
    columns = {"prior": table.prior, "likelihood": np.exp(table.log_likelihood), "posterior": table.posterior}
    order = table.order()
    shown, rest = (order[:most], order[most:]) if len(order) > most + 1 else (order, order[:0])
    names = [cut(table.names[at], NAME) for at in shown]
    lines = {name: [float(value) for value in column[shown]] for name, column in columns.items()}
    if len(rest):
        names.append(f"{len(rest):,} others")
        for name, column in columns.items():  # likelihoods do not add up: take the largest
            lines[name].append(float(column[rest].max() if name == "likelihood" else column[rest].sum()))
    coloured = min(stacked, len(shown))
    colours = [PALETTE[rank % len(PALETTE)] if rank < coloured else GREY for rank in range(len(names))]
    data = rows_of(place=range(len(names)), hypothesis=names, colour=colours, **lines)
    small, panels = max(lines["likelihood"]) < 1e-3, list[Any]()
    for name in columns:
        number = ".1~e" if small and name == "likelihood" else "~g"
        figures = alt.Axis(tickCount=4, labelExpr=f"datum.value == 0 ? '0' : format(datum.value, '{number}')")
        bars = alt.Chart(data).mark_bar(cornerRadius=1)
        bars = bars.encode(
            y=alt.Y("place:O", title=None, axis=None) if panels else named_places(names),
            x=alt.X(f"{name}:Q", title=name, axis=figures),
            color=alt.Color("colour:N", scale=None),
            tooltip=["hypothesis:N", f"{name}:Q"],
        )
        panels.append(bars.properties(height=alt.Step(17), width=(width - 24) / 3))
    return alt.hconcat(*panels, spacing=12)


def _stack(learner: ConceptLearner, stacked: int, width: int) -> Any:
    """Draw stacked bars, one piece per item and hypothesis that contains it, and mark the examples."""
    table, left = learner.posterior_, dict(zip(learner.domain, learner.membership(), strict=True))
    pieces: list[tuple[Any, str, float, int]] = []
    for rank, at in enumerate(table.order()[:stacked].tolist()):
        share = float(table.posterior[at])
        for item in learner.items_of(table.names[at]) if share > 0 else []:
            pieces.append((item, cut(table.names[at], NAME), share, rank))
            left[item] -= share
    pieces += [(item, OTHERS, float(more), stacked) for item, more in left.items() if more > 1e-9]
    items, names, shares, ranks = zip(*pieces, strict=True)
    shown = list(dict.fromkeys(names))
    colours = [GREY if name == OTHERS else PALETTE[k % len(PALETTE)] for k, name in enumerate(shown)]
    across, bar = item_axis(learner, width)
    bars = alt.Chart(rows_of(item=items, hypothesis=names, share=shares, place=ranks)).mark_bar(**bar)
    scale = alt.Scale(domain=shown, range=colours)
    bars = bars.encode(
        x=across,
        y=alt.Y("share:Q", title="membership", scale=alt.Scale(domain=[0, 1])),
        order="place:Q",
        color=alt.Color("hypothesis:N", scale=scale, legend=legend(columns=3)),
        tooltip=["item:N", "hypothesis:N", alt.Tooltip("share:Q", format=".3f")],
    )
    seen = list(dict.fromkeys(learner.observed_))
    marks = alt.Chart(rows_of(item=seen, share=[1.04] * len(seen)))
    marks = marks.mark_point(shape="triangle-down", color=GREY, filled=True, size=45, opacity=1, clip=False)
    chart = bars + marks.encode(x=across, y="share:Q") if seen else alt.layer(bars)
    return chart.properties(width=width, height=190)


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
    require(learner, Rectangles, "generalisation.learner", "a Rectangles")
    table = Table.read(points)
    if table.width != 2:
        raise ShapeError("generalisation.points", "have 2 columns").but(f"got {table.width}")
    learner.observe(points)  # raises unless they are numbers
    names = [cut(name, 30) if table.named else f"feature {k}" for k, name in enumerate(table.names)]
    seen = np.asarray(points, np.float64)
    numbers = [len(seen)] if after is None else [after] if isinstance(after, int | np.integer) else list(after)
    steps = [whole_number(n, "after") for n in numbers]
    if not steps or max(steps) > len(seen):
        raise InputError(
            "generalisation.after",
            f"hold numbers from 1 to {len(seen)}, as there are {counted(len(seen), 'example')}",
            got=after,
        )
    beliefs = [learner.observe(seen[:n]) for n in steps]
    contours = [_contours(belief) for belief in beliefs]
    every = np.concatenate([part.reshape(-1, 2) for part in contours])
    low, high = every.min(axis=0), every.max(axis=0)
    ends = np.stack([low - 0.06 * (high - low), high + 0.06 * (high - low)], axis=1)
    panels = [
        _panel(belief, part, seen[:n], ends, names, size)
        for belief, part, n in zip(beliefs, contours, steps, strict=True)
    ]
    return dressed(alt.concat(*panels, columns=whole_number(columns, "columns"), spacing=26))


def _contours(belief: Rectangles) -> Array:
    """Return the contour of each level around the examples: levels × points × 2.

    A probability is the product of one factor per feature, so a contour pairs the points where the product of both
    factors is the level.
    """
    low, high = belief.tightest_.T
    far = np.where(high > low, high - low, 1.0)  # beyond the examples, where the probability is low enough
    least = LEVELS[0] / 10, LEVELS[0]
    while not ((least[0] <= (shares := belief.membership(high + np.diag(far)))) & (shares < least[1])).all():
        far = far * np.where(shares < least[0], 0.7, np.where(shares < least[1], 1.0, 1.6))
    reach = np.linspace(0, 1, 400)[:, None] ** 2 * far
    share = np.stack([belief.membership(high + reach[:, [k]] * np.eye(2)[k]) for k in range(2)], axis=1)
    (left, bottom), (right, top), lines = low, high, []
    for level in LEVELS:
        first = level ** np.linspace(0, 1, FINE)  # the factor of the first feature, from 1 to the level
        along, up = (
            np.interp(-np.log(part), -np.log(share[:, k]), reach[:, k]) for k, part in enumerate((first, level / first))
        )
        corner = np.stack([along, up], axis=1)
        ways = (1, 1, right, top), (1, -1, right, bottom), (-1, -1, left, bottom), (-1, 1, left, top)
        lines.append(np.concatenate([corner[:: sx * sy] * [sx, sy] + np.array([x, y]) for sx, sy, x, y in ways]))
    return np.stack(lines)


def _panel(belief: Rectangles, lines: Array, seen: Array, ends: Array, names: list[str], size: int) -> Any:
    axes = {
        axis: kind(f"{axis}:Q", title=name, scale=fixed(*domain))
        for axis, kind, name, domain in zip("xy", (alt.X, alt.Y), names, ends, strict=True)
    }
    many = lines.shape[1]
    x, y = lines.reshape(-1, 2).T
    curves = rows_of(x=x, y=y, level=np.repeat(LEVELS, many), order=np.tile(np.arange(many), len(LEVELS)))
    look = {"fill": PALETTE[0], "fillOpacity": 0.13, "color": PALETTE[0], "strokeWidth": 1}
    areas = alt.Chart(curves).mark_line(interpolate="linear-closed", **look)
    (left, bottom), (right, top) = belief.tightest_.T
    tight = alt.Chart(rows_of(x=[left], y=[bottom], right=[right], top=[top]))
    tight = tight.mark_rect(filled=False, stroke=GREY, strokeDash=[4, 3], strokeWidth=1.2)
    dots = alt.Chart(rows_of(x=seen[:, 0], y=seen[:, 1]))
    dots = dots.mark_point(filled=True, size=42, color=PALETTE[1], opacity=1, stroke="white", strokeWidth=0.7)
    # The level of each contour stands above it, if there is room below the next contour.
    tops, middle = lines[..., 1].max(axis=1), (lines[0, :, 0].min() + lines[0, :, 0].max()) / 2
    shown = np.flatnonzero(-np.diff(tops, prepend=np.inf) / (ends[1, 1] - ends[1, 0]) * size >= APART)
    labels = [f"{100 * LEVELS[at]:.0f} %" for at in shown]
    words = alt.Chart(rows_of(x=[middle] * len(shown), y=tops[shown], level=labels))
    words = words.mark_text(baseline="bottom", dy=-1, fontSize=11, color=GREY)
    layers = [
        areas.encode(**axes, detail="level:N", order="order:Q"),
        tight.encode(**axes, x2="right:Q", y2="top:Q"),
        dots.encode(**axes),
        words.encode(**axes, text="level:N"),
    ]
    return alt.layer(*layers).properties(
        width=size, height=size, title=heading(f"after {counted(belief.n_, 'example')}", 13)
    )
