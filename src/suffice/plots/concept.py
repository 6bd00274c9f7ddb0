"""Plot the belief about a concept: its hypotheses before and after the examples, and the membership of items."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.concepts import ConceptLearner
from suffice.errors import KindError
from suffice.plots.altair import GREY, PALETTE, altair, cut, dressed, labelled, legend, rows_of, whole_number
from suffice.typing import Integers

__all__ = ["hypotheses", "item_axis", "membership", "number_game"]

NAME = 30
OTHERS = "all others"
STACKED = 6
PANELS = ("prior", "likelihood", "posterior")


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
    known = _learner(learner, "number_game")
    lines, colours = whole_number(most, "most"), whole_number(stacked, "stacked")
    parts = _panels(known, lines, width, colours), _stack(known, colours, width)
    return dressed(altair().vconcat(*parts, spacing=24).resolve_scale(color="independent"), _title(known))


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
    known = _learner(learner, "hypotheses")
    return dressed(_panels(known, whole_number(most, "most"), width), _title(known))


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
    known = _learner(learner, "membership")
    return dressed(_stack(known, whole_number(stacked, "stacked"), width), _title(known))


def item_axis(learner: ConceptLearner, width: int) -> tuple[Any, dict[str, float]]:
    """Return the axis of items, numbers at their value and others in order, and the width of a bar."""
    alt = altair()
    items: Any = learner.domain
    if not all(isinstance(item, int | float) for item in items):
        return alt.X("item:N", sort=None, title=None, axis=alt.Axis(labelAngle=-40)), {}
    low, high = min(items), max(items)
    scale = alt.Scale(domain=[low - 1, high + 1], nice=False)
    return alt.X("item:Q", scale=scale, title="item"), {"size": max(1.0, 0.8 * width / (high - low + 2))}


def _learner(learner: Any, function: str) -> ConceptLearner:
    if not isinstance(learner, ConceptLearner):
        raise KindError(
            f"The argument 'learner' of {function} must be a ConceptLearner or NumberGame; "
            f"got a {type(learner).__name__}."
        )
    return learner


def _title(learner: ConceptLearner) -> str:
    seen = learner.observed_
    return cut("after " + ", ".join(map(str, seen)), 80) if seen else "before any example"


def _panels(learner: ConceptLearner, most: int, width: int, stacked: int = STACKED) -> Any:
    """Draw columns of bars for prior, likelihood and posterior, in the colours of the membership."""
    alt = altair()
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
    colours = [_colour(rank) if rank < min(stacked, len(shown)) else GREY for rank in range(len(names))]
    data = rows_of(place=range(len(names)), hypothesis=names, colour=colours, **lines)
    small = max(lines["likelihood"]) < 1e-3
    panels = [_panel(data, name, names if k == 0 else None, small) for k, name in enumerate(PANELS)]
    return alt.hconcat(*(panel.properties(width=(width - 24) / 3) for panel in panels), spacing=12)


def _panel(data: Any, name: str, names: list[str] | None, small: bool) -> Any:
    alt = altair()
    axis = None
    if names is not None:
        axis = alt.Axis(labelExpr=labelled(names), labelLimit=260, ticks=False, domain=False)
    number = ".1~e" if small and name == "likelihood" else "~g"
    figures = alt.Axis(tickCount=4, labelExpr=f"datum.value == 0 ? '0' : format(datum.value, '{number}')")
    bars = alt.Chart(data).mark_bar(cornerRadius=1)
    return bars.encode(
        y=alt.Y("place:O", title=None, axis=axis),
        x=alt.X(f"{name}:Q", title=name, axis=figures),
        color=alt.Color("colour:N", scale=None),
        tooltip=["hypothesis:N", f"{name}:Q"],
    ).properties(height=alt.Step(17))


def _colour(rank: int) -> str:
    return PALETTE[rank % len(PALETTE)]


def _stack(learner: ConceptLearner, stacked: int, width: int) -> Any:
    alt = altair()
    items, names, shares, places = _pieces(learner, stacked)
    shown = list(dict.fromkeys(names))
    colours = [GREY if name == OTHERS else _colour(k) for k, name in enumerate(shown)]
    across, bar = item_axis(learner, width)
    up = alt.Y("share:Q", title="membership", scale=alt.Scale(domain=[0, 1]))
    bars = (
        alt.Chart(rows_of(item=items, hypothesis=names, share=shares, place=places))
        .mark_bar(**bar)
        .encode(
            x=across,
            y=up,
            order="place:Q",
            color=alt.Color(
                "hypothesis:N", scale=alt.Scale(domain=shown, range=colours), legend=legend(alt, columns=3)
            ),
            tooltip=["item:N", "hypothesis:N", alt.Tooltip("share:Q", format=".3f")],
        )
    )
    seen = list(dict.fromkeys(learner.observed_))
    marks = alt.Chart(rows_of(item=seen, share=[1.04] * len(seen)))
    marks = marks.mark_point(shape="triangle-down", color=GREY, filled=True, size=45, opacity=1, clip=False).encode(
        x=across, y="share:Q"
    )
    return (bars + marks if seen else alt.layer(bars)).properties(width=width, height=190)


def _pieces(learner: ConceptLearner, stacked: int) -> tuple[list[Any], list[str], list[float], list[int]]:
    """Return the pieces of the stacked bars: one per item and hypothesis that contains it."""
    table = learner.posterior_
    top: Integers = table.order()[:stacked]
    left = learner.membership()
    pieces: list[tuple[Any, str, float, int]] = []
    places = {item: at for at, item in enumerate(learner.domain)}
    for rank, at in enumerate(top.tolist()):
        share = float(table.posterior[at])
        for item in learner.items_of(table.names[at]) if share > 0 else []:
            pieces.append((item, cut(table.names[at], NAME), share, rank))
            left[places[item]] -= share
    pieces += [
        (item, OTHERS, float(more), stacked) for item, more in zip(learner.domain, left, strict=True) if more > 1e-9
    ]
    items, names, shares, ranks = (list(part) for part in zip(*pieces, strict=True))
    return items, names, shares, ranks
