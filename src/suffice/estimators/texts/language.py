"""A language model of single words."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError, KindError, PriorError
from suffice.estimators.shell.sklearn_api import Interval, fit_context
from suffice.estimators.shell.whole import Whole
from suffice.estimators.texts.options import TEXT_OPTIONS, analysis_of
from suffice.models.likelihoods.vocabulary import Vocabulary, log_probability
from suffice.posterior import Dirichlet
from suffice.stats.inputs import EXACT
from suffice.stats.word_counts import WordCounter
from suffice.text import Analysis, WordList, learn
from suffice.text.tokenization import DEFAULT_PATTERN
from suffice.typing import Array

__all__ = ["LanguageModel", "given_words"]

NAME = "The 'vocabulary' parameter of LanguageModel must"


def given_words(estimator: Any) -> list[str]:
    """The vocabulary of an estimator with a slot for unknown words, as a list."""
    given = estimator.vocabulary
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise KindError(f"{NAME} be a list of words, such as ['mary', 'lamb']; got a single {type(given).__name__}.")
    words = sorted(given) if isinstance(given, set | frozenset) else list(given)  # a set has no order of its own
    if not words:
        raise InputError(f"{NAME} hold at least one word; got none. Use None for the words of the first texts.")
    odd = [word for word in words if not isinstance(word, str)]
    if odd:
        raise KindError(f"{NAME} hold strings; got {type(odd[0]).__name__}.")
    _each_once(words, estimator.unknown)
    if estimator.lowercase and estimator.preprocessor is None and not callable(estimator.analyzer):
        _all_lower(words)
    return words


def _each_once(words: list[str], unknown: str) -> None:
    seen: set[str] = set()
    for word in words:
        if word == unknown:
            raise InputError(
                f"{NAME} not hold the name of the slot for unknown words; got {word!r}. Leave it out, or choose "
                "another name by 'unknown'."
            )
        if word in seen:
            raise InputError(f"{NAME} hold each word once; got {word!r} twice.")
        seen.add(word)


def _all_lower(words: list[str]) -> None:
    high = next((word for word in words if word != word.lower()), None)
    if high is not None:
        raise InputError(f"{NAME} be in lower case, as texts are read; got {high!r}. Or use lowercase=False.")


OPTIONS = ("binary", "min_df", "max_df", "max_features")  # of documents, which this model does not know


class LanguageModel(Whole, BaseEstimator):
    """Words drawn one by one from a vocabulary, with one slot for all words that are not in it.

    Parameters
    ----------
    vocabulary : list of str, default=None
        The known words; None for those of the first texts.
    alpha : float, array of shape (n_words + 1,) or Dirichlet, default=1.0
        Pseudo-count of every word, or of each, the unknown slot last.
    unknown : str, default="unk"
        The name of the slot for unknown words; a word of that name in a text goes there too.
    analyzer, ngram_range, lowercase, strip_accents, stop_words, token_pattern, tokenizer, preprocessor, encoding, \
