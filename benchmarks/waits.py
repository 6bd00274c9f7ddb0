"""What a user waits for beside counting: wide tables, many classes, Adult as it comes. `make bench`.

Tables of normal numbers are made here: each class has means of its own. Beside `NaiveBayes`, which chooses kinds of
columns, columns that act together and weights, stand scikit-learn's gradient boosting, which chooses as much, and
GaussianNB, which chooses nothing. Texts of many classes are lines of the declaration of human rights, where it is at
hand, and texts made here, a class each.
"""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from chosen import languages
from corpora import frame
from side_by_side import PAGE, in_turn, keep, machine, markdown, put
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from usual import Usual, readable

import suffice as sf

WIDE = (360, 90, 15), (443, 279, 13), (1_080, 856, 9), (1_000, 2_000, 2), (4, 20_000, 2)
"""Rows, columns and classes."""

MANY = 20_000
"""Classes of texts, each of one text."""

PEER_CELLS = 2**28
"""Classes × words up to which scikit-learn, whose tables are dense, is measured."""

BOOSTED = 300
"""Columns up to which gradient boosting is measured."""


def normals(rows: int, columns: int, classes: int) -> tuple[Any, Any]:
    """Return numbers whose means differ from class to class."""
    rng = np.random.default_rng(0)
    y = np.arange(rows) % classes
    return rng.normal(size=(rows, columns)) + rng.normal(0, 0.5, (classes, columns))[y], y


def called(model: Any) -> str:
    """Return how a model is made."""
    start = "sf." if type(model).__module__.startswith("suffice") else ""
    return f"`{start}{' '.join(repr(clone(model)).split())}`"


def line(what: str, ours: Any, peers: dict[str, Any], run: Callable[[Any], object], repeats: int) -> list[str]:
    """Time a model and its peers in turn."""
    times = in_turn({"ours": partial(run, ours), **{name: partial(run, one) for name, one in peers.items()}}, repeats)
    beside = [f"{name} {seconds(times[name])}, {times[name] / times['ours']:.2g}×" for name in peers]
    found = [what, called(ours), seconds(times["ours"]), "; ".join(beside) or "–"]
    print("  ".join(found), flush=True)
    return found


def fit(model: Any, X: Any, y: Any) -> object:
    return model.fit(X, y)


def predict(model: Any, X: Any) -> object:
    return model.predict(X)


def seconds(time: float) -> str:
    return f"{time * 1e3:.0f} ms" if time < 1 else f"{time:.1f} s"


def of_tables(repeats: int, most: int) -> list[list[str]]:
    rows = []
    for shape in [one for one in WIDE if one[0] * one[1] <= most]:
        X, y = normals(*shape)
        what = f"{shape[0]:,} × {shape[1]:,} numbers, {shape[2]} classes"
        peers: dict[str, Any] = {"GaussianNB()": GaussianNB()}
        if shape[0] > 10 and shape[1] <= BOOSTED:
            peers["HistGradientBoostingClassifier()"] = HistGradientBoostingClassifier()
        for ours in (sf.NaiveBayes(joint=None), sf.NaiveBayes()):
            rows.append(line(f"fit, {what}", ours, peers, partial(fit, X=X, y=y), repeats))
            peers = {}
        rows.append(line(f"predict, {what}", ours, {}, partial(predict, X=X), repeats))
    adult = frame("adult", "train")
    if adult is not None:
        X, y = adult
        for ours in (sf.NaiveBayes(joint=None), sf.NaiveBayes()):
            peers = {"encoders + CategoricalNB and GaussianNB": Usual(readable(X))}
            rows.append(line("fit, Adult, 32,561 × 14", ours, peers, lambda model: model.fit(readable(X), y), repeats))
    return rows


def of_texts(repeats: int, classes: int) -> list[list[str]]:
    rows = []
    peer = make_pipeline(CountVectorizer(), MultinomialNB())
    found = languages()
    if found is not None:
        X, y = found
        what = f"{len(set(y))} languages, {len(X):,} lines"
        for ours in (sf.TextClassifier(), sf.TextClassifier(effort="fast")):
            rows.append(line(f"fit, {what}", ours, {called(peer): peer}, lambda model: model.fit(X, y), repeats))
            rows.append(line(f"predict, {what}", ours, {called(peer): peer}, lambda model: model.predict(X), repeats))
    texts = [f"w{i} w{i // 7} w{i % 100} common words here" for i in range(classes)]
    labels, ours = np.arange(classes), sf.TextClassifier(effort="fast")
    small = classes * (classes + classes // 7) <= PEER_CELLS
    peers = {called(peer): peer} if small else {}
    rows.append(line(f"fit, {classes:,} classes", ours, peers, lambda model: model.fit(texts, labels), repeats))
    rows.append(line(f"predict, {classes:,} classes", ours, peers, lambda model: model.predict(texts), repeats))
    return rows


def main() -> None:
    small = "--quick" in sys.argv
    rows = of_tables(1 if small else 3, 2**17 if small else 2**62) + of_texts(1 if small else 2, 500 if small else MANY)
    if small:
        return
    keep("waits", {"rows": rows})
    put(PAGE, "waits", f"{markdown(['what', 'call', 'suffice', 'peers, in the same run'], rows)}\n\n{machine()}.")


if __name__ == "__main__":
    main()
