"""Plot the lift of joint values of joint columns over independence, class by class."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.errors import InputError, KindError
from suffice.models.answers.explanation import place_of
from suffice.models.likelihoods.pictures import JointLifts
from suffice.models.model import Together
from suffice.plots.altair import GREY, PALETTE, alt, dressed
from suffice.plots.elements import cut, heading, labelled, rows_of, whole_number
from suffice.typing import Array

CLASSES, SLICES = 6, 4
"""The number of classes shown by default, and of values of a third column with panels of their own."""
FURTHEST = 3.0
"""The largest end of the colour scale, as a power of 2: 8 times as often, or an eighth."""
WRITTEN = 12
"""The most values of a column for which cells show their numbers."""
COLOURS = [PALETTE[0], "rgba(0, 114, 178, 0.05)", "rgba(213, 94, 0, 0.05)", PALETTE[1]]
"""From less to more; transparent in the middle, to show the page."""
UNDECIDED = 0.38
INKS = GREY, "white", "white"
"""Of numbers on pale cells, on strong ones of less, and of more."""


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
        raise KindError("joint.model", "be a fitted NaiveBayes", got_a=model)
    asked = (first, second) if third is None else (first, second, third)
    columns = _columns(known, asked)
    block = model._model.blocks[Together(columns)]
    every = block.settled.lifts(block.t).ordered(tuple(columns.index(name) for name in asked))
    lifts = every.united(whole_number(most, "most", 2))
    labels = model.classes_[:CLASSES] if classes is None else list(classes)
    codes = [place_of(model.classes_, label, "classes") for label in labels]
    subtitle = ["Joint frequency relative to expected; pale where the credible interval of the ratio includes 1."]
    for name, before, values in zip(asked[:2], every.values, lifts.values, strict=False):
        if len(values) < len(before):
            rarest = f"The {len(before) - len(values) + 1:,} rarest of {len(before):,} values of {cut(name, 30)}"
            subtitle.append(f"{rarest} are pooled.")
    tables, titles = tables_of(lifts, level)[:, codes], [cut(label, 26) for label in labels]
    parts = [(tables, titles)]
    if third is not None:
        shown = np.argsort(-lifts.count.sum(axis=(0, 1, 2)), kind="stable")[:SLICES]
        of = {at: f"{cut(third, 16)} = {cut(lifts.values[2][at], 16)}" for at in np.sort(shown).tolist()}
        parts = [(tables[..., at], [f"{label}, {name}" for label in titles]) for at, name in of.items()]
        if len(lifts.values[2]) > SLICES:
            most_frequent = f"the {SLICES} most frequent of {len(lifts.values[2])} values of {cut(third, 30)}"
            subtitle.append(f"Shown are {most_frequent}.")
    down, across = lifts.values[:2]
    written = max(len(down), len(across)) <= WRITTEN
    step = 34 if written else 20
    wide = max(1, min(4, round(900 / (step * len(across) + 60))))  # panels in a row
    reach, angle = reach_of(tables), 0 if max(map(len, across)) * 6 <= step else -40
    words = "datum.value < 0 ? '1/' + format(pow(2, -datum.value), '.2~g') : format(pow(2, datum.value), '.2~g') + '×'"
    powers = [float(power) for power in range(-int(reach), int(reach) + 1)]
    look = {"orient": "bottom", "direction": "horizontal", "gradientLength": 180}
    colour = colour_of(reach, alt.Legend(title=None, values=powers, labelExpr=words, **look))
    lines = []
    for cells, names in parts:
        panels = []
        for k, title in enumerate(names):
            axes = axis_of("y", down, cut(first, 40) if k % wide == 0 else None), axis_of("x", across, second, angle)
            panel = heat_map(cells[:, k], (down, across), asked, reach, axes, colour, written)
            panels.append(panel.properties(width=step * len(across), height=step * len(down), title=heading(title)))
        lines += [alt.hconcat(*panels[k : k + wide], spacing=18) for k in range(0, len(panels), wide)]
    title = alt.Title(" × ".join(cut(name, 30) for name in asked), subtitle=subtitle, offset=14)
    return dressed(alt.vconcat(*lines, spacing=18).properties(title=title))


def _columns(known: Any, asked: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the columns of the set in the order of the model; raise InputError unless the model has it."""
    for columns in known:
        if set(columns) == set(asked) and len(columns) == len(asked):
            return tuple(columns)
    if not known:
        raise InputError("This model has no joint columns.").advise(
            python=f"Fit it with joint='auto', or declare them, as in joint=[{asked!r}]."
        )
    names = [" × ".join(map(str, columns)) for columns in known]
    more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
    raise InputError(
        f"The model has no joint columns {' × '.join(map(str, asked))}; its joint columns are "
        f"{', '.join(names[:8])}{more}."
    ).advise(python=f"Declare others, as in joint=[{asked!r}].")


def tables_of(found: JointLifts, level: float) -> Array:
    """Return rows, expected rows, the lift and its bounds: 5 × classes × values."""
    belief = found.belief()
    low, high = (np.asarray(end) for end in belief.interval(level))
    return np.stack([found.count, found.expected, np.asarray(belief.mean), low, high])


def reach_of(tables: Array) -> float:
    """Return the end of the colour scale as a power of 2, from 2 to 8 times, set by cells whose interval excludes 1."""
    _, _, lift, low, high = tables
    sure = (low > 1) | (high < 1)
    return float(np.clip(np.abs(np.log2(lift[sure])).max(initial=0.0), 1.0, FURTHEST))


def heat_map(
    tables: Array, values: Any, names: Any, reach: float, axes: Any, colour: Any, written: bool, inks: Any = INKS
) -> Any:
    """Draw the cells of one class, with or without their numbers, without cells that have no rows and expect none."""
    at = y, x = np.nonzero((tables[0] > 0) | (tables[1] > 0))
    count, expected, lift, low, high = (table[at] for table in tables)
    power, undecided = np.log2(lift), (low <= 1) & (high >= 1)
    down, across = ([cut(words[k], 60) for k in places] for words, places in zip(values, at, strict=True))
    data = rows_of(
        x=x, y=y, down=down, across=across, rows=count, expected=expected, lift=lift, low=low, high=high,
        power=np.clip(power, -reach, reach), sure=np.where(undecided, UNDECIDED, 1.0),
        label=[f"{one:.0f}" if one >= 9.95 else f"{one:.1f}" if one >= 0.095 else "0.0" for one in lift],
        strong=~undecided & (np.abs(power) > 0.55 * reach),
    )  # fmt: skip
    base = alt.Chart(data).encode(y=axes[0], x=axes[1])
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


def axis_of(side: str, values: tuple[str, ...], title: Any, angle: int = 0, **more: Any) -> Any:
    """Return an axis of values; without a title it has no labels, since its neighbour has them."""
    words = labelled(cut(value, 22) for value in values)
    shown = {"labelExpr": words, "labelLimit": 150, "labelAngle": angle, "labels": title is not None, **more}
    axis = alt.Axis(ticks=False, domain=False, grid=False, **shown)
    kind = alt.X if side == "x" else alt.Y
    named = None if title is None else cut(title, 40)
    return kind(f"{side}:O", title=named, axis=axis, scale=alt.Scale(domain=list(range(len(values)))))


def colour_of(reach: float, shown: Any = None) -> Any:
    """Return the colour of cells by powers of 2, symmetric around 1, with or without a legend."""
    domain = [-reach, -1e-6, 1e-6, reach]
    scale = alt.Scale(domain=domain, range=COLOURS, interpolate="rgb", clamp=True)
    return alt.Color("power:Q", scale=scale, legend=shown)
