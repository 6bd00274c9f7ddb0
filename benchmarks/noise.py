"""Fit classifiers to labels that are noise, and print how far their loss is above that of the class shares.

    python benchmarks/noise.py [--seeds 5] [--only NAME] [--most ROWS] [--jobs 16]

Labels are drawn independently of the rows. So nothing can be learned, the best loss on fresh rows is that of the class
shares, and no figure that is printed as held out may be lower than chance by more than chance allows.

fresh       log loss on 2,000 fresh rows, minus that of the training shares (one pseudo-count per class)
held out    log loss of leave_one_out, minus that of the shares of the other rows, and its paired standard error
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

import suffice as sf

FRESH = 2000


@dataclass(frozen=True)
class Cell:
    """Rows whose labels are noise: what they hold, how many there are, of how many columns and classes."""

    kind: str
    n: int
    d: int
    classes: int

    def draw(self, rng: np.random.Generator, n: int) -> Any:
        """Return n rows."""
        return KINDS[self.kind](rng, n, self.d)

    def labels(self, rng: np.random.Generator) -> Any:
        """Return labels of training rows, at least two of each class, in shares that differ."""
        shares = self.shares
        codes = np.concatenate(
            [np.arange(self.classes).repeat(2), rng.choice(self.classes, self.n - 2 * self.classes, p=shares)]
        )
        return rng.permutation(codes)

    @property
    def size(self) -> int:
        """Return the number of scores of columns."""
        return self.n * self.d * self.classes

    @property
    def shares(self) -> Any:
        """Return the probabilities of classes."""
        weights = 1.0 + np.arange(self.classes) % 3
        return weights / weights.sum()


def normals(rng: np.random.Generator, n: int, d: int) -> Any:
    """Return correlated numbers."""
    return rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((n, 1))


def numbers(rng: np.random.Generator, n: int, d: int) -> Any:
    """Return correlated numbers, some of them skewed."""
    X = normals(rng, n, d)
    X[:, ::3] = np.exp(X[:, ::3])
    return X


def categories(rng: np.random.Generator, n: int, d: int) -> Any:
    """Return columns of words, some with many values."""
    return {f"c{j}": np.array([f"v{k}" for k in rng.integers(0, 2 + 5 * (j % 4), n)]) for j in range(d)}


def counts(rng: np.random.Generator, n: int, d: int) -> Any:
    """Return counts of events."""
    return rng.poisson(rng.gamma(1.0, 3.0, (n, 1)), (n, d))


def mixed(rng: np.random.Generator, n: int, d: int) -> Any:
    """Return a table of numbers, words and counts, with gaps."""
    columns: dict[str, Any] = {}
    X, C, K = numbers(rng, n, d), categories(rng, n, d), counts(rng, n, d)
    for j in range(d):
        gap = rng.random(n) < 0.1
        which = j % 3
        values = X[:, j].tolist() if which == 0 else C[f"c{j}"].tolist() if which == 1 else K[:, j].tolist()
        columns[f"x{j}"] = [None if g else v for v, g in zip(values, gap.tolist(), strict=True)]
    return columns


def texts(rng: np.random.Generator, n: int, d: int) -> Any:
    """Return texts of 5 to 40 words from a vocabulary of d·100 words in Zipf's proportions."""
    words = d * 100
    p = 1 / np.arange(1, words + 1)
    drawn = rng.choice(words, (n, 40), p=p / p.sum())
    return [
        " ".join(f"w{k}" for k in row[:m])
        for row, m in zip(drawn.tolist(), rng.integers(5, 41, n).tolist(), strict=True)
    ]


KINDS: dict[str, Callable[[np.random.Generator, int, int], Any]] = {
    "normals": normals,
    "numbers": numbers, "categories": categories, "counts": counts, "mixed": mixed, "texts": texts,
}  # fmt: skip

