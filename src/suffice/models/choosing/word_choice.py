"""Choose the hyperparameters of a text model on held-out texts, which neither counts nor weights have seen.

Pseudo-count and ridge are chosen together, in rounds until nothing moves. Evidence weights must improve on the best
model without them, and residuals of words (JC-6) on either. Leave-one-out would not do: two texts that share a rare
word would reveal each other's class.

Residuals need scores from counts and weights that have not seen the row. So the rows are split into parts, and each
part is scored by the others: its texts are subtracted from the counts, and the weights are fitted without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice import _native
from suffice.later import logsumexp, sparse
from suffice.models.choices import Choice
from suffice.models.choosing.judge import JUDGED, parts_of, some_rows
from suffice.models.choosing.optimize import Axis, Judge, choose_floor, downhill
from suffice.models.choosing.weights import NATS, RIDGE, Fitted
from suffice.models.choosing.word_rows import CountedWords, Outside, WordOption, WordTrial, outside_scores
from suffice.models.scoring.cells import Temper
from suffice.models.views import WordResiduals, WordWeights
from suffice.typing import Array, Integers
from suffice.waiting import NOBODY_WAITS, Waiting

ALPHA, STEP = 0.316227766017, 10**0.5
"""First candidate of the pseudo-count, and the factor between candidates."""

OF_ALPHA, OF_RIDGE = Axis("alpha", STEP, 1e-3, 10.0), Axis("ridge", STEP, 1e-3, 1e3)
OF_RESIDUAL = Axis("residual", STEP, 0.3, 100.0)
"""Numbers to search over, and their bounds."""

RESIDUAL, ROUNDS = 0.316227766017, 10
"""First candidate of the residuals' ridge; largest number of rounds over pseudo-count and ridge."""

JUDGING, JUDGING_RESIDUALS = "pseudo-count and weights", "residuals"
"""Names of the stages of choosing."""

FEW, FEWER = 2000, 1000
"""Number of rows up to which each part is held out in turn, by default and for a short search."""


@dataclass(frozen=True)
class WordResidual:
    """Describe residuals to try, by their ridge."""

    residual: float


class WordJudge(Judge[WordTrial]):
    """Compare the hyperparameters of a text model."""

    def near(self, option: WordOption, known: Sequence[WordOption]) -> WordOption | None:
        """Return the option with the nearest ridge, among those with the same pseudo-count if there are any."""
        weighing = [one for one in known if one.weighs] if option.weighs else []
        same = [one for one in weighing if one.alpha == option.alpha] or weighing
        return min(same, key=lambda one: abs(np.log(one.ridge / option.ridge)), default=None)


@dataclass(frozen=True, eq=False)
class WordChoice:
    """Hold what rows chose: an option, its temper, starting weights, residuals, a floor, and the record."""

    option: WordOption
    temper: Temper
    initial: Fitted
    residual: float | None = None
    scores: Scores | None = None  # held-out scores of all rows, if known
    floor: float | None = None
    record: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class Asked:
    """Describe what to choose: the pseudo-count, weights with their ridge, residuals; and on how many rows.

    With `folds`, all rows are held out, part by part. With `short`, that happens only for very few rows.
    """

    alpha: bool = True
    weigh: bool = True
    ridge: float | None = None
    residuals: bool = True
    folds: bool = False
    floor: bool = False
    short: bool = False


