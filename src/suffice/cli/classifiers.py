"""Load a classifier from a model file, which may hold a model of another kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from suffice.errors import KindError
from suffice.store.models import load, load_to_answer

__all__ = ["called", "classifier", "classifier_to_answer"]

NAMES = {"TextClassifier": "text classifier", "NaiveBayes": "table classifier"}
"""Names of the models that `suffice fit` makes."""


def classifier(path: Path) -> Any:
    """Return the classifier of a file, as an estimator that can learn, be evaluated or be merged."""
    return _must_classify(load(path), path)


def classifier_to_answer(path: Path) -> Any:
    """Return the classifier of a file, in a light form that can only predict and explain."""
    return _must_classify(load_to_answer(path), path)


def _must_classify(model: Any, path: Path) -> Any:
    """Return the model of a file; raise KindError unless it is a classifier."""
    if not hasattr(model, "classes_") or not hasattr(model, "predict"):
        raise KindError(
            f"The model file {str(path)!r} must hold a classifier; it holds a {type(model).__name__}, which 'suffice "
            f"inspect {path}' shows."
        )
    return model


def called(model: Any) -> str:
    """Return what messages call a model."""
    return NAMES.get(type(model).__name__, type(model).__name__)
