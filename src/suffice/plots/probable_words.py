"""Plot the most probable words or features of each class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from suffice.errors import KindError
from suffice.estimators.shell.answering import Answers
from suffice.models.answers.explanation import place_of
from suffice.models.answers.ranking import believed, given_names
from suffice.models.likelihoods.pictures import FeatureBelief
from suffice.plots.altair import GREY, PALETTE, altair, cut, dressed, labelled, rows_of, whole_number

__all__ = ["words"]

ACROSS = 3


def words(
    model: Any, classes: Any = None, most: int = 12, level: float = 0.95, width: int = 190, feature_names: Any = None
) -> Any:
    """Plot the most probable words of each class, with credible intervals if there is a posterior.

    Parameters
    ----------
    model : fitted classifier of texts or counts
        BernoulliNB, MultinomialNB, ComplementNB, PoissonNB, DirichletMultinomialNB or TextClassifier.
    classes : list of labels, default=None
        The classes to show; by default the first six.
    most : int, default=12
        The number of words per class.
    level : float, default=0.95
        The probability of the credible intervals.
    width : int, default=190
        Width of the bars of one class in pixels.
    feature_names : list of str, default=None
        The names of the columns, for a model that was fitted without names.

    Returns
    -------
    chart : altair.ConcatChart

    Examples
    --------
    >>> import suffice as sf
    >>> texts = ["cheap pills now", "cheap watches", "lunch now", "lunch at noon"]
    >>> model = sf.TextClassifier("bernoulli").fit(texts, ["spam", "spam", "ham", "ham"])
    >>> chart = sf.plots.words(model, most=3)
    """
    fitted = isinstance(model, Answers) and hasattr(model, "classes_")
    known = believed(model._predictor, model._reader.feature_names, model._reader.by_block) if fitted else None
    if known is None:
        raise KindError(
            "The argument 'model' of words must be a fitted classifier of texts or counts; "
            f"got a {type(model).__name__}."
        )
    if feature_names is not None:
        known = replace(known, names=given_names(feature_names, len(known.names)))
    labels = model.classes_[:6] if classes is None else list(classes)
    codes = [place_of(model.classes_, label, "classes") for label in labels]
    tops = [known.most(code, whole_number(most, "most")) for code in codes]
    parts = [_lines(known, code, top, level) for code, top in zip(codes, tops, strict=True)]
    furthest = max(line[-1] for part in parts for line in part)
    panels = [
        _panel(part, cut(label, 30), PALETTE[k % len(PALETTE)], furthest, width, known.meaning)
        for k, (part, label) in enumerate(zip(parts, labels, strict=True))
    ]
    return dressed(altair().concat(*panels, columns=ACROSS, spacing=18))


def _lines(known: FeatureBelief, code: int, top: Any, level: float) -> list[tuple[str, float, float, float]]:
    """Return the name, mean and interval of each word; without a posterior, both ends are the mean."""
    mean = known.mean(top)[code]
    low, high = (end[code] for end in known.ends(top, level)) if known.sure else (mean, mean)
    names = (cut(name, 24) for name in known.names[top])
    return [(name, float(m), float(a), float(b)) for name, m, a, b in zip(names, mean, low, high, strict=True)]


def _panel(
    lines: list[tuple[str, float, float, float]], title: str, colour: str, furthest: float, width: int, meaning: str
) -> Any:
    alt = altair()
    names, mean, low, high = (list(part) for part in zip(*lines, strict=True))
    data = rows_of(place=range(len(names)), word=names, mean=mean, low=low, high=high)
    axis = alt.Axis(labelExpr=labelled(names), labelLimit=200, ticks=False, domain=False)
    base = alt.Chart(data).encode(y=alt.Y("place:O", title=None, axis=axis))
    scale = alt.Scale(domain=[0, furthest], nice=False)
    across = alt.X("mean:Q", title=meaning, scale=scale, axis=alt.Axis(tickCount=4))
    tooltip = ["word:N", *(alt.Tooltip(f"{name}:Q", format=".4g") for name in ("mean", "low", "high"))]
    layers = [base.mark_bar(color=colour, opacity=0.75, cornerRadius=1).encode(x=across, tooltip=tooltip)]
    if not np.array_equal(low, high):
        layers.append(base.mark_rule(color=GREY, strokeWidth=1.5).encode(x=alt.X("low:Q", scale=scale), x2="high:Q"))
    named = alt.Title(title, fontSize=12, anchor="start")
    return alt.layer(*layers).properties(width=width, height=alt.Step(16), title=named)
