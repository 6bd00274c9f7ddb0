"""Which features tell most about the class: mutual information, from the counts of a fitted classifier alone."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, KindError
from suffice.estimators.shell.classifier import Classifier
from suffice.models.answers.ranking import UNITS, Information, ranked

__all__ = ["Information", "information_of", "mutual_information"]


def mutual_information(model: Any, unit: Literal["nats", "bits"] = "nats") -> Information:
    """Return how much each feature tells about the class, from the counts of a fitted classifier alone.

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
    return information_of(model, unit)


def information_of(model: Any, unit: Literal["nats", "bits"] = "nats") -> Information:
    """Return the features of a fitted classifier of counts, the most informative first."""
    if not isinstance(model, Classifier) or (model.__sklearn_is_fitted__() and model._reader.by_block):
        raise KindError(
            "The argument 'model' of mutual_information must be a fitted BernoulliNB, CategoricalNB, ComplementNB, "
            "DirichletMultinomialNB, MultinomialNB, PoissonNB or TextClassifier of suffice; got "
            f"{type(model).__module__.split('.')[0]}'s {type(model).__name__}."
        )
    check_is_fitted(model)
    try:
        return ranked(model._predictor, model._feature_names(), unit)
    except KindError:
        raise KindError(
            "The argument 'model' of mutual_information must be a classifier of counts; got "
            f"{type(model).__name__}, which has moments. Cut the features into categories, and use CategoricalNB."
        ) from None
