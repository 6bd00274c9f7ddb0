"""What is believed of each column of a table in each class, as a curve or as probabilities of its values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from suffice.estimators import CategoricalNB, GaussianNB, NaiveBayes
from suffice.models import columns as kinds
from suffice.models.scoring.information import class_shares, of_categories
from suffice.reporting.judging import LEVEL
from suffice.typing import Array

__all__ = ["CLASSES", "ColumnView", "columns_of"]

VALUES, CLASSES, WORDS = 8, 6, 8
POINTS, FINE = 81, 801


@dataclass(frozen=True)
class ColumnView:
    """A column: lines to draw, and how many bits it tells about the class."""

    name: str
    kind: str
    shape: Literal["curve", "counts", "dots"]
    lines: list[dict[str, Any]]
    bits: float | None
    weight: float = 1.0
    more: int = 0  # values that are not shown


def columns_of(model: Any, most: int) -> tuple[list[ColumnView], list[ColumnView]]:
    """The columns of a table that tell most, drawn; and all of them that vote, the most telling first."""
    views = [view for view in _all(model) if view is not None]
    views.sort(key=lambda view: -(view.bits if view.bits is not None else 1e9))
    return views[:most], views


def _all(model: Any) -> Iterator[ColumnView | None]:
    shown = _largest(model)
    if isinstance(model, NaiveBayes):
        prior, by = class_shares(model.class_log_prior_), model.weights_
        for name, one in model.columns_.items():
            told = one.table(model.statistics_[name], np.arange(len(model.classes_)), LEVEL)
            yield _view(model, name, one, told, prior, by.get(name, 1.0), shown)
    elif isinstance(model, GaussianNB):
        low, high = model.feature_interval(LEVEL)
        names, prior = _names(model), class_shares(np.log(np.maximum(model.class_prior_, 1e-300)))
        for j, name in enumerate(names):
            told = {"mean": model.theta_[:, j], "low": low[:, j], "high": high[:, j], "n": model.class_count_}
            told["sd"] = np.sqrt(np.maximum(model.var_[:, j], 1e-300))
            yield _curve(model, name, "gaussian", told, prior, 1.0, shown)
    elif isinstance(model, CategoricalNB):
        low, high = model.feature_interval(LEVEL)
        prior = class_shares(model.class_log_prior_)
        for j, name in enumerate(_names(model)):
            theta = np.exp(model.feature_log_prob_[j])
            table = {"probability": theta, "low": low[j], "high": high[j], "n": np.asarray(model.category_count_[j])}
            values = np.arange(theta.shape[1]) if model.categories_ is None else model.categories_[j]
            yield _dots(model, name, "categorical", values, table, prior, 1.0, shown)


def _names(model: Any) -> Any:
    return getattr(model, "feature_names_in_", np.arange(model.n_features_in_))


def _largest(model: Any) -> list[int]:
    """The classes that are drawn: not more than can be told apart."""
    order = np.argsort(-np.asarray(model.class_count_), kind="stable")[:CLASSES]
    return sorted(order.tolist())


def _view(
    model: Any, name: Any, one: Any, told: dict[str, Any], prior: Array, weight: float, shown: list[int]
) -> ColumnView | None:
    if isinstance(one, kinds.Drop | kinds.Unknown):
        return None
    if isinstance(one, kinds.Gaussian):
        return _curve(model, name, one.word, told, prior, weight, shown)
    if isinstance(one, kinds.Poisson):
        return _counts(model, name, told, prior, weight, shown)
    k = len(model.classes_)
    if isinstance(one, kinds.Bernoulli):
        both = {key: np.column_stack([told[key], told[key]]) for key in ("n",)}
        on, low, high = told["probability"], told["low"], told["high"]
        both |= {"probability": np.column_stack([on, 1 - on]), "low": np.column_stack([low, 1 - high])}
        both |= {"high": np.column_stack([high, 1 - low])}
        return _dots(model, name, one.word, np.array(["True", "False"]), both, prior, weight, shown)
    values = told["word" if "word" in told else "value"][::k]
    table = {key: np.asarray(told[key]).reshape(-1, k).T for key in ("n", "probability", "low", "high")}
    return _dots(model, name, one.word, values, table, prior, weight, shown)


def _curve(
    model: Any, name: Any, kind: str, told: dict[str, Any], prior: Array, weight: float, shown: list[int]
) -> ColumnView:
    mean, sd = np.asarray(told["mean"], np.float64), np.asarray(told["sd"], np.float64)
    use = [c for c in range(len(mean)) if model.class_count_[c] > 0] or [0]
    low, high = float((mean - 4 * sd)[use].min()), float((mean + 4 * sd)[use].max())
    high = high if high > low else low + 1.0
    fine = np.linspace(low, high, FINE)
    mass = np.exp(stats.norm.logpdf(fine, mean[:, None], sd[:, None]))
    mass = mass / np.maximum(mass.sum(axis=1, keepdims=True), 1e-300)
    bits = float(of_categories([mass], prior)[0] / np.log(2))
    grid = fine[:: (FINE - 1) // (POINTS - 1)]
    lines = []
    for c in shown:
        text = f"mean {mean[c]:.4g} ({told['low'][c]:.4g} to {told['high'][c]:.4g}), sd {sd[c]:.3g}"
        for x, d in zip(grid.tolist(), stats.norm.pdf(grid, mean[c], sd[c]).tolist(), strict=True):
            lines.append({"class": str(model.classes_[c]), "x": _short(x), "density": _short(d), "told": text})
    return ColumnView(str(name), kind, "curve", lines, bits, weight)


def _counts(model: Any, name: Any, told: dict[str, Any], prior: Array, weight: float, shown: list[int]) -> ColumnView:
    rate = np.asarray(told["rate"], np.float64)
    top = int(stats.poisson.ppf(0.9999, rate.max())) + 1
    mass = stats.poisson.pmf(np.arange(top + 1), rate[:, None])
    bits = float(of_categories([mass / mass.sum(axis=1, keepdims=True)], prior)[0] / np.log(2))
    step = max(1, top // POINTS)
    lines = [
        {
            "class": str(model.classes_[c]),
            "x": x,
            "density": _short(float(mass[c, x])),
            "told": f"rate {rate[c]:.4g} ({told['low'][c]:.4g} to {told['high'][c]:.4g})",
        }
        for c in shown
        for x in range(0, top + 1, step)
    ]
    return ColumnView(str(name), "poisson", "counts", lines, bits, weight)


def _dots(
    model: Any,
    name: Any,
    kind: str,
    values: NDArray[Any],
    table: dict[str, Array],
    prior: Array,
    weight: float,
    shown: list[int],
) -> ColumnView:
    theta = table["probability"]
    text = kind == "text"
    whole = theta / np.maximum(theta.sum(axis=1, keepdims=True), 1e-300)
    bits = None if text else float(of_categories([whole], prior)[0] / np.log(2))
    average = np.maximum(prior @ theta, 1e-300)
    telling = (theta * np.abs(np.log(np.maximum(theta, 1e-300) / average))).max(axis=0)
    rank = np.argsort(-(telling if text else average), kind="stable")[: WORDS if text else VALUES]
    named = [i for i in (rank if text else np.sort(rank)).tolist() if str(values[i]) != "(other)"]
    lines = [
        {
            "class": str(model.classes_[c]),
            "value": str(values[i]),
            "share": _short(float(theta[c, i])),
            "low": _short(float(table["low"][c, i])),
            "high": _short(float(table["high"][c, i])),
        }
        for i in named
        for c in shown
    ]
    return ColumnView(str(name), kind, "dots", lines, bits, weight, int(np.sum(values != "(other)")) - len(named))


def _short(x: float) -> float:
    return float(f"{x:.4g}")