def choose_words(
    every: CountedWords,
    asked: Asked,
    temper: Temper | None,
    exponent: float | None = None,
    waiting: Waiting = NOBODY_WAITS,
    few: Integers | None = None,
) -> WordChoice:
    """Return the hyperparameters that held-out rows choose; `temper` is fixed if given.

    `few` holds the numbers of the rows that choose pseudo-count and ridge; None means all.
    """
    waiting.stage(JUDGING)
    numbers = np.arange(len(every)) if few is None else few
    words = every if len(numbers) == len(every) else every.take(numbers)
    most = len(words) if asked.folds else FEWER if asked.short else FEW
    trials = _trials(words, most, temper, exponent)
    if not trials:
        return _unjudged(words, asked, temper, exponent)
    judge = WordJudge(trials)
    option = _option(judge, asked)
    fit, suited = judge.fits(option)[0], trials[0].at(option.alpha).temper
    choice, losses = WordChoice(option, suited, fit), judge.loss(option)
    if asked.residuals and all(_can_be_dealt(trial.learned) for trial in trials):
        waiting.stage(JUDGING_RESIDUALS)
        if len(trials) > 1:  # each part is held out in turn, and fits for one part have seen the others
            every, numbers = words, np.arange(len(words))
        choice, losses = _with_residuals(judge, choice, every, numbers)
    floor = choose_floor(losses, judge.weights, _own_shares(judge))
    if asked.floor:
        judge.note_floor(floor, losses, _own_shares(judge))
    return replace(choice, floor=floor, record=tuple(judge.record))


def _trials(
    words: CountedWords, most: int, temper: Temper | None = None, exponent: float | None = None
) -> list[WordTrial]:
    """Return trials for held-out parts: each part in turn for at most `most` rows, otherwise one."""
    parts = parts_of(words, words.group)
    return [
        WordTrial(words, parts == k, temper, exponent)
        for k in range(JUDGED if len(words) <= most else 1)
        if (parts == k).any() and (parts != k).any()
    ]


def _can_be_dealt(words: CountedWords) -> bool:
    """Return whether the rows fall into several parts; rows of a single group do not."""
    return len(np.unique(parts_of(words, words.group))) > 1


def _unjudged(words: CountedWords, asked: Asked, temper: Temper | None, exponent: float | None) -> WordChoice:
    """Return default choices where no row can be held out: a temper, and weights if a ridge is given."""
    nobody = WordTrial(words, np.zeros(len(words), bool), temper, exponent)
    option = WordOption(1.0 if asked.alpha else None, asked.ridge if asked.ridge and asked.weigh else np.inf)
    return WordChoice(option, nobody.at(option.alpha).temper, nobody.fit(option)[0])


def _own_shares(judge: WordJudge) -> Array:
    """Return the share of each held-out row's class."""
    return np.concatenate([np.exp(trial.unseen.prior[trial.unseen.labels.y]) for trial in judge.trials])


def _option(judge: WordJudge, asked: Asked) -> WordOption:
    """Return the pseudo-count and the ridge, as far as asked, with the lowest held-out log loss."""
    start = WordOption(ALPHA if asked.alpha else None, np.inf)
    plain = _settled(judge, start, [OF_ALPHA] if asked.alpha else [])
    if not asked.weigh:
        _note(judge, plain, asked)
        return plain
    axes = [*([OF_RIDGE] if asked.ridge is None else []), *([OF_ALPHA] if asked.alpha else [])]
    weighed = _settled(judge, replace(start, ridge=asked.ridge or RIDGE), axes)
    best = weighed if asked.ridge is not None or judge.pays(judge.loss(plain), judge.loss(weighed)) else plain
    _note(judge, best, asked)
    if asked.ridge is None:
        both = {"none": plain, _ridge(weighed): weighed}
        judge.note("feature powers", _ridge(best), {name: judge.loss(one) for name, one in both.items()})
    return best


def _ridge(option: WordOption) -> str:
    return f"ridge {option.ridge:.3g}" if option.weighs else "none"


def _settled(judge: WordJudge, option: WordOption, axes: Sequence[Axis]) -> WordOption:
    """Return the option after rounds along the axes, then smoothed as far as the loss does not clearly rise."""
    for _ in range(ROUNDS):
        before, option = option, downhill(option, judge.loss, axes, judge.nat)
        if option == before:
            break
    best = option
    for axis in axes:
        while (safer := axis.moved(option, axis.factor)) is not None and not judge.pays(
            judge.loss(safer), judge.loss(best)
        ):
            option = safer
    return option


