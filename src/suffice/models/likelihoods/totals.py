"""Model numbers by how many there are and what they add up to; one conjugate family says all the rest.

A likelihood on top of this class states its prior before and after the data, and ln p of a value. Counting, scoring,
leave-one-out, explanations, posteriors, evidence and the reading of columns follow.

score      Σ_j ln p(x_j | n_c, Σx_cj)
held out   the same of n_c − g and Σx − g_j, without rows whose values add up to g_j                             SX-3
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.places import must_be_proper
from suffice.models.likelihoods.shared import by_class, check_mode
from suffice.models.scoring.beliefs import must_be_known
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.linear import DenseHeldOut
from suffice.models.scoring.removal import Removal, left
from suffice.models.scoring.results import Contributions, Estimate, HeldOut, Moments, Scorer
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.stats.inputs import COUNT, Allowed
from suffice.tables import Column, numbers
from suffice.typing import Array, Integers

__all__ = ["TotalScores", "Totals"]


@dataclass(frozen=True, eq=False, repr=False)
class Totals(Likelihood):
    """Model numbers whose statistic is their number `n` and their sum `total`, by class and feature."""

    storages = frozenset({"integer", "real"})
    allowed: ClassVar[Allowed] = COUNT

    estimate: Estimate

    values_are: ClassVar[str]
    """Values of a column, in words, such as "times of at least 0 and below 2**53"."""

    parameter: ClassVar[str]
    """Name of the parameter, as a column of `table`."""

    @abstractmethod
    def before(self) -> tuple[Array, Array]:
        """Return the two parameters of the prior: numbers, or one per feature."""

    @abstractmethod
    def after(self, n: Array, total: Array) -> tuple[Array, Array]:
        """Return the two parameters of the posterior, lines × features."""

    @abstractmethod
    def plug_in(self, n: Array, total: Array) -> Array:
        """Return the point estimates of the parameter, lines × features, for an estimate other than "predictive"."""

    @abstractmethod
    def log_likelihood(self, parameter: Array, x: Array) -> Array:
        """Return ln p of values, given parameters."""

    def logs(self, n: Array, total: Array, x: Array) -> Array:
        """Return ln p of values, lines × features, for classes of n rows that add up to `total`."""
        if self.estimate != "predictive":
            return self.log_likelihood(self.plug_in(n, total), x)
        family: Any = self.family
        return np.asarray(family(*self.after(n, total)).predict().log(x))

    def with_prior(self, t: Any) -> Totals:
        """Return the likelihood with a definite prior, where the one by default depends on the statistic."""
        return self

    def moments(self, n: Array, total: Array, x: Array) -> Moments | None:
        """Return the posterior mean and variance of ln p of values, if known."""
        return None

    # the answers ------------------------------------------------------------------------------------------------------

    def count(self, rows: MatrixRows, labels: Labels) -> Any:
        """Return the number of rows and their sum by class."""
        return rows.count(self.statistic, labels)  # type: ignore[arg-type]  # it has one type

    def settled(self, t: Any) -> Totals:
        """Return the likelihood with a definite prior; raise NoUniqueMode for "map" if a parameter has no mode."""
        found = self.with_prior(t)
        if self.estimate == "map":
            check_mode(self.family, *found.after(t.n, t.total))
        return found

    def scorer(self, t: Any) -> Scorer:
        """Return the scorer of rows."""
        return TotalScores(self, t)

    def held_out(self, t: Any, rows: MatrixRows, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, each without the row or its group."""
        x, code = rows.numbers, removed.code
        if rows.present is not None:
            x = np.where(rows.present[:, None], x, 0.0)
        n = left(t.n[code], removed.weight[:, None])
        total = left(t.total[code], removed.sums(x))
        scores = self.scorer(t).scores(rows)
        scores[removed.row, code] = self.logs(n, total, x[removed.row]).sum(axis=1)  # SX-3
        return DenseHeldOut(scores)

    def contributions(self, t: Any, rows: MatrixRows, weights: Array | None = None) -> Contributions:
        """Return the contribution of each value."""
        x = rows.numbers[0]
        found = self.moments(t.n, t.total, x)
        belief = None if found is None else (found[0].T, found[1].T)
        return Contributions(list(range(len(x))), [f"{value:.6g}" for value in x], self.logs(t.n, t.total, x).T, belief)

    def posterior(self, t: Any, features: Integers | None = None) -> Any:
        """Return the posterior of each class's parameters."""
        parts, family = self.after(t.n, t.total), cast(Any, self.family)
        return family(*(parts if features is None else (part[:, features] for part in parts)))

    def plugged(self, t: Any) -> Array:
        """Return the point estimates, classes × features."""
        return self.plug_in(t.n, t.total)

    def intervals(self, t: Any, level: float) -> Any:
        """Return credible bounds of each parameter."""
        must_be_known(*self.after(t.n, t.total))
        return self.posterior(t).interval(level)

    def log_evidence(self, t: Any) -> Cells:
        """Return the log evidence of each class and feature."""
        prior = self.before()
        must_be_proper(*prior)
        return Cells(np.asarray(cast(Any, self.family)(*prior).log_evidence(t)))

    def n_parameters(self, t: Any) -> int:
        """Return the number of features."""
        return int(t.total.shape[-1])

    def points(self, rows: MatrixRows) -> Array:
        """Return the values as points."""
        return rows.numbers

    def rows(self, column: Column) -> MatrixRows:
        """Return a column as rows of one number each."""
        values = numbers(column)
        accepted = self.allowed.accepts(values)
        if not accepted.all():
            raise DataError(
                f"Column {column.name!r} is {self.word} and must hold {self.values_are}; got {values[~accepted].min()}."
            )
        return MatrixRows.of_column(values, column.name, None if column.missing is None else column.present)

    def table(self, t: Any, classes: NDArray[Any], level: float) -> dict[str, Any]:
        """Return the number of rows, the parameter and its bounds, one line per class."""
        belief = self.settled(t).posterior(t)
        low, high = belief.interval(level)
        return by_class(classes, n=t.n, **{self.parameter: belief.mean}, low=low, high=high)

    def prior_in_words(self, t: Any) -> str:
        """Return the prior in words."""
        first, second = (float(np.ravel(part)[0]) for part in self.with_prior(t).before())
        return f"{self.family.__name__}({first:g}, {second:.4g})"


@dataclass(frozen=True, eq=False)
class TotalScores:
    """Score values by their class's number of rows and its sum."""

    law: Totals
    t: Any

    def scores(self, rows: MatrixRows) -> Array:
        """Return ln p(x | c), rows × classes."""
        self.law.allowed.check(rows.source.matrix, rows.source.name, rows.source.first)
        x = rows.numbers
        lines = zip(self.t.n, self.t.total, strict=True)
        return np.column_stack([self.law.logs(n, total[None], x).sum(axis=1) for n, total in lines])
