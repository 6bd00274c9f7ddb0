"""Beliefs in the place of pseudo-counts: Dirichlets of categories and of words, a Beta of words that are there."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

import suffice as sf
from estimators.plain import TextClassifier
from suffice.errors import NoUniqueMode, PriorError

RNG = np.random.default_rng(5)
SIZES = [3, 2, 4]
CODES = RNG.integers(0, 2, 60)
X = np.stack([(RNG.integers(0, size, 60) + CODES * (RNG.random(60) < 0.5)) % size for size in SIZES], axis=1)
Y = np.array(["a", "b"])[CODES]
DIRICHLETS = [sf.Dirichlet([1.5, 2.0, 3.0]), sf.Dirichlet([2.0, 2.0]), sf.Dirichlet([1.25, 4.0, 1.5, 2.5])]

WORDS = ["tea", "zebra", "rum", "apple", "soup"]
ALPHA = np.array([1.5, 2.0, 3.0, 1.25, 4.0])
TEXTS = [" ".join(RNG.choice(["tea", "rum", "soup", "milk"], RNG.integers(1, 7), p=p)) for p in
         np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.4, 0.2, 0.3]])[CODES]]  # fmt: skip
NEW = [*TEXTS[:12], "", "zebra tea tea", "apple milk unheardof soup"]


def word_counts(texts: list[str]) -> Any:
    return np.array([[text.split().count(word) for word in WORDS] for text in texts], float)


def by_class(table: Any) -> Any:
    return np.array([table[label == Y].sum(axis=0) for label in ("a", "b")])


N, T, D = np.array([(Y == "a").sum(), (Y == "b").sum()]), by_class(word_counts(TEXTS)), by_class(word_counts(TEXTS) > 0)


def normalized(scores: Any) -> Any:
    joint = scores + np.log(N / N.sum())
    return joint - logsumexp(joint, axis=1, keepdims=True)


# categories ----------------------------------------------------------------------------------------------------------


def theta_of(j: int, rows: Any, y: Any, estimate: str) -> Any:
    counts = np.array([np.bincount(rows[y == label, j], minlength=SIZES[j]) for label in ("a", "b")], float)
    alpha = DIRICHLETS[j].alpha
    more = {"mle": 0 * alpha, "map": alpha - 1, "mean": alpha, "predictive": alpha}[estimate]
    return (counts + more) / (counts + more).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
def test_each_column_has_its_dirichlet(estimate: Any) -> None:
    model = sf.CategoricalNB(alpha=DIRICHLETS, estimate=estimate).fit(X, Y)
    expected = 0.0
    for j in range(3):
        theta = theta_of(j, X, Y, estimate)
        np.testing.assert_allclose(np.exp(model.feature_log_prob_[j]), theta, rtol=1e-12)
        expected = expected + np.log(theta).T[X[:, j]]
    np.testing.assert_allclose(model.predict_log_proba(X), normalized(expected), rtol=1e-9, atol=1e-12)
    assert model.alpha_ is DIRICHLETS


def test_one_dirichlet_is_that_of_every_column() -> None:
    two = X[:, [1, 1]]
    model = sf.CategoricalNB(alpha=sf.Dirichlet([3.0, 0.5])).fit(two, Y)
    listed = sf.CategoricalNB(alpha=[sf.Dirichlet([3.0, 0.5])] * 2).fit(two, Y)
    np.testing.assert_array_equal(model.predict_proba(two), listed.predict_proba(two))
    counts = np.array([np.bincount(X[label == Y, 1], minlength=2) for label in ("a", "b")]) + np.array([3.0, 0.5])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[1]), counts / counts.sum(axis=1, keepdims=True))
    assert model.alpha_ == sf.Dirichlet([3.0, 0.5])


@pytest.mark.parametrize("alpha", [1.0, 0.3, 2.7])
@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
def test_equal_pseudo_counts_of_categories_are_the_number(alpha: float, estimate: Any) -> None:
    if estimate == "map" and alpha < 1:
        pytest.skip("no mode")
    plain = sf.CategoricalNB(alpha=alpha, estimate=estimate).fit(X, Y)
    equal = sf.CategoricalNB(alpha=[sf.Dirichlet(np.full(size, alpha)) for size in SIZES], estimate=estimate).fit(X, Y)
    new = X if estimate == "mle" else np.vstack([X, [[0, 1, 9]]])  # and a category that nobody has seen
    np.testing.assert_array_equal(equal.predict_log_proba(new), plain.predict_log_proba(new))
    np.testing.assert_array_equal(equal.leave_one_out(X, Y), plain.leave_one_out(X, Y))
    assert repr(equal.explain(X[0])) == repr(plain.explain(X[0]))
    if estimate != "mle":
        assert equal.log_evidence_ == plain.log_evidence_


@pytest.mark.parametrize("groups", [None, np.arange(60) // 3])
@pytest.mark.parametrize("weights", [None, np.arange(60) % 3 + 1.0])
def test_rows_are_left_out_of_dirichlets(groups: Any, weights: Any) -> None:
    model = sf.CategoricalNB(alpha=DIRICHLETS, categories=[range(size) for size in SIZES]).fit(X, Y, weights)
    found = model.leave_one_out(X, Y, weights, groups=groups)
    for i in range(0, 60, 7):
        rest = np.arange(60) != i if groups is None else groups != groups[i]
        given = None if weights is None else weights[rest]
        again = sf.CategoricalNB(alpha=DIRICHLETS, categories=model.categories).fit(X[rest], Y[rest], given)
        np.testing.assert_allclose(found[i], again.predict_proba(X[i : i + 1])[0], rtol=1e-10)


def test_evidence_explanation_and_files_of_dirichlets(tmp_path: Path) -> None:
    model = sf.CategoricalNB(alpha=DIRICHLETS).fit(X, Y)
    expected = 0.0
    for j, belief in enumerate(DIRICHLETS):
        for label in ("a", "b"):
            counts, alpha = np.bincount(X[label == Y, j], minlength=SIZES[j]), belief.alpha
            expected += (gammaln(alpha + counts) - gammaln(alpha)).sum()
            expected += gammaln(alpha.sum()) - gammaln(alpha.sum() + counts.sum())
    labels = float((N * np.log(N / N.sum())).sum())
    assert model.log_evidence_ - labels == pytest.approx(expected, rel=1e-9)
    told = model.explain(X[0])
    logs = model.predict_log_proba(X[:1])[0]
    assert abs(told.log_odds) == pytest.approx(abs(logs[0] - logs[1]))
    low, high = model.feature_interval(0.9)
    assert all(
        ((a < np.exp(p)) & (np.exp(p) < b)).all() for a, b, p in zip(low, high, model.feature_log_prob_, strict=True)
    )
    assert np.isfinite(model.predict_interval(X[:3])).all()
    sf.save(model, tmp_path / "m.suffice")
    loaded = sf.load(tmp_path / "m.suffice")
    assert loaded.alpha == DIRICHLETS
    np.testing.assert_array_equal(loaded.predict_log_proba(X), model.predict_log_proba(X))
    halves = [sf.CategoricalNB(alpha=DIRICHLETS, categories=[range(n) for n in SIZES]) for _ in range(2)]
    both = halves[0].fit(X[:30], Y[:30]) + halves[1].fit(X[30:], Y[30:])
    np.testing.assert_allclose(both.predict_proba(X), model.predict_proba(X), rtol=1e-12)


def test_a_category_never_seen_has_the_mean_pseudo_count() -> None:
    model = sf.CategoricalNB(alpha=DIRICHLETS[0]).fit(X[:, :1], Y)
    counts = np.array([(Y == "a").sum(), (Y == "b").sum()])
    mass = DIRICHLETS[0].alpha.mean() / (counts + DIRICHLETS[0].alpha.sum())
    np.testing.assert_allclose(model.predict_log_proba([[7]]), normalized(np.log(mass)[None]))
    assert np.isfinite(model.predict_interval([[7]], method="sample", random_state=0)).all()


@pytest.mark.parametrize(
    ("alpha", "said"),
    [
        (
            sf.Dirichlet([1, 2, 3]),
            "Dirichlet of 2 categories, one per category of feature 1; declare categories that rows",
        ),
        (DIRICHLETS[:2], "a list of 3 Dirichlets, one per feature"),
        ([1.0, 2.0, 3.0], "a list of 3 Dirichlets, one per feature"),
        ([], "a list of 3 Dirichlets"),
        ([*DIRICHLETS[:2], sf.Dirichlet(np.ones((2, 4)))], "a list of 3 Dirichlets"),
        ([DIRICHLETS[1], *DIRICHLETS[1:]], "Dirichlet of 3 categories, one per category of feature 0"),
    ],
)
def test_dirichlets_must_fit_the_columns(alpha: Any, said: str) -> None:
    model = sf.CategoricalNB().fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(PriorError) as error:
        model.set_params(alpha=alpha).fit(X, Y)
    assert said in str(error.value)
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_more_categories_than_were_believed_in() -> None:
    model = sf.CategoricalNB(alpha=DIRICHLETS).fit(X, Y)
    with pytest.raises(PriorError, match="Dirichlet of 8 categories, one per category of feature 0"):
        model.partial_fit([[7, 0, 0]], ["a"])
    assert model.partial_fit(X[:5], Y[:5]).class_count_.sum() == 65
    with pytest.raises(NoUniqueMode):
        sf.CategoricalNB(
            alpha=[sf.Dirichlet([0.5, 0.5, 9.0]), *DIRICHLETS[1:]], estimate="map", min_categories=SIZES
        ).fit(X[:1], Y[:1])


# words ----------------------------------------------------------------------------------------------------------------


def of_words(**options: Any) -> Any:
    return TextClassifier(vocabulary=WORDS, **options)


@pytest.mark.parametrize("estimate", ["mle", "map", "mean"])
def test_each_word_has_its_pseudo_count(estimate: Any) -> None:
    model = of_words(alpha=sf.Dirichlet(ALPHA), estimate=estimate).fit(TEXTS, Y)
    more = {"mle": 0 * ALPHA, "map": ALPHA - 1, "mean": ALPHA}[estimate]
    seen = word_counts(NEW)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_theta = np.log((T + more) / (T + more).sum(axis=1, keepdims=True))
        scores = np.where(seen[:, None] > 0, seen[:, None] * log_theta, 0.0).sum(axis=2)
    possible = np.isfinite(scores).any(axis=1)
    found = model.predict_log_proba([text for text, fine in zip(NEW, possible, strict=True) if fine])
    np.testing.assert_allclose(found, normalized(scores[possible]), rtol=1e-9, atol=1e-12)
    assert model.alpha_ == sf.Dirichlet(ALPHA)


def test_whole_documents_are_scored_by_the_dirichlet_multinomial() -> None:
    model = of_words(alpha=sf.Dirichlet(ALPHA), estimate="predictive").fit(TEXTS, Y)
    x, own = word_counts(NEW)[:, None], T + ALPHA
    scores = (gammaln(own + x) - gammaln(own)).sum(axis=2) + gammaln(own.sum(axis=1))
    scores -= gammaln(own.sum(axis=1) + x.sum(axis=2))
    np.testing.assert_allclose(model.predict_log_proba(NEW), normalized(scores), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
def test_equal_pseudo_counts_of_words_are_the_number(estimate: Any) -> None:
    equal = of_words(alpha=sf.Dirichlet(np.full(5, 1.3)), estimate=estimate).fit(TEXTS, Y)
    plain = of_words(alpha=1.3, estimate=estimate).fit(TEXTS, Y)
    known = [text for text in NEW if "zebra" not in text and "apple" not in text]
    np.testing.assert_array_equal(equal.predict_log_proba(known), plain.predict_log_proba(known))
    np.testing.assert_array_equal(equal.leave_one_out(TEXTS, Y), plain.leave_one_out(TEXTS, Y))
    assert repr(equal.explain("tea soup tea")) == repr(plain.explain("tea soup tea"))
    assert equal.log_evidence_ == plain.log_evidence_


def test_nearly_equal_pseudo_counts_are_nearly_the_number() -> None:
    """The formulas of one pseudo-count for each word, which are others, meet those of the number."""
    alpha = np.full(5, 1.3) * (1 + 1e-12 * np.arange(5))
    texts, labels = TEXTS * 8, [*Y] * 8
    for options in ({}, {"feature_powers": "loo"}, {"estimate": "predictive"}, {"tokens": sf.Tokens(binary=True)}):
        near, plain = (of_words(**{"alpha": a, **options}).fit(texts, labels) for a in (sf.Dirichlet(alpha), 1.3))
        np.testing.assert_allclose(near.predict_log_proba(NEW), plain.predict_log_proba(NEW), rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(near.feature_powers_, plain.feature_powers_, rtol=1e-5)
        np.testing.assert_allclose(near.predict_interval(NEW), plain.predict_interval(NEW), atol=1e-6)
        assert near.log_evidence_ == pytest.approx(plain.log_evidence_, rel=1e-9)
        information, expected = (sf.mutual_information(model).by_feature for model in (near, plain))
        np.testing.assert_allclose(information, expected, atol=1e-9)
        assert [row.feature for row in near.top_features("a")] == [row.feature for row in plain.top_features("a")]
        np.testing.assert_allclose(near.feature_interval()[0], plain.feature_interval()[0], rtol=1e-6)


@pytest.mark.parametrize("estimate", ["mean", "predictive"])
def test_texts_are_left_out_of_a_dirichlet(estimate: Any) -> None:
    model = of_words(alpha=sf.Dirichlet(ALPHA), estimate=estimate).fit(TEXTS, Y)
    found = model.leave_one_out(TEXTS, Y)
    for i in range(0, 60, 9):
        rest = [k for k in range(60) if k != i]
        again = of_words(alpha=sf.Dirichlet(ALPHA), estimate=estimate).fit([TEXTS[k] for k in rest], Y[rest])
        np.testing.assert_allclose(found[i], again.predict_proba(TEXTS[i : i + 1])[0], rtol=1e-10)


def test_evidence_explanation_and_files_of_words(tmp_path: Path) -> None:
    model = of_words(alpha=sf.Dirichlet(ALPHA)).fit(TEXTS, Y)
    expected = (gammaln(ALPHA + T) - gammaln(ALPHA)).sum()
    expected += (gammaln(ALPHA.sum()) - gammaln(ALPHA.sum() + T.sum(axis=1))).sum()
    labels = float((N * np.log(N / N.sum())).sum())
    assert model.log_evidence_ - labels == pytest.approx(expected, rel=1e-9)
    told, logs = model.explain("tea zebra milk"), model.predict_log_proba(["tea zebra milk"])[0]
    assert abs(told.log_odds) == pytest.approx(abs(logs[0] - logs[1]))
    sf.save(model, tmp_path / "m.suffice")
    loaded = sf.load(tmp_path / "m.suffice")
    assert loaded.alpha == sf.Dirichlet(ALPHA)
    (tmp_path / "mail.csv").write_text("text,label\n" + "\n".join(map(",".join, zip(TEXTS, Y, strict=True))))
    counted = sf.fit_files(of_words(alpha=sf.Dirichlet(ALPHA)), tmp_path / "mail.csv", "label", text="text")
    parts = of_words(alpha=sf.Dirichlet(ALPHA)).fit(TEXTS[:30], Y[:30]) + of_words(alpha=sf.Dirichlet(ALPHA)).fit(
        TEXTS[30:], Y[30:]
    )
    for other in (loaded, counted, parts):
        np.testing.assert_array_equal(other.predict_log_proba(NEW), model.predict_log_proba(NEW))
    some = [label if i % 2 else None for i, label in enumerate(Y)]
    partly = sf.SemiSupervised(sf.TextClassifier(vocabulary=WORDS, alpha=sf.Dirichlet(ALPHA)), tol=1e-2).fit(
        TEXTS, some
    )
    assert partly.estimator_.words_.tolist() == sorted(WORDS)


# words that are there or not ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
def test_a_beta_of_words_that_are_there(estimate: Any) -> None:
    a, b = 1.5, 4.0
    model = of_words(model="bernoulli", alpha=sf.Beta(a, b), estimate=estimate).fit(TEXTS, Y)
    less = {"mle": (-a, -b), "map": (-1, -1)}.get(estimate, (0, 0))
    theta = (D + a + less[0]) / (N[:, None] + a + b + sum(less))
    x = (word_counts(NEW) > 0)[:, None]
    with np.errstate(divide="ignore"):
        scores = np.where(x, np.log(theta), np.log1p(-theta)).sum(axis=2)
    possible = np.isfinite(scores).any(axis=1)
    found = model.predict_log_proba([text for text, fine in zip(NEW, possible, strict=True) if fine])
    np.testing.assert_allclose(found, normalized(scores[possible]), rtol=1e-9, atol=1e-12)
    assert model.alpha_ == sf.Beta(a, b)


def test_answers_of_a_beta_of_words(tmp_path: Path) -> None:
    a, b = 0.5, 3.0
    model = of_words(model="bernoulli", alpha=sf.Beta(a, b)).fit(TEXTS, Y)
    rest = N[:, None] - D
    expected = (
        gammaln(a + D) - gammaln(a) + gammaln(b + rest) - gammaln(b) + gammaln(a + b) - gammaln(a + b + N)[:, None]
    )
    labels = float((N * np.log(N / N.sum())).sum())
    assert model.log_evidence_ - labels == pytest.approx(expected.sum(), rel=1e-9)
    theta, prior = (D + a) / (N[:, None] + a + b), N / N.sum()
    mixed = prior @ theta
    total, within = (-(p * np.log(p) + (1 - p) * np.log1p(-p)) for p in (mixed, theta))
    gain = total - prior @ within
    order = np.argsort(WORDS)
    np.testing.assert_allclose(sf.mutual_information(model).by_feature, gain[order], atol=1e-9)
    brought = theta[0] * np.log(theta[0] / theta[1])
    top = model.top_features("a", 5)
    assert {row.feature: round(row.log_odds, 9) for row in top} == {
        word: round(weight, 9) for word, weight in zip(WORDS, brought.tolist(), strict=True) if weight > 0
    }
    low, high = model.feature_interval(0.9)
    belief = sf.Beta((D + a)[:, order], (rest + b)[:, order])
    np.testing.assert_allclose([low, high], belief.interval(0.9))
    found = model.leave_one_out(TEXTS, Y)
    again = of_words(model="bernoulli", alpha=sf.Beta(a, b)).fit(TEXTS[1:], Y[1:])
    np.testing.assert_allclose(found[0], again.predict_proba(TEXTS[:1])[0], rtol=1e-10)
    told, logs = model.explain("tea zebra"), model.predict_log_proba(["tea zebra"])[0]
    assert abs(told.log_odds) == pytest.approx(abs(logs[0] - logs[1]))
    sf.save(model, tmp_path / "m.suffice")
    np.testing.assert_array_equal(sf.load(tmp_path / "m.suffice").predict_proba(NEW), model.predict_proba(NEW))


@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
def test_a_beta_of_equal_pseudo_counts_is_the_number(estimate: Any) -> None:
    beta, plain = (
        TextClassifier("bernoulli", alpha=alpha, estimate=estimate).fit(TEXTS, Y) for alpha in (sf.Beta(1.7, 1.7), 1.7)
    )
    np.testing.assert_array_equal(beta.predict_log_proba(TEXTS), plain.predict_log_proba(TEXTS))
    np.testing.assert_array_equal(beta.leave_one_out(TEXTS, Y), plain.leave_one_out(TEXTS, Y))
    assert beta.log_evidence_ == plain.log_evidence_
    assert repr(beta.explain("tea")) == repr(plain.explain("tea"))
    assert repr(beta.top_features("a")) == repr(plain.top_features("a"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alpha": sf.Dirichlet([1, 2])}, "got model='multinomial' and no vocabulary. Give a vocabulary"),
        (
            {"alpha": sf.Dirichlet([1, 2]), "vocabulary": WORDS},
            "Dirichlet of 5 categories, one per word of 'vocabulary'",
        ),
        (
            {"alpha": sf.Dirichlet(ALPHA), "vocabulary": WORDS, "model": "bernoulli"},
            "got model='bernoulli' and a vocab",
        ),
        ({"alpha": sf.Dirichlet(ALPHA), "vocabulary": WORDS, "model": "complement"}, "got model='complement'"),
        ({"alpha": sf.Beta(1, 2)}, "a single Beta, for all words, with model='bernoulli'; got model='multinomial'"),
        ({"alpha": sf.Beta([1, 2], 2), "model": "bernoulli"}, "got a table of shape (2,)"),
        ({"alpha": sf.Beta(2, 0.5), "model": "bernoulli", "estimate": "map"}, "alpha of at least 1 .* got alpha=0.5"),
        (
            {"alpha": sf.Dirichlet([0.5, 1, 2, 3, 4]), "vocabulary": WORDS, "estimate": "map"},
            "alpha of at least 1 .* got alpha=0.5",
        ),
    ],
)
def test_beliefs_that_words_cannot_have(options: dict[str, Any], said: str) -> None:
    model = sf.TextClassifier().fit(TEXTS, Y)
    before = model.counts_
    with pytest.raises(PriorError, match=said.replace("(2,)", r"\(2,\)")):
        model.set_params(**options).fit(TEXTS, Y)
    assert model.counts_ is before


def test_equal_pseudo_counts_of_a_matrix_are_the_number() -> None:
    counts = word_counts(TEXTS)
    equal, plain = (sf.MultinomialNB(alpha=alpha).fit(counts, Y) for alpha in (sf.Dirichlet(np.full(5, 0.7)), 0.7))
    np.testing.assert_array_equal(equal.predict_log_proba(counts), plain.predict_log_proba(counts))
    assert equal.log_evidence_ == plain.log_evidence_
