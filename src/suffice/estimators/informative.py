"""Which features tell most about the class: mutual information, from the counts of a fitted classifier alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, KindError
from suffice.estimators.bernoulli import BernoulliNB
from suffice.estimators.categorical import CategoricalNB
from suffice.estimators.complement import ComplementNB
from suffice.estimators.dirichlet_multinomial import DirichletMultinomialNB
from suffice.estimators.gaussian import GaussianNB
from suffice.estimators.multinomial import MultinomialNB
from suffice.estimators.poisson import PoissonNB
from suffice.estimators.shared import Classifier
from suffice.estimators.text import TextClassifier
from suffice.models import Multinomial, texts
from suffice.models.scoring import information
from suffice.stats import TokenCounts
from suffice.typing import Array, Integers

__all__ = ["Information", "information_of", "mutual_information"]

SHOWN = 10
UNITS = {"nats": 1.0, "bits": np.log(2.0)}


class Information:
    """Features and what each tells about the class, the most informative first.

    Iteration gives pairs of name and value. Features of equal information stay in their order.

    Attributes
    ----------
    names : ndarray
        Names of the features, or their column numbers, by falling information.
    values : ndarray of float
        The information of each, falling.
    order : ndarray of int
        The column of each.
    by_feature : ndarray of float
        The information of all features in the order of the columns.
    unit : {"nats", "bits"}
        What the values are in.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.BernoulliNB().fit([[1, 0], [1, 1], [0, 1], [0, 0]], ["a", "a", "b", "b"])
    >>> sf.mutual_information(model, unit="bits").top(1)
    [(0, 0.188...)]
    """

    def __init__(self, names: Any, by_feature: Array, unit: str = "nats") -> None:
        self.unit, self.by_feature = unit, by_feature
        self.order: Integers = np.argsort(-by_feature, kind="stable")
        self.values: Array = by_feature[self.order]
        self.names: NDArray[Any] = np.asarray(names)[self.order]
        for array in (self.by_feature, self.order, self.values, self.names):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[tuple[Any, float]]:
        return zip(self.names.tolist(), self.values.tolist(), strict=True)

    def top(self, k: int) -> list[tuple[Any, float]]:
        """The k most informative features with their values; all if there are fewer."""
        number: Any = k
        if not isinstance(number, int | np.integer) or number < 0:
            raise InputError(f"The argument 'k' of Information.top must be a whole number from 0 on; got {k!r}.")
        return list(zip(self.names[:k].tolist(), self.values[:k].tolist(), strict=True))

    def __repr__(self) -> str:
        some = [(str(name), f"{value:.3g}") for name, value in self.top(SHOWN)]
        wide = max((len(name) for name, _ in some), default=0)
        lines = [f"Information of {len(self):,} features, in {self.unit}:"]
        lines += [f"  {name:{wide}}  {value}" for name, value in some]
        lines += [f"  … and {len(self) - SHOWN:,} more"] if len(self) > SHOWN else []
        return "\n".join(lines)


def mutual_information(model: Any, unit: Literal["nats", "bits"] = "nats") -> Information:
    """How much each feature tells about the class, from the counts of a fitted classifier alone.

    The mutual information of class and feature as the model sees the feature, with the model's own estimates and class
    prior:

    - BernoulliNB, TextClassifier(model="bernoulli"): the feature is on or off; the document has the word or not;
    - CategoricalNB: the column's category;
    - MultinomialNB, ComplementNB, TextClassifier(model="multinomial" or "complement"): a document is a class and words
      drawn from it, and the feature is whether a drawn word is this one. The document's length is not part of it.
      ComplementNB has no probabilities of words by class of its own, and those of MultinomialNB take their place.
      DirichletMultinomialNB likewise, by the mean of its urns;
    - PoissonNB: the count.

    GaussianNB keeps no counts and is refused.

    Parameters
    ----------
    model : fitted classifier
        One of those above.
    unit : {"nats", "bits"}, default="nats"
        Whether logarithms are natural, or to base 2.

    Returns
    -------
    information : Information
        Names and values, the most informative first; ``by_feature`` has the values in the order of the columns.

    Examples
    --------
    >>> import suffice as sf
    >>> texts = ["cheap pills now", "cheap watches", "lunch now", "lunch at noon"]
    >>> model = sf.TextClassifier("bernoulli").fit(texts, ["spam", "spam", "ham", "ham"])
    >>> information = sf.mutual_information(model, unit="bits")
    >>> information.top(2)
    [('cheap', 0.188...), ('lunch', 0.188...)]
    >>> information
    Information of 7 features, in bits:
      cheap    0.189
      lunch    0.189
      at       0.0488
      noon     0.0488
      pills    0.0488
      watches  0.0488
      now      0
    """
    if unit not in UNITS:
        raise InputError(f"The argument 'unit' of mutual_information must be 'nats' or 'bits'; got {unit!r}.")
    values = information_of(model)
    return Information(_names(model), values / UNITS[unit], unit)


def information_of(model: Any) -> Array:
    """The values, in nats and in the order of the columns."""
    if isinstance(model, Classifier):
        check_is_fitted(model, "classes_")
    return _information(model)


def _names(model: Any) -> Any:
    if isinstance(model, TextClassifier):
        counts = model._view("counts", model._kept)
        return np.arange(counts.width) if counts.hash_bits else counts.words.strings
    return getattr(model, "feature_names_in_", np.arange(getattr(model, "n_features_in_", 0)))


@singledispatch
def _information(model: Any) -> Array:
    raise KindError(
        "The argument 'model' of mutual_information must be a fitted BernoulliNB, CategoricalNB, ComplementNB, "
        "DirichletMultinomialNB, MultinomialNB, PoissonNB or TextClassifier of suffice; got "
        f"{type(model).__module__.split('.')[0]}'s {type(model).__name__}."
    )


@_information.register
def _(model: GaussianNB) -> Array:
    raise KindError(
        "The argument 'model' of mutual_information must be a classifier of counts; got GaussianNB, which has moments. "
        "Cut the features into categories, and use CategoricalNB."
    )


@_information.register
def _(model: BernoulliNB) -> Array:
    t: Any = model._features
    on, off = (np.exp(logs) for logs in model._event.log_theta(t))
    return information.of_flags(on, off, _prior(model))


@_information.register
def _(model: CategoricalNB) -> Array:
    return information.of_categories([np.exp(logs) for logs in model.feature_log_prob_], _prior(model))


@_information.register
def _(model: MultinomialNB) -> Array:
    theta = np.exp(model.feature_log_prob_)
    return information.of_flags(theta, 1 - theta, _prior(model))


@_information.register
def _(model: ComplementNB) -> Array:
    t: Any = model._features
    theta = np.exp(Multinomial(model._event.alpha).log_theta(t))
    return information.of_flags(theta, 1 - theta, _prior(model))


@_information.register
def _(model: DirichletMultinomialNB) -> Array:
    theta = np.exp(Multinomial(model.alpha_).log_theta(TokenCounts(np.zeros(model.alpha_.shape))))
    return information.of_flags(theta, 1 - theta, _prior(model))


@_information.register
def _(model: PoissonNB) -> Array:
    t: Any = model._features
    mean, rate = model._event.mean_and_rate(t, model.class_count_[:, None])
    return information.of_counts(mean, rate, _prior(model))


@_information.register
def _(model: TextClassifier) -> Array:
    counts, alpha = model._view("counts", model._kept), texts.pseudo_count(model._alpha, model.estimate)
    if model.model == "bernoulli":
        return information.of_words(counts, alpha, _prior(model))
    return information.of_tokens(model._view("model", model._text_model).table, alpha, _prior(model))


def _prior(model: Any) -> Array:
    return information.class_shares(model.class_log_prior_)
