"""What training rows choose, and how they are judged by models that have not seen them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, LabelError
from suffice.estimators.shell.folds import judged_with_fresh_views
from suffice.estimators.shell.predicting import Predicting
from suffice.models.choosing.chooser import Wanted, choose
from suffice.models.choosing.judge import Judged, judge
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Model, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.removal import group_codes
from suffice.models.views import Views
from suffice.readers.labels import Examples
from suffice.stats.journal import Journal
from suffice.typing import Array, Booleans

__all__ = ["Judging", "length_exponent_of"]


class Judging(Predicting):
    """A classifier with views: it judges its own rows, each left out, and chooses by that."""

    temper: Any = None
    estimate: Any = "mean"
    _stale: bool
    _journal: Journal | None = None

    def _read(self, X: Any, y: Any, sample_weight: Any, first: bool) -> Examples:
        """Return rows and labels to be learned; `first` if nothing was learned before."""
        raise NotImplementedError

    def _likelihoods(self, model: Model, views: Views) -> Mapping[Name, Likelihood]:
        """Return the likelihoods that the parameters, and what was chosen, describe."""
        raise NotImplementedError

    def _class_prior(self) -> ClassPrior:
        """Return the class prior that the parameters describe."""
        return ClassPrior()

    def _wanted(self, rows: int) -> Wanted | None:
        """Return what so many training rows are to choose; None if nothing."""
        return None

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        """Take another model, seen through views; refuse at once what its prior or its estimate cannot be."""
        model = model.with_likelihoods(self._likelihoods(model, views))
        predictor = Predictor(model, self._class_prior(), views, self._temper(views))
        _ = predictor.log_prior
        if self.estimate == "map":
            _ = [block.settled for block in model.voting.values()]
        self._predictor, self._stale = predictor, stale

    def _temper(self, views: Views) -> Temper:
        """Return the temper in force: as given, or as chosen."""
        given = given_temper(self)
        if given is not None:
            return given
        return Temper(1.0, length_exponent_of(self) or 0.0) if views.temper is None else views.temper

    def _validate_params(self) -> None:
        check_temper(self)
        super()._validate_params()

    def _in_force(self) -> Predictor:
        views = self._predictor.views
        if views.weights is not None and getattr(self, "feature_weights", None) is None:  # the parameter was changed
            views = replace(views, weights=None)
        temper = self._temper(views)
        if views is not self._predictor.views or temper != self._predictor.temper:
            self._predictor = self._predictor.with_views(views, temper)
        return self._predictor

    def _choose(self, examples: Examples, groups: Any) -> None:
        """Choose by training rows what is to be chosen by them."""
        self._choose_by(examples, groups, self._wanted(len(examples)))

    def _choose_by(self, examples: Examples, groups: Any, wanted: Wanted | None) -> None:
        if wanted is None or isinstance(examples.source, Iterator):
            return
        group = None if groups is None else group_codes(groups, len(examples))
        rows = self._reader.rows(examples.source)
        views = choose(replace(self._predictor, temper=self._temper(Views())), rows, examples.labels, group, wanted)
        self._put(self._model, views, stale=False)

    @property
    def temper_(self) -> Temper:
        """The power that likelihoods are raised to, and the exponent of length that it is divided by."""
        check_is_fitted(self)
        return self._in_force().temper

    @property
    def stale_(self) -> bool:
        """Whether what was fitted on rows is older than the counts; `refresh` makes it new."""
        check_is_fitted(self)
        return bool(self._predictor.views) and self._stale

    def refresh(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
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
    def journal_(self) -> Journal | None:
        """Hashes of the rows that were learned, and their weights; None if no journal is kept."""
        check_is_fitted(self)
        return self._journal

    def drop_journal(self) -> Self:
        """Drop the journal: the model stays as it is, but `forget` can no longer tell which rows were learned.

        Returns
        -------
        self : object
            The classifier.

        Examples
        --------
        >>> import suffice as sf
        >>> model = sf.BernoulliNB().fit([[0], [1]], ["a", "b"], journal=True)
        >>> model.journal_, model.drop_journal().journal_
        (Journal(2 different rows, weight 2), None)
        """
        check_is_fitted(self)
        self._journal = None
        return self

    def leave_one_out(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, views: str = "crossfit"
    ) -> Array:
        """Return the probabilities of each training row under the model without that row.

        The row leaves the counts exactly, in one pass. What was chosen by rows (pseudo-count, temper, evidence weights,
        a prior by leave-one-out) is a view, which has seen the row too: by default each row is judged with views that
        were chosen without it. Bins, kinds of columns, priors by evidence and vocabulary follow the counts of all rows;
        ``sf.evaluate.crossfit`` chooses these anew, too.

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
            estimate of how the model does on new rows. "fixed" keeps the views as they are: quicker, and exact only
            where nothing was chosen by rows; otherwise the model looks better than it is. Where nothing was chosen,
            both are the same.

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
        self, X: Any, y: Any, sample_weight: Any, groups: Any, views: str
    ) -> tuple[Examples, Array, Booleans]:
        """Return rows that were learned, their log-probabilities without them, and which are alone in their class."""
        if views not in ("crossfit", "fixed"):
            raise InputError(f"The argument 'views' must be 'crossfit' or 'fixed'; got {views!r}.")
        check_is_fitted(self)
        X = list(X) if isinstance(X, Iterator) else X
        examples = self._learned(X, y, sample_weight)
        if views == "fixed" or not self._predictor.views:
            judged = self._judge(examples, groups)
            return examples, judged.log_proba(), judged.alone
        return examples, *judged_with_fresh_views(self, examples, groups)

    def _learned(self, X: Any, y: Any, sample_weight: Any) -> Examples:
        """Return rows that were learned, with codes among the model's classes."""
        examples = self._read(X, y, sample_weight, False)
        strangers = np.setdiff1d(examples.classes, self.classes_)
        if len(strangers):
            raise LabelError(f"The argument 'y' must hold labels that were learned; got {strangers.tolist()[0]!r}.")
        return examples.among(self.classes_)

    def _judge(self, examples: Examples, groups: Any = None) -> Judged:
        """Hold each row, or its group, out of the model."""
        group = None if groups is None else group_codes(groups, len(examples))
        return judge(self._in_force(), self._reader.rows(examples.source), examples.labels, group)


