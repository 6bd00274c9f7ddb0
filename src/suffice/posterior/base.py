"""Define the interface of conjugate families: a frozen belief that data turn into another of the same type.

    update(...)        belief after the data
    predict(...)       distribution of future data
    log_evidence(...)  log-probability of the data before seeing them
    mean, mode, var, interval(level), sample(rng, size)   of the parameter
    pdf(x), logpdf(x), cdf(x), quantile(p)                its density and distribution

Parameters are numbers, or arrays of any shape: a table of beliefs is one object.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suffice.attributes import guard_properties
from suffice.errors import DataError, ImproperPrior, InputError, KeywordError, KindError, PriorError, ShapeError
from suffice.notebook import card
from suffice.posterior.belief_cards import parts_of_belief, title_of
from suffice.signatures import explain_arguments
from suffice.stats import Statistic
from suffice.stats.inputs import RowMatrix, as_numbers
from suffice.stats.inputs import generator as generator
from suffice.typing import Array, Floats, Rng, Size

S = TypeVar("S", bound=Statistic)


def plain(value: Any) -> Floats:
    """Return a Python number if the array holds just one, the array itself otherwise."""
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array


def draws(size: Size) -> tuple[int, ...]:
    """Return the number of draws as a shape."""
    shape = np.asarray(() if size is None else size)
    if shape.ndim > 1 or (shape.size and (shape.dtype.kind not in "iu" or (shape < 0).any())):
        raise InputError("size", "be a number of draws, or a shape of draws", got=size)
    return tuple(int(n) for n in np.atleast_1d(shape))


def tails(level: float) -> tuple[float, float]:
    """Return the probabilities below the two ends of an equal-tailed interval."""
    given: Any = level
    if not (isinstance(given, Real) and 0 < float(given) < 1):
        raise InputError("level", "be a number between 0 and 1", got=level)
    return (1 - level) / 2, (1 + level) / 2


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Conjugate(ABC, Generic[S]):
    """A frozen belief about the parameter of a likelihood.

    >>> import suffice as sf
    >>> belief = sf.Gamma(shape=2, rate=1)
    >>> isinstance(belief, Conjugate), belief.update(values=[3]) == belief.update(belief.learns_from[0].of([3]))
    (True, True)
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        explain_arguments(cls)
        guard_properties(cls)

    learns_from: ClassVar[tuple[type[Any], ...]]
    """Types of the statistics that can update the belief; data passed by keyword become the first."""

    @property
    @abstractmethod
    def proper(self) -> bool:
        """Whether the belief integrates to one."""

    @abstractmethod
    def update(self, *args: Any, **kwargs: Any) -> Any:
        """Return the belief after the data, of the same type."""

    @abstractmethod
    def predict(self, *args: Any, **kwargs: Any) -> Any:
        """Return the distribution of future data."""

    @abstractmethod
    def log_evidence(self, *args: Any, **kwargs: Any) -> Floats:
        """Return the log-probability, or log-density, of the data under this belief."""

    @property
    @abstractmethod
    def mean(self) -> Any:
        """Expected parameter."""

    @property
    @abstractmethod
    def mode(self) -> Any:
        """Most probable parameter; raises NoUniqueMode if there is none or more than one."""

    @property
    @abstractmethod
    def var(self) -> Any:
        """Variance of the parameter."""

    @abstractmethod
    def interval(self, level: float = 0.95) -> Any:
        """Return bounds that contain the parameter with probability `level`, with equal probability on either side."""

    @abstractmethod
    def logpdf(self, x: Any) -> Floats:
        """Return the log-density of the belief at x."""

    def pdf(self, x: Any) -> Floats:
        """Return the density of the belief at x."""
        with np.errstate(over="ignore"):
            return plain(np.exp(self.logpdf(x)))

    @abstractmethod
    def cdf(self, x: Any) -> Any:
        """Return the probability that the parameter is at most x."""

    @abstractmethod
    def quantile(self, p: ArrayLike) -> Any:
        """Return the value below which the parameter lies with probability p."""

    @abstractmethod
    def sample(self, size: Size = (), rng: Rng = None) -> Any:
        """Draw parameters from the belief: an array of shape `size` followed by the shape of one draw."""

    @classmethod
    @abstractmethod
    def simulate(cls, parameter: Any, rng: Rng = None) -> Any:
        """Draw an outcome of the likelihood for each parameter, given as `sample` returns them."""

    def modes(self) -> Any:
        """Describe each member of the batch: "point", "two", "flat" or "none" (no unique mode)."""
        return plain(np.full(self.batch_shape, "point"))

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the table of beliefs; () for a single belief."""
        return np.shape(getattr(self, fields(self)[0].name))

    def __getitem__(self, index: Any) -> Self:
        """Return members of a table of beliefs, indexed like an array.

        >>> import suffice as sf
        >>> sf.Beta([[1, 2], [3, 4]], 5)[1, 0]
        Beta(a=3, b=5)
        """
        if not self.batch_shape:
            raise InputError(f"A single belief has no members to index; got an index for {self!r}.")
        try:
            places = np.arange(int(np.prod(self.batch_shape))).reshape(self.batch_shape)[index]
        except IndexError as error:
            raise InputError(
                f"A table of beliefs of shape {self.batch_shape} has no member [{index}]: {error}."
            ) from None
        shape = np.shape(places)
        each = (np.reshape(value, (-1, *np.shape(value)[len(self.batch_shape) :])) for value in self._values())
        return type(self)(*(value[np.ravel(places)].reshape((*shape, *value.shape[1:])) for value in each))

    __iter__: ClassVar[None] = None  # a belief is not a list of its members

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{f.name}={_show(getattr(self, f.name))}' for f in fields(self))})"

    def _repr_html_(self) -> str:
        return card(self, lambda: parts_of_belief(self), title_of(self, self.batch_shape))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(np.array_equal(mine, yours) for mine, yours in zip(self._values(), other._values(), strict=True))

    def __hash__(self) -> int:
        return hash((type(self), *(np.asarray(value).tobytes() for value in self._values())))

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), self._values()

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))

    def _set(self, **parameters: NDArray[Any]) -> None:
        """Freeze the parameters: numbers as numbers, arrays as read-only copies."""
        for name, value in parameters.items():
            array = np.array(value, np.float64) + 0.0  # removes −0.0, so that equal beliefs have equal bytes
            array.setflags(write=False)
            object.__setattr__(self, name, plain(array))

    def _read(self, statistic: S | None, **data: Any) -> S:
        """Return the statistic, or that of the data given by keyword; raise unless exactly one of them is given."""
        name, kinds = type(self).__name__, self.learns_from
        given = {keyword: value for keyword, value in data.items() if value is not None}
        if (statistic is None) == (not given):
            raise KeywordError(
                f"{name} learns from either a statistic or data by keyword ({', '.join(data)}); "
                f"got {'both' if given else 'neither'}."
            )
        if "weights" in given and "values" not in given:
            raise KeywordError(f"The keyword 'weights' of {name} needs 'values'; got it without them.")
        if statistic is not None and not isinstance(statistic, kinds):
            expected = " or ".join(kind.__name__ for kind in kinds)
            raise KindError(
                f"{name} learns from a statistic of type {expected}; got {type(statistic).__name__}."
            ).advise(f"Pass plain data by keyword: {', '.join(f'{keyword}=' for keyword in data)}.")
        found = self._collect(**given) if statistic is None else statistic
        self._check_fit(found)
        return found

    def _collect(self, values: Any, weights: ArrayLike | None = None) -> S:
        """Return the statistic of data given by keyword."""
        kind: type[S] = self.learns_from[0]
        return kind.of(some_rows(values), weights=weights)

    def _check_fit(self, statistic: S) -> None:
        """Raise unless batches broadcast and, in a vector-valued family, vectors have the same length."""
        mine = np.shape(getattr(self, fields(self)[0].name))
        theirs = statistic.shape
        vectors = len(mine) - len(self.batch_shape)
        try:
            np.broadcast_shapes(mine, theirs)
            fits = statistic == type(statistic).zero() or mine[len(mine) - vectors :] == theirs[len(theirs) - vectors :]
        except ValueError:
            fits = False
        if not fits:
            raise ShapeError("The data", f"match the parameters of {type(self).__name__}, of shape {mine}").but(
                f"got shape {theirs}"
            )

    def _require_proper(self, question: str) -> None:
        if not self.proper:
            raise ImproperPrior(
                f"{question} needs a proper prior; got {self!r}, which does not integrate to one."
            ).advise(python="Update it with data first.")


def parameters(family: str, **given: ArrayLike) -> dict[str, Array]:
    """Return the parameters as finite arrays of one common shape."""
    arrays = {name: numbers(family, name, value) for name, value in given.items()}
    shape = together(family, **arrays)
    return {name: np.broadcast_to(array, shape) for name, array in arrays.items()}


def together(family: str, **arrays: Array) -> tuple[int, ...]:
    """Return the common shape of arrays that must broadcast against each other."""
    try:
        return np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = " and ".join(f"'{name}' of shape {array.shape}" for name, array in arrays.items())
        raise ShapeError(f"The arguments of {family}", "broadcast against each other").but(f"got {shapes}") from None


def numbers(family: str, name: str, value: ArrayLike) -> Array:
    """Return one parameter as an array of finite numbers."""
    array = as_numbers(value, f"{family}.{name}", "a number or numbers")
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)].flat[0]
        raise PriorError(f"{family}.{name}", "be finite").but(f"got {bad}")
    return array.astype(np.float64)


def require(family: str, name: str, array: Array, holds: NDArray[np.bool_] | np.bool_, words: str) -> None:
    """Raise PriorError naming the first element for which the condition does not hold."""
    bad = np.argwhere(~np.broadcast_to(holds, np.broadcast_shapes(array.shape, np.shape(holds))))
    if len(bad):
        place = tuple(int(i) for i in bad[0])
        value = np.broadcast_to(array, np.broadcast_shapes(array.shape, np.shape(holds)))[place]
        where = f" at {list(place)}" if place else ""
        raise PriorError(f"{family}.{name}", f"be {words}").but(f"got {value:g}{where}")


def some_rows(values: Any) -> RowMatrix:
    """Return data as rows; raise if there are none."""
    rows = RowMatrix.read(values, "values")
    if len(rows) == 0:
        raise DataError("values", "hold at least one row").but("got none")
    return rows


def _show(value: Floats) -> str:
    if isinstance(value, float):
        short = f"{value:.15g}"
        return short if float(short) == value else repr(value)
    return np.array2string(value, separator=", ", threshold=12, edgeitems=2).replace("\n", "")
