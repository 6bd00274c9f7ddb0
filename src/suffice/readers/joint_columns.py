"""Read joint columns of a table, and columns that may become joint, as codes of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.cloud import Cloud
from suffice.models.likelihoods.joint import Joint, check_sizes, coded
from suffice.models.likelihoods.text_column import Text
from suffice.models.model import Block, Model, Name, Together
from suffice.models.scoring.grouping import MISSING, OTHERS, Coding, Cuts, cut_to, pools, with_missing
from suffice.models.scoring.joint_rows import JointRows
from suffice.models.scoring.lifts import in_order
from suffice.models.scoring.rows import Labels, Rows
from suffice.parallel import in_parallel
from suffice.stats.grid import on_grid
from suffice.stats.inputs import EXACT
from suffice.stats.value_counts import JointCounts, ValueCounts
from suffice.tables import Column, Table, numbers
from suffice.typing import Array, Integers

__all__ = [
    "candidates", "counted_together", "cuts_of", "grouped_alike", "joint_rows", "many_numbers", "without_forgotten",
]  # fmt: skip

BINS, FEW, MANY = 16, 12, 64
"""Bins of a numeric column; most distinct numbers with a bin each; most categories of which none are pooled."""

COARSE = 8
"""Bits of the grid on which bins end, coarse enough that ends do not reveal the number of a row."""


def cuts_of(column: Column, most: int = MANY, later: bool = True) -> Cuts:
    """Return how to group the values of a column into at most a few groups.

    Up to FEW distinct numbers have a bin each; more numbers have bins with about equally many rows. If there are too
    many categories, all but the `most` − 1 most frequent are pooled. If `later` is true, categories that are seen later
    join the pool.
    """
    if column.storage in ("string", "category"):
        return _frequent(column, most, later)
    if column.storage not in ("integer", "real"):
        return None
    values = np.asarray(numbers(column)[column.present], np.float64)
    found = np.unique(values)
    if len(found) <= FEW and (later or np.abs(found).max(initial=0.0) >= EXACT):
        return _between(found)
    if len(found) <= FEW:
        return None
    ends = np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1], method="inverted_cdf")
    finer = np.log2(np.abs(found[[0, -1]]).max() / (found[-1] - found[0]))  # for numbers far from zero
    rounded: Array = np.unique(on_grid(ends, COARSE + int(np.clip(np.ceil(finer), 0, 40))))
    return tuple(rounded[(rounded > found[0]) & (rounded <= found[-1])].tolist())


def _between(values: Array) -> Cuts:
    """Return an end between each two neighbouring values, on the coarsest grid that separates them."""
    middle = values[:-1] / 2 + values[1:] / 2
    ends = values[1:]
    for bits in range(52, COARSE - 1, -1):
        rounded = on_grid(middle, bits)
        if not ((rounded > values[:-1]) & (rounded <= values[1:])).all():
            break
        ends = rounded
    return tuple(ends.tolist())


def _frequent(column: Column, most: int, later: bool) -> Cuts:
    codes, words = coded(column, None)
    if len(words) < most + (not later):
        return (*sorted(words.tolist()), OTHERS) if later else None
    rows = np.bincount(codes[codes >= 0], minlength=len(words)).tolist()
    order = sorted(zip(rows, words.tolist(), strict=True), key=lambda one: (-one[0], one[1]))
    return *sorted(word for _, word in order[: most - 1]), OTHERS


def candidates(table: Table, model: Model) -> tuple[Coding, dict[Name, Cuts]]:
    """Return the codes of the columns that may become joint, and how their values are grouped."""
    names, codes, words, every = list[Name](), list[Any](), list[NDArray[Any]](), dict[Name, Cuts]()
    for name, block in model.voting.items():
        if isinstance(name, Together) or isinstance(block.likelihood, Text) or name not in table:
            continue
        cuts = cuts_of(table[name])
        code, values = in_order(*coded(table[name], cuts))
        if len(values) > 1:
            names.append(name)
            codes.append(code)
            words.append(values)
            every[name] = cuts
    shape = (len(table), len(names))
    return Coding(names, np.array(codes, np.int64).reshape(shape[::-1]).T, words), every


def joint_rows(table: Table, likelihoods: Mapping[Name, Likelihood]) -> dict[Name, Rows]:
    """Return the rows of joint columns; each column is read once."""
    read, sets = _read(table, likelihoods)
    found = _clouds(table, likelihoods)
    for name, which in sets.items():
        found[name] = JointRows(tuple(read[j][0] for j in which), tuple(read[j][1] for j in which))
    return found


def counted_together(table: Table, labels: Labels, likelihoods: Mapping[Name, Likelihood]) -> dict[Name, Block]:
    """Count joint columns; each column is read once."""
    read, sets = _read(table, likelihoods)
    for which in sets.values():
        check_sizes([len(read[j][1]) for j in which], labels)
    clouds = {name: Block.of(likelihoods[name], rows, labels) for name, rows in _clouds(table, likelihoods).items()}
    if not sets:
        return clouds
    made = JointCounts.of_sets(read, [*sets.values()], labels.y, labels.weights, n_classes=labels.n_classes)
    return {name: Block(likelihoods[name], t) for name, t in zip(sets, made, strict=True)} | clouds


def without_forgotten(model: Model) -> dict[Name, Likelihood]:
    """Return the likelihoods of joint columns, with categories pooled that their columns no longer have."""
    found = dict[Name, Likelihood]()
    for name, one in model.likelihoods.items():
        if not isinstance(name, Together) or not isinstance(one, Joint) or not any(map(pools, one.edges)):
            continue
        edges = list(one.edges)
        for k, column in enumerate(name.columns):
            counts = model.blocks[column].statistic if column in model.blocks else None
            if pools(edges[k]) and isinstance(counts, ValueCounts):
                edges[k] = cut_to(edges[k], {*counts.in_words()[0].tolist()})
        found[name] = replace(one, edges=tuple(edges))
    return found


def grouped_alike(models: Sequence[Model]) -> list[Model]:
    """Return models whose joint columns pool the same categories: all but those that every model distinguishes."""
    found = list(models)
    for name in {name for model in models for name in model.blocks if isinstance(name, Together)}:
        laws = [model.blocks[name].likelihood for model in models if name in model.blocks]
        joint = [law for law in laws if isinstance(law, Joint)]
        if len(joint) < len(laws) or all(law.edges == joint[0].edges for law in joint):
            continue
        each = [law.cuts(len(name.columns)) for law in joint]
        by_column = [*zip(*each, strict=True)]
        common = [tuple(set.intersection(*map(set, cuts))) if all(map(pools, cuts)) else None for cuts in by_column]
        found = [_regrouped(model, name, common) for model in found]
    return found


def _regrouped(model: Model, name: Together, common: Sequence[tuple[Any, ...] | None]) -> Model:
    """Return a model in which the joint columns `name` pool all but the common categories."""
    block = model.blocks.get(name)
    if block is None or not isinstance(block.likelihood, Joint):
        return model
    both = zip(block.likelihood.cuts(len(common)), common, strict=True)
    edges = tuple(cuts if kept is None else cut_to(cuts, {*kept}) for cuts, kept in both)
    kept = [None if one is None else {*one, MISSING} for one in common]
    changed = Block(replace(block.likelihood, edges=edges), block.statistic.pooled(kept, OTHERS))
    return replace(model, blocks={**model.blocks, name: changed})


def many_numbers(column: Column) -> bool:
    """Return whether a column has more than FEW distinct numbers."""
    return column.storage in ("integer", "real") and len(np.unique(numbers(column)[column.present])) > FEW


def _clouds(table: Table, likelihoods: Mapping[Name, Likelihood]) -> dict[Name, Rows]:
    """Return the rows of joint columns whose likelihood replaces those of the columns."""
    found = dict[Name, Rows]()
    for name, one in likelihoods.items():
        if (
            isinstance(name, Together)
            and isinstance(one, Cloud)
            and any(_all_there(table, (column,)) for column in name.columns)
        ):
            found[name] = one.rows(*(_column(table, column) for column in name.columns))
    return found


def _column(table: Table, name: Name) -> Any:
    """Return a column, or None if the table lacks it."""
    if name in table:
        return table[name]
    return None


def _all_there(table: Table, columns: tuple[Name, ...]) -> bool:
    """Return whether a table has all columns, each with at least one value."""
    return all(column in table and table[column].n_missing < len(table) for column in columns)


def _read(
    table: Table, likelihoods: Mapping[Name, Likelihood]
) -> tuple[list[tuple[Integers, NDArray[Any]]], dict[Name, tuple[int, ...]]]:
    """Return codes and values of columns, and joint columns as indices into them.

    Joint columns are left out if one of them has no values, unless their likelihood counts missing values.
    """
    keys, wanted = dict[tuple[Any, Cuts, bool], int](), dict[Name, tuple[int, ...]]()
    for name, one in likelihoods.items():
        if isinstance(name, Together) and isinstance(one, Joint) and (one.missing or _all_there(table, name.columns)):
            cuts = one.cuts(len(name.columns))
            parts = [(*both, one.missing) for both in zip(name.columns, cuts, strict=True)]
            wanted[name] = tuple(keys.setdefault(part, len(keys)) for part in parts)
    return in_parallel(lambda key: _coded(table, *key), keys), wanted


def _coded(table: Table, name: Name, cuts: Cuts, missing: bool) -> tuple[Integers, NDArray[Any]]:
    """Return the codes of a column; one that is absent, or has no values, is missing in every row."""
    if _all_there(table, (name,)):
        return coded(table[name], cuts, missing)
    return with_missing(np.full(len(table), -1), np.zeros(0, object))
