"""Choose the prior of covariances: NIW(κ = 0, ν, Λ) with Λ = size·(ν+1)·diag(v), v the variances of columns (GD-4).

"pooled"    v is the variance within classes: all classes share one Λ
"own"       v is the class's own variance, shrunk slightly towards the pooled one

Two numbers remain: ν and the size. They maximize the evidence. Or they minimize the log loss of held-out parts of the
rows; among priors whose losses hardly differ, the evidence decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from suffice.later import logsumexp
from suffice.models.empirical.normals import units
from suffice.models.empirical.pseudo_counts import climb
from suffice.models.scoring.ellipses import Covariance, Law
from suffice.posterior import NormalInverseWishart
from suffice.posterior.special import digamma_rise, log_rising, trigamma_fall
from suffice.stats import DiagonalMoments, FullMoments
from suffice.typing import Array, Integers

Kind = Literal["own", "pooled"]

TOWARDS = 2.0
"""Weight in rows of the pooled variance relative to a class's own."""

MORE, SIZE = (0.5, 31.0, 1001.0), np.geomspace(0.01, 3.0, 6)
"""Candidates of ν − d + 1 and of the size, where held-out rows choose."""

POWERS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12)
"""Powers of the likelihood: each prior takes its best one, where likelihoods are to be tempered."""

PARTS, ENOUGH = 10, 3000
"""Number of parts that rows are split into, and the number of rows used at most."""

MENTION = 2.0
"""Smallest difference of log losses, in nats, that counts."""

LEAST, MOST = (1e-2, 1e-6), (1e4, 1e6)
"""Bounds of ν − d + 1 and of the size: without them, a maximum need not exist."""


@dataclass(frozen=True)
class Spread:
    """A prior up to the variances of columns."""

    kind: Kind = "pooled"
    more: float = 1.0  # ν − d + 1
    size: float = 1.0

    def prior(self, t: FullMoments) -> NormalInverseWishart:
        """Return the prior for classes with the given moments."""
        d = t.mean.shape[1]
        nu = self.more + d - 1
        v = widths(t, self.kind)
        scale = self.size * (nu + 1) * v[..., None] * np.eye(d)
        return NormalInverseWishart(np.zeros(d), 0.0, nu, scale if self.kind == "own" else scale[0])


def widths(t: FullMoments, kind: Kind) -> Array:
    """Return the variances of columns, by class or pooled over all classes as 1 × d."""
    diagonal = np.diagonal(t.scatter, axis1=-2, axis2=-1)
    low = np.diagonal(t.scatter_lo, axis1=-2, axis2=-1)
    pooled = units(DiagonalMoments(t.mean, t.n, diagonal, t.mean_lo, low, t.peak))[1][None]
    return pooled if kind == "pooled" else np.asarray((diagonal + TOWARDS * pooled) / (t.n + TOWARDS))


@dataclass(frozen=True)
class Bodies:
    """The eigenvalues of scatter matrices in units of the variances: one per class, or one that all share."""

    law: Law
    mean: Array
    n: Array
    rows: Array  # degrees of freedom for each covariance, without those a flat mean uses
    turn: Array | None  # bodies × d × d; None where rows are not scored
    axes: Array  # bodies × d: eigenvalues
    volume: Array  # Σ ln v

    @classmethod
    def of(cls, t: FullMoments, covariance: Covariance, kind: Kind, scores: bool = True) -> Bodies:
        """Return the bodies of classes with the given moments; `scores` states whether rows will be scored."""
        n, d, shared = np.asarray(t.n[:, 0]), t.mean.shape[1], covariance == "shared"
        v = widths(t, kind)
        scatter = t.scatter.sum(axis=0)[None] if shared else t.scatter
        unit = np.sqrt(np.broadcast_to(v, (len(scatter), d)))
        alike, turn = scatter / unit[:, :, None] / unit[:, None, :], None
        if scores:
            axes, vectors = np.linalg.eigh(alike)
            turn = vectors / unit[:, :, None]
        else:
            axes = np.linalg.eigvalsh(alike)
        informed = np.maximum(n - 1, 0.0) if not shared else np.asarray([max(n.sum() - (n > 0).sum(), 0.0)])
        law = Law("predictive", d, int((n > 0).sum()) if shared else 0)
        return cls(law, t.mean, n, informed, turn, np.maximum(axes, 0.0), 2 * np.log(unit).sum(axis=1))

    def value(self, x: Array) -> float:
        """Return the log evidence of ν − d + 1 and the size, up to a constant."""
        q, k = x[0] + self.law.d - 1, self.rows
        s = x[1] * (q + 1)
        gammas = log_rising(self._halves(q), k[:, None] / 2).sum(axis=1)
        ratio = np.log1p(self.axes / s).sum(axis=1)
        return float((gammas - (q + 1 + k) / 2 * ratio - k / 2 * (self.law.d * np.log(s) + self.volume)).sum())  # GD-4

    def derivatives(self, x: Array) -> tuple[Array, Array]:
        """Return the gradient and the Hessian of the log evidence."""
        q, k, w = x[0] + self.law.d - 1, self.rows[:, None], self.axes
        s, turn = x[1] * (q + 1), np.array([[1.0, 0.0], [x[1], q + 1]])  # ds = size·dν + (ν+1)·dsize
        halves, after = self._halves(q), s + w
        by_q = (digamma_rise(halves, k / 2) - np.log1p(w / s)).sum() / 2
        by_s = ((q + 1) * w / (s * after) - k / after).sum() / 2
        twice = -((q + 1) * w * (2 * s + w) / (s * after) ** 2 - k / after**2).sum() / 2
        both = (w / (s * after)).sum() / 2
        hessian = np.array([[-trigamma_fall(halves, k / 2).sum() / 4, both], [both, twice]])
        return np.array([by_q, by_s]) @ turn, turn.T @ hessian @ turn + by_s * np.array([[0.0, 1.0], [1.0, 0.0]])

    def logs(self, X: Array, more: Array, scale: Array) -> Array:
        """Return ln p of rows by each class under many priors, classes × rows × priors."""
        nu, shared = more + self.law.d - 1, len(self.axes) == 1
        assert self.turn is not None
        out = np.empty((len(self.n), len(X), len(more)))
        for c, n in enumerate(self.n):
            body = 0 if shared else c
            inverse = 1 / (self.axes[body][:, None] + scale)
            distance = np.square((X - self.mean[c]) @ self.turn[body]) @ inverse
            log_det = -np.log(inverse).sum(axis=0) + self.volume[body]
            known = nu + (self.rows[0] + 1 if shared else n)
            out[c] = self.law.logs(n, known, distance, log_det)
        return out

    def _halves(self, q: float) -> Array:
        return (q + 1 - np.arange(self.law.d)) / 2


