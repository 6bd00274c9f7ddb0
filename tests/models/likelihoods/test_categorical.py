"""Categories by name and by code: against counts by hand, scipy's Dirichlet, and models refitted without rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.special import digamma, gammaln

from suffice.errors import DataError, ImproperPrior, KindError, NoUniqueMode
from suffice.models.answers import derived
from suffice.models.likelihoods.categorical import Categorical
from suffice.models.likelihoods.codes import CodeRows, Codes
from suffice.models.model import Block
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.rows import Labels
from suffice.stats import inputs
from suffice.tables import Table

N, C = 48, 3
RNG = np.random.default_rng(2)
Y = np.arange(N) % C
SIZES = np.array([3, 2, 5])
CODES = np.column_stack([RNG.integers(0, k, N) for k in (3, 2, 4)])  # the last category is never seen
CITIES = [None if RNG.random() < 0.2 else str(RNG.choice(["Bern", "Oslo", "Rome"])) for _ in range(N)]
WEIGHTS: Any = RNG.integers(1, 4, N) * 0.1


def code_rows(x: Any) -> CodeRows:
    return CodeRows(inputs.RowMatrix.read(x, "X"), (), None, SIZES)


def column_of(values: Any) -> Any:
    return Table.read({"city": values})["city"]


def block_of(h: Categorical, values: Any = CITIES, weights: Any = None, keep: Any = slice(None)) -> Block:
    rows = h.rows(column_of(np.asarray(values, object)[keep].tolist()))
    return Block.of(h, rows, Labels(Y[keep], None if weights is None else weights[keep], C))


def table_of(x: Any, y: Any, weights: Any, size: int) -> Any:
    """Return counts, classes × codes."""
    out = np.zeros((C, size))
    np.add.at(out, (y, x), 1.0 if weights is None else weights)
    return out


def shares_of(counts: Any, alpha: float, estimate: str) -> Any:
    more = {"mle": 0.0, "map": alpha - 1}.get(estimate, alpha)
    return (counts + more) / (counts.sum(axis=1, keepdims=True) + more * counts.shape[1])


@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.5])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_codes_are_scored_by_the_formula(estimate: Any, alpha: float, weights: Any) -> None:
    h = Codes(alpha, estimate)
    t = h.count(code_rows(CODES), Labels(Y, weights, C))
    if estimate == "map" and alpha <= 0.5:
        with pytest.raises(NoUniqueMode):
            h.settled(t)
        return
    tables = [table_of(CODES[:, j], Y, weights, size) for j, size in enumerate(SIZES)]
    new = np.column_stack([RNG.integers(0, k + 1, 30) for k in SIZES])  # some are unknown
    with np.errstate(divide="ignore"):
        logs = [np.log(shares_of(table, alpha, estimate)) for table in tables]
        more = 0.0 if estimate == "mle" else alpha
        unseen = [np.log(more / (table.sum(axis=1) + more * table.shape[1])) for table in tables]
        wide = [np.column_stack(pair) for pair in zip(logs, unseen, strict=True)]
    expected = sum(wide[j][:, new[:, j]].T for j in range(3))
    scorer = h.settled(t).scorer(t)
    assert_allclose(scorer.scores(code_rows(new)), expected, rtol=1e-9)
    prior = np.log([0.2, 0.3, 0.5])
    possible = np.isfinite(expected).any(axis=1)
    for by, joint in ((scorer, expected + prior), (scorer.tempered(Temper(0.3)), 0.3 * expected + prior)):
        assert_array_equal(by.best(code_rows(new), prior)[possible], joint.argmax(axis=1)[possible])
    for mine, theirs in zip(h.log_theta(t), logs, strict=True):
        assert_allclose(mine, theirs, rtol=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 1.5])
@pytest.mark.parametrize("weights", [None, WEIGHTS, RNG.random(N) + 0.1])
@pytest.mark.parametrize("group", [None, RNG.integers(0, 7, N)])
def test_codes_held_out_are_scored_as_if_never_seen(alpha: float, weights: Any, group: Any) -> None:
    h = Codes(alpha)
    t = h.count(code_rows(CODES), Labels(Y, weights, C))
    scores = h.held_out(t, code_rows(CODES), Removal.of(Y, weights, group)).scores()
    for i in range(N):
        rest = np.arange(N) != i if group is None else group != group[i]
        labels = Labels(Y[rest], None if weights is None else weights[rest], C)
        other = h.count(code_rows(CODES[rest]), labels)
        assert_allclose(scores[i], h.scorer(other).scores(code_rows(CODES[[i]]))[0], rtol=1e-9)


def test_what_codes_answer() -> None:
    h, n = Codes(1.5), np.bincount(Y).astype(float)
    t = h.count(code_rows(CODES), Labels(Y, None, C))
    tables = [table_of(CODES[:, j], Y, None, size) for j, size in enumerate(SIZES)]
    evidence = np.array([[_dirichlet_multinomial(line, 1.5) for line in table] for table in tables]).T
    assert_allclose(h.log_evidence(t).values, evidence, rtol=1e-9)
    density = sum(
        stats.dirichlet(np.full(len(p), 2.5)).logpdf(p) for one in tables for p in shares_of(one, 1.5, "mean")
    )
    assert_allclose(derived.log_prior_density(h, t), density, rtol=1e-9)
    assert derived.n_parameters(h, t)[0] == 2 + 1 + 4
    row = code_rows(CODES).take(np.array([7]))
    said = h.contributions(t, row)
    assert (said.features, said.values) == ([0, 1, 2], [str(code) for code in CODES[7]])
    assert_allclose(said.logs.sum(axis=0), h.scorer(t).scores(row)[0])
    assert_allclose(np.sum(said.belief, axis=1), np.array(h.belief(t).moments(row))[:, 0])  # type: ignore[arg-type]
    alpha = tables[2] + 1.5
    low, high = derived.parameter_intervals(h, t, 0.9)
    expected = stats.beta(alpha, alpha.sum(axis=1, keepdims=True) - alpha).interval(0.9)
    assert_allclose([low[2], high[2]], expected)
    assert_allclose(h.posterior(t, np.array([2])).alpha, alpha)
    with pytest.raises(KindError, match="name one feature"):
        h.posterior(t)
    prior = n / n.sum()
    joint = prior[:, None] * shares_of(tables[0], 1.5, "mean")
    gain = (joint * np.log(joint / prior[:, None] / joint.sum(axis=0))).sum()
    assert_allclose(derived.information(h, t, prior)[0], gain, rtol=1e-9)
    best = derived.top_features(h, t, n, 1, 1)[0]
    theta = shares_of(tables[best.feature], 1.5, "mean")
    others = (n[0] * theta[0] + n[2] * theta[2]) / (n[0] + n[2])
    place = int(best.value)
    assert_allclose(best.weight, theta[1, place] * np.log(theta[1, place] / others[place]))


def test_drawn_scores_have_the_moments_of_the_belief() -> None:
    h = Codes(1.0)
    t = h.count(code_rows(CODES), Labels(Y, None, C))
    new = code_rows(np.array([[0, 0, 0], [2, 1, 3], [3, 2, 5]]))  # the last is unknown throughout
    mean, variance = h.belief(t).moments(new)
    column = table_of(CODES[:, 0], Y, None, 3) + 1.0
    first = digamma(column[:, 0]) - digamma(column.sum(axis=1))
    assert_allclose(Codes(1.0).belief(_first(t)).moments(_one(new))[0][0], first, rtol=1e-9)
    drawn = h.belief(t).draws(new, np.random.default_rng(0), 4000)
    assert_allclose(drawn.mean(axis=0), mean, atol=0.15)
    assert_allclose(drawn.var(axis=0), variance, rtol=0.2)


def _first(t: Any) -> Any:
    return type(t)(np.ascontiguousarray(t.column(0)), t.sizes[:1])


def _one(rows: CodeRows) -> CodeRows:
    return CodeRows(inputs.RowMatrix.read(rows.source.matrix[:, :1], "X"))


def test_shares_count_as_parts_of_rows() -> None:
    shares = RNG.dirichlet(np.ones(C), N)
    t = Codes().count(code_rows(CODES), Labels(shares, WEIGHTS, C))
    expected = [(shares * WEIGHTS[:, None])[CODES[:, 0] == v].sum(axis=0) for v in range(3)]
    assert_allclose(t.column(0).T, expected)
    cities = Categorical().rows(column_of(CITIES))
    counted = Categorical().count(cities, Labels(shares, WEIGHTS, C))
    there = np.array([city == "Oslo" for city in CITIES])
    place = counted.values.tolist().index("Oslo")
    assert_allclose(counted.table[:, place], (shares * WEIGHTS[:, None])[there].sum(axis=0))


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize(("alpha", "other"), [(1.0, None), (0.5, 0), (2.0, 3.0)])
@pytest.mark.parametrize("group", [None, RNG.integers(0, 7, N)])
def test_names_are_scored_and_held_out(alpha: float, other: Any, weights: Any, group: Any) -> None:
    h = Categorical(alpha, other)
    block, rows = block_of(h, weights=weights), h.rows(column_of(CITIES))
    names = ["Bern", "Oslo", "Rome"]
    assert block.t.values.tolist() == names
    there = np.array([city is not None for city in CITIES])
    place = np.array([names.index(city) if city else -1 for city in CITIES])
    counts = table_of(place[there], Y[there], None if weights is None else weights[there], 3)
    total = counts.sum(axis=1) + 3 * alpha + (alpha if other is None else other)
    new = h.rows(column_of(["Oslo", "Kyoto", None, "Rome"]))
    beyond = (alpha if other is None else other) / total if other != 0 else np.ones(C)
    expected = [(counts[:, 1] + alpha) / total, beyond, np.ones(C), (counts[:, 2] + alpha) / total]
    assert_allclose(np.exp(block.scorer.scores(new)), expected, rtol=1e-9)
    assert_array_equal(new.known(block.t), [True, False, False, True])
    scores = block.held_out(rows, Removal.of(Y, weights, group)).scores()
    for i in np.flatnonzero(there):
        rest = np.arange(N) != i if group is None else group != group[i]
        kept = there & rest
        left = table_of(place[kept], Y[kept], None if weights is None else weights[kept], 3)
        some = left.sum(axis=1) + 3 * alpha + (alpha if other is None else other)
        assert_allclose(np.exp(scores[i]), (left[:, place[i]] + alpha) / some, rtol=1e-9)
    assert_array_equal(scores[~there], 0.0)


def test_what_names_answer() -> None:
    h = Categorical(1.5)
    block = block_of(h)
    alpha = np.column_stack([block.t.table, np.zeros(C)]) + 1.5
    lines = np.column_stack([block.t.table, np.zeros(C)])
    assert_allclose(h.log_evidence(block.t).values[:, 0], [_dirichlet_multinomial(line, 1.5) for line in lines])
    assert derived.n_parameters(h, block.t)[0] == 3
    table = derived.parameter_table(h, block.t, np.array(list("abc")), 0.9)
    assert table["value"].tolist() == [name for name in ("Bern", "Oslo", "Rome", "(other)") for _ in range(C)]
    mean = alpha / alpha.sum(axis=1, keepdims=True)
    assert_allclose(table["probability"], mean.T.ravel())
    assert derived.prior_in_words(h, block.t) == "Dirichlet(1.5 each) over 3 categories and others"
    for city, reading in (("Oslo", ""), ("Kyoto", "never seen")):
        assert h.reading(block.t, column_of([city])) == reading
        said = h.contributions(block.t, h.rows(column_of([city])))
        assert (said.features, said.values) == (["city"], [reading or city])
        assert_allclose(said.belief, h.belief(block.t).moments(h.rows(column_of([city]))))  # type: ignore[arg-type]
    assert {one.value for one in derived.top_features(h, block.t, np.ones(C), 0, 9)} <= {"Bern", "Oslo", "Rome"}


def test_the_pseudo_count_of_highest_evidence_is_a_maximum() -> None:
    cities = [name if i % 4 else "Bern" for i, name in enumerate(["Bern", "Oslo", "Rome"] * (N // 3))]
    t: Any = Codes().count(code_rows(np.minimum(CODES, Y[:, None])), Labels(Y, None, C))
    learned: list[tuple[Any, Any]] = [(Codes("evidence"), t)]
    learned += [(Categorical("evidence", other), block_of(Categorical(), cities).t) for other in (None, 2.0, 0)]
    for h, t in learned:
        found = h.settled(t)
        assert 1e-5 < found.alpha < 1e5
        best = found.log_evidence(t).sum().sum()
        for factor in (0.97, 1.03):
            assert found.smoothed(found.alpha * factor).log_evidence(t).sum().sum() <= best + 1e-9 * abs(best)
        assert h.learns_prior
        assert h.weak(t, N, 2).alpha == 1.0


def test_numbers_and_flags_are_categories_too() -> None:
    h = Categorical()
    for values, names in (([3, 1, 3, None], [1.0, 3.0]), ([0.5, -0.0, 0.0, None], [0.0, 0.5])):
        rows = h.rows(column_of(values))
        t = Block.of(h, rows, Labels(np.array([0, 0, 1, 1]), None, 2)).t
        assert t.values.tolist() == names
    flags = h.rows(column_of([True, False, None, True]))
    assert_array_equal(flags.places(np.array([0.0, 1.0])), [1, 0, -1, 1])


def test_what_is_wrong_is_named() -> None:
    block = block_of(Categorical())
    with pytest.raises(DataError, match="Column 'city' was learned as words; got whole numbers"):
        block.scorer.scores(Categorical().rows(column_of([1, 2])))
    strict = Categorical(strict=True)
    with pytest.raises(DataError, match="'city' must hold categories seen in training; got 'Kyoto' in row 1"):
        strict.scorer(block.t).scores(strict.rows(column_of(["Oslo", "Kyoto"])))
    with pytest.raises(DataError, match="'city' must hold categories seen in training; got 'Kyoto' in row 1"):
        strict.belief(block.t).moments(strict.rows(column_of(["Oslo", "Kyoto"])))
    assert not strict.rows(column_of(["Kyoto"])).known(block.t).any()
    with pytest.raises(
        DataError, match=r"below 2\*\*53 to be distinguished; got 9007199254740993. Convert the column to text"
    ):
        strict.rows(column_of([2**53 + 1, 1]))
    for wrong in ({"alpha": 0.0}, {"other": -1.0}):
        with pytest.raises(DataError, match="positive"):
            Categorical(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ImproperPrior, match="alpha=0"):
        Codes(0.0).log_evidence(Codes(0.0).count(code_rows(CODES), Labels(Y, None, C)))
    assert repr(Categorical()) == "Categorical()"
    assert repr(Categorical(alpha=0.5, other=0)) == "Categorical(alpha=0.5, other=0)"
    assert Categorical(alpha=0.5) == Categorical(alpha=0.5)
    assert Categorical(alpha=0.5) != Categorical()


def _dirichlet_multinomial(counts: Any, alpha: float) -> float:
    """Return ln p of values in their order."""
    k, n = len(counts), counts.sum()
    return float(gammaln(counts + alpha).sum() - k * gammaln(alpha) + gammaln(k * alpha) - gammaln(n + k * alpha))
