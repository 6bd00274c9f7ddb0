"""Fit linear and quadratic discriminant analysis from moments alone, as scikit-learn defines them.

Where scikit-learn decomposes the rows, this decomposes their scatter: one pass over the rows, and the same results up
to rounding.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np

from suffice.errors import InputError
from suffice.later import linalg
from suffice.models.class_prior import ClassPrior
from suffice.models.empirical.covariances import Spread
from suffice.models.likelihoods.discriminant import Discriminant, unfit, would_shrink
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.scoring.ellipses import Covariance, Ellipses, Law, SingularMatrix, centre_of, roots_of
from suffice.models.scoring.linear import DenseHeldOut
from suffice.models.scoring.reals import NormalDensities, StudentTs
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Estimate
from suffice.models.scoring.rows import MatrixRows
from suffice.posterior import NormalInverseGamma, NormalInverseWishart
from suffice.posterior.mean_variance import MeanCovariance
from suffice.stats import DiagonalMoments, FullMoments
from suffice.typing import Array


@dataclass(frozen=True, eq=False, repr=False)
class DiagonalDiscriminant(Gaussian):
    """Model real vectors as uncorrelated within each class: one normal per column, none of which may be constant."""

    column: bool = field(default=False, repr=False)

    word = "diagonal discriminant"
    parameter = "prior"

    def settled(self, t: DiagonalMoments) -> Self:
        """Return the likelihood with a definite prior; with none for maximum likelihood."""
        if self.estimate == "mle":
            return replace(self, prior=None)
        if not isinstance(self.prior, str | NormalInverseGamma):
            raise unfit(NormalInverseGamma, t.mean.shape[1], "diagonal", self.prior)
        return super().settled(t)

    def scorer(self, t: DiagonalMoments) -> NormalDensities | StudentTs:
        """Return the scorer of rows; raise SingularCovariance if a column does not vary within a class."""
        constant = np.argwhere((t.scatter <= 0) & (t.n > 0))
        if self.estimate == "mle" and len(constant):
            code, place = constant[0].tolist()
            raise SingularMatrix.of(f"column {place} does not vary", code)
        return super().scorer(t)

    def lacks(self, what: Literal["evidence", "density", "shares"]) -> str:
        """Return why it has no part in EM: a variance could shrink to zero; empty if none could."""
        return would_shrink("diagonal") if what == "shares" and self.estimate == "mle" else ""


def shrunk(covariance: Array, shrinkage: float) -> Array:
    """Return covariances shrunk towards a multiple of the identity."""
    d = covariance.shape[-1]
    size = np.trace(covariance, axis1=-2, axis2=-1) / d
    return np.asarray((1 - shrinkage) * covariance + shrinkage * size[..., None, None] * np.eye(d))


@dataclass(frozen=True)
class Planes:
    """The results of linear discriminant analysis."""

    mean: Array
    centre: Array
    covariance: Array
    scalings: Array
    ratio: Array  # fraction of explained variance
    root: Array


@dataclass(frozen=True)
class Quadrics:
    """The results of quadratic discriminant analysis, with covariances by their axes."""

    mean: Array
    covariance: Array
    rotations: list[Array]
    scalings: list[Array]


@dataclass(frozen=True, eq=False, repr=False)
class DiscriminantAnalysis(Discriminant):
    """Model classes by maximum likelihood, with covariances that may be shrunk, truncated or given."""

    estimate: Estimate = "mle"
    prior: NormalInverseWishart | Spread | str | None = None
    solver: str = "svd"
    shrinkage: float = 0.0
    tol: float = 1e-4
    given: Array | None = None  # given covariances: of classes, and for LDA also of all rows

    @property
    @abstractmethod
    def plain(self) -> bool:
        """Return whether covariances are those of the rows, unmodified."""

    def held_out(self, t: FullMoments, rows: MatrixRows, removed: Removal) -> DenseHeldOut:
        """Return held-out scores of training rows, by downdates or by refitting."""
        if self.given is not None:
            raise InputError("Rows cannot be left out with a covariance_estimator or shrinkage='auto'.").advise(
                python="Use a number as 'shrinkage'."
            )
        if removed.alone and self.plain:
            try:
                return DenseHeldOut(self.without_row(t, rows, removed))
            except SingularMatrix:  # some direction does not vary, or a class has no rows
                pass
        return DenseHeldOut(self.refitted(t, rows, removed))

    @abstractmethod
    def solve(self, t: FullMoments) -> Planes | Quadrics:
        """Return means and covariances."""

    def plug_in(self, t: FullMoments) -> MeanCovariance:
        """Return the plug-in mean and covariance of each class."""
        found = self.solve(t)
        return MeanCovariance(found.mean, np.broadcast_to(found.covariance, t.scatter.shape))

    def lacks(self, what: Literal["evidence", "density", "shares"]) -> str:
        """Return why it has no part in EM."""
        if what != "shares":
            return ""
        return (
            f"{self.word} cannot learn without labels: its covariances are shrunk and truncated as in scikit-learn, "
            "so EM need not increase the likelihood. Use GaussianDiscriminant."
        )


@dataclass(frozen=True, eq=False, repr=False)
class LinearAnalysis(DiscriminantAnalysis):
    """Model classes with one covariance, keeping the directions that vary."""

    covariance: Covariance = "shared"
    share: ClassPrior | None = None  # class shares; those of the data if not given

    word = "LinearDiscriminantAnalysis"

    @property
    def plain(self) -> bool:
        """Return whether the covariance is that of the rows, unmodified."""
        return not self.shrinkage and (self.solver == "svd" or self.share is None)

    def scorer(self, t: FullMoments) -> Ellipses:
        """Return the scorer of rows."""
        found, n = self.solve(t), np.asarray(t.n[:, 0])
        law = Law("mle", t.mean.shape[1], len(n))
        return Ellipses(law, found.mean, n, np.ones(len(n)), found.root[None], np.zeros(1))

    def as_density(self, t: FullMoments) -> QuadraticAnalysis:
        """Return normals in all directions, since the planes cover only those that separate classes."""
        return QuadraticAnalysis(given=np.broadcast_to(self.solve(t).covariance, t.scatter.shape), tol=self.tol)

    def solve(self, t: FullMoments) -> Planes:
        """Return means, discriminant axes and the covariance."""
        n = np.asarray(t.n[:, 0])
        share = n / n.sum() if self.share is None else np.exp(self.share.log(n))
        centre = centre_of(t.mean, share)
        within = self.within(t, share)
        if self.solver == "svd":
            return self._by_axes(t, n, share, centre, within)
        if self.solver == "lsqr":
            precision = np.linalg.pinv(within, hermitian=True)
            values, vectors = np.linalg.eigh((precision + precision.T) / 2)
            root = vectors * np.sqrt(np.maximum(values, 0.0))
            return Planes(t.mean, centre, within, np.empty((0, 0)), np.empty(0), root)
        between = self._total(t, n) - within
        try:
            values, vectors = linalg.eigh(between, within)
        except np.linalg.LinAlgError:
            raise SingularMatrix(
                "The covariance matrix within classes is singular; use solver='svd', a larger 'shrinkage', or "
                "GaussianDiscriminant(covariance='shared')."
            ) from None
        ratio = np.sort(values / values.sum())[::-1]
        vectors = vectors[:, np.argsort(values)[::-1]]
        return Planes(t.mean, centre, within, vectors, ratio, vectors)

    def within(self, t: FullMoments, share: Array) -> Array:
        """Return the covariance within classes, weighted by class shares."""
        own = np.nan_to_num(t.covariance) if self.given is None else self.given[:-1]
        own = shrunk(own, self.shrinkage) if self.shrinkage and self.given is None else own
        return np.asarray(np.einsum("c,cij->ij", share, own))

    def _total(self, t: FullMoments, n: Array) -> Array:
        if self.given is not None:
            return np.asarray(self.given[-1])
        away = t.mean - centre_of(t.mean, n / n.sum())
        together = (t.scatter.sum(axis=0) + np.einsum("c,ci,cj->ij", n, away, away)) / n.sum()
        return shrunk(together, self.shrinkage) if self.shrinkage else np.asarray(together)

    def _by_axes(self, t: FullMoments, n: Array, share: Array, centre: Array, within: Array) -> Planes:
        pooled = t.scatter.sum(axis=0) / n.sum()
        unit = np.sqrt(np.diagonal(pooled))
        unit = np.where(unit > 0, unit, 1.0)
        values, vectors = np.linalg.eigh(pooled / unit[:, None] / unit)
        kept = values[::-1] > self.tol**2
        inner = (vectors[:, ::-1] / unit[:, None])[:, kept] / np.sqrt(values[::-1][kept])
        spread = np.sqrt(n.sum() * share / max(len(n) - 1, 1))[:, None]
        _, length, turn = np.linalg.svd(spread * (t.mean - centre) @ inner, full_matrices=False)
        total = np.square(length).sum()
        ratio = np.square(length) / (total if total > 0 else 1.0)
        long = length > self.tol * length[:1].sum() if len(length) else np.zeros(0, bool)
        scalings = inner @ turn[long].T
        return Planes(t.mean, centre, within, scalings, ratio, scalings)


@dataclass(frozen=True, eq=False, repr=False)
class QuadraticAnalysis(DiscriminantAnalysis):
    """Model each class with its own covariance."""

    ridge: float = 0.0  # weight of the identity
    labels: tuple[Any, ...] = ()  # names of the classes, for errors

    word = "QuadraticDiscriminantAnalysis"

    @property
    def plain(self) -> bool:
        """Return whether covariances are those of the rows, unmodified."""
        return not self.shrinkage and not self.ridge

    def scorer(self, t: FullMoments) -> Ellipses:
        """Return the scorer of rows."""
        found, n = self.solve(t), np.asarray(t.n[:, 0])
        roots, log_det = roots_of(found.covariance, n > 0)
        return Ellipses(Law("mle", t.mean.shape[1]), found.mean, n, np.ones(len(n)), roots, log_det)

    def solve(self, t: FullMoments) -> Quadrics:
        """Return means, covariances and their axes for each class."""
        n, d = np.asarray(t.n[:, 0]), t.mean.shape[1]
        own = np.nan_to_num(t.covariance) if self.given is None else self.given
        if self.shrinkage and self.given is None:
            own = shrunk(own, self.shrinkage)
        own = (1 - self.ridge) * own + self.ridge * np.eye(d)
        rotations, scalings = [], []
        for c, (rows, covariance) in enumerate(zip(n, own, strict=True)):
            if rows > 0:
                self._refuse_singular(c, rows, covariance)
            values, vectors = np.linalg.eigh(covariance) if rows > 0 else (np.ones(d), np.eye(d))
            rotations.append(vectors[:, ::-1])
            scalings.append(values[::-1])
        return Quadrics(t.mean, own, rotations, scalings)

    def _refuse_singular(self, c: int, rows: float, covariance: Array) -> None:
        d, label = len(covariance), self.labels[c] if self.labels else c
        if rows == 1:
            raise InputError(f"y has only 1 sample in class {label}, covariance is ill defined.")
        unit = np.sqrt(np.diagonal(covariance))
        flat = (unit <= 0).any() or np.linalg.eigvalsh(covariance / unit[:, None] / unit)[0] <= self.tol**2
        start = f"The covariance matrix of class {label} is not full rank."
        bayesian = "GaussianDiscriminant needs no full rank."
        if self.solver == "svd" and rows <= d:
            raise SingularMatrix(
                f"{start} When using `solver='svd'` the number of samples in each class should be more than the number "
                f"of features, but class {label} has {rows:g} samples and {d} features. Try using `solver='eigen'` and "
                f"setting the parameter `shrinkage` for regularization. {bayesian}"
            )
        if flat:
            name = "shrinkage" if self.solver == "eigen" else "reg_param"
            raise SingularMatrix(f"{start} Increase the value of `{name}` to reduce the collinearity. {bayesian}")
