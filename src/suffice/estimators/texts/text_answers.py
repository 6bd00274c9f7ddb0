"""Answer by a model of texts, write it to a file and read it again, without scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from suffice.errors import DataError, ShapeError
from suffice.estimators.shell.answering import Answer, Answers, D
from suffice.estimators.shell.atomic import must_be_fitted
from suffice.estimators.shell.parameter_domains import ClassPriorLike, Domain
from suffice.estimators.shell.stored import (
    OF_FILES,
    State,
    check_labels,
    check_schema,
    checked_journal,
    read_views,
    written_views,
)
from suffice.estimators.texts.options import TEXT_DOMAINS, URNS, ChosenTokens, TextModel, TextOptions, likelihood_of
from suffice.models.choices import TOKENS, Choice
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Block, Model, Name
from suffice.models.scoring.linear import FittedTransform
from suffice.models.views import Views, WordWeights
from suffice.posterior import Beta, Dirichlet
from suffice.readers.labels import Given
from suffice.readers.one_block import TextReader, are_bags, rows_of_bags
from suffice.stats import ClassCounts
from suffice.stats.word_counts import WordCounts
from suffice.text import Analysis, TermWeighting, Tokens

SCHEMA = ("_declared", "_analysis")


class TextAnswers(Answers):
    """A model of texts: `TextClassifier`, or one that was read from a file and cannot learn."""

    _kind_of_rows = "text"
    domains: ClassVar[dict[str, Domain]] = TEXT_DOMAINS

    model: TextModel
    alpha: float | Dirichlet | Beta | Literal["evidence", "loo"] | None
    class_prior: ClassPriorLike
    tokens: Tokens | None
    term_weighting: TermWeighting | None
    _reader: TextReader
    _transform: FittedTransform | None
    _tokens_chosen: ChosenTokens | None
    _earlier_choices: tuple[Choice, ...]

    def __init__(self, **given: object) -> None:
        vars(self).update(given)

    def _likelihoods(self, model: Model | None, views: Views) -> Mapping[Name, Likelihood]:
        return {"text": likelihood_of(self, model, views)}

    @property
    def _flat_prior(self) -> bool:
        return self.model == "complement"

    def _answer(self, question: Answer[D], X: Given) -> NDArray[D]:
        must_be_fitted(self)
        if not are_bags(X) or self._reader.analysis.by_functions:
            return super()._answer(question, X)
        return self._answer_of(question, iter([{"text": rows_of_bags(X, self._model.blocks["text"].t)}]))

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        super()._put(model, views, stale)
        if isinstance(self.alpha, str) and self.alpha == "evidence":
            _ = self._model.blocks["text"].settled  # raises at once

    def _get_state(self) -> State:
        """Return what a file stores besides the parameters."""
        model = self._model
        known = {**vars(self), "_declared": model.declared, "_analysis": self._reader.analysis}
        journal = {} if self._journal is None else {"journal": self._journal}
        views = written_views(self._predictor.views, self._stale)
        return {
            "classes": model.classes,
            "schema": {name: known[name] for name in (*SCHEMA, *OF_FILES) if name in known},
            "statistics": {"counts": model.blocks["text"].statistic, **journal},
            "views": {**views, "_transform": self._transform},
        }

    def _set_state(self, state: State) -> None:
        """Restore a state from a file, which may be forged; raise if it is invalid for this class."""
        classes, schema, statistics = state["classes"], dict(state["schema"]), dict(state["statistics"])
        check_labels(classes)
        check_schema(schema, SCHEMA)
        views, stale = read_views(state["views"], WordWeights)
        transform = state["views"].get("_transform")
        self._journal = checked_journal(statistics)
        counts, analysis = statistics.get("counts"), schema["_analysis"]
        if not isinstance(counts, WordCounts) or len(statistics) != 1 or counts.n_classes != len(classes):
            raise DataError("Statistics", f"be word counts of {len(classes)} classes").but(f"got {statistics}")
        bits = TextOptions.of(self).tokens.hash_bits or 0
        if not isinstance(analysis, Analysis) or counts.hash_bits != bits:
            raise DataError("The tokenizer and 'hash_bits' of the parameters", "match those of the word counts")
        _check_shapes(counts, views, transform)
        self._earlier_choices = tuple(choice for choice in views.choices or () if choice.name == TOKENS)
        self._tokens_chosen = None
        if analysis != TextOptions.of(self).analysis:  # chosen by texts
            unit: Any = analysis.unit
            self._tokens_chosen = unit, analysis.ngram_range
        self._reader, self._transform = TextReader(analysis, bits, self.model in URNS), transform
        self.__dict__.update({name: schema[name] for name in OF_FILES if name in schema})
        block = Block(self._likelihoods(None, views)["text"], counts)
        self._put(Model(classes, ClassCounts(counts.n), {"text": block}, schema["_declared"]), views, stale)


def _check_shapes(counts: WordCounts, views: Views, transform: object) -> None:
    weights = views.weights
    if isinstance(weights, WordWeights) and len(weights.features) != (
        counts.width if counts.hash_bits else len(weights.words)
    ):
        raise ShapeError("There", "be one power per word")
    if isinstance(weights, WordWeights) and not weights.places_fit:
        raise ShapeError("Residuals", "belong to words that have a power")
    if not isinstance(transform, FittedTransform | None):
        raise DataError("The transform of documents", "be a FittedTransform").but(f"got {type(transform).__name__}")
    if transform is not None and transform.idf is not None and transform.idf.shape != (counts.width,):
        raise ShapeError("A transform", "have one weight per word")
