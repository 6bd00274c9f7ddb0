"""What a classifier of texts knows and answers: counts of words by class, and all that is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError, KindError, LabelError, ShapeError
from suffice.estimators.explaining import one_text
from suffice.estimators.journaled import Book
from suffice.estimators.shared import Classifier, class_log_prior, classes_and_codes, labelled
from suffice.estimators.text_shares import TextShares
from suffice.estimators.text_views import TextViews
from suffice.estimators.weights import WordWeights
from suffice.estimators.words import analysis_of, keeps_all, kept_words
from suffice.models import Scorer, events, texts
from suffice.models.beliefs import intervals_of
from suffice.models.empirical.pseudo_counts import alpha_of_presence, alpha_of_words
from suffice.models.evidence import NO_EVIDENCE, log_coefficient, presence_evidence, word_evidence
from suffice.models.known import known_texts
from suffice.models.text_beliefs import TextBelief, text_belief
from suffice.models.text_model import TextModel
from suffice.models.text_votes import text_votes
from suffice.models.top import Top, top_of_texts
from suffice.models.urns import Urns, fit_urns
from suffice.models.votes import Votes
from suffice.stats import BinaryCounts, TokenCounts
from suffice.stats.hashing import text_row
from suffice.stats.words import WordCounter, WordCounts, read_weights
from suffice.telling import tell
from suffice.text import Analysis, WordList, learn
from suffice.text.documents import each_text
from suffice.typing import Array, Booleans, Integers

__all__ = ["URNS", "TextCounts", "labels_of_texts"]

URNS = {"dirichlet_multinomial": "dcm", "edcm": "edcm"}


class TextCounts(TextShares, TextViews, Classifier):
    """Counts of words by class behind the face of `TextClassifier`, which names the parameters."""

    model: str
    estimate: Any
    alpha: Any
    binary: bool
    norm: bool
    hash_bits: int | None
    sublinear_tf: bool | None
    use_idf: bool
    normalize: bool
    counts_: WordCounts
    _analysis: Analysis
    _transform: Any
    class_count_: Array
    class_log_prior_: Array

    @property
    def words_(self) -> Any:
        """The words of the model, sorted; empty if they are hashed."""
        return self._view("counts", self._kept).words.strings

    def _learn(self, X: Any, classes: Any, codes: Any, sample_weight: Any, fresh: bool) -> None:
        analysis, bits = analysis_of(self), self.hash_bits or 0
        if not fresh and self.counts_.hash_bits != bits:
            raise InputError(
                f"The 'hash_bits' parameter of TextClassifier must stay {self.counts_.hash_bits or None} once fitted; "
                f"got {self.hash_bits}."
            )
        if not len(codes):
            raise DataError("The argument 'y' must hold at least one label; got none.")
        if not fresh and analysis != self._analysis:
            raise InputError(
                "The parameters of TextClassifier that say what a token is must stay as they were at the first fit."
            )
        self._transform = None
        counts = self._transformed(X, codes, sample_weight, analysis, len(classes)) if self._transforms else None
        if counts is None:
            counts = self._counted(X, codes, sample_weight, len(classes), analysis)
        self._analysis = analysis
        self._set_statistics(classes, {"counts": counts if fresh else self.counts_ + counts})

    def _counted(self, X: Any, codes: Any, sample_weight: Any, n_classes: int, analysis: Analysis) -> WordCounts:
        counter = WordCounter(analysis, n_classes, self.hash_bits or 0, self.model in URNS)
        counter.add(X, codes, sample_weight, "X")
        return counter.result()

    def _fit_parts(self, parts: Iterable[tuple[Any, Any]]) -> None:
        """Count texts and labels part by part, forgetting what was learned; classes may turn up in any part."""
        if self._transforms:
            raise InputError("TextClassifier with sublinear_tf, use_idf or normalize needs all texts in memory.")
        self._declared, self._chosen, self._stale, self._transform = None, {}, False, None
        self._analysis = analysis_of(self)
        counter = WordCounter(self._analysis, 1, self.hash_bits or 0, self.model in URNS)
        known: dict[Any, int] = {}
        for texts_, labels in parts:
            seen, codes = classes_and_codes(labels_of_texts(labels))
            for label in seen.tolist():
                known.setdefault(label, len(known))
            counter.grow(max(len(known), 1))
            counter.add(texts_, np.array([known[label] for label in seen.tolist()], np.int64)[codes], None, "X")
        classes = np.unique(np.array(list(known)))
        if not len(classes):
            raise DataError("The argument 'paths' must lead to rows; the files have none.")
        place = np.searchsorted(classes, np.array(list(known)))
        self._set_statistics(classes, {"counts": counter.result().with_classes(place, len(classes))})

    def _get_statistics(self) -> dict[str, Any]:
        if self._transform is not None:
            raise InputError(
                "TextClassifier with sublinear_tf, use_idf or normalize cannot be merged, nor forget, decay or leave "
                "out: they act on documents before these are counted."
            )
        return {"counts": self.counts_}

    def _set_statistics(self, classes: Any, statistics: dict[str, Any]) -> None:
        self.classes_, self.counts_, self._made = classes, statistics["counts"], {}
        if not self.counts_.n.any():
            raise DataError("The argument 'sample_weight' must leave some text a weight above 0; got zeros alone.")
        self.class_count_ = self.counts_.n.copy()
        self.class_log_prior_ = class_log_prior(self, self.class_count_)
        self._check_model()

    def _held_names(self) -> WordCounts:
        return self.counts_

    _schema = ("_declared", "_analysis")
    _fitted = (*Classifier._fitted, "_transform")
    _weights_kind = WordWeights

    def _remembered(self) -> dict[str, Any]:
        return {"counts": self.counts_}

    def _restore(self, classes: Any, statistics: dict[str, Any]) -> None:
        counts = statistics.get("counts")
        if not isinstance(counts, WordCounts) or len(statistics) != 1 or counts.n_classes != len(classes):
            raise DataError(f"Statistics must be counts of words of {len(classes)} classes; got {statistics}.")
        weights, transform = self._chosen.get("weights"), self._transform
        analysis: Any = self._analysis
        if not isinstance(analysis, Analysis) or counts.hash_bits != (self.hash_bits or 0):
            raise DataError("The options of tokens and 'hash_bits' must be those that words were counted by.")
        if weights is not None and len(weights.features) != (counts.width if counts.hash_bits else len(weights.words)):
            raise ShapeError("Evidence weights must be as many as words.")
        if transform is not None and transform.idf is not None and transform.idf.shape != (counts.width,):
            raise ShapeError("The weights of a transform must be as many as words.")
        self._set_statistics(classes, statistics)

    def _read_again(self, X: Any, y: Any) -> tuple[Any, Any]:
        return X, labels_of_texts(y)

    def _row_bytes(self, X: Any) -> Iterable[bytes]:
        analysis = analysis_of(self)
        return (text_row(analysis._decoded(text)) for text in each_text(X, "X"))

    def _watched(self, X: Any, book: Book | None) -> Any:
        """Texts; a stream is written into the book as it passes."""
        analysis = analysis_of(self)
        return X if book is None else book.watch(X, lambda text: text_row(analysis._decoded(text)))

    def _class_rows(self) -> Array:
        return self.counts_.n

    def _log_prior_of(self, counts: Array) -> Array:
        return np.asarray(self._prior_of(counts) + self._class_terms())

    def _prior_of(self, counts: Array) -> Array:
        plain = self.model != "complement" or len(self.classes_) == 1
        return class_log_prior(self, counts) if plain else np.zeros(len(self.classes_))

    @property
    def weights_(self) -> Array:
        """The evidence weight of each of ``words_``: near 0 where other words have said it already."""
        check_is_fitted(self, "counts_")
        weights = self._view("model", self._text_model).weights
        return np.ones(self._view("counts", self._kept).width) if weights is None else weights

    def _evidence_cells(self) -> tuple[Any, Any, Array | None]:
        if self._transform is not None or self.model not in ("multinomial", "bernoulli"):
            why = NO_EVIDENCE["urns" if self.model in URNS else "complement"]
            raise KindError(f"TextClassifier with model={self.model!r} has no evidence: {why}.")
        model: TextModel = self._view("model", self._text_model)
        names = np.arange(model.counts.width) if model.counts.hash_bits else model.counts.words.strings
        if self.model == "bernoulli":
            return names, *presence_evidence(model.counts.documents, model.counts.n, model.alpha)
        return names, word_evidence(model.table, model.alpha), None

    def feature_interval(self, level: float = 0.9) -> Any:
        """Bounds of the probability of each word in each class, which hold it with probability `level`.

        Parameters
        ----------
        level : float, default=0.9
            Probability that the bounds hold, the same outside on each side.

        Returns
        -------
        lower, upper : ndarrays of shape (n_classes, n_words)
            Words in the order of ``words_``. Every word of every class has a number: mind the memory.
        """
        check_is_fitted(self, "counts_")
        model: TextModel = self._view("model", self._text_model)
        if self.model == "bernoulli":
            flags = events.Bernoulli(np.asarray(model.alpha), np.asarray(model.alpha))
            counts = BinaryCounts(model.counts.documents.toarray(), model.counts.n[:, None])
            return intervals_of(flags, counts, model.counts.n, level)
        if self.model != "multinomial":
            raise KindError(f"TextClassifier with model={self.model!r} has no posterior of its words' probabilities.")
        words = events.Multinomial(np.full(model.counts.width, model.alpha))
        return intervals_of(words, TokenCounts(model.table.toarray()), model.counts.n, level)

    def _belief(self) -> TextBelief:
        return text_belief(self._view("model", self._text_model))

    def _counted_rows(self, X: Any) -> tuple[Any, Any] | None:
        return (self._prepared(X), log_coefficient) if self.model == "multinomial" else None

    def _known(self, X: Any, least: int) -> Booleans:
        model: TextModel = self._view("model", self._text_model)
        return known_texts(model.counts, model.lexicon, model.analysis.batches(X, "X"), least)

    def _leave_out(self, X: Any, codes: Integers, weights: Array, group: Integers | None) -> Array:
        self._get_statistics()  # refused where documents are transformed
        model: TextModel = self._view("model", self._text_model)
        documents = self._prepared(X)
        self._check_length(documents, codes)
        return model.leave_out(documents, codes, weights, group)

    def _check_length(self, documents: Any, codes: Integers) -> None:
        if documents.shape[0] != len(codes):
            raise LabelError(
                f"The argument 'y' must hold one label per text, {documents.shape[0]:,}; got {len(codes):,}."
            )

    def _prepared(self, X: Any) -> Any:
        """Documents × words: of texts, or as they were prepared before."""
        model: TextModel = self._view("model", self._text_model)
        return X if sparse.issparse(X) else model.documents(X)

    def _can_leave_out(self) -> bool:
        return self._transform is None

    def _lengths_of_rows(self, batch: Any) -> Array:
        model: TextModel = self._view("model", self._text_model)
        return model.lengths(batch)

    def _lengths(self, X: Any) -> Array:
        if sparse.issparse(X):
            model: TextModel = self._view("model", self._text_model)
            return np.asarray(model.told(X).sum(axis=1)).ravel()
        return np.concatenate([np.zeros(0), *map(self._lengths_of_rows, self._analysis.batches(X, "X"))])

    def _take_rows(self, X: Any, which: Integers) -> Any:
        return X.take(which) if hasattr(X, "take") else [X[i] for i in which]

    def _rows_of_classes(self, statistics: dict[str, Any]) -> Any:
        return statistics["counts"].n

    def _count_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, dict[str, Any]]:
        self._get_statistics()  # refused before the texts are read
        labels = labels_of_texts(y)
        if not len(labels):
            raise DataError("The argument 'X' must hold texts; got none.")
        classes, codes = classes_and_codes(labels)
        return classes, {"counts": self._counted(X, codes, sample_weight, len(classes), self._analysis)}

    def _transformed(self, X: Any, codes: Any, sample_weight: Any, analysis: Analysis, n_classes: int) -> WordCounts:
        """Counts of documents that are transformed first, which takes the matrix of them."""
        if self.model != "complement" or self.hash_bits is not None:
            raise InputError(
                "The parameters 'sublinear_tf', 'use_idf' and 'normalize' of TextClassifier need model='complement' "
                f"and no 'hash_bits'; got model={self.model!r}, hash_bits={self.hash_bits}."
            )
        words, matrix = learn(X, analysis, "X")
        if matrix.shape[0] != len(codes):
            found = f"{matrix.shape[0]:,}"
            raise LabelError(f"The argument 'X' must hold as many texts as labels, {len(codes):,}; got {found}.")
        weights = read_weights(sample_weight, len(codes))
        _some_words(words)
        if self.binary:
            matrix.data[:] = 1
        df: Any = np.bincount(matrix.indices, minlength=len(words)).astype(np.float64)
        total: Any = np.bincount(matrix.indices, matrix.data, len(words))
        keep = kept_words(self, df, total, len(codes))
        words, matrix = words.keep(keep), matrix[:, keep]
        idf = np.log(len(codes) / df[keep]) if self.use_idf else None
        self._transform = texts.Transform(bool(self.sublinear_tf), idf, self.normalize)
        return WordCounts.of_matrix(self._transform(matrix), words, codes, weights, n_classes)

    def _kept(self) -> WordCounts:
        counts = self.counts_
        if counts.hash_bits or self._transform is not None:
            return counts
        _some_words(counts.words)
        if keeps_all(self):
            return counts
        return counts.keep(kept_words(self, counts.document_frequency, counts.frequency, counts.n.sum()))

    def _check_model(self) -> None:
        if self.alpha == "loo" and self.model in URNS:
            raise InputError(
                f"The 'alpha' parameter of TextClassifier cannot be 'loo' with model={self.model!r}: the urns that a "
                "document is left out of have seen it."
            )
        if self.alpha == "evidence" and self.model not in ("multinomial", "bernoulli"):
            raise InputError(
                "The 'alpha' parameter of TextClassifier can be 'evidence' where the model is 'multinomial' or "
                f"'bernoulli'; got model={self.model!r}, which has no evidence."
            )
        if self.model not in URNS:
            if self.alpha != "evidence":
                texts.pseudo_count(self._alpha, self.estimate)
            if self.estimate == "predictive" and self.model == "multinomial" and self.binary:
                raise InputError(
                    "TextClassifier with estimate='predictive' counts words as often as they come, not binary."
                )
            return
        if self.binary or not keeps_all(self) or self.estimate != "mean":
            raise InputError(
                f"TextClassifier with model={self.model!r} needs binary, min_df, max_df, max_features and estimate as "
                "they are by default: it counts how often every word comes again."
            )
        if not np.isclose(self.counts_.length_documents.sum(), self.counts_.n.sum()):
            raise InputError(
                f"The 'model' parameter of TextClassifier must be {self.model!r} from the first fit on, so that words "
                "that come again are counted; it was another one."
            )

    @property
    def alpha_(self) -> float:
        """The pseudo-count in use."""
        return self._alpha

    def _find_alpha(self) -> float:
        counts = self._view("counts", self._kept)
        if self.model == "bernoulli":
            return alpha_of_presence(counts.documents, counts.n)
        return alpha_of_words(counts.documents if self.binary else counts.tokens)

    @property
    def _alpha(self) -> float:
        if self.alpha == "evidence":
            return float(self._view("alpha", self._find_alpha))
        alpha = self._chosen.get("alpha") if self.alpha in (None, "loo") else self.alpha
        return float(alpha if alpha is not None else 0.03 if self.model in URNS else 1.0)

    def _fit_urns(self) -> Urns:
        method: Any = URNS[self.model]
        urns = fit_urns(self._view("counts", self._kept), self._alpha, method)
        if urns.late:
            tell(
                f"The urns of {len(urns.late)} of {len(self.classes_)} classes need more steps, "
                f"{str(self.classes_[urns.late[0]])!r} among them.",
                ConvergenceWarning,
            )
        return urns

    def _make_scorer(self) -> Scorer:
        model: TextModel = self._view("model", self._text_model)
        return model.scorer

    def _text_model(self) -> TextModel:
        self._check_model()  # parameters may have changed since
        counts = self._view("counts", self._kept)
        urns = self._view("urns", self._fit_urns) if self.model in URNS else None
        options = (self.estimate, self.binary, self.norm, urns, self._transform)
        model = TextModel(self.model, counts, self._analysis, self._alpha, *options)
        model = replace(model, damped=self._damps(model))
        chosen: WordWeights | None = self._weights
        return model if chosen is None or not model.weighable else replace(model, weights=chosen.of(counts))

    def _damps(self, model: TextModel) -> bool:
        """Whether words that come often count less than so often."""
        return model.kind == "multinomial" and not model.whole and self.sublinear_tf is not False

    def _ask(self, question: Callable[[Any, Any, Array], Any], X: Any) -> Any:
        check_is_fitted(self, "counts_")
        scorer, prior = self._tempered(self._view("scorer", self._make_scorer)), self._log_prior()
        answers = [question(scorer, batch, prior) for batch in self._analysis.batches(X, "X")]
        return np.concatenate(answers) if answers else question(scorer, self._analysis.empty(), prior)

    def _votes(self, x: Any) -> tuple[Votes, Array, Any]:
        text = one_text(x)
        return text_votes(self._view("model", self._text_model), text), self._log_prior(), [text]

    def _top(self, code: int, k: int) -> list[Top]:
        return top_of_texts(self._view("model", self._text_model), code, k)

    def _log_prior(self) -> Array:
        plain = self.model != "complement" or len(self.classes_) == 1
        return np.asarray((self.class_log_prior_ if plain else np.zeros(len(self.classes_))) + self._class_terms())

    @property
    def _transforms(self) -> bool:
        return bool((self.sublinear_tf and self.model != "multinomial") or self.use_idf or self.normalize)


def labels_of_texts(y: Any) -> Any:
    """One label per text, as an array."""
    labels = np.asarray(labelled(y))
    if labels.ndim != 1:
        raise LabelError(f"The argument 'y' must hold one label per text; got shape {labels.shape}.")
    return labels


def _some_words(words: WordList) -> None:
    if not len(words):
        raise DataError("The argument 'X' must hold words; got texts without any (by default, of two letters or more).")
