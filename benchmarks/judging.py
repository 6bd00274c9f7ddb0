"""How good probabilities are on rows that a classifier has not seen, and how long it took to learn."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.evaluate import Reliability, reliability
from suffice.typing import Array, Booleans, Integers

CLIP = 1e-15
"""The least probability that a peer's log loss is charged for, as scikit-learn has it."""

Split = tuple[Any, Any]
"""Numbers of the rows to learn from, and of those to test with."""

Parts = tuple[tuple[Any, Any], tuple[Any, Any]]
"""Rows and labels to learn from, and to test with."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Log-probabilities of test rows, what they are, and seconds to learn and to answer, on average over splits."""

    logs: Array
    truth: Integers
    seconds: float
    answering: float = 0.0

    @property
    def right(self) -> Booleans:
        """Whether each row's class was predicted."""
        return np.asarray(self.logs.argmax(axis=1) == self.truth)

    @property
    def each(self) -> Array:
        """−ln p of the class of each row."""
        return np.asarray(-self.logs[np.arange(len(self.truth)), self.truth])

    @property
    def accuracy(self) -> float:
        return float(self.right.mean())

    @property
    def log_loss(self) -> float:
        return float(self.each.mean())

    @property
    def reliability(self) -> Reliability:
        return reliability(np.exp(self.logs), self.truth, np.arange(self.logs.shape[1]))


Found = dict[str, Judged]
"""By the name of the method."""


def judge(make: Callable[[], Any], parts: Iterable[Parts], clip: float = 0.0) -> Judged:
    """Learn from one part and test with the other, once for each pair; all must have the same classes."""
    logs, truth, seconds, answering = [], [], [], []
    for (X, y), (Z, labels) in parts:
        model = make()
        start = time.perf_counter()
        model.fit(X, y)
        seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        logs.append(clipped(model.predict_log_proba(Z), clip))
        answering.append(time.perf_counter() - start)
        truth.append(np.searchsorted(model.classes_, labels))
    times = float(np.mean(seconds)), float(np.mean(answering))
    return Judged(np.concatenate(logs), np.concatenate(truth), *times)


def clipped(logs: Any, least: float = CLIP) -> Array:
    """Return log-probabilities, none below that of the least."""
    return np.asarray(np.maximum(logs, np.log(least)) if least else logs)


def parted(X: Any, y: Any, splits: Iterable[Split]) -> Iterator[Parts]:
    """Yield the rows of each split, of a frame or of a list of texts."""
    for train, test in splits:
        yield (rows(X, train), np.asarray(y)[train]), (rows(X, test), np.asarray(y)[test])


def rows(X: Any, which: Any) -> Any:
    return [X[i] for i in which] if isinstance(X, list) else X.iloc[which]
