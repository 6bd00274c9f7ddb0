"""`suffice predict`: write rows with their predicted class, as CSV, JSON lines or Parquet."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from suffice.cli.classifiers import classifier_to_answer
from suffice.cli.file_options import open_files
from suffice.cli.light import without_pandas
from suffice.cli.outputs import as_json, check_output, write
from suffice.cli.progress import progress
from suffice.cli.spooling import spooled
from suffice.engines.files import predict_files
from suffice.errors import InputError
from suffice.later import pa, pc, pq

__all__ = ["csv_lines", "predict"]

FORMATS = {".csv": "csv", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet", ".pq": "parquet"}
"""Formats of answers by the ending of the file."""

FORMULA = r"^[=+\-@\t\r]"
"""First characters of a cell that a spreadsheet would compute; plain numbers may have them too."""
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
QUOTED = r"[\",\r\n]|^\s|\s$|^$"


@without_pandas()
def predict(
    path: Path, data: list[Path], output: Path | None, errors: str, as_lines: bool, keep: bool, escape: bool
) -> None:
    """Predict the rows of files, batch by batch."""
    check_output(output, path, *data)
    form = _format(output, as_lines)
    model = classifier_to_answer(path)
    with spooled(data, model=model) as files, progress("predicting") as tell:
        tables = predict_files(model, open_files(files, errors, model, labelled=False), keep=keep, tell=tell)
        if form == "csv":
            write((output, csv_lines(tables, len(model.classes_), escape)))
        else:
            write((output, json_lines(tables) if form == "json" else parquet_parts(tables)))


def _format(output: Path | None, as_lines: bool) -> str:
    """Return the format of the answers: that of the name, else JSON lines if they are wanted, else CSV."""
    ending = "" if output is None else output.suffix.lower()
    if ending not in ("", *FORMATS):
        raise InputError(
            f"The option '--output' must name a file that ends in {', '.join(FORMATS)}, or has no ending; got "
            f"{str(output)!r}."
        )
    wanted = "json" if as_lines else "csv"
    if as_lines and FORMATS.get(ending, wanted) != wanted:
        raise InputError(
            f"The option '--json' needs an output that ends in .jsonl, or has no ending; got {str(output)!r}."
        )
    return FORMATS.get(ending, wanted)


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


def parquet_parts(tables: Iterable[Any]) -> Iterator[bytes]:
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
            raise InputError(
                f"The files must hold values of one type in each column; {field.name!r} is {field.type} in the first "
                f"rows and {column.type} in later ones. --only-prediction leaves out the columns of the files."
            ) from None
    return pa.table(columns, schema=schema)


def _must_be_known(table: Any, names: list[str]) -> None:
    """Raise InputError if a table has a column that the first one lacks."""
    more = [name for name in table.column_names if name not in names]
    if more:
        raise InputError(
            f"The files must have the same columns; {more[0]!r} is not in the first rows. --only-prediction leaves "
            "out the columns of the files, and --json writes each row with its own columns."
        )


def json_lines(tables: Iterable[Any]) -> Iterator[bytes]:
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
