"""Naive Bayes for flags and categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError
from suffice.estimators.naive_bayes.words import alpha_in_use, checked_alpha, two_parameters
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.parameters import (
    COUNTS,
    EVIDENCE,
    NUMBER,
    SKLEARN_PRIOR,
    Alpha,
    ClassPriorLike,
    Constraints,
    Estimate,
    Interval,
    ReadOptions,
    StrOptions,
    Tempering,
    beliefs_of,
    counts_of_belief,
)
from suffice.estimators.shell.stored import State
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.codes import Codes
from suffice.models.model import Block, Model
from suffice.models.views import Views
from suffice.posterior import Beta, Dirichlet
from suffice.readers.codes import CodeReader, as_numbers, declared_categories
from suffice.readers.labels import Examples, Given
from suffice.typing import Array, Integers, Label, LabelArray, LabelsLike, WeightsLike


class BernoulliNB(MatrixClassifier):
    """Naive Bayes for binary features, whose absence counts as well.

    A drop-in for scikit-learn's class of the same name, with more ways to estimate.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), Beta, "evidence" or "loo", default=1.0
        Pseudo-counts added to the counts of 1 and of 0 of every feature; 0 disables smoothing. "evidence" chooses the
        Beta, shared by all features, that maximizes the evidence of the training rows; "loo" chooses the number that
        minimizes the leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    binarize : float or None, default=0.0
        Values above it become 1, all others 0. None if X holds zeros and ones already.
    fit_prior : bool, default=True
        Whether to learn the class prior from the data; otherwise it is uniform.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=None
        Prior over the classes. An array fixes the probabilities; a number is the pseudo-count of every class, a
        Dirichlet holds one per class, and `estimate` says how pseudo-counts and rows are combined. "counted" and
        "uniform" equal `fit_prior` True and False. If not given, `fit_prior` decides.
    estimate : {"mle", "map", "mean", "predictive"}, default="mean"
        How the probabilities of 1 are estimated; "predictive" equals "mean" here.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.

    Attributes
    ----------
    alpha_ : float, ndarray or Beta
        The pseudo-counts in use.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Number of rows of each class in which each feature is 1.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Log-probability that each feature is 1, in each class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[1, 0], [1, 1], [0, 1], [0, 1]]
    >>> sf.BernoulliNB().fit(X, [0, 0, 1, 1]).predict_proba([[1, 0]]).round(3)
    array([[0.857, 0.143]])
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **COUNTS,
        **SKLEARN_PRIOR,
        "alpha": [*COUNTS["alpha"], Beta, EVIDENCE],
        "binarize": [None, Interval(Real, 0, None, closed="left")],
    }
    _tags = ("sparse", "poor_score")

    def __init__(
        self,
        *,
        alpha: Alpha | Beta | Literal["evidence"] = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: ClassPriorLike | None = None,
        estimate: Estimate = "mean",
        temper: Tempering | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.estimate = estimate
        self.temper = temper

    alpha_ = property(alpha_in_use)

    def _likelihood(self, views: Views) -> Bernoulli:
        alpha = self.alpha if isinstance(self.alpha, Beta) else checked_alpha(self, views)
        if isinstance(alpha, Beta):
            two_parameters(self, Beta, views)  # raises unless it is one Beta, or one per feature
        return Bernoulli.of(alpha, self.estimate, "flags")

    @property
    def feature_count_(self) -> Array:
        """Number of rows of each class in which each feature is 1."""
        return np.asarray(self._statistic.ones)

    @property
    def feature_log_prob_(self) -> Array:
        """Log-probability that each feature is 1, in each class."""
        settled = self._settled_as(Bernoulli)
        return np.asarray(settled.log_theta(self._block.t)[0].values)


class CategoricalNB(MatrixClassifier):
    """Naive Bayes for categorical features: codes 0, 1, 2, …, names, or any other values.

    A drop-in for scikit-learn's class of the same name. Whole, non-negative numbers are codes, as in scikit-learn.
    Other values (text, numbers with a fraction) are categories themselves, and are never truncated to codes. At
    predict, a category that is not known has the probability of a known category without rows, instead of raising an
    error.

    Parameters
    ----------
    alpha : float, Dirichlet, list of n_features Dirichlets, "evidence" or "loo", default=1.0
        Pseudo-count added to the count of every category; 0 disables smoothing. A Dirichlet holds one per category and
        applies to every feature; a list holds a Dirichlet per feature; an unknown category has the mean of these.
        "evidence" chooses the number, shared by all features, that maximizes the evidence of the training rows; "loo"
        chooses the number that minimizes the leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    fit_prior : bool, default=True
        Whether to learn the class prior from the data; otherwise it is uniform.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=None
        Prior over the classes. An array fixes the probabilities; a number is the pseudo-count of every class, a
        Dirichlet holds one per class, and `estimate` says how pseudo-counts and rows are combined. "counted" and
        "uniform" equal `fit_prior` True and False. If not given, `fit_prior` decides.
    min_categories : int or array of shape (n_features,), default=None
        Smallest number of categories of each feature, whether or not they occur; for codes only.
    categories : "auto" or list of n_features lists, default="auto"
        The values that each feature can have, as in scikit-learn's OrdinalEncoder: all of them are categories, whether
        or not they occur, and fit raises an error for other values. With "auto", whole numbers are codes from 0, as in
        scikit-learn's CategoricalNB: the faces 1 to 6 of a die have seven categories unless
        ``categories=[range(1, 7)]`` is given.
    estimate : {"mle", "map", "mean", "predictive"}, default="mean"
        How category probabilities are estimated; "predictive" equals "mean" here.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.

    Attributes
    ----------
    alpha_ : float, Dirichlet or list of Dirichlets
        The pseudo-counts in use.
    categories_ : list of n_features ndarrays, or None
        The categories of each feature, sorted; None if they are the codes 0, 1, 2, …
    category_count_ : list of n_features ndarrays of shape (n_classes, n_categories)
        Number of rows of each class with each category.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    feature_log_prob_ : list of n_features ndarrays of shape (n_classes, n_categories)
        Log-probability of each category in each class.
    n_categories_ : ndarray of shape (n_features,)
        Number of categories of each feature.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[0, 2], [0, 1], [1, 0], [1, 0]]
    >>> model = sf.CategoricalNB().fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[0, 2], [1, 7]])
    array(['a', 'b'], dtype='<U1')
    >>> named = sf.CategoricalNB().fit([["red"], ["red"], ["blue"]], ["a", "a", "b"])
    >>> named.predict([["blue"], ["green"]])
    array(['b', 'a'], dtype='<U1')
    >>> dice = sf.CategoricalNB(categories=[range(1, 7)]).fit([[6], [6], [1]], ["loaded", "loaded", "fair"])
    >>> dice.n_categories_, dice.category_count_[0]
    (array([6]), array([[1., 0., 0., 0., 0., 0.],
           [0., 0., 0., 0., 0., 2.]]))
    >>> coin = sf.CategoricalNB(alpha=sf.Dirichlet([3, 1])).fit([[0], [1], [1]], ["a", "a", "b"])
    >>> np.exp(coin.feature_log_prob_[0]).round(3)
    array([[0.667, 0.333],
           [0.6  , 0.4  ]])
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **COUNTS,
        **SKLEARN_PRIOR,
        "alpha": [NUMBER, EVIDENCE, Dirichlet, list, tuple],
        "categories": [StrOptions({"auto"}), list, tuple],
        "min_categories": [None, "array-like", Interval(Integral, 1, None, closed="left")],
    }
    _reading: ClassVar[ReadOptions] = {"dtype": None, "ensure_all_finite": False}
    _schema = (*MatrixClassifier._schema, "categories_")
    _reader: CodeReader
    _tags = ("categorical", "positive_only", "poor_score")

    def __init__(
        self,
        *,
        alpha: float | Dirichlet | Sequence[Dirichlet] | Literal["evidence", "loo"] = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ClassPriorLike | None = None,
        min_categories: ArrayLike | None = None,
        categories: Literal["auto"] | Sequence[Iterable[Label]] = "auto",
        estimate: Estimate = "mean",
        temper: Tempering | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.categories = categories
        self.estimate = estimate
        self.temper = temper

    alpha_ = property(alpha_in_use)

    def _make_reader(self) -> Any:
        return None  # made from the first rows, which determine the categories

    def _read(self, X: Given, y: LabelsLike, sample_weight: WeightsLike, first: bool) -> Examples:
        examples = super()._read(X, y, sample_weight, first)
        self._refuse_missing(examples.source)
        source = as_numbers(examples.source)
        if first:
            reader = CodeReader.first(source, self.min_categories, self._declared_categories(source.shape[1]))
            self._reader = replace(reader, feature_names=getattr(self, "feature_names_in_", None))
        return replace(examples, source=source)

    def _declared_categories(self, features: int) -> list[LabelArray] | None:
        if isinstance(self.categories, str):
            return None
        if self.min_categories is not None:
            raise InputError(
                "CategoricalNB takes at most one of 'categories' and 'min_categories'. Got both instead; leave out one."
            )
        return declared_categories(self.categories, features)

    def _source(self, X: Given) -> Any:
        source = super()._source(X)
        if self._is_plain(X):
            return source
        self._refuse_missing(source)
        return as_numbers(source)

    def _count(self, examples: Examples) -> Model:
        given = examples.weights
        if given is not None and (given == 0).any():  # rows of weight 0 do not count, nor do their categories
            examples = examples.take(np.flatnonzero(given > 0), self._reader)
        self._make_room(self._reader.wider(examples.source))
        return super()._count(examples)

    def _make_room(self, reader: CodeReader) -> None:
        """Add the categories of a reader, with a place in the counts for each."""
        if self.__sklearn_is_fitted__():
            model = _roomy(self._model, self._reader, reader)
            self._predictor = replace(self._predictor, model=model)
        self._reader = reader

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        self._reader, left = self._reader.without_unseen(model.blocks["X"].statistic)
        for j, (belief, size) in enumerate(zip(beliefs_of(self), left.sizes.tolist(), strict=False)):
            what = f"one per category of feature {j}; declare categories that rows may lack with 'categories'"
            counts_of_belief(belief, size, what, "CategoricalNB")
        super()._put(replace(model, blocks={"X": replace(model.blocks["X"], statistic=left)}), views, stale)

    def _models(self, others: Sequence[Classifier]) -> list[Model]:
        every = [self, *(other for other in others if isinstance(other, CategoricalNB))]  # they agree: all of them
        if any((self._reader.categories is None) != (other._reader.categories is None) for other in every):
            raise InputError("Models that are combined", "have categories of one kind").but(
                "got codes in one and values in another", python="Fit all of them with the same 'categories'."
            )
        reader = CodeReader.union([model._reader for model in every])
        models = [_roomy(model._model, model._reader, reader) for model in every]
        self._reader = reader
        return models

    def _likelihood(self, views: Views) -> Codes:
        each = [counts_of_belief(belief, belief.alpha.size, "", "") for belief in beliefs_of(self)]
        if each:
            return Codes(tuple(one if isinstance(one, float) else tuple(one.tolist()) for one in each), self.estimate)
        alpha = checked_alpha(self, views)
        return Codes(alpha if isinstance(alpha, str) else float(alpha), self.estimate)

    @property
    def categories_(self) -> list[LabelArray] | None:
        """The categories of each feature, sorted; None if they are the codes 0, 1, 2, …"""
        check_is_fitted(self)
        return self._reader.categories

    @property
    def n_categories_(self) -> Integers:
        """Number of categories of each feature."""
        return np.asarray(self._statistic.sizes)

    @property
    def category_count_(self) -> list[Array]:
        """Number of rows of each class with each category, feature by feature."""
        return [self._statistic.column(j) for j in range(self.n_features_in_)]

    @property
    def feature_log_prob_(self) -> list[Array]:
        """Log-probability of each category in each class, feature by feature."""
        settled = self._settled_as(Codes)
        logs: list[Array] = settled.log_theta(self._block.t)
        return logs

    def _check_statistics(self, classes: LabelArray, statistics: State, likelihood: Likelihood) -> None:
        super()._check_statistics(classes, statistics, likelihood)
        known, sizes = self.__dict__.pop("categories_"), statistics["features"].sizes.tolist()
        if known is not None and [_each_once(values) for values in known] != sizes:
            raise DataError("Categories", f"be sorted and distinct, {sizes} of them").but("got others")
        self._reader = CodeReader(
            known, self.min_categories, self._declared_categories(len(sizes)), getattr(self, "feature_names_in_", None)
        )


def _roomy(model: Model, known: CodeReader, wider: CodeReader) -> Model:
    """Return the model with a place for every category of a reader."""
    block = model.blocks["X"]
    return replace(model, blocks={"X": Block(block.likelihood, wider.with_room(block.statistic, known))})


def _each_once(values: object) -> int:
    """Return the number of values; −1 unless they are sorted and distinct."""
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind not in "USbiuf":
        return -1
    return len(values) if bool((values[1:] > values[:-1]).all()) else -1
