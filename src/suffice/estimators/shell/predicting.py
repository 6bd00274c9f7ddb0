"""What every classifier answers: classes, probabilities and their bounds, reasons and decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError
from suffice.estimators.shell.renamed import refuse_old_names
from suffice.estimators.shell.whole import take_turns
from suffice.models.answers.decisions import cost_matrix, least_loss, price
from suffice.models.answers.evidence import Evidence, coefficient_of, evidence
from suffice.models.answers.explanation import Explanation, explain, place_of
from suffice.models.answers.intervals import bounds
from suffice.models.answers.parts import TopFeatures, Wording, known, speaking
from suffice.models.model import Model, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Rows
from suffice.posterior.base import generator, tails
from suffice.stats.word_counts import read_weights
from suffice.typing import Array, Booleans, Integers

__all__ = ["Predicting"]

Answer = Callable[[Predictor, Mapping[Name, Rows]], Any]


class Predicting(ClassifierMixin, BaseEstimator):
    """A classifier that has a predictor: a model seen through its views."""

    _predictor: Predictor
    _reader: Any

    def __init_subclass__(cls, **options: Any) -> None:
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
    def classes_(self) -> NDArray[Any]:
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

    def _source(self, X: Any) -> Any:
        """Return rows as the reader takes them; raise if the model cannot read them."""
        return X

    def _parts(self, X: Any) -> Iterator[Mapping[Name, Rows]]:
        """Return the rows of each block, some at a time."""
        parts: Iterator[Mapping[Name, Rows]] = self._reader.parts(self._source(X))
        return parts

    def _one(self, x: Any) -> Any:
        """Return rows with this one only, as the reader takes them."""
        raise NotImplementedError

    def _complaints(self, X: Any) -> AbstractContextManager[None]:
        """Say in the words of scikit-learn's users what is wrong with values."""
        return nullcontext()

    def _feature_names(self) -> Any:
        """Return the names of features, for answers; None where the counts have them."""
        return None

    def _evidence_names(self) -> Any:
        """Return the names of what has an evidence of its own: features, or all columns together."""
        return self._feature_names()

    def _categories(self) -> Any:
        """Return the values that codes stand for, for answers; None where there are none."""
        return None

    def _known_columns(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return rows and labels without columns that the model does not know."""
        return X, y

    def _wording(self, source: Any, read: Any) -> Wording:
        """Return what people call the parts of one row, as it was given and as the reader takes it."""
        return Wording(self._feature_names())

    _backend: str | None = None
    """What library the dataframes of answers are of; None for whichever there is."""

    def _in_force(self) -> Predictor:
        """Return the predictor, as parameters that need no learning want it."""
        return self._predictor

    def _answer(self, question: Answer, X: Any) -> Any:
        """Ask the predictor about rows, some at a time."""
        check_is_fitted(self)
        with self._complaints(X):
            return self._answer_of(question, self._parts(X))

    def _answer_of(self, question: Answer, parts: Iterator[Mapping[Name, Rows]]) -> Any:
        """Ask the predictor about rows that are read already."""
        predictor = self._in_force()
        answers = [question(predictor, rows) for rows in parts]
        if not answers:
            return question(predictor, self._reader.empty())
        return answers[0] if len(answers) == 1 else np.concatenate(answers)

    def predict(self, X: Any) -> NDArray[Any]:
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
        codes: Integers = self._answer(Predictor.best, X)
        return np.asarray(self.classes_[codes])

    def predict_joint_log_proba(self, X: Any) -> Array:
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
        joint: Array = self._answer(Predictor.joint, X)
        return joint

    def predict_log_proba(self, X: Any) -> Array:
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
        logs: Array = self._answer(Predictor.log_proba, X)
        return logs

    def predict_proba(self, X: Any) -> Array:
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
        logs: Array = self._answer(Predictor.log_proba, X)
        return np.exp(logs, out=logs)

    def predict_interval(
        self, X: Any, level: float = 0.9, method: str = "delta", n_samples: int = 1000, random_state: Any = None
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
        count: Any = n_samples
        if method not in ("delta", "sample"):
            raise InputError(f"The argument 'method' must be 'delta' or 'sample'; got {method!r}.")
        if not isinstance(count, Integral) or count < 2:
            raise InputError(f"The argument 'n_samples' must be a whole number of at least 2; got {n_samples!r}.")
        rng = None if method == "delta" else generator(random_state)
        size = 1 if rng is None else int(count)
        both = self._answer(lambda predictor, rows: np.stack(bounds(predictor, rows, level, rng, size), axis=1), X)
        return both[:, 0], both[:, 1]

    def explain(self, x: Any, target: Any = None, against: Any = None) -> Explanation:
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

    def top_features(self, class_: Any, k: int = 10) -> TopFeatures:
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
        number: Any = k
        if not isinstance(number, int | np.integer) or number < 0:
            raise InputError(f"The argument 'k' of top_features must be a whole number from 0 on; got {k!r}.")
        code = place_of(self.classes_, class_, "class_")
        return speaking(self._predictor, code, int(k), self._feature_names(), self._reader.by_block, self._categories())

    def decide(self, X: Any, costs: Any = None, abstain: Any = None, abstain_label: Any = None) -> NDArray[Any]:
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
        if cost is None:
            return np.asarray(self.classes_[codes])
        out = np.array([*self.classes_.tolist(), None], dtype=object)[codes]
        out[codes < 0] = abstain_label
        return out

    @property
    def log_evidence_(self) -> float:
        """ln p of the training rows and labels, parameters integrated out; of words in their order."""
        return self.evidence().total

    def evidence(self, X: Any = None, sample_weight: Any = None) -> Evidence:
        """Return the log evidence and its parts, by class and feature.

        It is that of the prior, however parameters are estimated for predictions. Words count in their order: the
        number of orders, n!/Πx! of each row, is the same for every prior and not among the counts; of Poisson counts
        likewise 1/Πx!.

        Parameters
        ----------
        X : as for fit, default=None
            The training rows once more, where n!/Πx! shall be part of it: to compare models of other kinds.
        sample_weight : array-like of shape (n_rows,), default=None
            Their weights, as they were learned with.

        Returns
        -------
        evidence : Evidence
            `total`, and its parts: `labels`, `by_class`, `by_feature`, `table` (classes × features), `coefficient`. If
            the class prior is a Dirichlet, `labels` integrates it out, and `belief` is True; otherwise it is the
            likelihood of the labels under the class prior as given, uniform, or learned.
        """
        check_is_fitted(self)
        coefficient = 0.0
        if X is not None:
            rows = self._reader.rows(self._source(X))
            coefficient = coefficient_of(self._model, rows, read_weights(sample_weight, len(next(iter(rows.values())))))
        return evidence(self._predictor, self._evidence_names(), self._reader.by_block, coefficient)

    def _known(self, X: Any, least: int) -> Booleans:
        """Return which rows hold something that was learned from so many rows or more."""
        found: Booleans = self._answer(lambda predictor, rows: known(predictor.model, rows, least), X)
        return found
