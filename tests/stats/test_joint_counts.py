"""Joint counts of many sets at once: those of each set alone, to the bit, and of rows counted one by one."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from suffice import _native
from suffice.parallel import threads
from suffice.stats import JointCounts
from suffice.stats.value_counts import DENSE

SETS = [(0, 1), (3, 0), (1, 2, 3), (2, 0), (0, 1, 2, 3), (4, 4), (2,), (5, 6), (5, 6, 0)]


def columns(n: int) -> list[tuple[Any, Any]]:
    """Return codes and names of columns: out of order, some missing, some never met, one of a single value."""
    rng = np.random.default_rng(0)
    sizes = [3, 4, 2, 5, 1, 900, 1300]
    codes = [rng.integers(0, size, n) for size in sizes]
    for code in codes[:3]:
        code[rng.random(n) < 0.1] = -1
    codes[3][codes[3] == 2] = 1
    return [
        (code, np.array([f"{k * 7 % 11}-{k}" for k in range(size)], object))
        for code, size in zip(codes, sizes, strict=True)
    ]


def given(n: int) -> dict[str, dict[str, Any]]:
    rng = np.random.default_rng(1)
    labels, weights = rng.integers(0, 3, n), rng.uniform(0, 2, n) * (rng.random(n) < 0.9)
    return {
        "nothing": {},
        "weights": {"weights": weights},
        "labels": {"labels": labels, "n_classes": 4},
        "both": {"labels": labels, "weights": weights},
        "shares": {"labels": rng.dirichlet(np.ones(3), n), "weights": weights},
    }


def bits(counts: JointCounts) -> list[Any]:
    arrays = (counts.values, counts.line, counts.place, counts.count, counts.classes, counts.sizes)
    return [(part.dtype, part.tolist()) for part in arrays]


@pytest.mark.parametrize("case", ["nothing", "weights", "labels", "both", "shares"])
def test_many_sets_are_counted_as_each_alone(case: str) -> None:
    read, said = columns(400), given(400)[case]
    assert DENSE < 900 * 1300  # counted by sorting
    found = JointCounts.of_sets(read, SETS, **said)
    for which, counts in zip(SETS, found, strict=True):
        codes, names = np.stack([read[j][0] for j in which], axis=1), tuple(read[j][1] for j in which)
        assert bits(counts) == bits(JointCounts.of_columns(codes, names, **said))


def test_counts_are_those_of_rows_one_by_one() -> None:
    read, said = columns(300), given(300)["both"]
    for which, counts in zip(SETS[:4], JointCounts.of_sets(read, SETS[:4], **said), strict=True):
        want = Counter[Any]()
        for i in range(300):
            if all(read[j][0][i] >= 0 for j in which):
                key = (int(said["labels"][i]), *(read[j][1][read[j][0][i]] for j in which))
                want[key] += said["weights"][i]
        got = {
            (c, *(axis[k] for axis, k in zip(counts.axes, place, strict=True))): counts.table[(c, *place)]
            for c, *place in np.argwhere(counts.table).tolist()
        }
        assert got == pytest.approx({key: weight for key, weight in want.items() if weight})


def test_tables_are_counted_in_batches_where_they_have_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    read, said = columns(400), given(400)["both"]
    whole = JointCounts.of_sets(read, SETS, **said)
    monkeypatch.setattr("suffice.stats.value_counts.ROOM", 40)
    assert [*map(bits, JointCounts.of_sets(read, SETS, **said))] == [*map(bits, whole)]


def test_threads_do_not_change_a_bit_of_counts() -> None:
    read, said, many = columns(9000), given(9000)["both"], [(j, k) for j in range(4) for k in range(4) if j != k]
    found = []
    for n in (1, 2, 5):
        with threads(n):
            found.append([*map(bits, JointCounts.of_sets(read, many, **said))])
    assert found[0] == found[1] == found[2]


def test_no_sets_no_columns_and_no_rows() -> None:
    nothing = (np.zeros(0, np.int64), np.zeros(0, object))
    assert JointCounts.of_sets([], []) == []
    (counts,) = JointCounts.of_sets([nothing, nothing], [(0, 1)], labels=np.zeros(0, np.int64), n_classes=2)
    assert counts.table.shape == (2, 0, 0)


@pytest.mark.parametrize(("label", "code"), [(2, 0), (-1, 0), (0, 3), (0, -2)])
def test_the_kernel_refuses_what_lies_outside_a_table(label: int, code: int) -> None:
    codes, sizes = np.array([[0, code], [0, 0]], np.int32), np.array([3, 2])
    with pytest.raises(ValueError, match="do not fit together"):
        _native.joint_tables(
            np.zeros(12), codes, sizes, np.array([0, label]), np.zeros(0), np.array([[0, 1, -1]]), 2, 1
        )
