"""The verbs that fit, evaluate, merge, compare and report."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

import suffice as sf
from suffice.cli.class_scores import lines_of_mistakes, lines_of_scores, scores
from suffice.cli.classifiers import called, classifier
from suffice.cli.column_lines import cut
from suffice.cli.file_options import no_rows, open_files
from suffice.cli.outputs import WIDTH, check_output, note, save, say, write
from suffice.cli.progress import progress
from suffice.cli.translation import for_the_shell
from suffice.engines.guesses import guess_target, is_text
from suffice.engines.local import fit_files
from suffice.engines.roles import Roles, roles
from suffice.errors import InputError, KindError
from suffice.estimators.comparing.validation import FOLDS
from suffice.later import pa
from suffice.reporting import pitfalls
from suffice.reporting.judged_rows import SAY_SO, judged_by
from suffice.reporting.labelled_rows import read
from suffice.telling import counted

__all__ = ["compare", "demo", "evaluate", "fit", "merge", "report"]


def fit(
    data: list[Path],
    output: Path,
    target: str | None,
    text: str | None,
    kind: str,
    effort: str,
    journal: Any,
    errors: str,
    as_json: bool,
) -> None:
    """Fit a model to files and write the model file."""
    model = _chosen(data, target, text, kind, effort, errors)
    with progress("learning") as tell:
        files = open_files(data, errors, target=target)
        fit_files(model, files, target, text=text, journal=journal, tell=tell, look=_warn_of_columns)
    save(model, output)
    rows, classes = float(model.class_count_.sum()), counted(len(model.classes_), "class", "classes")
    say(
        as_json,
        {"model": str(output), "kind": type(model).__name__, "rows": rows, "skipped": model.skipped_rows_},
        f"Fitted a {called(model)} to {counted(round(rows), 'row')} of {classes}; wrote {output}",
        f"Skipped {counted(model.skipped_rows_, 'row')}" if model.skipped_rows_ else "",
    )


def evaluate(
    data: list[Path],
    path: Path | None,
    method: str | None,
    folds: int | None,
    target: str | None,
    text: str | None,
    kind: str,
    errors: str,
    as_json: bool,
) -> None:
    """Evaluate a model, or a new one, on rows that it has not learned."""
    model = classifier(path) if path is not None else _chosen(data, target, text, kind, "balanced", errors)
    table, columns = _table(data, model, target, text, errors)
    judged = judged_by(model, columns.features(table), columns.labels(table), *_method(method, folds))
    how = judged.how.replace(SAY_SO, "--method folds")
    right, loss, (often, blind) = judged.overall, judged.log_loss, judged.baseline
    confusion, names = judged.confusion, [str(label) for label in judged.classes]
    by_class, largest = scores(confusion, names), names[confusion.sum(axis=1).argmax()]
    facts = {
        "rows": len(judged.codes),
        "accuracy": right["share"],
        "low": right["low"],
        "high": right["high"],
        "log_loss": loss,
        "how": how,
        "warnings": judged.notes,
        "baseline": {"answer": largest, "accuracy": often, "log_loss": blind},
        "classes": by_class,
        "confusion": confusion.tolist(),
    }
    note(judged.notes)
    say(
        as_json,
        facts,
        fill(f"{counted(len(judged.codes), 'row')}. {for_the_shell(how)}", WIDTH),
        f"accuracy   {right['share']:.4f}   (95 %: {right['low']:.4f} to {right['high']:.4f})",
        f"log loss   {_shown(loss)}",
        f"baseline   {often:.4f}   accuracy of always predicting {cut(largest, 25)}; log loss {_shown(blind)}",
        "\n".join(["", *lines_of_scores(by_class, WIDTH)]),
        "\n".join(["", *lines_of_mistakes(confusion, names, WIDTH)]),
    )


def _method(method: str | None, folds: int | None) -> tuple[str | None, int]:
    """Return how to evaluate, and the number of folds; raise InputError for a number of folds that is not used."""
    if folds is not None and method not in (None, "folds"):
        raise InputError(f"The option '--folds' needs --method folds; got --method {method}. Leave out one of them.")
    return (method, 5) if folds is None else ("folds", folds)


def merge(paths: list[Path], output: Path, as_json: bool) -> None:
    """Add the counts of several models into one model."""
    check_output(output, *paths)
    models = [classifier(path) for path in paths]
    _check_alike(paths, models)
    model = sf.merge(models)
    save(model, output)
    rows = float(model.class_count_.sum())
    summary = f"Merged {counted(len(paths), 'model')} of {counted(round(rows), 'row')} in all; wrote {output}"
    say(as_json, {"model": str(output), "rows": rows}, summary)


def _check_alike(paths: list[Path], models: list[Any]) -> None:
    """Raise unless models are of one kind, and keep their journals under one key or keep none."""
    named = [repr(str(path)) for path in paths]
    for name, model in zip(named, models, strict=True):
        if type(model) is not type(models[0]):
            raise KindError(
                f"The model files must hold models of one kind; {named[0]} holds a {called(models[0])} and {name} a "
                f"{called(model)}."
            )
    journals = [getattr(model, "journal_", None) for model in models]
    checks = {None if journal is None else bytes(journal.check) for journal in journals}
    if len(checks) > 1:
        why = "some keep none" if None in checks else "they have different keys"
        raise InputError(
            f"The models must all keep a journal under the same key, or none; {why}. Fit them with the same "
            "--journal-key, or all without a journal."
        )


def compare(paths: list[Path], data: list[Path], errors: str, as_json: bool) -> None:
    """Compare several models on the same rows."""
    rows: list[dict[str, Any]] = []
    for path in paths:
        model = classifier(path)
        table, columns = _table(data, model, None, None, errors)
        judged = judged_by(model, columns.features(table), columns.labels(table), None, FOLDS)
        judged_how = judged.how.replace(SAY_SO, "'suffice evaluate --method folds'")
        found = {"accuracy": judged.accuracy, "log_loss": judged.log_loss, "how": judged_how}
        rows.append({"model": str(path), **found})
    width = max(len(row["model"]) for row in rows)
    lines = [f"{row['model']:<{width}}  {row['accuracy']:8.4f}  {_shown(row['log_loss']):>8}" for row in rows]
    how = dict.fromkeys(row["how"] for row in rows)
    shown = list(how) if len(how) == 1 else [f"{row['model']}: {row['how']}" for row in rows]
    shown = [for_the_shell(line) for line in shown]
    say(as_json, {"models": rows}, f"{'model':<{width}}  accuracy  log loss", *lines, *shown)


def report(path: Path, data: list[Path], output: Path, learned: bool | None, errors: str) -> None:
    """Write a report on a model and its predictions."""
    model = classifier(path)
    table, columns = _table(data, model, None, None, errors)
    held_out = None if learned is None else not learned
    X, y = columns.features(table), columns.labels(table)
    page = sf.report(model, X, y, held_out=held_out, target=columns.target)
    write((output, [page.html.encode()]))
    say(
        False,
        {"page": str(output)},
        f"Wrote {output}",
        fill(for_the_shell(page.how.replace(SAY_SO, "--learned")), WIDTH),
    )


def demo(output: Path) -> None:
    """Fit and test a text classifier on the docstrings of installed libraries."""
    check_output(output)
    train, test = sf.datasets.docstrings().split()
    model = sf.TextClassifier().fit(train.texts, train.labels)
    right = float((model.predict(test.texts) == np.asarray(test.labels)).mean())
    save(model, output)
    learned = f"{counted(len(train.texts), 'docstring')} of {counted(len(model.classes_), 'library', 'libraries')}"
    say(
        False,
        {"model": str(output)},
        f"Fitted a {called(model)} to {learned}: it names the right library for {right:.1%} of held-out docstrings",
        f'Wrote {output}; type next: suffice explain {output} "plot a histogram"',
    )


def _chosen(data: list[Path], target: str | None, text: str | None, kind: str, effort: Any, errors: str) -> Any:
    """Return a new model for the rows of files: TextClassifier for texts, NaiveBayes for tables."""
    if kind == "auto" and text is None:
        first = next(iter(open_files(data, "skip", target=target, look=True)), None)
        if first is None:
            raise no_rows(data)
        label = target or guess_target(first.column_names)
        others = [name for name in first.column_names if name != label]
        kind = "text" if (len(others) == 1 and is_text(first[others[0]])) or others == ["text"] else "table"
    return sf.TextClassifier(effort=effort) if kind in ("auto", "text") else sf.NaiveBayes(effort=effort)


def _shown(loss: float) -> str:
    """Return a log loss with four decimals, and no sign at zero."""
    return f"{abs(loss) if abs(loss) < 5e-5 else loss:.4f}"


def _warn_of_columns(model: Any, X: Any, y: Any) -> None:
    note(pitfalls.of(model, read(model, X, y), None))


def _table(data: list[Path], model: Any, target: str | None, text: str | None, errors: str) -> tuple[Any, Roles]:
    """Return all rows of files, in memory, and the roles of their columns."""
    files = open_files(data, errors, model, target)
    parts = list(files)
    if not parts:
        raise no_rows(data)
    table = pa.concat_tables(parts, promote_options="permissive")
    given = target or getattr(model, "target_", None)
    columns = roles(table, model, given, text or getattr(model, "text_column_", None))
    return columns.labelled(table, files), columns
