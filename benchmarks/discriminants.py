"""Gaussian discriminants beside scikit-learn's, in one run: time on a million rows, and errors on real tables.

`python benchmarks/discriminants.py [--quick]` rewrites the tables of docs/discriminants.md. What is best in hindsight
is chosen on the very rows that it is judged by: no user can do that.
"""

import sys
import warnings
from typing import Any

import numpy as np
import sklearn.discriminant_analysis as peers
from corpora import both, folder, frame
from judging import Split
from side_by_side import PAGE, in_turn, keep, machine, markdown, put
from sklearn.metrics import log_loss
from sklearn.model_selection import RepeatedStratifiedKFold

import suffice as sf

ROWS, COLUMNS, CLASSES = 1_000_000, 50, 10
RIDGES = (0.0, 1e-4, 1e-3, 0.01, 0.03, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)


def speed(rows: int) -> list[list[str]]:
    """Time of ours and of theirs."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, rows)
    X = rng.normal(size=(rows, COLUMNS)) @ rng.normal(size=(COLUMNS, COLUMNS)) + 0.1 * y[:, None]
    theirs, ours = peers.QuadraticDiscriminantAnalysis(), sf.QuadraticDiscriminantAnalysis()
    jobs: dict[str, tuple[Any, Any]] = {
        "QDA, fit": (lambda: theirs.fit(X, y), lambda: ours.fit(X, y)),
        "QDA, predict": (lambda: theirs.predict(X), lambda: ours.predict(X)),
        "LDA, fit": (
            lambda: peers.LinearDiscriminantAnalysis().fit(X, y),
            lambda: sf.LinearDiscriminantAnalysis().fit(X, y),
        ),
    }
    bayes = sf.GaussianDiscriminant()
    lines = []
    for name, (their, our) in jobs.items():
        times = in_turn({"theirs": their, "ours": our}, 2)
        ratio = times["theirs"] / times["ours"]
        lines.append([name, f"{times['theirs']:.2f} s", f"{times['ours']:.2f} s", f"{ratio:.1f}"])
        print("  ".join(lines[-1]), flush=True)
    assert (ours.predict(X[:10_000]) == theirs.predict(X[:10_000])).all()
    alone = in_turn({"fit": lambda: bayes.fit(X, y), "predict": lambda: bayes.predict(X)}, 2)
    for what, seconds in alone.items():
        lines.append([f"`GaussianDiscriminant()`, {what}", "", f"{seconds:.2f} s", ""])
        print("  ".join(lines[-1]), flush=True)
    return lines


def judge(make: Any, X: Any, y: Any, splits: list[Split], groups: Any = None) -> tuple[float, float]:
    """Return error and log loss on test rows."""
    found = []
    for train, test in splits:
        more = {} if groups is None else {"groups": groups[train]}
        model = make().fit(X[train], y[train], **more)
        probabilities = model.predict_proba(X[test])
        wrong = float((model.classes_[probabilities.argmax(axis=1)] != y[test]).mean())
        found.append((wrong, float(log_loss(y[test], probabilities, labels=model.classes_))))
    mean = np.mean(found, axis=0)
    return float(mean[0]), float(mean[1])


def in_hindsight(X: Any, y: Any, splits: list[Split]) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Judge scikit-learn's QDA with the reg_param of least error, and with that of least log loss."""
    found = []
    for ridge in RIDGES:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wrong, loss = judge(
                    lambda ridge=ridge: peers.QuadraticDiscriminantAnalysis(reg_param=ridge, tol=0), X, y, splits
                )
            found.append((wrong, loss, ridge))
        except np.linalg.LinAlgError:  # not full rank
            continue
    return min(found), min(found, key=lambda one: one[1])


def tables(repeats: int) -> list[list[str]]:
    """Return errors on real tables."""
    lines = []
    for name in ("sonar", "ionosphere", "vowel"):
        found = both(name) if name == "vowel" else frame(name)
        if found is None:
            continue
        frame_, y = found[0], np.asarray(found[1]).astype(str)
        X = frame_.to_numpy(np.float64)
        folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=repeats, random_state=0)
        splits = found[2] if len(found) == 3 else list(folds.split(X, y))
        least, clearest = in_hindsight(X, y, splits)
        rows = {
            "`GaussianDiscriminant()`": judge(sf.GaussianDiscriminant, X, y, splits),
            '`prior="evidence"`': judge(lambda: sf.GaussianDiscriminant(prior="evidence"), X, y, splits),
            f"scikit-learn's QDA, lowest error in hindsight (`reg_param={least[2]:g}`)": least[:2],
            f"the same, lowest log loss in hindsight (`reg_param={clearest[2]:g}`)": clearest[:2],
        }
        if name == "vowel" and (place := folder()) is not None:
            parts = [sf.datasets.read_table(name, place / name, part) for part in ("train", "test")]
            speaker = np.concatenate([np.asarray(part.X["speaker"]).astype(str) for part in parts])
            rows["`GaussianDiscriminant()`, `groups` of speakers"] = judge(
                sf.GaussianDiscriminant, X, y, splits, speaker
            )
        for what, (wrong, loss) in rows.items():
            lines.append([name, what, f"{100 * wrong:.1f} %", f"{loss:.3f}"])
            print("  ".join(lines[-1]), flush=True)
    return lines


def main() -> None:
    quick = "--quick" in sys.argv
    timed = speed(ROWS // 10 if quick else ROWS)
    judged = tables(1 if quick else 5)
    if quick or not judged:
        return
    page = PAGE.with_name("discriminants.md")
    head = [f"{ROWS:,} × {COLUMNS}, {CLASSES} classes", "scikit-learn", "Suffice", "times faster"]
    put(page, "discriminant speed", f"{markdown(head, timed)}\n\n{machine()}.")
    put(page, "discriminant tables", markdown(["table", "model", "error", "log loss"], judged))
    keep("discriminants", {"speed": timed, "tables": judged})


if __name__ == "__main__":
    main()
