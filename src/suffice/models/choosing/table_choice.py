"""Choose the additions to a table's columns on held-out rows, which neither counts nor weights have seen.

Three additions are tried on the same rows in turn: a cloud of numbers; joint columns (how many sets, of how many
columns, with which κ and ridge; JC-4, JC-5); and residuals of values, optionally of joint values (JC-6). Each must
lower the held-out log loss by more than noise, or it is left out. Leave-one-out alone would overrate sparse cells.

Sets of two or three columns are ranked by how much their lifts would gain on top of the fitted blocks, each row left
out (JC-5). Weights of blocks and sets are fitted on learned rows, each left out, and scored on held-out rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.models.choices import Choice
from suffice.models.choosing.judge import (
    JUDGED,
    Judged,
    Sample,
    Split,
    in_order_of_rows,
    judge,
    never_seen,
    parts_of,
    without,
)
from suffice.models.choosing.optimize import Axis, Judge, choose_floor, downhill
from suffice.models.choosing.residuals import (
    Design,
    FittedByName,
    FittedResiduals,
    ResidualChoice,
    fit_residuals,
    named_residuals,
    scores_of,
)  # fmt: skip
from suffice.models.choosing.smoothing import LEAST_WEIGHED, Scored, choose_temper
from suffice.models.choosing.weights import (
    NATS,
    ROUGH,
    ColumnRows,
    Fitted,
    centres,
    fit_weights,
    named_weights,
    possible,
)
from suffice.models.likelihoods.base import uncut
from suffice.models.likelihoods.cloud import Cloud
from suffice.models.model import Block, Name, Together
from suffice.models.predictor import Predictor
from suffice.models.scoring.grouping import Coding
from suffice.models.scoring.lifts import LearnedCodes, flat
from suffice.models.side_by_side import counted_side_by_side
from suffice.telling import counted
from suffice.typing import Array, Booleans, Integers

Columns = tuple[int, ...]

MOST, TRIPLES, GROWN = 300, 600, 40
"""Largest number of sets; largest number of triples to try exhaustively; else number of pairs to extend to triples."""

CELLS, NUMBERS = 2**16, 2**24
"""Largest number of classes × joint values of a set; largest number of lifts kept at once."""

WORK, OF_CLASSES = 2**24, 2**26
"""Rough limits of rows × pairs, and of rows × pairs × classes: in wide tables, only the columns with the most
information are paired."""


@dataclass(frozen=True)
class Option:
    """Describe an option to try: at most `sets` sets of at most `order` columns, with κ and a ridge.

    Numbers may form a cloud, and missing values may be values in sets.
    """

    order: int
    sets: int
    kappa: float
    ridge: float
    cloud: bool = False
    missing: bool = False


@dataclass(frozen=True, eq=False)
class Side:
    """Hold rows to score, learned or held out: the scores of blocks, and the codes of values."""

    names: list[Name]
    blocks: ColumnRows  # without impossible rows; a cloud, if any, is the last block
    cloud: bool
    usable: Booleans  # which rows are not impossible
    codes: dict[bool, NDArray[np.int32]]  # columns that may be joint × rows; with missing as a value if True

    @classmethod
    def of(cls, judged: Judged, codes: Mapping[bool, Integers], power: float, cloud: Name | None) -> Side:
        """Return the rows from their scores block by block; codes are rows × columns."""
        said = judged.votes()
        votes = np.stack([*said.values()]) * power
        centre = centres(judged.predictor.model, list(said))
        blocks = ColumnRows.of(votes, judged.log_prior, judged.codes, judged.weights, judged.group, centre)
        usable = possible(votes, judged.weights)
        by_column = {missing: np.ascontiguousarray(part.T, np.int32) for missing, part in codes.items()}
        return cls(list(said), blocks, cloud is not None, usable, by_column)

    def seen(self, missing: bool) -> NDArray[np.int32]:
        """Return the codes of the possible rows."""
        return np.ascontiguousarray(self.codes[missing] if self.usable.all() else self.codes[missing][:, self.usable])

    def base(self, cloud: bool) -> ColumnRows:
        """Return rows with the scores of columns, and of the cloud if wanted."""
        if cloud or not self.cloud:
            return self.blocks
        return replace(self.blocks, votes=self.blocks.votes[:-1], centre=np.ones(len(self.blocks.votes) - 1))

    def rows(self, sets: int, cloud: bool) -> tuple[ColumnRows, NDArray[np.float32]]:
        """Return rows with their scores, and the array to write the lifts of `sets` sets to."""
        base = self.base(cloud)
        held = np.ones(len(base.votes)) if base.centre is None else base.centre
        rows = replace(base.with_more(sets), centre=np.concatenate([held, np.zeros(sets)]))
        return rows, rows.votes[len(base.votes) :]


class Trial:
    """Hold rows that weights are fitted on, and held-out rows; the latest lifts are cached."""

    def __init__(self, split: Split, coding: Coding, out: Any, power: float, cloud: Name | None = None) -> None:
        filled = coding.with_missing()
        codings = {False: coding} if filled is None else {False: coding, True: filled}
        self.learned = Side.of(split.learned, {key: one.codes[~out] for key, one in codings.items()}, power, cloud)
        self.unseen = Side.of(split.unseen, {key: one.codes[out] for key, one in codings.items()}, power, cloud)
        self.judged, self.power = split.learned, power
        self.classes = len(split.learned.predictor.model.classes)
        group, codes, given = split.learned.group, split.learned.codes, split.learned.given
        self.counted = {
            key: LearnedCodes.of(self.learned.codes[key], np.array(one.sizes, np.int64), codes, given, group)
            for key, one in codings.items()
        }
        self.codings = codings
        self.kept: tuple[Any, tuple[ColumnRows, ColumnRows]] | None = None
        self.ranked: dict[tuple[bool, int], list[Columns]] = {}

    @property
    def group(self) -> Integers:
        """Return the number of each held-out row's group."""
        return self.unseen.blocks.group

    @property
    def weights(self) -> Array:
        """Return the weight of each held-out row."""
        return self.unseen.blocks.weights

    def names(self, cloud: bool) -> list[Name]:
        """Return the names of the columns, and of the cloud if wanted."""
        return self.learned.names if cloud or not self.learned.cloud else self.learned.names[:-1]

    def named(self, columns: Columns) -> tuple[Name, ...]:
        """Return the names of joint columns."""
        return tuple(self.codings[False].names[j] for j in columns)

    def sets(self, option: Option) -> list[Columns]:
        """Return the sets of columns of an option."""
        return self.ranked[option.missing, option.order][: option.sets] if option.order > 1 else []

    def rows(self, option: Option) -> tuple[ColumnRows, ColumnRows]:
        """Return learned rows, each left out, and held-out rows, with the scores and lifts of an option."""
        sets = self.sets(option)
        if not sets:
            return self.learned.base(option.cloud), self.unseen.base(option.cloud)
        key, missing = (tuple(sets), option.kappa, option.cloud, option.missing), option.missing
        if self.kept is None or self.kept[0] != key:
            self.kept = None
            learned, mine = self.learned.rows(len(sets), option.cloud)
            unseen, theirs = self.unseen.rows(len(sets), option.cloud)
            usable, others = self.learned.usable, self.unseen.seen(missing)
            every = mine if usable.all() else np.empty((*mine.shape[:2], len(usable)), np.float32)
            self.counted[missing].lifts(sets, others, option.kappa, self.power, every, theirs)
            if every is not mine:
                mine[:] = every[..., usable]
            self.kept = key, (learned, unseen)
        return self.kept[1]

    def fit(self, option: Option, initial: Fitted | None = None) -> tuple[Fitted, Array]:
        """Return the weights of columns and sets, and −w ln p of the own class of held-out rows."""
        learned, unseen = self.rows(option)
        found = fit_weights(learned, option.ridge, initial, ROUGH, least=NATS)
        return found, unseen.each(found.features, found.classes)

    def rank(self, option: Option, fit: Fitted, order: int, kappa: float = 2.0, ridge: float = 1.0) -> None:
        """Rank pairs and triples by how much they would gain on top of the fit of an option (JC-5)."""
        share = np.zeros((self.classes, len(self.learned.usable)))
        share[:, self.learned.usable] = self.rows(option)[0].shares(fit.features, fit.classes)
        known, columns = dict[Columns, float](), self._informative()
        for missing in self.counted:
            pairs = self._gains(missing, combinations(columns, 2), known, share, kappa, ridge)
            self.ranked[missing, 2], known = _best(pairs), known | pairs
            if order > 2:
                triples = self._triples(self.ranked[missing, 2], columns, missing)
                more = self._gains(missing, triples, known, share, kappa, ridge)
                self.ranked[missing, 3], known = _best(pairs | more), known | more

    def _gains(
        self,
        missing: bool,
        sets: Iterable[Columns],
        known: Mapping[Columns, float],
        share: Array,
        kappa: float,
        ridge: float,
    ) -> dict[Columns, float]:
        """Return the gain of each small set; gains of sets without missing values are taken from `known`."""
        small = self._small(sets, missing)
        both = zip(self.codings[False].sizes, self.codings[missing].sizes, strict=True)
        holes = {j for j, (size, filled) in enumerate(both) if size != filled}
        new = [columns for columns in small if columns not in known or not holes.isdisjoint(columns)]
        found = self.counted[missing].gains(new, self.judged.weights, share, kappa, ridge, self.power)
        every = {**known, **dict(zip(new, found.tolist(), strict=True))}
        return {columns: every[columns] for columns in small}

    def _informative(self) -> list[int]:
        """Return the columns to pair: all, or if they are too many, those with the most information about the class."""
        count = len(self.counted[False].sizes)
        most = int(np.sqrt(2 * min(WORK, OF_CLASSES / self.classes) / max(1, len(self.learned.usable)))) + 1
        if count <= most:
            return list(range(count))
        told = [self.counted[False].information(j) for j in range(count)]
        return sorted(sorted(range(count), key=lambda j: -told[j])[:most])

    def _triples(self, pairs: list[Columns], columns: list[int], missing: bool) -> list[Columns]:
        """Return all triples if they are few, otherwise the best pairs with one more column."""
        if comb(len(columns), 3) <= TRIPLES:
            return list(combinations(columns, 3))
        grown = dict[Columns, None]()
        for pair in pairs[:GROWN]:
            more = [tuple(sorted((*pair, j))) for j in columns if j not in pair]
            grown |= dict.fromkeys(self._small(more, missing))
            if len(grown) >= TRIPLES:
                break
        return list(grown)[:TRIPLES]

    def _small(self, sets: Iterable[Columns], missing: bool) -> list[Columns]:
        """Return the sets that have few joint values."""
        sizes, most, sets = self.codings[missing].sizes, CELLS // self.classes, list(sets)
        if max(sizes, default=0) ** max(map(len, sets), default=0) <= most:
            return sets
        return [columns for columns in sets if prod([sizes[j] for j in columns]) <= most]


