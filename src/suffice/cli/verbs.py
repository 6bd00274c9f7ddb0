"""The verbs of the command line, each one function: its options, its help with an example, and what it does.

Heavy parts of the library are imported when a verb runs, so that help appears at once.
"""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer

import suffice as sf
from suffice.cli.command_inputs import (
    FilesCommand,
    called,
    classifier,
    locked,
    model_first,
    open_files,
    option,
    spooled,
)
from suffice.cli.outputs import WIDTH, check_output, format_of, note, predictions, save, say, write
from suffice.cli.process import printing, progress, without_pandas
from suffice.errors import FileError, InputError, KindError, LabelError, SubtractionError
from suffice.telling import counted

app = typer.Typer(name="suffice", pretty_exceptions_enable=False, rich_markup_mode=None)

# options of several verbs

Kinds = StrEnum("Kinds", ["auto", "text", "table"])
Efforts = StrEnum("Efforts", ["fast", "balanced", "best"])
Methods = StrEnum("Methods", ["holdout", "folds", "loo"])
Faults = StrEnum("Faults", {"stop": "raise", "skip": "skip"})

Data = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES",
        help="CSV, TSV, JSON lines, Parquet or Arrow files, folders of them or of text files; - is standard input.",
    ),
]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, as written by 'suffice fit'.")]
Models = Annotated[list[Path], typer.Argument(metavar="MODELS", help="Model files.")]
NewModel = Annotated[Path, option("--output -o FILE", "The model file to write.")]
Output = Annotated[Path | None, option("--output -o FILE", "The model file to write; by default, MODEL is replaced.")]
Target = Annotated[str | None, option("--target -t COLUMN", "The column of labels; by default, guessed from its name.")]
Text = Annotated[
    str | None, option("--text COLUMN", "The column of texts; by default, guessed from names and contents.")
]
Kind = Annotated[Kinds, option("--kind", "What the rows are: texts, or a table; auto looks at the first rows.")]
Errors = Annotated[Faults, option("--errors", "At a malformed row, raise an error, or skip it and report how many.")]
Json = Annotated[bool, option("--json", "Print the result as JSON.")]
Journal = Annotated[
    bool, option("--journal", "Keep hashes of the rows, so that forget refuses rows that were not learned.")
]
KnownKey = Annotated[
    Path | None, option("--journal-key FILE", "The file with the key of the model's journal, if it has one.")
]


@app.command(cls=FilesCommand)
def fit(
    data: Data,
    output: NewModel = Path("model.suffice"),
    target: Target = None,
    text: Text = None,
    kind: Kind = Kinds.auto,
    effort: Annotated[
        Efforts, option("--effort", "How thoroughly hyperparameters are chosen; best takes longest.")
    ] = Efforts.balanced,
    journal: Journal = False,
    journal_key: Annotated[
        Path | None, option("--journal-key FILE", "A file with your journal key; implies --journal.")
    ] = None,
    errors: Errors = Faults.stop,
    json: Json = False,
) -> None:
    """Fit a model to labelled rows and write its file.

    Example: suffice fit mail.csv -o mail.suffice
    """
    key = _key(journal, journal_key)
    with spooled(data, output) as paths:
        model = _unfitted(paths, target, text, kind, effort.value)
        with progress("learning") as tell:
            files = open_files(paths, errors, target=target)
            sf.fit_files(model, files, target, text=text, journal=key, tell=tell, look=_warn_of_columns)
        save(model, output)
    rows, skipped = float(model.class_count_.sum()), model.skipped_rows_
    classes = counted(len(model.classes_), "class", "classes")
    say(
        json,
        {"model": str(output), "kind": type(model).__name__, "rows": rows, "skipped": skipped},
        f"Fitted a {called(model)} to {counted(round(rows), 'row')} of {classes}; wrote {output}",
        f"Skipped {counted(skipped, 'row')}" if skipped else "",
    )


