"""Define views: what training rows chose for a model. Views never change a statistic.

    score_c(x) = ln π_c + b_c + s(x) · Σ_j w_j · ln p(x_j | c)      s(x) = a · n(x)^−γ                SX-7, SX-9
    p(c | x) = (1 − ε) softmax_c(score(x)) + ε π_c

Residuals are added to w_j · ln p(x_j | c), class by class (JC-6).

Weights are stored by name, so they remain valid while words, columns and classes come and go.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from suffice.later import sparse
from suffice.models.choices import Choice
from suffice.models.scoring.grouping import MISSING, OTHERS, Cuts, cut_to, pools, with_missing
from suffice.models.scoring.lifts import flat, places_among
from suffice.stats import BinaryCounts
from suffice.stats.value_counts import ValueCounts
from suffice.stats.word_counts import WordCounts
from suffice.text import WordList
from suffice.typing import Array, Booleans, Integers

if TYPE_CHECKING:
    from suffice.models.empirical.covariances import Spread
    from suffice.models.scoring.cells import Temper
    from suffice.models.scoring.rows import Rows

__all__ = ["ColumnWeights", "FeatureWeights", "Residual", "Views", "Weights", "WordResiduals", "WordWeights"]


@dataclass(frozen=True, eq=False)
class Weights:
    """Hold class terms, and the ridge that shrank exponents to one."""

    classes: dict[Any, float]
    ridge: float

    def terms(self, labels: Any) -> Array:
        """Return the term of each class; 0 for new classes."""
        return np.array([self.classes.get(label, 0.0) for label in labels.tolist()])

    def among(self, labels: NDArray[Any]) -> Self:
        """Return the weights with what they hold by class in the order of the given classes."""
        return replace(self, classes={label: self.classes[label] for label in labels.tolist() if label in self.classes})

    def of_block(self, name: Any) -> float:
        """Return the exponent of a block's evidence."""
        return 1.0

    def of_features(self, t: Any) -> Array | None:
        """Return the exponent of each feature of a statistic; None where features have none."""
        return None

    def added(self, name: Any, rows: Rows, labels: NDArray[Any], scorer: Any) -> Array | None:
        """Return what is added to a block's evidence before tempering, rows × classes; None if nothing is."""
        return None

    def of_cells(self, t: Any, labels: NDArray[Any]) -> Any:
        """Return what is added for each feature of a statistic, features × classes as CSR; None if nothing is."""
        return None

    def cut(self, labels: Any, statistics: Mapping[Any, Any]) -> Self:
        """Return the weights without classes and names that the counts no longer hold."""
        left = set(labels.tolist())
        return replace(self, classes={label: term for label, term in self.classes.items() if label in left})


@dataclass(frozen=True, eq=False)
class Residual:
    """Hold what each value of a column, or joint value of several, adds to each class's score (JC-6)."""

    values: tuple[NDArray[Any], ...]  # words of each column, one per term
    terms: Array  # joint values × classes
    labels: NDArray[Any]
    edges: Cuts = None  # upper ends of bins, or categories that are not pooled
    missing: bool = False  # whether a missing value has a term

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def _places(self) -> tuple[list[NDArray[Any]], Integers, Array]:
        """Return the sorted values of each column, the ascending places of joint values among them, and their terms."""
        found = [np.unique(part.astype(str), return_inverse=True) for part in self.values]
        axes = [axis.astype(object) for axis, _ in found]
        place = np.ravel_multi_index([code for _, code in found], [len(axis) for axis in axes])
        order = np.argsort(place)
        return axes, place[order], self.terms[order]

    def of_rows(self, rows: Rows, labels: NDArray[Any]) -> Array:
        """Return what is added for each row, rows × classes; 0 for new values and classes."""
        if not np.array_equal(labels, self.labels):
            return self.among(labels).of_rows(rows, labels)
        coded = rows.coded(self.edges)
        if not len(self) or (coded is None and not self.missing):
            return np.zeros((len(rows), len(labels)))
        codes, words = coded or (np.full((len(rows), 1), -1), (np.zeros(0, object),))
        if self.missing:
            code, word = with_missing(codes[:, 0], words[0])
            codes, words = code[:, None], (word,)
        axes = self._places[0]
        seen = [np.append(places_among(*both), -1)[code] for *both, code in zip(axes, words, codes.T, strict=True)]
        return self._terms_at(np.stack(seen, axis=1))

    def of_values(self, words: tuple[NDArray[Any], ...]) -> Array:
        """Return the terms of joint values, given as words of each column; 0 for those without a term."""
        axes = self._places[0]
        return self._terms_at(np.stack([places_among(*both) for both in zip(axes, words, strict=True)], axis=1))

    def _terms_at(self, codes: Integers) -> Array:
        """Return the terms of joint values, given as codes of each column's values."""
        axes, place, terms = self._places
        joint = flat(codes, [len(axis) for axis in axes])
        at = np.minimum(np.searchsorted(place, joint), len(place) - 1)
        return np.where((place[at] == joint)[:, None], terms[at], 0.0)

    def among(self, labels: NDArray[Any]) -> Residual:
        """Return the residual for the given classes, with zeros for new ones."""
        if np.array_equal(labels, self.labels):
            return self
        where = {label: k for k, label in enumerate(self.labels.tolist())}
        wide = np.column_stack([self.terms, np.zeros(len(self))])
        return replace(self, labels=labels, terms=wide[:, [where.get(label, -1) for label in labels.tolist()]])

    def cut(self, statistic: Any) -> Residual:
        """Return the residual without values that the counts no longer hold; bins are all kept."""
        pooled = pools(self.edges)
        if self.edges is not None and not pooled:
            return self
        if isinstance(statistic, BinaryCounts):  # true and false reveal nobody
            return self
        held = statistic.in_words() if isinstance(statistic, ValueCounts) else ()
        known = _joined(held) if len(held) == len(self.values) else []
        known = [*known, MISSING, OTHERS]
        stay = np.isin(_joined(self.values), known)
        edges = cut_to(self.edges, known) if pooled else None
        return replace(self, values=tuple(part[stay] for part in self.values), terms=self.terms[stay], edges=edges)


