"""What every likelihood answers about itself.

A likelihood is one family: frozen, with its prior and its way to estimate. `t` is the statistic of its rows, by class.
A family answers every question in its own file; questions without an answer raise an error here that names it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from suffice.errors import KindError
from suffice.models.likelihoods.draws import Draw, rows_of, width_of
from suffice.models.likelihoods.pictures import ClassDistributions, FeatureBelief, JointLifts
from suffice.models.scoring.beliefs import squeezed
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Belief, Contributions, HeldOut, Scorer, Speaks
from suffice.models.scoring.rows import Labels, Rows
from suffice.posterior.base import Conjugate
from suffice.tables import Column, refuse
from suffice.typing import Array, Booleans, Integers

__all__ = ["Likelihood"]


@dataclass(frozen=True, eq=False, repr=False)
class Likelihood(ABC):
    """One family: how the rows of a class come about, and what is believed before they are seen."""

    word: ClassVar[str]
    """What people call it: in `columns={...}`, in errors and in files."""

    statistic: ClassVar[type[Any] | tuple[type[Any], ...]]
    """What it counts."""

    silent: ClassVar[bool] = False
    """Whether it says nothing of any row."""

    undecided: ClassVar[bool] = False
    """Whether a column had no value so far: later rows decide what it is."""

    correction: ClassVar[bool] = False
    """Whether it only adds to what other blocks say, and is no density: evidence and EM leave it out (JC-7)."""

    replaces: ClassVar[bool] = False
    """Whether it stands in for the columns that it is made of: then their weights are held at zero, and its at one."""

    @property
    def chosen_by_rows(self) -> bool:
        """Whether there is such a block because training rows chose it, so that it is a view."""
        return False

    joins: ClassVar[bool] = True
    """Whether a column of it may act together with others, by its values or bins of them."""

    measure_kind: ClassVar[str] = "probabilities of values"
    """What its evidence is of: models compare by evidence only where that is the same."""

    subject: ClassVar[str] = ""
    """How a sentence about it starts; its name if not given."""

    no_evidence: ClassVar[str] = ""
    """Why it has no evidence, no posterior and no part in EM, if it has none."""

    @property
    def weighable(self) -> bool:
        """Whether features can have evidence weights: scores are linear in them, and no class forbids one."""
        return False

    fixed_measure: ClassVar[bool] = False
    """Whether `measure` depends on rows alone, so that it is found once."""

    # what is counted and scored ---------------------------------------------------------------------------------------

    @abstractmethod
    def count(self, rows: Any, labels: Labels) -> Any:
        """Return the statistic of rows by class: never smoothed; labels may be shares."""

    def kept(self, statistic: Any) -> Any:
        """Return the part of a statistic that the family looks at: all of it, or some of its features."""
        return statistic

    def settled(self, t: Any) -> Self:
        """Return the likelihood with a prior or bins that depend on the statistic made definite."""
        return self

    @abstractmethod
    def scorer(self, t: Any) -> Scorer:
        """Return what scores rows."""

    @abstractmethod
    def held_out(self, t: Any, rows: Any, removed: Removal) -> HeldOut:
        """Score training rows, each by classes without it or its group; of all classes."""

    def uncut(self) -> Self:
        """Return the likelihood for a statistic that holds only the features it looks at."""
        return self

    def without(self, t: Any, rows: Any, labels: Labels) -> Any:
        """Return the statistic without some of its rows; all features stay, also those that no other row has."""
        return t - self.count(rows, labels)

    def smoothed(self, alpha: float) -> Self:
        """Return the likelihood with this pseudo-count."""
        return self.changed(alpha=alpha)

    def changed(self, **options: Any) -> Self:
        """Return the likelihood with other options, all of which it must have."""
        return replace(self, **options)

    def changed_where_known(self, **options: Any) -> Self:
        """Return the likelihood with other options, as far as it has them."""
        known = {one.name for one in fields(self)}
        given = {name: value for name, value in options.items() if name in known}
        return self.changed(**given) if given else self

    def served(self, block: Any) -> Any:
        """Return the statistic that another block of the same column has for this family, as if counted for it.

        None if what is kept of the column does not serve it exactly.
        """
        return block.statistic if block.likelihood == self else None

    def measured(self, t: Any) -> str:
        """Return what its evidence is of."""
        return self.measure_kind

    def frequencies(self, t: Any) -> Array:
        """Return how often each word was counted, where the statistic has words."""
        return np.asarray(t.frequency)

    # what people ask --------------------------------------------------------------------------------------------------

    def contributions(self, t: Any, rows: Any, weights: Array | None = None) -> Contributions:
        """Explain one row: what each of its features says of each class, with feature weights if there are any."""
        raise KindError(f"There are no explanations of {self.word}.")

    def posterior(self, t: Any, features: Integers | None = None) -> Conjugate[Any]:
        """Return the belief about each class's parameters, classes × features, or about some of these."""
        raise self._refusal("posterior")

    def feature_posterior(self, t: Any, feature: int) -> Conjugate[Any]:
        """Return the belief about one feature, by its place, in each class."""
        return squeezed(self.posterior(t, np.array([feature])))

    def belief(self, t: Any, weights: Array | None = None) -> Belief:
        """Return what is believed of the scores of rows, with feature weights if there are any."""
        raise self._refusal("intervals")

    def intervals(self, t: Any, level: float) -> Any:
        """Return lower and upper bounds of each parameter, classes × features."""
        raise self._refusal("intervals")

    def log_evidence(self, t: Any) -> Cells:
        """Return ln p of each class's rows, parameters integrated out, classes × features."""
        raise self._refusal("evidence")

    def speaks(self, t: Any, n: Array, code: int, k: int, weights: Array | None = None) -> list[Speaks]:
        """Return at most k features that speak for a class, against the others averaged by their n rows."""
        raise KindError(f"There are no top features of {self.word}.")

    def information(self, t: Any, prior: Array) -> Array:
        """Return the mutual information of each feature and the class, in nats."""
        raise KindError(f"{self.word} has no counts to compute the information of features from.")

    def believed(self, t: Any) -> FeatureBelief | None:
        """Return what is believed of many features of one kind, such as words; None where a feature is a column."""
        return None

    def distributions(self, t: Any, level: float) -> list[ClassDistributions]:
        """Return how each column is distributed in each class, for pictures; none where that cannot be drawn."""
        return []

    def lifts(self, t: Any) -> JointLifts | None:
        """Return how often values of its columns come together, for pictures; None where it has one column."""
        return None

    def known(self, t: Any, rows: Any, least: int = 1) -> Booleans:
        """Return which rows hold something that was learned from so many rows or more."""
        return np.ones(len(rows), bool) if rows.present is None else np.asarray(rows.present)

    family: ClassVar[type[Conjugate[Any]]]
    """What its posterior is, which draws rows given parameters."""

    no_density: ClassVar[str] = ""
    """Why rows have no probability by it, if they have none: then none can be drawn."""

    def as_density(self, t: Any) -> Likelihood:
        """Return the likelihood that gives rows their probability, where the one that tells classes apart does not."""
        return self

    def plugged(self, t: Any) -> Any:
        """Return the parameters that are plugged in, with classes first, as the family has them."""
        raise KindError(f"{self.word} plugs no parameters in.")

    def sample(self, t: Any, draw: Draw) -> Any:
        """Draw rows, by parameters that are plugged in or drawn themselves."""
        of = draw.source(getattr(self, "estimate", ""), lambda: self.plugged(t), lambda: self.posterior(t))
        return rows_of(draw, width_of(t), of, lambda theta, part: self.family.simulate(theta, part.rng))

    def log_base(self, t: Any, rows: Any) -> Array | float:
        """Return what ln p(x) has beside scores and `measure`: the density that these are relative to."""
        return 0.0

    # EM ---------------------------------------------------------------------------------------------------------------

    def must_share(self) -> None:
        """Raise KindError unless EM can climb: rows may belong to classes in shares."""
        if self.no_evidence:
            raise KindError(f"{self.word} cannot learn without labels: {self.no_evidence}.")

    def log_prior_density(self, t: Any) -> float:
        """Return ln p(θ) of the parameters that are plugged in; 0 where none are."""
        return 0.0

    def n_parameters(self, t: Any) -> int:
        """Return how many numbers are free in one class."""
        return 0

    def n_shared_parameters(self, t: Any) -> int:
        """Return how many numbers all classes have in common."""
        return 0

    def measure(self, t: Any, rows: Any) -> Array | float:
        """Return the part of ln p(x) that scores leave out: the same for all classes, row by row."""
        return 0.0

    def log_coefficients(self, t: Any, rows: Any) -> Array | float:
        """Return ln of the number of orders of each row, where rows are counts: not part of scores nor of evidence."""
        return 0.0

    @property
    def learns_prior(self) -> bool:
        """Whether the prior is to be learned from counts."""
        return False

    def weak(self, t: Any, rows: float, k: int) -> Self:
        """Return the likelihood with a prior that says little, by all rows as one class, for k classes (WP)."""
        return self

    def judging(self, t: Any, weak: Self) -> Self:
        """Return the likelihood with the prior by which numbers of classes are compared: proper, and the one in use."""
        return self.settled(t)

    def coarse(self, t: Any, k: int) -> Self | None:
        """Return a likelihood of fewer freedoms and the same counts, by which a start of EM is smoothed."""
        return None

    def points(self, rows: Any) -> Array | None:
        """Return rows as points that lie near each other where they are alike; None where rows are no points."""
        return None

    # columns of tables ------------------------------------------------------------------------------------------------

    storages: ClassVar[frozenset[str]] = frozenset()
    """Kinds of columns it can read."""

    value_word: ClassVar[str] = "value"
    """What people call one of the values that `table` has a line for."""

    ordered: ClassVar[bool] = False
    """Whether these values have an order."""

    def check(self, column: Column, how: str = "is declared") -> None:
        """Raise DataError if a column holds what the family cannot count."""
        if column.storage not in {*self.storages, "nothing"}:
            refuse(column, self.word, how)

    def rows(self, column: Column) -> Rows:
        """Return a column as the family reads it."""
        raise KindError(f"{self.word} reads no columns.")

    def read_as(self, t: Any) -> Literal["number", "word"] | None:
        """Return what fields of a file are to be read as, to be what was counted; None if it does not matter."""
        return "word" if "string" in self.storages else "number"

    def reading(self, t: Any, column: Column) -> str:
        """Return the value of a column of one row as the family reads it, for people; '' for the value itself."""
        return ""

    def table(self, t: Any, classes: NDArray[Any], level: float) -> dict[str, Any]:
        """Return what is known of each class: posterior means and intervals, as columns of a table."""
        raise KindError(f"There is no table of {self.word}.")

    def prior_in_words(self, t: Any) -> str:
        """Describe the prior."""
        return ""

    # ------------------------------------------------------------------------------------------------------------------

    def _refusal(self, what: str) -> KindError:
        return KindError(f"{self.subject or self.word} has no {what}: {self.no_evidence or 'it has none'}.")

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
