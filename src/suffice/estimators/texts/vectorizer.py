"""Texts to a matrix of counts, for people who want the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_extraction import text as peer
from sklearn.utils.validation import check_is_fitted

from suffice import text
from suffice.errors import DataError, KindError
from suffice.estimators.shell.whole import Whole
from suffice.estimators.texts.options import analysis_of
from suffice.text import Analysis
from suffice.text.word_list import WordList

__all__ = ["CountVectorizer"]


class CountVectorizer(Whole, peer.CountVectorizer):
    """Documents × words, as scikit-learn's class of the same name makes them, by a compiled tokenizer.

    All parameters, attributes and results are scikit-learn's. A ``tokenizer``, ``preprocessor``, ``token_pattern`` or
    ``analyzer`` of your own works too, at the speed of Python; reading files (``input="filename"``) is left to
    scikit-learn.

    Examples
    --------
    >>> import suffice as sf
    >>> vectorizer = sf.CountVectorizer()
    >>> vectorizer.fit_transform(["Mary had a little lamb", "little lamb, little lamb"]).toarray()
    array([[1, 1, 1, 1],
           [0, 2, 2, 0]])
    >>> vectorizer.get_feature_names_out()
    array(['had', 'lamb', 'little', 'mary'], dtype=object)
    """

    def _count_vocab(self, raw_documents: Any, fixed_vocab: bool) -> tuple[dict[str, int], Any]:
        """The vocabulary and the matrix: the one place where scikit-learn's class looks at documents."""
        analysis = self._compiled()
        if analysis is None or (fixed_vocab and not all(isinstance(word, str) for word in self.vocabulary_)):
            theirs: tuple[dict[str, int], Any] = super()._count_vocab(raw_documents, fixed_vocab)
            return theirs
        if fixed_vocab:
            words = WordList.of(self.vocabulary_)
            columns = np.array([self.vocabulary_[word] for word in words.strings], np.int64)
            X = text.look_up(raw_documents, analysis, words)
            X.indices = columns[X.indices].astype(X.indices.dtype)
            X.resize(X.shape[0], len(self.vocabulary_))
            X.sort_indices()
            return self.vocabulary_, X.astype(self.dtype)
        words, X = text.learn(raw_documents, analysis)
        if not len(words):
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        return dict(zip(words.strings.tolist(), range(len(words)), strict=True)), X.astype(self.dtype)

    def _get_state(self) -> dict[str, Any]:
        check_is_fitted(self, "vocabulary_")
        odd = next((word for word in self.vocabulary_ if not isinstance(word, str)), None)
        if odd is not None:
            raise KindError(f"The vocabulary of a CountVectorizer must hold strings to be saved; got {odd!r}.")
        words = np.empty(len(self.vocabulary_), object)
        words[:] = list(self.vocabulary_)
        columns = np.array(list(self.vocabulary_.values()), np.int64)
        return {"schema": {"words": words, "columns": columns, "fixed": bool(self.fixed_vocabulary_)}}

    def _set_state(self, state: dict[str, Any]) -> None:
        words, columns, fixed = (state["schema"][name] for name in ("words", "columns", "fixed"))
        strings = all(type(word) is str for word in words.tolist())
        if not strings or columns.dtype.kind != "i" or type(fixed) is not bool:
            raise DataError("A vocabulary must hold strings, and a column for each.")
        known = dict(zip(words.tolist(), columns.tolist(), strict=True))
        if len(known) != len(columns) or not np.array_equal(np.sort(columns), np.arange(len(known))):
            raise DataError("The words of a vocabulary must have a column each.")
        if not all(isinstance(n, int) for n in self.ngram_range) or np.dtype(self.dtype).kind not in "biuf":
            raise DataError(f"Counts must be numbers, of tokens of so many words; got {self.dtype!r}.")
        self._compiled()  # raises if these are no options
        self.vocabulary_, self.fixed_vocabulary_ = known, bool(fixed)

    def _compiled(self) -> Analysis | None:
        """How the compiled tokenizer finds the tokens; None for what only scikit-learn's own way can do."""
        own = (self.tokenizer, self.preprocessor, self.analyzer if callable(self.analyzer) else None)
        least, most = self.ngram_range
        if self.input != "content" or any(part is not None for part in own) or not 1 <= least <= most:
            return None
        analysis = analysis_of(self)
        return None if analysis.in_python else analysis