def _joined(words: tuple[NDArray[Any], ...]) -> list[str]:
    return ["\x1f".join(parts) for parts in zip(*(part.tolist() for part in words), strict=True)]


@dataclass(frozen=True, eq=False)
class ColumnWeights(Weights):
    """Hold exponents of columns, and residuals of their values where they lower the log loss."""

    columns: dict[Any, float]
    residuals: dict[Any, Residual] = field(default_factory=dict)

    def of_block(self, name: Any) -> float:
        """Return the exponent of a column; for a new one, 1, or 0 for joint columns."""
        return self.columns.get(name, 0.0 if hasattr(name, "columns") else 1.0)

    def added(self, name: Any, rows: Rows, labels: NDArray[Any], scorer: Any) -> Array | None:
        """Return the residuals of a column's rows; None if it has none."""
        return self.residuals[name].of_rows(rows, labels) if name in self.residuals else None

    def among(self, labels: NDArray[Any]) -> Self:
        """Return the weights with terms and residuals in the order of the given classes."""
        residuals = {name: residual.among(labels) for name, residual in self.residuals.items()}
        return replace(super().among(labels), residuals=residuals)

    def only(self, names: Container[Any]) -> Self:
        """Return the weights and residuals of the given columns."""
        columns = {name: power for name, power in self.columns.items() if name in names}
        return replace(self, columns=columns, residuals={k: one for k, one in self.residuals.items() if k in names})

    def cut(self, labels: Any, statistics: Mapping[Any, Any]) -> Self:
        """Return the weights without columns, classes and residuals of values that the counts no longer hold."""
        columns = {name: power for name, power in self.columns.items() if name in statistics}
        parts = self.residuals.items()
        left = {name: part.among(labels).cut(statistics[name]) for name, part in parts if name in statistics}
        residuals = {name: part for name, part in left.items() if len(part)}
        return replace(super().cut(labels, statistics), columns=columns, residuals=residuals)


@dataclass(frozen=True, eq=False)
class FeatureWeights(Weights):
    """Hold exponents of features, in feature order."""

    features: Array

    def of_features(self, t: Any) -> Array | None:
        """Return the exponent of each feature."""
        return self.features


