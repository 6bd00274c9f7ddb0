"""How the pseudo-count of few texts was chosen, and what few labels come to: alone, and with texts that have none.

Texts are drawn from the training parts of 20 Newsgroups and R8, 70 % of SMS spam, and docstrings: of each class the
same number with labels, and all that do not judge without. A fifth of the training texts judges; none of them is
learned, with or without its label. Each candidate is one weight of a class's pseudo-counts relative to its counts
(SX-13), by accuracy and log loss, alone and by EM.

    python benchmarks/few_texts.py [--draws 5] [corpus ...]
    python benchmarks/few_texts.py --temper [corpus ...]
    python benchmarks/few_texts.py --test

`--temper` compares tempers of EM instead: chosen by leaving single counts out, or by labels that took no part (SX-14).

`--test` takes the constants as they are, draws from the training part of 20 Newsgroups and judges by its test part:
once, when all is settled. `corpora.py` says where texts are looked for.
"""

import argparse
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from chosen import folds, texts_of
from corpora import corpus
from joint_defaults import settled
from judging import Judged, judge
from side_by_side import keep, markdown
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.typing import Integers

NAMES = "news", "r8", "sms", "docstrings"
SHARES = 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0
WHERE = "suffice.models.choosing.smoothing", "PRIOR_WEIGHT"
HALVES = "suffice.estimators.em.semi_supervised", "FEW"
PER_CLASS = 1, 2, 5, 15
FREE = 10_000
PEER = "MultinomialNB(alpha=.01)"

Texts = tuple[Any, Any]
Methods = Callable[[Any], dict[str, Any]]
Found = dict[str, list[Judged]]
"""By the name of the method: what each draw came to."""


class Few:
    """A text classifier of few labels, with the texts that have none or without them, and with changed constants."""

    def __init__(self, free: Any = None, *changes: tuple[str, str, Any]) -> None:
        self.free, self.changes = free, [*changes]

    def fit(self, X: Any, y: Any) -> None:
        with settled(self.changes):
            if self.free is None:
                self.model: Any = sf.TextClassifier().fit(X, y)
            else:
                self.model = sf.SemiSupervised(sf.TextClassifier()).fit(X, y, unlabelled=self.free)
        self.classes_ = self.model.classes_

    def predict_log_proba(self, X: Any) -> Any:
        return self.model.predict_log_proba(X)


def draw(y: Any, per_class: int, seed: int) -> tuple[Integers, Integers]:
    """Draw so many texts of each class, and others without their labels."""
    rng = np.random.default_rng(seed)
    known = np.concatenate([rng.permutation(np.flatnonzero(y == c))[:per_class] for c in np.unique(y)])
    return known, rng.permutation(np.setdiff1d(np.arange(len(y)), known))[:FREE]


def peer() -> Any:
    return make_pipeline(CountVectorizer(), MultinomialNB(alpha=0.01))


def drawn(learned: Texts, judging: Texts, per_class: int, draws: int, methods: Methods) -> Found:
    """Return what each method comes to in each draw."""
    X, y = learned
    found: Found = {}
    for seed in range(draws):
        known, free = draw(y, per_class, seed)
        for name, make in methods(X[free]).items():
            found.setdefault(name, []).append(judge(make, [((X[known], y[known]), judging)], clip=1e-15))
    return found


def pair(judged: Judged) -> tuple[float, float]:
    return judged.accuracy, judged.log_loss


def cell(judged: list[Judged]) -> str:
    """Return accuracy and log loss over the draws."""
    return f"{np.mean([one.accuracy for one in judged]):.3f} · {np.mean([one.log_loss for one in judged]):.2f}"


def candidates(free: Any) -> dict[str, Any]:
    ways: dict[str, Any] = {PEER: peer}
    for share in SHARES:
        ways[f"{share:.3f} alone"] = partial(Few, None, (*WHERE, share))
        ways[f"{share:.3f} EM"] = partial(Few, free, (*WHERE, share))
    return ways


def tempers(free: Any) -> dict[str, Any]:
    return {"alone": Few, "EM, leaving out": partial(Few, free, (*HALVES, 0)), "EM, halves": partial(Few, free)}


def by_folds(name: str, draws: int, methods: Methods = candidates) -> dict[str, Found]:
    """Return what candidates come to on texts of a training part that judge."""
    texts = texts_of(name)
    if texts is None:
        return {}
    (learned, judging), *_ = folds(*texts)
    learned, judging = ((np.array(X, object), np.asarray(y)) for X, y in (learned, judging))
    out = {}
    for per_class in PER_CLASS:
        out[f"{name}, {per_class} a class"] = found = drawn(learned, judging, per_class, draws, methods)
        print(name, per_class, {way: cell(each) for way, each in found.items()}, flush=True)
    return out


def as_it_is(free: Any) -> dict[str, Any]:
    return {PEER: peer, "TextClassifier()": Few, "SemiSupervised(TextClassifier())": partial(Few, free)}


def by_test(draws: int) -> dict[str, Found]:
    """Return what the constants come to on the test part of 20 Newsgroups."""
    parts = [corpus("20news_bydate", subset=subset) for subset in ("train", "test")]
    if None in parts:
        return {}
    learned, judging = ((np.array(part.texts, object), np.asarray(part.labels)) for part in parts if part is not None)
    return {f"{20 * each} labels": drawn(learned, judging, each, draws, as_it_is) for each in PER_CLASS}


def table(found: dict[str, Found]) -> str:
    ways = list(dict.fromkeys(way for each in found.values() for way in each))
    return markdown(["", *found], [[way, *(cell(each[way]) for each in found.values())] for way in ways])


def main() -> int:
    given = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    given.add_argument("--draws", type=int, default=5, help="draws of the texts with labels")
    given.add_argument("--temper", action="store_true", help="compare tempers of EM")
    given.add_argument("--test", action="store_true", help="judge by the test part of 20 Newsgroups")
    given.add_argument("names", nargs="*", choices=[[], *NAMES], help="corpora; all if none is named")
    asked = given.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, Found] = {}
    if asked.test:
        found = by_test(asked.draws)
    else:
        for name in asked.names or NAMES:
            found |= by_folds(name, asked.draws, tempers if asked.temper else candidates)
    if not found:
        print("No corpus is here: SUFFICE_DATA names their folder.")
        return 0
    print(table(found))
    kept = {
        at: {way: [[one.accuracy, one.log_loss] for one in each] for way, each in ways.items()}
        for at, ways in found.items()
    }
    keep("few_texts_test" if asked.test else "few_texts_temper" if asked.temper else "few_texts", kept)
    return 0


if __name__ == "__main__":
    sys.exit(main())
