"""Lifts of joint values by hand, and rows left out by counting again."""

from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import optimize, stats

from suffice.errors import DataError, KindError
from suffice.models.empirical.pseudo_counts import MOST_KAPPA, LiftEvidence, kappa_of_lifts
from suffice.models.likelihoods.joint import CELLS, Joint
from suffice.models.scoring.joint_rows import JointRows
from suffice.models.scoring.lifts import expected, log_lift, with_expected
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.rows import Labels
from suffice.posterior import Gamma
from suffice.tables import Table

KAPPA = 0.7


def table(n: int = 60) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    columns: dict[str, Any] = {name: rng.choice(list("abc"), n).tolist() for name in "uvw"}
    columns["x"] = rng.normal(size=n).tolist()
    columns["u"][5] = columns["x"][9] = None
    return Table.read(columns, "X"), rng.integers(0, 2, n)


def by_hand(rows: list[tuple[Any, ...]], x: tuple[Any, ...]) -> float:
    """Return ℓ of one joint value among the rows of a class, by counting them."""

    def n(*which: int) -> int:
        return sum(all(row[j] == x[j] for j in which) for row in rows)

    if len(x) == 2:
        e = n(0) * n(1) / len(rows) if rows else 0.0
    else:
        below = n(0) * n(1) * n(2)
        e = n(0, 1) * n(0, 2) * n(1, 2) * len(rows) / below if below else 0.0
        e = min(e, n(0, 1), n(0, 2), n(1, 2))
    return float(np.log((n(*range(len(x))) + KAPPA) / (e + KAPPA)))


CASES = [(("u", "v"), (None, None)), (("u", "x"), (None, (-0.5, 0.5))), (("u", "v", "w"), (None, None, None))]


@pytest.mark.parametrize(("names", "edges"), CASES)
@pytest.mark.parametrize("grouped", [False, True])
def test_lifts_are_those_of_rows_counted_by_hand(names: Any, edges: Any, grouped: bool) -> None:
    read, y = table()
    family = Joint(KAPPA, edges)
    rows = family.rows(*(read[name] for name in names))
    values: list[Any] = [tuple(codes) if min(codes) >= 0 else None for codes in rows.codes.tolist()]
    t = family.count(rows.take(rows.present), Labels(y[rows.present], None, 2))
    scores = family.scorer(t).scores(rows)
    group = np.random.default_rng(0).integers(0, 20, len(y)) if grouped else None
    removed = Removal.of(y, None, group).among(rows.present)
    left = family.held_out(t, rows, removed).scores()
    for i, c in product(range(len(y)), (0, 1)):
        if values[i] is None:
            assert scores[i, c] == left[i, c] == 0
            continue
        mine = [k for k in range(len(y)) if y[k] == c and values[k] is not None]
        others = [k for k in mine if (group[k] != group[i] if group is not None else k != i)]
        assert scores[i, c] == pytest.approx(by_hand([values[k] for k in mine], values[i]), abs=1e-12)
        assert left[i, c] == pytest.approx(by_hand([values[k] for k in others], values[i]), abs=1e-12)


def test_no_data_no_term() -> None:
    nothing: dict[tuple[int, ...], Any] = {which: np.zeros(1) for which in ((), (0,), (1,), (0, 1))}
    assert expected(nothing) == 0
    assert log_lift(0.0, expected(nothing), 2.0) == 0


def test_triples_are_expected_no_more_often_than_their_pairs() -> None:
    counts = {(): 100.0, (0,): 10.0, (1,): 10.0, (2,): 10.0, (0, 1): 9.0, (0, 2): 9.0, (1, 2): 9.0, (0, 1, 2): 8.0}
    arrays = {which: np.array([count]) for which, count in counts.items()}
    assert 9 * 9 * 9 * 100 / 10**3 > 9
    np.testing.assert_array_equal(expected(arrays), [9.0])


def _pair(seed: int = 0, n: int = 400, together: float = 0.3) -> tuple[Any, Any]:
    """Return the counts of two columns that act together, and the likelihood of highest evidence."""
    rng = np.random.default_rng(seed)
    a, y = rng.integers(0, 5, n), rng.integers(0, 3, n)
    b = np.where(rng.random(n) < together, (a + y) % 4, rng.integers(0, 4, n))
    names = np.array(list("abcde"), object), np.array(list("wxyz"), object)
    family = Joint(None, (None, None))
    return family, family.count(JointRows((a, b), names), Labels(y, None, 3))


