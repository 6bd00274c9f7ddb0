"""Every case whose outputs are frozen. A parameter that gets another name is changed here, and nowhere else."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import suffice as sf
from golden.data import (
    Data,
    category_codes,
    category_names,
    counts,
    data_of,
    flags,
    found,
    mixed,
    reals,
    texts,
)

TEMPERED = ("alpha", "as it comes", "bernoulli loo", "best", "fast", "hashed, loo", "tempered")
INTENDED: dict[str, str] = {
    "NaiveBayes*/fitted/interval sampled*": "parameters of tables are drawn in another order",
    **{
        f"TextClassifier {name}/fitted/interval*": "intervals of texts are those of tempered scores"
        for name in TEMPERED
    },
    "NaiveBayes best/held out/alone/probabilities*": "weights fitted without a row end within 2e-9 of where they did",
    "*/temper_/prior": "a power of the class prior, which is 1 unless EM with few labels chose it",
    "ComplementNB*/fitted/attributes/weights_": "complements have no weights of features, not even None",
    **{
        f"Mixture of declared tables/clusters/{name}*": "ln p(x) has the density that bins are relative to"
        for name in ("bic", "score_samples")
    },
}
"""Differences that are wanted: a pattern of case/part/output (as of a shell: * is anything), and the reason."""


@dataclass(frozen=True)
class Case:
    """A classifier, and the rows that it learns."""

    name: str
    make: Callable[[], Any]
    rows: Callable[[np.random.Generator, Any], Any]
    n: int = 90
    quick: bool = False  # whether the quick run has it, too

    def __str__(self) -> str:
        return self.name

    @property
    def slug(self) -> str:
        """The name of its files."""
        return slug(self.name)

    def data(self) -> Data:
        """Return its rows."""
        return data_of(self.rows, self.n)


def slug(name: str) -> str:
    """Return a name as the name of a file."""
    return re.sub(r"\W+", "_", name).strip("_").lower()


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
FIXED: dict[str, Any] = {
    "flag": sf.columns.Bernoulli(prior=sf.Beta(2, 3)),
    "colour": sf.columns.Categorical(alpha=2.0, other=2.0),
    "size": sf.columns.Gaussian(prior=sf.NormalInverseGamma(0.5, 0.5, 3.0, 2.0)),
    "wait": sf.columns.Histogram(edges=(0.0, 1.0, 2.0, 4.0)),
    "events": sf.columns.Poisson(prior=sf.Gamma(2.0, 1.0)),
    "note": sf.columns.Text(alpha=1.5, ngram_range=(1, 2)),
}
BELIEF = sf.NormalInverseGamma(0.0, 0.1, 2.0, 2.0)
VECTORS = sf.NormalInverseWishart([300.0] * 3, 1e-4, 5.0, 2.0 * np.eye(3))
FLAT = sf.NormalInverseWishart([0.0] * 3, 0.0, 3.5, 2.0 * np.eye(3))
SHARES = [0.2, 0.3, 0.5]
MANY, COLUMNS, WORDS = 150, 300, 700
"""Rows for what is chosen by rows: for all of a row, for each column, for each word."""

MATRICES = [
    Case("BernoulliNB", lambda: sf.BernoulliNB(), flags, quick=True),
    Case("BernoulliNB tempered", lambda: sf.BernoulliNB(temper=0.3), flags),
    Case("BernoulliNB evidence", lambda: sf.BernoulliNB(alpha="evidence"), flags),
    Case("BernoulliNB map", lambda: sf.BernoulliNB(alpha=sf.Beta(2, 3), estimate="map"), flags),
    Case("BernoulliNB mle", lambda: sf.BernoulliNB(estimate="mle", fit_prior=False), flags),
    Case("BernoulliNB predictive", lambda: sf.BernoulliNB(estimate="predictive", class_prior=SHARES), flags),
    Case("BernoulliNB loo", lambda: sf.BernoulliNB(alpha="loo", temper="loo"), flags, MANY),
    Case("CategoricalNB", lambda: sf.CategoricalNB(), category_codes, quick=True),
    Case("CategoricalNB by name", lambda: sf.CategoricalNB(), category_names, quick=True),
    Case("CategoricalNB evidence", lambda: sf.CategoricalNB(alpha="evidence"), category_names),
    Case("CategoricalNB map", lambda: sf.CategoricalNB(alpha=2.0, estimate="map"), category_names),
    Case("CategoricalNB mle", lambda: sf.CategoricalNB(estimate="mle"), category_codes),
    Case("CategoricalNB room", lambda: sf.CategoricalNB(min_categories=12, estimate="predictive"), category_codes),
    Case("CategoricalNB loo", lambda: sf.CategoricalNB(alpha="loo", temper="loo"), category_names, MANY),
    Case("ComplementNB", lambda: sf.ComplementNB(), counts, quick=True),
    Case("ComplementNB norm", lambda: sf.ComplementNB(norm=True), counts),
    Case("ComplementNB loo", lambda: sf.ComplementNB(alpha="loo", temper="loo"), counts, MANY),
    Case("DirichletMultinomialNB", lambda: sf.DirichletMultinomialNB(class_prior="counted"), counts, quick=True),
    Case(
        "DirichletMultinomialNB edcm", lambda: sf.DirichletMultinomialNB(method="edcm", class_prior="counted"), counts
    ),
    Case(
        "DirichletMultinomialNB loo",
        lambda: sf.DirichletMultinomialNB(temper="loo", class_prior="counted"),
        counts,
        MANY,
    ),
    Case("GaussianNB", lambda: sf.GaussianNB(), reals, quick=True),
    Case("GaussianNB t", lambda: sf.GaussianNB(estimate="predictive", prior=BELIEF), reals),
    Case("GaussianNB map", lambda: sf.GaussianNB(estimate="map", prior=BELIEF, var_smoothing=0), reals),
    Case("GaussianNB mean", lambda: sf.GaussianNB(estimate="mean", prior=BELIEF, priors=SHARES), reals),
    Case("GaussianNB evidence", lambda: sf.GaussianNB(estimate="predictive", prior="evidence"), reals),
    Case("GaussianNB loo", lambda: sf.GaussianNB(temper="loo"), reals, MANY),
    Case("MultinomialNB", lambda: sf.MultinomialNB(), counts, quick=True),
    Case("MultinomialNB predictive", lambda: sf.MultinomialNB(estimate="predictive"), counts),
    Case("MultinomialNB map", lambda: sf.MultinomialNB(alpha=[2, 3, 1, 2, 2], estimate="map"), counts),
    Case("MultinomialNB mle", lambda: sf.MultinomialNB(estimate="mle"), counts),
    Case("MultinomialNB believed", lambda: sf.MultinomialNB(class_prior=sf.Dirichlet([2, 1, 3])), counts),
    Case("MultinomialNB tempered", lambda: sf.MultinomialNB(temper=0.7, length_exponent=0.4), counts),
    Case("MultinomialNB evidence", lambda: sf.MultinomialNB(alpha="evidence"), counts),
    Case("MultinomialNB loo", lambda: sf.MultinomialNB(alpha="loo", temper="loo"), counts, MANY),
    Case(
        "MultinomialNB weights",
        lambda: sf.MultinomialNB(alpha="loo", temper="loo", feature_powers="loo"),
        counts,
        MANY,
        quick=True,
    ),
    Case("MultinomialNB ridge", lambda: sf.MultinomialNB(feature_powers="loo", ridge=2.0), counts, MANY),
    Case("PoissonNB", lambda: sf.PoissonNB(class_prior="counted"), counts, quick=True),
    Case("PoissonNB as it comes", lambda: sf.PoissonNB(), counts),
    Case("PoissonNB believed", lambda: sf.PoissonNB(alpha=2.0, estimate="map", class_prior=2.5), counts),
    Case("PoissonNB mean", lambda: sf.PoissonNB(estimate="mean", class_prior="counted"), counts),
    Case("PoissonNB map", lambda: sf.PoissonNB(alpha=sf.Gamma(2, 3), estimate="map", class_prior="counted"), counts),
    Case("PoissonNB evidence", lambda: sf.PoissonNB(alpha="evidence", class_prior="counted"), counts),
    Case("PoissonNB loo", lambda: sf.PoissonNB(alpha="loo", temper="loo", class_prior="counted"), counts, MANY),
]
DISCRIMINANTS = [
    Case(
        "discriminant full",
        lambda: sf.GaussianDiscriminant(prior=VECTORS, temper=None, class_prior="counted"),
        reals,
        quick=True,
    ),
    Case(
        "discriminant full, believed",
        lambda: sf.GaussianDiscriminant(prior=VECTORS, class_prior=sf.Dirichlet([2, 1, 3]), temper=None),
        reals,
    ),
    Case(
        "discriminant full, flat",
        lambda: sf.GaussianDiscriminant(prior=FLAT, temper=None, class_prior="counted"),
        reals,
    ),
    Case(
        "discriminant full, mle",
        lambda: sf.GaussianDiscriminant(estimate="mle", temper=None, class_prior="counted"),
        reals,
    ),
    Case(
        "discriminant full, map",
        lambda: sf.GaussianDiscriminant(estimate="map", prior=VECTORS, temper=None, class_prior="counted"),
        reals,
    ),
    Case(
        "discriminant full, mean",
        lambda: sf.GaussianDiscriminant(estimate="mean", prior=VECTORS, temper=0.5, class_prior="counted"),
        reals,
    ),
    Case(
        "discriminant full, evidence",
        lambda: sf.GaussianDiscriminant(prior="evidence", temper=None, class_prior="counted"),
        reals,
    ),
    Case("discriminant full, loo", lambda: sf.GaussianDiscriminant(class_prior="counted"), reals, MANY, quick=True),
    Case(
        "discriminant shared",
        lambda: sf.GaussianDiscriminant(covariance="shared", prior=VECTORS, temper=None, class_prior="counted"),
        reals,
        quick=True,
    ),
    Case(
        "discriminant shared, flat",
        lambda: sf.GaussianDiscriminant(covariance="shared", prior=FLAT, temper=None, class_prior="counted"),
        reals,
    ),
    Case(
        "discriminant shared, mle",
        lambda: sf.GaussianDiscriminant(covariance="shared", estimate="mle", class_prior=SHARES, temper=None),
        reals,
    ),
    Case(
        "discriminant shared, map",
        lambda: sf.GaussianDiscriminant(
            covariance="shared", estimate="map", prior=VECTORS, temper=None, class_prior="counted"
        ),
        reals,
    ),
    Case(
        "discriminant shared, mean",
        lambda: sf.GaussianDiscriminant(
            covariance="shared", estimate="mean", prior=VECTORS, temper=None, class_prior="counted"
        ),
        reals,
    ),
    Case(
        "discriminant shared, evidence",
        lambda: sf.GaussianDiscriminant(covariance="shared", prior="evidence", temper=None, class_prior="counted"),
        reals,
    ),
    Case(
        "discriminant shared, loo",
        lambda: sf.GaussianDiscriminant(covariance="shared", class_prior="counted"),
        reals,
        MANY,
    ),
    Case(
        "discriminant diagonal",
        lambda: sf.GaussianDiscriminant(covariance="diagonal", prior=BELIEF, temper=None, class_prior="counted"),
        reals,
        quick=True,
    ),
    Case(
        "discriminant diagonal, map",
        lambda: sf.GaussianDiscriminant(
            covariance="diagonal", estimate="map", prior=BELIEF, temper=None, class_prior="counted"
        ),
        reals,
    ),
    Case(
        "discriminant diagonal, loo",
        lambda: sf.GaussianDiscriminant(covariance="diagonal", class_prior="counted"),
        reals,
        MANY,
    ),
    Case("linear analysis", lambda: sf.LinearDiscriminantAnalysis(), reals, quick=True),
    Case("linear analysis, lsqr", lambda: sf.LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"), reals),
    Case(
        "linear analysis, eigen",
        lambda: sf.LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.2, priors=SHARES, n_components=1),
        reals,
    ),
    Case("linear analysis, loo", lambda: sf.LinearDiscriminantAnalysis(temper="loo"), reals, MANY),
    Case("quadratic analysis", lambda: sf.QuadraticDiscriminantAnalysis(), reals, quick=True),
    Case("quadratic analysis, held", lambda: sf.QuadraticDiscriminantAnalysis(reg_param=0.1, priors=SHARES), reals),
    Case(
        "quadratic analysis, eigen",
        lambda: sf.QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
        reals,
    ),
]
PLAIN: dict[str, Any] = {"temper": None, "feature_powers": None}
TABLES = [
    Case("NaiveBayes", lambda: sf.NaiveBayes(columns=KINDS, class_prior="counted", **PLAIN), mixed, quick=True),
    Case(
        "NaiveBayes mean", lambda: sf.NaiveBayes(columns=KINDS, estimate="mean", class_prior="counted", **PLAIN), mixed
    ),
    Case(
        "NaiveBayes map",
        lambda: sf.NaiveBayes(columns={**FIXED, "wait": "drop"}, estimate="map", class_prior="counted", **PLAIN),
        mixed,
    ),
    Case("NaiveBayes mle", lambda: sf.NaiveBayes(columns=KINDS, estimate="mle", class_prior="counted", **PLAIN), mixed),
    Case("NaiveBayes fixed", lambda: sf.NaiveBayes(columns=FIXED, class_prior="uniform", **PLAIN), mixed),
    Case(
        "NaiveBayes believed",
        lambda: sf.NaiveBayes(columns=FIXED, estimate="mean", class_prior=sf.Dirichlet([2, 1, 3]), **PLAIN),
        mixed,
    ),
    Case(
        "NaiveBayes strict", lambda: sf.NaiveBayes(columns=KINDS, unseen="error", class_prior="counted", **PLAIN), mixed
    ),
    Case(
        "NaiveBayes tempered",
        lambda: sf.NaiveBayes(columns=KINDS, temper=0.5, feature_powers=None, class_prior="counted"),
        mixed,
    ),
    Case(
        "NaiveBayes evidence", lambda: sf.NaiveBayes(columns=LEARNED, class_prior="counted", **PLAIN), mixed, quick=True
    ),
    Case(
        "NaiveBayes as it comes", lambda: sf.NaiveBayes(class_prior="counted", joint=None), found, COLUMNS, quick=True
    ),
    Case("NaiveBayes as it comes, few rows", lambda: sf.NaiveBayes(class_prior="counted", joint=None), found, 60),
    Case(
        "NaiveBayes declared, loo",
        lambda: sf.NaiveBayes(columns=KINDS, class_prior="counted", joint=None),
        mixed,
        COLUMNS,
    ),
    Case(
        "NaiveBayes evidence, loo",
        lambda: sf.NaiveBayes(columns=LEARNED, ridge=2.0, class_prior="counted", joint=None),
        mixed,
        MANY,
    ),
    Case(
        "NaiveBayes ridge",
        lambda: sf.NaiveBayes(estimate="mean", temper=None, ridge=3.0, class_prior="counted", joint=None),
        found,
        MANY,
    ),
    Case("NaiveBayes fast", lambda: sf.NaiveBayes(effort="fast", class_prior="counted"), found, MANY),
    Case("NaiveBayes best", lambda: sf.NaiveBayes(effort="best", class_prior="counted", joint=None), mixed, COLUMNS),
    Case("NaiveBayes of numbers", lambda: sf.NaiveBayes(class_prior="counted", joint=None), reals, MANY),
    Case("NaiveBayes of counts", lambda: sf.NaiveBayes(class_prior="counted", joint=None), counts, MANY),
]
UNTOLD: dict[str, Any] = {"alpha": 1.0, "temper": None, "feature_powers": None}
TEXTS = [
    Case("TextClassifier", lambda: sf.TextClassifier(class_prior="counted", **UNTOLD), texts, quick=True),
    Case(
        "TextClassifier as often",
        lambda: sf.TextClassifier(term_weighting=sf.TermWeighting(sublinear_tf=False), class_prior="counted", **UNTOLD),
        texts,
    ),
    Case(
        "TextClassifier sublinear",
        lambda: sf.TextClassifier(term_weighting=sf.TermWeighting(sublinear_tf=True), class_prior="counted", **UNTOLD),
        texts,
    ),
    Case(
        "TextClassifier transformed",
        lambda: sf.TextClassifier(
            "complement",
            term_weighting=sf.TermWeighting(sublinear_tf=False, use_idf=True, normalize=True),
            temper=None,
            class_prior="counted",
        ),
        texts,
    ),
    Case(
        "TextClassifier binary",
        lambda: sf.TextClassifier(tokens=sf.Tokens(binary=True), class_prior="counted", **UNTOLD),
        texts,
    ),
    Case(
        "TextClassifier predictive",
        lambda: sf.TextClassifier(estimate="predictive", temper=None, class_prior="counted"),
        texts,
    ),
    Case(
        "TextClassifier map",
        lambda: sf.TextClassifier(alpha=1.5, estimate="map", class_prior="counted", **PLAIN),
        texts,
    ),
    Case("TextClassifier mle", lambda: sf.TextClassifier(estimate="mle", class_prior="counted", **PLAIN), texts),
    Case("TextClassifier evidence", lambda: sf.TextClassifier(alpha="evidence", class_prior="counted", **PLAIN), texts),
    Case(
        "TextClassifier tempered",
        lambda: sf.TextClassifier(
            alpha=1.0, feature_powers=None, temper=0.7, length_exponent=0.4, class_prior="counted"
        ),
        texts,
    ),
    Case("TextClassifier believed", lambda: sf.TextClassifier(class_prior=1.0, **UNTOLD), texts),
    Case("TextClassifier shares", lambda: sf.TextClassifier(class_prior=SHARES, **UNTOLD), texts),
    Case(
        "TextClassifier hashed",
        lambda: sf.TextClassifier(tokens=sf.Tokens(hash_bits=6), class_prior="counted", **UNTOLD),
        texts,
        quick=True,
    ),
    Case(
        "TextClassifier hashed, loo",
        lambda: sf.TextClassifier(tokens=sf.Tokens(hash_bits=6), class_prior="counted"),
        texts,
        WORDS,
    ),
    Case(
        "TextClassifier bernoulli",
        lambda: sf.TextClassifier("bernoulli", temper=None, class_prior="counted"),
        texts,
        quick=True,
    ),
    Case(
        "TextClassifier bernoulli evidence",
        lambda: sf.TextClassifier("bernoulli", alpha="evidence", temper=None, class_prior="counted"),
        texts,
    ),
    Case(
        "TextClassifier bernoulli loo",
        lambda: sf.TextClassifier("bernoulli", alpha="loo", class_prior="counted"),
        texts,
        MANY,
    ),
    Case(
        "TextClassifier complement",
        lambda: sf.TextClassifier("complement", temper=None, class_prior="counted"),
        texts,
        quick=True,
    ),
    Case(
        "TextClassifier complement norm",
        lambda: sf.TextClassifier(
            "complement",
            term_weighting=sf.TermWeighting(norm=True, sublinear_tf=True, use_idf=True, normalize=True),
            class_prior="counted",
        ),
        texts,
        MANY,
    ),
    Case(
        "TextClassifier urns",
        lambda: sf.TextClassifier("dirichlet_multinomial", temper=None, class_prior="counted"),
        texts,
        quick=True,
    ),
    Case(
        "TextClassifier urns, loo",
        lambda: sf.TextClassifier("dirichlet_multinomial", class_prior="counted"),
        texts,
        MANY,
    ),
    Case("TextClassifier edcm", lambda: sf.TextClassifier("edcm", temper=None, class_prior="counted"), texts),
    Case("TextClassifier as it comes", lambda: sf.TextClassifier(class_prior="counted"), texts, WORDS, quick=True),
    Case("TextClassifier fast", lambda: sf.TextClassifier(effort="fast", class_prior="counted"), texts, MANY),
    Case(
        "TextClassifier best", lambda: sf.TextClassifier(effort="best", min_df=5, class_prior="counted"), texts, WORDS
    ),
    Case(
        "TextClassifier alpha",
        lambda: sf.TextClassifier(alpha="loo", feature_powers=None, class_prior="counted"),
        texts,
        MANY,
    ),
    Case(
        "TextClassifier ridge",
        lambda: sf.TextClassifier(alpha=0.5, temper=None, ridge=3.0, class_prior="counted"),
        texts,
        WORDS,
    ),
    Case(
        "TextClassifier pairs",
        lambda: sf.TextClassifier(ngram_range=(1, 2), min_df=2, class_prior="counted", **UNTOLD),
        texts,
    ),
    Case(
        "TextClassifier letters",
        lambda: sf.TextClassifier(
            tokens=sf.Tokens(analyzer="char_wb"), ngram_range=(2, 2), class_prior="counted", **UNTOLD
        ),
        texts,
    ),
    Case(
        "TextClassifier chosen words",
        lambda: sf.TextClassifier(
            tokens=sf.Tokens(stop_words=["bara", "coti"], strip_accents="unicode"),
            max_features=20,
            class_prior="counted",
            **UNTOLD,
        ),
        texts,
    ),
    Case(
        "TextClassifier cut",
        lambda: sf.TextClassifier(
            min_df=4, tokens=sf.Tokens(max_df=0.4, lowercase=False), class_prior="counted", **UNTOLD
        ),
        texts,
    ),
]
CASES = [*MATRICES, *DISCRIMINANTS, *TABLES, *TEXTS]

SLOW = {
    ("DirichletMultinomialNB", "changed"),
    ("DirichletMultinomialNB", "partly labelled"),
    ("MultinomialNB weights", "held out"),
    ("MultinomialNB weights", "changed"),
    ("MultinomialNB weights", "partly labelled"),
    ("discriminant full, loo", "held out"),
    ("discriminant full, loo", "changed"),
    ("discriminant full, loo", "partly labelled"),
    ("NaiveBayes", "partly labelled"),
    ("NaiveBayes evidence", "held out"),
    ("NaiveBayes evidence", "changed"),
    ("NaiveBayes evidence", "partly labelled"),
    ("NaiveBayes as it comes", "held out"),
    ("NaiveBayes as it comes", "partly labelled"),
    ("TextClassifier urns", "changed"),
    ("TextClassifier as it comes", "held out"),
    ("TextClassifier as it comes", "partly labelled"),
    ("compare tables", "answers"),
}
"""What of the quick cases only the thorough run has."""

ONLY_OUTPUTS = {"NaiveBayes believed", "NaiveBayes fast", "NaiveBayes ridge"}
"""Cases of which no model file is kept: they are large, and others are like them."""

NO_MODEL_OF_ROWS = {
    *(case.name for case in CASES if "omplement" in case.name or "analysis" in case.name),
    "TextClassifier urns",
    "TextClassifier urns, loo",
    "TextClassifier edcm",
    "discriminant full, mle",
}
"""Cases that EM refuses."""


@dataclass(frozen=True)
class Clusters:
    """A mixture, and the rows that it finds clusters of."""

    name: str
    make: Callable[[], Any]
    rows: Callable[[np.random.Generator, Any], Any]
    quick: bool = False

    def __str__(self) -> str:
        return self.name


def options(**more: Any) -> dict[str, Any]:
    """Return what mixtures have in common."""
    return {"n_init": 2, "max_iter": 30, "random_state": 0, **more}


MIXTURES = [
    Clusters("of flags", lambda: sf.Mixture(sf.BernoulliNB(), n_components=2, **options()), flags, quick=True),
    Clusters("of names", lambda: sf.Mixture(sf.CategoricalNB(), n_components=3, **options()), category_names),
    Clusters("of counts", lambda: sf.Mixture(sf.MultinomialNB(), n_components=3, **options()), counts),
    Clusters(
        "of rates",
        lambda: sf.Mixture(sf.PoissonNB(alpha="evidence", class_prior="counted"), n_components=2, **options()),
        counts,
    ),
    Clusters("of numbers", lambda: sf.Mixture(sf.GaussianNB(), n_components="bic", **options(max_components=4)), reals),
    Clusters(
        "of vectors",
        lambda: sf.Mixture(sf.GaussianDiscriminant(class_prior="counted"), n_components=3, **options()),
        reals,
    ),
    Clusters(
        "of vectors by evidence",
        lambda: sf.Mixture(
            sf.GaussianDiscriminant(class_prior="counted"), n_components="evidence", **options(max_components=3)
        ),
        reals,
    ),
    Clusters(
        "of vectors, shared",
        lambda: sf.Mixture(
            sf.GaussianDiscriminant(covariance="shared", class_prior="counted"), n_components=2, **options()
        ),
        reals,
    ),
    Clusters(
        "of texts",
        lambda: sf.Mixture(sf.TextClassifier(class_prior="counted"), n_components=2, **options()),
        texts,
        quick=True,
    ),
    Clusters("of tables", lambda: sf.Mixture(sf.NaiveBayes(class_prior="counted"), n_components=2, **options()), mixed),
    Clusters(
        "of declared tables",
        lambda: sf.Mixture(sf.NaiveBayes(columns=LEARNED, class_prior="counted"), n_components=2, **options()),
        mixed,
    ),
]


def semi_supervised(case: Case, **more: Any) -> Any:
    """Return EM over a classifier, for a few steps."""
    return sf.SemiSupervised(case.make(), **{"max_iter": 5, "tol": 0.0, **more})


LANGUAGES: dict[str, Callable[[], Any]] = {
    "open": lambda: sf.LanguageModel(),
    "sharp": lambda: sf.LanguageModel(alpha=0.1, ngram_range=(1, 2)),
    "closed": lambda: sf.LanguageModel(vocabulary=["bara", "bati", "cono"], alpha=[1.0, 2.0, 0.5, 0.5]),
}
SELECTIONS: dict[str, tuple[Callable[[], Any], Any]] = {
    "default": (lambda: sf.SelectInformative(2), flags),
    "counts": (lambda: sf.SelectInformative(2, estimator=sf.MultinomialNB(alpha=0.5)), counts),
    "rates": (lambda: sf.SelectInformative(3, estimator=sf.PoissonNB(class_prior="counted")), counts),
    "codes": (lambda: sf.SelectInformative(1, estimator=sf.CategoricalNB()), category_codes),
    "complement": (lambda: sf.SelectInformative(2, estimator=sf.ComplementNB()), counts),
}
COMPARED: dict[str, tuple[dict[str, Callable[[], Any]], Any]] = {
    "counts": (
        {"plain": lambda: sf.MultinomialNB(), "strong": lambda: sf.MultinomialNB(alpha=10.0)},
        counts,
    ),
    "vectors": (
        {
            "full": lambda: sf.GaussianDiscriminant(prior=VECTORS, temper=None, class_prior="counted"),
            "shared": lambda: sf.GaussianDiscriminant(
                covariance="shared", prior=VECTORS, temper=None, class_prior="counted"
            ),
        },
        reals,
    ),
    "tables": (
        {
            "plain": lambda: sf.NaiveBayes(columns=KINDS, class_prior="counted", **PLAIN),
            "learned": lambda: sf.NaiveBayes(columns=LEARNED, class_prior="counted", **PLAIN),
        },
        mixed,
    ),
    "texts": (
        {
            "plain": lambda: sf.TextClassifier(class_prior="counted", **UNTOLD),
            "evidence": lambda: sf.TextClassifier(alpha="evidence", class_prior="counted", **PLAIN),
        },
        texts,
    ),
}
VECTORIZERS: dict[str, Callable[[], Any]] = {
    "plain": lambda: sf.CountVectorizer(),
    "pairs": lambda: sf.CountVectorizer(ngram_range=(1, 2), min_df=2, strip_accents="unicode"),
}
