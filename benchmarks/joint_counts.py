"""Counts of all pairs of columns by class, beside pandas: a million rows, twenty columns of ten values, five classes.

pandas counts a tenth of the rows by `groupby([label, a, b]).size()`, pair by pair.

    python benchmarks/joint_counts.py [--quick]
"""

import resource
import sys
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from side_by_side import keep, machine, markdown

from suffice.models.likelihoods.joint import coded
from suffice.stats import JointCounts
from suffice.tables import Table

COLUMNS, VALUES, CLASSES, PART = 20, 10, 5, 10
"""Seconds for a million rows on two cores."""


def frame(rows: int) -> tuple[pd.DataFrame, Any]:
    """Return categories, and the class of each row."""
    rng = np.random.default_rng(0)
    words = [f"value {k}" for k in range(VALUES)]
    columns = {
        f"c{j}": pd.Categorical.from_codes(rng.integers(0, VALUES, rows).astype(np.int8), words) for j in range(COLUMNS)
    }
    return pd.DataFrame(columns), rng.integers(0, CLASSES, rows)


def columns(X: pd.DataFrame) -> list[tuple[Any, Any]]:
    """Return codes and values of each column."""
    table = Table.read(X, "X")
    return [coded(table[name], None) for name in X]


def timed(job: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return what a job returns, its seconds, and those of all processors."""
    wall, processor = time.perf_counter(), time.process_time()
    return job(), time.perf_counter() - wall, time.process_time() - processor


def peak() -> float:
    """Return the most memory that the process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    rows = 100_000 if "--quick" in sys.argv else 1_000_000
    X, y = frame(rows)
    pairs = list(combinations(range(COLUMNS), 2))
    before = peak()
    read, reading, reading_processor = timed(lambda: columns(X))
    found, counting, counting_processor = timed(lambda: JointCounts.of_sets(read, pairs, y, n_classes=CLASSES))
    most = peak()
    size = sum(part.nbytes for one in found for part in (one.values, one.line, one.place, one.count, one.sizes))
    some = X.iloc[: rows // PART].assign(label=y[: rows // PART])
    peers, peer, peer_processor = timed(
        lambda: [some.groupby(["label", f"c{a}", f"c{b}"], observed=True).size() for a, b in pairs]
    )
    ours = JointCounts.of_sets([(code[: rows // PART], names) for code, names in read], pairs, y[: rows // PART])
    for one, other in zip(ours, peers, strict=True):
        np.testing.assert_array_equal(one.table[one.table > 0], other.to_numpy())
    lines = [
        [f"reading {COLUMNS} columns", f"{rows:,}", f"{reading:.2f} s", f"{reading_processor:.2f} s"],
        [f"counting {len(pairs)} pairs", f"{rows:,}", f"{counting:.2f} s", f"{counting_processor:.2f} s"],
        [f"pandas, {len(pairs)} pairs", f"{rows // PART:,}", f"{peer:.2f} s", f"{peer_processor:.2f} s"],
    ]
    print(markdown(["", "rows", "seconds", "of processors"], lines))
    times = peer * PART / (reading + counting)
    print(f"\nStatistics of {size / 2**20:.1f} MB; at most {most - before:.0f} MB more than the table and Python.")
    print(f"pandas would take {times:.0f} times as long for all rows.\n\n{machine()}.")
    keep("joint_counts", {"lines": lines, "bytes": size, "peak": most - before, "times": times})
    return 0


if __name__ == "__main__":
    sys.exit(main())
