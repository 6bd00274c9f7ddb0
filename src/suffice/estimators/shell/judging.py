"""What training rows choose, and how they are judged by models that have not seen them; and how sure answers are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from suffice.errors import LabelError
from suffice.estimators.shell.folds import judged_apart
from suffice.estimators.shell.generating import Generating
from suffice.estimators.shell.journals import Book
from suffice.estimators.shell.meanings import check_temper
from suffice.estimators.shell.model_cards import bundle_of_estimator, card_of_estimator, parts_of_classifier
from suffice.models.answers.evidence import Evidence, coefficient_of, evidence
from suffice.models.answers.intervals import bounds, drawn_by
from suffice.models.answers.parts import known
from suffice.models.answers.posteriors import Posteriors
from suffice.models.choices import Choice, Choices
from suffice.models.choosing.chooser import choose
from suffice.models.choosing.judge import Judged, Sample, judge
from suffice.models.choosing.wanted import NOTHING_SETTLED, Settled, Wanted
from suffice.models.model import Model, Name
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.removal import group_codes
from suffice.models.views import Views
from suffice.posterior import Dirichlet
from suffice.readers.labels import Examples, Given
from suffice.typing import Array, Booleans, DataLike, GroupsLike, LabelsLike, Rng, WeightsLike

__all__ = ["Judging"]


class Judging(ClassifierMixin, BaseEstimator, Generating):
    """A classifier of scikit-learn with views: it judges its own rows, each left out, and chooses by that."""

    _earlier_choices: tuple[Choice, ...] = ()  # before rows were counted
    _repr_html_, _repr_mimebundle_, _card_parts = card_of_estimator, bundle_of_estimator, parts_of_classifier

    @abstractmethod
    def _read(self, X: Given, y: LabelsLike, sample_weight: WeightsLike, first: bool) -> Examples:
        """Return rows and labels to be learned; `first` if nothing was learned before."""

    def _wanted(self, rows: int) -> Wanted | None:
        """Return what so many training rows are to choose; None if nothing."""
        return None

    def _watched(self, examples: Examples, book: Book | None, groups: GroupsLike) -> Examples:
        """Return rows to be counted; a stream is written into the book, and some of it kept, as it passes."""
        return examples

    def _needs_all_rows(self) -> str:
        """Return why rows cannot be counted in parts, for complaints; nothing if they can."""
        return ""

    def _settle(self, rows: int) -> None:
        """Refuse at once, after a fit to so many rows, what would be refused at the first question."""

    def _validate_params(self) -> None:
        check_temper(self)
        super()._validate_params()

    def _choose(self, examples: Examples, groups: GroupsLike, settled: Settled | None = None) -> None:
        """Choose by training rows what is to be chosen by them, beside what is settled; None if nothing was yet."""
        wanted, settled = self._wanted(len(examples)), settled or NOTHING_SETTLED
        views, made = Views(), (*self._earlier_choices, *settled.choices)
        if wanted is not None and wanted.of_rows(len(examples)) and not isinstance(examples.source, Iterator):
            group = None if groups is None else group_codes(groups, len(examples))
            few, order, group = examples.picked(self._reader, wanted.sample_size, group)
            sample = Sample(self._reader.rows(few.source), few.labels).take(order)
            predictor = replace(self._predictor, temper=self._temper(Views()))
            views = choose(predictor, sample.rows, sample.labels, group, wanted.with_settled(settled))
            views = replace(views, floor=settled.floor or views.floor)
        if views or made:
            self._put(self._model, replace(views, choices=(*made, *(views.choices or ())) or None), stale=False)

    @property
    def temper_(self) -> Temper:
        """The power that likelihoods are raised to, and the exponent of length that it is divided by."""
        check_is_fitted(self)
        return self._in_force().temper

    def refresh(
        self, X: DataLike, y: LabelsLike, sample_weight: WeightsLike = None, *, groups: GroupsLike = None
    ) -> Self:
        """Fit anew what is fitted on rows: afterwards the model is that of a fresh fit.

        Parameters
        ----------
        X, y, sample_weight, groups : as for fit
            All rows that the model has learned, their labels and weights, and which of them belong together.

        Returns
        -------
        self : object
            The classifier.
        """
        check_is_fitted(self)
        examples = self._learned(X, y, sample_weight)
        self._put(self._rechosen(examples), Views(), stale=False)
        self._choose(examples, groups)
        return self

    def _rechosen(self, examples: Examples) -> Model:
        """Return the model with likelihoods that these rows choose, where they were not declared."""
        return self._model

    def _known_columns(self, X: Given, y: LabelsLike) -> tuple[Given, LabelsLike]:
        """Return rows and labels without columns that the model does not know."""
        return X, y

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
        how = level, *drawn_by(level, method, n_samples, random_state)
        both = self._answer(lambda predictor, rows: np.stack(bounds(predictor, rows, *how), axis=1), X)
        return both[:, 0], both[:, 1]

    @property
    def posterior_(self) -> Posteriors:
        """What is believed of the parameters: ``posterior_["spam", "free"]`` is that of a class and a feature."""
        return Posteriors(self._model, self._named_features(), self._kind_of_rows == "table")

    @abstractmethod
    def _named_features(self) -> Sequence[Name]:
        """Return the names of features, in the order of the counts; their numbers where they have none."""

    @property
    def class_posterior_(self) -> Dirichlet:
        """What is believed of the shares of classes, in the order of ``classes_``."""
        counts = np.asarray(self._model.n, np.float64)
        return self._predictor.prior.posterior(counts)

    @property
    def log_evidence_(self) -> float:
        """ln p of the training rows and labels, parameters integrated out; of words in their order."""
        return self.evidence().total

    def evidence(self, X: DataLike | None = None, sample_weight: WeightsLike = None) -> Evidence:
        """Return the log evidence and its parts, by class and feature.

        It is that of the prior, however parameters are estimated for predictions. Words count in their order: n!/Πx! of
        each row is the same for every prior and not among the counts; of Poisson counts likewise 1/Πx!.

        Parameters
        ----------
        X : as for fit, default=None
            The training rows once more, where n!/Πx! shall be part of it: to compare models of other kinds.
        sample_weight : array-like of shape (n_rows,), default=None
            Their weights, as they were learned with.

        Returns
        -------
        evidence : Evidence
            `total`, and its parts: `labels`, `by_class`, `by_feature`, `table` (classes × features), `coefficient`.
            `belief` says whether `labels` integrates a Dirichlet out; else it is the likelihood by the class prior.
        """
        check_is_fitted(self)
        rows = {} if X is None else self._reader.rows(self._source(X))
        coefficient = coefficient_of(self._model, rows, sample_weight) if rows else 0.0
        return evidence(self._predictor, self._evidence_names(), self._reader.by_block, coefficient)

    def drop_views(self) -> Self:
        """Drop what was fitted on rows (temper, weights, a chosen pseudo-count), so that counts alone are left.

        Returns
        -------
        self : object
            The classifier, with the defaults of what was chosen; `refresh` chooses anew.

        Examples
        --------
        >>> import suffice as sf
        >>> model = sf.TextClassifier().fit(["cheap pills", "lunch at noon", "cheap watches"], ["spam", "ham", "spam"])
        >>> model.drop_views().temper_
        Temper(power=1.0, length=0.0)
        """
        check_is_fitted(self)
        self._put(self._model.without_trace(), Views(), stale=False)
        return self

    @property
    def choices_(self) -> Choices:
        """What rows outside the counts chose, beside what, and by how much: a table."""
        check_is_fitted(self)
        return Choices(self._predictor.views.choices or ())

    def drop_journal(self) -> Self:
        """Drop the journal: the model stays as it is, but `forget` can no longer tell which rows were learned.

        Examples
        --------
        >>> import suffice as sf
        >>> model = sf.BernoulliNB().fit([[0], [1]], ["a", "b"], journal=True)
        >>> model.journal_, model.drop_journal().journal_
        (Journal(2 distinct rows, total weight 2), None)
        """
        check_is_fitted(self)
        self._journal = None
        return self

    def leave_one_out(
        self,
        X: DataLike,
        y: LabelsLike,
        sample_weight: WeightsLike = None,
        *,
        groups: GroupsLike = None,
        views: str = "crossfit",
    ) -> Array:
        """Return the probabilities of each training row under the model without that row.

        The row leaves the counts exactly, in one pass. What rows chose, such as a temper, is a view, which has seen the
        row too: by default each row is judged with views chosen without it. Tokens, bins, kinds, vocabulary, priors by
        evidence are those of all rows; ``sf.evaluate.crossfit`` chooses these anew, too.

        Parameters
        ----------
        X : as for fit
            The rows that were learned, or most of them; with fixed views, any of them.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), default=None
            Their weights, as they were learned with.
        groups : array-like of shape (n_rows,), default=None
            Rows that belong together, such as those of one author: each is predicted without its whole group.
        views : {"crossfit", "fixed"}, default="crossfit"
            "crossfit" deals rows into five folds, and judges those of a fold with views chosen anew by the others: an
            estimate for new rows. "fixed" keeps the views: quicker, and exact only where rows chose nothing.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            Columns in the order of ``classes_``. A row whose class has no other row has probability 0 of it, unless the
            class prior is a belief or given. How good they are, ``sf.evaluate.leave_one_out`` says.

        Examples
        --------
        >>> import suffice as sf
        >>> X, y = [[3, 0], [2, 1], [0, 4], [1, 3]] * 5, ["tea", "tea", "rum", "rum"] * 5
        >>> model = sf.MultinomialNB(temper="loo").fit(X, y)
        >>> model.leave_one_out(X, y)[0].round(2)
        array([0.01, 0.99])
        """
        _, logs, _ = self._left_out(X, y, sample_weight, groups, views)
        return np.exp(logs, out=logs)

    def _left_out(
        self, X: DataLike, y: LabelsLike, sample_weight: WeightsLike, groups: GroupsLike, views: str
    ) -> tuple[Examples, Array, Booleans]:
        """Return rows that were learned, their log-probabilities without them, and which are alone in their class."""
        check_is_fitted(self)
        examples = self._learned(list(X) if isinstance(X, Iterator) else X, y, sample_weight)
        return examples, *judged_apart(self, examples, groups, views)

    def _learned(self, X: Given, y: LabelsLike, sample_weight: WeightsLike) -> Examples:
        """Return rows that were learned, with codes among the model's classes."""
        examples = self._read(X, y, sample_weight, False)
        strangers = np.setdiff1d(examples.classes, self.classes_)
        if len(strangers):
            raise LabelError(f"The argument 'y' must hold labels that were learned; got {strangers.tolist()[0]!r}.")
        return examples.among(self.classes_)

    def _judge(self, examples: Examples, groups: GroupsLike = None) -> Judged:
        """Hold each row, or its group, out of the model."""
        group = None if groups is None else group_codes(groups, len(examples))
        return judge(self._in_force(), self._reader.rows(examples.source), examples.labels, group)

    def _known(self, X: DataLike, least: int) -> Booleans:
        """Return which rows hold something that was learned from so many rows or more."""
        return self._answer(lambda predictor, rows: known(predictor.model, rows, least), X)
