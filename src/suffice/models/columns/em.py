"""What EM needs to know of single columns: ln p(θ), how many parameters, and what scores leave out."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from scipy.special import gammaln

from suffice.models import categorical, events, gaussian, texts
from suffice.models.columns.base import ColumnModel, numbers
from suffice.models.columns.categories import Bernoulli, Categorical
from suffice.models.columns.histogram import Histogram, _places, _share
from suffice.models.columns.real import Gaussian, Poisson
from suffice.models.columns.words import Text
from suffice.models.em_objective import category_prior, log_prior_density
from suffice.models.events import Estimate
from suffice.stats import BinaryCounts, DiagonalMoments, PoissonSums, TokenCounts, ValueCounts
from suffice.stats.words import WordCounts
from suffice.tables import Column
from suffice.typing import Array

__all__ = ["column_measure", "column_parameters", "column_prior"]


@singledispatch
def column_prior(model: ColumnModel, t: Any, estimate: Estimate) -> float:
    """ln p(θ) of what a column's model plugs in; nothing for a column that does not vote."""
    return 0.0


@column_prior.register
def _(model: Bernoulli, t: BinaryCounts, estimate: Estimate) -> float:
    prior = model.belief(t)
    return log_prior_density(events.Bernoulli(np.asarray(prior.a), np.asarray(prior.b), estimate), t, t.n)


@column_prior.register
def _(model: Categorical, t: ValueCounts, estimate: Estimate) -> float:
    counts, alpha = model._with_other(t)
    return category_prior(categorical.Categorical(alpha, estimate), counts)


@column_prior.register
def _(model: Gaussian, t: DiagonalMoments, estimate: Estimate) -> float:
    return log_prior_density(gaussian.Gaussian(model.floor, model.belief(t), estimate), t, t.n)


@column_prior.register
def _(model: Poisson, t: PoissonSums, estimate: Estimate) -> float:
    prior = model.belief(t)
    event = events.Poisson(np.asarray(prior.shape), np.asarray(prior.rate), estimate)
    return log_prior_density(event, TokenCounts(t.total), t.n)


@column_prior.register
def _(model: Histogram, t: ValueCounts, estimate: Estimate) -> float:
    bins = model.bins(t)
    return category_prior(categorical.Categorical(model.strength * _share(bins), estimate), bins.counts)


@column_prior.register
def _(model: Text, t: WordCounts, estimate: Estimate) -> float:
    if estimate in ("mle", "predictive") or not t.width:
        return 0.0
    more = texts.pseudo_count(model.pseudo_count(t), estimate)
    return category_prior(categorical.Categorical(more, "mean"), t.tokens.toarray())


@singledispatch
def column_parameters(model: ColumnModel, t: Any) -> int:
    """Numbers of a column that are free in one class."""
    return 0


@column_parameters.register(Bernoulli)
@column_parameters.register(Poisson)
def _(model: Any, t: Any) -> int:
    return 1


@column_parameters.register
def _(model: Gaussian, t: DiagonalMoments) -> int:
    return 2


@column_parameters.register
def _(model: Categorical, t: ValueCounts) -> int:
    return max(0, int(model._with_other(t)[0].shape[1]) - 1)


@column_parameters.register
def _(model: Histogram, t: ValueCounts) -> int:
    return int(model.bins(t).counts.shape[1]) - 1


@column_parameters.register
def _(model: Text, t: WordCounts) -> int:
    return max(0, t.width - 1)


@singledispatch
def column_measure(model: ColumnModel, t: Any, column: Column) -> Array | float:
    """What makes scores of a column densities, row by row: the same for all classes."""
    return 0.0


@column_measure.register
def _(model: Gaussian, t: DiagonalMoments, column: Column) -> Array | float:
    return np.asarray(-np.log(model._in_own_unit(t, "mean")[2]) * column.present)


@column_measure.register
def _(model: Poisson, t: PoissonSums, column: Column) -> Array | float:
    return np.asarray(-gammaln(numbers(column) + 1.0))


@column_measure.register
def _(model: Histogram, t: ValueCounts, column: Column) -> Array | float:
    """Relative to the density of all rows together, which no bins change."""
    bins = model.bins(t)
    return -np.append(np.log(_share(bins)), 0.0)[_places(bins, model.bits, column)]
