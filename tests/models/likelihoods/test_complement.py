"""Complements of classes: scikit-learn's, refits without rows and groups, and texts as their matrix."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import ComplementNB

from suffice.errors import KindError
from suffice.models.answers import derived
from suffice.models.likelihoods.complement import Complement
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.linear import FittedTransform
from suffice.models.scoring.removal import Removal, Repeats
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.models.scoring.text_rows import TextRows
from suffice.stats import TokenCounts
from suffice.stats.inputs import RowMatrix
from suffice.stats.word_counts import WordCounts
from suffice.text import Analysis

RNG = np.random.default_rng(3)
X = RNG.poisson(0.8, (30, 5)).astype(float)
X[3] = 0
CODES = RNG.integers(0, 3, 30)
WEIGHTS: Any = RNG.integers(1, 4, 30) * 0.5
GROUP = RNG.integers(0, 8, 30)
WORDS = np.array(["ant", "bee", "cow", "dog", "eel"])
TEXTS = [" ".join(np.repeat(WORDS, row.astype(int))) for row in X]
NORMS = [False, True]


def matrix(data: Any) -> MatrixRows:
    return MatrixRows(RowMatrix.read(data, "X"))


def texts(of: list[str] = TEXTS, **options: Any) -> TextRows:
    return TextRows(of, Analysis(), **options)


def counted(model: Complement, rows: Any, weights: Any = None, which: Any = slice(None)) -> Any:
    return model.count(rows, Labels(CODES[which], None if weights is None else weights[which], 3))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("alpha", [1.0, 0.1, np.linspace(0.1, 2, 5)], ids=["one", "tenth", "array"])
def test_weights_are_those_of_scikit_learn(norm: bool, alpha: Any) -> None:
    model = Complement(alpha, norm)
    theirs = ComplementNB(alpha=alpha, norm=norm).fit(X, CODES, WEIGHTS).feature_log_prob_
    for data in (X, sparse.csr_matrix(X)):
        t = counted(model, matrix(data), WEIGHTS)
        np.testing.assert_allclose(model.weights(t).columns(np.arange(5)), theirs)
        np.testing.assert_allclose(model.scorer(t).scores(matrix(data)), X @ theirs.T)


@pytest.mark.parametrize("norm", NORMS)
def test_texts_are_scored_as_their_matrix_is(norm: bool) -> None:
    for alpha in (1.0, 0.0):
        model = Complement(alpha, norm)
        by_row, by_text = counted(model, matrix(X)), counted(model, texts())
        np.testing.assert_allclose(model.scorer(by_text).scores(texts()), model.scorer(by_row).scores(matrix(X)))
    once = Complement(1.0, norm, binary=True)
    flags, t = (X > 0).astype(float), counted(once, texts())
    found = once.scorer(t).scores(texts())
    np.testing.assert_allclose(found, Complement(1.0, norm).scorer(counted(model, matrix(flags))).scores(matrix(flags)))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("group", [None, GROUP], ids=["alone", "groups"])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_held_out_rows_are_scored_by_a_refit(norm: bool, group: Any, weights: Any) -> None:
    for alpha in (1.0, np.linspace(0.1, 2, 5), 1e-11):
        model = Complement(alpha, norm)
        t = counted(model, matrix(X), weights)
        held = model.held_out(t, matrix(X), Removal.of(CODES, weights, group))
        scores = held.scores()
        np.testing.assert_array_equal(held.lengths(), X.sum(axis=1))
        for i in range(len(X)):
            stay = np.arange(30) != i if group is None else group != group[i]
            rest = counted(model, matrix(X[stay]), weights, stay)
            np.testing.assert_allclose(scores[i], model.scorer(rest).scores(matrix(X[i : i + 1]))[0], rtol=1e-9)


@pytest.mark.parametrize("group", [None, GROUP], ids=["alone", "groups"])
def test_held_out_texts_are_scored_as_their_matrix_is(group: Any) -> None:
    for model in (Complement(0.5), Complement(0.5, norm=True)):
        removed = Removal.of(CODES, WEIGHTS, group)
        by_row, by_text = counted(model, matrix(X), WEIGHTS), counted(model, texts(), WEIGHTS)
        wanted = model.held_out(by_row, matrix(X), removed).scores()
        np.testing.assert_allclose(model.held_out(by_text, texts(), removed).scores(), wanted)


def test_a_single_word_has_all_of_the_weight() -> None:
    model, rows = Complement(norm=True), matrix(X[:, :1])
    t = counted(model, rows)
    wanted = np.repeat(X[:, :1], 3, axis=1)
    np.testing.assert_array_equal(model.scorer(t).scores(rows), wanted)
    np.testing.assert_array_equal(model.held_out(t, rows, Removal.of(CODES, None)).scores(), wanted)


@pytest.mark.parametrize("norm", NORMS)
def test_a_row_is_the_sum_of_its_words(norm: bool) -> None:
    transform = FittedTransform(sublinear_tf=True, idf=None, normalize=True)
    for model, rows in (
        (Complement(norm=norm), matrix(X)),
        (Complement(norm=norm), texts()),
        (Complement(norm=norm), texts(hash_bits=6)),
        (Complement(norm=norm, transform=transform), texts(vocabulary=WordCounts.of(TEXTS, CODES))),
    ):
        t = counted(model, rows)
        one: Any = rows.take(np.array([5]))
        said = model.contributions(t, one)
        np.testing.assert_allclose(said.logs.sum(axis=0), model.scorer(t).scores(one)[0])
        here = X[5][X[5] > 0]
        assert sorted(said.values) == sorted("once" if x == 1 else f"{x:g} times" for x in here)


@pytest.mark.parametrize("norm", NORMS)
def test_transformed_documents(norm: bool) -> None:
    idf = np.log(30 / (X > 0).sum(axis=0))
    model = Complement(0.5, norm, transform=FittedTransform(sublinear_tf=True, idf=idf, normalize=True))
    rows = texts(vocabulary=WordCounts.of(TEXTS, CODES))
    t = counted(model, rows)
    changed = np.log1p(X) * idf
    size = np.linalg.norm(changed, axis=1, keepdims=True)
    changed /= np.where(size > 0, size, 1)
    plain = Complement(0.5, norm)
    wanted = plain.scorer(counted(plain, matrix(changed))).scores(matrix(changed))
    scorer: Any = model.scorer(t)
    np.testing.assert_allclose(scorer.scores(rows), wanted)
    half = np.where(X.sum(axis=1) > 0, 0.5, 0.0)
    n = np.maximum(X.sum(axis=1), 1)
    np.testing.assert_allclose(scorer.tempered(Temper(0.5, 1.0)).scores(rows), wanted * (half / n)[:, None])
    with pytest.raises(KindError, match="Transformed rows cannot be held out"):
        model.held_out(t, rows, Removal.of(CODES, None))
    again = FittedTransform(sublinear_tf=True, idf=idf.copy(), normalize=True)
    assert model == Complement(0.5, norm, transform=again)
    assert model != Complement(0.5, norm, transform=FittedTransform(True, None, True))
    assert hash(model.transform) == hash(again)


def test_what_speaks_is_by_shares_of_words() -> None:
    model, n = Complement(0.5), np.bincount(CODES).astype(float)
    t = TokenCounts.of(X, CODES)
    theta = (t.counts + 0.5) / (t.counts + 0.5).sum(axis=1, keepdims=True)
    others = n[1:] @ theta[1:] / n[1:].sum()
    brought = theta[0] * np.log(theta[0] / others)
    found = derived.top_features(model, t, n, 0, 5)
    assert [row.feature for row in found] == [j for j in np.argsort(-brought).tolist() if brought[j] > 0]
    np.testing.assert_allclose([row.weight for row in found], brought[[row.feature for row in found]])
    prior = np.array([0.2, 0.3, 0.5])
    gain = sum(prior @ (part * np.log(part / (prior @ part))) for part in (theta, 1 - theta))
    np.testing.assert_allclose(derived.information(model, t, prior), gain)
    by_text = counted(model, texts())
    assert [row.feature for row in derived.top_features(model, by_text, n, 0, 5)] == [
        str(WORDS[row.feature]) for row in found
    ]
    np.testing.assert_allclose(derived.information(model, by_text, prior), gain)
    assert texts(["ant zebra", "zebra"]).known(by_text).tolist() == [True, False]


def test_counts_without_rows_keep_all_words() -> None:
    few = np.arange(30) < 9
    labels = Labels(CODES[few], None, 3)
    plain, changed = Complement(), Complement(transform=FittedTransform(sublinear_tf=True, idf=None, normalize=True))
    words = WordCounts.of(TEXTS, CODES)
    for model, rows in ((plain, matrix(X)), (plain, texts()), (changed, texts(vocabulary=words))):
        rest = model.without(counted(model, rows), rows.take(few), labels)
        wanted = counted(model, rows.take(~few), which=~few).tokens
        found = sparse.csr_matrix(rest.tokens).toarray()
        np.testing.assert_allclose(found, sparse.csr_matrix(wanted).toarray(), atol=1e-12)


def test_it_is_no_model_of_rows() -> None:
    model, t = Complement(), TokenCounts.of(X, CODES)
    for answer in (
        model.log_evidence,
        model.posterior,
        model.belief,
        lambda t: derived.parameter_intervals(model, t, 0.9),
    ):
        with pytest.raises(KindError, match="it describes a class by what the others are"):
            answer(t)
    assert "cannot learn without labels: it describes" in model.lacks("shares")
    assert repr(Complement(2.0, norm=True)) == "Complement(alpha=2.0, norm=True)"


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("width", [1, 12])
def test_rows_that_lose_as_much_of_a_word_share_its_logarithm(norm: bool, width: int) -> None:
    data, codes = RNG.poisson(0.7, (200, width)).astype(float), RNG.integers(0, 4, 200)
    data[:, -1] = np.where(codes == 1, 2, 0)  # a word that only one class has
    model, rows, every = Complement(norm=norm), matrix(data), np.arange(200)
    t: Any = model.count(rows, Labels(codes, None, 4))
    alone = Removal.of(codes, None)
    assert Repeats.of(rows.entries(t), alone, 4) is not None
    got, expected = (model.held_out(t, rows, removed).scores() for removed in (alone, Removal.of(codes, None, every)))
    np.testing.assert_allclose(got, expected, rtol=1e-12)
