"""Count columns of a table, by the likelihood that a model has fixed, by a declared one, or by a chosen one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from suffice.errors import DataError, InputError, ShapeError
from suffice.models.choosing.kinds import choose, choose_numbers
from suffice.models.likelihoods.base import Likelihood, changed_where_known, check
from suffice.models.likelihoods.categorical import NamedCategories
from suffice.models.likelihoods.silent import Drop, Unknown
from suffice.models.model import Block, Model, Name, Together
from suffice.models.open_columns import Chosen, Numbers, OpenBlock
from suffice.models.scoring.rows import Labels
from suffice.parallel import in_parallel
from suffice.readers.columns import FAMILIES
from suffice.stats import ClassCounts, DiagonalMoments, ValueCounts
from suffice.stats.base import has_rows_of
from suffice.stats.moments import LEAST
from suffice.stats.word_counts import WordCounts
from suffice.tables import Column, Table, kind_of

__all__ = [
    "check_block", "closest", "columns_of", "counted_again", "counted_all", "counted_first", "declared_likelihoods",
    "is_free", "listed", "rechosen",
]  # fmt: skip

BY_WORD = {family.word: family for family in FAMILIES}


def declared_likelihoods(columns: Any, names: Iterable[Name], target: Name | None) -> dict[Name, Likelihood | Chosen]:
    """Return the declared likelihood of each column that has one; raise InputError for a name that is not a column."""
    if isinstance(columns, str):
        return {}
    known = list(names)
    for name in columns:
        if name == target and target is not None:
            raise InputError(f"The 'columns' parameter names {name!r}, which is the target.").advise("Leave it out.")
        if name not in known:
            raise InputError(f"The 'columns' parameter names {name!r}, which is not a column.").advise(
                closest(name, known)
            )
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
        "The 'columns' parameter",
        f"map {name!r} to one of {', '.join([*BY_WORD, 'auto'])}, or to one of sf.columns",
        got=given,
    ).advise(guess)


def closest(name: Any, known: Iterable[Any]) -> str:
    """Return a hint at the closest known name, or an empty string if none is close."""
    guess = get_close_matches(str(name), [str(one) for one in known], 1)
    return f" Did you mean {guess[0]!r}?" if guess else ""


def is_free(block: Block | None) -> bool:
    """Return whether the likelihood of a column may still be chosen by its rows."""
    return not isinstance(block, OpenBlock) or isinstance(block.likelihood, Unknown)


def counted_all(
    names: Sequence[Name], table: Table, labels: Labels, free: Iterable[Name], counted: Callable[[Name], OpenBlock]
) -> dict[Name, OpenBlock]:
    """Count columns one by one, except the plain numbers in `free`, whose likelihoods are chosen together."""
    columns = [table[name] for name in free]
    for column in columns:
        _refuse_tiny(column)
    numbers = choose_numbers(columns, labels)
    others = [name for name in names if name not in numbers]
    made = dict(zip(others, in_parallel(counted, others), strict=True)) | numbers
    return {name: made[name] for name in names}


def _refuse_tiny(column: Column) -> None:
    """Raise DataError for numbers whose differences are so small that their squares vanish."""
    if column.storage != "real":
        return
    with np.errstate(invalid="ignore"):  # infinity is refused elsewhere
        spread = np.fmax.reduce(column.values, initial=-np.inf) - np.fmin.reduce(column.values, initial=np.inf)
    if 0 < spread < LEAST:
        raise DataError(
            column=column.name,
            must="hold numbers that are equal or differ by at least 2**-500, since the squares of smaller "
            "differences vanish",
        ).but(f"it varies by {spread:.6g}", "Rescale it.")


def counted_first(name: Name, table: Table, labels: Labels, given: Likelihood | Chosen | None) -> OpenBlock:
    """Count a column by the given likelihood, or else by the one that it favours; without values it stays unknown."""
    wanted = given.of if isinstance(given, Chosen) else given
    if wanted == Drop():
        return OpenBlock.silent(wanted, labels.n_classes)
    if name not in table:
        return OpenBlock.unknown(labels.n_classes)
    column = table[name]
    kind = kind_of(column, labels.weights)
    if kind == "nothing" or wanted is None:
        return choose(column, kind, labels)
    check(wanted, column, "is declared")
    _refuse_tiny(column)
    block = _counted(name, column, wanted, labels)
    keep = isinstance(given, Chosen) and column.storage in ("integer", "real")
    return _with_numbers(block, column, labels) if keep else block


def counted_again(name: Name, table: Table, labels: Labels, before: OpenBlock) -> OpenBlock:
    """Count a column by the likelihood that it already has, with the further statistics that its block keeps."""
    likelihood = before.likelihood
    if likelihood.silent or name not in table or table[name].n_missing == len(table):
        return OpenBlock.unknown(labels.n_classes)
    column = table[name]
    check(likelihood, column, "was learned as")
    _refuse_tiny(column)
    rows = likelihood.rows(column)
    if isinstance(rows, NamedCategories) and isinstance(before.statistic, ValueCounts):
        rows.places(before.statistic.values)  # raises if numbers were learned, and these are words, or the other way
    block = _counted(name, column, likelihood, labels)
    return block if before.numbers is None else _with_numbers(block, column, labels, bits=before.numbers.bits)


def _counted(name: Name, column: Column, likelihood: Likelihood, labels: Labels) -> OpenBlock:
    try:
        return OpenBlock.of_column(likelihood, column, labels)
    except DataError as error:
        if error.column is not None:
            raise
        raise DataError(f"Column {name!r} cannot be counted as {likelihood.word}: {error}") from error


def _with_numbers(block: OpenBlock, column: Column, labels: Labels, **options: Any) -> OpenBlock:
    """Return the block with the statistics of other likelihoods; moments and sums that it has are not counted again."""
    known = () if isinstance(block.statistic, ValueCounts) else (block.statistic,)
    return block.with_numbers(Numbers.of(column, labels, known, **options))


def rechosen(model: Model, fresh: Model) -> Model:
    """Return a model with the likelihoods that its rows chose when all of them were counted again, as `fresh`.

    Columns whose likelihood stays the same keep their counts, but get the fresh moments, which rounding may have
    blurred. Nothing changes unless `fresh` has as many rows of each class as the model.
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
        other |= block.numbers is not None or isinstance(block.statistic, DiagonalMoments)
        if other and not isinstance(block.likelihood, Unknown):
            blocks[name] = block
    return replace(model, blocks=blocks)


