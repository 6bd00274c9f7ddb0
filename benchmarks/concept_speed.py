"""How long concept learning takes, and how much memory: `python benchmarks/concept_speed.py`.

The aims: 5,000 hypotheses over 100 items answer in well under a millisecond, 100,000 over 10,000 in under a second
within 200 MB, the packed table and Python itself included.
"""

import subprocess
import sys
from collections.abc import Iterator
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

CASES = {"small": (5_000, 100, 200), "large": (100_000, 10_000, 3)}


def blocks(hypotheses: int, items: int) -> Iterator[NDArray[np.bool_]]:
    """Yield random sets, a few at a time; a tenth of the items belong to all."""
    rng = np.random.default_rng(0)
    for _ in range(0, hypotheses, 250):
        block = rng.integers(0, 4, (250, items), np.uint8) == 0
        block[:, : items // 10] = True
        yield block


def peak() -> float:
    """Return the most memory that this process ever had, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(name: str) -> None:
    from suffice.concepts import ConceptLearner

    hypotheses, items, repeats = CASES[name]
    before = peak()
    start = perf_counter()
    learner = ConceptLearner(blocks(hypotheses, items))
    made = perf_counter() - start
    learner.membership()
    times: dict[str, float] = {}
    for _ in range(repeats):
        start = perf_counter()
        belief = learner.observe([0, 1, 2])
        seen = perf_counter()
        belief.membership()
        answered = perf_counter()
        belief.next_query()
        queried = perf_counter()
        for job, took in (
            ("observe 3", seen - start),
            ("membership", answered - seen),
            ("next query", queried - answered),
        ):
            times[job] = min(took, times.get(job, np.inf))
    answers = ", ".join(f"{job} {1000 * took:.3g} ms" for job, took in times.items())
    print(f"{hypotheses:,} × {items:,}: made in {made:.2f} s; {answers}; together {1000 * sum(times.values()):.3g} ms")
    print(f"  peak {peak():.0f} MB, of which {before:.0f} MB before the table was made")


def main() -> None:
    """Run each case in a process of its own, so that the memory is its own."""
    if len(sys.argv) > 1:
        run(sys.argv[1])
        return
    for name in CASES:
        subprocess.run([sys.executable, __file__, name], check=True)


if __name__ == "__main__":
    main()
