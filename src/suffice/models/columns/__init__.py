"""Models of single columns, to be named in ``NaiveBayes(columns={...})``.

>>> import suffice as sf
>>> sf.NaiveBayes(columns={"age": "gaussian", "zip": sf.columns.Categorical(alpha=0.5)})
NaiveBayes(columns={'age': 'gaussian', 'zip': Categorical(alpha=0.5)})
"""

from suffice.models.columns.base import ColumnModel, ColumnScorer, Lookup
from suffice.models.columns.categories import Bernoulli, Categorical
from suffice.models.columns.choice import choose
from suffice.models.columns.histogram import Histogram
from suffice.models.columns.real import Gaussian, Poisson
from suffice.models.columns.silent import Drop, Unknown
from suffice.models.columns.words import Text

__all__ = [
    "Bernoulli",
    "Categorical",
    "ColumnModel",
    "ColumnScorer",
    "Drop",
    "Gaussian",
    "Histogram",
    "Lookup",
    "Poisson",
    "Text",
    "Unknown",
    "choose",
]
