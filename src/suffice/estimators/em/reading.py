"""How EM reads rows through a classifier: once, as all of them together say what rows hold.

Words are cut by all texts, categories are those of all rows, and columns of a table get their likelihoods by all rows,
as if these were of one class. What a file keeps is the classifier that this ends with, and how it came about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, KindError
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.model_cards import bundle_of_estimator, card_of_estimator
from suffice.estimators.shell.parameters import Tags, is_loo, num_samples
from suffice.estimators.shell.stored import State, check_bounds
from suffice.estimators.shell.whole import Whole
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.draws import Parameters
from suffice.models.model import Block, Model, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Rows
from suffice.models.shared_rows import emptied
from suffice.models.views import Views
from suffice.notebook import figures
from suffice.readers.labels import Examples, Given, RowReader
from suffice.tables import Table
from suffice.text import TermWeighting
from suffice.typing import DataLike, Label, LabelArray, LabelsLike, Rng

__all__ = [
    "Begun", "StandsOnClassifier", "checked_copy", "must_share", "opened", "opened_again", "rows_in",
    "without_views",
]  # fmt: skip

EXACT: dict[str, object] = {"damped": False, "strict": False}
"""Options of likelihoods while EM goes on: words count as often as they come, and all categories are possible."""


def checked_copy(estimator: object, owner: str) -> Classifier:
    """Return a classifier like the one given, not fitted; raise KindError if it is none of this library."""
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
    """Raise KindError unless rows of a model may belong to classes in shares."""
    for likelihood in model.likelihoods.values():
        likelihood.must_share()
    if getattr(estimator._reader, "bursts", False):
        raise KindError(
            "TextClassifier must have model='multinomial' or 'bernoulli' to learn without labels: urns would have "
            "to be fitted at every step."
        )


def without_views(estimator: Classifier) -> Classifier:
    """Return the classifier without what it would choose by rows and labels; words count as often as they come."""
    given = estimator.get_params(deep=False)
    plain: dict[str, object] = {name: None for name in ("temper", "feature_weights") if is_loo(given.get(name))}
    if "term_weighting" in given:
        plain["term_weighting"] = replace(given["term_weighting"] or TermWeighting(), sublinear_tf=False)
    changed: Classifier = estimator.set_params(**plain)
    return changed


def opened(estimator: Classifier, X: DataLike, y: LabelsLike | None = None) -> tuple[Any, LabelsLike | None]:
    """Return rows as the classifier's reader takes them, and labels, which may be a column of a table."""
    X = list(X) if isinstance(X, Iterator) else X
    source = _read(estimator, X, first=True)
    apart = getattr(estimator._reader, "without_labels", None)
    if apart is None:
        return source, y
    table, y = apart(X, y)
    return (source if table.names == source.names else _read(estimator, table, first=True)), y


def opened_again(estimator: Classifier, X: DataLike) -> Any:
    """Return more rows, which must be like the first; None if there are none."""
    X = list(X) if isinstance(X, Iterator) else X
    return _read(estimator, X, first=False) if rows_in(X) else None


def _read(estimator: Classifier, X: Given, first: bool) -> Any:
    return estimator._read(X, np.zeros(rows_in(X), np.int64), None, first).source


def rows_in(X: Given) -> int:
    """Return the number of rows of an array, texts, or a table of any library."""
    is_table = isinstance(X, Mapping | Table) or hasattr(X, "collect")  # of columns, of ours, or a lazy one
    return len(Table.read(X, "X")) if is_table else num_samples(X)


@dataclass(frozen=True, eq=False)
class Begun:
    """A classifier to be fitted, which has a reader and no model yet; and what all rows together say."""

    estimator: Classifier
    reader: RowReader
    total: Model  # all rows, as one class or by classes of their own

    @classmethod
    def of(cls, estimator: Classifier, sources: Sequence[Any]) -> Begun:
        """Look at all rows once."""
        by_all = getattr(estimator._reader, "settled_by_all", None)
        return cls.of_counts(estimator, _as_one_class(estimator, sources) if by_all is None else by_all(sources))

    @classmethod
    def like(cls, estimator: Classifier, counted: Classifier) -> Begun:
        """Take all that a fitted classifier of the same kind knows of rows; where rows are elsewhere."""
        ready, own = copy(estimator), {*estimator.get_params(deep=False), "_predictor", "_stale", "_journal"}
        ready.__dict__.update({name: value for name, value in vars(counted).items() if name not in own})
        return cls.of_counts(ready, counted._model)

    @classmethod
    def of_counts(cls, estimator: Classifier, total: Model) -> Begun:
        """Take what all rows say from their counts, by classes of any kind."""
        total = total.with_likelihoods(estimator._likelihoods(total, Views()))
        must_share(estimator, total)
        blocks = {
            name: replace(block, likelihood=block.likelihood.uncut(), statistic=block.t)
            for name, block in total.alone.items()  # the others are no densities
        }
        total = replace(total, blocks=blocks)
        ready = copy(estimator)
        ready.set_params(**getattr(ready, "_uncut", dict)())  # words are cut once
        reader = estimator._reader.of(total) if hasattr(estimator._reader, "of") else estimator._reader
        return cls(ready, reader, total)

    @property
    def prior(self) -> ClassPrior:
        """The class prior."""
        return self.estimator._class_prior()

    def likelihoods(self, views: Views) -> dict[Name, Likelihood]:
        """Return the likelihoods that the steps go by, with a pseudo-count that was chosen."""
        found = self.predictor(self.total, views).model.likelihoods
        return {name: likelihood.changed_where_known(**EXACT) for name, likelihood in found.items()}

    def predictor(self, model: Model, views: Views) -> Predictor:
        """Return what the classifier would judge rows by: likelihoods as its parameters say, and not tempered."""
        return Predictor(model.with_likelihoods(self.estimator._likelihoods(self.total, views)), self.prior)

    @property
    def length_exponent(self) -> float | None:
        """The exponent of a row's length that goes with a chosen temper; None if it is chosen, too."""
        wanted = copy(self.estimator).set_params(temper="loo")._wanted(1)
        exponent: float | None = wanted.length_exponent
        return exponent

    def empty(self, classes: LabelArray, views: Views) -> Model:
        """Return a model of these classes without rows."""
        return emptied(self.total, classes).with_likelihoods(self.likelihoods(views))

    def placed(self, classes: LabelArray, place: LabelArray, views: Views) -> Model:
        """Return the counts of all rows by classes of which class c becomes `place[c]`; −1 leaves it out."""
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
        """Return rows to be counted by shares and scored, again and again."""
        blocks = self.total.blocks
        return {name: rows.fixed(blocks[name].statistic) for name, rows in self.reader.rows(source).items()}

    def fitted(self, model: Model, views: Views | None = None) -> Classifier:
        """Return the classifier, fitted: an ordinary one."""
        estimator, like = copy(self.estimator), self.total.blocks
        blocks: dict[Name, Block] = {
            name: type(like[name])(one.likelihood, one.statistic) for name, one in model.blocks.items()
        }
        estimator._put(replace(model, blocks=blocks), Views() if views is None else views, stale=False)
        return estimator


