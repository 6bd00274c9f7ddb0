"""The classifier of a model file: verbs that predict or judge rows need one, and a file may hold something else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from suffice.errors import KindError
from suffice.store.models import load, load_to_answer

__all__ = ["classifier", "classifier_to_answer"]


def classifier(path: Path) -> Any:
    """Read a classifier from its file, to learn, to judge or to be merged."""
    return _must_classify(load(path), path)


def classifier_to_answer(path: Path) -> Any:
    """Read a classifier from its file, to predict or to explain."""
    return _must_classify(load_to_answer(path), path)


def _must_classify(model: Any, path: Path) -> Any:
    """Return the model of a file; raise KindError if rows have no class by it."""
    if not hasattr(model, "classes_") or not hasattr(model, "predict"):
        raise KindError(
            f"The model file {str(path)!r} must hold a classifier; got a {type(model).__name__}. 'suffice inspect' "
            "shows what is in it, and sf.load(path) reads it in Python."
        )
    return model
