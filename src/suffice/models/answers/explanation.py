"""Explain why a row belongs to one class rather than another by what each feature adds to the log-odds (SX-6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.errors import InputError
from suffice.models.answers.parts import Wording, parts
from suffice.models.likelihoods.shared import power_in_words
from suffice.models.model import Name
from suffice.models.predictor import Predictor, normalise
from suffice.models.scoring.beliefs import bounds_of_ratio
from suffice.models.scoring.results import Contributions, lift_in_words
from suffice.models.scoring.rows import Rows
from suffice.notebook import bar, card, line, table
from suffice.tables import frame_of
from suffice.typing import Array

SHOWN = 15
LABEL_NOISE = "(label noise)"
NORMAL_95 = 1.959963984540054
TAILS = (0.025, 0.975)


@dataclass(frozen=True, repr=False)
class Explanation:
    """Explain the log-odds of one class against another as the sum of the prior log-odds and of what each feature adds.

    Attributes
    ----------
    target, against : label
        The two classes.
    prior : float
        Log-odds before any feature is seen.
    features, values : sequences
        What adds to the log-odds, and its value in this row, in words.
    contributions : ndarray
        ln p(x_j | target) − ln p(x_j | against), times the power of the likelihood.
    low, high : ndarray or None
        95 % credible bounds of each contribution, given what was learned of the two classes; NaN where the model has
        none, None if it has none at all. Features have none if the pseudo-count was chosen for the labels, nor have
        words if the likelihood is tempered.
    log_odds : float
        ln p(target | x) − ln p(against | x): the sum of the prior and all contributions.
    note : str
        Reason why the answer is the class prior, because nothing in the row was learned; otherwise empty.
    """

    target: Any
    against: Any
    prior: float
    features: Sequence[Any]
    values: Sequence[Any]
    contributions: Array
    low: Array | None = None
    high: Array | None = None
    backend: str | None = None  # kind of dataframe the model was fitted on
    note: str = ""

    @property
    def log_odds(self) -> float:
        """Return ln p(target | x) − ln p(against | x)."""
        return float(self.prior + self.contributions.sum())

    def top(self, k: int = 10) -> list[tuple[Any, Any, float]]:
        """Return the k features that add most to the log-odds in absolute value, each with its value and log-odds."""
        number: Any = k
        if not isinstance(number, int | np.integer) or number < 0:
            raise InputError("Explanation.top.k", "be a whole number from 0 on", got=k)
        return [(self.features[i], self.values[i], float(self.contributions[i])) for i in self._order()[:k]]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns for a dataframe: the prior first, then features by what they add, largest first."""
        order = self._order()
        return {
            "feature": ["(prior)", *(self.features[i] for i in order)],
            "value": ["", *(self.values[i] for i in order)],
            "log_odds": [self.prior, *(float(self.contributions[i]) for i in order)],
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one line for the prior and one per feature: feature, value, log_odds, low and high.

        `backend` is pandas, polars or pyarrow; by default, the one the model was fitted with, or one that is installed.
        """
        order, columns = self._order(), dict[str, Any](self.to_dict())
        columns["feature"] = [str(name) for name in columns["feature"]]
        for name, ends in (("low", self.low), ("high", self.high)):
            columns[name] = [None, *(_or_none(ends[i]) if ends is not None else None for i in order)]
        columns |= {name: np.array(columns[name], np.float64) for name in ("log_odds", "low", "high")}
        return frame_of(columns, backend or self.backend)

    def _order(self) -> list[int]:
        both = zip(self.features, self.contributions, strict=True)
        size = np.array([-1.0 if name == LABEL_NOISE else abs(weight) for name, weight in both])
        order: list[int] = np.argsort(-size, kind="stable").tolist()  # not a feature: it comes last
        return order

    def __repr__(self) -> str:
        return self.lines()

    def lines(self, most: int = SHOWN) -> str:
        """Return the explanation as text: the features that add most, and the sum of the others."""
        columns = self._cut(most)
        lines = [f"{self.target} rather than {self.against}: log-odds {self.log_odds:+.3f}"]
        lines += [self.note] * bool(self.note)
        width = max(len(str(name)) for name in columns["feature"])
        for feature, value, weight in zip(*columns.values(), strict=True):
            lines.append(f"  {weight:+8.3f}  {feature!s:{width}}  {' '.join(str(value).splitlines())}".rstrip())
        return "\n".join(lines)

    def _cut(self, most: int = SHOWN) -> dict[str, list[Any]]:
        """Return what is displayed: the features that add most, the others summed, and the label noise."""
        order = self._order()
        last = [i for i in order[most:] if self.features[i] == LABEL_NOISE]
        rest, columns = order[most : len(order) - len(last)], self.to_dict()
        if len(rest) < 2:
            return columns
        others = {
            "feature": "(others)",
            "value": f"{len(rest):,} features",
            "log_odds": float(self.contributions[rest].sum()),
        }
        return {
            name: [*column[: most + 1], others[name], *(column[-1:] if last else [])]
            for name, column in columns.items()
        }

    def _repr_html_(self) -> str:
        return card(self, self._parts)

    def _parts(self) -> Iterator[str]:
        columns = self._cut()
        most = max([1e-300, *(abs(weight) for weight in columns["log_odds"] if np.isfinite(weight))])
        order = self._order()
        alone = order if len(columns["log_odds"]) == len(order) + 1 else order[:SHOWN]
        spans = ["", *map(self._interval, alone), "", ""][: len(columns["log_odds"])]
        sizes = [float(np.clip(weight / most, -1, 1)) for weight in columns["log_odds"]]
        rows = [
            (str(feature), str(value), f"{weight:+.3f}", *[span] * (self.low is not None), bar(size, signed=True))
            for feature, value, weight, span, size in zip(*columns.values(), spans, sizes, strict=True)
        ]
        yield line(self.note) if self.note else ""
        interval = ["95 % interval"] * (self.low is not None)
        yield table(["feature", "value", "log-odds", *interval, ""], rows, most=len(rows))

    def _interval(self, i: int) -> str:
        if self.low is None or self.high is None or np.isnan(self.low[i]):
            return ""
        return f"{self.low[i]:+.2f} to {self.high[i]:+.2f}"


def explain(
    predictor: Predictor,
    rows: Mapping[Name, Rows],
    wording: Wording,
    target: Any = None,
    against: Any = None,
    backend: str | None = None,
) -> Explanation:
    """Return the explanation of one row for one class against another; by default, the two most probable classes."""
    said, joint = parts(predictor, rows, wording), predictor.joint(rows)
    impossible = bool(normalise(joint, predictor.log_prior))  # then it keeps the prior, NB-12
    logs, power = predictor.floored(joint)[0], float(np.ravel(predictor.powers(rows))[0])
    a, b = _two_classes(logs, predictor.model.classes, target, against)
    if not impossible and np.isneginf(joint[0, [a, b]]).all():
        first, second = predictor.model.classes[[a, b]].tolist()
        raise InputError(
            f"The classes {first!s} and {second!s} are both impossible for this row: there are no odds."
        ).advise(python="A larger alpha, or estimate='mean', leaves nothing impossible.")
    others = "columns" if wording.readings is not None else "words" if wording.text is not None else "features"
    found = _of_two(said, predictor, power, (a, b), impossible, others)
    found = replace(found, backend=backend)
    return _with_floor(found, predictor, float(logs[a] - logs[b])) if predictor.views.floor else found


def _with_floor(found: Explanation, predictor: Predictor, log_odds: float) -> Explanation:
    """Return the explanation with the effect of the floor on the log-odds as a part."""
    less = log_odds - found.log_odds
    if not np.isfinite(less):
        return found
    ends = [None if end is None else np.append(end, np.nan) for end in (found.low, found.high)]
    return replace(
        found,
        features=[*found.features, LABEL_NOISE],
        values=[*found.values, f"{100 * (predictor.views.floor or 0.0):.2g}% of labels may be wrong"],
        contributions=np.append(found.contributions, less),
        low=ends[0],
        high=ends[1],
    )


def _of_two(
    said: Contributions, predictor: Predictor, power: float, pair: tuple[int, int], impossible: bool, others: str
) -> Explanation:
    """Return the explanation of one class against another, with the likelihood raised to a power."""
    a, b = pair
    classes, log_prior = predictor.model.classes, predictor.log_prior
    if power == 0:  # no evidence
        said = replace(said, logs=np.zeros_like(said.logs))
    with np.errstate(invalid="ignore"):
        prior = log_prior[a] - log_prior[b]
        weights = power * (said.logs[:, a] - said.logs[:, b])  # SX-6
    weights = np.zeros(len(weights)) if impossible else np.where(np.isnan(weights), 0.0, weights)
    low, high = (None, None) if impossible else _ends(said, power, a, b)
    if low is not None and high is not None:  # with a tiny α, ln E θ is far above quantiles of ln θ
        low, high = np.minimum(low, weights), np.maximum(high, weights)
    values = [
        _meaning(said, i, power, adds, others) + _words(said, i, power, a, b) + _together(said, i, a, b, classes)
        for i, adds in enumerate(weights.tolist())
    ]
    note = _note(said, power, impossible)
    return Explanation(classes[a], classes[b], float(prior), said.features, values, weights, low, high, note=note)


def _note(said: Contributions, power: float, impossible: bool) -> str:
    """Return why the answer is the prior, if so, or that nothing in the row was learned."""
    prior = "the answer is the class prior."
    if impossible:
        return f"Every class has probability zero for this row: {prior}"
    with np.errstate(invalid="ignore"):
        silent = power == 0 or not (np.ptp(said.logs, axis=1) > 0).any()
    if said.unknown:
        return f"No {said.unknown} was seen in training{': ' + prior if silent else '.'}"
    return f"The features of this row do not distinguish the classes: {prior}" if silent else ""


def _ends(said: Contributions, power: float, a: int, b: int) -> tuple[Array | None, Array | None]:
    """Return 95 % credible bounds of the contributions, from the mean and variance of the log probabilities."""
    if said.belief is None or not len(said.features):
        return None, None
    mean, variance = said.belief
    middle = power * (mean[:, a] - mean[:, b])
    half = NORMAL_95 * power * np.sqrt(variance[:, a] + variance[:, b])
    if np.isnan(half).all():
        return None, None
    low, high = middle - half, middle + half
    if said.times is not None:
        share = (said.times > 0) & (half > 0) & np.isfinite(half)
        times, (means, variances) = said.times[share], (part[share][:, [a, b]].T for part in (mean, variance))
        ends = bounds_of_ratio(means / times, variances / times**2, TAILS)
        low[share], high[share] = power * times * ends
    return low, high


def _meaning(said: Contributions, i: int, temper: float, adds: float, others: str) -> str:
    """Return the value of a part, with the power that its likelihood has."""
    meant = "" if said.powers is None else power_in_words(said.powers[i], adds, others, temper)
    return ", ".join(filter(None, [said.values[i], meant]))


def _words(said: Contributions, i: int, power: float, a: int, b: int) -> str:
    """Return the three words that add most of a part that is a text."""
    inner = said.inner.get(i)
    if inner is None:
        return ""
    weights = power * np.nan_to_num(inner.logs[:, a] - inner.logs[:, b])
    words = [(w, name) for w, name in zip(weights.tolist(), inner.features, strict=True) if name[:1] != "("]
    words = [(w, name) for w, name in words if abs(w) >= 0.05]  # what is displayed is not zero
    largest = sorted(words, key=lambda pair: -abs(pair[0]))[:3]
    listed = ", ".join(f"{name} {weight:+.1f}" for weight, name in largest)
    return f" [{listed}]" if listed else ""


def _together(said: Contributions, i: int, a: int, b: int, classes: Any) -> str:
    """Return in words how often values of joint columns occur jointly in each of the two classes."""
    if i not in said.lifts:
        return ""
    own, other = (lift_in_words(float(said.lifts[i][code])) for code in (a, b))
    than = "independence implies" if len(said.features[i].columns) == 2 else "pairs imply"
    return f": jointly {own} as frequent in {classes[a]} as {than}, {other} in {classes[b]}"


def _two_classes(logs: Array, classes: Any, target: Any, against: Any) -> tuple[int, int]:
    """Return the places of the classes to compare; by default, those of the two most probable."""
    if len(logs) < 2:
        raise InputError("Explaining a prediction needs at least two classes; the model has one.")
    order = np.argsort(-logs, kind="stable").tolist()
    first = None if target is None else place_of(classes, target, "target")
    second = None if against is None else place_of(classes, against, "against")
    a = first if first is not None else next(c for c in order if c != second)
    b = second if second is not None else next(c for c in order if c != a)
    if a == b:
        raise InputError("target and against", "be two classes").but(f"got {target!r} for both")
    return a, b


def place_of(classes: Any, label: Any, name: str) -> int:
    """Return the place of a class; raise InputError, naming the argument, if there is no such class."""
    found = np.flatnonzero(classes == label)
    if not len(found):
        raise InputError(name, f"be one of {classes.tolist()}", got=label)
    return int(found[0])


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
