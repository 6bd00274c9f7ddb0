"""Read rows for EM through a classifier, once, with options that all rows together determine.

All texts decide which words are left out, all rows determine the categories, and all rows choose the likelihoods of
table columns, as if they had one class. A model file stores the final classifier and the history of EM.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, KindError
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.parameters import Tags, is_loo, num_samples
from suffice.estimators.shell.stored import State, check_bounds
from suffice.estimators.shell.whole import Whole
from suffice.models.answers.posteriors import Posteriors
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.draws import Parameters
from suffice.models.model import Block, Model, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Rows
from suffice.models.shared_rows import emptied
from suffice.models.views import Views
from suffice.posterior import Dirichlet
from suffice.readers.labels import Examples, Given, RowReader
from suffice.tables import Table
from suffice.text import TermWeighting
from suffice.typing import Array, DataLike, Label, LabelArray, LabelsLike, Rng

__all__ = [
    "Begun", "StandsOnClassifier", "checked_copy", "must_share", "opened", "opened_again", "rows_in",
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
        likelihood.must_share()
    if getattr(estimator._reader, "bursts", False):
        raise KindError(
            "TextClassifier must have model='multinomial' or 'bernoulli' to learn without labels; got a bursty model, "
            "whose urns would be fitted again at every step."
        )


def without_views(estimator: Classifier) -> Classifier:
    """Return the classifier without choices that need labels, and without damping of word counts."""
    given = estimator.get_params(deep=False)
    plain: dict[str, object] = {name: None for name in ("temper", "feature_weights") if is_loo(given.get(name))}
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
            name: replace(block, likelihood=block.likelihood.uncut(), statistic=block.t)
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
        return {name: likelihood.changed_where_known(**EXACT) for name, likelihood in found.items()}

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
        estimator._put(replace(model, blocks=blocks), Views() if views is None else views, stale=False)
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


class StandsOnClassifier(Whole):
    """Base of estimators that fit a classifier by EM: drawing rows, files, and the history of EM."""

    estimator_: Classifier
    estimator: Classifier
    record_bound: bool
    objective_: list[float]
    bound_: list[float]
    converged_: bool
    n_iter_: int
    _more: ClassVar[tuple[str, ...]] = ()
    """Optional attributes of the history: lists of numbers, or dicts of numbers."""

    def sample(
        self, n: int | None = None, label: Label | None = None, *, parameters: Parameters = "estimate", rng: Rng = None
    ) -> tuple[Any, LabelArray]:
        """Draw rows and their classes or clusters, as ``estimator_.sample`` does.

        Parameters
        ----------
        n, parameters, rng : int; {"estimate", "each", "once"}; int, Generator or None
            As for the estimator's own ``sample``.
        label : label, default=None
            The class or cluster of all rows; if not given, they are drawn by their shares.

        Returns
        -------
        X, labels : rows as `fit` takes them, and ndarray of shape (n,)
            The drawn rows, and the class or cluster of each.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.sample(n, label, parameters=parameters, rng=rng)

    @available_if(lambda self: hasattr(self.estimator, "score_samples"))
    def score_samples(self, X: DataLike) -> Array:
        """Return ln p(x) of each row; see the estimator's own ``score_samples``."""
        check_is_fitted(self, "estimator_")
        logs: Array = self.estimator_.score_samples(X)
        return logs

    @property
    def posterior_(self) -> Posteriors:
        """What is believed of the parameters, taking rows to belong to classes by their shares at the end."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.posterior_

    @property
    def class_posterior_(self) -> Dirichlet:
        """What is believed of the shares of classes or clusters, likewise."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.class_posterior_

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags

    def _get_state(self) -> State:
        """Return what a file stores besides the parameters."""
        check_is_fitted(self, "estimator_")
        names = ("objective_", "converged_", *self._more)
        steps = {name: vars(self)[name] for name in names if name in vars(self)}
        return {"schema": {}, "statistics": {"estimator": self.estimator_}, "views": steps}

    def _set_state(self, state: State) -> None:
        """Restore a state from a file, which may be forged; raise if it is invalid for this class."""
        steps, model = state["views"], state["statistics"].get("estimator")
        if not isinstance(model, Classifier) or not hasattr(model, "classes_") or state["schema"]:
            raise DataError(f"The file must hold a fitted classifier; got {type(model).__name__}.")
        if not {"objective_", "converged_"} <= set(steps) <= {"objective_", "converged_", *self._more}:
            optional = list(self._more)
            raise DataError(f"The history of EM must have objective_, converged_ and {optional}; got {sorted(steps)}.")
        objective = steps["objective_"]
        if type(steps["converged_"]) is not bool or type(objective) is not list or not objective:
            raise DataError(
                "The history of EM must hold a list of objectives, and a bool that says whether it converged."
            )
        numbers = [*objective, *(x for name in self._more if name in steps for x in _numbers(steps[name]))]
        if not all(type(x) in (int, float) for x in numbers):
            raise DataError("The history of EM must hold numbers.")
        must_share(model, model._model)
        vars(self).update(steps)
        self.estimator_, self.n_iter_ = model, len(objective)
        self._restored()
        check_bounds(self, vars(self))

    def _keep(self, objective: list[float], bound: list[float], converged: bool) -> None:
        """Set the history of EM; the bound only with `record_bound`, without one of an earlier fit."""
        self.objective_, self.n_iter_, self.converged_ = objective, len(objective), converged
        self.__dict__.pop("bound_", None)
        if self.record_bound:
            self.bound_ = bound

    def _restored(self) -> None:
        """Set the attributes that follow from `estimator_`."""

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> LabelArray:
        """Names of the features, if X had them."""
        names: LabelArray = self.estimator_.feature_names_in_
        return names


def _numbers(value: ArrayLike | dict[float, float]) -> list[float]:
    return [*value, *value.values()] if isinstance(value, dict) else np.ravel(value).tolist()
