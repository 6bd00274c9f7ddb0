"""How time and memory grow with rows, columns, classes and vocabulary, over three decades: `make bench`.

Each point is a process of its own: it makes the data, fits once to load what is needed, and fits again with the clock
running. Memory is what the process held at most beyond what it held before that fit. A slope of one, on logarithmic
axes, is a line: ten times the data take ten times as long.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from side_by_side import PAGE, keep, machine, markdown, put

import suffice as sf

SECONDS = 120
"""A point that takes longer is left out, and so are larger ones."""

WHAT = ("fit", "predict")


def texts(rows: int, words: int, classes: int) -> tuple[list[str], Any]:
    """Return texts of twenty words with Zipf's frequencies; half of a text's words are those of its class."""
    rng = np.random.default_rng(0)
    y = np.arange(rows) % classes
    ranks = (words ** rng.random((rows, 20))).astype(np.int64)
    ranks[:, ::2] = (ranks[:, ::2] + 7919 * y[:, None]) % words
    return [" ".join(f"w{rank}" for rank in row) for row in ranks.tolist()], y


def table(rows: int, columns: int, classes: int) -> tuple[Any, Any]:
    """Return normal numbers whose means differ from class to class."""
    rng = np.random.default_rng(0)
    y = np.arange(rows) % classes
    return rng.normal(size=(rows, columns)) + rng.normal(0, 0.5, (classes, columns))[y], y


Case = tuple[Any, Callable[[int], tuple[Any, Any]], list[int]]
CHOSEN, FAST, TABLE = sf.TextClassifier(), sf.TextClassifier(effort="fast"), sf.NaiveBayes(joint=None)

CASES: dict[str, Case] = {
    "texts, rows": (CHOSEN, lambda n: texts(n, 10_000, 5), [1_000, 10_000, 100_000, 1_000_000]),
    "texts, vocabulary": (CHOSEN, lambda n: texts(50_000, n, 5), [1_000, 10_000, 100_000, 1_000_000]),
    "texts, classes": (FAST, lambda n: texts(20_000, 10_000, n), [10, 100, 1_000, 10_000]),
    "tables, rows": (TABLE, lambda n: table(n, 10, 3), [1_000, 10_000, 100_000, 1_000_000]),
    "tables, columns": (TABLE, lambda n: table(500, n, 3), [10, 100, 1_000, 10_000]),
    "tables, classes": (TABLE, lambda n: table(20_000, 10, n), [2, 20, 200, 2_000]),
}
"""What grows: the model, the data, and how many there are of it."""


def peak() -> float:
    """Return what the process held at most so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def point(name: str, n: int) -> dict[str, float]:
    """Measure one point, in this process."""
    model, data, sizes = CASES[name]
    model.fit(*data(sizes[0]))
    X, y = data(n)
    before, start = peak(), time.perf_counter()
    model.fit(X, y)
    fitted, memory = time.perf_counter() - start, peak() - before
    start = time.perf_counter()
    model.predict(X)
    return {"n": n, "fit": fitted, "predict": time.perf_counter() - start, "memory": max(memory, 0.0)}


def measured(name: str, n: int) -> dict[str, float] | None:
    """Measure one point in a process of its own; None if it takes too long."""
    call = [sys.executable, __file__, "--point", name, str(n)]
    try:
        done = subprocess.run(call, capture_output=True, text=True, timeout=SECONDS, check=True)
    except subprocess.TimeoutExpired:
        return None
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def slope(points: list[dict[str, float]], what: str) -> float:
    """Return how the logarithm grows in the last decade: one if it is a line."""
    (a, b), (c, d) = ((np.log(one["n"]), np.log(max(one[what], 1e-9))) for one in points[-2:])
    return float((d - b) / (c - a))


def chart(points: list[dict[str, Any]], path: str) -> None:
    """Draw time against size, a panel for each case."""
    import altair as alt

    colours = alt.Scale(range=["#2b6ca3", "#d9822b"])
    base = alt.Chart(alt.InlineData(points)).encode(
        x=alt.X("n:Q", scale=alt.Scale(type="log"), title=None, axis=alt.Axis(format="~s", tickCount=4)),
        y=alt.Y("seconds:Q", scale=alt.Scale(type="log"), title="seconds", axis=alt.Axis(format="~g", tickCount=5)),
        color=alt.Color("what:N", title=None, scale=colours, legend=alt.Legend(orient="top", labelFontSize=13)),
    )
    panels = (base.mark_line() + base.mark_point(filled=True, size=45)).properties(width=190, height=150)
    drawn = panels.facet(facet=alt.Facet("case:N", title=None, sort=[*CASES]), columns=3).resolve_scale(x="independent")
    drawn.configure_axis(labelFontSize=11, titleFontSize=12).configure_header(labelFontSize=13).save(path)


def main() -> None:
    if "--point" in sys.argv:
        print(json.dumps(point(sys.argv[-2], int(sys.argv[-1]))))
        return
    small, rows, drawn = "--quick" in sys.argv, list[list[str]](), list[dict[str, Any]]()
    for name, (model, _, sizes) in CASES.items():
        points: list[dict[str, float]] = []
        for n in sizes[: 2 if small else None]:
            found = measured(name, n)
            if found is None:
                break
            points.append(found)
            print(name, found, flush=True)
        drawn += [{"case": name, "n": one["n"], "what": what, "seconds": one[what]} for one in points for what in WHAT]
        slopes = [f"{slope(points, what):.2f}" for what in WHAT] if len(points) > 1 else ["", ""]
        each = [f"{one['n']:,.0f}: {one['fit']:.2g} s, {one['memory']:.0f} MB" for one in points]
        rows.append([name, f"`sf.{' '.join(repr(model).split())}`", "; ".join(each), *slopes])
    head = ["what grows", "call", "time and memory of fit", "slope of fit", "slope of predict"]
    print(markdown(head, rows))
    if small:
        return
    keep("scaling", {"points": drawn})
    put(PAGE, "scaling", f"{markdown(head, rows)}\n\n{machine()}.")
    chart(drawn, str(PAGE.with_name("benchmarks_scaling.svg")))


if __name__ == "__main__":
    main()
