"""How the defaults were decided: cross-validation on training rows, for docs/decisions/0010-what-is-best-by-default.md.

Test rows of 20 Newsgroups, R8 and Adult are never used, nor is a random 30 % of SMS spam. Titanic, mushroom,
penguins, car and votes have no test part. `corpora.py` says where all of them are looked for. `--quick` takes an eighth
of the texts and leaves the page as it is.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from corpora import corpus, frame
from judging import Judged, Parts, judge, parted
from side_by_side import ROOT, keep, machine, markdown, put
from sklearn.model_selection import StratifiedKFold

import suffice as sf

PAGE = ROOT / "docs" / "decisions" / "0010-what-is-best-by-default.md"
SEED, HELD = 0, 0.3
USUAL = "default settings"
CLEAR = 2.0
"""Standard errors that that a difference must exceed to be called better or worse."""

PAIRS: dict[str, Any] = {"ngram_range": (1, 2), "min_df": 2}
TEXTS: dict[str, dict[str, Any]] = {
    USUAL: {},
    "raw counts": {"term_weighting": sf.TermWeighting(sublinear_tf=False)},
    "binary": {"tokens": sf.Tokens(binary=True)},
    "alpha 1": {"alpha": 1.0},
    "ridge 0.3": {"ridge": 0.3},
    "pairs of words": PAIRS,
    "pairs of words, binary": {**PAIRS, "tokens": sf.Tokens(binary=True)},
    "no weights": {"feature_powers": None},
    "no weights, raw counts": {"feature_powers": None, "term_weighting": sf.TermWeighting(sublinear_tf=False)},
    "no weights, binary": {"feature_powers": None, "tokens": sf.Tokens(binary=True)},
    "no weights, alpha 1": {"feature_powers": None, "alpha": 1.0},
    "no weights, pairs of words": {"feature_powers": None, **PAIRS},
    'bernoulli, `alpha="loo"`': {"model": "bernoulli", "alpha": "loo"},
    'complement, `alpha="loo"`': {"model": "complement", "alpha": "loo"},
}
TABLES: dict[str, dict[str, Any]] = {
    USUAL: {},
    "ridge 0.3": {"ridge": 0.3},
    "no temper": {"temper": None},
    "no weights": {"feature_powers": None},
    "no weights, no temper": {"temper": None, "feature_powers": None},
}
FOLDS = {"Adult": 3, "Titanic": 5, "mushroom": 5, "penguins": 5, "car": 5, "votes": 5}
NUMBERS = sf.columns.Gaussian, sf.columns.Histogram, sf.columns.Poisson

Ways = dict[str, Callable[[], Any]]
Cells = dict[str, dict[str, str]]


def folds(X: Any, y: Any, n: int) -> list[Parts]:
    splits = StratifiedKFold(n, shuffle=True, random_state=SEED).split(np.zeros(len(y)), y)
    return list(parted(X, y, splits))


def of_texts(quick: bool) -> Cells:
    """Judge TextClassifier on the training part of each corpus, in three folds."""
    sms = corpus("sms_spam")
    trains = {
        "20 Newsgroups": corpus("20news_bydate", subset="train"),
        "R8": corpus("reuters_r8", subset="train"),
        "SMS spam": sms.split(HELD, SEED)[0] if sms else None,
    }
    ways: Ways = {way: partial(sf.TextClassifier, **options) for way, options in TEXTS.items()}
    step = 8 if quick else 1
    return {
        name: dict(compared(name, folds(train.texts[::step], train.labels[::step], 3), ways))
        for name, train in trains.items()
        if train
    }


def of_tables() -> Cells:
    """Judge NaiveBayes on the training rows of each table, in folds."""
    cells: Cells = {}
    for name, n in FOLDS.items():
        found = frame(name.lower(), "train" if name == "Adult" else "all")
        if found is None:
            continue
        options = TABLES | {f"numbers all {kind}": forced(kind, *found) for kind in ("gaussian", "histogram")}
        ways: Ways = {way: partial(sf.NaiveBayes, **given) for way, given in options.items() if given or way == USUAL}
        cells[name] = dict(compared(name, folds(*found, n), ways))
    return cells


def forced(kind: str, X: Any, y: Any) -> dict[str, Any]:
    """Return one model for all numbers that are not taken for categories; nothing, if there are none."""
    settled = sf.NaiveBayes(effort="fast").fit(X, y).columns_
    columns = {name: kind for name, model in settled.items() if isinstance(model, NUMBERS)}
    return {"columns": columns} if columns else {}


def compared(name: str, parts: list[Parts], ways: Ways) -> Iterator[tuple[str, str]]:
    """Yield log loss, accuracy and seconds of a fit, of each way."""
    usual = judge(ways[USUAL], parts)
    for way, make in ways.items():
        judged = usual if way == USUAL else judge(make, parts)
        cell = f"{judged.log_loss:.3f}{beside(judged, usual)} · {judged.accuracy:.4f} · {judged.seconds:.2f} s"
        print(f"{name:<15}{way:<32}{cell}", flush=True)
        yield way, cell


def beside(judged: Judged, usual: Judged) -> str:
    """Return whether the log loss clearly differs from that of the default, row by row."""
    more = judged.each - usual.each
    if abs(more.sum()) <= CLEAR * np.sqrt(len(more)) * more.std():
        return ""
    return " (worse)" if more.sum() > 0 else " (better)"


def table(what: str, cells: Cells) -> str:
    ways = dict.fromkeys(way for column in cells.values() for way in column)
    return markdown([what, *cells], [[way, *(column.get(way, "") for column in cells.values())] for way in ways])


def main() -> int:
    quick = "--quick" in sys.argv
    tables = {"`TextClassifier`": of_texts(quick), "`NaiveBayes`": of_tables()}
    absent = len(tables["`TextClassifier`"]) < 3 or len(tables["`NaiveBayes`"]) < len(FOLDS)
    if absent:
        print("Some of the corpora and tables are not here: the page stays as it is.")
    if quick or absent:
        return 0
    keep("defaults", tables)
    put(PAGE, "defaults", "\n\n".join([*(table(what, cells) for what, cells in tables.items()), f"{machine()}."]))
    print("\nwritten: build/bench_defaults.json, docs/decisions/0010-what-is-best-by-default.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
