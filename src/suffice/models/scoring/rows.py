"""Rows as likelihoods see them: of a matrix, of texts, of one column. Each counts itself and is scored by weights.

Texts are counted and scored straight from their bytes. A category is a document of one word, and a missing value one
without any.
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
from suffice.typing import Array, Booleans, Integers

if TYPE_CHECKING:
    from suffice.models.scoring.linear import Linear

__all__ = ["CategoryRows", "Labels", "MatrixRows", "Rows"]


@dataclass(frozen=True, eq=False)
class Labels:
    """The class of each row, a code or a share in every class, and what the row weighs."""

    y: NDArray[Any]  # codes, or rows × classes of shares
    weights: Array | None
    n_classes: int

    def __len__(self) -> int:
        return len(self.y)

    def take(self, which: Any) -> Labels:
        """Return the labels of some of the rows."""
        return replace(self, y=self.y[which], weights=None if self.weights is None else self.weights[which])

    @property
    def shares(self) -> bool:
        """Whether rows belong to classes in shares."""
        return self.y.ndim == 2

    @property
    def given(self) -> Array:
        """What each row weighs: one if nothing was said."""
        return np.ones(len(self.y)) if self.weights is None else self.weights


class Rows(ABC):
    """Rows of a block, as a likelihood sees them. `t` is a statistic whose features rows are looked up among."""

    present: Booleans | None = None
    """Which rows have a value; None if all have."""

    tempers: ClassVar[bool] = False
    """Whether rows are tempered while they are scored."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def take(self, which: Any) -> Self:
        """Return some of the rows."""

    def part(self, block: slice) -> Self:
        """Return a stretch of the rows."""
        return self.take(block)

    @property
    def width(self) -> int:
        """Numbers that a row holds, roughly."""
        return 1

    @abstractmethod
    def count(self, kind: type[Any], labels: Labels) -> Any:
        """Return the statistic of these rows."""

    @abstractmethod
    def scored(self, by: Linear) -> Array:
        """Return offset + rows · weights, rows × classes."""

    @abstractmethod
    def entries(self, t: Any) -> Any:
        """Return what is not zero, as CSR over the features of a statistic."""

    @abstractmethod
    def names(self, t: Any) -> Sequence[Any]:
        """Return what people call the features of a statistic."""

    def best(self, by: Linear, log_prior: Array) -> Integers | None:
        """Return the class of the largest joint, row by row, −1 where none is possible; None if scores must say it."""
        return None

    def coded(self, cuts: Cuts) -> tuple[Integers, tuple[NDArray[Any], ...]] | None:
        """Return codes of values, rows × columns, −1 where one is missing, and what they stand for, as words.

        Values are grouped as `cuts` say. None where rows have no such values.
        """
        return None

    def fixed(self, t: Any) -> Rows:
        """Return rows whose features are those of a statistic, all of which stay when they are counted."""
        return self

    def flags(self) -> Self:
        """Return rows whose features are there or not, however often."""
        return self

    def lengths(self, by: Linear) -> Array:
        """Return how many features each row has, as often as they count."""
        x = self.entries(by.t)
        return np.asarray(sparse.csr_matrix((by.counted(x.data), x.indices, x.indptr), x.shape).sum(axis=1)).ravel()


