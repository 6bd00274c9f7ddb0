"""How good the answers are: each row judged by a model that has not learned it, and what that adds up to."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice import evaluate
from suffice.errors import SubtractionError, SufficeError
from suffice.posterior import Beta
from suffice.reporting.rows import Given
from suffice.typing import Array, Integers

__all__ = ["LEVEL", "Judged", "judge", "looks_learned", "without"]

LEVEL = 0.95
BINS = 10


@dataclass(frozen=True)
class Judged:
    """Probabilities of rows, and all that is counted of them."""

    classes: NDArray[Any]
    codes: Integers
    probabilities: Array
    log_loss: float
    learned: bool  # the rows were learned
    left_out: bool  # and each is judged by the model without it
    how: str  # the same in words

    @property
    def answers(self) -> Integers:
        """The most probable class of each row."""
        return np.asarray(self.probabilities.argmax(axis=1), np.int64)

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether it is the true one."""
        return np.asarray(self.answers == self.codes)

    @property
    def sure(self) -> Array:
        """How probable it is."""
        return np.asarray(self.probabilities.max(axis=1))

    @property
    def accuracy(self) -> dict[str, float]:
        """The share of rows that are right, and where it lies by a uniform prior."""
        return share(int(self.right.sum()), len(self.codes))

    @property
    def by_class(self) -> list[dict[str, Any]]:
        """The same of each class that has rows."""
        n = np.bincount(self.codes, minlength=len(self.classes))
        right = np.bincount(self.codes[self.right], minlength=len(self.classes))
        said = np.bincount(self.answers, minlength=len(self.classes))
        lines = []
        for c in np.flatnonzero(n).tolist():
            of_said = share(int(right[c]), int(said[c]))
            line = {"code": c, "class": str(self.classes[c]), "rows": int(n[c]), "said": int(said[c])}
            lines.append({**line, **share(int(right[c]), int(n[c])), "precision": of_said})
        return lines

    @property
    def confusion(self) -> NDArray[np.int64]:
        """Rows by true class and answer."""
        k = len(self.classes)
        return np.bincount(self.codes * k + self.answers, minlength=k * k).reshape(k, k)

    @property
    def guess(self) -> tuple[float, float]:
        """Accuracy and log loss of one who knows only how frequent classes are."""
        shares = np.bincount(self.codes) / len(self.codes)
        some = shares[shares > 0]
        return float(some.max()), float(-(some * np.log(some)).sum())

    def reliability(self) -> tuple[list[dict[str, float]], float]:
        """Bins of confidence, each with how often it is right, and the calibration error."""
        # probabilities may have been rounded beyond one
        found = evaluate.reliability(
            np.minimum(self.probabilities, 1.0), self.classes[self.codes], self.classes, bins=BINS
        )
        bins = [
            {"confidence": float(c), **share(round(float(a * n)), int(n)), "rows": int(n)}
            for c, a, n in zip(found.confidence, found.accuracy, found.rows, strict=True)
        ]
        return bins, found.error


def share(right: int, n: int) -> dict[str, float]:
    """Right ones of n, and the interval of what is believed of the share after them."""
    low, high = Beta(1.0 + right, 1.0 + n - right).interval(LEVEL)
    return {"right": right, "share": right / n if n else float("nan"), "low": float(low), "high": float(high)}


def looks_learned(model: Any, given: Given) -> tuple[bool, bool]:
    """Whether these can be the rows that the model learned, all of them; and whether they can be some of them."""
    rows = np.array([(given.labels == label).sum() for label in model.classes_], np.float64)
    known = np.asarray(model.class_count_, np.float64)
    if given.dropped or (rows > known * (1 + 1e-9)).any():
        return False, False
    try:
        copy(model).forget(given.rows, given.labels)
    except SubtractionError:
        return False, False
    except SufficeError:  # it cannot forget, so nobody can tell
        pass
    return bool(np.allclose(rows, known)), True


def judge(model: Any, given: Given, held_out: bool | None) -> Judged:
    """Rows that were learned by leave-one-out, others as they are; if nobody says which, by what was counted."""
    every, some = looks_learned(model, given) if held_out is None else (not held_out, not held_out)
    codes = np.asarray(np.searchsorted(model.classes_, given.labels), np.int64)
    if every:
        told = "These are the rows that the model learned, as many of each class as it has counted. "
        told = told if held_out is None else "These rows were learned. "
        try:
            judged = copy(model)  # it notes down what it finds
            probabilities = judged.leave_one_out(given.rows, given.labels)
            how = told + "Each is judged by the model without it: exact leave-one-out."
            if judged.n_singletons_:
                how += f" {judged.n_singletons_:,} have no other row of their class, and are left out of the log loss."
            return Judged(model.classes_, codes, probabilities, judged.loo_log_loss_, True, True, how)
        except SufficeError as error:
            how = f"{told}They are judged by the model that learned them, which flatters it, because: {error}"
    elif some:
        how = (
            "These rows are judged as new. What the model has counted could contain them, though; if it learned them, "
            "held_out=False judges each without itself."
        )
    else:
        how = "These rows are new to the model: what it has counted does not contain them."
        how = how if held_out is None else "These rows were held out: the model has not learned them."
    logs = np.asarray(model.predict_log_proba(given.rows))
    loss = evaluate.log_loss(np.minimum(logs, 0.0), given.labels, model.classes_)
    return Judged(model.classes_, codes, np.exp(logs), loss, every, False, how)


def without(model: Any, judged: Judged, given: Given, i: int) -> Any:
    """The model that row i is explained by: the one that judged it."""
    if not judged.left_out:
        return model
    try:
        rest = copy(model).forget([given.one(i)] if given.texts else given.one(i), given.labels[i : i + 1])
    except (SufficeError, ValueError):
        return model
    return rest if len(getattr(rest, "classes_", ())) > 1 else model
