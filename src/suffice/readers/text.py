"""Texts → the rows of one block: documents, by their words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from suffice.models.scoring.text_rows import TextRows
from suffice.stats.hashing import text_row
from suffice.text import Analysis
from suffice.text.documents import each_text
from suffice.typing import Integers

__all__ = ["TextReader"]


@dataclass(frozen=True)
class TextReader:
    """What a token is, and how words are counted: by name or in buckets, with those that come again or without."""

    analysis: Analysis
    hash_bits: int = 0
    bursts: bool = False
    block: str = "text"

    by_block = False

    def rows(self, source: Any) -> dict[str | int, Any]:
        """Return the rows of the block."""
        if isinstance(source, TextRows):
            return {self.block: source}
        return {self.block: TextRows(source, self.analysis, hash_bits=self.hash_bits, bursts=self.bursts)}

    def parts(self, source: Any) -> Iterator[dict[str | int, Any]]:
        """Return the rows some at a time, so that a stream is never held as a whole."""
        for batch in self.analysis.batches(source, "X"):
            yield {self.block: TextRows.of_batch(batch, self.analysis)}

    def empty(self) -> dict[str | int, Any]:
        """Return no rows."""
        return {self.block: TextRows.of_batch(self.analysis.empty(), self.analysis)}

    def take(self, source: Any, which: Integers) -> Any:
        """Return some of the texts."""
        return source.take(which) if hasattr(source, "take") else [source[i] for i in which]

    def size(self, source: Any) -> int:
        """Return the number of texts."""
        return len(source)

    def row_bytes(self, source: Any) -> Iterable[bytes]:
        """Return each text as bytes, equal for equal texts."""
        return (text_row(self.analysis._decoded(text)) for text in each_text(source, "X"))
