"""Infer which axis-parallel rectangle was meant from points inside it, such as healthy levels of cholesterol.

A rectangle is an interval in each feature; the prior is about its length only. Under strong sampling points are drawn
from the rectangle with density 1/(its area), so the examples matter only by their number and by the lowest and the
highest value in each feature: that is the statistic. Intervals of length s that cover a span r have s − r places to
lie in, so their total weight is

    G(r) = ∫ (s − r) p(s) s⁻ⁿ ds    from r on.

A point at distance d from the examples belongs to the concept if the interval covers r + d: G(r + d) / G(r).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Self

import numpy as np

from suffice.concepts.hypothesis_space import MOST_OBSERVED, State, check_parts
from suffice.concepts.learner import Sampling
from suffice.errors import DataError, InputError, KeywordError, KindError, ShapeError
from suffice.notebook import card, table
from suffice.signatures import explain_arguments
from suffice.typing import Array

LARGEST = 1e150
"""Largest value and size accepted, so that differences and quotients stay finite."""

CELLS_AT_ONCE = 2**20

STEP, TAIL = 0.25, 40.0
"""Step of the trapezoid rule over ln v, whose error is below float64's rounding; and −ln of the terms left out."""


class Rectangles:
    """A belief about which rectangle is meant, in any number of features, learned from points inside it.

    Parameters
    ----------
    expected_size : float or list of one per feature, default=None
        Mean length of a side, under an exponential prior. None for the scale-free prior 1/length, which takes the scale
        from the examples.
    sampling : {"strong", "weak"}, default="strong"
        Whether points are drawn from the rectangle, or drawn independently and found to lie in it; weak sampling needs
        an expected size.

    Attributes
    ----------
    n_ : int
        Number of examples.
    tightest_ : ndarray of shape (n_features, 2)
        Lowest and highest value in each feature: the smallest rectangle that holds all examples. It is the most likely
        and the most probable one, and part of every other in the version space.

    Examples
    --------
    Cholesterol and insulin of three healthy people, and of four more: who else is healthy?

    >>> import suffice as sf
    >>> three = sf.Rectangles().observe([[180, 10], [205, 14], [190, 12]])
    >>> three.membership([[200, 11], [215, 11], [240, 11]]).round(2)
    array([1.  , 0.51, 0.17])
    >>> seven = three.observe([[186, 13], [201, 11], [197, 12], [183, 10]])
    >>> seven.membership([[200, 11], [215, 11], [240, 11]]).round(2)
    array([1.  , 0.13, 0.01])
    >>> seven.tightest_
    array([[180., 205.],
           [ 10.,  14.]])
    """

    def __init__(self, expected_size: Any = None, *, sampling: Sampling = "strong") -> None:
        if sampling not in ("strong", "weak"):
            raise InputError("sampling", "be 'strong' or 'weak'", got=sampling)
        if sampling == "weak" and expected_size is None:
            raise KeywordError(
                "Weak sampling needs the argument 'expected_size': without it the examples never bound the rectangle."
            )
        sizes = None if expected_size is None else _numbers(expected_size)
        if expected_size is not None:
            if (
                sizes is None
                or sizes.ndim > 1
                or not sizes.size
                or not ((sizes >= 1 / LARGEST) & (sizes <= LARGEST)).all()
            ):
                raise InputError(
                    "Rectangles.expected_size", "be a number above 0, or one per feature", got=expected_size
                )
            sizes = sizes.copy()
            sizes.setflags(write=False)
        self.expected_size, self.sampling = sizes, sampling
        self.n_, self._low, self._high = 0, np.empty(0), np.empty(0)
        self._names: list[str] | None = None

    @property
    def tightest_(self) -> Array:
        """Smallest rectangle that holds all examples: the lowest and the highest value in each feature."""
        if self.n_ == 0:
            raise DataError("Rectangles has no observations yet.").advise(
                python="Call observe() with at least one point first."
            )
        return np.stack([self._low, self._high], axis=1)

    def observe(self, points: Any) -> Self:
        """Return the belief after further points of the concept; a repeated point counts again.

        Parameters
        ----------
        points : array or dataframe of shape (n_points, n_features)
            Points inside the rectangle. Columns of a dataframe are features by name, in any order from then on.
        """
        found = self._read(points)
        if len(found) == 0:
            return self
        ends = (found, self._low[None], self._high[None]) if self.n_ else (found,)
        every, names = np.concatenate(ends), self._names or _names(points)
        return self._with(self.n_ + len(found), every.min(axis=0), every.max(axis=0), names)

    def membership(self, points: Any, *, plug_in: bool = False) -> Array:
        """Return the probability that each point belongs to the concept.

        Parameters
        ----------
        points : array or dataframe of shape (n_points, n_features)
            Any points.
        plug_in : bool, default=False
            Whether to use the smallest rectangle alone instead of averaging over all.
        """
        low, high = self.tightest_.T
        found = self._read(points)
        beyond = np.maximum(np.maximum(low - found, found - high), 0.0)
        if plug_in:
            return np.asarray((beyond == 0).all(axis=1), np.float64)
        span = high - low
        self._check_span(span)
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(self._log_share(span, beyond).sum(axis=1)))

    def _log_share(self, span: Array, beyond: Array) -> Array:
        """Return ln G(r + d) / G(r) of each point and feature.

        Of exponentially distributed lengths, p(s) ∝ e^(−s/σ): with s = r (1 + v) and x = r/σ, G(r) = r²⁻ⁿ e⁻ˣ Hₙ(x),
        where Hₙ(x) = ∫ v (1 + v)⁻ⁿ e⁻ˣᵛ dv. A span of zero occurs only with n = 0 or 1, where G(0) = σ²⁻ⁿ.
        """
        if self.expected_size is None:
            return -(self.n_ - 1) * np.log1p(beyond / span)  # CL-6
        n = self.n_ if self.sampling == "strong" else 0
        sigma = np.broadcast_to(self.expected_size, span.shape)
        known = span > 0
        x, later = span / sigma, (span + beyond) / sigma
        before, after = _log_integrals(n, np.where(x > 0, x, 1.0), np.where(later > 0, later, 1.0))
        grown = np.where(known, np.log1p(beyond / np.where(known, span, 1.0)), np.log(np.where(later > 0, later, 1.0)))
        shares = (2 - n) * grown - beyond / sigma + after - np.where(known, before, 0.0)  # CL-7
        return np.where(beyond > 0, shares, 0.0)

    def _check_span(self, span: Array) -> None:
        """Raise DataError if the examples do not give the rectangle a size."""
        flat = np.flatnonzero(span == 0)
        if self.sampling == "weak" or not len(flat) or (self.expected_size is not None and self.n_ == 1):
            return
        hint = " Pass 'expected_size' to generalise from one point." if self.n_ == 1 else ""
        raise DataError("The examples of Rectangles", "have two different values in each feature").but(
            f"got only {self._low[flat[0]]:g} in feature {(self._names or range(len(span)))[flat[0]]}", hint
        )

    def _read(self, points: Any) -> Array:
        """Return points as a matrix of numbers; raise unless they have the features of earlier points."""
        found, names = _numbers(points), _names(points)
        if found is None:
            raise KindError("points", "hold numbers, a row per point").but(
                f"got values of another type in a {type(points).__name__}"
            )
        width = self._width()
        if found.ndim != 2 or found.shape[1] == 0 or width not in (None, found.shape[1]):
            columns = "n_features" if width is None else str(width)
            hint = " Write [point] for one point." if found.ndim == 1 else ""
            raise ShapeError("points", f"have shape (n_points, {columns})").but(f"got shape {found.shape}", hint)
        if self._names is not None and names is not None:
            if sorted(names) != sorted(self._names):
                raise DataError("points", f"have the columns {self._names}, which were observed").but(f"got {names}")
            found = found[:, [names.index(name) for name in self._names]]
        bad = np.argwhere(~(np.abs(found) <= LARGEST))
        if len(bad):
            point, feature = bad[0]
            raise DataError("points", "hold finite numbers").but(
                f"got {found[point, feature]:g} in feature {feature} of point {point}"
            )
        return found

    def _width(self) -> int | None:
        """Return the number of features, or None if it is unknown."""
        if self.n_:
            return len(self._low)
        return None if self.expected_size is None or self.expected_size.ndim == 0 else len(self.expected_size)

    def _with(self, n: int, low: Array, high: Array, names: list[str] | None = None) -> Self:
        other = copy(self)
        other.n_, other._low, other._high, other._names = n, low, high, names
        return other

    def _params_in_files(self) -> State:
        size = None if self.expected_size is None else self.expected_size.tolist()
        return {"expected_size": size, "sampling": self.sampling}

    def _get_state(self) -> State:
        named = {} if self._names is None else {"schema": {"features": self._names}}
        return {**named, "statistics": {"n": self.n_, "low": self._low, "high": self._high}}

    @classmethod
    def _of_file(cls, given: State, state: State) -> Self:
        check_parts(given, ("expected_size", "sampling"), "Parameters of Rectangles")
        named = "schema" in state
        check_parts(state, ("schema", "statistics") if named else ("statistics",), "Rectangles")
        check_parts(state["statistics"], ("n", "low", "high"), "Statistics of Rectangles")
        n, low, high = (state["statistics"][name] for name in ("n", "low", "high"))
        empty = cls(given["expected_size"], sampling=given["sampling"])
        width = empty._width()
        arrays = all(isinstance(end, np.ndarray) and end.dtype == np.float64 and end.ndim == 1 for end in (low, high))
        if type(n) is not int or not 0 <= n <= MOST_OBSERVED or not arrays:
            raise DataError("Statistics of Rectangles", "be a number of points and two corners")
        if low.shape != high.shape or (n == 0) != (len(low) == 0) or (n > 0 and width not in (None, len(low))):
            raise DataError("Corners of Rectangles", "have as many features as sizes, and be empty without points")
        if not ((low <= high) & (low >= -LARGEST) & (high <= LARGEST)).all() or (n == 1 and (low != high).any()):
            raise DataError("Corners of Rectangles", "be finite, the lower first, and equal if there is one point")
        if not named:
            return empty._with(n, low, high)
        check_parts(state["schema"], ("features",), "The schema of Rectangles")
        names, width = state["schema"]["features"], len(low)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len({*names}) != width:
            raise DataError("Rectangles", f"have a different name for each of {width} features").but(
                f"got {str(names)[:80]}"
            )
        return empty._with(n, low, high, names)

    def __repr__(self) -> str:
        prior = "" if self.expected_size is None else f", expected_size={self.expected_size.tolist()}"
        seen = f"{self.n_} observed" if self.n_ else "none observed"
        ends = zip(self._low.tolist(), self._high.tolist(), strict=True)
        tight = "".join(f"{', ' if at else '; '}{low:g} to {high:g}" for at, (low, high) in enumerate(ends))
        return f"Rectangles({seen}{prior}{tight})"

    def _repr_html_(self) -> str:
        names = self._names or range(len(self._low))
        ends = zip(names, self._low.tolist(), self._high.tolist(), strict=True)
        return card(self, lambda: [table(["feature", "lowest", "highest"], ends, len(self._low))])


