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

from suffice.models.choosing.feature_weights import JUDGED, ColumnRows, Fitted
from suffice.models.choosing.joint_trial import MOST, NUMBERS, Coding, Columns, Option, Trial
from suffice.models.choosing.judge import Sample
from suffice.models.choosing.residuals import Design, fit_residuals
from suffice.models.choosing.word_weights import Split
from suffice.models.model import Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.lifts import flat
from suffice.typing import Array, Integers

__all__ = ["ENOUGH", "TableChoice", "choose_table"]

FEW, ENOUGH = 2000, 8000
"""Rows up to which each part judges what the others chose; and rows that choose at most."""

NOISE, NAT = 0.25, 1.0
"""What something must gain to be preferred to nothing: standard errors of the difference, and nats of all rows."""

SEARCHED, FEW_JUDGES = 2.0, 400
"""Standard errors that the best of many must gain where so many rows judge, or fewer; with more rows, fewer errors."""

STEP, BOUNDS = 5.0, {"kappa": (0.04, 125.0), "ridge": (0.008, 125.0), "sets": (12, MOST), "residual": (0.3, 100.0)}
"""Factor to the next candidate, and bounds of candidates."""

RESIDUAL = 10.0
"""Where the ridge of residuals is looked for first."""


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
    floor: float = 0.0  # the share of labels that may be wrong


@dataclass(frozen=True)
class Residuals:
    """Residuals to try: how strongly they are held at zero, and whether joint values have some."""

    residual: float
    together: bool


class Judge:
    """Rows outside the counts, all at once or part by part, and the losses of what was tried on them."""

    def __init__(self, trials: Sequence[Trial]) -> None:
        self.trials = trials
        self._losses: dict[Option, Array] = {}
        self._fits: tuple[Option, list[Fitted]] | None = None
        self._residuals: dict[tuple[Option, Residuals], Array] = {}

    def fits(self, option: Option) -> list[Fitted]:
        """Return the weights of an option in each trial."""
        if self._fits is None or self._fits[0] != option:
            near: Sequence[Fitted | None] = [None] * len(self.trials)
            if self._fits is not None and _alike(self._fits[0], option):
                near = self._fits[1]
            found = [trial.fit(option, one) for trial, one in zip(self.trials, near, strict=True)]
            self._fits = option, [fit for fit, _ in found]
            self._losses[option] = np.concatenate([each for _, each in found])
        return self._fits[1]

    def loss(self, option: Option) -> Array:
        """Return −w ln p of the own class of each row that judges."""
        if option not in self._losses:
            self.fits(option)
        return self._losses[option]

    def with_residuals(self, option: Option, how: Residuals) -> Array:
        """Return the same with residuals on top of an option."""
        if (option, how) not in self._residuals:
            both = zip(self.trials, self.fits(option), strict=True)
            self._residuals[option, how] = np.concatenate([_residual_loss(*one, option, how) for one in both])
        return self._residuals[option, how]

    def shares(self, option: Option) -> tuple[Array, Array]:
        """Return what each row that judges counts for, and how frequent its class is."""
        rows = [trial.rows(option)[1] for trial in self.trials]
        own = [np.exp(one.log_prior[one.codes, np.arange(len(one.codes))]) for one in rows]
        return np.concatenate([one.weights for one in rows]), np.concatenate(own)

    def gains(self, option: Option) -> dict[Columns, float]:
        """Return how much loss of a row each set saves, by what its weight set to zero costs."""
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
    """Return whether weights of one option are a place to start for those of another."""
    return (a.order, a.sets, a.cloud) == (b.order, b.sets, b.cloud)


def _residual_loss(trial: Trial, fit: Fitted, option: Option, how: Residuals) -> Array:
    sets, (learned, unseen) = trial.sets(option), trial.rows(option)
    chosen = sets if how.together else []
    design = Design.of(_places(trial.learned.seen, trial.counted.sizes, chosen))
    held = Design.of(_places(trial.unseen.seen, trial.counted.sizes, chosen), design.places)
    scores, offset = _scores(learned, fit)
    found = fit_residuals(scores, offset, design, learned.codes, learned.weights, how.residual)
    return found.each(*_scores(unseen, fit), held, unseen.codes, unseen.weights)


