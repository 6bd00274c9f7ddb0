"""From raw text to a classifier, beside scikit-learn, Polars, fastText and Vowpal Wabbit in one run: `make bench`.

118 MB of words with Zipf's frequencies, made here: 200,000 documents, 20 classes, 200,000 words. 20 Newsgroups is
measured too, where its archive is at hand (`corpora.py`). Peers that are not installed are left out.
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
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.parallel import thread_count

AIMS = {
    ("fit from a list", "scikit-learn"): 12,
    ("fit from Arrow", "scikit-learn"): 25,
    ("predict from a list", "scikit-learn"): 12,
    ("fit from Arrow", "Polars"): 4,
    ("fit from Arrow", "fastText"): 5,
    ("fit from Arrow", "Vowpal Wabbit"): 5,
}


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


def measure(what: str, texts: list[str], labels: Any, repeats: int) -> list[dict[str, Any]]:
    arrow, size = pa.array(texts), sum(len(text.encode()) for text in texts) / 1e6
    ours, theirs = sf.TextClassifier(effort="fast"), make_pipeline(CountVectorizer(), MultinomialNB())
    counts = sorted({1, thread_count()})
    fits: dict[str, Callable[[], object]] = {"scikit-learn": partial(theirs.fit, texts, labels)}
    for n in counts:
        fits[f"fit from a list, {n}"] = with_threads(n, partial(ours.fit, texts, labels))
        fits[f"fit from Arrow, {n}"] = with_threads(n, partial(ours.fit, arrow, labels))
    with tempfile.TemporaryDirectory() as folder:
        fits |= peer_jobs(texts, labels, Path(folder))
        times = in_turn(fits, repeats)
    asks: dict[str, Callable[[], object]] = {"scikit-learn": partial(theirs.predict, texts)}
    asks |= {f"predict from a list, {n}": with_threads(n, partial(ours.predict, texts)) for n in counts}
    rows = []
    for jobs in (times, in_turn(asks, repeats)):
        peers = {name: seconds for name, seconds in jobs.items() if "," not in name}
        for job, seconds in jobs.items():
            rows += compare(what, job, seconds, peers, size) if "," in job else []
    return rows


def compare(what: str, job: str, seconds: float, peers: dict[str, float], size: float) -> list[dict[str, Any]]:
    name, threads = job.rsplit(", ", 1)
    rows = []
    for peer, theirs in peers.items():
        aim = AIMS.get((name, peer)) if int(threads) == thread_count() and what.startswith("Zipf") else None
        row = {"data": what, "job": name, "threads": int(threads), "peer": peer, "ours": seconds, "theirs": theirs}
        rows.append(row | {"ratio": theirs / seconds, "aim": aim, "speed": size / seconds, "peer_speed": size / theirs})
        shown = cells(rows[-1])
        print(f"{shown[0]:<48}" + "".join(f"{cell:>16}" for cell in shown[1:]), flush=True)
    return rows


def cells(row: dict[str, Any]) -> list[str]:
    aim = "" if row["aim"] is None else f"{row['aim']}×" if row["ratio"] >= row["aim"] else f"{row['aim']}× (missed)"
    speeds = [f"{row[speed]:.0f} MB/s" for speed in ("speed", "peer_speed")]
    return [f"{row['job']}, {row['data']}", str(row["threads"]), row["peer"], *speeds, f"{row['ratio']:.1f}×", aim]


def main() -> None:
    small = "--quick" in sys.argv
    n = 10_000 if small else 200_000
    head = ["what", "threads", "peer", "suffice", "peer's", "ratio", "aim"]
    print(f"{head[0]:<48}" + "".join(f"{word:>16}" for word in head[1:]))
    texts, labels = zipf(n, n, 20)
    rows = measure(f"Zipf, {sum(map(len, texts)) / 1e6:.0f} MB", texts, labels, 1 if small else 3)
    if news := corpus("20news_bydate"):
        codes = np.unique(news.labels, return_inverse=True)[1]
        rows += measure("20 Newsgroups", news.texts, codes, 1 if small else 3)
    if small:
        return
    table = markdown([head[0], *head[1:]], [cells(row) for row in rows])
    bars = [
        {"what": f"{row['job']} beside {row['peer']}", "ratio": round(row["ratio"], 2), "aim": row["aim"]}
        for row in rows
        if row["aim"]
    ]
    write("text", {"rows": rows}, table, bars)


if __name__ == "__main__":
    main()
