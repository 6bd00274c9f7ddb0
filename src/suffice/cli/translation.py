"""The library's messages in the words of the command line: options, files and columns instead of Python arguments."""

from __future__ import annotations

import re

__all__ = ["for_the_shell"]

OPTIONS = (
    "target", "text", "against", "sep", "quote", "header", "encoding", "missing", "drop", "keep", "errors", "effort",
    "method", "folds", "certificate", "kind",
)  # fmt: skip
"""Arguments of the library that are options of the same name."""

_OPTION = "|".join(OPTIONS)
RULES: tuple[tuple[str, str], ...] = (
    (r"'[^']*[/\\]suffice-\w+[/\\]+\d+[/\\]+", "'"),
    (r"\bThe file 'standard input'", "Standard input"),
    (r"'standard input'", "standard input"),
    (rf"The arguments '({_OPTION})' and '({_OPTION})'", r"The options '--\1' and '--\2'"),
    (rf"The argument '({_OPTION})'", r"The option '--\1'"),
    (r"\b([Tt])he argument 'longest_row'", r"\1he option '--longest-row'"),
    (r"The argument 'journal' must be the key", "The option '--journal-key' must name the file with the key"),
    (r"The argument 'journal'", "The option '--journal'"),
    (r"'journal'", "'--journal'"),
    (r"The arguments 'X' and 'y'( of \w+)?", "The file"),
    (r"The argument 'X'( of \w+)?", "The file"),
    (r"The argument 'y'( of \w+)?", "The column of labels"),
    (r"The argument 'paths'", "The files"),
    (r"\berrors='skip'", "--errors skip"),
    (r"\bheader=True\b", "--header"),
    (r"\bcolumns=\{'(.*?)': 'drop'\}", r"--drop '\1'"),
    (r"\bcolumns=\{'(.*?)': '\w+'\}.*? 'drop' silences this", r"--drop '\1' silences this"),
    (r"^could not convert string to float: ('.*')$", r"The file must hold only numbers; got \1."),
    (r"; got an array of object\b", "; got text"),
    (r"; got \[\]", "; got none"),
    (r"; got \[('[^\]]*')\]", r"; got \1"),
    (r"^X has feature names, but \w+ was fitted without feature names$",
     "The model was fitted without column names: the columns of the file are taken in their order."),
)  # fmt: skip
"""Patterns of library messages, and their replacements."""

MISSING = re.compile(r"\bmissing=\[((?:'[^']*'|\"[^\"]*\"|, )+)\]")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
ROW = re.compile(r"\brow ([\d,]+) of the files\b")
PYTHON = re.compile(
    r"\b\w+\(|\b[a-z_]\w*=[\w'\"\[{(]|'(ngram_range|tokens|joint|columns|memory_limit|max_iter|tol|alpha|estimate)'"
    r"|\b(max_iter|tol|partial_fit)\b"
)
"""How a hint for Python is recognised that has no equivalent here."""


def for_the_shell(line: str) -> str:
    """Return a message of the library in the words of the command line, without hints that only Python can follow.

    >>> for_the_shell("The argument 'target' must name a column; got 'x'. Call fit(X, y) with another.")
    "The option '--target' must name a column; got 'x'."
    """
    for pattern, words in RULES:
        line = re.sub(pattern, words, line)
    line = MISSING.sub(lambda found: " ".join(f"--missing {word}" for word in QUOTED.findall(found[1])), line)
    line = ROW.sub(lambda found: f"row {int(found[1].replace(',', '')) + 1:,} of the files", line)
    first, *hints = re.split(r"(?<=\.) (?=[A-Z])", line)
    return " ".join([first, *(hint for hint in hints if not PYTHON.search(hint))])
