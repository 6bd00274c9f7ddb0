"""Read rows for EM through a classifier, once, with options that all rows together determine.

All texts decide which words are left out, all rows determine the categories, and all rows choose the likelihoods of
table columns, as if they had one class. A model file stores the final classifier and the history of EM.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.errors import KindError
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.parameters import is_loo, num_samples
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood, changed_where_known, uncut
from suffice.models.model import Block, Model, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Rows
from suffice.models.shared_rows import emptied
from suffice.models.views import Views
from suffice.readers.labels import Examples, Given, RowReader
from suffice.stats import ClassCounts
from suffice.tables import Table
from suffice.text import TermWeighting
from suffice.typing import DataLike, LabelArray, LabelsLike

__all__ = [
    "Begun", "checked_copy", "must_share", "opened", "opened_again", "rows_in",
    "without_views",
]  # fmt: skip

EXACT: dict[str, object] = {"damped": False, "strict": False}
"""Options of likelihoods during EM: word counts are not damped, and unknown categories are possible."""


def checked_copy(estimator: object, owner: str) -> Classifier:
    """Return an unfitted copy of a classifier; raise KindError if it is not a classifier of this library."""
    if isinstance(estimator, type) or not isinstance(estimator, Classifier):
        what = f"the class {estimator.__name__}" if isinstance(estimator, type) else f"a {type(estimator).__name__}"
        raise KindError(
            f"The 'estimator' parameter of {owner} must be a classifier of suffice, such as MultinomialNB(); "
            f"got {what}."
        )
    copied: Classifier = clone(estimator)
    copied._validate_params()
    return copied


def must_share(estimator: Classifier, model: Model) -> None:
    """Raise KindError unless rows of the model may belong to several classes with probabilities."""
    for likelihood in model.likelihoods.values():
        if why := likelihood.lacks("shares"):
            raise KindError(why)
    if getattr(estimator._reader, "bursts", False):
        raise KindError(
            "TextClassifier must have model='multinomial' or 'bernoulli' to learn without labels; got a bursty model, "
            "whose urns would be fitted again at every step."
        )


def without_views(estimator: Classifier) -> Classifier:
    """Return the classifier without choices that need labels, and without damping of word counts."""
    given = estimator.get_params(deep=False)
    plain: dict[str, object] = {name: None for name in ("temper", "feature_powers") if is_loo(given.get(name))}
    if "term_weighting" in given:
        plain["term_weighting"] = replace(given["term_weighting"] or TermWeighting(), sublinear_tf=False)
    changed: Classifier = estimator.set_params(**plain)
    return changed


def opened(estimator: Classifier, X: DataLike, y: LabelsLike | None = None) -> tuple[Any, LabelsLike | None]:
    """Return rows in the form of the classifier's reader, and labels, which may be a column of a table."""
    X = list(X) if isinstance(X, Iterator) else X
    source = _read(estimator, X, first=True)
    apart = getattr(estimator._reader, "without_labels", None)
    if apart is None:
        return source, y
    table, y = apart(X, y)
    return (source if table.names == source.names else _read(estimator, table, first=True)), y


def opened_again(estimator: Classifier, X: DataLike) -> Any:
    """Return more rows, read like the first; None if there are none."""
    X = list(X) if isinstance(X, Iterator) else X
    return _read(estimator, X, first=False) if rows_in(X) else None


def _read(estimator: Classifier, X: Given, first: bool) -> Any:
    return estimator._read(X, np.zeros(rows_in(X), np.int64), None, first).source


def rows_in(X: Given) -> int:
    """Return the number of rows of an array, texts, or a table of any library."""
    is_table = isinstance(X, Mapping | Table) or hasattr(
        X, "collect"
    )  # a dict of columns, our own table, or a lazy dataframe
    return len(Table.read(X, "X")) if is_table else num_samples(X)