TABLES = ("normals", "numbers", "categories", "counts", "mixed")
MODELS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "NaiveBayes": (sf.NaiveBayes, TABLES),
    "GaussianDiscriminant": (sf.GaussianDiscriminant, ("normals",)),
    "GaussianDiscriminant shared": (lambda: sf.GaussianDiscriminant("shared"), ("normals",)),
    "GaussianDiscriminant diagonal": (lambda: sf.GaussianDiscriminant("diagonal"), ("normals",)),
    "GaussianDiscriminant loo": (lambda: sf.GaussianDiscriminant(prior="loo"), ("normals",)),
    "TextClassifier": (sf.TextClassifier, ("texts",)),
    "TextClassifier fast": (lambda: sf.TextClassifier(effort="fast"), ("texts",)),
    "TextClassifier bernoulli": (lambda: sf.TextClassifier("bernoulli"), ("texts",)),
    "TextClassifier complement": (lambda: sf.TextClassifier("complement"), ("texts",)),
    "TextClassifier urns": (lambda: sf.TextClassifier("dirichlet_multinomial"), ("texts",)),
}


def cells(kind: str) -> Iterator[Cell]:
    """Yield cells of a kind."""
    for n in (30, 100, 300, 1000, 3000):
        for d in (5, 50) if kind == "texts" else (1, 5, 30, 200):
            for classes in (2, 5, 20):
                if n >= 2 * classes:
                    yield Cell(kind, n, d, classes)


def above_shares(model: Any, cell: Cell, seed: int, held_out: bool = True) -> tuple[float, float, float, float]:
    """Return how far fresh and held-out losses are above those of shares, the latter's standard error, and seconds."""
    rng = np.random.default_rng(seed)
    X, y = cell.draw(rng, cell.n), cell.labels(rng)
    fresh, truth = cell.draw(rng, FRESH), rng.choice(cell.classes, FRESH, p=cell.shares)
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    count = np.bincount(y, minlength=cell.classes)
    shares = np.log((count + 1) / (count + 1).sum())
    loss = -np.log(np.maximum(model.predict_proba(fresh)[np.arange(FRESH), truth], 1e-300))
    more = float((loss + shares[truth]).mean())
    if not held_out:
        return more, np.nan, np.nan, seconds
    own = -np.log(np.maximum(model.leave_one_out(X, y)[np.arange(cell.n), y], 1e-300))
    paired = own + np.log(count[y] / cell.n)
    return more, float(paired.mean()), float(paired.std() / np.sqrt(cell.n)), seconds


def measured(task: tuple[str, Cell, int, bool]) -> tuple[float, float, float, float]:
    """Return the figures of one fit."""
    warnings.simplefilter("ignore")
    name, cell, seed, held_out = task
    return above_shares(MODELS[name][0](), cell, seed, held_out)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="name of a model")
    parser.add_argument("--kind", default="", help="kind of rows")
    parser.add_argument("--least", type=int, default=0, help="smallest number of rows")
    parser.add_argument("--most", type=int, default=1000, help="largest number of rows")
    parser.add_argument("--numbers", type=float, default=4e6, help="largest number of rows x columns x classes")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--fresh-only", action="store_true")
    args = parser.parse_args()
    for name, (_, kinds) in MODELS.items():
        every = [cell for kind in kinds if args.kind in ("", kind) for cell in cells(kind)]
        some = [cell for cell in every if args.least <= cell.n <= args.most and cell.size <= args.numbers]
        if some and args.only in ("", name):
            report(name, some, args)


def report(name: str, some: list[Cell], args: argparse.Namespace) -> None:
    """Print the figures of a model, cell by cell, and their means."""
    tasks = [(name, cell, seed, not args.fresh_only) for cell in some for seed in range(args.seeds)]
    with ProcessPoolExecutor(args.jobs) as pool:
        got = np.array([*pool.map(measured, tasks)]).reshape(len(some), args.seeds, 4)
    for cell, (fresh, own, error, seconds) in zip(some, got.transpose(0, 2, 1), strict=True):
        print(
            f"{name:30} {cell.kind:10} n {cell.n:5} d {cell.d:4} classes {cell.classes:3}   fresh {fresh.mean():+.3f}   "
            f"held out {own.mean():+.3f} ± {error.mean():.3f}, {(own < -2 * error).sum()} too low   {seconds.mean():.2f} s"
        )
    large, means = np.array([cell.n >= 100 for cell in some]), got[:, :, 0].mean(axis=1)
    for which, what in ((large, "n >= 100"), (~large, "n < 100")):
        if which.any():
            print(f"== {name}: fresh {means[which].mean():+.4f} in the mean, {means[which].max():+.3f} at most, {what}")
    low = int((got[:, :, 1] < -2 * got[:, :, 2]).sum())
    print(f"== {name}: held out too low in {low} of {got[:, :, 0].size}", flush=True)


if __name__ == "__main__":
    main()
