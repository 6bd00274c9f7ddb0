"""Fit and predict beside scikit-learn's classes of the same name, on the same arrays, in one process: `make bench`.

Each figure is the best of several runs, ours and theirs in turn. Ratios above 1 are in our favour.
"""

import json
import platform
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.naive_bayes as peers
from scipy import sparse

import suffice as sf
from suffice.parallel import thread_count


def best(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def documents(rng: np.random.Generator, rows: int, words: int, length: int, classes: int) -> tuple[Any, Any]:
    """Random words, a few much more frequent than most."""
    ranks = (words ** rng.random(rows * length)).astype(np.int32) - 1
    index = rng.permutation(words).astype(np.int32)[ranks]
    X = sparse.csr_matrix((np.ones(rows * length), index, np.arange(0, rows * length + 1, length)), shape=(rows, words))
    X.sum_duplicates()
    return X, rng.integers(0, classes, rows)


def compare(what: str, name: str, X: Any, y: Any, repeats: int) -> list[dict[str, Any]]:
    ours, theirs = getattr(sf, name)(), getattr(peers, name)()
    rows = []
    arguments: dict[str, tuple[Any, ...]] = {"fit": (X, y), "predict": (X,)}
    for job, given in arguments.items():
        peer = best(partial(getattr(theirs, job), *given), repeats)
        for threads in sorted({1, thread_count()}):
            with sf.threads(threads):
                mine = best(partial(getattr(ours, job), *given), repeats)
            rows.append({"data": what, "model": name, "job": job, "threads": threads, "ours": mine, "theirs": peer})
            print(
                f"{what:<32}{name:<16}{job:<9}{threads:>2}  {mine:8.3f} s {peer:8.3f} s {peer / mine:7.1f}×", flush=True
            )
    return rows


def main() -> None:
    small = "--quick" in sys.argv
    rng, repeats = np.random.default_rng(0), 2 if small else 4
    print(f"{'data':<32}{'model':<16}{'job':<9}{'th':>2}  {'suffice':>10} {'sklearn':>10} {'ratio':>8}")
    rows: list[dict[str, Any]] = []
    n = 20_000 if small else 200_000
    X, y = documents(rng, n, n, 50, 20)
    what = f"{n:,} × {n:,}, {X.nnz:,} nz"
    for name in ("MultinomialNB", "BernoulliNB", "ComplementNB"):
        rows += compare(what, name, X, y, repeats)
    n = 100_000 if small else 1_000_000
    y = rng.integers(0, 10, n)
    for name, dense in (
        ("GaussianNB", rng.standard_normal((n, 50))),
        ("CategoricalNB", rng.integers(0, 20, (n, 50))),
        ("BernoulliNB", (rng.random((n, 50)) < 0.3).astype(np.float64)),
    ):
        rows += compare(f"{n:,} × 50 dense", name, dense, y, max(1, repeats // 2))
    out = Path("build") / "bench_naive_bayes.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps({"machine": platform.platform(), "rows": rows}, indent=1))
    print(f"written to {out}")


if __name__ == "__main__":
    main()