def _note(judge: WordJudge, option: WordOption, asked: Asked) -> None:
    """Record the pseudo-counts tried with the chosen ridge."""
    if not asked.alpha:
        return
    tried = [one for one in judge.tried if one.ridge == option.ridge]
    losses = {f"{one.alpha:.3g}": judge.loss(one) for one in sorted(tried, key=lambda one: one.alpha or 0.0)}
    judge.note("pseudo-count", f"{option.alpha:.3g}", losses)


def _with_residuals(
    judge: WordJudge, choice: WordChoice, words: CountedWords, numbers: Integers
) -> tuple[WordChoice, Array]:
    """Return the choice with residuals if they improve it, and its losses; `numbers` are those that chose it."""
    option, design = choice.option, design_of(words, choice.temper)
    sides = [
        Sides.of(trial, judge.fits(option)[k], option, words, numbers[trial.out], design)
        for k, trial in enumerate(judge.trials)
    ]
    losses: dict[WordResidual, Array] = {}

    def loss(how: WordResidual) -> Array:
        if how not in losses:
            losses[how] = np.concatenate([side.loss(how.residual) for side in sides])
        return losses[how]

    best = downhill(WordResidual(RESIDUAL), loss, [OF_RESIDUAL], judge.nat)
    before, after = judge.loss(option), loss(best)
    pays = judge.found_to_pay(before, after)
    tried = {f"ridge {how.residual:.3g}": each for how, each in sorted(losses.items(), key=lambda one: one[0].residual)}
    judge.note("residuals", f"ridge {best.residual:.3g}" if pays else "none", {"none": before, **tried})
    if not pays:
        return choice, before
    return replace(choice, residual=best.residual, scores=sides[0].every if len(sides) == 1 else None), after


def fit_chosen_residuals(words: CountedWords, choice: WordChoice, weights: WordWeights) -> WordWeights:
    """Return weights with the chosen residuals, fitted on held-out scores of the rows."""
    assert choice.residual is not None
    if choice.scores is None:
        outside = outside_scores(words, choice.option, choice.temper)
        design = design_of(words, choice.temper)
        scores = outside.scores, outside.offset, design, words.labels.y, outside.weights(words.labels)
    else:
        scores = choice.scores
    found, classes = fit_word_residuals(*scores, choice.residual), words.predictor.model.classes
    residuals, more = named_residuals(found, scores[2], classes)
    terms = dict(zip(classes.tolist(), (weights.terms(classes) + more).tolist(), strict=True))
    return replace(weights, classes=terms, features=found.scale * weights.features, residuals=residuals)


def judged_alone(words: CountedWords, weigh: bool, folds: bool) -> tuple[WordJudge, Array] | None:
    """Return the judge of a model of a few texts, and losses to compare tokens by; None if no row can be held out."""
    judge = WordJudge(_trials(words, len(words) if folds else FEW))
    if not judge.trials or not judge.weights.sum() > 0:
        return None
    tried = [WordOption(ALPHA, np.inf), *([WordOption(ALPHA, RIDGE)] if weigh else [])]
    return judge, min((judge.loss(one) for one in tried), key=lambda each: float(each.sum()))


LEAST_ROWS, TERMS = 2, 2**22
"""Smallest number of rows with a word for it to get a term; largest number of words × classes, most frequent first."""

JUDGED_BY = 4000
"""Largest number of rows that residuals are fitted on to be compared."""

ENOUGH, PASSES, SCALES = 1e-2, 60, 3
"""Tolerance as a share of the loss; rounds over all rows; and number of updates of a."""