def test_the_evidence_of_lifts_is_that_of_negative_binomials_against_poisson() -> None:
    family, t = _pair()
    counts, every = (cells.reshape(3, -1) for cells in with_expected(t.table))
    for kappa in (1e-6, 0.3, 2.0, 1e3, 1e6):
        found = Joint(kappa, (None, None)).log_evidence_of_lifts(t)
        with mpmath.workdps(50):
            k = mpmath.mpf(kappa)
            for line in range(3):
                total = mpmath.mpf(0)
                for n, e in zip(counts[line], every[line], strict=True):
                    n, e = mpmath.mpf(float(n)), mpmath.mpf(float(e))
                    total += mpmath.loggamma(k + n) - mpmath.loggamma(k) + k * mpmath.log(k / (k + e)) + e
                    total -= n * mpmath.log(k + e)
                assert found[line] == pytest.approx(float(total), rel=1e-9, abs=1e-8)
    over, belief = every[every > 0], Gamma(0.3, 0.3)
    cells = counts[every > 0]
    alone = [belief.log_evidence(values=[n], exposures=[e]) for n, e in zip(cells, over, strict=True)]
    against = sum(alone) - stats.poisson.logpmf(cells, over).sum()
    assert Joint(0.3, (None, None)).log_evidence_of_lifts(t).sum() == pytest.approx(against)
    assert family.log_evidence_of_lifts(t).sum() > 10


def test_kappa_is_that_of_highest_evidence() -> None:
    family, t = _pair()
    found = family.settled(t)
    oracle = optimize.minimize_scalar(
        lambda log: -Joint(float(np.exp(log)), (None, None)).log_evidence_of_lifts(t).sum(), bounds=(-8, 8)
    )
    assert found.kappa == pytest.approx(np.exp(oracle.x), rel=1e-4)
    np.testing.assert_array_equal(family.log_lifts(t), found.log_lifts(t))
    apart, none = _pair(together=0.0, n=4000)
    assert apart.settled(none).kappa == MOST_KAPPA, "columns that act alone are believed to, but not for good"
    assert family.settled(t).settled(none).kappa == found.kappa


def test_kappa_of_an_overdispersed_table_is_found_again() -> None:
    rng = np.random.default_rng(1)
    expected_counts = rng.uniform(0.1, 40, 4000)
    counts = rng.poisson(rng.gamma(3.0, 1 / 3.0, 4000) * expected_counts).astype(np.float64)
    assert kappa_of_lifts(counts, expected_counts) == pytest.approx(3.0, rel=0.15)
    assert kappa_of_lifts(np.zeros(3), np.zeros(3)) == 1
    hill = LiftEvidence.of(counts, expected_counts)
    for kappa in (0.01, 1.0, 400.0):
        x, step = np.array([kappa]), np.array([1e-4 * kappa])
        first, second = hill.derivatives(x)
        assert first[0] == pytest.approx((hill.value(x + step) - hill.value(x - step)) / (2 * step[0]), rel=1e-4)
        slopes = [hill.derivatives(at)[0][0] for at in (x + step, x - step)]
        assert second[0, 0] == pytest.approx((slopes[0] - slopes[1]) / (2 * step[0]), rel=1e-4)


def test_three_columns_have_no_evidence_of_their_lifts() -> None:
    read, y = table()
    family = Joint(None, (None, None, None))
    rows = family.rows(*(read[name] for name in "uvw"))
    t = family.count(rows.take(rows.present), Labels(y[rows.present], None, 2))
    assert family.settled(t).kappa == 1
    with pytest.raises(KindError, match="Three columns have no evidence"):
        family.log_evidence_of_lifts(t)


def test_values_never_seen_say_nothing_together() -> None:
    family = Joint(edges=(None, None))
    a, b = np.array(["a", "b"], object), np.array(["x", "y"], object)
    t = family.count(JointRows((np.array([0, 1]), np.array([0, 1])), (a, b)), Labels(np.array([0, 1]), None, 2))
    new = JointRows((np.array([0, 1]), np.array([0, 0])), (np.array(["a", "z"], object), np.array(["y"], object)))
    scores = family.scorer(t).scores(new)
    assert scores[0, 0] == np.log(1 / (0 + 1))  # "a" and "y" were seen, in classes of their own: nothing is expected
    np.testing.assert_array_equal(scores[1], [0, 0])
    assert new.known(t).tolist() == [False, False]


def test_tables_that_would_be_too_large_are_refused() -> None:
    wide = np.arange(3000).astype(str).astype(object)
    rows = JointRows((np.arange(3000), np.arange(3000)), (wide, wide))
    assert CELLS < 2 * 3000**2
    with pytest.raises(DataError, match="3,000 × 3,000"):
        Joint(edges=(None, None)).count(rows, Labels(np.zeros(3000, np.int64), None, 2))
