"""What four readers make of the hostile files of tests/tables/hostile.py: ours, pandas', Polars' and DuckDB's.

Each reads by its defaults what it is given as a path; DuckDB sniffs. A reading is right if it has the values that were
written down by hand, whatever a column without a header is called; "lost" if rows are fewer, "refused" if it raises.
Readers that are not installed are left out: `pip install duckdb polars` into a folder, and PYTHONPATH=folder.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from side_by_side import ROOT, markdown

sys.path.insert(0, str(ROOT / "tests"))

from tables.hostile import FILES, Hostile

Columns = list[list[Any]]


def ours(hostile: Hostile, path: Path) -> Columns:
    import pyarrow as pa

    from suffice.tables.row_files import Files, Given

    tables = list(Files([path], "skip", Given(**hostile.given), lambda names: hostile.target))
    table = pa.concat_tables(tables, promote_options="permissive") if tables else pa.table({})
    return [table[name].to_pylist() for name in table.column_names]


def with_pandas(hostile: Hostile, path: Path) -> Columns:
    import pandas as pd  # type: ignore[import-untyped]

    frame = pd.read_csv(path)
    return [[None if value is pd.NA else value for value in frame.iloc[:, k].tolist()] for k in range(frame.shape[1])]


def with_polars(hostile: Hostile, path: Path) -> Columns:
    import polars as pl

    return [column.to_list() for column in pl.read_csv(path).get_columns()]


def with_duckdb(hostile: Hostile, path: Path) -> Columns:
    import duckdb  # type: ignore[import-not-found,unused-ignore]

    rows = duckdb.sql(f"select * from read_csv('{path}')").fetchall()
    return [list(column) for column in zip(*rows, strict=True)]


READERS: dict[str, Callable[[Hostile, Path], Columns]] = {
    "suffice": ours,
    "pandas": with_pandas,
    "Polars": with_polars,
    "DuckDB": with_duckdb,
}


def plain(value: Any) -> Any:
    """Return values that can be compared: dates as ISO, NaN as nothing, whole floats as numbers."""
    if isinstance(value, float) and math.isnan(value):
        return None
    return value.isoformat()[:10] if hasattr(value, "isoformat") else value


def verdict(hostile: Hostile, read: Callable[[Hostile, Path], Columns], path: Path) -> str:
    wanted = [[plain(value) for value in column] for column in hostile.rows.values()]
    try:
        found = [[plain(value) for value in column] for column in read(hostile, path)]
    except ImportError:
        return "–"
    except Exception:
        return "right" if hostile.refused else "refused"
    if hostile.refused:
        return "read"
    rows, expected = (len(table[0]) if table else 0 for table in (found, wanted))
    if found == wanted or rows == expected == 0:
        return "right"
    if rows < expected:
        return f"lost {expected - rows}" if expected - rows < expected else "lost all"
    return "columns" if len(found) != len(wanted) else "values"


def main() -> None:
    head = ["file", *READERS]
    table = []
    with tempfile.TemporaryDirectory() as folder:
        for hostile in FILES:
            path = hostile.write(Path(folder))
            table.append([hostile.name, *(verdict(hostile, read, path) for read in READERS.values())])
    right = [str(sum(row[k] == "right" for row in table)) for k in range(1, len(head))]
    print(markdown(head, [*table, [f"right, of {len(table)}", *right]]))


if __name__ == "__main__":
    main()
