"""A real vector of length d: multivariate normal likelihood, normal-inverse-Wishart prior.

x | μ, Σ ~ Normal(μ, Σ)      μ | Σ ~ Normal(m, Σ/κ)      Σ ~ InverseWishart(ν, Λ)
statistic: n, x̄, scatter matrix S

NW-1  posterior         κ' = κ+n, ν' = ν+n, m' = (κm + n x̄)/κ', Λ' = Λ + S + κn/κ'·(x̄−m)(x̄−m)ᵀ
NW-2  one more vector   Student-t, ν−d+1 degrees of freedom, location m, scale Λ(κ+1)/(κ(ν−d+1))
NW-3  log evidence      −(nd/2) ln π + ln Γ_d(ν'/2) − ln Γ_d(ν/2) + (ν/2) ln|Λ| − (ν'/2) ln|Λ'| + (d/2)(ln κ − ln κ')
NW-4  flat mean, κ = 0  the same given the first row: ν+1 for ν, n−1 for n, Λ+S for Λ', −(d/2) ln n for κ's part
NW-5  joint mode        m and Λ/(ν + d + 2)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from suffice.errors import PriorError, ShapeError
from suffice.posterior.base import Conjugate, keywords, numbers, plain, require, tails
from suffice.posterior.mean_variance import MeanCovariance, MeanVariance
from suffice.posterior.predictive import MultivariateT, draw_each
from suffice.posterior.special import log_rising
from suffice.stats import FullMoments
from suffice.typing import Array, Floats, Rng, Size

__all__ = ["NormalInverseWishart"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class NormalInverseWishart(Conjugate[FullMoments]):
    """Belief about the mean vector and the covariance matrix of real vectors.

    Parameters
    ----------
    m : array, coordinates on the last axis
        Guess of the mean.
    kappa : float or array
        How many vectors that guess is worth; ``kappa=0`` is a flat mean.
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
            raise ShapeError(
                f"The parameters of {name} must be a vector 'm' and a square 'scale' of its length; "
                f"got shapes {m_.shape} and {scale_.shape}."
            )
        try:
            batch = np.broadcast_shapes(m_.shape[:-1], kappa_.shape, nu_.shape, scale_.shape[:-2])
        except ValueError:
            shapes = {k: v.shape for k, v in given.items()}
            raise ShapeError(f"The parameters of {name} must broadcast against each other; got {shapes}.") from None
        require(name, "kappa", kappa_, kappa_ >= 0, "zero or positive")
        require(name, "nu", nu_, nu_ > d - 1, f"above d − 1 = {d - 1}")
        _require_positive_definite(scale_)
        self._set(
            m=np.broadcast_to(m_, (*batch, d)),
            kappa=np.broadcast_to(kappa_, batch),
            nu=np.broadcast_to(nu_, batch),
            scale=np.broadcast_to(scale_, (*batch, d, d)),
        )

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the table of beliefs; () for one."""
        return self.m.shape[:-1]

    @property
    def proper(self) -> bool:
        """Whether kappa is positive: a flat mean does not integrate to one."""
        return bool(np.all(np.asarray(self.kappa) > 0))

    @keywords
    def update(
        self,
        statistic: FullMoments | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> "NormalInverseWishart":
        """Learn from vectors, one per row, or from a statistic."""
        t = self._read(statistic, values=values, weights=weights)
        n = self._rows(t)
        kappa = self.kappa + n
        part = (n / np.where(kappa > 0, kappa, 1.0))[..., None]
        m = self.m + part * self._distance(t)  # NW-1
        return NormalInverseWishart(m, kappa, self.nu + n, self.scale + self._growth(t))  # NW-1

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
        """How uncertain each mean and each variance is: the variance of each."""
        self._require_proper("The variance of the mean")
        a, b = self._marginal()
        expected = np.where(a > 1, b / np.where(a > 1, a - 1, 1.0), np.inf)
        return MeanVariance(expected / np.asarray(self.kappa)[..., None], stats.invgamma.var(a, scale=b))

    @property
    def cov(self) -> Array:
        """Covariance matrix of the mean vector."""
        self._require_proper("The covariance of the mean")
        return np.asarray(self.mean.covariance / np.asarray(self.kappa)[..., None, None])

    def interval(self, level: float = 0.95) -> MeanVariance:
        """Equal-tailed bounds of each coordinate's mean and variance."""
        self._require_proper("An interval of the mean")
        a, b = self._marginal()
        kappa = np.asarray(self.kappa)[..., None]
        mean, variance = stats.t(2 * a, self.m, np.sqrt(b / (a * kappa))), stats.invgamma(a, scale=b)
        ends = tails(level)
        return MeanVariance(tuple(mean.ppf(end) for end in ends), tuple(variance.ppf(end) for end in ends))

    def sample(self, rng: Rng = None, size: Size = ()) -> MeanCovariance:
        """Draws of the mean and the covariance together."""
        self._require_proper("A sample")
        d, nu, kappa = self.m.shape[-1], np.asarray(self.nu), np.asarray(self.kappa)
        rng = np.random.default_rng(rng)

        def draw(place: tuple[int, ...], rng: np.random.Generator, count: int) -> Array:
            wishart = stats.invwishart(float(nu[place]), self.scale[place])
            return np.asarray(wishart.rvs(count, random_state=rng)).reshape(count, d, d)

        covariance = draw_each(draw, self.batch_shape, (d, d), rng, size)
        noise = rng.standard_normal(covariance.shape[:-1])[..., None]
        steps = (np.linalg.cholesky(covariance / kappa[..., None, None]) @ noise)[..., 0]
        return MeanCovariance(self.m + steps, covariance)

    def predict(self) -> MultivariateT:
        """Distribution of the next vector."""
        self._require_proper("A prediction")
        df, kappa = np.asarray(self.nu) - self.m.shape[-1] + 1, np.asarray(self.kappa)
        spread = (kappa + 1) / (kappa * df)
        return MultivariateT(self.m, self.scale * spread[..., None, None], df)  # NW-2

    @keywords
    def log_evidence(
        self,
        statistic: FullMoments | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Floats:
        """Log-density of the vectors; with a flat mean (kappa=0), of all but the first given the first."""
        t = self._read(statistic, values=values, weights=weights)
        d, rows, kappa = self.m.shape[-1], self._rows(t), np.asarray(self.kappa)
        flat = kappa == 0  # a flat mean spends the first row
        first = np.where(flat & (rows > 0), 1.0, 0.0)  # NW-4
        nu, n = np.asarray(self.nu + first), rows - first
        gammas = np.sum(log_rising((nu[..., None] - np.arange(d)) / 2, n[..., None] / 2), axis=-1)
        before, ratio = _log_determinants(self.scale, self._growth(t))
        scales = -nu / 2 * ratio - n / 2 * (before + ratio)  # (ν/2) ln|Λ| − (ν'/2) ln|Λ'|
        shrink = np.log(np.where(flat, np.maximum(rows, 1.0), 1 + rows / np.where(flat, 1.0, kappa)))
        return plain(gammas + scales - d / 2 * shrink - n * d / 2 * np.log(np.pi))  # NW-3

    @staticmethod
    def _rows(t: FullMoments) -> Array:
        return np.asarray(t.n[..., 0]) if t.n.ndim else t.n

    def _distance(self, t: FullMoments) -> Array:
        return np.asarray((t.mean - self.m) + t.mean_lo)

    def _growth(self, t: FullMoments) -> Array:
        """Λ' − Λ."""
        kappa, n, away = np.asarray(self.kappa), self._rows(t), self._distance(t)
        shared = (kappa * n / np.where(kappa + n > 0, kappa + n, 1.0))[..., None, None]
        return np.asarray(t.scatter + shared * away[..., :, None] * away[..., None, :])  # NW-1

    def _marginal(self) -> tuple[Array, Array]:
        """Each variance by itself is inverse-gamma: its shape and scale."""
        a = (np.asarray(self.nu)[..., None] - self.m.shape[-1] + 1) / 2
        b = np.asarray(np.diagonal(self.scale, axis1=-2, axis2=-1)) / 2
        return np.broadcast_to(a, b.shape), b


def _log_determinants(scale: Array, growth: Array) -> tuple[Array, Array]:
    """ln|Λ| and ln|Λ + G| − ln|Λ|, the second without cancellation."""
    root = np.linalg.cholesky(scale)
    half = np.linalg.solve(root, np.broadcast_to(growth, np.broadcast_shapes(root.shape, growth.shape)))
    inner = np.linalg.solve(root, np.swapaxes(half, -1, -2))
    ratio = np.log1p(np.maximum(np.linalg.eigvalsh(inner), 0.0)).sum(axis=-1)
    return 2 * np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1), ratio


def _require_positive_definite(scale: Array) -> None:
    skew = np.abs(scale - np.swapaxes(scale, -1, -2)).max(initial=0.0)
    try:
        np.linalg.cholesky(scale)
        definite = bool(skew <= 1e-10 * np.abs(scale).max(initial=0.0))
    except np.linalg.LinAlgError:
        definite = False
    if not definite:
        raise PriorError(
            "The parameter 'scale' of NormalInverseWishart must be symmetric and positive definite; "
            f"got {np.array2string(scale, threshold=9)}."
        )
