"""Lifts of joint values by hand, and rows left out by counting again."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from suffice.errors import DataError
from suffice.models.likelihoods.joint import CELLS, Joint, JointRows
from suffice.models.scoring.lifts import expected, log_lift
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.rows import Labels
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


def test_values_never_seen_say_nothing_together() -> None:
    family = Joint(edges=(None, None))
    a, b = np.array(["a", "b"], object), np.array(["x", "y"], object)
    t = family.count(JointRows(np.array([[0, 0], [1, 1]]), (a, b)), Labels(np.array([0, 1]), None, 2))
    new = JointRows(np.array([[0, 0], [1, 0]]), (np.array(["a", "z"], object), np.array(["y"], object)))
    scores = family.scorer(t).scores(new)
    assert scores[0, 0] == np.log(1 / (0 + 1))  # "a" and "y" were seen, in classes of their own: nothing is expected
    np.testing.assert_array_equal(scores[1], [0, 0])
    assert family.known(t, new).tolist() == [False, False]


def test_tables_that_would_be_too_large_are_refused() -> None:
    wide = np.arange(3000).astype(str).astype(object)
    rows = JointRows(np.stack([np.arange(3000)] * 2, axis=1), (wide, wide))
    assert CELLS < 2 * 3000**2
    with pytest.raises(DataError, match="3,000 × 3,000"):
        Joint(edges=(None, None)).count(rows, Labels(np.zeros(3000, np.int64), None, 2))
