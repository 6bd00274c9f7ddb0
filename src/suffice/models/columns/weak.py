"""Columns whose prior is learned: the same with one that is fixed, while clusters are sought (WP-1 to WP-3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from suffice.models.columns.base import ColumnModel
from suffice.models.columns.categories import Bernoulli, Categorical
from suffice.models.columns.real import Gaussian, Poisson
from suffice.models.columns.words import Text
from suffice.models.events import Estimate
from suffice.models.empirical.weak import weak_count, weak_normals
from suffice.posterior import Beta

__all__ = ["learns_prior", "with_found_prior", "with_weak_prior"]


def learns_prior(model: ColumnModel) -> bool:
    """Whether the prior is to be the one of highest evidence."""
    return any(isinstance(getattr(model, name, None), str) for name in ("prior", "alpha"))


def with_weak_prior(model: ColumnModel, t: Any, k: int, estimate: Estimate) -> ColumnModel:
    """The same with a prior that says little, by the statistic of all rows as one class, for k classes."""
    if isinstance(model, Gaussian):
        return replace(model, prior=_one(weak_normals(t, k)))
    if isinstance(model, Poisson):
        return replace(model, prior=_one(replace(model, prior=None).belief(t)))
    if isinstance(model, Bernoulli):
        return replace(model, prior=Beta(1.0, 1.0))
    if isinstance(model, Text) and t.width:
        return replace(model, alpha=weak_count(float(t.tokens.sum()), float(t.n.sum()), t.width, estimate))
    return replace(model, alpha=1.0) if isinstance(model, Categorical | Text) else model


def with_found_prior(model: ColumnModel, t: Any) -> ColumnModel:
    """The same with the prior that is in use now."""
    if isinstance(model, Categorical | Text):
        return replace(model, alpha=model.pseudo_count(t))
    return replace(model, prior=_one(model.belief(t))) if isinstance(model, Gaussian | Poisson | Bernoulli) else model


def _one(belief: Any) -> Any:
    """A table of one belief as that one."""
    return type(belief)(*(float(np.ravel(value)[0]) for value in belief._values()))
