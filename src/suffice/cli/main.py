"""`suffice`: the verbs of the command line. Each verb is a short function over the library.

Nothing heavy is imported before a verb runs, so that help comes at once.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from suffice.cli.endings import INTERRUPTED, STOPPED, UNHEARD, as_note, end, message_and_code
from suffice.cli.file_options import reads_files
from suffice.cli.interrupts import end_by_signals, finish

__all__ = ["app", "main"]

app = typer.Typer(
    name="suffice",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Data = Annotated[
    list[Path], typer.Argument(help="CSV, TSV, JSON lines, Parquet, Arrow, or folders of texts; - is stdin.")
]
Model = Annotated[Path, typer.Argument(help="A model file.")]
Target = Annotated[str | None, typer.Option("--target", "-t", help="The column of labels; guessed by its name.")]
Text = Annotated[str | None, typer.Option("--text", help="The column of texts; guessed if there is one.")]
Errors = Annotated[str, typer.Option("--errors", help="raise, or skip malformed rows and count them.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Where to write; - is stdout.")]
Journal = Annotated[bool, typer.Option("--journal", help="Keep hashes of the rows, so that forget refuses others.")]
Key = Annotated[Path | None, typer.Option("--journal-key", help="A file with a key of your own for the journal.")]


@app.command()
@reads_files
def fit(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")] = Path("model.suffice"),
    target: Target = None,
    text: Text = None,
    kind: Annotated[str, typer.Option("--kind", help="auto, text or table.")] = "auto",
    effort: Annotated[str, typer.Option("--effort", help="fast, balanced or best.")] = "balanced",
    journal: Journal = False,
    journal_key: Key = None,
    errors: Errors = "raise",
    json: Json = False,
) -> None:
    """Learn from files, and write a model.

    Example: suffice fit mail.csv -o mail.suffice
    """
    from suffice.cli import changing, verbs
    from suffice.cli.spooling import spooled

    key = changing.key_of(journal, journal_key)
    with spooled(data, output) as files:
        verbs.fit(files, output, target, text, kind, effort, key, errors, json)


@app.command()
@reads_files
def predict(
    model: Model,
    data: Data,
    output: Output = None,
    only_prediction: Annotated[
        bool, typer.Option("--only-prediction", help="Leave the columns of the files out.")
    ] = False,
    escape: Annotated[
        bool, typer.Option(help="In CSV, put ' before classes that a spreadsheet would take for formulas.")
    ] = True,
    errors: Errors = "raise",
    json: Json = False,
) -> None:
    """Predict the class of each row of files, as CSV: their columns, then class and probabilities.

    Example: suffice predict mail.suffice new.csv -o answers.csv
    """
    from suffice.cli import predictions

    predictions.predict(model, data, output, errors, json, not only_prediction, escape)


@app.command()
@reads_files
def evaluate(
    data: Data,
    model: Annotated[Path | None, typer.Option("--model", "-m", help="Judge this model; else one is fitted.")] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", help="holdout, folds or loo; if not given, holdout, or with a model what suits it."),
    ] = None,
    folds: Annotated[int, typer.Option("--folds", help="How many folds.")] = 5,
    target: Target = None,
    text: Text = None,
    kind: Annotated[str, typer.Option("--kind", help="auto, text or table.")] = "auto",
    errors: Errors = "raise",
    json: Json = False,
) -> None:
    """Judge how well rows are predicted by a model that has not seen them.

    Example: suffice evaluate mail.csv --method folds
    """
    from suffice.cli import verbs
    from suffice.cli.spooling import spooled

    with spooled(data) as files:
        verbs.evaluate(files, model, method, folds, target, text, kind, errors, json)


@app.command()
def explain(
    model: Model,
    row: Annotated[str, typer.Argument(help="A text, or a file whose row is explained; - is stdin.")],
    number: Annotated[int, typer.Option("--row", help="Which row of the file, from 1 on.")] = 1,
    target: Annotated[str | None, typer.Option("--target", "-t", help="The class to explain.")] = None,
    against: Annotated[str | None, typer.Option("--against", help="The class it is compared with.")] = None,
    json: Json = False,
) -> None:
    """Explain why a text or a row belongs to its class.

    Example: suffice explain mail.suffice "cheap pills at noon"
    """
    from suffice.cli import inspecting

    inspecting.explain(model, row, number, target, against, json)


@app.command()
def inspect(
    model: Model, top: Annotated[int, typer.Option("--top", help="Features of each class.")] = 5, json: Json = False
) -> None:
    """Show what is in a model file.

    Example: suffice inspect mail.suffice
    """
    from suffice.cli import inspecting

    inspecting.inspect(model, top, json)


@app.command()
@reads_files
def update(
    model: Model,
    data: Data,
    output: Output = None,
    journal: Journal = False,
    journal_key: Key = None,
    errors: Errors = "raise",
    json: Json = False,
) -> None:
    """Learn more rows, and write the model anew: the old file stays until the new one is complete.

    Example: suffice update mail.suffice more.csv
    """
    from suffice.cli import changing
    from suffice.cli.spooling import spooled

    with spooled(data, output) as files:
        changing.update(model, files, output, changing.key_of(journal, journal_key), errors, json)


@app.command()
@reads_files
def forget(
    model: Model,
    data: Data,
    output: Output = None,
    drop_views: Annotated[
        bool, typer.Option("--drop-views", help="Drop what was chosen by rows, which has a trace of them.")
    ] = False,
    journal_key: Key = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", help="Where to write it, if there is a journal; else beside the model."),
    ] = None,
    errors: Errors = "raise",
    json: Json = False,
) -> None:
    """Unlearn rows that were learned. Only a journal can tell which were; it refuses others, and signs for these.

    Example: suffice forget mail.suffice withdrawn.csv
    """
    from suffice.cli import changing, outputs
    from suffice.cli.spooling import spooled

    outputs.check_output(certificate, *data, model)
    key = changing.key_of(False, journal_key)
    with spooled(data, output) as files:
        changing.forget(model, files, output, drop_views, key, certificate, errors, json)


@app.command()
@reads_files
def refresh(model: Model, data: Data, output: Output = None, errors: Errors = "raise", json: Json = False) -> None:
    """Choose anew what is chosen by rows (temper, weights), by all rows that the model has learned.

    Example: suffice refresh mail.suffice mail.csv
    """
    from suffice.cli import changing
    from suffice.cli.spooling import spooled

    with spooled(data, output) as files:
        changing.refresh(model, files, output, errors, json)


@app.command()
def merge(
    models: Annotated[list[Path], typer.Argument(help="Model files.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")] = Path("merged.suffice"),
    json: Json = False,
) -> None:
    """Merge several models into that of all their rows.

    Example: suffice merge monday.suffice tuesday.suffice -o week.suffice
    """
    from suffice.cli import verbs

    verbs.merge(models, output, json)


@app.command()
@reads_files
def compare(
    models: Annotated[list[Path], typer.Argument(help="Model files.")],
    data: Annotated[Path, typer.Option("--data", "-d", help="Rows that judge them.")],
    json: Json = False,
) -> None:
    """Compare how well several models predict the same rows.

    Example: suffice compare old.suffice new.suffice --data test.csv
    """
    from suffice.cli import verbs

    verbs.compare(models, data, json)


@app.command()
@reads_files
def report(
    model: Model,
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("report.html"),
    learned: Annotated[
        bool | None, typer.Option("--learned/--new", help="Whether the model learned these rows; else its counts tell.")
    ] = None,
    errors: Errors = "raise",
) -> None:
    """Write a page about a model and its answers, that needs no network.

    Example: suffice report mail.suffice test.csv -o report.html
    """
    from suffice.cli import verbs
    from suffice.cli.spooling import spooled

    with spooled(data, output, model) as files:
        verbs.report(model, files, output, learned, errors)


@app.command()
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")] = Path("demo.suffice"),
) -> None:
    """Train a classifier on the docstrings installed here, test it, and write its file.

    Example: suffice demo
    """
    from suffice.cli import verbs

    verbs.demo(output)


def _version(wanted: bool) -> None:
    if wanted:
        import suffice

        print(f"suffice {suffice.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Naive Bayes from files: counts suffice."""


def main() -> None:
    """Run, and end with a documented code."""
    warnings.showwarning = as_note
    gc.set_threshold(50_000)  # what is imported stays: looking through it again and again takes a tenth of a second
    code: Any = None
    try:
        end_by_signals()
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        code = UNHEARD
    except SystemExit as left:
        code = UNHEARD if isinstance(left.__context__, BrokenPipeError) else left.code
    except typer.Exit as done:
        code = done.exit_code
    except Exception as error:
        finish()
        end(*message_and_code(error))
    finish()
    if code == INTERRUPTED:
        end(*STOPPED)
    if code == UNHEARD:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left to be printed goes nowhere
    sys.exit(code)
