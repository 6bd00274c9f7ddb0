"""Statistics → scores → decisions: Bayes' rule, written once, and the event models it is fed by."""

from suffice.models import columns
from suffice.models.bayes import Scorer, decide, joint, log_posterior
from suffice.models.bursty import Polya
from suffice.models.categorical import Categorical
from suffice.models.events import Bernoulli, Complement, Multinomial, Poisson
from suffice.models.gaussian import Gaussian
from suffice.models.linear import Linear, linear
from suffice.models.empirical.urn import Documents, Urn, dcm, edcm
from suffice.models.predictor import ImpossibleSampleWarning

__all__ = [
    "Bernoulli",
    "Categorical",
    "Complement",
    "Documents",
    "Gaussian",
    "ImpossibleSampleWarning",
    "Linear",
    "Multinomial",
    "Poisson",
    "Polya",
    "Scorer",
    "Urn",
    "columns",
    "dcm",
    "decide",
    "edcm",
    "joint",
    "linear",
    "log_posterior",
]
