"""Load a classifier from a model file, which may hold a model of another kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from suffice.errors import InputError, KindError
from suffice.store.layout import LARGEST_HEADER
from suffice.store.models import load, load_to_answer

__all__ = ["called", "classifier", "classifier_to_answer", "model_first"]

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


def model_first(paths: list[Path]) -> tuple[Path | None, list[Path]]:
    """Return the model file that comes first, if one does, and the other files."""
    models = [path for path in paths if _is_model(path)]
    if not models:
        return None, paths
    if len(models) > 1 or models[0] != paths[0] or len(paths) == 1:
        found = ", ".join(repr(str(path)) for path in paths)
        raise InputError(f"The arguments must be one model file, and after it the files of rows; got {found}.")
    return models[0], paths[1:]


def _is_model(path: Path) -> bool:
    """Return whether a path is one of a model file, by its name or its first bytes."""
    if path.suffix == ".suffice" or not path.is_file():
        return path.suffix == ".suffice"
    with path.open("rb") as file:
        head = file.read(9)
    return head[8:] == b"{" and int.from_bytes(head[:8], "little") <= LARGEST_HEADER


def called(model: Any) -> str:
    """Return what messages call a model."""
    return NAMES.get(type(model).__name__, type(model).__name__)
