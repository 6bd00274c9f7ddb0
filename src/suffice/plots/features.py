"""Plot features: the words of each class, their information, their bursts, and what they add to a prediction."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from suffice.errors import InputError, KindError
from suffice.estimators import DirichletMultinomialNB
from suffice.estimators.shell.answering import Answers
from suffice.models.answers.explanation import Explanation, place_of
from suffice.models.answers.ranking import Information, believed, given_names
from suffice.models.likelihoods.pictures import FeatureBelief
from suffice.plots.altair import AGAINST, FOR, GREY, PALETTE, TOTAL, alt, dressed
from suffice.plots.elements import cut, fixed, heading, legend, named_places, require, rows_of, whole_number

ACROSS = 3
"""Panels in a row."""
FEWEST = 5
"""The largest count that is shown at least."""
SERIES = ("documents", "multinomial", "Pólya urn")
NAME, VALUE = 28, 38
"""Letters of a name and of a value beside a waterfall."""


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
        raise KindError("words.model", "be a fitted classifier of texts or counts", got_a=model)
    if feature_names is not None:
        known = replace(known, names=given_names(feature_names, len(known.names)))
    labels = model.classes_[:6] if classes is None else list(classes)
    codes = [place_of(model.classes_, label, "classes") for label in labels]
    parts = [word_lines(known, code, known.most(code, whole_number(most, "most")), level) for code in codes]
    scale = fixed(0, max(line["high"] for part in parts for line in part))
    tooltip = ["word:N", *(alt.Tooltip(f"{name}:Q", format=".4g") for name in ("mean", "low", "high"))]
    panels = []
    for k, (part, label) in enumerate(zip(parts, labels, strict=True)):
        lines = [{**line, "word": cut(line["word"], 24), "place": place} for place, line in enumerate(part)]
        base = alt.Chart(alt.InlineData(lines)).encode(y=named_places([line["word"] for line in lines], 200))
        across = alt.X("mean:Q", title=known.meaning, scale=scale, axis=alt.Axis(tickCount=4))
        bars = base.mark_bar(color=PALETTE[k % len(PALETTE)], opacity=0.75, cornerRadius=1)
        layers = [bars.encode(x=across, tooltip=tooltip)]
        if known.sure:
            spans = base.mark_rule(color=GREY, strokeWidth=1.5)
            layers.append(spans.encode(x=alt.X("low:Q", scale=scale), x2="high:Q"))
        panels.append(alt.layer(*layers).properties(width=width, height=alt.Step(16), title=heading(cut(label, 30))))
    return dressed(alt.concat(*panels, columns=ACROSS, spacing=18))


def word_lines(known: FeatureBelief, code: int, which: Any, level: float) -> list[dict[str, Any]]:
    """Return the name, mean and interval of each word in a class; without a posterior, both ends are the mean."""
    mean = known.mean(which)[code]
    low, high = (end[code] for end in known.ends(which, level)) if known.sure else (mean, mean)
    return [
        {"word": str(name), "mean": float(m), "low": float(a), "high": float(b)}
        for name, m, a, b in zip(known.names[which], mean, low, high, strict=True)
    ]


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
    require(information, Information, "information", "a result of mutual_information")
    top = information.top(whole_number(most, "most"))
    names, values = [cut(name, 32) for name, _ in top], [value for _, value in top]
    labels = [f"{value:.3g}" for value in values]
    data = rows_of(place=range(len(top)), feature=names, information=values, label=labels)
    base = alt.Chart(data).encode(y=named_places(names))
    title = f"mutual information with the class, in {information.unit}"
    across = alt.X("information:Q", title=title, axis=alt.Axis(tickCount=5))
    tooltip = ["feature:N", alt.Tooltip("information:Q", format=".4g")]
    bars = base.mark_bar(color=PALETTE[0], cornerRadius=1).encode(x=across, tooltip=tooltip)
    figures = base.mark_text(align="left", dx=4, color=GREY).encode(x=across, text="label:N")
    chart = alt.layer(bars, figures).properties(width=width, height=alt.Step(18))
    return dressed(chart, f"{len(top)} of {len(information):,} features")


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
        raise KindError("burstiness.model", "be a fitted DirichletMultinomialNB", got_a=given)
    if given.method != "dcm":
        raise InputError("burstiness.model", "have method='dcm'").but(
            f"got {given.method!r}, which has no probabilities"
        )
    names = list(getattr(given, "feature_names_in_", range(given.n_features_in_)))
    if word not in names:
        raise InputError("burstiness.word", f"be one of the model's {len(names)} words", got=word)
    t, column, codes = given._statistic, names.index(word), range(len(given.classes_))
    if class_ is None:
        holding = np.array([t.count[t.cell == code * int(t.columns) + column].sum() for code in codes])
        code = int(np.argmax(holding / np.maximum(t.n.ravel(), 1)))
    else:
        code = place_of(given.classes_, class_, "class_")
    counts, shares = _shares(given, code, column, whole_number(most, "most"))
    least = float(shares[0][shares[0] > 0].min()) / 20
    data = rows_of(times=np.tile(counts, len(SERIES)), share=np.concatenate(shares), of=np.repeat(SERIES, len(counts)))
    colours = alt.Scale(domain=list(SERIES), range=[GREY, PALETTE[1], PALETTE[0]])
    base = alt.Chart(data).encode(
        x=alt.X("times:Q", title="times in a document", axis=alt.Axis(tickMinStep=1, format="d")),
        y=alt.Y("share:Q", title="share of documents", scale=alt.Scale(type="log", domain=[least, 1], clamp=False)),
        color=alt.Color("of:N", scale=colours, legend=legend()),
        tooltip=["of:N", "times:Q", alt.Tooltip("share:Q", format=".3g")],
    )
    inside = base.transform_filter(f"datum.share >= {least}")
    lines = inside.transform_filter(f"datum.of != '{SERIES[0]}'")
    dots = inside.transform_filter(f"datum.of == '{SERIES[0]}'")
    chart = alt.layer(
        lines.mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=24)),
        dots.mark_point(filled=True, size=90, shape="diamond", opacity=1),
    )
    title = f"“{word}” in the documents of {given.classes_[code]}"
    return dressed(chart.properties(width=width, height=250), title)


def _shares(model: Any, code: int, column: int, most: int) -> tuple[Any, list[Any]]:
    """Return the shares of documents with the word 0, 1, 2, … times: observed, by the multinomial, by the urn."""
    t = model._statistic
    own, lengths = t.cell == code * int(t.columns) + column, t.cell_of_length == code
    value, documents = t.value[own], t.count[own]
    length, times = t.length[lengths], t.count_of_length[lengths]
    n = float(np.ravel(t.n)[code])
    if not len(value):
        raise InputError(f"The class {str(model.classes_[code])!r}", "contain the word to show its bursts").but(
            "it never does", "Name another class."
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


def waterfall(explanation: Explanation, most: int = 14, width: int = 420) -> Any:
    """Plot what each feature adds to the log-odds as bars, each starting where the last one ended, and their sum.

    Parameters
    ----------
    explanation : Explanation
        The result of ``explain`` of a classifier.
    most : int, default=14
        The number of features, those that add most, that have a bar of their own; the others share one.
    width : int, default=420
        Width of the bars in pixels.

    Returns
    -------
    chart : altair.LayerChart
        The chart, with a clear background for light and dark pages (white in PNG and PDF). Save it with
        ``chart.save("why.svg")``.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.BernoulliNB().fit([[1, 0], [0, 1]], ["a", "b"])
    >>> type(sf.plots.waterfall(model.explain([1, 1], target="a", against="b"))).__name__
    'HConcatChart'
    """
    require(explanation, Explanation, "waterfall.explanation", "a result of explain")
    if not np.isfinite([explanation.log_odds, *explanation.contributions]).all():
        raise InputError(
            "A waterfall needs finite log-odds, but one of the two classes is impossible for this row."
        ).advise(python="Explain the row against another class, or fit the model with a larger alpha.")
    rows = steps(explanation, most)
    target, against = (cut(label, 24) for label in (explanation.target, explanation.against))
    y = alt.Y("place:O", axis=None, scale=alt.Scale(paddingInner=0.25))
    low, high = ends_of(rows)
    room = 0.16 * (high - low or 1.0)
    scale = fixed(low - room * (low < 0), high + room)
    kinds = {"for": FOR, "against": AGAINST, "prior": GREY, "total": TOTAL}
    colour = alt.Color("kind:N", legend=None, scale=alt.Scale(domain=[*kinds], range=[*kinds.values()]))
    zero, bars, figures = steps_drawn(rows, y, scale, f"log-odds of {target} against {against}", 7, colour, GREY, 12)
    pairs = [{"at": row["end"], "place": row["place"], "next": row["place"] + 1} for row in rows[:-1]]
    links = alt.Chart(alt.Data(values=pairs)).mark_rule(color=GREY, opacity=0.6)  # from each bar to the next
    links = links.encode(x=alt.X("at:Q", scale=scale), y=alt.Y("place:O", axis=None), y2="next:O")
    layers = alt.layer(zero, links, bars, figures).properties(width=width, height=alt.Step(21))
    columns = []  # of words beside the bars, as wide as their longest word
    for field, weight, letter in (("name", "bold", 7.2), ("value", "normal", 6.4)):
        text = alt.Chart(alt.Data(values=rows)).encode(y=y, x=alt.value(0), text=f"{field}:N")
        text = text.mark_text(align="left", color=GREY, fontWeight=weight, baseline="middle")
        columns.append(text.properties(width=4 + letter * max(len(row[field]) for row in rows), height=alt.Step(21)))
    title = f"{cut(explanation.target, 30)} rather than {cut(explanation.against, 30)}"
    return dressed(alt.hconcat(*columns, layers, spacing=10), title)


def steps(explanation: Explanation, most: int) -> list[dict[str, Any]]:
    """Return the data of each bar: its name, kind, start and end. The last one says the odds of the likelier class."""
    top, total = explanation.top(len(explanation.features)), explanation.log_odds
    shown, rest = (top, []) if len(top) <= most + 1 else (top[:most], top[most:])
    others = [(f"{len(rest)} others", "", sum(weight for _, _, weight in rest))] if rest else []
    many = np.exp(min(abs(total), 700.0))
    times = f"{float(f'{many:.3g}'):,.6g}" if many < 1e5 else "over 100,000"
    odds = f"{times} : 1 for {explanation.target if total >= 0 else explanation.against}"
    rows, at = list[dict[str, Any]](), 0.0
    for name, value, weight in [("prior", "", explanation.prior), *shown, *others, ("log-odds", odds, total)]:
        kind = "for" if weight >= 0 else "against"
        if len(rows) in (0, 1 + len(shown) + len(others)):
            at, kind = 0.0, "total" if rows else "prior"
        start, end = at, at + weight
        rows.append({
            "place": len(rows), "name": cut(name, NAME), "value": cut(value, VALUE), "kind": kind,
            "label": f"{end - start:+.2f}".replace("-", "−"), "feature": str(name), "in words": str(value),
            "log_odds": round(end - start, 6), "start": start, "end": end, "right": max(start, end),
        })  # fmt: skip
        at = end
    return rows


def ends_of(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Return the least and the largest end of the bars."""
    ends = [row[side] for row in rows for side in ("start", "end")]
    return min(ends), max(ends)


def steps_drawn(
    rows: Any, y: Any, scale: Any, title: str, ticks: int, colour: Any, ink: str, size: int, **more: Any
) -> list[Any]:
    """Return a line at zero, the bars of a waterfall and the numbers beside them."""
    axis = alt.Axis(title=title, tickCount=ticks, labelExpr="datum.value == 0 ? '0' : format(datum.value, '+~g')")
    tooltip = [
        alt.Tooltip("feature:N"), alt.Tooltip("in words:N"), alt.Tooltip("log_odds:Q", format="+.3f", title="log-odds"),
    ]  # fmt: skip
    base = alt.Chart(alt.Data(values=rows)).encode(y=y)
    bars = base.mark_bar(cornerRadius=1, minBandSize=2)
    bars = bars.encode(x=alt.X("start:Q", scale=scale, axis=axis), x2="end:Q", color=colour, tooltip=tooltip, **more)
    zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=ink, opacity=0.9).encode(x="zero:Q")
    figures = base.mark_text(align="left", dx=4, color=ink, fontSize=size)
    return [zero, bars, figures.encode(x=alt.X("right:Q", scale=scale), text="label:N")]
