"""Read matrices of categories, by code or by value, into rows of codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import InputError, KindError
from suffice.models.answers.parts import Wording
from suffice.models.likelihoods.codes import CodeRows
from suffice.models.model import Model, narrowest
from suffice.readers.one_block import OfMatrices
from suffice.stats import CategoryCounts
from suffice.stats.counts import category_sizes
from suffice.stats.inputs import RowMatrix
from suffice.typing import Integers

__all__ = ["CodeReader", "as_numbers", "declared_categories"]


@dataclass(frozen=True, eq=False)
class CodeReader(OfMatrices):
    """The categories of each column: sorted values, or None if they are the codes 0, 1, 2, …"""

    categories: list[NDArray[Any]] | None
    least: Any = None  # least number of codes of each column
    declared: list[NDArray[Any]] | None = None  # categories that stay even if unseen; all others are refused
    feature_names: NDArray[Any] | None = None
    block: str = "X"

    def wording(self, model: Model, source: Any, read: Any) -> Wording:
        """Return the names of features, and the values of one row, with a note on those that were never seen."""
        raw, (rows,) = np.asarray(source, dtype=object)[0], self.parts(read)
        unseen = np.asarray(rows[self.block].source.matrix)[0] >= model.blocks[self.block].statistic.sizes
        values = [f"{value}{' (never seen)' * bool(new)}" for value, new in zip(raw, unseen, strict=True)]
        return Wording(self.feature_names, values)

    @classmethod
    def first(cls, X: NDArray[Any], least: Any, declared: list[NDArray[Any]] | None) -> CodeReader:
        """Return the reader for the first rows: whole numbers are codes, everything else is categories by value."""
        if declared is not None:
            return cls(declared, None, declared)
        none = None if _are_codes(X) else [np.empty(0, _values(X[:, j], j).dtype) for j in range(X.shape[1])]
        return cls(none, least)

    def wider(self, X: NDArray[Any]) -> CodeReader:
        """Return the reader with room for new values; raise InputError for values that are not declared."""
        if self.categories is None:
            return self
        columns = [_values(X[:, j], j) for j in range(X.shape[1])]
        if self.declared is not None:
            refuse_others(self.declared, columns)
        pairs = zip(self.categories, columns, strict=True)
        return replace(self, categories=[narrowest(np.union1d(known, column)) for known, column in pairs])

    @staticmethod
    def union(readers: Sequence[CodeReader]) -> CodeReader:
        """Return the reader that knows the categories of all readers."""
        if readers[0].categories is None:
            return readers[0]
        known: Any = zip(*(reader.categories or () for reader in readers), strict=True)
        return replace(readers[0], categories=[reduce(np.union1d, each) for each in known])

    def with_room(self, t: CategoryCounts, known: CodeReader) -> CategoryCounts:
        """Return counts by the categories of the reader `known` as counts by the categories of this one."""
        if self.categories is None or known.categories is None:
            return t
        columns = []
        for j, (old, new) in enumerate(zip(known.categories, self.categories, strict=True)):
            room = np.zeros((*t.counts.shape[:-1], len(new)))
            room[..., np.searchsorted(new, old)] = t.column(j)
            columns.append(room)
        return CategoryCounts(np.concatenate(columns, axis=-1), np.array([len(new) for new in self.categories]))

    def without_unseen(self, t: CategoryCounts) -> tuple[CodeReader, CategoryCounts]:
        """Return reader and counts without unseen categories: undeclared values, and codes above the largest seen."""
        seen = [t.column(j).any(axis=0) for j in range(len(t.sizes))]
        reader = self
        if self.categories is not None:
            if self.declared is not None:
                parts = zip(seen, self.categories, self.declared, strict=True)
                seen = [used | np.isin(known, given) for used, known, given in parts]
            pairs = zip(self.categories, seen, strict=True)
            reader, keep = replace(self, categories=[narrowest(values[used]) for values, used in pairs]), seen
        else:
            used = np.array([int(np.flatnonzero(one).max(initial=-1)) + 1 for one in seen])
            keep = [np.arange(n) < most for n, most in zip(t.sizes, at_least(used, self.least), strict=True)]
        counts = np.concatenate([t.column(j)[:, one] for j, one in enumerate(keep)], axis=1)
        return reader, CategoryCounts(counts, np.array([int(one.sum()) for one in keep]))

    def rows(self, source: Any) -> dict[str | int, Any]:
        """Return the rows of the block."""
        if self.categories is None:
            read = source if isinstance(source, RowMatrix) else RowMatrix.read(_numbers(source), "X")
            return {self.block: CodeRows(read, (), None, at_least(category_sizes(read), self.least))}
        sizes = np.array([len(values) for values in self.categories])
        return {self.block: CodeRows(RowMatrix.read(self.encode(source), "X"), (), None, sizes)}

    def parts(self, source: Any) -> Iterator[dict[str | int, Any]]:
        """Yield all rows at once, for scoring."""
        read = (
            source
            if isinstance(source, RowMatrix)
            else RowMatrix.read(_numbers(source) if self.categories is None else self.encode(source), "X")
        )
        yield {self.block: CodeRows(read)}

    def encode(self, X: Any) -> Integers:
        """Return the codes of values; an unknown value gets the code after the last."""
        out = np.empty(X.shape, np.int64)
        for j, values in enumerate(self.categories or ()):
            column = _values(X[:, j], j)
            place = np.minimum(np.searchsorted(values, column), len(values) - 1)
            out[:, j] = np.where(values[place] == column, place, len(values))
        return out


TEXT, NUMBER = "U", "biuf"


def declared_categories(categories: Any, n_features: int) -> list[NDArray[Any]]:
    """Return the declared values of each feature, sorted, as arrays of text or of numbers."""
    if len(categories) != n_features:
        raise InputError(
            "CategoricalNB.categories", f"be a list for each of {n_features} features, such as [range(1, 7)]"
        ).but(f"got {len(categories)}")
    return [_sorted(values, j) for j, values in enumerate(categories)]


def _sorted(values: Any, j: int) -> NDArray[Any]:
    try:
        given = values if hasattr(values, "__array__") else list(values)
        array = np.asarray(given)
        plain = np.asarray(given, object)
    except (TypeError, ValueError):
        array = plain = np.empty((0, 0))
    array = array.astype(np.str_) if array.dtype.kind == "O" and all(isinstance(v, str) for v in array.flat) else array
    mixed = array.dtype.kind == TEXT and not all(isinstance(value, str) for value in plain.flat)
    if array.ndim != 1 or not array.size or mixed or array.dtype.kind not in TEXT + NUMBER:
        raise InputError("CategoricalNB.categories", "list texts or numbers, one kind per feature").but(
            f"got {values!r} for feature {j}"
        )
    once = np.unique(array)
    if len(once) != len(array) or (once != once).any():
        raise InputError("CategoricalNB.categories", "list distinct categories, none of them missing").but(
            f"got {values!r} for feature {j}"
        )
    return once


def refuse_others(known: list[NDArray[Any]], columns: list[NDArray[Any]]) -> None:
    """Raise an InputError that names the first value outside its feature's categories."""
    for j, (values, column) in enumerate(zip(known, columns, strict=True)):
        alike = (values.dtype.kind == TEXT) == (column.dtype.kind == TEXT)
        other = ~np.isin(column, values) if alike else np.ones(len(column), bool)
        if other.any():
            row = int(np.argmax(other))
            raise InputError("CategoricalNB (input X)", "hold only the values in 'categories'").but(
                f"got {column[row].item()!r} in row {row}, column {j}"
            )


