"""Evaluate a classifier on labelled rows by a named method, for the command line."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice import evaluate
from suffice.errors import InputError
from suffice.estimators.shell.merging import unfitted
from suffice.reporting import pitfalls
from suffice.reporting.judged_rows import JudgedRows, judge, judge_by_folds, left_out_rows
from suffice.reporting.labelled_rows import read
from suffice.telling import counted

METHODS = ("holdout", "folds", "loo")


def judged_by(model: Any, X: Any, y: Any, method: str | None, folds: int) -> JudgedRows:
    """Evaluate a classifier on rows by models that have not learned them, with warnings of what flatters.

    An unfitted classifier is fitted first: to a part of the rows for "holdout", which is its default, else to all. A
    fitted one is taken to have learned these rows for "folds" and "loo", but not for "holdout"; without a method, its
    counts decide.
    """
    if method is not None and method not in METHODS:
        raise InputError("The option '--method'", "be holdout, folds or loo", got=method)
    if folds < 2:
        raise InputError("The option '--folds'", "be 2 or more").but(f"got {folds}")
    if not hasattr(model, "classes_"):
        if method in ("holdout", None):
            held = evaluate.hold_out(model, X, y)
            rest, scored = int((~held.held_out).sum()), len(held.codes) - held.n_singletons
            how = f"Hold-out: a model fitted to {counted(rest, 'row')} is evaluated on {counted(scored, 'other row')}."
            every = read(held.model, X, y)
            apart = held.held_out[every.numbers]
            notes = pitfalls.of(held.model, every, apart.astype(np.int64), apart)
            return JudgedRows.of(held, False, how + _unknown(held.n_singletons), notes=notes)
        model = unfitted(model).fit(X, y)
    given = read(model, X, y)
    if method == "folds":
        judged = judge_by_folds(model, given, folds)
    elif method == "loo":
        left_out = evaluate.leave_one_out(model, given.rows, given.labels)
        how = (
            "Leave-one-out: each row is evaluated with counts without it, with hyperparameters chosen without its fold."
        )
        judged = JudgedRows.of(left_out, True, how + left_out_rows(left_out, "without another row of the same class"))
    else:
        judged = judge(model, given, None if method is None else True)
    part = np.arange(len(given)) if method == "loo" else judged.fold
    notes = pitfalls.of(model, given, part)
    more = {"fold": judged.fold, "models": judged.models, "notes": notes}
    return JudgedRows.of(judged, judged.learned, judged.how + _unknown(given.dropped), **more)


def _unknown(rows: int) -> str:
    """Return a sentence about rows whose class the model has not learned, if there are any."""
    if not rows:
        return ""
    return f" {counted(rows, 'row')} of a class that it has not learned {'is' if rows == 1 else 'are'} left out."
