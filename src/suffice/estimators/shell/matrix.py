"""Classifiers of matrix rows, which read and check arguments as scikit-learn does."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_is_fitted, check_non_negative

from suffice.errors import DataError, InputError, ShapeError
from suffice.estimators.shell.atomic import query
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.parameters import CHECKS, ReadOptions, checked_weights, validate_data
from suffice.estimators.shell.stored import (
    OF_FILES,
    State,
    check_labels,
    check_schema,
    checked_journal,
    read_views,
    written_views,
)
from suffice.later import issparse
from suffice.models.answers.derived import parameter_intervals
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Block, Model, Name
from suffice.models.views import FeatureWeights, Views
from suffice.readers.labels import Examples, Given, classes_and_codes, labelled
from suffice.readers.one_block import MatrixReader
from suffice.stats import DiagonalMoments, FullMoments
from suffice.stats.base import has_rows_of
from suffice.stats.inputs import KERNEL_TYPES, REAL, Allowed, RowMatrix
from suffice.typing import LabelArray, LabelsLike, SparseMatrix, WeightsLike

L = TypeVar("L", bound=Likelihood)


class MatrixClassifier(Classifier):
    """A classifier of the rows of an array or a sparse matrix, with a single block."""

    _reading: ClassVar[ReadOptions] = {"ensure_all_finite": False}
    """Options of scikit-learn's `validate_data`, besides whether it accepts sparse matrices."""

    def _options(self) -> ReadOptions:
        """Return the options of scikit-learn's `validate_data`."""
        return {"accept_sparse": ["csr", "csc"] if "sparse" in self._tags else False, **self._reading}

    _schema: ClassVar[tuple[str, ...]] = ("_declared", "n_features_in_", "feature_names_in_")
    """Attributes that describe rows in a file."""

    n_features_in_: int

    @abstractmethod
    def _likelihood(self, views: Views) -> Likelihood:
        """Return the likelihood that parameters and views describe."""

    _allowed: ClassVar[Allowed] = REAL
    """The values that rows may have."""

    def _make_reader(self) -> MatrixReader:
        """Return the reader that the parameters describe."""
        return MatrixReader(self._allowed, getattr(self, "binarize", None), getattr(self, "feature_names_in_", None))

    def _likelihoods(self, model: Model, views: Views) -> Mapping[Name, Likelihood]:
        return {"X": self._likelihood(views)}

    @property
    def _block(self) -> Block:
        """The only block."""
        return self._model.blocks["X"]

    def _settled_as(self, kind: type[L]) -> L:
        """Return the likelihood of the block with its prior settled, of the class's kind."""
        settled = self._block.settled
        assert isinstance(settled, kind)
        return settled

    @property
    def _statistic(self) -> Any:
        """The statistic of the block."""
        return self._block.statistic

    def _read(self, X: Given, y: LabelsLike, sample_weight: WeightsLike, first: bool) -> Examples:
        source, labels = validate_data(self, X, labelled(y), reset=first, **self._options())
        classes, codes = classes_and_codes(labels, CHECKS)
        weights = None if sample_weight is None else checked_weights(sample_weight, source)
        if first:
            self._reader = self._make_reader()
        return Examples(source, classes, codes, weights)

    def _count(self, examples: Examples) -> Model:
        if self.__sklearn_is_fitted__():
            self._refuse_parts("count")
        views = self._predictor.views if self.__sklearn_is_fitted__() else Views()
        likelihoods: dict[Name, Likelihood] = {"X": self._likelihood(views)}
        with self._complaints(examples.source):
            return Model.of(examples.classes, likelihoods, self._reader.rows(examples.source), examples.labels)

    def _rechosen(self, examples: Examples, sample: bool = False) -> Model:
        if not isinstance(self._statistic, DiagonalMoments | FullMoments):
            return self._model
        fresh = self._count(examples)  # removed values may have left rounding errors
        same = np.array_equal(fresh.classes, self.classes_) and np.allclose(fresh.n, self._model.n, rtol=1e-9)
        return replace(self._model, blocks=fresh.blocks) if same else self._model

    def _source(self, X: Given) -> Any:
        if isinstance(X, np.ndarray) and self._is_plain(X):
            return RowMatrix(X, X.shape[1:], "X")
        return validate_data(self, X, reset=False, **self._options())

    def _is_plain(self, X: Given) -> bool:
        """Return whether the kernels can read X as it is; they check the values themselves."""
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype in KERNEL_TYPES
            and X.shape[1] == self.n_features_in_
            and len(X) > 0
            and X.flags.aligned
            and X.flags.forc
            and "feature_names_in_" not in vars(self)
            and self._reader.categories is None
        )

    @contextmanager
    def _complaints(self, X: Given) -> Iterator[None]:
        try:
            yield
        except DataError:
            self._refuse_missing(X.data if _is_sparse(X) else np.asarray(X))
            if self.__sklearn_tags__().input_tags.positive_only:
                check_non_negative(X, f"{type(self).__name__} (input X)")
            raise

    def _refuse_missing(self, values: NDArray[np.generic]) -> None:
        """Raise DataError for a missing value, and scikit-learn's error for an infinite one."""
        name = type(self).__name__
        if values.dtype.kind in "fO" and _any_gap(values):
            raise DataError("Input X contains NaN.").advise(
                python=f"{name} needs a value everywhere; NaiveBayes accepts missing values."
            ) from None
        if values.dtype.kind in "biuf":
            assert_all_finite(values, estimator_name=name, input_name="X")

    @query
    def feature_interval(self, level: float = 0.9) -> Any:
        """Return credible intervals for the parameters of each class: probabilities, rates or means.

        Parameters
        ----------
        level : float, default=0.9
            Posterior probability of each interval; the tails on both sides are equal.

        Returns
        -------
        lower, upper : ndarrays of shape (n_classes, n_features)
            Bounds from the posteriors; for categorical features, lists of arrays of shape (n_classes, n_categories).
        """
        check_is_fitted(self)
        return parameter_intervals(self._block.settled, self._block.t, level)

    def _agree(self, other: Classifier) -> None:
        super()._agree(other)
        if self.n_features_in_ != other.n_features_in_:
            raise ShapeError("Models that are combined", "have the same features").but(
                f"got {self.n_features_in_} in one and {other.n_features_in_} in the other"
            )
        mine, theirs = (getattr(model, "feature_names_in_", None) for model in (self, other))
        if mine is not None and theirs is not None and not np.array_equal(mine, theirs):
            a, b = next((a, b) for a, b in zip(mine, theirs, strict=True) if a != b)
            raise InputError("Models that are combined", "have the same features in the same order").but(
                f"got {a!r} in one and {b!r} in the other"
            )

    # files ------------------------------------------------------------------------------------------------------------

    def _get_state(self) -> State:
        """Return what a file stores besides the parameters."""
        known = {**vars(self), "_declared": self._model.declared, "categories_": self._reader.categories}
        journal = {} if self._journal is None else {"journal": self._journal}
        return {
            "classes": self.classes_,
            "schema": {name: known[name] for name in (*self._schema, *OF_FILES) if name in known},
            "statistics": {"classes": self._model.rows, "features": self._statistic, **journal},
            "views": written_views(self._predictor.views, self._stale),
        }

    def _set_state(self, state: State) -> None:
        """Restore a state from a file, which may be forged; raise if it is invalid for this class."""
        classes, schema, statistics = state["classes"], dict(state["schema"]), dict(state["statistics"])
        check_labels(classes)
        check_schema(schema, self._schema)
        views, stale = read_views(state["views"], FeatureWeights)
        declared = schema.pop("_declared")
        self.__dict__.update(schema)
        self._journal, self._reader = checked_journal(statistics), self._make_reader()
        likelihood = self._likelihood(views)
        self._check_statistics(classes, statistics, likelihood)
        block = Block(likelihood, statistics["features"])
        self._put(Model(classes, statistics["classes"], {"X": block}, declared), views, stale)
        features = getattr(views.weights, "features", None)
        if features is not None and features.shape != (self.n_features_in_,):
            raise DataError("There", "be one power per feature")

    def _check_statistics(self, classes: LabelArray, statistics: State, likelihood: Likelihood) -> None:
        """Raise DataError or ShapeError unless the statistics in a file fit the classes and features."""
        shape, kinds = (len(classes), self.n_features_in_), likelihood.statistic
        kinds = kinds if isinstance(kinds, tuple) else (kinds,)
        if set(statistics) != {"classes", "features"} or type(statistics["features"]) not in kinds:
            raise DataError("Statistics", f"be class counts and {kinds[0].__name__}").but(f"got {statistics}")
        if statistics["classes"].shape != shape[:1] or statistics["features"].shape != shape:
            raise ShapeError("Statistics", f"have {shape[0]} classes and {shape[1]} features")
        if not has_rows_of(statistics["features"], shape[0]):
            raise ShapeError("Statistics", f"have a number of rows for each of {shape[0]} classes")


def _is_sparse(X: Given) -> TypeGuard[SparseMatrix]:
    return bool(issparse(X))


def _any_gap(values: NDArray[np.generic]) -> bool:
    """Return whether a value is NaN, which differs from itself, or None."""
    if bool((values != values).any()):
        return True
    return values.dtype.kind == "O" and any(value is None for value in values.flat)
