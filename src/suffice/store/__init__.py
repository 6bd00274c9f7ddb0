"""Model files: one file, the layout of safetensors, never pickle."""

from suffice.store.models import ModelFile, describe, load, save

__all__ = ["ModelFile", "describe", "load", "save"]
