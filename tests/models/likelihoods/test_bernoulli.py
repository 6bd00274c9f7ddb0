"""Flags: against formulas written out, scipy's distributions, and models refitted without what is held out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats
from scipy.special import betaln

from suffice.errors import DataError, ImproperPrior, NoUniqueMode
from suffice.models.answers import derived
from suffice.models.likelihoods.base import check
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.model import Block
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.models.scoring.text_rows import TextRows
from suffice.posterior import Beta
from suffice.stats import inputs
from suffice.tables import Table
from suffice.text import Analysis

N, F, C = 40, 5, 3
RNG = np.random.default_rng(5)
Y = np.arange(N) % C
CHANCE = RNG.random((C, F))
CHANCE[0, 0], CHANCE[1, 1] = 1.0, 0.0  # always on, never on
X = (RNG.random((N, F)) < CHANCE[Y]).astype(np.float64)
NEW = (RNG.random((30, F)) < 0.5).astype(np.float64)
NEW[3] = [1, 0, 0, 1, 0]
WORDS = [" ".join(f"word{j}" for j in np.flatnonzero(row)) or "nothing" for row in X]


def rows_of(x: Any) -> MatrixRows:
    return MatrixRows(inputs.RowMatrix.read(x, "X").flags(0.0))


def counted(h: Bernoulli, x: Any = X, y: Any = Y, weights: Any = None) -> Any:
    return h.count(rows_of(x), Labels(y, weights, C))


def theta_of(x: Any, y: Any, weights: Any, a: Any, b: Any, estimate: str) -> Any:
    """Return θ and 1 − θ as the textbook has them."""
    w = np.ones(len(y)) if weights is None else weights
    on = np.array([w[y == c] @ x[y == c] for c in range(C)])
    off = np.array([w[y == c] @ (1 - x[y == c]) for c in range(C)])
    more = {"mle": 0.0, "map": -1.0}.get(estimate, 0.0)
    a, b = (0.0, 0.0) if estimate == "mle" else (a + more, b + more)
    total = on + off + a + b
    some = np.where(total > 0, total, 1.0)
    return tuple(np.where(total > 0, np.where(part < 1e-12, 0.0, part) / some, 0.5) for part in (on + a, off + b))


def scored(x: Any, theta: Any) -> Any:
    with np.errstate(divide="ignore"):
        on, off = (np.log(part) for part in theta)
    return np.array([[np.where(row > 0, on[c], off[c]).sum() for c in range(C)] for row in x])


@pytest.mark.parametrize("estimate", ["mle", "mean", "predictive", "map"])
@pytest.mark.parametrize("alpha", [0.0, 1.5, np.array([1.5, 2.0, 3.0, 4.0, 2.5]), Beta(2, 3)])
@pytest.mark.parametrize("weights", [None, RNG.integers(1, 4, N) * 0.1])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_rows_are_scored_by_the_formula(estimate: Any, alpha: Any, weights: Any, form: Any) -> None:
    h = Bernoulli.of(alpha, estimate, "flags")
    t = counted(h, form(X), weights=weights)
    if estimate == "map" and np.ndim(alpha) == 0 and alpha == 0.0:
        with pytest.raises(NoUniqueMode, match="above 0 where a class has no count"):
            h.settled(t)
        return
    a, b = (alpha.a, alpha.b) if isinstance(alpha, Beta) else (alpha, alpha)
    theta = theta_of(X, Y, weights, a, b, estimate)
    scorer: Any = h.settled(t).scorer(t)
    assert_allclose(scorer.scores(rows_of(form(NEW))), scored(NEW, theta), rtol=1e-9)
    on, off = h.log_theta(t)
    assert_allclose(np.exp(on.values), theta[0], rtol=1e-9)
    assert_allclose(np.exp(off.values), theta[1], rtol=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 1.0, np.array([1.5, 2.0, 0.5, 4.0, 2.5])])
@pytest.mark.parametrize("weights", [None, np.full(N, 0.3), RNG.integers(1, 4, N) * 0.1])
@pytest.mark.parametrize("group", [None, RNG.integers(0, 6, N)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_rows_held_out_are_scored_as_if_never_seen(alpha: Any, weights: Any, group: Any, form: Any) -> None:
    h = Bernoulli.of(alpha, "mean", "flags")
    t = counted(h, form(X), weights=weights)
    held_out = h.held_out(t, rows_of(form(X)), Removal.of(Y, weights, group))
    assert held_out.lengths() is None
    for i, scores in enumerate(held_out.scores()):
        rest = np.arange(N) != i if group is None else group != group[i]
        theta = theta_of(X[rest], Y[rest], None if weights is None else weights[rest], alpha, alpha, "mean")
        assert_allclose(scores, scored(X[[i]], theta)[0], rtol=1e-9, err_msg=str(i))


def test_a_class_of_one_row_has_no_opinion_of_it() -> None:
    y = np.where(np.arange(N) == 0, 2, Y % 2)
    h = Bernoulli.of(0.0, "mean", "flags")
    t = counted(h, y=y)
    scores = h.held_out(t, rows_of(X), Removal.of(y, None)).scores()
    assert_allclose(scores[0, 2], F * np.log(0.5))


def test_texts_are_flags_of_words() -> None:
    """Documents have the words that rows of a matrix have as features; absent ones count, too."""
    for alpha in (0.0, 0.5, 2.0):
        h = Bernoulli.of(alpha, "mean", "words")
        rows = TextRows(WORDS, Analysis())
        t = h.count(rows, Labels(Y, None, C))
        x = np.array([[word in text.split() for word in t.words.strings] for text in WORDS], np.float64)
        flags = Bernoulli.of(alpha, "mean", "flags")
        other = counted(flags, x)
        scorer, plain = h.scorer(t), flags.scorer(other)
        assert_allclose(scorer.scores(rows), plain.scores(rows_of(x)), rtol=1e-9)
        for group in (None, np.arange(N) // 4):
            removed = Removal.of(Y, None, group)
            mine, theirs = h.held_out(t, rows, removed), flags.held_out(other, rows_of(x), removed)
            assert_allclose(mine.scores(), theirs.scores(), rtol=1e-9)
            assert_array_equal(mine.lengths(), x.sum(axis=1))
        assert_allclose(
            derived.information(h, t, np.full(C, 1 / C)), flags.information(other, np.full(C, 1 / C)), rtol=1e-9
        )
        assert_allclose(derived.log_prior_density(h, t), flags.log_prior_density(other), rtol=1e-9)
        said = h.contributions(t, rows.take(np.array([4])))
        assert said.features[-1] == "(absent words)"
        assert_allclose(said.logs.sum(axis=0), scorer.scores(rows)[4], rtol=1e-9)
        if alpha:
            assert_allclose(h.log_evidence(t).dense(), flags.log_evidence(other).values, rtol=1e-9)
            believed = flags.belief(other).moments(rows_of(x))
            assert_allclose(h.belief(t).moments(rows), believed, rtol=1e-9)


def test_parts_of_a_row_add_up_to_its_score() -> None:
    h = Bernoulli.of(1.0, "mean", "flags")
    t = counted(h)
    for form, places in ((np.asarray, F), (sparse.csr_matrix, int(NEW[3].sum()) + 1)):
        row = rows_of(form(NEW)).take(np.array([3]))
        said = h.contributions(t, row)
        assert len(said.features) == len(said.values) == places
        assert_allclose(said.logs.sum(axis=0), h.scorer(t).scores(row)[0])
        mean, variance = said.belief  # type: ignore[misc]
        assert_allclose([mean.sum(axis=0), variance.sum(axis=0)], np.array(h.belief(t).moments(row))[:, 0])


def test_beliefs_are_those_of_betas() -> None:
    h = Bernoulli.of(Beta(2, 3), "mean", "flags")
    t = counted(h)
    on = np.array([X[c == Y].sum(axis=0) for c in range(C)])
    off = np.array([(1 - X[c == Y]).sum(axis=0) for c in range(C)])
    belief = stats.beta(on + 2, off + 3)
    assert_allclose(derived.parameter_intervals(h, t, 0.9), belief.interval(0.9))
    assert_allclose(h.posterior(t, np.array([1, 3])).mean, belief.mean()[:, [1, 3]])
    assert_allclose(h.log_evidence(t).values, betaln(on + 2, off + 3) - betaln(2, 3), rtol=1e-9)
    theta = (on + 2) / (on + off + 5)
    assert_allclose(derived.log_prior_density(h, t), stats.beta(3, 4).logpdf(theta).sum(), rtol=1e-9)
    drawn = h.belief(t).draws(rows_of(NEW[:4]), np.random.default_rng(0), 4000)
    mean, variance = h.belief(t).moments(rows_of(NEW[:4]))
    assert_allclose(drawn.mean(axis=0), mean, atol=0.15)
    assert_allclose(drawn.var(axis=0), variance, rtol=0.15)


def test_information_and_what_speaks() -> None:
    h = Bernoulli.of(1.0, "mean", "flags")
    t = counted(h)
    prior, on = np.array([0.2, 0.3, 0.5]), theta_of(X, Y, None, 1.0, 1.0, "mean")[0]
    joint = prior[:, None, None] * np.stack([on, 1 - on], axis=2)
    apart = prior[:, None, None] * joint.sum(axis=0)
    assert_allclose(derived.information(h, t, prior), (joint * np.log(joint / apart)).sum(axis=(0, 2)), rtol=1e-9)
    n: Any = np.bincount(Y).astype(np.float64)
    others = (n[0] * on[0] + n[2] * on[2]) / (n[0] + n[2])
    brought = np.concatenate([on[1] * np.log(on[1] / others), (1 - on[1]) * np.log((1 - on[1]) / (1 - others))])
    found = derived.top_features(h, t, n, 1, 3)
    assert_allclose([one.weight for one in found], np.sort(brought)[::-1][:3])
    assert (found[0].feature, found[0].value) == (brought.argmax() % F, ("on", "off")[brought.argmax() // F])


def test_the_prior_of_highest_evidence_is_a_maximum() -> None:
    for h, t in (
        (Bernoulli.of("evidence", "mean", "flags"), counted(Bernoulli())),
        (Bernoulli.of("evidence", "mean", "words"), Bernoulli().count(TextRows(WORDS, Analysis()), Labels(Y, None, C))),
    ):
        found = h.settled(t)
        assert h.learns_prior
        assert not found.learns_prior
        best = found.log_evidence(t).sum().sum()
        for factor in (0.98, 1.02):
            near = replace(found, a=found.odds.a * factor, b=found.odds.b * factor)
            assert near.log_evidence(t).sum().sum() < best
        assert h.weak(t, N, 2).prior == Beta(1, 1)


def test_columns_are_read_counted_and_shown() -> None:
    column = Table.read({"paid": [True, None, False, True, True, None]})["paid"]
    h, y = Bernoulli(prior=Beta(2, 2)), np.array([0, 0, 1, 1, 0, 1])
    check(h, column)
    rows = h.rows(column)
    block = Block.of(h, rows, Labels(y, None, 2))
    assert_array_equal(block.t.ones.ravel(), [2, 1])
    assert_array_equal(block.t.n.ravel(), [2, 2])
    scores = block.scorer.scores(rows)
    theta = np.array([4 / 6, 3 / 6])
    assert_allclose(np.exp(scores[[0, 1, 2]]), np.array([theta, np.ones(2), 1 - theta]))
    held_out = block.held_out(rows, Removal.of(y, None)).scores()
    assert_allclose(np.exp(held_out[[0, 2]]), [[3 / 5, 1 / 2], [1 / 3, 2 / 5]])
    assert_array_equal(rows.known(block.t), [True, False, True, True, True, False])
    table = derived.parameter_table(h, block.t, np.array(["a", "b"]), 0.9)
    assert_allclose(table["probability"], theta)
    assert_allclose([table["low"], table["high"]], stats.beta([4, 3], [2, 3]).interval(0.9))
    assert {one.value for one in derived.top_features(h, block.t, np.ones(2), 0, 9)} == {"True"}
    assert derived.prior_in_words(h, block.t) == repr(Beta(2, 2))
    assert derived.prior_in_words(Bernoulli("evidence").settled(block.t), block.t).startswith("Beta(")


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(DataError, match="Column 'x' is bernoulli and must hold 0 and 1; got 2"):
        Bernoulli().rows(Table.read({"x": [0, 1, 2]})["x"])
    with pytest.raises(DataError, match="Column 'x' is declared bernoulli but holds"):
        check(Bernoulli(), Table.read({"x": ["a", "b"]})["x"])
    t = counted(Bernoulli())
    with pytest.raises(ImproperPrior, match="alpha=0"):
        Bernoulli.of(0.0, "mean", "flags").log_evidence(t)
    with pytest.raises(ImproperPrior, match="alpha=0"):
        Bernoulli.of(0.0, "mean", "flags").belief(t).moments(rows_of(NEW))
    texts = Bernoulli().count(TextRows(WORDS, Analysis()), Labels(Y, None, C))
    with pytest.raises(NoUniqueMode, match="alpha of at least 1"):
        Bernoulli.of(0.5, "map", "words").settled(texts)


def test_a_likelihood_is_a_value() -> None:
    assert repr(Bernoulli()) == "Bernoulli()"
    assert repr(Bernoulli(prior=Beta(2, 2))) == f"Bernoulli(prior={Beta(2, 2)!r})"
    assert Bernoulli(prior=Beta(1, 1)) == Bernoulli()
    assert Bernoulli.of(np.array([1.0, 2.0]), "mean", "flags") == Bernoulli.of(np.array([1.0, 2.0]), "mean", "flags")
    assert Bernoulli.of(2.0, "mean", "flags") != Bernoulli.of(1.0, "mean", "flags")
    t = counted(Bernoulli())
    words, flags = (derived.measured(Bernoulli.of(2.0, "mean", one), t) for one in ("words", "flags"))
    assert words != flags
