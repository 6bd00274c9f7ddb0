"""Options of text that our estimators share with CountVectorizer, what they mean, and what a file keeps of them."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from suffice.errors import DataError, InputError, ShapeError
from suffice.estimators.shell.sklearn_api import Interval, StrOptions
from suffice.estimators.shell.stored import (
    OF_FILES,
    State,
    check_labels,
    check_schema,
    checked_journal,
    read_views,
    written_views,
)
from suffice.models.likelihoods.vocabulary import Cut
from suffice.models.model import Block, Model
from suffice.models.scoring.linear import Transform
from suffice.models.views import Views, WordWeights
from suffice.readers.one_block import TextReader
from suffice.stats import ClassCounts
from suffice.stats.word_counts import WordCounts
from suffice.text import Analysis
from suffice.text.tokenization import DEFAULT_PATTERN

__all__ = ["TEXT_OPTIONS", "URNS", "analysis_of", "check_text_model", "cut_of", "restored", "state_of", "with_defaults"]

URNS: dict[str, Any] = {"dirichlet_multinomial": "dcm", "edcm": "edcm"}
"""Bursty models, and how their urns are fitted."""

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
    """Return how an estimator's options make tokens of documents."""
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
    """Return `ngram_range` and `min_df`; where they are not given, single words, or with the best effort pairs too."""
    ngrams, least = estimator.ngram_range, getattr(estimator, "min_df", 1)
    pairs = ngrams is None and getattr(estimator, "effort", None) == "best"
    return tuple(ngrams or ((1, 2) if pairs else (1, 1))), (2 if pairs else 1) if least is None else least


def cut_of(estimator: Any) -> Cut:
    """Return which words an estimator leaves out."""
    least = with_defaults(estimator)[1]
    chosen = getattr(estimator, "min_df", 1) is None and least > 1
    return Cut(least, estimator.max_df, estimator.max_features, chosen)


def check_text_model(estimator: Any, model: Model | None) -> None:
    """Raise InputError where the parameters of a TextClassifier exclude each other, or what was counted."""
    kind, alpha = estimator.model, estimator.alpha
    if alpha == "loo" and kind in URNS:
        raise InputError(
            f"The 'alpha' parameter of TextClassifier cannot be 'loo' with model={kind!r}: its urns are fitted to all "
            "documents, so none can be left out."
        )
    if alpha == "evidence" and kind not in ("multinomial", "bernoulli"):
        raise InputError(
            "The 'alpha' parameter of TextClassifier can be 'evidence' where the model is 'multinomial' or "
            f"'bernoulli'; got model={kind!r}, which has no evidence."
        )
    if kind in URNS:
        _check_urns(estimator, model)
    elif estimator.estimate == "predictive" and kind == "multinomial" and estimator.binary:
        raise InputError("TextClassifier with estimate='predictive' counts repeated words and needs binary=False.")


def _check_urns(estimator: Any, model: Model | None) -> None:
    if estimator.binary or not cut_of(estimator).keeps_all or estimator.estimate != "mean":
        raise InputError(
            f"TextClassifier with model={estimator.model!r} needs binary, min_df, max_df, max_features and estimate at "
            "their defaults: it counts how often every word is repeated."
        )
    counts = None if model is None else model.blocks["text"].statistic
    if counts is not None and not np.isclose(counts.length_documents.sum(), counts.n.sum()):
        raise InputError(
            f"The 'model' parameter of TextClassifier must be {estimator.model!r} from the first fit on, so that "
            "repeated words are counted; it was fitted with another one."
        )


SCHEMA = ("_declared", "_analysis")


def state_of(estimator: Any) -> State:
    """Return what a file keeps beside the parameters."""
    model = estimator._model
    known = {**vars(estimator), "_declared": model.declared, "_analysis": estimator._reader.analysis}
    journal = {} if estimator._journal is None else {"journal": estimator._journal}
    views = written_views(estimator._predictor.views, estimator._stale)
    return {
        "classes": model.classes,
        "schema": {name: known[name] for name in (*SCHEMA, *OF_FILES) if name in known},
        "statistics": {"counts": estimator.counts_, **journal},
        "views": {**views, "_transform": estimator._transform},
    }


def restored(estimator: Any, state: State) -> None:
    """Make an estimator what a file says; raise if that is none of its class."""
    classes, schema, statistics = state["classes"], dict(state["schema"]), dict(state["statistics"])
    check_labels(classes)
    check_schema(schema, SCHEMA)
    views, stale = read_views(state["views"], WordWeights)
    transform: Any = state["views"].get("_transform")
    estimator._journal = checked_journal(statistics)
    counts, analysis = statistics.get("counts"), schema["_analysis"]
    if not isinstance(counts, WordCounts) or len(statistics) != 1 or counts.n_classes != len(classes):
        raise DataError(f"Statistics must be counts of words of {len(classes)} classes; got {statistics}.")
    bits = estimator.hash_bits or 0
    if not isinstance(analysis, Analysis) or counts.hash_bits != bits:
        raise DataError("The options of tokens and 'hash_bits' must be those that words were counted by.")
    _check_shapes(counts, views, transform)
    estimator._reader, estimator._transform = TextReader(analysis, bits, estimator.model in URNS), transform
    vars(estimator).update({name: schema[name] for name in OF_FILES if name in schema})
    block = Block(estimator._likelihoods(None, views)["text"], counts)
    estimator._put(Model(classes, ClassCounts(counts.n), {"text": block}, schema["_declared"]), views, stale)


def _check_shapes(counts: WordCounts, views: Views, transform: Any) -> None:
    weights: Any = views.weights
    if weights is not None and len(weights.features) != (counts.width if counts.hash_bits else len(weights.words)):
        raise ShapeError("Evidence weights must be as many as words.")
    if not isinstance(transform, Transform | None):
        raise DataError(f"The transform of documents must be one that is known; got {type(transform).__name__}.")
    if transform is not None and transform.idf is not None and transform.idf.shape != (counts.width,):
        raise ShapeError("The weights of a transform must be as many as words.")
