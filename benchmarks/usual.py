"""What one does without NaiveBayes: fill the gaps, encode, and put two of scikit-learn's classifiers together."""

import warnings
from typing import Any, Self

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from scipy.special import logsumexp
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler

BINS = 10


def readable(frame: pd.DataFrame) -> pd.DataFrame:
    """Return flags as words: SimpleImputer refuses True and False."""
    flags = [name for name in frame if frame[name].dropna().map(type).eq(bool).all() and frame[name].notna().any()]
    return frame.assign(**{str(name): frame[name].map({True: "yes", False: "no"}) for name in flags})


def kinds(frame: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return columns of categories and of numbers, as the dtype says."""
    numeric = [str(name) for name in frame if pd.api.types.is_numeric_dtype(frame[name])]
    return [str(name) for name in frame if name not in numeric], numeric


class Usual:
    """Codes → CategoricalNB and numbers → GaussianNB, multiplied; or with bins, all as codes → CategoricalNB.

    A category that the encoder does not know would be an error, so `known` are all rows, those to be tested too.
    """

    def __init__(self, known: pd.DataFrame, binned: bool = False) -> None:
        self.categories, self.numbers = kinds(known)
        levels = [np.sort(known[name].dropna().unique().astype(str)).astype(object) for name in self.categories]
        codes = make_pipeline(SimpleImputer(strategy="most_frequent"), OrdinalEncoder(categories=levels))
        bins = KBinsDiscretizer(BINS, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
        fill = SimpleImputer(strategy="median", keep_empty_features=True)
        numbers = make_pipeline(fill, bins) if binned else fill
        parts = [("codes", codes, self.categories), ("numbers", numbers, self.numbers)]
        self.encoder = ColumnTransformer([part for part in parts if part[2]])
        self.coded = len(self.categories) + (len(self.numbers) if binned else 0)
        self.sizes = np.array([*map(len, levels), *[BINS] * (self.coded - len(levels))], int)

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Bins whose width are too small|Feature . is constant")
            Z = self.encoder.fit_transform(X)
        self.parts: list[tuple[Any, slice]] = []
        if self.coded:
            self.parts.append((CategoricalNB(min_categories=self.sizes), slice(0, self.coded)))
        if self.coded < Z.shape[1]:
            self.parts.append((GaussianNB(), slice(self.coded, None)))
        for model, part in self.parts:
            model.fit(Z[:, part], y)
        self.classes_ = self.parts[0][0].classes_
        return self

    def joint(self, X: pd.DataFrame) -> Any:
        Z = self.encoder.transform(X)
        scores = sum(model.predict_joint_log_proba(Z[:, part]) for model, part in self.parts)
        prior = np.log(self.parts[0][0].class_count_ / self.parts[0][0].class_count_.sum())
        return scores - (len(self.parts) - 1) * prior

    def predict(self, X: pd.DataFrame) -> Any:
        return self.classes_[self.joint(X).argmax(axis=1)]

    def predict_log_proba(self, X: pd.DataFrame) -> Any:
        scores = self.joint(X)
        return scores - logsumexp(scores, axis=1, keepdims=True)


def logistic(known: pd.DataFrame) -> Any:
    """Return logistic regression on the same columns, one-hot and scaled."""
    return encoded(known, LogisticRegression(max_iter=2000))


def encoded(known: pd.DataFrame, model: Any) -> Any:
    """Return a classifier of numbers behind an encoder: categories one-hot, numbers scaled, gaps filled."""
    categories, numbers = kinds(known)
    onehot = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    scaled = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    encoder = ColumnTransformer([("codes", onehot, categories), ("numbers", scaled, numbers)])
    return make_pipeline(encoder, model)
