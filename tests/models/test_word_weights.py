"""Evidence weights of words: rows left out by brute force, slopes by finite differences."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import log_softmax

import suffice as sf
from suffice.models.temper import Temper
from suffice.models.text_model import TextModel
from suffice.models.word_weights import Documents, WordRows, choose
from suffice.stats.words import WordCounts
from suffice.text import Analysis

WORDS = np.array(["spam", "ham", "eggs", "toast", "tea", "milk", "jam"])


def corpus(seed: int, n: int, classes: int = 3) -> tuple[list[str], Any, Any]:
    """Texts, codes, and the weights of texts."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, n)
    shares = rng.dirichlet(np.full(len(WORDS), 0.8), classes)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 9), p=shares[c])) for c in codes]
    return texts, codes, rng.integers(1, 3, n).astype(float)


def log_prior(n: Any) -> Any:
    return np.log(n + 0.5) - np.log(n.sum(axis=-1, keepdims=True) + 0.5 * n.shape[-1])


def model_of(texts: Any, codes: Any, weights: Any, **options: Any) -> TextModel:
    counts = WordCounts.of(texts, codes, weights, n_classes=3)
    return TextModel("multinomial", counts, Analysis(), 0.3, **options)


def brute(model: TextModel, matrix: Any, codes: Any, weights: Any, group: Any, temper: Temper, w: Any, b: Any) -> Any:
    """−ln p of every document, each by a model without it or its group, made anew."""
    losses = []
    for i in range(len(codes)):
        gone = [i] if group is None else np.flatnonzero(group == group[i])
        left = model.counts.less(matrix[gone], codes[gone], weights[gone])
        table = (left.documents if model.binary else left.tokens).toarray()
        theta = (table + model.alpha) / (table.sum(axis=1, keepdims=True) + model.alpha * table.shape[1])
        x = matrix[i].toarray().ravel()
        x = np.where(x > 0, 1 + np.log(np.maximum(x, 1)), 0.0) if model.damped else x
        scores = log_prior(left.n) + b + temper.of(np.array([x.sum()])) * (np.log(theta) @ (w * x))
        losses.append(-log_softmax(scores)[codes[i]])
    return np.array(losses)


@pytest.mark.parametrize("damped", [False, True])
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_rows_are_predicted_by_classes_without_them(damped: bool, binary: bool, grouped: bool) -> None:
    texts, codes, weights = corpus(0, 30)
    group = np.arange(30) // 4 if grouped else None
    model = model_of(texts, codes, weights, damped=damped and not binary, binary=binary)
    matrix = model.documents(texts)
    temper = Temper(0.8, 0.3)
    rows = WordRows.of(model, Documents(matrix, codes, weights, group, log_prior), temper)
    rng = np.random.default_rng(1)
    w, b = rng.uniform(0, 2, model.counts.width), rng.normal(0, 1, 3)
    expected = brute(model, matrix, codes, weights, group, temper, w, b)
    np.testing.assert_allclose(rows.each(w, b), rows.weights * expected, rtol=1e-10)
    np.testing.assert_array_equal(rows.weights, weights)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 9])
def test_slope_and_bend_by_finite_differences(grouped: bool, classes: int) -> None:
    texts, codes, weights = corpus(2, 60, classes)
    counts = WordCounts.of(texts, codes, weights, n_classes=classes)
    model = TextModel("multinomial", counts, Analysis(), 0.3, damped=True)
    group = np.arange(60) // 3 if grouped else None
    rows = WordRows.of(model, Documents(model.documents(texts), codes, weights, group, log_prior), Temper(0.7, 0.2))
    rng = np.random.default_rng(3)
    w, b = rng.uniform(0.2, 2, counts.width), rng.normal(0, 0.5, classes)
    _, slope, terms = rows.loss(w, b)
    bend = rows.bend(w, b)
    for j in range(counts.width):
        step = np.eye(counts.width)[j] * 1e-5
        above, below = (rows.loss(w + s, b) for s in (step, -step))
        assert slope[j] == pytest.approx((above[0] - below[0]) / 2e-5, rel=1e-5, abs=1e-5)
        assert bend[j] == pytest.approx((above[1][j] - below[1][j]) / 2e-5, rel=1e-4, abs=1e-4)
    for c in range(classes):
        step = np.eye(classes)[c] * 1e-5
        assert terms[c] == pytest.approx((rows.loss(w, b + step)[0] - rows.loss(w, b - step)[0]) / 2e-5, abs=1e-5)


def test_threads_change_nothing() -> None:
    texts, codes, weights = corpus(4, 400)
    model = model_of(texts, codes, weights)
    rows = WordRows.of(model, Documents(model.documents(texts), codes, weights, None, log_prior), Temper())
    ones, none = np.ones(model.counts.width), np.zeros(3)
    with sf.threads(1):
        alone = rows.loss(ones, none)
    with sf.threads(4):
        together = rows.loss(ones, none)
    assert alone[0] == together[0]
    for a, b in zip(alone[1:], together[1:], strict=True):
        np.testing.assert_array_equal(a, b)


def test_rows_of_no_weight_and_rows_without_words() -> None:
    texts, codes, weights = corpus(5, 40)
    texts[3] = "unheard"
    model = model_of([*texts[:3], "", *texts[4:]], codes, weights)
    documents = Documents(model.documents(texts), codes, weights, None, log_prior)
    rows = WordRows.of(model, documents, Temper(1.0, 0.5))
    ones, none = np.ones(model.counts.width), np.zeros(3)
    each = rows.each(ones, none)
    assert np.isfinite(each).all()
    half = rows.some(np.arange(40) % 2 == 0)
    assert half.loss(ones, none)[0] == pytest.approx(each[::2].sum(), rel=1e-12)


def test_documents_that_judge_are_out_of_the_model() -> None:
    """Each pair of documents shares a word of its own: left out singly, they would tell each other's class."""
    rng = np.random.default_rng(6)
    codes = np.repeat(rng.integers(0, 2, 150), 2)
    texts = [f"pair{i // 2} {' '.join(rng.choice(WORDS, 4))}" for i in range(300)]
    counts = WordCounts.of(texts, codes, n_classes=2)
    model = TextModel("multinomial", counts, Analysis(), 1.0)
    ones = np.ones(300)
    documents = Documents(model.documents(texts), codes, ones, None, log_prior)
    together = replace(documents, group=np.arange(300) // 2)
    chosen = choose(model, together, None, None, None, True)
    assert chosen.start.ridge > 1
    named = np.char.startswith(counts.words.strings.astype(str), "pair")
    assert chosen.start.features[named].max() < 1.2


def test_the_kernel_refuses_what_does_not_fit_together() -> None:
    texts, codes, weights = corpus(8, 10)
    model = model_of(texts, codes, weights)
    rows = WordRows.of(model, Documents(model.documents(texts), codes, weights, None, log_prior), Temper())
    with pytest.raises(ValueError, match="do not fit"):
        rows.loss(np.ones(2), np.zeros(3))
    wide = sparse.csr_matrix(np.ones((10, 99)))
    with pytest.raises(ValueError, match=r"do not fit|index|out of"):
        WordRows.of(model, Documents(wide, codes, weights, None, log_prior), Temper(), learned=False)
