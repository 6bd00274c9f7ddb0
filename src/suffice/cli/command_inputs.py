"""The files that a verb reads: rows, in any form and from any stream, and models.

A verb that reads rows is a `FilesCommand`: it has the options for reading files, every part of it opens files by
`open_files`, and when it has succeeded, a line for each file on stderr says how it was read.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from suffice.cli.outputs import check_output
from suffice.cli.process import COPIES, OutOfMemory, memory_ran_out, remark
from suffice.errors import FileError, InputError, KindError
from suffice.telling import counted

if TYPE_CHECKING:
    from suffice.tables.row_files import Files

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None

# rows


def option(names: str, text: str, **more: Any) -> Any:
    """Return an option from its names, with the placeholder of its value if it has one, and its help."""
    *flags, last = names.split()
    flags, metavar = ([*flags, last], None) if last.startswith("-") else (flags, last)
    return typer.Option(*flags, metavar=metavar, help=text, **more)


def reading_options(
    sep: Annotated[
        str | None, option("--sep CHARACTER", "What separates values: a character, or tab; by default, guessed.")
    ] = None,
    quote: Annotated[
        str | None, option("--quote CHARACTER", "What quotes values: a character, or none; by default, guessed.")
    ] = None,
    header: Annotated[
        bool | None,
        option("--header/--no-header", "Whether the first line holds the column names; by default, guessed."),
    ] = None,
    missing: Annotated[
        list[str] | None,
        option(
            "--missing WORD",
            "A word that stands for a missing value; replaces the usual words (?, NA, …): repeat the option for each "
            "word needed.",
        ),
    ] = None,
    encoding: Annotated[str | None, option("--encoding NAME", "Such as utf-8 or latin-1; by default, guessed.")] = None,
    drop: Annotated[list[str] | None, option("--drop COLUMN", "A column to leave out; may be repeated.")] = None,
    keep: Annotated[
        list[str] | None, option("--keep COLUMN", "Read only this column and the labels; may be repeated.")
    ] = None,
    longest_row: Annotated[
        int | None,
        option("--longest-row BYTES", "The most bytes of a row, or of a text in a folder; by default, 64 MiB."),
    ] = None,
    strict: Annotated[
        bool | None, option("--strict", "Raise an error where a column is missing from a file, instead of a note.")
    ] = None,
    quiet: Annotated[bool | None, option("--quiet", "Do not print how files were read.")] = None,
) -> None:
    """The options of all verbs that read rows."""


_READING = typer.Typer(add_completion=False, rich_markup_mode=None)
_READING.command()(reading_options)
OPTIONS = get_command(_READING).params


class FilesCommand(TyperCommand):
    """A verb that reads rows of files."""

    def __init__(self, *args: Any, params: list[Any], **more: Any) -> None:
        super().__init__(*args, params=[*params, *OPTIONS], **more)

    def invoke(self, ctx: Any) -> Any:
        """Run the verb, and print how files were read."""
        with reading_by(**{str(option.name): ctx.params.pop(option.name) for option in OPTIONS}):
            return super().invoke(ctx)


@dataclass
class _Verb:
    """The options of the current verb that were given, and the files it has opened."""

    options: dict[str, Any] = field(default_factory=dict)
    opened: list[Files] = field(default_factory=list)
    described: dict[Path, str] = field(default_factory=dict)
    """What a file is, where its own form does not say it."""


_VERB: ContextVar[_Verb | None] = ContextVar("verb", default=None)


@contextmanager
def reading_by(**options: Any) -> Iterator[None]:
    """Read files by these options, and print at the end how they were read."""
    verb = _Verb({name: value for name, value in options.items() if value not in (None, [], ())})
    before = _VERB.set(verb)
    try:
        yield
    except Exception as error:
        if not memory_ran_out(error) or not verb.opened:
            raise
        error.__traceback__ = None  # its frames hold the rows
        read = counted(verb.opened[-1].rows, "row")
        advice = ", or give it fewer rows, or fewer columns with --drop or --keep"
        raise OutOfMemory(f" after {read} of the files", advice) from None
    finally:
        _VERB.reset(before)
    for files in verb.opened:
        files.tell_loss()
    understood = [one for files in verb.opened for one in files.understood]
    if options.get("quiet"):
        return
    for one in understood[:3]:
        one.what = verb.described.get(one.path, one.what)
        remark(f"read {one}")
    if len(understood) > 3:
        rows = sum(one.rows for one in understood[3:])
        remark(f"read {counted(len(understood) - 3, 'more file')}, {counted(rows, 'row')}")


def open_files(
    data: Any, errors: str, model: Any = None, target: str | None = None, look: bool = False, labelled: bool = True
) -> Files:
    """Open files by the options of the current verb; with `look`, print nothing about how they were read."""
    from suffice.engines.files import given_of, opened

    verb = _VERB.get() or _Verb()
    reading = {name: value for name, value in verb.options.items() if name not in ("strict", "quiet")}
    files = opened(data, errors, given_of(**reading), model, target, labelled, "strict" in verb.options)
    if not look:
        verb.opened.append(files)
    return files


# streams, which are copied to files since verbs read rows twice

STDIN = "standard input"
"""The name of the copy of standard input, by which messages call it."""


@contextmanager
def spooled(data: list[Path], output: Path | None = None, *others: Path, model: Any = None) -> Iterator[list[Path]]:
    """Return the files to read, with streams copied to files; raise InputError if the output is one of them.

    If the model reads texts, the lines of standard input may be plain texts.
    """
    check_output(output, *data, *others)
    streams = [path for path in data if _can_be_read_once(path)]
    twice = next((path for path in streams if streams.count(path) > 1), None)
    if twice is not None:
        raise InputError("The files", "name each stream once, since it can be read only once").but(
            f"got {str(twice)!r} twice"
        )
    if not streams:
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="suffice-") as folder:
        copies = {path: _copy(path, Path(folder, str(k)), model) for k, path in enumerate(streams)}
        yield [copies.get(path, path) for path in data]


def _can_be_read_once(path: Path) -> bool:
    """Return whether a path leads to standard input, a pipe or a device."""
    if path == Path("-"):
        return True
    try:
        mode = path.stat().st_mode
    except OSError:  # the reader says what is wrong with it
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _copy(path: Path, folder: Path, model: Any) -> Path:
    """Copy a stream into a new folder."""
    folder.mkdir()
    copy = folder / (STDIN if path == Path("-") else path.name)
    COPIES.append(copy)
    try:
        with copy.open("wb") as file:
            if path == Path("-"):
                shutil.copyfileobj(sys.stdin.buffer, file)
            else:
                with path.open("rb") as stream:
                    shutil.copyfileobj(stream, file)
    except OSError as error:
        what = STDIN.capitalize() if path == Path("-") else f"The file {str(path)!r}"
        raise FileError(f"{what} cannot be read: {(error.strerror or str(error)).lower()}.") from error
    if path == Path("-"):
        texts_of_lines(copy, model)
    return copy


# lines of text on standard input: `echo cheap pills | suffice predict mail.suffice -`

NO_TEXT = (b"PAR1", b"ARROW1", b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff")
"""First bytes of other formats: Parquet, Arrow, gzip, UTF-16."""
PIECE = 2**20


def texts_of_lines(path: Path, model: Any) -> None:
    """Convert a file of plain texts without a header to JSON lines; leave any other file unchanged."""
    from suffice.engines.roles import TEXTS, kind_of_rows

    name = getattr(model, "text_column_", None) or "text"
    if kind_of_rows(model) != "text" or not _is_plain(path, name, TEXTS):
        return
    table = path.with_name("lines")
    begin, end = json.dumps({name: ""})[:-2], '"}\n'
    with path.open(encoding="utf-8", errors="replace") as lines, table.open("w") as file:
        within = False
        while piece := lines.readline(PIECE):  # a line may be too long to be held
            ended = piece.endswith("\n")
            file.write(("" if within else begin) + json.dumps(piece.removesuffix("\n"))[1:-1] + (end if ended else ""))
            within = not ended
        file.write(end if within else "")
    table.replace(path)
    if verb := _VERB.get():
        verb.described[path] = "lines of text"
    warnings.warn(f"standard input has no column {name!r}, so each of its lines is read as a text.", stacklevel=2)


def _is_plain(path: Path, name: str, usual: tuple[str, ...]) -> bool:
    """Return whether the first line is a text rather than a header or a JSON object."""
    with path.open("rb") as file:
        first = file.readline(2**20)
    if not first.strip() or b"\0" in first or first.startswith(NO_TEXT):
        return False
    text = first.decode("utf-8-sig", "replace").strip()
    if text.startswith("{") and text.endswith("}"):
        return False
    if re.fullmatch(r"c[0-9]+", name) and "\t" in text:
        return False  # the model was fitted to rows without a header
    names = [one.strip().strip("\"'") for one in re.split(r"[,;\t|]", text)]
    return name not in names and not (len(names) > 1 and {one.lower() for one in names} & set(usual))


# models

NAMES = {"TextClassifier": "text classifier", "NaiveBayes": "table classifier"}
"""Names of the models that `suffice fit` makes."""


def classifier(path: Path, light: bool = False) -> Any:
    """Return the classifier of a file; a light one can only predict and explain."""
    from suffice.store.models import load, load_to_answer

    model = load_to_answer(path) if light else load(path)
    if not hasattr(model, "classes_") or not hasattr(model, "predict"):
        raise KindError(f"The model file {str(path)!r}", "hold a classifier").but(
            f"it holds a {type(model).__name__}, which 'suffice inspect {path}' shows"
        )
    return model


def model_first(paths: list[Path]) -> tuple[Path | None, list[Path]]:
    """Return the model file that comes first, if one does, and the other files."""
    models = [path for path in paths if _is_model(path)]
    if not models:
        return None, paths
    if len(models) > 1 or models[0] != paths[0] or len(paths) == 1:
        found = ", ".join(repr(str(path)) for path in paths)
        raise InputError("The arguments", "be one model file, and after it the files of rows").but(f"got {found}")
    return models[0], paths[1:]


def _is_model(path: Path) -> bool:
    """Return whether a path is one of a model file, by its name or its first bytes."""
    if path.suffix == ".suffice" or not path.is_file():
        return path.suffix == ".suffice"
    from suffice.store.layout import LARGEST_HEADER

    with path.open("rb") as file:
        head = file.read(9)
    return head[8:] == b"{" and int.from_bytes(head[:8], "little") <= LARGEST_HEADER


def called(model: Any) -> str:
    """Return what messages call a model."""
    return NAMES.get(type(model).__name__, type(model).__name__)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a model file, which may be replaced while this waits; systems without locks go on."""
    while True:
        with ExitStack() as stack:
            with suppress(OSError):  # the verb says what is wrong with the path
                file = stack.enter_context(path.open("rb"))
                if fcntl is not None:
                    fcntl.flock(file, fcntl.LOCK_EX)
                    if not os.path.samestat(os.fstat(file.fileno()), path.stat()):
                        continue
            yield
            return
