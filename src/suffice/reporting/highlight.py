"""Mark the words of a text by what they add to the log-odds, and by the class they favour."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from suffice.models.answers.explanation import Explanation
from suffice.text import Analysis

__all__ = ["LEVELS", "Piece", "marked"]

LEVELS = 4
LEAST = 0.04  # share of the largest weight below which a word is not marked


@dataclass(frozen=True)
class Piece:
    """A stretch of text, with the level of its weight from 1 to 4 (0 without a weight) and the side it favours."""

    text: str
    level: int = 0
    favours: bool = True
    tooltip: str = ""


def marked(text: str, explanation: Explanation, analysis: Analysis, most: int) -> tuple[list[Piece], int]:
    """Return the pieces of the start of a text, and the number of characters left out."""
    shown = text if len(text) <= most else text[:most].rsplit(None, 1)[0] or text[:most]
    weights = _by_word(explanation)
    if callable(analysis.unit) or analysis.unit != "word" or analysis.tokenizer is not None:
        return [Piece(shown)], len(text) - len(shown)
    found = [(m.span(), analysis._preprocess(m.group())) for m in re.finditer(analysis.token_pattern, shown)]
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


def _by_word(explanation: Explanation) -> dict[str, float]:
    """Return the weight of each word; words that share a bucket have its weight."""
    pairs = zip(explanation.features, explanation.contributions.tolist(), strict=True)
    return {word: weight for name, weight in pairs for word in str(name).split(" / ") if str(name)[:1] != "("}


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
