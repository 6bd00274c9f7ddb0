"""Merge models, count rows batch by batch, and fit classifiers to counts, as engines do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import TypeAlias, TypeVar

from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, KindError
from suffice.estimators.shell.atomic import changing, know_nothing, snapshot
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.joint_sets import CountSets
from suffice.estimators.shell.journals import book_of
from suffice.estimators.shell.table_answers import TableAnswers
from suffice.models.choosing.chooser import NOTHING_SETTLED
from suffice.models.views import Views
from suffice.readers.labels import Examples, Given, check_kinds_of_labels
from suffice.readers.table import TableReader
from suffice.stats.content import RowHashes
from suffice.typing import JournalKey, LabelsLike

C = TypeVar("C", bound=Classifier)


def merge(models: Iterable[C] | Mapping[str, C]) -> C:
    """Return one model that has learned the rows of all models, which are not changed.

    Parameters
    ----------
    models : iterable of fitted classifiers
        Classifiers of one class, with the same parameters, or a dict of them. Classes, categories and words are matched
        by name.

    Returns
    -------
    model : classifier
        A new classifier. It has the views of the model with the most rows that has any, which are stale until
        ``refresh``.

    Examples
    --------
    >>> import suffice as sf
    >>> monday = sf.TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"])
    >>> tuesday = sf.TextClassifier().fit(["party tonight"], ["fun"])
    >>> sf.merge([monday, tuesday]).classes_
    array(['fun', 'ham', 'spam'], dtype='<U4')
    """
    given: object = models
    every: list[C] = (
        list(models.values() if isinstance(models, Mapping) else models) if isinstance(given, Iterable) else []
    )
    for model in every if isinstance(given, Iterable) else [given]:
        if not isinstance(given, Iterable) or not isinstance(model, Classifier):
            raise KindError("merge.models", "be a list of fitted classifiers", got_a=model)
        check_is_fitted(model)
    every = [snapshot(model) for model in every]
    if not every:
        raise InputError("merge.models", "hold at least one model").but("got none")
    return copy(every[0])._merge_all(every[1:]) if len(every) > 1 else copy(every[0])


BELIEFS = {
    *("alpha", "force_alpha", "fit_prior", "class_prior", "priors", "prior", "estimate", "var_smoothing"),
    *("norm", "unseen", "temper", "length_exponent", "feature_powers", "ridge", "min_df", "max_features"),
    *("vocabulary", "memory_limit", "tol", "verbose"),
}
"""Parameters that do not affect counts; models of parts have their defaults."""

LabelledRows: TypeAlias = tuple[Given, LabelsLike]
"""Rows and their labels."""


class Counter:
    """Count the rows of a classifier batch by batch; any batch may add classes.

    A batch that raises an error leaves the counts as they were. The first batch with a value of a table column chooses
    its model, unless it is declared.
    """

    def __init__(self, estimator: Classifier, journal: JournalKey = None) -> None:
        self.rows = 0
        self._model = unfitted(estimator)
        self._key = journal

    def add(self, X: Given, y: LabelsLike) -> Examples:
        """Count one more batch of rows and labels; return it in the form of the reader."""
        model, first = self._model, not self.rows
        before = None if first else model._journal
        examples: Examples = model._read(X, y, None, first)
        book = book_of(before, examples, self._key, first)
        self._count(examples)
        model._enter(book, examples, before)
        self.rows += len(examples)
        return examples

    def hashes(self, source: Given) -> RowHashes:
        """Return a hash of the content of each row of a counted batch."""
        found: RowHashes = self._model._reader.hashes(source)
        return found

    def _count(self, examples: Examples) -> None:
        model = self._model
        if self.rows:
            check_kinds_of_labels(model.classes_, examples.classes)
        batch = model._count(examples)
        model._put(model._model + batch if self.rows else batch, Views(), stale=False)

    def result(self) -> Classifier | None:
        """Return a classifier fitted to all rows so far, without views; None if there were none."""
        return self._model if self.rows else None


def counter_of(estimator: Classifier, journal: JournalKey = None) -> Counter:
    """Return a counter of rows for this classifier."""
    counter: Counter = getattr(type(estimator), "_counter", Counter)(estimator, journal)
    return counter


def unfitted(estimator: C) -> C:
    """Return an unfitted classifier with the same parameters."""
    return type(estimator)(**estimator.get_params(deep=False))


def counts_alone(estimator: C) -> C:
    """Return an unfitted classifier that counts like this one, with default priors and no views."""
    plain = type(estimator)().get_params(deep=False)
    uncut: dict[str, object] = getattr(estimator, "_uncut", dict)()
    plain = uncut | {name: plain[name] for name in BELIEFS & set(plain)}
    if {"prior", "estimate"} <= set(plain):
        plain["estimate"] = "mle"  # needs no prior
    counting: C = unfitted(estimator).set_params(**plain)
    return counting


def reading_like(estimator: Classifier, counted: Classifier) -> None:
    """Make an unfitted classifier read rows like one that has counted them."""
    theirs = set(counted.get_params(deep=False)) | {"_predictor", "_stale", "_journal"}
    estimator.__dict__.update({name: value for name, value in vars(counted).items() if name not in theirs})
    if isinstance(estimator, TableAnswers):
        estimator._reader = estimator._as_told(estimator._reader)


def settled(
    estimator: Classifier,
    counted: Classifier,
    rows: int,
    sample: LabelledRows | None,
    look: Callable[[Classifier], None] | None,
    sets: tuple[LabelledRows, CountSets] | None = None,
    **known: str | None,
) -> None:
    """Fit a classifier to the counts of `rows` rows, of which a sample chooses the views.

    `look` is called with the model before choices are made. `sets` holds the rows that choose joint columns, and the
    function that counts these in all rows. `known` holds more attributes, such as the name of the target.
    """
    with changing(estimator) as model:
        know_nothing(model)
        model._set_state(counted._get_state())
        model.__dict__.update(known)
        if isinstance(model._reader, TableReader):  # later tables may have this column, which predictions ignore
            model._reader = replace(model._reader, target=known.get("target_"))
        model._settle(rows)
        labelled = sample or (sets[0] if sets is not None else None)
        if labelled is not None and isinstance(model._reader, TableReader):  # not by the first batch
            examples = model._read(*labelled, None, False).among(model.classes_)
            model._put(model._rechosen(examples, sample=True), Views(), stale=False)
        if look is not None:
            look(model)
        found = NOTHING_SETTLED
        joined = getattr(model, "_joined", None)  # of tables
        if sets is not None and joined is not None:
            few, count = sets
            choosing = model._read(*few, None, False).among(model.classes_)
            predictor, found = joined(model._predictor, choosing, None, count)
            model._put(predictor.model, Views(), stale=False)
        if sample is not None:
            model._choose(model._read(*sample, None, False).among(model.classes_), None, found)
