"""What the laws need to know of each classifier. To be registered is to be tested (`test_registry.py`)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import suffice as sf
from laws import weighed

LABELS = np.array(["a", "b", "c"])
WORDS = ["ant", "bee", "cow", "dog", "eel", "fox"]


@dataclass(frozen=True)
class EstimatorCase:
    """A classifier, and rows for it."""

    name: str
    model: Any
    rows: Callable[[np.random.Generator, int, Any], Any]
    exact: bool = True  # whether its statistics are counts
    lone: bool = True  # whether a class may have a single row

    def __str__(self) -> str:
        return self.name

    def data(self, seed: int, n: int, labels: Any = LABELS) -> tuple[Any, Any]:
        """Return rows that lean to their class, and labels."""
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, len(labels), n)
        return self.rows(rng, n, codes), labels[codes]


def flags(rng: np.random.Generator, n: int, codes: Any) -> Any:
    return (rng.random((n, 4)) < 0.2 + 0.2 * codes[:, None]).astype(int)


def counts(rng: np.random.Generator, n: int, codes: Any) -> Any:
    return rng.poisson(0.5 + codes[:, None] * np.arange(5) / 4, (n, 5))


def waits(rng: np.random.Generator, n: int, codes: Any) -> Any:
    return rng.exponential(0.5 + codes[:, None] * np.arange(1, 4) / 2, (n, 3)).round(4)


def codes_of_categories(rng: np.random.Generator, n: int, codes: Any) -> Any:
    return (rng.integers(0, 3, (n, 3)) + codes[:, None] * (rng.random((n, 3)) < 0.5)).astype(int)


def names_of_categories(rng: np.random.Generator, n: int, codes: Any) -> Any:
    return np.array(WORDS)[codes_of_categories(rng, n, codes)]


def reals(rng: np.random.Generator, n: int, codes: Any) -> Any:
    return np.array([0.0, 10.0, 1000.0]) + rng.normal(codes[:, None], 1.0, (n, 3))


def texts(rng: np.random.Generator, n: int, codes: Any) -> Any:
    return [" ".join(WORDS[(c + k) % 6] for k in rng.integers(0, 4, rng.integers(1, 8))) for c in codes.tolist()]


def mixed(rng: np.random.Generator, n: int, codes: Any) -> Any:
    def holes(values: Any) -> list[Any]:
        return [None if lost else value for value, lost in zip(values, rng.random(n) < 0.1, strict=True)]

    return {
        "flag": holes((rng.random(n) < 0.2 + 0.2 * codes).tolist()),
        "colour": holes([WORDS[c] for c in rng.integers(0, 3, n) + codes]),
        "size": holes(rng.normal(codes, 1.0).tolist()),
        "wait": holes(rng.exponential(1.0 + codes).round(3).tolist()),
        "events": holes(rng.poisson(1.0 + codes).tolist()),
        "note": holes(texts(rng, n, codes)),
    }


KINDS: dict[str, Any] = {
    "flag": "bernoulli",
    "colour": "categorical",
    "size": "gaussian",
    "wait": "histogram",
    "events": "poisson",
    "note": "text",
}
LEARNED: dict[str, Any] = {
    **KINDS,
    "flag": sf.columns.Bernoulli(prior="evidence"),
    "colour": sf.columns.Categorical(alpha="evidence"),
    "size": sf.columns.Gaussian(prior="evidence"),
    "events": sf.columns.Poisson(prior="evidence"),
    "note": sf.columns.Text(alpha="evidence"),
}
TOGETHER = [("flag", "colour"), ("colour", "events", "flag")]
BELIEF = sf.NormalInverseGamma(0.0, 0.1, 2.0, 2.0)

VECTORS = sf.NormalInverseWishart([300.0] * 3, 1e-4, 5.0, 2.0 * np.eye(3))
FLAT = sf.NormalInverseWishart([0.0] * 3, 0.0, 3.5, 2.0 * np.eye(3))


def discriminant(name: str, *arguments: Any, lone: bool = True, **parameters: Any) -> EstimatorCase:
    model = sf.GaussianDiscriminant(*arguments, temper=None, **parameters)
    return EstimatorCase(f"GaussianDiscriminant {name}", model, reals, exact=False, lone=lone)


PLAIN: dict[str, Any] = {"alpha": 1.0, "temper": None, "feature_powers": None}

ESTIMATORS = [
    EstimatorCase("BernoulliNB", sf.BernoulliNB(), flags),
    EstimatorCase("CategoricalNB", sf.CategoricalNB(), codes_of_categories),
    EstimatorCase("CategoricalNB by name", sf.CategoricalNB(), names_of_categories),
    EstimatorCase("ComplementNB", sf.ComplementNB(), counts),
    EstimatorCase("DirichletMultinomialNB", sf.DirichletMultinomialNB(), counts),
    EstimatorCase("GaussianNB", sf.GaussianNB(), reals, exact=False),
    EstimatorCase("GaussianNB t", sf.GaussianNB(estimate="predictive", prior=BELIEF), reals, exact=False),
    EstimatorCase("MultinomialNB", sf.MultinomialNB(), counts),
    EstimatorCase("MultinomialNB predictive", sf.MultinomialNB(estimate="predictive"), counts),
    EstimatorCase("PoissonNB", sf.PoissonNB(), counts),
    EstimatorCase("ExponentialNB", sf.ExponentialNB(class_prior="counted"), waits, exact=False),
    EstimatorCase(
        "NaiveBayes waits",
        sf.NaiveBayes({**KINDS, "wait": "exponential"}, feature_powers=None, temper=None),
        mixed,
        exact=False,
    ),
    EstimatorCase(
        "NaiveBayes joint",
        sf.NaiveBayes(
            KINDS, feature_powers=None, temper=None, joint=[("flag", "colour"), ("colour", "events", "flag")]
        ),
        mixed,
        exact=False,
    ),
    EstimatorCase("NaiveBayes", sf.NaiveBayes(columns=KINDS, feature_powers=None, temper=None), mixed, exact=False),
    EstimatorCase(
        "NaiveBayes mean",
        sf.NaiveBayes(columns=KINDS, feature_powers=None, estimate="mean", temper=None),
        mixed,
        exact=False,
    ),
    EstimatorCase("TextClassifier", sf.TextClassifier(**PLAIN), texts),
    EstimatorCase(
        "TextClassifier weighed", weighed.Texts(alpha=1.5, temper=0.7, length_exponent=0.4, effort="fast"), texts
    ),
    EstimatorCase(
        "TextClassifier hashed, weighed",
        weighed.Texts(alpha=1.5, tokens=sf.Tokens(hash_bits=4), temper=0.6, effort="fast"),
        texts,
    ),
    EstimatorCase(
        "TextClassifier tokens",
        sf.TextClassifier(tokens=sf.Tokens(analyzer="char_wb", stop_words=["ant"]), ngram_range=(2, 2), **PLAIN),
        texts,
    ),
    EstimatorCase("TextClassifier vocabulary", sf.TextClassifier(vocabulary=[*WORDS[:3], "yak"], **PLAIN), texts),
    EstimatorCase(
        "TextClassifier complement norm",
        sf.TextClassifier("complement", term_weighting=sf.TermWeighting(norm=True), temper=None),
        texts,
    ),
    EstimatorCase("MultinomialNB weighed", weighed.Counts(), counts),
    EstimatorCase("NaiveBayes weighed", weighed.Columns(KINDS, temper=0.5, effort="fast"), mixed, exact=False),
    EstimatorCase("TextClassifier predictive", sf.TextClassifier(estimate="predictive", temper=None), texts),
    EstimatorCase("TextClassifier bernoulli", sf.TextClassifier("bernoulli", temper=None), texts),
    EstimatorCase("TextClassifier complement", sf.TextClassifier("complement", temper=None), texts),
    EstimatorCase("TextClassifier urns", sf.TextClassifier("dirichlet_multinomial", temper=None), texts),
    EstimatorCase(
        "TextClassifier tempered",
        sf.TextClassifier(alpha=1.0, feature_powers=None, temper=0.7, length_exponent=0.4),
        texts,
    ),
    EstimatorCase(
        "NaiveBayes tempered", sf.NaiveBayes(columns=KINDS, feature_powers=None, temper=0.5), mixed, exact=False
    ),
    EstimatorCase("TextClassifier hashed", sf.TextClassifier(tokens=sf.Tokens(hash_bits=12), **PLAIN), texts),
    EstimatorCase("BernoulliNB evidence", sf.BernoulliNB(alpha="evidence"), flags),
    EstimatorCase("CategoricalNB evidence", sf.CategoricalNB(alpha="evidence"), names_of_categories),
    EstimatorCase("GaussianNB evidence", sf.GaussianNB(estimate="predictive", prior="evidence"), reals, exact=False),
    EstimatorCase("MultinomialNB evidence", sf.MultinomialNB(alpha="evidence"), counts),
    EstimatorCase("PoissonNB evidence", sf.PoissonNB(alpha="evidence"), counts),
    EstimatorCase(
        "NaiveBayes evidence", sf.NaiveBayes(columns=LEARNED, feature_powers=None, temper=None), mixed, exact=False
    ),
    EstimatorCase(
        "TextClassifier evidence", sf.TextClassifier(alpha="evidence", feature_powers=None, temper=None), texts
    ),
    discriminant("full", prior=VECTORS),
    discriminant("full, flat", prior=FLAT),
    discriminant("full, mle", "full", "mle", lone=False),
    discriminant("shared", "shared", prior=VECTORS),
    discriminant("diagonal", "diagonal", prior=BELIEF),
    discriminant("full, evidence", prior="evidence"),
    EstimatorCase("LinearDiscriminantAnalysis", sf.LinearDiscriminantAnalysis(), reals, exact=False, lone=False),
    EstimatorCase("QuadraticDiscriminantAnalysis", sf.QuadraticDiscriminantAnalysis(), reals, exact=False, lone=False),
]


def kind_of_classifier(case: EstimatorCase) -> Any:
    return weighed.Held if isinstance(case.model, weighed.Held) else type(case.model)


def kind_of_rows(case: EstimatorCase) -> Any:
    return case.rows, isinstance(case.model, sf.GaussianDiscriminant)


def kind_of_formula(case: EstimatorCase) -> Any:
    options = case.model.get_params()
    return type(case.model), str(options.get("model")), str(options.get("covariance"))


def one_of_each_kind(
    cases: list[EstimatorCase], kind: Callable[[EstimatorCase], Any] = kind_of_classifier
) -> list[Any]:
    """Return parameters of a law: the first case of each kind, and the others in the thorough run."""
    kinds: set[Any] = set()
    chosen = []
    for case in cases:
        chosen.append(pytest.param(case, marks=pytest.mark.thorough) if kind(case) in kinds else case)
        kinds.add(kind(case))
    return chosen


every_estimator = pytest.mark.parametrize("case", one_of_each_kind(ESTIMATORS), ids=str)
FORMULAS = list({kind_of_formula(case): case for case in reversed(ESTIMATORS)}.values())[::-1]
"""The first classifier of each formula."""

every_kind_of_rows = pytest.mark.parametrize("case", one_of_each_kind(FORMULAS, kind_of_rows), ids=str)
"""For laws of what all classifiers share, whatever their formulas: over each formula in the thorough run."""

every_kind_without_weights = pytest.mark.parametrize(
    "case",
    one_of_each_kind([case for case in FORMULAS if not isinstance(case.model, weighed.Held)], kind_of_rows),
    ids=str,
)
"""For laws of what rows choose, or do not: weights that are held are chosen already."""
