"""Model numbers by how many there are and what they add up to, with a conjugate family of one parameter.

A subclass states the prior, the posterior, ln p of a value, and a few facts about them. Counting, scoring,
leave-one-out, explanations, evidence and the reading of columns follow.

score      Σ_j ln p(x_j | n_c, Σx_cj)
held out   the same of n_c − g and Σx − g_j, without rows whose values add up to g_j                             SX-3
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, cast

import numpy as np

from suffice.errors import DataError
from suffice.later import gammaln, xlogy
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.places import must_be_proper
from suffice.models.likelihoods.shared import added, check_mode, share_of_others, strongest
from suffice.models.scoring.beliefs import must_be_known
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.linear import DenseHeldOut
from suffice.models.scoring.removal import Removal, left
from suffice.models.scoring.results import Belief, Contributions, Estimate, HeldOut, Moments, Scorer, TopFeature
from suffice.models.scoring.rows import MatrixRows
from suffice.stats.inputs import COUNT, Allowed
from suffice.tables import Column, numbers
from suffice.typing import Array, Integers


class Totals(Likelihood):
    """Model numbers whose statistic is their number `n` and their sum `total`, by class and feature."""

    storages = frozenset({"integer", "real"})
    allowed: ClassVar[Allowed] = COUNT

    prior: Any  # no fields yet: this class is no dataclass, so that a family's prior is its first one
    estimate: Estimate
    shape: Any = None  # of families of rates: the two parameters of the prior in place of `prior`, numbers or arrays,
    rate: Any = None  # which may be 0

    values_are: ClassVar[str]
    """Values of a column, in words, such as "times of at least 0 and below 2**53"."""

    def before(self) -> tuple[Array, Array]:
        """Return the two parameters of the prior: numbers, or one per feature."""
        first, second = (self.shape, self.rate) if self.shape is not None else self.prior._values()
        return np.asarray(first, np.float64), np.asarray(second, np.float64)

    @abstractmethod
    def after(self, n: Array, total: Array) -> tuple[Array, Array]:
        """Return the two parameters of the posterior, lines × features."""

    @abstractmethod
    def estimated(self, n: Array, total: Array) -> Array:
        """Return the point estimates of the parameter, lines × features, for an estimate other than "predictive"."""

    @abstractmethod
    def log_likelihood(self, parameter: Array, x: Array) -> Array:
        """Return ln p of values, given parameters."""

    @abstractmethod
    def moments(self, n: Array, total: Array, x: Array) -> Moments:
        """Return the posterior mean and variance of ln p of values."""

    @abstractmethod
    def mean_of(self, parameter: Array) -> Array:
        """Return the mean of a value, given parameters."""

    @abstractmethod
    def at_mean(self, mean: Array) -> Array:
        """Return the parameters that give a value these means."""

    def logs(self, n: Array, total: Array, x: Array) -> Array:
        """Return ln p of values, lines × features, for classes of n rows that add up to `total`."""
        if self.estimate != "predictive":
            return self.log_likelihood(self.estimated(n, total), x)
        family: Any = self.family
        return np.asarray(family(*self.after(n, total)).predict().log(x))

    def with_prior(self, t: Any) -> Self:
        """Return the likelihood with a definite prior, where the one by default depends on the statistic."""
        return self

    def smoothed(self, alpha: float) -> Self:
        """Return the likelihood with a prior of shape and rate `alpha` for each feature."""
        options: dict[str, Any] = {"prior": None, "shape": alpha, "rate": alpha}
        return replace(self, **options)

    # the answers ------------------------------------------------------------------------------------------------------

    def settled(self, t: Any) -> Self:
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
        """Return the contribution of each value; for sparse rows, those of zeros are summed."""
        x = rows.numbers[0]
        belief = None
        if self.estimate == "mean":
            mean, variance = self.moments(t.n, t.total, x)
            belief = (mean.T, variance.T)
        shown = [f"{value:.6g}" for value in x.tolist()]
        said = Contributions(list(range(len(x))), shown, self.logs(t.n, t.total, x).T, belief)
        return said.gathered(x > 0, "(zeros)", f"{int((x == 0).sum()):,}") if rows.source.is_sparse else said

    def posterior(self, t: Any, features: Integers | None = None) -> Any:
        """Return the posterior of each class's parameters."""
        parts, family = self.after(t.n, t.total), cast(Any, self.family)
        return family(*(parts if features is None else (part[:, features] for part in parts)))

    def plug_in(self, t: Any) -> Array:
        """Return the point estimates, classes × features."""
        return self.estimated(t.n, t.total)

    def belief(self, t: Any, weights: Array | None = None) -> Belief:
        """Return the posterior distribution of scores."""
        return TotalBelief(self, t)

    def log_evidence(self, t: Any) -> Cells:
        """Return the log evidence of each class and feature."""
        prior = self.before()
        must_be_proper(*prior)
        return Cells(np.asarray(cast(Any, self.family)(*prior).log_evidence(t)))

    def top_features(self, t: Any, n: Array, code: int, k: int, weights: Array | None = None) -> list[TopFeature]:
        """Return the features that differ most from those of other classes, by E[ln p(x | own) − ln p(x | others)].

        As ln p is linear in x where Σx suffices, this is the difference at the own mean.
        """
        mean = self.mean_of(self.plug_in(t))
        own, others = mean[code], share_of_others(t.n[:, 0], code) @ mean
        first, second = (self.log_likelihood(self.at_mean(one), own) for one in (own, others))
        return strongest(first - second, k, lambda j: (j, f"{own[j]:.4g} on average, others {others[j]:.4g}"))

    def log_prior_density(self, t: Any) -> float:
        """Return ln p of the plug-in parameters; 0 if they are integrated out. This is that of a Gamma."""
        if self.estimate in ("mle", "predictive"):
            return 0.0
        (shape, rate), rates = self.before(), self.plug_in(t)
        more, some = added(shape, self.estimate), np.where(rate > 0, rate, 1.0)
        constant = np.where(rate > 0, (more + 1) * np.log(some) - gammaln(more + 1), 0.0)
        return float((xlogy(more, rates) - rate * rates + constant).sum())

    def rows(self, column: Column) -> MatrixRows:
        """Return a column as rows of one number each."""
        values = numbers(column)
        accepted = self.allowed.accepts(values)
        if not accepted.all():
            raise DataError(
                f"Column {column.name!r} is {self.word} and", f"hold {self.values_are}", column=column.name
            ).but(f"got {values[~accepted].min()}")
        return MatrixRows.of_column(values, column.name, None if column.missing is None else column.present)

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


@dataclass(frozen=True, eq=False)
class TotalBelief:
    """The beliefs about the parameters of each class and feature."""

    law: Totals
    t: Any

    def moments(self, rows: MatrixRows) -> Moments:
        """Return mean and variance of Σ ln p for each row and class."""
        must_be_known(*self.law.after(self.t.n, self.t.total))
        lines = zip(self.t.n, self.t.total, strict=True)
        both = [self.law.moments(n, total[None], rows.numbers) for n, total in lines]
        mean, variance = (np.column_stack([part[k].sum(axis=1) for part in both]) for k in (0, 1))
        return mean, variance

    def draws(self, rows: MatrixRows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under `size` draws of the parameters, size × rows × classes."""
        must_be_known(*self.law.after(self.t.n, self.t.total))
        x, drawn = rows.numbers, np.asarray(self.law.posterior(self.t).sample(size, rng))
        each = [[self.law.log_likelihood(line, x).sum(axis=1) for line in table] for table in drawn]
        return np.asarray(each).transpose(0, 2, 1)
