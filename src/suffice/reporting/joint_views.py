"""Describe the joint columns of a model: their effect on the log-odds, and the joint values behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.models.likelihoods.cloud import Cloud
from suffice.models.likelihoods.pictures import JointLifts
from suffice.models.model import Together
from suffice.models.scoring.results import lift_in_words
from suffice.reporting.judged_rows import LEVEL
from suffice.stats import JointCounts
from suffice.typing import Array

__all__ = ["JointView", "JointViews", "joint_views"]

DRAWN, LISTED, CLASSES, VALUES, LINES, NAMED = 3, 20, 4, 20, 6, 12


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
        return self.lifts.ordered(down).united(VALUES), tuple(self.columns[k] for k in down)


@dataclass(frozen=True)
class CloudView:
    """Numeric columns that are jointly normal in each class: their names, power, and the log loss they save."""

    columns: tuple[Any, ...]
    weight: float
    gain: float | None = None

    @property
    def shown(self) -> str:
        """The names of the columns, at most twelve of them."""
        more = f" and {len(self.columns) - NAMED} more" if len(self.columns) > NAMED else ""
        return ", ".join(map(str, self.columns[:NAMED])) + more


@dataclass(frozen=True)
class JointViews:
    """The sets of joint columns, those with the largest effect first."""

    sets: list[JointView]
    classes: list[int]  # the codes of the classes that are shown
    cloud: CloudView | None = None

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
    sets, cloud = sorted(_sets(model), key=lambda view: -view.moves), _cloud(model)
    if not sets and cloud is None:
        return None
    largest = np.argsort(-np.asarray(model.class_count_), kind="stable")[:CLASSES]
    return JointViews(sets, sorted(largest.tolist()), cloud)


def _cloud(model: Any) -> CloudView | None:
    for columns, law in getattr(model, "joint_", {}).items():
        if isinstance(law, Cloud):
            return CloudView(columns, float(model.feature_powers_.get(Together(columns), 1.0)), law.gain)
    return None


def _sets(model: Any) -> Iterator[JointView]:
    for columns in getattr(model, "joint_", {}):
        name = Together(columns)
        block, weight = model._model.blocks[name], float(model.feature_powers_.get(name, 1.0))
        if weight > 0 and isinstance(block.t, JointCounts) and len(block.t.sizes):
            lifts = block.settled.lifts(block.t)
            moves = model.temper_.power * weight * float(_moved(lifts).sum())
            yield JointView(columns, weight, moves, lifts, getattr(block.likelihood, "gain", None))


def _moved(lifts: JointLifts) -> Array:
    """Return the share of each joint value times its largest effect on the log-odds of two classes."""
    share = lifts.count.sum(axis=0) / max(float(lifts.count.sum()), 1e-300)
    return np.asarray(share * np.ptp(np.log(np.asarray(lifts.belief().mean)), axis=0))
