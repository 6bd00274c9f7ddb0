"""Columns that act together in models that chose apart: what they add up to, and what views are left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from suffice.errors import InputError
from suffice.models.model import Model, Name, Together
from suffice.models.predictor import Predictor
from suffice.models.views import ColumnWeights, Views
from suffice.readers.joint_columns import grouped_alike
from suffice.telling import tell

__all__ = ["common_sets", "seen_by", "views_without"]

LISTED = 5
"""Sets that a warning names."""


def common_sets(models: Sequence[Model], declared: bool) -> list[Model]:
    """Return models with the sets of columns that all of them count alike; the others are dropped, and named.

    Sets that were declared must be counted alike: raise InputError if bins end elsewhere.
    """
    models = grouped_alike(models)
    every = list(dict.fromkeys(name for model in models for name in model.blocks if isinstance(name, Together)))
    alike = [name for name in every if _alike(name, models, declared)]
    if len(alike) == len(every):
        return list(models)
    apart = [name for name in every if name not in alike]
    if declared:
        raise InputError(
            f"Models that are combined must group the values of {apart[0]} into the same bins; they were fitted apart. "
            "Fit one of them by partial_fit on a copy of the other, or leave the set out of 'joint'."
        )
    more = f" and {len(apart) - LISTED} more" if len(apart) > LISTED else ""
    tell(
        "The models chose different columns that act together, or cut their numbers differently; dropped: "
        f"{', '.join(apart[:LISTED])}{more}. refresh(X, y) with all rows chooses anew."
    )
    kept = {*alike}
    return [
        replace(model, blocks={name: one for name, one in model.blocks.items() if name in kept or name in model.alone})
        for model in models
    ]


def views_without(seen: Predictor, model: Model) -> Views:
    """Return views without sets of columns that a model has no more; numbers of a lost cloud speak for themselves."""
    views, weights = seen.views, seen.views.weights
    lost = {name: block for name, block in seen.model.blocks.items() if name not in model.blocks}
    if not lost or not isinstance(weights, ColumnWeights):
        return views
    clouds = [name for name, block in lost.items() if block.likelihood.replaces]
    alone = {column: 1.0 for name in clouds if isinstance(name, Together) for column in name.columns}
    kept = {name: power for name, power in weights.columns.items() if name not in lost}
    residuals = {name: one for name, one in weights.residuals.items() if name not in lost}
    return replace(views, weights=replace(weights, columns=kept | alone, residuals=residuals))


def _alike(name: Name, models: Sequence[Model], declared: bool) -> bool:
    """Return whether models count a set alike; one that was declared may have no rows in some."""
    blocks = [model.blocks.get(name) for model in models]
    laws = [block.likelihood for block in blocks if block is not None]
    alike = [(type(law), getattr(law, "edges", None), getattr(law, "missing", None)) for law in laws]
    return (declared or len(laws) == len(blocks)) and all(one == alike[0] for one in alike)


def seen_by(model: Model, rest: Predictor | None, inside: Callable[[], Model]) -> tuple[Model, Views]:
    """Return a model, and the views that chose to see it without some rows; `inside` counts these rows.

    Sets of columns that the rest chose are counted in all rows.
    """
    alone = model.without_chosen()
    if rest is None:
        return alone, Views()
    if any(block.likelihood.chosen_by_rows for block in rest.model.blocks.values()):
        whole = rest.model + inside()
        if np.array_equal(whole.classes, model.classes):
            sets = {name: one for name, one in whole.blocks.items() if one.likelihood.chosen_by_rows}
            alone = replace(alone, blocks={**alone.blocks, **sets})
    return alone, views_without(rest, alone)
