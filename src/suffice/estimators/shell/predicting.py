"""Predict, explain and decide, without scikit-learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from suffice.errors import InputError
from suffice.estimators.shell.atomic import Atomic, must_be_fitted, query
from suffice.estimators.shell.parameter_domains import (
    ClassPriorLike,
    Tempering,
    class_prior_of,
    given_temper,
    length_exponent_of,
)
from suffice.models.answers.decisions import Costs, cost_matrix, least_loss, or_abstained, price
from suffice.models.answers.explanation import Explanation, explain, place_of
from suffice.models.answers.parts import TopFeatures, Wording, speaking
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Model, Name
from suffice.models.predictor import Predictor, RowsByName
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.results import Estimate
from suffice.models.views import Views
from suffice.readers.labels import Given, RowReader
from suffice.readers.one_block import is_one_row
from suffice.stats.journal import Journal
from suffice.typing import Array, DataLike, Label, LabelArray, Names, RowLike

__all__ = ["Predicting"]

D = TypeVar("D", bound=np.generic)
Answer: TypeAlias = Callable[[Predictor, RowsByName], NDArray[D]]


class Predicting(Atomic, ABC):
    """Base of all classifiers: answers questions by a predictor, which is a model with views; needs no scikit-learn."""

    _kind_of_rows: ClassVar[Literal["matrix", "text", "table"]] = "matrix"
    _predictor: Predictor
    _reader: RowReader
    class_prior: ClassPriorLike | None = None
    temper: Tempering | None = None
    estimate: Estimate = "mean"
    _stale: bool
    _journal: Journal | None = None

    def __sklearn_is_fitted__(self) -> bool:
        return "_predictor" in vars(self)

    @property
    def _model(self) -> Model:
        must_be_fitted(self)
        return self._predictor.model

    @property
    def classes_(self) -> LabelArray:
        """The labels, sorted."""
        return self._model.classes

    @property
    def class_count_(self) -> Array:
        """Number of rows of each class, or the sum of their weights."""
        return self._model.n

    @property
    def class_log_prior_(self) -> Array:
        """Log-probability of each class."""
        must_be_fitted(self)
        return replace(self._predictor.prior, flat=False).log(self._model.n)

    @property
    def stale_(self) -> bool:
        """Whether views (settings chosen on rows, such as the temper) are older than the counts; see `refresh`."""
        must_be_fitted(self)
        return bool(self._predictor.views) and self._stale

    @property
    def journal_(self) -> Journal | None:
        """Hashes and weights of the learned rows; None if no journal is kept."""
        must_be_fitted(self)
        return self._journal

    @abstractmethod
    def _likelihoods(self, model: Model, views: Views) -> Mapping[Name, Likelihood]:
        """Return the likelihood of each block, as parameters and views describe it."""

    _flat_prior: bool = False
    """Whether predictions ignore the class prior, as those of complements do."""

    def _class_prior(self) -> ClassPrior:
        """Return the class prior that the parameters describe."""
        return class_prior_of(self, self._flat_prior)

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        """Replace the model and its views; raise at once if the prior or the estimate is invalid for the counts."""
        model = model.with_likelihoods(self._likelihoods(model, views))
        predictor = Predictor(model, self._class_prior(), views, self._temper(views))
        _ = predictor.log_prior
        if self.estimate == "map":
            _ = [block.settled for block in model.voting.values()]
        self._predictor, self._stale = predictor, stale

    def _temper(self, views: Views) -> Temper:
        """Return the temper in force: as given, or from the views."""
        given = given_temper(self)
        if given is not None:
            return given
        return Temper(1.0, length_exponent_of(self) or 0.0) if views.temper is None else views.temper

    def _source(self, X: Given) -> Any:
        """Return rows in the form of the reader; raise if the model cannot read them."""
        return X

    @abstractmethod
    def _one(self, x: RowLike) -> Any:
        """Return rows that hold only this one, in the form of `predict`."""

    def _complaints(self, X: Given) -> AbstractContextManager[None]:
        """Return a context that replaces errors about values by those of scikit-learn."""
        return nullcontext()

    def _feature_names(self) -> Names | None:
        """Return the names of features; None if the counts hold them, or there are none."""
        return None

    def _evidence_names(self) -> Names | None:
        """Return the names of the parts of the evidence: features, or all columns together."""
        return self._feature_names()

    def _named_columns(self) -> Sequence[object]:
        """Return the names of the columns, or their places."""
        if self._kind_of_rows == "table":
            return list(self._model.blocks)
        names = self._feature_names()
        return range(getattr(self, "n_features_in_", 0)) if names is None else list(names)

    def _categories(self) -> Sequence[LabelArray] | None:
        """Return the categories of each feature; None if features have none."""
        return None

    def _wording(self, source: Given, read: Any) -> Wording:
        """Return the names and values of one row, for explanations; `read` is `source` in the form of the reader."""
        return Wording(self._feature_names())

    _backend: str | None = None
    """Library of the dataframes that are returned; None for any that is installed."""

    def _answer(self, question: Answer[D], X: Given) -> NDArray[D]:
        """Return the answers of the predictor for rows, read in parts; a dict of values or a Series may be one row."""
        must_be_fitted(self)
        if self._kind_of_rows != "text" and is_one_row(X, self._named_columns()):
            X = self._one(cast("RowLike", X))
        with self._complaints(X):
            return self._answer_of(question, self._reader.parts(self._source(X)))

    def _answer_of(self, question: Answer[D], parts: Iterator[RowsByName]) -> NDArray[D]:
        """Return the answers of the predictor for rows that were read already."""
        predictor = self._predictor
        answers = [question(predictor, rows) for rows in parts]
        return answers[0] if len(answers) == 1 else np.concatenate(answers)

    def predict(self, X: DataLike) -> LabelArray:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : as for fit
            Rows to classify.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Labels from ``classes_``.
        """
        return np.asarray(self.classes_[self._answer(Predictor.best, X)])

    @query
    def predict_joint_log_proba(self, X: DataLike) -> Array:
        """Return ln p(x, c) = ln p(c) + ln p(x | c) of each row and class.

        Parameters
        ----------
        X : as for fit
            Rows to score.

        Returns
        -------
        joint : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return self._answer(Predictor.joint, X)

    def predict_log_proba(self, X: DataLike) -> Array:
        """Return ln p(c | x) of each row and class.

        Parameters
        ----------
        X : as for fit
            Rows to classify.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return self._answer(Predictor.log_proba, X)

    def predict_proba(self, X: DataLike) -> Array:
        """Return p(c | x) of each row and class.

        Parameters
        ----------
        X : as for fit
            Rows to classify.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to one.
        """
        logs = self._answer(Predictor.log_proba, X)
        return np.exp(logs, out=logs)

    @query
    def explain(self, x: RowLike, target: Label | None = None, against: Label | None = None) -> Explanation:
        """Explain the log-odds of two classes for a row, as the sum of a prior and a contribution per feature.

        Parameters
        ----------
        x : one row, or one text
            A list, an array, a dict of values, a row of a dataframe, or rows as for predict that hold one row.
        target, against : label, default=None
            The two classes; by default the most probable class, and the next.

        Returns
        -------
        explanation : Explanation
            The prior and the contributions, which sum to the log-odds of `predict_log_proba`. A missing value
            contributes nothing.
        """
        must_be_fitted(self)
        source = self._one(x)
        with self._complaints(source):
            read = self._source(source)
            (rows,) = self._reader.parts(read)
            return explain(self._predictor, rows, self._wording(source, read), target, against, self._backend)

    @query
    def top_features(self, class_: Label, k: int = 10) -> TopFeatures:
        """Return the features that favour a class most, relative to the average of the other classes.

        Parameters
        ----------
        class_ : label
            The class.
        k : int, default=10
            Largest number of features.

        Returns
        -------
        features : TopFeatures
            Rows of feature, value and log-odds, the largest first: what the feature adds on average to the log-odds of
            the class, in nats, in rows of the class: θ_c·ln(θ_c/θ) for a word, a flag that is on or a category with
            probability θ_c in the class and θ in the others (averaged by their rows); for counts and numbers, the
            Kullback-Leibler divergence of their distributions. Features that speak against the class are not listed.
        """
        must_be_fitted(self)
        number: object = k
        if not isinstance(number, int | np.integer) or number < 0:
            raise InputError(f"The argument 'k' of top_features must be a whole number of at least 0; got {k!r}.")
        code = place_of(self.classes_, class_, "class_")
        return speaking(self._predictor, code, int(k), self._feature_names(), self._reader.by_block, self._categories())

    @query
    def decide(
        self, X: DataLike, costs: Costs | None = None, abstain: float | None = None, abstain_label: object = None
    ) -> LabelArray:
        """Return the class with the lowest expected cost for each row, or abstain where that costs less.

        Parameters
        ----------
        X : as for predict
            The rows.
        costs : matrix, {(true, decided): cost} or {true: {decided: cost}}, default=None
            Cost of each decision for each true class. A matrix has a row per true class and a column per decision, in
            the order of ``classes_``. Pairs that a dict lacks cost 0 if the decision is right and 1 if it is wrong.
        abstain : float, default=None
            Cost of abstaining; if not given, every row gets a class.
        abstain_label : object, default=None
            The result for rows without a decision.

        Returns
        -------
        decisions : ndarray of shape (n_samples,)
            Labels from ``classes_``; with `abstain`, an array of objects that may include `abstain_label`.
        """
        must_be_fitted(self)
        table, cost = cost_matrix(costs, self.classes_), price(abstain)
        codes = least_loss(self.predict_proba(X), table, cost)
        return np.asarray(self.classes_[codes]) if cost is None else or_abstained(codes, self.classes_, abstain_label)
