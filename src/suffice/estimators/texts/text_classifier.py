"""A classifier of raw text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError, LabelError
from suffice.estimators.naive_bayes.parameters import (
    CLASS_PRIOR,
    ESTIMATES,
    EVIDENCE,
    LENGTH_EXPONENT,
    RIDGE,
    TEMPER,
    class_prior_of,
    is_loo,
)
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.journals import Book
from suffice.estimators.shell.judging import length_exponent_of
from suffice.estimators.shell.sklearn_api import CHECKS, Interval, StrOptions
from suffice.estimators.shell.stored import State
from suffice.estimators.texts.counting import (
    KeptTexts,
    TextBatchCounter,
    labels_of_texts,
    refuse_transformed,
    transformed_counts,
    transforms,
)
from suffice.estimators.texts.options import (
    TEXT_OPTIONS,
    URNS,
    analysis_of,
    check_text_model,
    cut_of,
    restored,
    state_of,
)
from suffice.models.answers.parts import Tokens, Wording
from suffice.models.choosing.chooser import EFFORTS, Wanted
from suffice.models.choosing.judge import Judged
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.complement import Complement
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.likelihoods.polya import Polya
from suffice.models.model import Block, Model, Name
from suffice.models.scoring.linear import Transform
from suffice.models.views import Views
from suffice.readers.labels import Examples, classes_and_codes
from suffice.readers.one_block import TextReader, one_text
from suffice.stats.word_counts import WordCounts, read_weights
from suffice.telling import tell
from suffice.text.tokenization import DEFAULT_PATTERN
from suffice.typing import Array

__all__ = ["TextClassifier"]

WEIGHED = 200
"""Fewer documents than this cannot tell which words repeat each other: they have no evidence weights."""


class TextClassifier(Classifier):
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
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=1.0
        Belief about the classes. A number is a pseudo-count of each, however many there are, a Dirichlet has one for
        each; `estimate` says what is made of it and the counted rows. "counted" takes the shares of the rows as they
        are, "uniform" gives each class the same; probabilities in an array are not changed by rows.
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
    feature_weights_ : ndarray of shape (n_words,)
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
        "class_prior": CLASS_PRIOR,
        "norm": ["boolean"],
        "sublinear_tf": ["boolean", None],
        "use_idf": ["boolean"],
        "normalize": ["boolean"],
        **TEXT_OPTIONS,
        "ngram_range": [tuple, None],
        "min_df": [*TEXT_OPTIONS["min_df"], None],
        "hash_bits": [Interval(Integral, 1, 30, closed="both"), None],
        "temper": TEMPER,
        "length_exponent": LENGTH_EXPONENT,
        "feature_weights": [StrOptions({"loo"}), None],
        "ridge": RIDGE,
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
        class_prior: Any = 1.0,
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
        length_exponent: Any = "loo",
        feature_weights: Any = "loo",
        ridge: float | None = None,
        effort: str = "balanced",
        memory_limit: int = 2_000_000_000,
        verbose: bool = False,
    ) -> None:
        self.model = model
        self.estimate = estimate
        self.alpha = alpha
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
        self.length_exponent = length_exponent
        self.feature_weights = feature_weights
        self.ridge = ridge
        self.effort = effort
        self.memory_limit = memory_limit
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    _transform: Transform | None = None

    def _read(self, X: Any, y: Any, sample_weight: Any, first: bool) -> Examples:
        labels = labels_of_texts(y)
        if not len(labels):
            raise DataError("The argument 'y' must hold at least one label; got none.")
        classes, codes = classes_and_codes(labels, CHECKS)
        analysis, bits = analysis_of(self), self.hash_bits or 0
        if first:
            self._reader, self._transform = TextReader(analysis, bits, self.model in URNS), None
        else:
            self._check_unchanged(analysis, bits)
        return Examples(X, classes, codes, read_weights(sample_weight, len(codes)))

    def _check_unchanged(self, analysis: Any, bits: int) -> None:
        if self._reader.hash_bits != bits:
            raise InputError(
                f"The 'hash_bits' parameter of TextClassifier must stay {self._reader.hash_bits or None} once fitted; "
                f"got {self.hash_bits}."
            )
        if analysis != self._reader.analysis:
            raise InputError(
                "The parameters of TextClassifier that say what a token is must stay as they were at the first fit."
            )

    def _watched(self, examples: Examples, book: Book | None, groups: Any) -> Examples:
        texts = examples.source
        if not isinstance(texts, Iterator):
            return examples
        form = lambda text: next(iter(self._reader.row_bytes([text])))  # noqa: E731
        texts = texts if book is None else book.watch(texts, form)
        return replace(examples, source=KeptTexts.of(texts, len(examples), EFFORTS[self.effort], groups))

    def _learned(self, X: Any, y: Any, sample_weight: Any) -> Examples:
        examples = super()._learned(X, y, sample_weight)
        if not isinstance(X, Iterator) and self._reader.size(X) != len(examples):
            raise LabelError(
                f"The argument 'y' must hold one label per text, {self._reader.size(X):,}; got {len(examples):,}."
            )
        return examples

    def _judge(self, examples: Examples, groups: Any = None) -> Judged:
        refuse_transformed(self)
        return super()._judge(examples, groups)

    _counter = TextBatchCounter

    def _needs_all_rows(self) -> str:
        return "sublinear_tf, use_idf or normalize" if transforms(self) else ""

    def _count(self, examples: Examples) -> Model:
        if self.__sklearn_is_fitted__():
            refuse_transformed(self)
        likelihoods = self._likelihoods(None, Views())
        if transforms(self):
            counts, self._transform = transformed_counts(self, examples, self._reader.analysis)
            block = Block(self._likelihoods(None, Views())["text"], counts)
            rows = Model.of(examples.classes, {}, {}, examples.labels).rows
            return Model(examples.classes, rows, {"text": block})
        model = Model.of(examples.classes, likelihoods, self._reader.rows(examples.source), examples.labels)
        if not model.n.any():
            raise DataError(
                "The argument 'sample_weight' must give at least one text a weight above 0; got only zeros."
            )
        return model

    def _likelihoods(self, model: Model | None, views: Views) -> Mapping[Name, Likelihood]:
        check_text_model(self, model)
        alpha: Any = views.alpha if self.alpha in (None, "loo") else self.alpha
        alpha = (0.03 if self.model in URNS else 1.0) if alpha is None else alpha
        cut = cut_of(self)
        if self.model in URNS:
            return {"text": Polya(float(alpha), URNS[self.model])}
        if self.model == "complement":
            return {"text": Complement(alpha, self.norm, self.binary, cut, self._transform, self.estimate)}
        if self.model == "bernoulli":
            return {"text": Bernoulli.of(alpha, self.estimate, "words", cut)}
        damped = self.sublinear_tf is not False and self.estimate != "predictive"
        return {"text": Multinomial(alpha, self.estimate, damped, self.binary, cut)}

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
        if self._transform is not None:
            return None
        chooses = self.model == "multinomial" and self.estimate != "predictive"
        report = _report if self.verbose else None
        return Wanted(
            alpha="loo" if is_loo(self.alpha) else "held_out" if self.alpha is None and chooses else None,
            temper="held_out" if is_loo(self.temper) else None,
            weights="features" if is_loo(self.feature_weights) and chooses else None,
            ridge=self.ridge,
            least_rows=WEIGHED,
            alpha_bounds=(1.0, 10.0) if self.estimate == "map" else (1e-5, 10.0),
            length_exponent=length_exponent_of(self),
            effort=self.effort,  # type: ignore[arg-type]
            memory_limit=self.memory_limit,
            report=report,
        )

    def _choose(self, examples: Examples, groups: Any) -> None:
        kept = examples.source
        if not isinstance(kept, KeptTexts):
            super()._choose(examples, groups)
            return
        wanted = self._wanted(len(kept.which))
        if (
            wanted is not None
            and wanted.weights
            and self.effort != "fast"
            and len(kept.which) >= WEIGHED
            and len(self.classes_) > 1
        ):
            tell(
                "The argument 'X' is an iterator, read once: words have no evidence weights. Give a list for them, or "
                "effort='fast' if none are wanted.",
            )
        weights = None if examples.weights is None else examples.weights[kept.which]
        few = replace(examples, source=kept.texts, codes=examples.codes[kept.which], weights=weights)
        groups = None if groups is None else np.asarray(groups)[kept.which]
        self._choose_by(few, groups, None if wanted is None else replace(wanted, weights=None))

    @property
    def _block(self) -> Block:
        return self._model.blocks["text"]

    @property
    def counts_(self) -> WordCounts:
        """All that was counted."""
        counts: WordCounts = self._block.statistic
        return counts

    @property
    def words_(self) -> Any:
        """The words of the model, sorted; empty if they are hashed."""
        return self._block.t.words.strings

    @property
    def alpha_(self) -> float:
        """The pseudo-count in use."""
        settled: Any = self._block.settled
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

    def _one(self, x: Any) -> Any:
        return [one_text(x)]

    def _wording(self, source: Any, read: Any) -> Wording:
        return Wording(text=Tokens.of(source[0], self._reader.analysis))

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        super()._put(model, views, stale)
        if self.estimate == "map" or self.alpha == "evidence":
            _ = self._block.settled

    def _must_add_up(self) -> None:
        refuse_transformed(self)

    def _get_state(self) -> State:
        return state_of(self)

    def _set_state(self, state: State) -> None:
        restored(self, state)

    def _without(self, inside: Examples, outside: Examples, groups: Any) -> Any:
        if self._transform is None:
            return super()._without(inside, outside, groups)
        return clone(self).fit(outside.source, outside.y, outside.weights, groups=groups)

    def _learn(self, examples: Examples, classes: Any, journal: Any, first: bool) -> Any:
        refuse_transformed(
            self,
            "TextClassifier with sublinear_tf, use_idf or normalize cannot learn in batches: they act on documents "
            "before these are counted. Use fit with all texts.",
        )
        return super()._learn(examples, classes, journal, first)


def _report(step: int, value: float) -> None:
    print(f"[TextClassifier] weights, step {step}: {value:.5f} a row", file=sys.stderr)
