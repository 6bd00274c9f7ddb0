"""Bins of many columns at once are those of each alone; the native search for cuts is a plain one."""

import numpy as np
import pytest
from scipy.special import gammaln

from suffice.models.empirical.bins import (
    best_cuts,
    bins_of_columns,
    chosen_bins,
    cuts_of_columns,
    densities_of_columns,
    log_density,
    widths,
)  # fmt: skip
from suffice.stats.grid import on_grid
from suffice.stats.number_columns import ColumnCounts
from suffice.typing import Array


def plain_cuts(counts: Array, size: Array, strength: float) -> tuple[list[int], float]:
    """Return where the best pieces begin, and their evidence, by dynamic programming without any tables."""
    best, back = [0.0], [0]
    for end in range(1, len(size) + 1):
        sums = []
        for begin in range(end):
            n, share = counts[:, begin:end].sum(axis=1), size[begin:end].sum() / size.sum()
            gain = (gammaln(strength * share + n) - gammaln(strength * share)).sum() - n.sum() * np.log(share)
            sums.append(best[begin] + gain - np.log(len(size)))
        best.append(max(sums))
        back.append(int(np.argmax(sums)))
    cuts, end = [], len(size)
    while end > 0:
        end = back[end]
        cuts.append(end)
    return cuts[::-1], best[-1]


@pytest.mark.parametrize("strength", [0.3, 1.0, 20.0])
@pytest.mark.parametrize("kind", ["whole", "weighted", "large", "widths"])
def test_the_search_for_cuts(strength: float, kind: str) -> None:
    rng = np.random.default_rng(3)
    counts = rng.poisson(np.where(np.arange(20) < 9, 5, 0.5), (3, 20)).astype(float)
    counts *= {"whole": 1, "weighted": 0.37, "large": 5000, "widths": 1}[kind]
    size = rng.random(20) + 1e-9 if kind == "widths" else counts.sum(axis=0) + 1e-300
    cuts, evidence = best_cuts(counts, size, strength)
    expected = plain_cuts(counts, size, strength)
    assert cuts.tolist() == expected[0]
    assert evidence == pytest.approx(expected[1], rel=1e-10)


def test_columns_of_one_search_do_not_touch() -> None:
    rng = np.random.default_rng(5)
    parts = [rng.poisson(4, (2, places)).astype(float) for places in (12, 1, 30, 7)]
    parts[3] *= 9  # another number of rows
    counts, start = np.hstack(parts), np.append(0, np.cumsum([part.shape[1] for part in parts]))
    begins, evidence = cuts_of_columns(counts, counts.sum(axis=0), start, 1.0)
    for j, part in enumerate(parts):
        cuts, own = best_cuts(part, part.sum(axis=0), 1.0)
        assert np.flatnonzero(begins[start[j] : start[j + 1]]).tolist() == cuts.tolist()
        assert evidence[j] == pytest.approx(own, rel=1e-12)


@pytest.mark.parametrize(("rows", "classes"), [(3, 2), (40, 3), (500, 15), (1500, 100)])
def test_bins_and_densities(rows: int, classes: int) -> None:
    rng = np.random.default_rng(rows)
    codes = rng.integers(0, classes, rows)
    x = rng.normal(size=(6, rows)) + codes % 3
    x[0] = np.round(x[0], 1)
    x[1] = np.where(rng.random(rows) < 0.8, 1.5, x[1])
    x[2] = np.exp(4 * x[2])
    t = ColumnCounts.of(on_grid(x), codes, classes)
    densities, stretch = densities_of_columns(t), widths(t.values, t.first)
    for j, (own, bins) in enumerate(zip(t.each, bins_of_columns(t, 1.0), strict=True)):
        alone = chosen_bins(own, 1.0)
        assert bins.edges.tolist() == alone.edges.tolist()
        assert bins.counts.tolist() == alone.counts.tolist()
        assert bins.log_evidence == pytest.approx(alone.log_evidence, rel=1e-10, abs=1e-9)
        assert densities[j] == pytest.approx(log_density(own), rel=1e-10)
        assert stretch[t.first[j] : t.first[j + 1]].tolist() == widths(own.values).tolist()


def test_a_single_value_has_one_bin() -> None:
    t = ColumnCounts.of(np.array([[2.0, 2.0, 2.0], [1.0, 2.0, 4.0]]), np.array([0, 1, 1]), 2)
    bins = bins_of_columns(t, 1.0)[0]
    assert (bins.edges.tolist(), bins.counts.tolist(), bins.log_evidence) == ([], [[1.0], [2.0]], 0.0)
