"""Extract paragraphs of prose from docstrings, without doctests, literal blocks, tables and signatures."""

import inspect
import re
from collections.abc import Iterable, Iterator

RULE = re.compile(r"[-=~^*#+|\"'`.:_ ]{3,}$")
"""An underline, or the border of a table."""

ADMONITION = re.compile(r"\.\. (?:note|warning|tip|important|seealso|attention|caution|hint|versionchanged)::.*")
"""Directives whose body is prose; the bodies of all others are left out."""

START = re.compile(r"(?:[-*+•] +|\(?\d{1,2}[.)] +|:\w[^:`]*: +|@\w+ +)")
"""The start of a list item or a field, which is not part of its text."""

NAMED = re.compile(r"[\w.*`]+(?:, ?[\w.*`]+)*(?: \([^)]*\))? ?: +\S")
"""`name: text` or `name : type`, the start of an entry in a list of arguments."""

COMMON = re.compile(
    r"\b(?:an?|and|are|as|at|be|by|can|for|from|has|if|in|is|it|not|of|on|or|that|the|this|to|was|with)\b", re.I
)
CODE = re.compile(r">>>|%\(|\w\(\w+=|</|[{}\\|]")
END = re.compile(r"[.!?:][\"')`]*$")
LETTERS = re.compile(r"[A-Za-z]+")

MARKUP = [
    (re.compile(r"^[\w.,*` ]{1,60}? : +"), ""),  # `name : `, since what follows is often a copy of that name's own text
    (re.compile(r":[\w:+-]+:`~?!?([^`<]+?)(?:\s*<[^`>]*>)?`"), r"\1"),  # :role:`text` and :role:`text <target>`
    (re.compile(r"`([^`<]+?)\s*<[^`>]*>`_{0,2}"), r"\1"),  # `text <address>`_
    (re.compile(r"\*{1,2}([^*\s][^*]*?)\*{1,2}"), r"\1"),  # *emphasis*
    (re.compile(r"`+([^`]+?)`+_{0,2}"), r"\1"),  # ``code``
    (re.compile(r"\s*\[[\w*#]+\]_"), ""),  # [1]_
]


def paragraphs(docstring: str) -> Iterator[str]:
    """Yield the paragraphs of prose, each on one line and without markup."""
    for block in blocks(without_code(inspect.cleandoc(docstring).splitlines())):
        text = plain(" ".join(block))
        if is_prose(text):
            yield text


def fingerprint(text: str) -> str:
    """Return the words of a paragraph without case, spacing and punctuation, to identify copies."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def without_code(lines: Iterable[str]) -> Iterator[str]:
    """Replace doctests, literal blocks, directives, tables and underlines by blank lines."""
    margin: int | None = None  # the indentation of the head of a block that is left out
    doctest = False
    for line in lines:
        text, indent = line.strip(), len(line) - len(line.lstrip())
        if not text:
            doctest = False
            yield ""
            continue
        if margin is not None and indent > margin:
            continue
        doctest = doctest or text.startswith((">>>", "In ["))
        directive = text.startswith(".. ")
        head = text.endswith("::") and not directive
        margin = indent if head or (directive and not ADMONITION.match(text)) else None
        yield "" if doctest or directive or RULE.match(text) else line[:-1] if head else line


def blocks(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield blocks of lines of the same indentation, or deeper where a sentence continues."""
    block: list[str] = []
    margin = 0
    for line in lines:
        text, indent = line.strip(), len(line) - len(line.lstrip())
        item = START.match(text)
        deeper = block and indent > margin
        if not text or item or indent < margin or (not deeper and NAMED.match(text)) or (deeper and is_title(block)):
            if block:
                yield block
            block = []
        if not block:
            margin = indent
        if text:
            block.append(text[item.end() :] if item else text)
    if block:
        yield block


def is_title(block: list[str]) -> bool:
    """Return whether a block is the heading of a description: `x : float`, `Returns:`, or a name."""
    return len(block) == 1 and (" : " in block[0] or len(block[0].split()) < 4 or block[0].endswith(":"))


def plain(text: str) -> str:
    """Return the text without reStructuredText markup."""
    for pattern, replacement in MARKUP:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())


def is_prose(text: str) -> bool:
    """Return whether a text has the words, the letters and the full stop of a sentence."""
    words, common = text.split(), len(COMMON.findall(text))
    letters = sum(map(len, LETTERS.findall(text))) + text.count(" ")
    return (
        len(words) >= 10
        and common >= 2
        and common >= 0.15 * len(words)
        and letters >= 0.8 * len(text)
        and END.search(text) is not None
        and CODE.search(text) is None
    )
