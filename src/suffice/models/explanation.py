"""Why a row belongs to one class rather than to another: each column's weight of evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from suffice.errors import InputError
from suffice.typing import Array

__all__ = ["Explanation", "two_classes"]


@dataclass(frozen=True, repr=False)
class Explanation:
    """Log-odds of one class against another, as the sum of what was known before and what each feature says."""

    target: Any
    against: Any
    prior: float  # log-odds before any feature is seen
    features: Sequence[Any]
    values: Sequence[Any]  # what each feature is in this row, in words
    weights: Array  # ln p(x_j | target) − ln p(x_j | against)

    @property
    def log_odds(self) -> float:
        """ln p(target | x) − ln p(against | x)."""
        return float(self.prior + self.weights.sum())

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns for a dataframe: the prior first, then features, the weightiest first."""
        order = np.argsort(-np.abs(self.weights), kind="stable")
        return {
            "feature": ["(prior)", *(self.features[i] for i in order)],
            "value": ["", *(self.values[i] for i in order)],
            "weight": [self.prior, *(float(self.weights[i]) for i in order)],
        }

    def __repr__(self) -> str:
        told = self.to_dict()
        lines = [f"{self.target} rather than {self.against}: log-odds {self.log_odds:+.3f}"]
        width = max(len(str(name)) for name in told["feature"])
        for feature, value, weight in zip(*told.values(), strict=True):
            lines.append(f"  {weight:+8.3f}  {feature!s:{width}}  {value}".rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        told = self.to_dict()
        most = max(1e-300, *(abs(weight) for weight in told["weight"]))
        rows = zip(*told.values(), strict=True)
        lines = [_cells(escape(str(f)), escape(str(v)), f"{w:+.3f}", _bar(w / most)) for f, v, w in rows]
        head = f"{escape(str(self.target))} rather than {escape(str(self.against))}: log-odds {self.log_odds:+.3f}"
        return f"<table><caption>{head}</caption>{''.join(lines)}</table>"


def two_classes(total: Array, classes: Any, target: Any, against: Any) -> tuple[int, int]:
    """Places of the classes to compare; where they are not given, of the most probable one and the next."""
    if len(total) < 2:
        raise InputError("There is nothing to explain with one class only.")
    order = np.argsort(-total, kind="stable").tolist()
    first, second = _place(classes, target, "target"), _place(classes, against, "against")
    a = first if first is not None else next(c for c in order if c != second)
    b = second if second is not None else next(c for c in order if c != a)
    if a == b:
        raise InputError(f"The arguments 'target' and 'against' must be two classes; got {target!r} for both.")
    return a, b


def _place(classes: Any, label: Any, name: str) -> int | None:
    if label is None:
        return None
    found = np.flatnonzero(classes == label)
    if not len(found):
        raise InputError(f"The argument '{name}' must be one of {classes.tolist()}; got {label!r}.")
    return int(found[0])


def _cells(feature: str, value: str, weight: str, bar: str) -> str:
    left = "<td style='text-align:left'>"
    return f"<tr>{left}{feature}</td>{left}{value}</td><td>{weight}</td><td style='width:12em'>{bar}</td></tr>"


def _bar(share: float) -> str:
    """A bar to the right for evidence in favour, to the left for evidence against."""
    side = "left" if share >= 0 else "right"
    colour = "#2a7f62" if share >= 0 else "#b5482f"
    half = f"<span style='display:inline-block;{side}:50%;width:{50 * abs(share):.1f}%;height:.8em;position:absolute;"
    return f"<div style='position:relative;height:.9em'>{half}background:{colour}'></span></div>"
