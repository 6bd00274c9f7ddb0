"""Scores of rows by a class that has not seen them: exact, in one pass, with priors as they are (SX-3).

What a row added to its class is taken away again where the row looks: at its own features. Other classes stay as they
are, but for complements, where it is the other way round.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from suffice.errors import SubtractionError
from suffice.models.logs import log
from suffice.models.removal import Entries
from suffice.parallel import in_parallel
from suffice.posterior.special import log_rising
from suffice.typing import Array, Integers

__all__ = ["at", "bernoulli", "cells", "complement", "left", "multinomial", "poisson", "put"]

ROUNDING = 1e-12
ROWS_AT_ONCE = 2**14


def left(count: Array, gone: Array) -> Array:
    """count − gone; what rounding left is nothing, and less than nothing is refused."""
    rest = np.asarray(count - gone)
    slight = rest <= ROUNDING * count
    if not slight.any():
        return rest
    if (rest < -ROUNDING * count).any():
        raise SubtractionError("Rows can be left out only where they were learned, with the same labels and weights.")
    return np.where(slight, 0.0, rest)


def at(table: Any, code: Integers, feature: Integers) -> Array:
    """Single numbers of a table of classes × features, dense or sparse."""
    if not sparse.issparse(table):
        return np.asarray(table[code, feature])
    out = np.zeros(len(code))
    order = np.argsort(code, kind="stable")
    start = np.searchsorted(code[order], np.arange(table.shape[0] + 1))
    line = np.zeros(table.shape[1])
    for c in np.flatnonzero(np.diff(start)):
        words = slice(table.indptr[c], table.indptr[c + 1])
        line[table.indices[words]] = table.data[words]
        mine = order[start[c] : start[c + 1]]
        out[mine] = line[feature[mine]]
        line[table.indices[words]] = 0.0
    return out


def put(scores: Array, codes: Integers, own: Array) -> Array:
    """Scores, with those of each row's own class written over."""
    scores[np.arange(len(codes)), codes] = own
    return scores


def cells(counts: Array, n: Array, prior: Any, total: Any) -> Array:
    """ln of (what is left + prior) / (all that is left + total); both already without what goes."""
    return np.asarray(log(np.asarray(counts + prior)) - log(np.asarray(n + total)))  # SX-3


def multinomial(
    own: Array,
    total: Array,
    prior: Any,
    entries: Entries,
    gone: Array,
    drawn: Array,
    whole: bool,
) -> Array:
    """Σ x ln θ of each row; if `whole`, the document by the Dirichlet-multinomial.

    `own` are the class's counts of each entry's word and `total` of all its words, of which `gone` and `drawn` go.
    """
    each, every = (prior[entries.feature], prior.sum()) if np.ndim(prior) else (prior, prior * entries.width)
    word, words = left(own, gone) + each, left(total, drawn) + every
    length = entries.sums(entries.value)
    if whole:
        return np.asarray(entries.sums(log_rising(word, entries.value)) - log_rising(words, length))  # SX-3
    with np.errstate(invalid="ignore"):
        scores = entries.sums(entries.value * log(word)) - length * log(words)  # SX-3
    return np.where(length > 0, scores, 0.0)


def dense_words(counts: Array, prior: Array, X: Array, codes: Integers, weights: Array) -> Array:
    """`multinomial`, for rows that are mostly not zero."""
    own, totals = np.empty(len(codes)), counts.sum(axis=1)

    def fill(block: slice) -> None:
        x, code = X[block].astype(np.float64), codes[block]
        gone = weights[block, None] * x
        word = left(counts[code], gone) + prior
        length = x.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            np.log(word, out=word)
            np.multiply(word, x, out=word, where=x != 0)
            word[x == 0] = 0.0
            scores = word.sum(axis=1) - length * np.log(left(totals[code], gone.sum(axis=1)) + prior.sum())  # SX-3
        own[block] = np.where(length > 0, scores, 0.0)

    in_parallel(fill, [slice(at, at + ROWS_AT_ONCE) for at in range(0, len(codes), ROWS_AT_ONCE)])
    return own


