"""Compute differences of log-gammas without losing digits, and read the points and probabilities of queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from suffice.errors import InputError, ShapeError
from suffice.later import digamma, gammaln, polygamma, xlogy
from suffice.stats.inputs import as_numbers
from suffice.typing import Array, Booleans, Floats

STRONG = 1e3
"""Beliefs worth more than this have densities of their own formula."""


def log_rising(x: Floats, n: Floats) -> Floats:
    """Return ln Γ(x+n) − ln Γ(x), accurately even if both are huge and nearly equal.

    At x = 1e12 each term is known only to 0.004, and so is their plain difference. For large x, Stirling's series is
    therefore subtracted term by term.

    >>> float(log_rising(1e12, 1.0) - np.log(1e12))
    0.0
    """
    large, big, small, n = _cases(x, n)
    if not large.any():
        return np.asarray(gammaln(small + n) - gammaln(small))
    stirling = (big - 0.5) * np.log1p(n / big) + n * np.log(big + n) - n + (_tail(big + n) - _tail(big))
    return np.asarray(np.where(large, stirling, gammaln(small + n) - gammaln(small)))


def digamma_rise(x: Floats, n: Floats) -> Floats:
    """Return ψ(x+n) − ψ(x) = 1/x + 1/(x+1) + … + 1/(x+n−1), accurately even if both are nearly equal.

    >>> float(digamma_rise(1e12, 1.0) * 1e12)
    1.0
    """
    large, big, small, n = _cases(x, n)
    end = big + n
    stirling = np.log1p(n / big) + n / (2 * big * end) + (_digamma_tail(end) - _digamma_tail(big))
    return np.asarray(np.where(large, stirling, digamma(small + n) - digamma(small)))


def trigamma_fall(x: Floats, n: Floats) -> Floats:
    """Return ψ1(x) − ψ1(x+n) = 1/x² + 1/(x+1)² + … + 1/(x+n−1)², accurately even if both are nearly equal.

    >>> float(trigamma_fall(1e12, 1.0) * 1e24)
    1.0
    """
    large, big, small, n = _cases(x, n)
    end = big + n
    gap = n / (big * end)
    stirling = gap * (1 + (1 / big + 1 / end) / 2) + (_trigamma_tail(big) - _trigamma_tail(end))
    return np.asarray(np.where(large, stirling, polygamma(1, small) - polygamma(1, small + n)))


def _cases(x: Floats, n: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return whether x is large; its large and its small values, each with a harmless value elsewhere; and n."""
    x, n = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(n, np.float64))
    large = x >= 16
    return large, np.where(large, x, 16.0), np.where(large, 1.0, x), n


def deviance(x: Array, m: Array) -> Array:
    """Return x ln(x/m) + m − x for x > 0, which is 0 at m, with its digits also where x and m are nearly equal.

    There, by v = (x−m)/(x+m), it is (x−m)v + 2x(v³/3 + v⁵/5 + …).

    >>> float(deviance(np.array(1e12), np.array(1e12 + 1e6)).round(9))
    0.499999667
    """
    v = (x - m) / (x + m)
    near = np.abs(v) < 0.1
    w = np.where(near, v, 0.0)
    series = sum(w ** (2 * k + 1) / (2 * k + 1) for k in range(9, 0, -1))
    with np.errstate(all="ignore"):
        return np.where(near, (x - m) * w + 2 * x * series, x * (np.log(x) - np.log(m)) + m - x)


def log_gamma_density(s: Array, x: Array) -> Array:
    """Return the log-density of Gamma(s, 1) at x ≥ 0."""
    with np.errstate(all="ignore"):
        plain = xlogy(s - 1, x) - x - gammaln(s)
        if not np.any(s > STRONG):
            return np.asarray(plain)
        large = np.maximum(s, STRONG)  # near the mode, the terms of the plain one cancel
        height = np.log(large / (2 * np.pi)) / 2 - np.log(x)
        strong = np.where((x > 0) & np.isfinite(x), height - stirling_rest(large) - deviance(large, x), -np.inf)
        return np.where(s > STRONG, strong, plain)


def stirling_rest(z: Array) -> Array:
    """Return ln Γ(z) − ((z−½) ln z − z + ½ ln 2π), for z ≥ 16."""
    return np.asarray(_tail(z))


def _tail(z: Floats) -> Floats:
    """Return ln Γ(z) − ((z−½) ln z − z + ½ ln 2π), to 1e-17 for z ≥ 16."""
    y = (1 / z) ** 2
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / z


def _digamma_tail(z: Floats) -> Floats:
    """Return ψ(z) − ln z + 1/(2z), to 1e-17 for z ≥ 16."""
    y = (1 / z) ** 2
    return -y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))


def _trigamma_tail(z: Floats) -> Floats:
    """Return ψ1(z) − 1/z − 1/(2z²), to 1e-17 for z ≥ 16."""
    y = (1 / z) ** 2
    return y / z * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - y * 5 / 66))))


def scaled(quantile: Array, scale: Array) -> Array:
    """Return a quantile of scale one times `scale`; NaN where the scale is not positive."""
    return np.where(scale > 0, quantile * scale, np.nan)


def where_known(x: Array, inside: Booleans, logs: Array) -> Array:
    """Return log-densities inside a range, minus infinity outside; NaN stays NaN."""
    return np.where(inside, logs, np.where(np.isnan(x), np.nan, -np.inf))


def points(x: ArrayLike, shape: tuple[int, ...], name: str = "x") -> Array:
    """Return numbers that broadcast against a table of this shape; NaN and infinities are allowed."""
    found = as_numbers(x, name).astype(np.float64)
    try:
        np.broadcast_shapes(found.shape, shape)
    except ValueError:
        raise ShapeError(name, f"broadcast against a table of shape {shape}").but(
            f"got shape {found.shape}", python=f"Put several values on a leading axis: {name}[:, None]."
        ) from None
    return found


def chances(p: ArrayLike, shape: tuple[int, ...] = ()) -> Array:
    """Return probabilities that broadcast against a table of this shape."""
    found = points(p, shape, "p")
    if not ((found >= 0) & (found <= 1)).all():
        bad = found[~((found >= 0) & (found <= 1))].flat[0]
        raise InputError("p", "be a probability, from 0 to 1").but(f"got {bad:g}")
    return found
