"""What a user passes → rows of each block: matrices, codes, texts, tables, and their labels. No scikit-learn here."""

from suffice.readers import columns

__all__ = ["columns"]
