"""Define all errors, as one small tree.

    SufficeError
    ├── KeywordError        (TypeError)   a keyword that is unknown, missing, or contradicts another
    ├── MissingLibrary      (ImportError) an optional library that is needed and not installed
    ├── KindError           (TypeError)   an argument of a type that cannot be used at all
    ├── BusyError           (RuntimeError) a change of a model while the same thread is changing it
    ├── WriteError          (OSError)     a file that cannot be written: a full disk, no permission
    └── InputError          (ValueError)
        ├── DataError                     values: NaN, negative counts, empty data, too large to count
        │   ├── ConflictError             examples that no hypothesis explains together
        │   └── SingularCovariance        a covariance matrix without an inverse; a LinAlgError of numpy, too
        ├── LabelError                    labels or responsibilities
        ├── ShapeError                    arrays that do not fit together
        ├── PathError (FileNotFoundError) a file or folder that does not exist, or is not the expected one
        ├── FileError                     a file that cannot be read as what it should be
        │   └── ModelFileError            a file that is damaged, of a later version, or not a model
        ├── SubtractionError              subtracting what was never added
        └── PriorError                    parameters of a prior
            ├── ImproperPrior             a question that only a proper prior can answer
            └── NoUniqueMode              no single most probable value

An error carries fields, and its text is made of them: one sentence that names the argument, what was expected and what
came, and how to mend it. The command line makes a sentence of its own of the same fields, and tests compare fields.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

UNSAID: Any = object()


class SufficeError(Exception):
    """Any error this library raises on purpose: `what` must `must`, but this came.

    >>> InputError("cross_validate.folds", "be a whole number of at least 2", got=1).advise("Or leave it out.")
    InputError("The argument 'folds' of cross_validate must be a whole number of at least 2; got 1. Or leave it out.")
    """

    what: str
    """The name of an argument, or of two ("X and y"); or the subject in words; or, without `must`, a sentence."""
    owner: str
    """The function that has the argument, or the class that has the parameter."""
    must: str
    """What was expected, after "must"."""
    came: str
    """What came, with its verb: "got 1", "it is a folder"."""
    column: object
    """The column that is wrong: the subject, if there is no other."""
    path: str | None
    """The file that is wrong: the subject, if there is no other."""
    row: int | None
    """The row that is wrong, from 0."""
    cause: Exception | None
    """The error that says why."""
    fix: str = ""
    """Advice for all readers."""
    python_fix: str = ""
    """More advice, for callers in Python."""
    shell_fix: str = ""
    """More advice, for the command line."""

    def __init__(
        self, what: str = "", must: str = "", *, got: object = UNSAID, got_a: object = UNSAID, column: object = None,
        row: int | None = None, path: str | os.PathLike[str] | None = None, cause: Exception | None = None,
    ) -> None:  # fmt: skip
        """Take the value that came as `got`, or one of a wrong type as `got_a`; "f.x" is the argument x of f."""
        owner, _, name = what.rpartition(".")
        self.owner, self.what = (owner, name) if must and " " not in what else ("", what)
        self.must, self.column, self.row, self.cause = must, column, row, cause
        self.path, self.came = None if path is None else os.fspath(path), ""
        if got is not UNSAID:
            self.came = f"got {got!r}"
        if got_a is not UNSAID:
            name = type(got_a).__name__
            self.came = f"got {'an' if name[0] in 'AEIOaeio' else 'a'} {name}"
        super().__init__()
        self.advise()

    def but(self, came: str, fix: str = "", *, python: str = "", shell: str = "") -> Self:
        """Say in words, with a verb, what came, and how to mend it."""
        self.came = came
        return self.advise(fix, python=python, shell=shell)

    def advise(self, fix: str = "", *, python: str = "", shell: str = "") -> Self:
        """Say how to mend it: to all readers, to callers in Python, or to the command line."""
        self.fix, self.python_fix, self.shell_fix = fix or self.fix, python or self.python_fix, shell or self.shell_fix
        words = f"{self.sentence()} {self.fix} {self.python_fix}".split()
        self.args = (" ".join(words),)  # one line, even if it quotes an array
        return self

    @property
    def got(self) -> str:
        """Return what came, in words."""
        return self.came.removeprefix("got ")

    @property
    def names(self) -> list[str]:
        """Return the names of the arguments that are wrong."""
        names = self.what.split(" and ")
        return names if all(name == "X" or (name.isidentifier() and name[0].islower()) for name in names) else []

    def sentence(self, subject: str = "", came: str = "", cause: str = "") -> str:
        """Return the sentence without advice; the arguments replace words for another reader."""
        end = f": {cause or self.cause}" if self.cause else "."
        if not self.must:
            return self.what.removesuffix(".") + end if self.cause else self.what
        if not subject:
            names, of = " and ".join(f"'{name}'" for name in self.names), f" of {self.owner}" if self.owner else ""
            if names and self.owner[:1].isupper() and "." not in self.owner:
                subject = f"The {names} parameter{of}"
            elif names:
                subject = f"The argument{'s' * (' and ' in names)} {names}{of}"
            else:
                subject = self.what or (f"Column {self.column!r}" if self.path is None else f"The file {self.path!r}")
        came = came or self.came
        return f"{subject} must {self.must}{came and f'; {came}'}{end}"


class KeywordError(SufficeError, TypeError):
    """A keyword is unknown, missing, or contradicts another."""


class MissingLibrary(SufficeError, ImportError):
    """An optional library that this feature needs is not installed."""


class KindError(SufficeError, TypeError):
    """An argument is of a type that cannot be used: text where numbers belong, for example."""


class BusyError(SufficeError, RuntimeError):
    """A model is changed while it is learning, by the data it learns from or by a signal handler."""


class WriteError(SufficeError, OSError):
    """A file cannot be written, for example because the disk is full."""


class InputError(SufficeError, ValueError):
    """An argument has the right type and an impossible value."""


class DataError(InputError):
    """The values given as data cannot be counted."""


class ConflictError(DataError):
    """No hypothesis explains the examples; `examples` is a minimal set of them that exclude each other."""

    def __init__(self, what: str = "", must: str = "", *, examples: tuple[object, ...] = (), **fields: Any) -> None:
        super().__init__(what, must, **fields)
        self.examples = examples


class SingularCovariance(DataError):
    """A covariance matrix has no inverse: too few rows, or columns that do not vary on their own.

    The error that is raised is also numpy's LinAlgError.
    """


class LabelError(InputError):
    """Labels or responsibilities do not describe the rows."""


class ShapeError(InputError):
    """Arrays do not fit together."""


class PathError(InputError, FileNotFoundError):
    """A path does not exist, or leads to something other than what was expected."""

    __new__ = FileNotFoundError.__new__  # type: ignore[assignment]  # ValueError's refuses, and copies of Dask call it


class FileError(InputError):
    """A file cannot be read as what it should be."""


class ModelFileError(FileError):
    """A file is not a model, is damaged, or was written by a later version."""


class SubtractionError(InputError):
    """Rows or counts are subtracted from a statistic that does not contain them."""


class PriorError(InputError):
    """A prior's parameters are not allowed."""


class ImproperPrior(PriorError):
    """The question needs a prior that integrates to one."""


class NoUniqueMode(PriorError):
    """The density has no single highest point."""


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Replace an error of the operating system, while a file is written, by one that names the file."""
    if "\0" in os.fspath(path):
        raise PathError(path=path, must="not hold NUL in its name, which no file system allows")
    try:
        yield
    except OSError as error:
        if isinstance(error, SufficeError) or error.errno is None:
            raise
        why = os.strerror(error.errno)
        raise WriteError(
            f"The file {os.fspath(path)!r} cannot be written: {why[:1].lower()}{why[1:]}.", path=path
        ) from error
