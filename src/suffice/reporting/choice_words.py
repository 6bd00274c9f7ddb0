"""Put the record of choices into words: what each hyperparameter does, what won, and by how much."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from suffice.models.choices import ChoiceRow

__all__ = ["ChoiceInWords", "choices_in_words"]

CLEAR = 2.0
"""A difference of more standard errors than this is not noise."""

MEANING = {
    "tokens": ("Tokens", "How texts are split: into words, words and bigrams, or character n-grams."),
    "kinds of numeric columns": (
        "Likelihoods of numeric columns",
        "Whether every numeric column is normal in each class, or each column takes the likelihood with the highest "
        "evidence.",
    ),
    "numeric columns": (
        "Covariance of numeric columns",
        "Whether numeric columns are independent in each class, or share one covariance matrix per class.",
    ),
    "pseudo-count": (
        "Pseudo-count",
        "Added to the count of every feature in every class, so that features never met in a class keep some "
        "probability. Larger values smooth more.",
    ),
    "feature powers": (
        "Feature powers",
        "A power for each feature, fitted on held-out rows, that tempers what other features repeat. The ridge pulls "
        "powers towards a common one; none leaves plain naive Bayes.",
    ),
    "joint columns": (
        "Joint columns",
        "Pairs or triples of columns that are counted jointly, so they need not be independent. κ is how strongly "
        "joint counts shrink towards independence; the ridge pulls their powers towards zero.",
    ),
    "residuals": (
        "Residuals",
        "Corrections of the log-odds on top of the weighted counts, fitted as in logistic regression. The ridge pulls "
        "them towards zero.",
    ),
    "label noise": (
        "Label noise",
        "The share of labels that may be wrong. It caps the odds of every prediction, so no row costs an unbounded log "
        "loss.",
    ),
}  # fmt: skip
"""The title of each choice, and what it does."""

OPTIONS = (
    (r"^words and pairs$", "words and bigrams"),
    (r"^multivariate normal$", "one covariance matrix per class"),
    (r"\bκ ", "κ = "),
    (r"\bridge ", "ridge = "),
    (r", with missing values$", ", missing counts as a value"),
)


@dataclass(frozen=True)
class ChoiceInWords:
    """Hold a choice: its title, what it does, why the chosen option won, and all options."""

    name: str
    title: str
    meaning: str
    chosen: str
    why: str
    options: list[tuple[str, ChoiceRow]]


def choices_in_words(rows: Iterable[ChoiceRow]) -> list[ChoiceInWords]:
    """Return the choices in words, in the order they were made."""
    return [_in_words(name, list(options)) for name, options in groupby(rows, key=lambda row: row.choice)]


def _in_words(name: str, rows: list[ChoiceRow]) -> ChoiceInWords:
    title, meaning = MEANING.get(name, (name.capitalize(), ""))
    options = [(_option(row.option), row) for row in rows]
    chosen = next(words for words, row in options if row.chosen)
    return ChoiceInWords(name, title, meaning, chosen, _why(name, options), options)


def _option(text: str) -> str:
    for pattern, words in OPTIONS:
        text = re.sub(pattern, words, text)
    return text


def _why(name: str, options: list[tuple[str, Any]]) -> str:
    """Return the reason: the difference from the best of the other options, and whether it is more than noise."""
    others = [(words, row) for words, row in options if not row.chosen]
    if not others:
        return "There was no other option."
    words, row = min(others, key=lambda one: one[1].log_loss)
    less, error = row.difference, row.standard_error
    figures = f"({abs(less):.4f} ± {error:.4f} nats per row)"
    if name == "label noise":
        costs = f"costs {-less:.4f}" if less < 0 else f"saves {less:.4f}"
        return f"It {costs} ± {error:.4f} nats per row here and bounds the loss of any new row."
    if less > CLEAR * error:
        return f"The next best option, {words}, has a clearly higher log loss {figures}."
    if less >= 0:
        return f"The next best option, {words}, has a higher log loss {figures}, a difference within noise."
    other = f"Another option, {words}, has a lower log loss {figures}"
    return (
        f"{other}, a difference within noise: the simpler option is taken." if -less <= CLEAR * error else f"{other}."
    )
