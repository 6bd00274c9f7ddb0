"""Read anything tabular into columns of numbers, words, categories or dates, without copies where possible."""

from suffice.tables.column import Column, Storage
from suffice.tables.frame import Table, frame_of
from suffice.tables.schema import Kind, holds, kind_of, numbers, refuse

__all__ = ["Column", "Kind", "Storage", "Table", "frame_of", "holds", "kind_of", "numbers", "refuse"]
