"""Choose the rows to show: a right one, a close call, a wrong one, and the most confident mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import SufficeError
from suffice.models.answers.explanation import Explanation
from suffice.reporting.highlight import Piece, marked
from suffice.reporting.judged_rows import JudgedRows, judging
from suffice.reporting.labelled_rows import LabelledRows
from suffice.typing import Integers

__all__ = ["Example", "chosen", "confidently_wrong"]

LETTERS, SHORT = 1000, (60, 900)
FIELDS = 14


@dataclass(frozen=True)
class Example:
    """A row with its true and predicted class, the explanation, and its marked words or fields."""

    row: int
    kind: str
    truth: str
    answer: str
    truth_code: int
    answer_code: int
    probability: float
    of_truth: float
    right: bool
    why: Explanation | None
    because: str  # why there is no explanation
    pieces: list[Piece]
    cut: int
    fields: list[tuple[str, str]]
    codes: tuple[int, int]  # of the two compared classes


def chosen(model: Any, given: LabelledRows, judged: JudgedRows, examples: Sequence[int] | None) -> list[Example]:
    """Return the requested rows, by default a right one, a close call and a wrong one."""
    if examples is not None:
        places = np.minimum(np.searchsorted(given.numbers, examples), len(given) - 1).tolist()
        return [_example(model, given, judged, i, "As requested") for i in places]
    fair = _of_fair_length(given)
    margin = np.sort(judged.probabilities, axis=1)
    margin = margin[:, -1] - margin[:, -2] if margin.shape[1] > 1 else np.ones(len(margin))
    close = np.argsort(np.where(fair, margin, margin + 2.0), kind="stable")
    picks = [
        ("Right", _middle(fair & judged.correct, judged)),
        ("A close call", close),
        ("Wrong", _middle(fair & ~judged.correct, judged)),
    ]
    found: list[Example] = []
    for kind, rows in picks:
        left = [int(i) for i in rows if given.numbers[i] not in {one.row for one in found}]
        found += [_example(model, given, judged, i, kind) for i in left[:1]]
    return found


def confidently_wrong(model: Any, given: LabelledRows, judged: JudgedRows, k: int) -> list[Example]:
    """Return the k wrong rows with the highest confidence."""
    wrong = np.flatnonzero(~judged.correct)
    order = wrong[np.argsort(-judged.confidence[wrong], kind="stable")].tolist()
    return [_example(model, given, judged, i, "Wrong") for i in order[:k]]


def _of_fair_length(given: LabelledRows) -> Any:
    if not given.texts:
        return np.ones(len(given), bool)
    low, high = SHORT
    fair = np.array([low <= len(text) <= high for text in given.rows])
    return fair if fair.sum() >= 5 else np.ones(len(given), bool)


def _middle(which: Any, judged: JudgedRows) -> Integers:
    """Return rows ordered by the distance of their confidence rank from the median."""
    rows: Integers = np.flatnonzero(which)
    order = rows[np.argsort(judged.confidence[rows], kind="stable")]
    return order[np.argsort(np.abs(np.arange(len(order)) - len(order) // 2), kind="stable")]


def _example(model: Any, given: LabelledRows, judged: JudgedRows, i: int, kind: str) -> Example:
    judge = judging(model, judged, i)
    shares = judged.probabilities[i]
    truth, answer = int(judged.codes[i]), int(shares.argmax())
    labels = [str(label) for label in judged.classes]
    why, because = None, ""
    try:
        pair = (judged.classes[answer], judged.classes[truth]) if truth != answer else (judged.classes[answer], None)
        why = judge.explain(given.one(i), *pair)
        if not np.isfinite([why.log_odds, *why.contributions]).all():
            why, because = None, "one of the two classes is impossible for this row"
    except (SufficeError, ValueError) as error:
        because = str(error)
    codes = (answer, truth)
    if why is not None:
        codes = (labels.index(str(why.target)), labels.index(str(why.against)))
    pieces, cut = _pieces(judge, given, i, why)
    return Example(
        row=int(given.numbers[i]),
        kind=kind,
        truth=labels[truth],
        answer=labels[answer],
        truth_code=truth,
        answer_code=answer,
        probability=float(shares[answer]),
        of_truth=float(shares[truth]),
        right=truth == answer,
        why=why,
        because=because,
        pieces=pieces,
        cut=cut,
        fields=[] if given.texts else _fields(why),
        codes=codes,
    )


def _pieces(model: Any, given: LabelledRows, i: int, why: Explanation | None) -> tuple[list[Piece], int]:
    if not given.texts:
        return [], 0
    text = str(model._reader.analysis._decoded(given.one(i)))
    if why is None:
        return [Piece(text[:LETTERS])], max(0, len(text) - LETTERS)
    return marked(text, why, model._reader.analysis, LETTERS)


def _fields(why: Explanation | None) -> list[tuple[str, str]]:
    """Return the columns of a row that add most to the log-odds, and their values."""
    if why is not None:
        return [(str(name), str(value)) for name, value, _ in why.top(FIELDS)]
    return []
