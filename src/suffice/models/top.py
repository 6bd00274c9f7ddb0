"""Which features speak most for a class: the weight of evidence, against the average of the others, that they bring.

A value of probability θ_c in the class and θ in the others, these averaged by their rows, brings θ_c·ln(θ_c/θ) to a row
of the class (for words: to each word of it; for a column of text: to all its words). A count of mean λ brings
λ_c·ln(λ_c/λ) − λ_c + λ, a number ½[ln(v/v_c) + (v_c + (m_c − m)²)/v − 1]: Kullback-Leibler divergences, in nats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import singledispatch
from typing import Any, NamedTuple, overload

import numpy as np

from suffice.errors import KindError
from suffice.models import columns
from suffice.models.bursty import Polya
from suffice.models.categorical import Categorical
from suffice.models.discriminant import Discriminant
from suffice.models.events import Bernoulli, Complement, Multinomial, Poisson
from suffice.models.gaussian import Gaussian
from suffice.models.tables import TableModel
from suffice.models.text_model import TextModel
from suffice.models.weights import in_words
from suffice.stats import TokenCounts
from suffice.typing import Array, Integers

__all__ = ["Top", "TopFeatures", "top_of", "top_of_table", "top_of_texts"]


class Top(NamedTuple):
    """A feature, what it is in rows of the class, and the weight it brings."""

    feature: Any
    value: str
    weight: float


class TopFeatures(Sequence[Top]):
    """Features that speak for a class, the weightiest first: rows of feature, value and weight."""

    def __init__(self, label: Any, rows: list[Top]) -> None:
        self.label, self._rows = label, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Top]:
        return iter(self._rows)

    @overload
    def __getitem__(self, at: int) -> Top: ...
    @overload
    def __getitem__(self, at: slice) -> list[Top]: ...
    def __getitem__(self, at: int | slice) -> Top | list[Top]:
        return self._rows[at]

    def __eq__(self, other: object) -> bool:
        return self._rows == (other._rows if isinstance(other, TopFeatures) else other)

    def __hash__(self) -> int:
        return hash(tuple(self._rows))

    def __repr__(self) -> str:
        width = max((len(str(row.feature)) for row in self._rows), default=0)
        lines = [f"  {row.weight:8.4f}  {row.feature!s:{width}}  {row.value}".rstrip() for row in self._rows]
        return "\n".join([f"What speaks for {self.label}:", *(lines or ["  nothing"])])


def best(weights: Array, k: int, row: Callable[[int], tuple[Any, str]]) -> list[Top]:
    """The k largest weights above zero, each with its feature and value."""
    weights = np.nan_to_num(weights, nan=0.0, posinf=np.finfo(np.float64).max)
    order: Integers = np.argsort(-weights, kind="stable")[:k]
    return [Top(*row(int(i)), float(weights[i])) for i in order if weights[i] > 0]


def share_of_others(n: Array, code: int) -> Array:
    """Each other class's part of their rows."""
    rows = np.where(np.arange(len(n)) == code, 0.0, n)
    if not rows.any():
        rows = (np.arange(len(n)) != code).astype(np.float64)
    return np.asarray(rows / max(rows.sum(), 1e-300))


def of_shares(theta: Array, n: Array, code: int) -> Array:
    """θ_c·ln(θ_c/θ) of a table of classes × values."""
    return of_ratio(theta[code], share_of_others(n, code) @ theta)


