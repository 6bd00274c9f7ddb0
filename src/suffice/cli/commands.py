"""The verbs of the command line, each a short function over the library.

Verbs import the library when they run, so that help appears at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from suffice.cli.arguments import (
    Against,
    Answers,
    Certificate,
    Class,
    Data,
    DropViews,
    Effort,
    Efforts,
    Errors,
    Escape,
    Evaluated,
    Faults,
    Folds,
    Journal,
    Json,
    JsonLines,
    Key,
    Kind,
    Kinds,
    KnownKey,
    Learned,
    Method,
    Model,
    Models,
    MoreData,
    NewModel,
    Once,
    OnlyPrediction,
    Output,
    Page,
    Row,
    Target,
    Text,
    Version,
)
from suffice.cli.file_options import reads_files
from suffice.cli.streams import printing

__all__ = ["app"]

app = typer.Typer(name="suffice", pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
@reads_files
def fit(
    data: Data,
    output: NewModel = Path("model.suffice"),
    target: Target = None,
    text: Text = None,
    kind: Kind = Kinds.auto,
    effort: Effort = Efforts.balanced,
    journal: Journal = False,
    journal_key: Key = None,
    errors: Errors = Faults.stop,
    json: Json = False,
) -> None:
    """Fit a model to labelled rows and write its file.

    Example: suffice fit mail.csv -o mail.suffice
    """
    from suffice.cli import changing, verbs
    from suffice.cli.spooling import spooled

    key = changing.key_of(journal, journal_key)
    with spooled(data, output) as files:
        verbs.fit(files, output, target, text, kind.value, effort.value, key, errors.value, json)


@app.command()
@reads_files
def predict(
    model: Model,
    data: Data,
    output: Answers = None,
    only_prediction: OnlyPrediction = False,
    escape: Escape = True,
    errors: Errors = Faults.stop,
    json: JsonLines = False,
) -> None:
    """Classify rows: add the predicted class and probabilities.

    Example: suffice predict mail.suffice new.csv -o answers.csv
    """
    from suffice.cli import predictions

    predictions.predict(model, data, output, errors.value, json, not only_prediction, escape)


@app.command()
@reads_files
def evaluate(
    data: Evaluated,
    method: Method = None,
    folds: Folds = None,
    target: Target = None,
    text: Text = None,
    kind: Kind = Kinds.auto,
    errors: Errors = Faults.stop,
    json: Json = False,
) -> None:
    """Measure how well a model predicts rows it has not learned.

    With a model file, that model is evaluated; else a new one is fitted.

    Example: suffice evaluate mail.suffice test.csv
    """
    from suffice.cli import verbs
    from suffice.cli.classifiers import model_first
    from suffice.cli.spooling import spooled

    chosen = None if method is None else method.value
    model, rows = model_first(data)
    with spooled(rows) as files:
        verbs.evaluate(files, model, chosen, folds, target, text, kind.value, errors.value, json)


@app.command()
@reads_files
def explain(
    model: Model,
    row: Row,
    number: Annotated[int, typer.Option("--row", help="The row of the file, counted from 1.")] = 1,
    target: Class = None,
    against: Against = None,
    top: Annotated[int, typer.Option("--top", min=1, help="The number of features to list; others are summed.")] = 15,
    errors: Errors = Faults.stop,
    json: Json = False,
) -> None:
    """Show what each feature adds to the log-odds of a class.

    Example: suffice explain mail.suffice "cheap pills at noon"
    """
    from suffice.cli import inspecting

    inspecting.explain(model, row, number, target, against, top, errors.value, json)


@app.command()
def inspect(
    model: Model,
    top: Annotated[int, typer.Option("--top", min=1, help="The number of features to list for each class.")] = 5,
    json: Json = False,
) -> None:
    """Show what a model file holds.

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
    once: Once = False,
    journal: Journal = False,
    journal_key: KnownKey = None,
    errors: Errors = Faults.stop,
    json: Json = False,
) -> None:
    """Learn more labelled rows.

    The old model file stays in place until the new one is complete. A model with a journal (suffice fit --journal)
    tells which rows it has learned before.

    Example: suffice update mail.suffice more.csv
    """
    from suffice.cli import changing
    from suffice.cli.spooling import spooled

    with spooled(data, output) as files:
        changing.update(model, files, output, once, changing.key_of(journal, journal_key), errors.value, json)


