"""Describe what a model knows of columns for charts: their distribution in each class, and what joint columns add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from suffice.models.answers.ranking import ShownColumn, shown_columns
from suffice.models.likelihoods.cloud import Cloud
from suffice.models.likelihoods.pictures import JointLifts
from suffice.models.model import Together
from suffice.models.scoring.information import class_shares, of_categories
from suffice.models.scoring.results import lift_in_words
from suffice.reporting.judged_rows import LEVEL
from suffice.reporting.wording import listed
from suffice.stats import JointCounts
from suffice.typing import Array

VALUES, CLASSES, WORDS = 8, 6, 8
"""The most values of a column, classes and words that are drawn."""
STEPS = 80  # of a curve
OTHER = "(other)"
"""The name for all values without a name of their own."""
DRAWN, LISTED, JOINT_CLASSES, JOINT_VALUES, LINES, NAMED = 3, 20, 4, 20, 6, 12
"""The most sets of joint columns that are drawn, and listed; classes, values, lines and names of each."""


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
    prior, codes = class_shares(model.class_log_prior_), largest(model, CLASSES)
    classes = {code: str(model.classes_[code]) for code in codes}
    views = [_view(column, prior, classes) for column in shown_columns(model._predictor, LEVEL, *known)]
    views.sort(key=lambda view: -(view.bits if view.bits is not None else 1e9))
    return views[:most], views


def largest(model: Any, most: int) -> list[int]:
    """Return the codes of the largest classes."""
    order = np.argsort(-np.asarray(model.class_count_), kind="stable")[:most]
    return sorted(order.tolist())


def _view(column: ShownColumn, prior: Array, classes: dict[int, str]) -> ColumnView:
    drawn, bits = column.classes, None
    if drawn.exclusive:
        mass = drawn.heights / np.maximum(drawn.heights.sum(axis=1, keepdims=True), 1e-300)
        bits = float(of_categories([mass], prior)[0] / np.log(2))
    if not drawn.ends:
        places = np.arange(0, len(drawn.values), max(1, (len(drawn.values) - 1) // STEPS))
        lines = [
            {"class": name, "x": x, "density": height, "tooltip": drawn.in_words[code]}
            for code, name in classes.items()
            for x, height in zip(drawn.values[places].tolist(), drawn.heights[code, places].tolist(), strict=True)
        ]
        return ColumnView(str(column.name), column.kind, drawn.shape, lines, bits, column.weight)
    # The most frequent values, or the most telling words.
    theta, (low, high) = drawn.heights, drawn.ends
    average = np.maximum(prior @ theta, 1e-300)
    if drawn.exclusive:
        rank = np.sort(np.argsort(-average, kind="stable")[:VALUES])
    else:
        telling = (theta * np.abs(np.log(np.maximum(theta, 1e-300) / average))).max(axis=0)
        rank = np.argsort(-telling, kind="stable")[:WORDS]
    called = [str(value) for value in drawn.values]
    shown = [i for i in rank.tolist() if called[i] != OTHER]
    lines = [
        {"class": name, "value": called[i], "share": theta[code, i], "low": low[code, i], "high": high[code, i]}
        for i in shown
        for code, name in classes.items()
    ]
    more = sum(name != OTHER for name in called) - len(shown)
    return ColumnView(str(column.name), column.kind, drawn.shape, lines, bits, column.weight, more)


@dataclass(frozen=True)
class JointView:
    """A set of joint columns: its power, its mean effect on the log-odds of a row, and the log loss it saves."""

    columns: tuple[Any, ...]
    weight: float
    moves: float
    lifts: JointLifts
    gain: float | None = None  # in nats per held-out row; None for declared sets

    @property
    def name(self) -> str:
        """The names of the columns."""
        return " × ".join(map(str, self.columns))

    @property
    def cells(self) -> int:
        """The number of joint values."""
        return int(np.prod([len(values) for values in self.lifts.values]))

    def table(self) -> tuple[JointLifts, tuple[Any, ...]]:
        """Return a pair of columns with rare values united, the column with more values first, for a narrow chart."""
        down = (0, 1) if len(self.lifts.values[0]) >= len(self.lifts.values[1]) else (1, 0)
        return self.lifts.ordered(down).united(JOINT_VALUES), tuple(self.columns[k] for k in down)


@dataclass(frozen=True)
class JointViews:
    """The sets of joint columns, those with the largest effect first."""

    sets: list[JointView]
    classes: list[int]  # the codes of the classes that are shown
    cloud: dict[str, Any] | None = None  # columns that are jointly normal: names, power, and the log loss they save

    @property
    def gains(self) -> bool:
        """Whether any set was chosen on held-out rows, so that the log loss it saves is known."""
        return any(view.gain is not None for view in self.sets)

    def drawn(self) -> list[JointView]:
        """Return the sets whose values are drawn."""
        return self.sets[:DRAWN]

    def listed(self) -> list[JointView]:
        """Return the sets that are listed."""
        return self.sets[:LISTED]

    def lines(self, view: JointView) -> list[dict[str, Any]]:
        """Return the joint values with the largest effect, and their lift over independence in each class."""
        belief, count = view.lifts.belief(), view.lifts.count
        lift, (low, high) = np.asarray(belief.mean), belief.interval(LEVEL)
        found = []
        for at in np.argsort(-_moved(view.lifts).ravel(), kind="stable")[:LINES].tolist():
            codes = np.unravel_index(at, count.shape[1:])
            value = ", ".join(names[code] for names, code in zip(view.lifts.values, codes, strict=True))
            times = []
            for c in self.classes:
                cell = (c, *codes)
                often = lift_in_words(float(lift[cell])).removesuffix(" times")
                times.append({"times": often, "open": low[cell] <= 1 <= high[cell], "rows": float(count[cell])})
            found.append({"value": value, "classes": times})
        return found


def joint_views(model: Any) -> JointViews | None:
    """Return the joint columns of a model, or None if it has none with an effect."""
    sets, clouds = list[JointView](), list[dict[str, Any]]()
    for columns, law in getattr(model, "joint_", {}).items():
        name = Together(columns)
        block, weight = model._model.blocks[name], float(model.feature_powers_.get(name, 1.0))
        if isinstance(law, Cloud):
            clouds.append({"shown": listed([*map(str, columns)], NAMED), "weight": weight, "gain": law.gain})
        elif weight > 0 and isinstance(block.t, JointCounts) and len(block.t.sizes):
            lifts = block.settled.lifts(block.t)
            moves = model.temper_.power * weight * float(_moved(lifts).sum())
            sets.append(JointView(columns, weight, moves, lifts, getattr(block.likelihood, "gain", None)))
    if not sets and not clouds:
        return None
    sets.sort(key=lambda view: -view.moves)
    return JointViews(sets, largest(model, JOINT_CLASSES), next(iter(clouds), None))


def _moved(lifts: JointLifts) -> Array:
    """Return the share of each joint value times its largest effect on the log-odds of two classes."""
    share = lifts.count.sum(axis=0) / max(float(lifts.count.sum()), 1e-300)
    return np.asarray(share * np.ptp(np.log(np.asarray(lifts.belief().mean)), axis=0))