def _best(gains: Mapping[Columns, float]) -> list[Columns]:
    found = [columns for columns, gain in gains.items() if gain > 0]
    return sorted(found, key=lambda columns: -gains[columns])[:MOST]


@dataclass(frozen=True)
class Residuals:
    """Describe residuals to try: their ridge, and whether joint values and missing values have them."""

    residual: float
    together: bool
    missing: bool = False


FittedWithValues = tuple[Design, FittedResiduals]


class TableJudge(Judge[Trial]):
    """Compare what may be added to a table's columns."""

    def __init__(self, trials: Sequence[Trial]) -> None:
        super().__init__(trials)
        self._residuals: dict[tuple[Option, Residuals], Array] = {}
        self._residual_fits: tuple[tuple[Option, Residuals], list[FittedWithValues]] | None = None

    @property
    def holes(self) -> bool:
        """Return whether columns that may be joint have missing values."""
        return all(len(trial.counted) > 1 for trial in self.trials)

    def near(self, option: Option, known: Sequence[Option]) -> Option | None:
        """Return the latest option if it differs only in κ and ridge, on which weights depend little."""
        return known[-1] if known and _alike(known[-1], option) else None

    def with_residuals(self, option: Option, how: Residuals) -> Array:
        """Return the losses of held-out rows under an option with residuals on top."""
        if (option, how) not in self._residuals:
            last = self._residual_fits
            alike = last is not None and (last[0][0], replace(last[0][1], residual=how.residual)) == (option, how)
            near = last[1] if last is not None and alike else [None] * len(self.trials)
            each = zip(self.trials, self.fits(option), near, strict=True)
            found = [_fit_residuals(trial, fit, option, how, first) for trial, fit, first in each]
            self._residual_fits = (option, how), [fit for fit, _ in found]
            self._residuals[option, how] = np.concatenate([loss for _, loss in found])
        return self._residuals[option, how]

    def named(self, option: Option, how: Residuals | None, labels: Any) -> FittedByName | None:
        """Return what the rows of the only trial chose, by name; None if there are several trials."""
        if len(self.trials) > 1:
            return None
        (trial,), (fit,) = self.trials, self.fits(option)
        names = [*trial.names(option.cloud), *(Together(trial.named(columns)) for columns in trial.sets(option))]
        weights = named_weights(fit, names, labels)
        if how is None:
            return FittedByName(weights)
        if self._residual_fits is None or self._residual_fits[0] != (option, how):
            self._residuals.pop((option, how), None)
            self.with_residuals(option, how)
        assert self._residual_fits is not None
        design, residuals = self._residual_fits[1][0]
        values = _values(trial, option, how)
        found = named_residuals(design, residuals.terms, values, ResidualChoice(0.0, how.together, {}), labels)
        return FittedByName(replace(weights, residuals=found), residuals.scale, residuals.classes)

    def shares(self, option: Option) -> tuple[Array, Array]:
        """Return the weight of each held-out row, and the share of its class."""
        rows = [trial.rows(option)[1] for trial in self.trials]
        own = [np.exp(one.log_prior[one.codes, np.arange(len(one.codes))]) for one in rows]
        return np.concatenate([one.weights for one in rows]), np.concatenate(own)

    def gains(self, option: Option) -> dict[Columns, float]:
        """Return each set's reduction of log loss per row, measured by setting its weight to zero."""
        saved = dict[Columns, list[float]]()
        total = 0.0
        for trial, fit in zip(self.trials, self.fits(option), strict=True):
            (_, unseen), sets = trial.rows(option), trial.sets(option)
            usual = float(unseen.each(fit.features, fit.classes).sum())
            total += float(unseen.weights.sum())
            for k, columns in enumerate(sets, len(fit.features) - len(sets)):
                if fit.features[k] > 0:
                    less = np.where(np.arange(len(fit.features)) == k, 0.0, fit.features)
                    saved.setdefault(columns, []).append(float(unseen.each(less, fit.classes).sum()) - usual)
        return {columns: sum(parts) / total for columns, parts in saved.items()}


