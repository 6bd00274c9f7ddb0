"""Read hypotheses (sets, predicates, a matrix, a file) into names, the domain and a table of bits.

A file stores hypotheses as bits, the prior, and the count of each item; rules that were given as functions are stored
as the items that they hold. A file may be forged, so all of it is checked.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from suffice.concepts.scores import Bits
from suffice.errors import DataError, InputError, KindError, ShapeError
from suffice.typing import Array, Booleans

CELLS_AT_ONCE = 2**22

MOST_OBSERVED = 2**53 - 1
"""Largest number of observations in a file."""

State = dict[str, Any]


class Space(NamedTuple):
    """A space of hypotheses: their names, the items, and which hypothesis holds which item."""

    names: tuple[Hashable, ...]
    domain: tuple[Hashable, ...]
    bits: Bits


def read_space(hypotheses: Any, domain: Any = None, names: Any = None) -> Space:
    """Return the space that the arguments of a learner describe."""
    if isinstance(hypotheses, Mapping):
        if names is not None:
            raise InputError("The argument 'names' is for hypotheses without keys; got both keys and names.")
        names, hypotheses = tuple(hypotheses), tuple(hypotheses.values())
    if isinstance(hypotheses, str) or not isinstance(hypotheses, Iterable):
        raise KindError("hypotheses", "be sets, predicates or rows of a boolean matrix", got_a=hypotheses)
    items = None if domain is None else different(domain, "domain")
    if isinstance(hypotheses, np.ndarray):
        items, bits = _from_blocks(iter([hypotheses]), items)
    else:
        items, bits = _from_any(iter(hypotheses), items)
    return checked_space(bits, items, names)


def as_list(items: Any, name: str) -> list[Any]:
    """Return items as a list; raise for a single item, such as a text."""
    if isinstance(items, np.ndarray) and items.ndim == 1:
        return [*items.tolist()]
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        raise KindError(name, "be a list of items", got=items).advise(f"Write [{items!r}] for one item.")
    return list(items)


def read_prior(prior: Any, names: tuple[Hashable, ...]) -> Array:
    """Return the probability of each hypothesis, from weights that need not add up to one."""
    if prior is None:
        return np.full(len(names), 1 / len(names))
    if isinstance(prior, Mapping):
        if set(prior) != set(names):
            odd = min(set(prior) ^ set(names), key=repr)
            got = f"one for {odd!r}, which is not a hypothesis" if odd in prior else f"none for {odd!r}"
            raise InputError("prior", "have exactly one weight for each hypothesis").but(f"got {got}")
        prior = [prior[name] for name in names]
    try:
        weights = np.array(prior, np.float64)
    except (TypeError, ValueError):
        raise KindError("prior", "hold weights as numbers", got=prior) from None
    if weights.shape != (len(names),):
        raise ShapeError("prior", f"hold a weight for each of {len(names)} hypotheses").but(
            f"got shape {weights.shape}"
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise InputError("prior", "hold weights that are finite and not negative").but(
            f"got {weights[bad[0]]:g} for {names[bad[0]]!r}"
        )
    largest = weights.max()
    if largest == 0:
        raise InputError("prior", "give at least one hypothesis a weight above zero").but("got only zeros")
    weights /= largest  # keeps their sum finite
    return np.asarray(weights / weights.sum())


def checked_space(bits: Bits, items: tuple[Hashable, ...], names: Any) -> Space:
    """Return a space of these parts; raise unless they fit together and each hypothesis holds an item."""
    if bits.rows == 0 or not items:
        what = "hypothesis" if bits.rows == 0 else "item in the domain"
        raise DataError(f"A concept learner needs at least one {what}; got none.")
    named = tuple(range(bits.rows)) if names is None else different(names, "names")
    if len(named) != bits.rows:
        raise ShapeError("names", f"name each of {bits.rows} hypotheses").but(f"got {len(named)} names")
    empty = np.flatnonzero(bits.sizes == 0)
    if len(empty):
        raise DataError("A hypothesis", "hold at least one item of the domain").but(f"{named[empty[0]]!r} holds none")
    return Space(named, items, bits)


def different(values: Any, name: str) -> tuple[Hashable, ...]:
    """Return the items of a list; raise unless they are hashable and distinct."""
    found = tuple(as_list(values, name))
    try:
        seen = set(found)
    except TypeError:
        raise KindError(name, "list hashable items", got=found) from None
    if len(seen) < len(found):
        twice = next(value for at, value in enumerate(found) if value in found[:at])
        raise InputError(name, "list distinct values").but(f"got {twice!r} twice")
    return found


def _from_any(members: Iterator[Any], items: tuple[Hashable, ...] | None) -> tuple[tuple[Hashable, ...], Bits]:
    """Read hypotheses that are all blocks of a matrix, or all single hypotheses, as the first one is."""
    first = next(members, None)
    if first is None:
        return items or ("no item",), Bits(np.empty((0, 1), np.uint8), 0)
    if isinstance(first, np.ndarray) and first.ndim == 2:
        return _from_blocks(chain([first], members), items)
    every = [first, *members]
    if items is None:
        items = _union(every)
    codes = {item: code for code, item in enumerate(items)}
    step = max(8, CELLS_AT_ONCE // max(1, len(items)))
    cuts = (every[at : at + step] for at in range(0, len(every), step))
    blocks = (np.array([_row(one, items, codes) for one in cut], np.bool_) for cut in cuts)
    return items, Bits.pack(blocks, len(items))


def _from_blocks(blocks: Iterator[Any], items: tuple[Hashable, ...] | None) -> tuple[tuple[Hashable, ...], Bits]:
    first = _block(next(blocks), None)
    items = tuple(range(first.shape[1])) if items is None else items
    width = len(items)
    return items, Bits.pack((_block(block, width) for block in chain([first], blocks)), width)


def _block(block: Any, width: int | None) -> Booleans:
    matrix = np.asarray(block)
    if matrix.ndim != 2 or width not in (None, matrix.shape[1]):
        columns = "items" if width is None else f"{width} items, as in the domain"
        raise ShapeError("A matrix of hypotheses", f"have shape hypotheses × {columns}").but(
            f"got shape {matrix.shape}"
        )
    if matrix.dtype != np.bool_ and not (matrix.dtype.kind in "iuf" and ((matrix == 0) | (matrix == 1)).all()):
        odd = f"an array of {matrix.dtype}"
        if matrix.dtype.kind in "iuf":
            odd = str(matrix[(matrix != 0) & (matrix != 1)][0])
        raise DataError("A matrix of hypotheses", "hold True and False, or zeros and ones").but(f"got {odd}")
    return matrix.astype(np.bool_, copy=False)


def _union(members: list[Any]) -> tuple[Hashable, ...]:
    """Return the items of all sets, sorted if possible."""
    if any(callable(one) or (isinstance(one, np.ndarray) and one.dtype == np.bool_) for one in members):
        raise InputError("domain", "list all items if hypotheses are predicates or rows").but("got None")
    seen = dict.fromkeys(item for one in members for item in as_list(one, "hypotheses"))
    try:
        return tuple(sorted(seen))
    except TypeError:
        return tuple(seen)


def _row(one: Any, items: tuple[Hashable, ...], codes: dict[Hashable, int]) -> Booleans:
    if callable(one):
        return np.fromiter((bool(one(item)) for item in items), np.bool_, len(items))
    if isinstance(one, np.ndarray) and one.dtype == np.bool_:
        if one.shape != (len(items),):
            raise ShapeError("A row of a hypothesis", f"have a value for each of {len(items)} items").but(
                f"got shape {one.shape}"
            )
        return np.asarray(one)
    row = np.zeros(len(items), np.bool_)
    for item in as_list(one, "hypotheses"):
        if item not in codes:
            raise DataError("A hypothesis", "hold only items of the domain").but(f"got {item!r}, which is not in it")
        row[codes[item]] = True
    return row


def check_parts(found: Any, names: tuple[str, ...], what: str) -> None:
    """Raise DataError unless a part of a file has these keys."""
    if not isinstance(found, dict) or set(found) != set(names):
        raise DataError(what, f"have {list(names)}").but(f"got {str(found)[:80]}")


def read_state(state: State) -> Space:
    """Return the space of hypotheses of a file; raise DataError if it is invalid."""
    check_parts(state, ("schema", "statistics"), "A learner")
    schema = state["schema"]
    check_parts(schema, ("hypotheses", "domain", "bits"), "A space of hypotheses")
    names, items = (_from_file(schema[name], name) for name in ("hypotheses", "domain"))
    packed, rows = schema["bits"], len(names)
    if not isinstance(packed, np.ndarray) or packed.dtype != np.uint8 or packed.shape != (-(-rows // 8), len(items)):
        raise DataError("Bits", f"be an array for {rows} hypotheses and {len(items)} items")
    if rows % 8 and (packed[-1] & (255 >> rows % 8)).any():
        raise DataError("Bits", f"be set for {rows} hypotheses only").but("got some beyond them")
    return checked_space(Bits(packed, rows), different(items, "domain"), names)


def read_belief(prior: Any, space: Space) -> Array:
    """Return the prior of a file, unchanged to the bit; raise DataError if it is invalid."""
    if not isinstance(prior, np.ndarray) or prior.dtype != np.float64 or prior.shape != (len(space.names),):
        raise DataError("A prior", f"have a probability for each of {len(space.names)} hypotheses")
    if not (np.isfinite(prior) & (prior >= 0)).all() or abs(prior.sum() - 1) > 1e-9:
        raise DataError("A prior", "have probabilities that add up to one")
    return prior


def for_file(values: tuple[Hashable, ...]) -> Any:
    """Return plain numbers as an array, which is shorter, and all else as a list."""
    for kind, dtype in ((int, np.int64), (float, np.float64)):
        if all(type(value) is kind for value in values):
            try:
                return np.array(values, dtype)
            except OverflowError:
                break
    return list(values)


def _from_file(values: Any, name: str) -> tuple[Hashable, ...]:
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype in (np.int64, np.float64):
        return tuple(values.tolist())
    if not isinstance(values, list):
        raise DataError(f"The {name} of a learner", "be a list")
    return tuple(values)
