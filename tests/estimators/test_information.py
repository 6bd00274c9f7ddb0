"""Mutual information of feature and class, beside sums over joint probabilities and scikit-learn's from labels."""

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats
from scipy.integrate import trapezoid
from scipy.special import logsumexp
from sklearn import naive_bayes as peers
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import mutual_info_score

import suffice as sf
from datasets.shared import real
from estimators.plain import TextClassifier
from refusals import refused
from suffice.errors import SufficeError
from suffice.estimators import Information
from suffice.models.scoring.results import Estimate

RNG = np.random.default_rng(3)
Y = np.repeat([0, 1, 2], [30, 50, 20])
X = RNG.poisson(0.4 + (Y[:, None] * np.arange(8)) % 5 / 2)
WORDS = np.array(["tea", "rum", "ale", "milk", "water", "gin", "cola", "juice"])
TEXTS = [" ".join(np.repeat(WORDS, row)) for row in X]
ORDER = np.argsort(WORDS)
PRIOR = sf.NormalInverseGamma(0.0, 1.0, 20.0, 20.0)


def brute(joint: Any) -> float:
    """Return Σ p(c, x) ln(p(c, x) / p(c)p(x)) of a table."""
    joint = np.asarray(joint, float)
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    some = (joint > 0) & (apart > 0)  # what is lost weighs less than 1e-300
    return float((joint[some] * np.log(joint[some] / apart[some])).sum())


def flags(theta: Any, prior: Any) -> Any:
    return np.array([brute(np.column_stack([prior * on, prior * (1 - on)])) for on in theta.T])


