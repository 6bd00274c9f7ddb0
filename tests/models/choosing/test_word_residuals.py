"""Residuals of words: the objective against scipy's minimum, and what becomes of them as a view."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import log_softmax

import suffice as sf
from suffice.models.choosing.word_residuals import WordDesign, fit_word_residuals
from suffice.models.views import WordWeights
from suffice.store import from_bytes, to_bytes


def rows(seed: int, n: int = 80, words: int = 6, classes: int = 3) -> tuple[Any, Any, WordDesign, Any, Any]:
    rng = np.random.default_rng(seed)
    x = rng.poisson(0.7, (n, words)) / 2
    scores, codes = rng.normal(0, 1, (n, classes)), rng.integers(0, classes, n)
    table = sparse.csr_matrix(np.column_stack([x, np.ones(n)]), dtype=np.float32)
    design = WordDesign(table, np.arange(words), np.ones(words))
    return scores, np.zeros((n, classes)), design, codes, rng.uniform(0.5, 2, n)


def objective(scale: float, terms: Any, given: Any, ridge: float) -> float:
    scores, offset, design, codes, weights = given
    lines = log_softmax(scale * scores + offset + design.x.toarray() @ terms, axis=1)
    return float(-(weights @ lines[np.arange(len(codes)), codes]) + ridge / 2 * (terms**2).sum())


@pytest.mark.parametrize("ridge", [0.3, 3.0, 30.0])
def test_the_objective_is_as_low_as_any_other_search_finds(ridge: float) -> None:
    given = rows(0)
    found = fit_word_residuals(*given, ridge)
    shape = found.terms.shape
    best = minimize(lambda z: objective(z[0], z[1:].reshape(shape), given, ridge), np.zeros(1 + np.prod(shape)),
                    method="L-BFGS-B", bounds=[(0, 1), *[(None, None)] * int(np.prod(shape))])  # fmt: skip
    mine = objective(found.scale, found.terms.astype(float), given, ridge)
    assert mine <= best.fun * 1.01
    assert 0 <= found.scale <= 1


def test_a_fit_from_another_ridge_ends_at_the_same_place() -> None:
    given = rows(1)
    cold = fit_word_residuals(*given, 1.0)
    warm = fit_word_residuals(*given, 1.0, fit_word_residuals(*given, 10.0))
    both = [objective(one.scale, one.terms.astype(float), given, 1.0) for one in (cold, warm)]
    assert both[0] == pytest.approx(both[1], rel=0.01)


def questions(seed: int, n: int = 2000) -> tuple[list[str], Any]:
    """Return texts of three classes, one of which has words that come together."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    what = rng.random(n) < np.array([0.9, 0.8, 0.2])[codes]
    echo = rng.random(n) < np.array([0.7, 0.1, 0.1])[codes]
    noise = rng.choice([f"word{k}" for k in range(40)], (n, 3))
    texts = [
        " ".join([*["what"] * int(a), *["many", "far", "how", "long"] * int(b), *c])
        for a, b, c in zip(what, echo, noise, strict=True)
    ]
    return texts, np.array(["count", "entity", "place"])[codes]


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let residuals be chosen, whatever they gain."""
    for name in ("NOISE", "NAT", "SEARCHED"):
        monkeypatch.setattr(f"suffice.models.choosing.option_judge.{name}", -1e9)


@pytest.fixture
def model(chosen: None) -> sf.TextClassifier:
    fitted = sf.TextClassifier(ngram_range=(1, 1)).fit(*questions(0))
    assert weights_of(fitted).residuals is not None
    return fitted


def weights_of(model: Any) -> WordWeights:
    weights = model._predictor.views.weights
    assert isinstance(weights, WordWeights)
    return weights


@pytest.mark.thorough
def test_they_are_chosen_where_they_lower_the_loss_of_new_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = sf.datasets.docstrings()
    which = np.random.default_rng(0).permutation(len(corpus.texts))[:6000].tolist()
    texts, labels = [corpus.texts[i] for i in which], np.asarray(corpus.labels)[which]
    usual = sf.TextClassifier(ngram_range=(1, 1)).fit(texts[:4000], labels[:4000])
    assert weights_of(usual).residuals is not None
    monkeypatch.setattr("suffice.models.choosing.option_judge.SEARCHED", 1e9)
    without = sf.TextClassifier(ngram_range=(1, 1)).fit(texts[:4000], labels[:4000])
    assert weights_of(without).residuals is None
    known = np.isin(labels[4000:], usual.classes_)
    at = np.flatnonzero(known), np.searchsorted(usual.classes_, labels[4000:][known])
    losses = [float(-one.predict_log_proba(texts[4000:])[at].mean()) for one in (usual, without)]
    assert losses[0] < losses[1]


def test_every_way_to_score_has_them(model: sf.TextClassifier) -> None:
    texts, labels = questions(0)
    logs = model.predict_log_proba(texts[:50])
    np.testing.assert_array_equal(model.predict(texts[:50]), model.classes_[logs.argmax(axis=1)])
    told = model.explain(texts[0])
    ordered = np.sort(logs[0])
    assert told.log_odds == pytest.approx(ordered[-1] - ordered[-2], abs=1e-6)
    low, high = model.predict_interval(texts[:5])
    assert ((low <= np.exp(logs[:5]) + 0.02) & (np.exp(logs[:5]) <= high + 0.02)).all()
    fixed = model.leave_one_out(texts, labels, views="fixed")[:50]
    assert np.abs(fixed - np.exp(logs)).max() < 0.2
    again = from_bytes(to_bytes(model))
    np.testing.assert_array_equal(again.predict_log_proba(texts[:50]), logs)


def test_they_are_a_view(model: sf.TextClassifier, chosen: None) -> None:
    texts, labels = questions(0)
    changed = from_bytes(to_bytes(model)).partial_fit(["brandnew words"], ["place"])
    assert changed.stale_
    assert weights_of(changed).residuals is not None
    secret = [*texts, "zebrafish what is", "zebrafish how many"]
    known = sf.TextClassifier(ngram_range=(1, 1)).fit(secret, [*labels, "place", "count"])
    mine = weights_of(known)
    assert mine.residuals is not None
    assert "zebrafish" in mine.words.strings[mine.residuals.places].tolist()
    known.forget(secret[-2:], ["place", "count"])
    left = weights_of(known)
    assert left.residuals is not None
    assert len(left.residuals.places) == len(mine.residuals.places) - 1
    assert b"zebrafish" not in to_bytes(known)
    gone = known.forget(
        *[
            [text for text, label in zip(texts, labels, strict=True) if label == "place"],
            ["place"] * int((labels == "place").sum()),
        ]
    )
    assert weights_of(gone).residuals.labels.tolist() == ["count", "entity"]  # type: ignore[union-attr]
    assert known.drop_views()._predictor.views.weights is None


@pytest.mark.thorough
def test_pairs_are_left_out_where_models_disagree_and_letters_are_refused() -> None:
    rng = np.random.default_rng(0)
    labels = rng.choice(["good", "bad"], 600)
    noise = rng.choice([f"word{k}" for k in range(9)], (600, 2))
    both = [f"{a} {'not bad' if y == 'good' else 'bad not'} {b}" for y, (a, b) in zip(labels, noise, strict=True)]
    pairs = sf.TextClassifier().fit(both, labels)
    assert pairs.ngram_range_ == (1, 2)
    assert next(row for row in pairs.choices_ if row.chosen).option == "words and pairs"
    few = sf.TextClassifier().fit(both[:100], labels[:100])
    assert few.ngram_range_ == (1, 1)
    with pytest.warns(UserWarning, match="Pairs of words are left out"):
        total = pairs + few
    assert total.ngram_range_ == (1, 1)
    expected = sf.TextClassifier(ngram_range=(1, 1)).fit([*both, *both[:100]], [*labels, *labels[:100]])
    np.testing.assert_array_equal(total.counts_.tokens.toarray(), expected.counts_.tokens.toarray())
    assert pairs.ngram_range_ == (1, 2)
    letters = sf.TextClassifier().fit(
        ["".join(rng.choice(list("ab" if y == "good" else "bc"), 30)) for y in labels], labels
    )
    assert letters.words_[0][:1].strip() in ("", "a", "b", "c")
    if letters._reader.analysis.unit != "word":
        with pytest.raises(sf.errors.InputError, match=r"got words, .* and letters, chosen by those of the other"):
            pairs + letters


def test_where_nobody_can_judge_nothing_is_chosen() -> None:
    texts, labels = questions(0, 300)
    for groups in (np.zeros(300), labels, np.arange(300) % 2, np.arange(300) % 3):
        model = sf.TextClassifier().fit(texts, labels, groups=groups)
        assert model.predict_proba(texts).max() > 0.5
    alone = sf.TextClassifier().fit(texts, np.arange(300))
    assert alone._predictor.views.floor is None
    with pytest.raises(sf.errors.LabelError, match="as many texts as there are labels"):
        sf.TextClassifier().fit([*texts, "more"], labels)


def test_a_model_of_one_class_has_no_floor() -> None:
    spam, ham = (
        sf.TextClassifier().fit([text] * 60, [label] * 60) for text, label in (("pills", "spam"), ("noon", "ham"))
    )
    assert spam._predictor.views.floor is None
    assert (spam + ham).predict_proba(["pills"])[0, 1] > 0.8


def test_rows_of_little_weight_choose_no_large_floor() -> None:
    texts, labels = questions(0, 600)
    tiny = sf.TextClassifier(ngram_range=(1, 1)).fit(texts, labels, np.full(600, 1 / 600))
    assert tiny._predictor.views.floor is not None
    assert tiny._predictor.views.floor < 0.3


def test_residuals_are_not_heard_where_words_are_not_weighed(model: sf.TextClassifier) -> None:
    texts, labels = questions(0)
    for how in ({"estimate": "predictive"}, {"model": "bernoulli"}):
        other = from_bytes(to_bytes(model)).set_params(**how).partial_fit(texts[:20], labels[:20])
        weights, views = weights_of(other), other._predictor.views
        before = other.predict_proba(texts[:20])
        other._predictor = other._predictor.with_views(
            replace(views, weights=replace(weights, residuals=None)), other._predictor.temper
        )
        np.testing.assert_array_equal(other.predict_proba(texts[:20]), before)


def test_tokens_are_told_though_nothing_else_is_chosen_and_after_loading() -> None:
    rng = np.random.default_rng(0)
    labels = rng.choice(["good", "bad"], 600)
    texts = [f"word{rng.integers(9)} {'not bad' if label == 'good' else 'bad not'}" for label in labels]
    model = sf.TextClassifier(alpha=1.0, temper=None, feature_powers=None).fit(texts, labels)
    assert [row.choice for row in model.choices_ if row.chosen] == ["tokens"]
    again = from_bytes(to_bytes(model)).refresh(texts, labels)
    assert [row.choice for row in again.choices_ if row.chosen] == ["tokens"]


def test_files_are_counted_again_by_the_tokens_that_texts_choose(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    labels = rng.choice(["good", "bad"], 600)
    pairs = [f"word{rng.integers(9)} {'not bad' if label == 'good' else 'bad not'}" for label in labels]
    words = [f"word{rng.integers(9)} {'fine' if label == 'good' else 'poor'}" for label in labels]
    here = sf.TextClassifier().fit(pairs, labels)
    assert here.ngram_range_ == (1, 2)
    for name, texts in (("pairs", pairs), ("words", words)):
        pd.DataFrame({"text": texts, "label": labels}).to_csv(tmp_path / f"{name}.csv", index=False)
    there = sf.fit_files(sf.TextClassifier(), tmp_path / "pairs.csv", target="label", text="text")
    assert there.counts_ == here.counts_
    np.testing.assert_array_equal(there.predict_log_proba(pairs[:20]), here.predict_log_proba(pairs[:20]))
    again = sf.fit_files(there, tmp_path / "words.csv", target="label", text="text")
    assert again.ngram_range_ == sf.TextClassifier().fit(words, labels).ngram_range_ == (1, 1)