def _alike(a: Option, b: Option) -> bool:
    """Return whether one option's weights are a good starting point for another's."""
    return replace(a, kappa=b.kappa, ridge=b.ridge) == b


def _values(trial: Trial, option: Option, how: Residuals) -> dict[Name, Any]:
    """Return the values that may have residuals, by column or set, in the order of a design."""
    alone, joint = trial.codings[how.missing], trial.codings[option.missing].words
    found: dict[Name, Any] = {name: (None, (words,)) for name, words in zip(alone.names, alone.words, strict=True)}
    for columns in trial.sets(option) if how.together else []:
        found[Together(trial.named(columns))] = (None, tuple(joint[j] for j in columns))
    return found


def _fit_residuals(
    trial: Trial, fit: Fitted, option: Option, how: Residuals, near: FittedWithValues | None
) -> tuple[FittedWithValues, Array]:
    chosen, (learned, unseen) = trial.sets(option) if how.together else [], trial.rows(option)
    alone, joint = (trial.counted[missing].sizes.tolist() for missing in (how.missing, option.missing))
    widths = [*alone, *(prod(joint[j] for j in columns) for columns in chosen)]

    def places(side: Side) -> list[Integers]:
        codes = side.seen(option.missing)
        together = [flat(codes[list(columns)].T.astype(np.int64), [joint[j] for j in columns]) for columns in chosen]
        return [*side.seen(how.missing).astype(np.int64), *together]

    design, first = (Design.of(places(trial.learned), widths), None) if near is None else near
    held = Design.of(places(trial.unseen), widths, design.places)
    found = fit_residuals(*scores_of(learned, fit), design, learned.codes, learned.weights, how.residual, first)
    return (design, found), found.each(*scores_of(unseen, fit), held, unseen.codes, unseen.weights)


