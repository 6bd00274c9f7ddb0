"""Fits in many places: files that do not fit into memory, Dask and Spark."""

from suffice.engines.local import fit_files, predict_files

__all__ = ["fit_files", "predict_files"]
