"""What TextClassifier chooses, beside peers that are tuned on the same folds: the tables of docs/choices.md.

Five stratified folds of training texts (of 20 Newsgroups one of them: its regressions take minutes): the training parts
of 20 Newsgroups and R8, a random 70 % of SMS spam as in `defaults.py`, 12,000 paragraphs of the docstrings installed
here, and lines of a declaration in hundreds of languages. Of peers with a C, the one of least log loss on these very
folds is shown. Adult has all its rows, with gaps, and the split that it comes with.
`corpora.py` says where they are looked for.

    python benchmarks/chosen.py [--quick] [--only news|r8|sms|docstrings|udhr|adult] [--test] [--write]

Results of each are kept in build/bench_choices_<name>.json. `--only` runs one, `--write` runs none and writes the page
from what is kept, `--quick` takes an eighth of the texts, keeps nothing and leaves the page as it is. `--test` learns
from all training texts, with the C that the folds chose, and predicts the test part: once, when all is settled.
"""

import argparse
import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from corpora import both, corpus, folder
from judging import CLIP, Judged, Parts, judge, parted
from side_by_side import BUILD, ROOT, keep, machine, markdown, put
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from text_peers import FastText, Margins, RatioRegression, either, vectorized
from usual import Usual, logistic, readable

import suffice as sf

PAGE = ROOT / "docs" / "choices.md"
TITLES = {
    "news": "20 Newsgroups, training part",
    "r8": "Reuters R8, training part",
    "sms": "SMS spam, 70 %",
    "docstrings": "docstrings",
    "udhr": "human rights, lines of many languages",
    "adult": "Adult, all rows",
}
HEAD = ["accuracy", "log loss", "calibration error", "seconds to fit"]
FOLDS, SEED, HELD, PARAGRAPHS, LEAST = 5, 0, 0.3, 12_000, 20
STRENGTHS, OF_RATIOS = (10, 30, 100, 300), (0.3, 1, 3)

Methods = dict[str, Callable[[], Any]]
Line = list[str]
Results = tuple[list[Line], dict[str, str]]
"""Lines of a table, and how each method is called."""


@dataclass(frozen=True)
class Peer:
    """A vectorizer, and a classifier or several that differ in C; whether it has probabilities."""

    vectorizer: Callable[[], Any]
    classifiers: tuple[Callable[[], Any], ...]
    honest: bool = True


PAIRS: dict[str, Any] = {"ngram_range": (1, 2), "min_df": 2}
LETTERS: dict[str, Any] = {"ngram_range": (1, 3)}
PARTS = {"news": 1}
"""Folds that are run, where it is not all of them."""

REGRESSIONS = tuple(partial(LogisticRegression, C=C, max_iter=1000) for C in STRENGTHS)
PEERS = {
    "`MultinomialNB`, counts": Peer(CountVectorizer, (MultinomialNB,)),
    "logistic regression, words": Peer(partial(TfidfVectorizer, sublinear_tf=True), REGRESSIONS),
    "logistic regression, words and pairs": Peer(partial(TfidfVectorizer, sublinear_tf=True, **PAIRS), REGRESSIONS),
    "logistic regression, log-count ratios": Peer(
        partial(CountVectorizer, binary=True, **PAIRS), tuple(partial(RatioRegression, C=C) for C in OF_RATIOS)
    ),
    "linear support vectors": Peer(partial(TfidfVectorizer, sublinear_tf=True, **PAIRS), (Margins,), honest=False),
}
OF_LETTERS = {
    "`MultinomialNB`, letters": Peer(
        partial(CountVectorizer, analyzer="char_wb", **LETTERS),
        tuple(partial(MultinomialNB, alpha=alpha) for alpha in (1.0, 0.1, 0.01)),
    )
}
"""Peers on texts of hundreds of languages: regressions of as many classes take hours."""

NETWORKS = {"fastText, words": partial(FastText, 1), "fastText, words and pairs": partial(FastText, 2)}
OURS: Methods = {
    '`TextClassifier(effort="fast")`': partial(sf.TextClassifier, effort="fast"),
    "`TextClassifier()`": sf.TextClassifier,
    '`TextClassifier(effort="best")`': partial(sf.TextClassifier, effort="best"),
}


def texts_of(name: str) -> tuple[list[str], list[str]] | None:
    """Return texts and labels of a corpus, if it is here."""
    if name == "docstrings":
        return docstrings()
    if name == "udhr":
        return languages()
    if name == "sms":
        messages = corpus("sms_spam")
        train = messages.split(HELD, SEED)[0] if messages else None
    else:
        train = corpus({"news": "20news_bydate", "r8": "reuters_r8"}[name], subset="train")
    return (train.texts, train.labels) if train else None


