"""Words drawn from urns: scipy's Dirichlet-multinomial, for matrices, sparse matrices and texts."""

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.special import gammaln

from suffice.models.scoring.cells import Cells, Temper
from suffice.models.scoring.removal import Removal, left
from suffice.models.scoring.rising import LENGTH, Rising, RisingHeldOut
from suffice.models.scoring.rows import MatrixRows
from suffice.models.scoring.text_rows import TextRows
from suffice.stats import TokenCounts
from suffice.stats.inputs import RowMatrix
from suffice.stats.word_counts import WordCounts
from suffice.text import Analysis

RNG = np.random.default_rng(0)
X = RNG.poisson(0.8, (30, 5)).astype(float)
X[3] = 0
CODES = RNG.integers(0, 3, 30)
WORDS = np.array(["ant", "bee", "cow", "dog", "eel"])
TEXTS = [" ".join(np.repeat(WORDS, row.astype(int))) for row in X]


def matrix(data: Any) -> MatrixRows:
    return MatrixRows(RowMatrix.read(data, "X"))


def expected(x: Any, alpha: Any) -> Any:
    """Return the Dirichlet-multinomial without n!/Πx!, by scipy."""
    x = np.asarray(x, int)
    orders = gammaln(x.sum() + 1) - gammaln(x + 1).sum()
    return [stats.dirichlet_multinomial(line, int(x.sum())).logpmf(x) - orders if x.sum() else 0.0 for line in alpha]


@pytest.mark.parametrize("more", [0.7, np.linspace(0.1, 2, 5)], ids=["number", "array"])
@pytest.mark.parametrize("data", [X, sparse.csr_matrix(X)], ids=["dense", "sparse"])
def test_rows_of_a_matrix(data: Any, more: Any) -> None:
    t = TokenCounts.of(X, CODES)
    scorer = Rising.of(Cells(t.counts), more, t)
    np.testing.assert_allclose(scorer.scores(matrix(data)), [expected(x, t.counts + more) for x in X])


def test_texts_are_scored_as_their_matrix_is() -> None:
    t, counts = TokenCounts.of(X, CODES), WordCounts.of(TEXTS, CODES)
    texts, by_text = TextRows(TEXTS, Analysis()), Rising.of(Cells.of(counts.tokens), 0.7, counts)
    np.testing.assert_allclose(by_text.scores(texts), Rising.of(Cells(t.counts), 0.7, t).scores(matrix(X)), atol=1e-12)
    again = pickle.loads(pickle.dumps(by_text))
    np.testing.assert_array_equal(again.scores(texts), by_text.scores(texts))


def test_texts_are_scored_the_same_in_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, texts = WordCounts.of(TEXTS, CODES), TextRows(TEXTS, Analysis())
    scores = Rising.of(Cells.of(counts.tokens), 0.7, counts).scores(texts)
    monkeypatch.setattr("suffice.models.scoring.rising.CELLS_AT_ONCE", 7)
    np.testing.assert_allclose(Rising.of(Cells.of(counts.tokens), 0.7, counts).scores(texts), scores)


def test_without_pseudo_counts_a_word_that_a_class_never_had_is_impossible() -> None:
    codes = np.where(X[:, 0] > 0, 0, 1)  # only class 0 has ants
    t, counts = TokenCounts.of(X, codes, n_classes=3), WordCounts.of(TEXTS, codes, n_classes=3)
    by_row = Rising.of(Cells(t.counts), 0.0, t).scores(matrix(X))
    by_text = Rising.of(Cells.of(counts.tokens), 0.0, counts).scores(TextRows(TEXTS, Analysis()))
    assert np.isneginf(by_row[codes == 0, 1]).all()
    assert np.isneginf(by_row[:, 2]).all(), "a class without rows and prior"
    assert np.isfinite(by_row[np.arange(30), codes]).all()
    np.testing.assert_allclose(by_text, by_row)


def test_a_row_is_the_sum_of_its_words_and_its_length() -> None:
    t, counts = TokenCounts.of(X, CODES), WordCounts.of(TEXTS, CODES)
    for scorer, rows in (
        (Rising.of(Cells(t.counts), 0.7, t), matrix(X[5:6])),
        (Rising.of(Cells.of(counts.tokens), 0.7, counts), TextRows(TEXTS[5:6], Analysis())),
    ):
        said = scorer.contributions(rows)
        assert said.features == [*np.flatnonzero(X[5]).tolist(), LENGTH]
        assert said.values[-1] == f"{X[5].sum():g} words"
        np.testing.assert_allclose(said.logs.sum(axis=0), scorer.scores(rows)[0])


def test_powers_of_rows() -> None:
    counts = WordCounts.of(TEXTS, CODES)
    scorer, rows = Rising.of(Cells.of(counts.tokens), 0.7, counts), TextRows(TEXTS, Analysis())
    n = X.sum(axis=1)
    powers = np.where(n > 0, 0.5 / np.sqrt(np.where(n > 0, n, 1)), 0.0)
    np.testing.assert_allclose(scorer.tempered(Temper(0.5, 0.5)).scores(rows), scorer.scores(rows) * powers[:, None])


@pytest.mark.parametrize("group", [None, RNG.integers(0, 8, 30)], ids=["alone", "groups"])
def test_held_out_rows_are_scored_by_the_counts_without_them(group: Any) -> None:
    t, x = TokenCounts.of(X, CODES), sparse.csr_matrix(X)
    removed = Removal.of(CODES, None, group)
    entries, lost = removed.entries(x)
    word = left(t.counts[removed.code[entries.row], entries.feature], lost) + 0.7
    total = left(t.counts.sum(axis=1)[removed.code], removed.sums(X.sum(axis=1))) + 5 * 0.7
    held = RisingHeldOut(Rising.of(Cells(t.counts), 0.7, t), matrix(X), removed, entries, word, total)
    scores = held.scores()
    for i, x_i in enumerate(X):
        away = np.arange(30) == i if group is None else group == group[i]
        rest = t - TokenCounts.of(X[away], CODES[away], n_classes=3)
        np.testing.assert_allclose(scores[i], expected(x_i, rest.counts + 0.7))
    np.testing.assert_array_equal(held.lengths(), X.sum(axis=1))
