"""Weights of words: what effort does, what groups do, and that weights are a view."""

from copy import copy
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import softmax

import suffice as sf
from suffice.errors import InputError
from suffice.estimators.texts.options import TextModel
from suffice.evaluate import log_loss
from suffice.models.likelihoods.shared import power_in_words
from suffice.readers import labels
from suffice.stats.bottom_k import picked
from suffice.stats.content import hashed
from suffice.store import to_bytes

CLASSES = np.array(["north", "south", "west"])


def corpus(seed: int, n: int = 300) -> tuple[list[str], Any]:
    """Return texts where each class has words of its own; one of them drags four others along."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    texts = []
    for c in codes.tolist():
        words = [f"topic{(c if rng.random() < 0.5 else rng.integers(0, 3)) * 5 + rng.integers(0, 5)}" for _ in range(4)]
        echo = c if rng.random() < 0.55 else int(rng.integers(0, 3))
        texts.append(" ".join([*words, *(f"echo{echo}{k}" for k in range(5)), f"common{rng.integers(0, 9)}"]))
    return texts, CLASSES[codes]


def loss(model: Any, texts: Any, labels: Any) -> float:
    return float(log_loss(model.predict_log_proba(texts), labels, model.classes_))


def test_words_that_come_together_count_once() -> None:
    (X, y), (Z, z) = corpus(0, 1500), corpus(1, 1500)
    plain, weighed = (sf.TextClassifier(feature_powers=weights).fit(X, y) for weights in (None, "loo"))
    assert loss(weighed, Z, z) < loss(plain, Z, z) - 0.01
    by_word = dict(zip(weighed.words_, weighed.feature_powers_, strict=True))
    echoes = np.mean([weight for word, weight in by_word.items() if word.startswith("echo")])
    topics = np.mean([weight for word, weight in by_word.items() if word.startswith("topic")])
    assert echoes < 0.6 * topics


def test_each_effort_has_its_own() -> None:
    X, y = corpus(2)
    fast, balanced, best = (sf.TextClassifier(effort=effort).fit(X, y) for effort in ("fast", "balanced", "best"))
    assert (fast.feature_powers_ == 1).all()
    assert (balanced.feature_powers_ != 1).any()
    assert not any(" " in word for word in fast.words_)
    assert len(fast.choices_) < len(balanced.choices_) <= len(best.choices_)
    assert best.feature_powers_.shape == best.words_.shape
    for model in (fast, balanced, best):
        assert isinstance(model.alpha_, float)
        assert 1e-3 <= model.alpha_ <= 10
        assert not model.stale_


@pytest.mark.parametrize("most", [100, 10**6])
@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("effort", ["fast", "balanced"])
def test_a_stream_chooses_as_a_list_does(
    effort: Any, weighed: bool, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = corpus(3)
    X, y = X + X[:50], np.append(y, y[:50])
    for name in ("FEW_ROWS", "WORD_ROWS"):
        monkeypatch.setattr(f"suffice.models.choosing.chooser.{name}", most)
    monkeypatch.setattr("suffice.estimators.texts.token_choice.WEIGHED", 90)
    monkeypatch.setattr("suffice.readers.one_block.AT_ONCE", 64)
    weights = np.arange(350) % 3 if weighed else None
    stream, whole = (sf.TextClassifier(effort=effort, ridge=1.0).fit(texts, y, weights) for texts in (iter(X), X))
    assert (stream.feature_powers_ != 1).any() == (effort == "balanced")
    assert to_bytes(stream) == to_bytes(whole)


def test_groups_of_a_stream_are_kept_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = corpus(4)
    author = np.arange(300) // 10
    monkeypatch.setattr("suffice.models.choosing.chooser.FEW_ROWS", 100)
    taken: list[Any] = []

    def seen(*args: Any) -> Any:
        taken.append(picked(*args))
        return taken[-1]

    monkeypatch.setattr(labels, "picked", seen)
    sf.TextClassifier(effort="fast").fit(iter(X), y, groups=author)
    ((_, group),) = taken
    assert np.bincount(group).tolist() == [10] * 10


def test_texts_that_do_not_fit_into_memory_are_represented_by_some() -> None:
    X, y = corpus(5, 600)
    few, every = (sf.TextClassifier(alpha=0.3, ridge=1.0, memory_limit=m).fit(X, y) for m in (100_000, 10**9))
    assert (few.feature_powers_ != 1).any()
    assert not np.array_equal(few.feature_powers_, every.feature_powers_)
    assert loss(few, X, y) == pytest.approx(loss(every, X, y), abs=0.1)


def test_groups_are_left_out_whole() -> None:
    """Ten texts of one author share a signature, which says nothing of other authors."""
    rng = np.random.default_rng(6)
    X, _ = corpus(6, 400)
    author = np.arange(400) // 10
    labels = CLASSES[rng.integers(0, 3, 40)][author]
    signed = [f"{text} signed by author{a}" for text, a in zip(X, author, strict=True)]
    Z = [f"{text} signed by stranger{i}" for i, text in enumerate(corpus(7, 400)[0])]
    flattered, honest = sf.TextClassifier().fit(signed, labels), sf.TextClassifier().fit(signed, labels, groups=author)
    sure = [model.predict_proba(Z).max(axis=1).mean() for model in (flattered, honest)]
    assert sure[1] < sure[0]  # nothing tells the class of a stranger
    assert sure[1] < 0.5


def test_they_are_a_view() -> None:
    X, y = corpus(8, 240)
    model = sf.TextClassifier().fit(X[:160], y[:160])
    before = dict(zip(model.words_, model.feature_powers_, strict=True))
    model.partial_fit([*X[160:], "newcomer"], [*y[160:], "north"])
    after = dict(zip(model.words_, model.feature_powers_, strict=True))
    assert model.stale_
    assert after["newcomer"] == 1
    assert all(after[word] == weight for word, weight in before.items())
    model.forget(["newcomer"], ["north"])
    whole = sf.TextClassifier().fit(X, y)
    renewed = model.refresh(X, y)
    assert not renewed.stale_
    assert renewed.alpha_ == whole.alpha_
    np.testing.assert_array_equal(renewed.feature_powers_, whole.feature_powers_)
    np.testing.assert_array_equal(renewed.predict_proba(X), whole.predict_proba(X))
    assert (copy(whole).forget(X[:9], y[:9], drop_views=True).feature_powers_ == 1).all()
    small = sf.TextClassifier().fit(X[:80], y[:80])
    merged = small + whole
    assert merged.stale_
    np.testing.assert_array_equal(merged.feature_powers_, whole.feature_powers_)


def test_few_texts_choose_a_temper_and_no_more() -> None:
    X, y = corpus(10, 49)
    model = sf.TextClassifier().fit(X, y)
    tokens = [word for text in X for word in text.split()]
    assert model.alpha_ == pytest.approx(len(tokens) / (8 * 3 * len(set(tokens))), rel=1e-12)
    assert (model.feature_powers_ == 1).all()
    assert model.temper_.power != 1


@pytest.mark.parametrize("kind", ["bernoulli", "complement", "dirichlet_multinomial"])
def test_models_whose_words_have_no_say_of_their_own_have_no_weights(kind: TextModel) -> None:
    X, y = corpus(11, 80)
    assert (sf.TextClassifier(kind).fit(X, y).feature_powers_ == 1).all()


@pytest.mark.parametrize(
    "options", [{"estimate": "map"}, {"estimate": "mle"}, {"alpha": 0}, {"estimate": "predictive"}]
)
def test_other_ways_to_estimate_do_without(options: Any) -> None:
    X, y = corpus(16, 210)
    model = sf.TextClassifier(**options).fit(X, y)
    assert (model.feature_powers_ == 1).all()
    assert model.alpha_ == options.get("alpha", 1)
    assert (sf.TextClassifier(estimate="map", alpha=2.0, ridge=0.5).fit(X, y).feature_powers_ != 1).any()


@pytest.mark.parametrize("alpha", ["evidence", "loo", 0.5])
def test_a_pseudo_count_that_is_given_stays(alpha: Any) -> None:
    X, y = corpus(17, 200)
    model = sf.TextClassifier(alpha=alpha).fit(X, y)
    assert model.alpha_ == sf.TextClassifier(alpha=alpha, feature_powers=None).fit(X, y).alpha_
    assert (model.feature_powers_ != 1).any()


@pytest.mark.thorough
def test_words_in_buckets_have_weights_too() -> None:
    X, y = corpus(12)
    model = sf.TextClassifier(tokens=sf.Tokens(hash_bits=10)).fit(X, y)
    assert model.feature_powers_.shape == (1024,)
    assert (model.feature_powers_ != 1).any()
    model.partial_fit(X[:5], y[:5])
    model.leave_one_out(X[5:], y[5:])


def test_leaving_out_has_the_weights_and_is_better_for_them() -> None:
    X, y = corpus(13)
    plain, weighed = (sf.TextClassifier(feature_powers=weights).fit(X, y) for weights in (None, "loo"))
    loss, other = (sf.evaluate.leave_one_out(model, X, y).log_loss for model in (weighed, plain))
    assert loss < other


def test_they_are_shown() -> None:
    X, y = corpus(14, 600)
    model = sf.TextClassifier().fit(X, y)
    top = model.top_features("north", 3)
    assert all(row.value.startswith("power") or row.value == "" for row in top)
    explanation = model.explain(X[0])
    assert any("power" in value for value in explanation.values)
    logs = model.predict_log_proba(X[:1])[0]
    both = [list(model.classes_).index(label) for label in (explanation.target, explanation.against)]
    assert explanation.log_odds == pytest.approx(logs[both[0]] - logs[both[1]], abs=1e-9)
    assert power_in_words(0.01, -0.09, "words") == "redundant given other words"
    assert power_in_words(0.01, -0.11, "words") == "power 0.01: 1% of its log-odds"
    assert (power_in_words(1.0, 9, "words"), power_in_words(0.5, 0, "columns")) == ("", "power 0.50")


def test_a_matrix_of_counts_has_weights_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    in_turn = lambda values, codes: (hashed(np.arange(len(codes))), None)  # noqa: E731
    monkeypatch.setattr(labels, "row_keys", in_turn)  # else a text is not in the place of its row of counts
    monkeypatch.setattr("suffice.models.choosing.optimize.SEARCHED", 1e9)  # nor residuals
    X, y = corpus(15, 500)
    words = sorted({word for text in X for word in text.split()})
    matrix = np.array([[text.split().count(word) for word in words] for text in X])
    dense, thin = (
        sf.MultinomialNB(feature_powers="loo", ridge=0.5).fit(form, y) for form in (matrix, sparse.csr_array(matrix))
    )
    np.testing.assert_allclose(dense.predict_proba(matrix), thin.predict_proba(sparse.csr_array(matrix)), rtol=1e-9)
    texts = sf.TextClassifier(
        alpha=1.0,
        class_prior="counted",
        ridge=0.5,
        temper=None,
        ngram_range=(1, 1),
        term_weighting=sf.TermWeighting(sublinear_tf=False),
    ).fit(X, y)
    joint = texts.predict_joint_log_proba(X)  # without a floor, which matrices have none of
    np.testing.assert_allclose(softmax(joint, axis=1), dense.predict_proba(matrix), atol=2e-3)
    assert (sf.MultinomialNB().fit(matrix, y).feature_powers_ == 1).all()
    loss, other = (sf.evaluate.leave_one_out(model, matrix, y).log_loss for model in (dense, sf.MultinomialNB()))
    assert loss < other
    explanation = dense.explain(matrix[:1])
    logs = dense.predict_log_proba(matrix[:1])[0]
    both = [list(dense.classes_).index(label) for label in (explanation.target, explanation.against)]
    assert explanation.log_odds == pytest.approx(logs[both[0]] - logs[both[1]], abs=1e-9)


@pytest.mark.parametrize("wrong", [{"alpha": 0}, {"alpha": [1.0, 2.0]}, {"estimate": "predictive"}])
def test_what_has_no_weights_says_so(wrong: Any) -> None:
    with pytest.raises(InputError, match="The 'feature_powers' parameter of MultinomialNB"):
        sf.MultinomialNB(feature_powers="loo", **wrong).fit([[1, 0], [2, 1], [0, 1], [1, 2]], ["a", "a", "b", "b"])


@pytest.mark.parametrize("wrong", [{"effort": "much"}, {"ridge": 0}, {"feature_powers": "all"}, {"memory_limit": 0}])
def test_what_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        sf.TextClassifier(**wrong).fit(["a b", "c d"], [0, 1])
