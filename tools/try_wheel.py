"""Try the suffice that is installed with the Python that runs this, as its user would, without a compiler.

    python tools/try_wheel.py

Imports it, from where packages are installed and not from the repository; fits one classifier of each kind on a small
table or small texts; fits and asks a model on the command line; and runs scikit-learn's own tests of naive Bayes and
discriminant analysis with our classes in place of theirs. Needs pytest. Prints a line for each that was done; stops at
the first that fails.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cl", "cmake", "ninja", "make")


def hide_compilers() -> None:
    """Leave on PATH what was installed beside this Python, and nothing else."""
    os.environ["PATH"] = str(Path(sys.executable).parent)
    found = [name for name in COMPILERS if shutil.which(name)]
    if found:
        raise SystemExit(f"no compiler should be on PATH, but {', '.join(found)} is in {os.environ['PATH']}")


def import_it() -> str:
    """Import the package and its compiled half."""
    import suffice
    from suffice import _native

    for module in (suffice, _native):
        where = Path(str(module.__file__)).resolve()
        if PROJECT / "src" in where.parents or "site-packages" not in where.parts:
            raise SystemExit(f"{where} is not an installed package")
    return f"import: {suffice.__version__}, {Path(str(_native.__file__)).name}"


def fit_each() -> str:
    """Fit one classifier of each kind, and find that it has learned something."""
    import numpy as np

    import suffice as sf

    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    counts = rng.poisson(1 + 4 * (y[:, None] == np.arange(6) % 3))
    measured = rng.normal(y[:, None] * 3, 1.0, (300, 4))
    texts = [["ham and eggs", "an offer of money", "the rain in Spain"][k] + " today" for k in y]
    tables: list[tuple[Any, Any]] = [
        (sf.BernoulliNB(), counts > 1),
        (sf.CategoricalNB(), np.minimum(counts, 9)),
        (sf.ComplementNB(), counts),
        (sf.DirichletMultinomialNB(), counts),
        (sf.GaussianDiscriminant(), measured),
        (sf.GaussianNB(), measured),
        (sf.LinearDiscriminantAnalysis(), measured),
        (sf.MultinomialNB(), counts),
        (sf.NaiveBayes(), measured),
        (sf.PoissonNB(), counts),
        (sf.QuadraticDiscriminantAnalysis(), measured),
        (sf.TextClassifier(), texts),
    ]
    for model, X in tables:
        right = float(np.mean(model.fit(X, y).predict(X) == y))
        if right < 0.7:  # one guess in three is right by chance
            raise SystemExit(f"{type(model).__name__} is right about {right:.0%} of the rows it has seen")
    return f"fit: {len(tables)} classifiers"


def use_command_line(folder: Path) -> str:
    """Fit a model and ask it, with the command that was installed."""
    command = shutil.which("suffice")
    if not command:
        raise SystemExit(f"no command suffice in {os.environ['PATH']}")
    table = folder / "penguins.csv"
    rows = [
        f"{'Adelie' if i % 2 else 'Gentoo'},{38 + 10 * (i % 2 == 0) + i % 3},{18 - 3 * (i % 2 == 0)}" for i in range(60)
    ]
    table.write_text("\n".join(["species,bill,depth", *rows]) + "\n", encoding="utf-8")
    model = folder / "penguins.suffice"

    def run(*words: object) -> str:
        done = subprocess.run([command, *map(str, words)], capture_output=True, text=True, check=False, cwd=folder)
        if done.returncode:
            raise SystemExit(f"suffice {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    run("fit", table, "--target", "species", "--output", model)
    answers = run("predict", model, table)
    if answers.count("Adelie") < 30 or answers.count("Gentoo") < 30:
        raise SystemExit(f"suffice predict answers\n{answers[:500]}")
    return "command line: fit, predict"


def run_their_tests(folder: Path) -> str:
    """Run scikit-learn's own tests with our classes, by the test of the repository that does it."""
    sys.path.insert(0, str(PROJECT / "tests"))
    from estimators import test_drop_in

    for file, least in test_drop_in.SUITES.items():
        test_drop_in.test_scikit_learns_own_tests_pass_with_our_classes(folder, file, least)
    return "scikit-learn's tests: " + ", ".join(f"{file} ≥ {least}" for file, least in test_drop_in.SUITES.items())


def main() -> None:
    """Try everything, in a folder of its own."""
    hide_compilers()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        for done in (import_it, fit_each, lambda: use_command_line(folder), lambda: run_their_tests(folder)):
            print(f"    {done()}", flush=True)
        os.chdir(PROJECT)


if __name__ == "__main__":
    main()
