"""Options of texts, of an estimator or of a vectorizer that it is given: what they mean, and what a file keeps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Integral, Real
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from suffice.errors import DataError, InputError, PriorError, ShapeError
from suffice.estimators.shell.parameters import Constraints, Interval, counts_of_belief, is_loo
from suffice.estimators.shell.stored import (
    OF_FILES,
    State,
    check_labels,
    check_schema,
    checked_journal,
    read_views,
    written_views,
)
from suffice.estimators.texts.vectorizer import FLAT, TokensLike, alike, read_vectorizer
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.complement import Complement
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.likelihoods.polya import Polya
from suffice.models.likelihoods.vocabulary import Cut, Vocabulary
from suffice.models.model import Block, Model
from suffice.models.scoring.linear import FittedTransform
from suffice.models.views import Views, WordWeights
from suffice.posterior import Beta, Dirichlet
from suffice.readers.one_block import TextReader
from suffice.stats import ClassCounts
from suffice.stats.word_counts import WordCounts
from suffice.text import Analysis, TermWeighting, Tokens
from suffice.text.tokens import analysis_of
from suffice.text.word_list import given_words
from suffice.typing import Array

if TYPE_CHECKING:
    from suffice.estimators.texts.text_classifier import TextClassifier

__all__ = [
    "CUT_OPTIONS",
    "URNS",
    "TextModel",
    "TextOptions",
    "likelihood_of",
    "params_of_texts",
    "restored",
    "state_of",
]  # fmt: skip

TextModel: TypeAlias = Literal["multinomial", "bernoulli", "complement", "dirichlet_multinomial", "edcm"]
"""How a class makes documents."""

URNS: dict[str, Literal["dcm", "edcm"]] = {"dirichlet_multinomial": "dcm", "edcm": "edcm"}
"""Bursty models, and how their urns are fitted."""

CUT_OPTIONS: Constraints = {
    "ngram_range": [tuple, None],
    "vocabulary": "no_validation",  # checked with errors that say more, as are tokens
    "min_df": [Interval(Real, 0, 1, closed="both"), Interval(Integral, 1, None, closed="left"), None],
    "max_features": [Interval(Integral, 1, None, closed="left"), None],
    "tokens": "no_validation",
}
"""Constraints of the parameters that say which tokens are the features of a model."""


class HasTokens(Protocol):
    """An estimator of texts; it may have options of documents, too."""

    @property
    def tokens(self) -> TokensLike | None:
        """What a token is."""


@dataclass(frozen=True)
class TextOptions:
    """What an estimator reads of texts: its parameters, and the options of a vectorizer where it is given one."""

    tokens: Tokens
    ngram_range: tuple[int, int] | None = None
    min_df: float | None = None
    max_features: int | None = None
    vocabulary: tuple[str, ...] | None = None
    best: bool = False  # whether pairs of words are wanted, unless something else is

    @classmethod
    def of(cls, estimator: HasTokens) -> TextOptions:
        """Read the parameters of an estimator; raise if they cannot be, or exclude each other."""
        owner, given = type(estimator).__name__, estimator.tokens
        tokens, theirs = (given or Tokens(), {}) if isinstance(given, Tokens | None) else read_vectorizer(given, owner)
        flat = {name: getattr(estimator, name) for name in FLAT if hasattr(estimator, name)}
        for name, value in theirs.items():
            if flat.setdefault(name, None) is None:
                flat[name] = value
            elif not alike(flat[name], value):
                raise InputError(
                    f"The '{name}' parameter of {owner} and that of its 'tokens', a {type(given).__name__}, must be "
                    f"the same where both are given; got {flat[name]!r} and {value!r}."
                )
        if flat["vocabulary"] is not None:
            lower = tokens.lowercase and tokens.preprocessor is None and not callable(tokens.analyzer)
            unknown = getattr(estimator, "unknown", None)
            flat["vocabulary"] = given_words(flat["vocabulary"], owner, lower, unknown)
        ngrams = flat.pop("ngram_range")
        best = getattr(estimator, "effort", None) == "best"
        found = cls(tokens, None if ngrams is None else tuple(ngrams), **flat, best=best)
        found._check(owner)
        return found

    def _check(self, owner: str) -> None:
        if self.vocabulary is None:
            return
        cut = {"min_df": self.min_df, "max_features": self.max_features, "hash_bits": self.tokens.hash_bits}
        name = next((name for name, value in cut.items() if value is not None), None)
        name = "max_df" if name is None and not Cut(max_df=self.tokens.max_df).keeps_all else name
        if name is not None:
            value = {**cut, "max_df": self.tokens.max_df}[name]
            raise InputError(
                f"The 'vocabulary' parameter of {owner} says which words there are, so that {name!r} must not be "
                f"given; got {name}={value!r}."
            )

    @property
    def pairs(self) -> bool:
        """Whether the best effort has chosen pairs of words."""
        return self.best and self.ngram_range is None and self.vocabulary is None

    @property
    def ngrams(self) -> tuple[int, int]:
        """Words in a token, at least and at most: if not given, one, or with the best effort up to two."""
        return self.ngram_range or ((1, 2) if self.pairs else (1, 1))

    @property
    def cut(self) -> Cut:
        """Which words are left out."""
        chosen = self.min_df is None and self.pairs
        least = 2 if chosen else 1 if self.min_df is None else self.min_df
        words = None if self.vocabulary is None else _listed(self.vocabulary).words
        return Cut(least, self.tokens.max_df, self.max_features, chosen, words)

    @property
    def analysis(self) -> Analysis:
        """How tokens are made of documents."""
        return analysis_of(self.tokens, self.ngrams, ENGLISH_STOP_WORDS)

    def uncut(self) -> dict[str, object]:
        """Return parameters that leave no word out, but for those that a vocabulary lacks."""
        known, least = (None, 1) if self.vocabulary is None else (list(self.vocabulary), None)
        tokens = replace(self.tokens, max_df=1.0)
        return {"tokens": tokens, "ngram_range": self.ngram_range, "min_df": least, "max_features": None,
                "vocabulary": known}  # fmt: skip


@lru_cache(maxsize=8)
def _listed(words: tuple[str, ...]) -> Vocabulary:
    return Vocabulary.of(list(words))


def params_of_texts(estimator: BaseEstimator) -> State:
    """Return the parameters of an estimator as files keep them: a vectorizer by what is read of it."""
    given: State = estimator.get_params(deep=False)
    if isinstance(given["tokens"], Tokens | None):
        return given
    options = TextOptions.of(estimator)
    words = None if options.vocabulary is None else list(options.vocabulary)
    read = {**vars(options), "vocabulary": words}
    return {name: read[name] if name == "tokens" or name in FLAT else value for name, value in given.items()}


def likelihood_of(estimator: TextClassifier, model: Model | None, views: Views) -> Likelihood:
    """Return the likelihood that the parameters of a TextClassifier describe, with a pseudo-count that was chosen."""
    options, kind = TextOptions.of(estimator), estimator.model
    check_text_model(estimator, options, model)
    given, how = _belief(estimator, options), estimator.term_weighting or TermWeighting()
    alpha = views.alpha if given is None or is_loo(given) else given
    alpha = (0.03 if kind in URNS else 1.0) if alpha is None else alpha
    if kind == "bernoulli":
        return Bernoulli.of(alpha, estimator.estimate, "words", options.cut)
    assert not isinstance(alpha, Beta)
    binary, cut = options.tokens.binary, options.cut
    if kind in URNS:
        return Polya(float(alpha), URNS[kind])
    if kind == "complement":
        assert not isinstance(alpha, str)
        return Complement(alpha, how.norm, binary, cut, estimator._transform, estimator.estimate)
    damped = how.sublinear_tf is not False and estimator.estimate != "predictive"
    return Multinomial(alpha, estimator.estimate, damped, binary, cut)


def _belief(estimator: TextClassifier, options: TextOptions) -> float | str | Array | Beta | None:
    """Return the pseudo-counts that `alpha` says, in the order of sorted words; raise PriorError if it cannot."""
    alpha, kind = estimator.alpha, estimator.model
    if isinstance(alpha, Beta) and (kind != "bernoulli" or alpha.batch_shape != ()):
        what = f"model={kind!r}" if kind != "bernoulli" else f"a table of shape {alpha.batch_shape}"
        raise PriorError(
            f"The 'alpha' parameter of TextClassifier can be one Beta for all words with model='bernoulli'; got {what}."
        )
    if not isinstance(alpha, Dirichlet):
        return alpha
    words = options.vocabulary
    if kind != "multinomial" or words is None:
        raise PriorError(
            "The 'alpha' parameter of TextClassifier can be a Dirichlet with model='multinomial' and a 'vocabulary', "
            f"since it has a pseudo-count for each of its words; got model={kind!r} and {'no' * (not words) or 'a'} "
            "vocabulary. Give a vocabulary, or a number for all words."
        )
    each = counts_of_belief(alpha, len(words), "one per word of 'vocabulary'", "TextClassifier")
    return each if isinstance(each, float) else each[_listed(words).slot]


def check_text_model(estimator: TextClassifier, options: TextOptions, model: Model | None) -> None:
    """Raise InputError where the parameters of a TextClassifier exclude each other, or what was counted."""
    kind, alpha = estimator.model, estimator.alpha
    if is_loo(alpha) and kind in URNS:
        raise InputError(
            f"The 'alpha' parameter of TextClassifier cannot be 'loo' with model={kind!r}: its urns are fitted to all "
            "documents, so none can be left out."
        )
    if isinstance(alpha, str) and alpha == "evidence" and kind not in ("multinomial", "bernoulli"):
        raise InputError(
            "The 'alpha' parameter of TextClassifier can be 'evidence' where the model is 'multinomial' or "
            f"'bernoulli'; got model={kind!r}, which has no evidence."
        )
    if kind in URNS:
        _check_urns(estimator, options, model)
    elif estimator.estimate == "predictive" and kind == "multinomial" and options.tokens.binary:
        raise InputError("TextClassifier with estimate='predictive' counts repeated words and needs binary=False.")


def _check_urns(estimator: TextClassifier, options: TextOptions, model: Model | None) -> None:
    if options.tokens.binary or not options.cut.keeps_all or estimator.estimate != "mean":
        raise InputError(
            f"TextClassifier with model={estimator.model!r} needs vocabulary, min_df, max_features and estimate, and "
            "binary and max_df of its tokens, at their defaults: it counts how often every word is repeated."
        )
    counts = None if model is None else model.blocks["text"].statistic
    if counts is not None and not np.isclose(counts.length_documents.sum(), counts.n.sum()):
        raise InputError(
            f"The 'model' parameter of TextClassifier must be {estimator.model!r} from the first fit on, so that "
            "repeated words are counted; it was fitted with another one."
        )


SCHEMA = ("_declared", "_analysis")


def state_of(estimator: TextClassifier) -> State:
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


def restored(estimator: TextClassifier, state: State) -> None:
    """Make an estimator what a file says; raise if that is none of its class."""
    classes, schema, statistics = state["classes"], dict(state["schema"]), dict(state["statistics"])
    check_labels(classes)
    check_schema(schema, SCHEMA)
    views, stale = read_views(state["views"], WordWeights)
    transform = state["views"].get("_transform")
    estimator._journal = checked_journal(statistics)
    counts, analysis = statistics.get("counts"), schema["_analysis"]
    if not isinstance(counts, WordCounts) or len(statistics) != 1 or counts.n_classes != len(classes):
        raise DataError(f"Statistics must be counts of words of {len(classes)} classes; got {statistics}.")
    bits = TextOptions.of(estimator).tokens.hash_bits or 0
    if not isinstance(analysis, Analysis) or counts.hash_bits != bits:
        raise DataError("The options of tokens and 'hash_bits' must be those that words were counted by.")
    _check_shapes(counts, views, transform)
    estimator._reader, estimator._transform = TextReader(analysis, bits, estimator.model in URNS), transform
    estimator.__dict__.update({name: schema[name] for name in OF_FILES if name in schema})
    block = Block(estimator._likelihoods(None, views)["text"], counts)
    estimator._put(Model(classes, ClassCounts(counts.n), {"text": block}, schema["_declared"]), views, stale)


def _check_shapes(counts: WordCounts, views: Views, transform: object) -> None:
    weights = views.weights
    if isinstance(weights, WordWeights) and len(weights.features) != (
        counts.width if counts.hash_bits else len(weights.words)
    ):
        raise ShapeError("Evidence weights must be as many as words.")
    if not isinstance(transform, FittedTransform | None):
        raise DataError(f"The transform of documents must be one that is known; got {type(transform).__name__}.")
    if transform is not None and transform.idf is not None and transform.idf.shape != (counts.width,):
        raise ShapeError("The weights of a transform must be as many as words.")
