"""Plot beliefs about one number: as curves, step by step, and with what they predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from scipy import stats

from suffice.concepts import ConceptLearner
from suffice.errors import InputError, KindError
from suffice.plots.altair import GREY, PALETTE, alt, dressed
from suffice.plots.concepts import item_axis
from suffice.plots.curves import Curve, CurveAxes, Ends, curved, likelihood, of_one_number
from suffice.plots.elements import fixed, heading, legend, lines, require, rows_of, whole_number
from suffice.posterior import Beta, Gamma, NormalInverseGamma, Pareto, WaitingRate

SOLID = [1, 0]
LOOKS = {"prior": (PALETTE[5], [6, 4]), "likelihood": (PALETTE[1], [2, 2]), "posterior": (PALETTE[0], SOLID)}
ROOM = 1.12
"""Height of a chart relative to its highest curve; labels stand above the curve."""
LETTER, GAP, LINE = 6.5, 4, 14
"""Pixels: the width of a letter, the distance of a label from its line, and the height of a line of text."""
UPPER, NEXT = "the upper end", "the next value"


def belief(
    posterior: Any,
    prior: Any = None,
    level: float = 0.95,
    width: int = 460,
    show: str = "prior, likelihood, posterior",
) -> Any:
    """Plot the density of a belief, with mean, mode and interval; several beliefs in one picture.

    A probability is shown from 0 to 1, unless all beliefs lie close together. Other axes have room for the posterior,
    or the narrowest of several beliefs; much wider beliefs, such as vague priors, and heavy tails are cut.

    Parameters
    ----------
    posterior : Beta, Gamma, WaitingRate, Pareto or NormalInverseGamma; or a dict or list of them
        The belief. A NormalInverseGamma, or a NormalInverseWishart of one coordinate, has one picture for the mean and
        one for the variance. Several beliefs are overlaid, named by the keys of a dict.
    prior : the same, default=None
        The belief before the data. If given, the prior and the likelihood, scaled to area one, are drawn as well; for
        means, variances and upper ends only the prior.
    level : float, default=0.95
        The probability of the shaded interval.
    width : int, default=460
        Width of the picture in pixels.
    show : str, default="prior, likelihood, posterior"
        The curves to draw.

    Returns
    -------
    chart : altair.LayerChart or altair.HConcatChart

    Examples
    --------
    >>> import suffice as sf
    >>> prior = sf.Beta(2, 2)
    >>> chart = sf.plots.belief(prior.update(heads=3, tails=17), prior)
    >>> chart.title.text
    'Beta(a=5, b=19)'
    >>> chart = sf.plots.belief({"before": prior, "after": prior.update(heads=3, tails=17)})
    """
    show_names = [name.strip() for name in str(show).split(",")]
    if not set(show_names) <= set(LOOKS):
        raise InputError("belief.show", f"list some of: {', '.join(LOOKS)}", got=show)
    if isinstance(posterior, Mapping | list | tuple):
        if prior is not None:
            raise InputError("Several beliefs have no prior in common: give it as one of them.")
        return _overlaid(posterior, width)
    if prior is None and "posterior" not in show_names:
        raise InputError(f"The argument 'show' of belief asks for {show!r}, which needs a prior; got none.")
    now, before = of_one_number(posterior), of_one_number(prior)
    if before is not None and isinstance(before, NormalInverseGamma) != isinstance(now, NormalInverseGamma):
        raise KindError("belief.prior", f"be a {type(now).__name__}, as the posterior is").but(
            f"got {type(before).__name__}"
        )
    if not isinstance(now, NormalInverseGamma):
        chart, words = _panel(now, before, level, width, show_names)
        return dressed(chart, repr(now), words)
    panels = []
    for one, then in zip(now.marginal(), (None, None) if before is None else before.marginal(), strict=True):
        chart, words = _panel(one, then, level, width * 3 // 5, show_names)
        panels.append(chart.properties(title=alt.Title(Curve.of(one).about, subtitle=words)))
    return dressed(alt.hconcat(*panels), repr(now))


def _panel(posterior: Any, prior: Any, level: float, width: int, show: list[str]) -> tuple[Any, str]:
    """Return the chart of a belief about one number, with prior and likelihood, and its subtitle."""
    now = curved(posterior, "posterior", "belief")
    beliefs = {"posterior": now}
    if prior is not None:
        before = curved(prior, "prior", "belief")
        beliefs = {"prior": before, "likelihood": likelihood(before, now), "posterior": now}
    curves = {name: Curve.of(one) for name, one in beliefs.items() if name in show and one is not None}
    if not curves:
        raise InputError(f"There is no likelihood to draw for {now!r}; show the prior or the posterior.")
    about = curves.get("posterior")
    frame = CurveAxes.of([*curves.values()], about)
    tall, ends = ROOM * frame.top, frame.ends
    layers, words = [_lines(curves, LOOKS, frame)], ""
    if about is not None:
        low, high = map(float, now.interval(level))
        words = f"central {100 * level:g} % interval, {low:.3g} to {high:.3g}"
        if low < ends[1]:
            words, low, high = f"shaded: {words}", max(low, ends[0]), min(high, ends[1])
            x = np.array([low, *frame.x[(frame.x > low) & (frame.x < high)], high])
            inside = alt.Chart(rows_of(x=x, density=np.minimum(about.density(x), tall)))
            inside = inside.mark_area(color=PALETTE[0], opacity=0.18, clip=True).encode(x="x:Q", y="density:Q")
            layers.insert(0, inside)
        layers += _marks(about, ends, tall, width)
    return alt.layer(*layers).properties(width=width, height=260), words


def _overlaid(beliefs: Any, width: int) -> Any:
    """Return one chart of several beliefs of one family."""
    pairs = [*beliefs.items()] if isinstance(beliefs, Mapping) else [(repr(one), one) for one in beliefs]
    named = {str(name): of_one_number(one) for name, one in pairs}
    if not 1 <= len(pairs) <= len(PALETTE) or len(named) < len(pairs):
        raise InputError("belief.posterior", f"hold 1 to {len(PALETTE)} beliefs of different names").but(
            f"got {[str(name) for name, _ in pairs]}"
        )
    first = next(iter(named.values()))
    for one in named.values():
        if not isinstance(one, NormalInverseGamma):
            curved(one, "posterior", "belief")
        if type(one) is not type(first):
            raise KindError("Beliefs in one picture", "be of one family, since they share an axis").but(
                f"got a {type(first).__name__} and a {type(one).__name__}"
            )
    looks = {name: (colour, SOLID) for name, colour in zip(named, PALETTE, strict=False)}

    def chart(parts: dict[str, Any], width: int) -> Any:
        curves = {name: Curve.of(curved(one, "posterior", "belief")) for name, one in parts.items()}
        frame = CurveAxes.of([*curves.values()])
        title = next(iter(curves.values())).about
        return alt.layer(_lines(curves, looks, frame)).properties(width=width, height=260, title=title)

    if not isinstance(first, NormalInverseGamma):
        return dressed(chart(named, width))
    marginals = {name: one.marginal() for name, one in named.items()}
    parts = [{name: pair[k] for name, pair in marginals.items()} for k in range(2)]
    return dressed(alt.hconcat(*(chart(part, width * 3 // 5) for part in parts)))


def _lines(curves: Mapping[str, Curve], looks: Mapping[str, Any], frame: CurveAxes) -> Any:
    drawn = {name: one.drawn(frame.x) for name, one in curves.items()}
    return lines(drawn, looks, next(iter(curves.values())).about, frame.ends, ROOM * frame.top)


def _marks(now: Curve, ends: Ends, tall: float, width: int) -> list[Any]:
    """Draw vertical lines at the mean and the mode, with labels at the top that overlap neither axis nor each other.

    On the axis of a density with a heavy tail, the mean may lie beyond the right end: it has a label with an arrow. A
    label is on the side of its line that is away from the other line. Without enough room there, it is on the other
    side, and past the other line if it would cross it: then one line lower.
    """
    places = {"mean": float(now.belief.mean)}
    if now.mode is not None and now.mode != places["mean"]:
        places["mode"] = now.mode
    words = {name: f"{name} {at:.3g}{' →' if at > ends[1] else ''}" for name, at in places.items() if np.isfinite(at)}
    order = sorted(words, key=places.__getitem__)
    pixels = {name: width * (min(places[name], ends[1]) - ends[0]) / (ends[1] - ends[0]) for name in order}
    layers = []
    for name, other in zip(order, reversed(order), strict=True):
        long = GAP + LETTER * len(words[name])
        left = name == order[0] != order[-1]
        fits = long <= (pixels[name] if left else width - pixels[name])
        crosses = not fits and name != other and abs(pixels[other] - pixels[name]) < long
        side = -1 if left == fits else 1
        dx = side * GAP + (pixels[other] - pixels[name] if crosses else 0)
        data = rows_of(x=[min(places[name], ends[1])], density=[tall], name=[words[name]])
        base = alt.Chart(data).encode(x="x:Q")
        if places[name] <= ends[1]:
            layers.append(base.mark_rule(color=GREY, strokeDash=SOLID if name == "mean" else [4, 3]))
        look = {"align": "right" if side < 0 else "left", "dx": dx, "dy": LINE if crosses else 0}
        text = base.mark_text(color=GREY, baseline="top", **look)
        layers.append(text.encode(y="density:Q", text="name:N"))
    return layers


def filmstrip(prior: Any, values: Sequence[Any], frames: int = 6, columns: int = 3, width: int = 190) -> Any:
    """Plot the belief after none, some and all of the values, one frame each, with the previous belief in grey.

    Parameters
    ----------
    prior : Beta, Gamma or ConceptLearner
        The belief before any value.
    values : list
        Zeros and ones, counts, or items, in order.
    frames : int, default=6
        The most pictures, evenly spaced from none of the values to all.
    columns : int, default=3
        The number of pictures in a row.
    width : int, default=190
        Width of each picture in pixels.

    Returns
    -------
    chart : altair.ConcatChart

    Examples
    --------
    >>> import suffice as sf
    >>> chart = sf.plots.filmstrip(sf.Beta(2, 2), [1, 0, 0, 1, 0, 0, 0, 0], frames=4)
    >>> len(chart.concat)
    4
    """
    require(prior, Beta | Gamma | ConceptLearner, "filmstrip.prior", "a Beta, a Gamma or a ConceptLearner")
    seen = list(values)
    if not seen:
        raise InputError("filmstrip.values", "hold at least one value").but("got none")
    stops = np.unique(np.linspace(0, len(seen), whole_number(frames, "frames", 2)).round().astype(int)).tolist()
    titles = ["before any data"]
    for n in stops[1:]:
        last = seen[n - 1].item() if hasattr(seen[n - 1], "item") else seen[n - 1]
        titles.append(f"after {n}, latest: {last}")
    if isinstance(prior, ConceptLearner):
        pictures = [_members(prior.observe(seen[:n]), title, width) for n, title in zip(stops, titles, strict=True)]
    else:
        known = curved(prior, "prior", "filmstrip", (Beta, Gamma, WaitingRate, Pareto))
        curves = [Curve.of(known.update(values=seen[:n]) if n else known) for n in stops]
        frame = CurveAxes.of(curves, curves[1], curves[-1])
        pairs = zip(curves, [None, *curves[:-1]], titles, strict=True)
        pictures = [_frame(now, last, title, frame, width) for now, last, title in pairs]
    return dressed(alt.concat(*pictures, columns=whole_number(columns, "columns"), spacing=14))


def _frame(now: Curve, last: Curve | None, title: str, frame: CurveAxes, width: int) -> Any:
    """Draw a belief with its area, the previous one, and the mean."""
    wide, high = fixed(*frame.ends), fixed(0, 1.08 * frame.top)
    across = alt.X("x:Q", title=now.about, scale=wide, axis=alt.Axis(tickCount=5))
    up = alt.Y("density:Q", title="density", scale=high, axis=alt.Axis(tickCount=4))
    layers = []
    for one, looks in ((last, {"color": GREY, "strokeWidth": 1.2, "strokeDash": [3, 3]}), (now, {"color": PALETTE[0]})):
        if one is not None:
            x, density = one.drawn(frame.x)
            shape = alt.Chart(rows_of(x=x, density=density)).encode(x=across, y=up)
            layers.append(shape.mark_line(**{"strokeWidth": 2, "clip": True, **looks}))
    layers.insert(-1, shape.mark_area(color=PALETTE[0], opacity=0.25, clip=True))
    if now.belief.mean <= frame.ends[1]:
        layers.append(alt.Chart(rows_of(x=[float(now.belief.mean)])).mark_rule(color=GREY).encode(x="x:Q"))
    named = heading(title, subtitle=repr(now.belief), subtitleFontSize=11)
    return alt.layer(*layers).properties(width=width, height=120, title=named)


def _members(learner: ConceptLearner, title: str, width: int) -> Any:
    """Draw the membership of each item, examples in another colour."""
    seen, (name, share) = set(learner.observed_), learner.posterior_.top(1)[0]
    data = rows_of(item=learner.domain, membership=learner.membership(), seen=[x in seen for x in learner.domain])
    across, bar = item_axis(learner, width)
    up = alt.Y("membership:Q", title="membership", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=3))
    colour = alt.condition("datum.seen", alt.value(PALETTE[1]), alt.value(PALETTE[0]))
    named = heading(title, subtitle=f"best: {name}, {share:.2f}", subtitleFontSize=11)
    return (
        alt.Chart(data)
        .mark_bar(**bar)
        .encode(x=across, y=up, color=colour)
        .properties(width=width, height=100, title=named)
    )


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
        raise InputError("predictive.plug_in", "be 'mean' or 'mode'", got=plug_in)
    at, number = float(known.mean if plug_in == "mean" else known.mode), whole_number(trials, "trials")
    predicted: Any
    if isinstance(known, Beta):
        predicted, counts, title = known.predict(number), np.arange(number + 1), f"heads in {trials} tosses"
        plugged = stats.binom.pmf(counts, number, at)
    else:
        predicted, title = known.predict(), "count"
        counts = np.arange(max(1, int(predicted.quantile(0.999))) + 1)
        if len(counts) > 200:
            raise InputError("predictive.belief", "expect counts below 200", got=belief)
        plugged = stats.poisson.pmf(counts, at)
    names = ["posterior predictive", f"plug-in, at the {plug_in} {at:.3g}"]
    data = rows_of(
        count=[*counts, *counts],
        probability=[*predicted.pmf(counts), *plugged],
        how=np.repeat(names, len(counts)),
    )
    bars = (
        alt.Chart(data)
        .mark_bar(cornerRadius=1)
        .encode(
            x=alt.X("count:O", title=title, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            xOffset=alt.XOffset("how:N", sort=names),
            y=alt.Y("probability:Q", title="probability"),
            color=alt.Color("how:N", scale=alt.Scale(domain=names, range=[PALETTE[0], PALETTE[4]]), legend=legend()),
            tooltip=["count:O", "how:N", alt.Tooltip("probability:Q", format=".4f")],
        )
    )
    return dressed(bars.properties(width=width, height=240), f"Predictions of {known!r}")


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
    require(belief, Pareto, "pareto.belief", "a Pareto")
    if belief.batch_shape or not belief.proper:
        raise InputError("pareto.belief", "be one proper belief", got=belief)
    start = float(belief.b)
    end = float(upto) if upto is not None else min(float(belief.interval(0.8)[1]), 6 * start)
    if end <= start:
        raise InputError("pareto.upto", f"lie beyond {start:g}, the largest value seen", got=upto)
    beyond = np.linspace(start, end, 160)
    upper, x = stats.pareto.pdf(beyond, belief.K, scale=start), np.concatenate([np.linspace(0, start, 3), beyond])
    curves = {UPPER: ([0.0, start, *beyond], [0.0, 0.0, *upper]), NEXT: (x, belief.predict().pdf(x))}
    looks = {UPPER: (PALETTE[0], SOLID), NEXT: (PALETTE[1], [6, 3])}
    mark = alt.Chart(rows_of(x=[start], top=[upper[0]], name=[f"largest observed {start:g}"])).encode(x="x:Q")
    text = mark.mark_text(color=GREY, align="left", dx=12, baseline="top").encode(y="top:Q", text="name:N")
    drawn = lines(curves, looks, "value", (0, end), 1.06 * upper[0])
    chart = alt.layer(mark.mark_rule(color=GREY, strokeDash=[4, 3]), drawn, text)
    median, (_, high) = start * 2 ** (1 / float(belief.K)), belief.interval(0.9)
    words = f"median {median:.4g}, 95 % quantile {high:.4g}"
    return dressed(chart.properties(width=width, height=240), repr(belief), words)
