"""Evaluate rows as learned or as new, and say how in words, for a report and for the command line."""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice import evaluate
from suffice.errors import InputError, SubtractionError, SufficeError
from suffice.estimators.comparing.validation import Validation, judged_by_folds, validate
from suffice.estimators.shell.folds import FOLDS
from suffice.reporting.labelled_rows import LabelledRows
from suffice.telling import counted
from suffice.typing import Array, Integers

LEVEL = 0.95
SAY_SO = "held_out=False, or --learned of 'suffice report'"
"""How to say that rows were learned."""


@dataclass(frozen=True, repr=False)
class JudgedRows(Validation):
    """Predictions of rows, how they were made, and the figures that a report shows of them."""

    learned: bool  # whether the model has learned the rows
    how: str  # how they are evaluated, in words
    fold: Integers | None = None  # of each row, if models without that fold predict the rows
    models: tuple[Any, ...] = ()  # the models without each fold
    notes: tuple[str, ...] = ()  # warnings about what may make the figures too optimistic

    @classmethod
    def of(cls, found: Validation, learned: bool, how: str, **more: Any) -> JudgedRows:
        """Return predictions with an account of how they were made."""
        return cls(
            found.classes, found.codes, found.log_probabilities, found.weights, found.alone, learned, how, **more
        )

    @property
    def left_out(self) -> bool:
        """Whether each row is predicted by a model without its fold."""
        return self.fold is not None

    @property
    def overall(self) -> dict[str, float]:
        """Accuracy, with its interval."""
        return share(int(self.confusion.trace()), int(self.confusion.sum()))

    @property
    def class_lines(self) -> list[dict[str, Any]]:
        """Recall and precision of each class that has rows, with their intervals."""
        return [
            {"code": c, "class": str(one.label), "rows": one.rows, "said": one.predicted}
            | {**share(int(one.right), int(one.rows)), "precision": share(int(one.right), int(one.predicted))}
            for c, one in enumerate(self.by_class)
            if one.rows
        ]

    @property
    def scored(self) -> int | None:
        """The class whose probability is calibrated: the second of two, else none, which is the predicted class."""
        return 1 if len(self.classes) == 2 else None

    @property
    def scored_name(self) -> str:
        """The name of the class that is calibrated."""
        return "the predicted class" if self.scored is None else str(self.classes[self.scored])

    @property
    def scores(self) -> Array:
        """The probability of the class that is calibrated."""
        return self.confidence if self.scored is None else self.probabilities[:, self.scored]

    @property
    def calibration(self) -> evaluate.Reliability:
        """Bins of the probability of the calibrated class, with its share in each."""
        return self.reliability(target=None if self.scored is None else self.classes[self.scored])

    @property
    def bins(self) -> list[dict[str, float]]:
        """The bins of `calibration`, with an interval for each share."""
        found = self.calibration
        columns = found.confidence, found.accuracy, *found.intervals(LEVEL), found.rows.astype(np.int64)
        names = ("confidence", "share", "low", "high", "rows")
        return [dict(zip(names, line, strict=True)) for line in zip(*(c.tolist() for c in columns), strict=True)]


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
    """Evaluate learned rows by models without their fold, and new rows by the model itself.

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
    return JudgedRows.of(validate(model, given.rows, given.labels), bool(note), how)


def judge_by_folds(model: Any, given: LabelledRows, folds: int, note: str = "") -> JudgedRows:
    """Evaluate learned rows by models without their fold: counts are subtracted, hyperparameters chosen again."""
    found, models = judged_by_folds(model, given.rows, given.labels, None, None, folds, keep=True)
    how = (
        f"{note}Each row is evaluated with a model without it: the rows are split into {found.n_folds} folds, and the "
        "counts of a fold are subtracted before hyperparameters are chosen."
    )
    how += left_out_rows(found, "whose class no other fold has")
    return JudgedRows.of(found, True, how, fold=found.fold, models=tuple(models))


def judging(model: Any, judged: JudgedRows, i: int) -> Any:
    """Return the model that predicted row i, to explain the row with."""
    rest = model if judged.fold is None else judged.models[judged.fold[i]]
    return rest if len(getattr(rest, "classes_", ())) > 1 else model


def left_out_rows(found: Validation, which: str) -> str:
    """Return a sentence about rows whose class their model does not know, if there are any."""
    if not found.n_singletons:
        return ""
    verb = "is" if found.n_singletons == 1 else "are"
    return f" {counted(found.n_singletons, 'row')} {which} {verb} left out of log loss and accuracy."
