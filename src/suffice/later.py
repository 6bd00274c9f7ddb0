"""Import scipy, Arrow and narwhals lazily, when something of them is first used.

A text is explained without Arrow, and classified without scipy's special functions; both take a while to import.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "arrow_csv", "betainc", "betaincc", "betaincinv", "betaln", "digamma", "entr", "expit", "gammainc", "gammaincc",
    "gammainccinv", "gammaincinv", "gammaln", "ipc", "issparse", "linalg", "logsumexp", "ndtri", "nw",
    "optimize", "pa", "pc", "pdtrik", "polygamma", "pq", "sparse", "stats", "stdtr", "stdtrit", "xlog1py", "xlogy",
]  # fmt: skip

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as arrow_csv
    import pyarrow.ipc as ipc
    import pyarrow.parquet as pq
    from scipy import linalg, optimize, sparse, stats
    from scipy.special import (
        betainc,
        betaincc,
        betaincinv,
        betaln,
        digamma,
        entr,
        expit,
        gammainc,
        gammaincc,
        gammainccinv,
        gammaincinv,
        gammaln,
        logsumexp,
        ndtri,
        pdtrik,
        polygamma,
        stdtr,
        stdtrit,
        xlog1py,
        xlogy,
    )  # fmt: skip
else:

    class Later:
        """A module that is imported when one of its attributes is first used."""

        def __init__(self, module: str) -> None:
            self._module = module

        def __reduce__(self) -> tuple[Any, ...]:
            return Later, (self._module,)  # another process imports the module itself

        def __getattr__(self, name: str) -> Any:
            if name == "_module":  # during construction
                raise AttributeError(name)
            value = getattr(import_module(self._module), name)
            setattr(self, name, value)
            return value

    def _function(name: str) -> Any:
        def function(*args: Any, **options: Any) -> Any:
            return getattr(special, name)(*args, **options)

        return function

    nw, pa = Later("narwhals.stable.v2"), Later("pyarrow")
    arrow_csv, pc, ipc, pq = (Later(f"pyarrow.{name}") for name in ("csv", "compute", "ipc", "parquet"))
    linalg, optimize, sparse, special, stats = (
        Later(f"scipy.{name}") for name in ("linalg", "optimize", "sparse", "special", "stats")
    )
    betainc, betaincc, betaincinv, betaln = map(_function, ("betainc", "betaincc", "betaincinv", "betaln"))
    digamma, entr, expit = map(_function, ("digamma", "entr", "expit"))
    gammainc, gammaincc, gammaln = map(_function, ("gammainc", "gammaincc", "gammaln"))
    gammaincinv, gammainccinv = map(_function, ("gammaincinv", "gammainccinv"))
    logsumexp, ndtri, pdtrik, polygamma = map(_function, ("logsumexp", "ndtri", "pdtrik", "polygamma"))
    stdtr, stdtrit, xlog1py, xlogy = map(_function, ("stdtr", "stdtrit", "xlog1py", "xlogy"))


def issparse(value: object) -> bool:
    """Return whether a value is a sparse matrix, which it cannot be before scipy.sparse is imported."""
    return "scipy.sparse" in sys.modules and bool(sparse.issparse(value))
