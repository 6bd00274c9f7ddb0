"""Warn of what makes figures too optimistic: columns that reveal the label or identify the row, and duplicate rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from suffice.models.choosing.judge import some_rows
from suffice.reporting.labelled_rows import LabelledRows
from suffice.stats.content import combined
from suffice.tables import Column, kind_of
from suffice.telling import counted
from suffice.typing import Array, Booleans, Integers

__all__ = ["Alert", "alerts_of", "column_alerts", "of", "of_columns", "of_doubles", "places_of", "repeated"]

ROWS, COLUMNS = 50_000, 400
"""The most rows and the most columns that are examined."""

FEW = 20
"""The fewest rows that can distinguish chance from design."""

WRONG = 0.005
"""The largest share of rows for which a column that reveals the label may be wrong,"""

AMONG = 0.05
"""and the largest share of the rows outside the most frequent class."""

UNIQUE = 0.95
"""The share of distinct values from which on a column of words identifies rows."""

DOUBLES = 0.01
"""The share of duplicate rows from which on they are reported,"""

CHANCE = 3.0
"""if they are this many times more frequent than with independent columns."""


@dataclass(frozen=True)
class Alert:
    """Hold a finding in one sentence, and what to do about it."""

    kind: str
    found: str
    advice: str

    def __str__(self) -> str:
        return f"{self.found} {self.advice}".strip()


def of(model: Any, given: LabelledRows, part: Integers | None, judged: Booleans | None = None) -> tuple[str, ...]:
    """Return warnings about the columns that the model uses, and about duplicates across the parts of a split."""
    return tuple(map(str, alerts_of(model, given, part, judged)))


def alerts_of(model: Any, given: LabelledRows, part: Integers | None, judged: Booleans | None = None) -> list[Alert]:
    """Return alerts about the columns that the model uses, and about duplicates across the parts of a split."""
    silent = {name for name, one in getattr(model, "columns_", {}).items() if one.silent}
    names = None if not silent else [name for name in model.columns_ if name not in silent]
    doubles = [] if part is None else _double_alerts(given, part, judged)
    return [*column_alerts(given, names), *doubles]


def of_columns(given: LabelledRows, names: list[Any] | None = None) -> list[str]:
    """Return warnings about columns that reveal the label, identify the row, or have one value only.

    >>> from suffice.tables import Table
    >>> rows = Table.read({"x": ["a", "b"] * 15, "one": [7] * 30, "id": np.arange(30) + 100, "size": np.arange(30) % 7})
    >>> for line in of_columns(LabelledRows(rows, np.array(["no", "yes"] * 15), np.arange(30))):
    ...     print(line)
    Column 'x' alone determines the label of every row. Leave it out unless it is known before the label.
    Column 'id' has a different value in nearly every row, like a row number. Leave it out: identifiers say nothing ...
    Column 'one' has only one value. Leave it out: it carries no information.
    """
    return list(map(str, column_alerts(given, names)))


def column_alerts(given: LabelledRows, names: list[Any] | None = None) -> list[Alert]:
    """Return alerts about columns that determine the label, identify the rows, or are constant."""
    if given.texts or sparse.issparse(given.rows) or len(given) < FEW:
        return []
    sample = given.take(some_rows(len(given), ROWS))
    table = sample.table()
    codes = np.unique(sample.labels, return_inverse=True)[1]
    several = bool(codes.any())  # one class alone is determined by nothing
    telling: dict[str, list[Any]] = {"every row": [], "nearly every row": []}
    unique, constant = list[Any](), list[Any]()
    for name in [name for name in table.names if names is None or name in names][:COLUMNS]:
        column = table[name]
        if column.storage == "date":
            continue
        places = places_of(column)
        if len(np.unique(places[places >= 0])) <= 1:
            constant.append(name)
        elif _names_rows(column, places):
            unique.append(name)
        elif several and kind_of(column) != "text":
            wrong = _wrong(places, codes)
            if column.storage in ("integer", "real") and _one_stretch_each(column, codes):
                wrong = 0
            if wrong <= min(WRONG * len(codes), AMONG * (len(codes) - np.bincount(codes).max())):
                telling["nearly every row" if wrong else "every row"].append(name)
    return _in_words(telling, unique, constant)


def _in_words(telling: dict[str, list[Any]], unique: list[Any], constant: list[Any]) -> list[Alert]:
    found = []
    for how, names in telling.items():
        if names:
            text = f"{_listed(names)} alone {_one(names, 'determines', 'each determine')} the label of {how}."
            known = _one(names, "it out unless it is", "them out unless they are")
            found.append(Alert("leak", text, f"Leave {known} known before the label."))
    if unique:
        has = _one(unique, "has", "have")
        text = f"{_listed(unique)} {has} a different value in nearly every row, like a row number."
        out = _one(unique, "it", "them")
        found.append(Alert("identifier", text, f"Leave {out} out: identifiers say nothing about new rows."))
    if constant:
        text = f"{_listed(constant)} {_one(constant, 'has', 'have')} only one value."
        out = _one(constant, "it out: it carries", "them out: they carry")
        found.append(Alert("constant", text, f"Leave {out} no information."))
    return found


def _one(names: list[Any], one: str, many: str) -> str:
    return one if len(names) == 1 else many


def of_doubles(given: LabelledRows, part: Integers, judged: Booleans | None = None) -> list[str]:
    """Return a warning about rows (of the judged ones) with an exact duplicate, label included, in another part.

    >>> rows = ["tea", "rum", "tea", "rye", "gin"] * 4
    >>> of_doubles(LabelledRows(rows, np.array(["a"] * 20), np.arange(20)), np.arange(20) % 2)[0]
    '20 of 20 texts (100.0 %) have an exact duplicate in another part of the split. Keep each text once, unless ...'
    """
    return list(map(str, _double_alerts(given, part, judged)))


def _double_alerts(given: LabelledRows, part: Integers, judged: Booleans | None) -> list[Alert]:
    if len(given) < FEW or sparse.issparse(given.rows) or len(given) > ROWS:
        return []
    judged = np.ones(len(given), bool) if judged is None else judged
    same, chance = _same(given, judged)
    if same is None:
        return []
    split = np.unique(same * (part.max() + 1) + part) // (part.max() + 1)
    several = np.bincount(split, minlength=same.max() + 1) > 1
    found, rows = int(several[same][judged].sum()), int(judged.sum())
    if found < DOUBLES * rows or found < CHANCE * chance:
        return []
    what, share = counted(rows, given.unit), 100 * found / rows
    text = f"{found:,} of {what} ({share:.1f} %) have an exact duplicate in another part of the split."
    repeat = f"unless new {given.unit}s repeat old ones"
    advice = f"Keep each {given.unit} once, {repeat}: duplicates make the figures too optimistic."
    return [Alert("duplicates", text, advice)]


def _same(given: LabelledRows, judged: Booleans) -> tuple[Integers | None, float]:
    """Return a code for each distinct row with its label, and the duplicates expected by chance; None if unknown."""
    codes, chance = np.unique(given.labels, return_inverse=True)[1], 0.0
    if given.texts:
        same = np.unique(np.asarray(given.rows, object).astype(str), return_inverse=True)[1]
    else:
        table = given.table()
        if not 0 < len(table.names) <= COLUMNS:
            return None, 0.0
        same, chance = _alike([places_of(table[name]) for name in table.names], codes, judged)
    return np.unique(same * (codes.max() + 1) + codes, return_inverse=True)[1], chance


def repeated(given: LabelledRows) -> int:
    """Return the number of rows that repeat an earlier row, label included; 0 if they are below one in a hundred.

    >>> rows = ["tea", "rum", "tea", "rye", "gin"] * 4
    >>> repeated(LabelledRows(rows, np.array(["a"] * 20), np.arange(20)))
    16
    """
    if len(given) < FEW or sparse.issparse(given.rows):
        return 0
    same = _same(given, np.ones(len(given), bool))[0]
    found = 0 if same is None else len(given) - len(np.unique(same))
    return found if found >= DOUBLES * len(given) else 0


def places_of(column: Column) -> Integers:
    """Return a code for each value, −1 for a missing one."""
    if column.values is None:
        return np.full(len(column), -1)
    if column.storage == "string":
        column = column.coded()
    values = column.values if column.storage == "category" else np.unique(column.values, return_inverse=True)[1]
    return np.where(column.present, np.asarray(values, np.int64), -1)


def _names_rows(column: Column, places: Integers) -> bool:
    """Return whether the values are identifiers or running numbers of rows rather than measurements."""
    present = places[places >= 0]
    different = len(np.unique(present))
    if len(present) < FEW or different < UNIQUE * len(present):
        return False
    kind = kind_of(column)
    if kind in ("category", "identifier"):
        return True
    if kind != "integer" or different < len(present):
        return False
    values = np.asarray(column.values)[column.present].astype(np.float64)
    step = np.diff(values)
    dense = values.max() - values.min() < 2 * len(values)
    return bool(dense or (step > 0).all() or (step < 0).all())


def _wrong(places: Integers, codes: Integers) -> int:
    """Return the number of rows whose label is not the most frequent one among the other rows of the same value."""
    k = int(codes.max()) + 1
    pairs, pair, count = np.unique((places + 1) * k + codes, return_inverse=True, return_counts=True)
    value = pairs // k
    order = np.lexsort((-count, value))
    first = np.flatnonzero(np.diff(value[order], prepend=-1))
    most = np.zeros(int(value.max()) + 1, np.int64)
    second = np.zeros_like(most)
    most[value[order[first]]] = count[order[first]]
    after = first[np.diff(first, append=len(order)) > 1] + 1
    second[value[order[after]]] = count[order[after]]
    top = np.zeros(len(pairs), bool)
    top[order[first]] = True
    others = np.where(top, second[value], most[value])
    return int((count - 1 <= others)[pair].sum())


def _one_stretch_each(column: Column, codes: Integers) -> bool:
    """Return whether the values of each class form an interval without values of other classes."""
    if column.missing is not None:
        return False
    order = np.argsort(column.values, kind="stable")
    values, classes = column.values[order], codes[order]
    change = np.flatnonzero(np.diff(classes))
    return len(change) == int(codes.max()) and bool((values[change] < values[change + 1]).all())


def _alike(columns: list[Integers], codes: Integers, judged: Booleans) -> tuple[Integers, float]:
    """Return a code for each distinct row, and the duplicates expected with columns independent in each class."""
    same, logs = np.zeros(len(codes), np.uint64), np.zeros(len(codes))
    size: Array = np.bincount(codes).astype(np.float64)
    for places in columns:
        same = combined(same, (places + 1).astype(np.uint64))
        _, pair, count = np.unique((places + 1) * len(size) + codes, return_inverse=True, return_counts=True)
        logs += np.log(count[pair] / size[codes])
    chance = float(-np.expm1(-(size[codes] - 1) * np.exp(logs))[judged].sum())
    return np.unique(same, return_inverse=True)[1], chance


def _listed(names: list[Any]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"Column{'s' * (len(names) > 1)} {shown}{more}"