def check_temper(estimator: Any) -> None:
    """Raise InputError if the temper is a pair, which it was while it held the exponent of length, too."""
    given = estimator.temper
    if isinstance(given, tuple | list | np.ndarray):
        name = type(estimator).__name__
        ways = f"The 'temper' parameter of {name} must be one number above 0, 'loo' or None"
        if not hasattr(estimator, "length_exponent"):
            raise InputError(f"{ways} (only documents have a 'length_exponent'); got {given!r}.")
        instead = f": use temper={given[0]!r}, length_exponent={given[1]!r}" if len(given) == 2 else ""
        raise InputError(f"{ways}, and the exponent of length is 'length_exponent'; got temper={given!r}{instead}.")


def given_temper(estimator: Any) -> Temper | None:
    """Return the temper that the parameters give; None if rows are to choose it."""
    check_temper(estimator)
    power, exponent = estimator.temper, length_exponent_of(estimator)
    if isinstance(power, str):
        return None
    power = 1.0 if power is None else power
    if not _is_finite(power) or power <= 0:
        raise InputError(
            f"The 'temper' parameter of {type(estimator).__name__} must be one number above 0, 'loo' or None; got "
            f"{power!r}."
        )
    return Temper(float(power), 0.0 if exponent is None else exponent)


def length_exponent_of(estimator: Any) -> float | None:
    """Return the exponent of a row's length that its power is divided by; None if it is chosen with the temper."""
    given = getattr(estimator, "length_exponent", None)
    if isinstance(given, str):
        return None if isinstance(estimator.temper, str) else 0.0
    if given is not None and not _is_finite(given):
        raise InputError(
            f"The 'length_exponent' parameter of {type(estimator).__name__} must be one finite number, 'loo' or None; "
            f"got {given!r}."
        )
    return 0.0 if given is None else float(given)


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and bool(np.isfinite(float(value)))
