"""Rows whose labels are noise, and classifiers that choose something: what they may lose, and what they may print.

Labels are drawn independently of the rows. So nothing can be learned, the best loss on fresh rows is that of the class
shares, and no figure that is printed as held out may be lower than chance by more than chance allows.
"""

import time
from collections.abc import Callable, Iterator
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


def flags(rng: np.random.Generator, n: int, d: int) -> Any:
    """Return flags of different frequencies."""
    return (rng.random((n, d)) < rng.beta(1, 2, d)).astype(int)


def codes(rng: np.random.Generator, n: int, d: int) -> Any:
    """Return codes of categories."""
    return rng.integers(0, 4, (n, d))


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
    "normals": normals, "numbers": numbers, "categories": categories, "counts": counts, "mixed": mixed, "texts": texts,
    "flags": flags, "codes": codes,
}  # fmt: skip


class HalfLabelled:
    """A classifier fitted by EM to rows of which every second one has a label."""

    def __init__(self, model: Any) -> None:
        self.model = sf.SemiSupervised(model)

    def fit(self, X: Any, y: Any) -> None:
        """Fit the classifier without the labels that are not `kept`."""
        self.model.fit(X, np.where(self.kept(y), y, -1))

    @staticmethod
    def kept(y: Any) -> Any:
        """Return which labels are kept: every second one, and one of each class."""
        _, first = np.unique(y, return_index=True)
        return (np.arange(len(y)) % 2 == 0) | np.isin(np.arange(len(y)), first)

    def predict_proba(self, X: Any) -> Any:
        """Return class probabilities."""
        return self.model.predict_proba(X)


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
    "SemiSupervised NaiveBayes": (lambda: HalfLabelled(sf.NaiveBayes()), ("normals", "mixed")),
    "SemiSupervised TextClassifier": (lambda: HalfLabelled(sf.TextClassifier()), ("texts",)),
    "BernoulliNB": (lambda: sf.BernoulliNB(alpha="loo", temper="loo"), ("flags",)),
    "BernoulliNB evidence": (lambda: sf.BernoulliNB(alpha="evidence", temper="loo"), ("flags",)),
    "CategoricalNB": (lambda: sf.CategoricalNB(alpha="loo", temper="loo"), ("codes",)),
    "CategoricalNB evidence": (lambda: sf.CategoricalNB(alpha="evidence", temper="loo"), ("codes",)),
    "MultinomialNB": (lambda: sf.MultinomialNB(alpha="loo", temper="loo", feature_powers="loo"), ("counts",)),
    "MultinomialNB evidence": (lambda: sf.MultinomialNB(alpha="evidence", temper="loo"), ("counts",)),
    "PoissonNB evidence": (lambda: sf.PoissonNB(alpha="evidence", temper="loo"), ("counts",)),
    "GaussianNB evidence": (
        lambda: sf.GaussianNB(estimate="predictive", prior="evidence", temper="loo"),
        ("normals",),
    ),
    "DirichletMultinomialNB": (lambda: sf.DirichletMultinomialNB(temper="loo"), ("counts",)),
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
    kept = y[model.kept(y)] if isinstance(model, HalfLabelled) else y
    count = np.bincount(kept, minlength=cell.classes)
    shares = np.log((count + 1) / (count + 1).sum())
    loss = -np.log(np.maximum(model.predict_proba(fresh)[np.arange(FRESH), truth], 1e-300))
    more = float((loss + shares[truth]).mean())
    if not held_out or isinstance(model, HalfLabelled):
        return more, np.nan, np.nan, seconds
    own = -np.log(np.maximum(model.leave_one_out(X, y)[np.arange(cell.n), y], 1e-300))
    paired = own + np.log(count[y] / cell.n)
    return more, float(paired.mean()), float(paired.std() / np.sqrt(cell.n)), seconds
