"""Options of text that our estimators share with scikit-learn's CountVectorizer."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.utils._param_validation import Interval, StrOptions

from suffice.errors import DataError, InputError
from suffice.text import Analysis
from suffice.text.analysis import DEFAULT_PATTERN
from suffice.typing import Array, Booleans

__all__ = ["TEXT_OPTIONS", "analysis_of", "keeps_all", "kept_words", "with_defaults"]

TEXT_OPTIONS: dict[str, Any] = {
    "analyzer": [StrOptions({"word", "char", "char_wb"}), callable],
    "ngram_range": [tuple],
    "lowercase": ["boolean"],
    "strip_accents": [StrOptions({"ascii", "unicode"}), None, callable],
    "stop_words": [StrOptions({"english"}), list, frozenset, None],
    "token_pattern": [str, None],
    "tokenizer": [callable, None],
    "preprocessor": [callable, None],
    "encoding": [str],
    "decode_error": [StrOptions({"strict", "ignore", "replace"})],
    "binary": ["boolean"],
    "min_df": [Interval(Real, 0, 1, closed="both"), Interval(Integral, 1, None, closed="left")],
    "max_df": [Interval(Real, 0, 1, closed="both"), Interval(Integral, 1, None, closed="left")],
    "max_features": [Interval(Integral, 1, None, closed="left"), None],
}
"""What scikit-learn's CountVectorizer takes, and so do we."""


def analysis_of(estimator: Any) -> Analysis:
    """How an estimator's options make tokens of documents."""
    stop = estimator.stop_words
    if estimator.tokenizer is None and estimator.token_pattern is None and estimator.analyzer == "word":
        raise InputError("The 'token_pattern' parameter must be a regular expression unless there is a 'tokenizer'.")
    return Analysis(
        unit=estimator.analyzer,
        ngram_range=with_defaults(estimator)[0],
        lowercase=estimator.lowercase,
        strip_accents=estimator.strip_accents,
        stop_words=frozenset(ENGLISH_STOP_WORDS if stop == "english" else stop or ()),
        token_pattern=estimator.token_pattern or DEFAULT_PATTERN,
        tokenizer=estimator.tokenizer,
        preprocessor=estimator.preprocessor,
        encoding=estimator.encoding,
        decode_error=estimator.decode_error,
    )


def with_defaults(estimator: Any) -> tuple[tuple[int, int], float]:
    """`ngram_range` and `min_df`; where they are not given, single words, or with the best effort pairs of them too."""
    ngrams, least = estimator.ngram_range, getattr(estimator, "min_df", 1)
    pairs = ngrams is None and getattr(estimator, "effort", None) == "best"
    return tuple(ngrams or ((1, 2) if pairs else (1, 1))), (2 if pairs else 1) if least is None else least


def keeps_all(estimator: Any) -> bool:
    """Whether `min_df`, `max_df` and `max_features` are such that they leave every word."""
    return with_defaults(estimator)[1] == 1 and _no_limit(estimator.max_df) and estimator.max_features is None


def kept_words(estimator: Any, document_frequency: Array, frequency: Array, n: float) -> Booleans:
    """Which words `min_df`, `max_df` and `max_features` leave."""
    min_df = with_defaults(estimator)[1]
    limits = (min_df, estimator.max_df)
    least, most = (float(limit) if isinstance(limit, Integral) else float(limit) * n for limit in limits)
    chosen = getattr(estimator, "min_df", 1) is None and min_df > 1  # by effort="best", not by the user
    if most < least and not _no_limit(estimator.max_df):
        hint = " effort='best' makes it 2 where it is not given: give min_df=1." if chosen else ""
        raise InputError(
            f"The parameter 'max_df' must not be below 'min_df'; got max_df={estimator.max_df} and "
            f"min_df={min_df}, which are {most:g} and {least:g} documents.{hint}"
        )
    keep: Booleans = (document_frequency >= least) & (document_frequency <= most)
    if estimator.max_features is not None and keep.sum() > estimator.max_features:
        rank = np.argsort(-np.where(keep, frequency, -1.0), kind="stable")
        keep[rank[estimator.max_features :]] = False
    if not keep.any() and chosen:
        raise DataError(
            f"No word is left: effort='best' keeps words and pairs of words that {min_df} texts have or more, and none "
            f"of {len(keep):,} is in so many. Give more texts, or min_df=1 to keep all."
        )
    if not keep.any():
        raise DataError(
            f"No word is left: min_df={min_df} and max_df={estimator.max_df} drop all {len(keep):,} of them. "
            "Lower 'min_df', or raise 'max_df'."
        )
    return keep


def _no_limit(max_df: Any) -> bool:
    """A share of all documents, not the number one."""
    return not isinstance(max_df, Integral) and bool(max_df == 1.0)
