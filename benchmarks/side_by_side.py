"""What the benchmarks share: timing in turn, the speed of memory, a table, a file of figures, a chart, a page."""

import json
import os
import platform
import re
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import suffice as sf
from suffice.parallel import thread_count

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
PAGE = ROOT / "docs" / "benchmarks.md"


def in_turn(jobs: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the best time of each job, all run in turn, so that a busy moment of the machine strikes them alike."""
    times: dict[str, float] = {}
    for _ in range(repeats):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            times[name] = min(time.perf_counter() - start, times.get(name, np.inf))
    return times


def with_threads(n: int, job: Callable[[], object]) -> Callable[[], object]:
    def run() -> object:
        with sf.threads(n):
            return job()

    return run


def reading(arrays: Iterable[Any], threads: int, repeats: int = 5) -> float:
    """Return seconds to read the arrays once, on so many threads: what no fit and no predict can beat."""
    parts = [part for array in arrays for part in np.array_split(array.reshape(-1), threads)]
    with ThreadPoolExecutor(threads) as pool:
        return in_turn({"read": lambda: list(pool.map(np.sum, parts))}, repeats)["read"]


def machine() -> str:
    """Describe the processor, its cores and caches, the memory, and the versions that matter."""
    name, caches = platform.processor() or platform.machine(), ""
    if Path("/proc/cpuinfo").exists():
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
        name = found[1] if found else name
    for level in (2, 3):
        size = Path(f"/sys/devices/system/cpu/cpu0/cache/index{level}/size")
        if size.exists():
            caches += f", L{level} {size.read_text().strip()}"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    import sklearn

    return (
        f"{name}, {thread_count()} cores{caches}, {memory:.0f} GiB; {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, numpy {np.__version__}, scikit-learn {sklearn.__version__}"
    )


def markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] + ["--:"] * (len(head) - 1), *rows]]
    return "\n".join(lines)


def write(name: str, figures: dict[str, Any], table: str, bars: list[dict[str, Any]]) -> None:
    """Write figures to build/, the table between its marks in docs/benchmarks.md, ratios as a chart beside it."""
    keep(name, figures)
    put(PAGE, name, f"{table}\n\n{machine()}.")
    chart(bars, PAGE.with_name(f"benchmarks_{name}.svg"))
    print(f"\nwritten: build/bench_{name}.json, docs/benchmarks.md, docs/benchmarks_{name}.svg")


def keep(name: str, figures: dict[str, Any]) -> None:
    BUILD.mkdir(exist_ok=True)
    (BUILD / f"bench_{name}.json").write_text(json.dumps({"machine": machine(), **figures}, indent=1))


def put(page: Path, name: str, text: str) -> None:
    """Put text between its marks on a page."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, rest = page.read_text().split(begin)
    after = rest.split(end)[1]
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")


def chart(bars: list[dict[str, Any]], path: Path) -> None:
    """Draw bars of ratios: how many times faster. Needs the `bench` extra."""
    import altair as alt

    base = alt.Chart(alt.InlineData(bars)).encode(
        y=alt.Y("what:N", sort=None, title=None, axis=alt.Axis(labelLimit=400))
    )
    scale = alt.Scale(type="log", domainMin=1)
    bar = base.mark_bar(color="#2b6ca3", height=13).encode(
        x=alt.X("ratio:Q", scale=scale, title="times faster than the peer in the same run (logarithmic)"),
        x2=alt.X2Datum(1),
    )
    number = base.mark_text(align="left", dx=4, fontSize=11).encode(x="ratio:Q", text=alt.Text("ratio:Q", format=".1f"))
    layered = (bar + number).properties(width=520, height=alt.Step(20))
    layered.configure_axis(labelFontSize=12, titleFontSize=12).configure_view(stroke=None).save(str(path))
