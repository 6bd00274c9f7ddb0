"""Choose views on held-out rows, predict training rows by models without them, and quantify uncertainty."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from suffice.errors import LabelError
from suffice.estimators.shell.atomic import change, query
from suffice.estimators.shell.folds import judged_apart
from suffice.estimators.shell.generating import Generating
from suffice.estimators.shell.journals import Book, all_learned
from suffice.estimators.shell.model_cards import bundle_of_estimator, card_of_estimator, parts_of_classifier
from suffice.estimators.shell.parameter_domains import check_sizes, check_temper
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
from suffice.telling import untold
from suffice.typing import Array, Booleans, DataLike, GroupsLike, LabelsLike, Rng, WeightsLike

__all__ = ["Judging"]


class Judging(Generating, ClassifierMixin, BaseEstimator):
    """A scikit-learn classifier with views, which it chooses by predicting its own rows, each left out."""

    _earlier_choices: tuple[Choice, ...] = ()  # made before rows were counted
    _repr_html_, _repr_mimebundle_, _card_parts = card_of_estimator, bundle_of_estimator, parts_of_classifier

    _tags: ClassVar[tuple[str, ...]] = ()
    """Tags of scikit-learn that hold, of the input or of the classifier."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        for name in self._tags:
            setattr(tags.input_tags if hasattr(tags.input_tags, name) else tags.classifier_tags, name, True)
        return tags

    @abstractmethod
    def _read(self, X: Given, y: LabelsLike, sample_weight: WeightsLike, first: bool) -> Examples:
        """Return rows and labels to learn; `first` says that nothing was learned before."""

    def _wanted(self, rows: int) -> Wanted | None:
        """Return what this number of training rows chooses; None if nothing."""
        return None

    def _watched(self, examples: Examples, book: Book | None, groups: GroupsLike) -> Examples:
        """Return rows to count; a stream is entered into the book, and a sample of it is kept, while it is read."""
        return examples

    @property
    def _chose(self) -> bool:
        """Return whether training rows chose views, or models of columns."""
        return bool(self._predictor.views)

    def _needs_all_rows(self) -> str:
        """Return the options that prevent counting in parts, for errors; "" if there are none."""
        return ""

    def _settle(self, rows: int) -> None:
        """Raise right after a fit to `rows` rows what the first prediction would raise."""

    def _validate_params(self) -> None:
        check_temper(self)
        super()._validate_params()
        check_sizes(type(self).__name__, self.get_params(deep=False))

    def _choose(self, examples: Examples, groups: GroupsLike, settled: Settled | None = None) -> None:
        """Choose the views by training rows, given what is `settled` already."""
        wanted, settled = self._wanted(len(examples)), settled or NOTHING_SETTLED
        views, made = Views(), (*self._earlier_choices, *settled.choices)
        if wanted is not None and wanted.of_rows(len(examples)) and not isinstance(examples.source, Iterator):
            group = None if groups is None else group_codes(groups, len(examples))
            few, order, group = examples.picked(self._reader, wanted.sample_size, group)
            sample = Sample(self._reader.rows(few.source), few.labels).take(order)
            predictor = replace(self._predictor, temper=self._temper(Views()))
            with untold("The spread of"):  # of rows without a part of them
                views = choose(predictor, sample.rows, sample.labels, group, wanted.with_settled(settled))
            views = replace(views, floor=settled.floor or views.floor)
        if views or made:
            self._put(self._model, replace(views, choices=(*made, *(views.choices or ())) or None), stale=False)

    def score(self, X: DataLike, y: LabelsLike, sample_weight: WeightsLike = None) -> float:
        """Return the accuracy: the share of rows, or of their weights, whose class is predicted correctly.

        Parameters
        ----------
        X : as for predict
            Rows to classify.
        y : array-like of shape (n_rows,)
            Their true labels.
        sample_weight : array-like of shape (n_rows,), default=None
            The weight of each row; 1 if not given.

        Returns
        -------
        accuracy : float
            Between 0 and 1.
        """
        return float(super().score(X, y, sample_weight))

    @property
    def temper_(self) -> Temper:
        """The power that likelihoods are raised to, and the exponent of document length."""
        check_is_fitted(self)
        return self._predictor.temper

    @change
    def refresh(
        self, X: DataLike, y: LabelsLike, sample_weight: WeightsLike = None, *, groups: GroupsLike = None
    ) -> Self:
        """Choose the views again on all rows. The model is then that of a new fit, except for the tokens of texts.

        Means and variances are counted again, too, since subtracted values may have left rounding errors.

        Parameters
        ----------
        X, y, sample_weight, groups : as for fit
            All rows that the model holds. A journal without a key refuses others, and fewer rows give a warning.

        Returns
        -------
        self : object
            The classifier.
        """
        check_is_fitted(self)
        examples = all_learned(self._journal, self._learned(X, y, sample_weight), self._reader, self._model)
        self._put(self._rechosen(examples), Views(), stale=False)
        self._choose(examples, groups)
        return self

    def _rechosen(self, examples: Examples) -> Model:
        """Return the model with likelihoods chosen again and moments counted again, if these are all its rows."""
        return self._model

    def _known_columns(self, X: Given, y: LabelsLike) -> tuple[Given, LabelsLike]:
        """Return rows and labels, without columns that the model does not know."""
        return X, y

    @query
    def predict_interval(
        self, X: DataLike, level: float = 0.9, method: str = "delta", n_samples: int = 1000, random_state: Rng = None
    ) -> tuple[Array, Array]:
        """Return credible intervals for each class probability.

        The intervals account for the uncertainty of the parameters: if the model is right, they hold the probability
        under the true parameters with probability `level`. A class prior learned from counts has a uniform Dirichlet
        prior; a given class prior, the priors of parameters and the temper are taken as certain.

        Parameters
        ----------
        X : as for predict
            Rows to classify.
        level : float, default=0.9
            Posterior probability of each interval; the tails on both sides are equal.
        method : {"delta", "sample"}, default="delta"
            "delta" approximates log-odds by normals, in closed form and in one pass; "sample" draws all parameters.
        n_samples : int, default=1000
            Number of draws.
        random_state : int, Generator or None, default=None
            Seed or generator of the draws.

        Returns
        -------
        lower, upper : ndarrays of shape (n_rows, n_classes)
            Columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        how = level, *drawn_by(level, method, n_samples, random_state)
        both = self._answer(lambda predictor, rows: np.stack(bounds(predictor, rows, *how), axis=1), X)
        return both[:, 0], both[:, 1]

    @property
    def posterior_(self) -> Posteriors:
        """The posteriors of the parameters: ``posterior_["spam", "free"]`` is that of a class and a feature."""
        return Posteriors(self._model, self._named_features(), self._kind_of_rows == "table")

    @abstractmethod
    def _named_features(self) -> Sequence[Name]:
        """Return the names of features in the order of the counts; their positions if they have no names."""

    @property
    def class_posterior_(self) -> Dirichlet:
        """The posterior of the class probabilities, in the order of ``classes_``."""
        counts = np.asarray(self._model.n, np.float64)
        return self._predictor.prior.posterior(counts)

    @property
    def log_evidence_(self) -> float:
        """The log evidence: ln p of training rows and labels with parameters integrated out; see `evidence`."""
        return self.evidence().total

    @query
    def evidence(self, X: DataLike | None = None, sample_weight: WeightsLike = None) -> Evidence:
        """Return the log evidence and its parts, by class and feature.

        The evidence integrates parameters over the prior, whatever `estimate` is. It is that of words in their order:
        it omits the factor n!/Πx! of each row, and 1/Πx! of Poisson counts, which are the same for every prior.

        Parameters
        ----------
        X : as for fit, default=None
            The training rows, to include the omitted factors, which is needed to compare models of different kinds.
        sample_weight : array-like of shape (n_rows,), default=None
            The weights that the rows were learned with.

        Returns
        -------
        evidence : Evidence
            `total`, and its parts `labels`, `by_class`, `by_feature`, `table` (classes × features) and `coefficient`.
            `belief` says whether `labels` integrates over a Dirichlet; otherwise it is the likelihood of the labels.
        """
        check_is_fitted(self)
        rows = {} if X is None else self._reader.rows(self._source(X))
        coefficient = coefficient_of(self._model, rows, sample_weight) if rows else 0.0
        return evidence(self._predictor, self._evidence_names(), self._reader.by_block, coefficient)

    @change
    def drop_views(self) -> Self:
        """Drop the views (temper, powers, a chosen pseudo-count): only the counts and the chosen tokens are left.

        Returns
        -------
        self : object
            The classifier, with defaults in place of the views; `refresh` chooses them again.

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
        """A table of what held-out rows chose, the alternatives that were tried, and their log losses."""
        check_is_fitted(self)
        return Choices(self._predictor.views.choices or ())

    @change
    def drop_journal(self) -> Self:
        """Drop the journal: predictions stay the same, but `forget` no longer knows which rows were learned.

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

    @query
    def leave_one_out(
        self,
        X: DataLike,
        y: LabelsLike,
        sample_weight: WeightsLike = None,
        *,
        groups: GroupsLike = None,
        views: str = "crossfit",
    ) -> Array:
        """Return the class probabilities of each training row under the model without that row.

        The counts lose the row exactly. What rows choose or settle (views such as a temper, models of columns, bins and
        priors learned from labels) comes from other rows: by default, from those outside the row's fold of five. The
        tokens of texts, and a pseudo-count that maximizes the evidence, are those of all rows;
        ``sf.evaluate.crossfit`` chooses them again, too.

        Parameters
        ----------
        X : as for fit
            The training rows, or most of them; with fixed views, any of them.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), default=None
            The weights that the rows were learned with.
        groups : array-like of shape (n_rows,), default=None
            Groups of dependent rows, such as those of one author; each row is predicted without its whole group.
        views : {"crossfit", "fixed"}, default="crossfit"
            "crossfit" splits rows into five folds, and predicts each fold with all that the others choose, which
            estimates the quality on new rows. "fixed" keeps views and models of columns: faster, and too good to be
            true where rows chose them.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            Columns in the order of ``classes_``. The true class of the only row of a class gets probability 0, unless
            the class prior has pseudo-counts or is given. ``sf.evaluate.leave_one_out`` also scores them.

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
        """Return the rows, their log-probabilities by models without them, and which are alone in their class."""
        check_is_fitted(self)
        examples = self._learned(list(X) if isinstance(X, Iterator) else X, y, sample_weight)
        return examples, *judged_apart(self, examples, groups, views)

    def _learned(self, X: Given, y: LabelsLike, sample_weight: WeightsLike) -> Examples:
        """Return training rows, with labels coded by the model's classes; raise for an unknown label."""
        examples = self._read(X, y, sample_weight, False)
        strangers = np.setdiff1d(examples.classes, self.classes_)
        if len(strangers):
            raise LabelError(f"The argument 'y' must hold labels that were learned; got {strangers.tolist()[0]!r}.")
        return examples.among(self.classes_)

    def _judge(self, examples: Examples, groups: GroupsLike = None) -> Judged:
        """Return the scores of each row by the model without it or its group."""
        group = None if groups is None else group_codes(groups, len(examples))
        return judge(self._predictor, self._reader.rows(examples.source), examples.labels, group)

    def _known(self, X: DataLike, least: int) -> Booleans:
        """Return which rows hold a value that was learned from at least this many rows."""
        return self._answer(lambda predictor, rows: known(predictor.model, rows, least), X)
