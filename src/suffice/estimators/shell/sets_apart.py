"""Joint columns of models that were fitted separately: which can be added, and the views that remain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from suffice.errors import InputError
from suffice.models.likelihoods.cloud import Cloud
from suffice.models.model import Model, Name, Together
from suffice.models.predictor import Predictor
from suffice.models.views import ColumnWeights, Views
from suffice.readers.joint_columns import grouped_alike
from suffice.telling import tell

__all__ = ["common_sets", "views_without"]

LISTED = 5
"""Largest number of sets that a warning names."""


def common_sets(models: Sequence[Model], declared: bool) -> list[Model]:
    """Return models with the joint columns that all of them count alike; warn about the others, which are dropped.

    Declared sets must be counted alike: raise InputError if bins differ.
    """
    models = grouped_alike(models)
    every = list(dict.fromkeys(name for model in models for name in model.blocks if isinstance(name, Together)))
    alike = [name for name in every if _alike(name, models, declared)]
    if len(alike) == len(every):
        return list(models)
    apart = [name for name in every if name not in alike]
    if declared:
        raise InputError(
            f"Models that are combined must group the values of {apart[0]} into the same bins; got different ones. Fit "
            "one model by partial_fit on a copy of the other, or leave the set out of 'joint'."
        )
    more = f" and {len(apart) - LISTED} more" if len(apart) > LISTED else ""
    tell(
        "The models chose different joint columns, or binned their numbers differently; dropped: "
        f"{', '.join(apart[:LISTED])}{more}. Call refresh(X, y) with all rows to choose them again."
    )
    kept = {*alike}
    return [
        replace(model, blocks={name: one for name, one in model.blocks.items() if name in kept or name in model.alone})
        for model in models
    ]


def views_without(seen: Predictor, model: Model) -> Views:
    """Return views without the joint columns that a model has lost; columns of a lost cloud get weight 1."""
    views, weights = seen.views, seen.views.weights
    lost = {name: block for name, block in seen.model.blocks.items() if name not in model.blocks}
    if not lost or not isinstance(weights, ColumnWeights):
        return views
    clouds = [name for name, block in lost.items() if isinstance(block.likelihood, Cloud)]
    alone = {column: 1.0 for name in clouds if isinstance(name, Together) for column in name.columns}
    kept = {name: power for name, power in weights.columns.items() if name not in lost}
    residuals = {name: one for name, one in weights.residuals.items() if name not in lost}
    return replace(views, weights=replace(weights, columns=kept | alone, residuals=residuals))


def _alike(name: Name, models: Sequence[Model], declared: bool) -> bool:
    """Return whether models count a set alike; some models may lack a declared set, for want of rows."""
    blocks = [model.blocks.get(name) for model in models]
    laws = [block.likelihood for block in blocks if block is not None]
    alike = [(type(law), getattr(law, "edges", None), getattr(law, "missing", None)) for law in laws]
    return (declared or len(laws) == len(blocks)) and all(one == alike[0] for one in alike)
