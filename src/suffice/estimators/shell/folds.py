"""Predict folds of training rows by models that have not learned them.

Leaving a row out of the counts is exact. But what rows choose (pseudo-count, temper, feature powers, models of
columns) was chosen with the row, which makes its loss too low. So the counts of a fold are subtracted, which is also
exact and needs no pass over the other rows, and all choices are made again by the remaining rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from suffice.errors import InputError, SubtractionError
from suffice.later import sparse
from suffice.models.choosing.judge import Judged, judge, with_settled_of
from suffice.models.scoring.removal import group_codes
from suffice.models.views import Views
from suffice.readers.labels import Examples
from suffice.stats.content import hashed
from suffice.typing import Array, Booleans, GroupsLike, Integers

if TYPE_CHECKING:
    from suffice.estimators.shell.classifier import Classifier

__all__ = ["FOLDS", "Rest", "fold_numbers", "judged_apart", "rests", "scored_by_folds"]

FOLDS = 5

LEAST_SHARE = 0.5
"""Smallest share of the learned rows that choose again."""

ENOUGH = 20_000
"""Number of rows that choose views about as well as all rows do."""


@dataclass(frozen=True)
class Rest:
    """A fold, and the model without it; None if no row is left."""

    rows: Integers
    model: Classifier | None


def rests(
    model: Classifier, examples: Examples, groups: GroupsLike, fold: Integers, views: bool = True
) -> Iterator[Rest]:
    """Yield each fold with the model without it, whose columns' models, and views, the rows outside choose."""
    given = examples.labels.given
    _check_enough(model, given)
    parts = None if groups is None else np.asarray(groups)
    for k in range(int(fold.max(initial=-1)) + 1):
        inside, outside = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        if not given[outside].any() and np.allclose(given.sum(), model.class_count_.sum()):
            yield Rest(inside, None)
            continue
        others = examples.take(outside, model._reader)
        group = None if parts is None else parts[outside]
        yield Rest(inside, model._without(examples.take(inside, model._reader), others, group, views))


def judged_apart(estimator: Classifier, examples: Examples, groups: GroupsLike, views: str) -> tuple[Array, Booleans]:
    """Return log-probabilities of training rows by models without them, and which are alone in their class."""
    if views not in ("crossfit", "fixed"):
        raise InputError("views", "be 'crossfit' or 'fixed'", got=views)
    few = examples.labels.given.sum() < LEAST_SHARE * estimator.class_count_.sum()
    if views == "fixed" or not estimator._chose or (few and not estimator._predictor.views):
        judged = estimator._judge(examples, groups)
        return judged.log_proba(), judged.alone
    logs, alone = np.empty((len(examples), len(estimator.classes_))), np.zeros(len(examples), bool)
    group = None if groups is None else group_codes(groups, len(examples))
    fold = fold_numbers(examples.codes, group, FOLDS)
    for rows, judged in scored_by_folds(estimator, examples, groups, fold):
        logs[rows], alone[rows] = judged.log_proba(), judged.alone
    return logs, alone


def scored_by_folds(
    model: Classifier, examples: Examples, groups: GroupsLike, fold: Integers, views: bool = True
) -> Iterator[tuple[Integers, Judged]]:
    """Yield the rows of each fold, scored by all rows but one, with all that is chosen by the rows outside the fold.

    Without `views`, only models of columns are chosen.
    """
    group = None if groups is None else group_codes(groups, len(examples))
    for rest in rests(model, examples, groups, fold, views):
        mine = examples.take(rest.rows, model._reader)
        yield rest.rows, _judged(model, rest.model, mine, None if group is None else group[rest.rows])


def _judged(model: Classifier, rest: Classifier | None, fold: Examples, group: Integers | None) -> Judged:
    """Return the rows of a fold, scored with bins, priors and views of the rest, and counts of all rows but one."""
    seen = model._model.without_chosen() if rest is None else rest._model
    judging, known = copy(model if rest is None else rest), seen.among(model.classes_)
    every = known if rest is None else known + rest._count(fold)
    judging._put(every, Views() if rest is None else rest._predictor.views, True)
    predictor = judging._predictor
    if rest is not None:
        others = rest._predictor.model.among(model.classes_).blocks
        blocks = {
            name: with_settled_of(block, others[name])
            if name in others and type(others[name].likelihood) is type(block.likelihood)
            else block
            for name, block in predictor.model.blocks.items()
        }
        predictor = replace(predictor, model=replace(predictor.model, blocks=blocks))
    rows, labels = judging._reader.rows(fold.source), fold.labels
    return judge(predictor, rows, labels, group, settled=rest is not None)


def fold_numbers(codes: Integers, group: Integers | None, folds: int) -> Integers:
    """Return the fold of each row: stratified by class, without splitting groups, and deterministic.

    >>> fold_numbers(np.array([0, 0, 0, 0, 1, 1]), None, 2)
    array([0, 1, 0, 1, 0, 1])
    >>> fold_numbers(np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2]), 2)
    array([0, 0, 1, 1, 0, 0])
    """
    given: object = folds
    if not isinstance(given, int | np.integer) or given < 2:
        raise InputError("folds", "be a whole number of at least 2", got=folds)
    if group is None or np.bincount(group).max(initial=0) <= 1:
        order = np.lexsort((hashed(np.arange(len(codes))), codes))
        fold = np.empty(len(codes), np.int64)
        fold[order] = np.arange(len(codes)) % min(folds, max(len(codes), 1))
        return fold
    return _of_groups(codes, group, min(folds, int(group.max(initial=0)) + 1))[group]


def _of_groups(codes: Integers, group: Integers, folds: int) -> Integers:
    """Return the fold of each group: the largest first, each to the fold with the fewest rows of its classes."""
    classes = int(codes.max(initial=-1)) + 1
    size = np.bincount(codes, minlength=classes).astype(np.float64)
    shape = (int(group.max(initial=-1)) + 1, classes)
    rows = sparse.csr_matrix((np.ones(len(codes)), (group, codes)), shape)
    has, total = np.zeros((folds, classes)), np.zeros(folds)
    fold = np.empty(rows.shape[0], np.int64)
    sizes = np.asarray(rows.sum(axis=1)).ravel()
    for g in np.lexsort((hashed(np.arange(rows.shape[0])), -sizes)).tolist():
        mine = slice(rows.indptr[g], rows.indptr[g + 1])
        which, count = rows.indices[mine], rows.data[mine]
        k = int(np.lexsort((total, has[:, which] @ (count / size[which] ** 2)))[0])
        has[k, which] += count
        total[k] += sizes[g]
        fold[g] = k
    return fold


def _check_enough(model: Classifier, weights: Array) -> None:
    """Raise if there are more rows than were learned, or too few to choose views."""
    learned, given = float(model.class_count_.sum()), float(weights.sum())
    if given > learned * (1 + 1e-9):
        raise SubtractionError("X", f"hold rows that were learned, {learned:,.15g} in all").but(
            f"got {given:,.15g}",
            "Pass the rows that the model was fitted to, or an unfitted classifier to have it evaluated on other rows.",
        )
    if model._predictor.views and given < min(learned * LEAST_SHARE, ENOUGH):
        raise InputError("X", "hold the rows that were learned, or most of them, since they choose views again").but(
            f"got {given:,.15g} of {learned:,.15g}", python="Pass all rows, or use leave_one_out with views='fixed'."
        )
