"""A classifier of raw text."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from suffice.errors import InputError, LabelError
from suffice.estimators.algebra import all_or_nothing
from suffice.estimators.counts import EVIDENCE
from suffice.estimators.shared import ESTIMATES, classes_and_codes
from suffice.estimators.text_counts import URNS, TextCounts, labels_of_texts
from suffice.estimators.text_views import EFFORTS, kept
from suffice.estimators.views import TEMPER
from suffice.estimators.words import TEXT_OPTIONS
from suffice.models import texts
from suffice.posterior import Dirichlet
from suffice.text.analysis import DEFAULT_PATTERN

__all__ = ["TextClassifier"]


class TextClassifier(TextCounts):
    """Naive Bayes for raw text: one pass from strings to counts, no document-term matrix.

    Texts are a list, a tuple, a numpy array, a pandas or polars Series, an Arrow array (read in place) or any iterator
    (streamed in batches). Tokens are those of scikit-learn's ``CountVectorizer``, found by a compiled tokenizer; a
    ``tokenizer``, ``preprocessor`` or ``token_pattern`` of your own works too, at the speed of Python. What is kept are
    counts of words by class, for the pairs that occur: a million words and a thousand classes need no table of both.

    Parameters
    ----------
    model : {"multinomial", "bernoulli", "complement", "dirichlet_multinomial", "edcm"}, default="multinomial"
        How a class makes documents: by drawing words, by having each word or not, as what the other classes are not, or
        in bursts (see ``DirichletMultinomialNB``; "edcm" is its approximation).
    estimate : {"mle", "map", "mean", "predictive"}, default="mean"
        How probabilities of words are estimated. "predictive" integrates them out: "multinomial" then scores the whole
        document by the Dirichlet-multinomial, for "bernoulli" it equals "mean". The others have only one way.
    alpha : float, "evidence" or "loo", default=None
        Pseudo-count added to every word; 0 for none. If not given, "multinomial" chooses the one with which most of the
        texts predict the others best (1 where they are fewer than 50), the bursty models have 0.03 one-word documents
        per word, and the others 1. "evidence", for "multinomial" and "bernoulli", finds the one that makes the training
        texts most probable; "loo", not for the bursty models, that of least leave-one-out log loss.
    fit_prior : bool, default=True
        Whether to learn the class prior from the data; otherwise it is uniform.
    class_prior : array of shape (n_classes,) or Dirichlet, default=None
        Class probabilities that the data do not change, or a belief that they do.
    norm : bool, default=False
        For "complement": whether to divide each class's weights by their sum.
    sublinear_tf : bool, default=None
        Whether a word that comes x times in a text counts for 1 + ln x when the text is classified, not for x. By
        default so for "multinomial", unless the estimate is "predictive". For "complement" it is ln(1 + x), taken
        before words are counted.
    use_idf, normalize : bool, default=False
        For "complement": times ln(N / document frequency), and divided by the document's length. These, and its
        ``sublinear_tf``, need the texts in memory, and a model fitted with them cannot learn more.
    analyzer, ngram_range, lowercase, strip_accents, stop_words, token_pattern, tokenizer, preprocessor, encoding, \
