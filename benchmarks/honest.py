"""Probabilities before and after tempering, on 20 Newsgroups: a table and a picture for docs/honest.md.

Words count as often as they come, and have no weights, so that temper and pseudo-count show what each of them does.
`corpora.py` says where the corpus is looked for.
"""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
from corpora import corpus
from judging import clipped, judge
from side_by_side import ROOT, keep, markdown, put
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.evaluate import Reliability
from suffice.models.scoring.cells import Temper

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
PLAIN: dict[str, Any] = {"alpha": 1.0, "term_weighting": sf.TermWeighting(sublinear_tf=False), "feature_powers": None}
SHOWN = ["counts, as they are", "counts, tempered, alpha by leave-one-out"]


def judged(model: Any, train: Any, test: Any) -> dict[str, Any]:
    found = judge(lambda: model, [((train.texts, train.labels), (test.texts, test.labels))])
    return {
        "accuracy": found.accuracy,
        "log loss": found.log_loss,
        "clipped": replace(found, logs=clipped(found.logs)).log_loss,
        "reliability": found.reliability,
        "power": getattr(model, "temper_", None),
        "alpha": getattr(model, "alpha_", 1.0),
        "seconds": found.seconds,
    }


def line(name: str, figures: dict[str, Any]) -> list[str]:
    power: Any = figures["power"]
    shown = "" if power is None or power == Temper() else f"{power.power:.2f} / n^{power.length:.2f}"
    shares = [f"{figures['accuracy']:.4f}", f"{figures['log loss']:.3f}", f"{figures['reliability'].error:.3f}"]
    return [name, f"{figures['alpha']:.2g}", shown, *shares, f"{figures['seconds']:.1f} s"]


def main() -> int:
    train, test = (corpus("20news_bydate", subset=part) for part in ("train", "test"))
    if train is None:
        print("20 Newsgroups is not here: the page stays as it is.")
        return 0
    peer = make_pipeline(CountVectorizer(), MultinomialNB())
    rows = {PEER: judged(peer, train, test)}
    for name, options in OURS.items():
        rows[name] = judged(sf.TextClassifier(**(PLAIN | options)), train, test)
        print(" | ".join(line(name, rows[name])))
    head = ["20 Newsgroups, by date", "alpha", "power", "accuracy", "log loss", "calibration error", "fit"]
    clipped = (
        f"Log loss is not clipped. Clipped at 1e-15, as scikit-learn does, the first row scores "
        f"{rows[PEER]['clipped']:.2f}. A uniform guess scores {np.log(20):.2f}."
    )
    put(PAGE, "honest", markdown(head, [line(name, figures) for name, figures in rows.items()]) + f"\n\n{clipped}")
    found: dict[str, Reliability] = {name: rows[name]["reliability"] for name in SHOWN}
    sf.plots.reliability(found).save(str(PAGE.with_suffix(".svg")))
    keep("honest", {name: {k: str(v) for k, v in figures.items()} for name, figures in rows.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
