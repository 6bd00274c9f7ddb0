"""Widgets of the gallery: what a page brings for them, and the scripts that draw them.

A page asks for a widget by a line of prose of its own::

    <div class="touch" data-touch="coin" data-start="2 2 3 17"></div>

``docs/touch/coin.js`` fills it. With ``data-from="points"`` the value of that name, as the page has computed it by
then, goes into the div as JSON: the numbers of a widget are those of the library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import suffice as sf

__all__ = ["filled", "scripts"]

HOOK = re.compile(r'^<div class="touch" data-touch="\w+"(?P<rest>[^>]*)></div>$', re.MULTILINE)
ASKED = re.compile(r'^<div class="touch" data-touch="(\w+)"', re.MULTILINE)
FROM = re.compile(r' data-from="(\w+)"')


def filled(text: str, names: Mapping[str, Any]) -> str:
    """Return prose in which each widget has the values that it asks for."""

    def fill(hook: re.Match[str]) -> str:
        asked = FROM.search(hook["rest"])
        if asked is None:
            return hook[0]
        if asked[1] not in names:
            raise ValueError(f"A widget asks for {asked[1]!r}, which the page has not defined above it: {hook[0]}")
        return hook[0].replace("></div>", f">{_data(names[asked[1]])}</div>")

    return HOOK.sub(fill, text)


def scripts(parts: Iterable[str]) -> list[str]:
    """Return the scripts that a page of the gallery needs for its widgets, if it has any."""
    names = list(dict.fromkeys(name for part in parts for name in ASKED.findall(part)))
    return [f'<script src="../touch/{name}.js"></script>' for name in (["touch", *names] if names else [])]


def _data(value: Any) -> str:
    told = json.dumps(value, default=_plain, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json">{told}</script>'


def _plain(value: Any) -> Any:
    """Return the hypotheses of a learner of concepts, or the numbers of an array, as JSON has them."""
    if isinstance(value, sf.ConceptLearner):
        table = value.posterior_
        lines = zip(table.names, table.prior.tolist(), strict=True)
        rules = [{"name": str(name), "prior": prior, "items": value.items_of(name)} for name, prior in lines]
        return {"numbers": list(value.domain), "rules": rules}
    return np.asarray(value).tolist()
