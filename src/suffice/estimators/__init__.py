"""Classifiers and other estimators with the scikit-learn API: thin shells over `suffice.models`, without mathematics.

Names are imported on first use, since predicting from a model file uses this package too, and needs no scikit-learn.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suffice.estimators.comparing.checking import Check, check
    from suffice.estimators.comparing.comparison import Comparison, LossComparison, bayes_factor, compare
    from suffice.estimators.comparing.informative import Information, SelectInformative, mutual_information
    from suffice.estimators.discriminants.analyses import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    from suffice.estimators.discriminants.gaussian_discriminant import GaussianDiscriminant
    from suffice.estimators.em.mixture import Mixture
    from suffice.estimators.em.semi_supervised import SemiSupervised
    from suffice.estimators.naive_bayes.any_table import NaiveBayes
    from suffice.estimators.naive_bayes.categories import BernoulliNB, CategoricalNB
    from suffice.estimators.naive_bayes.numbers import ExponentialNB, GaussianNB, PoissonNB
    from suffice.estimators.naive_bayes.words import ComplementNB, DirichletMultinomialNB, MultinomialNB
    from suffice.estimators.shell.journals import Certificate
    from suffice.estimators.shell.merging import merge
    from suffice.estimators.texts.language import LanguageModel
    from suffice.estimators.texts.text_classifier import TextClassifier
    from suffice.estimators.texts.vectorizer import CountVectorizer

__all__ = [
    "BernoulliNB", "CategoricalNB", "Certificate", "Check", "Comparison", "ComplementNB", "CountVectorizer",
    "DirichletMultinomialNB", "ExponentialNB", "GaussianDiscriminant", "GaussianNB", "Information", "LanguageModel",
    "LinearDiscriminantAnalysis", "LossComparison", "Mixture", "MultinomialNB", "NaiveBayes", "PoissonNB",
    "QuadraticDiscriminantAnalysis", "SelectInformative", "SemiSupervised", "TextClassifier", "bayes_factor",
    "check", "compare", "merge", "mutual_information",
]  # fmt: skip

_HOMES = {
    "BernoulliNB": "naive_bayes.categories",
    "CategoricalNB": "naive_bayes.categories",
    "Certificate": "shell.journals",
    "Check": "comparing.checking",
    "Comparison": "comparing.comparison",
    "ComplementNB": "naive_bayes.words",
    "CountVectorizer": "texts.vectorizer",
    "DirichletMultinomialNB": "naive_bayes.words",
    "ExponentialNB": "naive_bayes.numbers",
    "GaussianDiscriminant": "discriminants.gaussian_discriminant",
    "GaussianNB": "naive_bayes.numbers",
    "Information": "comparing.informative",
    "LanguageModel": "texts.language",
    "LinearDiscriminantAnalysis": "discriminants.analyses",
    "LossComparison": "comparing.comparison",
    "Mixture": "em.mixture",
    "MultinomialNB": "naive_bayes.words",
    "NaiveBayes": "naive_bayes.any_table",
    "PoissonNB": "naive_bayes.numbers",
    "QuadraticDiscriminantAnalysis": "discriminants.analyses",
    "SelectInformative": "comparing.informative",
    "SemiSupervised": "em.semi_supervised",
    "TextClassifier": "texts.text_classifier",
    "bayes_factor": "comparing.comparison",
    "check": "comparing.checking",
    "compare": "comparing.comparison",
    "merge": "shell.merging",
    "mutual_information": "comparing.informative",
}
"""The module of each name."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'suffice.estimators' has no attribute {name!r}")
    value: object = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
