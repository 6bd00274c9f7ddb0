"""What a fit of 10 TB on 200 executors would move and take: measured here on a core, then simulated level by level.

Measured on the docstrings of this installation: bytes of text counted in a second, how the counts of b bytes of text
grow (a power of b, fitted to samples of rising size), how well they are compressed, and bytes merged in a second. The
simulation knows no stragglers, no failures and no other load; a task's share of the network is that of its core.
Writes its tables into docs/ten_terabytes.md.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from side_by_side import ROOT, keep, machine, markdown, put

import suffice as sf
from suffice.engines.jobs import PartResult
from suffice.store import from_bytes, to_bytes

PAGE = ROOT / "docs" / "ten_terabytes.md"
DATA, PARTITION = 10e12, 128e6
EXECUTORS, CORES, NETWORK = 200, 4, 1.25e9
"""Machines, cores of each, and bytes a second between them (10 Gbit/s)."""

START = 0.2
"""Seconds that starting a wave of tasks takes."""


@dataclass(frozen=True)
class Measured:
    """Measurements of one core."""

    count: float  # bytes of text a second
    merge: float  # bytes of counts a second, written and read
    scale: float  # counts of b bytes of text are scale · b ** power bytes
    power: float
    packed: float  # share that is left of them when compressed
    hashed: float  # bytes of counts by 2 ** 20 buckets, when every bucket of every class is in use


@dataclass(frozen=True)
class Level:
    """One level of the tree."""

    tasks: int
    size: float  # bytes of counts that come out of each
    moved: float
    seconds: float


def model(texts: list[str], labels: Any, **parameters: Any) -> Any:
    return sf.TextClassifier(alpha=1.0, temper=None, feature_powers=None, **parameters).fit(texts, labels)


def measure() -> Measured:
    corpus = sf.datasets.docstrings()
    order = np.random.default_rng(0).permutation(len(corpus.texts))
    texts, labels = [corpus.texts[i] for i in order], np.asarray(corpus.labels)[order]
    sizes, counts = [], []
    for share in (32, 16, 8, 4, 2, 1):
        subset = texts[: len(texts) // share]
        sizes.append(sum(len(text.encode()) for text in subset))
        counts.append(len(to_bytes(model(subset, labels[: len(subset)]))))
    power, log_scale = np.polyfit(np.log(sizes), np.log(counts), 1)
    with sf.threads(1):
        started = time.process_time()
        total = model(texts, labels)
        count = sizes[-1] / (time.process_time() - started)
        half = len(texts) // 2
        parts = [to_bytes(model(*rows)) for rows in ((texts[:half], labels[:half]), (texts[half:], labels[half:]))]
        started = time.process_time()
        to_bytes(sf.merge([from_bytes(part) for part in parts]))
        merge = sum(map(len, parts)) / (time.process_time() - started)
    left = len(PartResult({"model": total}).packed()) / counts[-1]
    cells = 2**20 * len(total.classes_) * 20.0
    return Measured(count, merge, float(np.exp(log_scale)), float(power), left, cells)


def simulate(found: Measured, fan_in: int | None, hashed: bool) -> list[Level]:
    """Return levels from the partitions to the driver; no fan-in sends all to the driver at once."""

    def size(text: float) -> float:
        grown = float(found.scale * text**found.power)
        return min(grown, found.hashed) if hashed else grown

    cores = EXECUTORS * CORES
    parts = int(np.ceil(DATA / PARTITION))
    waves = np.ceil(parts / cores)
    levels = [Level(parts, size(PARTITION), 0.0, waves * PARTITION / found.count + START)]
    widths = [1] if fan_in is None else tree(cores, fan_in)
    for width in widths:
        before = levels[-1]
        each = int(np.ceil(before.tasks / width))
        entering = each * before.size
        line = NETWORK if width <= EXECUTORS else NETWORK / CORES
        merging = sum(np.ceil(each / 2**k) * size(min(DATA, DATA / before.tasks * 2**k)) for k in range(depth(each)))
        seconds = entering * found.packed / line + merging / found.merge + START
        after = size(DATA / width)
        levels.append(Level(width, after, before.tasks * before.size * found.packed, seconds))
    return levels


def tree(cores: int, fan_in: int) -> list[int]:
    widths = [cores]
    while widths[-1] > 1:
        widths.append(-(-widths[-1] // fan_in))
    return widths


def depth(parts: int) -> int:
    return int(np.ceil(np.log2(max(parts, 1))))


def human(size: float) -> str:
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size / 1e3:.3g} kB"


def shown(levels: list[Level]) -> list[list[str]]:
    names = ["count"] + ["merge"] * (len(levels) - 1)
    return [
        [f"{name}, {level.tasks:,} tasks", human(level.size), human(level.moved), f"{level.seconds:,.1f} s"]
        for name, level in zip(names, levels, strict=True)
    ]


def compared(found: Measured) -> list[list[str]]:
    rows = []
    for name, hashed in (("words", False), ("2^20 buckets", True)):
        for fan_in in (None, 2, 4, 8, 16, 32):
            levels = simulate(found, fan_in, hashed)
            merging = sum(level.seconds for level in levels[1:])
            moved = sum(level.moved for level in levels[1:])
            driver = levels[0].tasks * levels[0].size * found.packed if fan_in is None else levels[-1].size
            shape = "all to the driver" if fan_in is None else f"fan-in {fan_in}"
            rows.append([f"{name}, {shape}", f"{len(levels) - 1}", human(moved), human(driver), f"{merging:,.0f} s"])
    return rows


def main() -> None:
    found = measure()
    facts = (
        f"One core counts {human(found.count)} of text a second and merges {human(found.merge)} of counts a second. "
        f"Counts of b bytes of text take {found.scale:.3g} · b^{found.power:.2f} bytes, which compression reduces "
        f"to {found.packed:.0%}."
    )
    levels = markdown(["level, fan-in 8, words", "size of each", "moved", "time"], shown(simulate(found, 8, False)))
    head = ["counts by", "levels", "moved", "driver holds", "merge time"]
    put(PAGE, "tree", "\n\n".join([facts, levels, markdown(head, compared(found)), machine() + "."]))
    keep("reduction_tree", vars(found))
    print(facts)
    for row in compared(found):
        print(row)


if __name__ == "__main__":
    main()
