"""Give each class one colour in all charts, with a value for light pages and one for dark pages."""

from __future__ import annotations

__all__ = ["colour_of", "style_of"]

LIGHT = ("#1f7a6d", "#c2532f", "#4b5fb8", "#a67c00", "#9c3f78", "#2d7fb0", "#5f7f24", "#8a5a3c", "#6a4fa3", "#5f6b76")
DARK = ("#4fc3ae", "#f08a63", "#93a4f4", "#dcb13c", "#e58cbf", "#6fbfee", "#a6c961", "#cf9c79", "#b49bea", "#a9b4bf")
GOLDEN = 137.508


def colour_of(code: int) -> str:
    """Return the CSS variable of the colour of a class."""
    return f"var(--k{code})"


def style_of(classes: int) -> tuple[str, str]:
    """Return the CSS declarations of the colours, for light and dark pages."""
    return _values(classes, LIGHT, 38), _values(classes, DARK, 68)


def _values(classes: int, known: tuple[str, ...], light: int) -> str:
    return "".join(f"--k{c}:{known[c] if c < len(known) else _hue(c, light)};" for c in range(classes))


def _hue(code: int, light: int) -> str:
    return f"hsl({code * GOLDEN % 360:.0f} {45 + 10 * (code % 3)}% {light}%)"