@dataclass(frozen=True, eq=False)
class Begun:
    """A classifier that has read all rows but has no model yet, with the counts of all rows."""

    estimator: Classifier
    reader: RowReader
    total: Model  # counts of all rows, as one class or by classes

    @classmethod
    def of(cls, estimator: Classifier, sources: Sequence[Any]) -> Begun:
        """Read and count all rows once."""
        by_all = getattr(estimator._reader, "settled_by_all", None)
        return cls.of_counts(estimator, _as_one_class(estimator, sources) if by_all is None else by_all(sources))

    @classmethod
    def like(cls, estimator: Classifier, counted: Classifier) -> Begun:
        """Take the reader and the counts of a fitted classifier of the same kind, where rows are on an engine."""
        ready, own = copy(estimator), {*estimator.get_params(deep=False), "_predictor", "_stale", "_journal"}
        ready.__dict__.update({name: value for name, value in vars(counted).items() if name not in own})
        return cls.of_counts(ready, counted._model)

    @classmethod
    def of_counts(cls, estimator: Classifier, total: Model) -> Begun:
        """Start from the counts of all rows, by any classes."""
        total = total.with_likelihoods(estimator._likelihoods(total, Views()))
        must_share(estimator, total)
        blocks = {
            name: replace(block, likelihood=uncut(block.likelihood), statistic=block.t)
            for name, block in total.alone.items()  # joint columns are not densities
        }
        total = replace(total, blocks=blocks)
        ready = copy(estimator)
        ready.set_params(**getattr(ready, "_uncut", dict)())  # words were left out above
        reader = estimator._reader.of(total) if hasattr(estimator._reader, "of") else estimator._reader
        return cls(ready, reader, total)

    @property
    def prior(self) -> ClassPrior:
        """The class prior."""
        return self.estimator._class_prior()

    def likelihoods(self, views: Views) -> dict[Name, Likelihood]:
        """Return the likelihoods that EM steps use, with the chosen pseudo-count if any."""
        found = self.predictor(self.total, views).model.likelihoods
        return {name: changed_where_known(likelihood, **EXACT) for name, likelihood in found.items()}

    def predictor(self, model: Model, views: Views) -> Predictor:
        """Return the classifier's predictor for a model, without temper."""
        return Predictor(model.with_likelihoods(self.estimator._likelihoods(self.total, views)), self.prior)

    @property
    def length_exponent(self) -> float | None:
        """The exponent of document length that goes with a chosen temper; None if it is chosen, too."""
        wanted = copy(self.estimator).set_params(temper="loo")._wanted(1)
        exponent: float | None = wanted.length_exponent
        return exponent

    def empty(self, classes: LabelArray, views: Views) -> Model:
        """Return a model of the given classes, without rows."""
        return emptied(self.total, classes).with_likelihoods(self.likelihoods(views))

    def placed(self, classes: LabelArray, place: LabelArray, views: Views) -> Model:
        """Return the counts of all rows with class c moved to class `place[c]`; −1 leaves a class out."""
        empty, blocks = self.empty(classes, views), {}
        for name, block in self.total.blocks.items():
            moved = block.statistic.with_classes(place, len(classes))
            blocks[name] = replace(empty.blocks[name], statistic=empty.blocks[name].statistic + moved)
        return replace(empty, rows=self.total.rows.with_classes(place, len(classes)), blocks=blocks)

    def as_one_class(self) -> Model:
        """Return the counts of all rows as one class."""
        k, one = len(self.total.classes), np.zeros(1, np.int64)
        return Model.total([self.placed(one, np.where(np.arange(k) == c, 0, -1), Views()) for c in range(k)])

    def rows(self, source: Any) -> dict[Name, Rows]:
        """Return rows in a form that is counted by shares and scored repeatedly."""
        blocks = self.total.blocks
        return {name: rows.fixed(blocks[name].statistic) for name, rows in self.reader.rows(source).items()}

    def fitted(self, model: Model, views: Views | None = None) -> Classifier:
        """Return the fitted classifier with a model."""
        estimator, like = copy(self.estimator), self.total.blocks
        blocks: dict[Name, Block] = {
            name: type(like[name])(one.likelihood, one.statistic) for name, one in model.blocks.items()
        }
        rows = model.rows
        if estimator._kind_of_rows == "text":  # shares were added up in another order than that of files
            rows = ClassCounts(next(iter(blocks.values())).statistic.arrays()["n"])
        estimator._put(replace(model, rows=rows, blocks=blocks), Views() if views is None else views, stale=False)
        return estimator


def _as_one_class(estimator: Classifier, sources: Sequence[Any]) -> Model:
    """Count all rows as one class; count again if the first pass added categories to the reader."""
    before = estimator._reader
    models = [_counted(estimator, source) for source in sources]
    if estimator._reader is not before:
        models = [_counted(estimator, source) for source in sources]
    return Model.total(models)


def _counted(estimator: Classifier, source: Any) -> Model:
    rows = estimator._reader.size(source)
    return estimator._count(Examples(source, np.zeros(1, np.int64), np.zeros(rows, np.int64)))
