"""Judge a classifier on labelled rows by a named method, for the command line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from suffice import evaluate
from suffice.errors import InputError, LabelError
from suffice.estimators.shell.folds import fold_numbers
from suffice.reporting import pitfalls
from suffice.reporting.judged_rows import JudgedRows, judge, judge_by_folds
from suffice.reporting.labelled_rows import LabelledRows, read
from suffice.telling import counted

__all__ = ["METHODS", "judged_by"]

METHODS = ("holdout", "folds", "loo")
HELD = 5  # one row in five is held out


def judged_by(model: Any, X: Any, y: Any, method: str | None, folds: int) -> JudgedRows:
    """Judge a classifier on rows by models that have not learned them.

    An unfitted classifier is fitted first: to a part of the rows for "holdout", which is its default, else to all. A
    fitted one is taken to have learned these rows for "folds" and "loo", but not for "holdout"; without a method, its
    counts decide.
    """
    if method is not None and method not in METHODS:
        raise InputError(f"The option '--method' must be holdout, folds or loo; got {method!r}.")
    if folds < 2:
        raise InputError(f"The option '--folds' must be 2 or more; got {folds}.")
    fitted = hasattr(model, "classes_")
    if not fitted and method in ("holdout", None):
        return _holdout(model, X, y)
    if not fitted:
        model = unfitted(model).fit(X, y)
    given = read(model, X, y)
    if method == "folds":
        judged = judge_by_folds(model, given, folds)
    elif method == "loo":
        judged = _leave_one_out(model, given)
    else:
        judged = judge(model, given, None if method is None else True)
    part = np.arange(len(given)) if method == "loo" else judged.fold
    return replace(judged, how=judged.how + _left_out(given), notes=pitfalls.of(model, given, part))


def _holdout(estimator: Any, X: Any, y: Any) -> JudgedRows:
    """Judge one row in five, picked by a hash of its number, by a model fitted to the others."""
    labels = np.asarray(y)
    held = fold_numbers(np.unique(labels, return_inverse=True)[1], None, HELD) == 0
    if held.all():
        raise LabelError("Holding out rows needs at least 2 rows; got 1. Give more rows.")
    rest = unfitted(estimator).fit(X.take(np.flatnonzero(~held)), labels[~held])
    given = read(rest, X.take(np.flatnonzero(held)), labels[held])
    judged = judge(rest, given, True)
    learned, others = counted(int((~held).sum()), "row"), counted(int(held.sum()), "other row")
    how = f"Hold-out: a model fitted to {learned} is evaluated on {others}."
    how += _left_out(given)
    every = read(rest, X, y)
    apart = held[every.numbers]
    return replace(judged, how=how, notes=pitfalls.of(rest, every, apart.astype(np.int64), apart))


def _left_out(given: LabelledRows) -> str:
    """Return a sentence about rows whose class the model has not learned, if there are any."""
    if not given.dropped:
        return ""
    return f" {counted(given.dropped, 'row')} of a class that it has not learned {_is(given.dropped)} left out."


def unfitted(model: Any) -> Any:
    """Return an unfitted classifier with the same parameters."""
    return type(model)(**model.get_params(deep=False))


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _leave_one_out(model: Any, given: LabelledRows) -> JudgedRows:
    found = evaluate.leave_one_out(model, given.rows, given.labels)
    how = "Leave-one-out: each row is evaluated with counts without it, with hyperparameters chosen without its fold."
    if found.n_singletons:
        alone = counted(found.n_singletons, "row")
        how += f" {alone} without another row of the same class {_is(found.n_singletons)} left out of the log loss."
    return JudgedRows(model.classes_, found.codes, found.probabilities, found.log_loss, True, how)
