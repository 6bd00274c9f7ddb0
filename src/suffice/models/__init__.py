"""Statistics → scores → decisions: Bayes' rule, written once, and the event models it is fed by."""

from suffice.models.bayes import ImpossibleSampleWarning, Scorer, decide, joint, log_posterior
from suffice.models.categorical import Categorical
from suffice.models.events import Bernoulli, Complement, Multinomial, Poisson
from suffice.models.gaussian import Gaussian
from suffice.models.linear import Linear, linear

__all__ = [
    "Bernoulli",
    "Categorical",
    "Complement",
    "Gaussian",
    "ImpossibleSampleWarning",
    "Linear",
    "Multinomial",
    "Poisson",
    "Scorer",
    "decide",
    "joint",
    "linear",
    "log_posterior",
]
