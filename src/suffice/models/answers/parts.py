"""Name what the parts of one row contribute: features of the only block, or columns of a table.

Likelihoods explain a row by the places of its features. Only a reader knows their names and how to show values: it
passes them in a `Wording`. Features that favour a class in general are found here, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast, overload

import numpy as np

from suffice.models.answers.derived import top_features
from suffice.models.likelihoods.cloud import Cloud
from suffice.models.likelihoods.shared import power_in_words
from suffice.models.model import Block, Model, Name, Together
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import AS_IT_IS, powered
from suffice.models.scoring.results import Contributions
from suffice.models.scoring.rows import Rows
from suffice.models.scoring.text_rows import TextRows
from suffice.notebook import bar, card, line, table
from suffice.stats.word_counts import WordCounts
from suffice.tables import Column, Table
from suffice.text import Analysis, Batch
from suffice.typing import Array, Booleans, Names


class Top(NamedTuple):
    """A feature, its value in rows of the class, and what it adds to the log-odds there on average."""

    feature: Any
    value: str
    log_odds: float


class TopFeatures(Sequence[Top]):
    """List the features that favour a class, as rows of feature, value and log-odds, the largest first."""

    def __init__(self, label: Any, rows: list[Top]) -> None:
        self.label, self._rows = label, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Top]:
        return iter(self._rows)

    @overload
    def __getitem__(self, at: int) -> Top: ...
    @overload
    def __getitem__(self, at: slice) -> list[Top]: ...
    def __getitem__(self, at: int | slice) -> Top | list[Top]:
        return self._rows[at]

    def __eq__(self, other: object) -> bool:
        return self._rows == (other._rows if isinstance(other, TopFeatures) else other)

    def __hash__(self) -> int:
        return hash(tuple(self._rows))

    def __repr__(self) -> str:
        width = max((len(str(row.feature)) for row in self._rows), default=0)
        lines = [f"  {row.log_odds:8.4f}  {row.feature!s:{width}}  {row.value}".rstrip() for row in self._rows]
        head = f"Log-odds of {self.label}, relative to the average of the other classes:"
        return "\n".join([head, *(lines or ["  none"])])

    def _repr_html_(self) -> str:
        return card(self, self._parts)

    def _parts(self) -> Iterator[str]:
        most = max((row.log_odds for row in self._rows), default=0.0) or 1.0
        rows = [(str(row.feature), row.value, row.log_odds, bar(row.log_odds / most)) for row in self._rows]
        yield table(["feature", "value", "log-odds", ""], rows) if rows else line("none")


def speaking(
    predictor: Predictor,
    code: int,
    k: int,
    names: Names | None = None,
    by_block: bool = False,
    categories: Sequence[Any] | None = None,
) -> TopFeatures:
    """Return at most k features that favour a class most, relative to the average of the other classes.

    `names` are those of the only block's features, and `categories` the values of its codes. With `by_block`, features
    of all blocks are named after their block.
    """
    label = predictor.model.classes[code]
    if len(predictor.model.classes) < 2:
        return TopFeatures(label, [])
    if by_block:
        return TopFeatures(label, _speaking_columns(predictor, code, k))
    found = _speaking_features(predictor, code, k)
    if categories is not None:
        found = [row._replace(value=str(categories[row.feature][int(row.value)])) for row in found]
    if names is not None:
        found = [row._replace(feature=names[row.feature]) if isinstance(row.feature, int) else row for row in found]
    return TopFeatures(label, found)


def _speaking_features(predictor: Predictor, code: int, k: int) -> list[Top]:
    (block,), weights = predictor.model.voting.values(), predictor.views.weights
    found = top_features(block.settled, block.t, predictor.model.n, code, k, block.powers(weights))
    return [Top(*row) for row in found]


def _speaking_columns(predictor: Predictor, code: int, k: int) -> list[Top]:
    found, weights = list[Top](), predictor.views.weights
    for name, block in predictor.model.voting.items():
        power = 1.0 if weights is None else weights.of_block(name)
        if not power:
            continue
        meant = power_in_words(power)
        likelihood: Any = block.settled
        by_means = replace(likelihood, estimate="mean")  # means never bring infinite evidence
        for row in top_features(by_means, block.t, predictor.model.n, code, k):
            named = name.columns[row.feature] if isinstance(likelihood, Cloud) and isinstance(name, Together) else name
            found.append(Top(named, f"{row.value}, {meant}" if meant else row.value, power * row.weight))
    return sorted(found, key=lambda row: -row.log_odds)[:k]


def known(model: Model, rows: Mapping[Name, Rows], least: int = 1) -> Booleans:
    """Return which rows hold a value, category or word that was learned from at least `least` rows."""
    found = np.zeros(len(next(iter(rows.values()), ())), bool)
    for name, block in model.voting.items():
        present = rows[name].present if name in rows else np.zeros(0, bool)
        if present is None:
            found |= rows[name].known(block.t, least)
        elif present.any():
            found |= rows[name].known(block.t, least) & present
    return found


def names_of(statistic: Any, width: int) -> Any:
    """Return the names of a statistic's features: words, or places if it has no names."""
    named = isinstance(statistic, WordCounts) and not statistic.hash_bits
    return statistic.words.strings if named else np.arange(width)