def _key(journal: bool, path: Path | None) -> Any:
    """Return the journal argument of the library: the key in a file, True, or None."""
    if path is None:
        return True if journal else None
    key = path.read_bytes().rstrip(b"\r\n")
    if not key:
        raise InputError("The file of the option '--journal-key'", "hold a key").but(f"{str(path)!r} is empty")
    return key


def _unfitted(paths: list[Path], target: str | None, text: str | None, kind: str, effort: Any) -> Any:
    """Return a new model for the rows of files."""
    if kind == "auto" and text is None:
        return sf.engines.classifier_for(open_files(paths, "skip", target=target, look=True), target, effort=effort)
    return sf.NaiveBayes(effort=effort) if kind == "table" else sf.TextClassifier(effort=effort)


def _warn_of_columns(model: Any, X: Any, y: Any) -> None:
    from suffice.reporting import pitfalls
    from suffice.reporting.labelled_rows import read

    note(pitfalls.of(model, read(model, X, y), None))


@app.command(cls=FilesCommand)
def predict(
    model: Model,
    data: Data,
    output: Annotated[
        Path | None,
        option("--output -o FILE", "The file to write: .csv, .jsonl or .parquet; by default, CSV on standard output."),
    ] = None,
    only_prediction: Annotated[bool, option("--only-prediction", "Leave out the columns of the files.")] = False,
    escape: Annotated[
        bool,
        option(
            "--escape/--no-escape", "In CSV, put ' before class names that a spreadsheet would compute as formulas."
        ),
    ] = True,
    errors: Errors = Faults.stop,
    json: Annotated[bool, option("--json", "Write JSON lines instead of CSV.")] = False,
) -> None:
    """Classify rows: add the predicted class and probabilities.

    Example: suffice predict mail.suffice new.csv -o answers.csv
    """
    check_output(output, model, *data)
    form = format_of(output, json)
    with without_pandas():
        found = classifier(model, light=True)
        with spooled(data, model=found) as paths, progress("predicting") as tell:
            files = open_files(paths, errors, found, labelled=False)
            tables = sf.predict_files(found, files, keep=not only_prediction, tell=tell)
            write((output, predictions(tables, form, len(found.classes_), escape)))


@app.command(cls=FilesCommand)
def evaluate(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="[MODEL] FILES",
            help="A model file, unless a new model is to be fitted, and the files of labelled rows.",
        ),
    ],
    method: Annotated[
        Methods | None,
        option(
            "--method",
            "Hold-out, cross-validation or leave-one-out. Default: hold-out; with MODEL, folds for learned rows.",
        ),
    ] = None,
    folds: Annotated[
        int | None, option("--folds", "The number of folds, by default 5; implies --method folds.")
    ] = None,
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
    from suffice.cli.lines import cut, lines_of_mistakes, lines_of_scores
    from suffice.reporting.judged_rows import SAY_SO
    from suffice.reporting.methods import judged_by

    path, rows = model_first(data)
    with spooled(rows) as paths:
        model = _unfitted(paths, target, text, kind, "balanced") if path is None else classifier(path)
        if folds is not None and method not in (None, "folds"):
            raise InputError(f"The option '--folds' needs --method folds; got --method {method}.").advise(
                "Leave out one of them."
            )
        X, y, _ = sf.engines.read_files(open_files(paths, errors, model, target), model, target, text=text)
        method = method if folds is None else Methods.folds
        judged = judged_by(model, X, y, method, 5 if folds is None else folds)
    how = judged.how.replace(SAY_SO, "--method folds")
    right, loss, (often, blind) = judged.overall, judged.log_loss, judged.baseline
    confusion, scores, names = judged.confusion, judged.by_class, [str(label) for label in judged.classes]
    largest = names[confusion.sum(axis=1).argmax()]
    facts = {
        "rows": int(confusion.sum()),
        "accuracy": right["share"],
        "low": right["low"],
        "high": right["high"],
        "log_loss": loss,
        "how": how,
        "warnings": judged.notes,
        "baseline": {"answer": largest, "accuracy": often, "log_loss": blind},
        "classes": {
            name: {"rows": one.rows, "answers": one.predicted}
            | {"precision": one.precision, "recall": one.recall, "f1": one.f1}
            for name, one in zip(names, scores, strict=True)
        },
        "confusion": confusion.tolist(),
    }
    note(judged.notes)
    say(
        json,
        facts,
        fill(f"{counted(facts['rows'], 'row')}. {how}", WIDTH),
        f"accuracy   {right['share']:.4f}   (95 %: {right['low']:.4f} to {right['high']:.4f})",
        f"log loss   {_shown(loss)}",
        f"baseline   {often:.4f}   accuracy of always predicting {cut(largest, 25)}; log loss {_shown(blind)}",
        "\n".join(["", *lines_of_scores(scores, WIDTH)]),
        "\n".join(["", *lines_of_mistakes(confusion, names, WIDTH)]),
    )


