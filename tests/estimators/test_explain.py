"""What explanations say, and of which rows."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import sparse, stats

import suffice as sf
from estimators.plain import TextClassifier

TEXTS, LABELS = ["cheap pills, cheap watches", "lunch at noon?", "watches for you", "are you at lunch"], ["s", "h"] * 2


def parts(found: Any) -> dict[Any, tuple[str, float]]:
    return {f: (v, float(w)) for f, v, w in zip(found.features, found.values, found.contributions, strict=True)}


def test_words_that_occur_have_a_bar_and_unknown_ones_one_together() -> None:
    explanation = parts(TextClassifier().fit(TEXTS, LABELS).explain("cheap cheap lunch, foo bar", "s", "h"))
    assert set(explanation) == {"cheap", "lunch", "(unknown words)"}
    assert explanation["cheap"][0] == "2 times"
    assert explanation["cheap"][1] == pytest.approx(2 * np.log(3 / 1))
    assert explanation["(unknown words)"] == ("foo, bar", 0.0)


def test_absent_words_and_length_have_bars_of_their_own() -> None:
    flags = sf.TextClassifier("bernoulli", temper=None).fit(TEXTS, LABELS)
    explanation = parts(flags.explain("cheap lunch", "s", "h"))
    assert explanation["cheap"][1] == pytest.approx(np.log(2 / 1))
    assert explanation["(absent words)"][0] == "7 words"
    settings: Any
    for settings in ({"estimate": "predictive"}, {"model": "dirichlet_multinomial"}, {"model": "edcm"}):
        explanation = parts(sf.TextClassifier(**settings).fit(TEXTS, LABELS).explain("cheap lunch for all"))
        assert explanation["(length)"][0] == "3 words"
    idf = sf.TermWeighting(use_idf=True, normalize=True)
    for settings in ({}, {"model": "complement"}, {"model": "complement", "term_weighting": idf}):
        model = sf.TextClassifier(**settings).fit(TEXTS, LABELS)
        said = model.explain("cheap lunch for all")
        logs = model.predict_log_proba(["cheap lunch for all"])[0]
        assert abs(said.log_odds) == pytest.approx(abs(logs[0] - logs[1]), abs=1e-9)
        assert {*said.features} == {"cheap", "lunch", "for", "(unknown words)"}


@pytest.mark.parametrize(
    "settings",
    [
        {"ngram_range": (1, 2)},
        {"tokens": sf.Tokens(analyzer="char_wb"), "ngram_range": (2, 3)},
        {"tokens": sf.Tokens(hash_bits=3)},
        {"tokens": sf.Tokens(tokenizer=str.split, token_pattern=None)},
        {"min_df": 2},
        {"tokens": sf.Tokens(lowercase=False)},
    ],
)
def test_whatever_a_word_is_it_has_its_name(settings: dict[str, Any]) -> None:
    model = sf.TextClassifier(**settings).fit(TEXTS, LABELS)
    text = "Cheap lunch for you, you know"
    explanation = model.explain(text)
    assert explanation.log_odds == pytest.approx(abs(np.subtract(*model.predict_log_proba([text])[0])), abs=1e-9)
    assert not any(str(name).startswith("word ") for name in explanation.features)
    assert model.explain([text]).log_odds == model.explain(text.encode()).log_odds == explanation.log_odds


def test_a_text_without_words_is_what_the_prior_says() -> None:
    model = sf.TextClassifier(class_prior="counted").fit([*TEXTS, "noon"], [*LABELS, "h"])
    for text in ("", "zzz"):
        assert model.explain(text).log_odds == pytest.approx(np.log(3 / 2))
        believed = sf.TextClassifier().fit([*TEXTS, "noon"], [*LABELS, "h"])
        assert believed.explain(text).log_odds == pytest.approx(np.log(4 / 3))
    nothing: Any = None
    with pytest.raises(TypeError, match="must be one text; got None"):
        model.explain(nothing)


@pytest.mark.parametrize("kind", [sf.BernoulliNB, sf.PoissonNB])
def test_of_a_sparse_row_what_is_zero_has_one_bar(kind: Any) -> None:
    X, y = np.random.default_rng(0).poisson(0.3, (40, 30)), np.arange(40) % 2
    model = kind().fit(X, y)
    dense, wide = model.explain(X[0]), model.explain(sparse.csr_matrix(X[:1]))
    assert len(dense.features) == 30
    assert len(wide.features) == (X[0] > 0).sum() + 1
    assert wide.log_odds == pytest.approx(dense.log_odds, abs=1e-9)


def test_a_row_by_name_is_read_by_name() -> None:
    frame = pd.DataFrame({"width": [1.0, 2.0, 4.0, 5.0], "height": [3.0, 1.0, 0.0, 0.5]})
    model = sf.GaussianNB().fit(frame, [0, 0, 1, 1])
    expected = model.explain(frame[:1])
    assert list(expected.features) == ["width", "height"]
    for row in ({"height": 3.0, "width": 1.0}, frame.iloc[0], {"height": [3.0], "width": [1.0]}):
        assert model.explain(row).log_odds == expected.log_odds
    with pytest.raises(ValueError, match="a value for each feature of the model; 'height' has none"):
        model.explain({"width": 1.0})


def test_categories_are_named_and_new_ones_called_so() -> None:
    model = sf.CategoricalNB().fit([["red", "x"], ["red", "y"], ["blue", "y"]], ["a", "a", "b"])
    assert list(model.explain(["green", "y"]).values) == ["green (never seen)", "y"]
    assert model.top_features("a")[0][:2] == (0, "red")
    codes = sf.CategoricalNB().fit([[0], [1], [1]], [0, 1, 1])
    assert list(codes.explain([7]).values) == ["7 (never seen)"]


def test_what_no_class_can_have_made_is_what_the_prior_says() -> None:
    model = sf.MultinomialNB(alpha=0, estimate="mle").fit([[1, 0, 0], [1, 0, 0], [0, 1, 0]], ["a", "a", "b"])
    explanation = model.explain([0, 0, 1])
    assert explanation.target == "a"
    assert explanation.log_odds == pytest.approx(np.log(2))
    assert model.explain([1, 0, 0]).log_odds == np.inf
    assert model.explain([1, 0, 0], "b", "a").log_odds == -np.inf


def test_wrong_labels_do_not_change_which_classes_are_compared() -> None:
    rng, words = np.random.default_rng(0), ["ant", "bee", "cow", "dog", "elk", "fox"]
    shares = np.array([[5, 1, 1, 1, 2, 1], [2, 5, 3, 1, 1, 1], [1, 1, 1, 4, 5, 1]]) / [[11], [13], [13]]
    code = rng.choice(3, 600, p=[0.15, 0.25, 0.6])
    texts = [" ".join(rng.choice(words, 12, p=shares[c])) for c in code]
    labels = np.array(["a", "b", "c"])[np.where(rng.random(600) < 0.15, rng.integers(0, 3, 600), code)]
    model = sf.TextClassifier(effort="fast").fit(texts, labels)
    found = [model.explain(text) for text in texts[:200]]
    assert any("(label noise)" in one.features for one in found)
    logs = [dict(zip("abc", row, strict=True)) for row in model.predict_log_proba(texts[:200]).tolist()]
    for one, row in zip(found, logs, strict=True):
        assert [row[one.target], row[one.against]] == pytest.approx(sorted(row.values(), reverse=True)[:2])


def test_an_interval_is_that_of_draws_from_the_posterior() -> None:
    X, y = np.random.default_rng(3).binomial(1, 0.4, (200, 1)), np.arange(200) % 2
    explanation = sf.BernoulliNB().fit(X, y).explain([1], 1, 0)
    a, b = ((X[y == c].sum() + 1, (1 - X[y == c]).sum() + 1) for c in (1, 0))
    draws = [np.log(stats.beta(*ab).rvs(100_000, random_state=i)) for i, ab in enumerate((a, b))]
    low, high = np.quantile(draws[0] - draws[1], [0.025, 0.975])
    assert explanation.low is not None
    assert explanation.high is not None
    np.testing.assert_allclose([explanation.low[0], explanation.high[0]], [low, high], atol=0.02)


@pytest.mark.parametrize("alpha", [3.0, 0.5, 0.01, 1e-4])
def test_an_interval_of_rare_words_is_that_of_draws_from_the_posterior(alpha: float) -> None:
    """Where a class lacks a word, its log probability is far from normal, and may be that of no number."""
    model = sf.MultinomialNB(alpha=alpha, temper=None).fit([[3, 0, 0, 400], [1, 0, 2, 500]], ["a", "b"])
    rng = np.random.default_rng(0)
    for j, counts in enumerate(((3, 1), (0, 0), (0, 2))):
        explanation = model.explain(np.eye(4)[j] * 2, "a", "b")
        a, b = (rng.standard_gamma(n + alpha + 1, 400_000) for n in counts)
        powers = [
            rng.standard_exponential(400_000) / (n + alpha) for n in counts
        ]  # ln Gamma(α) = ln Gamma(α + 1) − E/α
        draws = 2 * (np.log(a) - powers[0] - np.log(b) + powers[1] + np.log((503 + 4 * alpha) / (403 + 4 * alpha)))
        assert explanation.low is not None
        assert explanation.high is not None
        low, high = np.quantile(draws, [0.025, 0.975])
        shown = explanation.contributions[0]  # with α = 1e-4, far above all draws
        expected = [min(low, shown), max(high, shown)]
        assert [explanation.low[0], explanation.high[0]] == pytest.approx(expected, rel=0.03, abs=0.05)


MAIL = [f"{'free money' if i % 2 else 'lunch at noon'} {'now' if i % 3 else 'today'} w{i}" for i in range(400)]
TWO = np.arange(400) % 2


@pytest.mark.parametrize(
    "options", [{"temper": "loo", "alpha": 1.0}, {"alpha": "loo"}, {"temper": "loo", "alpha": "evidence"}]
)
def test_words_have_no_interval_where_the_prior_says_nothing_about_them(options: dict[str, Any]) -> None:
    plain: dict[str, Any] = {"temper": None, "feature_powers": None, "ngram_range": (1, 1), **options}
    model = sf.TextClassifier(**plain).fit(MAIL, TWO)
    explanation = model.explain("free money at noon today")
    assert explanation.low is None
    assert explanation.high is None
    assert np.isnan(explanation.to_frame("pandas")[["low", "high"]].to_numpy(float)).all()
    assert "interval" not in explanation._repr_html_()
    untempered = sf.TextClassifier(**{**plain, "temper": None, "alpha": "evidence"}).fit(MAIL, TWO)
    known = untempered.explain("free money at noon today")
    assert known.low is not None
    assert "interval" in known._repr_html_()


def test_intervals_of_counts_have_the_power_of_the_contributions() -> None:
    rng = np.random.default_rng(0)
    X = rng.poisson(rng.gamma(1, 1, (2, 12))[TWO]) * rng.integers(1, 4, (400, 1))
    one, plain = (sf.MultinomialNB(temper=temper).fit(X, TWO) for temper in ("loo", None))
    tempered, known = one.explain(X[0], 0, 1), plain.explain(X[0], 0, 1)
    power = tempered.contributions / known.contributions
    assert power[0] == pytest.approx(power[-1])
    assert power[0] != pytest.approx(1, abs=0.01)
    for end in ("low", "high"):
        np.testing.assert_allclose(getattr(tempered, end), power * getattr(known, end))
    assert sf.MultinomialNB(alpha="loo").fit(X, TWO).explain(X[0], 0, 1).low is None


def test_part_of_a_flag_has_no_interval() -> None:
    model = sf.BernoulliNB(binarize=None).fit([[1, 0], [1, 1], [0, 1]], ["a", "a", "b"])
    explanation = model.explain([1, 0.5])
    assert explanation.low is not None
    assert np.isnan(explanation.low).tolist() == [False, True]


def test_gaussian_intervals_are_those_of_many_samples() -> None:
    rng, n, x = np.random.default_rng(5), 400, 1.3
    y = np.arange(2 * n) % 2
    weights = []
    for _ in range(400):
        X = rng.normal(y[:, None], 1.0, (2 * n, 1))
        weights.append(sf.GaussianNB().fit(X, y).explain([x], 1, 0))
    spread = np.std([found.contributions[0] for found in weights])
    found = weights[0]
    assert found.low is not None
    assert found.high is not None
    assert (found.high[0] - found.low[0]) / (2 * 1.96) == pytest.approx(spread, rel=0.15)


def test_a_text_column_names_its_telling_words() -> None:
    table = {"note": [text + " and some more words here" for text in TEXTS] * 3, "n": [1.5, 2.0, 1.0, 2.5] * 3}
    model = sf.NaiveBayes({"note": "text"}).fit(table, LABELS * 3)
    value, weight = parts(model.explain({"note": "cheap lunch watches", "n": None}, "s", "h"))["note"]
    assert value.startswith("cheap lunch watches")
    assert "cheap +" in value
    assert "lunch −" in value or "lunch -" in value
    assert weight > 0


def test_top_words_are_those_of_the_class() -> None:
    for kind in ("multinomial", "bernoulli", "complement", "dirichlet_multinomial"):
        top = sf.TextClassifier(kind).fit(TEXTS, LABELS).top_features("s", 3)
        assert {row.feature for row in top} <= {"cheap", "watches", "pills", "for"}
        assert isinstance(top[:2], list)
        assert top == list(top)
    none = sf.BernoulliNB().fit([[0], [1]], [0, 0]).top_features(0)
    assert repr(none) == "Log-odds of 0, relative to the average of the other classes:\n  none"


def test_flags_that_are_no_flags_count_as_they_do_in_scores() -> None:
    X, y = np.random.default_rng(0).integers(0, 2, (30, 3)), np.arange(30) % 2
    model = sf.BernoulliNB(binarize=None).fit(X, y)
    explanation, logs = model.explain([1, 0, 2], 1, 0), model.predict_log_proba([[1, 0, 2]])[0]
    assert explanation.log_odds == pytest.approx(logs[1] - logs[0], abs=1e-9)
