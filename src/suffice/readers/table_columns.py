"""Columns of a table, counted by the likelihood that a model has given them, by a declared one, or by one chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from suffice.errors import DataError, InputError, ShapeError
from suffice.models.choosing.kinds import choose, choose_numbers
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.silent import Drop
from suffice.models.model import Block, Model, Name, Together
from suffice.models.open_columns import Chosen, Numbers, OpenBlock
from suffice.models.scoring.rows import Labels
from suffice.parallel import in_parallel
from suffice.readers.columns import FAMILIES
from suffice.stats import ClassCounts, ValueCounts
from suffice.stats.base import has_rows_of
from suffice.stats.word_counts import WordCounts
from suffice.tables import Column, Table, kind_of

__all__ = [
    "check_block", "closest", "columns_of", "counted_again", "counted_all", "counted_first", "declared_likelihoods",
    "is_free", "listed", "rechosen",
]  # fmt: skip

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


def is_free(block: Block | None) -> bool:
    """Return whether rows may still choose the likelihood of a column."""
    return not isinstance(block, OpenBlock) or block.likelihood.undecided


def counted_all(
    names: Sequence[Name], table: Table, labels: Labels, free: Iterable[Name], counted: Callable[[Name], OpenBlock]
) -> dict[Name, OpenBlock]:
    """Count columns, each by itself, but for plain numbers that are free to choose: these choose together."""
    numbers = choose_numbers([table[name] for name in free], labels)
    others = [name for name in names if name not in numbers]
    made = dict(zip(others, in_parallel(counted, others), strict=True)) | numbers
    return {name: made[name] for name in names}


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


def columns_of(model: Model) -> dict[Name, Likelihood]:
    """Return the likelihood of each column as users write it: how it estimates is a parameter of the classifier."""
    usual = {name: type(block.likelihood)() for name, block in model.alone.items()}
    options = ("estimate", "strict")
    return {
        name: block.likelihood.changed_where_known(**{one: getattr(usual[name], one, None) for one in options})
        for name, block in model.alone.items()
    }


def listed(names: list[Name]) -> str:
    """Return the names of columns, for a warning."""
    return f"Column{'s' * (len(names) > 1)} {', '.join(repr(name) for name in names)}"