def _shown(loss: float) -> str:
    """Return a log loss with four decimals, and no sign at zero."""
    return f"{abs(loss) if abs(loss) < 5e-5 else loss:.4f}"


@app.command(cls=FilesCommand)
def explain(
    model: Model,
    row: Annotated[
        str, typer.Argument(metavar="TEXT|FILE", help="A text, or the file of the row; - is standard input.")
    ],
    number: Annotated[int, option("--row", "The row of the file, counted from 1.")] = 1,
    target: Annotated[
        str | None, option("--target -t CLASS", "The class to explain; by default, the predicted class.")
    ] = None,
    against: Annotated[
        str | None, option("--against CLASS", "The class to compare it with; by default, the next one.")
    ] = None,
    top: Annotated[int, option("--top", "The number of features to list; others are summed.", min=1)] = 15,
    errors: Errors = Faults.stop,
    json: Json = False,
) -> None:
    """Show what each feature adds to the log-odds of a class.

    Example: suffice explain mail.suffice "cheap pills at noon"
    """
    from suffice.engines.roles import kind_of_rows

    with without_pandas():
        found = classifier(model, light=True)
        one: Any = row
        if row == "-" or (os.path.exists(row) and not os.path.isdir(row)):  # a text may be too long for a name
            with spooled([Path(row)], model=found) as paths:
                one = _row(open_files(paths, errors, found, look=True, labelled=False), found, number)
        elif kind_of_rows(found) != "text":
            raise FileError(f"The file {row!r} does not exist.").advise(
                "This model reads tables: name a file, and its row by --row."
            )
        why = found.explain(one, *(_class(found, name) for name in (target, against)))
        two = {"target": str(why.target), "against": str(why.against)}
        say(json, {**why.to_dict(), **two, "note": why.note}, why.lines(top))


def _row(files: Any, model: Any, number: int) -> Any:
    """Return one row of the files, as the model reads it."""
    from suffice.engines.roles import roles
    from suffice.later import pa

    if number < 1:
        raise InputError("The option '--row'", "be 1 or more").but(f"got {number}")
    parts, rows = [], 0
    for table in files:
        parts.append(table)
        rows += table.num_rows
        if rows >= number:
            break
    else:
        raise InputError("The option '--row'", f"name a row of the file, which has {counted(rows, 'row')}").but(
            f"got {number}"
        )
    table = pa.concat_tables(parts, promote_options="permissive")
    columns = roles(table, model, None, getattr(model, "text_column_", None), labelled=False)
    found = columns.features(table)
    return found[number - 1].as_py() if columns.text else {n: found[n][number - 1].as_py() for n in found.column_names}


def _class(model: Any, name: str | None) -> Any:
    """Return the class of a given name."""
    if name is None:
        return None
    for label in model.classes_.tolist():
        if str(label) == name:
            return label
    known = ", ".join(map(str, model.classes_[:8])) + (", …" if len(model.classes_) > 8 else "")
    raise LabelError(f"The model has no class {name!r}; its classes are {known}.")


