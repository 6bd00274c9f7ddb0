"""Log evidence: ln p of the training rows and labels, their parameters integrated out, by class and feature.

    labels       a Dirichlet belief: DM-6; otherwise their likelihood, as given or at its maximum
    flags        BB-7 of each class and feature          categories   DM-6 of each class and column
    words        DM-6 of each class's words in their order; its total is shared by words as often as they come
    counts       GP-3 without Σ ln x!                    numbers      NG-3 of each class and feature

NB-11 also has n!/Πx! of rows of counts (for Poisson counts 1/Πx!). It is the same for every prior, and not in the
statistic; where the rows are at hand, `coefficient` has it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from suffice.errors import ImproperPrior, KindError
from suffice.models.bursty import Polya
from suffice.models.categorical import Categorical
from suffice.models.discriminant import Discriminant, shared_evidence
from suffice.models.events import Bernoulli, Complement, Multinomial, Poisson
from suffice.models.gaussian import Gaussian
from suffice.posterior import Dirichlet
from suffice.posterior.special import log_rising
from suffice.stats import BinaryCounts, CategoryCounts, DiagonalMoments, FullMoments, TokenCounts
from suffice.typing import Array, Integers

__all__ = [
    "NO_EVIDENCE",
    "Evidence",
    "feature_evidence",
    "flag_evidence",
    "label_evidence",
    "log_coefficient",
    "log_coefficients",
    "must_be_proper",
    "presence_evidence",
    "word_evidence",
]

NO_EVIDENCE = {
    "complement": "it describes a class by what the others are, which is no model of its rows",
    "urns": "its urns are fitted, not integrated out",
}


@dataclass(frozen=True, repr=False)
class Evidence:
    """ln p of the training rows and labels, and the parts it is the sum of."""

    classes: NDArray[Any]
    features: Any  # their names
    labels: float  # ln p of the labels
    belief: bool  # whether the class prior was integrated out; otherwise it is plugged in
    cells: Any = field(repr=False)  # classes × features, dense or sparse
    others: Array | None = None  # of a sparse table: what every feature has on top, by class
    coefficient: float = 0.0  # Σ ln n!/Πx!, where the rows were given

    @property
    def total(self) -> float:
        """All of it."""
        return float(self.labels + self.by_class.sum() + self.coefficient)

    @cached_property
    def by_class(self) -> Array:
        """The features of each class together."""
        rest = 0.0 if self.others is None else self.others * self.cells.shape[1]
        return np.asarray(np.asarray(self.cells.sum(axis=1)).ravel() + rest)

    @cached_property
    def by_feature(self) -> Array:
        """Each feature, all classes together."""
        rest = 0.0 if self.others is None else self.others.sum()
        return np.asarray(np.asarray(self.cells.sum(axis=0)).ravel() + rest)

    @cached_property
    def table(self) -> Array:
        """Classes × features; of texts it is made when it is asked for, and may be large."""
        if isinstance(self.cells, np.ndarray):
            return self.cells
        dense: Array = self.cells.toarray()
        return dense if self.others is None else dense + self.others[:, None]

    def __repr__(self) -> str:
        prior = "belief" if self.belief else "plugged in"
        parts = [f"labels {self.labels:.6g} (class prior: {prior})"]
        parts += [f"{name} {value:.6g}" for name, value in zip(self.classes.tolist(), self.by_class, strict=True)]
        parts += [f"n!/Πx! {self.coefficient:.6g}"] if self.coefficient else []
        return f"Evidence(total={self.total:.6g}: {', '.join(parts)})"


def label_evidence(class_prior: Any, fit_prior: bool, counts: Array) -> tuple[float, bool]:
    """ln p of the labels, and whether it integrates the class prior out."""
    if isinstance(class_prior, Dirichlet):
        return float(class_prior.log_evidence(counts=counts)), True
    shares = counts / counts.sum() if fit_prior else np.full(len(counts), 1 / len(counts))
    given = shares if class_prior is None else np.asarray(class_prior, np.float64)
    return float(xlogy(counts, given).sum()), False  # NB-11


def must_be_proper(what: str, *pseudo_counts: Any) -> None:
    """Raise ImproperPrior unless all pseudo-counts are positive."""
    least = min(float(np.min(one)) for one in pseudo_counts)
    if not least > 0:
        raise ImproperPrior(f"{what} needs a proper prior; got alpha={least:g}, which does not integrate to one.")


def log_coefficient(X: Any, weights: Array | None, lengths: bool = True) -> float:
    """Σ ln n!/Πx! over rows of counts, or without the rows' lengths n Σ −ln Πx!."""
    weight = np.ones(X.shape[0]) if weights is None else weights
    return float(weight @ log_coefficients(X, lengths))


