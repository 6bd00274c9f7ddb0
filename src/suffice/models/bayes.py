"""Bayes' rule, the only place where it is written.

joint      ln p(x, c) = ln p(c) + ln p(x | c)
NB-10      ln p(c | x) = joint_c − ln Σ e^joint, the sum taken about its largest term
NB-12      a row that no class can have made keeps the class prior, and the user is told

A scorer knows ln p(x | c): `scores(rows)` is rows × classes. Where it can tell the best class without writing them all
down, it has `best(rows, log_prior)` as well. Otherwise rows are taken a block at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from suffice.stats.inputs import Rows
from suffice.tables import Table
from suffice.telling import counted, tell
from suffice.text import Batch
from suffice.typing import Array, Integers

__all__ = ["ImpossibleSampleWarning", "Scorer", "decide", "joint", "log_posterior", "normalise"]

NUMBERS_AT_ONCE = 2**19


class ImpossibleSampleWarning(UserWarning):
    """A row has probability zero under every class."""


class Scorer(Protocol):
    """What a model leaves behind to score rows with."""

    def scores(self, X: Any) -> Array:
        """ln p(x | c), rows × classes, up to a constant that all classes of a row share."""


def joint(scorer: Scorer, X: Any, log_prior: Array) -> Array:
    """ln p(x, c) of each row and class."""
    scores = scorer.scores(X)
    scores += log_prior
    # a class of probability zero stays so, whatever a model without its data says
    scores[:, np.isneginf(log_prior)] = -np.inf
    return scores


def log_posterior(scorer: Scorer, X: Any, log_prior: Array) -> Array:
    """ln p(c | x) of each row and class."""
    rows = X if isinstance(X, Batch | Table) else Rows.read(X, "X")
    out = np.empty((len(rows), len(log_prior)))
    impossible = 0
    for block in _blocks(rows, len(log_prior)):
        part = joint(scorer, rows.part(block), log_prior)
        impossible += normalise(part, log_prior)
        out[block] = part
    _tell(impossible, len(rows))
    return out


def normalise(scores: Array, log_prior: Array) -> int:
    """Make joint log-probabilities, in place, those of the classes; the number of rows that no class can have made."""
    largest = scores.max(axis=1, keepdims=True)
    lost = np.isneginf(largest[:, 0])
    if lost.any():
        scores[lost] = np.broadcast_to(log_prior, scores.shape)[lost]  # NB-12
        largest = scores.max(axis=1, keepdims=True)
        nothing = np.isneginf(largest[:, 0])  # where no class has a row, all are alike
        scores[nothing], largest[nothing] = 0.0, 0.0
    scores -= largest
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))  # NB-10
    return int(lost.sum())


def decide(scorer: Scorer, X: Any, log_prior: Array) -> Integers:
    """The most probable class of each row."""
    rows = X if isinstance(X, Batch | Table) else Rows.read(X, "X")
    best: Any = getattr(scorer, "best", None)
    if best is not None:
        codes = best(rows, log_prior)
    else:
        codes = np.empty(len(rows), np.int64)
        for block in _blocks(rows, len(log_prior)):
            part = joint(scorer, rows.part(block), log_prior)
            codes[block] = np.where(np.isneginf(part.max(axis=1)), -1, part.argmax(axis=1))
    lost = codes < 0
    if lost.any():
        codes[lost] = np.argmax(log_prior)  # NB-12
        _tell(int(lost.sum()), len(rows))
    return np.asarray(codes, np.int64)


def _blocks(rows: Rows | Batch | Table, classes: int) -> Iterator[slice]:
    """Cuts of the rows, so that neither their numbers nor their scores are many at once."""
    step = max(1, NUMBERS_AT_ONCE // max(1, classes, rows.width))
    for at in range(0, len(rows), step):
        yield slice(at, min(len(rows), at + step))


def _tell(impossible: int, rows: int) -> None:
    if impossible:
        tell(
            f"{impossible:,} of {counted(rows, 'row')} {'has' if impossible == 1 else 'have'} probability zero in "
            f"every class and {'gets' if impossible == 1 else 'get'} the class prior. "
            "A larger alpha, or estimate='mean', leaves nothing impossible.",
            ImpossibleSampleWarning,
        )
