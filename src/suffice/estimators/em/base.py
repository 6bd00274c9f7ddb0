"""What estimators that fit a classifier by EM have in common: how they read rows, and their answers, files and history.

All rows together determine the options of a classifier: all texts decide which words are left out, all rows determine
the categories, and all rows choose the likelihoods of table columns, as if they had one class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, KindError
from suffice.estimators.shell.atomic import Atomic
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.model_cards import bundle_of_estimator, card_of_estimator
from suffice.estimators.shell.parameters import Tags, is_loo, num_samples
from suffice.estimators.shell.stored import State, check_bounds
from suffice.models.answers.posteriors import Posteriors
from suffice.models.class_prior import ClassPrior
from suffice.models.expectation import History, emptied
from suffice.models.likelihoods.base import Likelihood, changed_where_known, uncut
from suffice.models.likelihoods.draws import Parameters
from suffice.models.model import Model, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Rows
from suffice.models.views import Views
from suffice.notebook import figures
from suffice.posterior import Dirichlet
from suffice.readers.labels import Examples, Given, RowReader
from suffice.stats import ClassCounts
from suffice.tables import Table
from suffice.text import TermWeighting
from suffice.typing import Array, DataLike, Label, LabelArray, LabelsLike, Rng

EXACT: dict[str, object] = {"damped": False, "strict": False}
"""Options of likelihoods during EM: word counts are not damped, and unknown categories are possible."""


def checked_copy(estimator: object, owner: str) -> Classifier:
    """Return an unfitted copy of a classifier; raise KindError if it is not a classifier of this library."""
    if isinstance(estimator, type) or not isinstance(estimator, Classifier):
        what = f"the class {estimator.__name__}" if isinstance(estimator, type) else f"a {type(estimator).__name__}"
        raise KindError(f"{owner}.estimator", "be a classifier of suffice, such as MultinomialNB()").but(f"got {what}")
    copied: Classifier = clone(estimator)
    copied._validate_params()
    return copied


def must_share(estimator: Classifier, model: Model) -> None:
    """Raise KindError unless rows of the model may belong to several classes with probabilities."""
    for likelihood in model.likelihoods.values():
        if why := likelihood.lacks("shares"):
            raise KindError(why)
    if getattr(estimator._reader, "bursts", False):
        raise KindError("TextClassifier", "have model='multinomial' or 'bernoulli' to learn without labels").but(
            "got a bursty model, whose urns would be fitted again at every step"
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
    is_table = isinstance(X, Mapping | Table) or hasattr(X, "collect")  # as a lazy dataframe has
    return len(Table.read(X, "X")) if is_table else num_samples(X)


@dataclass(frozen=True, eq=False)
class EMSetup:
    """A classifier that has read all rows, with their counts, but has no model yet."""

    estimator: Classifier
    reader: RowReader
    total: Model  # counts of all rows, as one class or by classes

    @classmethod
    def of(cls, estimator: Classifier, sources: Sequence[Any]) -> EMSetup:
        """Read and count all rows once."""
        by_all = getattr(estimator._reader, "settled_by_all", None)
        if by_all is not None:
            return cls.of_counts(estimator, by_all(sources))
        before, one = estimator._reader, np.zeros(1, np.int64)

        def counted(source: Any) -> Model:
            return estimator._count(Examples(source, one, np.zeros(estimator._reader.size(source), np.int64)))

        models = [counted(source) for source in sources]
        if estimator._reader is not before:  # the first pass added categories
            models = [counted(source) for source in sources]
        return cls.of_counts(estimator, Model.total(models))

    @classmethod
    def of_counts(cls, estimator: Classifier, total: Model) -> EMSetup:
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
        likelihoods = self.predictor(self.total, views).model.likelihoods
        return {name: changed_where_known(likelihood, **EXACT) for name, likelihood in likelihoods.items()}

    def predictor(self, model: Model, views: Views) -> Predictor:
        """Return the classifier's predictor for a model, without temper."""
        return Predictor(model.with_likelihoods(self.estimator._likelihoods(self.total, views)), self.prior)

    @property
    def length_exponent(self) -> float | None:
        """The exponent of document length that goes with a chosen temper; None if it is chosen, too."""
        exponent: float | None = copy(self.estimator).set_params(temper="loo")._wanted(1).length_exponent
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
        estimator, rows = copy(self.estimator), model.rows
        blocks = {
            name: type(self.total.blocks[name])(block.likelihood, block.statistic)  # later rows may change a column's
            for name, block in model.blocks.items()
        }
        if estimator._kind_of_rows == "text":  # shares were added up in another order than that of files
            rows = ClassCounts(next(iter(blocks.values())).statistic.arrays()["n"])
        estimator._put(replace(model, rows=rows, blocks=blocks), Views() if views is None else views, stale=False)
        return estimator


class FittedByEM(Atomic):
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
    _repr_html_, _repr_mimebundle_ = card_of_estimator, bundle_of_estimator

    def _card_parts(self) -> Iterator[str]:
        """Yield how EM ended, and the notebook display of the classifier."""
        yield figures({"steps": self.n_iter_, "converged": self.converged_})
        yield from self.estimator_._card_parts()

    def sample(
        self, n: int | None = None, label: Label | None = None, *, parameters: Parameters = "estimate", rng: Rng = None
    ) -> tuple[Any, LabelArray]:
        """Draw rows and their classes or clusters, as ``estimator_.sample`` does.

        Parameters
        ----------
        n, parameters, rng : int; {"estimate", "each", "once"}; int, Generator or None
            As for the estimator's own ``sample``.
        label : label, default=None
            The class or cluster of all rows; if not given, they are drawn by their probabilities.

        Returns
        -------
        X, labels : rows as for fit, and ndarray of shape (n,)
            Drawn rows, and their classes or clusters.
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
        """Posterior of the parameters, given the final shares of the rows in the classes."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.posterior_

    @property
    def class_posterior_(self) -> Dirichlet:
        """Posterior of the class or cluster probabilities, given the final shares of the rows."""
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
            raise DataError("The file", "hold a fitted classifier").but(f"got {type(model).__name__}")
        if not {"objective_", "converged_"} <= set(steps) <= {"objective_", "converged_", *self._more}:
            more = list(self._more)
            raise DataError("The history of EM", f"have objective_, converged_ and {more}").but(f"got {sorted(steps)}")
        objective = steps["objective_"]
        if type(steps["converged_"]) is not bool or type(objective) is not list or not objective:
            raise DataError("The history of EM", "hold a list of objectives, and a bool that says whether it converged")
        optional = [steps[name] for name in self._more if name in steps]
        numbers = [[*x, *x.values()] if isinstance(x, dict) else np.ravel(x).tolist() for x in optional]
        if not all(type(x) in (int, float) for x in sum(numbers, objective)):
            raise DataError("The history of EM", "hold numbers")
        must_share(model, model._model)
        vars(self).update(steps)
        self.estimator_, self.n_iter_ = model, len(objective)
        self._restored()
        check_bounds(self, vars(self))

    def _keep(self, history: History) -> None:
        """Set the history of EM; the bound only with `record_bound`, without one of an earlier fit."""
        self.objective_, self.n_iter_, self.converged_ = history.objective, len(history.objective), history.converged
        self.__dict__.pop("bound_", None)
        if self.record_bound:
            self.bound_ = history.bound

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
