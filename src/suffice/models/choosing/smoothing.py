"""Pseudo-counts and priors of covariances by which training rows are predicted best, each by classes without it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from suffice.models.choosing.judge import Judged
from suffice.models.choosing.sampling import Sample
from suffice.models.choosing.temper import Scored, choose_temper, log_loss
from suffice.models.empirical.covariances import ENOUGH, POWERS, Spread, by_parts, parts_of
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Temper

__all__ = ["choose_alpha", "choose_spread", "smoothed", "with_prior"]

POINTS = 7
"""Pseudo-counts that are tried first."""

STEPS = {"xatol": 0.05}
"""How closely ln alpha is looked for."""


def smoothed(model: Model, alpha: float) -> Model:
    """Return the model with this pseudo-count in every block that says something."""
    return model.with_likelihoods({name: block.likelihood.smoothed(alpha) for name, block in model.voting.items()})


def choose_alpha(
    judged: Judged, bounds: tuple[float, float], temper: Temper | None, lengths: bool = True
) -> tuple[float, Temper]:
    """Return the pseudo-count of least leave-one-out log loss, and the temper, if none is given the one that suits it.

    The loss can have several minima: the lowest of a few points is where the search starts.
    """
    found: dict[float, tuple[float, Temper]] = {}

    def loss(alpha: float) -> float:
        if alpha not in found:
            rows = Scored.of(judged.with_model(smoothed(judged.predictor.model, alpha)), lengths)
            suited = choose_temper(rows) if temper is None else temper
            found[alpha] = log_loss(rows, suited), suited
        return found[alpha][0]

    grid = np.geomspace(*bounds, POINTS)
    losses = [loss(float(alpha)) for alpha in grid]
    best = int(np.argmin(losses))
    between = np.log(grid[[max(best - 1, 0), min(best + 1, POINTS - 1)]])
    lowest = minimize_scalar(lambda x: loss(float(np.exp(x))), bounds=tuple(between), options=STEPS)
    alpha = float(np.exp(lowest.x)) if lowest.fun < losses[best] else float(grid[best])
    return alpha, found[alpha][1]


def with_prior(model: Model, prior: Spread) -> Model:
    """Return the model with this prior in every block that says something."""
    return model.with_likelihoods(
        {name: replace(block.likelihood, prior=prior) for name, block in model.voting.items()}  # type: ignore[type-var]
    )


def choose_spread(predictor: Predictor, sample: Sample, temper: Temper | None) -> Spread | None:
    """Return the prior of covariances by which each part of the rows is told best from the others; None if none is.

    The model has one block, a likelihood of vectors with a covariance. Without a temper, each prior has the power that
    suits it.
    """
    ((name, block),) = predictor.model.voting.items()
    few = sample.at_most(ENOUGH)
    rows: Any = few.rows[name]
    likelihood: Any = block.likelihood
    judged = rows.numbers, few.labels.y, few.labels.given, parts_of(few.labels.y, few.group)
    powers = POWERS if temper is None else (temper.power,)
    return by_parts(block.t, likelihood.covariance, judged, predictor.log_prior_of, powers)
