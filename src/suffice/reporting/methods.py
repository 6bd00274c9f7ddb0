"""The ways to judge a classifier on labelled rows, by name, for the command line."""

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

__all__ = ["METHODS", "judged_by"]

METHODS = ("holdout", "folds", "loo")
HELD = 5  # one row of so many is held out


def judged_by(model: Any, X: Any, y: Any, method: str | None, folds: int) -> JudgedRows:
    """Judge a classifier on rows by models that know nothing of them.

    One that is not fitted is fitted, to a part of the rows where some are held out. One that is fitted has learned
    these rows by "folds" and "loo", and has not by "holdout"; if no method is given, its counts tell.
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
    return replace(judged, notes=pitfalls.of(model, given, part))


def _holdout(estimator: Any, X: Any, y: Any) -> JudgedRows:
    """Judge one row in five, picked by a hash of its number, by a model of the others."""
    labels = np.asarray(y)
    held = fold_numbers(np.unique(labels, return_inverse=True)[1], None, HELD) == 0
    if held.all():
        raise LabelError("Holding out rows needs at least two; got one. Give more rows.")
    rest = unfitted(estimator).fit(X.take(np.flatnonzero(~held)), labels[~held])
    given = read(rest, X.take(np.flatnonzero(held)), labels[held])
    judged = judge(rest, given, True)
    how = f"One of {HELD} was held out: {held.sum():,} rows are judged by a model of the other {(~held).sum():,}."
    if given.dropped:
        how += f" {given.dropped:,} of them are of classes that these do not have, and are left out."
    every = read(rest, X, y)
    return replace(judged, how=how, notes=pitfalls.of(rest, every, held[every.numbers].astype(np.int64), held))


def unfitted(model: Any) -> Any:
    """Return the same classifier, with nothing learned."""
    return type(model)(**model.get_params(deep=False))


def _leave_one_out(model: Any, given: LabelledRows) -> JudgedRows:
    found = evaluate.leave_one_out(model, given.rows, given.labels)
    how = "Leave-one-out: each is judged by counts without it, and with views that were chosen without its fold."
    if found.n_singletons:
        how += f" {found.n_singletons:,} have no other row of their class, and are left out of the log loss."
    return JudgedRows(model.classes_, found.codes, found.probabilities, found.log_loss, True, how)
