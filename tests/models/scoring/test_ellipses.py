"""Roots of covariances, whatever the units of their coordinates."""

import numpy as np

from suffice.models.scoring.ellipses import roots_of


def test_roots_and_volumes() -> None:
    rng = np.random.default_rng(0)
    root = rng.normal(size=(2, 4, 4)) * np.array([1e-6, 1.0, 1e6, 1.0])[:, None]
    scale = root @ np.swapaxes(root, 1, 2)
    found, volume = roots_of(scale)
    np.testing.assert_allclose(
        np.einsum("cij,cik,ckl->cjl", found, scale, found), np.broadcast_to(np.eye(4), (2, 4, 4)), atol=1e-7
    )
    np.testing.assert_allclose(volume, np.linalg.slogdet(scale)[1])
