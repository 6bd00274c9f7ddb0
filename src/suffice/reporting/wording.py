"""Word the title, the figures and the choices of a report: what each hyperparameter does, what won, by how much."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from suffice.models.choices import ChoiceRow

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


def question(classes: list[str], target: str | None = None) -> str:
    """Return the title of a report: the target, if its name is known, and the classes.

    >>> question(["0", "1"], "survived"), question(["ham", "spam"])
    ('Survived: 0 or 1?', 'ham or spam?')
    """
    head = f"{target[:1].upper()}{target[1:]}: " if target else ""
    if len(classes) > 5 or len(" or ".join(classes)) > 60:
        return f"{head}{'which' if head else 'Which'} of {len(classes)} classes?"
    return head + (f"{', '.join(classes[:-1])} or {classes[-1]}?" if len(classes) > 1 else classes[0])


def percent(share: float, digits: int = 1) -> str:
    """Return a share in percent; a dash for NaN, and a bound for a share that would round to 0 or 1.

    >>> percent(0.5), percent(0.9999)
    ('50.0\u202f%', '> 99.9\u202f%')
    """
    if share != share:
        return "–"
    least = 0.5 * 10.0 ** (-2 - digits)
    if 0 < share < least or 1 - least < share < 1:
        return f"< {200 * least:g}\u202f%" if share < 0.5 else f"> {100 - 200 * least:g}\u202f%"
    return f"{100 * share:.{digits}f}\u202f%"


def span(ends: dict[str, float]) -> str:
    """Return an interval in percent, with one more digit near 0 and 1."""
    digits = 2 if ends["high"] > 0.999 or ends["low"] < 0.001 else 1
    return f"{percent(ends['low'], digits)} to {percent(ends['high'], digits)}"


def bounds(ends: dict[str, float]) -> str:
    """Return an interval in percent for a narrow table, without the sign."""
    digits = 2 if ends["high"] > 0.999 or ends["low"] < 0.001 else 1
    return f"{100 * ends['low']:.{digits}f}–{100 * ends['high']:.{digits}f}"


def number(value: float) -> str:
    """Return a number with six significant digits and thousands separators."""
    return f"{value:,.6g}"


def short(value: float) -> str:
    """Return a number with four significant digits."""
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def listed(items: Sequence[str], most: int = 5) -> str:
    """Return the first items, and the number of others.

    >>> listed(["a", "b"]), listed(["a", "b", "c"], 1)
    ('a, b', 'a and 2 more')
    """
    return ", ".join(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "")


def plural(items: Sequence[Any], one: str, many: str) -> str:
    """Return the words for one item, or for several."""
    return one if len(items) == 1 else many


@dataclass(frozen=True)
class ChoiceInWords:
    """A choice: its title, what it does, why the chosen option won, and all options."""

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
