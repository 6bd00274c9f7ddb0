"""Describe each column of a table in each class for charts: a curve, or the probabilities of its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from suffice.models.answers.ranking import ShownColumn, shown_columns
from suffice.models.likelihoods.pictures import ClassDistributions
from suffice.models.scoring.information import class_shares, of_categories
from suffice.reporting.judged_rows import LEVEL
from suffice.typing import Array

__all__ = ["CLASSES", "ColumnView", "column_views"]

VALUES, CLASSES, WORDS = 8, 6, 8
STEPS = 80  # of a curve
OTHER = "(other)"
"""The name for all values without a name of their own."""


@dataclass(frozen=True)
class ColumnView:
    """A column with the lines to draw, and its information about the class in bits."""

    name: str
    kind: str
    shape: Literal["curve", "counts", "dots"]
    lines: list[dict[str, Any]]
    bits: float | None
    weight: float = 1.0
    more: int = 0  # values that are not shown


def column_views(model: Any, most: int) -> tuple[list[ColumnView], list[ColumnView]]:
    """Return the most informative columns, and all columns that can be drawn, the most informative first."""
    known = model._reader.feature_names, model._reader.by_block, model._reader.categories
    prior, shown = class_shares(model.class_log_prior_), _largest(model)
    names = [str(model.classes_[code]) for code in shown]
    views = [_view(column, prior, shown, names) for column in shown_columns(model._predictor, LEVEL, *known)]
    views.sort(key=lambda view: -(view.bits if view.bits is not None else 1e9))
    return views[:most], views


def _largest(model: Any) -> list[int]:
    """Return the largest classes, as many as a reader can distinguish."""
    order = np.argsort(-np.asarray(model.class_count_), kind="stable")[:CLASSES]
    return sorted(order.tolist())


def _view(column: ShownColumn, prior: Array, shown: list[int], names: list[str]) -> ColumnView:
    drawn = column.classes
    bits = None
    if drawn.exclusive:
        mass = drawn.heights / np.maximum(drawn.heights.sum(axis=1, keepdims=True), 1e-300)
        bits = float(of_categories([mass], prior)[0] / np.log(2))
    lines, more = (_dots(drawn, prior, shown, names)) if drawn.ends else (_curve(drawn, shown, names), 0)
    return ColumnView(str(column.name), column.kind, drawn.shape, lines, bits, column.weight, more)


def _curve(drawn: ClassDistributions, shown: list[int], names: list[str]) -> list[dict[str, Any]]:
    places = np.arange(0, len(drawn.values), max(1, (len(drawn.values) - 1) // STEPS))
    return [
        {"class": name, "x": _short(x), "density": _short(height), "tooltip": drawn.in_words[code]}
        for code, name in zip(shown, names, strict=True)
        for x, height in zip(drawn.values[places].tolist(), drawn.heights[code, places].tolist(), strict=True)
    ]


def _dots(
    drawn: ClassDistributions, prior: Array, shown: list[int], names: list[str]
) -> tuple[list[dict[str, Any]], int]:
    """Return lines for the most frequent values or the most telling words, and the number of the others."""
    theta, (low, high) = drawn.heights, drawn.ends or (drawn.heights, drawn.heights)
    average = np.maximum(prior @ theta, 1e-300)
    if drawn.exclusive:
        rank = np.sort(np.argsort(-average, kind="stable")[:VALUES])
    else:
        telling = (theta * np.abs(np.log(np.maximum(theta, 1e-300) / average))).max(axis=0)
        rank = np.argsort(-telling, kind="stable")[:WORDS]
    called = [str(value) for value in drawn.values]
    listed = [i for i in rank.tolist() if called[i] != OTHER]
    lines = [
        {"class": name, "value": called[i], "share": _short(theta[code, i])}
        | {"low": _short(low[code, i]), "high": _short(high[code, i])}
        for i in listed
        for code, name in zip(shown, names, strict=True)
    ]
    return lines, sum(name != OTHER for name in called) - len(listed)


def _short(x: Any) -> float:
    return float(f"{float(x):.4g}")
