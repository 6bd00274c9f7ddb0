"""One model of many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, KindError
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.whole import whole

__all__ = ["merge"]


def merge(models: Iterable[Any]) -> Any:
    """Return one model that has learned what all of them have; they stay as they are.

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
        if not isinstance(given, Iterable) or not isinstance(model, Classifier):
            raise KindError(
                f"The argument 'models' of merge must be a list of fitted classifiers; got a {type(model).__name__}."
            )
        check_is_fitted(model)
    every = [whole(model) for model in every]
    if not every:
        raise InputError("The argument 'models' of merge must hold at least one model; got none.")
    return copy(every[0])._merge_all(every[1:]) if len(every) > 1 else copy(every[0])