@app.command()
def inspect(
    model: Model,
    top: Annotated[int, option("--top", "The number of features to list for each class.", min=1)] = 5,
    json: Json = False,
) -> None:
    """Show what a model file holds.

    Example: suffice inspect mail.suffice
    """
    with without_pandas():
        from suffice.cli.lines import inspected

        facts, lines = inspected(model, top)
    say(json, facts, "\n".join(lines))


@app.command(cls=FilesCommand)
def update(
    model: Model,
    data: Data,
    output: Output = None,
    once: Annotated[
        bool, option("--once", "Leave out rows that the model has learned before, by its journal.")
    ] = False,
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
    target = output or model
    with spooled(data, output) as paths:
        key = _key(journal, journal_key)
        with locked(model):
            found = classifier(model)
            if once:
                _must_keep_journal(found, "--once", model)
            files = open_files(paths, errors, found)
            rows, again = sf.engines.update_files(found, files, once=once, journal=key)
            save(found, target)
    if again and not once:
        which = f"{again:,} of {counted(rows, 'row')} had been learned before"
        note([f"{which}, and {'counts' if again == 1 else 'count'} once more; --once leaves out such rows"])
    facts = {"model": str(target), "rows": rows, "again": again, "what": "learned"}
    left_out = f", left out {counted(again, 'row')} learned before" if again and once else ""
    say(json, facts, f"Learned {counted(rows, 'more row')}{left_out}; wrote {target}")


def _must_keep_journal(model: Any, option: str, path: Path) -> None:
    if model.journal_ is None:
        raise InputError(
            f"The option '{option}' needs a model with a journal, which {str(path)!r} does not keep."
        ).advise("Fit it with 'suffice fit --journal'.")


@app.command(cls=FilesCommand)
def forget(
    model: Model,
    data: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILES]", help="The rows to forget, in the formats of the rows that were learned."),
    ] = None,
    output: Output = None,
    drop_views: Annotated[
        bool, option("--drop-views", "Also drop the chosen hyperparameters, which keep a trace of the rows.")
    ] = False,
    journal_key: KnownKey = None,
    certificate: Annotated[
        Path | None,
        option(
            "--certificate FILE",
            "The certificate to write, for a model with a journal; by default, beside the model file.",
        ),
    ] = None,
    errors: Errors = Faults.stop,
    json: Json = False,
) -> None:
    """Remove learned rows from the counts of a model.

    A model with a journal refuses rows that it has not learned, and a certificate is written.
    Without a journal, only rows that the counts cannot contain are refused. Without files, --drop-views drops the
    hyperparameters alone.

    Example: suffice forget mail.suffice withdrawn.csv
    """
    check_output(certificate, *data or [], model, option="--certificate")
    key, target = _key(False, journal_key), output or model
    facts: dict[str, Any] = {"model": str(target), "rows": 0, "what": "forgotten"}
    with spooled(data or [], output) as paths, locked(model):
        found = classifier(model)
        if not paths:
            if not drop_views:
                raise InputError("The verb 'forget' needs files of rows to forget, or --drop-views alone; got neither.")
            save(found.drop_views(), target)
            say(json, facts, f"Dropped the hyperparameters that rows chose; wrote {target}")
            return
        if certificate is not None:
            _must_keep_journal(found, "--certificate", model)
        files = open_files(paths, errors, found)
        try:
            rows, signed = sf.engines.forget_files(found, files, drop_views=drop_views, journal=key)
        except SubtractionError as error:
            raise _not_learned(error, model) from error
        if not hasattr(found, "classes_"):
            raise InputError("These are all the rows that the model has learned.").advise(
                f"Delete the model file {str(model)!r} instead."
            )
        lines = [f"Forgot {counted(rows, 'row')}; wrote {target}"]
        if signed is None:
            save(found, target)
        else:
            from suffice.store.models import pieces

            proof = certificate or signed.unused_path(target)
            if proof.exists():
                raise FileError(f"The file {str(proof)!r} exists already, and certificates are not replaced.").advise(
                    "Name another file with --certificate."
                )
            write((target, pieces(found)), (proof, [signed.json.encode()]))
            facts |= {"certificate": str(proof), "left": signed.left}
            lines.append(f"Wrote the certificate {proof}")
            if signed.left:
                held = f"The model still holds {counted(signed.left, 'equal row')}"
                lines.append(f"{held}: forget a row as often as it was learned")
    if found.stale_:
        lines.append(
            f"The hyperparameters keep a trace of the removed rows. 'suffice forget {target} --drop-views' drops them; "
            "'suffice refresh' chooses them again on the rows that are left."
        )
    say(json, facts | {"rows": rows}, *lines)