def bernoulli(ones: Any, n: Array, a: Any, b: Any, entries: Entries, codes: Integers, weights: Array) -> Array:
    """Σ x ln θ + (1−x) ln(1−θ): as if all were off, and then what is on."""
    a, b = (np.broadcast_to(np.asarray(p, np.float64), (entries.width,)) for p in (a, b))
    scores, lost = np.empty(entries.rows), np.empty(entries.rows)
    for weight in np.unique(weights):
        off, never = _all_off(ones, n - weight, b)
        mine = weights == weight
        scores[mine], lost[mine] = off[codes[mine]], never[codes[mine]]
    code, feature, weight = codes[entries.row], entries.feature, weights[entries.row]
    on = at(ones, code, feature)
    there, absent = left(on, weight) + a[feature], n[code] - weight - on + b[feature]
    sure = absent <= 0
    scores += entries.sums(log(there) - log(np.where(sure, 1.0, absent)))
    lost -= entries.sums(sure.astype(np.float64))
    size = left(n[codes], weights)
    if (a == a[:1]).all() and (b == b[:1]).all():
        every = entries.width * log(size + a[:1].sum() + b[:1].sum())
    else:
        every = log(size[:, None] + (a + b)).sum(axis=1)
    return np.where(lost > 0.5, -np.inf, scores - every)  # SX-3


def _all_off(ones: Any, n: Array, b: Array) -> tuple[Array, Array]:
    """Σ_j ln(n − ones + b) of each class, and how many of the terms are of nothing, and not in the sum."""
    if not sparse.issparse(ones):
        rest = np.asarray(n[:, None] - ones + b)
        some = rest > 0
        return np.log(np.where(some, rest, 1.0)).sum(axis=1), (~some).sum(axis=1).astype(np.float64)
    pair = np.repeat(np.arange(len(n)), np.diff(ones.indptr))
    seen, unseen = n[pair] - ones.data + b[ones.indices], n[pair] + b[ones.indices]
    every = n[:, None] + (b[:1] if (b == b[:1]).all() else b)
    times = ones.shape[1] // every.shape[1]
    sums, never = (_safe_log(every).sum(axis=1) * times, (every <= 0).sum(axis=1) * float(times))
    sums += np.bincount(pair, _safe_log(seen) - _safe_log(unseen), len(n))
    never += np.bincount(pair, (seen <= 0).astype(float) - (unseen <= 0), len(n))
    return sums, never


def _safe_log(values: Array) -> Array:
    return np.log(np.where(values > 0, values, 1.0))


def poisson(model: Any, counts: Array, n: Array, entries: Entries, codes: Integers, weights: Array) -> Array:
    """Scores of counts by the class's rates without the row: as if all were zero, and then what is not."""
    scores = np.empty(entries.rows)
    own = np.empty(len(entries.row))
    for weight in np.unique(weights):
        size = np.maximum(n - weight, 0.0)[:, None]
        mine = weights == weight
        scores[mine] = model.of_zeros(counts, size)[codes[mine]]
        which = mine[entries.row]
        code, feature, value = codes[entries.row[which]], entries.feature[which], entries.value[which]
        there = left(counts[code, feature], weight * value)
        own[which] = model.beyond_zero(counts[code, feature], there, size[code, 0], feature, value)
    return scores + entries.sums(own)  # SX-3


def complement(others: Any, scores: Array, entries: Entries, codes: Integers, weights: Array, norm: bool) -> Array:
    """Scores where every class but the row's own loses the row from what the others are.

    `others(c)` are counts of words in all classes but c, with the prior.
    """
    gone, tiny = weights[entries.row] * entries.value, np.finfo(np.float64).tiny
    drawn = entries.sums(gone)
    for c in range(scores.shape[1]):
        theta, mine = np.maximum(others(c), tiny), codes == c
        less = np.where(mine[entries.row], 0.0, gone)
        rest = np.maximum(left(theta[entries.feature], less), tiny)
        words = np.maximum(theta.sum() - np.where(mine, 0.0, drawn), tiny)
        logs = log(rest) - log(words)[entries.row]
        found = -entries.sums(entries.value * logs)  # SX-3
        if norm:
            every = log(theta).sum() + entries.sums(log(rest) - log(theta)[entries.feature]) - len(theta) * log(words)
            found = np.where(
                every == 0, entries.sums(entries.value) / len(theta), -found / np.where(every == 0, 1.0, every)
            )
        scores[:, c] = np.where(mine, scores[:, c], found)
    return scores