@app.command()
@reads_files
def forget(
    model: Model,
    data: MoreData = None,
    output: Output = None,
    drop_views: DropViews = False,
    journal_key: KnownKey = None,
    certificate: Certificate = None,
    errors: Errors = Faults.stop,
    json: Json = False,
) -> None:
    """Remove learned rows from the counts of a model.

    A model with a journal refuses rows that it has not learned, and a certificate is written.
    Without a journal, only rows that the counts cannot contain are refused. Without files, --drop-views drops the
    hyperparameters alone.

    Example: suffice forget mail.suffice withdrawn.csv
    """
    from suffice.cli import changing, outputs
    from suffice.cli.spooling import spooled

    outputs.check_output(certificate, *data or [], model, option="--certificate")
    key = changing.key_of(False, journal_key)
    with spooled(data or [], output) as files:
        changing.forget(model, files, output, drop_views, key, certificate, errors.value, json)


@app.command()
@reads_files
def refresh(model: Model, data: Data, output: Output = None, errors: Errors = Faults.stop, json: Json = False) -> None:
    """Choose the hyperparameters of a model again.

    Give all rows that the model has learned: a sample of them chooses, as in 'suffice fit'.

    Example: suffice refresh mail.suffice mail.csv
    """
    from suffice.cli import changing
    from suffice.cli.spooling import spooled

    with spooled(data, output) as files:
        changing.refresh(model, files, output, errors.value, json)


@app.command()
def merge(models: Models, output: NewModel = Path("merged.suffice"), json: Json = False) -> None:
    """Add the counts of several models into one model.

    Example: suffice merge monday.suffice tuesday.suffice -o week.suffice
    """
    from suffice.cli import verbs

    verbs.merge(models, output, json)


@app.command()
@reads_files
def compare(
    models: Models,
    data: Annotated[Path, typer.Option("--data", "-d", metavar="FILE", help="The labelled rows to predict.")],
    errors: Errors = Faults.stop,
    json: Json = False,
) -> None:
    """Compare how well several models predict the same rows.

    Example: suffice compare old.suffice new.suffice --data test.csv
    """
    from suffice.cli import verbs
    from suffice.cli.spooling import spooled

    with spooled([data]) as files:
        verbs.compare(models, files, errors.value, json)


@app.command()
@reads_files
def report(
    model: Model,
    data: Data,
    output: Page = Path("report.html"),
    learned: Learned = None,
    errors: Errors = Faults.stop,
) -> None:
    """Write an HTML page on a model and its predictions.

    The page works without a network.

    Example: suffice report mail.suffice test.csv -o report.html
    """
    from suffice.cli import verbs
    from suffice.cli.spooling import spooled

    with spooled(data, output, model) as files:
        verbs.report(model, files, output, learned, errors.value)


@app.command()
def demo(output: NewModel = Path("demo.suffice")) -> None:
    """Fit and test a model of the docstrings installed here.

    Example: suffice demo
    """
    from suffice.cli import verbs

    verbs.demo(output)


@app.callback(invoke_without_command=True)
def options(context: typer.Context, version: Version = False) -> None:
    """Classify the rows of files with naive Bayes. 'suffice' alone shows what to type first."""
    if context.invoked_subcommand is None:
        from suffice.cli.getting_started import getting_started

        verbs = (command.callback for command in app.registered_commands)
        with printing():
            pairs = ((verb.__name__, (verb.__doc__ or "").split("\n")[0]) for verb in verbs if verb)
            print(getting_started(pairs), flush=True)
