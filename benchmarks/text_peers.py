"""What one does with texts without TextClassifier: a vectorizer and one of scikit-learn's classifiers, or fastText."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Self

import numpy as np
from judging import CLIP, Found, Judged, Parts, judge
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from suffice.parallel import thread_count

EPOCHS, RATE = 25, 0.5
WORDS: dict[str, Callable[[], Any]] = {
    "counts": CountVectorizer,
    "binary": partial(CountVectorizer, binary=True),
    "tf-idf": TfidfVectorizer,
}
EVENTS, ALPHAS, STRENGTHS = (MultinomialNB, ComplementNB, BernoulliNB), (0.001, 0.01, 0.1, 1.0), (1, 10, 100, 1000)


class FastText:
    """fastText on all cores, shown the words that scikit-learn's vectorizers see; training is not repeatable then.

    It reads a file, so one is written, and that takes part in the time. Its probabilities are never below 1e-5.
    """

    def __init__(self, ngrams: int) -> None:
        self.ngrams, self.words = ngrams, CountVectorizer().build_analyzer()

    def line(self, text: str) -> str:
        return " ".join(self.words(text))

    def fit(self, texts: list[str], labels: Any) -> Self:
        import fasttext

        self.classes_, codes = np.unique(np.asarray(labels), return_inverse=True)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "train.txt"
            order = np.random.default_rng(0).permutation(len(texts))  # it learns in the order of the file
            lines = (f"__label__{codes[i]} {self.line(texts[i])}\n" for i in order)
            file.write_text("".join(lines), encoding="utf-8")
            options = {"epoch": EPOCHS, "lr": RATE, "wordNgrams": self.ngrams, "thread": thread_count(), "verbose": 0}
            self.model = fasttext.train_supervised(str(file), **options)
        return self

    def predict_log_proba(self, texts: list[str]) -> Any:
        shares = np.zeros((len(texts), len(self.classes_)))
        for row, text in zip(shares, texts, strict=True):
            # model.predict does not work with numpy 2
            for share, label in self.model.f.predict(self.line(text) + "\n", -1, 0.0, "strict"):
                row[int(label.removeprefix("__label__"))] = share
        return np.log(shares / shares.sum(axis=1, keepdims=True))


def regression(C: float, sublinear: bool = False) -> Any:
    return make_pipeline(TfidfVectorizer(sublinear_tf=sublinear), LogisticRegression(C=C, max_iter=1000))


def either(make: Callable[[], Any], parts: list[Parts]) -> Judged:
    """Learn with linear algebra on one core and on all of them, and keep the faster: often, one."""
    with threadpool_limits(1, "blas"):
        alone = judge(make, parts, CLIP)
    return min(alone, judge(make, parts, CLIP), key=lambda judged: judged.seconds)


def bayes(parts: list[Parts]) -> Found:
    """Return every naive Bayes of scikit-learn that one might try."""
    found: Found = {}
    for words, vectorizer in WORDS.items():
        start = time.perf_counter()
        readers = [vectorizer().fit(X) for (X, _), _ in parts]
        seconds = (time.perf_counter() - start) / len(parts)  # transform only repeats what fit has done
        matrices = [vectorized(reader, part) for reader, part in zip(readers, parts, strict=True)]
        for event, alpha in product(EVENTS, ALPHAS):
            judged = judge(partial(event, alpha=alpha), matrices, CLIP)
            name = f"`{event.__name__}`, {words}, alpha {alpha:g}"
            found[name] = replace(judged, seconds=judged.seconds + seconds)
    return found


def regressions(parts: list[Parts]) -> Found:
    """Return every logistic regression that one might try."""
    with threadpool_limits(1, "blas"):
        return {
            f"{'sublinear ' * sublinear}tf-idf, C = {C}": judge(partial(regression, C, sublinear), parts, CLIP)
            for C, sublinear in product(STRENGTHS, (False, True))
        }


def vectorized(reader: Any, part: Parts) -> Parts:
    (X, y), (Z, labels) = part
    return (reader.transform(X), y), (reader.transform(Z), labels)
