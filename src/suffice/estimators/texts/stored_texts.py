"""Write classifiers of texts to model files, and read them into models that predict without scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from suffice.errors import DataError, ShapeError
from suffice.estimators.shell.answers import Answers
from suffice.estimators.shell.parameter_domains import ClassPriorLike, Domain, class_prior_of
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
from suffice.models.answers.parts import Wording, WordsOfText
from suffice.models.choices import TOKENS, Choice
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Block, Model, Name
from suffice.models.scoring.linear import FittedTransform
from suffice.models.views import Views, WordWeights
from suffice.posterior import Beta, Dirichlet
from suffice.readers.labels import Given
from suffice.readers.one_block import TextReader, one_text
from suffice.stats import ClassCounts
from suffice.stats.word_counts import WordCounts
from suffice.text import Analysis, TermWeighting, Tokens
from suffice.typing import RowLike, Text

if TYPE_CHECKING:
    from suffice.estimators.texts.text_classifier import TextClassifier

__all__ = ["StoredTexts", "restored", "state_of"]

SCHEMA = ("_declared", "_analysis")


class StoredTexts(Answers):
    """A TextClassifier read from a file: it predicts, and cannot learn."""

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

    def _set_state(self, state: State) -> None:
        restored(self, state)

    def _likelihoods(self, model: Model | None, views: Views) -> Mapping[Name, Likelihood]:
        return {"text": likelihood_of(self, model, views)}

    def _class_prior(self) -> ClassPrior:
        return class_prior_of(self, flat=self.model == "complement")

    def _one(self, x: RowLike) -> list[Text]:
        return [one_text(x)]

    def _wording(self, source: Given, read: list[Text]) -> Wording:
        return Wording(text=WordsOfText.of(read[0], self._reader.analysis))


def state_of(estimator: TextClassifier) -> State:
    """Return what a file stores besides the parameters."""
    model = estimator._model
    known = {**vars(estimator), "_declared": model.declared, "_analysis": estimator._reader.analysis}
    journal = {} if estimator._journal is None else {"journal": estimator._journal}
    views = written_views(estimator._predictor.views, estimator._stale)
    return {
        "classes": model.classes,
        "schema": {name: known[name] for name in (*SCHEMA, *OF_FILES) if name in known},
        "statistics": {"counts": estimator.counts_, **journal},
        "views": {**views, "_transform": estimator._transform},
    }


def restored(estimator: TextClassifier | StoredTexts, state: State) -> None:
    """Restore an estimator from the state in a file; raise if the state is invalid for its class."""
    classes, schema, statistics = state["classes"], dict(state["schema"]), dict(state["statistics"])
    check_labels(classes)
    check_schema(schema, SCHEMA)
    views, stale = read_views(state["views"], WordWeights)
    transform = state["views"].get("_transform")
    estimator._journal = checked_journal(statistics)
    counts, analysis = statistics.get("counts"), schema["_analysis"]
    if not isinstance(counts, WordCounts) or len(statistics) != 1 or counts.n_classes != len(classes):
        raise DataError(f"Statistics must be word counts of {len(classes)} classes; got {statistics}.")
    bits = TextOptions.of(estimator).tokens.hash_bits or 0
    if not isinstance(analysis, Analysis) or counts.hash_bits != bits:
        raise DataError("The tokenizer and 'hash_bits' of the parameters must match those of the word counts.")
    _check_shapes(counts, views, transform)
    estimator._earlier_choices = tuple(choice for choice in views.choices or () if choice.name == TOKENS)
    estimator._tokens_chosen = None
    if analysis != TextOptions.of(estimator).analysis:  # chosen by texts
        unit: Any = analysis.unit
        estimator._tokens_chosen = unit, analysis.ngram_range
    estimator._reader, estimator._transform = TextReader(analysis, bits, estimator.model in URNS), transform
    estimator.__dict__.update({name: schema[name] for name in OF_FILES if name in schema})
    block = Block(estimator._likelihoods(None, views)["text"], counts)
    estimator._put(Model(classes, ClassCounts(counts.n), {"text": block}, schema["_declared"]), views, stale)
    if isinstance(estimator.alpha, str) and estimator.alpha == "evidence":
        _ = estimator._model.blocks["text"].settled  # raises at once


def _check_shapes(counts: WordCounts, views: Views, transform: object) -> None:
    weights = views.weights
    if isinstance(weights, WordWeights) and len(weights.features) != (
        counts.width if counts.hash_bits else len(weights.words)
    ):
        raise ShapeError("There must be one power per word.")
    if isinstance(weights, WordWeights) and not weights.places_fit:
        raise ShapeError("Residuals must belong to words that have a power.")
    if not isinstance(transform, FittedTransform | None):
        raise DataError(f"The transform of documents must be a FittedTransform; got {type(transform).__name__}.")
    if transform is not None and transform.idf is not None and transform.idf.shape != (counts.width,):
        raise ShapeError("A transform must have one weight per word.")
