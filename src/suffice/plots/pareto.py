"""Plot a belief about an upper end and the next value: the taxicab problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from suffice.errors import InputError, KindError
from suffice.plots.altair import GREY, PALETTE, altair, dressed, legend, rows_of
from suffice.posterior import Pareto

__all__ = ["pareto"]

NAMES = ("the upper end", "the next value")


def pareto(belief: Pareto, upto: float | None = None, width: int = 460) -> Any:
    """Plot the density of the upper end, which cannot lie below the largest value seen, and of the next value.

    Parameters
    ----------
    belief : Pareto
        A proper belief, after at least one value.
    upto : float, default=None
        Where the picture ends; by default at the 0.9 quantile of the belief, and at most at six times its start.
    width : int, default=460
        Width of the picture in pixels.

    Returns
    -------
    chart : altair.LayerChart

    Examples
    --------
    One taxicab is seen, numbered 100. How many are there?

    >>> import suffice as sf
    >>> chart = sf.plots.pareto(sf.Pareto(0, 0).update(values=[100]))
    """
    if not isinstance(belief, Pareto):
        raise KindError(f"The argument 'belief' of pareto must be a Pareto; got a {type(belief).__name__}.")
    if belief.batch_shape or not belief.proper:
        raise InputError(f"The argument 'belief' of pareto must be one proper belief; got {belief!r}.")
    start = float(belief.b)
    given: Any = upto
    end = min(float(belief.interval(0.8)[1]), 6 * start) if given is None else float(given)
    if end <= start:
        raise InputError(
            f"The argument 'upto' of pareto must lie beyond {start:g}, the largest value seen; got {upto!r}."
        )
    return dressed(_chart(belief, start, end, width), repr(belief), _words(belief))


def _words(belief: Pareto) -> str:
    median, (_, high) = float(belief.b) * 2 ** (1 / float(belief.K)), belief.interval(0.9)
    return f"median {median:.4g}, 95 % quantile {high:.4g}"


def _chart(belief: Pareto, start: float, end: float, width: int) -> Any:
    alt = altair()
    beyond, before = np.linspace(start, end, 160), np.linspace(0, start, 3)
    upper = stats.pareto.pdf(beyond, belief.K, scale=start)
    x = np.concatenate([before, beyond])
    data = rows_of(
        x=[0.0, start, *beyond, *x],
        density=[0.0, 0.0, *upper, *belief.predict().pdf(x)],
        of=[NAMES[0]] * (len(beyond) + 2) + [NAMES[1]] * len(x),
    )
    looks = {"domain": list(NAMES)}
    shown = legend(alt, symbolType="stroke", symbolSize=400)
    lines = (
        alt.Chart(data)
        .mark_line(strokeWidth=2.2)
        .encode(
            x=alt.X("x:Q", title="value", scale=alt.Scale(domain=[0, end], nice=False)),
            y=alt.Y("density:Q", title="density", scale=alt.Scale(domain=[0, 1.06 * float(upper[0])], nice=False)),
            color=alt.Color("of:N", scale=alt.Scale(**looks, range=[PALETTE[0], PALETTE[1]]), legend=shown),
            strokeDash=alt.StrokeDash("of:N", scale=alt.Scale(**looks, range=[[1, 0], [6, 3]]), legend=shown),
        )
    )
    mark = rows_of(x=[start], top=[float(upper[0])], name=[f"largest observed {start:g}"])
    base = alt.Chart(mark).encode(x="x:Q")
    text = base.mark_text(color=GREY, align="left", dx=12, baseline="top").encode(y="top:Q", text="name:N")
    return alt.layer(base.mark_rule(color=GREY, strokeDash=[4, 3]), lines, text).properties(width=width, height=240)
