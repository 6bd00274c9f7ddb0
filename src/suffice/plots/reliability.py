"""Plot accuracy against confidence, with the diagonal of calibrated probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from suffice.errors import KindError
from suffice.evaluate import Reliability
from suffice.plots.altair import AGAINST, FOR, GREY, PALETTE, altair, dressed, legend

__all__ = ["reliability"]

LINES = [AGAINST, FOR, PALETTE[0], PALETTE[3], PALETTE[4], PALETTE[5]]


def reliability(models: Reliability | Mapping[str, Reliability], size: int = 300) -> Any:
    """Plot accuracy against confidence as one line per model; the area of a dot shows the share of rows in its bin.

    Below the diagonal a model is overconfident, above it underconfident.

    Parameters
    ----------
    models : Reliability or dict of them by name
        Results of ``sf.evaluate.reliability``.
    size : int, default=300
        Side of the square in pixels.

    Returns
    -------
    chart : altair.LayerChart
        The chart, with a clear background (white in PNG and PDF). Save it with ``chart.save("reliability.svg")``.

    Examples
    --------
    >>> import suffice as sf
    >>> judged = sf.evaluate.reliability([[0.9, 0.1], [0.3, 0.7]], ["a", "b"], ["a", "b"])
    >>> type(sf.plots.reliability(judged)).__name__
    'LayerChart'
    """
    named = models if isinstance(models, Mapping) else {"model": models}
    for name, one in named.items():
        given: Any = one
        if not isinstance(given, Reliability):
            raise KindError(f"The argument 'models' of reliability must hold Reliability; got {given!r} as {name!r}.")
    return _chart(named, size)


def _chart(named: Mapping[str, Reliability], size: int) -> Any:
    alt = altair()
    points = [
        {"model": name, "confidence": float(c), "accuracy": float(a), "share": float(n / one.rows.sum())}
        for name, one in named.items()
        for c, a, n in zip(one.confidence, one.accuracy, one.rows, strict=True)
    ]
    ends = alt.Chart(alt.InlineData([{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
    honest = ends.mark_line(color=GREY, strokeDash=[4, 4]).encode(x="x:Q", y="y:Q")
    scale = alt.Scale(domain=[0, 1])
    colour = alt.Color(
        "model:N",
        scale=alt.Scale(domain=list(named), range=LINES[: len(named)]),
        legend=legend(alt) if len(named) > 1 else None,
    )
    base = alt.Chart(alt.InlineData(points)).encode(
        x=alt.X("confidence:Q", scale=scale, title="confidence"),
        y=alt.Y("accuracy:Q", scale=scale, title="accuracy"),
        color=colour,
    )
    dots = base.mark_circle(opacity=0.9).encode(
        size=alt.Size("share:Q", scale=alt.Scale(domain=[0, 1], range=[20, 900]), legend=None)
    )
    layers = honest + base.mark_line(strokeWidth=1.5) + dots
    return dressed(layers.properties(width=size, height=size))