RESIDUAL = "with a residual"
UNKNOWN = "(unknown words)"
LONGEST = 40
LISTED = 5


@dataclass(frozen=True)
class WordsOfText:
    """The distinct tokens of one text, in the order of the text."""

    tokens: list[str]

    @classmethod
    def of(cls, text: Any, analysis: Analysis) -> WordsOfText:
        """Return the tokens of a text."""
        return cls(list(dict.fromkeys(analysis.tokens(analysis._decoded(text)))))

    def called(self, t: WordCounts) -> tuple[dict[int, str], list[str]]:
        """Return the tokens of each known word or bucket of a statistic, and the unknown tokens."""
        alone = TextRows.of_batch(Batch.of_tokens([[token] for token in self.tokens]), AS_THEY_ARE).entries(t)
        words, names = np.full(len(self.tokens), -1), dict[int, list[str]]()
        words[np.diff(alone.indptr) > 0] = alone.indices
        for token, word in zip(self.tokens, words.tolist(), strict=True):
            names.setdefault(word, []).append(token)
        strangers = names.pop(-1, [])
        return {word: " / ".join(tokens) for word, tokens in names.items()}, strangers


def _token(text: str) -> list[str]:
    return [text]


AS_THEY_ARE = Analysis(unit=_token)
"""Analysis of tokens that were already found."""


@dataclass(frozen=True)
class Wording:
    """The names of the parts of one row."""

    names: Names | None = None  # of the only block's features; None if its rows name them
    values: Sequence[str] | None = None  # value of each feature in the row, if the block has only codes
    text: WordsOfText | None = None  # of the only block, if it reads a text
    readings: Mapping[Name, str] | None = None  # of a table, value of each column; then each block is a part

    @classmethod
    def of_columns(cls, blocks: Mapping[Name, Block], table: Table) -> Wording:
        """Return the names of the columns of a table with one row."""
        return cls(readings={name: reading(block, table[name]) for name, block in blocks.items() if name in table})


def parts(predictor: Predictor, rows: Mapping[Name, Rows], wording: Wording) -> Contributions:
    """Return the untempered contribution of each part of one row to each class's score, by name."""
    if wording.readings is not None:
        return _of_columns(predictor, rows, wording.readings)
    (name,) = predictor.votes(rows)  # raises DataError for impossible values
    block, weights = predictor.model.blocks[name], predictor.views.weights
    said = block.settled.contributions(block.t, rows[name], block.powers(weights))
    said = said if _knows_its_spread(predictor, block.t) else replace(said, belief=None)
    more, scorer = block.residuals(weights, predictor.model.classes), cast("Any", block.scorer)
    if more is not None:
        said = _with_residuals(said, scorer.counts_of(rows[name].entries(block.t)), more)
    if wording.text is None:
        return _of_features(said, rows[name].names(block.t) if wording.names is None else wording.names, wording.values)
    learned = rows[name].known(block.t, 0)[0]
    return replace(_of_words(said, wording.text, block.t), unknown="" if learned else "word of this text")


def _with_residuals(said: Contributions, x: Any, residuals: Any) -> Contributions:
    """Return contributions with residuals added; residuals have no variance."""
    more = x.data[:, None] * residuals[x.indices].toarray()
    belief = None if said.belief is None else (said.belief[0] + more, said.belief[1])
    return replace(said, logs=said.logs + more, belief=belief)


