"""The log loss of default classifiers on development sets, which no default may raise by more than a percent.

At most 4,000 rows of a set are dealt into two outer folds; rows of test parts are never read. `development.json` holds
the bounds. Sets are looked for as `corpora.py` says.

    python benchmarks/development.py [--record] [NAME ...]
"""

import gzip
import json
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from corpora import corpus, folder, joined
from side_by_side import machine
from sklearn.model_selection import StratifiedKFold

import suffice as sf

TABLES = (
    "penguins", "titanic", "votes", "car", "mushroom", "nursery", "tictactoe", "krkp", "german", "ionosphere", "sonar",
    "vowel", "adult", "magic", "pendigits", "letter", "yeast", "winered", "waveform", "optdigits",
)  # fmt: skip
TEXTS = ("trec", "mr", "webkb", "amazon", "sms_spam", "reuters_r8", "20news_bydate")
BOUNDS = Path(__file__).with_name("development.json")
MOST, TOLERANCE, LEAST = 4000, 1.01, 4
"""Rows of a set; how much a loss may grow; rows that a class must have."""


def rows_of(name: str) -> tuple[Any, Any] | None:
    """Return the rows of a set without its test part, with their labels, if it is installed."""
    place = folder()
    if name in ("sms_spam", "reuters_r8", "20news_bydate"):
        found = corpus(name, **({} if name == "sms_spam" else {"subset": "train"}))
        return None if found is None else (pd.Series(list(found.texts)), np.asarray(found.labels))
    if name in TABLES and (place is None or not (place / name / f"{name}.csv.gz").is_file()):
        table = joined(name)
        if table is None:
            return None
        train = slice(None) if table[2] is None else table[2][0][0]
        return table[0].iloc[train], np.asarray(table[1])[train].astype(str)
    if place is None or not (place / name).is_dir():
        return None
    if name in TABLES:
        rows = pd.read_csv(place / name / f"{name}.csv.gz")
    else:
        with gzip.open(place / name / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = pd.DataFrame(map(json.loads, lines))
    if "part" in rows:
        rows = rows[rows["part"] == "train"].drop(columns="part")
    return rows["text"] if name in TEXTS else rows.drop(columns="label"), rows["label"].to_numpy().astype(str)


def measured(X: Any, y: Any, classifier: Any) -> tuple[float, float, float]:
    """Return the log loss and the error of two outer folds, and the seconds of both fits."""
    chosen = np.random.default_rng(0).permutation(len(y))[:MOST]
    labels, count = np.unique(y[chosen], return_counts=True)
    chosen = chosen[np.isin(y[chosen], labels[count >= LEAST])]
    X, y = X.iloc[chosen].reset_index(drop=True), y[chosen]
    loss, wrong, seconds = np.empty(len(y)), np.empty(len(y), bool), 0.0
    for train, new in StratifiedKFold(2, shuffle=True, random_state=0).split(np.zeros(len(y)), y):
        start = time.perf_counter()
        model = classifier().fit(X.iloc[train].reset_index(drop=True), y[train])
        seconds += time.perf_counter() - start
        shares, own = model.predict_proba(X.iloc[new]), np.searchsorted(model.classes_, y[new])
        loss[new] = -np.log(np.maximum(shares[np.arange(len(new)), own], 1e-300))
        wrong[new] = shares.argmax(axis=1) != own
    return float(loss.mean()), float(wrong.mean()), seconds


def losses(names: list[str]) -> Iterator[tuple[str, float]]:
    """Print and yield the log loss of each set that is installed."""
    bounds = json.loads(BOUNDS.read_text()) if BOUNDS.exists() else {}
    for name in names or (*TABLES, *TEXTS):
        rows = rows_of(name)
        if rows is None:
            print(f"{name:14} is not installed")
            continue
        loss, error, seconds = measured(*rows, sf.TextClassifier if name in TEXTS else sf.NaiveBayes)
        ratio = f"{loss / bounds[name]:.3f} of its bound" if name in bounds else "no bound"
        print(f"{name:14} log loss {loss:.4f}, {ratio}; error {error:.2%}; {seconds:.1f} s", flush=True)
        yield name, loss


def main() -> int:
    """Print the losses; return 1 if one is more than a percent above its bound, or their mean is above the bounds'."""
    print(machine())
    warnings.simplefilter("ignore")
    found = dict(losses([word for word in sys.argv[1:] if not word.startswith("-")]))
    bounds = json.loads(BOUNDS.read_text()) if BOUNDS.exists() else {}
    if "--record" in sys.argv:
        rounded = {name: round(loss, 6) for name, loss in found.items()}
        BOUNDS.write_text(json.dumps(bounds | rounded, indent=1) + "\n")
        return 0
    ratios = {name: loss / bounds[name] for name, loss in found.items() if name in bounds}
    mean = float(np.exp(np.mean(np.log(list(ratios.values()))))) if ratios else 1.0
    above = [name for name, ratio in ratios.items() if ratio > TOLERANCE]
    print(f"geometric mean of ratios {mean:.4f}; above {TOLERANCE}: {', '.join(above) or 'none'}")
    return int(bool(above) or mean > 1.0)


if __name__ == "__main__":
    sys.exit(main())
