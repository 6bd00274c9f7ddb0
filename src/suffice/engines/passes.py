"""The first looks at rows, by any engine: a sample settles what columns are, then all rows are counted."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from suffice.engines.counted_parts import CountRows
from suffice.engines.part_results import Job, PartResult, model_of, sample_of
from suffice.engines.roles import Roles, roles_of
from suffice.engines.row_sources import Arrow
from suffice.errors import DataError, InputError, KindError
from suffice.estimators.shell.counted import counts_alone
from suffice.estimators.shell.stored import params_in_files
from suffice.estimators.shell.table_classifier import TableClassifier
from suffice.later import pa
from suffice.models.choosing.wanted import ROWS
from suffice.models.open_columns import Chosen
from suffice.telling import tell
from suffice.text import Tokens

__all__ = ["Engine", "Options", "Request", "chosen_by_class", "first_pass", "refuse", "rows_for_sets", "sample_size"]

BY_TYPE: list[tuple[Callable[[Any], bool], str]] = [
    (pa.types.is_boolean, "bernoulli"),
    (pa.types.is_integer, "histogram"),
    (pa.types.is_floating, "histogram"),
    (pa.types.is_string, "categorical"),
    (pa.types.is_large_string, "categorical"),
    (pa.types.is_dictionary, "categorical"),
]
"""Likelihoods of columns that no row of the sample had a value of."""


class Engine(ABC):
    """The interface of engines: run a job over all parts of the rows, and merge the results."""

    argument: ClassVar[str] = "data"
    """What users call the rows."""

    place: ClassVar[str] = "partition {}"
    """What users call a part of them."""

    in_order: ClassVar[bool] = False
    """Whether all rows are one part, read in order: then its first batch settles what columns are."""

    @property
    def once(self) -> bool:
        """Whether rows can be read only once."""
        return False

    @property
    def skipped(self) -> int:
        """Rows that were left out before they came to any job."""
        return 0

    @abstractmethod
    def run(self, job: Job) -> PartResult:
        """Return what all parts give together."""


@dataclass(frozen=True)
class Options:
    """Further options of a fit: to skip bad rows, to keep a journal, to look at sampled rows."""

    skip: bool = False
    journal: Any = None
    look: Callable[[Any, Any, Any], None] | None = None

    @classmethod
    def of(cls, errors: str, journal: Any = None, look: Any = None) -> Options:
        """Return options, checked."""
        if errors not in ("raise", "skip"):
            raise InputError(f"The argument 'errors' must be 'raise' or 'skip'; got {errors!r}.")
        return cls(errors == "skip", journal, look)


@dataclass(frozen=True)
class Request:
    """Columns of the rows, as a schema or as a table of the first of them, and what a user says of these."""

    columns: Any
    target: Any = None
    features: Any = None
    argument: str = "features"  # what users call the features
    lenient: bool = False

    @property
    def schema(self) -> Any:
        """The schema of the rows."""
        return self.columns.schema if isinstance(self.columns, pa.Table) else self.columns

    def roles(self, estimator: Any) -> Roles:
        """Return the roles of the columns for a classifier."""
        found = roles_of(estimator, self.columns, self.target, self.features, self.argument)
        return replace(found, lenient=self.lenient)


def sample_size(estimator: Any) -> int:
    """Return how many rows something is chosen by; none where all is chosen by counts."""
    wanted = estimator._wanted(ROWS)
    return 0 if wanted is None else int(wanted.sample_size)


def rows_for_sets(engine: Engine, estimator: Any) -> int:
    """Return how many rows say which columns act together, at most: none if rows cannot be read again, with a warning.

    Raise InputError where columns that act together were asked for.
    """
    rows = estimator._rows_for_sets() if isinstance(estimator, TableClassifier) else 0
    if rows and engine.once and estimator.joint == "auto":
        tell(
            f"Columns act alone: {engine.argument}='-', standard input, is read once, and columns that act together "
            "take another pass. Write the rows to a file first; joint=None silences this."
        )
        return 0
    if rows and engine.once:
        raise InputError(
            f"{type(estimator).__name__} with joint={estimator.joint!r} reads rows twice, which {engine.argument}='-', "
            "standard input, does not allow. Write the rows to a file first, or use joint=None."
        )
    return int(rows)


def refuse(estimator: Any) -> None:
    """Raise for what cannot be counted in parts, or not be written to a model file."""
    name, reason = type(estimator).__name__, estimator._needs_all_rows()
    if reason:
        raise InputError(
            f"{name} with {reason} needs all rows in memory, and cannot be fitted in parts. Use its method fit."
        )
    given = params_in_files(estimator)
    for parameter, value in (given | vars(given.get("tokens") or Tokens())).items():
        if callable(value) and not isinstance(value, type):
            raise KindError(
                f"The '{parameter}' parameter of {name} must be a value that a model file can keep, so that counts can "
                f"travel; got the function {getattr(value, '__name__', value)!r}."
            )


Choose = Callable[[Any, Roles, Any], Any]
"""Returns likelihoods of columns by a sample of rows."""


def first_pass(
    engine: Engine, estimator: Any, roles: Roles, keep: int, options: Options, choose: Choose
) -> tuple[CountRows, PartResult]:
    """Count all rows; before that, if need be, let a sample of them settle what columns are."""
    plain = counts_alone(estimator)
    words: dict[str, Any] = {"argument": engine.argument, "place": engine.place}
    settled_by_first_batch = engine.in_order and choose is chosen_by_class
    if roles.kind == "table" and not settled_by_first_batch and not _all_declared(estimator.columns, roles):
        part = engine.run(CountRows(plain, roles.unlabelled(), ROWS, skip=True, learn=False, **words))
        sample = sample_of(part, ROWS)
        if sample is not None:
            plain.set_params(columns=_settled(plain, roles, sample, choose))
    job = CountRows(plain, roles, keep, options.skip, journal=options.journal, **words)
    part = engine.run(job)
    if part.failed:
        raise DataError(part.failed)
    return job, part


def _all_declared(columns: Any, roles: Roles) -> bool:
    return isinstance(columns, dict) and all(columns.get(name, "auto") != "auto" for name in roles.columns)


def _settled(plain: Any, roles: Roles, sample: Any, choose: Choose) -> dict[str, Any]:
    """Return a likelihood for each column, as a sample of rows favours; by its type, where the sample has no value."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = choose(plain, roles, sample)
    for warning in caught:
        tell(warning.message)
    declared = {} if plain.columns == "auto" else plain.columns
    return {
        name: declared[name] if declared.get(name, "auto") != "auto" else _likelihood(found.get(name), sample, name)
        for name in roles.columns
    }


def chosen_by_class(plain: Any, roles: Roles, sample: Any) -> Any:
    """Return likelihoods of columns, by a sample of rows that have labels."""
    part = CountRows(plain, roles, 0, skip=True).count([Arrow(sample)], 0)
    if part.failed:
        raise DataError(part.failed)
    return model_of(part).columns_ if part.statistics else {}


def _likelihood(found: Any, sample: Any, name: str) -> Any:
    if found is not None and not found.undecided:
        return Chosen(found)
    kind = sample.schema.field(name).type
    return next((word for is_one, word in BY_TYPE if is_one(kind)), "drop")
