"""The shell of all classifiers: a reader, a model and views, replaced in the last step, so that errors change nothing.

Learning is `+` of models, forgetting is `−`; what training rows choose is a view on top of the counts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, LabelError
from suffice.estimators.shell.answering import Answers
from suffice.estimators.shell.atomic import change, know_nothing, query, snapshot
from suffice.estimators.shell.folds import judged_apart
from suffice.estimators.shell.journals import (
    Book,
    all_learned,
    book_of,
    checksum,
    joined,
    learned_before,
    signed,
    struck,
    without,
)
from suffice.estimators.shell.model_cards import bundle_of_estimator, card_of_estimator, parts_of_classifier
from suffice.estimators.shell.parameter_domains import check_sizes
from suffice.estimators.shell.parameters import agree, fit_context, wanted_of
from suffice.models.answers.evidence import Evidence, coefficient_of, evidence
from suffice.models.answers.intervals import bounds, drawn_by
from suffice.models.answers.parts import known
from suffice.models.answers.posteriors import Posteriors
from suffice.models.choices import Choice, Choices
from suffice.models.choosing.chooser import NOTHING_SETTLED, Settled, Wanted, choose
from suffice.models.choosing.judge import Judged, Sample, judge
from suffice.models.drawn_rows import alone, log_density
from suffice.models.likelihoods.complement import NO_DENSITY
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.removal import group_codes
from suffice.models.views import Views
from suffice.posterior import Dirichlet
from suffice.readers.labels import Examples, Given
from suffice.stats.journal import Journal
from suffice.telling import untold
from suffice.typing import Array, Booleans, DataLike, GroupsLike, JournalKey, LabelArray, LabelsLike, Rng, WeightsLike


def _gives_a_probability(model: Classifier) -> bool:
    """Return True if rows have a probability; raise AttributeError with the reason if they have none."""
    if model._gives_rows_a_probability:
        return True
    raise AttributeError(f"{type(model).__name__} gives rows no probability: {NO_DENSITY}.")


class Classifier(Answers, ClassifierMixin, BaseEstimator):
    """A scikit-learn classifier: learns and forgets, and chooses views by predicting its own rows, each left out.

    Public subclasses define how rows are read, and their likelihood.
    """

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
        return wanted_of(self)

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
        super()._validate_params()
        check_sizes(type(self).__name__, self.get_params(deep=False))

    def _choose(self, examples: Examples, groups: GroupsLike, settled: Settled | None = None) -> None:
        """Choose the views by training rows, given what is `settled` already."""
        model, views = self._chosen(self._predictor, examples, groups, settled)
        if views or model is not self._model:
            self._put(model, views, stale=False)

    def _chosen(
        self, predictor: Predictor, examples: Examples, groups: GroupsLike, settled: Settled | None
    ) -> tuple[Model, Views]:
        """Return the model and the views that training rows choose."""
        wanted, settled = self._wanted(len(examples)), settled or NOTHING_SETTLED
        views, made = Views(), (*self._earlier_choices, *settled.choices)
        if wanted is not None and wanted.of_rows(len(examples)) and not isinstance(examples.source, Iterator):
            group = None if groups is None else group_codes(groups, len(examples))
            reader = self._reader.of(predictor.model)
            few, order, group = examples.picked(reader, wanted.sample_size, group)
            sample = Sample(reader.rows(few.source), few.labels).take(order)
            tempered = replace(predictor, temper=self._temper(Views()))
            with untold("The spread of"):  # of rows without a part of them
                views = choose(tempered, sample.rows, sample.labels, group, wanted.with_settled(settled))
            views = replace(views, floor=settled.floor or views.floor)
        return predictor.model, replace(views, choices=(*made, *(views.choices or ())) or None)

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

    def _rechosen(self, examples: Examples, sample: bool = False) -> Model:
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
        return Posteriors(self._model, self._reader.features(self._model), self._kind_of_rows == "table")

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
        if not isinstance(X, Iterator) and self._reader.size(examples.source) != len(examples):
            raise LabelError("y", f"hold one label per text, {self._reader.size(X):,}").but(f"got {len(examples):,}")
        strangers = np.setdiff1d(examples.classes, self.classes_)
        if len(strangers):
            raise LabelError("y", "hold labels that were learned", got=strangers.tolist()[0])
        return examples.among(self.classes_)

    def _judge(self, examples: Examples, groups: GroupsLike = None) -> Judged:
        """Return the scores of each row by the model without it or its group."""
        self._refuse_parts("leave out")
        group = None if groups is None else group_codes(groups, len(examples))
        return judge(self._predictor, self._reader.rows(examples.source), examples.labels, group)

    def _known(self, X: DataLike, least: int) -> Booleans:
        """Return which rows hold a value that was learned from at least this many rows."""
        return self._answer(lambda predictor, rows: known(predictor.model, rows, least), X)

    _gives_rows_a_probability: ClassVar[bool] = True

    @available_if(_gives_a_probability)
    def score_samples(self, X: DataLike) -> Array:
        """Return ln p(x) of each row, summed over the classes.

        It uses the likelihoods of single columns, words or vectors, without temper, powers, residuals and joint
        columns. For a text it is that of the known words in their order; missing values are left out.

        Compare only rows with the same values present, or texts of the same number of known words. Every word of a text
        lowers ln p(x), and unknown words and missing values do not: a long text of usual words is below a short
        one, and a text of unknown words has the highest value of all. So this is no score for novel texts.

        Parameters
        ----------
        X : as for predict
            Rows.

        Returns
        -------
        logs : ndarray of shape (n_rows,)
            Log-densities of numbers, log-probabilities of other values.

        Examples
        --------
        >>> import suffice as sf
        >>> model = sf.GaussianNB().fit([[1.0], [2.0], [11.0], [12.0]], ["low", "low", "high", "high"])
        >>> model.score_samples([[1.5], [6.5]]).round(2)
        array([ -0.92, -50.23])
        """
        check_is_fitted(self)
        plain = alone(self._predictor)
        return self._answer(lambda _, rows: log_density(plain, rows), X)

    @abstractmethod
    def _count(self, examples: Examples) -> Model:
        """Return the model that counts rows and labels."""

    @fit_context
    def fit(
        self,
        X: DataLike,
        y: LabelsLike,
        sample_weight: WeightsLike = None,
        *,
        groups: GroupsLike = None,
        journal: JournalKey = None,
    ) -> Self:
        """Fit the classifier to rows; forget what it learned before.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or texts
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row; 1 if not given.
        groups : array-like of shape (n_samples,), default=None
            Groups of dependent rows, such as those of one person. Choices on left-out rows leave out whole groups.
        journal : bool, str or bytes, default=None
            Whether to keep a journal of rows, so that `forget` refuses rows that were not learned. A key of your own
            hides the journal from people who can guess rows; it is not stored, and is needed again later.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        return self._fit(self._read(X, y, sample_weight, True), groups, journal)

    def _fit(self, examples: Examples, groups: GroupsLike, journal: JournalKey) -> Self:
        self.__dict__.pop("_predictor", None)  # earlier rows must not influence the fit
        book = book_of(None, examples, journal, first=True)
        examples = self._watched(examples, book, groups)
        self._put(self._count(examples), Views(), stale=False)
        self._enter(book, examples, None)
        self._settle(len(examples))
        self._choose(examples, groups)
        return self

    @fit_context
    def partial_fit(
        self,
        X: DataLike,
        y: LabelsLike,
        classes: LabelsLike | None = None,
        sample_weight: WeightsLike = None,
        *,
        journal: JournalKey = None,
    ) -> Self:
        """Learn from one more batch of rows; the counts do not depend on how rows are split into batches.

        Views are settings that were chosen on rows (such as a temper, powers, a pseudo-count or a prior that is
        "loo"). The first batch chooses them, and they stay in force. ``stale_`` is True once they are older than the
        counts; ``refresh`` with all rows chooses them again, and the model is then that of one fit, except that only
        `fit` chooses the tokens of texts.

        Parameters
        ----------
        X : as for fit
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that can appear; required at the first call, optional later.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row; 1 if not given.
        journal : bool, str or bytes, default=None
            As for `fit` in the first batch; later the key of the journal, if it has one.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        first = not self.__sklearn_is_fitted__()
        return self._learn(self._read(X, y, sample_weight, first), classes, journal, first)

    def _learn(self, examples: Examples, classes: LabelsLike | None, journal: JournalKey, first: bool) -> Self:
        self._refuse_parts("learn")
        known = self._known_classes(classes, examples, first)
        examples = examples.among(known)
        book = book_of(self._journal, examples, journal, first)
        examples = self._watched(examples, book, None)
        batch = self._count(examples)
        if first:
            self._put(replace(batch, declared=None if classes is None else known), Views(), stale=False)
            self._enter(book, examples, None)
            self._choose(examples, None)
        else:
            self._put(self._model + batch, self._predictor.views, stale=True)
            self._enter(book, examples, self._journal)
        return self

    def _known_classes(self, classes: LabelsLike | None, examples: Examples, first: bool) -> LabelArray:
        """Return all classes; raise, as scikit-learn does, if they were not declared or lack a label."""
        if first and classes is None:
            raise InputError("classes must be passed on the first call to partial_fit.")
        known = np.unique(np.asarray(classes)) if first else self.classes_
        if not first and classes is not None and not np.array_equal(known, np.sort(np.asarray(classes))):
            raise InputError(f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known!r}")
        strangers = np.setdiff1d(examples.classes, known)
        if len(strangers):
            way = "Declare them by 'classes' in the first call" + (
                "." if first else ", or fit a model to the new rows and add it: model + other."
            )
            raise LabelError(
                f"The target label(s) {strangers} in y do not exist in the initial classes {known}."
            ).advise(python=way)
        return known

    def _enter(self, book: Book | None, examples: Examples, before: Journal | None) -> None:
        """Enter the learned rows into the journal."""
        if book is not None:
            book.write(self._reader.row_bytes(examples.source))
        self._journal = None if book is None else book.journal if before is None else before + book.journal

    @change
    def forget(
        self,
        X: DataLike,
        y: LabelsLike,
        sample_weight: WeightsLike = None,
        *,
        drop_views: bool = False,
        journal: JournalKey = None,
    ) -> Any:
        """Forget rows: their counts are subtracted, so the counts are those of a model that never learned them.

        Counts of whole numbers match to the bit, sums of other numbers up to rounding. Classes, categories and words
        without a remaining row vanish, unless they were declared. A model fitted with ``journal`` raises an error for
        rows that it has not learned, or that it has already forgotten. Without a journal, an error is raised only if
        the counts lack a word, value or class of the rows: sums cannot reveal more. An error leaves the model as it
        was.

        Parameters
        ----------
        X : as for fit
            The rows.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), default=None
            The weights that the rows were learned with.
        drop_views : bool, default=False
            Whether to drop the views, such as the temper. If False, they stay in force and are stale; they carry a
            trace of the forgotten rows until `refresh`. Tokens that were chosen on texts stay in either case.
        journal : str or bytes, default=None
            The key of the journal, if it has one.

        Returns
        -------
        self or certificate : object
            The classifier; if it keeps a journal, a `Certificate` of the forgotten rows.
        """
        check_is_fitted(self)
        X = list(X) if self._journal is not None and isinstance(X, Iterator) else X
        examples = self._read(X, y, sample_weight, False)
        book = struck(self._journal, examples, self._reader.row_bytes(examples.source), journal)
        before = None if book is None else checksum(self)
        self._subtract(self._count(examples), drop_views)
        if book is None:
            return self
        if self.__sklearn_is_fitted__():
            self._journal = self._journal - book.journal if self._journal is not None else None
        return signed(book, self._journal, before, checksum(self))

    @query
    def has_learned(self, X: DataLike, y: LabelsLike, *, journal: JournalKey = None) -> Booleans:
        """Return which rows the model has learned with these labels, with any weight; it must keep a journal.

        Parameters
        ----------
        X : as for fit
            The rows.
        y : array-like of shape (n_rows,)
            Their labels.
        journal : str or bytes, default=None
            The key of the journal, if it has one.

        Returns
        -------
        learned : ndarray of bool of shape (n_rows,)
            Whether an equal row was learned and not forgotten.

        Examples
        --------
        >>> import suffice as sf
        >>> model = sf.TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"], journal=True)
        >>> model.has_learned(["cheap pills", "cheap pills", "cheap lunch"], ["spam", "ham", "ham"])
        array([ True, False, False])
        """
        check_is_fitted(self)
        X = list(X) if isinstance(X, Iterator) else X
        examples = self._read(X, y, None, False)
        return learned_before(self._journal, examples, self._reader.row_bytes(examples.source), journal)

    def _subtract(self, removed: Model, drop_views: bool = False) -> None:
        rest = self._model - removed
        if not len(rest.classes):
            know_nothing(self)
            return
        views = Views() if drop_views else self._predictor.views
        rest = rest.without_trace() if drop_views else rest
        held = {name: block.statistic for name, block in rest.blocks.items()}
        self._put(rest, views.cut(rest.classes, held), stale=not drop_views)

    def _without(self, inside: Examples, outside: Examples, groups: GroupsLike, views: bool = True) -> Self:
        """Return the model without a fold; models of columns, and `views`, are chosen again by the rows outside it."""
        rest = copy(self)
        rest._journal = None  # a temporary copy needs no certificates
        if inside.labels.given.any():
            with untold("The spread of"):  # the remaining rows are counted again
                rest._subtract(rest._count(inside), drop_views=True)
        outside = replace(outside, classes=self.classes_).among(rest.classes_) if len(rest.classes_) else outside
        rest._put(rest._rechosen(outside), Views(), stale=False)
        if views and (self._predictor.views or groups is not None):
            rest._choose(outside, groups)
        return rest

    @change
    def merge(self, other: Classifier) -> Self:
        """Add the counts of another model, as if this one had learned its rows.

        Views stay in force, and are stale until `refresh`: those of the model with more rows, or of the only one that
        has views. If not all models of texts have pairs of words, pairs are left out of the sum, with a warning.

        Parameters
        ----------
        other : classifier
            A fitted classifier of the same class, with the same parameters. Classes, categories and words are matched
            by name.

        Returns
        -------
        self : object
            The classifier.
        """
        return self._merge_all([snapshot(other)])

    def _merge_all(self, others: Sequence[Classifier]) -> Self:
        for other in others:
            self._agree(other)
        models: list[Classifier] = [self, *others]
        by_rows = sorted((one._predictor for one in models), key=lambda one: -float(one.model.n.sum()))
        journal, total = joined([one._journal for one in models]), Model.total(self._models(others))
        self._put(total, self._views_on(next((one for one in by_rows if one.views), by_rows[0]), total), stale=True)
        self._journal = journal
        return self

    @change
    def decay(self, factor: float) -> Self:
        """Multiply the weight of all rows learned so far by a factor, so that later rows count for more.

        Parameters
        ----------
        factor : float
            The factor: above 0, and at most 1.

        Returns
        -------
        self : object
            The classifier.
        """
        check_is_fitted(self)
        self._refuse_parts("decay")
        given: object = factor
        if not isinstance(given, Real) or not 0 < float(given) <= 1:
            raise InputError("factor", "be a number above 0 and at most 1", got=factor)
        self._put(self._model.scaled(float(given)), self._predictor.views, stale=True)
        self._journal = None if self._journal is None else self._journal.scaled(float(given))
        return self

    def __add__(self, other: object) -> Self:
        return copy(self).merge(other) if isinstance(other, Classifier) else NotImplemented

    def __radd__(self, other: object) -> Self:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # sum() starts at 0

    @query
    def __sub__(self, other: object) -> Self:
        if not isinstance(other, Classifier):
            return NotImplemented
        other = snapshot(other)
        self._agree(other)
        left = copy(self)
        left._journal = without(self._journal, other._journal)
        model, removed = left._models([other])
        left._predictor = replace(left._predictor, model=model, views=left._views_on(self._predictor, model))
        left._subtract(removed)
        return left

    def _views_on(self, seen: Predictor, model: Model) -> Views:
        """Return the views of `seen` in the form that fits a model made from its model."""
        return seen.views

    def _models(self, others: Sequence[Classifier]) -> list[Model]:
        """Return this model and others, with common features."""
        return [model._model for model in (self, *others)]

    def _agree(self, other: Classifier) -> None:
        """Raise unless the counts of both models can be added."""
        agree(self, other)
        self._refuse_parts("combine")

    def _refuse_parts(self, to: Literal["combine", "count", "decay", "learn", "leave out"]) -> None:
        """Raise InputError if the model cannot do this, because counts of parts of its rows do not add up."""