OPTIONS: list[dict[str, Any]] = [
    {},
    {"alpha": 0.3},
    {"alpha": 0.0},
    {"class_prior": "uniform"},
    {"class_prior": [0.2, 0, 0.8]},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("estimate", ["mle", "mean"])
def test_the_sums_over_the_joint_probabilities(options: dict[str, Any], estimate: Estimate) -> None:
    for kind in (sf.BernoulliNB, sf.MultinomialNB):
        model: Any = kind(estimate=estimate, **options).fit(X, Y)
        prior = np.exp(model.class_log_prior_) / np.exp(model.class_log_prior_).sum()
        expected = flags(np.exp(model.feature_log_prob_), prior)
        np.testing.assert_allclose(sf.mutual_information(model).by_feature, expected, rtol=1e-10, atol=1e-14)
    complement = sf.ComplementNB(**options).fit(X, Y)
    multinomial = sf.MultinomialNB(**options).fit(X, Y)
    theirs = sf.mutual_information(multinomial).by_feature
    np.testing.assert_array_equal(sf.mutual_information(complement).by_feature, theirs)
    columns = sf.CategoricalNB(estimate=estimate, **options).fit(X, Y)
    expected = [brute(prior[:, None] * np.exp(logs)) for logs in columns.feature_log_prob_]
    np.testing.assert_allclose(sf.mutual_information(columns).by_feature, expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("method", ["dcm", "edcm"])
def test_urns_by_their_mean(method: Literal["dcm", "edcm"]) -> None:
    model = sf.DirichletMultinomialNB(method=method, class_prior="counted").fit(X, Y)
    expected = flags(model.alpha_ / model.alpha_.sum(axis=1, keepdims=True), np.bincount(Y) / len(Y))
    np.testing.assert_allclose(sf.mutual_information(model).by_feature, expected, rtol=1e-10, atol=1e-14)
    assert sf.SelectInformative(k=3, estimator=sf.DirichletMultinomialNB(method=method)).fit(X, Y).get_support().any()


@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
@pytest.mark.parametrize("alpha", [1.0, sf.Gamma(0.7, 0.01), sf.Gamma(2.0, 300.0)])
def test_counts_of_independent_events(estimate: Estimate, alpha: Any) -> None:
    if estimate == "map" and not isinstance(alpha, float):
        alpha = sf.Gamma(2.0, alpha.rate)
    model = sf.PoissonNB(alpha=alpha, class_prior="counted", estimate=estimate).fit(X, Y)
    prior, x = np.bincount(Y) / len(Y), np.arange(400)
    rates, n = model.rate_, np.bincount(Y)[:, None]
    for j, value in enumerate(sf.mutual_information(model).by_feature):
        mass = stats.poisson.pmf(x, rates[:, [j]])
        if estimate == "predictive":
            rate = n + (alpha if isinstance(alpha, float) else alpha.rate)
            mass = stats.nbinom.pmf(x, rates[:, [j]] * rate, rate / (1 + rate))
        assert value == pytest.approx(brute(prior[:, None] * mass), rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("scale", [30, 1_000, 100_000])
def test_counts_too_many_to_sum_one_by_one(scale: int) -> None:
    model = sf.PoissonNB(estimate="mle", class_prior="uniform").fit(
        [[scale], [scale + int(scale**0.5)], [3]], [0, 1, 2]
    )
    x, rates = np.arange(scale + 12 * scale**0.5 + 60), model.rate_
    expected = brute(stats.poisson.pmf(x, rates) / 3)
    assert sf.mutual_information(model).values[0] == pytest.approx(expected, rel=1e-8)
    far = sf.PoissonNB(class_prior="uniform").fit([[10**9], [10**6], [0]] * 50, [0, 1, 2] * 50)
    assert sf.mutual_information(far).values[0] == pytest.approx(np.log(3), rel=1e-4)


def test_scikit_learns_number_for_frequencies() -> None:
    on = sf.BernoulliNB(estimate="mle").fit(X, Y)
    expected = [mutual_info_score(Y, column > 0) for column in X.T]
    np.testing.assert_allclose(sf.mutual_information(on).by_feature, expected, rtol=1e-9, atol=1e-14)
    columns = sf.CategoricalNB(estimate="mle").fit(X, Y)
    expected = [mutual_info_score(Y, column) for column in X.T]
    np.testing.assert_allclose(sf.mutual_information(columns).by_feature, expected, rtol=1e-9, atol=1e-14)
    tokens = np.array([X[c == Y].sum(axis=0) for c in range(3)])
    drawn = sf.MultinomialNB(estimate="mle", class_prior=tokens.sum(axis=1) / tokens.sum()).fit(X, Y)
    labels, words = np.repeat(np.indices(tokens.shape).reshape(2, -1), tokens.ravel(), axis=1)
    expected = [mutual_info_score(labels, words == j) for j in range(8)]
    np.testing.assert_allclose(sf.mutual_information(drawn).by_feature, expected, rtol=1e-9, atol=1e-14)


def test_texts_equal_the_matrix() -> None:
    each_options: Any = [*OPTIONS, {"estimate": "mle"}, {"estimate": "map", "alpha": 1.5}]
    for options in each_options:
        kinds: list[Any] = ["bernoulli", "multinomial", "complement"]
        for kind in kinds:
            ours = sf.mutual_information(TextClassifier(kind, **options).fit(TEXTS, Y))
            if kind == "complement" and "estimate" in options:
                kind = "multinomial"
            matrix: Any = getattr(sf, f"{kind.title()}NB")
            theirs = sf.mutual_information(matrix(**options).fit(X[:, ORDER], Y))
            np.testing.assert_allclose(ours.by_feature, theirs.by_feature, rtol=1e-9, atol=1e-14)
            assert ours.names.tolist() == WORDS[ORDER][theirs.names].tolist()


def test_texts_of_a_view() -> None:
    model = TextClassifier("bernoulli", max_features=4).fit(TEXTS, Y)
    assert sorted(name for name, _ in sf.mutual_information(model)) == model.words_.tolist()
    once = sf.mutual_information(TextClassifier(tokens=sf.Tokens(binary=True)).fit(TEXTS, Y))
    np.testing.assert_allclose(
        once.by_feature, sf.mutual_information(sf.MultinomialNB().fit(X[:, ORDER] > 0, Y)).by_feature, rtol=1e-9
    )
    hashed = sf.mutual_information(TextClassifier(tokens=sf.Tokens(hash_bits=10)).fit(TEXTS, Y))
    assert len(hashed) == 1024
    assert hashed.names.dtype.kind == "i"
    rennie = TextClassifier(
        "complement", term_weighting=sf.TermWeighting(sublinear_tf=True, use_idf=True, normalize=True)
    ).fit(TEXTS, Y)
    assert np.isfinite(sf.mutual_information(rennie).values).all()


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2**40), st.integers(0, 2**40)), min_size=1, max_size=12),
    st.sampled_from([0.0, 1e-9, 1.0]),
)
def test_never_nan_never_negative_never_more_than_the_class(rows: list[tuple[int, int, int]], alpha: float) -> None:
    data, y = np.array(rows)[:, 1:], np.array(rows)[:, 0]
    for kind in (sf.BernoulliNB, sf.MultinomialNB, sf.ComplementNB, sf.PoissonNB):
        model: Any = kind(alpha=alpha, class_prior="counted").fit(data, y)
        values = sf.mutual_information(model).values
        share = np.bincount(y) / len(y)
        most = -sum(p * np.log(p) for p in share if p > 0)
        assert (values >= 0).all()
        assert (values <= most + 1e-9).all()


