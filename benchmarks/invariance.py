"""How much probabilities of new rows move where nothing has changed but names, units, order or containers.

Two thirds of the rows train. Each change is made to training and test rows alike, and probabilities of the test rows
are compared, class by class. Wine and breast cancer come with scikit-learn; `corpora.py` says where other tables are.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from corpora import frame
from side_by_side import machine
from sklearn import datasets

import suffice as sf

TABLES = ("penguins", "titanic", "votes", "car", "german", "vowel")
MOST = 2000

Change = Callable[[pd.DataFrame], Any]


def tables() -> Iterator[tuple[str, pd.DataFrame, Any]]:
    """Yield tables by name, with their labels as words."""
    for name in ("wine", "breast_cancer", "iris"):
        loaded = getattr(datasets, f"load_{name}")(as_frame=True)
        yield name, loaded.data, loaded.target_names[loaded.target]
    for name in TABLES:
        if (found := frame(name)) is not None:
            yield name, found[0], found[1].astype(str)


def numbers(X: pd.DataFrame, change: Callable[[Any], Any]) -> pd.DataFrame:
    """Return the table with its numeric columns changed."""
    columns = X.select_dtypes("number").columns
    return X.assign(**{name: change(X[name].astype(float)) for name in columns})


def renamed(X: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return the table with other names of columns, in another alphabetical order."""
    order = np.random.default_rng(seed).permutation(X.shape[1])
    return X.set_axis([f"c{k:03d}" for k in order], axis=1)


SPREAD: dict[str, Any] = {}
CHANGES: dict[str, Change] = {
    "columns renamed": lambda X: renamed(X, 0),
    "columns renamed again": lambda X: renamed(X, 1),
    "columns in another order": lambda X: X[X.columns[::-1]],
    "times 8": lambda X: numbers(X, lambda x: x * 8),
    "times 10": lambda X: numbers(X, lambda x: x * 10),
    "times -1": lambda X: numbers(X, lambda x: -x),
    "plus 3 standard deviations": lambda X: numbers(X, lambda x: x + 3 * SPREAD[x.name]),
    "as Arrow": lambda X: __import__("pyarrow").Table.from_pandas(X, preserve_index=False),
    "as a dictionary": lambda X: {name: X[name].tolist() for name in X},
}


def probabilities(X: Any, y: Any, new: Any) -> tuple[Any, Any]:
    """Return the probabilities of new rows, and the classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sf.NaiveBayes().fit(X, y)
        return model.predict_proba(new), model.classes_


def main() -> None:
    """Print the largest and the mean change, and the share of decisions that change."""
    print(machine())
    only = sys.argv[1:]
    for name, X, y in tables():
        if only and name not in only:
            continue
        order = np.random.default_rng(0).permutation(len(X))[:MOST]
        train, test = order[: 2 * len(order) // 3], order[2 * len(order) // 3 :]
        X = X.reset_index(drop=True)
        SPREAD.update(X.select_dtypes("number").std().to_dict())
        usual, _ = probabilities(X.iloc[train], y[train], X.iloc[test])
        rows = {
            word: probabilities(change(X.iloc[train]), y[train], change(X.iloc[test]))[0]
            for word, change in CHANGES.items()
        }
        shuffled = np.random.default_rng(1).permutation(train)
        rows["rows in another order"] = probabilities(X.iloc[shuffled], y[shuffled], X.iloc[test])[0]
        labels = {label: f"{k:03d}" for k, label in enumerate(np.unique(y)[::-1])}
        found, classes = probabilities(X.iloc[train], np.array([labels[label] for label in y[train]]), X.iloc[test])
        rows["labels renamed"] = found[:, np.searchsorted(classes, [labels[label] for label in np.unique(y[train])])]
        for word, got in rows.items():
            moved = np.abs(got - usual)
            flipped = (got.argmax(axis=1) != usual.argmax(axis=1)).mean()
            print(f"{name:14} {word:28} most {moved.max():.1e}, mean {moved.mean():.1e}, decisions {flipped:.1%}")


if __name__ == "__main__":
    main()
