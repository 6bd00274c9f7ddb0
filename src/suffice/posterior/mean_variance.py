"""Answers about a mean and a spread together."""

from typing import Any, NamedTuple

__all__ = ["MeanCovariance", "MeanVariance"]


class MeanVariance(NamedTuple):
    """Something about the mean, and the same about the variance."""

    mean: Any
    variance: Any


class MeanCovariance(NamedTuple):
    """Something about the mean vector, and the same about the covariance matrix."""

    mean: Any
    covariance: Any
