"""What the stable ABI costs: one row predicted by a build for it, and by one for this Python alone.

    python benchmarks/stable_abi.py                 builds both, which takes minutes; needs Python 3.12 or later
    python benchmarks/stable_abi.py FOLDER FOLDER   wheels that are unpacked there: for this Python, and stable

Each build lives in a process of its own; the two are asked in turn, a hundred rows at a time, and the best time of each
counts. One wheel for all Pythons is worth 5 % and no more: above that every Python gets its own.
"""

import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TURNS, ROWS = 100, 100
MOST = 1.05
BUILDS = {"this Python's": ["--config-settings=wheel.py-api="], "stable": []}


def models() -> dict[str, tuple[Any, Any]]:
    """Return each model, fitted, and one row."""
    import numpy as np

    import suffice as sf

    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 1000)
    counts, measured = rng.poisson(1.0 + y[:, None], (1000, 20)), rng.normal(y[:, None], 1.0, (1000, 20))
    texts = [f"word{k} and word{k + j % 3} again" for j, k in enumerate(y)]
    return {
        "GaussianNB": (sf.GaussianNB().fit(measured, y), measured[:1]),
        "MultinomialNB": (sf.MultinomialNB().fit(counts, y), counts[:1]),
        "NaiveBayes": (sf.NaiveBayes().fit(measured, y), measured[:1]),
        "TextClassifier": (sf.TextClassifier().fit(texts, y), texts[:1]),
    }


def answer() -> None:
    """Write, in a process of its own, the best time of some rows in microseconds for each name read."""
    import suffice._native as native

    print(Path(str(native.__file__)).name, flush=True)
    known = models()
    print(json.dumps(list(known)), flush=True)
    for line in sys.stdin:
        model, row = known[line.strip()]
        best = float("inf")
        for _ in range(ROWS):
            begin = time.perf_counter_ns()
            model.predict(row)
            best = min(best, time.perf_counter_ns() - begin)
        print(best / 1000, flush=True)


class Build:
    """A build in a process of its own."""

    def __init__(self, folder: Path) -> None:
        path = os.pathsep.join([str(folder), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
        self.process = subprocess.Popen(
            [sys.executable, "-S", __file__, "--answer"],  # -S: no editable install gets in the way
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.file, self.names = self.read(), json.loads(self.read())

    def read(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def time(self, name: str) -> float:
        assert self.process.stdin
        print(name, file=self.process.stdin, flush=True)
        return float(self.read())


def build(folder: Path, settings: list[str]) -> Path:
    """Build a wheel and unpack it."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", f"--wheel-dir={folder}"]
    subprocess.run([*pip, *settings, str(ROOT)], check=True)
    (wheel,) = folder.glob("suffice-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


def main(folders: list[Path]) -> None:
    """Measure and say."""
    with tempfile.TemporaryDirectory() as name:
        if not folders:
            folders = [build(Path(name) / str(k), settings) for k, settings in enumerate(BUILDS.values())]
        builds = [Build(folder) for folder in folders]
        print(f"Python {sys.version.split()[0]}: " + " and ".join(one.file for one in builds))
        for model in builds[0].names:
            times = [[one.time(model) for one in builds] for _ in range(TURNS)]
            own, stable = (min(turn[k] for turn in times) for k in range(2))
            middle = statistics.median(turn[1] / turn[0] for turn in times)
            verdict = "within" if stable <= MOST * own else "above"
            line = f"{own:8.2f} µs {stable:8.2f} µs   {stable / own:6.3f} (turn by turn {middle:.3f})"
            print(f"{model:<16}{line}   {verdict} 5 %", flush=True)
        for one in builds:
            one.process.terminate()
            one.process.wait()


if __name__ == "__main__":
    if sys.argv[1:] == ["--answer"]:
        answer()
    else:
        main([Path(folder) for folder in sys.argv[1:]])
