"""What Python's csv module writes is read back, whatever is in it, however it is cut into blocks, given or guessed."""

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.tables import row_files as module
from suffice.tables.row_files import Files, Given

PIECES = ["a", "b", " ", '"', ",", "\n", ";", "é", "x y", "\t", "'", "\\", "|", "1"]
CELL = st.lists(st.sampled_from(PIECES), max_size=6).map(lambda parts: "w" + "".join(parts) + "w")


@given(
    rows=st.integers(2, 4).flatmap(
        lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1, max_size=20)
    ),
    sep=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
    block=st.sampled_from([16, 64, 200, 2**22]),
    given=st.booleans(),
)
def test_what_is_written_is_read(
    rows: list[list[str]], sep: str, quoting: int, end: str, block: int, given: bool
) -> None:
    names = [f"name{k}" for k in range(len(rows[0]))]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=sep, quoting=quoting, lineterminator=end)  # type: ignore[arg-type]
    writer.writerows([names, *rows])
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "a.csv"
        path.write_bytes(text.getvalue().encode())
        patch.setattr(module, "BLOCK", block)
        options = Given(sep=sep, quote='"', header=True) if given else Given(sep=sep, header=True)
        files = Files([path], "raise", options, wanted=dict.fromkeys(names, "word"))
        assert [list(row.values()) for table in files for row in table.to_pylist()] == rows
        assert files.rows == len(rows)
