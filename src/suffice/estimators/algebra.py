"""What statistics make possible for every classifier: merge, forget, decay. All of it is + and −, class by class."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, KindError, LabelError, SubtractionError
from suffice.estimators.shell.certificate import Certificate, checksum
from suffice.estimators.journaled import Book, joined, without
from suffice.estimators.shell.whole import whole
from suffice.stats.journal import Journal
from suffice.stats.words import WordCounts
from suffice.typing import Integers

__all__ = ["Additive", "all_or_nothing", "merge", "narrowest"]

Statistics = dict[str, Any]


def verify(estimator: Any) -> None:
    """Compare what was read from a file with its checksums, if that is still to be done."""
    check = vars(estimator).get("_verify")
    if check is not None:
        check()


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Whatever goes wrong inside, the estimator is left as it was."""
    verify(estimator)
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def merge(models: Iterable[Any]) -> Any:
    """One model that has learned what all of them have; they stay as they are.

    Parameters
    ----------
    models : iterable of fitted classifiers
        Of one kind, with the same parameters. Classes, categories and words are united by name.

    Examples
    --------
    >>> import suffice as sf
    >>> monday = sf.TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"])
    >>> tuesday = sf.TextClassifier().fit(["party tonight"], ["fun"])
    >>> sf.merge([monday, tuesday]).classes_
    array(['fun', 'ham', 'spam'], dtype='<U4')
    """
    given: Any = models
    every: list[Any] = [given]  # what is no collection is no model either
    if isinstance(given, Iterable):
        every = list(given.values() if isinstance(given, Mapping) else given)
    for model in every:
        if not isinstance(given, Iterable) or not isinstance(model, Additive):
            raise KindError(
                f"The argument 'models' of merge must be a list of fitted classifiers; got a {type(model).__name__}."
            )
        check_is_fitted(model)
    every = [whole(model) for model in every]
    if not every:
        raise InputError("The argument 'models' of merge must hold at least one model; got none.")
    return copy(every[0])._merge_all(every[1:]) if len(every) > 1 else copy(every[0])


