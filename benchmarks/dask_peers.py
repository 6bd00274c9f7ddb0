"""Text on Dask, beside scikit-learn's partial_fit over the same partitions, which is how dask-ml's Incremental learns.

SUFFICE_DASK_MB megabytes (116) of docstrings, drawn again and again, and of Zipf's words (`text.py`) of 20 classes, in
eight partitions in memory, on a LocalCluster of two processes. dask-ml's Incremental takes one partition after the
other, vectorizer and all. A peer of our own hashes words in every partition in parallel, and its MultinomialNB then
takes them in turn, as partial_fit must. Our fit is effort="fast", which chooses a pseudo-count and a temper on top of
the counts; "plain" has scikit-learn's pseudo-count of 1 and chooses nothing. Writes its table into docs/engines.md.
"""

import os
from collections.abc import Callable
from typing import Any

import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from dask.delayed import delayed
from side_by_side import ROOT, in_turn, keep, machine, markdown, put
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.naive_bayes import MultinomialNB

import suffice as sf
from suffice.engines import dask as engine
from text import english, zipf

PAGE = ROOT / "docs" / "engines.md"
SIZE = float(os.environ.get("SUFFICE_DASK_MB", "116")) * 1e6
PARTS = 8
CLASSES = np.arange(20)
PEERS = ("partial_fit in turn, as Incremental", "hashing in parallel, then partial_fit")


def hashed(frame: Any) -> tuple[Any, Any]:
    vector = HashingVectorizer(alternate_sign=False, norm=None)
    return vector.transform(frame["text"]), frame["label"].to_numpy()


def learned(model: Any, rows: tuple[Any, Any]) -> Any:
    return model.partial_fit(*rows, classes=CLASSES)


def learned_both(model: Any, frame: Any) -> Any:
    return learned(model, hashed(frame))


def in_parallel_and_in_turn(frame: Any) -> Any:
    """Hash words on both workers, and pass the model from partition to partition."""
    model = delayed(MultinomialNB())
    for part in frame.to_delayed():
        model = delayed(learned)(model, delayed(hashed)(part))
    return model.compute()


def in_turn_alone(frame: Any) -> Any:
    """Fit one partition after the other, vectorizer included, as dask-ml's Incremental does."""
    model = delayed(MultinomialNB())
    for part in frame.to_delayed():
        model = delayed(learned_both)(model, part)
    return model.compute()


def compare(name: str, texts: list[str], labels: Any) -> tuple[list[list[str]], dict[str, float]]:
    size = sum(map(len, texts)) / 1e6
    split: Any = dd.from_pandas
    frame = split(pd.DataFrame({"text": texts, "label": labels}), npartitions=PARTS).persist()
    local: Any = distributed
    local.wait(frame)

    def ours(**parameters: Any) -> Any:
        return engine.fit(sf.TextClassifier(effort="fast", **parameters), frame, "label", "text")

    jobs: dict[str, Callable[[], object]] = {
        "fit": ours,
        "fit, plain": lambda: ours(alpha=1.0, temper=None),
        PEERS[0]: lambda: in_turn_alone(frame),
        PEERS[1]: lambda: in_parallel_and_in_turn(frame),
    }
    in_turn(jobs, 1)  # warms up
    times, rows = in_turn(jobs, 3), []
    for what in ("fit", "fit, plain"):
        ratios = [times[peer] / times[what] for peer in PEERS]
        beside = [f"{times[peer]:.1f} s, {ratio:.1f}×" for peer, ratio in zip(PEERS, ratios, strict=True)]
        rows.append([f"{name}: {what}", f"{times[what]:.2f} s, {size / times[what]:.0f} MB/s", *beside])
        print(rows[-1], flush=True)
    return rows, {"megabytes": size, **times}


def main() -> None:
    here_is = machine()  # before Dask takes threads away
    local: Any = distributed
    options = {"host": "127.0.0.1", "dashboard_address": None, "processes": True}
    rows, facts = [], {}
    with local.LocalCluster(n_workers=2, threads_per_worker=1, **options) as here, local.Client(here):
        for name, corpus in (("English", english(SIZE)), ("Zipf's words", zipf(int(SIZE / 580), 200_000, 20))):
            lines, facts[name] = compare(name, *corpus)
            rows += lines
    head = ["Dask, two workers", "suffice", *PEERS]
    put(PAGE, "dask", "\n".join([markdown(head, rows), "", here_is + "."]))
    keep("dask", facts)


if __name__ == "__main__":
    main()
