"""Score joint columns, all sets at once: each column is looked up once, and rows take one native pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice import _native
from suffice.models.likelihoods.joint import Joint
from suffice.models.model import Block, Name, Together
from suffice.models.scoring.joint_rows import JointRows
from suffice.models.scoring.lifts import LearnedCodes, padded, places_among
from suffice.models.scoring.rows import Rows
from suffice.models.views import ColumnWeights, Residual, Weights
from suffice.parallel import thread_count
from suffice.typing import Array, Integers

__all__ = ["JointTerms", "SharedAxes", "left_out_lifts", "sets_of"]


def sets_of(blocks: Mapping[Name, Block]) -> dict[Name, Block]:
    """Return the blocks of joint columns that have counts."""
    return {
        name: block
        for name, block in blocks.items()
        if isinstance(name, Together) and isinstance(block.likelihood, Joint) and len(block.t.place)
    }


def _law(block: Block) -> Joint:
    """Return the likelihood of a set, with a definite κ."""
    assert isinstance(block.settled, Joint)
    return block.settled


@dataclass(frozen=True, eq=False)
class SharedAxes:
    """Hold the columns of several sets, each with the union of its values over the sets."""

    words: list[NDArray[Any]]  # words of each column, sorted
    sets: dict[Name, tuple[int, ...]]  # column numbers of each set

    @classmethod
    def of(cls, blocks: Mapping[Name, Block], residuals: Mapping[Name, Residual] | None = None) -> SharedAxes:
        """Return the axes of sets with counts, including the values of residuals."""
        numbers, found, sets = dict[Any, int](), list[set[str]](), dict[Name, tuple[int, ...]]()
        for name, block in blocks.items():
            columns, law = getattr(name, "columns", ()), _law(block)
            keys = zip(columns, law.cuts(len(columns)), strict=True)
            sets[name] = tuple(numbers.setdefault((*key, law.missing), len(numbers)) for key in keys)
            found.extend(set() for _ in range(len(numbers) - len(found)))
            more = residuals[name].values if residuals and name in residuals else ()
            for axes in (block.t.axes, more):
                for k, axis in zip(sets[name], axes, strict=False):
                    found[k].update(axis.tolist())
        return cls([np.array([*sorted(words), ""], object)[:-1] for words in found], sets)

    @property
    def sizes(self) -> Integers:
        """Return the number of values of each column."""
        return np.array([len(words) for words in self.words], np.int64)

    def codes(self, rows: Mapping[Name, Rows]) -> NDArray[np.int32]:
        """Return codes of values, columns × rows; −1 where a value is missing or in no set."""
        length = len(next(iter(rows.values()), ()))
        out, read = np.full((len(self.words), length), -1, np.int32), set[int]()
        for name, columns in self.sets.items():
            mine = rows.get(name)
            if isinstance(mine, JointRows):
                for k, words, codes in zip(columns, mine.values, mine.columns, strict=True):
                    if k not in read:
                        read.add(k)
                        out[k] = np.append(places_among(self.words[k], words), -1).astype(np.int32)[codes]
        return out

    def spread(self, name: Name, axes: tuple[NDArray[Any], ...], lines: Array) -> Array:
        """Return lines of a set's own joint values, joint values × classes, spread over the shared axes."""
        columns = self.sets[name]
        if all(len(axis) == len(self.words[k]) for axis, k in zip(axes, columns, strict=True)):
            return lines
        at = [np.searchsorted(self.words[k], axis) for axis, k in zip(axes, columns, strict=True)]
        out = np.zeros((*(len(self.words[k]) for k in columns), lines.shape[1]))
        out[np.ix_(*at)] = lines.reshape(*map(len, axes), lines.shape[1])
        return out.reshape(-1, lines.shape[1])


@dataclass(frozen=True, eq=False)
class JointTerms:
    """Hold what joint columns add to scores: weighted lifts and residuals, by joint value."""

    axes: SharedAxes
    lines: Array  # joint values × classes, flattened, one set after the other

    @classmethod
    def of(cls, blocks: Mapping[Name, Block], weights: Weights | None, labels: NDArray[Any]) -> JointTerms | None:
        """Return the terms of a model's sets; None if there are none."""
        sets = sets_of(blocks)
        if not sets:
            return None
        residuals = weights.residuals if isinstance(weights, ColumnWeights) else {}
        axes, lines = SharedAxes.of(sets, residuals), []
        for name, block in sets.items():
            power = 1.0 if weights is None else weights.of_block(name)
            own = axes.spread(name, block.t.axes, power * np.ascontiguousarray(_law(block).log_lifts(block.t).T))
            if name in residuals:
                own = own.copy()
                own[_places(axes, name, residuals[name])] += residuals[name].among(labels).terms
            lines.append(own.ravel())
        return cls(axes, np.concatenate(lines))

    def add(self, rows: Mapping[Name, Rows], out: Array) -> None:
        """Add the terms of rows to their scores, rows × classes."""
        sets = padded([*self.axes.sets.values()])
        _native.add_joint_lines(out, self.axes.codes(rows), self.axes.sizes, sets, self.lines, thread_count())


def _places(axes: SharedAxes, name: Name, residual: Residual) -> Integers:
    words = [axes.words[k] for k in axes.sets[name]]
    codes = [np.searchsorted(known, mine) for known, mine in zip(words, residual.values, strict=True)]
    return np.ravel_multi_index(codes, [len(known) for known in words])


def left_out_lifts(
    blocks: Mapping[Name, Block],
    rows: Mapping[Name, Rows],
    labels: Integers,
    given: Array,
    group: Integers | None,
    power: float,
    out: NDArray[np.float32],
) -> None:
    """Write lifts × power of training rows into `out`, with each row or its group left out, for sets with counts.

    `out` is sets × (classes − 1) × rows: each class's lift minus that of the first class.
    """
    axes = SharedAxes.of(blocks)
    classes = int(next(iter(blocks.values())).t.classes)
    counts = [(name, block.t, block.t.table.reshape(classes, -1).T) for name, block in blocks.items()]
    tables = np.concatenate([axes.spread(name, t.axes, table).ravel() for name, t, table in counts])
    kappa = np.array([_law(block).kappa for block in blocks.values()], np.float64)
    learned = LearnedCodes.of(axes.codes(rows), axes.sizes, labels, given, group)
    nobody, nothing = np.zeros((len(axes.words), 0), np.int32), np.zeros((*out.shape[:2], 0), np.float32)
    learned.lifts([*axes.sets.values()], nobody, kappa, power, out, nothing, tables)
