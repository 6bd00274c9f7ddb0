"""Write the reference: `python tools/reference.py`. Below each mark of docs/reference/, the docstring as Markdown.

A page is what is written above its first mark, and marks, one for each public name::

    <!-- ::: suffice.Beta -->

What stands between marks is made here, and is overwritten. The site has its own renderer, `directives` gives it the
marks alone.
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

__all__ = ["PAGES", "directives", "entry", "written"]

PAGES = Path(__file__).parents[1] / "docs" / "reference"
MARK = re.compile(r"^<!-- (?P<directive>::: suffice\.(?P<name>\S+)) -->\n(?P<made>.*?)(?=^<!-- :::|\Z)", re.M | re.S)
SECTION = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
EXAMPLE = re.compile(r"^>>> .*\n(?:^.+\n|^\n(?=>>> ))*", re.MULTILINE)
ITEM = re.compile(r"^(?P<name>\S.*)\n(?P<text>(?:^(?: .*)?\n)*)", re.MULTILINE)
ITEMS = {"Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "Other Parameters"}
WIDE = 100


def written(text: str) -> str:
    """Return the text of a page with the reference below each of its marks."""
    return MARK.sub(lambda mark: f"<!-- {mark['directive']} -->\n\n{entry(mark['name'])}\n\n", text).rstrip("\n") + "\n"


def directives(text: str) -> str:
    """Return the text of a page with the directives of mkdocstrings in place of marks and what is below them."""
    return MARK.sub(lambda mark: f"{mark['directive']}\n\n", text).rstrip("\n") + "\n"


def entry(name: str) -> str:
    """Return the heading, signature, docstring and members of a public name as Markdown."""
    thing, short = _found(name), name.rpartition(".")[2]
    parts = [f"## {short}"]
    if not inspect.ismodule(thing):
        parts.append(f"```python\n{_called(_public(name), thing)}\n```")
    parts.append(_markdown(inspect.getdoc(thing) or ""))
    if inspect.ismodule(thing) or inspect.isclass(thing):
        lines = [f"- {line}" for line in _members(thing)]
        heading = "Classes" if inspect.ismodule(thing) else "Methods and properties"
        parts.append("\n".join([f"**{heading}**\n", *lines] if lines else []))
    return "\n\n".join(parts).rstrip("\n")


def _found(name: str) -> Any:
    """Return what a name stands for, given below the package."""
    thing: Any = importlib.import_module("suffice")
    for part in name.split("."):
        try:
            thing = importlib.import_module(f"{thing.__name__}.{part}")
        except ModuleNotFoundError:
            thing = getattr(thing, part)
    return thing


def _public(name: str) -> str:
    """Return the name that users write: a function in a file of its own has the name of its package."""
    *places, last = name.split(".")
    return ".".join(["sf", *(place for place in places if place != last), last])


def _called(name: str, thing: Any) -> str:
    """Return how a class or function is called, without types, on lines of at most `WIDE` characters."""
    signature = inspect.signature(thing)
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]
    plain = [one for one in plain if one.name not in ("self", "cls")]
    call = name + str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    call = re.sub(r"<function \S+ at 0x\w+>", "...", re.sub(r"<class '([\w.]+)'>", r"\1", call))
    return "\n".join(textwrap.wrap(call, WIDE, subsequent_indent="    ", break_on_hyphens=False))


def _members(thing: Any) -> Iterator[str]:
    """Yield a line for each public method and property, or for each class of a module."""
    if inspect.ismodule(thing):
        for name, kind in vars(thing).items():
            if inspect.isclass(kind) and kind.__module__ == thing.__name__:
                yield f"`{name}`: {_first(kind)}"
        return
    for name in dir(thing):
        static, member = inspect.getattr_static(thing, name), getattr(thing, name, None)
        if name.startswith("_") or re.fullmatch(r"set_\w+_request", name):
            continue
        if isinstance(static, property | cached_property):
            if f"\n{name} : " not in (thing.__doc__ or "").replace("\n    ", "\n"):  # else it is among the attributes
                yield f"`{name}`: {_first(static)}"
        elif callable(member) and (getattr(member, "__module__", None) or "").startswith("suffice"):
            yield f"`{_called(name, member)}`: {_first(member)}".replace("\n    ", " ")


def _first(thing: Any) -> str:
    """Return the first paragraph of a docstring, on one line."""
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())


def _markdown(docstring: str) -> str:
    """Return a docstring in numpydoc's style as Markdown."""
    text = docstring.rstrip() + "\n"
    heads = list(SECTION.finditer(text))
    ends = [*(head.start() for head in heads), len(text)]
    parts = [_prose(text[: ends[0]])]
    for head, end in zip(heads, ends[1:], strict=True):
        body = text[head.end() : end].strip("\n") + "\n"
        made = _items(body) if head["title"] in ITEMS else _prose(body)
        parts.append(f"**{head['title']}**\n\n{made}")
    return "\n\n".join(part.strip("\n") for part in parts)


def _prose(text: str) -> str:
    """Return text with its examples fenced."""
    return EXAMPLE.sub(lambda found: f"```python\n{found[0].rstrip()}\n```\n", text.replace("::\n", ":\n"))


def _items(text: str) -> str:
    """Return named items, each with its type and what it is, as a list."""
    lines = list[str]()
    for item in ITEM.finditer(text):
        name, _, kind = item["name"].partition(" : ")
        told = textwrap.indent(textwrap.dedent(item["text"]).strip("\n"), "  ")
        lines.append(f"- **{name}**" + (f" ({kind})" if kind else "") + (f":\n{told}" if told else ""))
    return "\n".join(lines)


def main() -> None:
    """Write all pages."""
    for path in sorted(PAGES.glob("*.md")):
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
