"""Compute the mutual information of class and feature from what a model has counted.

    I_j = Σ_c π_c Σ_x p(x|c) ln(p(x|c) / p(x))      p(x) = Σ_c π_c p(x|c)      0 ln 0 = 0

In nats. With H for entropy, it is H(θ_j) − Σ_c π_c H(θ_jc), where θ_j = Σ_c π_c θ_jc. In this form, pairs of word and
class that never occur need no table: within a class they all have the same entropy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from suffice.later import entr, gammaln, logsumexp, xlogy
from suffice.models.scoring.cells import Cells
from suffice.posterior.masses import NegativeBinomial
from suffice.typing import Array

ROUNDING = 2.0**-46  # relative to an entropy; smaller gains count as 0
POINTS, QUANTILES = 1024, 512


def class_shares(log_prior: Array) -> Array:
    """Return class probabilities that sum to one; uniform where the prior has no mass."""
    prior = np.nan_to_num(np.exp(log_prior))
    return prior / prior.sum() if prior.sum() > 0 else np.full(len(prior), 1 / len(prior))


def of_flags(on: Array, off: Array, prior: Array) -> Array:
    """Return the information of binary features, on with probability θ_jc and off with 1−θ_jc, classes × features."""
    return _gain(_entropy(prior @ on, prior @ off), prior @ _entropy(on, off))


def of_categories(tables: list[Array], prior: Array) -> Array:
    """Return the information of categorical columns. Each table holds θ of one column, classes × categories."""
    total = [entr(prior @ theta).sum() for theta in tables]
    within = [prior @ entr(theta).sum(axis=1) for theta in tables]
    return _gain(np.array(total), np.array(within))


def of_cells(counts: Cells, more: Any, total: Array, unknown: float, prior: Array) -> Array:
    """Return the information of shares (count + more) / total; `unknown` is the share where a class has total 0."""
    if counts.unmet is not None:
        return _sparse(counts.values, total, float(more), unknown, prior)
    known = total[:, None] > 0
    theta = np.where(known, (counts.values + more) / np.where(known, total[:, None], 1.0), unknown)
    return of_flags(theta, 1 - theta, prior)


def of_tokens(table: Any, alpha: float, prior: Array) -> Array:
    """Return the information of "this token is word j", θ_jc = (T_jc + α) / (T_c + αW); sparse T, classes × words."""
    width = table.shape[1]
    return _sparse(table, np.asarray(table.sum(axis=1)).ravel() + alpha * width, alpha, 1 / max(1, width), prior)


def of_counts(mean: Array, rate: Array, prior: Array) -> Array:
    """Return the information of counts that are Poisson, or negative binomial where the rate is finite.

    `mean` and `rate` are classes × features. Counts are summed one by one up to about a thousand, and in steps beyond.
    """
    some = prior > 0
    mean, rate, prior = mean[some], rate[some], prior[some]
    return np.array([_of_count(mean[:, j, None], rate[:, j, None], prior) for j in range(mean.shape[1])])


def of_densities(quantiles: Callable[[Array], Array], logs: Callable[[Array], Array], prior: Array) -> Array:
    """Return the information of numbers, integrated over their quantiles.

    `quantiles` returns the numbers below which these shares of each class lie, shares × classes × features; `logs` the
    log density of numbers in each class.
    """
    at = (np.arange(QUANTILES) + 0.5) / QUANTILES
    x, weight = quantiles((at * at * (3 - 2 * at))[:, None, None]), 6 * at * (1 - at) / QUANTILES
    some, gain = np.flatnonzero(prior > 0), np.zeros(x.shape[2])
    for c in some:
        found = logs(x[:, c, None, :])[:, some]
        own = found[:, np.searchsorted(some, c)]
        gain += prior[c] * (weight @ (own - logsumexp(found + np.log(prior[some])[:, None], axis=1)))  # NB-13
    return np.where(gain > ROUNDING, gain, 0.0)


def _gain(total: Array, within: Array) -> Array:
    """Return total entropy minus entropy within classes; 0 where the difference is within rounding error."""
    gain = total - within  # NB-13
    return np.where(gain > ROUNDING * total, gain, 0.0)


def _entropy(on: Array, off: Array) -> Array:
    """Return the entropy of binary features."""
    return _term(on, off) + _term(off, on)


def _term(p: Array, rest: Array) -> Array:
    """Return −p ln p, computed from 1−p where that keeps more digits."""
    return np.where(p < 0.5, entr(p), -p * np.log1p(-np.minimum(rest, 0.5)))


def _sparse(table: Any, total: Array, alpha: float, unknown: float, prior: Array) -> Array:
    """Return the information of θ_jc = (N_jc + α) / total_c with sparse N; `unknown` is θ where total_c is 0."""
    known = total > 0
    total = np.where(known, total, 1.0)
    floor = np.where(known, alpha / total, unknown)  # θ of words that never occur in the class
    never = _entropy(floor, 1 - floor)
    rows = np.repeat(np.arange(len(total)), np.diff(table.indptr))
    more, share = table.data / total[rows], prior[rows]
    on = np.minimum(floor[rows] + more, 1.0)
    change = share * (_entropy(on, 1 - on) - never[rows])
    theta = np.minimum(prior @ floor + np.bincount(table.indices, share * more, table.shape[1]), 1.0)
    within = prior @ never + np.bincount(table.indices, change, table.shape[1])  # NB-13
    return _gain(_entropy(theta, 1 - theta), within)


def _of_count(mean: Array, rate: Array, prior: Array) -> float:
    x = _where_counts_are(mean, rate)
    logs = _log_mass(x[:, None], mean, rate)
    own = logs[0] if len(logs) == 1 else logs[np.arange(len(mean)), np.arange(len(mean))]
    mixture = logsumexp(logs + np.log(prior)[:, None], axis=1)
    mass = np.exp(own)
    excess = np.where(mass > 0, own - mixture, 0.0)
    gain = float(prior @ ((mass * excess).sum(axis=1) / mass.sum(axis=1)))  # NB-13
    return gain if gain > ROUNDING else 0.0


def _where_counts_are(mean: Array, rate: Array) -> Array:
    """Return counts from 0 on if these suffice for all classes; otherwise a grid per class, with an odd step."""
    spread = 12 * np.sqrt(mean * (1 + 1 / rate))
    low, high = np.maximum(0.0, np.floor(mean - spread)), mean + spread + 40 * (1 + 1 / np.log1p(rate))
    if high.max() < POINTS:
        return np.arange(float(np.ceil(high.max())))[None]
    step = 2 * ((high - low + POINTS) // (2 * POINTS)) + 1
    return np.asarray(low + (step - 1) / 2 + step * np.arange(POINTS))


def _log_mass(x: Array, mean: Array, rate: Array) -> Array:
    if np.isinf(rate).all():
        return np.asarray(xlogy(x, mean) - gammaln(x + 1) - mean)
    shape = np.maximum(mean * rate, np.finfo(np.float64).tiny)
    return np.asarray(NegativeBinomial(shape, rate).log(x))
