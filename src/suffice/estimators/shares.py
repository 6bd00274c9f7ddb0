"""Rows that belong to classes in shares: read once, then counted and scored as often as EM asks."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples

from suffice.models.em_objective import log_prior_density, n_parameters, shared_parameters
from suffice.models.evidence import log_coefficients
from suffice.stats import CategoryCounts, ClassCounts
from suffice.stats.inputs import Rows
from suffice.stats.row_shares import counts_of_shares, rows_of_shares
from suffice.typing import Array, Integers

__all__ = ["RowShares", "Sharing"]


class Sharing:
    """A classifier that can learn from rows of which it knows only how probable each class is."""

    def _must_share(self) -> None:
        """Raise KindError unless the classifier is a model of rows that EM can climb."""

    @abstractmethod
    def _begin(self, parts: list[Any], classes: Any) -> list[Any]:
        """Learn from all rows what rows are like, whatever their class; gives them as they were read."""

    @abstractmethod
    def _begin_with(self, counted: Any, place: Integers, classes: Any) -> dict[str, Any]:
        """Learn the same from a model that has counted all rows, by classes of its own.

        Gives its statistics: class c becomes `place[c]` of `classes`, and −1 leaves it out.
        """

    @abstractmethod
    def _known_rows(self, X: Any) -> Any:
        """New rows, read in the same way, to be scored."""

    def _shared_rows(self, X: Any) -> Any:
        """New rows, read in the same way, to be counted by shares too."""
        return self._known_rows(X)

    @abstractmethod
    def _count_shares(self, rows: Any, shares: Array, weights: Array) -> dict[str, Any]:
        """Statistics of rows as `_begin` gave them, by shares of classes."""

    @abstractmethod
    def _scores_of(self, rows: Any) -> Array:
        """ln p(x | c) of such rows, with nothing left out, and as the model is without views."""

    @abstractmethod
    def _prior_density(self) -> float:
        """ln p(θ) of the parameters in use, but for the class prior."""

    @abstractmethod
    def _free_parameters(self) -> int:
        """Numbers that are free, in all classes together."""

    def _take_statistics(self, classes: Any, statistics: dict[str, Any]) -> None:
        owner: Any = self
        owner._set_statistics(classes, statistics)

    def _points(self, rows: Any) -> Array | None:
        """Such rows as points that lie near each other where they are alike; None where rows are no points."""
        return None

    def _coarse(self, whole: dict[str, Any], k: int) -> dict[str, Any]:
        """Parameters of a model with fewer freedoms and the same counts, by which a start is smoothed; {} for none."""
        return {}

    def _own_priors(self) -> dict[Any, Any]:
        """Parameters that ask for a prior which is learned from counts, as they are given."""
        return {name: "evidence" for name in ("alpha", "prior") if _is_evidence(getattr(self, name, None))}

    def _weak_priors(self, whole: dict[str, Any], k: int) -> dict[Any, Any]:
        """The same with priors that are fixed and say little, by the statistics of all rows, for k classes."""
        return dict.fromkeys(self._own_priors(), 1.0)

    def _found_priors(self) -> dict[Any, Any]:
        """The same with the priors that are in use."""
        return {name: getattr(self, f"{name}_") for name in self._own_priors()}

    def _judging_priors(self, weak: dict[Any, Any]) -> dict[Any, Any]:
        """The same with the priors by which numbers of classes are compared: those in use, if they are proper."""
        return self._found_priors()

    def _put_priors(self, priors: dict[Any, Any]) -> None:
        """Take such parameters, and the same counts by them, if there are any yet."""
        owner: Any = self
        owner.set_params(**priors)
        if hasattr(self, "classes_"):
            self._take_statistics(owner.classes_, owner._get_statistics())


def _is_evidence(value: Any) -> bool:
    return isinstance(value, str) and value == "evidence"


@dataclass(frozen=True)
class Block:
    """Rows, and the part of ln p(x) that no class changes."""

    rows: Rows
    constant: Array


class RowShares(Sharing):
    """The same for classifiers of rows."""

    _orders: bool | None = None  # of rows of counts, whether n!/Πx! belongs to them, or only 1/Πx!
    _features: Any
    _classes: ClassCounts
    _event: Any

    def _begin(self, parts: list[Any], classes: Any) -> list[Block]:
        owner: Any = self
        owner._declared, owner._stale = None, False
        for k, part in enumerate(parts):
            X, codes = owner._read(part, np.zeros(_num_samples(part), np.int64), reset=k == 0)
            with owner._in_words_of_sklearn(X):
                t = owner._count(X, codes, None, 1, k == 0)
            self._features = t if k == 0 else self._features + t
        return [self._known_rows(part) for part in parts]

    def _begin_with(self, counted: Any, place: Integers, classes: Any) -> dict[str, Any]:
        owner: Any = self
        vars(self).update({name: vars(counted)[name] for name in owner._schema if name in vars(counted)})
        owner._declared, owner._stale, self._features = None, False, counted._features
        statistics: dict[str, Any] = counted._get_statistics()
        return {name: t.with_classes(place, len(classes)) for name, t in statistics.items()}

    def _known_rows(self, X: Any) -> Block:
        owner: Any = self
        rows = owner._as_model_sees(Rows.read(owner._read_rows(X), "X"))
        counts = self._orders is not None
        return Block(rows, log_coefficients(rows.matrix, bool(self._orders)) if counts else np.zeros(len(rows)))

    def _count_shares(self, rows: Block, shares: Array, weights: Array) -> dict[str, Any]:
        sizes: dict[str, Any] = {}
        if isinstance(self._features, CategoryCounts):
            sizes["sizes"] = self._features.sizes
        return {
            "classes": rows_of_shares(shares, weights),
            "features": counts_of_shares(type(self._features), rows.rows, shares, weights, **sizes),
        }

    def _scores_of(self, rows: Block) -> Array:
        owner: Any = self
        with owner._in_words_of_sklearn(rows.rows.matrix):
            scores: Array = owner._view("scorer", owner._make_scorer).scores(rows.rows)
        scores += rows.constant[:, None]
        return scores

    def _prior_density(self) -> float:
        return log_prior_density(self._event, self._features, self._classes.counts)

    def _free_parameters(self) -> int:
        each, common = (count(self._event, self._features) for count in (n_parameters, shared_parameters))
        return len(self._classes.counts) * each + common
