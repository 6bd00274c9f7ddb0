"""Columns of a table, counted by the likelihood that a model has given them, by a declared one, or by one chosen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from suffice.errors import DataError, InputError, ShapeError
from suffice.models.choosing.kinds import choose
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.silent import Drop
from suffice.models.model import Model, Name, Together
from suffice.models.open_columns import Chosen, Numbers, OpenBlock
from suffice.models.scoring.rows import Labels
from suffice.readers.columns import FAMILIES
from suffice.stats import ClassCounts, ValueCounts
from suffice.stats.base import has_rows_of
from suffice.stats.word_counts import WordCounts
from suffice.tables import Column, Table, kind_of

__all__ = ["check_block", "closest", "counted_again", "counted_first", "declared_likelihoods", "rechosen"]

BY_WORD = {family.word: family for family in FAMILIES}


def declared_likelihoods(columns: Any, names: Iterable[Name], target: Name | None) -> dict[Name, Likelihood | Chosen]:
    """Return the likelihood of each column that has one declared; raise InputError for a name that is no column."""
    if isinstance(columns, str):
        return {}
    known = list(names)
    for name in columns:
        if name == target and target is not None:
            raise InputError(f"The 'columns' parameter names {name!r}, which is the target; leave it out there.")
        if name not in known:
            raise InputError(f"The 'columns' parameter names {name!r}, which is not a column.{closest(name, known)}")
    return {name: _likelihood(name, given) for name, given in columns.items() if given != "auto"}


def _likelihood(name: Name, given: Any) -> Likelihood | Chosen:
    if isinstance(given, FAMILIES) or (isinstance(given, Chosen) and isinstance(given.of, FAMILIES)):
        return given
    if isinstance(given, str) and given in BY_WORD:
        return BY_WORD[given]()
    guess = closest(given, [*BY_WORD, "auto"]) if isinstance(given, str) else ""
    if isinstance(given, type) and issubclass(given, Likelihood):
        guess = f" Did you mean {given.__name__}()?"
    raise InputError(
        f"The 'columns' parameter must map {name!r} to one of {', '.join([*BY_WORD, 'auto'])}, or to one of "
        f"sf.columns; got {given!r}.{guess}"
    )


def closest(name: Any, known: Iterable[Any]) -> str:
    """Return a question that may help, if something known is close."""
    guess = get_close_matches(str(name), [str(one) for one in known], 1)
    return f" Did you mean {guess[0]!r}?" if guess else ""


def counted_first(name: Name, table: Table, labels: Labels, given: Likelihood | Chosen | None) -> OpenBlock:
    """Count a column by the likelihood that was given, or else by the one it favours; without a value it is unknown."""
    wanted = given.of if isinstance(given, Chosen) else given
    if wanted == Drop():
        return OpenBlock.silent(wanted, labels.n_classes)
    if name not in table:
        return OpenBlock.unknown(labels.n_classes)
    column = table[name]
    kind = kind_of(column, labels.weights)
    if kind == "nothing" or wanted is None:
        return choose(column, kind, labels)
    wanted.check(column, "is declared")
    block = _counted(name, column, wanted, labels)
    keep = isinstance(given, Chosen) and column.storage in ("integer", "real")
    return _with_numbers(block, column, labels) if keep else block


def counted_again(name: Name, table: Table, labels: Labels, before: OpenBlock) -> OpenBlock:
    """Count a column by the likelihood that it has already, with as much beside as is kept of it."""
    likelihood = before.likelihood
    if likelihood.silent or name not in table or table[name].n_missing == len(table):
        return OpenBlock.unknown(labels.n_classes)
    column = table[name]
    likelihood.check(column, "was learned as")
    block = _counted(name, column, likelihood, labels)
    return block if before.numbers is None else _with_numbers(block, column, labels, bits=before.numbers.bits)


def _counted(name: Name, column: Column, likelihood: Likelihood, labels: Labels) -> OpenBlock:
    try:
        return OpenBlock.of_column(likelihood, column, labels)
    except DataError as error:
        if repr(name) in str(error):
            raise
        raise DataError(f"Column {name!r} cannot be counted as {likelihood.word}: {error}") from error


def _with_numbers(block: OpenBlock, column: Column, labels: Labels, **options: Any) -> OpenBlock:
    """Return the block with what serves other likelihoods; moments and sums that were counted are not counted again."""
    known = () if isinstance(block.statistic, ValueCounts) else (block.statistic,)
    return block.with_numbers(Numbers.of(column, labels, known, **options))


def rechosen(model: Model, fresh: Model) -> Model:
    """Return a model with the likelihoods that all its rows chose when they were counted once more.

    Columns that are modelled as before stay as they were counted. Nothing changes unless these are the rows of the
    model.
    """
    if not np.allclose(fresh.n, model.n, rtol=1e-9):
        return model
    blocks = dict(model.blocks)
    for name, block in fresh.blocks.items():
        if isinstance(name, Together):
            blocks[name] = block
            continue
        before = blocks[name]
        assert isinstance(block, OpenBlock)
        assert isinstance(before, OpenBlock)
        other = block.likelihood != before.likelihood or (block.numbers is None) != (before.numbers is None)
        if other and not block.likelihood.undecided:
            blocks[name] = block
    return replace(model, blocks=blocks)


def check_block(name: Name, block: OpenBlock, n_classes: int) -> None:
    """Raise DataError or ShapeError unless a column has the statistic that its likelihood counts."""
    t, kinds = block.statistic, block.likelihood.statistic
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if type(t) not in kinds:
        raise DataError(f"Column {name!r} must have {kinds[0].__name__}; got {type(t).__name__}.")
    words = isinstance(t, WordCounts)
    shape = (t.n_classes,) if words else t.shape
    shapes = ((n_classes,),) if type(t) is ClassCounts else ((n_classes,), (n_classes, 1))
    hashed = words and t.hash_bits  # columns have words by name
    if hashed or not (words or has_rows_of(t, n_classes)) or shape not in shapes:
        raise ShapeError(f"Column {name!r} must have counts of {n_classes} classes; got shape {shape}.")
    if block.numbers is not None:
        block.numbers.check(name, n_classes)
