"""The arguments and options that several verbs share, with their help."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from suffice.cli.streams import printing

__all__ = [
    "Against",
    "Answers",
    "Certificate",
    "Class",
    "Data",
    "DropViews",
    "Effort",
    "Efforts",
    "Errors",
    "Escape",
    "Evaluated",
    "Faults",
    "Folds",
    "Journal",
    "Json",
    "JsonLines",
    "Key",
    "Kind",
    "Kinds",
    "KnownKey",
    "Learned",
    "Method",
    "Methods",
    "Model",
    "Models",
    "MoreData",
    "NewModel",
    "Once",
    "OnlyPrediction",
    "Output",
    "Page",
    "Row",
    "Target",
    "Text",
    "Version",
]


class Kinds(StrEnum):
    """Values of `--kind`."""

    auto = "auto"
    text = "text"
    table = "table"


class Efforts(StrEnum):
    """Values of `--effort`."""

    fast = "fast"
    balanced = "balanced"
    best = "best"


class Faults(StrEnum):
    """Values of `--errors`."""

    stop = "raise"
    skip = "skip"


class Methods(StrEnum):
    """Values of `--method`."""

    holdout = "holdout"
    folds = "folds"
    loo = "loo"


Data = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES",
        help="CSV, TSV, JSON lines, Parquet or Arrow files, folders of them or of text files; - is standard input.",
    ),
]
MoreData = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[FILES]", help="The rows to forget, in the formats of the rows that were learned."),
]
Evaluated = Annotated[
    list[Path],
    typer.Argument(
        metavar="[MODEL] FILES",
        help="A model file, unless a new model is to be fitted, and the files of labelled rows.",
    ),
]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, as written by 'suffice fit'.")]
Models = Annotated[list[Path], typer.Argument(metavar="MODELS", help="Model files.")]
NewModel = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The model file to write.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="The model file to write; by default, MODEL is replaced."),
]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="COLUMN", help="The column of labels; by default, guessed from its name."),
]
Text = Annotated[
    str | None,
    typer.Option("--text", metavar="COLUMN", help="The column of texts; by default, guessed from names and contents."),
]
Kind = Annotated[
    Kinds, typer.Option("--kind", help="What the rows are: texts, or a table; auto looks at the first rows.")
]
Effort = Annotated[
    Efforts, typer.Option("--effort", help="How thoroughly hyperparameters are chosen; best takes longest.")
]
Errors = Annotated[
    Faults, typer.Option("--errors", help="At a malformed row, raise an error, or skip it and report how many.")
]
Method = Annotated[
    Methods | None,
    typer.Option(
        "--method",
        help="Hold-out, cross-validation or leave-one-out. Default: hold-out; with MODEL, folds for learned rows.",
    ),
]
Folds = Annotated[
    int | None, typer.Option("--folds", help="The number of folds, by default 5; implies --method folds.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Journal = Annotated[
    bool, typer.Option("--journal", help="Keep hashes of the rows, so that forget refuses rows that were not learned.")
]
Once = Annotated[bool, typer.Option("--once", help="Leave out rows that the model has learned before, by its journal.")]
Key = Annotated[
    Path | None,
    typer.Option("--journal-key", metavar="FILE", help="A file with your journal key; implies --journal."),
]
KnownKey = Annotated[
    Path | None,
    typer.Option("--journal-key", metavar="FILE", help="The file with the key of the model's journal, if it has one."),
]
Answers = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The file to write: .csv, .jsonl or .parquet; by default, CSV on standard output.",
    ),
]
OnlyPrediction = Annotated[bool, typer.Option("--only-prediction", help="Leave out the columns of the files.")]
Escape = Annotated[
    bool, typer.Option(help="In CSV, put ' before class names that a spreadsheet would compute as formulas.")
]
JsonLines = Annotated[bool, typer.Option("--json", help="Write JSON lines instead of CSV.")]
Row = Annotated[str, typer.Argument(metavar="TEXT|FILE", help="A text, or the file of the row; - is standard input.")]
Class = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="CLASS", help="The class to explain; by default, the predicted class."),
]
Against = Annotated[
    str | None,
    typer.Option("--against", metavar="CLASS", help="The class to compare it with; by default, the next one."),
]
DropViews = Annotated[
    bool,
    typer.Option("--drop-views", help="Also drop the chosen hyperparameters, which keep a trace of the rows."),
]
Certificate = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="The certificate to write, for a model with a journal; by default, beside the model file.",
    ),
]
Learned = Annotated[
    bool | None,
    typer.Option("--learned/--new", help="Whether the model learned these rows; by default, guessed from its counts."),
]
Page = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The HTML page to write.")]


def _version(wanted: bool) -> None:
    """Print the version and exit, if it is wanted."""
    if wanted:
        import suffice

        with printing():
            print(f"suffice {suffice.__version__}", flush=True)
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
]
