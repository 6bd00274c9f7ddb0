"""The same fit, elsewhere: on files that do not fit into memory."""

from suffice.engines.local import fit_files, predict_files

__all__ = ["fit_files", "predict_files"]
