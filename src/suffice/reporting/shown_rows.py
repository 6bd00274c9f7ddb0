"""Choose the rows to show, a right, a close and a wrong one and confident mistakes, and mark the words of texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import SufficeError
from suffice.models.answers.explanation import Explanation
from suffice.reporting.judged_rows import JudgedRows, judging
from suffice.reporting.labelled_rows import LabelledRows
from suffice.text import Analysis
from suffice.typing import Integers

LETTERS, SHORT = 1000, (60, 900)
FIELDS = 14
LEVELS = 4
LEAST = 0.04  # share of the largest weight below which a word is not marked


@dataclass(frozen=True)
class Piece:
    """A stretch of text, with the level of its weight from 1 to 4 (0 without a weight) and the side it favours."""

    text: str
    level: int = 0
    favours: bool = True
    tooltip: str = ""


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
    fair = np.array([SHORT[0] <= len(text) <= SHORT[1] for text in given.rows] if given.texts else [])
    if fair.sum() < 5:
        fair = np.ones(len(given), bool)
    best = np.sort(judged.probabilities, axis=1)[:, -2:]
    margin = np.where(fair, 0.0, 2.0) + (best[:, 1] - best[:, 0] if best.shape[1] > 1 else 1.0)
    right, wrong = (_middle(fair & which, judged) for which in (judged.correct, ~judged.correct))
    found: dict[int, str] = {}
    for kind, rows in (("Right", right), ("A close call", np.argsort(margin, kind="stable")), ("Wrong", wrong)):
        found |= dict.fromkeys([i for i in rows.tolist() if i not in found][:1], kind)
    return [_example(model, given, judged, i, kind) for i, kind in found.items()]


def confidently_wrong(model: Any, given: LabelledRows, judged: JudgedRows, k: int) -> list[Example]:
    """Return the k wrong rows with the highest confidence."""
    wrong = np.flatnonzero(~judged.correct)
    order = wrong[np.argsort(-judged.confidence[wrong], kind="stable")].tolist()
    return [_example(model, given, judged, i, "Wrong") for i in order[:k]]


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
        why = judge.explain(given.one(i), judged.classes[answer], judged.classes[truth] if truth != answer else None)
        if not np.isfinite([why.log_odds, *why.contributions]).all():
            why, because = None, "one of the two classes is impossible for this row"
    except (SufficeError, ValueError) as error:
        because = str(error)
    codes = (answer, truth) if why is None else (labels.index(str(why.target)), labels.index(str(why.against)))
    pieces, cut, fields = list[Piece](), 0, list[tuple[str, str]]()
    if given.texts:
        text = str(judge._reader.analysis._decoded(given.one(i)))
        pieces, cut = [Piece(text[:LETTERS])], max(0, len(text) - LETTERS)
        if why is not None:
            pieces, cut = marked(text, why, judge._reader.analysis, LETTERS)
    elif why is not None:
        fields = [(str(name), str(value)) for name, value, _ in why.top(FIELDS)]
    return Example(
        row=int(given.numbers[i]), kind=kind, truth=labels[truth], answer=labels[answer], truth_code=truth,
        answer_code=answer, probability=float(shares[answer]), of_truth=float(shares[truth]), right=truth == answer,
        why=why, because=because, pieces=pieces, cut=cut, fields=fields, codes=codes,
    )  # fmt: skip


def marked(text: str, explanation: Explanation, analysis: Analysis, most: int) -> tuple[list[Piece], int]:
    """Return the pieces of the start of a text, and the number of characters left out."""
    shown = text if len(text) <= most else text[:most].rsplit(None, 1)[0] or text[:most]
    if callable(analysis.unit) or analysis.unit != "word" or analysis.tokenizer is not None:
        return [Piece(shown)], len(text) - len(shown)
    found = [(m.span(), analysis._preprocess(m.group())) for m in re.finditer(analysis.token_pattern, shown)]
    pairs = zip(explanation.features, explanation.contributions.tolist(), strict=True)  # words of a bucket share one
    weights = {word: weight for name, weight in pairs for word in str(name).split(" / ") if str(name)[:1] != "("}
    said = _said([word for _, word in found], weights, analysis)
    top = max((abs(weight) for weight, _ in said), default=0.0)
    pieces, at = list[Piece](), 0
    for ((start, end), _), (weight, words) in zip(found, said, strict=True):
        if abs(weight) <= LEAST * top or start < at:
            continue
        if start > at:
            pieces.append(Piece(shown[at:start]))
        level = 1 + min(LEVELS - 1, int(LEVELS * abs(weight) / top))
        label = explanation.target if weight > 0 else explanation.against
        tooltip = f"{' and '.join(dict.fromkeys(words))}: {abs(weight):.2f} for {label}"
        pieces.append(Piece(shown[start:end], level, weight > 0, tooltip))
        at = end
    return [*pieces, *([Piece(shown[at:])] if at < len(shown) else [])], len(text) - len(shown)


def _said(words: list[str], weights: dict[str, float], analysis: Analysis) -> list[tuple[float, list[str]]]:
    """Return the weight of each word, including its share in the n-grams that contain it."""
    kept = [i for i, word in enumerate(words) if word not in analysis.stop_words]
    said: list[tuple[float, list[str]]] = [(0.0, [])] * len(words)
    for n in range(analysis.ngram_range[0], analysis.ngram_range[1] + 1):
        for first in range(len(kept) - n + 1):
            members = kept[first : first + n]
            gram: Any = " ".join(words[i] for i in members)
            if gram in weights:
                for i in members:
                    said[i] = (said[i][0] + weights[gram] / n, [*said[i][1], gram])
    return said
