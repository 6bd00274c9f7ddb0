"""Read and count texts for a classifier: in memory, streamed, batch by batch, or transformed before counting."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone

from suffice.errors import DataError, InputError, LabelError
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.journals import Book
from suffice.estimators.shell.merging import Counter
from suffice.estimators.shell.parameters import CHECKS, Tags
from suffice.estimators.texts.options import URNS, ChosenTokens, TextModel, TextOptions, params_of_texts, transforms
from suffice.estimators.texts.token_choice import (
    check_tokens,
    check_unchanged,
    of_same_tokens,
    of_words_left,
    tokens_chosen,
)
from suffice.models.answers.parts import Wording, WordsOfText
from suffice.models.choosing.judge import Judged
from suffice.models.choosing.wanted import Effort, Settled
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Block, Model, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.linear import FittedTransform
from suffice.models.views import Views
from suffice.readers.labels import Examples, Given, check_kinds_of_labels, classes_and_codes, labelled
from suffice.readers.one_block import KeptTexts, TextReader, one_text
from suffice.stats import ClassCounts
from suffice.stats.word_counts import WordCounter, WordCounts, read_weights
from suffice.text import Analysis, TermWeighting, WordList, learn, look_up
from suffice.text.documents import must_be_one_column
from suffice.typing import (
    GroupsLike,
    JournalKey,
    Label,
    LabelArray,
    LabelsLike,
    RowLike,
    Text,
    TextsLike,
    WeightsLike,
)  # fmt: skip
from suffice.waiting import Waiting

if TYPE_CHECKING:
    from suffice.estimators.texts.vectorizer import TokensLike

__all__ = ["ReadsTexts"]


def _labels(y: LabelsLike) -> LabelArray:
    """Return one label per text, as an array."""
    labels = np.asarray(labelled(y))
    if labels.ndim != 1:
        raise LabelError(f"The argument 'y' must hold one label per text; got shape {labels.shape}.")
    return labels


def _counted(estimator: ReadsTexts, examples: Examples) -> Model:
    """Count the words of texts, and set the estimator's transform of documents if it has one."""
    if transforms(estimator):
        counts, estimator._transform = transformed_counts(estimator, examples, TextOptions.of(estimator))
        block = Block(estimator._likelihoods(None, Views())["text"], counts)
        rows = Model.of(examples.classes, {}, {}, examples.labels).rows
        return Model(examples.classes, rows, {"text": block})
    likelihoods = estimator._likelihoods(None, Views())
    model = Model.of(examples.classes, likelihoods, estimator._reader.rows(examples.source), examples.labels)
    if not model.n.any():
        raise DataError("The argument 'sample_weight' must give at least one text a weight above 0; got only zeros.")
    return model


def refuse_transformed(estimator: ReadsTexts, what: str = "") -> None:
    """Raise InputError if documents are transformed before counting: such counts do not add up."""
    if transforms(estimator) or estimator._transform is not None:
        raise InputError(
            what
            or "TextClassifier with sublinear_tf, use_idf or normalize cannot merge, forget, decay or leave out, since "
            "these options transform documents before they are counted. Fit a new model to the texts you want."
        )


def transformed_counts(
    estimator: ReadsTexts, examples: Examples, options: TextOptions
) -> tuple[WordCounts, FittedTransform]:
    """Count documents after their transform; return the counts and the fitted transform."""
    how, tokens, cut = estimator.term_weighting or TermWeighting(), options.tokens, options.cut
    if estimator.model != "complement" or tokens.hash_bits is not None:
        raise InputError(
            "The 'term_weighting' parameter of TextClassifier can have 'sublinear_tf', 'use_idf' and 'normalize' only "
            f"with model='complement' and without 'hash_bits'; got model={estimator.model!r}, "
            f"hash_bits={tokens.hash_bits}. Use model='complement', or leave these options out."
        )
    words, matrix = _read(examples.source, options.analysis, cut.words)
    rows = len(examples)
    if matrix.shape[0] != rows:
        found = f"{matrix.shape[0]:,}"
        raise LabelError(f"The argument 'X' must hold one text per label, {rows:,}; got {found}.")
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
        raise DataError(
            "The argument 'X' must hold words; got texts without any. By default a word has two letters or more; "
            "'tokens' changes that."
        )
    return words, matrix


