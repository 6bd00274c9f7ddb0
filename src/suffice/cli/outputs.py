"""Write the outputs of verbs: files, complete or not at all, and lines for people or machines."""

from __future__ import annotations

import io
import json
import math
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from typing import Any

from suffice.cli.process import aside, commit, heed, printing, remark
from suffice.errors import InputError
from suffice.later import pa, pc, pq

WIDTH = 80
"""Characters of a line, unless names are longer."""


def check_output(output: Path | None, *inputs: Path, option: str = "--output") -> None:
    """Raise if an output cannot be written, or would replace an input."""
    if output is None or str(output) == "-":
        return
    from suffice.store.file_io import replaceable
    from suffice.tables.opening import matching

    target = replaceable(output)
    for one in (one for given in inputs for one in matching(given)) if target is not None else ():
        if _same(output, one) or _among_texts(target, one):
            raise InputError(f"The option '{option}'", "not name a file that is read").but(
                f"got {str(output)!r}, which is unchanged"
            )


def _among_texts(target: Path | None, folder: Path) -> bool:
    """Return whether an output file would lie among the texts of an input folder."""
    return target is not None and folder.is_dir() and folder.resolve() in target.parent.parents


def _same(output: Path, one: Path) -> bool:
    """Return whether two paths lead to the same file, including by links."""
    with suppress(OSError):
        if str(one) == "-":
            return os.path.samestat(os.fstat(sys.stdin.fileno()), output.stat())
        if os.path.samefile(output, one):
            return True
    return os.path.realpath(output) == os.path.realpath(one)


def write(*outputs: tuple[Path | None, Iterable[Any]]) -> None:
    """Write bytes to files, all complete before the first replaces an old one; None and - are standard output."""
    from suffice.store.file_io import replacing

    with ExitStack() as stack:
        for path, parts in outputs:
            stdout = path is None or str(path) == "-"
            sink = sys.stdout.buffer if stdout else stack.enter_context(replacing(Path(path or "-")))
            for part in parts:
                with printing() if stdout else nullcontext():
                    sink.write(part)
                    if stdout:
                        sink.flush()
        commit()


def save(model: Any, path: Path) -> None:
    """Write a model to a file, as `suffice.save` does."""
    from suffice.store.models import pieces

    write((path, pieces(model)))


def say(json_wanted: bool, facts: dict[str, Any], *lines: str) -> None:
    """Print the facts as JSON, or the lines for people; on stderr if the output itself is on standard output."""
    heed()
    output = facts.get("model", facts.get("page"))
    said = as_json(facts) if json_wanted else "\n".join(line for line in lines if line)
    if str(output) == "-":
        aside(said)
        return
    again = "; do not repeat the command" if "what" in facts else ""
    with printing(f" The file {output!r} is complete{again}." if output is not None else ""):
        print(said, flush=True)


def note(lines: Iterable[str]) -> None:
    """Print remarks on standard error."""
    for line in lines:
        remark(f"note: {line}")