def docstrings() -> tuple[list[str], list[str]]:
    """Return paragraphs of docstrings at random, those of rare labels left out."""
    found = sf.datasets.docstrings()
    which = np.sort(np.random.default_rng(SEED).permutation(len(found.texts))[:PARAGRAPHS]).tolist()
    often = Counter(found.labels[i] for i in which)
    which = [i for i in which if often[found.labels[i]] >= LEAST]
    return [found.texts[i] for i in which], [found.labels[i] for i in which]


def languages() -> tuple[list[str], list[str]] | None:
    """Return the lines of a declaration in hundreds of languages, if it is here; those of few lines are left out."""
    place = folder()
    if place is None or not (place / "udhr").is_dir():
        return None
    found = sf.datasets.read_udhr(place / "udhr", unit="line")
    often = Counter(found.labels)
    which = [i for i, label in enumerate(found.labels) if often[label] >= LEAST]
    return [found.texts[i] for i in which], [found.labels[i] for i in which]


def folds(X: list[str], y: list[str]) -> list[Parts]:
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(np.zeros(len(y)), y)
    return list(parted(X, y, splits))


def call(*steps: Any) -> str:
    """Return how a method is called: what differs from the defaults is given."""
    names = (" ".join(repr(step).split()).replace("Margins(", "LinearSVC(") for step in steps)
    return " → ".join(f"`{name}`" for name in names)


def of_texts(name: str, quick: bool, test: bool) -> Results | None:
    """Judge every method on one corpus. A first fit of few texts is not shown: it pays for loading."""
    found = texts_of(name)
    if found is None:
        return None
    step = 8 if quick else 1
    parts = folds(found[0][::step], found[1][::step])[: PARTS.get(name)]
    if test:
        given = tested(name)
        if given is None:
            return None
        parts = [(found, given)]
    few = [((X[::20], y[::20]), test) for (X, y), test in parts[:1]]
    for make in ours(name).values():
        judge(make, few)
    lines, calls = list[Line](), dict[str, str]()
    for method, judged, how, honest in methods(name, parts, chosen(name) if test else {}):
        lines.append(printed(name, line(method, judged, honest)))
        calls[method] = how
    return lines, calls


def tested(name: str) -> tuple[list[str], list[str]] | None:
    """Return the texts and labels of a test part, if there is one."""
    if name == "sms":
        messages = corpus("sms_spam")
        test = messages.split(HELD, SEED)[1] if messages else None
    else:
        names = {"news": "20news_bydate", "r8": "reuters_r8"}
        test = corpus(names[name], subset="test") if name in names else None
    return (test.texts, test.labels) if test else None


def chosen(name: str) -> dict[str, str]:
    """Return how each method was called on the folds."""
    path = BUILD / f"bench_choices_{name}.json"
    calls: dict[str, str] = json.loads(path.read_text())["calls"] if path.exists() else {}
    return calls


def ours(name: str) -> Methods:
    """Return our classifiers; of many languages, by letters."""
    if name != "udhr":
        return OURS
    tokens = sf.Tokens(analyzer="char_wb")
    called = "`TextClassifier(ngram_range=(1, 3), tokens=sf.Tokens(analyzer='char_wb'))`"
    return {called: partial(sf.TextClassifier, tokens=tokens, **LETTERS)}


def methods(name: str, parts: list[Parts], calls: dict[str, str]) -> Iterator[tuple[str, Judged, str, bool]]:
    """Yield each method, how it does, how it is called, and whether it has probabilities; calls may be given."""
    for method, peer in (OF_LETTERS if name == "udhr" else PEERS).items():
        ways = {call(peer.vectorizer(), make()): make for make in peer.classifiers}
        ways = {way: make for way, make in ways.items() if calls.get(method, way) == way}
        found = vectorized(peer.vectorizer, ways, parts)
        how = min(found, key=lambda way: found[way].log_loss)
        yield method, found[how], how, peer.honest
    if find_spec("fasttext") and name != "udhr":
        for method, network in NETWORKS.items():
            options = ", ".join(f"{option}={value}" for option, value in network().options.items())
            yield method, judge(network, parts, CLIP), f"`fasttext.train_supervised(file, {options})`", True
    for method, make in ours(name).items():
        yield method, judge(make, parts), method, True


