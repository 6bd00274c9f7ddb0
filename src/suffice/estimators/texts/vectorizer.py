"""Make a document-term matrix, and read the options of scikit-learn's vectorizers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from sklearn.feature_extraction import text as peer
from sklearn.utils.validation import check_is_fitted

from suffice import text
from suffice.errors import DataError, InputError, KindError
from suffice.estimators.shell.atomic import Atomic
from suffice.estimators.shell.model_cards import bundle_of_estimator, card_of_estimator
from suffice.estimators.shell.stored import State
from suffice.estimators.texts.options import FLAT
from suffice.notebook import MOST, table
from suffice.text import Analysis, Tokens
from suffice.text.tokens import alike, analysis_of
from suffice.text.word_list import WordList
from suffice.typing import TextsLike

PEERS = (peer.CountVectorizer, peer.TfidfVectorizer, peer.HashingVectorizer)
Vectorizer: TypeAlias = peer.CountVectorizer | peer.HashingVectorizer
TokensLike: TypeAlias = Tokens | Vectorizer
"""Token options, or a vectorizer of scikit-learn that has them."""


class CountVectorizer(Atomic, peer.CountVectorizer):
    """Make a document-term matrix of counts, as scikit-learn's class of the same name does, by a compiled tokenizer.

    All parameters, attributes and results are those of scikit-learn. Your own ``tokenizer``, ``preprocessor``,
    ``token_pattern`` or ``analyzer`` works too, at the speed of Python; scikit-learn reads files
    (``input="filename"``).

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

    _repr_html_, _repr_mimebundle_ = card_of_estimator, bundle_of_estimator

    def _card_parts(self) -> Iterator[str]:
        rows = [(str(word), str(column)) for word, column in islice(self.vocabulary_.items(), MOST)]
        yield table(["word", "column"], sorted(rows), len(self.vocabulary_))

    def _count_vocab(self, raw_documents: TextsLike, fixed_vocab: bool) -> tuple[dict[str, int], Any]:
        """Return the vocabulary and the matrix; the only method in which scikit-learn's class reads documents."""
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

    def _get_state(self) -> State:
        check_is_fitted(self, "vocabulary_")
        odd = next((word for word in self.vocabulary_ if not isinstance(word, str)), None)
        if odd is not None:
            raise KindError("The vocabulary of a CountVectorizer", "hold only strings to be saved", got=odd)
        words = np.empty(len(self.vocabulary_), object)
        words[:] = list(self.vocabulary_)
        columns = np.array(list(self.vocabulary_.values()), np.int64)
        return {"schema": {"words": words, "columns": columns, "fixed": bool(self.fixed_vocabulary_)}}

    def _set_state(self, state: State) -> None:
        words, columns, fixed = (state["schema"][name] for name in ("words", "columns", "fixed"))
        strings = all(type(word) is str for word in words.tolist())
        if not strings or columns.dtype.kind != "i" or type(fixed) is not bool:
            raise DataError("A vocabulary", "map strings to column numbers")
        known = dict(zip(words.tolist(), columns.tolist(), strict=True))
        if len(known) != len(columns) or not np.array_equal(np.sort(columns), np.arange(len(known))):
            raise DataError("Each word of a vocabulary", "have a column of its own, numbered from 0")
        if not all(isinstance(n, int) for n in self.ngram_range) or np.dtype(self.dtype).kind not in "biuf":
            raise DataError("The dtype", "be numeric and ngram_range whole numbers").but(
                f"got {self.dtype!r} and {self.ngram_range!r}"
            )
        self._compiled()  # raises if options are invalid
        self.vocabulary_, self.fixed_vocabulary_ = known, bool(fixed)

    def _compiled(self) -> Analysis | None:
        """Return the compiled tokenizer for these options; None if only scikit-learn's code finds such tokens."""
        own = (self.tokenizer, self.preprocessor, self.analyzer if callable(self.analyzer) else None)
        least, most = self.ngram_range
        if self.input != "content" or any(part is not None for part in own) or not 1 <= least <= most:
            return None
        analysis = analysis_of(self, self.ngram_range, peer.ENGLISH_STOP_WORDS)
        return None if analysis.in_python else analysis


def read_vectorizer(given: Vectorizer, owner: str) -> tuple[Tokens, State]:
    """Return the token options of a vectorizer, and those that are parameters of ours if they differ from defaults."""
    kind = type(given)
    if kind not in (*PEERS, CountVectorizer):
        more = ", which may override methods: give its options as sf.Tokens" if isinstance(given, PEERS) else ""
        what = f"the class {given.__name__}" if isinstance(given, type) else f"a {kind.__name__}"
        raise KindError(
            f"{owner}.tokens",
            "be sf.Tokens(...), a CountVectorizer, TfidfVectorizer or HashingVectorizer of scikit-learn, or None",
        ).but(f"got {what}{more}")
    theirs: State = given.get_params(deep=False)
    if theirs["input"] != "content":
        raise InputError(f"{owner}.tokens", "have input='content', since X holds texts, not files").but(
            f"got input={theirs['input']!r}", python="Read the files first, or use sf.fit_files."
        )
    if theirs.get("sublinear_tf"):
        raise InputError(f"{owner}.tokens", "have sublinear_tf=False, since it only says what a token is").but(
            f"got a {kind.__name__} with sublinear_tf=True",
            python="Use term_weighting=sf.TermWeighting(sublinear_tf=True).",
        )
    own = {one.name: theirs[one.name] for one in fields(Tokens) if one.name in theirs}
    if "n_features" in theirs:
        own["hash_bits"] = _bits(theirs["n_features"], owner)
    flat = {name: theirs[name] for name, usual in FLAT.items() if not alike(theirs.get(name, usual), usual)}
    return Tokens(**own), flat


def _bits(buckets: int, owner: str) -> int:
    bits = int(buckets).bit_length() - 1
    if buckets != 1 << bits or not 1 <= bits <= 30:
        raise InputError(
            f"{owner}.tokens", "be a HashingVectorizer whose n_features is a power of two from 2 to 2**30"
        ).but(f"got n_features={buckets!r}")
    return bits
