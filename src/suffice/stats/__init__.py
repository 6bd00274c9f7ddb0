"""Data → sufficient statistics: counts and moments that add and subtract, with never a prior inside."""

from suffice.stats.base import Statistic
from suffice.stats.bursts import Bursts
from suffice.stats.counts import (
    BinaryCounts,
    CategoryCounts,
    ClassCounts,
    Extremes,
    PoissonSums,
    RateCounts,
    TokenCounts,
    WaitingTimes,
)
from suffice.stats.journal import Journal
from suffice.stats.moments import DiagonalMoments, FullMoments
from suffice.stats.value_counts import JointCounts, ValueCounts

__all__ = [
    "BinaryCounts",
    "Bursts",
    "CategoryCounts",
    "ClassCounts",
    "DiagonalMoments",
    "Extremes",
    "FullMoments",
    "JointCounts",
    "Journal",
    "PoissonSums",
    "RateCounts",
    "Statistic",
    "TokenCounts",
    "ValueCounts",
    "WaitingTimes",
]
