"""Read and write model files: a single file in the layout of safetensors, never pickle."""

from suffice.store.models import ModelFile, describe, from_bytes, load, save, to_bytes

__all__ = ["ModelFile", "describe", "from_bytes", "load", "save", "to_bytes"]
