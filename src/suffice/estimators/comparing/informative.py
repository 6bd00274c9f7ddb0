"""Mutual information of features and class, from counts alone; and selection of columns by it."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError, KindError
from suffice.estimators.naive_bayes.categories import BernoulliNB
from suffice.estimators.shell.atomic import Atomic
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.model_cards import bundle_of_estimator, card_of_estimator
from suffice.estimators.shell.parameters import Constraints, Interval, Tags, fit_nested, validate_data
from suffice.estimators.shell.stored import State
from suffice.later import issparse
from suffice.models.answers.ranking import UNITS, Information, given_names, ranked, ranked_columns
from suffice.notebook import line
from suffice.sparse import sound
from suffice.telling import counted
from suffice.typing import Booleans, DataLike, LabelArray, LabelsLike, Names, WeightsLike

__all__ = ["Information", "SelectInformative", "information_of", "mutual_information"]


def mutual_information(
    model: Classifier, unit: Literal["nats", "bits"] = "nats", feature_names: Names | None = None
) -> Information:
    """Return the mutual information of each feature and the class, from the counts of a fitted classifier alone.

    Probabilities are the estimates and the class prior of the model. What the feature is depends on the model:

    - BernoulliNB, TextClassifier(model="bernoulli"): whether the feature is 1, or the document has the word;
    - CategoricalNB: the category of the column;
    - MultinomialNB, ComplementNB, TextClassifier(model="multinomial" or "complement"): whether a word drawn from a
      document is this word; the length of the document plays no part. ComplementNB has no word probabilities by class,
      so those of MultinomialNB are used. DirichletMultinomialNB uses the means of its urns;
    - PoissonNB: the count; GaussianNB and ExponentialNB: the number, under the densities of the classes;
    - NaiveBayes: the value of the column, if it has one. Columns of texts are left out, since each word is a feature:
      use TextClassifier for them.

    A class with a joint density of all columns, such as GaussianDiscriminant, has no information of single ones.

    Parameters
    ----------
    model : fitted classifier
        A classifier of one of the kinds above.
    unit : {"nats", "bits"}, default="nats"
        Natural logarithms ("nats"), or logarithms to base 2 ("bits").
    feature_names : list of str, default=None
        Names of the columns, if the model was fitted to an array or a sparse matrix, which have none.

    Returns
    -------
    information : Information
        Names and values, most informative first; ``by_feature`` holds the values in the order of the columns.

    Examples
    --------
    >>> import suffice as sf
    >>> texts = ["cheap pills now", "cheap watches", "lunch now", "lunch at noon"]
    >>> model = sf.TextClassifier("bernoulli").fit(texts, ["spam", "spam", "ham", "ham"])
    >>> information = sf.mutual_information(model, unit="bits")
    >>> information.top(2)
    [('cheap', 0.188...), ('lunch', 0.188...)]
    >>> information
    Mutual information of 7 features with the class, in bits:
      cheap    0.189
      lunch    0.189
      at       0.0488
      noon     0.0488
      pills    0.0488
      watches  0.0488
      now      0
    >>> bags = sf.BernoulliNB().fit([[1, 0], [1, 1], [0, 1], [0, 0]], ["spam", "spam", "ham", "ham"])
    >>> sf.mutual_information(bags, unit="bits", feature_names=["cheap", "now"]).top(1)
    [('cheap', 0.188...)]
    """
    given: object = unit
    if not isinstance(given, str) or given not in UNITS:
        raise InputError("mutual_information.unit", "be 'nats' or 'bits'", got=unit)
    return information_of(model, unit, feature_names)


def information_of(
    model: object, unit: Literal["nats", "bits"] = "nats", feature_names: Names | None = None
) -> Information:
    """Return the mutual information of each feature of a fitted classifier of counts, most informative first."""
    if not isinstance(model, Classifier):
        what = model.__name__ if isinstance(model, type) else type(model).__name__
        of = type(model).__module__ if not isinstance(model, type) else model.__module__
        raise KindError(
            "mutual_information.model", "be a fitted classifier of suffice, such as NaiveBayes or TextClassifier"
        ).but(f"got {of.partition('.')[0]}'s {what}")
    check_is_fitted(model)
    try:
        found = (
            ranked_columns(model._predictor, unit)
            if model._reader.by_block
            else ranked(model._predictor, model._reader.feature_names, unit)
        )
    except KindError as error:
        if error.owner == "mutual_information":
            raise
        raise KindError("mutual_information.model", "be a classifier that scores each feature").but(
            f"got {type(model).__name__}, whose classes have one density of all features",
            python="Use GaussianNB or NaiveBayes.",
        ) from None
    return (
        found if feature_names is None else Information(given_names(feature_names, len(found)), found.by_feature, unit)
    )


class SelectInformative(Atomic, SelectorMixin, BaseEstimator):
    """Select the k columns with the largest mutual information with the class.

    Parameters
    ----------
    k : int, default=10
        Number of columns to keep. Of equally informative columns, the first are kept.
    estimator : classifier of counts, default=None
        The classifier that counts the columns, and so defines their information (see `mutual_information`). None is
        BernoulliNB(), which asks whether a value is above zero.
    feature_names : list of str, default=None
        Names of the columns if X has none, such as the words of a sparse document-term matrix.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    information_ : Information
        Mutual information of each column and the class, in nats, most informative first.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[1, 1, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1]]
    >>> keep = sf.SelectInformative(k=2).fit(X, [0, 0, 1, 1])
    >>> keep.get_support()
    array([False,  True,  True])
    >>> keep.transform([[7, 8, 9]])
    array([[8, 9]])

    Columns of a sparse matrix have no names; `feature_names` adds them:

    >>> from scipy import sparse
    >>> keep = sf.SelectInformative(k=2, feature_names=["the", "tea", "rum"]).fit(sparse.csr_array(X), [0, 0, 1, 1])
    >>> keep.get_feature_names_out()
    array(['tea', 'rum'], dtype=object)
    >>> keep.information_
    Mutual information of 3 features with the class, in nats:
      tea  0.131
      rum  0.131
      the  0
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "k": [Interval(Integral, 1, None, closed="left")],
        "estimator": [MatrixClassifier, None],
        "feature_names": ["array-like", None],
    }

    _repr_html_, _repr_mimebundle_ = card_of_estimator, bundle_of_estimator
    estimator_: MatrixClassifier
    information_: Information
    n_features_in_: int

    def __init__(
        self, k: int = 10, *, estimator: MatrixClassifier | None = None, feature_names: Names | None = None
    ) -> None:
        self.k = k
        self.estimator = estimator
        self.feature_names = feature_names

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._counter()).input_tags
        tags.target_tags.required = True
        return tags

    @fit_nested
    def fit(self, X: DataLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Count the columns by class, and select the most informative ones.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row; 1 if not given.

        Returns
        -------
        self : object
            The fitted selector.
        """
        validate_data(self, X, y, accept_sparse=["csr", "csc"], dtype=None, ensure_all_finite=False)
        if self.k > self.n_features_in_:
            raise InputError(
                "SelectInformative.k", f"be at most n_features = {self.n_features_in_}, the number of columns of X"
            ).but(f"got {self.k}")
        self.estimator_ = self._counter().fit(X, y, sample_weight)
        self.information_ = information_of(self.estimator_, feature_names=self.feature_names)
        return self

    def get_feature_names_out(self, input_features: Names | None = None) -> LabelArray:
        """Return the names of the most informative columns, in their order in X.

        Parameters
        ----------
        input_features : list of str, default=None
            Names of the columns of X; by default those of `feature_names`, or of X.

        Returns
        -------
        names : ndarray of str
            One name per selected column.
        """
        if input_features is None and self.feature_names is not None:
            return np.asarray(np.asarray(self.feature_names, object)[self.get_support()])
        names: LabelArray = super().get_feature_names_out(input_features)
        return names

    def transform(self, X: DataLike) -> Any:
        """Return the most informative columns.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        X : {array, sparse matrix} of shape (n_samples, k)
            The rows, with the selected columns only.
        """
        return super().transform(sound(X, "X") if issparse(X) else X)

    def inverse_transform(self, X: DataLike) -> Any:
        """Return rows with all columns, which are zero where they were not selected.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, k)
            Rows with the selected columns.

        Returns
        -------
        X : {array, sparse matrix} of shape (n_samples, n_features)
            The rows, with all columns.
        """
        return super().inverse_transform(sound(X, "X") if issparse(X) else X)

    def _card_parts(self) -> Iterator[str]:
        yield line(f"Keeps the {self.k} most informative of {counted(self.n_features_in_, 'column')}.")
        yield from self.information_._parts()

    def _get_state(self) -> State:
        check_is_fitted(self, "information_")
        names = ("n_features_in_", "feature_names_in_")
        schema = {name: vars(self)[name] for name in names if name in vars(self)}
        return {"schema": schema, "statistics": {"estimator": self.estimator_}}

    def _set_state(self, state: State) -> None:
        schema, counter = state["schema"], state["statistics"]["estimator"]
        names = schema.get("feature_names_in_", np.arange(counter.n_features_in_))
        if not set(schema) <= {"n_features_in_", "feature_names_in_"} or not isinstance(counter, MatrixClassifier):
            raise DataError("A SelectInformative", "hold a classifier of counts").but(f"got {type(counter).__name__}")
        if schema["n_features_in_"] != counter.n_features_in_ or np.shape(names) != (counter.n_features_in_,):
            raise DataError("A SelectInformative", f"have the {counter.n_features_in_} features of its classifier").but(
                "got others"
            )
        for name, value in schema.items():
            setattr(self, name, value)
        self.estimator_ = counter
        self.information_ = information_of(counter, feature_names=self.feature_names)

    def _counter(self) -> MatrixClassifier:
        counter: MatrixClassifier = BernoulliNB() if self.estimator is None else clone(self.estimator)
        return counter

    def _get_support_mask(self) -> Booleans:
        check_is_fitted(self, "information_")
        mask = np.zeros(self.n_features_in_, bool)
        mask[self.information_.order[: self.k]] = True
        return mask
