"""Assert which error is raised by its fields rather than by its sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from suffice.errors import SufficeError


@contextmanager
def refused(
    kind: type[Exception], what: str | None = None, **fields: object
) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """Assert that the block raises an error of this type with these fields; `what` may be dotted, "fit_files.target".

    Without an owner, `what` is compared alone. The error's `must` contains the given one, and its `got` begins with it.
    """
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert isinstance(error, SufficeError)
    if what is not None:
        assert what in (error.what, f"{error.owner}.{error.what}"), error
    assert str(fields.pop("must", "")) in error.must, error
    assert error.got.startswith(str(fields.pop("got", ""))), error
    assert {name: getattr(error, name) for name in fields} == fields, error
