"""Plot features by their information about the class."""

from __future__ import annotations

from typing import Any

from suffice.errors import KindError
from suffice.models.answers.ranking import Information
from suffice.plots.altair import GREY, PALETTE, altair, cut, dressed, labelled, rows_of, whole_number

__all__ = ["information"]


def information(information: Information, most: int = 20, width: int = 380) -> Any:
    """Plot the information of each feature as a bar, the most informative feature first.

    Parameters
    ----------
    information : Information
        The result of ``sf.mutual_information``.
    most : int, default=20
        The number of features to show.
    width : int, default=380
        Width of the bars in pixels.

    Returns
    -------
    chart : altair.LayerChart

    Examples
    --------
    >>> import suffice as sf
    >>> texts = ["cheap pills now", "cheap watches", "lunch now", "lunch at noon"]
    >>> model = sf.TextClassifier("bernoulli").fit(texts, ["spam", "spam", "ham", "ham"])
    >>> chart = sf.plots.information(sf.mutual_information(model, unit="bits"))
    """
    given: Any = information
    if not isinstance(given, Information):
        raise KindError(
            f"The argument 'information' must be a result of mutual_information; got a {type(given).__name__}."
        )
    alt = altair()
    top = given.top(whole_number(most, "most"))
    data = rows_of(
        place=range(len(top)),
        feature=[cut(name, 32) for name, _ in top],
        information=[value for _, value in top],
        label=[f"{value:.3g}" for _, value in top],
    )
    words = labelled(cut(name, 32) for name, _ in top)
    names = alt.Axis(labelExpr=words, labelLimit=260, ticks=False, domain=False)
    base = alt.Chart(data).encode(y=alt.Y("place:O", title=None, axis=names))
    across = alt.X(
        "information:Q", title=f"mutual information with the class, in {given.unit}", axis=alt.Axis(tickCount=5)
    )
    bars = base.mark_bar(color=PALETTE[0], cornerRadius=1).encode(
        x=across, tooltip=["feature:N", alt.Tooltip("information:Q", format=".4g")]
    )
    figures = base.mark_text(align="left", dx=4, color=GREY).encode(x=across, text="label:N")
    chart = alt.layer(bars, figures).properties(width=width, height=alt.Step(18))
    return dressed(chart, f"{len(top)} of {len(given):,} features")
