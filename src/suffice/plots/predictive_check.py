"""Plot a predictive check: statistics of the real rows beside those of rows that the model draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.errors import KindError
from suffice.estimators import Check
from suffice.models.answers.checked_columns import STATISTICS
from suffice.plots.altair import GREY, PALETTE, altair, cut, dressed, labelled, rows_of, whole_number

__all__ = ["check"]


def check(found: Check, most: int = 12, width: int = 320) -> Any:
    """Plot the most surprising statistics of a predictive check.

    Dots stand for the data sets that the model drew, centred at their mean, in units of their standard deviation; the
    diamond stands for the real rows. A diamond outside the dots shows a property that the model does not reproduce.

    Parameters
    ----------
    found : Check
        The result of ``sf.check``.
    most : int, default=12
        The number of statistics to show.
    width : int, default=320
        Width of the picture in pixels.

    Returns
    -------
    chart : altair.LayerChart

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> X, y = np.column_stack([x, x]), np.arange(200) % 2
    >>> chart = sf.plots.check(sf.check(sf.GaussianNB().fit(X, y), X, y, draws=20))
    """
    given: object = found
    if not isinstance(given, Check):
        kind = type(given).__name__
        raise KindError(f"The argument 'found' of plots.check must be a result of sf.check; got a {kind}.")
    alt, order = altair(), found._order()[: whole_number(most, "most")]
    s, c, j = np.unravel_index(order, found.real.shape)
    names = [_name(found, *place) for place in zip(s.tolist(), c.tolist(), j.tolist(), strict=True)]
    drawn = found.drawn[:, s, c, j]
    mean, spread = drawn.mean(axis=0), drawn.std(axis=0, ddof=1)
    spread = np.where(spread > 0, spread, 1.0)
    places = np.repeat(np.arange(len(names)), len(drawn)).tolist()
    dots = rows_of(place=places, away=((drawn - mean) / spread).T.ravel().tolist())
    shown = np.clip(found.surprise[s, c, j], -BEYOND, BEYOND)  # also where drawn rows never vary
    real = rows_of(place=range(len(names)), away=shown.tolist(), name=names, real=found.real[s, c, j].tolist())
    axis = alt.Axis(labelExpr=labelled(names), labelLimit=260, title=None, grid=True, domain=False, ticks=False)
    y = alt.Y("place:O", axis=axis)
    x = alt.X("away:Q", title="standard deviations from the mean of simulated rows")
    return dressed(
        alt.layer(
            alt.Chart(dots).mark_circle(color=GREY, opacity=0.35, size=18).encode(x, y),
            alt.Chart(real)
            .mark_point(shape="diamond", filled=True, size=110, color=PALETTE[1], opacity=1)
            .encode(x, y, tooltip=["name:N", "real:Q"]),
        ).properties(width=width, height=22 * len(names)),
        "Real rows (diamonds) and rows simulated by the model",
    )


BEYOND = 25.0
"""The distance at which diamonds further away are shown."""


def _name(found: Check, s: int, c: int, j: int) -> str:
    return cut(f"{found.features[j]}, {found.classes[c]}: {STATISTICS[s]}", 40)
