"""Every hostile file is read as a person would, whatever the size of blocks; rows read and skipped are all rows."""

import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from suffice.errors import InputError
from suffice.tables.row_files import Files, Given
from tables.hostile import FILES, Hostile

LARGE = 100_000


def read(hostile: Hostile, path: Path, errors: str) -> tuple[Files, dict[str, list[Any]]]:
    files = Files([path], errors, Given(**hostile.given), lambda names: hostile.target)
    parts = list(files)
    table = pa.concat_tables(parts, promote_options="permissive") if parts else pa.table({})
    found = {name: table[name].to_pylist() for name in table.column_names}
    return files, {name: [_plain(value) for value in values] for name, values in found.items()}


def _plain(value: Any) -> Any:
    return value.date().isoformat() if hasattr(value, "isoformat") else value


def test_there_are_many_of_different_names() -> None:
    names = [hostile.name for hostile in FILES]
    assert len(set(names)) == len(names) >= 35


@pytest.mark.parametrize("hostile", FILES, ids=lambda hostile: hostile.name)
@pytest.mark.parametrize("block", [2**22, pytest.param(64, marks=pytest.mark.thorough)], ids=["whole", "blocks"])
def test_it_is_read_as_a_person_would(
    hostile: Hostile, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if len(hostile.data) > LARGE and block < LARGE:
        block = 2**14
    monkeypatch.setattr("suffice.tables.row_files.BLOCK", block)
    path = hostile.write(tmp_path)
    if hostile.refused:
        with pytest.raises(InputError, match=hostile.refused):
            read(hostile, path, "skip")
        return
    if block < LARGE and hostile.skipped:
        pytest.skip("what a column holds is decided by the first block")
    files, found = read(hostile, path, "skip")
    assert found == hostile.rows
    assert files.skipped == hostile.skipped
    assert files.rows == len(next(iter(hostile.rows.values()), []))
    if hostile.skipped:
        with pytest.raises(InputError, match="in line"):
            read(hostile, path, "raise")
    else:
        assert read(hostile, path, "raise")[1] == hostile.rows


@pytest.mark.thorough
@pytest.mark.parametrize("hostile", [one for one in FILES if not one.refused], ids=lambda hostile: hostile.name)
def test_one_line_says_what_was_understood(hostile: Hostile, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        files, _ = read(hostile, hostile.write(tmp_path), "skip")
    line = str(files.understood[0])
    assert line.startswith(f"{hostile.name}: ")
    assert "\n" not in line
    assert f"{files.rows:,} row" in line
    assert (f"{hostile.skipped} skipped" in line) == bool(hostile.skipped)
