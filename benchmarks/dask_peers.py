"""Text on Dask, beside scikit-learn's partial_fit over the same partitions, which is how dask-ml's Incremental learns.

Documents with Zipf's words (`text.py`), 20 classes, in eight partitions in memory, on a LocalCluster of two processes.
The peer hashes words (HashingVectorizer) in every partition in parallel, and its MultinomialNB then takes one partition
after the other, as partial_fit must. A second peer does both in turn, as dask-ml's Incremental does. Our fit is
effort="fast". SUFFICE_DASK_DOCUMENTS sets another number of documents. Writes its table into docs/engines.md.
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
from text import zipf

PAGE = ROOT / "docs" / "engines.md"
DOCUMENTS = int(os.environ.get("SUFFICE_DASK_DOCUMENTS", "200000"))
PARTS, AIM = 8, 8
CLASSES = np.arange(20)


def hashed(frame: Any) -> tuple[Any, Any]:
    vector = HashingVectorizer(alternate_sign=False, norm=None)
    return vector.transform(frame["text"]), frame["label"].to_numpy()


def learned(model: Any, rows: tuple[Any, Any]) -> Any:
    return model.partial_fit(*rows, classes=CLASSES)


def learned_both(model: Any, frame: Any) -> Any:
    return learned(model, hashed(frame))


def in_parallel_and_in_turn(frame: Any) -> Any:
    """Words are hashed on both workers; the model goes from partition to partition."""
    model = delayed(MultinomialNB())
    for part in frame.to_delayed():
        model = delayed(learned)(model, delayed(hashed)(part))
    return model.compute()


def in_turn_alone(frame: Any) -> Any:
    """As dask-ml's Incremental: one partition after the other, vectorizer and all."""
    model = delayed(MultinomialNB())
    for part in frame.to_delayed():
        model = delayed(learned_both)(model, part)
    return model.compute()


def main() -> None:
    here_is = machine()  # before Dask takes threads away
    texts, labels = zipf(DOCUMENTS, 200_000, 20)
    size = sum(map(len, texts)) / 1e6
    local: Any = distributed
    options = {"host": "127.0.0.1", "dashboard_address": None, "processes": True}
    with local.LocalCluster(n_workers=2, threads_per_worker=1, **options) as here, local.Client(here) as client:
        split: Any = dd.from_pandas
        frame = split(pd.DataFrame({"text": texts, "label": labels}), npartitions=PARTS).persist()
        local.wait(frame)
        jobs: dict[str, Callable[[], object]] = {
            "suffice": lambda: engine.fit(sf.TextClassifier(effort="fast"), frame, "label", "text"),
            "hashing in parallel, then partial_fit": lambda: in_parallel_and_in_turn(frame),
            "partial_fit in turn, as Incremental": lambda: in_turn_alone(frame),
        }
        in_turn(jobs, 1)  # warms up
        times = in_turn(jobs, 3)
        del client
    rows = []
    for name, seconds in times.items():
        ratio = seconds / times["suffice"]
        verdict = "" if name == "suffice" else f"{AIM}×{'' if ratio >= AIM else ' (missed)'}"
        rows.append([name, f"{seconds:.2f} s", f"{size / seconds:.0f} MB/s", f"{ratio:.1f}×", verdict])
        print(rows[-1], flush=True)
    head = [f"Dask, two workers, fit to {size:.0f} MB of text", "time", "speed", "beside suffice", "aim"]
    put(PAGE, "dask", "\n".join([markdown(head, rows), "", here_is + "."]))
    keep("dask", {"megabytes": size, **times})


if __name__ == "__main__":
    main()
