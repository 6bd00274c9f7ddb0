"""From raw text to a classifier, beside scikit-learn, Polars, fastText and Vowpal Wabbit in one run: `make bench`.

118 MB of words with Zipf's frequencies, made here: 200,000 documents, 20 classes, 200,000 words; docstrings of this
installation, drawn with replacement; and 20 Newsgroups, Reuters R8 and SMS spam where they are at hand (`corpora.py`).
Peers that are not installed are left out. Every line has the call that was measured.
"""

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from corpora import corpus
from side_by_side import in_turn, markdown, with_threads, write
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.parallel import thread_count

Row = dict[str, Any]

COUNTS = sf.TextClassifier(alpha=1.0, ngram_range=(1, 1), temper=None, feature_powers=None)
"""Counts and nothing else: all that texts could choose is given."""

FAST, CHOSEN = sf.TextClassifier(effort="fast"), sf.TextClassifier()


def zipf(documents: int, words: int, classes: int, length: int = 80) -> tuple[list[str], Any]:
    """Return random words, the k-th most frequent of them with a probability like 1/k."""
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    sizes = rng.integers(3, 10, 2 * words)
    flat = "".join(rng.choice(letters, sizes.sum()))
    ends = np.cumsum(sizes)
    names = sorted({flat[end - size : end] for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)})
    vocabulary = rng.permutation(np.array(names, object))[:words]
    ranks = (words ** rng.random((documents, length))).astype(np.int64) - 1
    return [" ".join(vocabulary[row]) for row in ranks], rng.integers(0, classes, documents)


def english(size: float) -> tuple[list[str], Any]:
    """Return docstrings of this installation, drawn with replacement up to so many bytes; labels by number."""
    corpus = sf.datasets.docstrings()
    sizes = np.array([len(text) for text in corpus.texts])
    which = np.random.default_rng(0).integers(0, len(sizes), int(size / sizes.mean()))
    return [corpus.texts[i] for i in which], np.unique(corpus.labels, return_inverse=True)[1][which]


def polars_counts(texts: Any, labels: Any) -> Any:
    import polars as pl

    frame = pl.LazyFrame({"text": texts, "label": labels})
    words = pl.col("text").str.to_lowercase().str.extract_all(r"\b\w\w+\b").alias("word")
    return frame.select("label", words).explode("word").group_by("label", "word").len().collect()


def fasttext_fit(path: str) -> Any:
    import fasttext

    return fasttext.train_supervised(path, epoch=1, dim=10, thread=thread_count(), verbose=0)


def vowpal_fit(path: str, classes: int) -> None:
    from vowpalwabbit import Workspace

    model = Workspace(f"--data {path} --oaa {classes} -b 22 --quiet --no_stdin")
    model.run_parser()
    model.finish()


def lines(texts: list[str], labels: Any, folder: Path) -> dict[str, str]:
    """Write the documents as files for fastText and Vowpal Wabbit; writing them is not timed."""
    files = {"fastText": folder / "fasttext.txt", "Vowpal Wabbit": folder / "vw.txt"}
    plain = [" ".join(text.split()).replace(":", " ").replace("|", " ") for text in texts]
    for name, start in (("fastText", "__label__{} "), ("Vowpal Wabbit", "{} | ")):
        numbered = zip(labels, plain, strict=True)
        files[name].write_text("\n".join(start.format(int(y) + 1) + text.lower() for y, text in numbered))
    return {name: str(path) for name, path in files.items()}


def peer_jobs(texts: list[str], labels: Any, folder: Path) -> dict[str, Callable[[], object]]:
    files, classes = lines(texts, labels, folder), int(labels.max()) + 1
    jobs: dict[str, Callable[[], object]] = {}
    if find_spec("polars"):
        import polars as pl

        jobs["Polars"] = partial(polars_counts, pl.Series(texts), labels)
    if find_spec("fasttext"):
        jobs["fastText"] = partial(fasttext_fit, files["fastText"])
    if find_spec("vowpalwabbit"):
        jobs["Vowpal Wabbit"] = partial(vowpal_fit, files["Vowpal Wabbit"], classes)
    return jobs


def called(model: sf.TextClassifier) -> str:
    """Return how a classifier is made."""
    return f"sf.{' '.join(repr(clone(model)).split())}"


