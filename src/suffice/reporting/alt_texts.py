"""Say in one sentence what a chart shows, for readers who do not see it."""

from __future__ import annotations

from typing import Any

from suffice.reporting.facts import Facts
from suffice.reporting.judged_rows import JudgedRows
from suffice.reporting.shown_rows import Example
from suffice.reporting.wording import number, percent

__all__ = ["alt_texts"]

LISTED = 8


def alt_texts(facts: Facts) -> dict[str, Any]:
    """Return a sentence for each chart that sums up a whole section."""
    lines = facts.judged.class_lines
    recall = ", ".join(f"{line['class']} {percent(line['share'])}" for line in lines[:LISTED])
    calibration = facts.judged.calibration
    ranked = ", ".join(f"{line['feature']} {line['bits']:.2g}" for line in facts.informative.ranked[:LISTED])
    return {
        "accuracy": f"Recall of each class, with 95 % intervals: {recall}{_more(lines)}.",
        "reliability": f"{_axes(facts.judged)} in {len(calibration.rows)} bins; the calibration error is "
        f"{calibration.error:.3f}.",
        "confidences": f"Histogram of the probability of {facts.judged.scored_name}, correct and wrong predictions",
        "informative": f"Mutual information with the class in bits: {ranked}{_more(facts.informative.ranked)}.",
        "learning": _learning(facts.curve, facts.data.unit),
        "why": [_why(one) for one in facts.examples],
    }


def _axes(judged: JudgedRows) -> str:
    """Return the axes of the calibration chart in words."""
    if judged.scored is None:
        return "Accuracy against confidence"
    name = judged.classes[judged.scored]
    return f"Share of {name} against the probability of {name}"


def _more(lines: list[Any]) -> str:
    return f" and {len(lines) - LISTED} more" if len(lines) > LISTED else ""


def _learning(curve: list[dict[str, float]], unit: str) -> str:
    if not curve:
        return ""
    ends = [f"{percent(point['share'])} with {number(point['rows'])} {unit}" for point in (curve[0], curve[-1])]
    return f"Accuracy by the number of {unit} learned: {ends[0]}, {ends[1]}."


def _why(one: Example) -> str:
    if one.why is None:
        return ""
    weights = ", ".join(f"{name} {weight:+.2f}" for name, _, weight in one.why.top(5))
    total = f"Log-odds of {one.why.target} against {one.why.against}: {one.why.log_odds:+.2f}"
    return f"{total}. Largest contributions: {weights}."
