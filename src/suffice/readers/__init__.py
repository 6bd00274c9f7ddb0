"""Read what users pass (matrices, codes, texts, tables, labels) into rows of each block. No scikit-learn here."""

from suffice.readers import columns

__all__ = ["columns"]
