"""`suffice predict`: write rows with their predicted class, as CSV or JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from suffice.cli.classifiers import classifier_to_answer
from suffice.cli.file_options import open_files
from suffice.cli.light import without_pandas
from suffice.cli.outputs import as_json, check_output, write
from suffice.cli.progress import progress
from suffice.cli.spooling import spooled
from suffice.engines.predicted_files import predict_files
from suffice.errors import InputError
from suffice.later import pa, pc

__all__ = ["csv_lines", "predict"]

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
    model = classifier_to_answer(path)
    with spooled(data, model=model) as files, progress("predicting") as tell:
        tables = predict_files(model, open_files(files, errors, model, labelled=False), keep=keep, tell=tell)
        write((output, json_lines(tables) if as_lines else csv_lines(tables, len(model.classes_), escape)))


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
        more = [name for name in table.column_names if name not in names]
        if more:
            raise InputError(
                f"The files must have the same columns; {more[0]!r} is not in the first rows. --only-prediction leaves "
                "out the columns of the files, and --json writes each row with its own columns."
            )
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
