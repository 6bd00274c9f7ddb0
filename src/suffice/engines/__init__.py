"""Fit classifiers to files larger than memory, on Dask and on Spark. Names are imported on first use."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suffice.engines.by_files import classifier_for, forget_files, read_files, refresh_files, update_files
    from suffice.engines.files import predict_files
    from suffice.engines.local import fit_files

__all__ = [
    "classifier_for", "fit_files", "forget_files", "predict_files", "read_files", "refresh_files", "update_files",
]  # fmt: skip

_HOMES = dict.fromkeys(__all__, "by_files") | {"fit_files": "local", "predict_files": "files"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'suffice.engines' has no attribute {name!r}")
    value: object = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