def _not_learned(error: SubtractionError, path: Path) -> SubtractionError:
    """Return the error for rows that a model has not learned, in terms of the files."""
    which = "These rows include a row that was not learned with this label, or was forgotten already"
    if error.row is not None:
        which = f"Row {error.row + 1:,} of the files {error.came.removeprefix('it ')}"
    return SubtractionError(f"{which}.").advise(f"The model file {str(path)!r} is unchanged.")


@app.command(cls=FilesCommand)
def refresh(model: Model, data: Data, output: Output = None, errors: Errors = Faults.stop, json: Json = False) -> None:
    """Choose the hyperparameters of a model again.

    Give all rows that the model has learned: a sample of them chooses, as in 'suffice fit'.

    Example: suffice refresh mail.suffice mail.csv
    """
    target = output or model
    with spooled(data, output) as paths, locked(model):
        found = classifier(model)
        try:
            rows = sf.engines.refresh_files(found, open_files(paths, errors, found))
        except SubtractionError as error:
            raise _not_learned(error, model) from error
        save(found, target)
    facts = {"model": str(target), "rows": rows, "what": "chosen by"}
    say(json, facts, f"Chose hyperparameters on {counted(rows, 'row')}; wrote {target}")


@app.command()
def merge(models: Models, output: NewModel = Path("merged.suffice"), json: Json = False) -> None:
    """Add the counts of several models into one model.

    Example: suffice merge monday.suffice tuesday.suffice -o week.suffice
    """
    check_output(output, *models)
    found = [classifier(path) for path in models]
    for path, one in zip(models, found, strict=True):
        if type(one) is not type(found[0]):
            raise KindError("The model files", "hold models of one kind").but(
                f"{str(models[0])!r} holds a {called(found[0])} and {str(path)!r} a {called(one)}"
            )
    journals = [getattr(one, "journal_", None) for one in found]
    checks = {None if journal is None else bytes(journal.check) for journal in journals}
    if len(checks) > 1:
        why = "some keep none" if None in checks else "they have different keys"
        raise InputError("The models", "all keep a journal under the same key, or none").but(
            why, "Fit them with the same --journal-key, or all without a journal."
        )
    merged = sf.merge(found)
    save(merged, output)
    rows = float(merged.class_count_.sum())
    summary = f"Merged {counted(len(models), 'model')} of {counted(round(rows), 'row')} in all; wrote {output}"
    say(json, {"model": str(output), "rows": rows}, summary)