def log_coefficients(X: Any, lengths: bool = True) -> Array:
    """The same of each row."""
    factorials = X.copy().astype(np.float64)
    n = np.asarray(factorials.sum(axis=1)).ravel()
    if isinstance(factorials, np.ndarray):
        factorials = gammaln(factorials + 1)
    else:
        factorials.data = gammaln(factorials.data + 1)
    ways = gammaln(n + 1) if lengths else np.zeros(len(n))
    return np.asarray(ways - np.asarray(factorials.sum(axis=1)).ravel())  # NB-11


@singledispatch
def feature_evidence(event: Any, t: Any, n: Array) -> Array:
    """ln p of the features of classes of n rows: classes × features."""
    raise KindError(f"There is no evidence of {type(event).__name__}.")


@feature_evidence.register
def _(event: Bernoulli, t: BinaryCounts, n: Array) -> Array:
    return flag_evidence(event.a, event.b, t.ones, t.zeros)


@feature_evidence.register
def _(event: Categorical, t: CategoryCounts, n: Array) -> Array:
    must_be_proper("The evidence", event.alpha)
    columns = [t.column(j) for j in range(len(t.sizes))]
    alpha = event.alpha
    parts = [
        log_rising(alpha, one).sum(axis=1) - log_rising(alpha * one.shape[1], one.sum(axis=1))  # NB-11
        if one.shape[1]
        else np.zeros(len(one))
        for one in columns
    ]
    return np.column_stack(parts)


@feature_evidence.register
def _(event: Multinomial, t: TokenCounts, n: Array) -> Array:
    must_be_proper("The evidence", event.alpha)
    total = t.counts.sum(axis=1, keepdims=True)
    price = log_rising(event.alpha.sum(), total) / np.where(total > 0, total, 1.0)
    return np.asarray(log_rising(event.alpha, t.counts) - t.counts * price)  # NB-11


@feature_evidence.register
def _(event: Poisson, t: TokenCounts, n: Array) -> Array:
    must_be_proper("The evidence", event.shape, event.rate)
    s, r, rows = event.shape, event.rate, n[:, None]
    return np.asarray(log_rising(s, t.counts) - s * np.log1p(rows / r) - t.counts * np.log(r + rows))  # NB-11


@feature_evidence.register
def _(event: Gaussian, t: DiagonalMoments, n: Array) -> Array:
    if event.prior is None:
        raise ImproperPrior("The evidence needs a proper prior; got prior=None. Give a NormalInverseGamma.")
    return np.asarray(event.prior.log_evidence(t))


@feature_evidence.register
def _(event: Discriminant, t: FullMoments, n: Array) -> Array:
    """One number for all columns of a class; what classes share is theirs by their rows."""
    if event.prior is None:
        raise ImproperPrior("The evidence needs a proper prior; got prior=None. Give a NormalInverseWishart.")
    if event.covariance == "shared":
        return np.asarray(shared_evidence(event.prior, t) * (n / max(float(n.sum()), 1e-300)))[:, None]
    return np.asarray(event.prior.log_evidence(t))[:, None]


@feature_evidence.register
def _(event: Complement, t: TokenCounts, n: Array) -> Array:
    raise KindError(f"The complement of classes has no evidence: {NO_EVIDENCE['complement']}.")


@feature_evidence.register
def _(event: Polya, t: Any, n: Array) -> Array:
    raise KindError(f"An urn has no evidence: {NO_EVIDENCE['urns']}.")


def flag_evidence(a: Any, b: Any, ones: Array, zeros: Array) -> Array:
    """BB-7 of many flags."""
    must_be_proper("The evidence", a, b)
    return np.asarray(log_rising(a, ones) + log_rising(b, zeros) - log_rising(a + b, ones + zeros))  # NB-11


def word_evidence(table: Any, alpha: float) -> Any:
    """DM-6 of words, for a sparse table of classes × words; words that a class never had add nothing."""
    must_be_proper("The evidence", alpha)
    total = np.asarray(table.sum(axis=1)).ravel()
    price = log_rising(alpha * table.shape[1], total) / np.where(total > 0, total, 1.0)
    out = table.copy().astype(np.float64)
    out.data = log_rising(alpha, table.data) - table.data * price[_lines(table)]  # NB-11
    return out


def presence_evidence(documents: Any, n: Array, alpha: float) -> tuple[Any, Array]:
    """BB-7 of words that are there or not, sparse: what is on top of a word never met, and that of such a word."""
    never = flag_evidence(alpha, alpha, np.zeros(len(n)), n)
    line = _lines(documents)
    out = documents.copy().astype(np.float64)
    zeros = np.maximum(n[line] - documents.data, 0.0)
    out.data = flag_evidence(alpha, alpha, documents.data, zeros) - never[line]
    return out, never


def _lines(table: Any) -> Integers:
    return np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
