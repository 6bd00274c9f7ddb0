"""A language model of single words."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from numpy.typing import ArrayLike

from suffice.errors import DataError, InputError, KindError
from suffice.estimators.shell.atomic import snapshot
from suffice.estimators.shell.parameters import LOO, Constraints, Interval, StrOptions, Tags, fit_context
from suffice.estimators.texts.next_words import NextWords
from suffice.estimators.texts.options import CUT_OPTIONS, TextOptions, params_of_texts
from suffice.models.likelihoods.unigram import Smoothing
from suffice.models.likelihoods.vocabulary import Vocabulary
from suffice.posterior import Dirichlet
from suffice.stats.word_counts import WordCounter
from suffice.text import WordList
from suffice.text.folding import as_read
from suffice.text.tokens import alike
from suffice.typing import TextsLike

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
"""Defaults of the options for labelled documents, which a language model does not use."""


class LanguageModel(NextWords):
    """Unigram language model: words drawn independently from a vocabulary, with one slot for unknown words.

    Parameters
    ----------
    vocabulary : list of str, default=None
        Known words, processed like texts: by default "Mary" matches "mary". Words that become equal, or that no text
        can contain, are refused. If not given, the words of the first texts and of the background.
    alpha : float, array of shape (n_words + 1,) or Dirichlet, default=1.0
        Pseudo-count: one for every word, or one per word with the unknown slot last.
    unknown : str, default="unk"
        Name of the slot for unknown words; a word of that name in a text is counted there too.
    ngram_range : tuple of int, default=None
        Smallest and largest number of words in a token; (1, 1) if not given.
    tokens : Tokens or vectorizer of scikit-learn, default=None
        How texts are split into words: by default, runs of two or more letters or digits. A ``CountVectorizer`` gives
        its options, including ``vocabulary`` and ``ngram_range``. Stop words are left out and do not count as unknown.
    background : fitted LanguageModel, default=None
        Model to back off to where texts are few, as it is at the time of learning. Words it does not know share half of
        the probability of its unknown slot equally.
    smoothing : {"dirichlet", "jelinek_mercer"}, default="dirichlet"
        How the background is used. "dirichlet" makes it a prior worth μ words, (N_w + μ p_w) / (N + μ), which many
        texts outweigh. "jelinek_mercer" mixes it in with a fixed share λ, (1 − λ) N_w/N + λ p_w; ``posterior_`` then
        depends on the texts and ``alpha`` alone.
    strength : float or "loo", default="loo"
        μ, or λ up to 1. "loo" maximizes the leave-one-out likelihood of the training words, and gives the background
        the weight of at least one word.

    Attributes
    ----------
    words_ : ndarray of str
        The vocabulary in its given order, and last the unknown slot. All arrays below follow this order.
    counts_ : ndarray of shape (n_words + 1,)
        Number of occurrences of each word.
    posterior_ : Dirichlet
        Posterior of the word probabilities.
    n_texts_ : float
        Number of texts learned; NaN if loaded from a file that does not store it.
    background_ : ndarray of shape (n_words + 1,)
        Probability of each word under the background, if there is one.
    strength_ : float
        μ or λ, if there is a background.

    Examples
    --------
    A nursery rhyme, of which only some words are known:

    >>> import suffice as sf
    >>> words = ["Mary", "lamb", "little", "big", "fleece", "white", "black", "snow", "rain"]
    >>> model = sf.LanguageModel(words, tokens=sf.Tokens(stop_words=["a", "as"])).fit(
    ...     ["Mary had a little lamb, little lamb, little lamb", "Mary had a little lamb, its fleece was white as snow"]
    ... )
    >>> model.counts_
    array([2., 4., 4., 0., 1., 1., 0., 1., 0., 4.])
    >>> model.posterior_.predict().probabilities * 27
    array([3., 5., 5., 1., 2., 2., 1., 2., 1., 5.])
    >>> model.probabilities()["unk"] == 5 / 27
    True
    >>> model.top(3)
    What comes next:
        0.1852  lamb
        0.1852  little
        0.1852  unk
    >>> model.mode["Mary"] == 2 / 17
    True
    >>> round(model.perplexity(["little black lamb", "white rain"]), 2)
    12.35

    With only a few texts, a background model of other texts helps:

    >>> english = sf.LanguageModel().fit(["the lamb was little and white", "Mary had a lamb and the lamb had Mary"])
    >>> backed = sf.LanguageModel(background=english, strength=10).fit(["Mary had a little lamb"])
    >>> backed.top(2)
    What comes next:
        0.1957  lamb
        0.1646  had
    >>> round(sum(backed.probabilities().values()), 12)
    1.0
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "alpha": [Interval(Real, 0, None, closed="neither"), "array-like", Dirichlet],
        "unknown": [str],
        "background": "no_validation",  # checked with errors that say more
        "smoothing": [StrOptions({"dirichlet", "jelinek_mercer"})],
        "strength": [Interval(Real, 0, None, closed="neither"), LOO],
        **{name: CUT_OPTIONS[name] for name in ("vocabulary", "ngram_range", "tokens")},
    }

    def __init__(
        self,
        vocabulary: Iterable[str] | None = None,
        *,
        alpha: float | ArrayLike | Dirichlet = 1.0,
        unknown: str = "unk",
        ngram_range: tuple[int, int] | None = None,
        tokens: TokensLike | None = None,
        background: LanguageModel | None = None,
        smoothing: Smoothing = "dirichlet",
        strength: float | Literal["loo"] = "loo",
    ) -> None:
        self.vocabulary = vocabulary
        self.alpha = alpha
        self.unknown = unknown
        self.ngram_range = ngram_range
        self.tokens = tokens
        self.background = background
        self.smoothing = smoothing
        self.strength = strength

    _params_in_files = params_of_texts

    def _validate_params(self) -> None:
        super()._validate_params()
        self._options()
        if self.background is not None:
            self._check_backing()

    def _check_backing(self) -> None:
        """Raise where a background is none, or parameters exclude each other."""
        if not isinstance(self.background, LanguageModel):
            raise KindError(
                "The 'background' parameter of LanguageModel must be a fitted LanguageModel or None; got "
                f"{type(self.background).__name__}."
            )
        if self.smoothing == "dirichlet" and not (isinstance(self.alpha, Real) and self.alpha == 1):
            raise InputError(
                "The 'alpha' parameter of LanguageModel must be left at 1.0 where smoothing='dirichlet' makes the "
                f"prior of the 'background'; got {self.alpha!r}. Say by 'strength' what it is worth."
            )
        if self.smoothing == "jelinek_mercer" and not isinstance(self.strength, str) and self.strength > 1:
            raise InputError(
                "The 'strength' parameter of LanguageModel must be a share up to 1 where smoothing='jelinek_mercer'; "
                f"got {self.strength!r}."
            )

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

    def __sklearn_clone__(self) -> Self:
        twin: Self = super().__sklearn_clone__()
        twin.background = self.background  # which has learned, and is read only
        return twin

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
        """Learn from more texts. With a given vocabulary, any split into batches gives the same model as one fit.
        Otherwise the vocabulary is that of the first batch, and later new words count as unknown.

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

    def _learn(self, X: TextsLike, fresh: bool) -> None:
        options, behind = self._options(), self._behind()
        self._analysis = options.analysis
        if behind is not None:
            self._check_alike(behind)
        counter = WordCounter(self._analysis, 1)
        counter.add(X, None, name="X")
        found = counter.result()
        if fresh:
            self._known = self._vocabulary(options, found.words, behind)
        counts, texts = self._known.counts(found.words, found.frequency), float(found.n.sum())
        self.counts_, self.n_texts_ = (counts, texts) if fresh else (self.counts_ + counts, self.n_texts_ + texts)
        self._believe(None if behind is None else self._known.coarsened(behind._known, behind._unigram.probabilities))

    def _vocabulary(self, options: TextOptions, met: WordList, behind: LanguageModel | None) -> Vocabulary:
        """Return the words that are given; or those that texts and background have, sorted."""
        if options.vocabulary is not None:
            words = as_read(options.vocabulary, self._analysis, "LanguageModel")
            self._check_slot(options.vocabulary, words)
            return Vocabulary.of(words, options.vocabulary)
        words_of = Vocabulary.of([]) if behind is None else behind._known
        known = words_of.with_words(met, self.unknown)
        if not len(known.words):
            raise DataError("The argument 'X' must hold words, or there must be a 'vocabulary'; got texts without any.")
        return known

    def _check_slot(self, given: Iterable[str], words: list[str]) -> None:
        """Raise InputError where a word is read as the name of the slot for unknown words."""
        called = next((name for name, word in zip(given, words, strict=True) if word == self.unknown), None)
        if called is not None:
            raise InputError(
                f"The 'vocabulary' parameter of LanguageModel must not hold the name of the slot for unknown words; "
                f"got {called!r}, which is read as {self.unknown!r}. Leave it out, or choose another name by 'unknown'."
            )

    def _behind(self) -> LanguageModel | None:
        """Return the background as it is now; raise InputError unless it is fitted, and parameters go with it."""
        if self.background is None:
            return None
        if not hasattr(self.background, "posterior_"):
            raise InputError(
                "The 'background' parameter of LanguageModel must be a fitted LanguageModel; got one that has learned "
                "nothing. Fit it first."
            )
        return snapshot(self.background)

    def _check_alike(self, behind: LanguageModel) -> None:
        if behind._analysis != self._analysis:
            raise InputError(
                "The 'background' parameter of LanguageModel must read words as this model does; got one with other "
                "'tokens' or 'ngram_range'. Give both the same."
            )
