"""What EM climbs besides the likelihood: ln p(θ) of the parameters that a model plugs in; and how many there are.

An estimate adds something to each count: α for the posterior's mean, α−1 for its mode, nothing for maximum likelihood.
What is added is the exponent of θ in the prior that the estimate is the mode of, so that prior is

    flags Beta(added + 1)      categories and words Dirichlet(added + 1)      rates Gamma(added + 1, rate)
    vectors |Σ|^(−A/2) exp(−½ tr ΛΣ⁻¹ − κ/2 (μ−m)ᵀΣ⁻¹(μ−m)), A what is added to the rows that Λ' is divided by
    normals σ^(−2A) exp(−(2b + κ(μ−m)²) / 2σ²), A = a + 3/2 for the mode, a − 1 for the mean

Maximum likelihood has no prior. Where parameters are integrated out none is plugged in, and there is nothing to add.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from scipy.special import gammaln, xlogy

from suffice.errors import KindError
from suffice.models.bursty import Polya
from suffice.models.categorical import Categorical
from suffice.models.discriminant import Discriminant
from suffice.models.events import Bernoulli, Multinomial, Poisson, added
from suffice.models.gaussian import Gaussian
from suffice.models.text_model import TextModel
from suffice.posterior import Dirichlet
from suffice.stats import BinaryCounts, Bursts, CategoryCounts, DiagonalMoments, FullMoments, TokenCounts
from suffice.typing import Array

__all__ = [
    "class_prior_density",
    "log_prior_density",
    "n_parameters",
    "shared_parameters",
    "text_parameters",
    "text_prior_density",
]


def class_prior_density(prior: Any, log_prior: Array) -> float:
    """ln p(π): of a Dirichlet belief, whose mean is plugged in; nothing where π is given or counted."""
    return _dirichlet(prior.alpha, log_prior[None]) if isinstance(prior, Dirichlet) else 0.0


@singledispatch
def log_prior_density(event: Any, t: Any, n: Array) -> float:
    """ln p(θ) of what an event model plugs in for classes of n rows."""
    raise KindError(f"EM knows no prior of {type(event).__name__}.")


@log_prior_density.register
def _(event: Bernoulli, t: BinaryCounts, n: Array) -> float:
    if event.estimate == "mle":
        return 0.0
    on, off = event.log_theta(t)
    a, b = (np.broadcast_to(added(part, event.estimate), on.shape) for part in (event.a, event.b))
    constant = gammaln(a + b + 2) - gammaln(a + 1) - gammaln(b + 1)
    return float((_times(a, on) + _times(b, off) + constant).sum())


@log_prior_density.register
def _(event: Categorical, t: CategoryCounts, n: Array) -> float:
    columns = [t.column(j) for j in range(len(t.sizes))]
    return float(sum(category_prior(event, column) for column in columns))


def category_prior(event: Categorical, counts: Array) -> float:
    """The same for one column, classes × categories."""
    if event.estimate == "mle" or not counts.shape[1]:
        return 0.0
    return _dirichlet(added(np.asarray(event.alpha), event.estimate), event.log_theta(counts))


@log_prior_density.register
def _(event: Multinomial, t: TokenCounts, n: Array) -> float:
    if event.estimate in ("mle", "predictive"):
        return 0.0
    return _dirichlet(added(event.alpha, event.estimate), event.log_theta(t))


@log_prior_density.register
def _(event: Poisson, t: Any, n: Array) -> float:
    if event.estimate in ("mle", "predictive"):
        return 0.0
    rates = event.rates(t, n.reshape(-1, 1))
    more, rate = added(event.shape, event.estimate), np.asarray(event.rate)
    constant = np.where(rate > 0, (more + 1) * np.log(np.where(rate > 0, rate, 1.0)) - gammaln(more + 1), 0.0)
    return float((xlogy(more, rates) - rate * rates + constant).sum())


@log_prior_density.register
def _(event: Gaussian, t: DiagonalMoments, n: Array) -> float:
    if event.prior is None or event.estimate in ("mle", "predictive"):
        return 0.0
    m, kappa, a, b = (np.asarray(part) for part in (event.prior.m, event.prior.kappa, event.prior.a, event.prior.b))
    mean, variance = event.parameters(t)
    power = a + 1.5 if event.estimate == "map" else a - 1
    constant = a * np.log(b) - gammaln(a) + np.log(np.where(kappa > 0, kappa, 1.0) / (2 * np.pi)) / 2
    return float((constant - power * np.log(variance) - (2 * b + kappa * (mean - m) ** 2) / (2 * variance)).sum())


@log_prior_density.register
def _(event: Discriminant, t: FullMoments, n: Array) -> float:
    """Up to a constant: what is added to rows is the power of |Σ|, beside those of the rows themselves."""
    if event.prior is None or event.estimate in ("mle", "predictive"):
        return 0.0
    ellipses, (mean, covariance) = event.scorer(t), event.covariances(t)
    rows = np.asarray([n.sum()]) if event.covariance == "shared" else n
    power = ellipses.law.divisor(ellipses.nu)[: len(rows)] - rows
    away = mean - event.prior.m
    logs = np.linalg.slogdet(covariance)[1]
    spread = np.trace(
        np.linalg.solve(covariance, np.broadcast_to(event.prior.scale, covariance.shape)), axis1=1, axis2=2
    )
    turned = np.linalg.solve(np.broadcast_to(covariance, (len(mean), *covariance.shape[1:])), away[..., None])[..., 0]
    return float(-0.5 * ((power * logs + spread).sum() + (event.prior.kappa * (away * turned).sum(axis=1)).sum()))


@log_prior_density.register
def _(event: Polya, t: Bursts, n: Array) -> float:
    """Of the one-word documents that every urn has read before its own."""
    alpha = np.stack([urn.alpha for urn in event.urns(t)])
    return float(xlogy(event.pseudo_documents(t), alpha / alpha.sum(axis=1, keepdims=True)).sum())


def text_prior_density(model: TextModel) -> float:
    """The same for counts of words that are sparse."""
    more, width, table = model.added, model.counts.width, model.counts.documents if model.once else model.counts.tokens
    if model.estimate == "mle" or model.whole or more == 0:
        return 0.0
    classes, met = model.counts.n_classes, np.diff(table.indptr)
    if model.kind == "bernoulli":
        n, rows = model.counts.n, np.repeat(model.counts.n, met)
        seen = np.log(table.data + more) + np.log(np.maximum(rows - table.data, 0.0) + more)
        never = (width - met) @ (np.log(more) + np.log(n + more)) - 2 * width * np.log(n + 2 * more).sum()
        constant = gammaln(2 * more + 2) - 2 * gammaln(more + 1)
        return float(more * (seen.sum() + never) + classes * width * constant)
    total = np.asarray(table.sum(axis=1)).ravel() + more * width
    logs = np.log(table.data + more).sum() + (width - met).sum() * np.log(more) - width * np.log(total).sum()
    return float(more * logs + classes * (gammaln(width * (more + 1)) - width * gammaln(more + 1)))


@singledispatch
def n_parameters(event: Any, t: Any) -> int:
    """Numbers that are free in one class."""
    raise KindError(f"The parameters of {type(event).__name__} cannot be counted.")


@n_parameters.register(Bernoulli)
@n_parameters.register(Poisson)
def _(event: Any, t: Any) -> int:
    return int(t.shape[-1])


@n_parameters.register
def _(event: Multinomial, t: TokenCounts) -> int:
    return int(t.shape[-1]) - 1


@n_parameters.register
def _(event: Polya, t: Bursts) -> int:
    return int(t.columns)


@n_parameters.register
def _(event: Categorical, t: CategoryCounts) -> int:
    return int(np.maximum(t.sizes - 1, 0).sum())


@n_parameters.register
def _(event: Gaussian, t: DiagonalMoments) -> int:
    return 2 * int(t.shape[-1])


@n_parameters.register
def _(event: Discriminant, t: FullMoments) -> int:
    d = int(t.shape[1])
    return d + (d * (d + 1) // 2 if event.covariance == "full" else 0)


def shared_parameters(event: Any, t: Any) -> int:
    """Numbers that all classes have in common."""
    if not isinstance(event, Discriminant) or event.covariance == "full":
        return 0
    return int(t.shape[1]) * (int(t.shape[1]) + 1) // 2


def text_parameters(model: TextModel) -> int:
    """The same for texts."""
    return model.counts.width - (model.kind == "multinomial")


def _dirichlet(more: Array, log_theta: Array) -> float:
    """ln Dirichlet(θ ; more + 1) of lines of θ."""
    lines, width = log_theta.shape
    if np.ptp(more) == 0:
        one = float(np.ravel(more)[0])
        constant = gammaln(width * (one + 1)) - width * gammaln(one + 1)
        return float((one * log_theta.sum() if one else 0.0) + lines * constant)
    each = np.broadcast_to(more, (width,))
    free = each != 0  # 0 · ln 0 = 0
    constant = gammaln((each + 1).sum()) - gammaln(each + 1).sum()
    return float((log_theta[:, free] @ each[free]).sum() + lines * constant)


def _times(more: Array, logs: Array) -> Array:
    """more · ln θ, with 0 · ln 0 = 0."""
    return np.asarray(np.where(more == 0, 0.0, more * np.where(np.isneginf(logs) & (more == 0), 0.0, logs)))
