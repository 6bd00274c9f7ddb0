"""Describe the columns of a table model, class by class: facts for machines, and short lines for people."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.models.answers.features import parameter_table
from suffice.models.likelihoods.base import Likelihood
from suffice.telling import counted

__all__ = ["cut", "describe_columns", "lines_of_columns"]

VALUES, WORDS = 5, 20
VALUES_OF = {"histogram": "bin", "text": "word"}  # what a family calls its values, if not values
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
        return {key: _number(column[c]) for key, column in facts.items() if key not in ("class", "low", "high")}
    names, shares = facts[valued][c::k], facts["probability"][c::k]
    values = {str(name): _number(share) for name, share in zip(names, shares, strict=True)}
    return {"n": _number(np.sum(facts["n"][c::k])), ("words" if valued == "word" else "values"): values}


def _number(value: Any) -> float:
    return float(value)


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
