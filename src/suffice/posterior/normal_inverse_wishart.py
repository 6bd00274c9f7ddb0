"""A real vector of length d: multivariate normal likelihood, normal-inverse-Wishart prior.

x | μ, Σ ~ Normal(μ, Σ)      μ | Σ ~ Normal(m, Σ/κ)      Σ ~ InverseWishart(ν, Λ)
statistic: n, x̄, scatter matrix S

NW-1  posterior         κ' = κ+n, ν' = ν+n, m' = (κm + n x̄)/κ', Λ' = Λ + S + κn/κ'·(x̄−m)(x̄−m)ᵀ
NW-2  one more vector   Student-t, ν−d+1 degrees of freedom, location m, scale Λ(κ+1)/(κ(ν−d+1))
NW-3  log evidence      −(nd/2) ln π + ln Γ_d(ν'/2) − ln Γ_d(ν/2) + (ν/2) ln|Λ| − (ν'/2) ln|Λ'| + (d/2)(ln κ − ln κ')
NW-4  flat mean, κ = 0  the same given the first row: ν+1 for ν, n−1 for n, Λ+S for Λ', −(d/2) ln n for κ's part
NW-5  joint mode        m and Λ/(ν + d + 2)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.errors import DataError, InputError, PriorError, ShapeError
from suffice.posterior.base import draws, generator, numbers, plain, require
from suffice.posterior.densities import InverseGamma, MultivariateT, StudentT
from suffice.posterior.mean_variance import (
    ByItself,
    MeanCovariance,
    MeanVariance,
    finite,
    pair,
    require_first_row,
    weighted_mean,
)
from suffice.posterior.special import log_gamma_density, log_rising
from suffice.stats import FullMoments
from suffice.typing import Array, Booleans, Floats, Rng, Size


@dataclass(frozen=True, init=False, eq=False, repr=False)
class NormalInverseWishart(ByItself[FullMoments]):
    """Belief about the mean vector and the covariance matrix of real vectors.

    Parameters
    ----------
    m : array, coordinates on the last axis
        Guess of the mean.
    kappa : float or array
        Number of vectors that the guess is worth; ``kappa=0`` is a flat mean.
    nu : float or array
        Degrees of freedom of the belief about the covariance, above d − 1.
    scale : array, d × d on the last axes
        The matrix Λ: the scatter of the nu vectors that the belief is worth; symmetric and positive definite.

    Examples
    --------
    >>> belief = NormalInverseWishart(m=[0, 0], kappa=1, nu=3, scale=np.eye(2))
    >>> belief = belief.update(values=[[1.0, 2.0], [3.0, 2.0]])
    >>> belief.nu, belief.mode.mean
    (5.0, array([1.33333333, 1.33333333]))
    >>> belief.mode.covariance.round(3)
    array([[0.63 , 0.296],
           [0.296, 0.407]])
    """

    m: Array
    kappa: Floats
    nu: Floats
    scale: Array

    learns_from = (FullMoments,)

    def __init__(self, m: ArrayLike, kappa: ArrayLike, nu: ArrayLike, scale: ArrayLike) -> None:
        name = "NormalInverseWishart"
        given = {k: numbers(name, k, v) for k, v in {"m": m, "kappa": kappa, "nu": nu, "scale": scale}.items()}
        m_, kappa_, nu_, scale_ = given.values()
        d = m_.shape[-1] if m_.ndim else 0
        if d == 0 or scale_.shape[-2:] != (d, d):
            raise ShapeError(f"The parameters of {name}", "be a vector 'm' and a square 'scale' of its length").but(
                f"got shapes {m_.shape} and {scale_.shape}"
            )
        try:
            batch = np.broadcast_shapes(m_.shape[:-1], kappa_.shape, nu_.shape, scale_.shape[:-2])
        except ValueError:
            shapes = {k: v.shape for k, v in given.items()}
            raise ShapeError(f"The parameters of {name}", "broadcast against each other").but(f"got {shapes}") from None
        require(name, "kappa", kappa_, kappa_ >= 0, "zero or positive")
        require(name, "nu", nu_, nu_ > d - 1, f"above d − 1 = {d - 1}")
        if not positive_definite(scale_).all():
            raise PriorError(f"{name}.scale", "be symmetric and positive definite").but(
                f"got {np.array2string(scale_, threshold=9)}"
            )
        self._set(
            m=np.broadcast_to(m_, (*batch, d)),
            kappa=np.broadcast_to(kappa_, batch),
            nu=np.broadcast_to(nu_, batch),
            scale=np.broadcast_to((scale_ + np.swapaxes(scale_, -1, -2)) / 2, (*batch, d, d)),
        )

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the table of beliefs; () for a single belief."""
        return self.m.shape[:-1]

    @property
    def proper(self) -> bool:
        """Whether kappa is positive; a flat mean does not integrate to one."""
        return bool(np.all(np.asarray(self.kappa) > 0))

    def update(
        self,
        statistic: FullMoments | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> NormalInverseWishart:
        """Return the belief after vectors, or after a statistic of them.

        Parameters
        ----------
        values : array, optional
            Vectors, one per row.
        weights : array, optional
            Weight of each row of `values`; 1 by default.
        statistic : FullMoments, optional
            Statistic of the data, instead of keywords.
        """
        after = self.after(self._read(statistic, values=values, weights=weights))
        if not positive_definite(after[-1]).all():
            raise DataError("The data", "not be collinear beyond what 'scale' can outweigh in float64").but(
                "rescale or drop columns, or enlarge 'scale'"
            )
        return NormalInverseWishart(*after)

    def after(self, t: FullMoments) -> tuple[Array, Array, Array, Array]:
        """Return the updated parameters, unchecked, for callers that check the matrix themselves."""
        n, kappa = self._rows(t), np.asarray(self.kappa)
        m = weighted_mean(self.m, kappa[..., None], t.mean + t.mean_lo, n[..., None])  # NW-1
        return m, np.asarray(kappa + n), np.asarray(self.nu + n), self.scale + self._growth(t)  # NW-1

    @property
    def mean(self) -> MeanCovariance:
        """Expected mean, and expected covariance (infinite variances where ν ≤ d + 1)."""
        d, nu = self.m.shape[-1], np.asarray(self.nu)[..., None, None]
        known = nu > d + 1
        unknown = np.where(np.eye(d, dtype=bool), np.inf, np.nan)
        return MeanCovariance(self.m, np.where(known, self.scale / np.where(known, nu - d - 1, 1.0), unknown))

    @property
    def mode(self) -> MeanCovariance:
        """Most probable mean and covariance together."""
        d = self.m.shape[-1]
        return MeanCovariance(self.m, self.scale / (np.asarray(self.nu)[..., None, None] + d + 2))  # NW-5

    @property
    def var(self) -> MeanVariance:
        """Variances of the belief about each mean and about each variance."""
        self._require_proper("The variance of the mean")
        a, b = self._marginal()
        mean, known = np.where(a > 1, a, 2.0), np.where(a > 2, a, 3.0)
        of_mean = np.where(a > 1, b / (mean - 1), np.inf) / np.asarray(self.kappa)[..., None]
        return MeanVariance(of_mean, np.where(a > 2, (b / (known - 1)) ** 2 / (known - 2), np.inf))

    @property
    def cov(self) -> Array:
        """Covariance matrix of the mean vector."""
        self._require_proper("The covariance of the mean")
        return np.asarray(self.mean.covariance / np.asarray(self.kappa)[..., None, None])

    def marginal(self) -> MeanVariance:
        """Return the marginal beliefs about each coordinate's mean, a Student-t, and variance, an inverse gamma."""
        self._require_proper("A marginal")
        a, b = self._marginal()
        spread = np.sqrt(b / a / np.asarray(self.kappa)[..., None])
        return MeanVariance(StudentT(2 * a, self.m, spread), InverseGamma(a, b))

    def logpdf(self, x: Any) -> Floats:
        """Return the log-density at a pair: a mean vector, and a covariance matrix."""
        self._require_proper("A density")
        d = self.m.shape[-1]
        if isinstance(x, tuple | list) and len(x) == 2 and np.shape(x[1])[-2:] != (d, d):
            raise InputError("The covariance in the argument 'x'", f"be {d} × {d}").but(f"got shape {np.shape(x[1])}")
        mean, covariance = pair(x, self.m.shape, self.scale.shape)
        if not positive_definite(covariance).all():
            raise InputError("The covariance in the argument 'x'", "be symmetric and positive definite")
        kappa, root = np.asarray(self.kappa), np.asarray(np.linalg.cholesky(covariance), np.float64)
        volume = 2 * np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)  # ln|Σ|
        away = np.square(np.linalg.solve(root, (mean - self.m)[..., None])[..., 0]).sum(axis=-1)
        normal = -d / 2 * np.log(2 * np.pi / kappa) - volume / 2 - kappa / 2 * away
        return plain(normal - (d + 1) / 2 * volume + self._log_of_shape(root))

    def _log_of_shape(self, root: Array) -> Array:
        """Return ν/2 ln|ΛΣ⁻¹/2| − ½ tr ΛΣ⁻¹ − ln Γ_d(ν/2), where R Rᵀ = Σ; it keeps its digits where ν is large."""
        left = np.linalg.solve(root, self.scale + 0 * root)
        product = np.linalg.solve(root, np.swapaxes(left, -1, -2))
        halves = np.linalg.eigvalsh((product + np.swapaxes(product, -1, -2)) / 2) / 2
        d = halves.shape[-1]
        shape = np.asarray(self.nu)[..., None] / 2 - np.arange(d) / 2
        terms = log_gamma_density(shape, halves) + (np.arange(d) / 2 + 1) * np.log(halves)
        return np.asarray(terms.sum(axis=-1) - d * (d - 1) / 4 * np.log(np.pi))

    def sample(self, size: Size = (), rng: Rng = None) -> MeanCovariance:
        """Draw means and covariances jointly."""
        self._require_proper("A sample")
        rng, d, kappa = generator(rng), self.m.shape[-1], np.asarray(self.kappa)
        shape = (*draws(size), *self.batch_shape)
        # Bartlett: A Aᵀ is Wishart(ν, 1), so R A⁻ᵀ, with R Rᵀ = Λ, is a root of an inverse-Wishart matrix
        bartlett = np.tril(rng.standard_normal((*shape, d, d)), -1)
        spread = rng.chisquare(np.asarray(self.nu)[..., None] - np.arange(d), (*shape, d))
        bartlett[..., np.arange(d), np.arange(d)] = np.sqrt(np.maximum(spread, np.finfo(np.float64).tiny))
        with np.errstate(all="ignore"):
            inverse = np.linalg.solve(bartlett, np.broadcast_to(np.eye(d), bartlett.shape))
            root = np.linalg.cholesky(self.scale) @ np.swapaxes(inverse, -1, -2)
            steps = (root @ rng.standard_normal((*shape, d, 1)))[..., 0] / np.sqrt(kappa)[..., None]
            return MeanCovariance(self.m + steps, root @ np.swapaxes(root, -1, -2))

    @classmethod
    def simulate(cls, parameter: Any, rng: Rng = None) -> Array:
        """Draw a normal vector for each pair of a mean and a covariance."""
        mean, covariance = parameter
        values, axes = np.linalg.eigh(covariance)  # a covariance may be singular
        steps = generator(rng).standard_normal(np.shape(mean)) * np.sqrt(np.maximum(values, 0.0))
        return np.asarray(mean + np.einsum("...ij,...j->...i", axes, steps))

    def predict(self) -> MultivariateT:
        """Return the distribution of the next vector."""
        self._require_proper("A prediction")
        df, kappa = np.asarray(self.nu) - self.m.shape[-1] + 1, np.asarray(self.kappa)
        spread = (1 + 1 / kappa) / df
        return MultivariateT(self.m, self.scale * spread[..., None, None], df)  # NW-2

    def log_evidence(
        self,
        statistic: FullMoments | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Floats:
        """Return the log-density of the vectors; with a flat mean (kappa=0), of all but the first given the first."""
        t = self._read(statistic, values=values, weights=weights)
        d, rows, kappa = self.m.shape[-1], self._rows(t), np.asarray(self.kappa)
        flat = kappa == 0  # a flat mean is fixed by the first row
        require_first_row(flat, rows)
        first = np.where(flat & (rows > 0), 1.0, 0.0)  # NW-4
        nu, n = np.asarray(self.nu + first), rows - first
        gammas = np.sum(log_rising((nu[..., None] - np.arange(d)) / 2, n[..., None] / 2), axis=-1)  # NW-3
        before, ratio = _log_determinants(self.scale, self._growth(t))
        scales = -nu / 2 * ratio - n / 2 * (before + ratio)  # NW-3
        shrink = np.log(np.where(flat, np.maximum(rows, 1.0), 1 + rows / np.where(flat, 1.0, kappa)))
        return plain(gammas + scales - d / 2 * shrink - n * d / 2 * np.log(np.pi))  # NW-3

    @staticmethod
    def _rows(t: FullMoments) -> Array:
        return np.asarray(t.n[..., 0]) if t.n.ndim else t.n

    def _growth(self, t: FullMoments) -> Array:
        """Return Λ' − Λ."""
        kappa, n = np.asarray(self.kappa), self._rows(t)
        shared = (kappa * n / np.where(kappa + n > 0, kappa + n, 1.0))[..., None, None]
        away = np.where(shared[..., 0] > 0, (t.mean - self.m) + t.mean_lo, 0.0)
        with np.errstate(over="ignore"):
            return finite(t.scatter + shared * away[..., :, None] * away[..., None, :])  # NW-1

    def _marginal(self) -> tuple[Array, Array]:
        """Return shape and scale of each variance's marginal, which is inverse-gamma."""
        a = (np.asarray(self.nu)[..., None] - self.m.shape[-1] + 1) / 2
        b = np.asarray(np.diagonal(self.scale, axis1=-2, axis2=-1)) / 2
        return np.broadcast_to(a, b.shape), b


def _log_determinants(scale: Array, growth: Array) -> tuple[Array, Array]:
    """Return ln|Λ| and ln|Λ + G| − ln|Λ|, the second without cancellation."""
    root = np.linalg.cholesky(scale)
    half = np.linalg.solve(root, np.broadcast_to(growth, np.broadcast_shapes(root.shape, growth.shape)))
    inner = np.linalg.solve(root, np.swapaxes(half, -1, -2))
    ratio = np.log1p(np.maximum(np.linalg.eigvalsh(inner), 0.0)).sum(axis=-1)
    return 2 * np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1), ratio


def positive_definite(scale: Array) -> Booleans:
    """Return whether each member of a batch is symmetric and positive definite, in any units of its coordinates."""
    sizes = np.diagonal(scale, axis1=-2, axis2=-1)
    sound = (sizes > 0).all(axis=-1)
    root = np.sqrt(np.where(sizes > 0, sizes, 1.0))
    skew = np.abs(scale - np.swapaxes(scale, -1, -2)) / root[..., :, None] / root[..., None, :]
    unitless = scale / root[..., :, None] / root[..., None, :]
    least = np.linalg.eigvalsh(unitless)[..., 0]
    return np.asarray(sound & (skew.max(axis=(-1, -2)) <= 1e-10) & (least > scale.shape[-1] * np.finfo(np.float64).eps))
