"""Model matrix columns of category codes 0, 1, 2, …; an unknown code gets the mass of an unseen category."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from suffice.later import sparse
from suffice.models.empirical.pseudo_counts import one_alpha, symmetric_terms
from suffice.models.likelihoods.draws import Draw, rows_of
from suffice.models.likelihoods.pictures import ClassDistributions, dots
from suffice.models.likelihoods.places import (
    PlaceBelief,
    Shares,
    log_share,
    log_shares,
    mean_counts,
    sums_of_counts,
    with_unseen,
)
from suffice.models.likelihoods.shared import added, of_ratio, share_of_others, shares, strongest
from suffice.models.scoring.beliefs import belief_of_shares, must_be_known
from suffice.models.scoring.cells import AS_IT_IS, Temper, log, safe_log, tempered
from suffice.models.scoring.kernels import by_feature, category_scores
from suffice.models.scoring.linear import DenseHeldOut
from suffice.models.scoring.removal import Removal, left
from suffice.models.scoring.results import Belief, Contributions, Estimate, HeldOut, TopFeature
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.posterior import Dirichlet
from suffice.stats import CategoryCounts
from suffice.stats.counts import category_sizes
from suffice.stats.row_shares import counts_of_shares
from suffice.typing import Array, Integers

WEIGHTS = 16
"""Largest number of distinct weights for which rows are held out by tables, one for each weight removed."""


@dataclass(frozen=True, eq=False)
class CodeRows(MatrixRows):
    """Represent rows of category codes, with the number of categories per column; as many as are seen if not given."""

    sizes: Integers | None = None

    def take(self, which: Any) -> CodeRows:
        """Return the given rows."""
        some = super().take(which)
        return CodeRows(some.source, some.feature_names, some.present, self.sizes)

    def part(self, block: slice) -> CodeRows:
        """Return a slice of the rows. Error messages still give the row's number in the whole matrix."""
        some = super().part(block)
        return CodeRows(some.source, some.feature_names, some.present, self.sizes)

    def count(self, kind: type[Any], labels: Labels) -> CategoryCounts:
        """Return counts of each column's categories by class."""
        sizes, y, source = self.sizes, labels.y, self.source
        if labels.shares:
            sizes = category_sizes(source) if sizes is None else sizes
            counted: CategoryCounts = counts_of_shares(CategoryCounts, source, y, labels.given, sizes=sizes)
            return counted
        return CategoryCounts.of(source, y, labels.weights, n_classes=labels.n_classes, sizes=sizes, name=source.name)

    def fixed(self, t: CategoryCounts) -> CodeRows:
        """Return rows with the categories of a statistic."""
        return replace(self, sizes=t.sizes)

    def codes(self, t: CategoryCounts) -> Integers:
        """Return codes, rows × columns, with all unknown ones mapped to the first code after the known ones."""
        return np.minimum(np.asarray(self.source.matrix).astype(np.int64), t.sizes)

    def entries(self, t: CategoryCounts) -> Any:
        """Return a one per row and column, as CSR over the known categories and one unseen category of every column."""
        codes, first = self.codes(t), first_lines(t)
        n, columns = codes.shape
        places = (codes + first[:-1]).ravel()
        return sparse.csr_matrix((np.ones(n * columns), places, np.arange(n + 1) * columns), (n, int(first[-1])))