def _values(column: Any, j: int) -> Any:
    """Return a column that can be sorted: all text, or all numbers."""
    if column.dtype.kind != "O":
        return column
    kinds = {str if isinstance(value, str) else float if isinstance(value, Real) else type(value) for value in column}
    if len(kinds) > 1 or not kinds <= {str, float}:
        raise KindError(
            f"CategoricalNB (input X): every argument must be a string or a number, one kind per column; column {j} "
            f"holds {', '.join(sorted(kind.__name__ for kind in kinds))}."
        )
    if kinds == {str} and any(value.endswith("\0") for value in column):
        row = next(row for row, value in enumerate(column) if value.endswith("\0"))
        raise InputError("CategoricalNB (input X)", "hold categories that do not end in NUL, which numpy drops").but(
            f"got {column[row]!r} in row {row}, column {j}", python="Rename them, or use NaiveBayes."
        )
    return column.astype(np.str_ if kinds == {str} else np.float64) if kinds else column.astype(np.float64)


def as_numbers(X: Any) -> Any:
    """Convert an object array of numbers, as frames of mixed columns give it; return anything else unchanged."""
    if X.dtype.kind != "O" or not all(isinstance(value, Real) for value in X.flat):
        return X
    return X.astype(np.int64 if all(isinstance(value, Integral) for value in X.flat) else np.float64)


def _are_codes(X: Any) -> bool:
    if X.dtype.kind in "biu":
        return True
    return X.dtype.kind == "f" and all(bool((np.floor(part) == part).all()) for part in _parts(X))


def _parts(X: Any) -> Iterator[Any]:
    """Return blocks of rows of X, so that temporary arrays stay small."""
    step = max(1, 2**19 // max(1, X.shape[1]))
    return (X[at : at + step] for at in range(0, len(X), step))


def _numbers(X: Any) -> Any:
    if X.dtype.kind not in "biuf":
        raise InputError("CategoricalNB (input X)", "hold category codes 0, 1, 2, … as at the first fit").but(
            f"got an array of {X.dtype}"
        )
    return X


def at_least(seen: Integers, least: Any) -> Integers:
    """Return `seen`, raised to `min_categories` where that is larger."""
    if least is None:
        return seen
    wanted = np.asarray(least)
    if not np.issubdtype(wanted.dtype, np.signedinteger):
        raise InputError(f"'min_categories' should have integral type. Got {wanted.dtype} instead.")
    if wanted.shape not in ((), seen.shape):
        raise InputError(
            f"'min_categories' should have shape ({len(seen)},) when an array-like is provided. "
            f"Got {wanted.shape} instead."
        )
    return np.asarray(np.maximum(seen, wanted), np.int64)