def chosen_by_sample(model: Model, fresh: Model) -> Model:
    """Return a model with the likelihoods that a sample of its rows chose, counted as `fresh`, where counts allow."""
    blocks = dict(model.blocks)
    for name, block in fresh.alone.items():
        before, law = blocks[name], block.likelihood
        if isinstance(before, OpenBlock) and before.numbers is not None and law != before.likelihood:
            served = law.served(before)
            blocks[name] = before if served is None else OpenBlock(law, served, before.numbers)
    return replace(model, blocks=blocks)


def check_block(name: Name, block: OpenBlock, n_classes: int) -> None:
    """Raise DataError or ShapeError unless a column has the statistic that its likelihood counts."""
    t, kinds = block.statistic, block.likelihood.statistic
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if type(t) not in kinds:
        raise DataError(column=name, must=f"have {kinds[0].__name__}").but(f"got {type(t).__name__}")
    words = isinstance(t, WordCounts)
    shape = (t.n_classes,) if words else t.shape
    shapes = ((n_classes,),) if type(t) is ClassCounts else ((n_classes,), (n_classes, 1))
    hashed = words and t.hash_bits  # columns of tables count words by name
    if hashed or not (words or has_rows_of(t, n_classes)) or shape not in shapes:
        raise ShapeError(column=name, must=f"have counts of {n_classes} classes").but(f"got shape {shape}")
    if block.numbers is not None:
        block.numbers.check(name, n_classes)


def columns_of(model: Model) -> dict[Name, Likelihood]:
    """Return the likelihood of each column as users declare it, without options that the classifier sets."""
    usual = {name: type(block.likelihood)() for name, block in model.alone.items()}
    options = ("estimate", "strict")
    return {
        name: changed_where_known(block.likelihood, **{one: getattr(usual[name], one, None) for one in options})
        for name, block in model.alone.items()
    }


def listed(names: list[Name]) -> str:
    """Return the names of columns in words, for a warning."""
    return f"Column{'s' * (len(names) > 1)} {', '.join(repr(name) for name in names)}"
