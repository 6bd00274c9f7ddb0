"""Plot beliefs as curves, with prior and likelihood, or several beliefs in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.errors import InputError, KindError
from suffice.plots.altair import PALETTE, altair, dressed, legend, rows_of
from suffice.plots.axes import Ends, points, span, top
from suffice.plots.curves import Curved, curved, density, drawn, likelihood, of_one_number, spelled
from suffice.plots.marks import marks
from suffice.posterior import NormalInverseGamma
from suffice.typing import Array

__all__ = ["belief"]

LOOKS = {"prior": (PALETTE[5], [6, 4]), "likelihood": (PALETTE[1], [2, 2]), "posterior": (PALETTE[0], [1, 0])}
ROOM = 1.12
"""Height of a picture relative to its highest curve; labels stand above the curve."""


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
    curves = _wanted(show)
    if isinstance(posterior, Mapping | list | tuple):
        if prior is not None:
            raise InputError("Several beliefs have no prior in common: give it as one of them.")
        return _overlaid(posterior, width)
    if prior is None and "posterior" not in curves:
        raise InputError(f"The argument 'show' of belief asks for {show!r}, which needs a prior; got none.")
    posterior, prior = of_one_number(posterior), of_one_number(prior)
    if isinstance(posterior, NormalInverseGamma):
        return _both(posterior, prior, level, width, curves)
    return dressed(*_panel(posterior, prior, level, width, curves))


def _wanted(show: str) -> list[str]:
    """Return the names of the curves to draw."""
    names = [name.strip() for name in str(show).split(",")]
    if not set(names) <= set(LOOKS) or not names:
        raise InputError(f"The argument 'show' of belief must list some of: {', '.join(LOOKS)}; got {show!r}.")
    return names


def _panel(posterior: Any, prior: Any, level: float, width: int, show: list[str]) -> tuple[Any, str, str]:
    """Return the picture of a belief about one number, its title and its subtitle."""
    now = curved(posterior, "posterior", "belief")
    shown = _shown(now, prior, show)
    beliefs, about = list(shown.values()), shown.get("posterior")
    ends = span(beliefs, about)
    x = points(beliefs, ends)
    tall = ROOM * top(beliefs, x, ends, about)
    layers = [_lines(shown, {name: LOOKS[name] for name in shown}, x, ends, tall)]
    words = ""
    if about is not None:
        low, high = now.interval(level)
        words = f"central {100 * level:g} % interval, {low:.3g} to {high:.3g}"
        if low < ends[1]:
            words = f"shaded: {words}"
            layers.insert(0, _interval(now, x, (max(float(low), ends[0]), min(float(high), ends[1])), tall))
        layers += marks(now, ends, tall, width)
    return altair().layer(*layers).properties(width=width, height=260), repr(now), words


def _shown(now: Curved, prior: Any, show: list[str]) -> dict[str, Curved]:
    """Return the beliefs to draw, by name; the likelihood as a belief."""
    found = {"posterior": now}
    if prior is not None:
        _require_family(prior, now)
        before = curved(prior, "prior", "belief")
        evidence = likelihood(before, now)
        found = {"prior": before, **({} if evidence is None else {"likelihood": evidence}), **found}
    found = {name: belief for name, belief in found.items() if name in show}
    if not found:
        raise InputError(f"There is no likelihood to draw for {now!r}; show the prior or the posterior.")
    return found


def _require_family(prior: Any, posterior: Any) -> None:
    """Raise KindError if one of prior and posterior is about a mean and a variance, and the other is not."""
    if isinstance(prior, NormalInverseGamma) != isinstance(posterior, NormalInverseGamma):
        raise KindError(
            f"The argument 'prior' of belief must be a {type(posterior).__name__}, as the posterior is; "
            f"got {type(prior).__name__}."
        )


def _both(posterior: NormalInverseGamma, prior: Any, level: float, width: int, show: list[str]) -> Any:
    """Return the pictures of the mean and the variance side by side."""
    if prior is not None:
        _require_family(prior, posterior)
    before = (None, None) if prior is None else prior.marginal()
    alt, panels = altair(), []
    for now, then in zip(posterior.marginal(), before, strict=True):
        chart, _, subtitle = _panel(now, then, level, width * 3 // 5, show)
        panels.append(chart.properties(title=alt.Title(spelled(now), subtitle=subtitle)))
    return dressed(alt.hconcat(*panels), repr(posterior))


def _overlaid(beliefs: Any, width: int) -> Any:
    """Return one picture of several beliefs."""
    pairs = [*beliefs.items()] if isinstance(beliefs, Mapping) else [(repr(one), one) for one in beliefs]
    pairs = [(name, of_one_number(one)) for name, one in pairs]
    if not 1 <= len(pairs) <= len(PALETTE) or len({str(name) for name, _ in pairs}) < len(pairs):
        raise InputError(
            f"The argument 'posterior' of belief must hold 1 to {len(PALETTE)} beliefs of different names; "
            f"got {[str(name) for name, _ in pairs]}."
        )
    _require_one_family([one for _, one in pairs])
    if isinstance(pairs[0][1], NormalInverseGamma):
        parts = [{name: one.marginal()[k] for name, one in pairs} for k in range(2)]
        return dressed(altair().hconcat(*(_curves(part, width * 3 // 5) for part in parts)))
    return dressed(_curves(dict(pairs), width))


def _require_one_family(beliefs: list[Any]) -> None:
    """Raise KindError unless the beliefs are of one family."""
    first = beliefs[0]
    for one in beliefs:
        if not isinstance(one, NormalInverseGamma):
            curved(one, "posterior", "belief")
        if type(one) is not type(first):
            raise KindError(
                "Beliefs in one picture must be of one family, since they share an axis; "
                f"got a {type(first).__name__} and a {type(one).__name__}."
            )


def _curves(named: Mapping[Any, Any], width: int) -> Any:
    """Return the curves of beliefs of one family, by name."""
    found = {str(name): curved(one, "posterior", "belief") for name, one in named.items()}
    beliefs = list(found.values())
    ends = span(beliefs)
    x = points(beliefs, ends)
    looks = {name: (PALETTE[k], [1, 0]) for k, name in enumerate(found)}
    lines = _lines(found, looks, x, ends, ROOM * top(beliefs, x, ends))
    return altair().layer(lines).properties(width=width, height=260, title=spelled(beliefs[0]))


def _lines(
    beliefs: Mapping[str, Curved], looks: dict[str, tuple[str, list[int]]], x: Array, ends: Ends, tall: float
) -> Any:
    """Draw the density of each belief, by name."""
    alt = altair()
    curves = [(name, *point) for name, one in beliefs.items() for point in zip(*drawn(one, x), strict=True)]
    names, places, heights = zip(*curves, strict=True)
    data = rows_of(x=places, density=heights, of=names)
    colours, dashes = zip(*looks.values(), strict=True)
    shown = legend(alt, symbolType="stroke", symbolSize=400) if len(beliefs) > 1 else None
    title = spelled(next(iter(beliefs.values())))
    return (
        alt.Chart(data)
        .mark_line(strokeWidth=2.2, clip=True)
        .encode(
            x=alt.X("x:Q", title=title, scale=alt.Scale(domain=list(ends), nice=False)),
            y=alt.Y("density:Q", title="density", scale=alt.Scale(domain=[0, tall], nice=False)),
            color=alt.Color("of:N", scale=alt.Scale(domain=[*beliefs], range=[*colours]), legend=shown),
            strokeDash=alt.StrokeDash("of:N", scale=alt.Scale(domain=[*beliefs], range=[*dashes]), legend=shown),
        )
    )


def _interval(now: Curved, x: Array, interval: Ends, tall: float) -> Any:
    """Shade the area below the density in an interval."""
    low, high = interval
    inside = [low, *(float(at) for at in x if low < at < high), high]
    heights = density(now, np.array(inside))
    data = rows_of(x=inside, density=[min(float(value), tall) for value in heights])
    return altair().Chart(data).mark_area(color=PALETTE[0], opacity=0.18, clip=True).encode(x="x:Q", y="density:Q")
