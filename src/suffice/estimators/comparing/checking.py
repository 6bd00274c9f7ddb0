"""Posterior predictive checks: compare data with data that a model draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import ImproperPrior, InputError, KindError
from suffice.estimators.shell.classifier import Classifier
from suffice.models.answers.checked_columns import STATISTICS, CheckedBlock, Statistics
from suffice.models.drawn_rows import alone, asked, draw_rows
from suffice.models.likelihoods.draws import Draw, Parameters
from suffice.models.predictor import Predictor
from suffice.notebook import MOST, card, table
from suffice.posterior.base import generator
from suffice.tables.frame import frame_of
from suffice.typing import Array, DataLike, Integers, LabelArray, LabelsLike, Rng


@dataclass(frozen=True, eq=False, repr=False)
class Check:
    """Statistics of real rows, and of rows that a model draws, by class and feature.

    `real` has shape statistics × classes × features, and `drawn` has draws as its first axis; NaN marks statistics that
    do not apply.

    Examples
    --------
    >>> import suffice as sf
    >>> X, y = [[0], [9], [0], [12], [0], [11], [0], [10], [0], [8]] * 5, ["a"] * 50
    >>> found = sf.check(sf.PoissonNB().fit(X, y), X, y)
    >>> print(str(found).splitlines()[1].strip())
    column 0, a: share of zeros                             0.5   simulated 0 to 0.02
    """

    classes: LabelArray
    features: list[str]
    real: Array
    drawn: Array
    parameters: Parameters  # how the parameters of drawn rows were obtained

    @property
    def surprise(self) -> Array:
        """The distance of each real statistic from the mean of the drawn ones, in their standard deviations."""
        mean, spread = self.drawn.mean(axis=0), self.drawn.std(axis=0, ddof=1)
        away = self.real - mean
        slight = 1e-12 * np.maximum(np.abs(mean), 1.0)
        return np.where(np.abs(away) <= slight, 0.0, away / np.maximum(spread, slight))

    @property
    def tail(self) -> Array:
        """The two-sided posterior predictive p-value of each statistic."""
        n = len(self.drawn) + 1
        below, above = ((self.drawn <= self.real).sum(axis=0) + 1) / n, ((self.drawn >= self.real).sum(axis=0) + 1) / n
        return np.where(np.isnan(self.real), np.nan, np.minimum(1.0, 2 * np.minimum(below, above)))

    def table(self, backend: str | None = None) -> Any:
        """Return a dataframe with a row per statistic, the largest `surprise` first."""
        order = self._order()
        places = np.unravel_index(order, self.real.shape)
        low, middle, high = (part.ravel()[order] for part in np.quantile(self.drawn, [0.05, 0.5, 0.95], axis=0))
        columns = {
            "feature": [self.features[j] for j in places[2]],
            "class": self.classes[places[1]],
            "statistic": [STATISTICS[s] for s in places[0]],
            "real": self.real.ravel()[order],
            "drawn": middle,
            "low": low,
            "high": high,
            "surprise": self.surprise.ravel()[order],
            "p": self.tail.ravel()[order],
        }
        return frame_of(columns, backend)

    def _order(self) -> Any:
        size = np.abs(self.surprise).ravel()
        known = np.flatnonzero(~np.isnan(self.real).ravel())
        return known[np.argsort(-size[known], kind="stable")]

    @property
    def outside(self) -> tuple[int, int]:
        """The number of statistics outside the central 95 % of the drawn ones, and the number of all statistics."""
        known = ~np.isnan(self.real)
        low, high = np.quantile(self.drawn[:, known], [0.025, 0.975], axis=0)
        return int(((self.real[known] < low) | (self.real[known] > high)).sum()), int(known.sum())

    def __repr__(self) -> str:
        outside, total = self.outside
        lines = [
            f"{outside} of {total} statistics lie outside the central 95 % of simulated rows; "
            f"{total / 20:.0f} would by chance."
        ]
        for at in self._order()[:8]:
            s, c, j = np.unravel_index(at, self.real.shape)
            drawn = np.quantile(self.drawn[:, s, c, j], [0.05, 0.95])
            name = f"{self.features[j]}, {self.classes[c]}: {STATISTICS[s]}"
            lines.append(f"  {name:<48} {self.real[s, c, j]:>10.4g}   simulated {drawn[0]:.4g} to {drawn[1]:.4g}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return card(self, self._parts)

    def _parts(self) -> Iterator[str]:
        order = self._order()
        s, c, j = np.unravel_index(order[:MOST], self.real.shape)
        ends = np.quantile(self.drawn[:, s, c, j], [0.05, 0.95], axis=0)
        names = [
            (self.features[at], self.classes[of], STATISTICS[which]) for which, of, at in zip(s, c, j, strict=True)
        ]
        numbers = np.stack([self.real[s, c, j], *ends, self.surprise[s, c, j]]).T.tolist()
        rows = [(*name, *line) for name, line in zip(names, numbers, strict=True)]
        yield table(["feature", "class", "statistic", "real", "simulated 5 %", "95 %", "surprise"], rows, len(order))


def check(
    model: Classifier,
    X: DataLike,
    y: LabelsLike,
    *,
    draws: int = 100,
    rows: int = 2000,
    features: int = 40,
    rng: Rng = 0,
) -> Check:
    """Compare rows with rows that the model draws, to find where the model is wrong.

    Rows with the same classes, and the same lengths if they are word counts, are drawn repeatedly, each time with
    parameters drawn from the posterior (or plugged in if there is no posterior). For each class and feature, the check
    compares the share of zeros, the standard deviation, the minimum and maximum, the share of the most frequent
    category, and the mutual information with the feature that it depends on most.

    Parameters
    ----------
    model : fitted classifier
        A classifier that models rows, not only labels: not ComplementNB.
    X, y : as for fit
        Rows and labels, which may be the training rows.
    draws : int, default=100
        Number of times that rows are drawn.
    rows : int, default=2000
        Largest number of rows; of more rows, a random sample is used.
    features : int, default=40
        Largest number of features; of more features, those that vary most, or the most frequent words, are used.
    rng : int, Generator or None, default=0
        Seed or generator of the draws.

    Returns
    -------
    check : Check
        The statistics, with `table()`, `surprise` and `tail`; ``sf.plots.check`` plots them.

    Examples
    --------
    Two equal columns are not independent, as the model assumes:

    >>> import numpy as np, suffice as sf
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> X, y = np.column_stack([x, x]), np.arange(200) % 2
    >>> found = sf.check(sf.GaussianNB().fit(X, y), X, y)
    >>> found.table("pyarrow").column("statistic")[0].as_py()
    'dependence'
    """
    given: object = model
    if not isinstance(given, Classifier):
        kind, hint = type(given).__name__, " Check its estimator_." if hasattr(given, "estimator_") else ""
        raise KindError("check.model", "be a classifier of this library").but(f"got {kind}", hint)
    check_is_fitted(model)
    _must_count(draws=(draws, 2), rows=(rows, 1), features=(features, 1))
    random, plain = generator(rng), alone(model._predictor)
    examples = model._learned(X, y, None)
    if len(examples) > rows:
        examples = examples.take(np.sort(random.choice(len(examples), rows, replace=False)), model._reader)
    read, named = model._reader.rows(examples.source), model._reader.feature_names
    of = {
        name: CheckedBlock.of(str(name) if model._kind_of_rows == "table" else "", block, read[name], named, features)
        for name, block in plain.model.blocks.items()
        if name in read
    }
    known = {name: part for name, part in of.items() if part is not None}
    if not known:
        raise KindError("check.X", "have a feature to compare").but(
            "got only columns of free text, which are not compared"
        )
    names = [one for part in known.values() for one in part.names]
    real = np.hstack([part.real for part in known.values()])
    kept = _varying(real, features)
    category = np.concatenate([np.full(part.real.shape[1], part.category) for part in known.values()])[kept]
    measure = Statistics.of(real[:, kept], category, examples.codes, len(model.classes_))
    lengths = next((part.lengths for part in known.values() if part.lengths is not None), None)
    how = asked(len(examples), "once", lengths, random)
    how = how if _has_posterior(plain, how, examples.codes) else replace(how, parameters="estimate")

    def once() -> Array:
        blocks = draw_rows(plain, examples.codes, len(examples), how).blocks
        drawn = np.hstack([part.coded(blocks[name]) for name, part in known.items()])[:, kept]
        return measure(np.where(np.isnan(measure.values), np.nan, drawn))

    every = np.stack([once() for _ in range(draws)])
    return Check(model.classes_, [names[j] for j in kept], measure(measure.values), every, how.parameters)


def _must_count(**given: tuple[Any, int]) -> None:
    for name, (value, least) in given.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(name, f"be a whole number of at least {least}", got=value)


def _has_posterior(plain: Predictor, how: Draw, codes: Any) -> bool:
    try:
        draw_rows(plain, codes[:1], 1, replace(how, lengths=None if how.lengths is None else how.lengths[:1]))
    except (ImproperPrior, KindError):
        return False
    return True


def _varying(real: Array, most: int) -> Integers:
    """Return the positions of the features with the largest standard deviation, in order."""
    spread = np.array([np.nanstd(column) if (~np.isnan(column)).any() else 0.0 for column in real.T])
    return np.sort(np.argsort(-spread, kind="stable")[:most])
