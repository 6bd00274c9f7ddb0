from . import datasets as datasets
from . import errors as errors
from . import estimators as estimators
from . import models as models
from . import plots as plots
from . import posterior as posterior
from . import stats as stats
from . import tables as tables
from . import text as text
from . import typing as typing
from .estimators import BernoulliNB as BernoulliNB
from .estimators import CategoricalNB as CategoricalNB
from .estimators import ComplementNB as ComplementNB
from .estimators import CountVectorizer as CountVectorizer
from .estimators import DirichletMultinomialNB as DirichletMultinomialNB
from .estimators import GaussianNB as GaussianNB
from .estimators import LanguageModel as LanguageModel
from .estimators import MultinomialNB as MultinomialNB
from .estimators import NaiveBayes as NaiveBayes
from .estimators import PoissonNB as PoissonNB
from .estimators import SelectInformative as SelectInformative
from .estimators import TextClassifier as TextClassifier
from .estimators import bayes_factor as bayes_factor
from .estimators import compare as compare
from .estimators import merge as merge
from .estimators import mutual_information as mutual_information
from .models import columns as columns
from .parallel import threads as threads
from .posterior import Beta as Beta
from .posterior import Dirichlet as Dirichlet
from .posterior import Gamma as Gamma
from .posterior import NormalInverseGamma as NormalInverseGamma
from .posterior import NormalInverseWishart as NormalInverseWishart
from .posterior import Pareto as Pareto
from .versions import show_versions as show_versions

__all__: list[str]
__version__: str
