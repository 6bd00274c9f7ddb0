"""Read the text options of an estimator, or of a vectorizer passed to it, and write them to model files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Integral, Real
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import numpy as np

from suffice.errors import InputError, PriorError
from suffice.estimators.shell.parameter_domains import (
    CLASS_PRIORS,
    EFFORTS,
    ESTIMATE,
    EXPONENTS,
    RIDGES,
    TEMPERS,
    Domain,
    OneOf,
    Within,
    counts_of_belief,
    is_loo,
)  # fmt: skip
from suffice.estimators.shell.stored import State
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.complement import Complement
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.likelihoods.polya import Polya
from suffice.models.likelihoods.vocabulary import Cut, Vocabulary
from suffice.models.model import Model
from suffice.models.views import Views
from suffice.posterior import Beta, Dirichlet
from suffice.text import Analysis, TermWeighting, Tokens
from suffice.text.tokenization import DEFAULT_PATTERN
from suffice.text.tokens import alike, analysis_of
from suffice.text.word_list import given_words
from suffice.typing import Array

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from suffice.estimators.texts.text_answers import TextAnswers
    from suffice.estimators.texts.text_classifier import TextClassifier
    from suffice.estimators.texts.vectorizer import TokensLike

TextModel: TypeAlias = Literal["multinomial", "bernoulli", "complement", "dirichlet_multinomial", "edcm"]
"""How a class generates documents."""

URNS: dict[str, Literal["dcm", "edcm"]] = {"dirichlet_multinomial": "dcm", "edcm": "edcm"}
"""The bursty models, and the method that fits the urns of each."""

ChosenTokens: TypeAlias = tuple[Literal["word", "char_wb"], tuple[int, int]]
"""Tokens chosen by texts: the unit, and the range of n-grams. Single words are the default, and stand as None."""

CUT_OPTIONS: dict[str, Domain] = {
    "ngram_range": [tuple, None],
    "vocabulary": "no_validation",  # checked in `TextOptions.of`, with clearer errors; so is `tokens`
    "min_df": [Within(Real, 0, 1, "both"), Within(Integral, 1, None, "left"), None],
    "max_features": [Within(Integral, 1, None, "left"), None],
    "tokens": "no_validation",
}
"""Allowed values of the parameters that decide which tokens are features."""

TEXT_DOMAINS: dict[str, Domain] = {
    "model": [OneOf(frozenset({"multinomial", "bernoulli", "complement", *URNS}))],
    "estimate": [ESTIMATE],
    "alpha": [Within(Real, 0, None, "left"), Beta, Dirichlet, OneOf(frozenset({"evidence", "loo"})), None],
    "class_prior": CLASS_PRIORS,
    **CUT_OPTIONS,
    "term_weighting": [TermWeighting, None],
    "temper": TEMPERS,
    "length_exponent": EXPONENTS,
    "feature_powers": [OneOf(frozenset({"loo"})), None],
    "ridge": RIDGES,
    "effort": [EFFORTS],
    "memory_limit": [Within(Integral, 1, None, "left")],
    "verbose": ["boolean"],
}
"""Allowed values of the parameters of TextClassifier."""

FLAT: dict[str, object] = {"ngram_range": (1, 1), "min_df": 1, "max_features": None, "vocabulary": None}
"""Vectorizer options that are parameters of our estimators, with the defaults of scikit-learn."""


def english_stop_words() -> frozenset[str]:
    """Return scikit-learn's English stop words, imported on first use."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words: frozenset[str] = ENGLISH_STOP_WORDS
    return words


class HasTokens(Protocol):
    """An estimator with a `tokens` parameter; it may have the parameters in `FLAT`, too."""

    @property
    def tokens(self) -> TokensLike | None:
        """How documents are split into tokens."""