def of_adult() -> Results | None:
    """Judge naive Bayes of tables on Adult, whose test part is its own."""
    table = both("adult")
    if table is None:
        return None
    X, y, splits = table
    words = readable(X)
    peers: Methods = {
        "`CategoricalNB` × `GaussianNB`": partial(Usual, words),
        "`CategoricalNB`, numbers in 10 bins": partial(Usual, words, binned=True),
    }
    ours: Methods = {
        "`NaiveBayes(feature_powers=None)`": partial(sf.NaiveBayes, feature_powers=None),
        "`NaiveBayes()`": sf.NaiveBayes,
    }
    found = {name: judge(make, parted(words, y, splits), CLIP) for name, make in peers.items()}
    one_hot = either(partial(logistic, words), list(parted(words, y, splits)))
    found["logistic regression, one-hot columns"] = one_hot
    found |= {name: judge(make, parted(X, y, splits)) for name, make in ours.items()}
    return [printed("adult", line(*one)) for one in found.items()], {}


def line(name: str, found: Judged, honest: bool = True) -> Line:
    sure = [f"{found.log_loss:.3f}", f"{found.reliability.error:.3f}"] if honest else ["", ""]
    return [name, f"{found.accuracy:.4f}", *sure, f"{found.seconds:.2f}"]


def printed(data: str, cells: Line) -> Line:
    print(f"{data:<12}" + "  ".join(cells), flush=True)
    return cells


def run(name: str, quick: bool, test: bool) -> bool:
    """Judge all methods on one of the corpora, or on Adult, and keep what was found; False if it is not here."""
    found = of_adult() if name == "adult" else of_texts(name, quick, test)
    if found is None:
        print(f"Not here: {TITLES[name]}{', test part' if test else ''}.")
        return False
    if not quick:
        keep(f"choices_{name}{'_test' if test else ''}", {"lines": found[0], "calls": found[1]})
    return True


def title(name: str) -> str:
    """Return what a table is headed by."""
    first, _, test = name.partition("_")
    return f"{TITLES[first].split(',')[0]}, test part" if test else TITLES[first]


def page(kept: dict[str, dict[str, Any]]) -> str:
    """Return the tables; the call of each method, and where it differs between corpora that of each; the machine."""
    tables = [markdown([title(name), *HEAD], one["lines"]) for name, one in kept.items()]
    calls: dict[str, dict[str, list[str]]] = {}
    for name, one in kept.items():
        for method, how in one["calls"].items() if not name.endswith("_test") else ():
            calls.setdefault(method, {}).setdefault(how, []).append(TITLES[name].split(",")[0])
    rows = []
    for method, ways in calls.items():
        told = [how if len(ways) == 1 else f"{', '.join(where)}: {how}" for how, where in ways.items()]
        rows.append([method, *told[:1]])
        rows += [["", way] for way in told[1:]]
    if rows:
        tables.append(markdown(["method", "call"], rows).replace("--:", "---"))
    machines = dict.fromkeys(one["machine"] for one in kept.values())
    return "\n\n".join([*tables, *(f"{one}." for one in machines)])


def write() -> int:
    """Write the page from what is kept."""
    paths = {name: BUILD / f"bench_choices_{name}.json" for name in TITLES}
    paths |= {f"{name}_test": BUILD / f"bench_choices_{name}_test.json" for name in TITLES}
    kept = {name: json.loads(path.read_text()) for name, path in paths.items() if path.exists()}
    if not kept:
        print("Nothing is kept: the page stays as it is.")
        return 1
    put(PAGE, "choices", page(kept))
    print(f"written: docs/choices.md, of {', '.join(kept)}")
    return 0


def main() -> int:
    given = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    given.add_argument("--quick", action="store_true", help="an eighth of the texts; the page stays as it is")
    given.add_argument("--only", choices=[*TITLES], help="run one, and leave the page as it is")
    given.add_argument("--test", action="store_true", help="learn from all training texts, predict the test part")
    given.add_argument("--write", action="store_true", help="run nothing, write the page from what is kept")
    asked = given.parse_args()
    if asked.write:
        return write()
    print(machine(), flush=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")  # of an eighth of the texts
        here = [run(name, asked.quick, asked.test) for name in ([asked.only] if asked.only else TITLES)]
    if asked.quick or asked.only or asked.test:
        return 0
    if not all(here):
        print("The page stays as it is.")
        return 0
    return write()


if __name__ == "__main__":
    sys.exit(main())
