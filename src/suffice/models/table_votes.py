"""What each column of one row says, class by class, and how sure that is."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from suffice.models import columns, events, text_model
from suffice.models.columns.histogram import _share
from suffice.models.events import Estimate
from suffice.models.gaussian import Gaussian as Normal
from suffice.models.known import known_rows
from suffice.models.tables import TableModel, TableScorer
from suffice.models.text_votes import text_votes
from suffice.models.votes import Belief, Votes, belief_of_shares, votes
from suffice.models.weights import in_words
from suffice.stats import TokenCounts
from suffice.tables import Column, Table
from suffice.typing import Array

__all__ = ["table_votes"]


def table_votes(model: TableModel, scorer: TableScorer, table: Table, estimate: Estimate) -> Votes:
    """The parts of a table of one row: its columns."""
    said = scorer.votes(table)
    names = [name for name in model.columns if name in said]
    logs = np.array([said[name][0] for name in names]).reshape(len(names), scorer.classes)
    means, variances = np.full((2, *logs.shape), np.nan)
    inner = {}
    for i, name in enumerate(names):
        column = table[name]
        if column.n_missing or column.values is None:
            means[i] = variances[i] = 0.0
            continue
        belief = _belief(model.columns[name], model.statistics[name], column, scorer.columns[name], estimate)
        if belief is not None:
            weight = scorer.weights.get(name, 1.0)
            means[i], variances[i] = weight * belief[0][0], weight**2 * belief[1][0]
        if isinstance(model.columns[name], columns.Text) and model.statistics[name].width:
            inner[i] = _words(model.columns[name], model.statistics[name], column, estimate)
    readings = [_reading(table[name], scorer.columns[name]) for name in names]
    meant = [in_words(scorer.weights.get(name, 1.0), "columns") for name in names]
    spoken = [bool(what) and text != "missing" for text, what in zip(readings, meant, strict=True)]
    readings = [f"{a}, {b}" if told else a for a, b, told in zip(readings, meant, spoken, strict=True)]
    unknown = "" if known_rows(model, table)[0] else "value of this row"
    return Votes(list(names), readings, logs, (means, variances), inner, unknown)


def _reading(column: Column, scorer: Any) -> str:
    """A value as the model reads it: the value, and its bin if there are bins."""
    if column.n_missing or column.values is None:
        return "missing"
    text = _value(column)
    text = text if len(text) <= 40 else text[:39] + "…"
    name = scorer.names[int(scorer.place(column)[0])] if getattr(scorer, "names", None) else text
    return text if name in (text, "any") else f"{text} ({name})"


def _value(column: Column) -> str:
    values: Any = column.values
    value = values[0].as_py() if column.storage == "string" else values[0]
    text = str(column.labels[value] if column.storage == "category" else value)
    return text if column.storage in ("string", "category") else text.removesuffix(".0")


def _words(model: Any, t: Any, column: Column, estimate: Estimate) -> Votes:
    words = text_model.TextModel("multinomial", t, model.analysis, model.pseudo_count(t), estimate)
    return text_votes(words, _value(column))


@singledispatch
def _belief(model: Any, t: Any, column: Column, scorer: Any, estimate: Estimate) -> Belief:
    return None


def _of_line(alpha: Array, scorer: Any, column: Column, estimate: Estimate) -> Belief:
    line = int(scorer.place(column)[0])
    if estimate not in ("mean", "predictive") or not 0 <= line < alpha.shape[1]:
        return None
    return belief_of_shares(alpha[None, :, line], alpha.sum(axis=1)[None])


@_belief.register
def _(model: columns.Categorical, t: Any, column: Column, scorer: Any, estimate: Estimate) -> Belief:
    counts, alpha = model._with_other(t)
    return _of_line(counts + alpha, scorer, column, estimate)


@_belief.register
def _(model: columns.Bernoulli, t: Any, column: Column, scorer: Any, estimate: Estimate) -> Belief:
    prior = model.belief(t)
    alpha = np.column_stack([t.zeros + prior.b, t.ones + prior.a])
    return _of_line(alpha, scorer, column, estimate)


@_belief.register
def _(model: columns.Histogram, t: Any, column: Column, scorer: Any, estimate: Estimate) -> Belief:
    bins = model.bins(t)
    return _of_line(bins.counts + model.strength * _share(bins), scorer, column, estimate)


@_belief.register
def _(model: columns.Gaussian, t: Any, column: Column, scorer: Any, estimate: Estimate) -> Belief:
    if estimate == "predictive":
        return None
    event, own, unit = model._in_own_unit(t, estimate)
    values: Any = column.values
    x = np.array([float(values[0]) / unit])
    return votes(Normal(event.floor, event.prior, estimate), own, t.n[:, 0], x, False).belief


@_belief.register
def _(model: columns.Poisson, t: Any, column: Column, scorer: Any, estimate: Estimate) -> Belief:
    prior = model.belief(t)
    event = events.Poisson(np.asarray(prior.shape), np.asarray(prior.rate), estimate)
    values: Any = column.values
    return votes(event, TokenCounts(t.total), t.n[:, 0], np.array([float(values[0])]), False).belief
