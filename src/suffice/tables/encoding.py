"""Detect the encoding of bytes: by the mark at their start, or by what they can be."""

from __future__ import annotations

import codecs
import re

from suffice.errors import FileError, InputError

__all__ = ["HEAD", "checked", "decoded", "encoding_of", "undecodable"]

HEAD = 2**18
"""Number of bytes that are examined."""
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"))
MARKS_16 = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
OF_HOSTS = ("idna", "punycode")
"""Encodings of Python that are for names of hosts."""


def checked(encoding: str) -> str:
    """Return the name of an encoding; raise InputError unless it is one of texts.

    >>> checked("utf8"), checked("latin-1")
    ('utf-8', 'latin-1')
    """
    try:
        "a".encode(encoding)  # refuses rot13, hex, zlib and others, which convert texts to texts, or bytes to bytes
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError, TypeError):
        name = ""
    if not name or name in OF_HOSTS:
        raise InputError(
            f"The argument 'encoding' must name a text encoding, such as 'utf-8' or 'latin-1'; got {encoding!r}."
        )
    return name if name.startswith("utf-8") else encoding


def encoding_of(head: bytes) -> str:
    """Return the encoding of bytes: by their byte order mark, UTF-8 if they are valid, else Windows-1252 or Latin-1.

    >>> encoding_of("é".encode("utf-16")), encoding_of("é".encode()), encoding_of("é".encode("latin-1"))
    ('utf-16', 'utf-8', 'cp1252')
    """
    for mark, name in (*MARKS, *MARKS_16):
        if head.startswith(mark):
            return name
    pairs = len(head) // 2 or 1
    for name, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
        if zeros.count(0) > 0.7 * pairs and head.count(0) < 1.2 * zeros.count(0):
            return name
    bad = _not_utf8(head)
    if not bad:
        return "utf-8"
    if len(re.findall(rb"[\xc2-\xf4][\x80-\xbf]", head)) > 10 * bad:
        return "utf-8"  # some rows are damaged
    return "latin-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", head) else "cp1252"


def _not_utf8(head: bytes) -> int:
    """Return the number of bytes that are not UTF-8; a character cut off at the end of the head does not count."""
    text = head.decode("utf-8", "surrogateescape")
    return len(re.findall("[\udc80-\udcff]", text[: len(text) - 3 if len(head) >= HEAD else None]))


def decoded(head: bytes, encoding: str, complete: bool, path: str) -> str:
    """Decode the first bytes of a text, which may end within a character."""
    decoder = codecs.getincrementaldecoder(encoding)("replace" if encoding.startswith("utf-8") else "strict")
    try:
        return decoder.decode(head, complete)
    except UnicodeError as error:
        raise FileError(f"The file {path!r} cannot be read as {encoding}: {undecodable(error)}.") from error


def undecodable(error: UnicodeError) -> str:
    """Return in words why bytes cannot be decoded."""
    if not isinstance(error, UnicodeDecodeError):
        return str(error)
    return f"{error.reason} ({error.object[error.start : error.end][:4].hex(' ')} in hexadecimal)"
