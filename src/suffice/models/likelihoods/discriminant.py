"""Model real vectors: a normal per class, with its own covariance or one that all classes share.

GD-1  plugged in       Normal(mean_c, Σ_c or Σ), Σ = scatter / n
GD-2  own covariance   NIW(m, κ, ν, Λ) of each class: Student-t of NW-2
GD-3  shared           Λ' = Λ + Σ_c scatter_c, ν' = ν + N (κ = 0: ν + N − C + 1), Student-t with ν' − d + 1 degrees of
                       freedom, scale (κ'+1)/κ' · Λ' / df
GD-4  evidence         NW-4 of each class; shared: N − C for n − 1, the pooled scatter for S, Σ_c ln n_c for ln n
GD-5  linear           shared and plugged in: ln p(x, c) = Σ⁻¹mean_c · x − ½ mean_c · Σ⁻¹mean_c + ln p(c) + a constant
SX-3  without a row    a rank-one downdate of Λ' (scoring/ellipses.py); without a group, the moments minus the group's
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from suffice.errors import ImproperPrior, PriorError
from suffice.models.empirical.covariances import Spread, by_evidence
from suffice.models.empirical.weak import weak_vectors
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.draws import Draw, rows_by_feature, with_one_covariance
from suffice.models.likelihoods.shared import top_numbers
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.ellipses import Covariance, Ellipses, Law, VectorBelief, roots_of
from suffice.models.scoring.linear import DenseHeldOut
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Contributions, Estimate, TopFeature
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.parallel import in_parallel
from suffice.posterior import NormalInverseWishart
from suffice.posterior.densities import StudentT
from suffice.posterior.mean_variance import MeanCovariance
from suffice.posterior.special import log_rising
from suffice.stats import FullMoments
from suffice.typing import Array, Integers

ROWS_AT_ONCE = 2**10


@dataclass(frozen=True, eq=False, repr=False)
class Discriminant(Likelihood):
    """Model real vectors, with one prior for all classes or one for each. "evidence" and "loo" learn the prior."""

    covariance: Covariance = "full"
    estimate: Estimate = "predictive"
    prior: NormalInverseWishart | Spread | str | None = "evidence"

    word, family = "discriminant", NormalInverseWishart
    statistic = FullMoments

    def settled(self, t: FullMoments) -> Self:
        """Return the likelihood with a definite prior that fits the columns; with none for maximum likelihood."""
        if self.estimate == "mle":
            return self if self.prior is None else replace(self, prior=None)
        if isinstance(self.prior, str):
            return replace(self, prior=by_evidence(t, self.covariance).prior(t))
        if isinstance(self.prior, Spread):
            return replace(self, prior=self.prior.prior(t))
        d = t.mean.shape[1]
        if not isinstance(self.prior, NormalInverseWishart) or self.prior.m.shape[-1] != d:
            raise unfit(NormalInverseWishart, d, self.covariance, self.prior)
        if self.covariance == "shared" and self.prior.batch_shape:
            raise PriorError("GaussianDiscriminant.prior", "be a single prior if all classes share a covariance").but(
                f"got a batch of shape {self.prior.batch_shape}"
            )
        return self

    @property
    def shared(self) -> bool:
        """Return whether all classes share a covariance."""
        return self.covariance == "shared"

    def scorer(self, t: FullMoments) -> Ellipses:
        """Return the scorer of rows."""
        n, law = np.asarray(t.n[:, 0]), self._law(t, self.estimate)
        mean, kappa, nu, scale = self._after(t)
        if self.estimate == "mean":
            law.divisor(nu[:1] if self.shared else nu[n > 0])  # raises if there are too few rows
        root, log_det = roots_of(scale, None if self.shared else kappa > 0)
        return Ellipses(law, mean, kappa, np.broadcast_to(nu, n.shape), root, log_det)

    def _law(self, t: FullMoments, estimate: Estimate) -> Law:
        return Law(estimate, t.mean.shape[1], int((t.n > 0).sum()) if self.shared else 0)

    def _after(self, t: FullMoments) -> tuple[Array, Array, Array, Array]:
        """Return m', κ', ν' and Λ' of each class; a shared Λ' comes with a single ν'."""
        n, prior = np.asarray(t.n[:, 0]), self.prior
        if self.estimate == "mle" or not isinstance(prior, NormalInverseWishart):
            pooled = (np.asarray([n.sum()]), t.scatter.sum(axis=0)[None])
            return t.mean, n, *(pooled if self.shared else (n, t.scatter))  # GD-1
        if not self.shared:
            return prior.after(t)  # GD-2
        kappa, nu = np.asarray(prior.kappa, np.float64), np.asarray(prior.nu, np.float64)
        some, total = kappa + n > 0, np.where(kappa + n > 0, kappa + n, 1.0)
        away = (t.mean - prior.m) + t.mean_lo
        between = np.where(some, kappa * n / total, 0.0)[:, None]
        scale = prior.scale + t.scatter.sum(axis=0)[None] + np.einsum("ci,cj->ij", between * away, away)
        share = np.where(some, n / total, 0.0)[:, None]
        flat = np.where(kappa > 0, 0.0, max(int((n > 0).sum()), 1) - 1)
        return prior.m + share * away, kappa + n, np.asarray([nu + n.sum() - flat]), scale  # GD-3

    def covariances(self, t: FullMoments) -> tuple[Array, Array]:
        """Return means, and covariances of each class or a shared one; for the Student-t, the expected covariance."""
        mean, _, nu, scale = self._after(t)
        law = self._law(t, "mean" if self.estimate == "predictive" else self.estimate)
        if law.estimate == "mean" and (np.asarray(nu) <= law.d + 1).any():
            return mean, np.full(scale.shape, np.inf)
        return mean, scale / np.reshape(law.divisor(np.where(nu > 0, nu, 1.0)), (-1, 1, 1))

    def held_out(self, t: FullMoments, rows: MatrixRows, removed: Removal) -> DenseHeldOut:
        """Return held-out scores of training rows; with a shared covariance, removal changes every class's scores."""
        if not len(removed.row):
            return DenseHeldOut(self.scorer(t).scores(rows))
        return DenseHeldOut(self.without_row(t, rows, removed) if removed.alone else self.refitted(t, rows, removed))

    def without_row(self, t: FullMoments, rows: MatrixRows, removed: Removal) -> Array:
        """Return scores of rows by classes without the row, from downdates of the covariances."""
        known = Discriminant.scorer(self, t)
        scores = np.empty((len(rows), len(t.mean))) if self.shared else self.scorer(t).scores(rows)
        kappa = float(np.max(self.prior.kappa)) if isinstance(self.prior, NormalInverseWishart) else 0.0

        def fill(block: slice) -> None:
            part, code, weight = rows.part(block).numbers, removed.code[block], removed.weight[block]
            if self.shared:
                scores[block] = known.all_without_row(part, code, weight, kappa)
            else:
                scores[block][np.arange(len(code)), code] = known.own_without_row(part, code, weight)

        in_parallel(fill, [slice(at, at + ROWS_AT_ONCE) for at in range(0, len(rows), ROWS_AT_ONCE)])
        return scores

    def refitted(self, t: FullMoments, rows: MatrixRows, removed: Removal) -> Array:
        """Return scores of rows by moments without their group, one group after the other."""
        scores, members = np.empty((len(rows), len(t.mean))), removed.members.tocsc()
        codes, weights = removed.part_code[members.indices], members.data
        first = np.searchsorted(removed.row, np.arange(len(rows)))
        order = np.argsort(removed.part[first], kind="stable")  # rows of one group have one first part
        ends = np.flatnonzero(np.diff(removed.part[first][order])) + 1
        for group in np.split(order, ends):
            some = rows.take(group)
            part = some.count(FullMoments, Labels(codes[group], weights[group], len(t.mean)))
            scores[group] = self.scorer(t - part).scores(some)
        return scores

    def contributions(self, t: FullMoments, rows: MatrixRows, weights: Array | None = None) -> Contributions:
        """Return each column's contribution, by its part of the distance to the mean, and that of the density there."""
        (x,) = rows.numbers
        logs, middle = self.scorer(t).shares(x)
        shown = [f"{value:.6g}" for value in x.tolist()]
        return Contributions(list(range(len(x))), shown, logs).and_one("(peak density)", "", middle)

    def posterior(self, t: FullMoments, features: Integers | None = None) -> NormalInverseWishart:
        """Return the posterior of each class's mean and covariance, or its marginal for the given columns."""
        self._given_prior("A posterior")
        mean, kappa, nu, scale = self._after(t)
        if features is None:
            return NormalInverseWishart(mean, kappa, nu, scale)
        nu = nu - (mean.shape[1] - len(features))
        return NormalInverseWishart(mean[:, features], kappa, nu, scale[:, features][:, :, features])

    def plug_in(self, t: FullMoments) -> MeanCovariance:
        """Return the plug-in mean and covariance of each class."""
        mean, covariance = self.covariances(t)
        return MeanCovariance(mean, np.broadcast_to(covariance, (len(mean), *covariance.shape[1:])))

    def sample(self, t: FullMoments, draw: Draw) -> Array:
        """Return drawn vectors. For parameters="once", classes that share a covariance share the drawn one."""
        if draw.features is not None:
            return self.sample(t, replace(draw, features=None))[:, draw.features]
        if not self.shared or draw.parameters != "once":
            return np.asarray(rows_by_feature(self, t, draw))
        mean, covariance = with_one_covariance(self.posterior(t), draw.rng)
        return self.family.simulate((mean[draw.codes], covariance[draw.codes]), draw.rng)

    def _given_prior(self, what: str) -> NormalInverseWishart:
        if isinstance(self.prior, NormalInverseWishart):
            return self.prior
        raise ImproperPrior(f"{what} needs a proper prior; got prior={self.prior}.").advise(
            python="Use a NormalInverseWishart."
        )

    def belief(self, t: FullMoments, weights: Array | None = None) -> VectorBelief:
        """Return the posterior distribution of scores; no prior means one flat in the means and in ln|Σ|."""
        n, known = np.asarray(t.n[:, 0]), Discriminant.scorer(self, t)
        mean, kappa, nu, scale = self._after(t)
        if self.estimate == "mle" or self.prior is None:
            nu = nu - (float((n > 0).sum()) if self.shared else 1.0)
        if (np.asarray(nu) <= known.law.d - 1).any() or (kappa <= 0).any():
            raise ImproperPrior(
                "An interval needs a proper posterior; a class has too few rows for one without a prior."
            ).advise(python="Use estimate='predictive'.")
        ellipses = Ellipses(known.law, mean, kappa, np.broadcast_to(nu, n.shape), known.root, known.log_det)
        return VectorBelief(ellipses, scale)

    def intervals(self, t: FullMoments, level: float) -> Any:
        """Return credible bounds of each mean."""
        belief = self.belief(t)
        known = belief.known
        a = np.broadcast_to((known.nu[:, None] - known.law.d + 1) / 2, t.mean.shape)
        b = np.broadcast_to(np.diagonal(belief.scale, axis1=-2, axis2=-1) / 2, t.mean.shape)
        return StudentT(2 * a, known.mean, np.sqrt(b / a / known.kappa[:, None])).interval(level)

    def log_evidence(self, t: FullMoments) -> Cells:
        """Return the log evidence of all columns together by class; a shared part is split in proportion to rows."""
        prior, n = self._given_prior("The evidence"), np.asarray(t.n[:, 0])
        if not self.shared:
            return Cells(np.asarray(prior.log_evidence(t))[:, None])
        return Cells((self._shared_evidence(prior, t) * (n / max(float(n.sum()), 1e-300)))[:, None])

    def _shared_evidence(self, prior: NormalInverseWishart, t: FullMoments) -> float:
        """Return ln p of the rows of all classes; for κ = 0, given the first row of each class."""
        n, d = np.asarray(t.n[:, 0]), t.mean.shape[1]
        some, flat = n > 0, float(prior.kappa) == 0
        rows = float(n.sum() - some.sum()) if flat else float(n.sum())
        first = float(prior.nu) + flat
        gammas = float(np.sum(log_rising((first - np.arange(d)) / 2, rows / 2)))
        scale = self._after(t)[3]
        before, after = roots_of(prior.scale[None])[1][0], roots_of(scale)[1][0]
        means = np.log(n[some]).sum() if flat else np.log1p(n[some] / float(prior.kappa)).sum()
        logs = gammas + first / 2 * before - (first + rows) / 2 * after
        return float(logs - rows * d / 2 * np.log(np.pi) - d / 2 * means)  # GD-4

    def top_features(
        self, t: FullMoments, n: Array, code: int, k: int, weights: Array | None = None
    ) -> list[TopFeature]:
        """Return the columns whose distribution in the class differs most from that of the others."""
        estimate: Estimate = "mle" if self.estimate == "mle" or self.prior is None else "map"
        mean, covariance = replace(self, estimate=estimate).covariances(t)
        variance = np.broadcast_to(np.diagonal(covariance, axis1=-2, axis2=-1), mean.shape)
        return top_numbers(mean, variance, n, code, k)

    def lacks(self, what: Literal["evidence", "density", "shares"]) -> str:
        """Return why it has no part in EM: a covariance could shrink to zero; empty if none could."""
        shrinks = what == "shares" and self.estimate == "mle" and not self.shared
        return would_shrink(self.covariance) if shrinks else ""

    def log_prior_density(self, t: FullMoments) -> float:
        """Return ln p of the plug-in means and covariances, up to a constant."""
        if self.prior is None or self.estimate in ("mle", "predictive"):
            return 0.0
        prior, n, known = self._given_prior("A density"), np.asarray(t.n[:, 0]), self.scorer(t)
        mean, covariance = self.covariances(t)
        rows = np.asarray([n.sum()]) if self.shared else n
        power = known.law.divisor(known.nu)[: len(rows)] - rows
        away, logs = mean - prior.m, np.linalg.slogdet(covariance)[1]
        inner = np.linalg.solve(covariance, np.broadcast_to(prior.scale, covariance.shape))
        spread = np.trace(inner, axis1=1, axis2=2)
        every = np.broadcast_to(covariance, (len(mean), *covariance.shape[1:]))
        turned = np.linalg.solve(every, away[..., None])[..., 0]
        return float(-0.5 * ((power * logs + spread).sum() + (prior.kappa * (away * turned).sum(axis=1)).sum()))

    def n_parameters(self, t: FullMoments) -> tuple[int, int]:
        """Return the number of parameters of each class and of all classes together: a mean, and a covariance."""
        d = int(t.mean.shape[1])
        spread = d * (d + 1) // 2
        return (d, spread) if self.shared else (d + spread, 0)

    @property
    def learns_prior(self) -> bool:
        """Return whether the prior maximizes the evidence and is used."""
        return isinstance(self.prior, str) and self.estimate != "mle"

    @property
    def learns_from_labels(self) -> bool:
        """Return whether classes share a prior that their labels determine."""
        return isinstance(self.prior, str | Spread) and self.estimate != "mle"

    def weak(self, t: FullMoments, rows: float, k: int) -> Self:
        """Return the likelihood with a weak prior in place of a learned one, made from all rows as one class."""
        return replace(self, prior=weak_vectors(t, k)) if self.learns_prior else self  # by WP-1

    def judging(self, t: FullMoments, weak: Any) -> Self:
        """Return the likelihood with one learned scale for all classes and the weak prior's mean.

        A flat mean would make the first row of every class cost nothing.
        """
        if not self.learns_prior:
            return self.settled(t)
        vague, found = weak._given_prior("A comparison"), by_evidence(t, self.covariance, ["pooled"]).prior(t)
        return replace(self, prior=NormalInverseWishart(vague.m, vague.kappa, found.nu, found.scale))

    def coarse(self, t: FullMoments, k: int) -> Self | None:
        """Return the likelihood with one covariance for all classes; None if it already has one."""
        return None if self.shared else replace(self, covariance="shared", prior=weak_vectors(t, k))

    def points(self, rows: MatrixRows) -> Array:
        """Return rows as points."""
        return rows.numbers


def unfit(kind: type, d: int, covariance: str, prior: Any) -> PriorError:
    """Return the error for a prior that does not fit the columns."""
    return PriorError(
        "GaussianDiscriminant.prior", f"be a {kind.__name__} of {d} columns for covariance={covariance!r}", got=prior
    )


def would_shrink(covariance: str) -> str:
    """Return the reason against an estimate with which EM could shrink a covariance to zero."""
    return (
        "The 'estimate' parameter of GaussianDiscriminant must be 'predictive', 'mean' or 'map' to learn without "
        f"labels, where a covariance may shrink to zero; got 'mle' with covariance={covariance!r}."
    )
