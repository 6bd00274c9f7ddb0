"""Model values that fall into one of several places, such as categories or bins, with a Dirichlet prior per class.

score      ln θ_cv,   θ_cv = (N_cv + α_v) / (N_c + Σα)                                                 NB-2
held out   the same of N_cv − g_v and N_c − g, without g rows of which g_v have the value              SX-3
evidence   Σ_v ln α_v…(α_v+N_cv−1) − ln Σα…(Σα+N_c−1)                                                  NB-11

Tables are classes × places. A missing value has place −1 and scores 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.errors import ImproperPrior
from suffice.later import digamma
from suffice.models.likelihoods.shared import (
    added,
    check_mode,
    of_ratio,
    share_of_others,
    strongest,
)
from suffice.models.scoring.beliefs import belief_of_shares, dirichlet_density, log_gammas, must_be_known, trigamma
from suffice.models.scoring.cells import Cells, log, safe_log
from suffice.models.scoring.linear import DenseHeldOut
from suffice.models.scoring.removal import Removal, left
from suffice.models.scoring.results import Contributions, Estimate, Moments, Speaks
from suffice.models.scoring.rows import Rows
from suffice.posterior import Dirichlet
from suffice.posterior.special import log_rising
from suffice.typing import Array, Integers

__all__ = [
    "PlaceBelief", "PlaceScores", "check_shares", "evidence_of_shares", "held_out_places", "log_density_of_shares",
    "log_share", "log_shares", "mean_counts", "must_be_proper", "shares_that_speak", "sums_of_counts",
    "value_contribution", "with_unseen",
]  # fmt: skip

Places = Callable[[Any], Integers]
"""Function from rows to the place of each."""


def with_unseen(counts: Array, unseen: float = 0.0) -> Array:
    """Return counts, classes × categories, with a last column for an unseen category."""
    return np.column_stack([counts, np.full(len(counts), unseen)])


def mean_counts(alphas: list[Array]) -> Array:
    """Return the mean pseudo-count of each column, which an unseen category gets."""
    return np.array([alpha.mean() for alpha in alphas])


def sums_of_counts(alphas: list[Array], sizes: Integers) -> Array:
    """Return the sum of pseudo-counts over each column's categories."""
    both = zip(alphas, sizes.tolist(), strict=True)
    return np.array([alpha.sum() if alpha.ndim else float(alpha) * size for alpha, size in both])


def check_shares(counts: Array, alpha: Any) -> None:
    """Raise NoUniqueMode unless the posterior of every class has a unique mode."""
    if counts.shape[1]:
        check_mode(Dirichlet, alpha + counts)


def log_shares(counts: Array, alpha: Any, estimate: Estimate) -> Array:
    """Return ln θ; uniform for a class with neither rows nor a prior."""
    if estimate == "map" and counts.shape[1]:
        return log(Dirichlet(alpha + counts).mode)  # NB-2
    amounts = counts + added(np.asarray(alpha, np.float64), estimate)
    return log_share(amounts, amounts.sum(axis=1, keepdims=True), counts.shape[1])  # NB-2


def log_share(part: Array, total: Array, places: Any) -> Array:
    """Return ln of part / total; uniform over `places` places where total is 0."""
    return np.where(total > 0, log(np.maximum(part, 0.0)) - safe_log(total), -np.log(np.maximum(places, 1)))


def log_density_of_shares(counts: Array, alpha: Any, estimate: Estimate) -> float:
    """Return ln Dirichlet(θ ; added + 1) of the plug-in θ, where `added` is what the estimate adds to a count."""
    if estimate == "mle" or not counts.shape[1]:
        return 0.0
    more = added(np.asarray(alpha, np.float64), estimate)
    return dirichlet_density(more, Cells(log_shares(counts, alpha, estimate)))


def must_be_proper(*pseudo_counts: Any) -> None:
    """Raise ImproperPrior unless all pseudo-counts are positive."""
    least = min(float(np.min(one)) for one in pseudo_counts)
    if not least > 0:
        raise ImproperPrior(f"The evidence needs a proper prior; got alpha={least:g}, which does not integrate to one.")


def evidence_of_shares(counts: Array, alpha: Any) -> Array:
    """Return the log evidence of each class's values."""
    if not counts.shape[1]:
        return np.zeros(len(counts))
    total = np.broadcast_to(alpha, counts.shape[1:]).sum()
    return np.asarray(log_rising(alpha, counts).sum(axis=1) - log_rising(total, counts.sum(axis=1)))  # NB-11