class TextBatchCounter(Counter):
    """Count texts batch by batch, with the words of all batches in one table."""

    _model: ReadsTexts
    _words: WordCounter

    def __init__(self, estimator: ReadsTexts, journal: JournalKey = None) -> None:
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

    def result(self) -> ReadsTexts | None:
        """Return a classifier fitted to all texts so far, without views; None if there were none."""
        if not self.rows:
            return None
        labels = np.array(list(self._known))
        classes = np.unique(labels)
        counts = self._words.result().with_classes(np.searchsorted(classes, labels), len(classes))
        block = Block(self._model._likelihoods(None, Views())["text"], counts)
        self._model._put(Model(classes, ClassCounts(counts.n), {"text": block}), Views(), stale=False)
        return self._model


class ReadsTexts(Classifier):
    """A classifier of texts, which it reads, counts and learns."""

    _kind_of_rows = "text"
    _reader: TextReader
    model: TextModel
    tokens: TokensLike | None
    term_weighting: TermWeighting | None
    effort: Effort
    _transform: FittedTransform | None = None
    _tokens_chosen: ChosenTokens | None = None
    _waiting: Waiting | None = None  # only during a fit
    verbose: bool
    _params_in_files = params_of_texts
    _counter = TextBatchCounter

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    @abstractmethod
    def _likelihoods(self, model: Model | None, views: Views) -> Mapping[Name, Likelihood]:
        """Return the likelihood of words that parameters and views describe; it needs no counts."""

    def _validate_params(self) -> None:
        super()._validate_params()
        TextOptions.of(self)

    def _uncut(self) -> dict[str, object]:
        return TextOptions.of(self).uncut()

    def _read(self, X: Given, y: LabelsLike, sample_weight: WeightsLike, first: bool) -> Examples:
        must_be_one_column(X, "X")
        labels = _labels(y)
        if not len(labels):
            raise DataError("The argument 'y' must hold at least one label; got none.")
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

    @property
    def _chooses(self) -> bool:
        """Whether training texts choose the tokens where no option says what a token is."""
        return False

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

    def _learned(self, X: Given, y: LabelsLike, sample_weight: WeightsLike) -> Examples:
        examples = super()._learned(X, y, sample_weight)
        if not isinstance(X, Iterator) and self._reader.size(X) != len(examples):
            raise LabelError(
                f"The argument 'y' must hold one label per text, {self._reader.size(X):,}; got {len(examples):,}."
            )
        return examples

    def _judge(self, examples: Examples, groups: GroupsLike = None) -> Judged:
        refuse_transformed(self)
        return super()._judge(examples, groups)

    def _needs_all_rows(self) -> str:
        return "sublinear_tf, use_idf or normalize" if transforms(self) else ""

    def _count(self, examples: Examples) -> Model:
        if self.__sklearn_is_fitted__():
            refuse_transformed(self)
        return _counted(self, examples)

    def _choose(self, examples: Examples, groups: GroupsLike, settled: Settled | None = None) -> None:
        if isinstance(examples.source, KeptTexts):
            examples, which = examples.source.result()
            groups = None if groups is None else np.asarray(groups)[which]
        super()._choose(examples, groups, settled)

    def _one(self, x: RowLike) -> list[Text]:
        return [one_text(x)]

    def _wording(self, source: Given, read: list[Text]) -> Wording:
        return Wording(text=WordsOfText.of(read[0], self._reader.analysis))

    def _agree(self, other: Classifier) -> None:
        super()._agree(other)
        check_tokens(self, other)

    def _models(self, others: Sequence[Classifier]) -> list[Model]:
        return of_same_tokens(self, super()._models(others), others)

    def _views_on(self, seen: Predictor, model: Model) -> Views:
        return of_words_left(seen, model)

    def _must_add_up(self) -> None:
        refuse_transformed(self)

    def _without(self, inside: Examples, outside: Examples, groups: GroupsLike, views: bool = True) -> Self:
        if self._transform is None:
            return super()._without(inside, outside, groups, views)
        fitted: Self = clone(self).fit(outside.source, outside.y, outside.weights, groups=groups)
        return fitted

    def _learn(self, examples: Examples, classes: LabelsLike | None, journal: JournalKey, first: bool) -> Self:
        refuse_transformed(
            self,
            "TextClassifier with sublinear_tf, use_idf or normalize cannot learn in batches, since these options "
            "transform documents before they are counted. Call fit with all texts.",
        )
        return super()._learn(examples, classes, journal, first)
