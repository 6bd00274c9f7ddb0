"""Represent rows as likelihoods use them: of a matrix, of texts, of one column. Rows count themselves and are scored.

Texts are counted and scored straight from their bytes. A category is a document of one word, and a missing value is
an empty document.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from suffice.later import issparse, sparse
from suffice.models.scoring import kernels
from suffice.models.scoring.grouping import Cuts, binned, grouped, pools
from suffice.stats import Statistic, ValueCounts, inputs
from suffice.stats.row_shares import counts_of_shares
from suffice.stats.value_counts import in_words
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array, Booleans, Integers

if TYPE_CHECKING:
    from suffice.models.scoring.linear import Linear


@dataclass(frozen=True, eq=False)
class Labels:
    """The class of each row, as a code or as shares of all classes, and the row's weight."""

    y: NDArray[Any]  # codes, or shares as rows × classes
    weights: Array | None
    n_classes: int

    def __len__(self) -> int:
        return len(self.y)

    def take(self, which: Any) -> Labels:
        """Return the labels of the given rows."""
        return replace(self, y=self.y[which], weights=None if self.weights is None else self.weights[which])

    @property
    def shares(self) -> bool:
        """Return whether rows belong to classes in shares."""
        return self.y.ndim == 2

    @property
    def given(self) -> Array:
        """Return the weight of each row: 1 unless weights were given."""
        return np.ones(len(self.y)) if self.weights is None else self.weights


def present_only(rows: Rows, labels: Labels) -> tuple[Rows, Labels]:
    """Return the rows with a value, and their labels."""
    if rows.present is None or rows.present.all():
        return rows, labels
    return rows.take(rows.present), labels.take(rows.present)


class Rows(ABC):
    """Represent the rows of a block. In methods, `t` is the statistic whose features rows are matched to."""

    present: Booleans | None = None
    """Which rows have a value; None if all have."""

    tempers: ClassVar[bool] = False
    """Whether scoring already applies the temper."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def take(self, which: Any) -> Self:
        """Return the given rows."""

    def part(self, block: slice) -> Self:
        """Return a slice of the rows."""
        return self.take(block)

    @property
    def width(self) -> int:
        """Return roughly how many numbers a row holds."""
        return 1

    @abstractmethod
    def count(self, kind: type[Any], labels: Labels) -> Any:
        """Return the statistic of these rows."""

    @abstractmethod
    def scored(self, by: Linear) -> Array:
        """Return offset + rows · weights, rows × classes."""

    @abstractmethod
    def entries(self, t: Any) -> Any:
        """Return the nonzero entries as CSR over the features of a statistic."""

    @abstractmethod
    def names(self, t: Any) -> Sequence[Any]:
        """Return the display names of a statistic's features."""

    def known(self, t: Any, least: int = 1) -> Booleans:
        """Return which rows hold something that was learned from at least `least` rows."""
        found = np.ones(len(self), bool)
        if isinstance(t, WordCounts):
            often, x = t.document_frequency >= least, self.entries(t)
            row = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
            found = np.bincount(row, often[x.indices], x.shape[0]) > 0
        return np.asarray(found if self.present is None else found & self.present)

    def best(self, by: Linear, log_prior: Array) -> Integers | None:
        """Return the most probable class of each row, −1 where none is possible; None if only scores can tell."""
        return None

    def coded(self, cuts: Cuts) -> tuple[Integers, tuple[NDArray[Any], ...]] | None:
        """Return codes of values, rows × columns, with −1 where a value is missing, and the words of each column's
        codes.

        Values are grouped by `cuts`. Return None where rows have no such values.
        """
        return None

    def fixed(self, t: Any) -> Rows:
        """Return rows over the features of a statistic, all of which are kept when the rows are counted."""
        return self

    def flags(self) -> Self:
        """Return rows that record only whether each feature is present."""
        return self

    def lengths(self, by: Linear) -> Array:
        """Return the length of each row: the sum of its effective counts."""
        x = self.entries(by.t)
        return np.asarray(sparse.csr_matrix((by.counted(x.data), x.indices, x.indptr), x.shape).sum(axis=1)).ravel()


