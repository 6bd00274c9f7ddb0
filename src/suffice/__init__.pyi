from . import errors as errors
from . import posterior as posterior
from . import stats as stats
from . import typing as typing
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
