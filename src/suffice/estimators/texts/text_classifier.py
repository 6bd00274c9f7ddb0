"""Classify raw text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from suffice.estimators.shell.parameters import (
    ClassPriorLike,
    Constraints,
    Estimate,
    Tempering,
    class_prior_of,
    constraints_of,
)
from suffice.estimators.shell.predicting import Answer, D
from suffice.estimators.shell.stored import State
from suffice.estimators.texts.counting import ReadsTexts
from suffice.estimators.texts.options import TEXT_DOMAINS, URNS, TextModel, likelihood_of, transforms
from suffice.estimators.texts.stored_texts import restored, state_of
from suffice.estimators.texts.token_choice import wanted_of
from suffice.models.answers.features import parameter_intervals
from suffice.models.choosing.wanted import Effort, Wanted
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Block, Model, Name
from suffice.models.views import Views
from suffice.posterior import Beta, Dirichlet
from suffice.readers.labels import Given
from suffice.readers.one_block import are_bags, rows_of_bags
from suffice.stats.word_counts import WordCounts
from suffice.telling import tell
from suffice.text import TermWeighting
from suffice.typing import Array, LabelArray

if TYPE_CHECKING:
    from suffice.estimators.texts.vectorizer import TokensLike

__all__ = ["TextClassifier"]


class TextClassifier(ReadsTexts):
    """Naive Bayes for raw text: one pass from strings to counts, without a document-term matrix.

    Texts are a list, a tuple, an array or a Series of any library (Arrow is read in place), or an iterator, which is
    streamed in batches. A compiled tokenizer finds the tokens of scikit-learn's ``CountVectorizer``, or those that
    ``tokens`` describes. The model stores counts of the (word, class) pairs that occur, so a million words and a
    thousand classes need no dense table.

    Parameters
    ----------
    model : {"multinomial", "bernoulli", "complement", "dirichlet_multinomial", "edcm"}, default="multinomial"
        How a class generates documents. "multinomial" draws words; "bernoulli" decides for each word whether it occurs;
        "complement" describes a class by the words of all other classes; "dirichlet_multinomial" draws words in bursts
        (see ``DirichletMultinomialNB``), and "edcm" approximates it.
    estimate : {"mle", "map", "mean", "predictive"}, default="mean"
        How word probabilities are estimated: by maximum likelihood, by the posterior mode or mean, or not at all,
        because they are integrated out. With "predictive", "multinomial" scores a whole document by the
        Dirichlet-multinomial; "bernoulli" and "complement" predict as with "mean". The bursty models need "mean".
    alpha : float, Dirichlet, Beta, "evidence" or "loo", default=None
        Pseudo-count added to the count of every word; 0 disables smoothing. If not given, "multinomial" chooses it by
        log loss on held-out texts (with fewer than 200 texts it is an eighth of the mean count of a word in a class, at
        most 1; with estimate="predictive" it is 1), the bursty models use 0.03 one-word documents per word, and the
        other models use 1. "evidence", for "multinomial" and "bernoulli",
        maximizes the evidence of the training texts; "loo", not for the bursty models, minimizes the leave-one-out log
        loss. A Dirichlet, for "multinomial", holds one pseudo-count per word of ``vocabulary``; a Beta, for
        "bernoulli", holds the pseudo-counts of documents with and without a word.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=1.0
        Prior over the classes. A number is the pseudo-count of every class, a Dirichlet holds one per class; `estimate`
        says how pseudo-counts and rows are combined. "counted" uses the class frequencies of the rows, "uniform" gives
        every class the same probability, and an array fixes the probabilities.
    ngram_range : tuple of int, default=None
        Smallest and largest number of words in a token. If not given, training texts choose between single words,
        words with pairs of words, and, where texts are short or words are not separated, runs of 1 to 5 letters. Only
        "multinomial" with estimate="mean" and at least 200 texts chooses; otherwise, and with `partial_fit`, tokens are
        single words.
    vocabulary : list of str, default=None
        Words of the model, whether or not they occur in training texts. If not given, all words that occur. The counts
        keep all words either way.
    min_df : int or float, default=None
        Smallest number (int) or share (float) of documents with a word of the model; the counts keep rarer words. If
        not given, 1, or 2 where texts chose tokens other than single words.
    max_features : int, default=None
        Largest number of words in the model, which keeps the most frequent ones; the counts keep all words.
    tokens : Tokens or vectorizer of scikit-learn, default=None
        How documents are split into tokens. A ``CountVectorizer``, ``TfidfVectorizer`` or ``HashingVectorizer`` gives
        its token options, and the four parameters above. Tokens are counted: ``use_idf``, ``smooth_idf`` and ``norm``
        of a ``TfidfVectorizer`` are ignored, and ``sublinear_tf=True`` raises an error that names `term_weighting`.
    term_weighting : TermWeighting, default=None
        How the word counts of a document are transformed; see ``TermWeighting`` for the default of each model.
    temper : float, "loo" or None, default="loo"
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it on training texts that are left out of the counts; None is 1.
    length_exponent : float, "loo" or None, default="loo"
        Exponent of document length: a document of length n has the temper divided by n to this exponent. "loo" chooses
        it together with the temper, and is 0 if `temper` is a number or None; None is 0.
    feature_powers : "loo" or None, default="loo"
        Feature powers, for "multinomial": an exponent per word, so that what several words repeat counts
        once. "loo" fits them so that each text is predicted best from the others; it needs at least 200 texts, and at
        most 128 classes unless `ridge` is given or `effort` is "best". None gives every word power 1.
    ridge : float, default=None
        Strength of the ridge penalty that shrinks feature powers toward 1. If not given, it minimizes the log loss on
        held-out texts.
    effort : {"fast", "balanced", "best"}, default="balanced"
        How much time is spent on choices, which ``choices_`` lists. "fast" reads the texts once and uses single words
        without feature powers. "balanced" chooses tokens, pseudo-count, powers, residuals and a rate of wrong labels
        (label noise) by log loss on held-out texts; it uses at most 50,000 texts, selected by a hash of their content,
        so that the order of the texts does not matter. "best" uses up to 200,000 texts, holds out each part of them in
        turn, and tries more options.
    memory_limit : int, default=2_000_000_000
        Bytes that fitting the powers may use. If the texts need more, powers are fitted on fewer texts.
    verbose : bool, default=False
        Whether to print progress to standard error: a line for each stage, and the expected time. If False, a terminal
        shows a progress bar when choices take more than five seconds.

    Attributes
    ----------
    alpha_ : float, Dirichlet or Beta
        The pseudo-counts in use.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    class_count_ : ndarray of shape (n_classes,)
        Number of documents of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    ngram_range_ : tuple of int
        Smallest and largest number of words, or letters, in a token.
    min_df_ : int or float
        Smallest number, or share, of documents with a word of the model.
    words_ : ndarray of str
        The words of the model, sorted; empty if words are hashed.
    feature_powers_ : ndarray of shape (n_words,)
        The power of each word: near 0 if other words carry the same information.
    choices_ : Choices
        What was chosen on held-out texts, and the alternatives that were tried.
    counts_ : WordCounts
        The counts of all words by class, including words that the model leaves out.

    Examples
    --------
    >>> import suffice as sf
    >>> texts = ["cheap pills, cheap watches", "lunch at noon?", "watches for you", "are you at lunch"]
    >>> model = sf.TextClassifier().fit(texts, ["spam", "ham", "spam", "ham"])
    >>> model.predict(["cheap lunch for you", "pills"])
    array(['spam', 'spam'], dtype='<U4')
    >>> model.predict_proba(["lunch"]).round(2)
    array([[0.96, 0.04]])
    """

    _parameter_constraints: ClassVar[Constraints] = constraints_of(TEXT_DOMAINS)

    def __init__(
        self,
        model: TextModel = "multinomial",
        *,
        estimate: Estimate = "mean",
        alpha: float | Dirichlet | Beta | Literal["evidence", "loo"] | None = None,
        class_prior: ClassPriorLike = 1.0,
        ngram_range: tuple[int, int] | None = None,
        vocabulary: Iterable[str] | None = None,
        min_df: float | None = None,
        max_features: int | None = None,
        tokens: TokensLike | None = None,
        term_weighting: TermWeighting | None = None,
        temper: Tempering | None = "loo",
        length_exponent: Tempering | None = "loo",
        feature_powers: Literal["loo"] | None = "loo",
        ridge: float | None = None,
        effort: Effort = "balanced",
        memory_limit: int = 2_000_000_000,
        verbose: bool = False,
    ) -> None:
        self.model = model
        self.estimate = estimate
        self.alpha = alpha
        self.class_prior = class_prior
        self.ngram_range = ngram_range
        self.vocabulary = vocabulary
        self.min_df = min_df
        self.max_features = max_features
        self.tokens = tokens
        self.term_weighting = term_weighting
        self.temper = temper
        self.length_exponent = length_exponent
        self.feature_powers = feature_powers
        self.ridge = ridge
        self.effort = effort
        self.memory_limit = memory_limit
        self.verbose = verbose

    def _likelihoods(self, model: Model | None, views: Views) -> Mapping[Name, Likelihood]:
        return {"text": likelihood_of(self, model, views)}

    def _class_prior(self) -> ClassPrior:
        return class_prior_of(self, flat=self.model == "complement")

    def _settle(self, rows: int) -> None:
        block = self._block
        _ = block.t  # raises if no word is left
        settled: Any = block.settled
        if self.model in URNS and settled.urns.late:  # warns at the fit, not at the first prediction
            late = settled.urns.late
            tell(
                f"The urns of {len(late)} of {len(self.classes_)} classes did not converge, including that of "
                f"{str(self.classes_[late[0]])!r}. Probabilities of such classes may be off.",
                ConvergenceWarning,
            )

    def _wanted(self, rows: int) -> Wanted | None:
        return wanted_of(self)

    @property
    def _chooses(self) -> bool:
        given = isinstance(self.alpha, Beta | Dirichlet) or transforms(self)
        return self.model == "multinomial" and self.estimate == "mean" and self.effort != "fast" and not given

    @property
    def _block(self) -> Block:
        return self._model.blocks["text"]

    @property
    def counts_(self) -> WordCounts:
        """The counts of all words by class, including words that the model leaves out."""
        counts: WordCounts = self._block.statistic
        return counts

    @property
    def ngram_range_(self) -> tuple[int, int]:
        """The smallest and largest number of words, or letters, in a token: as given, or as chosen by texts."""
        check_is_fitted(self)
        return self._reader.analysis.ngram_range

    @property
    def min_df_(self) -> float:
        """The smallest number, or share, of documents with a word of the model: as given, or as chosen by texts."""
        cut: Any = getattr(self._block.likelihood, "cut", None)  # urns keep all words
        return 1 if cut is None else cut.min_df

    @property
    def words_(self) -> LabelArray:
        """The words of the model, sorted; empty if words are hashed."""
        words: LabelArray = self._block.t.words.strings
        return words

    @property
    def alpha_(self) -> float | Dirichlet | Beta:
        """The pseudo-counts in use."""
        settled: Any = self._block.settled
        if isinstance(self.alpha, Beta | Dirichlet):
            return self.alpha
        return float(np.ravel(settled.odds.a if self.model == "bernoulli" else settled.alpha)[0])

    @property
    def feature_powers_(self) -> Array:
        """The power of each of ``words_``: near 0 if other words carry the same information."""
        check_is_fitted(self)
        powers = self._block.powers(self._predictor.views.weights)
        return np.ones(self._block.t.width) if powers is None else powers

    def feature_interval(self, level: float = 0.9) -> Any:
        """Return credible intervals for the probability of each word in each class.

        Parameters
        ----------
        level : float, default=0.9
            Posterior probability of each interval; the tails on both sides are equal.

        Returns
        -------
        lower, upper : ndarrays of shape (n_classes, n_words)
            Bounds, with words in the order of ``words_``. Both arrays are dense, and large for a large vocabulary.
        """
        check_is_fitted(self)
        return parameter_intervals(self._block.settled, self._block.t, level)

    def _named_features(self) -> Sequence[Name]:
        t = self._block.t
        return range(t.width) if t.hash_bits else t.words.strings.tolist()

    def _answer(self, question: Answer[D], X: Given) -> NDArray[D]:
        check_is_fitted(self)
        if not are_bags(X) or self._reader.analysis.by_functions:
            return super()._answer(question, X)
        return self._answer_of(question, iter([{"text": rows_of_bags(X, self._block.t)}]))

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        super()._put(model, views, stale)
        if self.estimate == "map" or (isinstance(self.alpha, str) and self.alpha == "evidence"):
            _ = self._block.settled

    def _get_state(self) -> State:
        return state_of(self)

    def _set_state(self, state: State) -> None:
        restored(self, state)
