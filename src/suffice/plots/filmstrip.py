"""Plot learning in steps as a strip of small pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.concepts import ConceptLearner
from suffice.errors import InputError, KindError
from suffice.plots.altair import GREY, PALETTE, altair, dressed, rows_of, whole_number
from suffice.plots.axes import Ends, points, span, top
from suffice.plots.concept import item_axis
from suffice.plots.curves import Curved, curved, drawn, spelled
from suffice.posterior import Beta, Gamma, Pareto, WaitingRate
from suffice.typing import Array

__all__ = ["filmstrip"]


def filmstrip(prior: Any, values: Sequence[Any], frames: int = 6, columns: int = 3, width: int = 190) -> Any:
    """Plot the belief after none, some and all of the values, one frame each, with the previous belief in grey.

    Parameters
    ----------
    prior : Beta, Gamma or ConceptLearner
        The belief before any value.
    values : list
        Zeros and ones, counts, or items, in order.
    frames : int, default=6
        The most pictures, evenly spaced from none of the values to all.
    columns : int, default=3
        The number of pictures in a row.
    width : int, default=190
        Width of each picture in pixels.

    Returns
    -------
    chart : altair.ConcatChart

    Examples
    --------
    >>> import suffice as sf
    >>> chart = sf.plots.filmstrip(sf.Beta(2, 2), [1, 0, 0, 1, 0, 0, 0, 0], frames=4)
    >>> len(chart.concat)
    4
    """
    if not isinstance(prior, Beta | Gamma | ConceptLearner):
        raise KindError(
            "The argument 'prior' of filmstrip must be a Beta, a Gamma or a ConceptLearner; "
            f"got a {type(prior).__name__}."
        )
    seen = list(values)
    if not seen:
        raise InputError("The argument 'values' of filmstrip must hold at least one value; got none.")
    stops = np.unique(np.linspace(0, len(seen), whole_number(frames, "frames", 2)).round().astype(int)).tolist()
    if isinstance(prior, ConceptLearner):
        pictures = _concepts(prior, seen, stops, width)
    else:
        pictures = _curves(prior, seen, stops, width)
    chart = altair().concat(*pictures, columns=whole_number(columns, "columns"), spacing=14)
    return dressed(chart)


def _curves(prior: Curved, seen: list[Any], stops: list[int], width: int) -> list[Any]:
    known = curved(prior, "prior", "filmstrip", (Beta, Gamma, WaitingRate, Pareto))
    beliefs = [known.update(values=seen[:n]) if n else known for n in stops]
    ends = span(beliefs, beliefs[1])
    x = points(beliefs, ends)
    tall = top(beliefs, x, ends, beliefs[-1])
    before = [None, *beliefs[:-1]]
    return [
        _frame(now, last, _after(seen, n), x, ends, tall, width)
        for now, last, n in zip(beliefs, before, stops, strict=True)
    ]


def _after(seen: list[Any], n: int) -> str:
    if n == 0:
        return "before any data"
    last = seen[n - 1].item() if hasattr(seen[n - 1], "item") else seen[n - 1]
    return f"after {n}, latest: {last}"


def _frame(one: Curved, last: Curved | None, title: str, x: Array, ends: Ends, tall: float, width: int) -> Any:
    alt = altair()
    wide, high = (alt.Scale(domain=domain, nice=False) for domain in ([*ends], [0, 1.08 * tall]))
    across = alt.X("x:Q", title=spelled(one), scale=wide, axis=alt.Axis(tickCount=5))
    up = alt.Y("density:Q", title="density", scale=high, axis=alt.Axis(tickCount=4))
    shape = _shape(one, x)
    layers = [
        shape.mark_area(color=PALETTE[0], opacity=0.25, clip=True).encode(x=across, y=up),
        shape.mark_line(color=PALETTE[0], strokeWidth=2, clip=True).encode(x=across, y=up),
    ]
    if last is not None:
        ghost = _shape(last, x).encode(x=across, y=up)
        layers.insert(0, ghost.mark_line(color=GREY, strokeWidth=1.2, strokeDash=[3, 3], clip=True))
    if one.mean <= ends[1]:
        layers.append(alt.Chart(rows_of(x=[float(one.mean)])).mark_rule(color=GREY).encode(x="x:Q"))
    named = alt.Title(title, fontSize=12, anchor="start", subtitle=repr(one), subtitleFontSize=11)
    return alt.layer(*layers).properties(width=width, height=120, title=named)


def _shape(belief: Curved, x: Array) -> Any:
    """Return the data of a curve."""
    places, heights = drawn(belief, x)
    return altair().Chart(rows_of(x=places, density=heights))


def _concepts(prior: ConceptLearner, seen: list[Any], stops: list[int], width: int) -> list[Any]:
    return [_members(prior.observe(seen[:n]), _after(seen, n), width) for n in stops]


def _members(learner: ConceptLearner, title: str, width: int) -> Any:
    alt = altair()
    seen = set(learner.observed_)
    data = rows_of(item=learner.domain, membership=learner.membership(), seen=[x in seen for x in learner.domain])
    across, bar = item_axis(learner, width)
    up = alt.Y("membership:Q", title="membership", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=3))
    colour = alt.condition("datum.seen", alt.value(PALETTE[1]), alt.value(PALETTE[0]))
    named = alt.Title(title, fontSize=12, anchor="start", subtitle=_best(learner), subtitleFontSize=11)
    bars = alt.Chart(data).mark_bar(**bar).encode(x=across, y=up, color=colour)
    return bars.properties(width=width, height=100, title=named)


def _best(learner: ConceptLearner) -> str:
    (name, share), *_ = learner.posterior_.top(1)
    return f"best: {name}, {share:.2f}"
