"""Fit and predict beside scikit-learn's classes of the same name, on the same arrays, in one process: `make bench`.

Each figure is the best of several runs, ours and theirs in turn. Ratios above 1 are in our favour. The last column says
how long it took in units of reading the data once from memory with as many threads.
"""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sklearn.naive_bayes as peers
from scipy import sparse
from side_by_side import in_turn, markdown, reading, with_threads, write

import suffice as sf
from suffice.parallel import thread_count

CALLS = 300


def documents(rng: np.random.Generator, rows: int, words: int, length: int, classes: int) -> tuple[Any, Any]:
    """Return random words, a few much more frequent than most."""
    ranks = (words ** rng.random(rows * length)).astype(np.int32) - 1
    index = rng.permutation(words).astype(np.int32)[ranks]
    X = sparse.csr_matrix((np.ones(rows * length), index, np.arange(0, rows * length + 1, length)), shape=(rows, words))
    X.sum_duplicates()
    return X, rng.integers(0, classes, rows)


def compare(what: str, name: str, X: Any, y: Any, repeats: int) -> list[dict[str, Any]]:
    ours, theirs = getattr(sf, name)(), getattr(peers, name)()
    rows = list[dict[str, Any]]()
    parts = (X.data, X.indices) if sparse.issparse(X) else (X,)
    bandwidth = {n: reading(parts, n) for n in sorted({1, thread_count()})}
    arguments: dict[str, tuple[Any, ...]] = {"fit": (X, y), "predict": (X,)}
    for job, given in arguments.items():
        mine = partial(getattr(ours, job), *given)
        jobs: dict[str, Callable[[], object]] = {"theirs": partial(getattr(theirs, job), *given)}
        jobs |= {str(n): with_threads(n, mine) for n in bandwidth}
        times = in_turn(jobs, repeats)
        for n, read in bandwidth.items():
            row = {"data": what, "model": name, "job": job, "threads": n, "ours": times[str(n)], "read": read}
            rows.append(row | {"theirs": times["theirs"], "ratio": times["theirs"] / times[str(n)]})
            show(rows[-1])
    return rows


def many_calls(model: Any, row: Any) -> None:
    for _ in range(CALLS):
        model.predict(row)


def one_row(repeats: int) -> list[dict[str, Any]]:
    """Time predict of a single row, where only the overhead around the arithmetic counts."""
    rng = np.random.default_rng(0)
    X, y, rows = rng.integers(0, 3, (1000, 20)), rng.integers(0, 3, 1000), []
    for name in ("MultinomialNB", "BernoulliNB", "ComplementNB", "CategoricalNB", "GaussianNB"):
        ours, theirs = getattr(sf, name)().fit(X, y), getattr(peers, name)().fit(X, y)
        jobs = {"ours": partial(many_calls, ours, X[:1]), "theirs": partial(many_calls, theirs, X[:1])}
        times = in_turn(jobs, repeats)
        mine, peer = times["ours"] / CALLS, times["theirs"] / CALLS
        row = {"data": "1 × 20", "model": name, "job": "predict", "threads": 1, "ours": mine, "read": None}
        rows.append(row | {"theirs": peer, "ratio": peer / mine})
        show(rows[-1])
    return rows


def picking(X: Any, y: Any, classes: int) -> str:
    """Return a sentence about how long numpy takes to gather the cell of each entry, and all classes of its word."""
    table, share = np.zeros((X.shape[1], classes)), 10
    codes, some = np.repeat(y, np.diff(X.indptr)), X.indices[::share]
    times = in_turn({"cell": lambda: table[X.indices, codes].sum(), "line": lambda: table[some].sum()}, 3)
    size, fit, predict = table.nbytes / 1e6, times["cell"] * 1e3, times["line"] * 1e3 * share
    return (
        f"For comparison, numpy on one thread: to gather one cell of a {size:.0f} MB table for each of {X.nnz:,} "
        f"entries, as fit must, takes {fit:.0f} ms; to gather all {classes} classes of each entry's word, as predict "
        f"must, takes {predict:.0f} ms."
    )


def cells(row: dict[str, Any]) -> list[str]:
    def time(seconds: float) -> str:
        return f"{seconds * 1e3:.0f} ms" if seconds > 1e-3 else f"{seconds * 1e6:.0f} µs"

    read = "" if row["read"] is None else f"{row['ours'] / row['read']:.1f}"
    what = f"{row['model']}.{row['job']}, {row['data']}"
    return [what, str(row["threads"]), time(row["ours"]), time(row["theirs"]), f"{row['ratio']:.1f}×", read]


def show(row: dict[str, Any]) -> None:
    what, *numbers = cells(row)
    print(f"{what:<62}" + "".join(f"{number:>13}" for number in numbers), flush=True)


def main() -> None:
    small = "--quick" in sys.argv
    rng, repeats = np.random.default_rng(0), 2 if small else 5
    head = ["what", "threads", "suffice", "scikit-learn", "ratio", "× reading"]
    print(f"{head[0]:<62}" + "".join(f"{word:>13}" for word in head[1:]))
    rows: list[dict[str, Any]] = []
    n = 20_000 if small else 200_000
    X, y = documents(rng, n, n, 55, 20)
    for name in ("MultinomialNB", "BernoulliNB", "ComplementNB"):
        rows += compare(f"{n:,} × {n:,} sparse", name, X, y, repeats)
    bound, nonzeros = picking(X, y, 20), int(X.nnz)
    print(bound)
    n = 100_000 if small else 1_000_000
    y = rng.integers(0, 10, n)
    for name in ("GaussianNB", "CategoricalNB", "BernoulliNB"):
        dense: Any = rng.standard_normal((n, 50))
        if name == "CategoricalNB":
            dense = rng.integers(0, 20, (n, 50))
        elif name == "BernoulliNB":
            dense = (dense > 0.5).astype(np.float64)
        rows += compare(f"{n:,} × 50 dense", name, dense, y, max(2, repeats - 2))
    rows += one_row(repeats)
    if small:
        return
    most = [row for row in rows if row["threads"] == thread_count() or row["read"] is None]
    bars = [{"what": cells(row)[0], "ratio": round(row["ratio"], 2)} for row in most]
    table = f"{markdown(head, [cells(row) for row in rows])}\n\n{bound}"
    write("naive_bayes", {"rows": rows, "nonzeros": nonzeros}, table, bars)


if __name__ == "__main__":
    main()