@dataclass(frozen=True, eq=False)
class MatrixRows(Rows):
    """Represent rows of an array or a sparse matrix. A numeric column is a matrix of one feature."""

    source: inputs.RowMatrix
    feature_names: Sequence[Any] = ()
    present: Booleans | None = None

    @classmethod
    def of_column(cls, values: NDArray[Any], name: Any, present: Booleans | None) -> MatrixRows:
        """Return the rows of one numeric column. Numbers at missing values are ignored."""
        line, word = values[:, None], f"column {name!r}"
        plain = values.dtype == np.float64 and values.flags.c_contiguous
        return cls(inputs.RowMatrix(line, (1,), word) if plain else inputs.RowMatrix.read(line, word), [name], present)

    def __len__(self) -> int:
        return len(self.source)

    def take(self, which: Any) -> Self:
        """Return the given rows."""
        here = self.source.matrix.tocsr() if self.source.is_sparse else self.source.matrix
        present = None if self.present is None else self.present[which]
        if type(self) is MatrixRows:  # faster than `replace` for many columns
            given = self.source
            source = inputs.RowMatrix(here[which], given.shape, given.name, given.first, given.above, given.allowed)
            return type(self)(source, self.feature_names, present)
        return replace(self, source=replace(self.source, matrix=here[which]), present=present)

    @property
    def width(self) -> int:
        """Return how many numbers a row holds; the average if the matrix is sparse."""
        return self.source.width

    def part(self, block: slice) -> Self:
        """Return a slice of the rows. Error messages still give the row's number in the whole matrix."""
        present = None if self.present is None else self.present[block]
        return replace(self, source=self.source.part(block), present=present)

    def count(self, kind: type[Statistic], labels: Labels) -> Any:
        """Return the statistic of these rows."""
        if labels.shares:
            return counts_of_shares(kind, self.source, labels.y, labels.given)
        return kind.of(self.source, labels.y, labels.weights, n_classes=labels.n_classes, name=self.source.name)

    def scored(self, by: Linear) -> Array:
        """Return offset + rows · weights, rows × classes."""
        out = np.empty((len(self), len(by.offset)))
        return np.asarray(kernels.scores(out, self.source, by.by_feature, by.offset))

    def best(self, by: Linear, log_prior: Array) -> Integers:
        """Return the most probable class of each row; −1 where no class is possible."""
        out = np.empty(len(self), np.int64)
        return np.asarray(kernels.scores(out, self.source, by.by_feature, by.offset + log_prior))

    def flags(self) -> MatrixRows:
        """Return rows that record only whether each feature is present."""
        return self if self.source.above is not None else replace(self, source=self.source.flags(0.0))

    def entries(self, t: Any) -> Any:
        """Return the nonzero entries as CSR, or a one for each feature above the threshold of flags."""
        return self._entries

    @cached_property
    def _entries(self) -> Any:
        here, above = self.source.matrix, self.source.above
        if issparse(here):
            x = sparse.csr_matrix(here if above is None else here > above, dtype=np.float64)
            if (x.data == 0).any():
                x = x.copy()  # which may share its places with the user's matrix
                x.eliminate_zeros()
            return x
        mine = np.asarray(here)  # three times as fast as scipy
        on = mine != 0 if above is None else mine > above
        place, ends = np.flatnonzero(on), np.cumsum(np.count_nonzero(on, axis=1))
        values = np.ones(len(place)) if above is not None else mine.ravel()[place].astype(np.float64, copy=False)
        return sparse.csr_matrix((values, place % mine.shape[1], np.append(0, ends)), mine.shape)

    def lengths(self, by: Linear) -> Array:
        """Return the sum of each row."""
        return np.asarray(self.source.matrix.sum(axis=1, dtype=np.float64)).ravel()

    def names(self, t: Any) -> Sequence[Any]:
        """Return the feature names, or the places if there are none."""
        return self.feature_names or range(int(self.source.matrix.shape[1]))

    def coded(self, cuts: Cuts) -> tuple[Integers, tuple[NDArray[Any], ...]] | None:
        """Return codes of the first column's numbers, −1 where missing, and the word of each code."""
        codes, words = binned(self.numbers[:, 0], cuts)
        return (codes if self.present is None else np.where(self.present, codes, -1))[:, None], (words,)

    @property
    def numbers(self) -> Array:
        """Return the rows as a dense array of floats."""
        here = self.source.matrix
        return np.asarray(here.toarray() if self.source.is_sparse else here, np.float64)


@dataclass(frozen=True, eq=False)
class CategoryRows(Rows):
    """Represent rows of one categorical column."""

    codes: Integers  # −1 where it is missing
    labels: NDArray[Any]  # the category of each code: strings or numbers
    name: Any = None

    @property
    def present(self) -> Booleans:  # type: ignore[override]
        """Return which rows have a value."""
        return self.codes >= 0

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, which: Any) -> CategoryRows:
        """Return the given rows."""
        return replace(self, codes=self.codes[which])

    def count(self, kind: type[ValueCounts], labels: Labels) -> ValueCounts:
        """Count categories by class, leaving out missing ones."""
        return kind.of_codes(self.codes, self.labels, labels.y, labels.weights, n_classes=labels.n_classes)

    def places(self, known: NDArray[Any]) -> Integers:
        """Return the place of each row's category among `known`; len(known) for unknown ones, −1 where missing."""
        place = np.searchsorted(known, self.labels)
        seen = place < len(known)
        seen[seen] = known[place[seen]] == self.labels[seen]
        return np.append(np.where(seen, place, len(known)), -1)[self.codes]

    def known(self, t: ValueCounts, least: int = 1) -> Booleans:
        """Return which rows have a category that was learned from at least `least` rows."""
        often = np.append(t.totals >= least, [False, False])  # unseen, and missing
        return np.asarray(often[self.places(t.values)])

    def scored(self, by: Linear) -> Array:
        """Return the weights of each row's category, rows × classes; zeros where it is missing."""
        table = np.vstack([by.columns(np.arange(by.weights.width)).T, np.zeros(len(by.offset))])
        return np.asarray(by.offset + table.take(self.places(by.t.values), axis=0))

    def coded(self, cuts: Cuts) -> tuple[Integers, tuple[NDArray[Any], ...]]:
        """Return codes of categories, −1 where missing, and the word of each code."""
        if cuts is None or pools(cuts):
            codes, words = grouped(self.codes, in_words(self.labels), cuts)
        else:
            place, words = binned(np.asarray(self.labels, np.float64), cuts)
            codes = np.append(place, -1)[self.codes]
        return codes[:, None], (words,)

    def entries(self, t: ValueCounts) -> Any:
        """Return rows × categories with a single one per row, as CSR; the last column holds unknown categories."""
        place = self.places(t.values)
        (row,) = np.nonzero(place >= 0)
        return sparse.csr_matrix((np.ones(len(row)), (row, place[row])), (len(self), len(t.values) + 1))

    def names(self, t: ValueCounts) -> Sequence[Any]:
        """Return the categories, and the name for one that was never seen."""
        return [*t.values.tolist(), "never seen"]
