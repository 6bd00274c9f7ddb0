"""Find what a reader must know before any figure: leaks, identifiers, duplicates, small classes, stale views."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.reporting import pitfalls
from suffice.reporting.drift import Drift, differing, drifts
from suffice.reporting.judged_rows import JudgedRows
from suffice.reporting.labelled_rows import LabelledRows
from suffice.reporting.pitfalls import Alert, places_of
from suffice.telling import counted

__all__ = ["NAMES", "SERIOUS", "alerts"]

FEW = 20
"""Classes with fewer rows than this are reported."""

MISSING = 0.5
"""Columns are reported where at least this share of the values is missing,"""

LISTED = 400
"""among at most so many columns."""

PAIRED = 100
"""So many columns are compared with each other."""

UNIQUE = 0.5
"""Columns with more different values than this share of the rows are not compared."""

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


def alerts(model: Any, all_rows: LabelledRows, given: LabelledRows, judged: JudgedRows) -> list[Alert]:
    """Return the alerts of a model and of labelled rows, the most serious first."""
    found = [*pitfalls.alerts_of(model, given, judged.fold), *_of_model(model, judged), *_of_rows(model, given, judged)]
    found += [*_of_classes(given, judged), *shift(model, judged), *_of_drift(drifts(model, given, judged))]
    if given.dropped:
        names = ", ".join(str(label) for label in given.unknown[:5])
        text = f"{counted(given.dropped, given.unit)} of classes that the model never learned ({names}) are left out."
        found.append(Alert("dropped", text, "Fit the model on rows of these classes if it is to predict them."))
    if len(given) < len(all_rows):
        text = f"{len(given):,} of {len(all_rows):,} {given.unit}s are evaluated, picked by a hash of their number."
        found.append(Alert("sample", text, ""))
    return sorted(found, key=lambda one: [*NAMES].index(one.kind))


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
    table = given.table()
    shares = {name: table[name].n_missing / len(given) for name in table.names[:LISTED]}
    gaps = sorted(((share, str(name)) for name, share in shares.items() if MISSING <= share < 1), reverse=True)
    if gaps:
        named = ", ".join(f"{name!r} ({100 * share:.0f}\u202f%)" for share, name in gaps[:5])
        more = f" and {len(gaps) - 5} more" if len(gaps) > 5 else ""
        has = "Column" if len(gaps) == 1 else "Columns"
        text = f"{has} {named}{more} {'has' if len(gaps) == 1 else 'have'} no value in at least half of the rows."
        found.append(Alert("missing", text, "Check why values are missing, and whether new rows will lack them too."))
    return [*found, *_redundant(table)]


def _redundant(table: Any) -> list[Alert]:
    """Return an alert about columns whose values determine each other."""
    coded = {name: places_of(table[name]) for name in table.names[:PAIRED] if table[name].storage != "date"}
    sizes = {name: len(np.unique(places)) for name, places in coded.items()}
    known = [name for name, size in sizes.items() if 2 < size < UNIQUE * len(table) or size == 2]
    pairs = [
        (a, b)
        for i, a in enumerate(known)
        for b in known[i + 1 :]
        if sizes[a] == sizes[b] and len(np.unique(coded[a] * (sizes[b] + 1) + coded[b])) == sizes[a]
    ]
    if not pairs:
        return []
    named = ", ".join(f"{a!r} and {b!r}" for a, b in pairs[:5])
    more = f" (and {len(pairs) - 5} pairs more)" if len(pairs) > 5 else ""
    advice = "Keep one of each: naive Bayes counts both, which the feature powers undo only in part."
    return [Alert("redundant", f"Columns {named}{more} determine each other.", advice)]


def _of_classes(given: LabelledRows, judged: JudgedRows) -> list[Alert]:
    rows, found = np.bincount(judged.codes, minlength=len(judged.classes)), []
    few = [(int(n), str(label)) for n, label in zip(rows, judged.classes, strict=True) if n < FEW]
    if few:
        named = ", ".join(f"{label!r} ({n:,})" for n, label in sorted(few)[:5])
        more = f" and {len(few) - 5} more" if len(few) > 5 else ""
        text = f"{'Class' if len(few) == 1 else 'Classes'} {named}{more} {'has' if len(few) == 1 else 'have'} few "
        text += f"{given.unit}s here, so figures about {'it' if len(few) == 1 else 'them'} are uncertain."
        found.append(Alert("few", text, "Collect more, or unite classes that need not be told apart."))
    return found


def shift(model: Any, judged: JudgedRows) -> list[Alert]:
    """Return an alert where class shares of new rows differ from those learned by more than chance (chi-squared)."""
    learned, here = np.asarray(model.class_count_, float), np.bincount(judged.codes, minlength=len(judged.classes))
    if judged.learned or len(learned) < 2:
        return []
    if differing(learned, here.astype(float))[1] >= SHIFT:
        return []
    shares = np.abs(here / here.sum() - learned / learned.sum())
    c = int(shares.argmax())
    text = (
        f"Class shares differ from those learned: {str(judged.classes[c])!r} is {here[c] / here.sum():.1%} here and "
        f"was {learned[c] / learned.sum():.1%}."
    )
    return [Alert("shift", text, "If new rows look like these, set class_prior to their shares.")]


def _of_drift(found: list[Drift]) -> list[Alert]:
    if not found:
        return []
    values, gaps = [one for one in found if one.missing is None], [one for one in found if one.missing is not None]
    texts = []
    if values:
        named = _named([f"{one.name!r} ({_whole(one.distance)})" for one in values])
        text = f"{named} {'differs' if len(values) == 1 else 'differ'} from the training rows"
        texts.append(f"{text} (in brackets: total variation, the distance of the two distributions).")
    if gaps:
        shares = [(one.name, *map(_whole, one.missing)) for one in gaps if one.missing is not None]
        named = _named([f"{name!r} ({here} here, {before} of the training rows)" for name, before, here in shares])
        texts.append(f"Missingness differs: {named[0].lower()}{named[1:]}.")
    advice = "Check how these rows were collected; if the change lasts, train on newer rows."
    return [Alert("drift", " ".join(texts), advice)]


def _named(items: list[str]) -> str:
    """Return the first columns of a list, and the number of others."""
    more = f" and {len(items) - 5} more" if len(items) > 5 else ""
    return f"{'Column' if len(items) == 1 else 'Columns'} {', '.join(items[:5])}{more}"


def _whole(share: float) -> str:
    """Return a share in whole percent."""
    return f"{100 * share:.0f}\u202f%"
