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

Every message is one sentence that names the argument, what was expected and what came; a second one may say how to
mend it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager


class SufficeError(Exception):
    """Any error this library raises on purpose."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))  # one line, even if it quotes an array


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

    def __init__(self, message: str, examples: tuple[object, ...] = ()) -> None:
        super().__init__(message)
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


class FileError(InputError):
    """A file cannot be read as what it should be."""


class ModelFileError(FileError):
    """A file is not a model, is damaged, or was written by a later version."""


class SubtractionError(InputError):
    """Rows or counts are subtracted from a statistic that does not contain them.

    `row` is the number of the first such row, from 0, and `reason` says why it cannot be subtracted, where they are
    known.
    """

    def __init__(self, message: str, row: int | None = None, reason: str = "") -> None:
        super().__init__(message)
        self.row, self.reason = row, reason


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
        raise PathError(f"The file name {os.fspath(path)!r} must not hold NUL, which no file system allows.")
    try:
        yield
    except OSError as error:
        if isinstance(error, SufficeError) or error.errno is None:
            raise
        why = os.strerror(error.errno)
        raise WriteError(f"The file {os.fspath(path)!r} cannot be written: {why[:1].lower()}{why[1:]}.") from error
