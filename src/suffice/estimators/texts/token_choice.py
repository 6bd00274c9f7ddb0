"""Let training texts choose the tokens: single words, words and pairs of words, or letter n-grams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Literal

import numpy as np

from suffice.errors import InputError
from suffice.estimators.shell.parameter_domains import is_loo, length_exponent_of
from suffice.estimators.texts.options import ChosenTokens, TextOptions
from suffice.models.choices import TOKENS, Choice
from suffice.models.choosing.chooser import FEW, MANY, STAGES, Wanted, definite, seconds_of_words
from suffice.models.choosing.judge import Sample
from suffice.models.choosing.word_choice import judged_alone
from suffice.models.choosing.word_rows import CountedWords, looked_up
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.scoring.removal import group_codes
from suffice.models.views import Views
from suffice.readers.labels import Examples, Given
from suffice.readers.one_block import TextReader
from suffice.stats.word_counts import WordCounts
from suffice.telling import tell
from suffice.text import Analysis
from suffice.text.documents import each_text
from suffice.typing import Array, GroupsLike, Integers
from suffice.waiting import Waiting

if TYPE_CHECKING:
    from suffice.estimators.shell.classifier import Classifier
    from suffice.estimators.texts.text_classifier import TextClassifier

TOKEN_ROWS, BUFFERED = 2100, 50_000
"""Largest number of texts that choose the tokens; and of texts of a stream that are buffered to select them from."""

WORK = 2**24
"""Approximate limit of tokens × classes: with long texts or many classes, fewer texts choose the tokens."""

SHORT, LONG_WORDS, LONGEST = {"balanced": 40, "best": 250}, 20, 2500
"""Letter n-grams are tried for texts up to SHORT letters on average, or for words from LONG_WORDS letters, in texts up
to LONGEST letters."""

WEIGHED = 200
"""Smallest number of documents that feature powers are fitted on."""

DIFFERENT = 0.6
"""Approximate share of the words of a text that are distinct."""

WORDS: ChosenTokens = ("word", (1, 1))


@dataclass(frozen=True)
class TokenChoice:
    """Chosen tokens: the unit, the range of n-grams, and the record of the choice."""

    unit: Literal["word", "char_wb"]
    ngram_range: tuple[int, int]
    record: Choice | None = None

    @property
    def usual(self) -> bool:
        """Whether tokens are single words."""
        return (self.unit, self.ngram_range) == WORDS


def begun(examples: Examples) -> tuple[Examples, Examples]:
    """Return all texts, and those that may choose the tokens: of a stream the first ones, which are read here."""
    texts = examples.source
    if not isinstance(texts, Iterator):
        return examples, examples
    first = list(islice(texts, BUFFERED))
    every = first if len(first) < BUFFERED else chain(first, texts)
    which = np.arange(min(len(first), len(examples)))
    weights = None if examples.weights is None else examples.weights[which]
    few = replace(examples, source=first[: len(which)], codes=examples.codes[which], weights=weights)
    return replace(examples, source=every), few


@contextmanager
def tokens_chosen(estimator: TextClassifier, examples: Examples, groups: GroupsLike) -> Iterator[Examples]:
    """Choose the tokens and yield the texts; the ``with`` block reports the progress of all choices."""
    examples, few = begun(examples)
    with Waiting(type(estimator).__name__, STAGES, estimator.verbose) as waiting:
        estimator._waiting = waiting
        try:
            if can_choose(few):  # otherwise counting raises an error that says what is wrong
                known = None if groups is None else np.asarray(groups)[: len(few)]
                take_tokens(estimator, choose_tokens(estimator, few, known))
            yield examples
        finally:
            del estimator._waiting


def can_choose(examples: Examples) -> bool:
    """Return whether there is one text per label."""
    texts: object = examples.source
    return isinstance(texts, Sized) and not isinstance(texts, str | bytes) and len(texts) == len(examples)


def choose_tokens(estimator: TextClassifier, examples: Examples, groups: GroupsLike = None) -> TokenChoice | None:
    """Return the tokens with the lowest held-out log loss on a sample of texts; None if there is nothing to choose.

    More complex tokens must improve it by more than noise.
    """
    options = TextOptions.of(estimator)
    if not options.undecided or not estimator._chooses or len(examples) < FEW * 4 or len(examples.classes) < 2:
        return None
    reader = TextReader(options.analysis)
    group = None if groups is None else group_codes(groups, len(examples))
    few, order, group = examples.picked(reader, TOKEN_ROWS, group)
    sizes = _Sizes.of(few.source, options.analysis)
    if estimator._waiting is not None:
        folds = estimator.effort == "best"
        seconds = seconds_of_words(len(examples), DIFFERENT * sizes.words, len(examples.classes), folds)
        estimator._waiting.expect(seconds)
        estimator._waiting.stage(TOKENS)
    tried = candidates(sizes, estimator.effort)
    most = max(FEW * 4, int(WORK / (sizes.tokens(tried) * len(examples.classes))))
    weigh = estimator.effort == "best" or len(examples.classes) <= MANY
    best, losses, first = WORDS, dict[str, Array](), None
    for one in tried:
        found = _counted(estimator, few, order, replace(options, chosen=None if one == WORDS else one))
        if found is None:
            return None
        predictor, sample = found
        sample = replace(sample, group=group).at_most(most)
        judged = judged_alone(CountedWords.of(predictor, sample), weigh, estimator.effort == "best")
        if judged is None:
            return None
        judge, losses[_called(*one)] = judged
        first = first or judge
        if first.found_to_pay(losses[_called(*best)], losses[_called(*one)]):
            best = one
    assert first is not None
    first.note(TOKENS, _called(*best), losses)
    return TokenChoice(*best, first.record[-1])


@dataclass(frozen=True)
class _Sizes:
    """Average numbers of letters and words of a text."""

    letters: float
    words: float

    @classmethod
    def of(cls, texts: Given, analysis: Analysis) -> _Sizes:
        """Measure texts."""
        read = [text for text in map(analysis._decoded, each_text(texts, "X")) if isinstance(text, str)]
        n = max(1, len(read))
        return cls(sum(map(len, read)) / n, sum(1 + text.count(" ") for text in read) / n)

    def tokens(self, tried: Sequence[ChosenTokens]) -> float:
        """Return the approximate largest number of distinct tokens of a text, over the candidates."""
        return max(1.0, 2 * self.letters if tried[-1][0] != "word" else self.words)


def _called(unit: str, ngrams: tuple[int, int]) -> str:
    if unit == "word":
        return {1: "words", 2: "words and pairs"}.get(ngrams[1], f"word n-grams of 1 to {ngrams[1]}")
    return f"character n-grams of {ngrams[0]} to {ngrams[1]}"


def candidates(sizes: _Sizes, effort: str) -> list[ChosenTokens]:
    """Return candidate tokens, simplest first; letters only where texts are short, or words are not separated."""
    found: list[ChosenTokens] = [WORDS, ("word", (1, 2))]
    unsegmented = sizes.letters >= LONG_WORDS * sizes.words and sizes.letters <= LONGEST
    if sizes.letters <= SHORT[effort] or unsegmented:
        found.append(("char_wb", (1, 5)))
    return found


def _counted(
    estimator: TextClassifier, few: Examples, order: Integers, options: TextOptions
) -> tuple[Predictor, Sample] | None:
    """Return a model of a few texts with the given tokens, and the texts by content; None if no word is left."""
    rows = TextReader(options.analysis).rows(few.source)
    likelihood = Multinomial(1.0, estimator.estimate, True, options.tokens.binary, options.cut)
    model = Model.of(few.classes, {"text": likelihood}, rows, few.labels)
    counts = model.blocks["text"].statistic
    if not counts.width or not (counts.document_frequency >= options.cut.min_df).any():
        return None
    predictor = Predictor(definite(model), estimator._class_prior())
    return predictor, looked_up(Sample(rows, few.labels), predictor).take(order)


def take_tokens(estimator: TextClassifier, found: TokenChoice | None) -> None:
    """Make a classifier read texts with the chosen tokens."""
    if found is not None and found.record is not None:
        estimator._earlier_choices = (found.record,)
    if found is not None and not found.usual:
        estimator._tokens_chosen = found.unit, found.ngram_range
        estimator._reader = replace(estimator._reader, analysis=TextOptions.of(estimator).analysis)


def _analysis_of(estimator: Classifier) -> Analysis:
    reader = estimator._reader
    assert isinstance(reader, TextReader)
    return reader.analysis


def of_same_tokens(estimator: TextClassifier, models: list[Model], others: Sequence[Classifier]) -> list[Model]:
    """Return models with the tokens that all of them have: single words if only some models have pairs."""
    analyses = [_analysis_of(one) for one in (estimator, *others)]
    if len({analysis.unit for analysis in analyses}) > 1:
        raise InputError("Models that are combined", "have the same tokens").but(
            "got words, chosen by the texts of one, and letters, chosen by those of the other",
            python="Fit both with the same 'ngram_range' or 'tokens'.",
        )
    most = [analysis.ngram_range[1] for analysis in analyses]
    least = min(most)
    if least == max(most):
        return models
    tell(
        "Pairs of words are left out, since only some of the models have them.",
        python="Fit all models with the same 'ngram_range' to keep pairs.",
    )
    estimator._tokens_chosen = None if least == 1 else ("word", (1, least))
    estimator._earlier_choices = ()
    estimator._reader = replace(estimator._reader, analysis=TextOptions.of(estimator).analysis)
    return [_narrowed(model, least) for model in models]


def of_words_left(seen: Predictor, model: Model) -> Views:
    """Return the views of `seen` for a model that may have lost its pairs of words."""
    views, held = seen.views, {"text": model.blocks["text"].statistic}
    if seen.model.blocks["text"].statistic.width <= held["text"].width:
        return views
    choices = tuple(choice for choice in views.choices or () if choice.name != TOKENS)
    return replace(views.cut(model.classes, held), choices=choices or None)


def _narrowed(model: Model, words: int) -> Model:
    """Return the model without tokens of more than `words` words."""
    block = model.blocks["text"]
    counts: WordCounts = block.statistic
    short = np.array([word.count(" ") < words for word in counts.words.strings.tolist()], bool)
    return model if short.all() else replace(model, blocks={"text": block.with_statistic(lambda t: t.keep(short))})


def check_unchanged(reader: TextReader, options: TextOptions) -> None:
    """Raise InputError if options of tokens have changed since the first fit."""
    bits = options.tokens.hash_bits or 0
    if reader.hash_bits != bits:
        raise InputError(
            "The 'hash_bits' of the tokens of TextClassifier", f"stay {reader.hash_bits or None} once fitted"
        ).but(f"got {options.tokens.hash_bits}", python="Call fit to start again.")
    if reader.analysis != options.analysis:
        raise InputError(
            "The parameters of TextClassifier that say what a token is", "stay as they were at the first fit"
        ).but("got others", python="Set them back, or call fit to start again.")


def wanted_of(estimator: TextClassifier) -> Wanted | None:
    """Return what training texts choose; None if nothing."""
    if estimator._transform is not None:
        return None
    chooses = estimator.model == "multinomial" and estimator.estimate != "predictive"
    return Wanted(
        alpha="loo" if is_loo(estimator.alpha) else "held_out" if estimator.alpha is None and chooses else None,
        temper="held_out" if is_loo(estimator.temper) else None,
        weights="features" if is_loo(estimator.feature_powers) and chooses else None,
        ridge=estimator.ridge,
        least_rows=WEIGHED,
        alpha_bounds=(1.0, 10.0) if estimator.estimate == "map" else (1e-5, 10.0),
        length_exponent=length_exponent_of(estimator),
        effort=estimator.effort,
        word_residuals=True,
        floor=True,
        memory_limit=estimator.memory_limit,
        waiting=estimator._waiting or Waiting(type(estimator).__name__, STAGES, estimator.verbose),
    )