FEW, ENOUGH = 2000, 8000
"""Number of rows up to which each part is held out in turn; number of rows that choose at most."""

STEP = 5.0
"""Factor between candidates of most numbers."""

AXES = [Axis("ridge", STEP, 0.008, 125.0), Axis("kappa", STEP, 0.04, 125.0)]
SETS, OF_VALUES = Axis("sets", 2.5, 12, MOST, more_is_freer=True, whole=True), Axis("residual", STEP, 0.3, 100.0)
"""Numbers to search over, and their bounds."""

START, RESIDUAL = 60, 10.0
"""First candidates of the number of sets and of the residuals' ridge."""

SEPARATE, TOGETHER = "independent", "multivariate normal"
"""How numeric columns are modelled, in the record of choices."""


@dataclass(frozen=True)
class TableChoice:
    """Hold what rows chose: joint columns by name with their gains, κ, ridges, and whether numbers form a cloud."""

    sets: tuple[tuple[Name, ...], ...]
    gains: tuple[float, ...]  # of each set: reduction of log loss per held-out row
    kappa: float
    ridge: float | None  # of weights; None if only single columns are weighted
    residual: float | None = None  # ridge of residuals, if any
    of_joint_values: bool = False  # whether joint values have residuals
    cloud: bool = False
    cloud_gain: float | None = None  # reduction of log loss per held-out row
    floor: float | None = None  # share of labels that may be wrong
    missing: bool = False  # whether sets model missing values as values
    missing_residuals: bool = False  # whether missing values of columns have residuals
    initial: FittedByName | None = None  # starting point for a fit on more rows
    record: tuple[Choice, ...] = ()


