"""Run the first pass on any engine: a sample determines the likelihoods of columns, then all rows are counted."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from suffice.engines.jobs import CountRows, Job, PartResult, failure
from suffice.engines.roles import Roles, roles_of
from suffice.engines.row_sources import Arrow
from suffice.errors import InputError, KindError
from suffice.estimators.naive_bayes.any_table import NaiveBayes
from suffice.estimators.shell.merging import counts_alone
from suffice.estimators.shell.stored import params_in_files
from suffice.later import pa
from suffice.models.choosing.chooser import ROWS
from suffice.models.likelihoods.silent import Unknown
from suffice.models.open_columns import Chosen
from suffice.telling import tell
from suffice.text import Tokens

BY_TYPE: list[tuple[Callable[[Any], bool], str]] = [
    (pa.types.is_boolean, "bernoulli"),
    (pa.types.is_integer, "histogram"),
    (pa.types.is_floating, "histogram"),
    (pa.types.is_string, "categorical"),
    (pa.types.is_large_string, "categorical"),
    (pa.types.is_dictionary, "categorical"),
]
"""Likelihoods of columns without a value in the sample, by type."""


class Engine(ABC):
    """The interface of engines: run a job on all parts of the rows, and merge the results."""

    argument: ClassVar[str] = "data"
    """The argument with the rows, in error messages."""

    place: ClassVar[str] = "partition {}"
    """The name of a part, in error messages."""

    in_order: ClassVar[bool] = False
    """Whether all rows are one part, read in order, so that its first batch determines the likelihoods."""

    @property
    def once(self) -> bool:
        """Whether the rows can be read only once."""
        return False

    @property
    def skipped(self) -> int:
        """Number of rows that were skipped before any job."""
        return 0

    @abstractmethod
    def run(self, job: Job) -> PartResult:
        """Return the merged result of all parts."""

    def result(self, job: Job) -> PartResult:
        """Return the merged result of all parts; raise DataError if a part failed."""
        part = self.run(job)
        if part.failed:
            raise failure(part.failed)
        return part


@dataclass(frozen=True)
class Options:
    """Options of a fit: whether to skip bad rows, a journal to keep, and a function to show sampled rows to."""

    skip: bool = False
    journal: Any = None
    look: Callable[[Any, Any, Any], None] | None = None

    @classmethod
    def of(cls, errors: str, journal: Any = None, look: Any = None) -> Options:
        """Return the options; raise InputError for an unknown value of `errors`."""
        if errors not in ("raise", "skip"):
            raise InputError("errors", "be 'raise' or 'skip'", got=errors)
        return cls(errors == "skip", journal, look)


@dataclass(frozen=True)
class Request:
    """The columns of the rows, as a schema or as a table of the first rows, and the roles that a user gives them."""

    columns: Any
    target: Any = None
    features: Any = None
    argument: str = "features"  # the argument with the features, in error messages
    lenient: bool = False

    @property
    def schema(self) -> Any:
        """The schema of the rows."""
        return self.columns.schema if isinstance(self.columns, pa.Table) else self.columns

    def roles(self, estimator: Any) -> Roles:
        """Return the roles of the columns for a classifier."""
        roles = roles_of(estimator, self.columns, self.target, self.features, self.argument)
        return replace(roles, lenient=self.lenient)


def sample_size(estimator: Any) -> int:
    """Return the number of rows that hyperparameters are chosen on, 0 if they are chosen from counts."""
    wanted = estimator._wanted(ROWS)
    return 0 if wanted is None else int(wanted.sample_size)


def rows_for_sets(engine: Engine, estimator: Any) -> int:
    """Return the most rows that choose joint columns: none, with a warning, if the rows can be read only once.

    Raise InputError if joint columns were requested explicitly.
    """
    rows = estimator._rows_for_sets() if isinstance(estimator, NaiveBayes) else 0
    if rows and engine.once and estimator.joint == "auto":
        tell(
            f"Joint columns are left out: they take another pass, and {engine.argument}='-', standard input, can be "
            "read only once.",
            python="Write the rows to a file first, or silence this by joint=None.",
        )
        return 0
    if rows and engine.once:
        raise InputError(
            f"{type(estimator).__name__} with joint={estimator.joint!r} reads the rows twice, but standard input, "
            f"{engine.argument}='-', can be read only once."
        ).advise(python="Write the rows to a file first, or use joint=None.")
    return int(rows)


def refuse(estimator: Any) -> None:
    """Raise for an estimator that cannot be counted in parts, or cannot be written to a model file."""
    name, reason = type(estimator).__name__, estimator._needs_all_rows()
    if reason:
        raise InputError(f"{name} with {reason} needs all rows in memory, and cannot be fitted in parts.").advise(
            "Call its fit instead."
        )
    given = params_in_files(estimator)
    for parameter, value in (given | vars(given.get("tokens") or Tokens())).items():
        if callable(value) and not isinstance(value, type):
            raise KindError(
                f"{name}.{parameter}", "be a value that a model file can hold, so that counts can travel"
            ).but(f"got the function {getattr(value, '__name__', value)!r}")


Choose = Callable[[Any, Roles, Any], Any]
"""Return the likelihoods of columns, chosen on a sample of rows."""


def first_pass(
    engine: Engine, estimator: Any, roles: Roles, keep: int, options: Options, choose: Choose
) -> tuple[CountRows, PartResult]:
    """Count all rows, after a sample has determined the likelihoods of columns, if necessary."""
    plain = counts_alone(estimator)
    declared = plain.columns if roles.kind == "table" and isinstance(plain.columns, dict) else {}
    undeclared = {name for name in roles.columns if roles.kind == "table" and declared.get(name, "auto") == "auto"}
    words: dict[str, Any] = {"argument": engine.argument, "place": engine.place}
    settled_by_first_batch = engine.in_order and choose is chosen_by_class
    if undeclared and not settled_by_first_batch:
        part = engine.run(CountRows(plain, roles.unlabelled(), ROWS, skip=True, learn=False, **words))
        sample = part.sample(ROWS)
        if sample is not None:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                chosen = choose(plain, roles, sample)
            for warning in caught:
                tell(warning.message)
            columns = {name: declared.get(name) for name in roles.columns}
            for name in undeclared:
                likelihood, kind = chosen.get(name), sample.schema.field(name).type
                by_type = next((word for is_one, word in BY_TYPE if is_one(kind)), "drop")
                columns[name] = by_type if likelihood is None or isinstance(likelihood, Unknown) else Chosen(likelihood)
            plain.set_params(columns=columns)
    job = CountRows(plain, roles, keep, options.skip, journal=options.journal, **words)
    return job, engine.result(job)


def chosen_by_class(plain: Any, roles: Roles, sample: Any) -> Any:
    """Return the likelihoods of columns, chosen on a sample of labelled rows."""
    part = CountRows(plain, roles, 0, skip=True).count([Arrow(sample)], 0)
    if part.failed:
        raise failure(part.failed)
    return part.statistics["model"].columns_ if part.statistics else {}
