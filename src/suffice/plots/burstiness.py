"""Plot how often a word occurs in documents, beside the expectations of the multinomial and the Pólya urn."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from suffice.errors import InputError, KindError
from suffice.estimators import DirichletMultinomialNB
from suffice.models.answers.explanation import place_of
from suffice.plots.altair import GREY, PALETTE, altair, dressed, legend, rows_of, whole_number
from suffice.typing import Array, Integers

__all__ = ["burstiness"]

FEWEST = 5
NAMES = ("documents", "multinomial", "Pólya urn")


def burstiness(model: DirichletMultinomialNB, word: Any, class_: Any = None, most: int = 12, width: int = 420) -> Any:
    """Plot the share of the documents of a class that contain a word once, twice, …: observed, and under two models.

    The multinomial draws each word of a document independently, so that a rare word hardly ever occurs three times. In
    the urn, a word that has occurred once is likely to occur again. Both are fitted to the same documents.

    Parameters
    ----------
    model : DirichletMultinomialNB
        A model fitted with ``method="dcm"``. Its counts of counts contain the documents; no others are needed.
    word : str or int
        The name of the column, or its number if columns have no names.
    class_ : label, default=None
        The class; by default the class with the largest share of documents that contain the word.
    most : int, default=12
        The largest count to show.
    width : int, default=420
        Width of the picture in pixels.

    Returns
    -------
    chart : altair.LayerChart

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[4, 1, 0], [0, 1, 5], [0, 2, 0], [1, 2, 1], [1, 1, 0], [0, 2, 1]]
    >>> model = sf.DirichletMultinomialNB().fit(X, ["bursty"] * 3 + ["even"] * 3)
    >>> chart = sf.plots.burstiness(model, word=0, class_="bursty")
    """
    given: Any = model
    if not isinstance(given, DirichletMultinomialNB) or not hasattr(given, "classes_"):
        raise KindError(
            f"The argument 'model' of burstiness must be a fitted DirichletMultinomialNB; got a {type(given).__name__}."
        )
    if given.method != "dcm":
        raise InputError(
            f"The argument 'model' of burstiness must have method='dcm'; got {given.method!r}, which has no "
            "probabilities."
        )
    column = _column(given, word)
    code = _class_of(given, column) if class_ is None else place_of(given.classes_, class_, "class_")
    counts, shares = _shares(given, code, column, whole_number(most, "most"))
    title = f"“{word}” in the documents of {given.classes_[code]}"
    return dressed(_chart(counts, shares, width), title)


def _column(model: Any, word: Any) -> int:
    names = list(getattr(model, "feature_names_in_", range(model.n_features_in_)))
    if word not in names:
        raise InputError(
            f"The argument 'word' of burstiness must be one of the model's {len(names)} words; got {word!r}."
        )
    return names.index(word)


def _class_of(model: Any, column: int) -> int:
    t = model._statistic
    codes = np.arange(len(model.classes_))
    holding = np.array([t.count[t.cell == code * int(t.columns) + column].sum() for code in codes])
    return int(np.argmax(holding / np.maximum(t.n.ravel(), 1)))


def _shares(model: Any, code: int, column: int, most: int) -> tuple[Integers, list[Array]]:
    """Return the shares of documents with the word 0, 1, 2, … times: observed, by the multinomial, by the urn."""
    t = model._statistic
    own, lengths = t.cell == code * int(t.columns) + column, t.cell_of_length == code
    value, documents = t.value[own], t.count[own]
    length, times = t.length[lengths], t.count_of_length[lengths]
    n = float(np.ravel(t.n)[code])
    if not len(value):
        raise InputError(
            f"The class {str(model.classes_[code])!r} must contain the word to show its bursts; it never does. Name "
            "another class."
        )
    counts = np.arange(min(most, max(FEWEST, int(value.max()))) + 1)
    seen = np.bincount(value, documents, len(counts))[: len(counts)]
    seen[0] = n - documents.sum()
    urn = model.alpha_[code]
    share = value @ documents / (length @ times)
    plain = stats.binom.pmf(counts[:, None], length, share) @ times
    bursts = stats.betabinom.pmf(counts[:, None], length, urn[column], urn.sum() - urn[column]) @ times
    empty = (n - times.sum()) * (counts == 0)
    return counts, [seen / n, (plain + empty) / n, (bursts + empty) / n]


def _chart(counts: Integers, shares: list[Array], width: int) -> Any:
    alt = altair()
    least = float(shares[0][shares[0] > 0].min()) / 20
    data = rows_of(
        times=np.tile(counts, len(NAMES)),
        share=np.concatenate(shares),
        of=[name for name in NAMES for _ in counts],
    )
    colours = alt.Scale(domain=list(NAMES), range=[GREY, PALETTE[1], PALETTE[0]])
    base = alt.Chart(data).encode(
        x=alt.X("times:Q", title="times in a document", axis=alt.Axis(tickMinStep=1, format="d")),
        y=alt.Y("share:Q", title="share of documents", scale=alt.Scale(type="log", domain=[least, 1], clamp=False)),
        color=alt.Color("of:N", scale=colours, legend=legend(alt)),
        tooltip=["of:N", "times:Q", alt.Tooltip("share:Q", format=".3g")],
    )
    inside = base.transform_filter(f"datum.share >= {least}")
    lines = inside.transform_filter(f"datum.of != '{NAMES[0]}'").mark_line(
        strokeWidth=2, point=alt.OverlayMarkDef(size=24)
    )
    dots = inside.transform_filter(f"datum.of == '{NAMES[0]}'").mark_point(
        filled=True, size=90, shape="diamond", opacity=1
    )
    return alt.layer(lines, dots).properties(width=width, height=250)
