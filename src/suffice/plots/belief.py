"""Plot beliefs as curves, with prior and likelihood, or several beliefs in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.errors import InputError, KindError
from suffice.plots.altair import GREY, PALETTE, altair, dressed, legend, rows_of
from suffice.plots.curves import Curved, curved, density, domain, likelihood, mode_of, of_one_number, reach, spelled
from suffice.posterior import NormalInverseGamma
from suffice.typing import Array

__all__ = ["belief"]

LOOKS = {"prior": (PALETTE[5], [6, 4]), "likelihood": (PALETTE[1], [2, 2]), "posterior": (PALETTE[0], [1, 0])}


def belief(
    posterior: Any,
    prior: Any = None,
    level: float = 0.95,
    width: int = 460,
    show: str = "prior, likelihood, posterior",
) -> Any:
    """Plot the density of a belief, with mean, mode and interval; several beliefs in one picture.

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
    before = None if prior is None else curved(prior, "prior", "belief")
    x = reach(now) if before is None else reach(now, before)
    curves = {"posterior": density(now, x)}
    if before is not None:
        evidence = likelihood(before, now, x)
        curves = {"prior": density(before, x), **({} if evidence is None else {"likelihood": evidence}), **curves}
    curves = {name: curve for name, curve in curves.items() if name in show}
    if not curves:
        raise InputError(f"There is no likelihood to draw for {now!r}; show the prior or the posterior.")
    low, high = now.interval(level)
    looks = {name: LOOKS[name] for name in curves}
    layers = [_lines(curves, looks, x, now, _height(curves, x))]
    if "posterior" in curves:
        layers = [_interval(now, x, level, _height(curves, x)), *layers, *_marks(now, _height(curves, x))]
    chart = altair().layer(*layers).properties(width=width, height=260)
    shaded = f"shaded: central {100 * level:g} % interval, {low:.3g} to {high:.3g}" if "posterior" in curves else ""
    return chart, repr(now), shaded


def _height(curves: dict[str, Array], x: Array) -> float:
    """Return the top of the vertical axis, which cuts curves that are unbounded."""
    tall = max(curve.max() for curve in curves.values())
    return min(float(tall), 4 * float(max(curve[len(x) // 20 : -len(x) // 20].max() for curve in curves.values())))


def _both(posterior: NormalInverseGamma, prior: Any, level: float, width: int, show: list[str]) -> Any:
    """Return the pictures of the mean and the variance side by side."""
    if prior is not None and not isinstance(prior, NormalInverseGamma):
        raise KindError(
            f"The argument 'prior' of belief must be a NormalInverseGamma, as the posterior is; "
            f"got {type(prior).__name__}."
        )
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
    if all(isinstance(one, NormalInverseGamma) for _, one in pairs):
        parts = [{name: one.marginal()[k] for name, one in pairs} for k in range(2)]
        return dressed(altair().hconcat(*(_curves(part, width * 3 // 5) for part in parts)))
    return dressed(_curves(dict(pairs), width))


def _curves(named: Mapping[Any, Any], width: int) -> Any:
    """Return the curves of beliefs about one number, by name."""
    found = {str(name): curved(one, "posterior", "belief") for name, one in named.items()}
    first = next(iter(found.values()))
    if any(type(one) is not type(first) for one in found.values()):
        raise KindError("Beliefs in one picture must be of one family, since they share an axis.")
    x = reach(*found.values())
    curves = {name: density(one, x) for name, one in found.items()}
    looks = {name: (PALETTE[k], [1, 0]) for k, name in enumerate(found)}
    lines = _lines(curves, looks, x, first, _height(curves, x))
    return altair().layer(lines).properties(width=width, height=260, title=spelled(first))


def _lines(
    curves: dict[str, Array], looks: dict[str, tuple[str, list[int]]], x: Array, now: Curved, tall: float
) -> Any:
    alt = altair()
    places = [float(at) for at in x] * len(curves)
    names = [name for name in curves for _ in x]
    data = rows_of(x=places, density=[value for curve in curves.values() for value in curve], of=names)
    colours, dashes = zip(*looks.values(), strict=True)
    shown = legend(alt, symbolType="stroke", symbolSize=400) if len(curves) > 1 else None
    return (
        alt.Chart(data)
        .mark_line(strokeWidth=2.2, clip=True)
        .encode(
            x=alt.X("x:Q", title=spelled(now), scale=alt.Scale(domain=domain(x, now), nice=False)),
            y=alt.Y("density:Q", title="density", scale=alt.Scale(domain=[0, 1.12 * tall], nice=False)),
            color=alt.Color("of:N", scale=alt.Scale(domain=[*curves], range=[*colours]), legend=shown),
            strokeDash=alt.StrokeDash("of:N", scale=alt.Scale(domain=[*curves], range=[*dashes]), legend=shown),
        )
    )


def _interval(now: Curved, x: Array, level: float, tall: float) -> Any:
    low, high = now.interval(level)
    inside = [float(low), *(float(at) for at in x if low < at < high), float(high)]
    heights = density(now, np.array(inside))
    data = rows_of(x=inside, density=[min(float(value), 1.12 * tall) for value in heights])
    return altair().Chart(data).mark_area(color=PALETTE[0], opacity=0.18, clip=True).encode(x="x:Q", y="density:Q")


def _marks(now: Curved, tall: float) -> list[Any]:
    """Draw vertical lines at the mean and the mode, with labels at the top that do not overlap."""
    alt = altair()
    mode, mean = mode_of(now), float(now.mean)
    known = {"mean": mean, **({} if mode is None or mode == mean else {"mode": mode})}
    places = {name: at for name, at in known.items() if np.isfinite(at)}
    left = "mode" if mode is not None and mode < mean else "mean"
    marks = []
    for name, at in places.items():
        data = rows_of(x=[at], density=[1.12 * tall], name=[f"{name} {at:.3g}"])
        dash = [1, 0] if name == "mean" else [4, 3]
        base = alt.Chart(data).encode(x="x:Q")
        side = {"align": "right", "dx": -4} if name == left and len(places) > 1 else {"align": "left", "dx": 4}
        text = base.mark_text(color=GREY, baseline="top", **side).encode(y="density:Q", text="name:N")
        marks += [base.mark_rule(color=GREY, strokeDash=dash), text]
    return marks