def test_what_tells_nothing_is_zero() -> None:
    alike = [[1, 0, 2]] * 3 + [[1, 3, 2]] * 3
    for kind in (sf.BernoulliNB, sf.CategoricalNB, sf.MultinomialNB, sf.PoissonNB):
        one = sf.mutual_information(kind().fit(alike, ["only"] * 6))
        assert one.values.tolist() == [0, 0, 0]
        two = sf.mutual_information(kind().fit(alike + alike, [0] * 6 + [1] * 6))
        assert two.values.tolist() == [0, 0, 0]
        assert two.names.tolist() == [0, 1, 2]
    for model in ("bernoulli", "multinomial", "complement"):
        texts = TextClassifier(model).fit(["tea milk", "rum"] * 7, np.repeat([0, 1], 7).tolist())
        same = TextClassifier(model).fit(["tea milk", "rum"] * 14, np.repeat([0, 1], 14).tolist())
        lone = TextClassifier(model).fit(["tea milk", "rum"], [0, 0])
        assert sf.mutual_information(lone).values.max() == 0
        assert sf.mutual_information(same).values.max() == 0
        assert np.isfinite(sf.mutual_information(texts).values).all()
    empty = sf.BernoulliNB(alpha=0).partial_fit([[1, 0]], [0], classes=[0, 1, 2])
    assert sf.mutual_information(empty).values.tolist() == [0, 0]


def test_a_large_vocabulary_needs_no_table_of_words_and_classes() -> None:
    """A table of 4,000 classes and 40,000 words would take 1.3 GB, and the time for it."""
    texts = [f"w{i} w{i % 7}x" for i in range(40_000)]
    model = TextClassifier("bernoulli", tokens=sf.Tokens(hash_bits=20)).fit(texts, np.arange(40_000) % 4_000)
    values = sf.mutual_information(model).values
    assert np.isfinite(values).all()
    assert values[0] > 0


def test_the_table() -> None:
    found = Information(["a", "b", "c"], np.array([0.1, 0.3, 0.1]), "bits")
    assert list(found) == [("b", 0.3), ("a", 0.1), ("c", 0.1)]
    assert found.top(1) == [("b", 0.3)]
    assert found.top(9) == list(found)
    assert len(found) == 3
    assert found.order.tolist() == [1, 0, 2]
    assert found.by_feature.tolist() == [0.1, 0.3, 0.1]
    assert repr(found) == "Mutual information of 3 features with the class, in bits:\n  b  0.3\n  a  0.1\n  c  0.1"
    assert repr(Information(np.arange(2_000), np.zeros(2_000))).endswith("\n  … and 1,990 more")
    given = sf.mutual_information(sf.BernoulliNB().fit(sparse.csr_array(X), Y), feature_names=WORDS)
    assert given.names.tolist() == sf.mutual_information(TextClassifier("bernoulli").fit(TEXTS, Y)).names.tolist()
    for names, words in ((WORDS[:3], "a list of 8 names, one per column; got 3 names"), ("tea", r"got shape \(\)")):
        with pytest.raises(SufficeError, match=f"'feature_names' must be {words}" if "list" in words else words):
            sf.mutual_information(sf.BernoulliNB().fit(X, Y), feature_names=names)
    with refused(SufficeError, "Information.top.k", must="be a whole number from 0 on", got="-1"):
        found.top(-1)
    pd = pytest.importorskip("pandas")
    named = sf.BernoulliNB().fit(pd.DataFrame(X, columns=WORDS), Y)
    assert set(sf.mutual_information(named).names) == set(WORDS)
    nats, bits = (sf.mutual_information(named, unit).values for unit in ("nats", "bits"))
    np.testing.assert_allclose(nats, bits * np.log(2))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (sf.GaussianDiscriminant().fit(X, Y), "that scores each feature; got GaussianDiscriminant"),
        (sf.NaiveBayes({0: "text"}).fit(np.array([["a b"], ["c d"]]), [0, 1]), "not text; got only 0. Use TextC"),
        (sf.NaiveBayes, "such as NaiveBayes or TextClassifier; got suffice's NaiveBayes"),
        (peers.BernoulliNB().fit(X, Y), "TextClassifier; got sklearn's BernoulliNB"),
        (None, "got builtins's NoneType"),
    ],
)
def test_what_has_no_counts_is_refused(model: Any, words: str) -> None:
    with pytest.raises(SufficeError) as caught:
        sf.mutual_information(model)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numbers_tell_what_an_integral_of_their_densities_says() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    Z = np.abs(rng.normal(y[:, None] * [0.0, 0.4, 3.0, 100.0], [1.0, 1.0, 1.0, 2.0]))
    for model in (sf.GaussianNB(), sf.GaussianNB(estimate="predictive", prior=PRIOR), sf.ExponentialNB()):
        found = sf.mutual_information(model.fit(Z, y)).by_feature
        for j in range(4):
            alone = clone(model).fit(Z[:, [j]], y)
            exponential = isinstance(model, sf.ExponentialNB)
            at = np.geomspace(1e-9, 1e5, 20_001) if exponential else np.linspace(-100, 600, 70_001)
            joint = alone.predict_joint_log_proba(at[:, None])
            excess = joint - logsumexp(joint, axis=1, keepdims=True) - alone.class_log_prior_
            assert found[j] == pytest.approx(trapezoid((np.exp(joint) * excess).sum(axis=1), at), abs=1e-4)
    assert np.argmax(found) == 3


