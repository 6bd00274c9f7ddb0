"""Plot how well a model predicts: calibration, decision regions, a predictive check, and the objective of a fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.errors import DataError, InputError, KindError, ShapeError
from suffice.estimators import Check
from suffice.evaluate import Reliability
from suffice.models.answers.checked_columns import STATISTICS
from suffice.models.answers.explanation import place_of
from suffice.plots.altair import AGAINST, FOR, GREY, PALETTE, alt, dressed
from suffice.plots.elements import cut, fixed, legend, named_places, require, rows_of, whole_number
from suffice.tables import Table, frame_of
from suffice.telling import counted
from suffice.typing import Array

LINES = [AGAINST, FOR, PALETTE[0], PALETTE[3], PALETTE[4], PALETTE[5]]
BEYOND = 25.0
"""The distance at which diamonds further away are shown."""
SHADES = 6
"""Shades from undecided to certain."""
COLOURS, SHAPES = (*PALETTE, GREY), ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]


def reliability(models: Reliability | Mapping[str, Reliability], size: int = 300) -> Any:
    """Plot accuracy against confidence as one line per model; the area of a dot shows the share of rows in its bin.

    Below the diagonal a model is overconfident, above it underconfident.

    Parameters
    ----------
    models : Reliability or dict of them by name
        Results of ``sf.evaluate.reliability``.
    size : int, default=300
        Side of the square in pixels.

    Returns
    -------
    chart : altair.LayerChart
        The chart, with a clear background (white in PNG and PDF). Save it with ``chart.save("reliability.svg")``.

    Examples
    --------
    >>> import suffice as sf
    >>> judged = sf.evaluate.reliability([[0.9, 0.1], [0.3, 0.7]], ["a", "b"], ["a", "b"])
    >>> type(sf.plots.reliability(judged)).__name__
    'LayerChart'
    """
    named = models if isinstance(models, Mapping) else {"model": models}
    for name, one in named.items():
        given: Any = one
        if not isinstance(given, Reliability):
            raise KindError("reliability.models", "hold Reliability").but(f"got {given!r} as {name!r}")
    points = [
        {"model": name, "confidence": float(c), "accuracy": float(a), "share": float(n / one.rows.sum())}
        for name, one in named.items()
        for c, a, n in zip(one.confidence, one.accuracy, one.rows, strict=True)
    ]
    ends = alt.Chart(alt.InlineData([{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
    diagonal = ends.mark_line(color=GREY, strokeDash=[4, 4]).encode(x="x:Q", y="y:Q")
    colours = alt.Scale(domain=list(named), range=LINES[: len(named)])
    scale = alt.Scale(domain=[0, 1])
    base = alt.Chart(alt.InlineData(points)).encode(
        x=alt.X("confidence:Q", scale=scale, title="confidence"),
        y=alt.Y("accuracy:Q", scale=scale, title="accuracy"),
        color=alt.Color("model:N", scale=colours, legend=legend() if len(named) > 1 else None),
    )
    dots = base.mark_circle(opacity=0.9).encode(
        size=alt.Size("share:Q", scale=alt.Scale(domain=[0, 1], range=[20, 900]), legend=None)
    )
    return dressed((diagonal + base.mark_line(strokeWidth=1.5) + dots).properties(width=size, height=size))


def boundaries(model: Any, X: Any, y: Any, steps: int = 95, size: int = 380) -> Any:
    """Plot the predicted class over the plane of two features, shaded by its probability, and the rows.

    Parameters
    ----------
    model : fitted classifier with ``predict_proba``
        A classifier of two numeric features, of suffice or scikit-learn.
    X : dataframe or array of two columns
        The rows to show, in the form that the model was fitted with.
    y : list of labels
        The labels of the rows.
    steps : int, default=95
        The number of points along each side at which the model predicts.
    size : int, default=380
        Side of the picture in pixels.

    Returns
    -------
    chart : altair.LayerChart

    Examples
    --------
    >>> import suffice as sf
    >>> X, y = [[0, 0], [1, 0], [0, 2], [3, 2], [4, 3], [3, 4]], ["a"] * 3 + ["b"] * 3
    >>> chart = sf.plots.boundaries(sf.GaussianNB().fit(X, y), X, y)
    """
    if not hasattr(model, "predict_proba") or not hasattr(model, "classes_"):
        raise KindError("boundaries.model", "be a fitted classifier with predict_proba", got_a=model)
    table, columns = Table.read(X), list[Array]()
    if table.width != 2:
        raise ShapeError("boundaries.X", "have 2 columns").but(f"got {table.width}")
    for column in (table[name] for name in table.names):
        if column.storage not in ("integer", "real"):
            raise KindError("boundaries.X", "hold numbers").but(f"got {column.storage} in {column.name!r}")
        columns.append(np.where(column.present, column.values, np.nan).astype(np.float64))
    labels = np.asarray(y)
    if labels.shape != (len(table),):
        raise ShapeError("y", f"have a label for each of {counted(len(table), 'row')}").but(f"got shape {labels.shape}")
    names = [cut(name, 30) if table.named else f"feature {k}" for k, name in enumerate(table.names)]
    edges = []  # of the cells whose centres are predicted, a little beyond the rows
    for values in columns:
        low, high = np.nanmin(values), np.nanmax(values)
        room = 0.06 * (high - low) or 1.0
        edges.append(np.linspace(low - room, high + room, whole_number(steps, "steps", 2) + 1))
    layers = _plane(model, table, edges, names), _dots(model, columns, labels, names)
    return dressed(alt.layer(*layers).properties(width=size, height=size))


def _plane(model: Any, table: Table, edges: list[Array], names: list[str]) -> Any:
    """Draw the plane as coloured strips, which join neighbouring cells of one class and shade."""
    across, up = np.meshgrid(*((ends[:-1] + ends[1:]) / 2 for ends in edges))
    points: Any = np.stack([across.ravel(), up.ravel()], axis=1)
    if table.named:
        points = frame_of(dict(zip(map(str, table.names), points.T, strict=True)), table.backend)
    shares = np.asarray(model.predict_proba(points))
    undecided = 1 / max(2, len(model.classes_))
    steps = np.clip(((shares.max(axis=1) - undecided) / (1 - undecided) * SHADES).astype(int), 0, SHADES - 1)
    answers, steps = shares.argmax(axis=1).reshape(across.shape), steps.reshape(across.shape)
    strips = []
    for line, (codes, shades) in enumerate(zip(answers, steps, strict=True)):
        changes = np.flatnonzero((np.diff(codes) != 0) | (np.diff(shades) != 0)) + 1
        starts, stops = [0, *changes.tolist()], [*changes.tolist(), len(codes)]
        strips += [(line, at, to, codes[at], shades[at]) for at, to in zip(starts, stops, strict=True)]
    lines, first, last, classes, certain = (np.array(part) for part in zip(*strips, strict=True))
    ends = {"x": edges[0][first], "x2": edges[0][last], "y": edges[1][lines], "y2": edges[1][lines + 1]}
    colours = [COLOURS[code % len(COLOURS)] for code in classes.tolist()]
    data = rows_of(**ends, colour=colours, sure=0.10 + 0.45 * (certain + 1) / SHADES)
    x, y = (
        kind(f"{axis}:Q", title=name, axis=alt.Axis(grid=False), scale=fixed(part[0], part[-1]))
        for kind, axis, name, part in zip((alt.X, alt.Y), "xy", names, edges, strict=True)
    )
    colour, sure = alt.Fill("colour:N", scale=None), alt.Opacity("sure:Q", scale=None)
    return alt.Chart(data).mark_rect(strokeWidth=0).encode(x=x, x2="x2:Q", y=y, y2="y2:Q", fill=colour, opacity=sure)


def _dots(model: Any, columns: list[Array], labels: Any, names: list[str]) -> Any:
    codes = np.array([place_of(model.classes_, label, "y") for label in labels])
    there = ~np.isnan(columns).any(axis=0)
    if not there.any():
        raise InputError("boundaries.X", "have a row without missing values").but("got none")
    called = [cut(label, 30) for label in model.classes_]
    data = rows_of(x=columns[0][there], y=columns[1][there], label=[called[code] for code in codes[there]])
    colours = alt.Scale(domain=called, range=[COLOURS[k % len(COLOURS)] for k in range(len(called))])
    shown = legend(columns=4)
    dots = alt.Chart(data).mark_point(filled=True, size=40, opacity=0.95, stroke="white", strokeWidth=0.7)
    return dots.encode(
        x=alt.X("x:Q", title=names[0], axis=alt.Axis(grid=False)),
        y=alt.Y("y:Q", title=names[1], axis=alt.Axis(grid=False)),
        color=alt.Color("label:N", scale=colours, legend=shown),
        shape=alt.Shape("label:N", scale=alt.Scale(domain=called, range=SHAPES), legend=shown),
    )


def check(found: Check, most: int = 12, width: int = 320) -> Any:
    """Plot the most surprising statistics of a predictive check.

    Dots stand for the data sets that the model drew, centred at their mean, in units of their standard deviation; the
    diamond stands for the real rows. A diamond outside the dots shows a property that the model does not reproduce.

    Parameters
    ----------
    found : Check
        The result of ``sf.check``.
    most : int, default=12
        The number of statistics to show.
    width : int, default=320
        Width of the picture in pixels.

    Returns
    -------
    chart : altair.LayerChart

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> X, y = np.column_stack([x, x]), np.arange(200) % 2
    >>> chart = sf.plots.check(sf.check(sf.GaussianNB().fit(X, y), X, y, draws=20))
    """
    require(found, Check, "plots.check.found", "a result of sf.check")
    order = found._order()[: whole_number(most, "most")]
    s, c, j = np.unravel_index(order, found.real.shape)
    names = [
        cut(f"{found.features[feature]}, {found.classes[label]}: {STATISTICS[statistic]}", 40)
        for statistic, label, feature in zip(s.tolist(), c.tolist(), j.tolist(), strict=True)
    ]
    drawn = found.drawn[:, s, c, j]
    mean, spread = drawn.mean(axis=0), drawn.std(axis=0, ddof=1)
    away = (drawn - mean) / np.where(spread > 0, spread, 1.0)
    dots = rows_of(place=np.repeat(np.arange(len(names)), len(drawn)), away=away.T.ravel())
    shown = np.clip(found.surprise[s, c, j], -BEYOND, BEYOND)  # also where drawn rows never vary
    real = rows_of(place=range(len(names)), away=shown, name=names, real=found.real[s, c, j])
    y = named_places(names, grid=True)
    x = alt.X("away:Q", title="standard deviations from the mean of simulated rows")
    diamonds = alt.Chart(real).mark_point(shape="diamond", filled=True, size=110, color=PALETTE[1], opacity=1)
    chart = alt.layer(
        alt.Chart(dots).mark_circle(color=GREY, opacity=0.35, size=18).encode(x, y),
        diamonds.encode(x, y, tooltip=["name:N", "real:Q"]),
    )
    title = "Real rows (diamonds) and rows simulated by the model"
    return dressed(chart.properties(width=width, height=22 * len(names)), title)


def objective(model: Any, width: int = 420) -> Any:
    """Plot the objective of EM, or of any other iterative fit, against the step. The objective of EM never falls.

    Parameters
    ----------
    model : object with ``objective_``
        A model fitted by iteration, or the list of objectives itself, one per step.
    width : int, default=420
        Width of the picture in pixels.

    Returns
    -------
    chart : altair.Chart

    Examples
    --------
    >>> import suffice as sf
    >>> chart = sf.plots.objective([-120.0, -98.5, -95.1, -95.0])
    """
    given = getattr(model, "objective_", model)
    try:
        values = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise KindError(
            "objective.model", "be a fitted model with 'objective_', or a list of objectives", got_a=model
        ) from None
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise DataError("The objective", "be a list of finite numbers, at least one", got=given)
    chart = alt.Chart(rows_of(step=range(1, len(values) + 1), objective=values))
    chart = chart.mark_line(color=PALETTE[0], point=alt.OverlayMarkDef(color=PALETTE[0], size=36), strokeWidth=2)
    chart = chart.encode(
        x=alt.X("step:Q", title="step", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(nice=False)),
        y=alt.Y("objective:Q", title="objective (log-probability)", scale=alt.Scale(zero=False)),
        tooltip=["step:Q", alt.Tooltip("objective:Q", format=".6g")],
    )
    title = f"{values[-1]:,.6g} after {len(values)} steps".replace("-", "−")
    return dressed(chart.properties(width=width, height=220), title)
