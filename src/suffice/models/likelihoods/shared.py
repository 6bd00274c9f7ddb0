"""Share helpers among families: words that favour a class, parts of a row, tables of shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import KindError, NoUniqueMode, ShapeError
from suffice.later import sparse
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.linear import Linear
from suffice.models.scoring.reals import TINY
from suffice.models.scoring.results import Contributions, Estimate, Moments, TopFeature, times_in_words
from suffice.models.scoring.rows import Rows
from suffice.posterior import Dirichlet
from suffice.posterior.base import tails
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array, Integers

SILENT = 0.05
"""Power below which a feature is described as redundant, if it adds next to nothing."""

NEXT_TO_NOTHING = 0.1
"""Log-odds below which a feature adds next to nothing: they change the odds by at most 11 %."""


def added(alpha: Any, estimate: Estimate) -> Any:
    """Return what an estimate adds to a count: 0 for "mle", α − 1 for "map", and α otherwise."""
    return alpha * 0.0 if estimate == "mle" else alpha - 1.0 if estimate == "map" else alpha


def check_mode(family: type[Any], *parameters: Any) -> None:
    """Raise NoUniqueMode, naming alpha and the place, unless every posterior has a unique mode."""
    hint = "Use estimate='mean', or a larger alpha."
    if any((np.asarray(parameter) <= 0).any() for parameter in parameters):
        raise NoUniqueMode("The estimate 'map' needs alpha above 0 where a class has no count.").advise(python=hint)
    belief = family(*parameters)
    try:
        _ = belief.mode
    except NoUniqueMode:
        kinds = np.asarray(belief.modes())
        place = np.argwhere(kinds != "point")[0].tolist()
        raise NoUniqueMode(
            f"The estimate 'map' needs a unique mode; alpha leaves it {kinds[tuple(place)]!s} at {place} (class "
            "first, then feature)."
        ).advise(python=hint) from None


def must_be(prior: Any, family: type, model: str, *, by_evidence: bool = True) -> None:
    """Raise KindError unless a prior is of its family, None or, if allowed, "evidence"; ShapeError if it is a table."""
    if by_evidence and isinstance(prior, str) and prior == "evidence":
        return
    if prior is not None and not isinstance(prior, family):
        raise KindError(f"{model}.prior", f"be a {family.__name__}", got=prior)
    shape = getattr(prior, "batch_shape", ())
    if shape != ():
        raise ShapeError(f"{model}.prior", "be a single belief").but(f"got a table of shape {shape}")


def power_in_words(power: float, adds: float | None = None, others: str = "", temper: float = 1.0) -> str:
    """Return the power of a feature in words; '' for a power of 1.

    In one row, whose likelihood is raised to `temper`, the feature adds `adds` to the log-odds.

    >>> [power_in_words(power, adds, "columns") for power, adds in ((1.753, 9.1), (0.012, 0.04), (0.012, 15.4))]
    ['power 1.75', 'redundant given other columns', 'power 0.012: 1.2% of its log-odds']
    """
    if power >= SILENT:
        return "" if abs(power - 1) < 0.005 else f"power {power:.2f}"
    if adds is not None and abs(adds) < NEXT_TO_NOTHING:
        return f"redundant given other {others}"
    return f"power {power:.2g}" + (
        f": {100 * power * temper:.2g}% of its log-odds" if adds is not None and power else ""
    )


@dataclass(frozen=True)
class Part:
    """The features of one row, how often each counts, and their contributions."""

    features: Integers
    times: Array  # features × 1
    said: Contributions

    def with_belief(self, belief: Moments) -> Contributions:
        """Return the contributions of shares with their means and variances."""
        return replace(self.said, belief=belief, times=self.times[:, 0])


def part_of_row(rows: Rows, t: Any, scorer: Linear, weights: Array | None) -> Part:
    """Return the contributions of one row's features to linear scores, with optional feature weights."""
    x, scorer = rows.entries(t), scorer.weighted(weights)
    often = [times_in_words(v) for v in x.data.tolist()]
    times = scorer.counted(x.data)[:, None]
    with np.errstate(invalid="ignore"):
        logs = times * scorer.columns(x.indices).T
    powers = None if weights is None else weights[x.indices]
    times = times if powers is None else times * powers[:, None]
    return Part(x.indices, times, Contributions(x.indices.tolist(), often, logs, powers=powers))


def flags(x: Any) -> Any:
    """Return a sparse matrix with its stored entries replaced by ones."""
    return sparse.csr_matrix((np.ones(x.nnz), x.indices, x.indptr), x.shape)