def _of_features(said: Contributions, names: Sequence[Any] | Names, values: Sequence[str] | None) -> Contributions:
    """Return contributions with features named; parts that are not features already have names."""
    place = [isinstance(feature, int) for feature in said.features]
    features = [names[j] if feature else j for j, feature in zip(said.features, place, strict=True)]
    if values is None:
        return replace(said, features=features)
    both = zip(said.features, said.values, place, strict=True)
    return replace(said, features=features, values=[values[j] if feature else value for j, value, feature in both])


def _of_words(said: Contributions, text: WordsOfText, t: WordCounts) -> Contributions:
    """Return contributions with words named, and unknown tokens as one part."""
    names, strangers = text.called(t)
    called = [names.get(j, f"word {j}") if isinstance(j, int) else j for j in said.features]
    said = replace(said, features=called)
    if not strangers:
        return said
    more = f" and {len(strangers) - LISTED} more" if len(strangers) > LISTED else ""
    return said.and_one(UNKNOWN, ", ".join(strangers[:LISTED]) + more, np.zeros(said.logs.shape[1]))


def _of_columns(predictor: Predictor, rows: Mapping[Name, Rows], readings: Mapping[Name, str]) -> Contributions:
    """Return the contribution of each column of a table; a missing value contributes at most a residual."""
    votes = replace(predictor, temper=AS_IT_IS).votes(rows)
    logs = np.array([vote[0] for vote in votes.values()]).reshape(len(votes), len(predictor.model.classes))
    belief, inner, values = np.zeros((2, *logs.shape)), dict[int, Contributions](), list[str]()
    lifts, times, powers = dict[int, Array](), np.full(len(votes), np.nan), np.ones(len(votes))
    weights = predictor.views.weights
    for i, name in enumerate(votes):
        present = rows[name].present
        if present is not None and not present[0]:
            values.append(f"missing, {RESIDUAL}" if logs[i].any() else "missing")
            belief[0, i] = logs[i]  # a residual, or zero
            continue
        power = powers[i] = 1.0 if weights is None else weights.of_block(name)
        block = predictor.model.blocks[name]
        said = block.settled.contributions(block.t, rows[name])
        value = said.values[0] if block.likelihood.correction else readings[name]
        belief[:, i] = _belief_of_one(said, power)
        times[i] = np.nan if said.times is None else power * said.times[0]
        more = block.added(weights, name, rows[name], predictor.model.classes)
        values.append(f"{value}, {RESIDUAL}" if more is not None and more.any() else value)
        belief[0, i] += 0.0 if more is None else more[0]
        if 0 in said.inner:
            inner[i] = replace(said.inner[0], logs=powered(said.inner[0].logs, power))
        if 0 in said.lifts and power:
            lifts[i] = said.lifts[0]
    unknown = "" if known(predictor.model, rows, 0)[0] else "value of this row"
    return Contributions(list(votes), values, logs, (belief[0], belief[1]), inner, lifts, times, unknown, powers)


def _belief_of_one(said: Contributions, power: float) -> Array:
    """Return mean and variance of a column's contribution, raised to a power; NaN where unknown."""
    if said.belief is None or len(said.features) != 1:
        return np.full((2, said.logs.shape[1]), np.nan)
    return np.stack([power * said.belief[0][0], power**2 * said.belief[1][0]])


def _knows_its_spread(predictor: Predictor, t: Any) -> bool:
    """Return whether the posterior says how uncertain the contributions of the only block's features are.

    A pseudo-count that was chosen for the labels is no belief about probabilities. A temper says that words repeat what
    others say, so there is less to learn from than their number.
    """
    return predictor.views.alpha is None and (predictor.temper == AS_IT_IS or not isinstance(t, WordCounts))


def reading(block: Block, column: Column) -> str:
    """Return the value of a one-row column as a block reads it, with its bin, if any."""
    if column.n_missing or column.values is None:
        return "missing"
    value = column.values[0].as_py() if column.storage == "string" else column.values[0]
    text = str(column.labels[value] if column.storage == "category" else value)
    text = text if column.storage in ("string", "category") else text.removesuffix(".0")
    text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    name = block.settled.reading(block.t, column)
    return text if name in ("", text, "any") else f"{text} ({name})"
