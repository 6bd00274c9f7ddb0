"""The map and the + of a fit in many places: rows of one part become a model file, and model files add.

count    rows → Part       counts as a model file (never pickle), some rows that views are chosen by (`walk.py`)
merged   Parts → Part      associative, so that any tree of them gives the same
finish   Part → estimator  takes the counts; temper, weights and pseudo-count are chosen by the kept rows
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.ipc as ipc

from suffice.engines.kept import HASH, shortened
from suffice.engines.shapes import Shape
from suffice.engines.sources import Source
from suffice.errors import DataError
from suffice.estimators.algebra import merge
from suffice.estimators.mixed import NaiveBayes
from suffice.estimators.text import TextClassifier
from suffice.estimators.shell.whole import changing
from suffice.store import from_bytes, to_bytes

__all__ = [
    "ROWS",
    "UNCOUNTABLE",
    "Job",
    "Part",
    "Total",
    "as_stream",
    "counting",
    "finish",
    "first_failed",
    "kept_rows",
    "merged",
    "model_of",
    "no_beliefs",
    "packed",
    "unfitted",
    "wanted_rows",
]

ROWS, FEW = 20_000, 2000
"""Rows that views are chosen by, at most, and with little effort."""

AT_ONCE = 4
"""Models that are merged at once, which is how many are in memory, for each level of the tree."""

BELIEFS = {
    *("alpha", "force_alpha", "fit_prior", "class_prior", "priors", "prior", "estimate", "var_smoothing", "norm"),
    *("unseen", "temper", "weights", "ridge", "min_df", "max_df", "max_features", "memory_limit", "verbose", "tol"),
}
"""Parameters that counts do not depend on: parts have them as they are by default."""

UNCOUNTABLE = (ValueError, TypeError, OverflowError)
"""What estimators and Arrow say of values that they cannot take."""


@dataclass(frozen=True)
class Part:
    """What was found in some of the rows."""

    statistics: Any = b""  # a model file, compressed; empty if there were no rows; where it has arrived, a model
    kept: bytes = b""  # Arrow's stream of the rows that are kept, with their hashes, compressed
    rows: int = 0
    skipped: int = 0
    failed: str = ""  # the first row that could not be counted, in words
    where: int = -1  # its partition
    sums: tuple[float, ...] = ()  # numbers that add


class Job(ABC):
    """What every part is to do, and how what they found becomes one."""

    shape: Shape

    @abstractmethod
    def count(self, sources: Iterable[Source], partition: int) -> Part:
        """What is in the rows of one part."""

    @abstractmethod
    def merge(self, parts: Iterable[Part], travels: bool = True) -> Part:
        """Several parts as one, which travels on or has arrived; associative."""

    def merging(self) -> Job:
        """What is needed of it to merge."""
        return self


def counting(estimator: Any) -> Any:
    """An unfitted estimator that counts as this one does, and believes nothing of its own."""
    return unfitted(estimator).set_params(**no_beliefs(estimator))


def no_beliefs(estimator: Any) -> dict[str, Any]:
    """Parameters of an estimator of the same kind that only counts."""
    plain = type(estimator)().get_params(deep=False)
    plain = {name: plain[name] for name in BELIEFS & set(plain)}
    if {"prior", "estimate"} <= set(plain):
        plain["estimate"] = "mle"  # which has no prior to choose
    return plain


def unfitted(estimator: Any) -> Any:
    """Another of the same parameters, which has learned nothing."""
    return type(estimator)(**estimator.get_params(deep=False))


def wanted_rows(estimator: Any) -> int:
    """How many rows something is chosen by; none where all is chosen by counts."""
    fast = getattr(estimator, "effort", "") == "fast"  # which fits no weights
    chosen = [getattr(estimator, name, None) for name in ("alpha", "prior", "temper", *([] if fast else ["weights"]))]
    free = isinstance(estimator, TextClassifier) and estimator.alpha is None
    if not free and not any(isinstance(value, str) and value == "loo" for value in chosen):
        return 0
    return FEW if fast else ROWS


def merged(parts: Iterable[Part], keep: int, travels: bool = True) -> Part:
    """Several parts as one, which travels on or has arrived."""
    try:
        return _sum(parts, keep, travels)
    except UNCOUNTABLE as error:  # labels of two kinds, say: it would fail again
        return Part(failed=str(error), where=0)


def _sum(parts: Iterable[Part], keep: int, travels: bool) -> Part:
    total, rows, skipped, kept = Total(), 0, 0, None
    failed = Part()
    for part in parts:
        failed = first_failed(failed, part)
        if part.statistics:
            total.add(model_of(part))
        kept = shortened([kept, as_table(part.kept)], keep)
        rows, skipped = rows + part.rows, skipped + part.skipped
    if failed.failed:
        return replace(failed, statistics=b"", kept=b"")
    return Part(total.packed() if travels else total.model(), as_stream(kept), rows, skipped)


def first_failed(a: Part, b: Part) -> Part:
    """Of two parts, the first that could not be counted."""
    return b if b.failed and (not a.failed or b.where < a.where) else a


class Total:
    """Models one after the other, so many merged at once that were made of as many parts: none is merged too often."""

    def __init__(self) -> None:
        self._waiting: list[list[Any]] = []

    def add(self, model: Any) -> None:
        """One more."""
        for level in self._waiting:
            level.append(model)
            if len(level) < AT_ONCE:
                return
            model = merge(level)
            level.clear()
        self._waiting.append([model])

    def model(self) -> Any:
        """All of them as one; None if there were none."""
        left = [model for level in self._waiting for model in level]
        self._waiting = [[merge(left)]] if left else []
        return self._waiting[0][0] if left else None

    def packed(self) -> bytes:
        """The same as a model file, compressed; nothing if there were none."""
        model = self.model()
        return b"" if model is None else packed(to_bytes(model))


def finish(estimator: Any, shape: Shape, part: Part) -> Any:
    """The estimator, fitted to all that was counted."""
    if not part.statistics:
        raise DataError("The argument 'data' must have rows with a label; there are none.")
    counted, table = model_of(part), as_table(part.kept)
    with changing(estimator) as model:
        model._know_nothing()
        model._set_state(counted._get_state())
        model.target_, model.skipped_rows_ = shape.target, part.skipped
        if isinstance(model, TextClassifier):
            model.text_column_ = shape.features[0]
        if isinstance(model, NaiveBayes):
            model._target = shape.target  # a column that later tables may have, and predictions ignore
        if hasattr(model, "_settle"):  # what a fit refuses at once
            model._settle(part.rows)
        if table is not None and wanted_rows(model):
            X, y = model._rows_and_labels(shape.rows(table), shape.labels(table))
            model._fit_views(X, y, None)
    return estimator


def kept_rows(part: Part) -> Any:
    """The rows that were kept, in the order of their hashes; None if there are none."""
    table = as_table(part.kept)
    return None if table is None else table.drop_columns([HASH])


def model_of(part: Part) -> Any:
    """What a part has counted, as a model."""
    return from_bytes(_unpacked(part.statistics)) if isinstance(part.statistics, bytes) else part.statistics


def packed(data: bytes) -> bytes:
    """Compressed, behind its length: most counts are small numbers in wide fields."""
    return len(data).to_bytes(8, "little") + bytes(_CODEC.compress(data, asbytes=True))


def _unpacked(data: bytes) -> bytes:
    return bytes(_CODEC.decompress(memoryview(data)[8:], int.from_bytes(data[:8], "little"), asbytes=True))


_CODEC = pa.Codec("zstd", 1)


def as_stream(table: Any) -> bytes:
    """Arrow's stream of a table, compressed; nothing of none."""
    if table is None:
        return b""
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return packed(sink.getvalue().to_pybytes())


def as_table(stream: bytes) -> Any:
    """The table of a stream."""
    return ipc.open_stream(_unpacked(stream)).read_all() if stream else None
