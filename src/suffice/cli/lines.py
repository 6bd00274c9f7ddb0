"""Describe models and their scores: facts for machines, and short lines for people."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from suffice.cli.outputs import WIDTH
from suffice.engines.roles import kind_of_rows
from suffice.errors import SufficeError
from suffice.models.answers.derived import parameter_table
from suffice.models.likelihoods.base import Likelihood
from suffice.store.models import describe, load_to_answer
from suffice.telling import counted

if TYPE_CHECKING:
    from suffice.evaluate import ClassScores

# models

MANY, CLASSES, COLUMNS = 50, 6, 40
"""The most classes with a line, the most with a line for each column, and the most columns shown."""

VALUES_OF = {"histogram": "bin", "text": "word"}  # what a family calls its values, if not values


def inspected(path: Path, top: int) -> tuple[dict[str, Any], list[str]]:
    """Describe a model file: its target, classes, columns or words, and the features that favour each class."""
    model, header = load_to_answer(path), describe(path)
    facts: dict[str, Any] = {
        "estimator": header.estimator,
        "library": header.library_version,
        "format": header.format_version,
        "bytes": header.size,
        "target": getattr(model, "target_", None) or getattr(getattr(model, "_reader", None), "target", None),
        "stale": bool(getattr(model, "stale_", False)),
    }
    shown = [f"suffice {header.library_version}, format {header.format_version}, {header.size:,} bytes"]
    journal = getattr(model, "journal_", None)
    if journal is not None:
        facts["journal"] = len(journal)
        shown.append(f"journal of {counted(len(journal), 'different row')}: 'suffice forget' refuses all others")
    if facts["stale"]:
        shown.append("The hyperparameters are older than the counts: 'suffice refresh' chooses them again.")
    if hasattr(model, "class_count_"):
        facts["rows"] = dict(zip(map(str, model.classes_), model.class_count_.tolist(), strict=True))
        facts["top"] = {}
        for label in model.classes_[:MANY]:
            with suppress(SufficeError):
                facts["top"][str(label)] = [_called(model, row) for row in model.top_features(label, top)]
        shown += ["", *_lines_of_classes(facts["rows"], facts["top"])]
    learner = hasattr(model, "observe")
    if learner and hasattr(model, "posterior_"):
        best = [{"hypothesis": str(name), "posterior": share} for name, share in model.posterior_.top()]
        sizes = {"hypotheses": len(model.hypotheses), "items": len(model.domain)}
        facts |= {"examples": len(model.observed_), **sizes, "best": best}
        shown += ["", *(cut(line, WIDTH) for line in repr(model.posterior_).splitlines())]
    elif learner:
        sides = model.tightest_.tolist() if model.n_ else []
        facts |= {"examples": model.n_, "features": len(sides), "tightest": sides}
        shown += ["", *(f"feature {k}: examples from {low:g} to {high:g}" for k, (low, high) in enumerate(sides))]
    if kind_of_rows(model) == "text":
        facts["text"] = getattr(model, "text_column_", None)
        facts["buckets" if model._reader.hash_bits else "words"] = model._model.blocks["text"].t.width
    if kind_of_rows(model) == "table":
        facts["columns"] = describe_columns(model)
        few = dict(list(facts["columns"].items())[:COLUMNS])
        largest = sorted(facts["rows"], key=lambda name: -facts["rows"][name])[:CLASSES]
        shown += ["", *lines_of_columns(model, few, [name for name in facts["rows"] if name in largest], WIDTH)]
        rest = len(facts["columns"]) - len(few)
        shown += [f"and {counted(rest, 'more column')}; --json lists all"] if rest else []
    return facts, [_headline(facts), *shown]


def _headline(facts: dict[str, Any]) -> str:
    """Return the kind of model, its size, and which column it predicts."""
    parts = [facts["estimator"]]
    if "rows" in facts:
        parts[0] += f" of {counted(round(sum(facts['rows'].values())), 'row')}"
        parts.append(counted(len(facts["rows"]), "class", "classes"))
    if "examples" in facts:
        parts[0] += f" after {counted(facts['examples'], 'example')}"
        parts += [counted(facts["hypotheses"], "hypothesis", "hypotheses")] if "hypotheses" in facts else []
    sizes = {name: facts[f"{name}s"] for name in ("column", "word", "bucket", "item", "feature") if f"{name}s" in facts}
    parts += [counted(many if isinstance(many, int) else len(many), name) for name, many in sizes.items()]
    source = f" from {facts['text']!r}" if facts.get("text") else ""
    goal = f"; predicts {facts['target']!r}{source}" if facts["target"] is not None else ""
    return ", ".join(parts) + goal


def _called(model: Any, row: Any) -> str:
    """Return a feature that favours a class, with the values that do."""
    if kind_of_rows(model) != "table" or not row.value:
        return str(row.feature)
    value = re.sub(r", power .*$", "", row.value)
    where, _, average = value.partition(": ")
    return f"{row.feature} {where}" if average else f"{row.feature}={value}"


def _lines_of_classes(rows: dict[str, float], top: dict[str, list[str]]) -> list[str]:
    total, names = sum(rows.values()) or 1.0, max(5, *map(len, rows))
    counts = max(4, *(len(f"{n:,.0f}") for n in rows.values()))
    lines = [f"{'class':<{names}}  {'rows':>{counts}}   share  features that favour it most"]
    for name, n in list(rows.items())[:MANY]:
        line = f"{name:<{names}}  {n:>{counts},.0f}  {100 * n / total:4.1f} %  {', '.join(top.get(name, []))}"
        lines.append(cut(line, WIDTH))
    more = counted(len(rows) - MANY, "more class", "more classes")
    return [*lines, f"and {more}; --json lists all"] if len(rows) > MANY else lines


# columns

VALUES, WORDS = 5, 20
"""The most values on the line of a class, and the most words listed of a column of texts."""
OTHER = "(other)"
HEADS = {"mean": "mean ± standard deviation", "rate": "rate"}
"""What the line of a class shows, by the kind of fact."""


def describe_columns(model: Any) -> dict[str, dict[str, Any]]:
    """Describe each column: its likelihood, its power, and in each class its number of values and its posterior mean.

    >>> import suffice as sf
    >>> model = sf.NaiveBayes().fit({"city": ["Oslo", "Rome", "Oslo"], "y": ["a", "b", "a"]}, "y")
    >>> facts = describe_columns(model)["city"]
    >>> facts["model"], facts["classes"]["a"]["n"], list(facts["classes"]["a"]["values"])
    ('categorical', 2.0, ['Oslo', 'Rome', '(other)'])
    """
    powers, names = model.feature_powers_ or {}, [str(label) for label in model.classes_]
    found = {}
    for name, block in model._model.alone.items():
        facts = parameter_table(block.settled, block.t, model.classes_, 0.95)
        classes = {label: _of_class(facts, c, len(names)) for c, label in enumerate(names)}
        found[str(name)] = {"model": block.likelihood.word, "power": powers.get(name), "classes": classes}
        if "word" in facts:
            found[str(name)]["vocabulary"] = len(facts["word"]) // len(names)
            few = {label: _telling(classes, label) for label in names}
            for label, one_class in classes.items():
                one_class["words"] = {word: one_class["words"][word] for word in few[label]}
    return found


def _of_class(facts: dict[str, Any], c: int, k: int) -> dict[str, Any]:
    """Describe one class by posterior means: of parameters, or of the probability of each value."""
    valued = next((key for key in ("value", "word") if key in facts), None)
    if valued is None:
        return {key: float(column[c]) for key, column in facts.items() if key not in ("class", "low", "high")}
    names, shares = facts[valued][c::k], facts["probability"][c::k]
    values = {str(name): float(share) for name, share in zip(names, shares, strict=True)}
    return {"n": float(np.sum(facts["n"][c::k])), ("words" if valued == "word" else "values"): values}


def lines_of_columns(model: Any, columns: dict[str, dict[str, Any]], classes: list[str], width: int) -> list[str]:
    """Return the descriptions of columns in lines of at most `width` characters."""
    lines, margin = [], max(map(len, classes))
    known = {str(name): likelihood for name, likelihood in model.columns_.items()}
    for name, facts in columns.items():
        lines.append(cut(f"{name}: {_head(facts, VALUES_OF.get(known[name].word, 'value'))}", width))
        if not known[name].silent:
            shown = (f"  {label:<{margin}}  {_shown(facts['classes'][label], known[name])}" for label in classes)
            lines += [cut(line, width) for line in shown]
    return lines


def _head(facts: dict[str, Any], what: str) -> str:
    first_class = next(iter(facts["classes"].values()))
    number = facts.get("vocabulary") or len([value for value in first_class.get("values", []) if value != OTHER])
    parts = [
        facts["model"],
        counted(number, what) if number else "",
        *(HEADS[key] for key in HEADS if key in first_class),
    ]
    parts.append(f"power {facts['power']:.2f}" if facts["power"] is not None else "")
    return ", ".join(part for part in parts if part)


def _shown(facts: dict[str, Any], likelihood: Likelihood) -> str:
    if not facts.get("n"):
        return "no values"
    if "mean" in facts:
        return f"{facts['mean']:.4g} ± {facts['sd']:.3g}"
    if "rate" in facts:
        return f"{facts['rate']:.4g}"
    if "words" in facts:
        return ", ".join(list(facts["words"])[:VALUES])
    if "values" not in facts and likelihood.word != "bernoulli":
        return ", ".join(f"{name} {value:.4g}" for name, value in facts.items() if name != "n")
    values = facts.get("values") or {"true": facts["probability"]}
    named = [value for value in values if value != OTHER]
    best = sorted(named, key=lambda value: -values[value])[:VALUES]
    if likelihood.word == "histogram":
        best = [value for value in named if value in best]
    more = ", …" if len(named) > len(best) else ""
    return ", ".join(f"{value}: {100 * values[value]:.0f} %" for value in best) + more


def _telling(kinds: dict[str, Any], label: str) -> list[str]:
    """Return the words that are most telling of a class: probable in it, relative to the average of the classes."""
    mine = kinds[label]["words"]

    def less_telling(word: str) -> float:
        mean = sum(facts["words"][word] for facts in kinds.values()) / len(kinds)
        return -float(mine[word] * np.log(max(mine[word], 1e-300) / max(mean, 1e-300)))

    return sorted(mine, key=less_telling)[:WORDS]


def cut(line: str, width: int) -> str:
    """Return a line cut to `width` characters."""
    return line if len(line) <= width else line[: width - 1].rstrip(" ,") + "…"


# scores of classes

MATRIX, LISTED, MISTAKES = 8, 50, 12
"""The most classes with a confusion matrix, the most with a line of scores, and the most mistakes listed otherwise."""


def lines_of_scores(scores: list[ClassScores], width: int) -> list[str]:
    """Return a table of scores, of the largest classes if there are many, and their means over all classes."""
    largest = sorted(range(len(scores)), key=lambda c: -scores[c].rows)[:LISTED]
    shown = [(str(scores[c].label), scores[c]) for c in sorted(largest)]
    room = min(max(5, *(len(label) for label, _ in shown)), width - 37)
    lines = [f"{'class':<{room}}  {'rows':>7}  precision  recall      F1"]
    for label, one in shown:
        figures = _figures(one.precision, one.recall, one.f1)
        lines.append(f"{cut(label, room):<{room}}  {one.rows:>7,}  {figures}")
    if len(scores) > len(shown):
        lines.append(f"and {counted(len(scores) - len(shown), 'more class', 'more classes')}; --json lists all")
    columns = np.array([(one.precision, one.recall, one.f1) for one in scores if one.f1 == one.f1]).reshape(-1, 3)
    means = np.nan_to_num(columns).sum(axis=0) / max(len(columns), 1)
    return [*lines, f"{'mean':<{room}}  {'':>7}  {_figures(*means)}"]


def _figures(*figures: float) -> str:
    """Return precision, recall and F1, aligned."""
    return "{:>9}  {:>6}  {:>6}".format(*("—" if one != one else f"{one:.4f}" for one in figures))


def lines_of_mistakes(confusion: NDArray[np.int64], classes: list[str], width: int) -> list[str]:
    """Return the confusion matrix if it fits into `width`, else the most frequent mistakes."""
    room = max(5, *map(len, classes))
    cells = [max(len(label), len(f"{n:,}")) for label, n in zip(classes, confusion.max(axis=0).tolist(), strict=True)]
    if len(classes) <= MATRIX and room + sum(cells) + 2 * len(classes) <= width:
        head = "".join(f"  {label:>{cell}}" for label, cell in zip(classes, cells, strict=True))
        lines = [f"{'true':<{room}}{head}   ← predicted"]
        for label, row in zip(classes, confusion.tolist(), strict=True):
            lines.append(f"{label:<{room}}" + "".join(f"  {n:>{cell},}" for n, cell in zip(row, cells, strict=True)))
        return [cut(line, width) for line in lines]
    wrong = confusion - np.diag(np.diag(confusion))
    order = np.argsort(-wrong, axis=None, kind="stable")[:MISTAKES]
    pairs = [divmod(int(at), len(classes)) for at in order if wrong.flat[at]]
    lines = [f"{wrong[i, j]:>7,}  {classes[i]} predicted as {classes[j]}" for i, j in pairs]
    return [cut(line, width) for line in (["most frequent mistakes", *lines] if lines else ["no mistakes"])]
