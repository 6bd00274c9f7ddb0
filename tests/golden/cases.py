"""The cases whose numbers are recorded: models in which nothing is chosen, so that no better default moves them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import suffice as sf
from golden.data import category_codes, category_names, counts, flags, mixed, reals, texts


@dataclass(frozen=True)
class Case:
    """A model, and the rows that it learns."""

    name: str
    make: Callable[[], Any]
    rows: Callable[[np.random.Generator, Any], Any]

    def __str__(self) -> str:
        return self.name

    @property
    def slug(self) -> str:
        """The name of its file."""
        return re.sub(r"\W+", "_", self.name).strip("_").lower()


KINDS: dict[str, Any] = {
    "flag": "bernoulli",
    "colour": "categorical",
    "size": "gaussian",
    "wait": sf.columns.Histogram(edges=(0.0, 1.0, 2.0, 4.0)),
    "events": "poisson",
    "note": "text",
}
DECLARED: dict[str, Any] = {
    "flag": sf.columns.Bernoulli(prior=sf.Beta(2, 3)),
    "colour": sf.columns.Categorical(alpha=2.0, other=2.0),
    "size": sf.columns.Gaussian(prior=sf.NormalInverseGamma(0.5, 0.5, 3.0, 2.0)),
    "wait": sf.columns.Histogram(edges=(0.0, 1.0, 2.0, 4.0)),
    "events": sf.columns.Poisson(prior=sf.Gamma(2.0, 1.0)),
    "note": sf.columns.Text(alpha=1.5, ngram_range=(1, 2)),
}
BELIEF = sf.NormalInverseGamma(0.0, 0.1, 2.0, 2.0)
VECTORS = sf.NormalInverseWishart([300.0] * 3, 1e-4, 5.0, 2.0 * np.eye(3))
SHARES = [0.2, 0.3, 0.5]
COUNTED: dict[str, Any] = {"class_prior": "counted"}
VECTOR: dict[str, Any] = {"temper": None, **COUNTED}
TABLE: dict[str, Any] = {"temper": None, "feature_powers": None, "joint": None, **COUNTED}
TEXT: dict[str, Any] = {"alpha": 1.0, "temper": None, "feature_powers": None, "ngram_range": (1, 1), **COUNTED}
WEIGHTED = sf.TermWeighting(sublinear_tf=False, use_idf=True, normalize=True)

CASES = [
    Case("BernoulliNB", lambda: sf.BernoulliNB(), flags),
    Case("BernoulliNB map", lambda: sf.BernoulliNB(alpha=sf.Beta(2, 3), estimate="map"), flags),
    Case("BernoulliNB mle", lambda: sf.BernoulliNB(estimate="mle", fit_prior=False), flags),
    Case("BernoulliNB predictive", lambda: sf.BernoulliNB(estimate="predictive", class_prior=SHARES), flags),
    Case("CategoricalNB", lambda: sf.CategoricalNB(), category_codes),
    Case("CategoricalNB map, by name", lambda: sf.CategoricalNB(alpha=2.0, estimate="map"), category_names),
    Case("CategoricalNB room", lambda: sf.CategoricalNB(min_categories=12, estimate="predictive"), category_codes),
    Case("ComplementNB", lambda: sf.ComplementNB(), counts),
    Case("ComplementNB norm", lambda: sf.ComplementNB(norm=True), counts),
    Case("DirichletMultinomialNB", lambda: sf.DirichletMultinomialNB(**COUNTED), counts),
    Case("DirichletMultinomialNB edcm", lambda: sf.DirichletMultinomialNB(method="edcm", **COUNTED), counts),
    Case("ExponentialNB", lambda: sf.ExponentialNB(alpha=sf.WaitingRate(2.0, 1.0), **COUNTED), counts),
    Case("GaussianNB", lambda: sf.GaussianNB(), reals),
    Case("GaussianNB predictive", lambda: sf.GaussianNB(estimate="predictive", prior=BELIEF), reals),
    Case("GaussianNB map", lambda: sf.GaussianNB(estimate="map", prior=BELIEF, var_smoothing=0), reals),
    Case("MultinomialNB", lambda: sf.MultinomialNB(), counts),
    Case("MultinomialNB map", lambda: sf.MultinomialNB(alpha=[2, 3, 1, 2, 2], estimate="map"), counts),
    Case("MultinomialNB Dirichlet classes", lambda: sf.MultinomialNB(class_prior=sf.Dirichlet([2, 1, 3])), counts),
    Case("MultinomialNB tempered", lambda: sf.MultinomialNB(temper=0.7, length_exponent=0.4), counts),
    Case("PoissonNB", lambda: sf.PoissonNB(**COUNTED), counts),
    Case("PoissonNB map", lambda: sf.PoissonNB(alpha=sf.Gamma(2, 3), estimate="map", **COUNTED), counts),
    Case("PoissonNB mean", lambda: sf.PoissonNB(alpha=2.0, estimate="mean", class_prior=2.5), counts),
    Case("discriminant full", lambda: sf.GaussianDiscriminant(prior=VECTORS, **VECTOR), reals),
    Case("discriminant full, mle", lambda: sf.GaussianDiscriminant(estimate="mle", **VECTOR), reals),
    Case("discriminant full, map", lambda: sf.GaussianDiscriminant(prior=VECTORS, estimate="map", **VECTOR), reals),
    Case("discriminant shared", lambda: sf.GaussianDiscriminant("shared", prior=VECTORS, **VECTOR), reals),
    Case(
        "discriminant shared, mean",
        lambda: sf.GaussianDiscriminant("shared", prior=VECTORS, estimate="mean", temper=0.5, **COUNTED),
        reals,
    ),
    Case("discriminant diagonal", lambda: sf.GaussianDiscriminant("diagonal", prior=BELIEF, **VECTOR), reals),
    Case("linear analysis", lambda: sf.LinearDiscriminantAnalysis(), reals),
    Case(
        "linear analysis, eigen",
        lambda: sf.LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.2, priors=SHARES, n_components=1),
        reals,
    ),
    Case("quadratic analysis", lambda: sf.QuadraticDiscriminantAnalysis(reg_param=0.1, priors=SHARES), reals),
    Case("NaiveBayes", lambda: sf.NaiveBayes(KINDS, **TABLE), mixed),
    Case("NaiveBayes declared", lambda: sf.NaiveBayes(DECLARED, **TABLE), mixed),
    Case("NaiveBayes mean, tempered", lambda: sf.NaiveBayes(KINDS, estimate="mean", **{**TABLE, "temper": 0.5}), mixed),
    Case("NaiveBayes map", lambda: sf.NaiveBayes({**DECLARED, "wait": "drop"}, estimate="map", **TABLE), mixed),
    Case("TextClassifier", lambda: sf.TextClassifier(**TEXT), texts),
    Case("TextClassifier hashed", lambda: sf.TextClassifier(tokens=sf.Tokens(hash_bits=6), **TEXT), texts),
    Case("TextClassifier bernoulli", lambda: sf.TextClassifier("bernoulli", **TEXT), texts),
    Case("TextClassifier complement", lambda: sf.TextClassifier("complement", term_weighting=WEIGHTED, **TEXT), texts),
    Case("TextClassifier urns", lambda: sf.TextClassifier("dirichlet_multinomial", **TEXT), texts),
    Case(
        "TextClassifier pairs",
        lambda: sf.TextClassifier(
            term_weighting=sf.TermWeighting(sublinear_tf=True), **{**TEXT, "ngram_range": (1, 2)}
        ),
        texts,
    ),
    Case("LanguageModel", lambda: sf.LanguageModel(alpha=0.1, ngram_range=(1, 2)), texts),
]
