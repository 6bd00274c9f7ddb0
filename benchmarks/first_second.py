"""CPU seconds to the first answer: of the command line, of imports, and of a pipeline of scikit-learn.

python benchmarks/first_second.py [--write]

Each runs in a process of its own, all in turn, with bytecode that is there already; the least time of several counts.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import joblib
import numpy as np
from side_by_side import PAGE, keep, machine, markdown, put
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import suffice as sf

RUNS = 7
PEER = "scikit-learn: a pipeline unpickled by joblib, one text"

LOADED = """
import joblib
print(joblib.load("pipeline.joblib").predict(["cheap lunch for you"]))
"""

PRIVATE = """
from sklearn.base import BaseEstimator, ClassifierMixin
import sklearn.utils.multiclass, sklearn.utils.validation, sklearn.utils._param_validation
"""


def models(folder: Path) -> None:
    """Write a model of texts, one of a table, and a pipeline of scikit-learn, with a row for each."""
    texts = ["cheap pills, cheap watches", "lunch at noon?", "watches for you", "are you at lunch"] * 100
    labels = ["spam", "ham"] * 200
    rng, high = np.random.default_rng(0), np.arange(1000) % 2 == 0
    table = {
        "age": rng.normal(40 + 10 * high, 5),
        "city": rng.choice(["Oslo", "Rome", "Bern"], 1000),
        "income": np.where(high, "high", "low"),
    }
    sf.save(sf.TextClassifier().fit(texts, labels), folder / "text.suffice")
    sf.save(sf.NaiveBayes().fit(table, "income"), folder / "table.suffice")
    joblib.dump(make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, labels), folder / "pipeline.joblib")
    (folder / "text.csv").write_text("text\ncheap lunch for you\n")
    (folder / "table.csv").write_text("age,city\n41.5,Oslo\n")


def commands() -> dict[str, list[str]]:
    """Return what runs, by what it is called."""
    found = shutil.which("suffice", path=str(Path(sys.executable).parent))
    command = [found] if found else [sys.executable, "-m", "suffice.cli"]
    verbs = {
        f"suffice {verb}, a model of {what}": [*command, verb, f"{kind}.suffice", *rows]
        for kind, what in (("text", "texts"), ("table", "a table"))
        for verb, rows in (("predict", [f"{kind}.csv"]), ("explain", [f"{kind}.csv"]), ("inspect", []))
    }
    codes = {
        PEER: LOADED,
        "import sklearn.base": "import sklearn.base",
        "import of the parts of scikit-learn in use": PRIVATE,
        "sf.TextClassifier": "import suffice as sf; sf.TextClassifier",
        "sf.NaiveBayes": "import suffice as sf; sf.NaiveBayes",
        "import suffice": "import suffice",
    }
    return verbs | {name: [sys.executable, "-c", code] for name, code in codes.items()}


def seconds(command: list[str], folder: Path) -> float:
    """Return the CPU seconds of a command, of the system too."""
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = os.times()
    subprocess.run(command, cwd=folder, env=usual, check=True, capture_output=True)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def main() -> None:
    """Run all in turn, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table to docs/benchmarks.md")
    parser.add_argument("--runs", type=int, default=RUNS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models(folder)
        times = dict.fromkeys(commands(), np.inf)
        for run in range(given.runs + 1):  # the first writes bytecode
            for what, command in commands().items():
                found = seconds(command, folder)
                times[what] = min(times[what], found) if run else np.inf
    rows = [[what, f"{time:.2f} s", f"{time / times[PEER]:.2f}"] for what, time in times.items()]
    table = markdown(["CPU seconds of a process", "time", "relative to the pipeline"], rows)
    print(table)
    if given.write:
        keep("first_second", {"seconds": times})
        put(PAGE, "first_second", f"{table}\n\n{machine()}.")


if __name__ == "__main__":
    main()
