"""Tables of mixed columns, beside encoders with CategoricalNB and GaussianNB in one run: `make bench`.

Adult, or where its files are not there one of its size and kinds, as a pandas frame; and 3 million rows × 10 columns,
made here, as an Arrow table. scikit-learn's encoders need pandas, so its time has `to_pandas()` in it.
"""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa
from corpora import frame
from side_by_side import in_turn, markdown, with_threads, write
from usual import Usual

import suffice as sf
from suffice.parallel import thread_count

GAPS = 0.03

COUNTS = "fit (counts alone)"
"""Without the power and the weights that are chosen by looking at rows again."""


def mixed(rows: int, sizes: tuple[int, ...] = (5, 50, 1000), rng: Any = None) -> tuple[dict[str, Any], Any]:
    """Return words, flags, small and large whole numbers, and real ones, all informative about two classes."""
    rng = rng or np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    columns: dict[str, Any] = {}
    for size in sizes:
        names = np.array([f"{rng.integers(10**9):x} {i}" for i in range(size)], object)
        rank = size ** rng.random(rows) - 1 + y * rng.random(rows)
        columns[f"word_{size}"] = names[np.minimum(rank.astype(int), size - 1)]
    columns["flag"] = rng.random(rows) < 0.3 + 0.2 * y
    columns["stars"] = rng.binomial(4, 0.5 + 0.1 * y, rows) + 1
    columns["size"] = rng.binomial(7, 0.4 + 0.1 * y, rows)
    columns["visits"] = rng.poisson(20 + 2 * y, rows)
    columns["seconds"] = rng.geometric(0.01 / (1 + y), rows)
    columns["height"] = rng.normal(170 + 5 * y, 10, rows)
    columns["price"] = rng.lognormal(3 + 0.3 * y, 1, rows).round(2)
    return columns, y


def arrow(rows: int) -> tuple[Any, Any]:
    """Return an Arrow table with gaps."""
    rng = np.random.default_rng(0)
    columns, y = mixed(rows, rng=rng)
    gaps = {name: pa.array(values, mask=rng.random(rows) < GAPS) for name, values in columns.items()}
    return pa.table(gaps), y


def adult() -> tuple[str, pd.DataFrame, Any]:
    """Return the training part of Adult, or as many rows of the same kinds."""
    found = frame("adult", "train")
    if found is not None:
        return "Adult", *found
    rng = np.random.default_rng(0)
    columns, y = mixed(32_561, (9, 16, 7, 15, 6, 5, 2, 42), rng)
    columns = {name: values for name, values in columns.items() if name != "flag"}
    gaps = {name: pd.Series(values).mask(rng.random(len(y)) < GAPS) for name, values in columns.items()}
    return "like Adult", pd.DataFrame(gaps), y


def compare(what: str, X: Any, y: Any, repeats: int) -> list[dict[str, Any]]:
    """Fit and predict, ours with one thread and with all."""
    from_arrow = isinstance(X, pa.Table)
    pandas = X.to_pandas if from_arrow else lambda: X
    ours, theirs, counts = sf.NaiveBayes(), Usual(readable(pandas())), sf.NaiveBayes(temper=None, feature_powers=None)
    cells, rows = X.shape[0] * X.shape[1], list[dict[str, Any]]()
    peer: dict[str, Callable[[], object]] = {
        "fit": lambda: theirs.fit(readable(pandas()), y),
        COUNTS: lambda: theirs.fit(readable(pandas()), y),
        "predict": lambda: theirs.predict(readable(pandas())),
    }
    mine: dict[str, Callable[[], object]] = {
        "fit": partial(ours.fit, X, y),
        COUNTS: partial(counts.fit, X, y),
        "predict": partial(ours.predict, X),
    }
    for job in mine:
        jobs = {str(n): with_threads(n, mine[job]) for n in sorted({1, thread_count()})}
        times = in_turn({"theirs": peer[job], **jobs}, repeats)
        for n in jobs:
            speed = cells / times[n] / int(n)
            row = {"data": what, "job": job, "threads": int(n), "ours": times[n], "theirs": times["theirs"]}
            rows.append(row | {"ratio": times["theirs"] / times[n], "speed": speed})
            shown = line(rows[-1])
            print(f"{shown[0]:<50}" + "".join(f"{cell:>16}" for cell in shown[1:]), flush=True)
    return rows


def readable(X: pd.DataFrame) -> pd.DataFrame:
    """Make flags with gaps, which come out of Arrow as objects, words, which SimpleImputer takes."""
    if "flag" not in X:
        return X
    return X.assign(flag=X["flag"].map({True: "yes", False: "no"}))


def line(row: dict[str, Any]) -> list[str]:
    def time(seconds: float) -> str:
        return f"{seconds * 1e3:.0f} ms" if seconds < 10 else f"{seconds:.1f} s"

    times = [time(row["ours"]), time(row["theirs"])]
    what = f"NaiveBayes.{row['job']}, {row['data']}"
    return [what, str(row["threads"]), *times, f"{row['ratio']:.1f}×", f"{row['speed'] / 1e6:.1f} million"]


def main() -> None:
    small = "--quick" in sys.argv
    head = ["what", "threads", "suffice", "encoders + scikit-learn", "ratio", "cells/s/core"]
    print(f"{head[0]:<50}" + "".join(f"{word[:15]:>16}" for word in head[1:]))
    name, X, y = adult()
    rows = compare(f"{name}, {X.shape[0]:,} × {X.shape[1]}, pandas", X, y, 2 if small else 7)
    n = 100_000 if small else 3_000_000
    rows += compare(f"{n:,} × 10, Arrow", *arrow(n), 1 if small else 3)
    if small:
        return
    bars = [{"what": line(row)[0], "ratio": round(row["ratio"], 2)} for row in rows if row["threads"] == thread_count()]
    write("table_speed", {"rows": rows}, markdown(head, [line(row) for row in rows]), bars)


if __name__ == "__main__":
    main()
