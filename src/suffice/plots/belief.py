"""A belief about a probability or a rate: its curve, with mean, mode and interval, beside prior and likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.plots.altair import GREY, PALETTE, altair, dressed, legend, rows_of
from suffice.plots.curves import Curved, curved, density, domain, likelihood, mode_of, reach, spelled
from suffice.typing import Array

__all__ = ["belief"]

LOOKS = {"prior": (PALETTE[5], [6, 4]), "likelihood": (PALETTE[1], [2, 2]), "posterior": (PALETTE[0], [1, 0])}


def belief(posterior: Curved, prior: Curved | None = None, level: float = 0.95, width: int = 460) -> Any:
    """Plot the density of a Beta or a Gamma, with mean, mode and interval; with a prior, also that.

    Parameters
    ----------
    posterior : Beta or Gamma
        The belief.
    prior : the same, default=None
        What it was before the data. Then the prior and the likelihood, scaled to an area of one, are drawn as well.
    level : float, default=0.95
        Probability of the shaded interval.
    width : int, default=460
        Of the picture, in pixels.

    Returns
    -------
    chart : altair.LayerChart

    Examples
    --------
    >>> import suffice as sf
    >>> prior = sf.Beta(2, 2)
    >>> chart = sf.plots.belief(prior.update(heads=3, tails=17), prior)
    >>> chart.title.text
    'Beta(a=5, b=19)'
    """
    now = curved(posterior, "posterior", "belief")
    before = None if prior is None else curved(prior, "prior", "belief")
    x = reach(now) if before is None else reach(now, before)
    curves = {"posterior": density(now, x)}
    if before is not None:
        evidence = likelihood(before, now, x)
        curves = {"prior": density(before, x), **({} if evidence is None else {"likelihood": evidence}), **curves}
    tall = max(curve.max() for curve in curves.values())
    tall = min(float(tall), 4 * float(max(curve[len(x) // 20 : -len(x) // 20].max() for curve in curves.values())))
    layers = [_interval(now, x, level, tall), _lines(curves, x, now, tall), *_marks(now, tall)]
    chart = altair().layer(*layers).properties(width=width, height=260)
    low, high = now.interval(level)
    subtitle = f"shaded: {100 * level:g} % lie from {low:.3g} to {high:.3g}"
    return dressed(chart, repr(now), subtitle)


def _lines(curves: dict[str, Array], x: Array, now: Curved, tall: float) -> Any:
    alt = altair()
    places = [float(at) for at in x] * len(curves)
    names = [name for name in curves for _ in x]
    data = rows_of(x=places, density=[value for curve in curves.values() for value in curve], of=names)
    colours, dashes = zip(*(LOOKS[name] for name in curves), strict=True)
    shown = legend(alt, symbolType="stroke", symbolSize=400) if len(curves) > 1 else None
    return (
        alt.Chart(data)
        .mark_line(strokeWidth=2.2, clip=True)
        .encode(
            x=alt.X("x:Q", title=spelled(now), scale=alt.Scale(domain=domain(x, now), nice=False)),
            y=alt.Y("density:Q", title="density", scale=alt.Scale(domain=[0, 1.12 * tall], nice=False)),
            color=alt.Color("of:N", scale=alt.Scale(domain=[*curves], range=[*colours]), legend=shown),
            strokeDash=alt.StrokeDash("of:N", scale=alt.Scale(domain=[*curves], range=[*dashes]), legend=shown),
        )
    )


def _interval(now: Curved, x: Array, level: float, tall: float) -> Any:
    low, high = now.interval(level)
    inside = [float(low), *(float(at) for at in x if low < at < high), float(high)]
    heights = density(now, np.array(inside))
    data = rows_of(x=inside, density=[min(float(value), 1.12 * tall) for value in heights])
    return altair().Chart(data).mark_area(color=PALETTE[0], opacity=0.18, clip=True).encode(x="x:Q", y="density:Q")


def _marks(now: Curved, tall: float) -> list[Any]:
    """Draw upright lines at the mean and the mode, named at the top, apart from each other."""
    alt = altair()
    mode, mean = mode_of(now), float(now.mean)
    places = {"mean": mean, **({} if mode is None else {"mode": mode})}
    left = "mode" if mode is not None and mode < mean else "mean"
    marks = []
    for name, at in places.items():
        data = rows_of(x=[at], density=[1.12 * tall], name=[f"{name} {at:.3g}"])
        dash = [1, 0] if name == "mean" else [4, 3]
        base = alt.Chart(data).encode(x="x:Q")
        side = {"align": "right", "dx": -4} if name == left and len(places) > 1 else {"align": "left", "dx": 4}
        text = base.mark_text(color=GREY, baseline="top", **side).encode(y="density:Q", text="name:N")
        marks += [base.mark_rule(color=GREY, strokeDash=dash), text]
    return marks
