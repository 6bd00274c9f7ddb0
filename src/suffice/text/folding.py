"""Normalize the words of a vocabulary like tokens, so that "Mary" matches where texts are lowercased."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from suffice.errors import InputError
from suffice.text.tokenization import DEFAULT_PATTERN, Analysis

__all__ = ["as_read", "folded"]

IN_CONTEXT = re.compile(r"\(\?[<=!]|\\[ABZ]|[$^]")
"""Parts of a pattern that may match inside a text although they do not match a word alone."""


def as_read(words: Sequence[str], analysis: Analysis, owner: str) -> list[str]:
    """Return the tokens that match the words of a vocabulary; raise InputError for duplicates and impossible words.

    `owner` is what the parameter belongs to, for complaints.
    """
    tokens = [folded(word, analysis) for word in words]
    _check_apart(words, tokens, owner)
    _check_met(words, tokens, analysis, owner)
    return tokens


def folded(word: str, analysis: Analysis) -> str:
    """Return a word lowercased and without accents, as the tokens are; custom functions are not called."""
    return word if analysis.preprocessor is not None or callable(analysis.unit) else analysis._preprocess(word)


def _check_apart(words: Sequence[str], tokens: list[str], owner: str) -> None:
    first: dict[str, str] = {}
    for word, token in zip(words, tokens, strict=True):
        if token in first:
            raise InputError(
                f"The 'vocabulary' parameter of {owner} must hold each word once; got {first[token]!r} and {word!r}, "
                f"which are one word, {token!r}, as texts are read. Leave one out, or use tokens=sf.Tokens("
                "lowercase=False) if capitals matter."
            )
        first[token] = word


def _check_met(words: Sequence[str], tokens: list[str], analysis: Analysis, owner: str) -> None:
    if callable(analysis.unit) or analysis.tokenizer is not None:
        return  # a function may make any token
    plain = replace(analysis, lowercase=False, strip_accents=None, preprocessor=None)
    never = [i for i, token in enumerate(tokens) if token not in plain.tokens(token) and not _elsewhere(token, plain)]
    if never:
        word, token = words[never[0]], tokens[never[0]]
        more = f" (and so {len(never) - 1:,} more)" if len(never) > 1 else ""
        raise InputError(
            f"The 'vocabulary' parameter of {owner} must hold words that texts can have; got {word!r}{more}, which "
            f"{_reading(token, plain)}"
        )


def _elsewhere(token: str, plain: Analysis) -> bool:
    """Return whether a custom pattern may match a token inside a text although not alone."""
    pattern = plain.token_pattern
    if plain.unit != "word" or pattern == DEFAULT_PATTERN or plain.stop_words & {*token.split(" ")}:
        return False
    alone = IN_CONTEXT.search(pattern) is None and re.compile(pattern).groups == 0
    return not (alone and re.fullmatch(r"\w(.*\w)?", token, re.DOTALL))


def _reading(token: str, plain: Analysis) -> str:
    """Return why no text can contain a token, and what to do."""
    if plain.unit != "word":
        least, most = plain.ngram_range
        return f"is not read as {least} to {most} letters in a row. Leave it out, or give another 'ngram_range'."
    every = replace(plain, stop_words=frozenset(), ngram_range=(1, 1)).tokens(token)
    if plain.stop_words & {*every}:
        return "'stop_words' leave out. Take it from there, or leave it out of the vocabulary, too."
    (least, most), n = plain.ngram_range, len(every)
    if " ".join(every) == token and not least <= n <= most:
        rows = (min(n, least), max(n, most))
        return f"is {n} word{'s in a row' * (n > 1)}. Leave it out, or use ngram_range={rows}."
    found = " and ".join(map(repr, every)) or "no word"
    return (
        f"is read as {found}. Leave it out, or say what a word is: tokens=sf.Tokens(token_pattern=r'\\w+') reads words "
        "of one letter, too."
    )
