"""The shell of all classifiers: a reader, a model and views, replaced in the last step, so that errors change nothing.

Learning is `+` of models, forgetting is `−`; what training rows choose is a view on top of the counts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, LabelError
from suffice.estimators.shell.atomic import change, know_nothing, query, snapshot
from suffice.estimators.shell.journals import Book, book_of, checksum, joined, learned_before, signed, struck, without
from suffice.estimators.shell.judging import Judging
from suffice.estimators.shell.parameters import agree, fit_context
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.views import Views
from suffice.readers.labels import Examples
from suffice.stats.journal import Journal
from suffice.telling import untold
from suffice.typing import Booleans, DataLike, GroupsLike, JournalKey, LabelArray, LabelsLike, WeightsLike

__all__ = ["Classifier"]


class Classifier(Judging):
    """A classifier that learns and forgets; public subclasses define how rows are read, and their likelihood."""

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
            raise LabelError(f"The target label(s) {strangers} in y do not exist in the initial classes {known}. {way}")
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
        self._must_add_up()
        given: object = factor
        if not isinstance(given, Real) or not 0 < float(given) <= 1:
            raise InputError(f"The argument 'factor' must be a number above 0 and at most 1; got {factor!r}.")
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
        self._must_add_up()

    def _must_add_up(self) -> None:
        """Raise InputError if the counts cannot be added to other counts."""