@dataclass(frozen=True, eq=False)
class MatrixRows(Rows):
    """Rows of an array or a sparse matrix; a column of numbers is one of a single feature."""

    source: inputs.RowMatrix
    feature_names: Sequence[Any] = ()
    present: Booleans | None = None

    @classmethod
    def of_column(cls, values: NDArray[Any], name: Any, present: Booleans | None) -> MatrixRows:
        """Return one column of numbers; what stands where a value is missing means nothing."""
        line, word = values[:, None], f"column {name!r}"
        plain = values.dtype == np.float64 and values.flags.c_contiguous
        return cls(inputs.RowMatrix(line, (1,), word) if plain else inputs.RowMatrix.read(line, word), [name], present)

    def __len__(self) -> int:
        return len(self.source)

    def take(self, which: Any) -> Self:
        """Return some of the rows."""
        here = self.source.matrix.tocsr() if self.source.is_sparse else self.source.matrix
        present = None if self.present is None else self.present[which]
        if type(self) is MatrixRows:  # quicker than by name, where columns are many
            given = self.source
            source = inputs.RowMatrix(here[which], given.shape, given.name, given.first, given.above, given.allowed)
            return type(self)(source, self.feature_names, present)
        return replace(self, source=replace(self.source, matrix=here[which]), present=present)

    @property
    def width(self) -> int:
        """Numbers that a row holds; on average, if the matrix is sparse."""
        return self.source.width

    def part(self, block: slice) -> Self:
        """Return a stretch of the rows, which keep their numbers for complaints."""
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
        """Return the class of the largest joint, row by row; −1 where no class is possible."""
        out = np.empty(len(self), np.int64)
        return np.asarray(kernels.scores(out, self.source, by.by_feature, by.offset + log_prior))

    def flags(self) -> MatrixRows:
        """Return rows whose features are there or not, however often."""
        return self if self.source.above is not None else replace(self, source=self.source.flags(0.0))

    def entries(self, t: Any) -> Any:
        """Return what is not zero, or where values stand for flags what is on, as CSR."""
        return self._entries

    @cached_property
    def _entries(self) -> Any:
        here, above = self.source.matrix, self.source.above
        if issparse(here):
            x = sparse.csr_matrix(here if above is None else here > above, dtype=np.float64)
            x.eliminate_zeros()
            return x
        mine = np.asarray(here)  # scipy takes three times as long
        on = mine != 0 if above is None else mine > above
        place, ends = np.flatnonzero(on), np.cumsum(np.count_nonzero(on, axis=1))
        values = np.ones(len(place)) if above is not None else mine.ravel()[place].astype(np.float64, copy=False)
        return sparse.csr_matrix((values, place % mine.shape[1], np.append(0, ends)), mine.shape)

    def lengths(self, by: Linear) -> Array:
        """Return the sum of each row."""
        return np.asarray(self.source.matrix.sum(axis=1, dtype=np.float64)).ravel()

    def names(self, t: Any) -> Sequence[Any]:
        """Return the names of the features, or their places."""
        return self.feature_names or range(int(self.source.matrix.shape[1]))

    def coded(self, cuts: Cuts) -> tuple[Integers, tuple[NDArray[Any], ...]] | None:
        """Return codes of a column of numbers, and what they stand for, as words."""
        codes, words = binned(self.numbers[:, 0], cuts)
        return (codes if self.present is None else np.where(self.present, codes, -1))[:, None], (words,)

    @property
    def numbers(self) -> Array:
        """The rows as a dense array."""
        here = self.source.matrix
        return np.asarray(here.toarray() if self.source.is_sparse else here, np.float64)


@dataclass(frozen=True, eq=False)
class CategoryRows(Rows):
    """One category a row, by name."""

    codes: Integers  # −1 where it is missing
    labels: NDArray[Any]  # what the codes stand for: strings or numbers
    name: Any = None

    @property
    def present(self) -> Booleans:  # type: ignore[override]
        """Which rows have a value."""
        return self.codes >= 0

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, which: Any) -> CategoryRows:
        """Return some of the rows."""
        return replace(self, codes=self.codes[which])

    def count(self, kind: type[ValueCounts], labels: Labels) -> ValueCounts:
        """Count categories by class; a missing one does not count."""
        return kind.of_codes(self.codes, self.labels, labels.y, labels.weights, n_classes=labels.n_classes)

    def places(self, known: NDArray[Any]) -> Integers:
        """Return where each row's category is among those known; after them all others, −1 where it is missing."""
        place = np.searchsorted(known, self.labels)
        seen = place < len(known)
        seen[seen] = known[place[seen]] == self.labels[seen]
        return np.append(np.where(seen, place, len(known)), -1)[self.codes]

    def scored(self, by: Linear) -> Array:
        """Return the weights of each row's category, rows × classes; zeros where it is missing."""
        table = np.vstack([by.columns(np.arange(by.weights.width)).T, np.zeros(len(by.offset))])
        return np.asarray(by.offset + table.take(self.places(by.t.values), axis=0))

    def coded(self, cuts: Cuts) -> tuple[Integers, tuple[NDArray[Any], ...]]:
        """Return codes of categories, and the categories as words."""
        if cuts is None or pools(cuts):
            codes, words = grouped(self.codes, in_words(self.labels), cuts)
        else:
            place, words = binned(np.asarray(self.labels, np.float64), cuts)
            codes = np.append(place, -1)[self.codes]
        return codes[:, None], (words,)

    def entries(self, t: ValueCounts) -> Any:
        """Return a row with a single one for each category."""
        place = self.places(t.values)
        (row,) = np.nonzero(place >= 0)
        return sparse.csr_matrix((np.ones(len(row)), (row, place[row])), (len(self), len(t.values) + 1))

    def names(self, t: ValueCounts) -> Sequence[Any]:
        """Return the categories, and what is called one that was never seen."""
        return [*t.values.tolist(), "never seen"]