decode_error
        What a text's words are, as in scikit-learn's ``CountVectorizer``: by default, two letters or more. Stop words
        are left out; they are not unknown ones.

    Attributes
    ----------
    words_ : ndarray of str
        The vocabulary, and last the unknown slot.
    counts_ : ndarray of shape (n_words + 1,)
        How often each was met.
    posterior_ : Dirichlet
        Belief about their probabilities.

    Examples
    --------
    A nursery rhyme, of which only some words are known:

    >>> import suffice as sf
    >>> words = ["mary", "lamb", "little", "big", "fleece", "white", "black", "snow", "rain"]
    >>> model = sf.LanguageModel(words, stop_words=["a", "as"]).fit(
    ...     ["Mary had a little lamb, little lamb, little lamb", "Mary had a little lamb, its fleece was white as snow"]
    ... )
    >>> model.counts_
    array([2., 4., 4., 0., 1., 1., 0., 1., 0., 4.])
    >>> model.posterior_.predict().probabilities * 27
    array([3., 5., 5., 1., 2., 2., 1., 2., 1., 5.])
    >>> model.probabilities()["unk"] == 5 / 27
    True
    >>> round(model.perplexity(["little black lamb", "white rain"]), 2)
    12.35
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "vocabulary": "no_validation",  # checked with errors that say more
        "alpha": [Interval(Real, 0, None, closed="neither"), "array-like", Dirichlet],
        "unknown": [str],
        **{name: rule for name, rule in TEXT_OPTIONS.items() if name not in OPTIONS},
    }

    words_: Any
    counts_: Array
    posterior_: Dirichlet

    def __init__(
        self,
        vocabulary: Any = None,
        *,
        alpha: Any = 1.0,
        unknown: str = "unk",
        analyzer: Any = "word",
        ngram_range: tuple[int, int] = (1, 1),
        lowercase: bool = True,
        strip_accents: Any = None,
        stop_words: Any = None,
        token_pattern: str | None = DEFAULT_PATTERN,
        tokenizer: Any = None,
        preprocessor: Any = None,
        encoding: str = "utf-8",
        decode_error: str = "strict",
    ) -> None:
        self.vocabulary = vocabulary
        self.alpha = alpha
        self.unknown = unknown
        self.analyzer = analyzer
        self.ngram_range = ngram_range
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.tokenizer = tokenizer
        self.preprocessor = preprocessor
        self.encoding = encoding
        self.decode_error = decode_error

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    @fit_context
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from texts, forgetting whatever was learned before.

        Parameters
        ----------
        X : sequence or iterator of str
            The texts.
        y : None
            Not used.

        Returns
        -------
        self : object
            The fitted model.
        """
        self._learn(X, fresh=True)
        return self

    @fit_context
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from more texts. The vocabulary stays, and any cutting into parts gives the same model as one fit.

        Parameters
        ----------
        X : sequence or iterator of str
            The texts.
        y : None
            Not used.

        Returns
        -------
        self : object
            The fitted model.
        """
        self._learn(X, fresh=not hasattr(self, "counts_"))
        return self

    def probabilities(self) -> dict[str, float]:
        """The probability of each word to be the next one, the unknown slot last."""
        check_is_fitted(self, "posterior_")
        return dict(zip(self.words_.tolist(), self.posterior_.predict().probabilities.tolist(), strict=True))

    def log_prob(self, X: Any) -> Array:
        """The log-probability of each text: of its words, by what is known now; a text teaches nothing about itself.

        Where it should (the Dirichlet-multinomial), it is ``posterior_.log_evidence(counts=...)``.

        Parameters
        ----------
        X : sequence or iterator of str
            The texts.

        Returns
        -------
        logs : ndarray of shape (n_texts,)
            Zero for a text without words.
        """
        return self._scores(X)[0]

    def perplexity(self, X: Any) -> float:
        """The number of equally probable words that would be as hard to guess as those of the texts.

        Parameters
        ----------
        X : sequence or iterator of str
            The texts.

        Returns
        -------
        perplexity : float
            exp of minus the mean log-probability of a word.
        """
        logs, n = self._scores(X)
        if n == 0:
            raise DataError("The argument 'X' of LanguageModel.perplexity must hold words; got texts without any.")
        return float(np.exp(-logs.sum() / n))

    def _scores(self, X: Any) -> tuple[Array, float]:
        check_is_fitted(self, "posterior_")
        words, matrix = learn(X, self._analysis, "X")
        return log_probability(self.posterior_, self._known.slots(words), matrix), float(matrix.sum())

    def _learn(self, X: Any, fresh: bool) -> None:
        self._analysis = analysis_of(self)
        counter = WordCounter(self._analysis, 1)
        counter.add(X, None, name="X")
        found = counter.result()
        if fresh:
            self._known = self._met(found.words) if self.vocabulary is None else Vocabulary.of(given_words(self))
            self.words_ = np.append(self._known.strings, np.array([self.unknown], object))
        counts = self._known.counts(found.words, found.frequency)
        self.counts_ = counts if fresh else self.counts_ + counts
        self.posterior_ = self._prior().update(counts=self.counts_)

    def _get_state(self) -> dict[str, Any]:
        check_is_fitted(self, "posterior_")
        return {
            "schema": {"analysis": self._analysis, "known": self._known},
            "statistics": {"counts": self.counts_},
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        analysis, known, counts = state["schema"]["analysis"], state["schema"]["known"], state["statistics"]["counts"]
        if not isinstance(analysis, Analysis) or not isinstance(known, Vocabulary):
            raise DataError("A language model must have a vocabulary, and say what a word is.")
        if np.shape(counts) != (known.size,) or not ((counts >= 0) & (counts <= EXACT)).all():
            raise DataError(f"The counts of a language model must be {known.size} numbers from 0 on.")
        self._analysis, self._known, self.counts_ = analysis, known, counts
        self.words_ = np.append(known.strings, np.array([self.unknown], object))
        self.posterior_ = self._prior().update(counts=self.counts_)

    def _met(self, words: WordList) -> Vocabulary:
        """The words of the first texts, sorted."""
        words = words.keep(words.strings != self.unknown)
        if not len(words):
            raise DataError("The argument 'X' must hold words, or there must be a 'vocabulary'; got texts without any.")
        return Vocabulary(words, np.arange(len(words)))

    def _prior(self) -> Dirichlet:
        if isinstance(self.alpha, Real):
            return Dirichlet(np.full(len(self.words_), float(self.alpha)))
        prior = self.alpha if isinstance(self.alpha, Dirichlet) else Dirichlet(self.alpha)
        if prior.alpha.shape != (len(self.words_),):
            raise PriorError(
                f"The 'alpha' parameter of LanguageModel must be one number, or {len(self.words_)}: one per word and "
                f"one for the unknown; got shape {prior.alpha.shape}."
            )
        return prior