decode_error
        What a document's tokens are, as in scikit-learn's ``CountVectorizer``.
        ``ngram_range`` is (1, 1) if not given, and (1, 2) with ``effort="best"``.
    binary : bool, default=False
        Whether a word counts once per document at most.
    min_df, max_df : int or float, default=None and 1.0
        Words in fewer or more documents (or shares of them) are left out of the model. The counts keep them. If not
        given, ``min_df`` is 1, or 2 if ``effort="best"`` chose the n-grams.
    max_features : int, default=None
        At most so many words, the most frequent ones. The counts keep all.
    hash_bits : int, default=None
        Count 2**hash_bits buckets of words instead of words by name, for memory that does not grow.
    temper : float, pair of floats, "loo" or None, default="loo"
        Power that likelihoods are raised to, so that probabilities are honest, and an exponent of the
        document's length that it is divided by. "loo" chooses it by
        leave-one-out on the rows that are given to fit. The class prior is not tempered.
    weights : "loo" or None, default="loo"
        Evidence weights, for "multinomial": an exponent for each word, so that what several words say counts once. They
        are those with which each text is predicted best by what the others taught.
    ridge : float, default=None
        How strongly weights are held at one. If not given, that with which most of the texts predict the others best.
    effort : {"fast", "balanced", "best"}, default="balanced"
        "fast" reads the texts once and fits no weights. "balanced" fits them. "best" also counts pairs of words.
    memory_limit : int, default=2_000_000_000
        Bytes that fitting the weights may take; where that is too little for all texts, some do, picked by a hash.
    verbose : bool, default=False
        Whether to tell of each step while weights are fitted.

    Attributes
    ----------
    alpha_ : float
        The pseudo-count in use.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    class_count_ : ndarray of shape (n_classes,)
        Documents of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    words_ : ndarray of str
        The words of the model, sorted; empty if they are hashed.
    weights_ : ndarray of shape (n_words,)
        Their evidence weights: near 0 where other words have said it already.
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
    array([[0.75, 0.25]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "model": [StrOptions({"multinomial", "bernoulli", "complement", *URNS})],
        "estimate": [ESTIMATES],
        "alpha": [Interval(Real, 0, None, closed="left"), EVIDENCE, None],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", Dirichlet, None],
        "norm": ["boolean"],
        "sublinear_tf": ["boolean", None],
        "use_idf": ["boolean"],
        "normalize": ["boolean"],
        **TEXT_OPTIONS,
        "ngram_range": [tuple, None],
        "min_df": [*TEXT_OPTIONS["min_df"], None],
        "hash_bits": [Interval(Integral, 1, 30, closed="both"), None],
        "temper": TEMPER,
        "weights": [StrOptions({"loo"}), None],
        "ridge": [Interval(Real, 0, None, closed="neither"), None],
        "effort": [StrOptions(set(EFFORTS))],
        "memory_limit": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        model: str = "multinomial",
        *,
        estimate: Any = "mean",
        alpha: Any = None,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
        sublinear_tf: bool | None = None,
        use_idf: bool = False,
        normalize: bool = False,
        analyzer: Any = "word",
        ngram_range: tuple[int, int] | None = None,
        lowercase: bool = True,
        strip_accents: Any = None,
        stop_words: Any = None,
        token_pattern: str | None = DEFAULT_PATTERN,
        tokenizer: Any = None,
        preprocessor: Any = None,
        encoding: str = "utf-8",
        decode_error: str = "strict",
        binary: bool = False,
        min_df: float | None = None,
        max_df: float = 1.0,
        max_features: int | None = None,
        hash_bits: int | None = None,
        temper: Any = "loo",
        weights: Any = "loo",
        ridge: float | None = None,
        effort: str = "balanced",
        memory_limit: int = 2_000_000_000,
        verbose: bool = False,
    ) -> None:
        self.model = model
        self.estimate = estimate
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.sublinear_tf = sublinear_tf
        self.use_idf = use_idf
        self.normalize = normalize
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
        self.binary = binary
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.hash_bits = hash_bits
        self.temper = temper
        self.weights = weights
        self.ridge = ridge
        self.effort = effort
        self.memory_limit = memory_limit
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, journal: Any = None) -> Self:
        """Fit to texts and their labels, forgetting whatever was learned before.

        Parameters
        ----------
        X : sequence or iterator of str
            The texts.
        y : array-like of shape (n_texts,)
            Class labels.
        sample_weight : array-like of shape (n_texts,), default=None
            What each text counts for; one if not given.
        groups : array-like of shape (n_texts,), default=None
            Texts that belong together, such as those of one author or thread: each is left out with its whole group
            when pseudo-count, temper and weights are chosen.
        journal : bool, str or bytes, default=None
            Whether to keep a journal of rows, so that `forget` refuses others. A key of your own, which is not stored
            and needed again, keeps the journal from those who can guess rows.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        with all_or_nothing(self):
            self._declared, self._chosen = None, {}
            book = self._open(journal, labels_of_texts(y), sample_weight, first=True)
            X = kept(self._watched(X, book), labels_of_texts(y), self.effort, groups)
            self._learn(X, *classes_and_codes(labels_of_texts(y)), sample_weight, fresh=True)
            self._close(book, X)
            self._view("counts", self._kept)
            if self.model in URNS:  # what does not converge is told of at once
                self._view("urns", self._fit_urns)
            if self.alpha == "evidence":  # may be refused with "map": now, not later
                texts.pseudo_count(self._alpha, self.estimate)
            self._fit_views(X, labels_of_texts(y), sample_weight, groups)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, *, journal: Any = None
    ) -> Self:
        """Learn from more texts: what is counted is that of one fit, however texts are cut into batches.

        What is chosen by texts (by default pseudo-count, temper and weights of words) is chosen by the first batch and
        stays in force; ``stale_`` is True once it is older than the counts, and ``refresh`` with all texts chooses it
        anew: then the model is that of one fit. With a given ``alpha``, ``temper=None`` and ``weights=None`` nothing is
        chosen, and any batches make that model at once.

        Parameters
        ----------
        X : sequence or iterator of str
            The texts.
        y : array-like of shape (n_texts,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that can appear; needed at the first call, optional later.
        sample_weight : array-like of shape (n_texts,), default=None
            What each text counts for; one if not given.
        journal : bool, str or bytes, default=None
            As for `fit` in the first batch; later the key, if there is one.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        if self._transforms or getattr(self, "_transform", None) is not None:
            raise InputError(
                "TextClassifier with sublinear_tf, use_idf or normalize cannot learn in batches: they act on documents "
                "before these are counted. Use fit with all texts."
            )
        with all_or_nothing(self):
            first = not hasattr(self, "counts_")
            known = self._known_classes(classes, first)
            self._declared = known if first else self._declared
            self._chosen = {} if first else self._chosen
            book = self._open(journal, labels_of_texts(y), sample_weight, first)
            X = self._watched(X, book)
            X = kept(X, labels_of_texts(y), self.effort, None) if first else X
            seen, codes = classes_and_codes(labels_of_texts(y))
            strangers = np.setdiff1d(seen, known)
            if len(strangers):
                raise LabelError(f"The target label(s) {strangers} in y do not exist in the initial classes {known}.")
            self._learn(X, known, np.searchsorted(known, seen)[codes], sample_weight, fresh=first)
            self._close(book, X)
            if first:
                self._fit_views(X, labels_of_texts(y), sample_weight)
            self._stale = not first
        return self
