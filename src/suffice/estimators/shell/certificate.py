"""What `forget` signs for: which rows went, from which model, and which model is left."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from sklearn.exceptions import NotFittedError

import suffice
from suffice.errors import FileError, KindError
from suffice.stats.journal import Hashes

__all__ = ["Certificate", "checksum"]


@dataclass(frozen=True, repr=False)
class Certificate:
    """Evidence that rows were forgotten, which `forget` returns where the model keeps a journal.

    Attributes
    ----------
    rows : int
        How many rows went.
    hashes : tuple of str
        The hash of each row and its label, in their order, as 32 hexadecimal digits; under the key of the journal.
    before, after : str or None
        SHA-256 of the model file before and after, as `save` would write it. None where there is no file: nothing is
        left of the model, or it has functions of the user's own.
    time : str
        When, in UTC.

    Examples
    --------
    >>> import suffice as sf
    >>> texts, labels = ["cheap pills", "lunch at noon", "cheap watches"], ["spam", "ham", "spam"]
    >>> model = sf.TextClassifier().fit(texts, labels, journal=True)
    >>> certificate = model.forget(["cheap pills"], ["spam"])
    >>> certificate.rows, len(certificate.hashes[0]), certificate.before == certificate.after
    (1, 32, False)
    """

    rows: int
    hashes: tuple[str, ...]
    before: str | None
    after: str | None
    time: str

    @classmethod
    def of(cls, hashes: Hashes, before: str | None, after: str | None) -> Certificate:
        """The certificate of rows that go now."""
        told = tuple(f"{first:016x}{second:016x}" for first, second in hashes.tolist())
        return cls(len(told), told, before, after, datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def json(self) -> str:
        """All of it, as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, to a file that is not there yet: a certificate never takes the place of another.

        Parameters
        ----------
        path : str or Path
            Where to.
        """
        try:
            with Path(path).open("x", encoding="utf-8") as file:
                file.write(self.json)
        except FileExistsError:
            raise FileError(
                f"The file {str(path)!r} must not exist yet: a certificate never replaces another. Name another file."
            ) from None

    def __repr__(self) -> str:
        models = " → ".join("none" if one is None else f"{one[:12]}…" for one in (self.before, self.after))
        return f"Certificate({self.rows:,} row{'s' * (self.rows != 1)} forgotten at {self.time}, model {models})"


def checksum(model: Any) -> str | None:
    """SHA-256 of the file that `save` writes; None of a model that no file can hold."""
    store: Any = suffice.store  # which stands above the classifiers: imported when it is asked for
    try:
        return sha256(store.to_bytes(model)).hexdigest()
    except (KindError, NotFittedError):
        return None
