"""fastText with the methods of a classifier of scikit-learn."""

import tempfile
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

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