explain_arguments(Rectangles)


def _numbers(given: Any) -> Array | None:
    """Return numbers as an array; None if there are other values, such as texts."""
    try:
        columns = [np.asarray(column) for column in given.values()] if isinstance(given, Mapping) else None
        found = np.asarray(given) if columns is None else np.stack(columns, axis=-1)
        return found.astype(np.float64) if found.dtype.kind in "iufO" else None
    except (TypeError, ValueError):
        return None


def _names(points: Any) -> list[str] | None:
    """Return the names of a dataframe's columns; None if it has none, or some that are no texts."""
    names = getattr(points, "column_names", getattr(points, "columns", points if isinstance(points, Mapping) else None))
    found = [] if names is None else list(names)
    return found if found and all(isinstance(name, str) for name in found) else None


def _log_integrals(n: int, *at: Array) -> list[Array]:
    """Return ln Hₙ(x) by the trapezoid rule over ln v, where the integrand is a smooth bump with exponential tails."""
    x = np.concatenate([part.ravel() for part in at])
    first = np.log(2 / (n + x.max())) - TAIL / 2
    last = np.log(TAIL / x.min())
    last = min(last, TAIL / (n - 2)) if n > 2 else last
    v = np.exp(np.arange(first, last + STEP, STEP))
    logs = 2 * np.log(v) - n * np.log1p(v)  # of the integrand without e⁻ˣᵛ; times v, since the measure is d ln v
    out, many = np.empty(len(x)), max(1, CELLS_AT_ONCE // len(v))
    for start in range(0, len(x), many):
        terms = logs - x[start : start + many, None] * v
        top = terms.max(axis=1)
        out[start : start + many] = top + np.log(np.exp(terms - top[:, None]).sum(axis=1) * STEP)
    ends = np.cumsum([part.size for part in at])[:-1]
    return [found.reshape(part.shape) for found, part in zip(np.split(out, ends), at, strict=True)]
