"""What the laws look at inside a model: what it has counted, and what rows have chosen for it."""

from dataclasses import replace
from typing import Any

__all__ = ["chosen", "put_label_noise", "statistics"]


def statistics(model: Any) -> dict[str, Any]:
    """Return all that was counted, without the journal."""
    return {name: part for name, part in model._get_state()["statistics"].items() if name != "journal"}


def chosen(model: Any) -> dict[str, Any]:
    """Return what rows have chosen."""
    return {name: part for name, part in vars(model._predictor.views).items() if part is not None}


def put_label_noise(model: Any, share: float) -> None:
    """Put in force that a share of the labels may be wrong."""
    model._put(model._model, replace(model._predictor.views, floor=share), stale=False)
