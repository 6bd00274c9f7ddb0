"""A language model of single words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from numbers import Real
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError, PriorError
from suffice.estimators.shell.model_cards import bundle_of_estimator, card_of_estimator, parts_of_weights
from suffice.estimators.shell.parameters import Constraints, Interval, Tags, fit_context
from suffice.estimators.shell.stored import State
from suffice.estimators.shell.whole import Whole
from suffice.estimators.texts.options import CUT_OPTIONS, TextOptions, params_of_texts
from suffice.models.likelihoods.vocabulary import Vocabulary, log_probability
from suffice.notebook import MOST, figures
from suffice.posterior import Dirichlet
from suffice.stats.inputs import EXACT
from suffice.stats.word_counts import WordCounter
from suffice.text import Analysis, WordList, learn
from suffice.text.tokens import alike
from suffice.typing import Array, LabelArray, TextsLike

if TYPE_CHECKING:
    from suffice.estimators.texts.vectorizer import TokensLike

__all__ = ["LanguageModel"]

OF_DOCUMENTS: dict[str, object] = {
    "binary": False,
    "max_df": 1.0,
    "hash_bits": None,
    "min_df": None,
    "max_features": None,
}
"""Options that a model of words has no use for, as they are by default."""


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
    ngram_range : tuple of int, default=None
        Words in a token, at least and at most; (1, 1) if not given.
    tokens : Tokens or vectorizer of scikit-learn, default=None
        What a text's words are: by default, two letters or more. A ``CountVectorizer`` says so by its options, those of
        ``vocabulary`` and ``ngram_range`` included. Stop words are left out; they are not unknown ones.

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
    >>> model = sf.LanguageModel(words, tokens=sf.Tokens(stop_words=["a", "as"])).fit(
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

    _parameter_constraints: ClassVar[Constraints] = {
        "alpha": [Interval(Real, 0, None, closed="neither"), "array-like", Dirichlet],
        "unknown": [str],
        **{name: CUT_OPTIONS[name] for name in ("vocabulary", "ngram_range", "tokens")},
    }

    _repr_html_, _repr_mimebundle_ = card_of_estimator, bundle_of_estimator
    words_: LabelArray
    counts_: Array
    posterior_: Dirichlet

    def __init__(
        self,
        vocabulary: Iterable[str] | None = None,
        *,
        alpha: float | ArrayLike | Dirichlet = 1.0,
        unknown: str = "unk",
        ngram_range: tuple[int, int] | None = None,
        tokens: TokensLike | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.alpha = alpha
        self.unknown = unknown
        self.ngram_range = ngram_range
        self.tokens = tokens

    _params_in_files = params_of_texts

    def _validate_params(self) -> None:
        super()._validate_params()
        self._options()

    def _options(self) -> TextOptions:
        """Return what words of texts are; raise InputError for options of documents, which this model does not know."""
        options = TextOptions.of(self)
        given = {**vars(options.tokens), **vars(options)}
        for name, usual in OF_DOCUMENTS.items():
            if not alike(given[name], usual):
                raise InputError(
                    f"The 'tokens' parameter of LanguageModel must not have {name!r}, which is for documents with "
                    f"labels; got {name}={given[name]!r}."
                )
        return options

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    @fit_context
    def fit(self, X: TextsLike, y: object = None) -> Self:
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
    def partial_fit(self, X: TextsLike, y: object = None) -> Self:
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

    def log_prob(self, X: TextsLike) -> Array:
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

    def perplexity(self, X: TextsLike) -> float:
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

    def _scores(self, X: TextsLike) -> tuple[Array, float]:
        check_is_fitted(self, "posterior_")
        words, matrix = learn(X, self._analysis, "X")
        return log_probability(self.posterior_, self._known.slots(words), matrix), float(matrix.sum())

    def _learn(self, X: TextsLike, fresh: bool) -> None:
        options = self._options()
        self._analysis = options.analysis
        counter = WordCounter(self._analysis, 1)
        counter.add(X, None, name="X")
        found = counter.result()
        if fresh:
            words = options.vocabulary
            self._known = self._met(found.words) if words is None else Vocabulary.of(list(words))
            self.words_ = np.append(self._known.strings, np.array([self.unknown], object))
        counts = self._known.counts(found.words, found.frequency)
        self.counts_ = counts if fresh else self.counts_ + counts
        self.posterior_ = self._prior().update(counts=self.counts_)

    def _card_parts(self) -> Iterator[str]:
        order, total = np.argsort(-self.counts_, kind="stable"), float(self.counts_.sum())
        yield figures({"words": len(self.words_), "counted": total})
        shares = self.counts_[order] / max(total, 1.0)
        yield from parts_of_weights(self.words_[order[:MOST]], shares[:MOST], "word", "share", len(order))

    def _get_state(self) -> State:
        check_is_fitted(self, "posterior_")
        return {
            "schema": {"analysis": self._analysis, "known": self._known},
            "statistics": {"counts": self.counts_},
        }

    def _set_state(self, state: State) -> None:
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
        given: object = self.alpha
        if isinstance(given, Real):
            return Dirichlet(np.full(len(self.words_), float(given)))
        prior = self.alpha if isinstance(self.alpha, Dirichlet) else Dirichlet(self.alpha)
        if prior.alpha.shape != (len(self.words_),):
            raise PriorError(
                f"The 'alpha' parameter of LanguageModel must be one number, or {len(self.words_)}: one per word and "
                f"one for the unknown; got shape {prior.alpha.shape}."
            )
        return prior
