"""One small model of each kind that a file can hold, with rows to ask it about."""

from typing import Any

import numpy as np

import suffice as sf
from suffice.concepts import is_prime

RNG = np.random.default_rng(0)
Y = np.array(["ham", "spam", "ham", "spam", "eggs", "eggs", "ham", "spam"])
COUNTS = np.array([[2, 0, 1], [0, 3, 0], [1, 0, 0], [0, 1, 2], [4, 4, 0], [5, 3, 1], [2, 1, 0], [0, 2, 2]])
REALS = np.array([[0.1, 5.0], [2.5, 4.0], [0.3, 6.0], [2.1, 3.5], [9.0, 0.0], [8.5, -1.0], [0.0, 5.5], [2.2, 4.4]])
SPREAD = np.vstack([REALS, 1.1 * REALS + [0.3, -0.2], REALS[:, ::-1]])
NAMES = np.array([["red", "s"], ["blue", "l"], ["red", "m"], ["blue", "l"]] * 2)
TEXTS = [
    "lunch at noon, lunch for two",
    "cheap cheap pills now",
    "shall we have lunch",
    "pills and watches, cheap watches",
    "fried eggs and ham",
    "ham ham and eggs at noon",
    "noon it is",
    "buy now, cheap",
]
TABLE: dict[str, Any] = {
    "flag": [True, False, True, None, True, False, True, False],
    "colour": ["red", "blue", None, "blue", "green", "green", "red", "blue"],
    "size": [1.5, 2.5, None, 3.25, 9.0, 8.0, 1.0, 2.0],
    "wait": [0.5, 7.25, 0.75, 6.5, 1.0, 1.5, 0.25, None],
    "events": [0, 3, 1, 4, None, 2, 0, 3],
    "note": [*TEXTS[:7], None],
    "nothing": [None] * 8,
}
KINDS: dict[str, Any] = {
    "flag": sf.columns.Bernoulli(prior=sf.Beta(2, 3)),
    "colour": sf.columns.Categorical(alpha=0.5, other=0.0),
    "size": sf.columns.Gaussian(prior=sf.NormalInverseGamma(0.0, 0.1, 2.0, 2.0)),
    "wait": sf.columns.Histogram(edges=(0.0, 2.0, 8.0)),
    "events": sf.columns.Poisson(prior=sf.Gamma(2.0, 1.0)),
    "note": sf.columns.Text(alpha="evidence", ngram_range=(1, 2)),
}


RULES: dict[str, Any] = {
    "primes": is_prime,
    "even": lambda n: n % 2 == 0,
    "small": (lambda n: n < 10, 3.0),
    "squares": {1, 4, 9, 16, 25, 36},
}
ANIMALS: dict[Any, Any] = {
    "dogs": ["beagle", ("poodle", 2)],
    3: ["beagle", ("poodle", 2), "cat", -1.5],
    ("all", True): ["beagle", ("poodle", 2), "cat", -1.5, None, 7],
}


