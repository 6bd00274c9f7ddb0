"""What the user says of columns, and what the user is told of them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from suffice.errors import InputError
from suffice.models import columns
from suffice.models.columns import ColumnModel
from suffice.models.columns.open import Chosen
from suffice.models.tables import TableModel
from suffice.tables import Table
from suffice.telling import tell

__all__ = ["closest", "declared_models", "tell_of_dropped"]

MODELS: tuple[type[ColumnModel], ...] = (
    columns.Bernoulli,
    columns.Categorical,
    columns.Drop,
    columns.Gaussian,
    columns.Histogram,
    columns.Poisson,
    columns.Text,
)
BY_WORD = {model.word: model for model in MODELS}


def declared_models(declared: Any, names: list[Any], target: Any = None) -> dict[Any, Any]:
    """The model of each column that has one declared."""
    if isinstance(declared, str):
        return {}
    for name in declared:
        if name == target and target is not None:
            raise InputError(f"The 'columns' parameter names {name!r}, which is the target; leave it out there.")
        if name not in names:
            raise InputError(f"The 'columns' parameter names {name!r}, which is not a column.{closest(name, names)}")
    return {name: _model(name, what) for name, what in declared.items() if what != "auto"}


def _model(name: Any, what: Any) -> ColumnModel | Chosen:
    if isinstance(what, MODELS) or (isinstance(what, Chosen) and isinstance(what.of, MODELS)):
        return what
    if isinstance(what, str) and what in BY_WORD:
        return BY_WORD[what]()
    guess = closest(what, [*BY_WORD, "auto"]) if isinstance(what, str) else ""
    if isinstance(what, type) and issubclass(what, ColumnModel):
        guess = f" Did you mean {what.__name__}()?"
    raise InputError(
        f"The 'columns' parameter must map {name!r} to one of {', '.join([*BY_WORD, 'auto'])}, or to one of "
        f"sf.columns; got {what!r}.{guess}"
    )


def closest(name: Any, known: Iterable[Any]) -> str:
    """A question that may help, if something known is close."""
    guess = get_close_matches(str(name), [str(one) for one in known], 1)
    return f" Did you mean {guess[0]!r}?" if guess else ""


def tell_of_dropped(before: TableModel, after: TableModel, declared: Any, table: Table) -> None:
    """Warn of columns that were left out without being told to."""
    fresh = [
        name
        for name, model in after.columns.items()
        if isinstance(model, columns.Drop) and not isinstance(before.columns[name], columns.Drop)
    ]
    told = [name for name in fresh if declared == "auto" or name not in declared]
    dates = [name for name in told if table[name].storage == "date"]
    others = [name for name in told if name not in dates]
    if dates:
        tell(
            f"{_listed(dates)} of dates left out: give what matters of them, such as the weekday, the month or the "
            f"number of days since, as columns of their own. columns={{{dates[0]!r}: 'drop'}} silences this.",
        )
    if others:
        tell(
            f"{_listed(others)} left out, having another value in every row, as names of rows have. "
            f"columns={{{others[0]!r}: 'categorical'}} or 'text' keeps it, 'drop' silences this.",
        )


def _listed(names: list[Any]) -> str:
    return f"Column{'s' * (len(names) > 1)} {', '.join(repr(name) for name in names)}"
