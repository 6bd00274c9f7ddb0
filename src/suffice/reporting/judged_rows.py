"""Judge each row by a model that has not learned it, and compute accuracy, calibration and confusion."""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice import evaluate
from suffice.errors import InputError, SubtractionError, SufficeError
from suffice.estimators.comparing.validation import FOLDS, judged_by_folds
from suffice.reporting.labelled_rows import LabelledRows
from suffice.telling import counted
from suffice.typing import Array, Integers

__all__ = ["LEVEL", "SAY_SO", "JudgedRows", "judge", "judge_by_folds", "judging", "looks_learned"]

LEVEL = 0.95
SAY_SO = "held_out=False, or --learned of 'suffice report'"
"""How to say that rows were learned."""
BINS = 10


@dataclass(frozen=True)
class JudgedRows:
    """Predicted probabilities of rows, and the figures computed from them."""

    classes: NDArray[Any]
    codes: Integers
    probabilities: Array
    log_loss: float
    learned: bool  # whether the model has learned the rows
    how: str  # how they are judged, in words
    fold: Integers | None = None  # of each row, if models without that fold judge the rows
    models: tuple[Any, ...] = ()  # the models without each fold
    notes: tuple[str, ...] = ()  # warnings about what may make the figures too optimistic

    @property
    def left_out(self) -> bool:
        """Whether each row is judged by a model without its fold."""
        return self.fold is not None

    @property
    def answers(self) -> Integers:
        """The most probable class of each row."""
        return np.asarray(self.probabilities.argmax(axis=1), np.int64)

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether the most probable class of each row is the true one."""
        return np.asarray(self.answers == self.codes)

    @property
    def sure(self) -> Array:
        """Probability of the most probable class of each row."""
        return np.asarray(self.probabilities.max(axis=1))

    @property
    def accuracy(self) -> dict[str, float]:
        """Share of rows that are predicted right, with its interval."""
        return share(int(self.right.sum()), len(self.codes))

    @property
    def by_class(self) -> list[dict[str, Any]]:
        """Accuracy of each class that has rows, with its interval."""
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
        """Number of rows by true and predicted class."""
        k = len(self.classes)
        return np.bincount(self.codes * k + self.answers, minlength=k * k).reshape(k, k)

    @property
    def guess(self) -> tuple[float, float]:
        """Accuracy and log loss of a prediction from class frequencies alone."""
        shares = np.bincount(self.codes) / len(self.codes)
        seen = shares[shares > 0]
        return float(seen.max()), float(-(seen * np.log(seen)).sum())

    @property
    def scored(self) -> int | None:
        """The class whose probability is calibrated: the second of two, else none, which is the predicted class."""
        return 1 if len(self.classes) == 2 else None

    @property
    def scored_name(self) -> str:
        """The name of the class that is calibrated."""
        return "the predicted class" if self.scored is None else str(self.classes[self.scored])

    @property
    def scores(self) -> tuple[Array, NDArray[np.bool_]]:
        """The probability of the class that is calibrated, and whether each row belongs to it."""
        probability, own = self.sure, self.right
        if self.scored is not None:
            probability, own = self.probabilities[:, self.scored], np.asarray(self.codes == self.scored)
        return np.minimum(probability, 1.0), own  # rounding may have taken probabilities above one

    def reliability(self) -> tuple[list[dict[str, float]], float]:
        """Return bins of the probability of the calibrated class with its share in each, and the calibration error."""
        probability, own = self.scores
        place = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
        rows = np.bincount(place, minlength=BINS)
        mean = np.bincount(place, probability, BINS) / np.maximum(rows, 1)
        right = np.bincount(place[own], minlength=BINS)
        bins = [
            {"confidence": float(mean[k]), **share(int(right[k]), int(rows[k])), "rows": int(rows[k])}
            for k in np.flatnonzero(rows).tolist()
        ]
        gaps = np.array([abs(one["confidence"] - one["share"]) for one in bins])
        return bins, float(gaps @ rows[rows > 0] / rows.sum())


def share(right: int, n: int) -> dict[str, float]:
    """Return the share of `right` among `n`, with the credible interval of its posterior."""
    low, high = evaluate.share_interval(right, n, LEVEL)
    return {"right": right, "share": right / n if n else float("nan"), "low": low, "high": high}


ALL = "These are the rows that the model learned, as many of each class as it has counted. "
ENTERED = "The journal of the model holds these rows, so it has learned them. "


def looks_learned(model: Any, given: LabelledRows) -> tuple[str, bool]:
    """Return why these must be learned rows, or "" if they need not be, and whether they can be."""
    rows = np.array([(given.labels == label).sum() for label in model.classes_], np.float64)
    known = np.asarray(model.class_count_, np.float64)
    if given.dropped or (rows > known * (1 + 1e-9)).any():
        return "", False
    entered = False
    try:
        with suppress(InputError):  # without a journal, or without its key, the counts decide
            entered = bool(model.has_learned(given.rows, given.labels).all())
            if not entered:
                return "", False
        copy(model).drop_journal().forget(given.rows, given.labels)
    except SubtractionError:
        return "", False
    except SufficeError:  # the model cannot forget, so this cannot be known
        pass
    return ALL if np.allclose(rows, known) else ENTERED if entered else "", True


def judge(model: Any, given: LabelledRows, held_out: bool | None, all_rows: LabelledRows | None = None) -> JudgedRows:
    """Judge learned rows by models without their fold, and new rows by the model itself.

    If `held_out` is None, the journal and the counts of the model decide which rows these are. `all_rows` are the rows
    that `given` is a subset of.
    """
    told = "" if held_out else "These rows were learned. "
    note, subset = looks_learned(model, all_rows or given) if held_out is None else (told, not held_out)
    if note:
        try:
            return judge_by_folds(model, given, FOLDS, note)
        except (SufficeError, ValueError) as error:
            how = (
                f"{note}They are evaluated with the model that learned them, so the figures are too optimistic: {error}"
            )
    elif subset:
        how = (
            "These rows are evaluated as new, but the counts of the model could contain them. If it has learned them, "
            f"the figures are too optimistic: say so ({SAY_SO}), and each row is evaluated with a model without it."
        )
    else:
        how = "The counts of the model do not contain all of these rows: they are evaluated as new rows."
        how = how if held_out is None else "You say that these rows were held out; they are evaluated as new."
    codes = np.asarray(np.searchsorted(model.classes_, given.labels), np.int64)
    logs = np.asarray(model.predict_log_proba(given.rows))
    loss = evaluate.log_loss(np.minimum(logs, 0.0), given.labels, model.classes_)
    return JudgedRows(model.classes_, codes, np.exp(logs), loss, bool(note), how)


def judge_by_folds(model: Any, given: LabelledRows, folds: int, note: str = "") -> JudgedRows:
    """Judge learned rows by models without their fold: counts are subtracted, hyperparameters chosen again."""
    found, models = judged_by_folds(model, given.rows, given.labels, None, None, folds, keep=True)
    how = (
        f"{note}Each row is evaluated with a model without it: the rows are split into {found.n_folds} folds, and the "
        "counts of a fold are subtracted before hyperparameters are chosen."
    )
    if found.n_singletons:
        alone, verb = counted(found.n_singletons, "row"), "is" if found.n_singletons == 1 else "are"
        how += f" {alone} whose class no other fold has {verb} left out of the log loss."
    return JudgedRows(
        model.classes_, found.codes, found.probabilities, found.log_loss, True, how, found.fold, tuple(models)
    )


def judging(model: Any, judged: JudgedRows, i: int) -> Any:
    """Return the model that judged row i, to explain the row with."""
    rest = model if judged.fold is None else judged.models[judged.fold[i]]
    return rest if len(getattr(rest, "classes_", ())) > 1 else model
