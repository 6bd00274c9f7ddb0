"""Plot the predictive distribution of the next count beside that of a plug-in estimate."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import stats

from suffice.errors import InputError
from suffice.plots.altair import PALETTE, altair, dressed, legend, rows_of, whole_number
from suffice.plots.curves import curved
from suffice.posterior import Beta, Gamma
from suffice.typing import Array, Integers

__all__ = ["predictive"]


def predictive(
    belief: Beta | Gamma, trials: int = 10, plug_in: Literal["mean", "mode"] = "mean", width: int = 460
) -> Any:
    """Plot the predictive distribution of a count beside that of a plug-in estimate, which is too narrow.

    Parameters
    ----------
    belief : Beta or Gamma
        The belief about the probability of heads, or about a rate.
    trials : int, default=10
        The number of future tosses; ignored for a Gamma, which predicts one count.
    plug_in : {"mean", "mode"}, default="mean"
        The estimate to plug in for comparison.
    width : int, default=460
        Width of the picture in pixels.

    Returns
    -------
    chart : altair.Chart

    Examples
    --------
    >>> import suffice as sf
    >>> chart = sf.plots.predictive(sf.Beta(5, 19), trials=10)
    """
    known: Beta | Gamma = curved(belief, "belief", "predictive", (Beta, Gamma))
    if plug_in not in ("mean", "mode"):
        raise InputError(f"The argument 'plug_in' of predictive must be 'mean' or 'mode'; got {plug_in!r}.")
    at = float(known.mean if plug_in == "mean" else known.mode)
    averaged, plugged, counts = _masses(known, whole_number(trials, "trials"), at)
    names = ("posterior predictive", f"plug-in, at the {plug_in} {at:.3g}")
    data = rows_of(
        count=[int(count) for count in counts] * 2,
        probability=[*averaged, *plugged],
        how=[name for name in names for _ in counts],
    )
    title = f"heads in {trials} tosses" if isinstance(known, Beta) else "count"
    return dressed(_chart(data, names, title, width), f"Predictions of {known!r}")


def _masses(belief: Beta | Gamma, trials: int, at: float) -> tuple[Array, Array, Integers]:
    if isinstance(belief, Beta):
        counts = np.arange(trials + 1)
        return belief.predict(trials).pmf(counts), stats.binom.pmf(counts, trials, at), counts
    most = int(belief.predict().quantile(0.999))
    counts = np.arange(max(1, most) + 1)
    if len(counts) > 200:
        raise InputError(f"The argument 'belief' of predictive must expect counts below 200; got {belief!r}.")
    return belief.predict().pmf(counts), stats.poisson.pmf(counts, at), counts


def _chart(data: Any, names: tuple[str, str], title: str, width: int) -> Any:
    alt = altair()
    scale = alt.Scale(domain=list(names), range=[PALETTE[0], PALETTE[4]])
    return (
        alt.Chart(data)
        .mark_bar(cornerRadius=1)
        .encode(
            x=alt.X("count:O", title=title, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            xOffset=alt.XOffset("how:N", sort=list(names)),
            y=alt.Y("probability:Q", title="probability"),
            color=alt.Color("how:N", scale=scale, legend=legend(alt)),
            tooltip=["count:O", "how:N", alt.Tooltip("probability:Q", format=".4f")],
        )
        .properties(width=width, height=240)
    )