class Additive:
    """A classifier whose statistics add and subtract, its classes united by name."""

    classes_: Any
    _chosen: dict[str, Any]
    _stale: bool
    _declared: Any = None  # classes that stay, whether they have rows or not
    _cut_views: Callable[[], None]
    _drop_traces: Callable[[], None]
    _journal: Journal | None
    _struck: Callable[[Any, Any, Any, Any], Book | None]

    @abstractmethod
    def _get_statistics(self) -> Statistics:
        """What was learned, by name; each has the class axis first."""

    @abstractmethod
    def _set_statistics(self, classes: Any, statistics: Statistics) -> None:
        """Take statistics of these classes for what was learned, and make the rest anew."""

    @abstractmethod
    def _count_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Statistics]:
        """Classes and statistics of rows, counted as this model counts."""

    @abstractmethod
    def _class_rows(self) -> Any:
        """How many rows each class has now."""

    @abstractmethod
    def _rows_of_classes(self, statistics: Statistics) -> Any:
        """How many rows each class has."""

    def merge(self, other: Any) -> Self:
        """Learn what another model has learned, as if its rows had been learned here.

        Parameters
        ----------
        other : classifier
            Of the same kind, with the same parameters. Classes, categories and words are united by name.

        Returns
        -------
        self : object
            The classifier.
        """
        return self._merge_all([whole(other)])

    def _merge_all(self, others: list[Any]) -> Self:
        with all_or_nothing(self):
            for other in others:
                self._agree(other)
            models = self._alike(others)
            classes = np.unique(np.concatenate([model.classes_ for model in models]))
            parts = [_placed(model, classes) for model in models]
            given = [model._declared for model in models if model._declared is not None]
            self._declared = np.unique(np.concatenate(given)) if given else None
            by_rows = sorted(models, key=lambda model: -float(model._class_rows().sum()))
            self._chosen = next(
                (model._chosen for model in by_rows if model._chosen), {}
            )  # a stream has chosen nothing
            self._stale, self._journal = True, joined([self, *others])
            self._set_statistics(classes, {name: _sum([part[name] for part in parts]) for name in parts[0]})
        return self

    def forget(
        self, X: Any, y: Any, sample_weight: Any = None, *, drop_views: bool = False, journal: Any = None
    ) -> Any:
        """Unlearn rows that were learned: the model is then one that never saw them, to the bit where it counts.

        Classes, categories and words without a row left are gone too, unless they were declared. A model that was
        fitted with ``journal`` refuses rows that it has not learned, or that are forgotten already. Without one, only
        rows whose counts do not fit are refused (a word, a value or a class that is not there so often): sums cannot
        know more. What is refused leaves the model as it was.

        Parameters
        ----------
        X : as for fit
            The rows.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), default=None
            Their weights, as they were learned with.
        drop_views : bool, default=False
            What was fitted on rows (such as the temper) stays in force, stale, and carries a trace of the forgotten
            ones until `refresh`. True drops it.
        journal : str or bytes, default=None
            The key of the journal, if it has one.

        Returns
        -------
        self or certificate : object
            The classifier; or, if it keeps a journal, a `Certificate` of what was forgotten.
        """
        check_is_fitted(self)
        X = list(X) if self._journal is not None and isinstance(X, Iterator) else X
        with all_or_nothing(self):
            book = self._struck(X, y, sample_weight, journal)
            before = None if book is None else checksum(self)
            if book is not None and self._journal is not None:
                self._journal = self._journal - book.journal
            self._chosen, self._stale = {} if drop_views else self._chosen, not drop_views
            self._take_away(*self._count_rows(X, y, sample_weight))
            if drop_views:
                self._drop_traces()
            return self if book is None else Certificate.of(book.hashes, before, checksum(self))

    def decay(self, factor: float) -> Self:
        """Let all that was learned count for less, so that what comes next counts for more.

        Parameters
        ----------
        factor : float
            What each row's weight is multiplied by; above 0, and at most 1.

        Returns
        -------
        self : object
            The classifier.
        """
        check_is_fitted(self)
        given: Any = factor
        if not isinstance(given, Real) or not 0 < float(given) <= 1:
            raise InputError(f"The argument 'factor' must be above 0 and at most 1; got {factor!r}.")
        with all_or_nothing(self):
            lighter = {name: t.scaled(float(given)) for name, t in self._get_statistics().items()}  # SX-11
            self._stale = True
            self._journal = None if self._journal is None else self._journal.scaled(float(given))
            self._set_statistics(self.classes_, lighter)
            self._cut_views()
        return self

    def __add__(self, other: Any) -> Self:
        if not isinstance(other, Additive):
            return NotImplemented
        return copy(self).merge(other)

    def __radd__(self, other: object) -> Self:
        if isinstance(other, int) and other == 0:  # where sum() starts
            return self
        return NotImplemented

    def __sub__(self, other: Any) -> Self:
        if not isinstance(other, Additive):
            return NotImplemented
        other = whole(other)
        self._agree(other)
        left = copy(self)
        left._stale, left._journal = True, without(self, other)
        mine, its = left._alike([other])
        left._take_away(its.classes_, its._get_statistics(), mine)
        return left

    def _take_away(self, classes: Any, gone: Statistics, whole: Any = None) -> None:
        strangers = np.setdiff1d(classes, self.classes_)
        if len(strangers):
            raise SubtractionError(f"Cannot forget rows of class {strangers.tolist()[0]!r}: none was learned.")
        place = np.searchsorted(self.classes_, classes)
        mine = (self if whole is None else whole)._get_statistics()
        gone = {name: t.with_classes(place, len(self.classes_)) for name, t in gone.items()}
        left = {name: mine[name] - gone[name] for name in mine}
        before, after = self._rows_of_classes(mine), self._rows_of_classes(left)
        empty = (before > 0) & (after == 0)
        if self._declared is not None:
            empty &= ~np.isin(self.classes_, self._declared)
        if empty.all():
            self._know_nothing()
            return
        if empty.any():
            there = np.where(empty, -1, np.cumsum(~empty) - 1)
            left = {name: t.with_classes(there, int((~empty).sum())) for name, t in left.items()}
        self._set_statistics(narrowest(self.classes_[~empty]), left)
        self._cut_views()

    def _know_nothing(self) -> None:
        """As before the first fit."""
        kept = set(_parameters(self))
        for name in [name for name in vars(self) if name not in kept]:
            delattr(self, name)

    def _alike(self, others: list[Any]) -> list[Any]:
        """This model and the others, with features that can be told to be the same."""
        return [self, *others]

    def _agree(self, other: Any) -> None:
        """Raise unless both models count the same things in the same way."""
        if type(self) is not type(other):
            raise KindError(
                f"A {type(self).__name__} can only be combined with another one; got {type(other).__name__}."
            )
        for model in (self, other):
            check_is_fitted(model)
            verify(model)
        theirs = _parameters(other)
        for name, value in _parameters(self).items():
            if not _same(value, theirs[name]):
                raise InputError(
                    f"Models that are combined must have the same parameters; {name!r} is {value!r} in one and "
                    f"{theirs[name]!r} in the other."
                )
        if not _comparable(self.classes_, other.classes_):
            raise LabelError(
                f"Models that are combined must have labels of one kind; got {self.classes_[0]!r} and "
                f"{other.classes_[0]!r}."
            )


def narrowest(labels: Any) -> Any:
    """The same labels, in an array no wider than the longest of them: a width would tell of one that is gone."""
    if labels.dtype.kind not in "US" or not len(labels):
        return labels
    return labels.astype(f"{labels.dtype.kind}{max(1, int(np.char.str_len(labels).max()))}", copy=False)


def _placed(model: Any, classes: Any) -> Statistics:
    place: Integers = np.searchsorted(classes, model.classes_)
    if (np.diff(place) == 0).any():
        raise LabelError(
            "Models that are combined must have labels that stay different as numbers of one type; got "
            f"{model.classes_.dtype} labels that {classes.dtype} cannot tell apart."
        )
    return {name: t.with_classes(place, len(classes)) for name, t in model._get_statistics().items()}


def _sum(parts: list[Any]) -> Any:
    return WordCounts.total(parts) if isinstance(parts[0], WordCounts) else sum(parts[1:], parts[0])


def _parameters(model: Any) -> dict[str, Any]:
    parameters: dict[str, Any] = model.get_params(deep=False)
    return parameters


def _comparable(a: Any, b: Any) -> bool:
    words = ("U", "S", "O", "T")
    return (a.dtype.kind in words) == (b.dtype.kind in words)


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray | list | tuple) or isinstance(b, np.ndarray | list | tuple):
        return type(a) is type(b) and np.array_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object))
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in (a, b)):
        return bool(a == b)  # 1 and 1.0, of Python or of numpy
    return type(a) is type(b) and bool(a == b)
