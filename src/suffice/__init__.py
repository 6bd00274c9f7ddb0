"""Suffice: generative Bayesian classification from sufficient statistics.

Names are imported when first used, so that ``import suffice`` costs next to nothing.
"""

from importlib import import_module as _import_module

__version__ = "0.1.0"

_HOMES = {
    "BernoulliNB": "estimators",
    "Beta": "posterior",
    "CategoricalNB": "estimators",
    "Certificate": "estimators",
    "ComplementNB": "estimators",
    "ConceptLearner": "concepts",
    "CountVectorizer": "estimators",
    "Dirichlet": "posterior",
    "DirichletMultinomialNB": "estimators",
    "ExponentialNB": "estimators",
    "Gamma": "posterior",
    "GaussianDiscriminant": "estimators",
    "GaussianNB": "estimators",
    "LanguageModel": "estimators",
    "LinearDiscriminantAnalysis": "estimators",
    "Mixture": "estimators",
    "MultinomialNB": "estimators",
    "NaiveBayes": "estimators",
    "NormalInverseGamma": "posterior",
    "NormalInverseWishart": "posterior",
    "NumberGame": "concepts",
    "Pareto": "posterior",
    "PoissonNB": "estimators",
    "QuadraticDiscriminantAnalysis": "estimators",
    "Rectangles": "concepts",
    "SelectInformative": "estimators",
    "SemiSupervised": "estimators",
    "TermWeighting": "text",
    "TextClassifier": "estimators",
    "Tokens": "text",
    "WaitingRate": "posterior",
    "bayes_factor": "estimators",
    "columns": "readers",
    "check": "estimators",
    "compare": "estimators",
    "fit_files": "engines",
    "load": "store",
    "merge": "estimators",
    "mutual_information": "estimators",
    "predict_files": "engines",
    "report": "reporting",
    "save": "store",
    "show_versions": "versions",
    "threads": "parallel",
}
_MODULES = (
    "concepts",
    "datasets",
    "engines",
    "errors",
    "estimators",
    "evaluate",
    "models",
    "plots",
    "posterior",
    "readers",
    "reporting",
    "stats",
    "store",
    "tables",
    "text",
    "typing",
)

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        value = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
    elif name in _MODULES:
        value = _import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module 'suffice' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
