"""Record what rows chose for a model, and what else was tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, overload

from suffice.notebook import card, table

__all__ = ["TOKENS", "Choice", "ChoiceRow", "Choices", "Tried"]

TOKENS = "tokens"
"""Name of the choice of tokens, which comes before anything is counted."""


@dataclass(frozen=True)
class Tried:
    """Hold an option: its log loss per held-out row, how much that exceeds the loss of the chosen option, and the
    standard error of the difference.
    """

    option: str
    log_loss: float
    difference: float
    standard_error: float


@dataclass(frozen=True)
class Choice:
    """Hold a choice made on held-out rows, with all options tried."""

    name: str
    chosen: str
    tried: tuple[Tried, ...]
    judges: int  # number of held-out rows, or of their groups


class ChoiceRow(NamedTuple):
    """Hold one line of the record of choices."""

    choice: str
    option: str
    chosen: bool
    log_loss: float
    difference: float
    standard_error: float


class Choices(Sequence[ChoiceRow]):
    """List what held-out rows chose, with all that was tried: one row for each option of each choice.

    `difference` is the log loss per row minus that of the chosen option. `standard_error` is that of the difference,
    which is paired: the same rows judge both. The simpler option is chosen where the difference is noise.

    Examples
    --------
    >>> import numpy as np
    >>> import suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.choice(["ham", "spam"], 400)
    >>> texts = [" ".join(rng.choice(["free", "lunch", "prize", "noon"], 4, p=[0.3, 0.2, 0.3, 0.2] if y == "spam" else
    ...          [0.2, 0.3, 0.2, 0.3])) for y in labels]
    >>> model = sf.TextClassifier().fit(texts, labels)
    >>> sorted({row.choice for row in model.choices_})
    ['feature powers', 'label noise', 'pseudo-count', 'residuals', 'tokens']
    """

    def __init__(self, made: Sequence[Choice]) -> None:
        self._made = tuple(made)
        self._rows = [
            ChoiceRow(
                one.name, what.option, what.option == one.chosen, *(what.log_loss, what.difference, what.standard_error)
            )
            for one in self._made
            for what in one.tried
        ]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ChoiceRow]:
        return iter(self._rows)

    @overload
    def __getitem__(self, at: int) -> ChoiceRow: ...
    @overload
    def __getitem__(self, at: slice) -> list[ChoiceRow]: ...
    def __getitem__(self, at: int | slice) -> ChoiceRow | list[ChoiceRow]:
        return self._rows[at]

    def _cells(self) -> list[tuple[str, ...]]:
        """Return the lines of the table: choice, number of held-out rows, option, loss and difference."""
        lines = list[tuple[str, ...]]()
        for one in self._made:
            for k, what in enumerate(one.tried):
                first = (one.name, f"{one.judges:,}") if k == 0 else ("", "")
                mine = what.option == one.chosen
                less = "chosen" if mine else f"{what.difference:+.4f} ± {what.standard_error:.4f}"
                lines.append((*first, what.option, f"{what.log_loss:.4f}", less))
        return lines

    def __repr__(self) -> str:
        if not self._made:
            return "Nothing was chosen on held-out rows."
        lines = [HEAD, *self._cells()]
        widths = [max(len(line[k]) for line in lines) for k in range(len(HEAD))]
        return "\n".join(
            "  ".join(f"{part:{width}}" for part, width in zip(line, widths, strict=True)).rstrip() for line in lines
        )

    def _repr_html_(self) -> str:
        title = "Choices on held-out rows" if self._made else repr(self)
        return card(self, lambda: [table(HEAD, self._cells(), most=LINES)] if self._made else [], title)


LINES = 60
HEAD = "choice", "held-out rows", "option", "log loss", "difference"