@app.command(cls=FilesCommand)
def compare(
    models: Models,
    data: Annotated[Path, option("--data -d FILE", "The labelled rows to predict.")],
    errors: Errors = Faults.stop,
    json: Json = False,
) -> None:
    """Compare how well several models predict the same rows.

    Example: suffice compare old.suffice new.suffice --data test.csv
    """
    from suffice.reporting.judged_rows import SAY_SO
    from suffice.reporting.methods import judged_by

    rows: list[dict[str, Any]] = []
    with spooled([data]) as paths:
        for path in models:
            model = classifier(path)
            X, y, _ = sf.engines.read_files(open_files(paths, errors, model), model)
            judged = judged_by(model, X, y, None, 5)
            how = judged.how.replace(SAY_SO, "'suffice evaluate --method folds'")
            rows.append({"model": str(path), "accuracy": judged.accuracy, "log_loss": judged.log_loss, "how": how})
    width = max(len(row["model"]) for row in rows)
    lines = [f"{row['model']:<{width}}  {row['accuracy']:8.4f}  {_shown(row['log_loss']):>8}" for row in rows]
    hows = list(dict.fromkeys(row["how"] for row in rows))
    shown = hows if len(hows) == 1 else [f"{row['model']}: {row['how']}" for row in rows]
    say(json, {"models": rows}, f"{'model':<{width}}  accuracy  log loss", *lines, *shown)


@app.command(cls=FilesCommand)
def report(
    model: Model,
    data: Data,
    output: Annotated[Path, option("--output -o FILE", "The HTML page to write.")] = Path("report.html"),
    learned: Annotated[
        bool | None,
        option("--learned/--new", "Whether the model learned these rows; by default, guessed from its counts."),
    ] = None,
    errors: Errors = Faults.stop,
) -> None:
    """Write an HTML page on a model and its predictions.

    The page works without a network.

    Example: suffice report mail.suffice test.csv -o report.html
    """
    from suffice.reporting.judged_rows import SAY_SO

    with spooled(data, output, model) as paths:
        found = classifier(model)
        X, y, target = sf.engines.read_files(open_files(paths, errors, found), found)
        page = sf.report(found, X, y, held_out=None if learned is None else not learned, target=target)
        write((output, [page.html.encode()]))
    how = fill(page.how.replace(SAY_SO, "--learned"), WIDTH)
    say(False, {"page": str(output)}, f"Wrote {output}", how)


@app.command()
def demo(output: NewModel = Path("demo.suffice")) -> None:
    """Fit and test a model of the docstrings installed here.

    Example: suffice demo
    """
    check_output(output)
    train, test = sf.datasets.docstrings(libraries=["python", "scikit-learn"]).split()
    model = sf.TextClassifier().fit(train.texts, train.labels)
    right = model.score(test.texts, test.labels)
    save(model, output)
    learned = f"{counted(len(train.texts), 'docstring')} of {counted(len(model.classes_), 'library', 'libraries')}"
    say(
        False,
        {"model": str(output)},
        f"Fitted a {called(model)} to {learned}: it names the right library for {right:.1%} of held-out docstrings",
        f'Wrote {output}; type next: suffice explain {output} "plot a histogram"',
    )


START = """\
Suffice learns from labelled examples to classify texts and rows of tables.

Type this first; mail.csv stands for your own file with a column of labels:

  suffice evaluate mail.csv                   how well are its labels predicted?

Then:

  suffice fit mail.csv -o mail.suffice        fit a model and write its file
  suffice predict mail.suffice new.csv        classify the rows of another file
  suffice explain mail.suffice "cheap pills"  show why a text gets its class

No file at hand? 'suffice demo' fits a model to texts installed here.

Verbs:
"""


def _version(wanted: bool) -> None:
    """Print the version and exit, if it is wanted."""
    if wanted:
        with printing():
            print(f"suffice {sf.__version__}", flush=True)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[
        bool, option("--version", "Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Classify the rows of files with naive Bayes. 'suffice' alone shows what to type first."""
    if context.invoked_subcommand is None:
        verbs = [command.callback for command in app.registered_commands if command.callback]
        width = max(len(verb.__name__) for verb in verbs)
        lines = [f"  {verb.__name__:<{width}}  {(verb.__doc__ or '').splitlines()[0]}" for verb in verbs]
        with printing():
            print("\n".join([START, *lines, "", "'suffice fit --help' shows the options of a verb, with an example."]))
            print(end="", flush=True)
