"""Probabilities before and after tempering, on 20 Newsgroups: a table and a picture for docs/honest.md.

SUFFICE_20NEWS names the archive 20news-bydate.tar.gz or its folder; without it, one beside the clone is looked for.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from side_by_side import ROOT, keep, markdown, put
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.evaluate import Reliability, log_loss, reliability
from suffice.models.temper import Temper

PAGE = ROOT / "docs" / "honest.md"
PEER = "scikit-learn's MultinomialNB"
OURS: dict[str, dict[str, Any]] = {
    "counts, as they are": {"temper": None},
    "counts, tempered": {},
    "counts, tempered, alpha by evidence": {"alpha": "evidence"},
    "counts, tempered, alpha by leave-one-out": {"alpha": "loo"},
    "binary words, tempered": {"binary": True},
    "binary words, tempered, alpha by evidence": {"binary": True, "alpha": "evidence"},
    "binary words, tempered, alpha by leave-one-out": {"binary": True, "alpha": "loo"},
}
SHOWN = ["counts, as they are", "counts, tempered, alpha by leave-one-out"]


def corpus(part: Any) -> Any:
    beside = ROOT.parent / "shared" / "data" / "20news_bydate"
    place = Path(os.environ.get("SUFFICE_20NEWS", beside))
    return sf.datasets.read_20newsgroups(place, subset=part) if place.exists() else None


def judged(model: Any, train: Any, test: Any) -> dict[str, Any]:
    start = time.perf_counter()
    model.fit(train.texts, train.labels)
    seconds = time.perf_counter() - start
    logs, labels = model.predict_log_proba(test.texts), np.asarray(test.labels)
    clipped = np.log(np.clip(np.exp(logs), 1e-15, None))
    return {
        "accuracy": float((model.classes_[logs.argmax(axis=1)] == labels).mean()),
        "log loss": log_loss(logs, labels, model.classes_),
        "clipped": log_loss(clipped, labels, model.classes_),
        "reliability": reliability(np.exp(logs), labels, model.classes_),
        "power": getattr(model, "temper_", None),
        "alpha": getattr(model, "alpha_", 1.0),
        "seconds": seconds,
    }


def line(name: str, told: dict[str, Any]) -> list[str]:
    power: Any = told["power"]
    shown = "" if power is None or power == Temper() else f"{power.power:.2f} / n^{power.length:.2f}"
    figures = [f"{told['accuracy']:.4f}", f"{told['log loss']:.3f}", f"{told['reliability'].error:.3f}"]
    return [name, f"{told['alpha']:.2g}", shown, *figures, f"{told['seconds']:.1f} s"]


def main() -> int:
    train, test = corpus("train"), corpus("test")
    if train is None:
        print("20 Newsgroups is not here: the page stays as it is.")
        return 0
    peer = make_pipeline(CountVectorizer(), MultinomialNB())
    rows = {PEER: judged(peer, train, test)}
    for name, options in OURS.items():
        rows[name] = judged(sf.TextClassifier(**options), train, test)
        print(" | ".join(line(name, rows[name])))
    head = ["20 Newsgroups, by date", "alpha", "power", "accuracy", "log loss", "calibration error", "fit"]
    clipped = (
        f"Log loss is not clipped. Clipped at 1e-15, as scikit-learn does it, the first line has "
        f"{rows[PEER]['clipped']:.2f}. A guess that knows nothing has {np.log(20):.2f}."
    )
    put(PAGE, "honest", markdown(head, [line(name, told) for name, told in rows.items()]) + f"\n\n{clipped}")
    found: dict[str, Reliability] = {name: rows[name]["reliability"] for name in SHOWN}
    sf.plots.reliability(found).save(str(PAGE.with_suffix(".svg")))
    keep("honest", {name: {k: str(v) for k, v in told.items()} for name, told in rows.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