def measure(what: str, texts: list[str], labels: Any, repeats: int, models: list[sf.TextClassifier]) -> list[Row]:
    """Fit with one thread and with all, from a list and from Arrow; predict from a list."""
    arrow, size = pa.array(texts), sum(len(text.encode()) for text in texts) / 1e6
    theirs = make_pipeline(CountVectorizer(), MultinomialNB())
    fits: dict[str, Callable[[], object]] = {"scikit-learn": partial(theirs.fit, texts, labels)}
    for model in models:
        for n in sorted({1, thread_count()}) if model is COUNTS else [thread_count()]:
            for source, given in {"a list": texts, "Arrow": arrow}.items():
                if source == "a list" or model is COUNTS:
                    fits[f"{called(model)}|fit, {source}|{n}"] = with_threads(n, partial(model.fit, given, labels))
    with tempfile.TemporaryDirectory() as folder:
        if models[0] is COUNTS:
            fits |= peer_jobs(texts, labels, Path(folder))
        times = in_turn(fits, repeats)
    asks: dict[str, Callable[[], object]] = {"scikit-learn": partial(theirs.predict, texts)}
    for model in models:
        asks[f"{called(model)}|predict, a list|{thread_count()}"] = partial(model.predict, texts)
    rows = []
    for jobs in (times, in_turn(asks, repeats)):
        peers = {name: seconds for name, seconds in jobs.items() if "|" not in name}
        for job, seconds in jobs.items():
            rows += compare(what, job, seconds, peers, size) if "|" in job else []
    return rows


def compare(what: str, job: str, seconds: float, peers: dict[str, float], size: float) -> list[Row]:
    call, name, threads = job.split("|")
    rows = []
    for peer, theirs in peers.items():
        if peer != "scikit-learn" and (call != called(COUNTS) or int(threads) < thread_count() or "list" in name):
            continue
        row = {"data": what, "call": call, "job": name, "threads": int(threads), "peer": peer, "ours": seconds}
        speeds = {"speed": size / seconds, "peer_speed": size / theirs}
        rows.append(row | {"theirs": theirs, "ratio": theirs / seconds} | speeds)
        print("  ".join(cells(rows[-1])), flush=True)
    return rows


def cells(row: Row) -> list[str]:
    both = ("ours", "speed"), ("theirs", "peer_speed")
    times = [f"{row[whose]:.2f} s, {row[speed]:.0f} MB/s" for whose, speed in both]
    what = [row["data"], f"`{row['call']}`", row["job"], str(row["threads"]), row["peer"]]
    return [*what, *times, f"{row['ratio']:.1f}×"]


def main() -> None:
    small = "--quick" in sys.argv
    n, repeats = 10_000 if small else 200_000, 1 if small else 3
    texts, labels = zipf(n, n, 20)
    rows = measure(f"Zipf, {sum(map(len, texts)) / 1e6:.0f} MB", texts, labels, repeats, [COUNTS, FAST])
    for name, title in {"20news_bydate": "20 Newsgroups", "reuters_r8": "Reuters R8", "sms_spam": "SMS spam"}.items():
        if found := corpus(name):
            codes = np.unique(found.labels, return_inverse=True)[1]
            size = sum(len(text.encode()) for text in found.texts) / 1e6
            rows += measure(f"{title}, {size:.1f} MB", found.texts, codes, repeats, [COUNTS, FAST, CHOSEN])
    size = 1e6 if small else 33e6
    rows += measure(f"docstrings, {size / 1e6:.0f} MB", *english(size), repeats, [COUNTS, FAST, CHOSEN])
    if small:
        return
    head = ["texts", "call", "what", "threads", "peer", "suffice", "peer's", "ratio"]
    bars = [
        {"what": f"{row['data']}: {row['job']}, {SHORT[row['call']]}", "ratio": round(row["ratio"], 2)}
        for row in rows
        if row["peer"] == "scikit-learn" and row["threads"] == thread_count() and "list" in row["job"]
    ]
    write("text", {"rows": rows}, markdown(head, [cells(row) for row in rows]), bars)


SHORT = {called(COUNTS): "counts alone", called(FAST): 'effort="fast"', called(CHOSEN): "defaults"}
"""Calls in words, for the chart."""


if __name__ == "__main__":
    main()
