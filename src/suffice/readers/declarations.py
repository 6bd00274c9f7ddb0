"""What the user says of columns: `columns={name: word or likelihood}`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from suffice.errors import InputError
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Name
from suffice.models.open_columns import Chosen
from suffice.readers.columns import FAMILIES

__all__ = ["closest", "declared_likelihoods"]

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