@dataclass(frozen=True, eq=False)
class PlaceScores:
    """Score rows by looking up lines of a table; the last line, of zeros, is for missing values."""

    table: Array  # places × classes
    place: Places

    @classmethod
    def of(cls, log_theta: Array, place: Places) -> PlaceScores:
        """Return the scorer for the given ln θ."""
        return cls(np.vstack([log_theta.T, np.zeros(len(log_theta))]), place)

    def scores(self, rows: Rows) -> Array:
        """Return ln p(x | c), rows × classes."""
        return np.asarray(self.table.take(self.place(rows), axis=0))


def held_out_places(scores: Array, counts: Array, more: Array, place: Integers, removed: Removal) -> DenseHeldOut:
    """Return held-out scores: classes that lose rows are rescored from their rest; `more` is added to counts."""
    there = place >= 0
    mine, code = place[removed.row], removed.code
    taken, total = removed.same_place(place), removed.sums(there.astype(np.float64))
    rest, n = left(counts[code, mine], np.where(mine < 0, 0.0, taken)), left(counts.sum(axis=1)[code], total)
    own = log_share(rest + more[mine], n + more.sum(), len(more))  # SX-3
    scores[removed.row, code] = np.where(mine < 0, 0.0, own)
    return DenseHeldOut(scores)


def value_contribution(
    feature: Any, value: str, logs: Array, alpha: Array, place: int, estimate: Estimate
) -> Contributions:
    """Return the contribution of one value, given the posterior's α and the value's place."""
    sure = estimate in ("mean", "predictive") and 0 <= place < alpha.shape[1]
    belief = belief_of_shares(alpha[None, :, place], alpha.sum(axis=1)[None]) if sure else None
    return Contributions([feature], [value], logs, belief, times=np.ones(1))


def shares_that_speak(theta: Array, names: Sequence[Any], n: Array, code: int, k: int) -> list[Speaks]:
    """Return the values with the most evidence for the class: θ_c ln(θ_c/θ)."""
    brought = of_ratio(theta[code], share_of_others(n, code) @ theta)
    return strongest(brought, k, lambda i: (0, str(names[i])))


@dataclass(frozen=True, eq=False)
class PlaceBelief:
    """Hold Dirichlet beliefs about columns of places. Places beyond the last count as the last; −1 scores 0."""

    alphas: list[Array]  # per column, classes × places
    place: Places  # rows × columns
    unseen: list[float] | None = None  # per column, α of an unknown place, not part of the total

    def moments(self, rows: Rows) -> Moments:
        """Return mean and variance of Σ_j ln θ_jx for each row and class."""
        places = self.place(rows)
        mean, variance = (_looked_up([both[k] for both in self._moments], places) for k in (0, 1))
        return mean, variance

    @cached_property
    def _moments(self) -> list[Moments]:
        must_be_known(*self.alphas)
        found = []
        for alpha, wide in zip(self.alphas, self._wide, strict=True):
            total = alpha.sum(axis=1, keepdims=True)
            spread = np.maximum(trigamma(wide) - trigamma(total), 0.0)
            found.append((digamma(wide) - digamma(total), spread))  # SX-5
        return found

    def draws(self, rows: Rows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under `size` draws of θ, size × rows × classes; places that no row has are drawn together."""
        must_be_known(*self.alphas)
        places = self.place(rows)
        out = np.zeros((size, len(places), len(self.alphas[0])))
        for alpha, wide, place in zip(self.alphas, self._wide, places.T, strict=True):
            out[:, place >= 0] += self._drawn(alpha, wide, place[place >= 0], rng, size)
        return out

    def _drawn(self, alpha: Array, wide: Array, place: Integers, rng: np.random.Generator, size: int) -> Array:
        met, where = np.unique(np.minimum(place, wide.shape[1] - 1), return_inverse=True)
        logs = log_gammas(np.broadcast_to(wide[:, met], (size, len(alpha), len(met))), rng)
        rest = np.setdiff1d(np.arange(alpha.shape[1]), met)
        total = np.logaddexp.reduce(logs[..., met < alpha.shape[1]], axis=2)
        if len(rest):
            others = alpha[:, rest].sum(axis=1)
            total = np.logaddexp(total, log_gammas(np.broadcast_to(others, total.shape), rng))
        return np.asarray((logs - total[..., None])[..., where].transpose(0, 2, 1))

    @property
    def _wide(self) -> list[Array]:
        """Return α of each column, with an unknown place appended if there is one."""
        if self.unseen is None:
            return self.alphas
        both = zip(self.alphas, self.unseen, strict=True)
        return [with_unseen(alpha, unseen) for alpha, unseen in both]


def _looked_up(tables: list[Array], places: Integers) -> Array:
    """Return the sum of table entries at each row's places, rows × classes."""
    out = np.zeros((len(places), len(tables[0])))
    for table, place in zip(tables, places.T, strict=True):
        lines = np.vstack([table.T, np.zeros(len(table))])
        out += lines[np.where(place < 0, -1, np.minimum(place, len(lines) - 2))]
    return out
