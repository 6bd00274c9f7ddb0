"""What a file keeps of a fitted classifier beside its parameters: all that cannot be made anew from these.

    classes      the labels
    schema       what rows look like: features and their names, categories, what a token is
    statistics   what was counted, and the journal of rows if one is kept
    views        what was fitted on rows, and whether it is stale

`suffice.store` writes and reads these; what is read may be forged, so all of it is checked here.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError
from suffice.estimators.shell.bounds import check_bounds
from suffice.estimators.weights import FeatureWeights, Weights
from suffice.models.empirical.covariances import Spread
from suffice.models.temper import Temper
from suffice.stats.journal import Journal

__all__ = ["Stored"]

State = dict[str, Any]

OF_FILES = ("target_", "text_column_")
OPTIONAL = ("feature_names_in_", *OF_FILES)
"""What a schema may lack; columns of files have names, or none."""


class Stored:
    """A classifier whose state can be taken out, and put into another of its class and parameters."""

    _schema: ClassVar[tuple[str, ...]] = ("_declared", "n_features_in_", "feature_names_in_")
    _fitted: ClassVar[tuple[str, ...]] = ("_chosen", "_stale")
    _weights_kind: ClassVar[type[Weights]] = FeatureWeights
    classes_: Any

    def _get_state(self) -> State:
        check_is_fitted(self)
        owner: Any = self
        return {
            "classes": self.classes_,
            "schema": {name: vars(self)[name] for name in (*self._schema, *OF_FILES) if name in vars(self)},
            "statistics": self._remembered() | ({} if owner._journal is None else {"journal": owner._journal}),
            "views": {name: vars(self)[name] for name in self._fitted if name in vars(self)},
        }

    def _set_state(self, state: State) -> None:
        """Take a state, which may come from anywhere; raises if it is none of this class."""
        classes, schema, views = state["classes"], state["schema"], state["views"]
        _check_labels(classes)
        _check_schema(schema, self._schema)
        _check_views(views, self._fitted, self._weights_kind)
        vars(self).update(schema)
        vars(self).update(views)
        owner: Any = self
        statistics = dict(state["statistics"])
        owner._journal = statistics.pop("journal", None)
        if not isinstance(owner._journal, Journal | None):
            raise DataError(f"A journal must be one; got {type(owner._journal).__name__}.")
        self._restore(classes, statistics)
        _ = owner.temper_  # raises if it is no power
        chosen = views["_chosen"].get("weights")
        if type(chosen) is FeatureWeights and chosen.features.shape != (schema.get("n_features_in_"),):
            raise DataError("Evidence weights must be as many as features.")
        check_bounds(self)

    def _remembered(self) -> State:
        """What was counted."""
        owner: Any = self
        statistics: State = owner._get_statistics()
        return statistics

    @abstractmethod
    def _restore(self, classes: Any, statistics: State) -> None:
        """Take statistics for what was counted, if they are of these classes and of the right kind."""


def _check_labels(labels: Any) -> None:
    flat = isinstance(labels, np.ndarray) and labels.ndim == 1 and len(labels) > 0
    if not flat or not bool((labels[1:] > labels[:-1]).all()) or not bool((labels == labels).all()):
        raise DataError("Classes must be labels in order, each of them once.")


def _check_schema(schema: State, names: tuple[str, ...]) -> None:
    if set(schema) - set(names) - set(OPTIONAL) or set(names) - set(schema) - set(OPTIONAL):
        raise DataError(f"A schema must say {list(names)}; got {list(schema)}.")
    if any(not isinstance(schema.get(name), str | None) for name in OF_FILES):
        raise DataError("Columns of labels and of texts must have names, or none.")
    if schema["_declared"] is not None:
        _check_labels(schema["_declared"])
    number, titles = schema.get("n_features_in_", 1), schema.get("feature_names_in_")
    if type(number) is not int or number < 1:
        raise DataError(f"The number of features must be a whole number above 0; got {number!r}.")
    if titles is not None and not (isinstance(titles, np.ndarray) and titles.dtype == object and titles.ndim == 1):
        raise DataError("The names of features must be a list of names.")
    if titles is not None and "_named" not in schema and len(titles) != number:
        raise DataError(f"The names of features must be {number}; got {len(titles)}.")


def _check_views(views: State, names: tuple[str, ...], kind: type[Weights]) -> None:
    if set(views) != set(names) or type(views["_stale"]) is not bool or not isinstance(views["_chosen"], dict):
        raise DataError(f"Views must be {list(names)}; got {list(views)}.")
    chosen = views["_chosen"]
    alpha: Any = chosen.get("alpha", 1.0)
    temper, weights = chosen.get("temper", Temper()), chosen.get("weights")
    if (
        set(chosen) - {"alpha", "prior", "temper", "weights"}
        or not isinstance(alpha, Real)
        or not 0 < float(alpha) < np.inf
    ):
        raise DataError(f"A pseudo-count must be a number above 0; got {alpha!r}.")
    prior = chosen.get("prior", Spread())
    if not isinstance(prior, Spread) or not 0 < prior.more < np.inf or not 0 < prior.size < np.inf:
        raise DataError(f"A prior of covariances must have a positive weight and size; got {prior!r}.")
    if not isinstance(temper, Temper) or not 0 < temper.power < np.inf or not np.isfinite(temper.length):
        raise DataError(f"A temper must be a power above 0 and an exponent; got {temper!r}.")
    if weights is not None and (type(weights) is not kind or not _sound(weights)):
        raise DataError(f"Evidence weights must be finite {kind.__name__}; got {type(weights).__name__}.")


def _sound(weights: Weights) -> bool:
    """Whether all of them are numbers from 0 on, and terms of classes are finite."""
    powers = getattr(weights, "features", None)
    powers = list(getattr(weights, "columns", {}).values()) if powers is None else powers
    terms = np.array([*weights.classes.values()], np.float64)
    array = np.asarray(powers, np.float64)
    return (
        array.ndim == 1
        and weights.ridge > 0
        and bool(np.isfinite(terms).all() and ((array >= 0) & np.isfinite(array)).all())
    )
