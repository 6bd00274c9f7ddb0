"""Why a row belongs to one class rather than to another: each feature's weight of evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from suffice.errors import InputError
from suffice.models.votes import Votes
from suffice.tables import frame_of
from suffice.typing import Array

__all__ = ["Explanation", "explanation", "place_of", "two_classes"]

SHOWN = 30
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, repr=False)
class Explanation:
    """Log-odds of one class against another, as the sum of what was known before and what each feature says.

    Attributes
    ----------
    target, against : label
        The two classes.
    prior : float
        Log-odds before any feature is seen.
    features, values : sequences
        What has a weight, and what it is in this row, in words.
    weights : ndarray
        ln p(x_j | target) − ln p(x_j | against), times the power that the likelihood is raised to.
    low, high : ndarray or None
        Where each weight lies with a probability of 95 % by what was learned of the two classes; NaN where the model
        does not tell, None where it tells of none.
    log_odds : float
        ln p(target | x) − ln p(against | x): the prior and all weights.
    note : str
        Whether the answer is the class prior, because nothing in the row was learned; empty if something speaks.
    """

    target: Any
    against: Any
    prior: float
    features: Sequence[Any]
    values: Sequence[Any]
    weights: Array
    low: Array | None = None
    high: Array | None = None
    backend: str | None = None  # what dataframes the model was given
    note: str = ""

    @property
    def log_odds(self) -> float:
        """ln p(target | x) − ln p(against | x)."""
        return float(self.prior + self.weights.sum())

    def top(self, k: int = 10) -> list[tuple[Any, Any, float]]:
        """The k weightiest features, each with its value and its weight."""
        number: Any = k
        if not isinstance(number, int | np.integer) or number < 0:
            raise InputError(f"The argument 'k' of Explanation.top must be a whole number from 0 on; got {k!r}.")
        return [(self.features[i], self.values[i], float(self.weights[i])) for i in self._order()[:k]]

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns for a dataframe: the prior first, then features, the weightiest first."""
        order = self._order()
        return {
            "feature": ["(prior)", *(self.features[i] for i in order)],
            "value": ["", *(self.values[i] for i in order)],
            "weight": [self.prior, *(float(self.weights[i]) for i in order)],
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """A dataframe with a line for the prior and one per feature: feature, value, weight, low and high.

        Of pandas, polars or pyarrow, as given, or as the model was fitted with, or whichever there is.
        """
        order, told = self._order(), dict[str, Any](self.to_dict())
        told["feature"] = [str(name) for name in told["feature"]]
        for name in ("low", "high"):
            ends = getattr(self, name)
            told[name] = [None, *(_or_none(ends[i]) if ends is not None else None for i in order)]
        told |= {name: np.array(told[name], np.float64) for name in ("weight", "low", "high")}
        return frame_of(told, backend or self.backend)

    def _order(self) -> list[int]:
        order: list[int] = np.argsort(-np.abs(self.weights), kind="stable").tolist()
        return order

    def __repr__(self) -> str:
        told = self._cut()
        lines = [f"{self.target} rather than {self.against}: log-odds {self.log_odds:+.3f}"]
        lines += [self.note] * bool(self.note)
        width = max(len(str(name)) for name in told["feature"])
        for feature, value, weight in zip(*told.values(), strict=True):
            lines.append(f"  {weight:+8.3f}  {feature!s:{width}}  {value}".rstrip())
        return "\n".join(lines)

    def _cut(self) -> dict[str, list[Any]]:
        """What is shown: the weightiest features, and the others together."""
        told, rest = self.to_dict(), self._order()[SHOWN:]
        if len(rest) < 2:
            return told
        told = {name: column[: SHOWN + 1] for name, column in told.items()}
        told["feature"].append("(others)")
        told["value"].append(f"{len(rest):,} features")
        told["weight"].append(float(self.weights[rest].sum()))
        return told

    def _repr_html_(self) -> str:
        told = self._cut()
        most = max([1e-300, *(abs(weight) for weight in told["weight"] if np.isfinite(weight))])
        ends = [self._interval(i) for i in self._order()[: len(told["weight"]) - 1]]
        spans = ["", *ends, *[""] * len(told["weight"])][: len(told["weight"])]
        lines = [
            _cells(escape(str(f)), escape(str(v)), f"{w:+.3f}", span, _bar(float(np.clip(w / most, -1, 1))))
            for (f, v, w), span in zip(zip(*told.values(), strict=True), spans, strict=True)
        ]
        head = f"{escape(str(self.target))} rather than {escape(str(self.against))}: log-odds {self.log_odds:+.3f}"
        head += f"<br>{escape(self.note)}" if self.note else ""
        return f"<table><caption>{head}</caption>{''.join(lines)}</table>"

    def _interval(self, i: int) -> str:
        if self.low is None or self.high is None or np.isnan(self.low[i]):
            return ""
        return f"{self.low[i]:+.2f} to {self.high[i]:+.2f}"


def explanation(
    votes: Votes, log_prior: Array, power: float, classes: Any, pair: tuple[Any, Any], backend: str | None
) -> Explanation:
    """The votes of a row, for one class against another: by default the most probable one against the next."""
    if power == 0:  # nothing is said
        votes = replace(votes, logs=np.zeros_like(votes.logs))
    with np.errstate(invalid="ignore"):
        total = log_prior + power * votes.logs.sum(axis=0)
    total = np.where(np.isnan(total) | np.isneginf(log_prior), -np.inf, total)
    impossible = bool(np.isneginf(total).all())  # then it keeps the prior, NB-12
    a, b = two_classes(log_prior if impossible else total, classes, *pair)
    if not impossible and np.isneginf(total[[a, b]]).all():
        raise InputError(
            f"The classes {classes[a]!s} and {classes[b]!s} are both impossible for this row: there are no odds. "
            "A larger alpha, or estimate='mean', leaves nothing impossible."
        )
    with np.errstate(invalid="ignore"):
        prior = log_prior[a] - log_prior[b]
        weights = power * (votes.logs[:, a] - votes.logs[:, b])  # SX-6
    weights = np.zeros(len(weights)) if impossible else np.where(np.isnan(weights), 0.0, weights)
    low, high = (None, None) if impossible else _ends(votes, power, a, b)
    values = [_with_words(votes, i, a, b) for i in range(len(votes.values))]
    two = (classes[a], classes[b])
    note = _note(votes, power, impossible)
    return Explanation(*two, float(prior), votes.features, values, weights, low, high, backend, note)


def _note(votes: Votes, power: float, impossible: bool) -> str:
    """Why the answer is the prior, if it is; and that nothing was learned of the row, even if its absence speaks."""
    prior = "the answer is the class prior."
    if impossible:
        return f"Every class is impossible for this row: {prior}"
    with np.errstate(invalid="ignore"):
        silent = power == 0 or not (np.ptp(votes.logs, axis=1) > 0).any()
    if votes.unknown:
        return f"No {votes.unknown} was learned{': ' + prior if silent else '.'}"
    return f"What was learned of this row says the same of every class: {prior}" if silent else ""


def _ends(votes: Votes, power: float, a: int, b: int) -> tuple[Array | None, Array | None]:
    """Where the weights lie with a probability of 95 %, by the mean and variance of the logarithms."""
    if votes.belief is None or not len(votes.features):
        return None, None
    mean, variance = votes.belief
    middle = power * (mean[:, a] - mean[:, b])
    half = NORMAL_95 * power * np.sqrt(variance[:, a] + variance[:, b])
    if np.isnan(half).all():
        return None, None
    return middle - half, middle + half


def _with_words(votes: Votes, i: int, a: int, b: int) -> str:
    """A value, and of a text its most telling words."""
    inner = votes.inner.get(i)
    if inner is None:
        return votes.values[i]
    weights = np.nan_to_num(inner.logs[:, a] - inner.logs[:, b])
    words = [(w, name) for w, name in zip(weights.tolist(), inner.features, strict=True) if name[:1] != "("]
    telling = sorted(words, key=lambda pair: -abs(pair[0]))[:3]
    said = ", ".join(f"{name} {weight:+.1f}" for weight, name in telling)
    return f"{votes.values[i]} [{said}]" if said else votes.values[i]


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
    return None if label is None else place_of(classes, label, name)


def place_of(classes: Any, label: Any, name: str) -> int:
    """The place of a class among all, or an error that names the argument."""
    found = np.flatnonzero(classes == label)
    if not len(found):
        raise InputError(f"The argument '{name}' must be one of {classes.tolist()}; got {label!r}.")
    return int(found[0])


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _cells(feature: str, value: str, weight: str, interval: str, bar: str) -> str:
    left = "<td style='text-align:left'>"
    numbers = f"<td>{weight}</td><td style='opacity:.6'>{interval}</td>"
    return f"<tr>{left}{feature}</td>{left}{value}</td>{numbers}<td style='width:12em'>{bar}</td></tr>"


def _bar(share: float) -> str:
    """A bar to the right for evidence in favour, to the left for evidence against."""
    side = "left" if share >= 0 else "right"
    colour = "#2a7f62" if share >= 0 else "#b5482f"
    half = f"<span style='display:inline-block;{side}:50%;width:{50 * abs(share):.1f}%;height:.8em;position:absolute;"
    return f"<div style='position:relative;height:.9em'>{half}background:{colour}'></span></div>"
