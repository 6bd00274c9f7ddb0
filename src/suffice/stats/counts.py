"""Count rows, features, categories and words by class, sum events and waiting times, and keep the largest value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from suffice.errors import DataError, KindError, LabelError, ShapeError
from suffice.later import gammaln
from suffice.stats import counting_kernels
from suffice.stats.base import ROUNDING, Pair, Statistic, check_weight, difference, sealed
from suffice.stats.inputs import (
    BINARY,
    CODE,
    COUNT,
    EXACT,
    MANY,
    POSITIVE,
    REAL,
    WHOLE,
    Groups,
    RowMatrix,
    as_numbers,
    generator,
)
from suffice.stats.redrawn import DrawsRows, Redrawn, arranged, below, by_class, dealt, scattered, shuffled, whole
from suffice.telling import counted
from suffice.typing import Array, Integers, Matrix, Rng


class Counts(Statistic):
    """Base of statistics whose arrays add and subtract elementwise and are never negative."""

    def _check(self) -> None:
        for name, array in self.arrays().items():
            if name in self._whole or name.endswith("_lo"):
                continue
            if not array.min(initial=0.0) >= 0:  # nor is NaN
                raise DataError(f"{type(self).__name__}.{name}", "not be negative or NaN").but(f"got {array.min()}")
            if array.max(initial=0.0) > EXACT and not name.startswith("log_"):
                raise DataError(f"{type(self).__name__}.{name}", "stay below 2**53, where float64 counts exactly").but(
                    f"got {array.max():.17g}"
                )

    def _plus(self, other: Self) -> Self:
        theirs = other.arrays()
        return type(self)(*(sealed(np.asarray(mine + theirs[name])) for name, mine in self.arrays().items()))

    def _minus(self, other: Self) -> Self:
        theirs = other.arrays()
        return type(self)(*(difference(mine, theirs[name]) for name, mine in self.arrays().items()))


@dataclass(frozen=True, eq=False, repr=False)
class ClassCounts(Counts):
    """Number of rows of each class, counted from the labels alone.

    >>> ClassCounts.of_labels([0, 1, 1, 1])
    ClassCounts(counts=[1., 3.])
    """

    counts: Array

    @classmethod
    def of_labels(cls, labels: ArrayLike, weights: ArrayLike | None = None, *, n_classes: int | None = None) -> Self:
        """Count rows by class; `labels` are codes 0..C−1 or responsibilities (rows × classes)."""
        codes = as_numbers(labels, "labels", "class codes or responsibilities")
        rows = RowMatrix(np.broadcast_to(np.uint8(0), (len(np.atleast_1d(codes)), 0)), (), "labels")
        return cls.of(rows, codes, weights, n_classes=n_classes)

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        if groups.classes is None:
            raise LabelError("ClassCounts needs labels; got labels=None.").advise("Pass a class code for each row.")
        return cls(counting_kernels.weights(groups, 0))


@dataclass(frozen=True, eq=False, repr=False)
class BinaryCounts(DrawsRows, Counts):
    """Number of rows, and number of rows in which each feature is 1.

    `n` broadcasts against `ones`: one number per class as long as every feature is known in every row. Given the counts
    of independent Bernoulli features, all arrangements of a feature's ones over the rows of a class are equally
    probable, whatever the probabilities: so `sample_rows` arranges them.

    >>> BinaryCounts.of([[1, 0], [1, 1], [0, 0]], labels=[0, 0, 1])
    BinaryCounts(ones=[[2., 1.], [0., 0.]], n=[[2.], [1.]])
    """

    ones: Array
    n: Array

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        allowed = BINARY if rows.above is None else REAL
        return cls(counting_kernels.sums(rows, groups, allowed), counting_kernels.weights(groups, len(rows.shape)))

    @property
    def documents(self) -> Array:
        """Number of rows in which each feature is 1, under the name that word counts use."""
        return self.ones

    @property
    def zeros(self) -> Array:
        """Number of rows in which each feature is 0."""
        return np.asarray(difference(np.broadcast_to(self.n, self.ones.shape), self.ones))

    def _draw(self, rng: np.random.Generator) -> Redrawn:
        return by_class(self.n, [whole(self.ones, "ones", "BinaryCounts")], "BinaryCounts", partial(arranged, rng))

    def _check(self) -> None:
        super()._check()
        check_weight("BinaryCounts", self.n, self.ones)
        limit = self.n * (1 + ROUNDING)
        shared = self.ones.ndim > 0 and self.n.ndim == self.ones.ndim and self.n.shape[-1] == 1
        if ((self.ones.max(axis=-1, keepdims=True, initial=0.0) if shared else self.ones) > limit).any():
            over = self.ones > limit
            ones, n = self.ones[over].flat[0], np.broadcast_to(self.n, over.shape)[over].flat[0]
            raise DataError("BinaryCounts.ones", "not exceed 'n', the number of rows").but(f"got {ones} of {n}")


@dataclass(frozen=True, eq=False, repr=False)
class CategoryCounts(DrawsRows, Counts):
    """Counts of the categories of each column, columns side by side: column j has `sizes[j]` categories.

    Sums and differences keep the larger number of categories of each column: a category once known stays known.
    `sample_rows` arranges the codes of each column at random over the rows of each class; all columns must count the
    same number of rows, since where values are missing, the counts do not say in which rows.

    >>> counts = CategoryCounts.of([[0, 2], [1, 0], [1, 2]])
    >>> counts
    CategoryCounts(counts=[1., 2., 1., 0., 2.], sizes=[2, 3])
    >>> counts.column(1)
    array([1., 0., 2.])
    """

    counts: Array
    sizes: Integers

    _whole = ("sizes",)

    @classmethod
    def of(
        cls,
        data: Matrix,
        labels: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        *,
        n_classes: int | None = None,
        sizes: ArrayLike | None = None,
        name: str = "data",
    ) -> Self:
        """Count category codes 0..K−1 by column; `sizes` gives the number of categories of each column."""
        rows = RowMatrix.read(data, name)
        return cls._gather(rows, Groups.read(len(rows), labels, weights, n_classes), sizes)

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups, sizes: ArrayLike | None = None) -> Self:
        if rows.is_sparse:
            raise KindError(rows.name, "be dense, because code 0 is a category like any other").but(
                "got a sparse matrix", python="Call its toarray()."
            )
        columns = rows.matrix.shape[1]
        known = category_sizes(rows) if sizes is None else np.atleast_1d(WHOLE.read(sizes, "sizes")).astype(np.int64)
        if known.shape != (columns,):
            raise ShapeError("sizes", f"hold one number per column, {columns} in all").but(f"got shape {known.shape}")
        return cls(counting_kernels.categories(rows, groups, known), known)

    @classmethod
    def zero(cls) -> Self:
        """Return the statistic of no rows and no columns."""
        return cls(np.zeros(()), np.zeros(0, np.int64))

    @property
    def shape(self) -> tuple[int, ...]:
        """Classes (if there are labels) × columns."""
        return (*self.counts.shape[:-1], len(self.sizes)) if self.counts.ndim else ()

    def column(self, j: int) -> Array:
        """Return the counts of the categories of one column, classes (if there are labels) × categories."""
        start = int(self.sizes[:j].sum())
        return self.counts[..., start : start + int(self.sizes[j])]

    def _draw(self, rng: np.random.Generator) -> Redrawn:
        labelled = self.counts.ndim == 2
        columns = [np.atleast_2d(whole(self.column(j), "counts", "CategoryCounts")) for j in range(len(self.sizes))]
        classes = range(len(self.counts) if labelled else 1)
        parts = [shuffled(rng, [column[c] for column in columns]) for c in classes]
        X = np.concatenate([np.zeros((0, len(columns)), np.int64), *parts])
        return X, np.repeat(classes, [len(part) for part in parts]) if labelled else None

    def _check(self) -> None:
        super()._check()
        if self.sizes.dtype != np.int64 or self.sizes.ndim != 1 or (self.sizes < 0).any():
            raise ShapeError("CategoryCounts.sizes", "list one whole number per column").but(f"got {self.sizes}")
        if self.counts.ndim and self.counts.shape[-1] != self.sizes.sum():
            raise ShapeError("CategoryCounts.counts", f"have {self.sizes.sum()} columns, the sum of 'sizes'").but(
                f"got {self.counts.shape[-1]}"
            )

    def _plus(self, other: Self) -> Self:
        sizes = np.maximum(self.sizes, other.sizes)
        return type(self)(sealed(self._padded(sizes) + other._padded(sizes)), sizes)

    def _minus(self, other: Self) -> Self:
        sizes = np.maximum(self.sizes, other.sizes)
        return type(self)(difference(self._padded(sizes), other._padded(sizes)), sizes)

    def _padded(self, sizes: Integers) -> Array:
        if np.array_equal(sizes, self.sizes):
            return self.counts
        wide = np.zeros((*self.counts.shape[:-1], int(sizes.sum())))
        shift = np.concatenate([[0], np.cumsum(sizes - self.sizes)[:-1]]).astype(np.int64)
        wide[..., np.arange(self.sizes.sum()) + np.repeat(shift, self.sizes)] = self.counts
        return wide


@dataclass(frozen=True, eq=False, repr=False)
class TokenCounts(Counts):
    """Total count of each word, by class.

    >>> TokenCounts.of([[2, 0, 1], [0, 3, 1]], labels=[0, 1])
    TokenCounts(counts=[[2., 0., 1.], [0., 3., 1.]])
    """

    counts: Array

    @property
    def tokens(self) -> Array:
        """Total count of each word in each class, under the name that word counts use."""
        return self.counts

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        return cls(counting_kernels.sums(rows, groups, COUNT))

    def sample_rows(
        self, rng: Rng = None, *, lengths: ArrayLike | None = None, labels: ArrayLike | None = None
    ) -> tuple[Any, Integers | None]:
        """Draw rows of words from their distribution given the count of each word in each class.

        The counts hold neither rows nor their lengths. So a row is a single token, unless `lengths` are given: then the
        tokens of a class, in random order, are divided into rows of these lengths (each row is multivariate
        hypergeometric). Under a multinomial, that is the distribution of the rows given totals and lengths.

        Parameters
        ----------
        rng : Generator or int, default=None
            Random generator, or a seed for one.
        lengths : array of int, default=None
            Number of tokens of each row; they must add up to the number of tokens of each class.
        labels : array of int, default=None
            Class of each row in `lengths`, if the counts have a class axis.

        Returns
        -------
        rows : sparse array of shape (n_rows, n_words)
            Count of each word in each row.
        labels : ndarray of int, or None
            Class of each row; None if the counts have no class axis.

        Examples
        --------
        >>> counts = TokenCounts.of([[2, 0, 1], [0, 3, 1]], labels=[0, 1])
        >>> X, labels = counts.sample_rows(0)
        >>> X.shape, labels, TokenCounts.of(X, labels) == counts
        ((7, 3), array([0, 0, 0, 1, 1, 1, 1]), True)
        >>> X, labels = counts.sample_rows(0, lengths=[2, 4, 1], labels=[0, 1, 0])
        >>> X.sum(axis=1), TokenCounts.of(X, labels) == counts
        (array([2, 4, 1]), True)
        """
        if self.counts.ndim not in (1, 2):
            raise ShapeError(
                "TokenCounts.counts", "have one axis, words, or two, classes × words, for rows to be drawn"
            ).but(f"got shape {self.counts.shape}")
        counts = np.atleast_2d(whole(self.counts, "counts", "TokenCounts"))
        X, code = dealt(generator(rng), counts, lengths, labels)
        return X, code if self.counts.ndim == 2 else None


@dataclass(frozen=True, eq=False, repr=False)
class RateCounts(DrawsRows, Counts):
    """Total count of each feature and number of rows, by class: sufficient for a rate of events.

    `n` broadcasts against `counts`: one number per class. Given the totals of Poisson counts, each event falls into any
    row of its class with equal probability, whatever the rates: so `sample_rows` scatters them. Totals must be whole.

    >>> RateCounts.of([[2, 0], [0, 3], [1, 1]], labels=[0, 1, 1])
    RateCounts(counts=[[2., 0.], [1., 4.]], n=[[1.], [2.]])
    """

    counts: Array
    n: Array

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        return cls(counting_kernels.sums(rows, groups, COUNT), counting_kernels.weights(groups, len(rows.shape)))

    @property
    def total(self) -> Array:
        """Total count of each feature, under the name that sums of counts use."""
        return self.counts

    def _draw(self, rng: np.random.Generator) -> Redrawn:
        return by_class(self.n, [whole(self.counts, "counts", "RateCounts")], "RateCounts", partial(scattered, rng))

    def _check(self) -> None:
        super()._check()
        check_weight("RateCounts", self.n, self.counts)
        if ((self.n == 0) & (self.counts > 0)).any():
            raise DataError("RateCounts.counts", "be 0 where there are no rows")


@dataclass(frozen=True, eq=False, repr=False)
class PoissonSums(Counts):
    """Σx, n and Σ ln x! of counts; the last is a (hi, lo) pair.

    >>> PoissonSums.of([3, 0, 4]).total
    array(7.)
    """

    total: Array
    n: Array
    log_factorials: Array
    log_factorials_lo: Array

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        total, _, log_factorials, lost = counting_kernels.table("poisson_sums", rows, groups, WHOLE)
        return cls(total, counting_kernels.weights(groups, len(rows.shape)), log_factorials, lost)

    def _check(self) -> None:
        super()._check()
        check_weight("PoissonSums", self.n, self.total)
        if not self.total.shape == self.log_factorials.shape == self.log_factorials_lo.shape:
            raise ShapeError("'total' and 'log_factorials' of PoissonSums", "have the same shape")
        if ((self.n == 0) & (self.total > 0)).any() or ((self.total == 0) & (self.log_factorials > 0)).any():
            raise DataError(
                "PoissonSums.total", "be 0 where there are no rows, and 'log_factorials' where 'total' is 0"
            )
        mean = self.total / np.where(self.n > 0, self.n, 1.0)
        below = np.floor(mean)  # as ln x! is convex, Σ ln x! is smallest where every x is next to the mean
        least = self.n * (gammaln(below + 1) + (mean - below) * np.log(below + 1))
        if (self.log_factorials < least - 1e-9 * (1 + least)).any():
            raise DataError(
                "PoissonSums.log_factorials", "be at least the smallest Σ ln x! that counts with this total can have"
            ).but("got less")

    def _plus(self, other: Self) -> Self:
        logs = self._logs + other._logs
        arrays = (self.total + other.total, self.n + other.n, logs.hi, logs.lo)
        return type(self)(*(sealed(np.asarray(array)) for array in arrays))

    def _minus(self, other: Self) -> Self:
        total, logs = difference(self.total, other.total), self._logs - other._logs
        slight = (np.abs(logs.hi) <= ROUNDING * np.maximum(self.log_factorials, other.log_factorials)) & (total == 0)
        slight |= (logs.hi < 0) & (logs.hi >= -ROUNDING * self.log_factorials)
        arrays = (np.where(slight, 0.0, part) for part in (logs.hi, logs.lo))
        return type(self)(total, difference(self.n, other.n), *(sealed(array) for array in arrays))

    @property
    def _logs(self) -> Pair:
        return Pair(self.log_factorials, self.log_factorials_lo)


@dataclass(frozen=True, eq=False, repr=False)
class WaitingTimes(Counts):
    """Σx of waiting times, as a (hi, lo) pair, and n: sufficient for a rate.

    >>> WaitingTimes.of([1.5, 0.5, 4.0])
    WaitingTimes(total=6., n=3.)
    """

    total: Array
    n: Array
    total_lo: Array

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        total, lost = counting_kernels.table("real_sums", rows, groups, COUNT)
        return cls(total, counting_kernels.weights(groups, len(rows.shape)), lost)

    def _check(self) -> None:
        super()._check()
        check_weight("WaitingTimes", self.n, self.total)
        if self.total.shape != self.total_lo.shape:
            raise ShapeError("The two parts of 'total' of WaitingTimes", "have the same shape")
        if ((self.n == 0) & (self.total > 0)).any():
            raise DataError("WaitingTimes.total", "be 0 where there are no rows")

    def _plus(self, other: Self) -> Self:
        times = self._times + other._times
        return type(self)(*(sealed(np.asarray(part)) for part in (times.hi, self.n + other.n, times.lo)))

    def _minus(self, other: Self) -> Self:
        n, times = difference(self.n, other.n), self._times - other._times
        slight = (np.abs(times.hi) <= ROUNDING * np.maximum(self.total, other.total)) & (times.hi < 0) | (n == 0)
        if (np.abs(times.hi) > ROUNDING * self.total)[np.broadcast_to(n == 0, times.hi.shape)].any():
            raise DataError("all rows would be removed, but those given have another total of waiting times.")
        hi, lo = (sealed(np.where(slight, 0.0, part)) for part in (times.hi, times.lo))
        return type(self)(hi, n, lo)

    @property
    def _times(self) -> Pair:
        return Pair(self.total, self.total_lo)


@dataclass(frozen=True, eq=False, repr=False)
class Extremes(DrawsRows, Statistic):
    """Number of rows and their largest value (0 while there are none).

    Maxima add, but they do not subtract, because the second largest value is not stored. So `a − b` raises unless
    b's largest value is below a's; then only the number of rows changes. Under a uniform from 0 to an unknown end, a
    random row of a class has the largest value, and the others are uniform below it: so `sample_rows` draws them.

    >>> Extremes.of([31.0, 100.0, 7.0])
    Extremes(largest=100., n=3.)
    """

    largest: Array
    n: Array

    def scaled(self, factor: float) -> Self:
        """Return the statistic with all row weights multiplied by `factor`; cells that underflow become empty."""
        n = np.asarray(self.n * factor)
        return type(self)(sealed(np.where(n > 0, self.largest, 0.0)), sealed(n))

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        if rows.is_sparse:
            raise KindError(rows.name, "be dense, because every value must be positive").but("got a sparse matrix")
        (largest,) = counting_kernels.table("largest", rows, groups, POSITIVE)
        return cls(largest, counting_kernels.weights(groups, len(rows.shape)))

    @property
    def maximum(self) -> Array:
        """Maximum-likelihood estimate of the upper end."""
        return self.largest  # PU-1

    def _draw(self, rng: np.random.Generator) -> Redrawn:
        return by_class(self.n, [self.largest], "Extremes", partial(below, rng))

    def _check(self) -> None:
        check_weight("Extremes", self.n, self.largest)
        if not ((self.largest >= 0) & np.isfinite(self.largest) & ((self.largest > 0) == (self.n > 0))).all():
            raise DataError("Extremes.largest", "be positive where there are rows, and 0 where there are none").but(
                f"got {self.largest} with n = {self.n}"
            )

    def _plus(self, other: Self) -> Self:
        return type(self)(sealed(np.maximum(self.largest, other.largest)), sealed(np.asarray(self.n + other.n)))

    def _minus(self, other: Self) -> Self:
        if ((other.largest >= self.largest) & (other.n > 0)).any():
            raise DataError(
                "the largest value would be removed, and the second largest is not kept; refit without these rows."
            )
        return type(self)(self.largest, difference(self.n, other.n))


def category_sizes(rows: RowMatrix) -> Integers:
    """Return the number of categories of each column of codes: one more than its largest code."""
    if not len(rows):
        return np.zeros(rows.matrix.shape[1], np.int64)
    seen = counting_kernels.table("largest", rows, Groups.read(len(rows), None, None, None), CODE)[0].ravel() + 1
    if (seen > max(MANY, 2 * len(rows))).any():
        raise DataError(rows.name, "hold category codes 0, 1, 2, …").but(
            f"got {seen.max() - 1:.17g} among {counted(len(rows), 'row')}",
            python="If there are so many categories, pass sizes=.",
        )
    return np.asarray(seen, np.int64)
