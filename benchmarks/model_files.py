"""How long it takes to save and load a classifier of a million words, and to get its first answer."""

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

import suffice as sf

WORDS, CLASSES, RUNS = 1_000_000, 4, 7

LOAD = """
import sys
from time import perf_counter
import suffice as sf
sf.load, sf.TextClassifier, sf.store.kinds
start = perf_counter()
model = sf.load(sys.argv[1])
ready = perf_counter()
model.predict(["w17 w4 w123456 unknown"])
print(ready - start, perf_counter() - ready)
"""


def texts(rng: np.random.Generator) -> list[str]:
    """Return documents in which every word occurs, and the lower numbers more often."""
    every = rng.permutation(WORDS)
    often = (rng.pareto(1.0, WORDS) * 10).astype(np.int64) % WORDS
    words = np.stack([every, often], axis=1).reshape(-1, 100)
    return [" ".join(f"w{k}" for k in line) for line in words.tolist()]


def main() -> None:
    """Fit, save, load in processes of their own."""
    rng = np.random.default_rng(0)
    documents = texts(rng)
    labels = rng.integers(0, CLASSES, len(documents))
    model = sf.TextClassifier(alpha=1.0, temper=None, feature_powers=None).fit(documents, labels)
    path = Path(tempfile.mkdtemp()) / "words.suffice"
    start = perf_counter()
    sf.save(model, path)
    print(f"{len(model.words_):,} words, {path.stat().st_size / 1e6:.0f} MB, saved in {perf_counter() - start:.2f} s")
    run = [sys.executable, "-c", LOAD, str(path)]
    lines = [subprocess.run(run, capture_output=True, text=True, check=True).stdout.split() for _ in range(RUNS)]
    ready, answer = np.median(np.array(lines, float), axis=0) * 1000
    print(f"ready {ready:.1f} ms after imports, the first answer {answer:.0f} ms later (median of {RUNS} processes)")


if __name__ == "__main__":
    main()
