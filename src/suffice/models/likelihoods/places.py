"""Model values that fall into one of several places, such as categories or bins, with a Dirichlet prior per class.

score      ln θ_cv,   θ_cv = (N_cv + α_v) / (N_c + Σα)                                                 NB-2
held out   the same of N_cv − g_v and N_c − g, without g rows of which g_v have the value              SX-3
evidence   Σ_v ln α_v…(α_v+N_cv−1) − ln Σα…(Σα+N_c−1)                                                  NB-11

Tables are classes × places. A missing value has place −1 and scores 0.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from suffice.errors import ImproperPrior, KindError
from suffice.later import digamma
from suffice.models.likelihoods.base import Likelihood, changed, changed_where_known
from suffice.models.likelihoods.draws import Draw, rows_of
from suffice.models.likelihoods.pictures import ClassDistributions, dots
from suffice.models.likelihoods.shared import added, by_value, check_mode, of_ratio, share_of_others, shares, strongest
from suffice.models.scoring.beliefs import belief_of_shares, dirichlet_density, log_gammas, must_be_known, trigamma
from suffice.models.scoring.cells import Cells, log, safe_log
from suffice.models.scoring.information import of_categories
from suffice.models.scoring.linear import DenseHeldOut
from suffice.models.scoring.removal import Removal, left
from suffice.models.scoring.results import Belief, Contributions, Estimate, HeldOut, Moments, Scorer, TopFeature
from suffice.models.scoring.rows import CategoryRows, Rows
from suffice.posterior import Dirichlet
from suffice.typing import Array, Integers

UNSEEN, OTHER = "never seen", "(other)"

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


class Shares(Likelihood):
    """Model columns by the share of each place; most answers are those of a single column."""

    family = Dirichlet
    estimate: Estimate  # no field yet: this class is no dataclass, so that a family's prior is its first one

    @abstractmethod
    def tables(self, t: Any) -> list[tuple[Array, Array]]:
        """Return each column's counts, classes × places, and pseudo-counts: a number, or one per place."""

    def names(self, t: Any) -> list[str]:
        """Return the names of the column's places; one more place is for all values without a name."""
        raise NotImplementedError

    def places(self, t: Any, rows: Any) -> Integers:
        """Return the place of each row, −1 where the value is missing; the number of places if it has none."""
        raise NotImplementedError

    def alphas(self, t: Any) -> list[Array]:
        """Return each column's posterior parameters, classes × places."""
        return [counts + alpha for counts, alpha in self.tables(t)]

    def log_theta(self, t: Any) -> list[Array]:
        """Return ln θ of each column, classes × places."""
        return [log_shares(counts, alpha, self.estimate) for counts, alpha in self.tables(t)]

    def plug_in(self, t: Any) -> list[Array]:
        """Return θ of each column, classes × places."""
        return [np.exp(logs) for logs in self.log_theta(t)]

    def best_alpha(self, t: Any) -> float:
        """Return the pseudo-count that maximizes the evidence."""
        raise NotImplementedError

    def settled(self, t: Any) -> Self:
        """Return the likelihood with its pseudo-count learned if so chosen; raise NoUniqueMode if "map" has no mode."""
        found = changed(self, alpha=self.best_alpha(t)) if self.learns_prior else self
        for counts, alpha in found.tables(t) if self.estimate == "map" else ():
            if counts.shape[1]:
                check_mode(Dirichlet, alpha + counts)
        return found

    def weak(self, t: Any, rows: float, k: int) -> Self:
        """Return the likelihood with a pseudo-count of 1."""
        return changed_where_known(self, alpha=1.0)  # by WP-3

    def scorer(self, t: Any) -> Scorer:
        """Return the scorer of rows; values that have no place score as missing."""
        return PlaceScores.of(self.log_theta(t)[0], partial(self.places, t))

    def held_out(self, t: Any, rows: Any, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, each without the row or its group; bins are unchanged."""
        ((counts, alpha),), place = self.tables(t), self.places(t, rows)
        scores = PlaceScores.of(self.log_theta(t)[0], lambda _: place).scores(rows)
        return held_out_places(scores, counts, added(alpha, self.estimate), place, removed)

    def contributions(self, t: Any, rows: Any, weights: Array | None = None) -> Contributions:
        """Return the contribution of the row's value."""
        logs, place, (alpha,) = self.scorer(t).scores(rows), int(self.places(t, rows)[0]), self.alphas(t)
        name = "missing" if place < 0 else [*self.names(t), UNSEEN][place]
        sure = self.estimate in ("mean", "predictive") and 0 <= place < alpha.shape[1]
        belief = belief_of_shares(alpha[None, :, place], alpha.sum(axis=1)[None]) if sure else None
        feature = rows.name if isinstance(rows, CategoryRows) else rows.names(t)[0]
        return Contributions([feature], [name], logs, belief, times=np.ones(1))

    def belief(self, t: Any, weights: Array | None = None) -> Belief:
        """Return the posterior distribution of scores."""
        (alpha,) = self.alphas(t)

        def column(rows: Rows) -> Integers:
            place = self.places(t, rows)
            return np.where(place < alpha.shape[1], place, -1)[:, None]

        return PlaceBelief([alpha], column)

    def posterior(self, t: Any, features: Integers | None = None) -> Dirichlet:
        """Return the posterior of the shares, of columns that have equally many places."""
        found = self.alphas(t)
        found = found if features is None else [found[j] for j in features]
        if len({alpha.shape for alpha in found}) > 1:
            raise KindError("Columns with different numbers of categories have no common posterior; name one feature.")
        return Dirichlet(found[0] if len(found) == 1 else np.stack(found, axis=1))

    def log_evidence(self, t: Any) -> Cells:
        """Return the log evidence of each class and column."""
        tables = self.tables(t)
        must_be_proper(*(alpha for _, alpha in tables))
        columns = [
            Dirichlet(np.broadcast_to(alpha, counts.shape[1:]))._evidence(counts)  # NB-11
            if counts.shape[1]
            else np.zeros(len(counts))
            for counts, alpha in tables
        ]
        return Cells(np.column_stack(columns))

    def top_features(self, t: Any, n: Array, code: int, k: int, weights: Array | None = None) -> list[TopFeature]:
        """Return the values with the most evidence for the class: θ_c ln(θ_c/θ)."""
        names = self.names(t)
        theta = np.exp(self.log_theta(t)[0][:, : len(names)])
        brought = of_ratio(theta[code], share_of_others(t.n, code) @ theta)
        return strongest(brought, k, lambda i: (0, names[i]))

    def information(self, t: Any, prior: Array) -> Array:
        """Return the mutual information of the class and each column's place."""
        return of_categories(self.plug_in(t), prior)

    def log_prior_density(self, t: Any) -> float:
        """Return ln p of the plug-in shares."""
        return sum(log_density_of_shares(counts, alpha, self.estimate) for counts, alpha in self.tables(t))

    def n_parameters(self, t: Any) -> tuple[int, int]:
        """Return the number of places minus one, summed over columns, and none that classes share."""
        return sum(max(0, int(counts.shape[1]) - 1) for counts, _ in self.tables(t)), 0

    def drawn_places(self, t: Any, draw: Draw) -> Integers:
        """Return drawn places; the probability of values without a name is shared by the others."""
        of = draw.source(self.estimate, lambda: self.plug_in(t)[0], lambda: self.posterior(t))
        named = len(self.names(t))
        return rows_of(draw, named, of, lambda theta, part: Dirichlet.simulate(theta[:, :named], part.rng))  # type: ignore[no-any-return]

    def table(self, t: Any, classes: NDArray[Any], level: float) -> dict[str, Any]:
        """Return the probability of each value with its bounds, one line per value and class."""
        ((counts, alpha),) = self.tables(t)
        return by_value("value", self._all_names(t), classes, n=counts, **shares(counts + alpha, level))

    def distributions(self, t: Any, level: float) -> list[ClassDistributions]:
        """Return the probability of each value, with its bounds."""
        return [dots(self._all_names(t), shares(self.alphas(t)[0], level))]

    def _all_names(self, t: Any) -> NDArray[Any]:
        return np.array([*self.names(t), OTHER][: self.tables(t)[0][0].shape[1]], dtype=object)


@dataclass(frozen=True, eq=False)
class PlaceBelief:
    """Dirichlet beliefs about columns of places. Places beyond the last count as the last; −1 scores 0."""

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