@dataclass(frozen=True, eq=False)
class WordResiduals:
    """Hold what words add to each class's score besides their weighted evidence (JC-6)."""

    places: NDArray[np.int32]  # places of the words in the weighted vocabulary, ascending
    terms: NDArray[np.float32]  # words × classes
    labels: NDArray[Any]

    def among(self, places: Integers, width: int, labels: NDArray[Any]) -> Any:
        """Return the terms as CSR for `width` words and the given classes; `places` maps old words to new, or to −1."""
        mine, where = places[self.places], {label: k for k, label in enumerate(labels.tolist())}
        code = np.array([where.get(label, -1) for label in self.labels.tolist()])
        terms = np.zeros((len(mine), len(labels)))
        terms[:, code[code >= 0]] = self.terms[:, code >= 0]
        line = np.zeros(width + 1, np.int64)
        line[mine[mine >= 0] + 1] = len(labels)
        there = terms[mine >= 0][np.argsort(mine[mine >= 0])]
        column = np.tile(np.arange(len(labels), dtype=np.int32), len(there))
        return sparse.csr_matrix((there.ravel(), column, np.cumsum(line)), (width, len(labels)))

    def cut(self, stay: Booleans, labels: NDArray[Any]) -> WordResiduals:
        """Return the terms of the words flagged in `stay`, and of the remaining classes."""
        number, kept, known = np.cumsum(stay) - 1, stay[self.places], np.isin(self.labels, labels)
        places = number[self.places[kept]].astype(np.int32)
        return WordResiduals(places, np.ascontiguousarray(self.terms[kept][:, known]), self.labels[known])


@dataclass(frozen=True, eq=False)
class WordWeights(FeatureWeights):
    """Hold exponents of words or buckets of words, and residuals of words where they lower the log loss."""

    words: WordList
    residuals: WordResiduals | None = None

    @property
    def places_fit(self) -> bool:
        """Return whether all residuals belong to words with a weight."""
        return self.residuals is None or bool((self.residuals.places < len(self.features)).all())

    def of_features(self, t: WordCounts) -> Array | None:
        """Return the exponent of each word of a statistic; 1 for new words."""
        if t.hash_bits or self.words is t.words:
            return self.features
        both, mine, theirs = self.words.union(t.words)
        every = np.ones(len(both))
        every[mine] = self.features
        return np.asarray(every[theirs])

    def among(self, labels: NDArray[Any]) -> Self:
        """Return the weights with terms and residuals in the order of the given classes, all of which they have."""
        if self.residuals is None:
            return super().among(labels)
        place = {label: k for k, label in enumerate(self.residuals.labels.tolist())}
        terms = np.ascontiguousarray(self.residuals.terms[:, [place[label] for label in labels.tolist()]])
        return replace(super().among(labels), residuals=replace(self.residuals, terms=terms, labels=labels))

    def of_cells(self, t: WordCounts, labels: NDArray[Any]) -> Any:
        """Return the residuals of the words of a statistic; None if there are none."""
        if self.residuals is None:
            return None
        places = np.arange(len(self.features))
        if not t.hash_bits and self.words is not t.words:
            both, mine, theirs = self.words.union(t.words)
            number = np.full(len(both), -1)
            number[theirs] = np.arange(len(theirs))
            places = number[mine]
        return self.residuals.among(places, t.width, labels)

    def added(self, name: Any, rows: Rows, labels: NDArray[Any], scorer: Any) -> Array | None:
        """Return the residuals of the rows' words; None if there are none."""
        cells = self.of_cells(scorer.t, labels)
        if cells is None:
            return None
        return np.asarray((scorer.counts_of(rows.entries(scorer.t)) @ cells).toarray())

    def cut(self, labels: Any, statistics: Mapping[Any, Any]) -> Self:
        """Return the weights of words that are still counted; buckets are all kept."""
        (held,) = statistics.values()
        rest, left, words = super().cut(labels, statistics), np.ones(len(self.features), bool), self.words
        if not held.hash_bits and words is not held.words:
            _, mine, theirs = words.union(held.words)
            left = np.isin(mine, theirs)
            words = held.words if left.sum() == len(held.words) else words.keep(left)
        residuals = None if self.residuals is None else self.residuals.cut(left, labels)
        return replace(rest, features=self.features[left], words=words, residuals=residuals)


@dataclass(frozen=True, eq=False)
class Views:
    """Hold what training rows chose: a pseudo-count, a prior of covariances, a temper, evidence weights and a floor."""

    alpha: float | None = None
    prior: Spread | None = None
    temper: Temper | None = None
    weights: Weights | None = None
    floor: float | None = None  # share of labels that may be wrong
    choices: tuple[Choice, ...] | None = None  # record of what was chosen and tried

    def __bool__(self) -> bool:
        """Return whether anything was chosen."""
        return any(part is not None for part in vars(self).values())

    def cut(self, labels: Any, statistics: Mapping[Any, Any]) -> Views:
        """Return the views without classes, words and columns that the counts no longer hold."""
        return self if self.weights is None else replace(self, weights=self.weights.cut(labels, statistics))
