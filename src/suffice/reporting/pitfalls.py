"""Find what a reader must know before any figure: leaks, identifiers, duplicates, small classes, stale views, drift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from suffice.reporting.column_facts import Drift, differing, drifts
from suffice.reporting.judged_rows import JudgedRows
from suffice.reporting.labelled_rows import CodedColumn, LabelledRows
from suffice.reporting.wording import listed, percent, plural
from suffice.stats.content import combined
from suffice.tables import Column, kind_of
from suffice.telling import counted
from suffice.typing import Array, Booleans, Integers

ROWS, COLUMNS = 50_000, 400
"""The most rows and the most columns that are examined."""

FEW = 20
"""The fewest rows that can distinguish chance from design; classes with fewer are reported."""

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

MISSING = 0.5
"""Columns are reported where at least this share of the values is missing."""

PAIRED, DISTINCT = 100, 0.5
"""So many columns are compared with each other, if at most this share of the rows has different values."""

SHIFT = 1e-3
"""Class shares differ from those learned where chance would do so with less than this probability."""

NAMES = {
    "leak": "Leak", "learned": "Training rows", "stale": "Stale", "useless": "No gain", "duplicates": "Duplicates",
    "few": "Few rows", "shift": "Shift", "drift": "Drift", "identifier": "Identifier", "missing": "Missing",
    "redundant": "Redundant", "constant": "Constant", "unknown": "Unknown", "dropped": "Left out", "sample": "Sample",
}  # fmt: skip
"""The names of the kinds of alerts, the most serious first."""

SERIOUS = ("leak", "learned", "stale", "useless")
"""Kinds of alerts that make all figures of a report doubtful."""


@dataclass(frozen=True)
class Alert:
    """A finding in one sentence, and what to do about it."""

    kind: str
    found: str
    advice: str

    def __str__(self) -> str:
        return f"{self.found} {self.advice}".strip()


def of(model: Any, given: LabelledRows, part: Integers | None, judged: Booleans | None = None) -> tuple[str, ...]:
    """Return warnings about the columns that the model uses, and about duplicates across the parts of a split."""
    return tuple(map(str, _of_split(model, given, part, judged)))


def alerts(model: Any, all_rows: LabelledRows, given: LabelledRows, judged: JudgedRows) -> list[Alert]:
    """Return the alerts of a model and of labelled rows, the most serious first."""
    found = [*_of_split(model, given, judged.fold, None), *_of_model(model, judged), *_of_rows(model, given, judged)]
    found += [*_of_classes(model, given, judged), *_of_drift(drifts(model, given, judged))]
    if given.dropped:
        names = ", ".join(str(label) for label in given.unknown[:5])
        text = f"{counted(given.dropped, given.unit)} of classes that the model never learned ({names}) are left out."
        found.append(Alert("dropped", text, "Fit the model on rows of these classes if it is to predict them."))
    if len(given) < len(all_rows):
        text = f"{len(given):,} of {len(all_rows):,} {given.unit}s are evaluated, picked by a hash of their number."
        found.append(Alert("sample", text, ""))
    return sorted(found, key=lambda one: [*NAMES].index(one.kind))


def _of_split(model: Any, given: LabelledRows, part: Integers | None, judged: Booleans | None) -> list[Alert]:
    silent = {name for name, one in getattr(model, "columns_", {}).items() if one.silent}
    names = None if not silent else [name for name in model.columns_ if name not in silent]
    return [*column_alerts(given, names), *([] if part is None else double_alerts(given, part, judged))]


def column_alerts(given: LabelledRows, names: list[Any] | None = None) -> list[Alert]:
    """Return alerts about columns that determine the label, identify the rows, or are constant.

    >>> from suffice.tables import Table
    >>> rows = Table.read({"x": ["a", "b"] * 15, "one": [7] * 30, "id": np.arange(30) + 100, "size": np.arange(30) % 7})
    >>> for alert in column_alerts(LabelledRows(rows, np.array(["no", "yes"] * 15), np.arange(30))):
    ...     print(alert)
    Column 'x' alone determines the label of every row. Leave it out unless it is known before the label.
    Column 'id' has a different value in nearly every row, like a row number. Leave it out: identifiers say nothing ...
    Column 'one' has only one value. Leave it out: it carries no information.
    """
    if given.texts or sparse.issparse(given.rows) or len(given) < FEW:
        return []
    sample = given.sample(ROWS)
    table, codes = sample.table, sample.codes
    rest = len(codes) - np.bincount(codes).max()  # none if there is one class, which nothing determines
    every, nearly, unique, constant = (list[str]() for _ in range(4))
    for name in [name for name in table.names if names is None or name in names][:COLUMNS]:
        if table[name].storage == "date":
            continue
        known = sample.coded(name)
        if len(known) <= 1:
            constant.append(repr(name))
        elif _names_rows(known):
            unique.append(repr(name))
        elif rest and kind_of(known.column) != "text":
            wrong = 0 if known.numeric and _one_stretch_each(known.column, codes) else _wrong(known.places, codes)
            if wrong <= min(WRONG * len(codes), AMONG * rest):
                (nearly if wrong else every).append(repr(name))
    found = []
    for how, leaks in (("every row", every), ("nearly every row", nearly)):
        if leaks:
            determine = plural(leaks, "determines", "each determine")
            out = plural(leaks, "it out unless it is", "them out unless they are")
            text = f"{_columns(leaks)} alone {determine} the label of {how}."
            found.append(Alert("leak", text, f"Leave {out} known before the label."))
    if unique:
        has = plural(unique, "has", "have")
        text = f"{_columns(unique)} {has} a different value in nearly every row, like a row number."
        advice = f"Leave {plural(unique, 'it', 'them')} out: identifiers say nothing about new rows."
        found.append(Alert("identifier", text, advice))
    if constant:
        text = f"{_columns(constant)} {plural(constant, 'has', 'have')} only one value."
        out = plural(constant, "it out: it carries", "them out: they carry")
        found.append(Alert("constant", text, f"Leave {out} no information."))
    return found


def _columns(items: list[str]) -> str:
    return f"{plural(items, 'Column', 'Columns')} {listed(items)}"


def double_alerts(given: LabelledRows, part: Integers, judged: Booleans | None = None) -> list[Alert]:
    """Return an alert about rows (of the judged ones) with an exact duplicate, label included, in another part.

    >>> rows = ["tea", "rum", "tea", "rye", "gin"] * 4
    >>> print(*double_alerts(LabelledRows(rows, np.array(["a"] * 20), np.arange(20)), np.arange(20) % 2))
    20 of 20 texts (100.0 %) have an exact duplicate in another part of the split. Keep each text once, unless ...
    """
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
    """Return a code for each distinct row with its label, and the duplicates expected by chance; None if unknown.

    By chance, columns are independent in each class.
    """
    codes, chance = given.codes, 0.0
    if given.texts:
        same = np.unique(np.asarray(given.rows, object).astype(str), return_inverse=True)[1]
    else:
        names = given.table.names
        if not 0 < len(names) <= COLUMNS:
            return None, 0.0
        content, logs = np.zeros(len(codes), np.uint64), np.zeros(len(codes))
        size: Array = np.bincount(codes).astype(np.float64)
        for name in names:
            places = given.coded(name).places + 1
            content = combined(content, places.astype(np.uint64))
            _, pair, count = np.unique(places * len(size) + codes, return_inverse=True, return_counts=True)
            logs += np.log(count[pair] / size[codes])
        chance = float(-np.expm1(-(size[codes] - 1) * np.exp(logs))[judged].sum())
        same = np.unique(content, return_inverse=True)[1]
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


def _names_rows(known: CodedColumn) -> bool:
    """Return whether the values are identifiers or running numbers of rows rather than measurements."""
    rows, different = int(known.count.sum()), len(known)
    if rows < FEW or different < UNIQUE * rows:
        return False
    kind = kind_of(known.column)
    if kind in ("category", "identifier"):
        return True
    if kind != "integer" or different < rows:
        return False
    values = np.asarray(known.column.values)[known.column.present].astype(np.float64)
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


def _of_model(model: Any, judged: JudgedRows) -> list[Alert]:
    found = []
    if judged.learned and not judged.left_out:
        text = "The figures flatter the model: it learned the rows it is evaluated on."
        found.append(Alert("learned", text, "Evaluate it on other rows."))
    if model.stale_:
        text = "The counts have changed since the hyperparameters were chosen, so these are stale."
        found.append(Alert("stale", text, "Call refresh(X, y) to choose them again."))
    (often, blind), right = judged.baseline, judged.accuracy
    if len(np.unique(judged.codes)) > 1 and judged.log_loss >= blind:
        text = (
            f"The log loss, {judged.log_loss:.3f}, is no better than that of the class shares alone, {blind:.3f} "
            f"(accuracy {right:.1%}, largest class {often:.1%})."
        )
        found.append(Alert("useless", text, "Look for columns that say more about the label."))
    return found


def _of_rows(model: Any, given: LabelledRows, judged: JudgedRows) -> list[Alert]:
    found = []
    strangers = int((~model._known(given.rows, 2 if judged.left_out else 1)).sum())  # learned from other rows
    if strangers:
        what, verb = ("word" if given.texts else "value"), "holds" if strangers == 1 else "hold"
        text = f"{counted(strangers, given.unit)} {verb} no {what} that was learned."
        found.append(Alert("unknown", text, "Predictions there rest on the class prior: learn more rows."))
    if given.texts or not getattr(model._reader, "by_block", False):
        return found
    table = given.table
    shares = {name: table[name].n_missing / len(given) for name in table.names[:COLUMNS]}
    gaps = sorted(((share, str(name)) for name, share in shares.items() if MISSING <= share < 1), reverse=True)
    if gaps:
        named = [f"{name!r} ({percent(share, 0)})" for share, name in gaps]
        text = f"{_columns(named)} {plural(named, 'has', 'have')} no value in at least half of the rows."
        found.append(Alert("missing", text, "Check why values are missing, and whether new rows will lack them too."))
    coded = {name: given.coded(name) for name in table.names[:PAIRED] if table[name].storage != "date"}
    sizes = {name: len(known) + (known.column.n_missing > 0) for name, known in coded.items()}
    names = [name for name, size in sizes.items() if 2 < size < DISTINCT * len(table) or size == 2]
    pairs = [
        f"{a!r} and {b!r}"
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        if sizes[a] == sizes[b] and len(np.unique(coded[a].places * (sizes[b] + 1) + coded[b].places)) == sizes[a]
    ]
    if pairs:
        more = f" (and {len(pairs) - 5} pairs more)" if len(pairs) > 5 else ""
        advice = "Keep one of each: naive Bayes counts both, which the feature powers undo only in part."
        text = f"Columns {', '.join(pairs[:5])}{more} determine each other."
        found.append(Alert("redundant", text, advice))
    return found


def _of_classes(model: Any, given: LabelledRows, judged: JudgedRows) -> list[Alert]:
    """Return alerts about small classes, and class shares that differ from those learned (chi-squared)."""
    rows, found = np.bincount(judged.codes, minlength=len(judged.classes)), []
    few = sorted((int(n), str(label)) for n, label in zip(rows, judged.classes, strict=True) if n < FEW)
    if few:
        named = f"{plural(few, 'Class', 'Classes')} {listed([f'{label!r} ({n:,})' for n, label in few])}"
        text = f"{named} {plural(few, 'has', 'have')} few {given.unit}s here, so figures about "
        text += f"{plural(few, 'it', 'them')} are uncertain."
        found.append(Alert("few", text, "Collect more, or unite classes that need not be told apart."))
    learned = np.asarray(model.class_count_, float)
    if not judged.learned and len(learned) > 1 and differing(learned, rows.astype(float))[1] < SHIFT:
        here, before = rows / rows.sum(), learned / learned.sum()
        c = int(np.abs(here - before).argmax())
        text = f"Class shares differ from those learned: {str(judged.classes[c])!r} is {here[c]:.1%} here and was "
        advice = "If new rows look like these, set class_prior to their shares."
        found.append(Alert("shift", f"{text}{before[c]:.1%}.", advice))
    return found


def _of_drift(found: list[Drift]) -> list[Alert]:
    values = [f"{one.name!r} ({percent(one.distance, 0)})" for one in found if one.missing is None]
    gaps = [(one.name, *(percent(share, 0) for share in one.missing)) for one in found if one.missing is not None]
    texts = []
    if values:
        text = f"{_columns(values)} {plural(values, 'differs', 'differ')} from the training rows"
        texts.append(f"{text} (in brackets: total variation, the distance of the two distributions).")
    if gaps:
        named = _columns([f"{name!r} ({here} here, {before} of the training rows)" for name, before, here in gaps])
        texts.append(f"Missingness differs: {named[0].lower()}{named[1:]}.")
    advice = "Check how these rows were collected; if the change lasts, train on newer rows."
    return [Alert("drift", " ".join(texts), advice)] if found else []
