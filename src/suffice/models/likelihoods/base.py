"""Define the contract of a likelihood.

A likelihood is one family: frozen, with its prior and its estimate. `t` is the statistic of its rows, by class. A
family answers every question in its own file. Questions that it cannot answer raise an error here that names it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from suffice.errors import KindError
from suffice.models.likelihoods.draws import Draw, rows_by_feature
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
    """Model how the rows of a class arise, as one family with its prior."""

    word: ClassVar[str]
    """Name of the family in `columns={...}`, in errors and in files."""

    statistic: ClassVar[type[Any] | tuple[type[Any], ...]]
    """Type of its statistic, or several of them."""

    silent: ClassVar[bool] = False
    """Whether no row carries evidence."""

    undecided: ClassVar[bool] = False
    """Whether the column has had no values yet, so later rows decide its kind."""

    correction: ClassVar[bool] = False
    """Whether it only corrects the scores of other blocks and is not a density: evidence and EM leave it out (JC-7)."""

    replaces: ClassVar[bool] = False
    """Whether it replaces the columns it is made of: then their weights are fixed at zero, and its own at one."""

    @property
    def chosen_by_rows(self) -> bool:
        """Return whether training rows chose to have this block, which makes it a view."""
        return False

    joins: ClassVar[bool] = True
    """Whether a column of it may act jointly with others, by its values or by bins."""

    measure_kind: ClassVar[str] = "probabilities of values"
    """Kind of quantity its evidence refers to. Models are compared by evidence only where the kinds agree."""

    subject: ClassVar[str] = ""
    """Start of sentences about it, if not its name."""

    no_evidence: ClassVar[str] = ""
    """Reason why it has no evidence, no posterior and no part in EM; empty if it has."""

    @property
    def weighable(self) -> bool:
        """Return whether features can have evidence weights: scores are linear in them, and no class rules one out."""
        return False

    fixed_measure: ClassVar[bool] = False
    """Whether `measure` depends on the rows alone, so that it is computed once."""

    # counting and scoring ---------------------------------------------------------------------------------------------

    @abstractmethod
    def count(self, rows: Any, labels: Labels) -> Any:
        """Return the statistic of rows by class, unsmoothed; labels may be shares."""

    def kept(self, statistic: Any) -> Any:
        """Return the part of a statistic that the family uses: all of it, or some of its features."""
        return statistic

    def settled(self, t: Any) -> Self:
        """Return the likelihood with definite values for a prior or bins that depend on the statistic."""
        return self

    @abstractmethod
    def scorer(self, t: Any) -> Scorer:
        """Return the scorer of rows."""

    @abstractmethod
    def held_out(self, t: Any, rows: Any, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, each without the row or its group."""

    def uncut(self) -> Self:
        """Return the likelihood for a statistic that holds only the features it uses."""
        return self

    def without(self, t: Any, rows: Any, labels: Labels) -> Any:
        """Return the statistic without the given rows; features that no other row has are kept."""
        return t - self.count(rows, labels)

    def smoothed(self, alpha: float) -> Self:
        """Return the likelihood with the given pseudo-count."""
        return self.changed(alpha=alpha)

    def changed(self, **options: Any) -> Self:
        """Return the likelihood with the given options changed, all of which it must have."""
        return replace(self, **options)

    def changed_where_known(self, **options: Any) -> Self:
        """Return the likelihood with those of the given options changed that it has."""
        known = {one.name for one in fields(self)}
        given = {name: value for name, value in options.items() if name in known}
        return self.changed(**given) if given else self

    def served(self, block: Any) -> Any:
        """Return another block's statistic of the same column in this family's form, exactly as if counted for it.

        Return None if what that block keeps of the column does not determine it.
        """
        return block.statistic if block.likelihood == self else None

    def measured(self, t: Any) -> str:
        """Return the kind of quantity that its evidence refers to."""
        flat = not getattr(getattr(self, "prior", None), "proper", True)  # evidence under a flat mean: NG-3, NW-4
        return f"{self.measure_kind} given the first row of each class" if flat else self.measure_kind

    def frequencies(self, t: Any) -> Array:
        """Return the count of each word, where the statistic has words."""
        return np.asarray(t.frequency)

    # public answers ---------------------------------------------------------------------------------------------------

    def contributions(self, t: Any, rows: Any, weights: Array | None = None) -> Contributions:
        """Return the contribution of each feature of one row to each class's score, with optional feature weights."""
        raise KindError(f"There are no explanations of {self.word}.")

    def posterior(self, t: Any, features: Integers | None = None) -> Conjugate[Any]:
        """Return the posterior of each class's parameters, classes × features, or of the given features."""
        raise self._refusal("posterior")

    def feature_posterior(self, t: Any, feature: int) -> Conjugate[Any]:
        """Return the posterior of one feature's parameters in each class; `feature` is its place."""
        return squeezed(self.posterior(t, np.array([feature])))

    def belief(self, t: Any, weights: Array | None = None) -> Belief:
        """Return the posterior distribution of scores, with optional feature weights."""
        raise self._refusal("intervals")

    def intervals(self, t: Any, level: float) -> Any:
        """Return lower and upper credible bounds of each parameter, classes × features."""
        raise self._refusal("intervals")

    def log_evidence(self, t: Any) -> Cells:
        """Return the log evidence of each class's rows, classes × features."""
        raise self._refusal("evidence")

    def speaks(self, t: Any, n: Array, code: int, k: int, weights: Array | None = None) -> list[Speaks]:
        """Return at most k features that favour a class over the others, which are averaged by their n rows."""
        raise KindError(f"There are no top features of {self.word}.")

    def information(self, t: Any, prior: Array) -> Array:
        """Return the mutual information of each feature and the class, in nats."""
        raise KindError(f"{self.word} has no counts to compute the information of features from.")

    def believed(self, t: Any) -> FeatureBelief | None:
        """Return beliefs about many features of one kind, such as words; None where each feature is a column."""
        return None

    def distributions(self, t: Any, level: float) -> list[ClassDistributions]:
        """Return the distribution of each column in each class, for plots; empty if there is nothing to plot."""
        return []

    def lifts(self, t: Any) -> JointLifts | None:
        """Return how often values of its columns occur jointly, for plots; None for a single column."""
        return None

    def known(self, t: Any, rows: Any, least: int = 1) -> Booleans:
        """Return which rows hold something that was learned from at least `least` rows."""
        return np.ones(len(rows), bool) if rows.present is None else np.asarray(rows.present)

    family: ClassVar[type[Conjugate[Any]]]
    """Type of its posterior, which also draws rows given parameters."""

    no_density: ClassVar[str] = ""
    """Reason why it does not define a probability of rows, so that none can be drawn; empty if it does."""

    def as_density(self, t: Any) -> Likelihood:
        """Return the likelihood that defines the probability of rows, where the one used to classify does not."""
        return self

    def plugged(self, t: Any) -> Any:
        """Return the plug-in parameters in the family's own form, classes first."""
        raise KindError(f"{self.word} plugs no parameters in.")

    def sample(self, t: Any, draw: Draw) -> Any:
        """Return drawn rows, given plug-in parameters or parameters drawn from the posterior."""
        return rows_by_feature(self, t, draw)

    def log_base(self, t: Any, rows: Any) -> Array | float:
        """Return the part of ln p(x) besides scores and `measure`: the log density of the base measure."""
        return 0.0

    # EM ---------------------------------------------------------------------------------------------------------------

    def must_share(self) -> None:
        """Raise KindError unless EM can fit the likelihood, which requires rows that belong to classes in shares."""
        if self.no_evidence:
            raise KindError(f"{self.word} cannot learn without labels: {self.no_evidence}.")

    def log_prior_density(self, t: Any) -> float:
        """Return ln p(θ) of the plug-in parameters; 0 if there are none."""
        return 0.0

    def n_parameters(self, t: Any) -> int:
        """Return the number of free parameters per class."""
        return 0

    def n_shared_parameters(self, t: Any) -> int:
        """Return the number of free parameters that all classes share."""
        return 0

    def measure(self, t: Any, rows: Any) -> Array | float:
        """Return the part of ln p(x) that scores leave out, equal for all classes: a number per row, or one for all."""
        return 0.0

    def log_coefficients(self, t: Any, rows: Any) -> Array | float:
        """Return the log multinomial coefficient of each row of counts, which neither scores nor evidence include."""
        return 0.0

    @property
    def learns_prior(self) -> bool:
        """Return whether the prior is learned from counts."""
        return False

    @property
    def learns_from_labels(self) -> bool:
        """Return whether classes share bins, or a prior of more than a few numbers, that their labels determine."""
        return False

    def weak(self, t: Any, rows: float, k: int) -> Self:
        """Return the likelihood with a weak prior for k classes, made from all rows as one class (WP)."""
        return self

    def judging(self, t: Any, weak: Self) -> Self:
        """Return the likelihood with a proper prior, for comparing numbers of components by evidence."""
        return self.settled(t)

    def coarse(self, t: Any, k: int) -> Self | None:
        """Return a likelihood with fewer parameters on the same counts, to smooth a start of EM, or None."""
        return None

    def points(self, rows: Any) -> Array | None:
        """Return rows as points in which similar rows are close; None where rows are not points."""
        return None

    # columns of tables ------------------------------------------------------------------------------------------------

    storages: ClassVar[frozenset[str]] = frozenset()
    """Storage kinds of columns that it can read."""

    value_word: ClassVar[str] = "value"
    """Word for one of the values that `table` lists."""

    ordered: ClassVar[bool] = False
    """Whether these values are ordered."""

    def check(self, column: Column, how: str = "is declared") -> None:
        """Raise DataError if the column holds values that the family cannot count."""
        if column.storage not in {*self.storages, "nothing"}:
            refuse(column, self.word, how)

    def rows(self, column: Column) -> Rows:
        """Return a column as the rows of this family."""
        raise KindError(f"{self.word} reads no columns.")

    def read_as(self, t: Any) -> Literal["number", "word"] | None:
        """Return how to read fields of a file so that they match what was counted; None if it does not matter."""
        return "word" if "string" in self.storages else "number"

    def reading(self, t: Any, column: Column) -> str:
        """Return how the family reads the value of a one-row column, in words; '' for the value itself."""
        return ""

    def table(self, t: Any, classes: NDArray[Any], level: float) -> dict[str, Any]:
        """Return posterior means and intervals of each class, as columns of a table."""
        raise KindError(f"There is no table of {self.word}.")

    def prior_in_words(self, t: Any) -> str:
        """Return the prior in words."""
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
