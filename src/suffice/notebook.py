"""Markup of what notebooks display: cards of tables, small curves and bars, which need nothing else.

A card is HTML that is XML, too, without scripts, fonts or addresses. It takes its colours from the theme of JupyterLab,
VS Code or Colab, elsewhere from what the system prefers. All text is escaped, and long tables are cut short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from itertools import islice
from typing import Any

import numpy as np

__all__ = ["MOST", "Markup", "bar", "card", "figures", "folded", "line", "plot", "short", "summary", "table", "written"]

MOST = 20
"""Lines of a table that are shown."""

LONGEST = 120
"""Characters of a cell that are shown; a title may have twice as many."""

FOR, AGAINST = "#26865f", "#c4532f"
"""Colours that stand out on light and on dark ground."""

STYLE = """<style>
.suffice{--sf-paper:#ffffff;--sf-ink:#1f2328;font:13px/1.45 system-ui,sans-serif;box-sizing:border-box;
width:fit-content;max-width:100%;overflow-x:auto;padding:8px 12px;
border:1px solid rgba(128,128,128,.4);border-radius:6px;
background:var(--jp-layout-color0,var(--vscode-editor-background,var(--colab-primary-surface-color,var(--sf-paper))));
color:var(--jp-content-font-color1,var(--vscode-editor-foreground,var(--colab-primary-text-color,var(--sf-ink))))}
@media (prefers-color-scheme:dark){.suffice{--sf-paper:#16191d;--sf-ink:#e6e8eb}}
.suffice .sf-title{font:12.5px/1.4 ui-monospace,monospace;font-weight:600;margin:0;overflow-wrap:anywhere;color:inherit}
.suffice p{margin:4px 0;color:inherit}
.suffice table.sf-table{border-collapse:collapse;margin:6px 0;font-size:inherit;color:inherit;width:auto}
.suffice table.sf-table caption{text-align:left;font-weight:600;padding:2px 0;color:inherit}
.suffice table.sf-table th,.suffice table.sf-table td{text-align:left;padding:2px 8px 2px 0;border:0;font-weight:400;
vertical-align:top;white-space:normal;overflow-wrap:break-word;max-width:26em}
.suffice table.sf-table th[scope=row]{min-width:5em}
.suffice table.sf-table thead th{font-weight:600;white-space:nowrap;border-bottom:1px solid rgba(128,128,128,.5)}
.suffice table.sf-table .sf-number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.suffice .sf-bar{display:block;position:relative;width:8em;height:.8em;margin-top:.3em}
.suffice .sf-bar i{position:absolute;top:0;bottom:0;border-radius:1px}
@media (max-width:480px){.suffice .sf-bar{width:4em}}
.suffice svg{display:block;max-width:100%;height:auto}
.suffice summary{cursor:pointer}
</style>"""

CONTROLS = {code: "\ufffd" for code in [*range(32), *range(127, 160), 0xFFFE, 0xFFFF] if code not in (9, 10)}


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def card(thing: object, parts: Callable[[], Iterable[str]], title: str | None = None) -> str:
    """Return the card of a thing: a title, by default the first line of its repr, and parts; never raise.

    A thing that cannot be shown in parts is shown as text, since a display must not hide what was computed.
    """
    name = repr(thing).partition("\n")[0] if title is None else title
    try:
        inside = "".join(parts())
    except Exception:
        inside = f'<pre class="sf-plain">{written(repr(thing), 20 * LONGEST)}</pre>'
    head = f'<div class="sf-title">{written(name, 2 * LONGEST)}</div>'
    return f'<div class="suffice" role="group" aria-label="{written(name, LONGEST)}">{STYLE}{head}{inside}</div>'


def written(value: object, longest: int = LONGEST) -> str:
    """Return a value as escaped text, cut to a length.

    >>> written("<b>"), written("abcdef", 4)
    ('&lt;b&gt;', 'abc…')
    """
    text = str(value)
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    return escape(text.encode("utf-8", "replace").decode().translate(CONTROLS))


def short(value: object, digits: int = 4) -> str:
    """Return a number with a few digits, or anything else as text.

    >>> [short(value) for value in (1234, 0.123456, -2.5, float("inf"), float("nan"), None, True, "a")]
    ['1,234', '0.1235', '−2.5', '∞', 'NaN', '', 'True', 'a']
    """
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        return str(value)
    number = float(value)
    if np.isnan(number):
        return "NaN"
    whole = number == np.floor(number) and abs(number) < 1e9
    shown = f"{abs(number):,.0f}" if whole else f"{abs(number):.{digits}g}".replace("inf", "∞")
    return f"−{shown}" if number < 0 else shown


def line(text: object) -> str:
    """Return a paragraph."""
    return f"<p>{written(text, 4 * LONGEST)}</p>"


def folded(summary: str, inside: str) -> str:
    """Return a part that is closed until it is asked for."""
    return f"<details><summary>{written(summary)}</summary>{inside}</details>"


def table(
    head: Sequence[object],
    rows: Iterable[Sequence[object]],
    total: int | None = None,
    caption: str = "",
    most: int = MOST,
) -> str:
    """Return a table of the first rows; `total` is the number of all rows, if not all are given."""
    shown = list(islice(rows, most))
    rest = (len(rows) if total is None and isinstance(rows, Sequence) else total or 0) - len(shown)
    sides = [" class='sf-number'" * any(_is_number(row[k]) for row in shown) for k in range(len(head))]
    top = "".join(f"<th scope='col'{side}>{written(name)}</th>" for name, side in zip(head, sides, strict=True))
    body = ""
    for row in shown:
        first, *cells = (cell if isinstance(cell, Markup) else written(short(cell)) for cell in row)
        body += f"<tr><th scope='row'{sides[0]}>{first}</th>"
        body += "".join(f"<td{side}>{cell}</td>" for cell, side in zip(cells, sides[1:], strict=True)) + "</tr>"
    body += f"<tr><td colspan='{len(head)}'>… and {rest:,} more</td></tr>" if rest > 0 else ""
    said = f"<caption>{written(caption)}</caption>" if caption else ""
    return f"<table class='sf-table'>{said}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float | np.number) and not isinstance(cell, bool)


def bar(share: float, signed: bool = False) -> Markup:
    """Return a bar for a share from 0 to 1; if signed, from −1 to 1, to the left or right of the middle."""
    size = min(abs(share), 1.0) if np.isfinite(share) else 0.0
    colour = FOR if share >= 0 or not signed else AGAINST
    side, start, full = ("left" if share >= 0 else "right", 50, 50) if signed else ("left", 0, 100)
    inside = f"<i style='{side}:{start}%;width:{full * size:.1f}%;background:{colour}'></i>"
    return Markup(f"<span class='sf-bar' aria-hidden='true'>{inside}</span>")


def figures(values: Mapping[str, object], ends: tuple[float, float] | None = None) -> str:
    """Return a line of named numbers, and of the ends of a 95 % interval."""
    return line(summary(values, ends))


def summary(values: Mapping[str, object], ends: tuple[float, float] | None = None) -> str:
    """Return named numbers and the ends of a 95 % interval as text, with as many digits as tell these apart."""
    digits = 4 if ends is None else _digits(*ends)
    parts = [f"{name} {short(value, digits)}" for name, value in values.items()]
    parts += [] if ends is None else [f"95 % interval {short(ends[0], digits)} to {short(ends[1], digits)}"]
    return " · ".join(parts)


def _digits(low: float, high: float, least: int = 4) -> int:
    """Return how many digits two numbers need to differ in their last two."""
    size, apart = max(abs(low), abs(high)), high - low
    if not 0 < apart < np.inf or not np.isfinite(size):
        return least
    return int(np.clip(np.ceil(np.log10(size / apart)) + 2, least, 15))


WIDTH, HEIGHT, EDGE, FOOT = 280, 96, 6, 16


def plot(
    x: Any,
    y: Any,
    label: str,
    *,
    axis: tuple[float, float],
    ends: tuple[float, float] | None = None,
    mean: float | None = None,
    spikes: bool = False,
) -> str:
    """Return a curve, or spikes, as a small picture: what lies between the ends is shaded, the mean is a rule.

    The label is what a screen reader says. A pole is cut; nothing is drawn of numbers that are not finite.
    """
    at, height = np.asarray(x, np.float64), np.asarray(y, np.float64)
    keep = np.isfinite(at) & np.isfinite(height)
    at, height, width = at[keep], height[keep], axis[1] - axis[0]
    if len(at) < 2 or not height.max() > 0 or not 0 < width < np.inf:
        return ""
    inner = height[len(at) // 20 : len(at) - len(at) // 20]
    top, ground = min(float(height.max()), 4 * float(inner.max() or height.max())), HEIGHT - FOOT

    def across(value: Any) -> Any:
        return EDGE + (WIDTH - 2 * EDGE) * (value - axis[0]) / width

    up = ground - (ground - EDGE) * np.minimum(height / top, 1.0)
    inside = (at >= ends[0]) & (at <= ends[1]) if ends is not None else np.zeros(len(at), bool)
    points = [f"{a:.1f} {b:.1f}" for a, b in zip(across(at).tolist(), up.tolist(), strict=True)]
    drawn = ""
    if spikes:
        wide = max(1.0, min(12.0, 0.8 * (WIDTH - 2 * EDGE) / len(at)))
        for point, full in zip(points, inside.tolist(), strict=True):
            start, tip = point.split()
            look = f"stroke='{FOR}' stroke-width='{wide:.1f}' stroke-opacity='{0.9 if full else 0.45}'"
            drawn += f"<path d='M{start} {ground}V{tip}' {look}/>"
    else:
        if inside.any():
            under = [point for point, full in zip(points, inside, strict=True) if full]
            start, end = (point.split()[0] for point in (under[0], under[-1]))
            area = f"M{start} {ground}L{'L'.join(under)}L{end} {ground}Z"
            drawn = f"<path d='{area}' fill='{FOR}' fill-opacity='.3'/>"
        drawn += f"<path d='M{'L'.join(points)}' fill='none' stroke='{FOR}' stroke-width='1.8'/>"
    if mean is not None and axis[0] <= mean <= axis[1]:
        drawn += f"<path d='M{across(mean):.1f} {EDGE}V{ground}' stroke='{AGAINST}' stroke-dasharray='3 2'/>"
    drawn += f"<path d='M{EDGE} {ground}H{WIDTH - EDGE}' stroke='currentColor' stroke-opacity='.5'/>"
    named = (float(at[0]), float(at[-1])) if spikes else axis
    digits = _digits(*named, least=3)
    for value, place, anchor in zip(named, (EDGE, WIDTH - EDGE), ("start", "end"), strict=True):
        look = f"text-anchor='{anchor}' y='{HEIGHT - 3}' font-size='11' fill='currentColor'"
        drawn += f"<text x='{place}' {look}>{short(float(f'{value:.{digits}g}'), digits)}</text>"
    size = f"width='{WIDTH}' height='{HEIGHT}' viewBox='0 0 {WIDTH} {HEIGHT}'"
    return f"<svg {size} role='img' aria-label='{written(label)}'>{drawn}</svg>"