def by_evidence(t: FullMoments, covariance: Covariance, kinds: Sequence[Kind] | None = None) -> Spread:
    """Return the prior of the given kinds that maximizes the evidence."""
    best, height = Spread(), -np.inf
    for kind in _kinds(covariance) if kinds is None else kinds:
        bodies = Bodies.of(t, covariance, kind, scores=False)
        if not bodies.rows.any() or not bodies.axes.any():
            continue
        found = climb(bodies, np.array([2.0, 1.0]), np.array(LEAST), np.array(MOST))
        if found.heights[-1] > height:
            best, height = Spread(kind, *map(_short, found.x)), found.heights[-1]
    return best


def by_parts(
    t: FullMoments,
    covariance: Covariance,
    rows: tuple[Array, Integers, Array, Integers],
    log_prior: Callable[[Array], Array],
    powers: tuple[float, ...] = (1.0,),
) -> Spread | None:
    """Return the prior with which the other rows classify each part best; None if no part can be judged.

    `rows` are X, codes, weights and parts.
    """
    X, codes, weights, part = rows
    kinds = _kinds(covariance)
    more, size = (axis.ravel() for axis in np.meshgrid(MORE, SIZE, indexing="ij"))
    loss = np.full((len(codes), len(kinds), len(more), len(powers)), np.nan)
    for k in np.unique(part):
        some = part == k
        left = t - FullMoments.of(X[some], codes[some], weights[some], n_classes=len(t.mean))
        prior = log_prior(np.asarray(left.n[:, 0]))[:, None, None]
        for i, kind in enumerate(kinds):
            logs = Bodies.of(left, covariance, kind).logs(X[some], more, size * (more + t.mean.shape[1]))
            for j, power in enumerate(powers):
                loss[some, i, :, j] = _losses(power * logs + prior, codes[some])
    judged = np.isfinite(loss).all(axis=(1, 2, 3)) & (weights > 0)
    if not judged.any():
        return None
    losses = loss[judged] * weights[judged, None, None, None]
    at_best = losses.sum(axis=0).argmin(axis=2)[None, :, :, None]
    losses = np.take_along_axis(losses, at_best, axis=3).reshape(len(losses), -1)
    evidence = np.concatenate([_heights(t, covariance, kind, more, size) for kind in kinds])
    best = safest(losses, evidence)
    return Spread(kinds[best // len(more)], float(more[best % len(more)]), float(size[best % len(more)]))


def _losses(joint: Array, codes: Integers) -> Array:
    """Return −ln p of each row's own class; joint log probabilities are classes × rows × priors."""
    with np.errstate(invalid="ignore"):
        return np.asarray(logsumexp(joint, axis=0) - joint[codes, np.arange(len(codes))])


def safest(losses: Array, evidence: Array) -> int:
    """Return the column with the most evidence among those whose loss is within MENTION of the lowest."""
    total = losses.sum(axis=0)
    return int(np.argmax(np.where(total <= total.min() + MENTION, evidence, -np.inf)))


def parts_of(codes: Integers, group: Integers | None, parts: int = PARTS) -> Integers:
    """Return the part of each row. Parts share out each class evenly; with groups, they keep groups together."""
    if group is not None:
        return group % parts
    part = np.empty(len(codes), np.int64)
    part[np.argsort(codes, kind="stable")] = np.arange(len(codes)) % parts
    return part


def _short(x: float) -> float:
    """Return a number rounded to three digits, the precision that rows determine."""
    return float(f"{x:.3g}")


def _kinds(covariance: Covariance) -> list[Kind]:
    return ["pooled"] if covariance == "shared" else ["own", "pooled"]


def _heights(t: FullMoments, covariance: Covariance, kind: Kind, more: Array, size: Array) -> Array:
    bodies = Bodies.of(t, covariance, kind, scores=False)
    return np.array([bodies.value(np.array(x)) for x in zip(more, size, strict=True)])