@dataclass(frozen=True)
class TextOptions:
    """The text options of an estimator: its parameters, completed by the options of a vectorizer passed as `tokens`."""

    tokens: Tokens
    ngram_range: tuple[int, int] | None = None
    min_df: float | None = None
    max_features: int | None = None
    vocabulary: tuple[str, ...] | None = None
    chosen: ChosenTokens | None = None  # by texts; None if tokens are given, or are single words

    @classmethod
    def of(cls, estimator: HasTokens) -> TextOptions:
        """Read the parameters of an estimator; raise if they are invalid or contradict each other."""
        owner, given = type(estimator).__name__, estimator.tokens
        tokens, theirs = (given or Tokens(), {}) if isinstance(given, Tokens | None) else _of_vectorizer(given, owner)
        flat = {name: getattr(estimator, name) for name in FLAT if hasattr(estimator, name)}
        for name, value in theirs.items():
            if flat.setdefault(name, None) is None:
                flat[name] = value
            elif not alike(flat[name], value):
                raise InputError(
                    f"The '{name}' parameter of {owner} and that of its 'tokens', a {type(given).__name__}, must "
                    f"be the same where both are given; got {flat[name]!r} and {value!r}."
                ).advise("Give it in one place only.")
        if flat["vocabulary"] is not None:
            unknown = getattr(estimator, "unknown", None)  # of a language model, which reads capitals as its texts'
            lower = tokens.lowercase and tokens.preprocessor is None and not callable(tokens.analyzer)
            flat["vocabulary"] = given_words(flat["vocabulary"], owner, lower and unknown is None, unknown)
        ngrams = flat.pop("ngram_range")
        chosen = getattr(estimator, "_tokens_chosen", None)
        found = cls(tokens, None if ngrams is None else tuple(ngrams), **flat)
        found = replace(found, chosen=chosen if found.undecided else None)
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
                f"The 'vocabulary' parameter of {owner} lists all words of the model, so {name!r} must not be "
                f"given; got {name}={value!r}."
            ).advise("Leave out one of them.")

    @property
    def undecided(self) -> bool:
        """Whether training texts may choose the tokens, because no option says what a token is."""
        given = self.ngram_range is not None or self.vocabulary is not None or self.tokens.hash_bits is not None
        plain = self.tokens.analyzer == "word" and self.tokens.token_pattern == DEFAULT_PATTERN
        return not given and plain and self.tokens.tokenizer is None and self.tokens.preprocessor is None

    @property
    def ngrams(self) -> tuple[int, int]:
        """The range of n-grams: as given, as chosen by texts, or (1, 1)."""
        return self.ngram_range or ((1, 1) if self.chosen is None else self.chosen[1])

    @property
    def _units(self) -> Tokens:
        return self.tokens if self.chosen is None else replace(self.tokens, analyzer=self.chosen[0])

    @property
    def cut(self) -> Cut:
        """The rule for words that the model leaves out."""
        chosen = self.min_df is None and self.chosen is not None
        least = 2 if chosen else 1 if self.min_df is None else self.min_df
        words = None if self.vocabulary is None else _listed(self.vocabulary).words
        return Cut(least, self.tokens.max_df, self.max_features, chosen, words)

    @property
    def analysis(self) -> Analysis:
        """The tokenizer that the options describe."""
        english = self._units.stop_words == "english"
        return analysis_of(self._units, self.ngrams, english_stop_words() if english else frozenset())

    def uncut(self) -> dict[str, object]:
        """Return parameters that keep all words, or all words of the vocabulary if one is given."""
        known, least = (None, 1) if self.vocabulary is None else (list(self.vocabulary), None)
        tokens = replace(self._units, max_df=1.0)
        return {"tokens": tokens, "ngram_range": self.ngrams, "min_df": least, "max_features": None,
                "vocabulary": known}  # fmt: skip


def _of_vectorizer(given: TokensLike, owner: str) -> tuple[Tokens, State]:
    from suffice.estimators.texts.vectorizer import read_vectorizer

    return read_vectorizer(given, owner)


@lru_cache(maxsize=8)
def _listed(words: tuple[str, ...]) -> Vocabulary:
    return Vocabulary.of(list(words))


