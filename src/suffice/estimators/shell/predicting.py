"""What every classifier answers: classes, probabilities and their bounds, reasons and decisions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from numbers import Integral
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError
from suffice.estimators.shell.whole import refuse_old_names, take_turns
from suffice.models.answers.decisions import Costs, cost_matrix, least_loss, or_abstained, price
from suffice.models.answers.explanation import Explanation, explain, place_of
from suffice.models.answers.intervals import bounds
from suffice.models.answers.parts import TopFeatures, Wording, known, speaking
from suffice.models.model import Model
from suffice.models.predictor import Predictor, RowsByName
from suffice.posterior.base import generator, tails
from suffice.readers.labels import Given, RowReader
from suffice.typing import Array, Booleans, DataLike, Label, LabelArray, LabelsLike, Names, Rng, RowLike

__all__ = ["Predicting"]

D = TypeVar("D", bound=np.generic)
Answer: TypeAlias = Callable[[Predictor, RowsByName], NDArray[D]]


class Predicting(ClassifierMixin, BaseEstimator, ABC):
    """A classifier that has a predictor: a model seen through its views."""

    _predictor: Predictor
    _reader: RowReader

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        refuse_old_names(cls)
        take_turns(cls)

    def __sklearn_is_fitted__(self) -> bool:
        return "_predictor" in vars(self)

    @property
    def _model(self) -> Model:
        check_is_fitted(self)
        return self._predictor.model

    @property
    def classes_(self) -> LabelArray:
        """The labels, sorted."""
        return self._model.classes

    @property
    def class_count_(self) -> Array:
        """Rows of each class, or the sum of their weights."""
        return self._model.n

    @property
    def class_log_prior_(self) -> Array:
        """Log-probability of each class."""
        check_is_fitted(self)
        return replace(self._predictor.prior, flat=False).log(self._model.n)

    def _source(self, X: Given) -> Any:
        """Return rows as the reader takes them; raise if the model cannot read them."""
        return X

    @abstractmethod
    def _one(self, x: RowLike) -> Any:
        """Return rows with this one only, as the reader takes them."""

    def _complaints(self, X: Given) -> AbstractContextManager[None]:
        """Say in the words of scikit-learn's users what is wrong with values."""
        return nullcontext()

    def _feature_names(self) -> Names | None:
        """Return the names of features, for answers; None where the counts have them."""
        return None

    def _evidence_names(self) -> Names | None:
        """Return the names of what has an evidence of its own: features, or all columns together."""
        return self._feature_names()

    def _categories(self) -> Sequence[LabelArray] | None:
        """Return the values that codes stand for, for answers; None where there are none."""
        return None

    def _known_columns(self, X: Given, y: LabelsLike) -> tuple[Given, LabelsLike]:
        """Return rows and labels without columns that the model does not know."""
        return X, y

    def _wording(self, source: Given, read: Any) -> Wording:
        """Return what people call the parts of one row, as it was given and as the reader takes it."""
        return Wording(self._feature_names())

    _backend: str | None = None
    """What library the dataframes of answers are of; None for whichever there is."""

    def _in_force(self) -> Predictor:
        """Return the predictor, as parameters that need no learning want it."""
        return self._predictor

    def _answer(self, question: Answer[D], X: Given) -> NDArray[D]:
        """Ask the predictor about rows, some at a time."""
        check_is_fitted(self)
        with self._complaints(X):
            return self._answer_of(question, self._reader.parts(self._source(X)))

    def _answer_of(self, question: Answer[D], parts: Iterator[RowsByName]) -> NDArray[D]:
        """Ask the predictor about rows that are read already."""
        predictor = self._in_force()
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
            A label from ``classes_`` for each row.
        """
        return np.asarray(self.classes_[self._answer(Predictor.best, X)])

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
            Columns in the order of ``classes_``; rows add up to one.
        """
        logs = self._answer(Predictor.log_proba, X)
        return np.exp(logs, out=logs)

    def predict_interval(
        self, X: DataLike, level: float = 0.9, method: str = "delta", n_samples: int = 1000, random_state: Rng = None
    ) -> tuple[Array, Array]:
        """Return bounds of each class probability, which hold it with probability `level`.

        What is uncertain are the parameters, as few or many rows leave them; the bounds hold the probability that the
        true parameters would give, if the model is right. A class prior that is learned is believed uniform before
        (Dirichlet of ones); one that is given is certain. So is the prior, and the temper, if there is one.

        Parameters
        ----------
        X : as for predict
            Rows to classify.
        level : float, default=0.9
            Probability that the bounds hold, the same outside on each side.
        method : {"delta", "sample"}, default="delta"
            Means and variances of log-odds, in closed form and in one pass; or draws of all parameters.
        n_samples : int, default=1000
            How many draws.
        random_state : int, Generator or None, default=None
            Seed of the draws.

        Returns
        -------
        lower, upper : ndarrays of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        tails(level)
        count: object = n_samples
        if method not in ("delta", "sample"):
            raise InputError(f"The argument 'method' must be 'delta' or 'sample'; got {method!r}.")
        if not isinstance(count, Integral) or count < 2:
            raise InputError(f"The argument 'n_samples' must be a whole number of at least 2; got {n_samples!r}.")
        rng = None if method == "delta" else generator(random_state)
        size = 1 if rng is None else int(n_samples)
        both = self._answer(lambda predictor, rows: np.stack(bounds(predictor, rows, level, rng, size), axis=1), X)
        return both[:, 0], both[:, 1]

    def explain(self, x: RowLike, target: Label | None = None, against: Label | None = None) -> Explanation:
        """Explain why a row is of one class rather than of another: the prior's log-odds, and each feature's on top.

        Parameters
        ----------
        x : one row, or one text
            As a list, an array, a dict of values, a row of a dataframe, or as for predict, with one row.
        target, against : label, default=None
            The two classes; if not given, the most probable one against the next.

        Returns
        -------
        explanation : Explanation
            Its prior and weights add up to the log-odds of `predict_log_proba`. A missing value weighs nothing.
        """
        check_is_fitted(self)
        source = self._one(x)
        with self._complaints(source):
            read = self._source(source)
            (rows,) = self._reader.parts(read)
            return explain(self._in_force(), rows, self._wording(source, read), target, against, self._backend)

    def top_features(self, class_: Label, k: int = 10) -> TopFeatures:
        """Return what speaks most for a class, against the average of the others.

        Parameters
        ----------
        class_ : label
            The class.
        k : int, default=10
            How many.

        Returns
        -------
        features : TopFeatures
            Rows of feature, value and weight, the weightiest first. The weight is the evidence for the class that the
            feature brings to a row of it on average, in nats: θ_c·ln(θ_c/θ) for a word, a flag that is on or a category
            that has probability θ_c in the class and θ in the others (averaged by their rows); for counts and numbers
            the Kullback-Leibler divergence of their distributions. What speaks against the class is not listed.
        """
        check_is_fitted(self)
        number: object = k
        if not isinstance(number, int | np.integer) or number < 0:
            raise InputError(f"The argument 'k' of top_features must be a whole number from 0 on; got {k!r}.")
        code = place_of(self.classes_, class_, "class_")
        return speaking(self._predictor, code, int(k), self._feature_names(), self._reader.by_block, self._categories())

    def decide(
        self, X: DataLike, costs: Costs | None = None, abstain: float | None = None, abstain_label: object = None
    ) -> LabelArray:
        """Return the class of least expected loss of each row; or none of them, where that is cheaper.

        Parameters
        ----------
        X : as for predict
            The rows.
        costs : matrix, {(true, decided): cost} or {true: {decided: cost}}, default=None
            What each decision costs, by the class that is true; a matrix has a row per true class and a column per
            decision, in the order of ``classes_``. What a dict leaves out costs 0 if right and 1 if wrong.
        abstain : float, default=None
            What it costs not to decide; if not given, there is always a decision.
        abstain_label : object, default=None
            What the answer is where it abstains.

        Returns
        -------
        decisions : ndarray of shape (n_samples,)
            Labels from ``classes_``; where `abstain` is given an array of objects, `abstain_label` among them.
        """
        check_is_fitted(self)
        table, cost = cost_matrix(costs, self.classes_), price(abstain)
        codes = least_loss(self.predict_proba(X), table, cost)
        return np.asarray(self.classes_[codes]) if cost is None else or_abstained(codes, self.classes_, abstain_label)

    def _known(self, X: DataLike, least: int) -> Booleans:
        """Return which rows hold something that was learned from so many rows or more."""
        return self._answer(lambda predictor, rows: known(predictor.model, rows, least), X)
