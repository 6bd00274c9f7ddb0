"""Plot the lift of joint values of joint columns over independence, class by class."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.errors import InputError, KindError
from suffice.models.answers.explanation import place_of
from suffice.models.likelihoods.pictures import JointLifts
from suffice.models.model import Together
from suffice.plots.altair import GREY, PALETTE, altair, cut, dressed, labelled, rows_of, whole_number
from suffice.typing import Array

__all__ = ["axis_of", "colours_of", "heat_map", "joint", "reach_of", "tables_of"]

CLASSES, SLICES = 6, 4
"""The number of classes shown by default, and of values of a third column with panels of their own."""

FURTHEST = 3.0
"""The largest end of the colour scale, as a power of 2: 8 times as often, or an eighth."""

WRITTEN = 12
"""The most values of a column for which cells show their numbers."""

MORE, LESS = PALETTE[1], PALETTE[0]
HARDLY_MORE, HARDLY_LESS = "rgba(213, 94, 0, 0.05)", "rgba(0, 114, 178, 0.05)"
UNDECIDED = 0.38


def joint(
    model: Any, first: Any, second: Any, third: Any = None, classes: Any = None, most: int = 20, level: float = 0.95
) -> Any:
    """Plot how many times as often values of joint columns occur together in each class as under independence.

    Orange is more often, blue is less often. Cells are pale if the credible interval contains 1. If a column has many
    values, those with the fewest rows are united.

    Parameters
    ----------
    model : fitted NaiveBayes
        A model with joint columns, which ``joint_`` lists.
    first, second : column name
        The columns shown down and across.
    third : column name, default=None
        The third of three joint columns; each of its four most frequent values has panels of its own.
    classes : list of labels, default=None
        The classes to show; by default the first six.
    most : int, default=20
        The most values of a column.
    level : float, default=0.95
        The probability of the credible intervals.

    Returns
    -------
    chart : altair.VConcatChart

    Examples
    --------
    >>> import suffice as sf
    >>> X = {"lamp": ["on", "on", "off", "off"] * 30, "door": ["open", "shut"] * 60}
    >>> model = sf.NaiveBayes(joint=[("lamp", "door")]).fit(X, ["home", "away", "away", "home"] * 30)
    >>> chart = sf.plots.joint(model, "lamp", "door")
    """
    known = getattr(model, "joint_", None)
    if known is None:
        raise KindError(f"The argument 'model' of joint must be a fitted NaiveBayes; got a {type(model).__name__}.")
    asked = (first, second) if third is None else (first, second, third)
    columns = _columns(known, asked)
    block = model._model.blocks[Together(columns)]
    found = block.settled.lifts(block.t).ordered(tuple(columns.index(name) for name in asked))
    whole = tuple(map(len, found.values[:2]))
    found = found.united(whole_number(most, "most", 2))
    labels = model.classes_[:CLASSES] if classes is None else list(classes)
    codes = [place_of(model.classes_, label, "classes") for label in labels]
    lines = _panels(found, [cut(label, 26) for label in labels], codes, asked, level)
    alt = altair()
    chart = alt.vconcat(*(alt.hconcat(*line, spacing=18) for line in lines), spacing=18)
    title = " × ".join(cut(name, 30) for name in asked)
    return dressed(chart.properties(title=alt.Title(title, subtitle=_subtitle(asked, whole, found), offset=14)))


def _columns(known: Any, asked: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the columns of the set in the order of the model; raise InputError unless the model has it."""
    for columns in known:
        if set(columns) == set(asked) and len(columns) == len(asked):
            return tuple(columns)
    if not known:
        raise InputError(
            f"This model has no joint columns. Fit it with joint='auto', or declare them, as in joint=[{asked!r}]."
        )
    names = [" × ".join(map(str, columns)) for columns in known]
    more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
    raise InputError(
        f"The model has no joint columns {' × '.join(map(str, asked))}; its joint columns are "
        f"{', '.join(names[:8])}{more}. Declare others, as in joint=[{asked!r}]."
    )


