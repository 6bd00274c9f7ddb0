"""Bursty words: scipy's Dirichlet-multinomial, Elkan's formula, and texts as their matrix."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.special import gammaln

from suffice.errors import KindError
from suffice.models.answers import derived
from suffice.models.likelihoods.polya import Polya
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.models.scoring.text_rows import TextRows
from suffice.stats.inputs import RowMatrix
from suffice.text import Analysis

RNG = np.random.default_rng(2)
X = RNG.negative_binomial(0.4, 0.25, (40, 5)).astype(float)
X[3] = 0
CODES = RNG.integers(0, 3, 40)
WORDS = np.array(["ant", "bee", "cow", "dog", "eel"])
TEXTS = [" ".join(np.repeat(WORDS, row.astype(int))) for row in X]
LENGTHS = X.sum(axis=1)
METHODS = ["dcm", "edcm"]


def matrix(data: Any) -> MatrixRows:
    return MatrixRows(RowMatrix.read(data, "X"))


def texts(of: list[str] = TEXTS, **options: Any) -> TextRows:
    return TextRows(of, Analysis(), bursts=True, **options)


def fitted(method: Any, rows: Any, alpha: Any = 0.05, weights: Any = None, n_classes: int = 3) -> tuple[Polya, Any]:
    model = Polya(alpha, method)
    t = model.count(rows, Labels(CODES, weights, n_classes))
    return model.settled(t), t


@pytest.mark.parametrize("data", [X, sparse.csr_matrix(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("alpha", [0.05, np.linspace(0.1, 1, 5)], ids=["number", "array"])
def test_rows_are_drawn_from_urns(data: Any, alpha: Any) -> None:
    model, t = fitted("dcm", matrix(data), alpha)
    urns: Any = model.urns
    scores = model.scorer(t).scores(matrix(data)) + np.asarray(model.log_measure(t, matrix(data)))[:, None]
    some = LENGTHS > 0
    wanted = [
        [stats.dirichlet_multinomial(line, int(x.sum())).logpmf(x.astype(int)) for line in urns.alpha.values]
        for x in X[some]
    ]
    np.testing.assert_allclose(scores[some], wanted, rtol=1e-9)
    np.testing.assert_allclose(scores[~some], 0, atol=1e-12)
    np.testing.assert_allclose([scores[c == CODES, c].sum() for c in range(3)], urns.log_likelihood)


def test_the_approximation_looks_at_which_words_there_are() -> None:
    model, t = fitted("edcm", matrix(X))
    beta = model.urns.alpha.values  # type: ignore[union-attr]
    s = beta.sum(axis=1)
    rising = gammaln(s + LENGTHS[:, None]) - gammaln(s)
    for data in (X, sparse.csr_matrix(X)):
        np.testing.assert_allclose(model.scorer(t).scores(matrix(data)), (X > 0) @ np.log(beta).T - rising)
    orders = gammaln(LENGTHS + 1) - np.log(np.where(X > 0, X, 1)).sum(axis=1)
    np.testing.assert_allclose(model.log_measure(t, matrix(X)), orders)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weights", [None, RNG.integers(1, 4, 40) * 0.5], ids=["plain", "weighted"])
def test_texts_are_what_their_matrix_is(method: Any, weights: Any) -> None:
    by_row, t = fitted(method, matrix(X), weights=weights)
    by_text, words = fitted(method, texts(), weights=weights)
    one, other = by_row.urns, by_text.urns
    assert one is not None
    assert other is not None
    np.testing.assert_allclose(other.total, one.total)
    np.testing.assert_allclose(other.log_likelihood, one.log_likelihood)
    wanted = by_row.scorer(t).scores(matrix(X))
    np.testing.assert_allclose(by_text.scorer(words).scores(texts()), wanted, rtol=1e-9)
    n = np.bincount(CODES).astype(float)
    mine, theirs = derived.top_features(by_text, words, n, 1, 3), derived.top_features(by_row, t, n, 1, 3)
    assert [row.feature for row in mine] == [str(WORDS[row.feature]) for row in theirs]
    np.testing.assert_allclose([row.weight for row in mine], [row.weight for row in theirs])
    assert derived.n_parameters(by_text, words)[0] == derived.n_parameters(by_row, t)[0] == 5
    assert by_text.log_measure(words, texts()) == 0


@pytest.mark.parametrize("method", METHODS)
def test_words_that_a_class_has_not_met(method: Any) -> None:
    codes = np.where(X[:, 0] > 0, 0, 1)  # only class 0 has ants
    for alpha in (0.05, 0.0):
        model = Polya(alpha, method)
        by_row, by_text = (model.count(rows, Labels(codes, None, 3)) for rows in (matrix(X), texts()))
        wanted = model.settled(by_row).scorer(by_row).scores(matrix(X))
        found = model.settled(by_text).scorer(by_text).scores(texts())
        np.testing.assert_allclose(found, wanted, rtol=1e-9)
        assert np.isneginf(wanted[codes == 0, 1]).all() == (alpha == 0)
        assert np.isneginf(wanted[:, 2]).all() == (alpha == 0), "a class without rows"


@pytest.mark.parametrize("method", METHODS)
def test_a_row_is_the_sum_of_its_words_and_its_length(method: Any) -> None:
    for rows in (matrix(X), texts(), texts(hash_bits=6)):
        model, t = fitted(method, rows)
        one: Any = rows.take(np.array([5]))
        said = model.contributions(t, one)
        np.testing.assert_allclose(said.logs.sum(axis=0), model.scorer(t).scores(one)[0])
        assert said.features[-1] == "(length)"
        assert said.values[-1] == f"{LENGTHS[5]:g} words"
        assert len(said.features) == (X[5] > 0).sum() + 1


@pytest.mark.parametrize("method", METHODS)
def test_held_out_rows_are_scored_by_the_urns_as_they_are(method: Any) -> None:
    model, t = fitted(method, texts())
    held = model.held_out(t, texts(), Removal.of(CODES, None, CODES % 2))
    np.testing.assert_array_equal(held.scores(), model.scorer(t).scores(texts()))
    np.testing.assert_array_equal(held.lengths(), LENGTHS)
    scorer: Any = model.scorer(t)
    powers = np.where(LENGTHS > 0, 0.5 / np.sqrt(np.where(LENGTHS > 0, LENGTHS, 1)), 0)[:, None]
    np.testing.assert_allclose(scorer.tempered(Temper(0.5, 0.5)).scores(texts()), powers * scorer.scores(texts()))


def test_what_speaks_by_the_means_of_urns() -> None:
    model, t = fitted("dcm", matrix(X))
    alpha = model.urns.alpha.values  # type: ignore[union-attr]
    theta, n = alpha / alpha.sum(axis=1, keepdims=True), np.bincount(CODES).astype(float)
    others = n[1:] @ theta[1:] / n[1:].sum()
    brought = theta[0] * np.log(theta[0] / others)
    found = derived.top_features(model, t, n, 0, 5)
    assert [row.feature for row in found] == [j for j in np.argsort(-brought).tolist() if brought[j] > 0]
    np.testing.assert_allclose([row.weight for row in found], brought[[row.feature for row in found]])
    prior = np.array([0.2, 0.3, 0.5])
    gain = sum(prior @ (part * np.log(part / (prior @ part))) for part in (theta, 1 - theta))
    np.testing.assert_allclose(derived.information(model, t, prior), gain)


def test_the_prior_is_of_one_word_documents() -> None:
    model, t = fitted("dcm", matrix(X))
    held = (X > 0).sum(axis=0) + 1
    prior = 0.05 * 5 * held / held.sum()
    np.testing.assert_allclose(model.urns.prior, prior)  # type: ignore[union-attr]
    alpha = model.urns.alpha.values  # type: ignore[union-attr]
    density = (prior * np.log(alpha / alpha.sum(axis=1, keepdims=True))).sum()
    assert derived.log_prior_density(model, t) == pytest.approx(density)


def test_urns_are_fitted_once() -> None:
    model, t = fitted("dcm", matrix(X))
    assert model.urns.late == ()  # type: ignore[union-attr]
    assert model == Polya(0.05), "urns are no part of what a likelihood is"
    assert repr(model) == "Polya(alpha=0.05)"
    hurried: Any = replace(Polya(0.05), max_iter=1, tol=1e-12).settled(t).urns
    assert hurried.late
    assert hurried.n_iter.tolist() == [1, 1, 1]


def test_what_urns_have_no_answer_to() -> None:
    model, t = fitted("dcm", matrix(X))
    for answer in (
        model.log_evidence,
        model.posterior,
        model.belief,
        lambda t: derived.parameter_intervals(model, t, 0.9),
    ):
        with pytest.raises(KindError, match="its urns are fitted, not integrated out"):
            answer(t)
    assert not model.lacks("shares")
    assert "got 'edcm', whose probabilities do not add up to one" in Polya(method="edcm").lacks("shares")


def test_known_words() -> None:
    _, t = fitted("dcm", texts())
    assert texts(["ant zebra", "zebra", ""]).known(t).tolist() == [True, False, False]
