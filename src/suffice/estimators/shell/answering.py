"""Predict, explain, decide and draw rows by a model that is fitted or was read from a file, without scikit-learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from suffice.errors import InputError, LabelError
from suffice.estimators.shell.atomic import Atomic, must_be_fitted, query
from suffice.estimators.shell.parameter_domains import (
    ClassPriorLike,
    Tempering,
    class_prior_of,
    given_temper,
    length_exponent_of,
)
from suffice.later import issparse
from suffice.models.answers.decisions import Costs, cost_matrix, least_loss, or_abstained, price
from suffice.models.answers.explanation import Explanation, explain, place_of
from suffice.models.answers.parts import TopFeatures, names_of, speaking
from suffice.models.class_prior import ClassPrior
from suffice.models.drawn_rows import alone, asked, draw_rows, must_be_number
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.draws import Parameters
from suffice.models.model import Block, Model, Name
from suffice.models.predictor import Predictor, RowsByName
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.results import Estimate
from suffice.models.views import Views
from suffice.readers.labels import Given, RowReader
from suffice.readers.one_block import is_one_row
from suffice.stats.journal import Journal
from suffice.tables.frame import as_counted, by_value, frame_of, side_by_side
from suffice.typing import Array, DataLike, Integers, Label, LabelArray, Names, Rng, RowLike

D = TypeVar("D", bound=np.generic)
Answer: TypeAlias = Callable[[Predictor, RowsByName], NDArray[D]]


class Answers(Atomic, ABC):
    """Base of all classifiers, and of models read to answer: a reader, and a predictor, which is a model with views."""

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

    @property
    def _flat_prior(self) -> bool:
        """Whether predictions ignore the class prior, as those of complements do."""
        return False

    def _class_prior(self) -> ClassPrior:
        """Return the class prior that the parameters describe."""
        return class_prior_of(self, self._flat_prior)

    def _predictor_of(self, model: Model, views: Views) -> Predictor:
        """Return the predictor of a model with views, as the parameters describe it."""
        model = model.with_likelihoods(self._likelihoods(model, views))
        return Predictor(model, self._class_prior(), views, self._temper(views))

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        """Replace the model and its views; raise at once if the prior or the estimate is invalid for the counts."""
        predictor = self._predictor_of(model, views)
        _ = predictor.log_prior
        if self.estimate == "map":
            _ = [block.settled for block in predictor.model.voting.values()]
        self._reader, self._predictor, self._stale = self._reader.of(predictor.model), predictor, stale

    def _temper(self, views: Views) -> Temper:
        """Return the temper in force: as given, or from the views."""
        given = given_temper(self)
        if given is not None:
            return given
        return Temper(1.0, length_exponent_of(self) or 0.0) if views.temper is None else views.temper

    def _source(self, X: Given) -> Any:
        """Return rows in the form of the reader; raise if the model cannot read them."""
        return self._reader.source(X)

    def _complaints(self, X: Given) -> AbstractContextManager[None]:
        """Return a context that replaces errors about values by those of scikit-learn."""
        return nullcontext()

    def _evidence_names(self) -> Names | None:
        """Return the names of the parts of the evidence: features, or all columns together."""
        return self._reader.feature_names

    def _named_columns(self) -> Sequence[object]:
        """Return the names of the columns, or their places."""
        if self._kind_of_rows == "table":
            return list(self._model.blocks)
        names = self._reader.feature_names
        return range(getattr(self, "n_features_in_", 0)) if names is None else list(names)

    def _answer(self, question: Answer[D], X: Given) -> NDArray[D]:
        """Return the answers of the predictor for rows, read in parts; a dict of values or a Series may be one row."""
        must_be_fitted(self)
        if self._kind_of_rows != "text" and is_one_row(X, self._named_columns()):
            X = self._reader.one(X)
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
        source = self._reader.one(x)
        with self._complaints(source):
            read = self._source(source)
            (rows,) = self._reader.parts(read)
            return explain(
                self._predictor,
                rows,
                self._reader.wording(self._model, source, read),
                target,
                against,
                self._reader.backend,
            )

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
            raise InputError("top_features.k", "be a whole number of at least 0", got=k)
        code = place_of(self.classes_, class_, "class_")
        return speaking(
            self._predictor, code, int(k), self._reader.feature_names, self._reader.by_block, self._reader.categories
        )

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

    def sample(
        self,
        n: int | None = None,
        label: Label | Sequence[Label] | LabelArray | None = None,
        *,
        length: int | Sequence[int] | Array | None = None,
        parameters: Parameters = "estimate",
        rng: Rng = None,
    ) -> tuple[Any, LabelArray]:
        """Draw rows and their labels from the model.

        Rows are complete and come from the likelihoods of single columns, words or vectors. Temper, powers, residuals
        and joint columns are not used, since they describe differences of classes, not rows.

        Parameters
        ----------
        n : int, default=None
            Number of rows; by default one per given label, or 1.
        label : label or array-like of shape (n,), default=None
            The class of all rows, or of each row. If not given, classes are drawn from the class prior.
        length : int or array-like of shape (n,), default=None
            Number of words of each row, for rows of word counts. The model does not describe lengths; if not given,
            they are drawn from a Poisson distribution with the mean of the training rows.
        parameters : {"estimate", "each", "once"}, default="estimate"
            "estimate" draws from the distribution that predicts: with parameters plugged in, or integrated out with
            estimate="predictive". "each" draws parameters from the posterior for each row (the posterior predictive);
            "once" draws them once for all rows (a replicate of the training data).
        rng : int, Generator or None, default=None
            Seed or generator of the draws.

        Returns
        -------
        X : array, sparse matrix, dataframe, dict or list of dict
            Rows in a form that `predict` accepts: a dataframe if features have names, or else for NaiveBayes a dict of
            columns by place; for texts, a dict of word counts per document. Without names, MultinomialNB and
            DirichletMultinomialNB return a CSR matrix and other classifiers a dense array, whether `fit` had sparse or
            dense rows. Counts, flags and category codes are integers. Unknown categories and missing values are never
            drawn.
        y : ndarray of shape (n,)
            Their labels.

        Examples
        --------
        >>> import suffice as sf
        >>> model = sf.GaussianNB().fit([[1.0], [2.0], [11.0], [12.0]], ["low", "low", "high", "high"])
        >>> X, y = model.sample(3, "high", rng=0)
        >>> X.round(1).tolist(), y.tolist()
        ([[11.6], [11.4], [11.8]], ['high', 'high', 'high'])
        """
        must_be_fitted(self)
        plain = alone(self._predictor)
        codes = _codes_of(label, n, self.classes_)
        rows = (1 if n is None else n) if codes is None else len(codes)
        drawn = draw_rows(plain, codes, rows, asked(rows, parameters, length, rng))
        return self._shown(plain.model, drawn.rows()), np.asarray(self.classes_[drawn.codes])

    def _shown(self, model: Model, blocks: Mapping[Name, Any]) -> Any:
        """Return drawn rows with the names and categories of the training rows."""
        if self._kind_of_rows == "table":
            columns = {name: _column(np.ravel(part), model.blocks[name]) for name, part in blocks.items()}
            named = all(isinstance(name, str) for name in columns)
            return (
                frame_of({str(name): part for name, part in columns.items()}, self._reader.backend)
                if named
                else columns
            )
        ((name, drawn),) = blocks.items()
        if self._kind_of_rows == "text":
            words = names_of(model.blocks[name].t, drawn.shape[1])
            return [bag(words, row) for row in (drawn if issparse(drawn) else np.asarray(drawn))]
        names, categories = self._reader.feature_names, self._reader.categories
        if names is not None:
            drawn = drawn.toarray().astype(np.int64) if issparse(drawn) else drawn
        elif categories is None:
            return drawn
        parts = list(drawn.T) if categories is None else by_value(drawn, categories)
        return side_by_side(parts) if names is None else frame_of(dict(zip(map(str, names), parts, strict=True)))


def _column(values: NDArray[np.generic], block: Block) -> NDArray[np.generic]:
    """Return a column of a table: flags as True and False, whole numbers as integers."""
    flags = isinstance(block.likelihood, Bernoulli)
    return values.astype(np.bool_) if flags else as_counted(values, getattr(block.t, "values", None))


def bag(words: Any, row: Any) -> dict[str, int]:
    """Return the counts of the words that a row contains."""
    places = row.indices if issparse(row) else np.flatnonzero(row)
    times = row.data if issparse(row) else np.ones(len(places))
    return {str(words[j]): int(count) for j, count in zip(places.tolist(), times.tolist(), strict=True)}


def _codes_of(label: Any, n: int | None, classes: LabelArray) -> Integers | None:
    """Return the code of each given label; None if labels shall be drawn."""
    if label is None:
        return None
    several = not isinstance(label, str | bytes) and np.ndim(label) == 1
    labels = np.asarray(label, object).tolist() if several else [label]
    must_be_number(1 if n is None else n)
    known = {one: code for code, one in enumerate(classes.tolist())}
    strangers = [one for one in labels if not isinstance(one, Hashable) or one not in known]
    if strangers:
        raise LabelError("label", "be a label that was learned", got=strangers[0])
    codes = np.array([known[one] for one in labels], np.int64)
    if several and n is not None and n != len(codes):
        raise InputError("label", f"be one label, or one for each of {n} rows").but(f"got {len(codes)} labels")
    return codes if several else np.repeat(codes, 1 if n is None else n)
