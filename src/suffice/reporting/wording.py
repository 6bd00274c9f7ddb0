"""Word the title and the figures of a report."""

from __future__ import annotations

__all__ = ["bounds", "number", "percent", "question", "short", "span"]


def question(classes: list[str], target: str | None = None) -> str:
    """Return the title of a report: the target, if its name is known, and the classes.

    >>> question(["0", "1"], "survived"), question(["ham", "spam"])
    ('Survived: 0 or 1?', 'ham or spam?')
    """
    if len(classes) > 5 or len(" or ".join(classes)) > 60:
        asked = f"which of {len(classes)} classes?"
        return f"{_heading(target)}: {asked}" if target else asked.capitalize()
    asked = f"{', '.join(classes[:-1])} or {classes[-1]}?" if len(classes) > 1 else classes[0]
    return f"{_heading(target)}: {asked}" if target else asked


def _heading(target: str) -> str:
    return target[:1].upper() + target[1:]


def percent(share: float, digits: int = 1) -> str:
    """Return a share in percent; a dash for NaN, and a bound for a share that would round to 0 or 1.

    >>> percent(0.5), percent(0.9999)
    ('50.0\u202f%', '> 99.9\u202f%')
    """
    if share != share:
        return "–"
    least = 0.5 * 10.0 ** (-2 - digits)
    if 0 < share < least or 1 - least < share < 1:
        return f"< {200 * least:g}\u202f%" if share < 0.5 else f"> {100 - 200 * least:g}\u202f%"
    return f"{100 * share:.{digits}f}\u202f%"


def span(ends: dict[str, float]) -> str:
    """Return an interval in percent, with one more digit near 0 and 1."""
    digits = 2 if ends["high"] > 0.999 or ends["low"] < 0.001 else 1
    return f"{percent(ends['low'], digits)} to {percent(ends['high'], digits)}"


def bounds(ends: dict[str, float]) -> str:
    """Return an interval in percent for a narrow table, without the sign."""
    digits = 2 if ends["high"] > 0.999 or ends["low"] < 0.001 else 1
    return f"{100 * ends['low']:.{digits}f}–{100 * ends['high']:.{digits}f}"


def number(value: float) -> str:
    """Return a number with six significant digits and thousands separators."""
    return f"{value:,.6g}"


def short(value: float) -> str:
    """Return a number with four significant digits."""
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
