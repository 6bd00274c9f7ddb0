"""Event model of columns of categories: Σ_j ln θ_c,j,x_j, with one Dirichlet per class and column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.models.events import Estimate, _known, _mode, log, log_ratio
from suffice.models.kernels import category_scores
from suffice.posterior import Dirichlet
from suffice.stats import CategoryCounts
from suffice.typing import Array, Integers

__all__ = ["Categorical", "Lookup"]


@dataclass(frozen=True)
class Categorical:
    """Columns of category codes. A code beyond those known has the mass of a category seen no time."""

    alpha: float
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
        mass = np.full(len(t.counts), alpha)
        totals = [counts.sum(axis=1) + alpha * counts.shape[1] for counts in columns]
        unseen = [_known(log_ratio(mass, total), -np.inf) for total in totals]
        table = np.concatenate([np.column_stack(pair) for pair in zip(tables, unseen, strict=True)], axis=1)
        return Lookup(np.ascontiguousarray(table.T), t.sizes)


@dataclass(frozen=True)
class Lookup:
    """ln θ of every category, columns side by side, each followed by that of an unseen one."""

    table: Array  # Σ(size + 1) × classes
    sizes: Integers

    def scores(self, X: Any) -> Array:
        """Rows × classes."""
        return category_scores(np.minimum(X, self.sizes), self.table, self.sizes + 1)
