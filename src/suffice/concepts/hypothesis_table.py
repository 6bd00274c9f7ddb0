"""Tabulate the belief about each hypothesis."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.errors import InputError
from suffice.notebook import MOST, bar, card, table
from suffice.typing import Array, Integers

__all__ = ["Beliefs"]

SHOWN = 10


@dataclass(frozen=True, eq=False, repr=False)
class Beliefs:
    """A line per hypothesis: its name, number of items, prior, likelihood and posterior.

    >>> from suffice.concepts import ConceptLearner
    >>> table = ConceptLearner({"low": {1, 2}, "all": {1, 2, 3, 4}}).observe([1]).posterior_
    >>> table["low"].__round__(3)
    0.667
    >>> table.top(1)
    [('low', 0.666...)]
    """

    names: tuple[Hashable, ...]
    sizes: Integers
    prior: Array
    log_likelihood: Array
    """ln p(D | h), minus infinity where the observations are impossible."""
    posterior: Array
    _places: dict[Hashable, int] = field(default_factory=dict)

    def top(self, most: int = SHOWN) -> list[tuple[Hashable, float]]:
        """Return the most probable hypotheses, with their posterior."""
        return [(self.names[at], float(self.posterior[at])) for at in self.order()[:most]]

    def order(self) -> Integers:
        """Return the indices of the hypotheses, the most probable first; ties in the order given."""
        return np.argsort(-self.posterior, kind="stable")

    def to_frame(self, backend: str | None = None) -> Any:
        """Return all lines as a dataframe, the most probable hypothesis first."""
        from suffice.tables.out import frame_of

        order = self.order()
        columns = {
            "hypothesis": [self.names[at] for at in order],
            "size": self.sizes[order],
            "prior": self.prior[order],
            "log_likelihood": self.log_likelihood[order],
            "posterior": self.posterior[order],
        }
        return frame_of(columns, backend)

    def __getitem__(self, name: Hashable) -> float:
        if not self._places:
            self._places.update((one, at) for at, one in enumerate(self.names))
        if name not in self._places:
            raise InputError(f"There is no hypothesis {name!r} among the {len(self)}; see `names`.")
        return float(self.posterior[self._places[name]])

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        possible = int((self.posterior > 0).sum())
        order = self.order()[: min(SHOWN, possible)]
        width = max(10, *(len(str(self.names[at])) for at in order))
        lines = [f"{'hypothesis':<{width}}   size     prior  likelihood  posterior"]
        for at in order:
            likelihood = np.exp(self.log_likelihood[at])
            lines.append(
                f"{self.names[at]!s:<{width}}  {self.sizes[at]:>5}  {self.prior[at]:>8.4f}"
                f"  {likelihood:>10.3g}  {self.posterior[at]:>9.4f}"
            )
        less, never = max(0, possible - SHOWN), len(self) - possible
        rest = [f"{less:,} less probable"] * (less > 0) + [f"{never:,} impossible"] * (never > 0)
        lines += [f"and {', '.join(rest)}"] * bool(rest)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return card(self, self._parts, f"{len(self):,} hypotheses")

    def _parts(self) -> Iterator[str]:
        order = self.order()[:MOST]
        columns = (self.sizes[order], self.prior[order], np.exp(self.log_likelihood[order]), self.posterior[order])
        names, shares = [str(self.names[at]) for at in order], self.posterior[order].tolist()
        rows = zip(names, *(column.tolist() for column in columns), map(bar, shares), strict=True)
        yield table(["hypothesis", "size", "prior", "likelihood", "posterior", ""], rows, len(self))