def _as_one_class(estimator: Classifier, sources: Sequence[Any]) -> Model:
    """Count all rows as one class; once more, if the first look has met categories that the reader did not know."""
    before = estimator._reader
    models = [_counted(estimator, source) for source in sources]
    if estimator._reader is not before:
        models = [_counted(estimator, source) for source in sources]
    return Model.total(models)


def _counted(estimator: Classifier, source: Any) -> Model:
    rows = estimator._reader.size(source)
    return estimator._count(Examples(source, np.zeros(1, np.int64), np.zeros(rows, np.int64)))


class StandsOnClassifier(Whole):
    """State to be taken out and put in; labels of training rows are not part of it."""

    estimator_: Classifier
    estimator: Classifier
    record_bound: bool
    objective_: list[float]
    bound_: list[float]
    converged_: bool
    n_iter_: int
    _more: ClassVar[tuple[str, ...]] = ()
    """Numbers, or dicts of them, that there may be on top."""
    _repr_html_, _repr_mimebundle_ = card_of_estimator, bundle_of_estimator

    def _card_parts(self) -> Iterator[str]:
        """Yield how EM ended, and what a notebook shows of the classifier."""
        yield figures({"steps": self.n_iter_, "converged": self.converged_})
        yield from self.estimator_._card_parts()

    def sample(
        self, n: int | None = None, label: Label | None = None, *, parameters: Parameters = "estimate", rng: Rng = None
    ) -> tuple[Any, LabelArray]:
        """Draw rows, and their classes or clusters, as the estimator's own ``sample`` does.

        Parameters
        ----------
        n : int, default=None
            How many rows; one if not given.
        label : label, default=None
            The class or cluster of all rows; if not given, they are drawn by their shares.
        parameters : {"estimate", "each", "once"}, default="estimate"
            Plugged in, or drawn from the posterior for each row, or once for all.
        rng : int, Generator or None, default=None
            Seed of the draws.

        Returns
        -------
        X, labels : rows as `fit` takes them, and ndarray of shape (n,)
            Drawn rows, and the class or cluster of each.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.sample(n, label, parameters=parameters, rng=rng)

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags

    def _get_state(self) -> State:
        """Return what a file keeps beside the parameters."""
        check_is_fitted(self, "estimator_")
        names = ("objective_", "converged_", *self._more)
        steps = {name: vars(self)[name] for name in names if name in vars(self)}
        return {"schema": {}, "statistics": {"estimator": self.estimator_}, "views": steps}

    def _set_state(self, state: State) -> None:
        """Take a state, which may come from anywhere; raise if it is none of this class."""
        steps, model = state["views"], state["statistics"].get("estimator")
        if not isinstance(model, Classifier) or not hasattr(model, "classes_") or state["schema"]:
            raise DataError(f"The file must hold a fitted classifier; got {type(model).__name__}.")
        if not {"objective_", "converged_"} <= set(steps) <= {"objective_", "converged_", *self._more}:
            raise DataError(f"The history of EM must have the known fields; got {sorted(steps)}.")
        objective = steps["objective_"]
        if type(steps["converged_"]) is not bool or type(objective) is not list or not objective:
            raise DataError("The history of EM must be a list of numbers, and whether it converged.")
        numbers = [*objective, *(x for name in self._more if name in steps for x in _numbers(steps[name]))]
        if not all(type(x) in (int, float) for x in numbers):
            raise DataError("The history of EM must hold numbers.")
        must_share(model, model._model)
        vars(self).update(steps)
        self.estimator_, self.n_iter_ = model, len(objective)
        self._restored()
        check_bounds(self, vars(self))

    def _keep(self, objective: list[float], bound: list[float], converged: bool) -> None:
        """Keep how the steps went, with the bound if it was to be recorded; else with none of an earlier fit."""
        self.objective_, self.n_iter_, self.converged_ = objective, len(objective), converged
        self.__dict__.pop("bound_", None)
        if self.record_bound:
            self.bound_ = bound

    def _restored(self) -> None:
        """Make what follows from the classifier."""

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