def choose_table(
    predictor: Predictor,
    sample: Sample,
    coding: Coding,
    power: float | None,
    order: int = 3,
    cloud: Name | None = None,
    memory_limit: int = 2**31,
) -> TableChoice | None:
    """Return what held-out rows add to the columns; None if no rows can be held out.

    `power` is the power of likelihoods; if None, learned rows choose it. `cloud` names the block of joint numbers, if
    the model has one. `memory_limit` bounds the bytes of lifts kept at once.
    """
    predictor, labels = in_order_of_rows(predictor, sample.labels)
    sample = replace(sample, labels=labels)
    parts = parts_of(sample, sample.group)
    folds = [k for k in range(JUDGED if len(sample) <= FEW else 1) if _tells(sample, parts == k)]
    if not folds:
        return None
    splits = [_split(predictor, sample, parts == k) for k in folds]
    power = _power(splits[0].learned) if power is None else power
    judge = TableJudge([Trial(split, coding, parts == k, power, cloud) for k, split in zip(folds, splits, strict=True)])
    alone = best = downhill(Option(1, 0, 1.0, 1.0), judge.loss, AXES[:1], judge.nat)
    if cloud is not None and judge.may_pay(judge.loss(alone)):
        clouded = downhill(replace(alone, cloud=True), judge.loss, AXES[:1], judge.nat)
        best = clouded if judge.pays(judge.loss(alone), judge.loss(clouded)) else alone
        both = {SEPARATE: judge.loss(alone), TOGETHER: judge.loss(clouded)}
        judge.note("numeric columns", TOGETHER if best.cloud else SEPARATE, both)
    base = best
    if judge.may_pay(judge.loss(base)):
        most = max(1, min(NUMBERS, memory_limit // 8) // (len(sample) * len(predictor.model.classes)))
        best = _with_sets(judge, base, order, most)
    residuals = _residuals(judge, best) if judge.may_pay(judge.loss(best)) else None
    losses = judge.loss(best) if residuals is None else judge.with_residuals(best, residuals)
    floor = choose_floor(losses, *judge.shares(best))
    judge.note_floor(floor, losses, judge.shares(best)[1])
    if best == alone and residuals is None:
        return TableChoice((), (), 1.0, None, floor=floor, record=tuple(judge.record))
    sets, gains = _chosen(judge, predictor, sample, coding, power, base, best, cloud)
    named = tuple(tuple(coding.names[j] for j in columns) for columns in sets)
    choice = TableChoice(named, gains, best.kappa, best.ridge, cloud=best.cloud, floor=floor, missing=best.missing)
    saved = judge.mean(judge.loss(alone) - judge.loss(base)) if best.cloud else None
    choice = replace(
        choice,
        record=tuple(judge.record),
        cloud_gain=saved,
        initial=judge.named(best, residuals, predictor.model.classes),
    )
    if residuals is None:
        return choice
    ridge, joint, missing = residuals.residual, residuals.together, residuals.missing
    return replace(choice, residual=ridge, of_joint_values=joint, missing_residuals=missing)


def _split(predictor: Predictor, sample: Sample, out: Booleans) -> Split:
    """Return learned and held-out rows, with the latter taken out of the model; numbers of the former are recounted."""
    unseen, learned, model = sample.take(out), sample.take(~out), predictor.model
    laws = {name: uncut(block.likelihood) for name, block in model.voting.items()}
    fresh: dict[Name, Block] = {
        name: Block(laws[name], t) for name, t in counted_side_by_side(laws, learned.rows, learned.labels).items()
    }
    fresh |= {
        name: Block.of(law, learned.rows[name], learned.labels) for name, law in laws.items() if isinstance(law, Cloud)
    }
    others = {name: block for name, block in model.voting.items() if name not in fresh}
    left = without(replace(predictor, model=replace(model, blocks=others)), unseen)
    blocks = {name: fresh[name] if name in fresh else left.model.blocks[name] for name in laws}
    left = replace(left, model=replace(left.model, blocks=blocks))
    judged = judge(left, learned.rows, learned.labels, learned.group, same_bins=True)
    return Split(judged, never_seen(left, unseen, judged.held_out))


def _tells(sample: Sample, out: Booleans) -> bool:
    """Return whether there are held-out rows, and learned rows of several classes."""
    return bool(out.any()) and len(np.unique(sample.labels.y[~out])) > 1


def _with_sets(judge: TableJudge, base: Option, order: int, most: int) -> Option:
    """Return the option with at most `most` joint columns if they lower the held-out loss, otherwise the base."""
    for trial, fit in zip(judge.trials, judge.fits(base), strict=True):
        trial.rank(base, fit, order)
    if not any(any(trial.ranked.values()) for trial in judge.trials):
        return base
    starts = [Option(k, min(START, most), 1.0, 1.0, base.cloud) for k in range(2, order + 1)]
    first = min(starts, key=lambda option: float(judge.loss(option).sum()))
    joined = downhill(first, judge.loss, [*AXES, replace(SETS, upper=min(MOST, most))], judge.nat)
    best = joined if judge.found_to_pay(judge.loss(base), judge.loss(joined)) else base
    filled = replace(joined, missing=True)
    if judge.holes and judge.found_to_pay(judge.loss(best), judge.loss(filled)):
        best = filled
    tried = {"none": base, **{_sets_in_words(one): one for one in (*starts, joined, best) if one.order > 1}}
    judge.note("joint columns", _sets_in_words(best), {name: judge.loss(one) for name, one in tried.items()})
    return best


def _sets_in_words(option: Option) -> str:
    if option.order == 1:
        return "none"
    missing = ", with missing values" if option.missing else ""
    sets = counted(option.sets, *(("pair",) if option.order == 2 else ("pair or triple", "pairs or triples")))
    return f"{sets}, κ {option.kappa:.2g}, ridge {option.ridge:.2g}{missing}"


def _power(judged: Judged) -> float:
    """Return the power of likelihoods with the lowest leave-one-out log loss for the single columns."""
    model = judged.predictor.model
    scored = Scored.of(judged, 0.0, judged.scores(without=model.blocks.keys() - model.alone.keys()))
    return choose_temper(scored, LEAST_WEIGHED).power


def _residuals(judge: TableJudge, option: Option) -> Residuals | None:
    """Return the best residuals on top of an option if they lower the held-out loss, otherwise None."""
    starts = [Residuals(RESIDUAL, together) for together in ((False, True) if option.order > 1 else (False,))]
    first = min(starts, key=lambda how: float(judge.with_residuals(option, how).sum()))
    best = downhill(first, lambda how: judge.with_residuals(option, how), [OF_VALUES], judge.nat)
    if judge.holes:
        filled = replace(best, missing=True)
        both = (judge.with_residuals(option, how) for how in (best, filled))
        best = filled if judge.found_to_pay(*both) else best
    pays = judge.found_to_pay(judge.loss(option), judge.with_residuals(option, best))
    tried = {_residuals_in_words(how): judge.with_residuals(option, how) for how in dict.fromkeys((*starts, best))}
    judge.note("residuals", _residuals_in_words(best if pays else None), {"none": judge.loss(option), **tried})
    return best if pays else None


def _residuals_in_words(how: Residuals | None) -> str:
    if how is None:
        return "none"
    missing = ", with missing values" if how.missing else ""
    return f"{'joint ' * how.together}values, ridge {how.residual:.2g}{missing}"


def _chosen(
    judge: TableJudge,
    predictor: Predictor,
    sample: Sample,
    coding: Coding,
    power: float,
    base: Option,
    best: Option,
    cloud: Name | None,
) -> tuple[list[Columns], tuple[float, ...]]:
    """Return the sets of an option, ranked on all rows, and the gain of each."""
    if best.order == 1:
        return [], ()
    saved, trial = judge.gains(best), judge.trials[0]
    if len(judge.trials) > 1:
        nobody = np.zeros(len(sample), bool)
        trial = Trial(_split(predictor, sample, nobody), coding, nobody, power, cloud)
        trial.rank(base, trial.fit(base)[0], best.order)
    sets = trial.sets(best)
    return sets, tuple(saved.get(columns, 0.0) for columns in sets)
