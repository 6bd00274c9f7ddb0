"""The kernels again, in plain numpy: slow, obvious, and with 18 digits where the processor has them."""

from typing import Any

import numpy as np
from scipy.special import gammaln

Wide = Any  # arrays of longdouble


def shares(labels: Any, weights: Any, rows: int, classes: int) -> Wide:
    """Return every row's weight in every class."""
    labels = np.asarray(labels)
    soft = labels if labels.ndim == 2 else np.eye(classes)[labels].reshape(rows, classes)
    ones = np.ones(rows) if weights is None else np.asarray(weights)
    return soft.astype(np.longdouble) * ones.astype(np.longdouble)[:, None]


def sums(X: Any, share: Wide) -> Wide:
    return share.T @ X.astype(np.longdouble)


def log_factorials(X: Any, share: Wide) -> Wide:
    return share.T @ gammaln(X.astype(np.float64) + 1).astype(np.longdouble)


def largest(X: Any, share: Wide) -> Wide:
    seen = np.where(share.T[:, :, None] > 0, X.astype(np.longdouble)[None], 0)
    return np.asarray(seen.max(axis=1, initial=0))


def categories(X: Any, share: Wide, sizes: list[int]) -> Wide:
    one_hot = [np.eye(size)[X[:, j].astype(int)].reshape(len(X), size) for j, size in enumerate(sizes)]
    return share.T @ np.concatenate(one_hot, axis=1).astype(np.longdouble)


def moments(X: Any, share: Wide) -> tuple[Wide, Wide, Wide]:
    """Return weight, mean and scatter matrix of each class."""
    n, X = share.sum(axis=0), X.astype(np.longdouble)
    safe = np.where(n > 0, n, 1)[:, None]
    mean = share.T @ X / safe
    away = X[None] - mean[:, None]
    mean = mean + (share.T[:, :, None] * away).sum(axis=1) / safe
    away = X[None] - mean[:, None]
    return n, mean, np.einsum("ci,cij,cik->cjk", share.T, away, away)
