"""Compare additions to a table's columns on held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from suffice.models.choosing.block_weights import named_weights
from suffice.models.choosing.feature_weights import Fitted
from suffice.models.choosing.joint_trial import Columns, Option, Side, Trial
from suffice.models.choosing.option_judge import Judge
from suffice.models.choosing.residuals import (
    Design,
    FittedByName,
    FittedResiduals,
    ResidualChoice,
    fit_residuals,
    named_residuals,
    scores_of,
)  # fmt: skip
from suffice.models.model import Name, Together
from suffice.models.scoring.lifts import flat
from suffice.typing import Array, Integers

__all__ = ["Residuals", "TableJudge"]


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
