"""Evidence weights beside naive Bayes, logistic regression and fastText, in one run: the tables of docs/weights.md.

20 Newsgroups and R8 have a test part of their own; SMS spam is cut 70 : 30 at random, five times. Adult has all its
rows, with gaps. `corpora.py` says where they are looked for. Nothing is set for one of them, except where it says "best
in hindsight": that is the best of several on the very rows it is tested with. `--quick` takes an eighth of the
documents and leaves the page as it is.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from corpora import both, corpus
from judging import CLIP, Found, Judged, Parts, judge, parted, rows
from side_by_side import ROOT, keep, machine, markdown, put
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from text_peers import EPOCHS, RATE, FastText, bayes, either, regression, regressions
from usual import Usual, logistic, readable

import suffice as sf

PAGE = ROOT / "docs" / "weights.md"
NEWS, R8, SMS, ADULT = "20 Newsgroups, by date", "Reuters R8", "SMS spam, five random splits", "Adult, all rows"
SEEDS, TESTED = range(5), 0.3
DEFAULT, LOGISTIC, TABLE = "`TextClassifier()`", "logistic regression, tf-idf, C = {}", "`NaiveBayes()`"
ONE_HOT = "logistic regression, one-hot columns"

Methods = dict[str, Callable[[], Any]]

OURS: Methods = {
    '`TextClassifier(effort="fast")`': partial(sf.TextClassifier, effort="fast"),
    DEFAULT: sf.TextClassifier,
    '`TextClassifier(effort="best")`': partial(sf.TextClassifier, effort="best"),
}
PEERS: Methods = {"`MultinomialNB`, counts": lambda: make_pipeline(CountVectorizer(), MultinomialNB())}
REGRESSIONS: Methods = {LOGISTIC.format(c): partial(regression, c) for c in (1, 10)}
FEW: Methods = {"no weights": partial(sf.TextClassifier, feature_weights=None), "weights": sf.TextClassifier}
SIZES = (60, 125, 250, 500, 1000, 2000)
NETWORKS: Methods = {"fastText": partial(FastText, 1), "fastText, pairs of words": partial(FastText, 2)}


def figure(found: Judged, name: str) -> float:
    return {"accuracy": found.accuracy, "log loss": found.log_loss, "training": found.seconds}[name]


def shown(name: str, value: float) -> str:
    return f"{value:.4f}" if name == "accuracy" else f"{value:.3f}" if name == "log loss" else f"{value:.2f} s"


def texts(quick: bool) -> Iterator[tuple[str, list[Parts]]]:
    """Yield each corpus that is there, as pairs of parts."""
    for data, name in ((NEWS, "20news_bydate"), (R8, "reuters_r8")):
        train, test = (corpus(name, subset=part) for part in ("train", "test"))
        if train and test:
            yield data, [(subset(train, quick), subset(test, quick))]
    if messages := corpus("sms_spam"):
        splits = (messages.split(TESTED, seed) for seed in SEEDS)
        yield SMS, [(subset(train, quick), subset(test, quick)) for train, test in splits]


def subset(part: sf.datasets.Corpus, quick: bool) -> tuple[list[str], list[str]]:
    step = 8 if quick else 1
    return part.texts[::step], part.labels[::step]


def printed(data: str, method: str, found: Judged) -> Judged:
    print(f"{data:<30}  " + "  ".join(line(method, found)), flush=True)
    return found


def of_texts(data: str, parts: list[Parts]) -> Found:
    """Judge every method on one corpus. A first fit of few documents is not shown: it pays for loading."""
    ask = partial(printed, data)
    few = [((X[::20], y[::20]), test) for (X, y), test in parts[:1]]
    for make in [*PEERS.values(), *OURS.values()]:
        judge(make, few)
    found = {name: ask(name, judge(make, parts, CLIP)) for name, make in PEERS.items()}
    found |= best("naive Bayes, best in hindsight", bayes(parts), ask)
    found |= {name: ask(name, either(make, parts)) for name, make in REGRESSIONS.items()}
    found |= best("logistic regression, best in hindsight", regressions(parts), ask)
    if find_spec("fasttext"):
        found |= {name: ask(name, judge(make, parts, CLIP)) for name, make in NETWORKS.items()}
    return found | {name: ask(name, judge(make, parts)) for name, make in OURS.items()}


def best(what: str, found: Found, ask: Callable[[str, Judged], Judged]) -> Found:
    """Return the method of least log loss on the test rows, known in hindsight; the time is that of the one fit."""
    name = min(found, key=lambda name: found[name].log_loss)
    return {f"{what}: {name}": ask(f"{what}: {name}", found[name])}


def fewer(parts: Parts, n: int) -> Iterator[Parts]:
    """Yield so many of the texts to learn from, some of each class: five random choices."""
    (X, y), test = parts
    labels = np.asarray(y)
    for seed in SEEDS:
        order = np.random.default_rng(seed).permutation(len(X))
        first = np.unique(labels[order], return_index=True)[1]
        which = np.append(order[first], np.delete(order, first))[:n]
        yield (rows(X, which), labels[which]), test


def curve(all_parts: dict[str, list[Parts]]) -> str:
    """Return log loss by the number of texts, without and with weights."""
    body = []
    for n in SIZES:
        found = [judge(make, fewer(parts[0], n)).log_loss for parts in all_parts.values() for make in FEW.values()]
        body.append([f"{n:,}", *(f"{loss:.3f}" for loss in found)])
        print("  ".join(f"{cell:>8}" for cell in body[-1]), flush=True)
    names = [data.split(",")[0] for data in all_parts]
    return markdown(["texts", *(f"{name}, {way}" for name in names for way in FEW)], body)


def of_adult() -> Found | None:
    table = both("adult")
    if table is None:
        return None
    X, y, splits = table
    words, ask = readable(X), partial(printed, ADULT)
    peers: Methods = {
        "`CategoricalNB` × `GaussianNB`": partial(Usual, words),
        "`CategoricalNB`, numbers in 10 bins": partial(Usual, words, binned=True),
    }
    ours: Methods = {
        "`NaiveBayes(feature_weights=None)`": partial(sf.NaiveBayes, feature_weights=None),
        TABLE: sf.NaiveBayes,
    }
    found = {name: ask(name, judge(make, parted(words, y, splits), CLIP)) for name, make in peers.items()}
    found[ONE_HOT] = ask(ONE_HOT, either(partial(logistic, words), list(parted(words, y, splits))))
    return found | {name: ask(name, judge(make, parted(X, y, splits))) for name, make in ours.items()}


def line(name: str, found: Judged) -> list[str]:
    accuracy, loss, training = (shown(what, figure(found, what)) for what in ("accuracy", "log loss", "training"))
    return [name, accuracy, loss, f"{found.reliability.error:.3f}", training]


def page(results: dict[str, Found]) -> str:
    head = ["accuracy", "log loss", "calibration error", "training"]
    tables = [
        markdown([data, *head], [line(name, judged) for name, judged in found.items()])
        for data, found in results.items()
    ]
    return "\n\n".join([*tables, f"fastText with {EPOCHS} epochs and a rate of {RATE}. {machine()}."])


def main() -> int:
    quick = "--quick" in sys.argv
    given = dict(texts(quick))
    results = {data: of_texts(data, parts) for data, parts in given.items()}
    adult = of_adult()
    results |= {ADULT: adult} if adult else {}
    absent = [data for data in (NEWS, R8, SMS, ADULT) if data not in results]
    if absent:
        print(f"Not here: {'; '.join(absent)}. The page stays as it is.")
    if quick or absent:
        return 0
    figures = {data: {name: line(name, judged) for name, judged in found.items()} for data, found in results.items()}
    keep("weights", figures)
    put(PAGE, "weights", page(results))
    put(PAGE, "few", curve(given))
    print("\nwritten: build/bench_weights.json, docs/weights.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
