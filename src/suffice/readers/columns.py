"""List the likelihoods of single columns, for ``NaiveBayes(columns={...})``.

>>> import suffice as sf
>>> sf.NaiveBayes(columns={"age": "gaussian", "zip": sf.columns.Categorical(alpha=0.5)})
NaiveBayes(columns={'age': 'gaussian', 'zip': Categorical(alpha=0.5)})
"""

from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.categorical import Categorical
from suffice.models.likelihoods.exponential import Exponential
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.likelihoods.poisson import Poisson
from suffice.models.likelihoods.silent import Drop, Unknown
from suffice.models.likelihoods.text_column import Text

__all__ = [
    "Bernoulli",
    "Categorical",
    "Drop",
    "Exponential",
    "Gaussian",
    "Histogram",
    "Poisson",
    "Text",
    "Unknown",
]

FAMILIES: tuple[type[Likelihood], ...] = tuple(globals()[name] for name in __all__ if name != "Unknown")
"""Likelihoods that a user can declare."""
