"""What each part of one row says: ln p(x_j | c) of its features, class by class, and how sure that is.

What all classes share (n!/Πx!, ln x!) is left out, as it is from scores. So is a word that does not occur, where its
absence says nothing. The sum over the parts is the score of the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

import numpy as np
from scipy.special import digamma, polygamma

from suffice.errors import KindError
from suffice.models.bursty import Polya
from suffice.models.categorical import Categorical
from suffice.models.discriminant import Discriminant
from suffice.models.events import Bernoulli, Complement, Multinomial, Poisson, _known
from suffice.models.gaussian import Gaussian, StudentTs
from suffice.models.logs import log
from suffice.models.weights import in_words
from suffice.posterior.special import log_rising
from suffice.typing import Array, Booleans, Integers

__all__ = ["Belief", "Votes", "belief_of_shares", "gathered", "shown", "votes"]

LENGTH = "(length)"

Belief = tuple[Array, Array] | None
"""Posterior mean and variance of ln p(x_j | c), parts × classes; NaN where they are not known."""


@dataclass(frozen=True)
class Votes:
    """Parts of a row: features by name or place, their values in words, and ln p(x_j | c), parts × classes."""

    features: list[Any]
    values: list[str]
    logs: Array
    belief: Belief = None
    inner: Mapping[int, Votes] = field(default_factory=dict)  # what parts are made of in turn, such as words of a text
    unknown: str = ""  # what was never learned, if nothing in the row was: "word of this text", "value of this row"

    def and_one(self, feature: Any, value: str, logs: Array) -> Votes:
        """With a part more, of which nothing else is known."""
        unknown = np.full((1, len(logs)), np.nan)
        belief = self.belief and (np.vstack([self.belief[0], unknown]), np.vstack([self.belief[1], unknown]))
        together = np.vstack([self.logs, logs[None]])
        more: Any = {"features": [*self.features, feature], "values": [*self.values, value]}
        return replace(self, logs=together, belief=belief, **more)


def gathered(all_votes: Votes, apart: Booleans, name: str, value: str) -> Votes:
    """The same, with all parts that are not apart in one."""
    if apart.all():
        return all_votes
    kept = np.flatnonzero(apart).tolist()
    together = [np.vstack([table[apart], table[~apart].sum(axis=0)]) for table in all_votes.belief or ()]
    belief = (together[0], together[1]) if together else None
    return Votes(
        [*(all_votes.features[i] for i in kept), name],
        [*(all_votes.values[i] for i in kept), value],
        np.vstack([all_votes.logs[apart], all_votes.logs[~apart].sum(axis=0)]),
        belief,
    )


def belief_of_shares(own: Array, total: Array, times: Any = 1.0) -> Belief:
    """Of times·ln θ, for a share θ of a Dirichlet or Beta belief: mean ψ(α_j) − ψ(α_0), variance ψ₁(α_j) − ψ₁(α_0)."""
    sure = (own > 0) & (total > own * (1 - 1e-12))
    own, total = np.where(sure, own, 1.0), np.where(sure, total, 1.0)
    mean, variance = digamma(own) - digamma(total), polygamma(1, own) - polygamma(1, total)  # SX-5
    return np.where(sure, times * mean, np.nan), np.where(sure, times**2 * np.maximum(variance, 0.0), np.nan)


def shown(x: float) -> str:
    """A number, for people."""
    return f"{x:.6g}"


def _times(x: float) -> str:
    return "once" if x == 1 else f"{x:.6g} times"


@singledispatch
def votes(event: Any, t: Any, n: Array, x: Array, wide: bool) -> Votes:
    """The parts of a row of numbers, by an event model, its statistic and the rows of each class.

    Where the row is wide, features that are off or zero are one part together.
    """
    raise KindError(f"There are no explanations of {type(event).__name__}.")


@votes.register
def _(event: Bernoulli, t: Any, n: Array, x: Array, wide: bool) -> Votes:
    on, off = event.log_theta(t)
    here = x > 0
    belief = None
    if event.estimate in ("mean", "predictive"):
        a, b = np.asarray(event.a + t.ones), np.asarray(event.b + t.zeros)
        belief = belief_of_shares(np.where(here, a, b).T, (a + b).T)
    words = [{0.0: "off", 1.0: "on"}.get(v, shown(v)) for v in x.tolist()]
    logs, part = np.where(here, on, off), here & (x != 1)  # what is not 0 or 1 counts in part, as in a score
    logs[:, part] = x[part] * on[:, part] + (1 - x[part]) * off[:, part]
    all_votes = Votes(list(range(len(x))), words, logs.T, belief)
    return gathered(all_votes, here, "(features that are off)", f"{int((~here).sum()):,}") if wide else all_votes


@votes.register
def _(event: Multinomial, t: Any, n: Array, x: Array, wide: bool) -> Votes:
    if event.estimate == "predictive":
        return _drawn(np.asarray(event.alpha + t.counts), x, True)
    at = np.flatnonzero(x)
    words, times = [_times(v) for v in x[at].tolist()], x[at][:, None]
    if event.weights is not None:
        meant = [in_words(w, "words") for w in event.weights[at].tolist()]
        words = [f"{counted}, {what}" if what else counted for counted, what in zip(words, meant, strict=True)]
        times = times * event.weights[at][:, None]
    belief = None
    if event.estimate == "mean":
        alpha = np.asarray(event.alpha + t.counts)
        belief = belief_of_shares(alpha[:, at].T, alpha.sum(axis=1)[None], times)
    return Votes(at.tolist(), words, times * event.log_theta(t)[:, at].T, belief)


@votes.register
def _(event: Polya, t: Array, n: Array, x: Array, wide: bool) -> Votes:
    return _drawn(t, x, event.method == "dcm")


def _drawn(alpha: Array, x: Array, each: bool) -> Votes:
    """Words drawn from urns, each time or once, and what their number says."""
    at = np.flatnonzero(x)
    words = [_times(v) for v in x[at].tolist()]
    return Votes(at.tolist(), words, drawn(alpha[:, at], x[at], each)).and_one(
        *length(alpha.sum(axis=1), float(x.sum()))
    )


def drawn(alpha: Array, x: Array, each: bool) -> Array:
    """What words say that came x times, by the urns of classes × words: words × classes."""
    with np.errstate(divide="ignore"):
        return np.asarray(log_rising(alpha, x) if each else log(alpha)).T


def length(total: Array, n: float) -> tuple[str, str, Array]:
    """What the number of words says, by the totals of urns."""
    with np.errstate(divide="ignore", invalid="ignore"):
        says = -np.asarray(log_rising(total, np.full(len(total), n)))
    return LENGTH, f"{n:.6g} word{'s' * (n != 1)}", says


@votes.register
def _(event: Complement, t: Any, n: Array, x: Array, wide: bool) -> Votes:
    at = np.flatnonzero(x)
    words = [_times(v) for v in x[at].tolist()]
    return Votes(at.tolist(), words, x[at][:, None] * event.weights(t)[:, at].T)


@votes.register
def _(event: Poisson, t: Any, n: Array, x: Array, wide: bool) -> Votes:
    shape, rate = (np.broadcast_to(p, t.counts.shape) for p in (event.shape + t.counts, event.rate + n[:, None]))
    belief = None
    if event.estimate == "predictive":
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = log_rising(shape, np.broadcast_to(x, shape.shape)) - x * np.log1p(rate) - shape * np.log1p(1 / rate)
        logs = np.where((x == 0) & (shape == 0), 0.0, logs)
    else:
        rates = _known(event.rates(t, n[:, None]), 1.0)
        logs = np.where(x > 0, x * np.where(x > 0, log(rates), 0.0), 0.0) - rates
        belief = _belief_of_rates(shape, rate, x) if event.estimate == "mean" else None
    all_votes = Votes(list(range(len(x))), [shown(v) for v in x.tolist()], np.asarray(logs).T, belief)
    return gathered(all_votes, x > 0, "(zeros)", f"{int((x == 0).sum()):,}") if wide else all_votes


def _belief_of_rates(s: Array, r: Array, x: Array) -> Belief:
    """Of x ln λ − λ for λ ~ Gamma(s, r); ln λ and λ have covariance 1/r."""
    sure = (s > 0) & (r > 0)
    s, r = np.where(sure, s, 1.0), np.where(sure, r, 1.0)
    mean, variance = x * (digamma(s) - np.log(r)) - s / r, x**2 * polygamma(1, s) + s / r**2 - 2 * x / r
    return np.where(sure, mean, np.nan).T, np.where(sure, np.maximum(variance, 0.0), np.nan).T


@votes.register
def _(event: Categorical, t: Any, n: Array, x: Array, wide: bool) -> Votes:
    scorer = event.scorer(t)
    code: Integers = np.minimum(x.astype(np.int64), t.sizes)
    belief = None
    if event.estimate in ("mean", "predictive"):
        padded = [np.column_stack([t.column(j), np.zeros(len(n))])[:, c] for j, c in enumerate(code.tolist())]
        own = np.stack(padded) + event.alpha
        total = np.stack([t.column(j).sum(axis=1) for j in range(len(code))]) + event.alpha * t.sizes[:, None]
        belief = belief_of_shares(own, total)
    logs = scorer.table[scorer.first[:-1] + code, : scorer.classes]
    return Votes(list(range(len(x))), [shown(v) for v in x.tolist()], logs, belief)


@votes.register
def _(event: Gaussian, t: Any, n: Array, x: Array, wide: bool) -> Votes:
    scorer: Any = event.scorer(t)
    places, words = list(range(len(x))), [shown(v) for v in x.tolist()]
    if isinstance(scorer, StudentTs):
        top = log_rising(scorer.df / 2, 0.5) - np.log(np.pi * scorer.df) / 2 - np.log(scorer.scale)
        away = np.log1p(((x - scorer.location) / scorer.scale) ** 2 / scorer.df)
        return Votes(places, words, (top - (scorer.df + 1) / 2 * away).T)
    variance = np.maximum(scorer.variance, np.finfo(np.float64).tiny)
    squared = (x - scorer.mean) ** 2 / variance
    logs = -0.5 * (np.log(2.0 * np.pi * variance) + squared)
    with np.errstate(divide="ignore", over="ignore"):
        spread = (squared + (squared - 1) ** 2 / 2) / np.broadcast_to(t.n, squared.shape)
    return Votes(places, words, logs.T, (logs.T, np.where(np.isfinite(spread), spread, np.nan).T))


@votes.register
def _(event: Discriminant, t: Any, n: Array, x: Array, wide: bool) -> Votes:
    """Each column's share of the distance to the middle of a class; and how dense the class is there."""
    logs, middle = event.scorer(t).shares(x)
    return Votes(list(range(len(x))), [shown(v) for v in x.tolist()], logs).and_one("(how narrow)", "", middle)