def models() -> dict[str, tuple[Any, Any]]:
    """Return each fitted model by name, with its rows."""
    many, found = TEXTS * 26, np.tile(Y, 26)
    select = sf.SelectInformative(2, estimator=sf.MultinomialNB(alpha=0.5)).fit(COUNTS, Y)
    some = np.where(np.arange(8) < 6, Y, "").astype(object)
    some[6:] = None
    partly = sf.SemiSupervised(sf.TextClassifier(alpha=0.5), unlabelled_weight="loo").fit(TEXTS, some)
    clusters = sf.Mixture(sf.GaussianNB(), "bic", max_components=3, random_state=0).fit(REALS)
    return {
        "bernoulli": (sf.BernoulliNB(alpha=sf.Beta(1, 2)).fit(COUNTS, Y), COUNTS),
        "categorical": (sf.CategoricalNB().fit(NAMES, Y), NAMES),
        "categorical_codes": (sf.CategoricalNB(alpha="evidence").fit(COUNTS, Y), COUNTS),
        "complement": (sf.ComplementNB(norm=True).fit(COUNTS, Y), COUNTS),
        "dirichlet_multinomial": (sf.DirichletMultinomialNB(method="edcm").fit(COUNTS, Y), COUNTS),
        "discriminant": (sf.GaussianDiscriminant().fit(SPREAD, np.tile(Y, 3)), REALS),
        "discriminant_diagonal": (
            sf.GaussianDiscriminant("diagonal", prior=sf.NormalInverseGamma(0.0, 0.1, 2.0, 2.0)).fit(REALS, Y),
            REALS,
        ),
        "linear_analysis": (sf.LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]).fit(REALS, Y), REALS),
        "quadratic_analysis": (
            sf.QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(SPREAD, np.tile(Y, 3)),
            REALS,
        ),
        "gaussian": (sf.GaussianNB(priors=[0.2, 0.3, 0.5], temper=0.5).fit(REALS, Y), REALS),
        "multinomial": (
            sf.MultinomialNB(alpha=[0.5, 1, 2], class_prior=sf.Dirichlet([1, 2, 3])).fit(COUNTS, Y),
            COUNTS,
        ),
        "multinomial_weighed": (
            sf.MultinomialNB(alpha="loo", temper="loo", feature_powers="loo").fit(np.tile(COUNTS, (26, 1)), found),
            COUNTS,
        ),
        "exponential": (sf.ExponentialNB(alpha=sf.WaitingRate(2.0, 1.0)).fit(COUNTS, Y), COUNTS),
        "poisson": (sf.PoissonNB(alpha=sf.Gamma(1.0, 1.0)).fit(COUNTS, Y), COUNTS),
        "table": (sf.NaiveBayes(KINDS).fit(TABLE, Y), TABLE),
        "text": (sf.TextClassifier().fit(many, found), TEXTS),
        "text_pairs": (
            sf.TextClassifier(effort="best", tokens=sf.Tokens(stop_words=["at", "it"])).fit(many, found),
            TEXTS,
        ),
        "text_hashed": (sf.TextClassifier(tokens=sf.Tokens(hash_bits=6)).fit(many, found), TEXTS),
        "text_urns": (sf.TextClassifier("dirichlet_multinomial").fit(TEXTS, Y), TEXTS),
        "text_transformed": (
            sf.TextClassifier(
                "complement", term_weighting=sf.TermWeighting(sublinear_tf=True, use_idf=True, normalize=True)
            ).fit(TEXTS, Y),
            TEXTS,
        ),
        "journal_categories": (sf.CategoricalNB().fit(NAMES, Y, journal=True), NAMES),
        "journal_counts": (sf.MultinomialNB().fit(COUNTS, Y, np.arange(1, 9) / 2, journal=True), COUNTS),
        "journal_table": (sf.NaiveBayes(KINDS).fit(TABLE, Y, journal="a key"), TABLE),
        "journal_texts": (sf.TextClassifier().fit(TEXTS, Y, journal=b"a key"), TEXTS),
        "text_bernoulli": (sf.TextClassifier("bernoulli", min_df=2).fit(TEXTS, Y), TEXTS),
        "language": (sf.LanguageModel(alpha=0.5).fit(TEXTS), TEXTS),
        "language_backed": (
            sf.LanguageModel(["Lunch", "Tea"], background=sf.LanguageModel().fit(TEXTS)).fit(TEXTS[:3]),
            TEXTS,
        ),
        "mixture": (clusters, REALS),
        "select": (select, COUNTS),
        "semi_supervised": (partly, TEXTS),
        "number_game": (
            sf.NumberGame("intervals", rules=RULES, numbers=range(1, 41)).observe([16, 4]).answer([36], False),
            list(range(1, 41)),
        ),
        "concepts": (
            sf.ConceptLearner(ANIMALS, [1, 2, 5], sampling="weak", noise=0.1).observe(["beagle", "cat"]),
            ["cat", ("poodle", 2), None, 7],
        ),
        "rectangles": (sf.Rectangles().observe(REALS[:4]), REALS),
        "rectangles_sized": (sf.Rectangles([2.0, 0.1]).observe(REALS[:1]), REALS),
        "vectorizer": (sf.CountVectorizer(ngram_range=(1, 2)).fit(TEXTS), TEXTS),
    }


def answer(model: Any, rows: Any) -> Any:
    """Return what a model says of rows, as an array."""
    if hasattr(model, "predict_joint_log_proba"):
        return model.predict_joint_log_proba(rows)
    if hasattr(model, "transform"):
        out = model.transform(rows)
        return out.toarray() if hasattr(out, "toarray") else out
    for name in ("predict_log_proba", "score_samples", "membership"):
        if hasattr(model, name):
            return getattr(model, name)(rows)
    return model.log_prob(rows)