def _subtitle(asked: tuple[Any, ...], whole: tuple[int, ...], found: JointLifts) -> list[str]:
    """Return the subtitle: how to read the colours, and what is left out."""
    lines = ["Joint frequency relative to expected; pale where the credible interval of the ratio includes 1."]
    for name, before, values in zip(asked, whole, found.values, strict=False):
        if len(values) < before:
            lines.append(f"The {before - len(values) + 1:,} rarest of {before:,} values of {cut(name, 30)} are pooled.")
    if len(asked) == 3 and len(found.values[2]) > SLICES:
        lines.append(f"Shown are the {SLICES} most frequent of {len(found.values[2])} values of {cut(asked[2], 30)}.")
    return lines


def tables_of(found: JointLifts, level: float) -> Array:
    """Return rows, expected rows, the lift and its bounds: 5 × classes × values."""
    belief = found.belief()
    low, high = (np.asarray(end) for end in belief.interval(level))
    return np.stack([found.count, found.expected, np.asarray(belief.mean), low, high])


def _panels(
    found: JointLifts, labels: list[str], codes: list[int], asked: tuple[Any, ...], level: float
) -> list[list[Any]]:
    """Return rows of panels, one panel per class, and one row per value of a third column."""
    tables = tables_of(found, level)[:, codes]
    panels = [(tables, labels)]
    if len(asked) == 3:
        rows = found.count.sum(axis=(0, 1, 2))
        shown = np.sort(np.argsort(-rows, kind="stable")[:SLICES]).tolist()
        of = [f"{cut(asked[2], 16)} = {cut(found.values[2][at], 16)}" for at in shown]
        panels = [(tables[..., at], [f"{one}, {name}" for one in labels]) for at, name in zip(shown, of, strict=True)]
    reach, across = reach_of(tables), _across(found)
    lines = list[list[Any]]()
    for cells, titles in panels:
        drawn = [
            _panel(cells[:, k], found.values[:2], title, asked[:2], reach, leftmost=k % across == 0)
            for k, title in enumerate(titles)
        ]
        lines += [drawn[k : k + across] for k in range(0, len(drawn), across)]
    return lines


def reach_of(tables: Array) -> float:
    """Return the end of the colour scale as a power of 2, from 2 to 8 times, set by cells whose interval excludes 1."""
    _, _, lift, low, high = tables
    sure = (low > 1) | (high < 1)
    return float(np.clip(np.abs(np.log2(lift[sure])).max(initial=0.0), 1.0, FURTHEST))


def _across(found: JointLifts) -> int:
    """Return the number of panels in a row, as many as fit about 900 pixels."""
    return max(1, min(4, round(900 / (_step(found.values[:2]) * len(found.values[1]) + 60))))


def _step(values: tuple[tuple[str, ...], ...]) -> int:
    """Return the side of a cell in pixels."""
    return 34 if max(map(len, values)) <= WRITTEN else 20


def _panel(
    tables: Array, values: tuple[tuple[str, ...], ...], title: str, names: tuple[Any, ...], reach: float, leftmost: bool
) -> Any:
    """Draw the cells of one class, with a title."""
    alt, step = altair(), _step(values)
    turned = 0 if max(map(len, values[1])) * 6 <= step else -40
    axes = axis_of("y", values[0], cut(names[0], 40) if leftmost else None), axis_of("x", values[1], names[1], turned)
    colour = alt.Color("power:Q", scale=colours_of(alt, reach), legend=_legend(alt, reach))
    cells = heat_map(tables, values, names, reach, axes, colour, max(map(len, values)) <= WRITTEN)
    heading = alt.Title(title, fontSize=12, anchor="start")
    return cells.properties(width=step * len(values[1]), height=step * len(values[0]), title=heading)


