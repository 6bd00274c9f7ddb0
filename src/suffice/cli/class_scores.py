"""Describe how well each class is predicted: precision, recall, F1, and the confusion matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.cli.column_lines import cut
from suffice.telling import counted

__all__ = ["lines_of_mistakes", "lines_of_scores", "scores"]

KEYS = ("precision", "recall", "f1")
MATRIX, LISTED, MISTAKES = 8, 50, 12
"""The most classes with a confusion matrix, the most with a line of scores, and the most mistakes listed otherwise."""


def scores(confusion: NDArray[np.int64], classes: list[str]) -> dict[str, dict[str, Any]]:
    """Return precision, recall and F1 of each class from a confusion matrix, or None where they are undefined.

    >>> scores(np.array([[8, 2], [0, 5]]), ["ham", "spam"])["spam"]
    {'rows': 5, 'answers': 7, 'precision': 0.7142857142857143, 'recall': 1.0, 'f1': 0.8333333333333334}
    """
    found = {}
    for c, label in enumerate(classes):
        right, rows, said = (int(n) for n in (confusion[c, c], confusion[c].sum(), confusion[:, c].sum()))
        found[label] = {
            "rows": rows,
            "answers": said,
            "precision": right / said if said else None,
            "recall": right / rows if rows else None,
            "f1": 2 * right / (rows + said) if rows + said else None,
        }
    return found


def lines_of_scores(found: dict[str, dict[str, Any]], width: int) -> list[str]:
    """Return a table of scores, of the largest classes if there are many, and their means over all classes."""
    order = sorted(found, key=lambda label: -found[label]["rows"])[:LISTED]
    shown = [label for label in found if label in order]
    room = min(max(5, *map(len, shown)), width - 37)
    lines = [f"{'class':<{room}}  {'rows':>7}  precision  recall      F1"]
    lines += [f"{cut(label, room):<{room}}  {found[label]['rows']:>7,}  {_numbers(found[label])}" for label in shown]
    if len(found) > len(shown):
        lines.append(f"and {counted(len(found) - len(shown), 'more class', 'more classes')}; --json lists all")
    judged = [scored for scored in found.values() if scored["f1"] is not None]
    means = {
        key: sum(scored[key] or 0.0 for scored in judged) / max(len(judged), 1) for key in ("precision", "recall", "f1")
    }
    return [*lines, f"{'mean':<{room}}  {'':>7}  {_numbers(means)}"]


def _numbers(scored: dict[str, Any]) -> str:
    """Return precision, recall and F1, aligned."""
    shown = ("—" if scored[key] is None else f"{scored[key]:.4f}" for key in KEYS)
    return "{:>9}  {:>6}  {:>6}".format(*shown)


def lines_of_mistakes(confusion: NDArray[np.int64], classes: list[str], width: int) -> list[str]:
    """Return the confusion matrix if it fits into `width`, else the most frequent mistakes."""
    room = max(5, *map(len, classes))
    cells = [max(len(label), len(f"{n:,}")) for label, n in zip(classes, confusion.max(axis=0).tolist(), strict=True)]
    if len(classes) <= MATRIX and room + sum(cells) + 2 * len(classes) <= width:
        head = "".join(f"  {label:>{cell}}" for label, cell in zip(classes, cells, strict=True))
        lines = [f"{'true':<{room}}{head}   ← predicted"]
        for label, row in zip(classes, confusion.tolist(), strict=True):
            lines.append(f"{label:<{room}}" + "".join(f"  {n:>{cell},}" for n, cell in zip(row, cells, strict=True)))
        return [cut(line, width) for line in lines]
    wrong = confusion - np.diag(np.diag(confusion))
    order = np.argsort(-wrong, axis=None, kind="stable")[:MISTAKES]
    pairs = [divmod(int(at), len(classes)) for at in order if wrong.flat[at]]
    lines = [f"{wrong[i, j]:>7,}  {classes[i]} predicted as {classes[j]}" for i, j in pairs]
    return [cut(line, width) for line in (["most frequent mistakes", *lines] if lines else ["no mistakes"])]
