"""Build the page: facts and charts in one HTML file that loads nothing, and runs no script but its own."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import suffice
from suffice.errors import InputError, MissingLibrary
from suffice.reporting import charts
from suffice.reporting.charts import colour_of, style_of
from suffice.reporting.column_facts import VALUES
from suffice.reporting.facts import Facts, gather
from suffice.reporting.judged_rows import LEVEL
from suffice.reporting.pitfalls import NAMES, SERIOUS
from suffice.reporting.thresholds import GRID, sketch
from suffice.reporting.wording import bounds, choices_in_words, listed, number, percent, question, short, span
from suffice.store.file_io import replace_file

HERE = Path(__file__).parent
MATRIX = 24
"""The most classes in the confusion matrix."""
LISTED = 8
"""The most classes and features in the words for a chart."""

SECTIONS = {
    "alerts": "Alerts", "summary": "Summary", "data": "Data", "classes": "Accuracy by class",
    "mistakes": "Confusion matrix", "threshold": "Threshold", "confidence": "Calibration",
    "looks": "Distributions by class", "together": "Joint columns", "tells": "Informative features",
    "why": "Explained predictions", "wrong": "Confident errors", "choices": "Hyperparameters", "more": "Learning curve",
}  # fmt: skip
"""The sections in order, as the contents call them."""


class Report:
    """An HTML page on a model, shown by notebooks: `html`, `title`, `how` the rows were evaluated, and `save(path)`.

    >>> import suffice as sf
    >>> model = sf.BernoulliNB().fit([[1, 0], [1, 1], [0, 1], [0, 0]], ["a", "a", "b", "b"])
    >>> page = sf.report(model, [[1, 0], [0, 1]], ["a", "b"], held_out=True)
    >>> page
    Report('a or b?', ... MB)
    >>> page.title
    'a or b?'
    """

    def __init__(self, html: str, title: str, how: str = "") -> None:
        self.html, self.title, self.how = html, title, how

    def save(self, path: Any) -> Path:
        """Write the page to a file, completely or not at all, and return its path."""
        target = Path(path)
        replace_file(target, [self.html.encode()])
        return target

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" style="width:100%;height:80vh;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"Report({self.title!r}, {len(self.html.encode()) / 1e6:.1f} MB)"


def report(
    model: Any,
    X: Any,
    y: Any,
    path: Any = None,
    *,
    title: str | None = None,
    examples: Sequence[int] | None = None,
    held_out: bool | None = None,
    target: str | None = None,
) -> Report:
    """Make an HTML page on a fitted classifier and its predictions of the given rows. The page works offline.

    It shows the data, the accuracy overall and by class with credible intervals, the confusion matrix, the calibration,
    the distribution of features in each class, the most informative features, the log-odds of some predictions, the
    most confident mistakes, and whether more rows would help. It needs the packages of ``suffice[report]``.

    Parameters
    ----------
    model : fitted classifier
        A classifier of this library.
    X, y : as for fit
        Rows and their labels. For `NaiveBayes`, `y` may be the name of the column of labels.
    path : str or path, default=None
        The file to write; if not given, no file is written.
    title : str, default=None
        The heading. If not given, it is the target and the classes.
    examples : list of int, default=None
        Indices of the rows to explain, from 0; if not given, a right one, a close call and a wrong one.
    held_out : bool, default=None
        True if the model has not learned these rows: they are evaluated as they are. False if it has: each is evaluated
        with a model without it (``sf.evaluate.crossfit``) where possible, else with the model itself, which the page
        says. If not given, rows count as learned if the journal of the model holds them, or if they are as many of each
        class as it has counted and its counts contain them. The page says which it was.
    target : str, default=None
        Name of what is predicted, for the heading. If not given, it is the name of `y` where `y` is a column or a
        named Series, or else the target that the model was fitted with.

    Returns
    -------
    report : Report
        The page, with ``html`` and ``save(path)``; notebooks show it.

    Examples
    --------
    >>> import suffice as sf
    >>> texts = ["cheap pills now", "cheap watches", "lunch now", "lunch at noon"]
    >>> model = sf.TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"])
    >>> page = sf.report(model, texts, ["spam", "spam", "ham", "ham"])
    >>> page
    Report('ham or spam?', ... MB)
    """
    jinja = _library("jinja2")
    if examples is not None and not all(isinstance(i, int | np.integer) for i in examples):
        raise InputError("report.examples", "hold row numbers", got=examples)
    facts = gather(model, X, y, examples, held_out, target)
    title = title if title is not None else question([str(label) for label in model.classes_], facts.target)
    html = _rendered(jinja, title, facts)
    made = Report(html, title, facts.judged.how)
    if path is not None:
        made.save(path)
    return made


def _rendered(jinja: Any, title: str, facts: Facts) -> str:
    environment = jinja.Environment(
        loader=jinja.FileSystemLoader(HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja.StrictUndefined,
    )
    environment.filters |= {
        "percent": percent, "number": number, "short": short, "span": span, "bounds": bounds,
    }  # fmt: skip
    runtime, start = _runtime(), _file("page.js") + _file("threshold.js")
    light, dark = style_of(len(facts.judged.classes))
    ranked, choices = facts.thresholds, choices_in_words(getattr(facts.model, "choices_", ()))
    shown = {"threshold": ranked, "together": facts.together, "choices": choices}
    html: str = environment.get_template("page.html").render(
        title=title, facts=facts, charts=_specs(facts), config=_json(charts.CONFIG), explorer=_explorer(facts),
        matrix=_matrix(facts), style=_file("page.css"), light=light, dark=dark, colour=colour_of, choices=choices,
        runtime=runtime, start=start, policy=_policy(runtime, start), version=suffice.__version__, level=LEVEL,
        zip=zip, alt=_alt_texts(facts), alert_names=NAMES, serious=SERIOUS,
        thresholds=ranked, threshold_json=_json(ranked.data) if ranked else "", sketched=sketch, grid=GRID.tolist(),
        middle=int(np.abs(GRID - 0.5).argmin()), auc={one.code: one.auc for one in ranked.classes} if ranked else {},
        sections=[(name, heading) for name, heading in SECTIONS.items() if shown.get(name, True)], most_values=VALUES,
    )  # fmt: skip
    return html


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingLibrary(f"A report needs the library {name}.").advise(
            "Install it with: pip install 'suffice[report]' (or, in a clone, '.[report]')."
        ) from error


@cache
def _runtime() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script."""
    script = str(_library("vl_convert").javascript_bundle()).replace("\r\n", "\n").replace("\r", "\n")
    return f"(()=>{{{script}}})();".replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _file(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _policy(*scripts: str) -> str:
    """Return the content security policy: only these scripts may run, and nothing may be loaded."""
    sums = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{one}'" for one in sums)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def _json(value: Any) -> str:
    """Return JSON that is safe inside a script element of HTML."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def _specs(facts: Facts) -> dict[str, str]:
    """Return the charts by name, as JSON."""
    judged, unit, words = facts.judged, facts.data.unit, facts.words
    names = [str(label) for label in judged.classes]
    made: dict[str, Any] = {"accuracy": charts.accuracy(judged), "reliability": charts.reliability(judged)}
    made["confidences"] = charts.confidences(judged, unit)
    if words is not None and len(names) > 1:
        made |= {f"spikes-{i}": one for i, one in enumerate(charts.spikes(words, facts.shown, facts.pair, names))}
        if words.sure:
            made["posterior"] = charts.posterior({names[c]: c for c in facts.pair}, words.meaning)
    codes = {name: code for code, name in enumerate(names)}
    made |= {f"column-{i}": charts.by_column(view, codes) for i, view in enumerate(facts.columns)}
    for i, view in enumerate(facts.together.drawn() if facts.together else ()):
        if len(view.columns) == 2 and facts.together:
            drawn = charts.together(view, facts.together.classes)
            made |= {f"together-{i}-{code}": one for code, one in zip(facts.together.classes, drawn, strict=True)}
    if facts.informative.ranked:
        made["informative"] = charts.informative(facts.informative.ranked, words is not None)
    for i, row in enumerate(facts.examples):
        if row.why is not None:
            made[f"why-{i}"] = charts.waterfall(row.why, row.codes, not row.pieces)
    if facts.curve:
        made["learning"] = charts.learning(facts.curve, unit)
    return {name: _json(_rounded(spec)) for name, spec in made.items()}


def _rounded(value: Any) -> Any:
    """Return a specification with its numbers at four digits, which halves a chart of many cells."""
    if isinstance(value, float | np.floating):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value


def _alt_texts(facts: Facts) -> dict[str, Any]:
    """Return a sentence for each chart that sums up a whole section, for readers who do not see it."""
    judged, unit, curve, ranked = facts.judged, facts.data.unit, facts.curve, facts.informative.ranked
    recall = listed([f"{line['class']} {percent(line['share'])}" for line in judged.class_lines], LISTED)
    bits = listed([f"{line['feature']} {line['bits']:.2g}" for line in ranked], LISTED)
    bins, error = len(judged.calibration.rows), judged.calibration.error
    axes = "Accuracy against confidence"
    if judged.scored is not None:
        axes = f"Share of {judged.scored_name} against the probability of {judged.scored_name}"
    ends = [f"{percent(point['share'])} with {number(point['rows'])} {unit}" for point in curve[:1] + curve[-1:]]
    why = []
    for one in facts.examples:
        text = ""
        if one.why is not None:
            weights = ", ".join(f"{name} {weight:+.2f}" for name, _, weight in one.why.top(5))
            text = f"Log-odds of {one.why.target} against {one.why.against}: {one.why.log_odds:+.2f}. "
            text += f"Largest contributions: {weights}."
        why.append(text)
    return {
        "accuracy": f"Recall of each class, with 95 % intervals: {recall}.",
        "reliability": f"{axes} in {bins} bins; the calibration error is {error:.3f}.",
        "confidences": f"Histogram of the probability of {judged.scored_name}, correct and wrong predictions",
        "informative": f"Mutual information with the class in bits: {bits}.",
        "learning": f"Accuracy by the number of {unit} learned: {', '.join(ends)}.",
        "why": why,
    }


def _explorer(facts: Facts) -> dict[str, Any] | None:
    """Return the words of the spikes, with the posterior of each in the two classes."""
    words, pair = facts.words, list(facts.pair)
    if words is None or not words.sure or len(facts.judged.classes) < 2:
        return None
    which = facts.shown
    a = words.first(which)
    total = np.broadcast_to(words.totals(which), a.shape)
    a, b = a[pair], (total - a if words.family == "beta" else total)[pair]
    names = [str(words.names[j]) for j in which]
    mean = np.maximum(words.mean(which)[pair], 1e-300)
    first = int((np.abs(np.log(mean[0] / mean[1])) * mean.max(axis=0)).argmax())  # the most telling one
    classes = [str(facts.judged.classes[c]) for c in pair]
    curves = {"family": words.family, "classes": classes, "a": np.round(a, 4).tolist(), "b": np.round(b, 4).tolist()}
    return {"json": _json(curves), "words": names, "first": first}


def _matrix(facts: Facts) -> dict[str, Any]:
    """Return the confusion matrix of the largest classes, and the most frequent mistakes."""
    table, names = facts.judged.confusion, [str(label) for label in facts.judged.classes]
    order = np.sort(np.argsort(-table.sum(axis=1), kind="stable")[:MATRIX]).tolist()
    totals = np.maximum(table.sum(axis=1), 1)
    lines = []
    for c in order:
        cells = [
            {"n": int(table[c, d]), "share": float(table[c, d] / totals[c]), "right": c == d, "answer": names[d]}
            for d in order
        ]
        lines.append({"code": c, "class": names[c], "cells": cells})
    wrong = [(int(table[a, b]), names[a], names[b], a, b) for a, b in np.argwhere(table).tolist() if a != b]
    often = sorted(wrong, key=lambda line: -line[0])[:6]
    return {"order": order, "names": [names[c] for c in order], "lines": lines, "often": often, "all": len(names)}
