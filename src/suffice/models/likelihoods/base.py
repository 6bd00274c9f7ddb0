"""Define the contract of a likelihood.

A likelihood is one family: frozen, with its prior and its estimate. `t` is the statistic of its rows, by class. What
follows from the posterior and the plug-in estimate (intervals, tables, top features, information, number of parameters,
drawn rows, how columns are read) is in `models/answers/`. A family that truly differs there has a method of its own of
the same name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np

from suffice.errors import KindError
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Belief, Contributions, HeldOut, Scorer
from suffice.models.scoring.rows import Labels, Rows
from suffice.posterior.base import Conjugate
from suffice.tables import Column, refuse
from suffice.typing import Array, Integers


@dataclass(frozen=True, eq=False, repr=False)
class Likelihood(ABC):
    """Model how the rows of a class arise, as one family with its prior."""

    word: ClassVar[str]
    """Name of the family in `columns={...}`, in errors and in files."""

    statistic: ClassVar[type[Any] | tuple[type[Any], ...]]
    """Type of its statistic, or several of them."""

    family: ClassVar[type[Conjugate[Any]]]
    """Type of its posterior, which also draws rows given parameters."""

    storages: ClassVar[frozenset[str]] = frozenset()
    """Storage kinds of columns that it can read."""

    silent: ClassVar[bool] = False
    """Whether no row carries evidence."""

    correction: ClassVar[bool] = False
    """Whether it only corrects the scores of other blocks and is not a density: evidence and EM leave it out (JC-7)."""

    def count(self, rows: Any, labels: Labels) -> Any:
        """Return the statistic of rows by class, unsmoothed; labels may be shares."""
        return rows.count(self.statistic[0] if isinstance(self.statistic, tuple) else self.statistic, labels)

    def kept(self, statistic: Any) -> Any:
        """Return the part of a statistic that the family uses: all of it, or some of its features."""
        return statistic

    def without(self, t: Any, rows: Any, labels: Labels) -> Any:
        """Return the statistic without the given rows; features that no other row has are kept."""
        return t - self.count(rows, labels)

    def served(self, block: Any) -> Any:
        """Return another block's statistic of the same column in this family's form, exactly as if counted for it.

        Return None if what that block keeps of the column does not determine it.
        """
        return block.statistic if block.likelihood == self else None

    def settled(self, t: Any) -> Self:
        """Return the likelihood with definite values for a prior or bins that depend on the statistic."""
        return self

    def smoothed(self, alpha: float) -> Self:
        """Return the likelihood with the given pseudo-count."""
        return changed(self, alpha=alpha)

    def weak(self, t: Any, rows: float, k: int) -> Self:
        """Return the likelihood with a weak prior for k classes, made from all rows as one class (WP)."""
        return self

    @property
    def learns_prior(self) -> bool:
        """Return whether the prior, or the pseudo-count, is learned from counts."""
        return isinstance(getattr(self, "prior", getattr(self, "alpha", None)), str)

    @property
    def learns_from_labels(self) -> bool:
        """Return whether classes share bins, or a prior of more than a few numbers, that their labels determine."""
        return False

    @abstractmethod
    def scorer(self, t: Any) -> Scorer:
        """Return the scorer of rows."""

    @abstractmethod
    def held_out(self, t: Any, rows: Any, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, each without the row or its group."""

    def contributions(self, t: Any, rows: Any, weights: Array | None = None) -> Contributions:
        """Return the contribution of each feature of one row to each class's score, with optional feature weights."""
        raise KindError(f"There are no explanations of {self.word}.")

    def belief(self, t: Any, weights: Array | None = None) -> Belief:
        """Return the posterior distribution of scores, with optional feature weights."""
        raise refusal(self, "intervals")

    def posterior(self, t: Any, features: Integers | None = None) -> Conjugate[Any]:
        """Return the posterior of each class's parameters, classes × features, or of the given features."""
        raise refusal(self, "posterior")

    def plug_in(self, t: Any) -> Any:
        """Return the plug-in parameters in the family's own form, classes first."""
        raise KindError(f"{self.word} plugs no parameters in.")

    def log_evidence(self, t: Any) -> Cells:
        """Return the log evidence of each class's rows, classes × features."""
        raise refusal(self, "evidence")

    def log_measure(self, t: Any, rows: Any) -> Array | float:
        """Return the part of ln p(x) that scores leave out, equal for all classes: a number per row, or one for all."""
        return 0.0

    def lacks(self, what: Literal["evidence", "density", "shares"]) -> str:
        """Return why it has no evidence, no probability of rows, or no part in EM; empty if it has."""
        return ""

    def rows(self, column: Column) -> Rows:
        """Return a column as the rows of this family."""
        raise KindError(f"{self.word} reads no columns.")

    def reading(self, t: Any, column: Column) -> str:
        """Return how the family reads the value of a one-row column, in words; '' for the value itself."""
        return ""

    # ------------------------------------------------------------------------------------------------------------------

    def _fields(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self) if one.compare}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        theirs = other._fields()
        return all(_same(value, theirs[name]) for name, value in self._fields().items())

    def __hash__(self) -> int:
        return hash((type(self), *(repr(value) for value in self._fields().values())))

    def __repr__(self) -> str:
        shown = {one.name: one.default for one in fields(self) if one.repr}
        given = {name: getattr(self, name) for name, usual in shown.items() if not _same(getattr(self, name), usual)}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.shape(a) == np.shape(b) and bool(np.array_equal(a, b))
    return a is b or (isinstance(a, bool) == isinstance(b, bool) and bool(a == b))


L = TypeVar("L", bound=Likelihood)


def changed(law: L, **options: Any) -> L:
    """Return the likelihood with the given options changed, all of which it must have."""
    return replace(law, **options)


def changed_where_known(law: L, **options: Any) -> L:
    """Return the likelihood with those of the options changed that it has; one that corrects others is unchanged."""
    known = {one.name for one in fields(law)}
    given = {name: value for name, value in options.items() if name in known and not law.correction}
    return replace(law, **given) if given else law


def check(law: Likelihood, column: Column, how: str = "is declared") -> None:
    """Raise DataError if the column holds values that the family cannot count."""
    coded_numbers = column.storage == "category" and column.labels.dtype.kind != "O"
    if column.storage not in {*law.storages, "nothing"} or (law.word == "text" and coded_numbers):
        refuse(column, law.word, how)


def uncut(law: L) -> L:
    """Return the likelihood for a statistic that holds only the features it uses."""
    return law if getattr(law, "cut", None) is None else changed_where_known(law, cut=None)


def refusal(law: Likelihood, what: str) -> KindError:
    """Return the error for a question that a likelihood has no answer to."""
    subject = {"complement": "The complement of classes", "dcm": "An urn"}.get(law.word, law.word)
    return KindError(f"{subject} has no {what}: {law.lacks('evidence') or 'it has none'}.")
