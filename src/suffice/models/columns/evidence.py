"""Log evidence of single columns, class by class."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from suffice.models.empirical.bins import log_density
from suffice.models.columns.base import ColumnModel
from suffice.models.columns.categories import Bernoulli, Categorical
from suffice.models.columns.histogram import Histogram, _share
from suffice.models.columns.real import Gaussian, Poisson
from suffice.models.columns.words import Text
from suffice.models.evidence import flag_evidence, word_evidence
from suffice.posterior import Dirichlet
from suffice.posterior.special import log_rising
from suffice.stats import BinaryCounts, DiagonalMoments, PoissonSums, ValueCounts
from suffice.stats.words import WordCounts
from suffice.typing import Array

__all__ = ["column_evidence"]


@singledispatch
def column_evidence(model: ColumnModel, t: Any) -> Array:
    """ln p of a column's values, by class; nothing for a column that does not vote."""
    return np.zeros(len(t.counts))


@column_evidence.register
def _(model: Bernoulli, t: BinaryCounts) -> Array:
    prior = model.belief(t)
    return flag_evidence(prior.a, prior.b, t.ones, t.zeros)[:, 0]


@column_evidence.register
def _(model: Categorical, t: ValueCounts) -> Array:
    counts, alpha = model._with_other(t)
    if not counts.shape[1]:
        return np.zeros(len(counts))
    return np.asarray(Dirichlet(np.broadcast_to(alpha, counts.shape)).log_evidence(counts=counts))


@column_evidence.register
def _(model: Gaussian, t: DiagonalMoments) -> Array:
    return np.asarray(model.belief(t).log_evidence(t))[:, 0]


@column_evidence.register
def _(model: Poisson, t: PoissonSums) -> Array:
    return np.asarray(model.belief(t).log_evidence(t))[:, 0]


@column_evidence.register
def _(model: Histogram, t: ValueCounts) -> Array:
    """HB-3; cuts, and the density that all classes share, go to classes by their rows."""
    n = t.n
    if len(t.values) < 2:  # one value has no density
        return np.zeros(len(n))
    bins = model.bins(t)
    share = _share(bins)
    own = log_rising(model.strength * share, bins.counts) - bins.counts * np.log(share)
    each = own.sum(axis=1) - log_rising(model.strength, n)
    cuts = bins.log_evidence - float(each.sum()) if model.edges is None else 0.0
    return np.asarray(each + n / n.sum() * (log_density(t) + cuts))


@column_evidence.register
def _(model: Text, t: WordCounts) -> Array:
    if not t.width:
        return np.zeros(t.n_classes)
    return np.asarray(word_evidence(t.tokens, model.pseudo_count(t)).sum(axis=1)).ravel()
