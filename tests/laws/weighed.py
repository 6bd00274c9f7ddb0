"""Classifiers whose feature powers are held fixed, so that all laws can be tested on them."""

from dataclasses import replace
from typing import Any

import numpy as np

import suffice as sf
from suffice.models.model import Model
from suffice.models.views import ColumnWeights, FeatureWeights, Views, Weights, WordWeights
from suffice.text import WordList

__all__ = ["Columns", "Counts", "Held", "Texts"]

TERMS = {"a": 0.3, "b": -0.1, "c": -0.2}
POWERS = np.array([0.0, 0.4, 1.0, 1.7, 0.8, 2.5])


class Held:
    """A classifier that has weights, though its parameter asks for none."""


class Texts(Held, sf.TextClassifier):
    """Some words count for more than others, one for nothing."""

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        names = WordList.of(["ant", "bee", "cow", "dog", "eel", "fox"])
        bits = self._reader.hash_bits
        powers = np.resize(POWERS, 1 << bits) if bits else POWERS
        super()._put(model, views, stale)
        hold(self, WordWeights(TERMS, 1.0, powers, names))


class Counts(Held, sf.MultinomialNB):
    """MultinomialNB whose feature powers are held fixed."""

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        super()._put(model, views, stale)
        hold(self, FeatureWeights(TERMS, 1.0, np.array([0.4, 1.7, 0.0, 1.7, 0.4])))  # the same when turned round


class Columns(Held, sf.NaiveBayes):
    """NaiveBayes whose feature powers are held fixed."""

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        super()._put(model, views, stale)
        names = sorted(map(str, self.columns_))
        hold(self, ColumnWeights(TERMS, 1.0, dict(zip(names, POWERS.tolist(), strict=False))))


def hold(model: Any, weights: Weights) -> None:
    """Give a model these weights, whatever rows have chosen."""
    model._predictor = replace(model._predictor, views=replace(model._predictor.views, weights=weights))
