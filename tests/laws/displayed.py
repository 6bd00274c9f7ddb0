"""Everything that a notebook may display, by name: families, statistics, estimators before and after fit, answers."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

import suffice as sf
from laws.estimators import ESTIMATORS, EstimatorCase, counts, flags, reals, texts
from laws.registry import CLASSES, FAMILIES, STATISTICS
from suffice.datasets.corpus import Corpus
from suffice.datasets.tables import LabelledTable
from suffice.datasets.xwindows import Bags
from suffice.stats import TokenCounts
from suffice.stats.word_counts import WordCounts

EVIL = "<script>alert('x')</script>"
RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 60)
LABELS = np.array([EVIL, "b & c", "d"])[CODES]


def batch(belief: Any) -> Any:
    """Return a table of 25 beliefs."""
    values = [np.asarray(value) for value in belief._values()]
    return type(belief)(*(np.broadcast_to(value, (5, 5, *value.shape)).copy() for value in values))


def predictives() -> dict[str, Any]:
    found = {f"{case} predicts": case.typical.predict() for case in FAMILIES}
    found |= {f"{case} predicts, 25": batch(case.typical).predict() for case in FAMILIES}
    dice = sf.Dirichlet([2, 3, 4])
    many = {"Beta predicts 10": sf.Beta(3, 5).predict(10), "Beta predicts a million": sf.Beta(3, 5).predict(10**6)}
    return found | many | {"dice": dice.predict(10), "marginals": sf.NormalInverseGamma(1, 2, 8, 7).marginal().variance}


BELIEFS: dict[str, Any] = {
    **{str(case): case.typical for case in FAMILIES},
    **{f"{case}, 25": batch(case.typical) for case in FAMILIES},
    "pole": sf.Beta(0.5, 0.5),
    "uniform": sf.Beta(1, 1),
    "sharp": sf.Beta(3e11, 7e11),
    "vague": sf.Gamma(1e-3, 1e-3),
    "tail without mean": sf.Pareto(1.0, 0.5),
    "improper end": sf.Pareto(0, 0),
    "improper mean": sf.NormalInverseGamma(0, 0, 1, 1),
    "improper ends": sf.Pareto([0.0, 1.0], [0.0, 1.0]),
    "improper vector": sf.NormalInverseWishart([0.0] * 3, 0.0, 3.5, 2.0 * np.eye(3)),
    "no member": sf.Beta(np.ones(0), 1.0),
    "one category": sf.Dirichlet([2.0]),
    "1,000 categories": sf.Dirichlet(np.arange(1.0, 1001.0)),
    "table of dice": sf.Dirichlet(np.ones((3, 30))),
}


def itself(one: Any) -> Any:
    return one


def statistic(case: Any, labels: Any) -> Any:
    rows = np.asarray(np.random.default_rng(0).integers(0, 2, (12, 3)), np.float64) + (str(case) == "Extremes")
    if labels is not None:
        return case.of(rows, labels)
    return case.kind.of(rows[:, 0] if str(case) == "ValueCounts" else rows)


STATISTICS_SHOWN: dict[str, Callable[[], Any]] = {
    **{f"{case}": partial(statistic, case, np.arange(12) % CLASSES) for case in STATISTICS},
    **{f"{case} without classes": partial(statistic, case, None) for case in STATISTICS[1:]},
    **{f"{case} of nothing": case.kind.zero for case in STATISTICS},
    "WordCounts": lambda: WordCounts.of([f"{EVIL} a{k} b" for k in range(40)], np.arange(40) % 2),
    "WordCounts hashed": lambda: WordCounts.of(["a b", "c"], [0, 1], hash_bits=4),
    "WordCounts of nothing": lambda: WordCounts.of([], np.zeros(0, int), n_classes=2),
    "wide": lambda: TokenCounts.of(np.ones((3, 1000)), [0, 1, 2]),
}

OTHERS: dict[str, tuple[Any, Any]] = {
    "Mixture": (sf.Mixture(sf.GaussianNB(), random_state=0), reals(RNG, 60, CODES)),
    "SemiSupervised": (sf.SemiSupervised(sf.MultinomialNB()), counts(RNG, 60, CODES)),
    "SelectInformative": (sf.SelectInformative(k=2), flags(RNG, 60, CODES)),
    "LanguageModel": (sf.LanguageModel(), texts(RNG, 60, CODES)),
    "CountVectorizer": (sf.CountVectorizer(token_pattern=r"\S+"), [f"{EVIL} {text}" for text in texts(RNG, 60, CODES)]),
}


def other(name: str) -> Any:
    model, X = OTHERS[name]
    return clone(model).fit(X, LABELS)


def fitted(case: EstimatorCase) -> Any:
    X, y = case.data(0, 60, np.array([EVIL, "b & c", "d"]))
    return clone(case.model).fit(X, y)


def of_tables() -> Any:
    X = {EVIL: ["<b>", "c", None] * 20, "x": [*np.arange(59.0), None], "year": [2007, 2008, 2009] * 20}
    return sf.NaiveBayes().fit(X, LABELS)


def answers() -> dict[str, Callable[[], Any]]:
    """Return what classifiers answer, each made when asked."""
    words, y = [f"{EVIL} {text}" for text in texts(RNG, 60, CODES)], LABELS
    tokens = sf.Tokens(token_pattern=r"\S+")
    X, flag = counts(RNG, 60, CODES), flags(RNG, 60, CODES)

    def model() -> Any:
        return sf.TextClassifier(tokens=tokens).fit(words, y)

    def game() -> Any:
        return sf.NumberGame().observe([16, 8, 2, 64])

    return {
        "explanation": lambda: model().explain(words[0]),
        "explanation of nothing": lambda: model().explain("zxcv"),
        "explanation of a table": lambda: of_tables().explain({EVIL: "<b>", "x": 1.0}),
        "impossible": lambda: sf.BernoulliNB(alpha=0, force_alpha=True).fit([[1], [0]], ["a", "b"]).explain([1]),
        "top features": lambda: model().top_features(EVIL),
        "top features of one class": lambda: sf.BernoulliNB().fit([[0], [1]], [0, 0]).top_features(0),
        "information": lambda: sf.mutual_information(sf.BernoulliNB().fit(flag, y)),
        "choices": lambda: sf.TextClassifier().fit(texts(RNG, 300, np.arange(300) % 3), np.arange(300) % 3).choices_,
        "no choices": lambda: sf.BernoulliNB().fit(flag, y).choices_,
        "evidence": lambda: sf.MultinomialNB().fit(X, y).evidence(),
        "posteriors": lambda: sf.MultinomialNB().fit(X, y).posterior_,
        "comparison": lambda: sf.compare({EVIL: sf.PoissonNB().fit(X, y), "2": sf.PoissonNB(alpha=9).fit(X, y)}),
        "comparison by loss": lambda: sf.compare({EVIL: sf.MultinomialNB(), "b": sf.PoissonNB()}, X, y),
        "check": lambda: sf.check(sf.PoissonNB().fit(X, y), X, y, draws=10),
        "leave one out": lambda: sf.evaluate.leave_one_out(sf.MultinomialNB(), X, y),
        "cross-fit": lambda: sf.evaluate.crossfit(sf.MultinomialNB(), X, y),
        "reliability": lambda: sf.evaluate.reliability([[0.9, 0.1], [0.3, 0.7]], ["a", "b"], ["a", "b"]),
        "journal": lambda: sf.BernoulliNB().fit(flag, y, journal=True).journal_,
        "certificate": lambda: sf.BernoulliNB().fit(flag, y, journal=True).forget(flag[:1], y[:1]),
        "concepts": game,
        "hypotheses": lambda: game().posterior_,
        "rectangles": lambda: sf.Rectangles().observe([[1, 2], [3, 4]]),
        "no rectangle": sf.Rectangles,
        "corpus": lambda: Corpus(["x"], [EVIL], ["g"]),
        "table": lambda: LabelledTable({EVIL: np.array([1.5, np.nan]), "b": np.array(["<b>", None], object)}, "b"),
        "bags": lambda: Bags(sparse.csr_array([[1, 0], [1, 1]]), np.array([EVIL, "b"]), ["tea", "rum"]),
    }


def everything() -> dict[str, Callable[[], Any]]:
    """Return all things that are displayed, each made when asked."""
    found: dict[str, Callable[[], Any]] = {f"belief {name}": partial(itself, one) for name, one in BELIEFS.items()}
    found |= {f"predictive {name}": partial(itself, one) for name, one in predictives().items()}
    found |= {f"statistic {name}": make for name, make in STATISTICS_SHOWN.items()}
    for case in ESTIMATORS:
        found |= {f"{case}": partial(fitted, case), f"{case}, not fitted": partial(clone, case.model)}
    for name in OTHERS:
        found |= {name: partial(other, name), f"{name}, not fitted": partial(clone, OTHERS[name][0])}
    found["NaiveBayes of mixed columns"] = of_tables
    found |= {f"answer {name}": make for name, make in answers().items()}
    return found


def one_of_each() -> set[str]:
    """Return the names of one thing of each class, and of every answer."""
    classifiers = {type(case.model): f"{case}" for case in reversed(ESTIMATORS)}
    return {
        *(f"{kind} {case}" for kind, cases in (("belief", FAMILIES), ("statistic", STATISTICS)) for case in cases),
        *(f"predictive {case} predicts" for case in FAMILIES),
        *classifiers.values(),
        *OTHERS,
        *(f"answer {name}" for name in answers()),
        *("statistic WordCounts", "NaiveBayes, not fitted", "NaiveBayes of mixed columns"),
    }


def page(dark: bool = False) -> str:
    """Return a page of everything, to be looked at: `PYTHONPATH=tests python -m laws.displayed > page.html`."""
    cards = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, make in everything().items():
            cards.append(f"<h4>{name}</h4>{make()._repr_html_()}")
    look = "background:#111;color:#eee" if dark else "background:#fff;color:#111"
    head = '<meta charset="utf-8"/><meta name="viewport" content="width=device-width"/>'
    inside = "".join(cards)
    return f"<!doctype html><html><head>{head}<title>Cards</title></head><body style='{look}'>{inside}</body></html>"


if __name__ == "__main__":
    print(page())
