"""Update priors with statistics to posteriors of the same type, and these to predictives. One family, one file."""

from suffice.posterior.base import Conjugate
from suffice.posterior.beta import Beta
from suffice.posterior.dirichlet import Dirichlet
from suffice.posterior.gamma import Gamma
from suffice.posterior.normal_inverse_gamma import NormalInverseGamma
from suffice.posterior.normal_inverse_wishart import NormalInverseWishart
from suffice.posterior.pareto import Pareto
from suffice.posterior.waiting_rate import WaitingRate

__all__ = [
    "Beta",
    "Conjugate",
    "Dirichlet",
    "Gamma",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "Pareto",
    "WaitingRate",
]
