"""Event model of columns of categories: Σ_j ln θ_c,j,x_j, with one Dirichlet per class and column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.models import leave_out
from suffice.models.events import Estimate, _known, _mode, added
from suffice.models.scoring.kernels import by_feature, category_scores
from suffice.models.logs import log, log_ratio
from suffice.posterior import Dirichlet
from suffice.stats import CategoryCounts
from suffice.stats.inputs import Rows
from suffice.typing import Array, Integers

__all__ = ["Categorical", "Lookup"]


@dataclass(frozen=True)
class Categorical:
    """Columns of category codes. A code beyond those known has the mass of a category seen no time."""

    alpha: float | Array
    estimate: Estimate = "mean"

    def log_theta(self, counts: Array) -> Array:
        """ln θ of one column, classes × categories."""
        if self.estimate == "map":
            return log(_mode(Dirichlet, self.alpha + counts))  # NB-2
        smoothed = counts + (0.0 if self.estimate == "mle" else self.alpha)
        theta = log_ratio(smoothed, smoothed.sum(axis=1, keepdims=True))  # NB-2
        return _known(theta, -np.log(max(1, counts.shape[1])))

    def scorer(self, t: CategoryCounts) -> Lookup:
        """Scores of rows of codes."""
        columns = [t.column(j) for j in range(len(t.sizes))]
        tables = [self.log_theta(counts) for counts in columns]
        alpha = 0.0 if self.estimate == "mle" else self.alpha
        totals = [counts.sum(axis=1) + alpha * counts.shape[1] for counts in columns]
        unseen = [_known(log_ratio(np.full(len(t.counts), alpha), total), -np.inf) for total in totals]
        table = np.concatenate([np.column_stack(pair) for pair in zip(tables, unseen, strict=True)], axis=1)
        return Lookup(by_feature(table), np.concatenate([[0], np.cumsum(t.sizes + 1)]).astype(np.int64), len(t.counts))

    def leave_out(self, t: CategoryCounts, n: Array, X: Rows, codes: Integers, weights: Array, scores: Array) -> Array:
        """Scores of rows, each by a class that has not seen it."""
        own = np.empty(len(codes))
        prior = float(added(np.asarray(self.alpha), self.estimate))
        for weight in np.unique(weights):
            columns = [np.maximum(t.column(j) - weight, 0.0) for j in range(len(t.sizes))]
            size = leave_out.left(n, np.minimum(n, weight))[:, None]
            tables = [leave_out.cells(counts, size, prior, prior * counts.shape[1]) for counts in columns]
            first = np.concatenate([[0], np.cumsum(t.sizes)]).astype(np.int64)
            mine = np.flatnonzero(weights == weight)
            rows = X if len(mine) == len(codes) else Rows(X.matrix[mine], X.shape, X.name)
            without = Lookup(by_feature(np.concatenate(tables, axis=1)), first, len(n)).scores(rows)
            own[mine] = without[np.arange(len(mine)), codes[mine]]
        return leave_out.put(scores, codes, own)


@dataclass(frozen=True)
class Lookup:
    """ln θ of every category, columns side by side, each followed by that of an unseen one."""

    table: Array  # a line per category
    first: Integers  # each column's first line, then their number
    classes: int

    def scores(self, X: Any) -> Array:
        """Rows × classes."""
        rows = Rows.read(X, "X")
        out: Array = category_scores(
            np.empty((len(rows), self.classes)), rows, self.table, self.first, np.zeros(self.classes)
        )
        return out

    def best(self, X: Any, log_prior: Array) -> Integers:
        """The class of the largest joint, row by row; −1 where no class is possible."""
        rows = Rows.read(X, "X")
        out: Integers = category_scores(np.empty(len(rows), np.int64), rows, self.table, self.first, log_prior)
        return out
