"""What can go wrong, as one small tree.

    SufficeError
    ├── KeywordError        (TypeError)   a keyword that is unknown, missing, or given twice over
    ├── MissingLibrary      (ImportError) a library that is needed for this, and not installed
    ├── KindError           (TypeError)   an argument of a kind that cannot be used at all
    ├── BusyError           (RuntimeError) a change of a model while the same thread is changing it
    └── InputError          (ValueError)
        ├── DataError                     values: NaN, negative counts, empty data, too large to count
        │   ├── ConflictError             examples that no hypothesis explains together
        │   └── SingularCovariance        a covariance matrix without an inverse; a LinAlgError of numpy, too
        ├── LabelError                    labels or responsibilities
        ├── ShapeError                    arrays that do not fit together
        ├── PathError (FileNotFoundError) a file or folder that is not there, or not the one expected
        ├── FileError                     a file that cannot be read as what its name says
        │   └── ModelFileError            a model file that is damaged, of a later version, or none at all
        ├── SubtractionError              taking away what was never added
        └── PriorError                    parameters of a prior
            ├── ImproperPrior             a question that only a proper prior can answer
            └── NoUniqueMode              no single most probable value

Every message is one sentence that names the argument, what was expected and what came.
"""


class SufficeError(Exception):
    """Any error this library raises on purpose."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))  # one line, also where an array is quoted


class KeywordError(SufficeError, TypeError):
    """A keyword is unknown, missing, or contradicts another."""


class MissingLibrary(SufficeError, ImportError):
    """A library that only this needs is not installed."""


class KindError(SufficeError, TypeError):
    """An argument is of a kind that cannot be used: text where numbers belong, for example."""


class BusyError(SufficeError, RuntimeError):
    """A model is changed by something that it is just learning from, or by a signal handler."""


class InputError(SufficeError, ValueError):
    """An argument has the right kind and an impossible value."""


class DataError(InputError):
    """The values given as data cannot be counted."""


class ConflictError(DataError):
    """Examples that no hypothesis explains; `examples` are some that exclude each other, none of them needlessly."""

    def __init__(self, message: str, examples: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.examples = examples


class SingularCovariance(DataError):
    """A covariance matrix has no inverse: too few rows, or columns that do not vary on their own.

    What is raised can be caught as numpy's LinAlgError, too.
    """


class LabelError(InputError):
    """Labels or responsibilities do not describe the rows."""


class ShapeError(InputError):
    """Arrays do not fit together."""


class PathError(InputError, FileNotFoundError):
    """A path leads nowhere, or to something else than what was expected."""


class FileError(InputError):
    """A file that cannot be read as what it should be."""


class ModelFileError(FileError):
    """A file is no model, is damaged, or was written by a later version."""


class SubtractionError(InputError):
    """Rows or counts are subtracted from a statistic that does not contain them."""


class PriorError(InputError):
    """A prior's parameters are not allowed."""


class ImproperPrior(PriorError):
    """The question needs a prior that integrates to one."""


class NoUniqueMode(PriorError):
    """The density has no single highest point."""
