"""Represent features of real and drawn rows as numbers, and compute the statistics that compare them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.models.answers.parts import names_of
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.codes import CodeRows
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.likelihoods.polya import Polya
from suffice.models.likelihoods.text_column import ColumnTexts
from suffice.models.model import Block
from suffice.models.scoring.rows import CategoryRows
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array, Booleans, Integers

__all__ = ["STATISTICS", "CheckedBlock", "Statistics"]

STATISTICS = ("share of zeros", "standard deviation", "minimum", "maximum", "share of the mode", "dependence")
LEVELS = 4
"""Number of groups that values of a feature are put into, to see whether it depends on others."""
FEW = 5
"""Smallest number of rows for a class to be compared."""


@dataclass(frozen=True, eq=False)
class CheckedBlock:
    """Hold the real rows of a block as numbers, NaN where missing, and the conversion of drawn rows."""

    real: Array
    names: list[str]
    category: bool
    coded: Callable[[Any], Array]
    lengths: Array | None = None  # of rows of words, otherwise None

    @classmethod
    def of(cls, name: str, block: Block, rows: Any, features: Any, most: int) -> CheckedBlock | None:
        """Return a block with the `most` most frequent of its words; None for free text in a table column.

        `name` is that of a table column, or '' for rows of a matrix or texts, whose features `features` names.
        """
        if isinstance(rows, ColumnTexts):
            return None
        if isinstance(rows, CategoryRows):
            return _categories(name, block.t.values, rows)
        if isinstance(block.likelihood, Multinomial | Polya) or isinstance(block.t, WordCounts):
            return _words(block, rows, features, most)
        numbers = rows.codes(block.t) if isinstance(rows, CodeRows) else rows.numbers
        real = np.array(numbers, np.float64)
        if rows.present is not None:
            real[~rows.present] = np.nan
        names = [name] if name else _named(features, range(real.shape[1]))
        shape = real.shape
        return cls(real, names, isinstance(rows, CodeRows), lambda drawn: np.asarray(drawn, np.float64).reshape(shape))


def _named(features: Any, places: Any) -> list[str]:
    return [f"column {j}" if features is None else str(features[j]) for j in places]


def _categories(name: str, known: Any, rows: CategoryRows) -> CheckedBlock:
    place = rows.places(known).astype(np.float64)
    codes = {value: code for code, value in enumerate(known.tolist())}
    real = np.where(place < 0, np.nan, place)[:, None]
    return CheckedBlock(real, [name], True, lambda drawn: np.array([[codes[v]] for v in drawn.tolist()], np.float64))


def _words(block: Block, rows: Any, features: Any, most: int) -> CheckedBlock:
    x, flags = rows.entries(block.t), isinstance(block.likelihood, Bernoulli)
    kept = np.sort(np.argsort(-np.asarray(x.sum(axis=0)).ravel(), kind="stable")[:most])
    words = names_of(block.t, x.shape[1]) if features is None else features

    def coded(drawn: Any) -> Array:
        some = drawn[:, kept]
        found = np.asarray(some.toarray() if hasattr(some, "toarray") else some, np.float64)
        return np.minimum(found, 1.0) if flags else found

    lengths = None if flags else np.asarray(x.sum(axis=1)).ravel()
    return CheckedBlock(coded(x), _named(words, kept.tolist()), False, coded, lengths)


@dataclass(frozen=True, eq=False)
class Statistics:
    """Compute the statistics that compare rows, statistics × classes × features. Real rows define the groups."""

    values: Array
    category: Booleans
    codes: Integers
    classes: int
    edges: list[Array]  # edges of groups; for categories, the most frequent codes
    told: Array  # statistics × features: whether a statistic applies to a feature

    @classmethod
    def of(cls, values: Array, category: Booleans, codes: Integers, classes: int) -> Statistics:
        """Return the statistics for comparing rows with these."""
        edges, told = [], np.ones((len(STATISTICS), values.shape[1]), bool)
        for j, column in enumerate(values.T):
            known = column[~np.isnan(column)]
            distinct, times = np.unique(known, return_counts=True)
            if category[j]:
                edges.append(distinct[np.argsort(-times, kind="stable")][: LEVELS - 1])
                told[:4, j] = False
                continue
            edges.append(np.unique(np.quantile(known, [0.25, 0.5, 0.75])) if len(known) else np.zeros(0))
            whole = bool((known == np.round(known)).all())
            told[0, j] = whole or bool((known == 0).any())
            told[2:4, j] = len(distinct) > 2
            told[4, j] = False
        told[5] = values.shape[1] > 1
        return cls(values, category, codes, classes, edges, told)

    def __call__(self, values: Array) -> Array:
        """Return the statistics of rows of the same classes."""
        out = np.full((len(STATISTICS), self.classes, values.shape[1]), np.nan)
        levels = np.stack([self._levels(j, column) for j, column in enumerate(values.T)], axis=1)
        for code in range(self.classes):
            mine = self.codes == code
            if mine.sum() < FEW:
                continue
            for j, column in enumerate(values[mine].T):
                known = column[~np.isnan(column)]
                if len(known) >= FEW:
                    out[:5, code, j] = _of_column(known)
            out[5, code] = _dependence(levels[mine])
        return np.where(self.told[:, None], out, np.nan)

    def _levels(self, j: int, column: Array) -> Integers:
        """Return the group of each value, −1 where it is missing."""
        edges = self.edges[j]
        if self.category[j]:
            same = column[:, None] == edges
            group = np.where(same.any(axis=1), same.argmax(axis=1), LEVELS - 1) if len(edges) else np.zeros(len(column))
        else:
            group = np.searchsorted(edges, column, side="left")
        return np.where(np.isnan(column), -1, group).astype(np.int64)


def _of_column(known: Array) -> list[float]:
    frequent = np.unique(known, return_counts=True)[1].max() / len(known)
    return [float(one) for one in ((known == 0).mean(), known.std(), known.min(), known.max(), frequent)]


def _dependence(levels: Integers) -> Array:
    """Return each feature's largest mutual information with another feature, in nats."""
    n, width = levels.shape
    if width < 2:
        return np.full(width, np.nan)
    ones = (levels[:, :, None] == np.arange(LEVELS)).reshape(n, -1).astype(np.float64)
    joint = (ones.T @ ones).reshape(width, LEVELS, width, LEVELS).transpose(0, 2, 1, 3)
    total = np.maximum(joint.sum(axis=(2, 3), keepdims=True), 1.0)
    p = joint / total
    product = p.sum(axis=3, keepdims=True) * p.sum(axis=2, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(p > 0, p * np.log(p / product), 0.0).sum(axis=(2, 3))
    np.fill_diagonal(each, -np.inf)
    return np.asarray(each.max(axis=1))
