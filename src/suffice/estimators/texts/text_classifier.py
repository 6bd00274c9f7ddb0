"""A classifier of raw text."""

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
    """Naive Bayes for raw text: one pass from strings to counts, no document-term matrix.

    Texts are a list, a tuple, an array or a Series of any library (Arrow is read in place), or an iterator, streamed in
    batches. Tokens are those of scikit-learn's ``CountVectorizer``, found by a compiled tokenizer, or those of your
    ``sf.Tokens``. What is kept are counts of words by class, for the pairs that occur: a million words and a thousand
    classes need no table of both.

    Parameters
    ----------
    model : {"multinomial", "bernoulli", "complement", "dirichlet_multinomial", "edcm"}, default="multinomial"
        How a class makes documents: by drawing words, by having each word or not, as what the other classes are not, or
        in bursts (see ``DirichletMultinomialNB``; "edcm" is its approximation).
    estimate : {"mle", "map", "mean", "predictive"}, default="mean"
        How probabilities of words are estimated. "predictive" integrates them out: "multinomial" then scores the whole
        document by the Dirichlet-multinomial, for "bernoulli" it equals "mean". The others have only one way.
    alpha : float, Dirichlet, Beta, "evidence" or "loo", default=None
        Pseudo-count added to every word; 0 for none. If not given, "multinomial" chooses the one with which most of the
        texts predict the others best, or, for fewer than 200 texts, an eighth of the mean count of a word in a class,
        at most 1; the bursty models have 0.03 one-word documents per word, and the others 1. "evidence", for
        "multinomial" and "bernoulli", finds the one that makes the training texts most probable; "loo", not for the
        bursty models, the one with the lowest leave-one-out log loss. A Dirichlet has one for each word of
        ``vocabulary``, for "multinomial"; a Beta has those of a word being present and absent, for
        "bernoulli".
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=1.0
        Belief about the classes. A number is a pseudo-count of each, however many there are, a Dirichlet has one for
        each; `estimate` says what is made of it and the counted rows. "counted" takes the shares of the rows as they
        are, "uniform" gives each class the same; probabilities in an array are not changed by rows.
    ngram_range : tuple of int, default=None
        Words in a token, at least and at most. If not given, texts choose: words, words and pairs, or, where texts are
        short or words are not set apart, letters.
    vocabulary : list of str, default=None
        The words of the model, met or not. The counts keep all words. If not given, those that the texts have.
    min_df : int or float, default=None
        Words in fewer documents, or a smaller share of them, are left out of the model; the counts keep them. If not
        given it is 1, or 2 where texts chose other tokens than single words.
    max_features : int, default=None
        At most so many words, the most frequent ones. The counts keep all.
    tokens : Tokens or vectorizer of scikit-learn, default=None
        What a document's tokens are. A ``CountVectorizer``, ``TfidfVectorizer`` or ``HashingVectorizer`` says so by its
        options, those of the four parameters above included. Counts are made of tokens, never tf-idf weights.
    term_weighting : TermWeighting, default=None
        What is made of the counts of a document's words.
    temper : float, "loo" or None, default="loo"
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by leave-one-out on the
        rows that are given to fit. The class prior is not tempered.
    length_exponent : float, "loo" or None, default="loo"
        How the power falls with a document's length n: the temper is divided by n to this exponent. "loo" chooses it
        with the temper, and stands for 0 where that is given, or None; None is 0.
    feature_weights : "loo" or None, default="loo"
        Evidence weights, for "multinomial": an exponent for each word, so that what several words say counts once. They
        are those with which each text is predicted best by what the others taught.
    ridge : float, default=None
        How strongly weights are held at one. If not given, that with which most of the texts predict the others best.
    effort : {"fast", "balanced", "best"}, default="balanced"
        How much time is spent on choices: ``choices_`` lists them. "fast" reads the texts once: single words, no
        weights. "balanced" lets texts outside the counts choose tokens, pseudo-count, weights, residuals and a floor,
        by 50,000 texts at most, picked by their content: their order changes nothing. "best" takes 200,000 texts, all
        of which judge, part by part, and tries more.
    memory_limit : int, default=2_000_000_000
        Bytes that fitting the weights may take; where that is too little for so many texts, fewer do.
    verbose : bool, default=False
        Whether to write lines to standard error that say how long choices will take, and how far they are. Otherwise a
        terminal has a bar where they take more than five seconds.

    Attributes
    ----------
    alpha_ : float, Dirichlet or Beta
        The pseudo-counts in use.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    class_count_ : ndarray of shape (n_classes,)
        Documents of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    ngram_range_ : tuple of int
        Words in a token, at least and at most.
    min_df_ : int or float
        Documents, or the share of them, that a word of the model is in at least.
    words_ : ndarray of str
        The words of the model, sorted.
    feature_weights_ : ndarray of shape (n_words,)
        Their evidence weights: near 0 where other words have said it already.
    choices_ : Choices
        What was chosen by texts outside the counts, and what else was tried.
    counts_ : WordCounts
        All that was counted.

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
        feature_weights: Literal["loo"] | None = "loo",
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
        self.feature_weights = feature_weights
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
        if self.model in URNS and settled.urns.late:  # what does not converge is warned of at once
            late = settled.urns.late
            tell(
                f"The urns of {len(late)} of {len(self.classes_)} classes need more steps, "
                f"{str(self.classes_[late[0]])!r} among them.",
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
        """All that was counted."""
        counts: WordCounts = self._block.statistic
        return counts

    @property
    def ngram_range_(self) -> tuple[int, int]:
        """Words in a token, or letters, at least and at most: as given, or as texts chose."""
        check_is_fitted(self)
        return self._reader.analysis.ngram_range

    @property
    def min_df_(self) -> float:
        """Documents, or the share of them, that a word is in at least: as given, or as texts chose."""
        cut: Any = getattr(self._block.likelihood, "cut", None)  # urns leave no word out
        return 1 if cut is None else cut.min_df

    @property
    def words_(self) -> LabelArray:
        """The words of the model, sorted; empty if they are hashed."""
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
    def feature_weights_(self) -> Array:
        """The evidence weight of each of ``words_``: near 0 where other words have said it already."""
        check_is_fitted(self)
        powers = self._block.powers(self._predictor.views.weights)
        return np.ones(self._block.t.width) if powers is None else powers

    def feature_interval(self, level: float = 0.9) -> Any:
        """Return bounds of the probability of each word in each class, which hold it with probability `level`.

        Parameters
        ----------
        level : float, default=0.9
            Probability that the bounds hold, the same outside on each side.

        Returns
        -------
        lower, upper : ndarrays of shape (n_classes, n_words)
            Words in the order of ``words_``. Every word of every class has a number: mind the memory.
        """
        check_is_fitted(self)
        return self._block.settled.intervals(self._block.t, level)

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
