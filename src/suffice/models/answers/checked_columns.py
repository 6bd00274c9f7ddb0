"""Represent features of real and drawn rows as numbers, and compute the statistics that compare them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import InputError
from suffice.later import issparse
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.codes import CodeRows
from suffice.models.likelihoods.draws import Drawer
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.likelihoods.polya import Polya
from suffice.models.likelihoods.silent import NoValues
from suffice.models.likelihoods.text_column import ColumnTexts
from suffice.models.model import Block
from suffice.models.scoring.rows import CategoryRows
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array, Booleans, Integers

STATISTICS = ("share of zeros", "standard deviation", "minimum", "maximum", "share of the mode", "dependence")
LEVELS = 4
"""Number of groups that values of a feature are put into, to see whether it depends on others."""
FEW = 5
"""Smallest number of rows for a class to be compared."""


@dataclass(frozen=True, eq=False)
class CheckedBlock:
    """The compared features of a block: those of real rows as numbers, NaN where missing, and how to draw them."""

    real: Array
    names: list[str]
    category: bool
    coded: Callable[[Drawer], Array]  # draws rows of these features
    lengths: Array | None = None  # of rows of words, otherwise None

    @classmethod
    def of(cls, name: str, block: Block, rows: Any, features: Any, most: int) -> CheckedBlock | None:
        """Return at most `most` features of a block: those that vary most, or the most frequent words.

        `name` is that of a table column, or '' for rows of a matrix or texts, whose features `features` names. A column
        without values has no features. Return None for free text in a table column.
        """
        if isinstance(rows, ColumnTexts):
            return None
        if isinstance(rows, NoValues):
            nothing = np.empty((len(rows), 0))
            return cls(nothing, [], False, lambda draw: nothing)
        if isinstance(rows, CategoryRows):
            return _categories(name, block.t.values, rows)
        if isinstance(block.likelihood, Multinomial | Polya) or isinstance(block.t, WordCounts):
            return _words(block, rows, features, most)
        return _numbers(name, block, rows, features, most)


def _categories(name: str, known: Any, rows: CategoryRows) -> CheckedBlock:
    place = rows.places(known).astype(np.float64)
    codes = {value: code for code, value in enumerate(known.tolist())}
    real = np.where(place < 0, np.nan, place)[:, None]

    def coded(draw: Drawer) -> Array:
        return np.array([[codes[value]] for value in draw(None).tolist()], np.float64)

    return CheckedBlock(real, [name], True, coded)


def _numbers(name: str, block: Block, rows: Any, features: Any, most: int) -> CheckedBlock:
    """Return the numbers that vary most: codes of categories, and flags where the model reads numbers as flags."""
    codes = isinstance(rows, CodeRows)
    thin = not codes and (rows.source.is_sparse or rows.source.above is not None)
    x = rows.codes(block.t) if codes else rows.entries(block.t) if thin else rows.numbers
    kept = _largest(_spread(x), most) if x.shape[1] > most else np.arange(x.shape[1])
    real = _dense(x[:, kept])
    if rows.present is not None:
        real[~rows.present] = np.nan
    names = [name] if name else _named(features, kept.tolist())
    return CheckedBlock(real, names, codes, lambda draw: _dense(draw(kept)).reshape(real.shape))


def _words(block: Block, rows: Any, features: Any, most: int) -> CheckedBlock:
    """Return the counts of the most frequent words, or which of them each row has where only that is modelled."""
    x, flags = rows.entries(block.t), isinstance(block.likelihood, Bernoulli)
    kept = _largest(np.asarray(x.sum(axis=0)).ravel(), most)
    real, names = _dense(x[:, kept]), _named(features, kept.tolist())
    if features is None and isinstance(block.t, WordCounts):
        hashed = block.t.hash_bits
        names = [f"bucket {j}" for j in kept] if hashed else [str(word) for word in block.t.words.strings[kept]]
    lengths = None if flags else np.asarray(x.sum(axis=1)).ravel()
    return CheckedBlock(
        np.minimum(real, 1.0) if flags else real, names, False, lambda draw: _dense(draw(kept)), lengths
    )


def _named(features: Any, places: Iterable[int]) -> list[str]:
    return [f"column {j}" if features is None else str(features[j]) for j in places]


def _dense(x: Any) -> Array:
    """Return a table of numbers as a new dense array."""
    return np.array(x.toarray() if issparse(x) else x, np.float64)


def _largest(values: Array, most: int) -> Integers:
    """Return the places of the largest values, in order."""
    return np.sort(np.argsort(-values, kind="stable")[:most])


def _spread(x: Any) -> Array:
    """Return the standard deviation of each column, 0 where all values are missing; a sparse matrix stays sparse."""
    if not issparse(x):
        known = np.maximum((~np.isnan(x)).sum(axis=0), 1)
        return np.asarray(np.sqrt(np.nansum((x - np.nansum(x, axis=0) / known) ** 2, axis=0) / known))
    n, width = x.shape
    mean = np.bincount(x.indices, x.data, width) / n
    away = np.bincount(x.indices, (x.data - mean[x.indices]) ** 2, width)
    return np.asarray(np.sqrt((away + (n - np.bincount(x.indices, minlength=width)) * mean**2) / n))


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
        """Return the statistics for comparing rows with these; raise InputError if the rows have no feature."""
        if not values.shape[1]:
            raise InputError("check.X", "have a feature to compare").but(
                "got only columns without a value, and free text"
            )
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