def strongest(weights: Array, k: int, row: Callable[[int], tuple[Any, str]]) -> list[TopFeature]:
    """Return the k largest positive weights, each with its feature and value."""
    weights = np.nan_to_num(weights, nan=0.0, posinf=np.finfo(np.float64).max)
    order: Integers = np.argsort(-weights, kind="stable")[:k]
    return [TopFeature(*row(int(i)), float(weights[i])) for i in order if weights[i] > 0]


def share_of_others(n: Array, code: int) -> Array:
    """Return the share of each other class in the rows of all others; 0 for the class itself."""
    rows = np.where(np.arange(len(n)) == code, 0.0, n)
    if not rows.any():
        rows = (np.arange(len(n)) != code).astype(np.float64)
    return np.asarray(rows / max(rows.sum(), 1e-300))


def of_ratio(own: Array, others: Array) -> Array:
    """Return θ_c ln(θ_c/θ)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(own > 0, own * np.log(own / others), 0.0)


def of_counts(counts: Cells, more: Any, total: Array, n: Array, code: int) -> Array:
    """Return θ_c ln(θ_c/θ) for θ = (count + more) / total, with the others averaged by their rows."""
    share = share_of_others(n, code)
    part = np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0)
    own = (counts.line(code) + more) * part[code]
    others = np.asarray((share * part) @ counts.values).ravel() + more * float(share @ part)
    return of_ratio(own, others)


@dataclass(frozen=True)
class WordShares:
    """The share of each word in each class, (count + more) / total."""

    counts: Cells
    more: Any  # a number, or one per word
    total: Array  # one per class
    base: float  # share of a word in a class without counts
    sure: bool = True  # whether there is a posterior of them, and so intervals
    meaning: str = "share of the words of the class"

    def favouring(self, n: Array, code: int) -> Array:
        """Return θ_c ln(θ_c/θ) of each word, with the other classes averaged by their n rows."""
        return of_counts(self.counts, self.more, self.total, n, code)


def top_words(brought: Array, t: Any, k: int, weights: Array | None) -> list[TopFeature]:
    """Return the k strongest words, by name if the statistic has names, with optional feature weights."""
    named = isinstance(t, WordCounts)

    def row(j: int) -> tuple[Any, str]:
        name = j if not named else f"bucket {j}" if t.hash_bits else str(t.words.strings[j])
        return name, "" if weights is None else power_in_words(weights[j])

    return strongest(brought if weights is None else brought * weights, k, row)


def top_numbers(mean: Array, variance: Array, n: Array, code: int, k: int) -> list[TopFeature]:
    """Return features by the divergence ½[ln(v/v_c) + (v_c + (m_c − m)²)/v − 1] of a class's normals from others."""
    share = share_of_others(n, code)
    m = share @ mean
    v = np.maximum(share @ (variance + (mean - m) ** 2), TINY)
    own = np.maximum(variance[code], TINY)
    with np.errstate(over="ignore"):
        weights = 0.5 * (np.log(v / own) + (own + (mean[code] - m) ** 2) / v - 1)

    def row(j: int) -> tuple[int, str]:
        high = "high" if mean[code, j] > m[j] else "low"
        return j, f"{high}: {mean[code, j]:.4g} on average, others {m[j]:.4g}"

    return strongest(weights, k, row)


def by_class(classes: NDArray[Any], **columns: Any) -> dict[str, Any]:
    """Return a table with one line per class."""
    return {"class": classes, **{name: np.asarray(values).ravel() for name, values in columns.items()}}


def by_value(what: str, values: NDArray[Any], classes: NDArray[Any], **columns: Any) -> dict[str, Any]:
    """Return a table with one line per value and class, from arrays of classes × values."""
    table = {what: np.repeat(values, len(classes)), "class": np.tile(classes, len(values))}
    return table | {name: np.asarray(cells).T.ravel() for name, cells in columns.items()}


def shares(alpha: Array, level: float) -> dict[str, Array]:
    """Return means and bounds of Dirichlets, one per line; a single category is certain."""
    tails(level)  # checks that level is a probability
    if alpha.shape[1] < 2:
        return dict.fromkeys(("probability", "low", "high"), np.ones_like(alpha))
    belief = Dirichlet(alpha)
    low, high = belief.interval(level)
    return {"probability": np.asarray(belief.mean), "low": np.asarray(low), "high": np.asarray(high)}
