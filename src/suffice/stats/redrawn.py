"""Draw rows from their distribution given a sufficient statistic.

p(rows | statistic, θ) does not depend on θ: that is what sufficient means. So rows can be drawn without parameters,
and the statistic of the drawn rows equals the given one. The functions below draw the rows of one class:

arranged     zeros and ones: each column is a random arrangement of its ones
shuffled     categories: each column is a random arrangement of its codes
scattered    counts of events: each event falls into any row with equal probability
on_a_sphere  numbers: each column is uniform on the sphere about its mean that its scatter prescribes
below        positive numbers up to an end: a random one is the largest, and the others are uniform below it
dealt        words, of all classes: the tokens of each class in random order, divided into rows
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suffice.errors import DataError, LabelError, ShapeError
from suffice.later import sparse
from suffice.stats.inputs import CODE, WHOLE, generator
from suffice.typing import Array, Integers, Rng

Redrawn: TypeAlias = tuple[NDArray[Any], Integers | None]
"""Rows, and the class of each; None if the statistic has no class axis."""


class DrawsRows(ABC):
    """A statistic whose rows can be drawn again."""

    def sample_rows(self, rng: Rng = None) -> Redrawn:
        """Draw rows from their distribution given the statistic, which is the same for all parameters.

        Parameters
        ----------
        rng : Generator or int, default=None
            Random generator, or a seed for one.

        Returns
        -------
        rows : ndarray
            As many rows as were counted, class by class; their statistic is this one.
        labels : ndarray of int, or None
            Class of each row; None if the statistic has no class axis.

        Examples
        --------
        >>> from suffice.stats import BinaryCounts
        >>> counts = BinaryCounts.of([[1, 0], [1, 1], [0, 0]], labels=[0, 0, 1])
        >>> X, labels = counts.sample_rows(0)
        >>> X.sum(axis=0), labels, BinaryCounts.of(X, labels) == counts
        (array([2, 1]), array([0, 0, 1]), True)
        """
        return self._draw(generator(rng))

    @abstractmethod
    def _draw(self, rng: np.random.Generator) -> Redrawn: ...


def whole(numbers: Array, name: str, kind: str) -> Integers:
    """Return counts as integers; raise if any is fractional."""
    broken = numbers != np.floor(numbers)
    if broken.any():
        raise DataError(f"{kind}.{name}", "hold whole numbers for rows to be drawn").but(
            f"got {numbers[broken].flat[0]}", "Count the rows without weights."
        )
    return np.asarray(numbers, np.int64)


def by_class(n: Array, arrays: list[NDArray[Any]], name: str, draw: Callable[..., NDArray[Any]]) -> Redrawn:
    """Draw the rows of each class from its number of rows and its line of each array.

    The first axis is the class axis if `n`, the number of rows, has it too. A vector of length one could be either, and
    is taken for a column.
    """
    shape = arrays[0].shape
    labelled = n.ndim == len(shape) > 0 and n.shape[0] == shape[0] and shape != (1,)
    classes, width = (shape[0] if labelled else 1), int(np.prod(shape[labelled:]))
    counted = whole(n, "n", name).reshape(classes, n.size // max(1, classes))
    rows = counted.max(axis=1, initial=0)
    if (counted != rows[:, None]).any():
        raise DataError(f"{name}.n", "be the same for all features for rows to be drawn").but(f"got {n}")
    lines = [array.reshape(classes, width) for array in arrays]
    parts = [draw(int(rows[c]), *(line[c] for line in lines)) for c in range(classes)]
    X = np.concatenate(parts) if parts else np.zeros((0, width))
    return X.reshape(len(X), *shape[labelled:]), np.repeat(np.arange(classes), rows) if labelled else None


def arranged(rng: np.random.Generator, rows: int, ones: Integers) -> Integers:
    """Draw columns of zeros and ones; all arrangements are equally probable."""
    return rng.permuted((np.arange(rows)[:, None] < ones).astype(np.int64), axis=0)  # SX-12


def shuffled(rng: np.random.Generator, columns: list[Integers]) -> Integers:
    """Draw columns of category codes from their counts; all arrangements are equally probable."""
    codes = [np.repeat(np.arange(len(counts)), counts) for counts in columns]
    if len({len(column) for column in codes}) > 1:
        raise DataError("Each column of CategoryCounts", "count the same number of rows for rows to be drawn").but(
            f"got {', '.join(str(len(column)) for column in codes[:8])}"
        )
    return rng.permuted(np.array(codes, np.int64).reshape(len(codes), -1 if codes else 0).T, axis=0)  # SX-12


def scattered(rng: np.random.Generator, rows: int, total: Integers) -> Integers:
    """Draw counts from their totals: each event falls into any row with equal probability."""
    if not rows:
        return np.zeros((0, len(total)), np.int64)
    return rng.multinomial(total, np.full(rows, 1 / rows)).reshape(len(total), rows).T  # SX-12


def on_a_sphere(rng: np.random.Generator, rows: int, mean: Array, scatter: Array) -> Array:
    """Draw columns of numbers with the given mean and scatter: the direction of their deviations is uniform."""
    if rows < 2 and (scatter > 0).any():
        raise DataError("DiagonalMoments.scatter", "be 0 if there is at most one row").but(f"got {scatter.max()}")
    away = rng.standard_normal((rows, len(mean)))
    for _ in range(2):  # again, since draws that are close together leave a mean of many last bits
        away -= away.mean(axis=0) if rows else 0.0
        length = np.sqrt((away**2).sum(axis=0))
        away /= np.where(length > 0, length, 1.0)
    return np.asarray(mean + away * np.sqrt(scatter))  # SX-12


def below(rng: np.random.Generator, rows: int, largest: Array) -> Array:
    """Draw columns of positive numbers from the largest of each: the others are uniform below it."""
    values = largest * (1 - rng.random((rows, len(largest))))  # SX-12
    if rows:
        values[rng.integers(rows, size=len(largest)), np.arange(len(largest))] = largest
    return np.asarray(values)


def dealt(
    rng: np.random.Generator, counts: Integers, lengths: ArrayLike | None, labels: ArrayLike | None
) -> tuple[Any, Integers]:
    """Draw rows of the given lengths by class: the tokens of the class in random order, cut where rows end."""
    if lengths is None and labels is not None:
        raise LabelError("The argument 'labels' needs 'lengths', the number of tokens of each row; got lengths=None.")
    tokens = [rng.permutation(np.repeat(np.arange(len(line)), line)) for line in counts]  # SX-12
    totals = counts.sum(axis=1)
    code = np.repeat(np.arange(len(counts)), totals) if lengths is None else _codes(labels, len(counts), lengths)
    size = np.ones(len(code), np.int64) if lengths is None else _lengths(lengths, code, totals)
    order = np.argsort(code, kind="stable")
    ends = np.concatenate([[0], np.cumsum(size[order])])
    places = np.concatenate([np.zeros(0, np.int64), *tokens])
    sorted_rows = sparse.csr_array((np.ones(len(places), np.int64), places, ends), (len(code), counts.shape[1]))
    sorted_rows.sum_duplicates()
    return sorted_rows[np.argsort(order, kind="stable")], code


def _codes(labels: ArrayLike | None, classes: int, lengths: ArrayLike) -> Integers:
    rows = len(np.atleast_1d(np.asarray(lengths)))
    if labels is None and classes != 1:
        raise LabelError("The argument 'lengths' needs 'labels', the class of each row; got labels=None.")
    code = np.zeros(rows, np.int64) if labels is None else CODE.read(labels, "labels").astype(np.int64)
    if code.shape != (rows,) or (code >= classes).any():
        raise LabelError(
            "labels", f"hold a code from 0 to {classes - 1} for each of the {rows} rows of 'lengths'", got=labels
        )
    return code


def _lengths(lengths: ArrayLike, code: Integers, totals: Integers) -> Integers:
    size = WHOLE.read(lengths, "lengths").astype(np.int64)
    if size.ndim != 1:
        raise ShapeError("lengths", "be a list of whole numbers").but(f"got shape {size.shape}")
    got = np.bincount(code, size, len(totals)).astype(np.int64)
    if (got != totals).any():
        c = int(np.argmax(got != totals))
        of = f" of class {c}" if len(totals) > 1 else ""
        raise DataError("lengths", f"add up to the {totals[c]} tokens{of}").but(f"got {got[c]}")
    return size
