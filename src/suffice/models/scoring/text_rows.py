"""Represent texts as likelihoods use them: counted and scored straight from their bytes, or by words looked up once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice import _native
from suffice.later import sparse
from suffice.models.scoring.kernels import product
from suffice.models.scoring.rows import Labels, Rows
from suffice.stats.row_shares import WordMatrix
from suffice.stats.word_counts import WordCounter, WordCounts
from suffice.text import Analysis, Batch, matrix
from suffice.typing import Array, Booleans, Integers

if TYPE_CHECKING:
    from suffice.models.scoring.linear import Linear


DENSE = 2**25
"""Largest table of features × classes for which dense multiplication is faster, given many rows."""


@dataclass(frozen=True, eq=False)
class RankedLexicon:
    """The vocabulary of a statistic for lookups, with frequent words first so that they stay in the CPU cache."""

    native: _native.Lexicon
    order: Integers  # place in the statistic of each word of the lexicon

    @classmethod
    def of(cls, counts: WordCounts) -> RankedLexicon:
        """Return the lexicon of a statistic, cached on the statistic."""
        found: RankedLexicon = vars(counts).setdefault("lexicon", None) or cls._made(counts)
        vars(counts)["lexicon"] = found
        return found

    @classmethod
    def _made(cls, counts: WordCounts) -> RankedLexicon:
        if counts.hash_bits:
            nothing = np.empty(0, np.uint8), np.zeros(1, np.int64)
            return cls(_native.Lexicon(*nothing, counts.hash_bits), np.arange(counts.width))
        order = np.argsort(-counts.frequency, kind="stable")
        return cls(_native.Lexicon(*counts.words.taken(order), 0), order)


@dataclass(frozen=True, eq=False)
class TextRows(Rows):
    """Represent documents that are counted and scored without a matrix. A stream of them can be counted only once."""

    tempers = True

    texts: Any
    analysis: Analysis
    present: Booleans | None = None
    hash_bits: int = 0
    bursts: bool = False  # whether repeated words are counted, too
    vocabulary: WordCounts | None = None  # the only words counted, all of which are kept; None for all words
    name: str = "X"  # of the texts, for error messages

    def fixed(self, t: WordCounts) -> LookedUpTexts:
        """Return documents × words of a statistic."""
        return LookedUpTexts(self.entries(t), t, self.present)

    @classmethod
    def of_batch(cls, batch: Batch, analysis: Analysis) -> TextRows:
        """Return rows of documents that were already read."""
        rows = cls((), analysis)
        rows.__dict__["batches"] = [batch]
        return rows

    @cached_property
    def batches(self) -> list[Batch]:
        """Return the documents as the compiled kernels read them."""
        return list(self.analysis.batches(self.texts, self.name))

    def __len__(self) -> int:
        return sum(map(len, self.batches))

    def take(self, which: Any) -> TextRows:
        """Return the given documents, with their words if these were already looked up."""
        places = np.arange(len(self))[which]
        present = None if self.present is None else self.present[places]
        if len(self.texts):
            some = self.texts.take(places) if hasattr(self.texts, "take") else [self.texts[i] for i in places.tolist()]
            rows = replace(self, texts=some, present=present)
        else:
            rows = replace(self, present=present)
            rows.__dict__["batches"] = self._picked(places)
        rows.__dict__["_looked_up"] = {key: (words, x[places]) for key, (words, x) in self._looked_up.items()}
        return rows

    def _picked(self, places: Integers) -> list[Batch]:
        """Return each document as a batch of its own."""
        parts = self._parts
        which = np.searchsorted([part.stop for part in parts], places, side="right").tolist()
        first = [place - parts[k].start for k, place in zip(which, places.tolist(), strict=True)]
        return [self.batches[k].part(slice(at, at + 1)) for k, at in zip(which, first, strict=True)]

    def part(self, block: slice) -> TextRows:
        """Return a slice of the documents."""
        if block.start <= 0 and block.stop >= len(self):
            return self
        rows = replace(self, texts=(), present=None if self.present is None else self.present[block])
        rows.__dict__["batches"] = [
            batch.part(slice(max(block.start - at.start, 0), min(block.stop, at.stop) - at.start))
            for at, batch in zip(self._parts, self.batches, strict=True)
            if at.start < block.stop and at.stop > block.start
        ]
        return rows

    def count(self, kind: type[Any], labels: Labels) -> WordCounts:
        """Count words by class. With a fixed vocabulary, documents may belong to classes in shares."""
        if self.vocabulary is not None:
            shares = labels.y if labels.shares else np.eye(labels.n_classes)[labels.y]
            return self.matrix(self.vocabulary).counts(shares * labels.given[:, None])
        counter = WordCounter(self.analysis, labels.n_classes, self.hash_bits, self.bursts)
        if "batches" not in vars(self):
            counter.add(self.texts, labels.y, labels.weights, self.name)
            return counter.result()
        for batch, part in zip(self.batches, self._parts, strict=True):
            counter.add_batch(batch, labels.y[part], None if labels.weights is None else labels.weights[part])
        return counter.result()

    @property
    def _parts(self) -> list[slice]:
        ends = np.cumsum([0, *map(len, self.batches)]).tolist()
        return [slice(a, b) for a, b in pairwise(ends)]

    def scored(self, by: Linear) -> Array:
        """Return offset + documents · weights, documents × classes, tempered."""
        out = np.empty((len(self), len(by.offset)))
        self._run(by, out, np.zeros(len(by.offset)))
        return out

    def best(self, by: Linear, log_prior: Array) -> Integers:
        """Return the most probable class of each document; −1 where no class is possible."""
        out = np.empty(len(self), np.int64)
        self._run(by, out, log_prior)
        return out

    def _run(self, by: Linear, out: Any, log_prior: Array) -> None:
        (lexicon, weights), temper = by.of_texts, by.temper
        for batch, part in zip(self.batches, self._parts, strict=True):
            texts = (batch.texts, batch.starts, self.analysis.native, lexicon, weights, batch.threads)
            _native.text_scores(out[part], log_prior, temper.power, temper.length, *texts)

    def entries(self, t: WordCounts) -> Any:
        """Return documents × words of a statistic as CSR, cached."""
        key = id(t.words) if not t.hash_bits else t.hash_bits
        found = self._looked_up.get(key)
        if found is None:
            found = self._looked_up[key] = (t.words, self._look_up(t))
        return found[1]

    @cached_property
    def _looked_up(self) -> dict[Any, tuple[Any, Any]]:
        return {}

    def _look_up(self, t: WordCounts) -> Any:
        lexicon = RankedLexicon.of(t)
        parts = [matrix(batch, self.analysis, lexicon.native, t.width) for batch in self.batches]
        x = sparse.vstack(parts, format="csr") if parts else sparse.csr_matrix((0, t.width))
        x.indices = lexicon.order[x.indices].astype(x.indices.dtype)
        x.has_sorted_indices = False
        x.sort_indices()
        return x

    def matrix(self, t: WordCounts) -> WordMatrix:
        """Return documents × words, for counting by shares repeatedly."""
        return WordMatrix(self.entries(t), t.words, t.hash_bits)

    def names(self, t: WordCounts) -> Sequence[Any]:
        """Return the words; for hashed words, the bucket numbers."""
        return range(t.width) if t.hash_bits else t.words.strings.tolist()


@dataclass(frozen=True, eq=False)
class EntryRows(Rows):
    """Represent rows by their entries over the features of a statistic: looked up once, scored by several models."""

    matrix: Any  # CSR

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def take(self, which: Any) -> EntryRows:
        """Return the given rows."""
        return EntryRows(self.matrix[which])

    def count(self, kind: type[Any], labels: Labels) -> Any:
        """Return the statistic of these rows."""
        return kind.of(self.matrix, labels.y, labels.weights, n_classes=labels.n_classes)

    def scored(self, by: Linear) -> Array:
        """Return offset + rows · weights, rows × classes."""
        x, cells = self._counted(by), by.weights
        if cells.unmet is None:
            scores = np.asarray(x @ cells.values.T)
        else:
            small = cells.width * len(by.offset) <= DENSE and cells.width <= x.nnz
            scores = product(x, cells.above.toarray()) if small else (x @ cells.above.T).toarray()
            scores += np.asarray(x.sum(axis=1)).reshape(-1, 1) * cells.unmet
        if by.base is not None:
            scores += (x @ by.base)[:, None]
        if by.residuals is not None:
            scores += (by.counts_of(self.matrix) @ by.residuals).toarray()
        return np.asarray(by.offset + (scores if by.scale is None else scores * by.scale))

    def _counted(self, by: Linear) -> Any:
        x = by.counts_of(self.matrix)
        if by.feature_weights is not None:
            x.data *= by.feature_weights[x.indices]
        return x

    def entries(self, t: Any) -> Any:
        """Return the nonzero entries as CSR."""
        return self.matrix

    def names(self, t: Any) -> range:
        """Return the places of the features."""
        return range(int(self.matrix.shape[1]))


@dataclass(frozen=True, eq=False)
class LookedUpTexts(EntryRows):
    """Represent documents × words of a statistic. Counting keeps all of its words, including those not met."""

    vocabulary: WordCounts
    present: Booleans | None = None

    def take(self, which: Any) -> LookedUpTexts:
        """Return the given documents."""
        present = None if self.present is None else self.present[which]
        return LookedUpTexts(self.matrix[which], self.vocabulary, present)

    def count(self, kind: type[Any], labels: Labels) -> WordCounts:
        """Count words by class."""
        shares = labels.y if labels.shares else np.eye(labels.n_classes)[labels.y]
        return self._words.counts(shares * labels.given[:, None])

    @cached_property
    def _words(self) -> WordMatrix:
        return WordMatrix(self.matrix, self.vocabulary.words, self.vocabulary.hash_bits)

    def names(self, t: WordCounts) -> Any:
        """Return the words; for hashed words, the bucket numbers."""
        return range(t.width) if t.hash_bits else t.words.strings
