"""Differences of log-gammas that keep their digits."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from suffice.typing import Floats

__all__ = ["log_rising"]


def log_rising(x: Floats, n: Floats) -> Floats:
    """ln Γ(x+n) − ln Γ(x), also where both are huge and nearly equal.

    At x = 1e12 each term is known to 0.004, and so is their plain difference. There, Stirling's series is subtracted
    term by term instead.

    >>> float(log_rising(1e12, 1.0) - np.log(1e12))
    0.0
    """
    x, n = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(n, np.float64))
    large = x >= 16
    big = np.where(large, x, 16.0)
    stirling = (big - 0.5) * np.log1p(n / big) + n * np.log(big + n) - n + (_tail(big + n) - _tail(big))
    small = np.where(large, 1.0, x)
    return np.asarray(np.where(large, stirling, gammaln(small + n) - gammaln(small)))


def _tail(z: Floats) -> Floats:
    """ln Γ(z) − ((z−½) ln z − z + ½ ln 2π), to 1e-17 for z ≥ 16."""
    y = (1 / z) ** 2
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / z