def _scores(rows: ColumnRows, fit: Fitted) -> tuple[Array, Array]:
    """Return what weighed votes say of rows, and what is known before them, rows × classes."""
    first = np.zeros((1, rows.votes.shape[2]))
    scores = np.concatenate([first, np.tensordot(fit.features, rows.votes, 1)])
    return scores.T, (rows.log_prior + fit.classes[:, None]).T


def _places(codes: Any, sizes: Integers, sets: Sequence[Columns]) -> list[Integers]:
    """Return the place of each row's value in each column, and of its joint value in each set."""
    together = [flat(codes[list(columns)].T, [int(sizes[j]) for j in columns]) for columns in sets]
    return [*codes.astype(np.int64), *together]


def choose_table(
    predictor: Predictor, sample: Sample, coding: Coding, power: float, order: int = 3, cloud: Name | None = None
) -> TableChoice | None:
    """Return what rows outside the counts tell beside the columns; None if that is nothing.

    `cloud` names the block of numbers that are one cloud, if the model has one.
    """
    parts = (np.arange(len(sample)) if sample.group is None else sample.group) % JUDGED
    folds = range(JUDGED) if len(sample) <= FEW else range(1)
    judge = Judge([Trial(Split.of(predictor, sample, parts == k), coding, parts == k, power, cloud) for k in folds])
    alone = best = _downhill(Option(1, 0, 1.0, 1.0), judge.loss, ("ridge",))
    if cloud is not None:
        clouded = _downhill(replace(alone, cloud=True), judge.loss, ("ridge",))
        best = clouded if _pays(judge.loss(alone) - judge.loss(clouded)) else alone
    base = best
    for trial, fit in zip(judge.trials, judge.fits(base), strict=True):
        trial.rank(base, fit, order)
    if any(trial.ranked[2] for trial in judge.trials):
        most = max(1, NUMBERS // (len(sample) * len(predictor.model.classes)))
        starts = [Option(k, min(60, most), 1.0, 1.0, base.cloud) for k in range(2, order + 1)]
        first = min(starts, key=lambda option: float(judge.loss(option).sum()))
        joined = _downhill(first, judge.loss, ("ridge", "kappa", "sets"), most)
        best = joined if _found_to_pay(judge.loss(base) - judge.loss(joined)) else base
    residuals = _residuals(judge, best)
    if best == alone and residuals is None:
        return None
    sets, gains = _chosen(judge, predictor, sample, coding, power, base, best, cloud)
    named = tuple(tuple(coding.names[j] for j in columns) for columns in sets)
    losses = judge.loss(best) if residuals is None else judge.with_residuals(best, residuals)
    floor = choose_floor(losses, *judge.shares(best))
    choice = TableChoice(named, gains, best.kappa, best.ridge, cloud=best.cloud, floor=floor)
    if residuals is None:
        return choice
    return replace(choice, residual=residuals.residual, of_joint_values=residuals.together)


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


def _pays(saved: Array, errors: float = NOISE) -> bool:
    """Return whether losses that are saved, row by row, are more than noise."""
    return bool(saved.sum() > max(NAT, errors * np.sqrt(len(saved)) * saved.std()))


def _found_to_pay(saved: Array) -> bool:
    """Return the same of the best of many: by luck one of them pays a little."""
    return _pays(saved, max(NOISE, SEARCHED * min(1.0, FEW_JUDGES / max(1, len(saved)))))


def _residuals(judge: Judge, option: Option) -> Residuals | None:
    """Return the residuals that pay on top of an option, if any do."""
    starts = [Residuals(RESIDUAL, together) for together in ((False, True) if option.order > 1 else (False,))]
    first = min(starts, key=lambda how: float(judge.with_residuals(option, how).sum()))
    best = _downhill(first, lambda how: judge.with_residuals(option, how), ("residual",))
    return best if _found_to_pay(judge.loss(option) - judge.with_residuals(option, best)) else None


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
    """Return the option of least loss that is found by changing one number after the other, as long as that helps."""
    for name in names:
        factor = 2.5 if name == "sets" else STEP
        low, high = BOUNDS[name]
        for way in (1 / factor, factor):
            start = option
            while True:
                value = getattr(option, name) * way
                other = replace(option, **{name: round(value) if name == "sets" else value})
                if not low <= value <= (min(high, most) if name == "sets" else high):
                    break
                if loss(other).sum() >= loss(option).sum():
                    break
                option = other
            if option != start:
                break
    return option
