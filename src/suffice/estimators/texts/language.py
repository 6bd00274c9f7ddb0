"""A language model of single words: what it learns, and what it answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError, KindError, NoUniqueMode, PriorError
from suffice.estimators.shell.answering import bag
from suffice.estimators.shell.atomic import Atomic, query, snapshot
from suffice.estimators.shell.model_cards import bundle_of_estimator, card_of_estimator, parts_of_weights
from suffice.estimators.shell.parameter_domains import is_loo
from suffice.estimators.shell.parameters import LOO, Constraints, Interval, StrOptions, Tags, fit_context
from suffice.estimators.shell.stored import State
from suffice.estimators.texts.options import CUT_OPTIONS, TextOptions, params_of_texts
from suffice.models.drawn_rows import asked
from suffice.models.likelihoods.draws import Parameters
from suffice.models.likelihoods.unigram import Smoothing, TopWords, Unigram, backing_off, loo_strength
from suffice.models.likelihoods.vocabulary import Vocabulary
from suffice.notebook import MOST, figures
from suffice.posterior import Dirichlet
from suffice.stats.inputs import EXACT
from suffice.stats.word_counts import WordCounter
from suffice.text import Analysis, WordList, learn
from suffice.text.tokenization import as_read
from suffice.text.tokens import alike
from suffice.typing import Array, LabelArray, Rng, TextsLike

if TYPE_CHECKING:
    from suffice.estimators.texts.vectorizer import TokensLike

OF_DOCUMENTS: dict[str, object] = {
    "binary": False,
    "max_df": 1.0,
    "hash_bits": None,
    "min_df": None,
    "max_features": None,
}
"""Defaults of the options for labelled documents, which a language model does not use."""


ROUNDING = 1e-6
"""Tolerance of the sum of stored probabilities."""


class LanguageModel(Atomic, BaseEstimator):
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
        Number of texts learned.
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

    alpha: float | ArrayLike | Dirichlet
    smoothing: Smoothing
    strength: float | Literal["loo"]

    words_: LabelArray
    counts_: Array
    n_texts_: float
    posterior_: Dirichlet
    background_: Array
    strength_: float
    _analysis: Analysis
    _known: Vocabulary
    _unigram: Unigram
    _repr_html_, _repr_mimebundle_ = card_of_estimator, bundle_of_estimator

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
            self._check_backing(self.background)

    def _check_backing(self, background: object) -> None:
        """Raise where a background is none, or parameters exclude each other."""
        if not isinstance(background, LanguageModel):
            raise KindError("LanguageModel.background", "be a fitted LanguageModel or None").but(
                f"got {type(background).__name__}"
            )
        if self.smoothing == "dirichlet" and not (isinstance(self.alpha, Real) and self.alpha == 1):
            raise InputError(
                "LanguageModel.alpha",
                "be left at 1.0 where smoothing='dirichlet' makes the prior of the 'background'",
                got=self.alpha,
            ).advise(python="Say by 'strength' what it is worth.")
        if self.smoothing == "jelinek_mercer" and not isinstance(self.strength, str) and self.strength > 1:
            raise InputError(
                "LanguageModel.strength", "be a share up to 1 where smoothing='jelinek_mercer'", got=self.strength
            )

    def _options(self) -> TextOptions:
        """Return what words of texts are; raise InputError for options of documents, which this model does not know."""
        options = TextOptions.of(self)
        given = {**vars(options.tokens), **vars(options)}
        for name, usual in OF_DOCUMENTS.items():
            if not alike(given[name], usual):
                raise InputError("LanguageModel.tokens", f"not have {name!r}, which is for documents with labels").but(
                    f"got {name}={given[name]!r}"
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
            raise DataError("X", "hold words, or there must be a 'vocabulary'").but("got texts without any")
        return known

    def _check_slot(self, given: Iterable[str], words: list[str]) -> None:
        """Raise InputError where a word is read as the name of the slot for unknown words."""
        called = next((name for name, word in zip(given, words, strict=True) if word == self.unknown), None)
        if called is not None:
            raise InputError("LanguageModel.vocabulary", "not hold the name of the slot for unknown words").but(
                f"got {called!r}, which is read as {self.unknown!r}",
                python="Leave it out, or choose another name by 'unknown'.",
            )

    def _behind(self) -> LanguageModel | None:
        """Return the background as it is now; raise InputError unless it is fitted, and parameters go with it."""
        if self.background is None:
            return None
        if not hasattr(self.background, "posterior_"):
            raise InputError("LanguageModel.background", "be a fitted LanguageModel").but(
                "got one that has learned nothing", "Fit it first."
            )
        return snapshot(self.background)

    def _check_alike(self, behind: LanguageModel) -> None:
        if behind._analysis != self._analysis:
            raise InputError("LanguageModel.background", "read words as this model does").but(
                "got one with other 'tokens' or 'ngram_range'", "Give both the same."
            )

    def _card_parts(self) -> Iterator[str]:
        order, total = np.argsort(-self.counts_, kind="stable"), float(self.counts_.sum())
        yield figures({"words": len(self.words_), "counted": total})
        shares = self.counts_[order] / max(total, 1.0)
        yield from parts_of_weights(self.words_[order[:MOST]], shares[:MOST], "word", "share", len(order))

    @query
    def probabilities(self) -> dict[str, float]:
        """Return the predictive probability of each word, the unknown slot last."""
        check_is_fitted(self, "posterior_")
        return dict(zip(self.words_.tolist(), self._unigram.probabilities.tolist(), strict=True))

    @property
    def mode(self) -> dict[str, float]:
        """Mode of ``posterior_`` by word. With ``alpha=1`` and no background, it is each word's share of all words.

        ``probabilities()`` returns the posterior mean instead, and with ``smoothing="jelinek_mercer"`` mixes it with
        the background; the mode is not mixed. Raises NoUniqueMode if the posterior has no unique mode.
        """
        check_is_fitted(self, "posterior_")
        try:
            mode = self.posterior_.mode
        except NoUniqueMode:
            raise NoUniqueMode(
                "The posterior of this LanguageModel has no unique mode, because some words have a pseudo-count "
                "below 1."
            ).advise(python="Use probabilities() instead.") from None
        return dict(zip(self.words_.tolist(), mode.tolist(), strict=True))

    @query
    def top(self, k: int = 10) -> TopWords:
        """Return the most probable words, including the unknown slot.

        Parameters
        ----------
        k : int, default=10
            How many.

        Returns
        -------
        words : TopWords
            Rows of word and probability, the most probable first; of equally probable ones, the first of ``words_``.
        """
        check_is_fitted(self, "posterior_")
        number: object = k
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 0:
            raise InputError("LanguageModel.top.k", "be a whole number from 0 on", got=k)
        return self._unigram.top(self.words_, int(k))

    @query
    def log_prob(self, X: TextsLike) -> Array:
        """Return the log-probability of each text under the current word probabilities, which its words do not update.

        For the probability when each word updates those that follow (the Dirichlet-multinomial), use
        ``posterior_.log_evidence(counts=...)``.

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

    @query
    def perplexity(self, X: TextsLike) -> float:
        """Return the perplexity: how many equally probable words would be as hard to predict as those of the texts.

        A word that is not in the vocabulary counts, and has the probability of the unknown slot, whichever word it is.
        So perplexities can be compared only on the same texts and with the same vocabulary: a model without known words
        would predict every word as unknown, with perplexity near 1.

        Parameters
        ----------
        X : sequence or iterator of str
            Texts that the model has not learned.

        Returns
        -------
        perplexity : float
            exp of minus the mean log-probability of a word.
        """
        logs, n = self._scores(X)
        if n == 0:
            raise DataError("LanguageModel.perplexity.X", "hold words").but("got texts without any")
        return float(np.exp(-logs.sum() / n))  # DM-8

    def sample(
        self,
        n: int | None = None,
        *,
        length: int | Sequence[int] | Array | None = None,
        parameters: Parameters = "estimate",
        rng: Rng = None,
    ) -> list[dict[str, int]]:
        """Draw texts from the model as bags of words; word order does not matter to it.

        Parameters
        ----------
        n : int, default=None
            How many texts; one if not given.
        length : int or array-like of shape (n,), default=None
            How many words a text has. The model does not describe it; if not given, it is drawn from a Poisson
            distribution whose mean is the mean length of the texts that were learned.
        parameters : {"estimate", "each", "once"}, default="estimate"
            "estimate" draws words by ``probabilities()``. "each" draws the probabilities of each text from
            ``posterior_`` (the posterior predictive), "once" draws them once for all texts: a replicate of those that
            were learned. With smoothing="jelinek_mercer" these are mixed with the background.
        rng : int, Generator or None, default=None
            Seed of the draws.

        Returns
        -------
        texts : list of dict
            How often each text has each of its words, the unknown slot among them.

        Examples
        --------
        >>> import suffice as sf
        >>> model = sf.LanguageModel().fit(["tea with milk", "more tea"])
        >>> model.sample(2, length=4, rng=0)
        [{'milk': 1, 'tea': 3}, {'more': 2, 'with': 1, 'unk': 1}]
        """
        check_is_fitted(self, "posterior_")
        rows = 1 if n is None else n
        draw = asked(rows, parameters, length, rng)
        mean = self.counts_.sum() / self.n_texts_ if self.n_texts_ else np.nan
        if length is None and not np.isfinite(mean):
            raise InputError("LanguageModel.sample.length", "be given where the model has learned no texts").but(
                "got None"
            )
        drawn = self._unigram.sample(replace(draw, codes=np.zeros(rows, np.int64)), float(mean))
        return [bag(self.words_, row) for row in drawn]

    def _scores(self, X: TextsLike) -> tuple[Array, float]:
        check_is_fitted(self, "posterior_")
        words, matrix = learn(X, self._analysis, "X")
        return self._unigram.log_probability(self._known.slots(words), matrix), float(matrix.sum())

    def _believe(self, background: Array | None) -> None:
        """Set the attributes that follow from the counts and the background probabilities."""
        self.words_ = np.append(self._known.strings, np.array([self.unknown], object))
        prior, counts = self._prior(), self.counts_
        if background is None:
            for name in {"background_", "strength_"} & {*vars(self)}:
                delattr(self, name)
            self._unigram = Unigram(counts, prior.update(counts=counts))
        else:
            given = loo_strength(counts, background, self.smoothing) if is_loo(self.strength) else float(self.strength)
            self.background_, self.strength_ = background, given
            self._unigram = backing_off(counts, background, self.smoothing, given, prior)
        self.posterior_ = self._unigram.belief

    def _get_state(self) -> State:
        check_is_fitted(self, "posterior_")
        schema = {"analysis": self._analysis, "known": self._known}
        behind = {"background": self.background_} if hasattr(self, "background_") else {}
        return {"schema": schema, "statistics": {"counts": self.counts_, "texts": self.n_texts_, **behind}}

    def _set_state(self, state: State) -> None:
        analysis, known, counts = state["schema"]["analysis"], state["schema"]["known"], state["statistics"]["counts"]
        if not isinstance(analysis, Analysis) or not isinstance(known, Vocabulary):
            raise DataError("A language model", "have a vocabulary, and say what a word is")
        texts, background = state["statistics"]["texts"], state["statistics"].get("background")
        if np.shape(counts) != (known.size,) or not ((counts >= 0) & (counts <= EXACT)).all():
            raise DataError("The counts of a language model", f"be {known.size} numbers from 0 on")
        if type(texts) is not float or not 0 <= texts <= EXACT:
            raise DataError("The number of texts", "be one from 0 on", got=texts)
        if background is not None and not _is_distribution(background, known.size):
            raise DataError("What a background says", f"be {known.size} probabilities that add up to 1")
        self._analysis, self._known, self.counts_, self.n_texts_ = analysis, known, counts, texts
        self._believe(background)

    def _prior(self) -> Dirichlet:
        given: object = self.alpha
        if isinstance(given, Real):
            return Dirichlet(np.full(len(self.words_), float(given)))
        prior = self.alpha if isinstance(self.alpha, Dirichlet) else Dirichlet(self.alpha)
        if prior.alpha.shape != (len(self.words_),):
            raise PriorError(
                "LanguageModel.alpha", f"be one number, or {len(self.words_)}: one per word and one for the unknown"
            ).but(f"got shape {prior.alpha.shape}")
        return prior


def _is_distribution(p: object, size: int) -> bool:
    """Return whether an array holds `size` positive probabilities that sum to one."""
    array = p if isinstance(p, np.ndarray) and p.dtype == np.float64 and p.shape == (size,) else np.zeros(1)
    return bool((array > 0).all() and abs(array.sum() - 1) < ROUNDING)
