"""Clusters beside scikit-learn's GaussianMixture: adjusted Rand index by seeds, the number of clusters, and time.

Both have the same covariance and number of components and are otherwise as they are by default. Four data sets of
scikit-learn and ten that are drawn here. Times are of columns of one spread, where both begin with the same k-means,
of one start and of four, our default; best of several runs, in turn. Tables for docs/unlabelled.md. --quick has two
seeds; --times, --numbers, --agreement make one table alone.
"""

import sys
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from side_by_side import ROOT, in_turn, keep, markdown, put
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_blobs
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

import suffice as sf

PAGE = ROOT / "docs" / "unlabelled.md"
COVARIANCES = {"full": "full", "diagonal": "diag"}
FAR = (
    "3 blobs",
    "4 blobs, 10 columns",
    "sizes",
    "spreads",
    "turned",
    "own shapes",
    "few rows",
    "units",
    "iris",
    "wine",
)
"""Sets whose clusters are far apart, so that a criterion must find more than one."""


def sets() -> Iterator[tuple[str, Any, Any]]:
    """Yield names, rows and classes."""
    yield "iris", *load_iris(return_X_y=True)
    yield "wine", *load_wine(return_X_y=True)
    yield "breast cancer", *load_breast_cancer(return_X_y=True)
    X, y = load_digits(return_X_y=True)
    yield "digits, 8 dimensions", PCA(8, random_state=0).fit_transform(X), y
    yield "3 blobs", *make_blobs(300, centers=3, n_features=2, random_state=1)
    yield "5 blobs", *make_blobs(500, centers=5, n_features=2, random_state=2)
    yield "4 blobs, 10 columns", *make_blobs(400, centers=4, n_features=10, cluster_std=3.0, random_state=3)
    yield "8 blobs, 5 columns", *make_blobs(800, centers=8, n_features=5, cluster_std=2.0, random_state=4)
    centres = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]])
    yield "sizes", *make_blobs([500, 100, 50], centers=centres, random_state=5)
    yield "spreads", *make_blobs(600, cluster_std=[1.0, 2.5, 0.5], random_state=170)
    X, y = make_blobs(600, random_state=170)
    yield "turned", X @ [[0.6, -0.6], [-0.4, 0.8]], y
    rng, rows = np.random.default_rng(8), (150, 200, 250)
    parts = [rng.normal(size=(n, 5)) @ rng.normal(size=(5, 5)) + rng.normal(0, 4, 5) for n in rows]
    yield "own shapes", np.concatenate(parts), np.repeat(np.arange(3), rows)
    yield "few rows", *make_blobs(60, centers=3, n_features=4, cluster_std=1.5, random_state=9)
    X, y = make_blobs(400, centers=4, n_features=20, cluster_std=4.0, random_state=10)
    yield "units", X * np.geomspace(0.01, 100, 20), y


def ours(covariance: Any, k: Any, **options: Any) -> Any:
    return sf.Mixture(sf.GaussianDiscriminant(covariance), k, **options)


def theirs(covariance: str, k: int, **options: Any) -> Any:
    return GaussianMixture(k, covariance_type=COVARIANCES[covariance], **options)


def rand_index(model: Any, X: Any, y: Any) -> float:
    return float(adjusted_rand_score(y, model.fit_predict(X)))


def agreement(seeds: int) -> tuple[str, dict[str, Any]]:
    """Return the table of adjusted Rand indices."""
    rows: list[list[str]] = []
    figures: dict[str, Any] = {}
    for name, X, y in sets():
        k = len(np.unique(y))
        line = [name, f"{len(X):,} × {X.shape[1]}", str(k)]
        for covariance in COVARIANCES:
            mine, peer = (
                float(np.mean([rand_index(make(covariance, k, random_state=seed), X, y) for seed in range(seeds)]))
                for make in (ours, theirs)
            )
            line += [f"{mine:.3f}", f"{peer:.3f}"]
            figures[f"{name}, {covariance}"] = {"ours": mine, "scikit-learn": peer}
            print(
                f"{name}: Mixture(GaussianDiscriminant({covariance!r}), {k}) {mine:.3f}, GaussianMixture({k}, "
                f"covariance_type={COVARIANCES[covariance]!r}) {peer:.3f}, difference {mine - peer:+.3f}",
                flush=True,
            )
        rows.append(line)
    head = ["rows", "shape", "clusters", "full", "scikit-learn", "diagonal", "scikit-learn"]
    return markdown(head, rows), figures


