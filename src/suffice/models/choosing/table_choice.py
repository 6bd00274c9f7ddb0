"""Choose the additions to a table's columns on held-out rows, which neither counts nor weights have seen.

Three additions are tried on the same rows in turn: a cloud of numbers; joint columns (how many sets, of how many
columns, with which κ and ridge; JC-4, JC-5); and residuals of values, optionally of joint values (JC-6). Each must
lower the held-out log loss by more than noise, or it is left out. Leave-one-out alone would overrate sparse cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from suffice.models.choices import Choice
from suffice.models.choosing.feature_weights import JUDGED
from suffice.models.choosing.joint_trial import MOST, NUMBERS, Columns, Option, Trial
from suffice.models.choosing.judge import Judged, Sample, judge
from suffice.models.choosing.option_judge import Axis, choose_floor, downhill
from suffice.models.choosing.residuals import FittedByName
from suffice.models.choosing.smoothing import LEAST_WEIGHED, Scored, choose_temper
from suffice.models.choosing.table_judge import Residuals, TableJudge
from suffice.models.choosing.word_weights import Split, never_seen, without
from suffice.models.likelihoods.base import uncut
from suffice.models.likelihoods.cloud import Cloud
from suffice.models.model import Block, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.grouping import Coding
from suffice.models.side_by_side import counted_side_by_side
from suffice.telling import counted
from suffice.typing import Booleans

__all__ = ["ENOUGH", "TableChoice", "choose_table"]

FEW, ENOUGH = 2000, 8000
"""Number of rows up to which each part is held out in turn; number of rows that choose at most."""

STEP = 5.0
"""Factor between candidates of most numbers."""

AXES = [Axis("ridge", STEP, 0.008, 125.0), Axis("kappa", STEP, 0.04, 125.0)]
SETS, OF_VALUES = Axis("sets", 2.5, 12, MOST, more_is_freer=True, whole=True), Axis("residual", STEP, 0.3, 100.0)
"""Numbers to search over, and their bounds."""

START, RESIDUAL = 60, 10.0
"""First candidates of the number of sets and of the residuals' ridge."""

SEPARATE, CLOUD = "independent", "multivariate normal"
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
    parts = (np.arange(len(sample)) if sample.group is None else sample.group) % JUDGED
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
        both = {SEPARATE: judge.loss(alone), CLOUD: judge.loss(clouded)}
        judge.note("numeric columns", CLOUD if best.cloud else SEPARATE, both)
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
