"""What one does with texts without TextClassifier: a vectorizer and one of scikit-learn's classifiers, or fastText."""

import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from judging import CLIP, Found, Judged, Parts, judge
from scipy.special import log_expit, logsumexp
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from suffice.parallel import thread_count

EPOCHS, RATE = 25, 0.5


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
            self.model = fasttext.train_supervised(str(file), **self.options, thread=thread_count(), verbose=0)
        return self

    @property
    def options(self) -> dict[str, float]:
        return {"epoch": EPOCHS, "lr": RATE, "wordNgrams": self.ngrams}

    def predict_log_proba(self, texts: list[str]) -> Any:
        shares = np.zeros((len(texts), len(self.classes_)))
        for row, text in zip(shares, texts, strict=True):
            # model.predict does not work with numpy 2
            for share, label in self.model.f.predict(self.line(text) + "\n", -1, 0.0, "strict"):
                row[int(label.removeprefix("__label__"))] = share
        return np.log(shares / shares.sum(axis=1, keepdims=True))


class RatioRegression(BaseEstimator):  # type: ignore[misc]
    """Each class against the rest: logistic regression on words times their log-count ratio, as in Wang and Manning.

    Rows are words that are there or not. Probabilities are divided by their sum; of two classes, one fit tells both.
    """

    def __init__(self, C: float = 1.0, alpha: float = 1.0) -> None:
        self.C, self.alpha = C, alpha

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        against = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        self.models_ = [self._one(X, codes == c) for c in against]
        return self

    def _one(self, X: Any, mine: Any) -> tuple[Any, Any]:
        shares = [np.asarray(X[which].sum(axis=0)).ravel() + self.alpha for which in (mine, ~mine)]
        own, others = (share / share.sum() for share in shares)
        ratio = np.log(own / others)
        return ratio, LogisticRegression(C=self.C, solver="liblinear").fit(X.multiply(ratio).tocsr(), mine)

    def predict_log_proba(self, X: Any) -> Any:
        logs = [model.decision_function(X.multiply(ratio).tocsr()) for ratio, model in self.models_]
        found = log_expit(np.column_stack([-logs[0], logs[0]] if len(logs) == 1 else logs))
        return found - logsumexp(found, axis=1, keepdims=True)


class Margins(LinearSVC):  # type: ignore[misc]
    """A linear support vector machine, which has no probabilities: margins say which class is the largest."""

    def predict_log_proba(self, X: Any) -> Any:
        margins = self.decision_function(X)
        return np.column_stack([-margins, margins]) if margins.ndim == 1 else margins


def either(make: Callable[[], Any], parts: list[Parts]) -> Judged:
    """Learn with linear algebra on one core and on all of them, and keep the faster: often, one."""
    with threadpool_limits(1, "blas"):
        alone = judge(make, parts, CLIP)
    return min(alone, judge(make, parts, CLIP), key=lambda judged: judged.seconds)


def vectorized(vectorizer: Callable[[], Any], makes: Mapping[str, Callable[[], Any]], parts: list[Parts]) -> Found:
    """Judge classifiers on what one vectorizer makes of texts, read once for all; its time is part of each.

    Linear algebra is on one core, where these are faster.
    """
    start = time.perf_counter()
    readers = [vectorizer() for _ in parts]
    learned = [reader.fit_transform(X) for reader, ((X, _), _) in zip(readers, parts, strict=True)]
    seconds = (time.perf_counter() - start) / len(parts)
    matrices: list[Parts] = [
        ((known, y), (reader.transform(Z), labels))
        for reader, known, ((_, y), (Z, labels)) in zip(readers, learned, parts, strict=True)
    ]
    with threadpool_limits(1, "blas"):
        found = {name: judge(make, matrices, CLIP) for name, make in makes.items()}
    return {name: replace(judged, seconds=judged.seconds + seconds) for name, judged in found.items()}
