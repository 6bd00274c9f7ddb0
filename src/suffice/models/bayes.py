"""Bayes' rule, the only place where it is written.

joint      ln p(x, c) = ln p(c) + ln p(x | c)
NB-10      ln p(c | x) = joint_c − ln Σ e^joint, the sum taken about its largest term
NB-12      a row that no class can have made keeps the class prior, and the user is told
"""

from __future__ import annotations

import warnings

import numpy as np

from suffice.typing import Array, Integers

__all__ = ["ImpossibleSampleWarning", "decide", "log_posterior"]


class ImpossibleSampleWarning(UserWarning):
    """A row has probability zero under every class."""


def log_posterior(joint: Array, log_prior: Array) -> Array:
    """ln p(c | x) for rows of joint log-probabilities."""
    joint = possible(joint, log_prior)
    largest = joint.max(axis=1, keepdims=True)
    return np.asarray(joint - (largest + np.log(np.exp(joint - largest).sum(axis=1, keepdims=True))))  # NB-10


def decide(joint: Array, log_prior: Array) -> Integers:
    """The most probable class of each row."""
    return np.asarray(possible(joint, log_prior).argmax(axis=1), np.int64)


def possible(joint: Array, log_prior: Array) -> Array:
    """The joint, with the class prior in rows that no class can have made."""
    impossible = np.asarray(np.isneginf(joint).all(axis=1))
    if not impossible.any():
        return joint
    warnings.warn(
        f"{int(impossible.sum())} of {len(joint)} rows have probability zero in every class and get the class prior. "
        "A larger alpha, or estimate='mean', leaves nothing impossible.",
        ImpossibleSampleWarning,
        stacklevel=4,
    )
    return np.where(impossible[:, None], log_prior, joint)  # NB-12
