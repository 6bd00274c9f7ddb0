"""Cross-fitting beside refitting: whether the log loss is that of five fits, and what it costs.

On SMS spam, 20 Newsgroups, Adult and the docstrings installed here. `crossfit` takes each fold from the counts;
"refits" are five fits on the same folds, or on those of scikit-learn's StratifiedKFold. A folder of the corpora may be
given; otherwise `corpora.py` says where they are looked for. `--quick` takes an eighth of the texts and rows.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from corpora import corpus, frame
from side_by_side import keep, machine, markdown
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import suffice as sf
from suffice.evaluate import crossfit, leave_one_out

AIM = 0.03
"""How far the log loss may be from that of five fits."""


def tasks(quick: bool) -> Iterator[tuple[str, Any, Any, Any, Callable[[Any, Any], Any]]]:
    """Yield name, classifier, rows, labels, and a function that takes a subset of the rows."""

    def subset(texts: Any, which: Any) -> Any:
        return [texts[i] for i in which]

    for name in ("sms_spam", "20news_bydate"):
        found = corpus(name)
        if found is not None:
            first = dict.fromkeys(zip(found.texts, found.labels, strict=True))  # each text once
            texts, labels = (list(part) for part in zip(*first, strict=True))
            part = np.arange(0, len(texts), 8 if quick else 1)
            yield name, sf.TextClassifier(), subset(texts, part), np.array(labels)[part], subset
    table = frame("adult")
    if table is not None:
        part = np.arange(0, len(table[1]), 8 if quick else 1)
        yield "adult", sf.NaiveBayes(), table[0].iloc[part], table[1][part], lambda X, which: X.iloc[which]
    docs = sf.datasets.docstrings()
    part = np.arange(0, len(docs.texts), 8 if quick else 1)
    yield "docstrings", sf.TextClassifier(), subset(docs.texts, part), np.asarray(docs.labels)[part], subset


def refits(model: Any, X: Any, y: Any, fold: Any, subset: Callable[[Any, Any], Any]) -> float:
    """Return the log loss of models fitted without each fold."""
    own = np.empty(len(y))
    for k in np.unique(fold):
        kept, held_out = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        rest = clone(model).fit(subset(X, kept), y[kept])
        logs = rest.predict_log_proba(subset(X, held_out))
        own[held_out] = logs[np.arange(len(held_out)), np.searchsorted(rest.classes_, y[held_out])]
    return float(-own.mean())


def timed(job: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    return job(*arguments), time.perf_counter() - start


def stratified(y: Any) -> Any:
    """Return the fold of each row by scikit-learn."""
    fold = np.empty(len(y), int)
    for k, (_, held_out) in enumerate(StratifiedKFold(5, shuffle=True, random_state=0).split(np.zeros(len(y)), y)):
        fold[held_out] = k
    return fold


def main() -> int:
    folders = [word for word in sys.argv[1:] if not word.startswith("-")]
    if folders:
        os.environ["SUFFICE_DATA"] = folders[0]
    lines, missed = [], 0
    for name, model, X, y, subset in tasks("--quick" in sys.argv):
        fitted, fit = timed(clone(model).fit, X, y)
        found, seconds = timed(crossfit, fitted, X, y)
        same, again = timed(refits, model, X, y, found.fold, subset)
        theirs = refits(model, X, y, stratified(y), subset)
        fixed = leave_one_out(fitted, X, y, views="fixed").log_loss
        away = [found.log_loss / other - 1 for other in (same, theirs)]
        missed += max(map(abs, away)) > AIM
        shares = [f"{other:.4f} ({100 * share:+.1f} %)" for other, share in zip((same, theirs), away, strict=True)]
        times = [f"{t:.1f} s" for t in (fit, seconds, again)]
        lines.append([name, f"{len(y):,}", f"{found.log_loss:.4f}", *shares, f"{fixed:.4f}", *times])
        print("  ".join(lines[-1]), flush=True)
    heads = [
        "corpus",
        "rows",
        "crossfit",
        "five refits, same folds",
        "five refits, StratifiedKFold",
        "leave-one-out, fixed views",
    ]
    print(markdown([*heads, "one fit", "crossfit after it", "five refits"], lines), machine(), sep="\n\n")
    keep("crossfit", {"rows": lines})
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
