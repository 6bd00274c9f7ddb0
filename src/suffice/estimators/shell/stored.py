"""The state of a fitted classifier in a file, besides its parameters.

    classes      the labels
    schema       the form of rows: features and their names, categories, tokenizer
    statistics   the counts, and the journal of rows if one is kept
    views        what rows chose, and whether it is stale

`suffice.store` writes and reads states. A file may be forged, so every part of a state is checked here.
"""

from __future__ import annotations

import os
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.errors import DataError
from suffice.models.empirical.covariances import Spread
from suffice.models.scoring.cells import Temper
from suffice.models.views import FeatureWeights, Residual, Views, Weights, WordResiduals
from suffice.stats.inputs import MANY
from suffice.stats.journal import Journal

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

State = dict[str, Any]

OF_FILES = ("target_", "text_column_")
"""Attributes of a model fitted to files: the columns of labels and of texts."""

OPTIONAL = ("feature_names_in_", "joint_", *OF_FILES)
"""Keys that a schema may lack."""


def params_in_files(estimator: BaseEstimator) -> State:
    """Return the parameters of an estimator as a file stores them; a vectorizer becomes its options."""
    read = getattr(estimator, "_params_in_files", None)
    given: State = estimator.get_params(deep=False) if read is None else read()
    return given


def written_views(views: Views, stale: bool) -> State:
    """Return views in the form of a file."""
    return {"_chosen": {name: part for name, part in vars(views).items() if part is not None}, "_stale": stale}


def read_views(state: State, kind: type[Weights]) -> tuple[Views, bool]:
    """Return the views in a file; raise DataError if they are invalid, or have powers of another kind."""
    chosen, stale = state.get("_chosen"), state.get("_stale")
    if set(state) - {"_transform"} != {"_chosen", "_stale"} or type(stale) is not bool or not isinstance(chosen, dict):
        raise DataError("Views", "have the keys ['_chosen', '_stale']").but(f"got {list(state)}")
    alpha: object = chosen.get("alpha", 1.0)
    unknown = set(chosen) - {"alpha", "prior", "temper", "weights", "floor", "choices"}
    if unknown or not isinstance(alpha, Real) or not 0 < float(alpha) < np.inf:
        raise DataError("A pseudo-count", "be a number above 0", got=alpha)
    floor: object = chosen.get("floor", 0.0)
    if not isinstance(floor, Real) or not 0 <= float(floor) < 1:
        raise DataError("The label noise", "be a number of at least 0 and below 1", got=floor)
    _check_parts(chosen, kind)
    return Views(**chosen), stale


def _check_parts(chosen: State, kind: type[Weights]) -> None:
    prior, temper, weights = chosen.get("prior", Spread()), chosen.get("temper", Temper()), chosen.get("weights")
    if not isinstance(prior, Spread) or not 0 < prior.more < np.inf or not 0 < prior.size < np.inf:
        raise DataError("A prior of covariances", "have a positive weight and size", got=prior)
    powers = [temper.power, temper.prior] if isinstance(temper, Temper) else [np.nan]
    if not all(0 < power < np.inf for power in powers) or not np.isfinite(temper.length):
        raise DataError("A temper", "have finite powers above 0 and a finite exponent", got=temper)
    if weights is not None and (type(weights) is not kind or not _sound(weights)):
        raise DataError("Feature powers", f"be finite {kind.__name__}").but(f"got {type(weights).__name__}")


def _sound(weights: Weights) -> bool:
    """Return whether all exponents are finite and at least 0, and terms of classes are finite."""
    powers = weights.features if isinstance(weights, FeatureWeights) else [*getattr(weights, "columns", {}).values()]
    terms, array = np.array([*weights.classes.values()], np.float64), np.asarray(powers, np.float64)
    parts = getattr(weights, "residuals", None)
    residuals = [*parts.values()] if isinstance(parts, dict) else [] if parts is None else [parts]
    sound = np.isfinite(terms).all() and ((array >= 0) & np.isfinite(array)).all() and all(map(_is_sound, residuals))
    return array.ndim == 1 and weights.ridge > 0 and bool(sound)


