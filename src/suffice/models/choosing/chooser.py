"""Choose hyperparameters on training rows: pseudo-count, prior of covariances, temper and evidence weights.

There are two ways. With "loo", each row is scored by classes without it. With "held_out", some rows are taken out of
the model, and pseudo-count, temper and feature weights are chosen together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from suffice.models.choices import TOKENS, Choice
from suffice.models.choosing.judge import JUDGED, Judged, Sample, in_order_of_rows, judge, some_rows
from suffice.models.choosing.optimize import Report
from suffice.models.choosing.residuals import FittedByName, ResidualChoice, with_residuals
from suffice.models.choosing.smoothing import (
    LEAST_WEIGHED,
    Scored,
    alpha_of_counts,
    choose_alpha,
    choose_spread,
    choose_temper,
    smoothed,
    with_prior,
)
from suffice.models.choosing.weights import (
    LARGE,
    SEVERAL_CLASSES,
    BlockVotes,
    VotesInParts,
    choose_column_weights,
    fit_weights,
    named_weights,
)
from suffice.models.choosing.word_choice import (
    JUDGING,
    JUDGING_RESIDUALS,
    Asked,
    WordChoice,
    choose_words,
    fit_chosen_residuals,
)
from suffice.models.choosing.word_rows import FINE_WORDS, CountedWords, WordRows, looked_up, named
from suffice.models.likelihoods.base import uncut
from suffice.models.model import Block, Model, Name, can_be_weighed
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.rows import Labels, Rows
from suffice.models.together import sets_of
from suffice.models.views import ColumnWeights, Views, WordWeights
from suffice.typing import Array, Integers
from suffice.waiting import NOBODY_WAITS, Waiting

Effort = Literal["fast", "balanced", "best"]
Judging = Literal["loo", "held_out"]

ROWS, FEW_ROWS, MANY_ROWS, SCORES = 20_000, 2000, 200_000, 2**24
"""Largest number of rows for choosing: by default, with little effort, and with the best; and of their scores."""

WORD_ROWS = 50_000
"""Largest number of rows that word weights are fitted on below effort="best"."""

EFFORTS = {"fast": 2000, "balanced": 8000, "best": 16000}
"""Number of rows that choose pseudo-count, temper and ridge together, by effort."""

MANY = 128
"""Number of classes above which words are weighted only with effort="best" or a given ridge."""

FEW = 50
"""Number of rows below which no pseudo-count is chosen together with a temper."""


@dataclass(frozen=True)
class Settled:
    """Hold what was chosen before the weights of blocks: their ridge, residuals on top, and a floor."""

    ridge: float | None = None
    residuals: ResidualChoice | None = None
    floor: float | None = None
    initial: FittedByName | None = None  # starting point of the weights
    choices: tuple[Choice, ...] = ()


NOTHING_SETTLED = Settled()


@dataclass(frozen=True)
class Wanted:
    """Describe what training rows are to choose, and the budget for it. A fixed temper is that of the predictor."""

    alpha: Judging | Literal["counts"] | None = None  # "counts" where rows are too few to hold any out
    temper: Judging | None = None  # "held_out" means leave-one-out if nothing else is held out
    prior: bool = False  # prior of covariances, for a model of one such block
    weights: Literal["features", "blocks"] | None = None
    ridge: float | None = None  # strength of shrinkage of weights to one; chosen if None
    least_rows: int = 0  # needed to fit weights, and to choose a pseudo-count by held-out rows
    alpha_bounds: tuple[float, float] = (1e-5, 10.0)
    length_exponent: float | None = None  # for documents; chosen with the temper if None
    effort: Effort | None = None
    residuals: ResidualChoice | None = None  # on top of block weights
    initial: FittedByName | None = None  # starting point of block weights
    word_residuals: bool = False  # on top of word weights, if they lower the held-out loss
    floor: bool = False  # whether to choose a floor for wrong labels
    memory_limit: int | None = None  # bytes for word weights; if None, few rows fit them
    waiting: Waiting = NOBODY_WAITS  # receives the expected time and the progress

    @property
    def sample_size(self) -> int:
        """Return the largest number of rows to choose by, from any source; 0 if nothing is chosen."""
        if not (self.alpha or self.temper or self.prior or self.weights):
            return 0
        words = self.weights == "features" and self.memory_limit is not None and self.effort == "balanced"
        return WORD_ROWS if words else self.most_rows

    @property
    def most_rows(self) -> int:
        """Return the largest number of rows that are left out one by one."""
        return {"fast": FEW_ROWS, "best": MANY_ROWS}.get(self.effort or "", ROWS)

    @property
    def folds(self) -> bool:
        """Return whether each part of the rows is held out in turn, for any number of rows."""
        return self.effort == "best"

    def with_settled(self, settled: Settled) -> Wanted:
        """Return the settings with a ridge that was already chosen, unless one is given, and with residuals."""
        ridge = settled.ridge if self.ridge is None else self.ridge
        return replace(self, ridge=ridge, residuals=settled.residuals, initial=settled.initial)

    def of_rows(self, rows: int) -> Wanted | None:
        """Return what `rows` rows can choose; None if nothing."""
        weights = self.weights if rows >= self.least_rows else None
        few = rows < max(FEW, self.least_rows)
        alpha = "counts" if self.alpha == "held_out" and few else self.alpha
        some = alpha or self.temper or self.prior or weights
        return replace(self, alpha=alpha, weights=weights) if some else None

    def most_together(self, classes: int) -> int:
        """Return the number of rows that choose together."""
        return max(min(EFFORTS[self.effort or "balanced"], SCORES // classes), FEW)


WORK = 2**24
"""Budget for choosing: words of rows × classes."""

SECONDS, OF_ROWS, AT_LEAST = 2e-7, 1e-4, 0.5
"""Rough seconds that choices take: per row, word and class; per row; and at least."""

WEIGHTS, RESIDUALS = "word weights", "word residuals"
STAGES = {TOKENS: 0.2, JUDGING: 0.3, JUDGING_RESIDUALS: 0.2, WEIGHTS: 0.1, RESIDUALS: 0.2}
"""Stages of choosing for texts, and the share of time that each takes."""

ENTRIES, BYTES = 2**23, 40
"""Largest number of entries that feature weights are fitted on below effort="best"; memory per entry in bytes."""


def choose(
    predictor: Predictor, rows: Mapping[Name, Rows], labels: Labels, group: Integers | None, wanted: Wanted
) -> Views:
    """Return the views that training rows choose, as if the model had none yet.

    At most `wanted.sample_size` rows are used, in the order of their content, so the choice does not depend on where
    they came from (`bottom_k`).
    """
    possible, names = wanted.of_rows(len(labels)), predictor.model.classes
    if possible is None:
        return Views()
    predictor, labels = in_order_of_rows(predictor, labels)
    classes, temper = len(predictor.model.classes), predictor.temper
    predictor = Predictor(definite(predictor.model), predictor.prior)
    everything = Sample(rows, labels, group)
    wanted = _possible(predictor.model, possible)
    together = wanted.weights == "features" or wanted.alpha == "held_out"
    by_loo = wanted.temper == "loo" or (wanted.temper == "held_out" and (wanted.alpha == "loo" or not together))
    few, views = everything, Views()
    if wanted.alpha == "counts":
        alpha = alpha_of_counts(predictor.model, wanted.alpha_bounds)
        views, predictor = Views(alpha=alpha), replace(predictor, model=smoothed(predictor.model, alpha))
    if not together or wanted.memory_limit is None or wanted.alpha == "loo":
        few = everything.at_most(min(wanted.most_rows, SCORES // classes))
    if by_loo or wanted.alpha == "loo" or wanted.prior or wanted.weights == "blocks":
        given, way = (
            None if by_loo else temper,
            _in_parts if _is_large(predictor.model, few, wanted) else _by_leave_one_out,
        )
        predictor, found = way(predictor, few, wanted, given)
        views = found if views.alpha is None else replace(found, alpha=views.alpha)
    if together:
        given = None if wanted.temper == "held_out" and not by_loo else views.temper or temper
        sample = few if wanted.memory_limit is None else everything
        views = _by_held_out(predictor, sample, wanted, given, views)
    return views if views.weights is None else replace(views, weights=views.weights.among(names))


def definite(model: Model) -> Model:
    """Return the model restricted to the features that its likelihoods use, computed once for all candidates."""
    return replace(model, blocks={name: _uncut(block) for name, block in model.blocks.items()})


def _uncut(block: Block) -> Block:
    likelihood = uncut(block.likelihood)
    return block if likelihood is block.likelihood else Block(likelihood, block.t)


def _possible(model: Model, wanted: Wanted) -> Wanted:
    """Return the part of `wanted` that can be chosen for a model."""
    voting = list(model.voting.values())
    weighable = len(voting) == 1 and can_be_weighed(voting[0].settled)
    weights = wanted.weights if len(model.classes) > 1 and wanted.effort != "fast" else None
    crowded = len(model.classes) > MANY and wanted.effort != "best" and wanted.ridge is None
    weights = None if weights == "features" and (crowded or not weighable) else weights
    alpha = wanted.alpha if wanted.alpha == "loo" or weighable else None
    return replace(wanted, weights=weights, alpha=alpha)


def _by_leave_one_out(
    predictor: Predictor, sample: Sample, wanted: Wanted, temper: Temper | None
) -> tuple[Predictor, Views]:
    """Return the predictor with the pseudo-count and prior chosen by leave-one-out, and the views."""
    weighs = wanted.weights == "blocks"  # with a ridge that rows outside the counts chose
    judged, views = judge(predictor, sample.rows, sample.labels, sample.group, same_bins=weighs), Views()
    suited = temper
    if wanted.alpha == "loo" and judged.weights.any():
        alpha, suited = choose_alpha(judged, wanted.alpha_bounds, temper, wanted.length_exponent)
        judged, views = judged.with_model(smoothed(predictor.model, alpha)), replace(views, alpha=alpha)
    if wanted.prior:
        prior = choose_spread(judged.predictor, sample, temper)
        judged = judged if prior is None else judged.with_model(with_prior(judged.predictor.model, prior))
        views, suited = replace(views, prior=prior), temper
    blocks = judged.predictor.model.blocks
    sets = {name: block for name, block in sets_of(blocks).items() if name in judged.held_out}
    votes = {} if suited is not None and wanted.weights != "blocks" else judged.votes(without=sets)
    if suited is None:
        alone = {name: vote for name, vote in votes.items() if not blocks[name].likelihood.correction}
        scored = Scored.of(judged, wanted.length_exponent, _total(judged, alone))
        suited = choose_temper(scored, LEAST_WEIGHED) if weighs else choose_temper(scored)
    if temper is None:
        views = replace(views, temper=suited)
    if wanted.weights == "blocks":
        views = replace(views, weights=_column_weights(judged, votes, sets, suited.power, wanted))
    return judged.predictor, views


def _is_large(model: Model, sample: Sample, wanted: Wanted) -> bool:
    """Return whether the scores of all columns are too many to keep at once, and nothing else needs them all."""
    more = wanted.alpha or wanted.prior or wanted.residuals is not None or sample.group is not None
    if wanted.weights != "blocks" or more or sets_of(model.blocks):
        return False
    classes = len(model.classes)
    return classes > SEVERAL_CLASSES and len(sample) * classes * len(model.voting) > LARGE


def _in_parts(predictor: Predictor, sample: Sample, wanted: Wanted, temper: Temper | None) -> tuple[Predictor, Views]:
    """Return the predictor and the views chosen by leave-one-out, computed part by part."""
    found, codes, labels = VotesInParts.of(predictor, sample), sample.labels.y, predictor.model.classes
    suited = temper
    if suited is None:
        scored = Scored(found.total, found.log_prior, codes, found.weights, None, wanted.length_exponent)
        suited = choose_temper(scored, LEAST_WEIGHED)
    views = Views(temper=suited if temper is None else None)
    if not found.possible.any():
        return predictor, views
    blocks, initial = found.blocks(predictor.model, codes, suited.power), wanted.initial
    first = None if initial is None else initial.of_blocks(blocks.names, blocks.centre, labels)
    weights = named_weights(choose_column_weights(blocks, wanted.ridge, first), blocks.names, labels)
    return predictor, replace(views, weights=weights)


def _column_weights(
    judged: Judged, votes: Mapping[Name, Array], sets: Mapping[Name, Block], power: float, wanted: Wanted
) -> ColumnWeights:
    """Return the weights of blocks, with residuals where wanted."""
    if not votes:
        return ColumnWeights({}, 1.0, {})
    blocks, labels = BlockVotes.of(judged, votes, sets, power), judged.predictor.model.classes
    centre, initial = blocks.centre, wanted.initial
    first = None if initial is None else initial.of_blocks(blocks.names, centre, labels)
    found = choose_column_weights(blocks, wanted.ridge, first)
    weights = named_weights(found, blocks.names, labels)
    if wanted.residuals is None:
        return weights
    return with_residuals(weights, blocks, found, judged.rows, labels, power, wanted.residuals, initial)


def _total(judged: Judged, votes: Mapping[Name, Array]) -> Array:
    out = np.zeros((len(judged.codes), len(judged.predictor.model.classes)))
    for vote in votes.values():
        out += vote
    return out


def _by_held_out(predictor: Predictor, sample: Sample, wanted: Wanted, temper: Temper | None, views: Views) -> Views:
    """Return views with what held-out rows choose; feature weights are then fitted on all rows."""
    weigh, classes = wanted.weights == "features", len(predictor.model.classes)
    if weigh:
        sample = looked_up(sample.at_most(_most_in_memory(predictor.model, wanted, len(sample))), predictor)
    most = int(WORK / (_entries(predictor.model) * classes)) + FEW
    few = some_rows(len(sample), min(wanted.most_together(classes), most), sample.group)
    if not weigh:
        sample, few = looked_up(sample.take(few), predictor), np.arange(len(few))
    asked = Asked(
        alpha=wanted.alpha == "held_out",
        weigh=weigh,
        ridge=wanted.ridge,
        residuals=weigh and wanted.word_residuals,
        folds=wanted.folds,
        floor=wanted.floor,
        short=wanted.effort == "fast",
    )
    with wanted.waiting as waiting:
        if weigh:
            waiting.expect(seconds_of_words(len(sample), _entries(predictor.model), classes, asked.folds))
        words = CountedWords.of(predictor, sample)
        choice = choose_words(words, asked, temper, wanted.length_exponent, waiting, few)
        return _chosen_words(words, wanted, temper, views, choice)


def seconds_of_words(rows: int, words: float, classes: int, folds: bool) -> float:
    """Return a rough estimate of the seconds that choices take for `rows` texts of `words` different words each."""
    rows = min(rows, int(ENTRIES / words) + FEW)
    judging = min(rows, EFFORTS["best" if folds else "balanced"], int(WORK / (words * classes)) + FEW)
    judging *= JUDGED if folds else 1
    return AT_LEAST + (judging + rows) * (SECONDS * words * classes + OF_ROWS / 2)


def _chosen_words(
    words: CountedWords, wanted: Wanted, temper: Temper | None, views: Views, choice: WordChoice
) -> Views:
    """Return the chosen views, with weights and residuals fitted on all rows."""
    option, classes = choice.option, len(words.n)
    if option.alpha is not None:
        views = replace(views, alpha=option.alpha)
    if temper is None:
        views = replace(views, temper=choice.temper)
    views = replace(views, floor=choice.floor if wanted.floor and classes > 1 else None, choices=choice.record or None)
    if not option.weighs and choice.residual is None:
        return views
    found = choice.initial
    if option.weighs:
        wanted.waiting.stage(WEIGHTS)
        rows = WordRows.of(words, option.alpha).tempered(choice.temper)
        found = fit_weights(rows, option.ridge, choice.initial, FINE_WORDS, report=_by_row(wanted.waiting, rows))
    weights = named(found, words.predictor)
    if choice.residual is not None and isinstance(weights, WordWeights):
        wanted.waiting.stage(RESIDUALS)
        weights = fit_chosen_residuals(words, choice, weights)
    return replace(views, weights=weights)


def _entries(model: Model) -> float:
    """Return the mean number of different words per row; for a matrix, the number of columns."""
    (block,) = model.voting.values()
    if not hasattr(block.t, "document_frequency"):
        return float(block.t.tokens.shape[1])
    return max(float(block.t.document_frequency.sum()) / max(float(model.n.sum()), 1e-300), 1.0)


def _most_in_memory(model: Model, wanted: Wanted, rows: int) -> int:
    """Return how many rows weights of words may be fitted on, given the mean number of words per row."""
    if wanted.memory_limit is None:
        return rows
    most = wanted.memory_limit / BYTES
    return max(FEW, int((most if wanted.effort == "best" else min(most, ENTRIES)) / _entries(model)))


def _by_row(waiting: Waiting, rows: WordRows) -> Report:
    """Return a report of the mean loss per row."""
    total = float(rows.weights.sum())
    return lambda step, value: waiting.step(step, value / total)
