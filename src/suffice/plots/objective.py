"""Plot the objective of an iterative fit after each step."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.errors import DataError, KindError
from suffice.plots.altair import PALETTE, altair, dressed, rows_of

__all__ = ["objective"]


def objective(model: Any, width: int = 420) -> Any:
    """Plot the objective of EM, or of any other iterative fit, against the step. The objective of EM never falls.

    Parameters
    ----------
    model : object with ``objective_``
        A model fitted by iteration, or the list of objectives itself, one per step.
    width : int, default=420
        Width of the picture in pixels.

    Returns
    -------
    chart : altair.Chart

    Examples
    --------
    >>> import suffice as sf
    >>> chart = sf.plots.objective([-120.0, -98.5, -95.1, -95.0])
    """
    given = getattr(model, "objective_", model)
    try:
        values = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise KindError(
            "The argument 'model' of objective must be a fitted model with 'objective_', or a list of objectives; "
            f"got a {type(model).__name__}."
        ) from None
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise DataError(f"The objective must be a list of finite numbers, at least one; got {given!r}.")
    alt = altair()
    chart = (
        alt.Chart(rows_of(step=range(1, len(values) + 1), objective=values))
        .mark_line(color=PALETTE[0], point=alt.OverlayMarkDef(color=PALETTE[0], size=36), strokeWidth=2)
        .encode(
            x=alt.X("step:Q", title="step", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(nice=False)),
            y=alt.Y("objective:Q", title="objective (log-probability)", scale=alt.Scale(zero=False)),
            tooltip=["step:Q", alt.Tooltip("objective:Q", format=".6g")],
        )
        .properties(width=width, height=220)
    )
    return dressed(chart, f"{values[-1]:,.6g} after {len(values)} steps".replace("-", "−"))
