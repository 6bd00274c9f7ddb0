"""What a model of a table is made of beside its columns: chosen by rows that neither counts nor weights have seen.

Three things are put to the same rows, one after the other: whether numbers are one cloud, which columns act together
(how many sets, of how many columns, by which κ and ridge; JC-4, JC-5), and residuals of values, or of joint values too
(JC-6). Each must lower the loss of these rows by more than noise, or it is left out: leave-one-out alone flatters
sparse cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.models.choosing.feature_weights import JUDGED
from suffice.models.choosing.joint_trial import MOST, NUMBERS, Coding, Columns, Option, Trial
from suffice.models.choosing.judge import Judged, Sample
from suffice.models.choosing.residuals import FittedByName
from suffice.models.choosing.smoothing import Scored, choose_temper
from suffice.models.choosing.table_judge import NAT, Judge, Residuals
from suffice.models.choosing.word_weights import Split
from suffice.models.model import Name
from suffice.models.predictor import Predictor
from suffice.typing import Array, Booleans

__all__ = ["ENOUGH", "TableChoice", "choose_table"]

FEW, ENOUGH = 2000, 8000
"""Rows up to which each part judges what the others chose; and rows that choose at most."""

STEP, BOUNDS = 5.0, {"kappa": (0.04, 125.0), "ridge": (0.008, 125.0), "sets": (12, MOST), "residual": (0.3, 100.0)}
"""Factor to the next candidate, and bounds of candidates."""

START, RESIDUAL = 60, 10.0
"""Where the number of sets, and the ridge of residuals, are looked for first."""


@dataclass(frozen=True)
class TableChoice:
    """What rows chose: sets of columns by name with what each gains, κ, ridges, and whether numbers are a cloud."""

    sets: tuple[tuple[Name, ...], ...]
    gains: tuple[float, ...]  # of each set: loss of a row outside the counts that it saves
    kappa: float
    ridge: float
    residual: float | None = None  # the ridge of residuals, if there are any
    of_joint_values: bool = False  # whether joint values have residuals, too
    cloud: bool = False
    cloud_gain: float | None = None  # loss of a row outside the counts that it saves
    floor: float = 0.0  # the share of labels that may be wrong
    missing: bool = False  # whether missing values of sets are values like others
    missing_residuals: bool = False  # whether missing values of columns have residuals
    initial: FittedByName | None = None  # what these rows would have


def choose_table(
    predictor: Predictor,
    sample: Sample,
    coding: Coding,
    power: float | None,
    order: int = 3,
    cloud: Name | None = None,
    memory_limit: int = 2**31,
) -> TableChoice | None:
    """Return what rows outside the counts tell beside the columns; None if that is nothing.

    `power` is what likelihoods are raised to; if it is None, learned rows choose it. `cloud` names the block of numbers
    that are one cloud, if the model has one. `memory_limit` bounds the bytes of lifts that are kept at once.
    """
    parts = (np.arange(len(sample)) if sample.group is None else sample.group) % JUDGED
    folds = [k for k in range(JUDGED if len(sample) <= FEW else 1) if _tells(sample, parts == k)]
    if not folds:
        return None
    splits = [Split.of(predictor, sample, parts == k) for k in folds]
    power = _power(splits[0].learned) if power is None else power
    judge = Judge([Trial(split, coding, parts == k, power, cloud) for k, split in zip(folds, splits, strict=True)])
    alone = best = _downhill(Option(1, 0, 1.0, 1.0), judge.loss, ("ridge",))
    if cloud is not None:
        clouded = _downhill(replace(alone, cloud=True), judge.loss, ("ridge",))
        best = clouded if judge.pays(judge.loss(alone), judge.loss(clouded)) else alone
    base = best
    for trial, fit in zip(judge.trials, judge.fits(base), strict=True):
        trial.rank(base, fit, order)
    if any(any(trial.ranked.values()) for trial in judge.trials):
        most = max(1, min(NUMBERS, memory_limit // 8) // (len(sample) * len(predictor.model.classes)))
        best = _with_sets(judge, base, order, most)
    residuals = _residuals(judge, best)
    if best == alone and residuals is None:
        return None
    sets, gains = _chosen(judge, predictor, sample, coding, power, base, best, cloud)
    named = tuple(tuple(coding.names[j] for j in columns) for columns in sets)
    losses = judge.loss(best) if residuals is None else judge.with_residuals(best, residuals)
    floor = choose_floor(losses, *judge.shares(best))
    choice = TableChoice(named, gains, best.kappa, best.ridge, cloud=best.cloud, floor=floor, missing=best.missing)
    saved = judge.mean(judge.loss(alone) - judge.loss(base)) if best.cloud else None
    choice = replace(choice, cloud_gain=saved, initial=judge.named(best, residuals, predictor.model.classes))
    if residuals is None:
        return choice
    ridge, joint, missing = residuals.residual, residuals.together, residuals.missing
    return replace(choice, residual=ridge, of_joint_values=joint, missing_residuals=missing)


def _tells(sample: Sample, out: Booleans) -> bool:
    """Return whether rows outside the counts, and rows of several classes inside, are left to choose by."""
    return bool(out.any()) and len(np.unique(sample.labels.y[~out])) > 1


def _with_sets(judge: Judge, base: Option, order: int, most: int) -> Option:
    """Return the option with the sets of columns that pay, of at most so many, or the base if none do."""
    starts = [Option(k, min(START, most), 1.0, 1.0, base.cloud) for k in range(2, order + 1)]
    first = min(starts, key=lambda option: float(judge.loss(option).sum()))
    joined = _downhill(first, judge.loss, ("ridge", "kappa", "sets"), most)
    best = joined if judge.found_to_pay(judge.loss(base), judge.loss(joined)) else base
    filled = replace(joined, missing=True)
    return filled if judge.holes and judge.found_to_pay(judge.loss(best), judge.loss(filled)) else best


def _power(judged: Judged) -> float:
    """Return the power of likelihoods by which rows, each left out, are predicted best by the columns alone."""
    model = judged.predictor.model
    return choose_temper(Scored.of(judged, 0.0, judged.scores(without=model.blocks.keys() - model.alone.keys()))).power


def choose_floor(losses: Array, weights: Array, shares: Array) -> float:
    """Return the share ε of labels that may be wrong: p ← (1 − ε) p + ε π.

    It is the one by which rows are predicted best, and beside them one that nothing but the floor predicts: so many
    rows, all predicted well, say only that ε is not much above one in so many.
    """
    chance = np.exp(-losses / weights)
    low, high = 1e-9, 0.5
    for _ in range(60):  # the slope rises with ε
        middle = np.sqrt(low * high)
        slope = -float(weights @ ((shares - chance) / ((1 - middle) * chance + middle * shares))) - 1 / middle
        low, high = (middle, high) if slope < 0 else (low, middle)
    return float(np.sqrt(low * high))


def _residuals(judge: Judge, option: Option) -> Residuals | None:
    """Return the residuals that pay on top of an option, if any do."""
    starts = [Residuals(RESIDUAL, together) for together in ((False, True) if option.order > 1 else (False,))]
    first = min(starts, key=lambda how: float(judge.with_residuals(option, how).sum()))
    best = _downhill(first, lambda how: judge.with_residuals(option, how), ("residual",))
    if judge.holes:
        filled = replace(best, missing=True)
        both = (judge.with_residuals(option, how) for how in (best, filled))
        best = filled if judge.found_to_pay(*both) else best
    return best if judge.found_to_pay(judge.loss(option), judge.with_residuals(option, best)) else None


def _chosen(
    judge: Judge,
    predictor: Predictor,
    sample: Sample,
    coding: Coding,
    power: float,
    base: Option,
    best: Option,
    cloud: Name | None,
) -> tuple[list[Columns], tuple[float, ...]]:
    """Return the sets of an option, ranked by all rows, and what each saves."""
    if best.order == 1:
        return [], ()
    saved, trial = judge.gains(best), judge.trials[0]
    if len(judge.trials) > 1:
        nobody = np.zeros(len(sample), bool)
        trial = Trial(Split.of(predictor, sample, nobody), coding, nobody, power, cloud)
        trial.rank(base, trial.fit(base)[0], best.order)
    sets = trial.sets(best)
    return sets, tuple(saved.get(columns, 0.0) for columns in sets)


def _downhill(option: Any, loss: Callable[[Any], Array], names: Sequence[str], most: int = MOST) -> Any:
    """Return the option of least loss that is found by changing one number after the other, as long as that helps.

    What is less held, or more, must save a nat of all rows: of what is as good, the simpler is taken.
    """
    for name in names:
        factor = 2.5 if name == "sets" else STEP
        low, high = BOUNDS[name]
        for way in (1 / factor, factor):
            start, freer = option, (way > 1) == (name == "sets")
            while True:
                value = getattr(option, name) * way
                other = replace(option, **{name: round(value) if name == "sets" else value})
                if not low <= value <= (min(high, most) if name == "sets" else high):
                    break
                if loss(option).sum() - loss(other).sum() <= (NAT if freer else 0.0):
                    break
                option = other
            if option != start:
                break
    return option