def heat_map(
    tables: Array,
    values: tuple[tuple[str, ...], ...],
    names: Any,
    reach: float,
    axes: Any,
    colour: Any,
    written: bool,
    inks: tuple[str, str, str] = (GREY, "white", "white"),  # on pale cells, on strong ones of less, and of more
) -> Any:
    """Draw the cells of one class, with or without their numbers."""
    alt = altair()
    base = alt.Chart(_cells(tables, values, reach)).encode(y=axes[0], x=axes[1])
    tips = [alt.Tooltip("down:N", title=str(names[0])), alt.Tooltip("across:N", title=str(names[1]))]
    tips += [alt.Tooltip("rows:Q", format=",.6~g")]
    tips += [alt.Tooltip(f"{name}:Q", format=".3~g") for name in ("expected", "lift", "low", "high")]
    sure = alt.Opacity("sure:Q", scale=None, legend=None)
    cells = base.mark_rect(cornerRadius=1).encode(color=colour, opacity=sure, tooltip=tips)
    if not written:
        return alt.layer(cells)
    pale, less, more = map(alt.value, inks)
    ink = alt.when("datum.strong && datum.power < 0").then(less).when("datum.strong").then(more).otherwise(pale)
    return alt.layer(cells, base.mark_text(fontSize=11).encode(text="label:N", color=ink))


def _cells(tables: Array, values: tuple[tuple[str, ...], ...], reach: float) -> Any:
    """Return the data of each cell, without cells that have no rows and expect none."""
    at = y, x = np.nonzero((tables[0] > 0) | (tables[1] > 0))
    count, expected, lift, low, high = (table[at] for table in tables)
    power, undecided = np.log2(lift), (low <= 1) & (high >= 1)
    return rows_of(
        x=x,
        y=y,
        down=[cut(values[0][k], 60) for k in y],
        across=[cut(values[1][k], 60) for k in x],
        rows=count,
        expected=expected,
        lift=lift,
        low=low,
        high=high,
        power=np.clip(power, -reach, reach),
        sure=np.where(undecided, UNDECIDED, 1.0),
        label=[_times(value) for value in lift],
        strong=~undecided & (np.abs(power) > 0.55 * reach),
    )


def axis_of(side: str, values: tuple[str, ...], title: Any, angle: int = 0, **more: Any) -> Any:
    """Return an axis of values; without a title it has no labels, since its neighbour has them."""
    alt = altair()
    words = labelled(cut(value, 22) for value in values)
    shown = {"labelExpr": words, "labelLimit": 150, "labelAngle": angle, "labels": title is not None, **more}
    axis = alt.Axis(ticks=False, domain=False, grid=False, **shown)
    kind = alt.X if side == "x" else alt.Y
    named = None if title is None else cut(title, 40)
    return kind(f"{side}:O", title=named, axis=axis, scale=alt.Scale(domain=list(range(len(values)))))


def colours_of(alt: Any, reach: float) -> Any:
    """Return the colour scale of powers of 2, symmetric around 1."""
    ends = [LESS, HARDLY_LESS, HARDLY_MORE, MORE]  # transparent in the middle, to show the page
    return alt.Scale(domain=[-reach, -1e-6, 1e-6, reach], range=ends, interpolate="rgb", clamp=True)


def _legend(alt: Any, reach: float) -> Any:
    steps = [float(power) for power in range(-int(reach), int(reach) + 1)]
    words = "datum.value < 0 ? '1/' + format(pow(2, -datum.value), '.2~g') : format(pow(2, datum.value), '.2~g') + '×'"
    return alt.Legend(
        title=None, orient="bottom", direction="horizontal", values=steps, labelExpr=words, gradientLength=180
    )


def _times(lift: float) -> str:
    """Return a lift as a short text."""
    return f"{lift:.0f}" if lift >= 9.95 else f"{lift:.1f}" if lift >= 0.095 else "0.0"