def of_ratio(own: Array, others: Array) -> Array:
    """The same of both rows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(own > 0, own * np.log(own / others), 0.0)


def of_rates(rates: Array, n: Array, code: int) -> Array:
    """The divergence of Poisson counts, where the class has more than the others."""
    own, others = rates[code], share_of_others(n, code) @ rates
    return np.where(own > others, of_ratio(own, others) - own + others, 0.0)


def of_numbers(mean: Array, variance: Array, n: Array, code: int) -> tuple[Array, Array]:
    """The divergence of normals, and the mean of the others."""
    share = share_of_others(n, code)
    m = share @ mean
    v = share @ (variance + (mean - m) ** 2)
    tiny = np.finfo(np.float64).tiny
    v, own = np.maximum(v, tiny), np.maximum(variance[code], tiny)
    with np.errstate(over="ignore"):
        return 0.5 * (np.log(v / own) + (own + (mean[code] - m) ** 2) / v - 1), m


def _about(mean: float, others: float) -> str:
    return f"{'high' if mean > others else 'low'}: {mean:.4g} on average, others {others:.4g}"


@singledispatch
def top_of(event: Any, t: Any, n: Array, code: int, k: int) -> list[Top]:
    """The features of an event model, its statistic and the rows of each class."""
    raise KindError(f"There are no top features of {type(event).__name__}.")


@top_of.register
def _(event: Bernoulli, t: Any, n: Array, code: int, k: int) -> list[Top]:
    theta = np.exp(np.hstack(event.log_theta(t)))
    return best(of_shares(theta, n, code), k, lambda i: (i % t.ones.shape[1], ("on", "off")[i // t.ones.shape[1]]))


@top_of.register
def _(event: Multinomial, t: Any, n: Array, code: int, k: int) -> list[Top]:
    told, by = of_shares(np.exp(event.log_theta(t)), n, code), event.weights
    if by is None:
        return best(told, k, lambda j: (j, ""))
    return best(told * by, k, lambda j: (j, in_words(by[j], "words")))


@top_of.register
def _(event: Complement, t: Any, n: Array, code: int, k: int) -> list[Top]:
    return best(of_shares(np.exp(Multinomial(event.alpha).log_theta(t)), n, code), k, lambda j: (j, ""))


@top_of.register
def _(event: Polya, t: Array, n: Array, code: int, k: int) -> list[Top]:
    theta = np.exp(Multinomial(t).log_theta(TokenCounts(np.zeros(t.shape))))
    return best(of_shares(theta, n, code), k, lambda j: (j, ""))


@top_of.register
def _(event: Poisson, t: Any, n: Array, code: int, k: int) -> list[Top]:
    rates = event.mean_and_rate(t, n[:, None])[0]
    return best(of_rates(rates, n, code), k, lambda j: (j, f"{rates[code, j]:.4g} on average"))


@top_of.register
def _(event: Categorical, t: Any, n: Array, code: int, k: int) -> list[Top]:
    weights = [of_shares(np.exp(event.log_theta(t.column(j))), n, code) for j in range(len(t.sizes))]
    feature, value = np.repeat(np.arange(len(t.sizes)), t.sizes), np.concatenate([np.arange(size) for size in t.sizes])
    return best(np.concatenate(weights), k, lambda i: (int(feature[i]), str(value[i])))


@top_of.register
def _(event: Gaussian, t: Any, n: Array, code: int, k: int) -> list[Top]:
    mean, variance = event.parameters(t)
    weights, others = of_numbers(mean, variance, n, code)
    return best(weights, k, lambda j: (j, _about(mean[code, j], others[j])))


@top_of.register
def _(event: Discriminant, t: Any, n: Array, code: int, k: int) -> list[Top]:
    mean, variance = event.marginals(t)
    weights, others = of_numbers(mean, variance, n, code)
    return best(weights, k, lambda j: (j, _about(mean[code, j], others[j])))


def top_of_texts(model: TextModel, code: int, k: int) -> list[Top]:
    """Words of a model of texts, or buckets of words."""
    counts, by = model.counts, model.weights
    told = _of_words(model, code) if by is None else _of_words(model, code) * by

    def row(i: int) -> tuple[str, str]:
        name = f"bucket {i}" if counts.hash_bits else str(counts.words.strings[i])
        return name, "" if by is None else in_words(by[i], "words")

    return best(told, k, row)


def _of_words(model: TextModel, code: int) -> Array:
    share, n = share_of_others(model.counts.n, code), model.counts.n
    if model.urns is not None:
        return _of_urns(model.urns, share, code)
    flags, alpha, width = model.kind == "bernoulli", model.added, model.counts.width
    table = model.counts.documents if flags else model.table
    total = n + 2 * alpha if flags else np.asarray(table.sum(axis=1)).ravel() + alpha * width
    part = np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0)
    own = (table[code].toarray()[0] + alpha) * part[code]
    others = np.asarray((share * part) @ table).ravel() + alpha * float(share @ part)
    return of_ratio(own, others)


def _of_urns(urns: Any, share: Array, code: int) -> Array:
    part = np.divide(1.0, urns.total, out=np.zeros(len(urns.total)), where=urns.total > 0)
    met = urns.alpha.copy()
    met.data = met.data - np.repeat(urns.rest, np.diff(met.indptr)) * urns.prior[met.indices]
    own = (met[code].toarray()[0] + urns.rest[code] * urns.prior) * part[code]
    others = np.asarray((share * part) @ met).ravel() + urns.prior * float((share * part) @ urns.rest)
    return of_ratio(own, others)


def top_of_table(model: TableModel, code: int, k: int, by: dict[Any, float]) -> list[Top]:
    """Columns of a table, with their evidence weights, and their values."""
    found: list[Top] = []
    for name, column in model.columns.items():
        power = by.get(name, 1.0)
        what = in_words(power, "columns")
        for value, weight in _column(column, model.statistics[name], code, k):
            found.append(Top(name, f"{value}, {what}" if what else value, power * weight))
    return sorted(found, key=lambda row: -row.weight)[:k]


@singledispatch
def _column(model: Any, t: Any, code: int, k: int) -> list[tuple[str, float]]:
    return []


def _lines(theta: Array, names: Any, n: Array, code: int, k: int) -> list[tuple[str, float]]:
    return [(row.value, row.weight) for row in best(of_shares(theta, n, code), k, lambda i: (None, str(names[i])))]


@_column.register(columns.Categorical)
@_column.register(columns.Bernoulli)
@_column.register(columns.Histogram)
def _(model: Any, t: Any, code: int, k: int) -> list[tuple[str, float]]:
    scorer = model.scorer(t, "mean", False)
    flags = isinstance(model, columns.Bernoulli)
    names = ["False", "True"] if flags else [*scorer.names]
    theta = np.exp(scorer.table[: len(names)].T)
    n = (t.zeros + t.ones)[:, 0] if flags else t.table.sum(axis=1)
    known = [i for i, name in enumerate(names) if name != "never seen"]
    return _lines(theta[:, known], [names[i] for i in known], n, code, k)


@_column.register
def _(model: columns.Gaussian, t: Any, code: int, k: int) -> list[tuple[str, float]]:
    belief: Any = model.belief(t).update(t)
    mean, variance = np.asarray(belief.mean.mean), np.asarray(belief.mean.variance)
    weights, others = of_numbers(mean, variance, t.n[:, 0], code)
    return [(row.value, row.weight) for row in best(weights, k, lambda j: (j, _about(mean[code, j], others[j])))]


@_column.register
def _(model: columns.Poisson, t: Any, code: int, k: int) -> list[tuple[str, float]]:
    rates = np.asarray(model.belief(t).update(t).mean)
    weights = of_rates(rates, t.n[:, 0], code)
    return [(row.value, row.weight) for row in best(weights, k, lambda j: (j, f"{rates[code, j]:.4g} on average"))]


@_column.register
def _(model: columns.Text, t: Any, code: int, k: int) -> list[tuple[str, float]]:
    if not t.width or not t.n[code]:
        return []
    words = top_of_texts(TextModel("multinomial", t, model.analysis, model.pseudo_count(t)), code, k)
    length = float(t.tokens[code].sum() / t.n[code])
    return [(row.feature, row.weight * length) for row in words]
