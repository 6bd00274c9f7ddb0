"""Classify raw text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError, LabelError
from suffice.estimators.shell.atomic import query
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.journals import Book
from suffice.estimators.shell.merging import Counter
from suffice.estimators.shell.parameters import (
    CHECKS,
    ClassPriorLike,
    Constraints,
    Estimate,
    Tags,
    Tempering,
    constraints_of,
)
from suffice.estimators.texts.options import (
    TEXT_DOMAINS,
    URNS,
    ChosenTokens,
    TextModel,
    TextOptions,
    params_of_texts,
    transforms,
)
from suffice.estimators.texts.text_answers import TextAnswers
from suffice.estimators.texts.token_choice import (
    check_unchanged,
    of_same_tokens,
    of_words_left,
    tokens_chosen,
    wanted_of,
)
from suffice.models.answers.derived import parameter_intervals
from suffice.models.choosing.chooser import Effort, Settled, Wanted
from suffice.models.model import Block, Model
from suffice.models.predictor import Predictor
from suffice.models.scoring.linear import FittedTransform
from suffice.models.views import Views
from suffice.posterior import Beta, Dirichlet
from suffice.readers.labels import Examples, Given, check_kinds_of_labels, classes_and_codes, labelled
from suffice.readers.one_block import KeptTexts, TextReader
from suffice.stats import ClassCounts
from suffice.stats.word_counts import WordCounter, WordCounts, read_weights
from suffice.telling import tell
from suffice.text import Analysis, TermWeighting, WordList, learn, look_up
from suffice.text.documents import must_be_one_column
from suffice.typing import (
    Array,
    GroupsLike,
    JournalKey,
    Label,
    LabelArray,
    LabelsLike,
    TextsLike,
    WeightsLike,
)  # fmt: skip
from suffice.waiting import Waiting

if TYPE_CHECKING:
    from suffice.estimators.texts.vectorizer import TokensLike


def transformed_counts(
    estimator: TextClassifier, examples: Examples, options: TextOptions
) -> tuple[WordCounts, FittedTransform]:
    """Count documents after their transform; return the counts and the fitted transform."""
    how, tokens, cut = estimator.term_weighting or TermWeighting(), options.tokens, options.cut
    if estimator.model != "complement" or tokens.hash_bits is not None:
        raise InputError(
            "The 'term_weighting' parameter of TextClassifier can have 'sublinear_tf', 'use_idf' and 'normalize' "
            f"only with model='complement' and without 'hash_bits'; got model={estimator.model!r}, "
            f"hash_bits={tokens.hash_bits}."
        ).advise(python="Use model='complement', or leave these options out.")
    words, matrix = _read(examples.source, options.analysis, cut.words)
    rows = len(examples)
    if matrix.shape[0] != rows:
        found = f"{matrix.shape[0]:,}"
        raise LabelError("X", f"hold one text per label, {rows:,}").but(f"got {found}")
    if tokens.binary:
        matrix.data[:] = 1
    df = np.bincount(matrix.indices, minlength=len(words)).astype(np.float64)
    if cut.words is None:
        total = np.bincount(matrix.indices, matrix.data, len(words)).astype(np.float64)
        keep = cut.kept(df, total, rows)
        words, matrix, df = words.keep(keep), matrix[:, keep], df[keep]
    idf = np.log(rows / np.maximum(df, 1.0)) if how.use_idf else None  # a word without a document has that of one
    transform = FittedTransform(bool(how.sublinear_tf), idf, how.normalize)
    counts = WordCounts.of_matrix(transform(matrix), words, examples.codes, examples.weights, len(examples.classes))
    return counts, transform


def _read(texts: TextsLike, analysis: Analysis, vocabulary: WordList | None) -> tuple[WordList, Any]:
    """Return the words, and a sparse matrix documents × words; all words of the documents if no vocabulary is given."""
    if vocabulary is not None:
        return vocabulary, look_up(texts, analysis, vocabulary, "X")
    words, matrix = learn(texts, analysis, "X")
    if not len(words):
        raise DataError("X", "hold words").but(
            "got texts without any", python="By default a word has two letters or more; 'tokens' changes that."
        )
    return words, matrix


class TextBatchCounter(Counter):
    """Count texts batch by batch, with the words of all batches in one table."""

    _model: TextClassifier
    _words: WordCounter

    def __init__(self, estimator: TextClassifier, journal: JournalKey = None) -> None:
        super().__init__(estimator, journal)
        self._known: dict[Label, int] = {}  # label to code, in order of appearance
        self._classes = np.empty(0)

    def _count(self, examples: Examples) -> None:
        reader = self._model._reader
        if self.rows:
            check_kinds_of_labels(self._classes, examples.classes)
        else:
            self._classes, self._words = (
                examples.classes,
                WordCounter(reader.analysis, 1, reader.hash_bits, reader.bursts),
            )
        batches = list(reader.analysis.batches(examples.source, "X"))  # an unreadable text raises before any is counted
        for label in examples.classes.tolist():
            self._known.setdefault(label, len(self._known))
        self._words.grow(len(self._known))
        codes = np.array([self._known[label] for label in examples.classes.tolist()], np.int64)[examples.codes]
        at = 0
        for batch in batches:
            self._words.add_batch(batch, codes[at : at + len(batch)], None)
            at += len(batch)

    def result(self) -> TextClassifier | None:
        """Return a classifier fitted to all texts so far, without views; None if there were none."""
        if not self.rows:
            return None
        labels = np.array(list(self._known))
        classes = np.unique(labels)
        counts = self._words.result().with_classes(np.searchsorted(classes, labels), len(classes))
        block = Block(self._model._likelihoods(None, Views())["text"], counts)
        self._model._put(Model(classes, ClassCounts(counts.n), {"text": block}), Views(), stale=False)
        return self._model


class TextClassifier(TextAnswers, Classifier):
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
    _tags = ("string",)
    _transform: FittedTransform | None = None
    _tokens_chosen: ChosenTokens | None = None
    _waiting: Waiting | None = None  # only during a fit
    _params_in_files = params_of_texts
    _counter = TextBatchCounter

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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def _validate_params(self) -> None:
        super()._validate_params()
        TextOptions.of(self)

    def _uncut(self) -> dict[str, object]:
        return TextOptions.of(self).uncut()

    def _read(self, X: Given, y: LabelsLike, sample_weight: WeightsLike, first: bool) -> Examples:
        must_be_one_column(X, "X")
        labels = np.asarray(labelled(y))
        if labels.ndim != 1:
            raise LabelError("y", "hold one label per text").but(f"got shape {labels.shape}")
        if not len(labels):
            raise DataError("y", "hold at least one label").but("got none")
        classes, codes = classes_and_codes(labels, CHECKS)
        options = TextOptions.of(self)
        if first:
            self._tokens_chosen, self._transform, self._earlier_choices = None, None, ()
            options = TextOptions.of(self)
            self._reader = TextReader(options.analysis, options.tokens.hash_bits or 0, self.model in URNS)
        else:
            check_unchanged(self._reader, options)
        return Examples(X, classes, codes, read_weights(sample_weight, len(codes)))

    def _fit(self, examples: Examples, groups: GroupsLike, journal: JournalKey) -> Self:
        if not self._chooses:
            return super()._fit(examples, groups, journal)
        with tokens_chosen(self, examples, groups) as texts:
            return super()._fit(texts, groups, journal)

    def _watched(self, examples: Examples, book: Book | None, groups: GroupsLike) -> Examples:
        texts = examples.source
        if not isinstance(texts, Iterator):
            return examples
        form = lambda text: next(iter(self._reader.row_bytes([text])))  # noqa: E731
        texts = texts if book is None else iter(book.watch(texts, form))
        wanted = None if self.__sklearn_is_fitted__() else self._wanted(len(examples))
        most = 0 if wanted is None else wanted.sample_size
        kept = KeptTexts(texts, examples, self._reader, most, groups) if most else texts
        return replace(examples, source=kept)

    def _needs_all_rows(self) -> str:
        return "sublinear_tf, use_idf or normalize" if transforms(self) else ""

    def _refuse_parts(self, to: str) -> None:
        if not transforms(self) and self._transform is None:
            return
        options = "TextClassifier with sublinear_tf, use_idf or normalize cannot"
        if to == "learn":
            raise InputError(
                f"{options} learn in batches, since these options transform documents before they are counted."
            ).advise(python="Call fit with all texts.")
        raise InputError(
            f"{options} merge, forget, decay or leave out, since these options transform documents before they "
            "are counted."
        ).advise("Fit a new model to the texts you want.")

    def _count(self, examples: Examples) -> Model:
        if self.__sklearn_is_fitted__():
            self._refuse_parts("count")
        if transforms(self):
            counts, self._transform = transformed_counts(self, examples, TextOptions.of(self))
            block = Block(self._likelihoods(None, Views())["text"], counts)
            rows = Model.of(examples.classes, {}, {}, examples.labels).rows
            return Model(examples.classes, rows, {"text": block})
        likelihoods = self._likelihoods(None, Views())
        model = Model.of(examples.classes, likelihoods, self._reader.rows(examples.source), examples.labels)
        if not model.n.any():
            raise DataError("sample_weight", "give at least one text a weight above 0").but("got only zeros")
        return model

    def _chosen(
        self, predictor: Predictor, examples: Examples, groups: GroupsLike, settled: Settled | None
    ) -> tuple[Model, Views]:
        if isinstance(examples.source, KeptTexts):
            examples, which = examples.source.result()
            groups = None if groups is None else np.asarray(groups)[which]
        return super()._chosen(predictor, examples, groups, settled)

    def _models(self, others: Sequence[Classifier]) -> list[Model]:
        return of_same_tokens(self, super()._models(others), others)

    def _views_on(self, seen: Predictor, model: Model) -> Views:
        return of_words_left(seen, model)

    def _without(self, inside: Examples, outside: Examples, groups: GroupsLike, views: bool = True) -> Self:
        if self._transform is None:
            return super()._without(inside, outside, groups, views)
        fitted: Self = clone(self).fit(outside.source, outside.y, outside.weights, groups=groups)
        return fitted

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

    @query
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