def numbers() -> tuple[str, dict[str, Any]]:
    """Return how many clusters each criterion finds."""
    rows: list[list[str]] = []
    figures: dict[str, Any] = {}
    for name, X, y in sets():
        if name not in FAR:
            continue
        line = [name, str(len(np.unique(y)))]
        for covariance in COVARIANCES:
            for choice in ("bic", "evidence"):
                found = ours(covariance, choice, max_components=6, n_init=2, random_state=0).fit(X).n_components_
                line.append(str(found))
                figures[f"{name}, {covariance}, {choice}"] = found
        print("n_components by bic, evidence, full then diagonal:", *line, flush=True)
        rows.append(line)
    head = ["rows", "classes", "full, bic", "full, evidence", "diagonal, bic", "diagonal, evidence"]
    return markdown(head, rows), figures


def times(repeats: int) -> tuple[str, dict[str, Any]]:
    """Return seconds of a default fit with a full covariance."""
    rows: list[list[str]] = []
    figures: dict[str, Any] = {}
    rng = np.random.default_rng(0)
    large = rng.normal(size=(20_000, 10)) + 2 * rng.normal(size=(6, 10))[rng.integers(0, 6, 20_000)]
    chosen = ("iris", "wine", "breast cancer", "digits, 8 dimensions", "8 blobs, 5 columns")
    for name, X, k in [*((n, X, len(np.unique(y))) for n, X, y in sets() if n in chosen), ("drawn", large, 6)]:
        line = [name, f"{len(X):,} × {X.shape[1]}", str(k)]
        data = (X - X.mean(axis=0)) / X.std(axis=0)
        for starts in (1, 4):
            options = {"n_init": starts, "random_state": 0}
            jobs = {
                "ours": partial(ours("full", k, **options).fit, data),
                "scikit-learn": partial(theirs("full", k, **options).fit, data),
            }
            found = in_turn(jobs, repeats)
            ratio = found["ours"] / found["scikit-learn"]
            line += [f"{1e3 * found['ours']:.0f} ms", f"{1e3 * found['scikit-learn']:.0f} ms"]
            line.append(f"{ratio:.1f}")
            figures[f"{name}, {starts}"] = found
            print(
                f"{name}: Mixture(GaussianDiscriminant('full'), {k}, n_init={starts}) {line[-3]}, GaussianMixture({k}, "
                f"n_init={starts}) {line[-2]}, ratio {line[-1]}",
                flush=True,
            )
        rows.append(line)
    head = ["rows", "shape", "clusters", "one start", "scikit-learn", "ratio", "four starts", "scikit-learn", "ratio"]
    return markdown(head, rows), figures


def main() -> None:
    warnings.simplefilter("ignore")
    quick = "--quick" in sys.argv
    parts: dict[str, Any] = {
        "times": partial(times, 3 if quick else 7),
        "numbers": numbers,
        "agreement": partial(agreement, 2 if quick else 10),
    }
    chosen = [name for name in parts if f"--{name}" in sys.argv] or list(parts)
    found = {name: parts[name]() for name in chosen}
    print(*(table for table, _ in found.values()), sep="\n\n")
    if quick or len(chosen) < len(parts):
        return
    keep("mixtures", {name: figures for name, (_, figures) in found.items()})
    tables = [
        "Adjusted Rand index of the clusters with the true classes, mean of ten seeds:",
        found["agreement"][0],
        "Number of clusters that each criterion finds, of six at most (a diagonal covariance needs several "
        "clusters for one that is rotated):",
        found["numbers"][0],
        "Time of a fit with a full covariance, from the same starts (four by default):",
        found["times"][0],
    ]
    put(PAGE, "mixtures", "\n\n".join(tables))


if __name__ == "__main__":
    main()
