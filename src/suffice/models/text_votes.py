"""What each word of one text says, class by class; what its length says, and the words it lacks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from suffice.models import texts
from suffice.models.logs import log
from suffice.models.text_model import TextModel
from suffice.models.urns import Urns, predictive_urns
from suffice.models.votes import Votes, belief_of_shares, drawn, length
from suffice.models.weights import in_words
from suffice.telling import counted
from suffice.text import Batch, matrix
from suffice.typing import Array, Integers

__all__ = ["text_votes"]

ABSENT, UNKNOWN = "(absent words)", "(unknown words)"


def text_votes(model: TextModel, text: Any) -> Votes:
    """The parts of a text: words that occur, those that the model does not know in one."""
    found = [model.lexicon.matrix(batch, model.counts.width) for batch in model.analysis.batches([text], "x")]
    X = found[0]
    names, strangers = _names(model, text, X.indices)
    times = [_times(v) for v in X.data.tolist()]
    if model.weights is not None:
        meant = [in_words(w, "words") for w in model.weights[X.indices].tolist()]
        times = [f"{one}, {what}" if what else one for one, what in zip(times, meant, strict=True)]
    if model.transform is not None:
        X = model.transform(X)
    elif model.once:
        X.data[:] = 1.0
    X = model.weighed(X)
    told = _told(model, names, times, X.indices, X.data.astype(np.float64))
    if model.kind == "bernoulli":
        absent = counted(model.counts.width - X.nnz, "word")
        told = told.and_one(ABSENT, absent, _absent(model, X.indices, told.logs, text))
    if strangers:
        told = told.and_one(UNKNOWN, _listed(strangers), np.zeros(model.counts.n_classes))
    return told if X.nnz else replace(told, unknown="word of this text")


def _told(model: TextModel, names: list[str], times: list[str], word: Integers, x: Array) -> Votes:
    urns = predictive_urns(model.counts, model.added) if model.whole else model.urns
    if urns is not None:
        return _by_urns(urns, names, times, word, x)
    if model.kind == "complement":
        w = texts.complement(model.counts, model.table, model.added, model.norm, model.times)
        each = w.base[word][:, None] + w.slope + w.values[word].toarray()
        return Votes(names, times, w.scale * x[:, None] * each)
    flags = model.kind == "bernoulli"
    table = model.counts.documents if flags else model.table
    own = table[:, word].toarray().T + model.added
    total = (
        model.counts.n + 2 * model.added
        if flags
        else np.asarray(table.sum(axis=1)).ravel() + model.added * model.counts.width
    )
    logs = x[:, None] * (log(own) - np.log(np.where(total > 0, total, 1.0)))
    known = model.estimate in ("mean", "predictive") and model.added > 0
    return Votes(names, times, logs, belief_of_shares(own, total[None], x[:, None]) if known else None)


def _by_urns(urns: Urns, names: list[str], times: list[str], word: Integers, x: Array) -> Votes:
    met = urns.alpha[:, word].toarray()
    alpha = np.where(met > 0, met, urns.rest[:, None] * urns.prior[word])
    return Votes(names, times, drawn(alpha, x, urns.method == "dcm")).and_one(*length(urns.total, float(x.sum())))


def _absent(model: TextModel, word: Integers, logs: Array, text: Any) -> Array:
    """Σ ln(1−θ) of all words but those that occur; −∞ where the class always has one of them."""
    n, alpha = model.counts.n, model.added
    off = n - model.counts.documents[:, word].toarray().T + alpha
    finite = np.log(np.where(off > 0, off, 1.0)) - np.log(np.where(n + 2 * alpha > 0, n + 2 * alpha, 1.0))
    says = texts.bernoulli(model.counts, alpha).offset - finite.sum(axis=0)
    whole = next(model.scorer.scores(batch)[0] for batch in model.analysis.batches([text], "x"))
    return np.where(np.isneginf(whole) & np.isfinite(logs.sum(axis=0)), -np.inf, says)


def _names(model: TextModel, text: Any, word: Integers) -> tuple[list[str], list[str]]:
    """What the words of the text are called, or those of a bucket; and which tokens are no words of the model."""
    analysis = model.analysis
    tokens = list(dict.fromkeys(analysis.tokens(analysis._decoded(text))))
    as_they_are = replace(analysis, unit=_as_it_is)
    places = matrix(
        Batch.of_tokens([[token] for token in tokens]), as_they_are, model.lexicon.native, len(model.lexicon.order)
    )
    called: dict[int, list[str]] = {}
    strangers = []
    for i, token in enumerate(tokens):
        at = places.indices[places.indptr[i] : places.indptr[i + 1]]
        if len(at):
            called.setdefault(int(model.lexicon.order[at[0]]), []).append(token)
        else:
            strangers.append(token)
    return [" / ".join(called.get(w, [f"word {w}"])) for w in word.tolist()], strangers


def _as_it_is(text: str) -> list[str]:
    return [text]


def _times(x: float) -> str:
    return "once" if x == 1 else f"{x:.6g} times"


def _listed(words: list[str], most: int = 5) -> str:
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more
