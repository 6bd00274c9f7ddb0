"""Columns of text: words by class, held out and explained; missing texts say nothing."""

from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln

from suffice.errors import DataError
from suffice.models.answers import derived
from suffice.models.likelihoods.base import check
from suffice.models.likelihoods.categorical import Categorical
from suffice.models.likelihoods.text_column import Text
from suffice.models.open_columns import OpenBlock
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.rows import Labels
from suffice.tables import Column, Table

TEXTS: list[str | None] = ["Cat dog cat", None, "dog mat", "", "mat mat sat", "cat", None, "sat dog dog cat"]
Y = np.array([0, 0, 1, 1, 0, 2, 2, 1])
LABELS = Labels(Y, None, 3)
WORDS = ["cat", "dog", "mat", "sat"]


def column(texts: Any) -> Column:
    return Table.read({"t": texts})["t"]


def counts(texts: Any, y: Any) -> Any:
    """Return classes × words, by Python's own means."""
    table = np.zeros((3, len(WORDS)))
    for text, code in zip(texts, y, strict=True):
        for word in (text or "").lower().split():
            table[code, WORDS.index(word)] += 1
    return table


def score(estimate: str, table: Any, alpha: float, text: str) -> Any:
    """Return ln p of a text in each class."""
    x = counts([text], [0])[0]
    if estimate == "mean":
        return np.log((table + alpha) / (table + alpha).sum(axis=1, keepdims=True)) @ x
    a = table + alpha
    drawn = (gammaln(a + x) - gammaln(a)).sum(axis=1)
    return drawn - gammaln(a.sum(axis=1) + x.sum()) + gammaln(a.sum(axis=1))


@pytest.mark.parametrize("estimate", ["mean", "predictive"])
@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_scores_are_those_of_a_multinomial(estimate: Any, alpha: float) -> None:
    likelihood = Text(alpha, estimate=estimate)
    block = OpenBlock.of_column(likelihood, column(TEXTS), LABELS)
    assert block.statistic.words.strings.tolist() == WORDS
    assert block.statistic.n.tolist() == [2, 3, 1]
    for text in ("cat dog", "sat sat mat", "cat unheard", ""):
        expected = score(estimate, counts(TEXTS, Y), alpha, text.replace("unheard", ""))
        np.testing.assert_allclose(block.scorer.scores(likelihood.rows(column([text])))[0], expected, atol=1e-12)


@pytest.mark.parametrize("estimate", ["mean", "predictive"])
@pytest.mark.parametrize("groups", [None, np.array([0, 1, 0, 1, 2, 2, 0, 1])], ids=["alone", "groups"])
def test_held_out_is_a_fit_to_the_others(estimate: Any, groups: Any) -> None:
    likelihood = Text(estimate=estimate)
    block = OpenBlock.of_column(likelihood, column(TEXTS), LABELS)
    rows = likelihood.rows(column(TEXTS))
    found = block.held_out(rows, Removal.of(Y, None, groups)).scores()
    group = np.arange(len(Y)) if groups is None else groups
    for i, text in enumerate(TEXTS):
        rest = group != group[i]
        others = counts([t for t, keep in zip(TEXTS, rest, strict=True) if keep], Y[rest])
        if text is not None:
            np.testing.assert_allclose(found[i], score(estimate, others, 1.0, text), atol=1e-12)


def test_some_texts_are_the_same_however_they_are_taken() -> None:
    likelihood = Text()
    rows = likelihood.rows(column(TEXTS))
    t = OpenBlock.of_column(likelihood, column(TEXTS), LABELS).statistic
    everything = rows.entries(t).toarray()
    for some in (np.array([6, 0, 4]), np.arange(8) % 2 == 0, slice(2, 5)):
        taken = rows.take(some)
        assert len(taken) == len(np.arange(8)[some])
        np.testing.assert_array_equal(taken.entries(t).toarray(), everything[some])
        np.testing.assert_array_equal(taken.present, rows.present[some])  # type: ignore[index]
    part = rows.part(slice(2, 5))
    np.testing.assert_array_equal(part.entries(t).toarray(), everything[2:5])
    np.testing.assert_array_equal(part.take(np.array([2, 0])).entries(t).toarray(), everything[[4, 2]])
    assert rows.part(slice(0, 8)) is rows


