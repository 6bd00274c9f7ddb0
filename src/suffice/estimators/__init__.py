"""Classifiers and their kin with the scikit-learn API: thin shells over `suffice.models`. No mathematics here."""

from suffice.estimators.algebra import merge
from suffice.estimators.bernoulli import BernoulliNB
from suffice.estimators.categorical import CategoricalNB
from suffice.estimators.shell.certificate import Certificate
from suffice.estimators.comparison import Comparison, LossComparison, bayes_factor, compare
from suffice.estimators.complement import ComplementNB
from suffice.estimators.dirichlet_multinomial import DirichletMultinomialNB
from suffice.estimators.discriminant import GaussianDiscriminant
from suffice.estimators.gaussian import GaussianNB
from suffice.estimators.informative import Information, mutual_information
from suffice.estimators.language import LanguageModel
from suffice.estimators.linear_analysis import LinearDiscriminantAnalysis
from suffice.estimators.mixed import NaiveBayes
from suffice.estimators.mixture import Mixture
from suffice.estimators.multinomial import MultinomialNB
from suffice.estimators.poisson import PoissonNB
from suffice.estimators.quadratic_analysis import QuadraticDiscriminantAnalysis
from suffice.estimators.selection import SelectInformative
from suffice.estimators.semi_supervised import SemiSupervised
from suffice.estimators.text import TextClassifier
from suffice.estimators.vectorizer import CountVectorizer

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "Certificate",
    "Comparison",
    "ComplementNB",
    "CountVectorizer",
    "DirichletMultinomialNB",
    "GaussianDiscriminant",
    "GaussianNB",
    "Information",
    "LanguageModel",
    "LinearDiscriminantAnalysis",
    "LossComparison",
    "Mixture",
    "MultinomialNB",
    "NaiveBayes",
    "PoissonNB",
    "QuadraticDiscriminantAnalysis",
    "SelectInformative",
    "SemiSupervised",
    "TextClassifier",
    "bayes_factor",
    "compare",
    "merge",
    "mutual_information",
]