@dataclass(frozen=True, eq=False)
class WordDesign:
    """Hold rows by the words that have a term. The last column is one for every row: its term is that of the class."""

    x: Any  # CSR in single precision
    places: Integers  # of the words in the vocabulary, most frequent first
    factor: Array  # per word, multiplies its tempered count

    @classmethod
    def of(cls, words: CountedWords, temper: Temper, frequency: Array, rows: float) -> WordDesign:
        """Return rows by words that may have a term; `frequency` is each word's document frequency in `rows` rows."""
        x = sparse.csr_matrix((words.times, words.x.indices, words.x.indptr), words.x.shape)
        there = np.bincount(x.indices, minlength=x.shape[1])
        some = np.flatnonzero(there >= LEAST_ROWS)
        some = some[np.argsort(-there[some], kind="stable")][: max(1, TERMS // len(words.n))]
        places = words.used[some]
        rarity = np.log((1 + rows) / (1 + np.minimum(frequency[places], rows))) + 1
        lengths = words.lengths_as_read if temper.length else None
        table = _tempered(_among(x, some), temper.of(lengths), rarity)
        size = float(np.sqrt((table.data**2).sum() / max(1, x.shape[0]))) or 1.0
        table.data /= size
        table = sparse.hstack([table, np.ones((x.shape[0], 1))], format="csr").astype(np.float32)
        return cls(table, places, rarity / size)

    def take(self, which: Any) -> WordDesign:
        """Return the given rows."""
        return replace(self, x=self.x[which])


Scores = tuple[Array, Array, WordDesign, Integers, Array]
"""Scores of rows, the unscaled part, words that may have residuals, codes and weights."""


def _among(x: Any, places: Integers) -> Any:
    """Return the given columns of a CSR matrix, in their order."""
    number = np.full(x.shape[1], -1, np.int32)
    number[places] = np.arange(len(places))
    found = number[x.indices]
    known = found >= 0
    start = np.concatenate([[0], np.cumsum(known)])[x.indptr]
    return sparse.csr_matrix((x.data[known], found[known], start), (x.shape[0], len(places)))


def _tempered(counts: Any, power: Any, factor: Array) -> Any:
    """Return a CSR matrix with rows multiplied by powers and words by factors."""
    each = np.repeat(np.broadcast_to(power, counts.shape[0]), np.diff(counts.indptr))
    return sparse.csr_matrix((counts.data * each * factor[counts.indices], counts.indices, counts.indptr), counts.shape)


@dataclass(frozen=True, eq=False)
class FittedWords:
    """Hold the scale of the score, the terms of words and classes, and the class probabilities that yield them."""

    scale: float
    terms: NDArray[np.float32]  # (words + 1) × classes
    shares: NDArray[np.float32]  # rows × classes
    ridge: float

    def each(self, scores: Array, offset: Array, design: WordDesign, codes: Integers, weights: Array) -> Array:
        """Return −w ln p of the own class for each row; `offset` is the unscaled part."""
        lines = self.scale * scores + offset + design.x @ self.terms
        return np.asarray(weights * (logsumexp(lines, axis=1) - lines[np.arange(len(codes)), codes]))

    def held_by(self, ridge: float) -> FittedWords:
        """Return the starting point of a fit with another ridge."""
        return replace(self, terms=self.terms * np.float32(self.ridge / ridge), ridge=ridge)


def fit_word_residuals(
    scores: Array,
    offset: Array,
    design: WordDesign,
    codes: Integers,
    weights: Array,
    ridge: float,
    initial: FittedWords | None = None,
) -> FittedWords:
    """Return the residuals that maximize the objective, given held-out scores and the unscaled `offset`."""
    classes = scores.shape[1]
    if initial is None:
        own = np.eye(classes, dtype=np.float32)[codes]
        initial = FittedWords(1.0, np.zeros((design.x.shape[1], classes), np.float32), own, ridge)
    found = initial.held_by(ridge)
    scale, terms, shares = found.scale, found.terms.copy(), found.shares.copy()
    rows = design.x.indptr.astype(np.int64), design.x.indices.astype(np.int32), design.x.data
    codes, weights = np.ascontiguousarray(codes, np.int64), np.ascontiguousarray(weights, np.float64)
    for _ in range(SCALES):
        base = np.ascontiguousarray(scale * scores + offset)
        start = float(FittedWords(scale, terms, shares, ridge).each(scores, offset, design, codes, weights).sum())
        enough = ENOUGH * max(start, NATS)
        _native.ascend(*rows, base, codes, weights, ridge, terms, shares, enough, PASSES)
        before, scale = scale, _scale(scores, offset + design.x @ terms, codes, weights, scale)
        if abs(before - scale) < 1e-2:
            break
    return FittedWords(scale, terms, shares, ridge)


def _scale(scores: Array, offset: Array, codes: Integers, weights: Array, scale: float) -> float:
    """Return the scale of the score, from 0 to 1, by Newton's method."""
    at = np.arange(len(codes)), codes
    for _ in range(10):
        lines = scale * scores + offset
        lines -= lines.max(axis=1, keepdims=True)
        share = np.exp(lines)
        share /= share.sum(axis=1, keepdims=True)
        mean = (share * scores).sum(axis=1)
        slope = float(weights @ (mean - scores[at]))
        bend = float(weights @ ((share * scores**2).sum(axis=1) - mean**2))
        before, scale = scale, float(np.clip(scale - slope / max(bend, 1e-9), 0.0, 1.0))
        if abs(before - scale) < 1e-4:
            break
    return scale


def design_of(words: CountedWords, temper: Temper) -> WordDesign:
    """Return rows by the words that may have a residual."""
    ((_, block),) = words.predictor.model.voting.items()
    frequency, rows = block.t.document_frequency, float(words.predictor.model.n.sum())
    return WordDesign.of(words, temper, frequency, rows)


class Sides:
    """Hold rows that residuals are fitted on, scored without themselves and without the held-out rows.

    The temper is that of the rows that are not held out.
    """

    def __init__(self, every: Scores, inside: Scores, judges: Scores) -> None:
        self.every, self.inside, self.judges = every, inside, judges
        self.last: FittedWords | None = None

    @classmethod
    def of(
        cls, trial: WordTrial, fit: Fitted, option: WordOption, words: CountedWords, out: Integers, design: WordDesign
    ) -> Sides:
        """Return the sides of a trial, whose held-out rows have the numbers `out`; the others are split into parts."""
        rest = np.setdiff1d(np.arange(len(words)), out)
        learned = words.take(rest).with_counts(trial.learned)
        known = trial.curvature_of_words(option)
        inside = outside_scores(learned, option, trial.at(option.alpha).temper, known)
        found = Outside.together([rest, out], [inside, trial.scores(option, fit)])
        every = found.scores, found.offset, design, words.labels.y, found.weights(words.labels)
        inside_rows = rest[some_rows(len(rest), JUDGED_BY, learned.group)]
        judges = (*_of(every, out)[:4], trial.weights)  # weights as without residuals
        return cls(every, _of(every, inside_rows), judges)

    def loss(self, ridge: float) -> Array:
        """Return −w ln p of the own class of each held-out row."""
        self.last = fit_word_residuals(*self.inside, ridge, self.last)
        return self.last.each(*self.judges)


def _of(scores: Scores, which: Integers) -> Scores:
    """Return the given rows."""
    own, offset, design, codes, weights = scores
    return own[which], offset[which], design.take(which), codes[which], weights[which]


def named_residuals(found: FittedWords, design: WordDesign, labels: NDArray[Any]) -> tuple[WordResiduals, Array]:
    """Return residuals as a view, and what they add to the term of each class."""
    order = np.argsort(design.places)
    terms = (found.terms[:-1] * design.factor[:, None]).astype(np.float32)[order]
    return WordResiduals(design.places[order].astype(np.int32), terms, labels), found.terms[-1].astype(np.float64)
