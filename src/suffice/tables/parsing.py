"""Convert words of a file to numbers, flags, dates or words: the first rows decide for the whole column.

A column has the type of nearly all of its first values. A value of another type (at most one in a hundred, among many
different numbers or flags) is malformed, wherever in the file it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from suffice.later import pa, pc
from suffice.typing import Booleans

MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "#N/A", "<NA>")
"""Words that mean a missing value, unless the user names others; for labels and long texts, only the first."""
GAPS = ("-", "--", ".", "na", "n.a.", "none", "missing", "unknown")
"""Words that also mean a missing value in columns of numbers, flags or dates."""

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
NUMBER_OR_ENDLESS = rf"{NUMBER}|^[+-]?([iI]nf|[iI]nfinity|INF)$"
WHOLE = r"^[+-]?[0-9]{1,18}$"
TOO_LONG = r"^[+-]?[0-9]{19,}$"
GROUPED = r"^[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$"
CODE = r"^0[0-9]"
DAY = r"^[0-9]{4}-[01][0-9]-[0-3][0-9]([ T][0-2][0-9]:[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?)?$"
FLAGS = ("true", "false", "True", "False", "TRUE", "FALSE")
RARE, ENOUGH, DIFFERENT, LONG = 0.01, 100, 20, 40.0

Holds = Literal["whole", "real", "flag", "date", "word", "text"]


@dataclass(frozen=True)
class Reading:
    """The way to read the words of one column.

    >>> Reading("real", decimal=",").read(pa.array(["1,5", "", "many"]))[0].to_pylist()
    [1.5, None, None]
    """

    holds: Holds
    decimal: str = "."
    grouped: bool = False
    """Whether commas separate thousands."""
    spaces: bool = False
    missing: tuple[str, ...] = MISSING

    @property
    def type(self) -> Any:
        """Arrow type if Arrow can convert the words itself; None otherwise."""
        if self.decimal != "." or self.grouped:
            return None
        return {"whole": pa.int64(), "real": pa.float64(), "flag": pa.bool_()}.get(self.holds)

    @property
    def what(self) -> str:
        """Noun for the expected values, for error messages."""
        return {"whole": "numbers", "real": "numbers", "flag": "true and false"}.get(self.holds, "words")

    def read(self, words: Any) -> tuple[Any, Booleans | None]:
        """Return the values, and which of them are valid, or None if all are."""
        words = _trimmed(words) if self.spaces or self.holds not in ("word", "text") else words
        known = _without(words, self.missing)
        if self.holds in ("word", "text"):
            return known, None
        if self.holds == "date":
            return _masked(known, _matches(known, DAY)).cast(pa.timestamp("us")), None
        if self.holds == "flag":
            good = _either(pc.is_in(known, value_set=pa.array([*FLAGS, "0", "1"])), known)
            return _masked(known, good).cast(pa.bool_()), _valid(good)
        known = _plain(known, self.decimal, self.grouped)
        for kind in (pa.int64(), pa.float64()) if self.holds == "whole" else (pa.float64(),):
            try:
                values = known.cast(kind)
            except pa.ArrowInvalid:
                continue
            if kind == pa.int64() or not pc.any(pc.is_inf(values)).as_py():
                return values, None
        good = _either(_matches(known, NUMBER), known)
        values = _masked(known, good).cast(pa.float64())
        good = pc.and_(good, pc.fill_null(pc.is_finite(values), True))  # 1e999 is not
        return _masked(values, good), _valid(good)


def reading_of(words: Any, missing: tuple[str, ...] | None, spaces: bool, decimal: str, wanted: str = "") -> Reading:
    """Return how to read a column, by its first words; `wanted` is what a model has learned: "number" or "word".

    >>> reading_of(pa.array(["1", "2", "?"]), None, False, ".").holds
    'whole'
    """
    marks = MISSING if missing is None else tuple(dict.fromkeys(("", *missing)))
    words = _trimmed(words) if spaces else words
    text = bool((pc.mean(pc.binary_length(words)).as_py() or 0.0) > LONG)
    as_words = Reading("text" if text else "word", spaces=spaces, missing=marks[:1] if text and not missing else marks)
    if wanted == "word" or (text and wanted != "number"):
        return as_words
    gaps = marks if missing is not None else (*marks, *GAPS)
    known = _without(_trimmed(words), gaps).drop_null()
    if not len(known):
        return as_words if wanted != "number" else Reading("real", spaces=spaces, missing=gaps)
    different = known.unique() if len(known) > ENOUGH else known
    flags = _mean(pc.is_in(known, value_set=pa.array(FLAGS)))
    if flags == 1 or (flags > 1 - RARE and len(known) >= ENOUGH):
        return Reading("flag", spaces=spaces, missing=gaps)
    if _share(different, DAY) == 1:
        return Reading("date", spaces=spaces, missing=gaps)
    grouped = decimal == "." and _share(known, GROUPED) > 0
    plain = _plain(known, decimal, grouped)
    share = _share(plain, NUMBER_OR_ENDLESS)  # infinity is malformed, but does not make the column words
    many = len(known) >= ENOUGH and share > 1 - RARE and len(different) >= DIFFERENT
    if share < 1 and not many and wanted != "number":
        return as_words
    if wanted != "number" and (_share(plain, TOO_LONG) > 0 or _codes(known)):
        return as_words
    integral = _share(plain, WHOLE) >= share
    return Reading("whole" if integral else "real", decimal, grouped, spaces, gaps)


def is_number(word: str) -> bool:
    """Return whether a word is a number.

    >>> is_number("1e3"), is_number("one")
    (True, False)
    """
    return bool(_matches(pa.array([word.strip()]), NUMBER)[0].as_py())


def _codes(known: Any) -> bool:
    """Return whether whole numbers are in fact names: all have one length, and some start with 0."""
    lengths = pc.min_max(pc.utf8_length(known)).as_py()
    return lengths["min"] == lengths["max"] > 1 and _share(known, CODE) > 0 and _share(known, WHOLE) == 1


def _plain(known: Any, decimal: str, grouped: bool) -> Any:
    """Return numbers with a decimal point and without separators of thousands."""
    if grouped:
        return pc.if_else(_matches(known, GROUPED), pc.replace_substring(known, ",", ""), known)
    return pc.replace_substring(known, ",", ".") if decimal == "," else known


def _trimmed(words: Any) -> Any:
    return pc.ascii_trim(words, " \t")


def _without(words: Any, marks: tuple[str, ...]) -> Any:
    return _masked(words, pc.invert(pc.is_in(words, value_set=pa.array(marks, words.type))))


def _masked(values: Any, keep: Any) -> Any:
    return pc.if_else(keep, values, pa.scalar(None, values.type))


def _either(good: Any, known: Any) -> Any:
    return pc.or_(pc.fill_null(good, False), pc.is_null(known))


def _matches(words: Any, pattern: str) -> Any:
    return pc.match_substring_regex(words, pattern)


def _share(words: Any, pattern: str) -> float:
    return _mean(_matches(words, pattern))


def _mean(flags: Any) -> float:
    return float(pc.mean(pc.cast(flags, pa.float64())).as_py() or 0.0)


def _valid(good: Any) -> Booleans | None:
    """Return which values are valid, or None if all are."""
    if pc.all(good).as_py() is not False:
        return None
    return np.asarray(good.to_numpy(zero_copy_only=False) if isinstance(good, pa.Array) else good.to_numpy(), np.bool_)