def _is_sound(residual: Residual | WordResiduals) -> bool:
    """Return whether residuals have a finite term for each value and class."""
    if isinstance(residual, WordResiduals):
        places, size = residual.places, (len(residual.places), len(residual.labels))
        rising = bool((np.diff(places) > 0).all() and (places >= 0).all())
        return residual.terms.shape == size and rising and bool(np.isfinite(residual.terms).all())
    shape = {(len(part), len(residual.labels)) for part in residual.values}
    words = all(type(word) is str for part in residual.values for word in part.tolist())
    return shape == {residual.terms.shape} and words and bool(np.isfinite(residual.terms).all())


def check_labels(labels: object) -> None:
    """Raise DataError unless labels are sorted and distinct."""
    flat = labels if isinstance(labels, np.ndarray) and labels.ndim == 1 and len(labels) > 0 else None
    if flat is None or not bool((flat[1:] > flat[:-1]).all()) or not bool((flat == flat).all()):
        raise DataError("Classes", "be sorted and distinct labels")


def check_schema(schema: State, names: tuple[str, ...]) -> None:
    """Raise DataError unless a schema has the given keys, with valid values."""
    if set(schema) - set(names) - set(OPTIONAL) or set(names) - set(schema) - set(OPTIONAL):
        raise DataError("A schema", f"have the keys {list(names)}").but(f"got {list(schema)}")
    if any(not isinstance(schema.get(name), str | None) for name in OF_FILES):
        raise DataError("The columns of labels and of texts", "be strings or None")
    if schema["_declared"] is not None:
        check_labels(schema["_declared"])
    number, titles = schema.get("n_features_in_", 1), schema.get("feature_names_in_")
    if type(number) is not int or number < 1:
        raise DataError("The number of features", "be a whole number above 0", got=number)
    if titles is not None and not (isinstance(titles, np.ndarray) and titles.dtype == object and titles.ndim == 1):
        raise DataError("The names of features", "be a one-dimensional array of objects")
    if titles is not None and "_named" not in schema and len(titles) != number:
        raise DataError("There", f"be {number} names of features").but(f"got {len(titles)}")


def checked_journal(statistics: State) -> Journal | None:
    """Remove the journal from the statistics of a file and return it; raise DataError if it is not a Journal."""
    journal = statistics.pop("journal", None)
    if not isinstance(journal, Journal | None):
        raise DataError("The journal", "be a Journal").but(f"got {type(journal).__name__}")
    return journal


BUCKET, BUCKET_OF_CLASS = 64, 16
"""Bytes per bucket of hashed words that scoring texts needs: in total, and per class."""


def check_bounds(model: BaseEstimator, given: State) -> None:
    """Raise DataError if a parameter exceeds what the model has learned, or what fits into memory."""
    for name in ("n_components", "max_components"):
        number, most = given.get(name), getattr(model, "n_features_in_", MANY) if hasattr(model, "classes_") else MANY
        if number is not None and not isinstance(number, str) and not 1 <= number <= most:
            raise DataError(f"'{name}'", f"be from 1 to {most}").but(f"got {number}")
    if given.get("min_categories") is not None:
        _check_categories(given["min_categories"], model.n_features_in_)
    bits = getattr(given.get("tokens"), "hash_bits", None)
    if bits is not None:
        _check_buckets(bits, len(model.classes_))


def _check_categories(least: ArrayLike, features: int) -> None:
    wanted = np.asarray(least)
    if wanted.dtype.kind != "i" or wanted.shape not in ((), (features,)) or wanted.max() > MANY:
        raise DataError("'min_categories'", f"be one whole number, or {features}, of at most {MANY:,}")


def _check_buckets(bits: int, classes: int) -> None:
    needed, there = (BUCKET + BUCKET_OF_CLASS * classes) << bits, _memory()
    if needed > there:
        raise DataError("'hash_bits'", "fit into memory").but(
            f"got {bits}, which with {classes} classes needs {needed / 2**30:,.0f} GB of {there / 2**30:,.0f}"
        )


def _memory() -> int:
    """Return the memory of this machine in bytes; 64 GB if it is unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2**36