def params_of_texts(estimator: BaseEstimator) -> State:
    """Return the parameters of an estimator as a file stores them; a vectorizer becomes `Tokens` and parameters."""
    given: State = estimator.get_params(deep=False)
    if isinstance(given["tokens"], Tokens | None):
        return given
    options = TextOptions.of(estimator)
    words = None if options.vocabulary is None else list(options.vocabulary)
    read = {**vars(options), "vocabulary": words}
    return {name: read[name] if name == "tokens" or name in FLAT else value for name, value in given.items()}


def likelihood_of(estimator: TextAnswers, model: Model | None, views: Views) -> Likelihood:
    """Return the likelihood that the parameters of a TextClassifier describe, with the chosen pseudo-count if any."""
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


def _belief(estimator: TextAnswers, options: TextOptions) -> float | str | Array | Beta | None:
    """Return the pseudo-counts in `alpha`, in the order of sorted words; raise PriorError unless they fit the model."""
    alpha, kind = estimator.alpha, estimator.model
    if isinstance(alpha, Beta) and (kind != "bernoulli" or alpha.batch_shape != ()):
        what = f"model={kind!r}" if kind != "bernoulli" else f"a table of shape {alpha.batch_shape}"
        raise PriorError(
            "The 'alpha' parameter of TextClassifier can be a single Beta, for all words, with model='bernoulli'; "
            f"got {what}."
        ).advise(python="Give a number instead, or one Beta with model='bernoulli'.")
    if not isinstance(alpha, Dirichlet):
        return alpha
    words = options.vocabulary
    if kind != "multinomial" or words is None:
        raise PriorError(
            "The 'alpha' parameter of TextClassifier can be a Dirichlet only with model='multinomial' and a "
            f"'vocabulary', which it has a pseudo-count per word of; got model={kind!r} and "
            f"{'no' * (not words) or 'a'} vocabulary."
        ).advise("Give a vocabulary, or one number for all words.")
    each = counts_of_belief(alpha, len(words), "one per word of 'vocabulary'", "TextClassifier")
    return each if isinstance(each, float) else each[_listed(words).slot]


def check_text_model(estimator: TextAnswers, options: TextOptions, model: Model | None) -> None:
    """Raise InputError if parameters of a TextClassifier contradict each other, or the counts of a fitted one."""
    kind, alpha = estimator.model, estimator.alpha
    if is_loo(alpha) and kind in URNS:
        raise InputError(
            f"The 'alpha' parameter of TextClassifier cannot be 'loo' with model={kind!r}, whose urns are fitted "
            "to all documents."
        ).advise("Give a number.")
    if isinstance(alpha, str) and alpha == "evidence" and kind not in ("multinomial", "bernoulli"):
        raise InputError(
            "The 'alpha' parameter of TextClassifier can be 'evidence' with model='multinomial' or 'bernoulli'; "
            f"got model={kind!r}, which has no evidence."
        ).advise("Give a number.")
    if kind in URNS:
        _check_urns(estimator, options, model)
    elif estimator.estimate == "predictive" and kind == "multinomial" and options.tokens.binary:
        raise InputError(
            "TextClassifier with estimate='predictive' counts repeated words, so its 'tokens' must have binary=False; "
            "got binary=True."
        )


def _check_urns(estimator: TextAnswers, options: TextOptions, model: Model | None) -> None:
    if options.tokens.binary or not options.cut.keeps_all or estimator.estimate != "mean":
        raise InputError(
            f"TextClassifier with model={estimator.model!r} counts how often every word is repeated, so "
            "vocabulary, min_df, max_features and estimate, and binary and max_df of its tokens, must have their "
            "defaults; got other values."
        ).advise("Leave them out.")
    counts = None if model is None else model.blocks["text"].statistic
    if counts is not None and not np.isclose(counts.length_documents.sum(), counts.n.sum()):
        raise InputError(
            "TextClassifier.model",
            f"be {estimator.model!r} when it is first fitted, so that repeated words are counted",
        ).but("it was fitted with another model", "Fit it again.")


def transforms(estimator: TextClassifier) -> bool:
    """Return whether `term_weighting` transforms documents before they are counted."""
    how = estimator.term_weighting or TermWeighting()
    early = how.sublinear_tf and estimator.model != "multinomial"
    return bool(early or how.use_idf or how.normalize)
