"""Classifiers and their kin with the scikit-learn API: thin shells over `suffice.models`. No mathematics here."""

from suffice.estimators.comparing.comparison import Comparison, LossComparison, bayes_factor, compare
from suffice.estimators.comparing.informative import Information, SelectInformative, mutual_information
from suffice.estimators.discriminants.gaussian_discriminant import GaussianDiscriminant
from suffice.estimators.discriminants.linear_discriminant import LinearDiscriminantAnalysis
from suffice.estimators.discriminants.quadratic_discriminant import QuadraticDiscriminantAnalysis
from suffice.estimators.em.mixture import Mixture
from suffice.estimators.em.semi_supervised import SemiSupervised
from suffice.estimators.naive_bayes.any_table import NaiveBayes
from suffice.estimators.naive_bayes.bernoulli import BernoulliNB
from suffice.estimators.naive_bayes.categorical import CategoricalNB
from suffice.estimators.naive_bayes.complement import ComplementNB
from suffice.estimators.naive_bayes.dirichlet_multinomial import DirichletMultinomialNB
from suffice.estimators.naive_bayes.exponential import ExponentialNB
from suffice.estimators.naive_bayes.gaussian import GaussianNB
from suffice.estimators.naive_bayes.multinomial import MultinomialNB
from suffice.estimators.naive_bayes.poisson import PoissonNB
from suffice.estimators.shell.counted import merge
from suffice.estimators.shell.journals import Certificate
from suffice.estimators.texts.language import LanguageModel
from suffice.estimators.texts.text_classifier import TextClassifier
from suffice.estimators.texts.vectorizer import CountVectorizer

__all__ = [
    "BernoulliNB", "CategoricalNB", "Certificate", "Comparison", "ComplementNB", "CountVectorizer",
    "DirichletMultinomialNB", "ExponentialNB", "GaussianDiscriminant", "GaussianNB", "Information", "LanguageModel",
    "LinearDiscriminantAnalysis", "LossComparison", "Mixture", "MultinomialNB", "NaiveBayes", "PoissonNB",
    "QuadraticDiscriminantAnalysis", "SelectInformative", "SemiSupervised", "TextClassifier", "bayes_factor",
    "compare", "merge", "mutual_information",
]  # fmt: skip