def first_lines(t: CategoryCounts) -> Integers:
    """Return each column's first line in a table of all its categories and an unseen one; then the number of lines."""
    return np.concatenate([[0], np.cumsum(t.sizes + 1)]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class CodeScores:
    """The ln θ of every category, columns side by side, each followed by its unseen category."""

    table: Array  # a line per category
    first: Integers  # each column's first line, then the number of lines
    classes: int
    temper: Temper = AS_IT_IS

    def tempered(self, temper: Temper) -> CodeScores:
        """Return the scorer with likelihoods raised to a power."""
        return replace(self, temper=temper)

    def powers(self, rows: MatrixRows) -> float:
        """Return the power of the likelihood, equal for all rows since rows of codes have no length."""
        return self.temper.power

    def scores(self, rows: MatrixRows) -> Array:
        """Return ln p(x | c), rows × classes."""
        out, offset = np.empty((len(rows), self.classes)), np.zeros(self.classes)
        return tempered(category_scores(out, rows.source, self.table, self.first, offset), self.temper.power)

    def best(self, rows: MatrixRows, log_prior: Array) -> Integers:
        """Return the most probable class of each row; −1 where no class is possible."""
        out, prior = np.empty(len(rows), np.int64), log_prior / self.temper.power
        return np.asarray(category_scores(out, rows.source, self.table, self.first, prior))


@dataclass(frozen=True, eq=False, repr=False)
class Codes(Shares):
    """Model categories by code, with pseudo-count `alpha` each, or "evidence" to choose it.

    Alternatively, each column has its own pseudo-counts: one number, or one per category. A category beyond the known
    ones gets their mean.
    """

    alpha: float | str | tuple[float | tuple[float, ...], ...] = 1.0
    estimate: Estimate = field(default="mean", repr=False)

    word = "categorical"
    statistic = CategoryCounts

    def best_alpha(self, t: CategoryCounts) -> float:
        """Return the pseudo-count that maximizes the evidence."""
        return one_alpha(symmetric_terms(t.counts, t.sizes, self._totals(t)))

    def columns(self, t: CategoryCounts) -> list[Array]:
        """Return the counts of each column, classes × categories."""
        return [t.column(j) for j in range(len(t.sizes))]

    def _totals(self, t: CategoryCounts) -> Array:
        """Return the number of counted rows, classes × columns."""
        return np.stack([counts.sum(axis=1) for counts in self.columns(t)], axis=1)

    def _alphas(self, t: CategoryCounts) -> list[Array]:
        """Return each column's pseudo-counts: one number, or one per category."""
        each = self.alpha if isinstance(self.alpha, tuple) else (float(self.alpha),) * len(t.sizes)
        return [np.asarray(alpha, np.float64) for alpha in each]

    def _more(self, t: CategoryCounts) -> list[Array]:
        """Return what the estimate adds to each column's counts."""
        return [added(alpha, self.estimate) for alpha in self._alphas(t)]

    def tables(self, t: CategoryCounts) -> list[tuple[Array, Array]]:
        """Return each column's counts, classes × categories, and its pseudo-counts."""
        return list(zip(self.columns(t), self._alphas(t), strict=True))

    def scorer(self, t: CategoryCounts) -> CodeScores:
        """Return the scorer of rows."""
        alphas = [alpha * 0.0 if self.estimate == "mle" else alpha for alpha in self._alphas(t)]
        total = self._totals(t) + sums_of_counts(alphas, t.sizes)
        unseen = np.where(total > 0, log(mean_counts(alphas)) - safe_log(total), -np.inf)  # NB-2
        parts = [part for pair in zip(self.log_theta(t), unseen.T[..., None], strict=True) for part in pair]
        return CodeScores(by_feature(np.hstack(parts)), first_lines(t), len(t.counts))

    def held_out(self, t: CategoryCounts, rows: CodeRows, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, each without the row or its group."""
        scores = self.scorer(t).scores(rows)
        alike = removed.alone and len(np.unique(removed.members.data)) <= WEIGHTS
        own = self._without_one(t, rows, removed) if alike else self._without(t, rows, removed)
        scores[removed.row, removed.code] = own
        return DenseHeldOut(scores)

    def _without_one(self, t: CategoryCounts, rows: CodeRows, removed: Removal) -> Array:
        """Return each row's score by its own class without it, from tables of classes that lack one row."""
        out, more, totals = np.empty(len(removed.row)), self._more(t), self._totals(t)
        every = sums_of_counts(more, t.sizes)
        for weight in np.unique(removed.members.data):
            mine = np.flatnonzero(removed.members.data == weight)
            parts = []
            for j, (counts, total) in enumerate(zip(self.columns(t), totals.T, strict=True)):
                rest, n = (left(part, np.minimum(part, weight)) for part in (counts, total[:, None]))
                parts += [log_share(rest + more[j], n + every[j], t.sizes[j]), np.zeros((len(counts), 1))]
            by = CodeScores(by_feature(np.hstack(parts)), first_lines(t), len(t.counts))
            some = rows if len(mine) == len(rows) else rows.take(mine)
            out[mine] = by.scores(some)[np.arange(len(mine)), removed.code[mine]]  # SX-3
        return out

    def _without(self, t: CategoryCounts, rows: CodeRows, removed: Removal) -> Array:
        """Return the score of each pair of a row and a class after the removal."""
        shape = (len(removed.row), len(t.sizes))
        padded = np.hstack([with_unseen(counts) for counts in self.columns(t)])
        entries, taken = removed.entries(rows.entries(t))
        own = left(padded[removed.code[entries.row], entries.feature], taken).reshape(shape)
        total = left(self._totals(t)[removed.code], removed.weight[:, None])
        more = self._more(t)
        lines = [
            part for one, size in zip(more, t.sizes, strict=True) for part in (np.broadcast_to(one, size), one.mean())
        ]
        own = own + np.hstack(lines)[entries.feature].reshape(shape)
        return np.asarray(log_share(own, total + sums_of_counts(more, t.sizes), t.sizes).sum(axis=1))  # SX-3

    def contributions(self, t: CategoryCounts, rows: CodeRows, weights: Array | None = None) -> Contributions:
        """Return the contribution of each column's category."""
        scorer, code, belief = self.scorer(t), rows.codes(t)[0], None
        if self.estimate in ("mean", "predictive"):
            alphas, means = self.alphas(t), mean_counts(self._alphas(t))
            wide = (with_unseen(alpha, mean) for alpha, mean in zip(alphas, means, strict=True))
            own = np.stack([alpha[:, c] for alpha, c in zip(wide, code, strict=True)])
            belief = belief_of_shares(own, self._totals(t).T + sums_of_counts(self._alphas(t), t.sizes)[:, None])
        logs = scorer.table[scorer.first[:-1] + code, : scorer.classes]
        values = [f"{v:.6g}" for v in rows.numbers[0].tolist()]
        unknown = "value of this row" if (code >= t.sizes).all() else ""
        return Contributions(list(range(len(code))), values, logs, belief, times=np.ones(len(code)), unknown=unknown)

    def sample(self, t: CategoryCounts, draw: Draw) -> Integers:
        """Return a drawn category code for each row and column."""
        alphas = self._alphas(t)

        def column(j: int) -> Integers:
            n, alpha, how = t.column(j), alphas[j], self.estimate
            of = draw.source(how, lambda: np.exp(log_shares(n, alpha, how)), lambda: Dirichlet(n + alpha))
            return rows_of(draw, n.shape[1], of, lambda shares, part: Dirichlet.simulate(shares, part.rng))  # type: ignore[no-any-return]

        which = np.arange(len(t.sizes)) if draw.features is None else draw.features
        return np.column_stack([column(j) for j in which.tolist()])

    def belief(self, t: CategoryCounts, weights: Array | None = None) -> Belief:
        """Return the posterior distribution of scores."""
        return PlaceBelief(self.alphas(t), _matrix, mean_counts(self._alphas(t)).tolist())

    def intervals(self, t: CategoryCounts, level: float) -> tuple[list[Array], list[Array]]:
        """Return credible bounds of each θ, one table of classes × categories per column."""
        columns = self.alphas(t)
        must_be_known(*columns)
        found = [shares(column, level) for column in columns]
        return [one["low"] for one in found], [one["high"] for one in found]

    def top_features(
        self, t: CategoryCounts, n: Array, code: int, k: int, weights: Array | None = None
    ) -> list[TopFeature]:
        """Return the categories with the most evidence for the class: θ_c ln(θ_c/θ)."""
        theta = np.exp(np.hstack(self.log_theta(t)))
        feature, value = np.repeat(np.arange(len(t.sizes)), t.sizes), np.concatenate([*map(np.arange, t.sizes)])
        brought = of_ratio(theta[code], share_of_others(n, code) @ theta)
        return strongest(brought, k, lambda i: (int(feature[i]), str(value[i])))

    def distributions(self, t: CategoryCounts, level: float) -> list[ClassDistributions]:
        """Return the probability of each category code, with its bounds, for each column."""
        columns = zip(self.plug_in(t), *self.intervals(t, level), strict=True)
        return [dots(np.arange(p.shape[1]), {"probability": p, "low": a, "high": b}) for p, a, b in columns]


def _matrix(rows: MatrixRows) -> Integers:
    return np.asarray(rows.source.matrix).astype(np.int64)