@pytest.mark.parametrize("estimate", ["mean", "predictive", "mle"])
def test_an_explanation_adds_up_to_the_score(estimate: Any) -> None:
    likelihood = Text(estimate=estimate)
    block = OpenBlock.of_column(likelihood, column(TEXTS), LABELS)
    row = likelihood.rows(column(["Dog zebra cat dog yak"]))
    said = block.settled.contributions(block.t, row)
    np.testing.assert_allclose(said.logs, block.scorer.scores(row))
    words = said.inner[0]
    np.testing.assert_allclose(words.logs.sum(axis=0), said.logs[0])
    assert words.features[:2] == ["cat", "dog"]
    assert words.values[:2] == ["once", "2 times"]
    assert (words.features[-1], words.values[-1]) == ("(unknown words)", "zebra, yak")
    assert said.values == ["Dog zebra cat dog yak"]
    lost = block.settled.contributions(block.t, likelihood.rows(column(["zebra"]))).inner[0]
    assert lost.unknown == "word of this text"


def test_without_a_word_nothing_is_said() -> None:
    block = OpenBlock.of_column(Text("evidence"), column(["!", None, "."]), Labels(np.array([0, 1, 1]), None, 2))
    rows = Text().rows(column(["cat", None]))
    np.testing.assert_array_equal(block.scorer.scores(rows), 0)
    np.testing.assert_array_equal(block.held_out(rows, Removal.of(np.array([0, 1]), None)).scores(), 0)
    np.testing.assert_array_equal(block.settled.log_evidence(block.t).sum(), 0)
    np.testing.assert_array_equal(block.settled.belief(block.t).moments(rows), 0)
    np.testing.assert_array_equal(rows.known(block.t), False)
    assert derived.top_features(block.settled, block.t, block.statistic.n, 0, 3) == []
    assert block.settled.contributions(block.t, rows.take(np.array([0]))).inner == {}
    assert derived.prior_in_words(block.settled, block.t) == "Dirichlet(1 each) over 0 words"


def test_categories_serve_it_if_they_are_words() -> None:
    texts = ["cat dog", "dog mat"] * 4
    names = OpenBlock.of_column(Categorical(), column(texts), LABELS)
    words = OpenBlock.of_column(Text(), column(texts), LABELS)
    assert Text().served(names) == words.statistic
    assert Text().served(words) is words.statistic
    assert Text().served(OpenBlock.of_column(Categorical(), column([1, 2] * 4), LABELS)) is None


def test_it_reads_words_only() -> None:
    with pytest.raises(DataError, match="Column 't' is declared text but holds whole numbers"):
        check(Text(), column([1, 2]))
    check(Text(), column([None, None]))


def test_it_is_written_as_it_is_made() -> None:
    assert repr(Text()) == "Text()"
    assert repr(Text(0.5, (1, 2), False)) == "Text(alpha=0.5, ngram_range=(1, 2), lowercase=False)"
    assert Text(0.5) == Text(alpha=0.5) != Text()
    with pytest.raises(DataError, match="'alpha'"):
        Text(-1.0)


def test_what_is_known_of_a_column_is_a_table_of_words() -> None:
    block = OpenBlock.of_column(Text(), column(TEXTS), LABELS)
    table = derived.parameter_table(block.settled, block.t, np.array(["a", "b", "c"]), 0.9)
    assert table["word"][:3].tolist() == ["cat"] * 3
    assert table["n"][:3].tolist() == [2, 1, 1]
    np.testing.assert_allclose(table["probability"][0], 3 / 10)
    top = derived.top_features(block.settled, block.t, block.statistic.n, 0, 2)
    assert [row.value for row in top] == ["mat", "cat"]