def test_columns_of_a_table_are_ranked_whatever_they_hold() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    table = {
        "size": rng.normal(3.0 * y, 1.0),
        "colour": np.where(y + rng.normal(size=300) > 0.5, "red", "blue"),
        "noise": rng.normal(size=300),
        "note": ["a b"] * 150 + ["c d e"] * 150,
    }
    kinds = {"size": "gaussian", "colour": "categorical", "noise": "gaussian", "note": "text"}
    for model in (sf.NaiveBayes(), sf.NaiveBayes(kinds)):
        found = sf.mutual_information(model.fit(table, y), "bits")
        assert [name for name, _ in found][:2] == ["size", "colour"]
        assert found.top(1)[0][1] == pytest.approx(0.75, abs=0.15)
    colours = sf.CategoricalNB().fit(np.array(table["colour"])[:, None], y)
    assert dict(found)["colour"] == pytest.approx(sf.mutual_information(colours, "bits").values[0], rel=0.02)
    with pytest.raises(NotFittedError):
        sf.mutual_information(sf.NaiveBayes())


def test_more_that_is_refused() -> None:
    unit: Any = "dits"
    with refused(SufficeError, "mutual_information.unit", must="be 'nats' or 'bits'", got="'dits'"):
        sf.mutual_information(sf.BernoulliNB().fit(X, Y), unit)
    for model in (sf.BernoulliNB(), TextClassifier(), sf.GaussianNB()):
        with pytest.raises(NotFittedError):
            sf.mutual_information(model)


def test_x_windows() -> None:
    """The worked numbers: probable words of each class, informative ones, errors."""
    folder = real("xwindows")
    train, test = (sf.datasets.read_xwindows(folder, subset) for subset in ("train", "test"))
    model = sf.BernoulliNB(alpha=1.0).fit(train.X, train.y)
    words = np.array(train.words)
    probable = {
        "X windows": {"subject": 0.998, "this": 0.628, "with": 0.535, "but": 0.471, "you": 0.431},
        "MS windows": {"subject": 0.998, "windows": 0.639, "this": 0.540, "with": 0.538, "but": 0.518},
    }
    for label, logs in zip(model.classes_, model.feature_log_prob_, strict=True):
        first = np.argsort(-logs)[:5]
        assert words[first].tolist() == list(probable[label])
        np.testing.assert_allclose(np.exp(logs[first]), list(probable[label].values()), atol=5e-4)
    top = sf.mutual_information(model, unit="bits", feature_names=train.words).top(5)
    assert [word for word, _ in top] == ["windows", "microsoft", "dos", "motif", "window"]
    np.testing.assert_allclose([value for _, value in top], [0.215, 0.095, 0.092, 0.078, 0.067], atol=1e-3)
    assert [(model.predict(part.X) != part.y).sum() for part in (train, test)] == [75, 168]
    best = sf.SelectInformative(k=5, feature_names=train.words).fit(sparse.csr_matrix(train.X), train.y)
    assert sorted(best.get_feature_names_out()) == ["dos", "microsoft", "motif", "window", "windows"]
    by_counting = sf.BernoulliNB(estimate="mle").fit(train.X, train.y)
    assert np.isneginf(by_counting.predict_joint_log_proba(test.X)).all(axis=1).sum() == 146
    with pytest.warns(UserWarning, match="146 of 900 rows have probability zero in every class"):
        assert (by_counting.predict(test.X) != test.y).sum() == 286


def test_x_windows_by_the_number_of_words() -> None:
    """What the gallery tells of the posts: errors among 900 with the k most informative words."""
    train, test = (sf.datasets.read_xwindows(real("xwindows"), subset) for subset in ("train", "test"))
    errors = {}
    for k in (1, 5, 20, 100, 600):
        keep = sf.SelectInformative(k).fit(train.X, train.y)
        model = sf.BernoulliNB(alpha=1.0).fit(keep.transform(train.X), train.y)
        errors[k] = int((model.predict(keep.transform(test.X)) != test.y).sum())
    assert errors == {1: 212, 5: 176, 20: 143, 100: 150, 600: 168}
