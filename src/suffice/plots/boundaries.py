"""Plot the decision regions of a classifier of two features, and its confidence."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.errors import InputError, KindError, ShapeError
from suffice.models.answers.explanation import place_of
from suffice.plots.altair import GREY, PALETTE, altair, cut, dressed, legend, rows_of, whole_number
from suffice.tables import Table, frame_of
from suffice.telling import counted
from suffice.typing import Array, Integers

__all__ = ["boundaries"]

SHADES = 6
"""Shades from undecided to certain."""


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
        raise KindError(
            "The argument 'model' of boundaries must be a fitted classifier with predict_proba; "
            f"got a {type(model).__name__}."
        )
    table = Table.read(X)
    first, second = _columns(table)
    labels = np.asarray(y)
    if labels.shape != (len(table),):
        raise ShapeError(
            f"The argument 'y' must have a label for each of {counted(len(table), 'row')}; got shape {labels.shape}."
        )
    edges = [_edges(column, whole_number(steps, "steps", 2)) for column in (first, second)]
    answers, sure = _ask(model, table, [(ends[:-1] + ends[1:]) / 2 for ends in edges])
    names = [cut(name, 30) if table.named else f"feature {k}" for k, name in enumerate(table.names)]
    layers = _plane(model, answers, sure, edges, names), _dots(model, first, second, labels, names)
    return dressed(altair().layer(*layers).properties(width=size, height=size))


def _columns(table: Table) -> list[Array]:
    if table.width != 2:
        raise ShapeError(f"The argument 'X' of boundaries must have 2 columns; got {table.width}.")
    columns = [table[name] for name in table.names]
    for column in columns:
        if column.storage not in ("integer", "real"):
            raise KindError(
                f"The argument 'X' of boundaries must hold numbers; got {column.storage} in {column.name!r}."
            )
    return [
        np.asarray(np.where(False if one.missing is None else one.missing, np.nan, one.values), np.float64)
        for one in columns
    ]


def _edges(values: Array, steps: int) -> Array:
    """Return the edges of the cells whose centres are predicted, a little beyond the rows."""
    low, high = np.nanmin(values), np.nanmax(values)
    room = 0.06 * (high - low) or 1.0
    return np.linspace(low - room, high + room, steps + 1)


def _ask(model: Any, table: Table, middles: list[Array]) -> tuple[Integers, Array]:
    """Return the predicted class and its probability at each point: second feature × first feature."""
    across, up = (part.ravel() for part in np.meshgrid(*middles))
    points: Any = np.stack([across, up], axis=1)
    if table.named:
        points = frame_of(dict(zip(map(str, table.names), (across, up), strict=True)), table.backend)
    shares = np.asarray(model.predict_proba(points))
    shape = (len(middles[1]), len(middles[0]))
    return shares.argmax(axis=1).reshape(shape), shares.max(axis=1).reshape(shape)


def _plane(model: Any, answers: Integers, sure: Array, edges: list[Array], names: list[str]) -> Any:
    """Draw the plane as coloured strips, which join neighbouring cells of one class and shade."""
    alt = altair()
    undecided = 1 / max(2, len(model.classes_))
    shades = np.clip(((sure - undecided) / (1 - undecided) * SHADES).astype(int), 0, SHADES - 1)
    strips = []
    for line, (codes, steps) in enumerate(zip(answers, shades, strict=True)):
        changes = np.flatnonzero((np.diff(codes) != 0) | (np.diff(steps) != 0)) + 1
        starts, ends = [0, *changes.tolist()], [*changes.tolist(), len(codes)]
        strips += [
            (line, start, end, int(codes[start]), int(steps[start])) for start, end in zip(starts, ends, strict=True)
        ]
    lines, starts_, ends_, codes_, steps_ = (np.array(part) for part in zip(*strips, strict=True))
    data = rows_of(
        x=edges[0][starts_],
        x2=edges[0][ends_],
        y=edges[1][lines],
        y2=edges[1][lines + 1],
        colour=[_colour(code) for code in codes_.tolist()],
        sure=0.10 + 0.45 * (steps_ + 1) / SHADES,
    )
    return (
        alt.Chart(data)
        .mark_rect(strokeWidth=0)
        .encode(
            x=alt.X("x:Q", title=names[0], axis=alt.Axis(grid=False), scale=_scale(alt, edges[0])),
            x2="x2:Q",
            y=alt.Y("y:Q", title=names[1], axis=alt.Axis(grid=False), scale=_scale(alt, edges[1])),
            y2="y2:Q",
            fill=alt.Fill("colour:N", scale=None),
            opacity=alt.Opacity("sure:Q", scale=None),
        )
    )


def _dots(model: Any, first: Array, second: Array, labels: Any, names: list[str]) -> Any:
    alt = altair()
    codes = [place_of(model.classes_, label, "y") for label in labels]
    there = np.flatnonzero(~np.isnan(first) & ~np.isnan(second))
    if not len(there):
        raise InputError("The argument 'X' of boundaries must have a row without missing values; got none.")
    called = [cut(label, 30) for label in model.classes_]
    data = rows_of(x=first[there], y=second[there], label=[called[codes[at]] for at in there])
    colours = alt.Scale(domain=called, range=[_colour(code) for code in range(len(called))])
    shapes = alt.Scale(domain=called, range=["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"])
    shown = legend(alt, columns=4)
    return (
        alt.Chart(data)
        .mark_point(filled=True, size=40, opacity=0.95, stroke="white", strokeWidth=0.7)
        .encode(
            x=alt.X("x:Q", title=names[0], axis=alt.Axis(grid=False)),
            y=alt.Y("y:Q", title=names[1], axis=alt.Axis(grid=False)),
            color=alt.Color("label:N", scale=colours, legend=shown),
            shape=alt.Shape("label:N", scale=shapes, legend=shown),
        )
    )


def _scale(alt: Any, edges: Array) -> Any:
    return alt.Scale(domain=[float(edges[0]), float(edges[-1])], nice=False, zero=False)


def _colour(code: int) -> str:
    return (*PALETTE, GREY)[code % (len(PALETTE) + 1)]