def as_json(value: Any) -> str:
    """Return standard JSON, with null for numbers that are not finite.

    >>> as_json({"loss": float("inf"), "rows": 3})
    '{"loss": null, "rows": 3}'
    """
    return json.dumps(_plain(value), allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return number if math.isfinite(number) else None


# predictions, as CSV, JSON lines or Parquet

FORMATS = {".csv": "csv", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet", ".pq": "parquet"}
"""Formats of answers by the ending of the file."""

FORMULA = r"^[=+\-@\t\r]"
"""First characters of a cell that a spreadsheet would compute; plain numbers may have them too."""
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
QUOTED = r"[\",\r\n]|^\s|\s$|^$"


def format_of(output: Path | None, as_lines: bool) -> str:
    """Return the format of the answers: that of the name, else JSON lines if they are wanted, else CSV."""
    ending = "" if output is None else output.suffix.lower()
    if ending not in ("", *FORMATS):
        raise InputError(
            "The option '--output'", f"name a file that ends in {', '.join(FORMATS)}, or has no ending", got=str(output)
        )
    wanted = "json" if as_lines else "csv"
    if as_lines and FORMATS.get(ending, wanted) != wanted:
        raise InputError(
            f"The option '--json' needs an output that ends in .jsonl, or has no ending; got {str(output)!r}."
        )
    return FORMATS.get(ending, wanted)


def predictions(tables: Iterable[Any], form: str, n_classes: int, escape: bool) -> Iterator[bytes]:
    """Yield tables of predictions in a format."""
    if form == "csv":
        return csv_lines(tables, n_classes, escape)
    return _json_lines(tables) if form == "json" else _parquet_parts(tables)


class _Sink(io.RawIOBase):
    """A file that is handed on piece by piece."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, data: Any) -> int:
        self.parts.append(bytes(data))
        self._size += len(self.parts[-1])
        return len(self.parts[-1])

    def taken(self) -> Iterator[bytes]:
        """Yield what was written since the last call."""
        parts, self.parts = self.parts, []
        yield from parts


def _parquet_parts(tables: Iterable[Any]) -> Iterator[bytes]:
    """Yield predictions as Parquet, in the types of the first table; raise InputError if a later one does not fit."""
    sink, writer = _Sink(), None
    try:
        for table in tables:
            writer = writer or pq.ParquetWriter(sink, table.schema)
            writer.write_table(_in_types(table, writer.schema))
            yield from sink.taken()
    finally:
        if writer is not None:
            writer.close()
    yield from sink.taken()


def _in_types(table: Any, schema: Any) -> Any:
    """Return a table with the columns of a schema, which are empty if the table lacks them."""
    _must_be_known(table, schema.names)
    columns = []
    for field in schema:
        column = table[field.name] if field.name in table.column_names else pa.nulls(table.num_rows)
        try:
            columns.append(column.cast(field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise InputError("The files", "hold values of one type in each column").but(
                f"{field.name!r} is {field.type} in the first rows and {column.type} in later ones. "
                "--only-prediction leaves out the columns of the files"
            ) from None
    return pa.table(columns, schema=schema)


def _must_be_known(table: Any, names: list[str]) -> None:
    """Raise InputError if a table has a column that the first one lacks."""
    more = [name for name in table.column_names if name not in names]
    if more:
        raise InputError("The files", "have the same columns").but(
            f"{more[0]!r} is not in the first rows. --only-prediction leaves out the columns of the files, and "
            "--json writes each row with its own columns"
        )


def _json_lines(tables: Iterable[Any]) -> Iterator[bytes]:
    """Yield each row as a JSON object on a line of its own."""
    for table in tables:
        yield "".join(as_json(row) + "\n" for row in table.to_pylist()).encode()


def csv_lines(tables: Iterable[Any], n_classes: int, escape: bool) -> Iterator[bytes]:
    """Yield predictions as CSV, with the columns of the first table; raise InputError if a later one has more.

    With `escape`, class names that a spreadsheet would compute as formulas get an apostrophe in front.

    >>> table = pa.table({"id": [7], "prediction": ["=1+1"], "probability": [1.0], "p_=1+1": [1.0]})
    >>> print(b"".join(csv_lines([table], 1, True)).decode(), end="")
    id,prediction,probability,p_=1+1
    7,'=1+1,1,1
    """
    names: list[str] = []
    for table in tables:
        if not names:
            names = table.column_names
            yield (",".join(_quoted(pa.array(names)).to_pylist()) + "\n").encode()
        _must_be_known(table, names)
        predicted = table.column_names[-2 - n_classes]
        columns = [_cells(table, name, escape and name == predicted) for name in names]
        lines = pc.binary_join_element_wise(*columns, ",")
        yield "".join(line + "\n" for line in lines.to_pylist()).encode()


def _cells(table: Any, name: str, escape: bool) -> Any:
    """Return the cells of a column as texts; they are empty if the table lacks the column."""
    if name not in table.column_names:
        return pa.chunked_array([pa.array([""] * table.num_rows)])
    column = table[name]
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        column = pa.chunked_array([[None if one is None else as_json(one) for one in column.to_pylist()]], pa.string())
    texts = column.cast(pa.string())
    if escape and not pa.types.is_string(column.type):
        escape = False  # numbers and dates are not formulas
    return pc.fill_null(_quoted(_escaped(texts) if escape else texts), "")


def _escaped(texts: Any) -> Any:
    risky = pc.and_(pc.match_substring_regex(texts, FORMULA), pc.invert(pc.match_substring_regex(texts, NUMBER)))
    return pc.if_else(risky, pc.binary_join_element_wise("'", texts, ""), texts)


def _quoted(texts: Any) -> Any:
    doubled = pc.replace_substring(texts, '"', '""')
    return pc.if_else(
        pc.match_substring_regex(texts, QUOTED), pc.binary_join_element_wise('"', doubled, '"', ""), texts
    )
