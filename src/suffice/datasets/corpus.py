"""Labelled texts, which are split by groups."""

from collections import Counter
from dataclasses import dataclass
from typing import Self

import numpy as np

from suffice.errors import DataError, InputError, ShapeError
from suffice.notebook import card, table
from suffice.telling import counted


@dataclass(frozen=True, repr=False)
class Corpus:
    """Texts, each with a label and a group: a module, a file, or the message itself.

    >>> corpus = Corpus(["a b", "b c", "x y", "y z"], ["ab", "ab", "xy", "xy"], ["1", "2", "3", "4"])
    >>> corpus
    Corpus(4 texts, 2 labels, 4 groups, 0.0 MB)
    >>> train, test = corpus.split(test=0.5)
    >>> train.sizes, test.sizes
    ({'ab': 1, 'xy': 1}, {'ab': 1, 'xy': 1})
    """

    texts: list[str]
    labels: list[str]
    groups: list[str]

    def __post_init__(self) -> None:
        if not len(self.texts) == len(self.labels) == len(self.groups):
            raise ShapeError(
                "Corpus expects one label and one group per text; "
                f"got {len(self.texts)} texts, {len(self.labels)} labels and {len(self.groups)} groups."
            )

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in self.texts) / 1e6
        kinds = f"{len(self.sizes):,} labels, {len(set(self.groups)):,} groups"
        return f"Corpus({counted(len(self), 'text')}, {kinds}, {size:.1f} MB)"

    def _repr_html_(self) -> str:
        return card(self, lambda: [table(["label", "texts"], [(str(label), n) for label, n in self.sizes.items()])])

    @property
    def sizes(self) -> dict[str, int]:
        """The number of texts of each label, in the order of the labels."""
        return dict(sorted(Counter(self.labels).items()))

    def split(self, test: float = 0.3, seed: int = 0) -> tuple[Self, Self]:
        """Return a training and a test part without common groups; the latter has about a share `test` of each label.

        The same corpus, share and seed give the same parts.
        """
        if not 0 < test < 1:
            raise InputError(f"Corpus.split expects 'test' between 0 and 1, the share held out; got {test!r}.")
        if len(set(self.groups)) < 2:
            raise DataError(f"Corpus.split needs at least 2 groups to hold one out; got {len(set(self.groups))}.")
        held_out = self._held_out(test, np.random.default_rng(seed))
        return self._where(held_out, False), self._where(held_out, True)

    def _held_out(self, test: float, rng: np.random.Generator) -> set[str]:
        """Return groups to hold out: in random order, each that brings the labels closer to their wanted sizes."""
        members: dict[str, Counter[str]] = {group: Counter() for group in sorted(set(self.groups))}
        for group, label in zip(self.groups, self.labels, strict=True):
            members[group][label] += 1
        sizes, names, taken = self.sizes, list(members), set()
        missing = {label: test * size for label, size in sizes.items()}
        for i in rng.permutation(len(names)):
            group = names[i]
            # Σ [(missing − k)² − missing²] / size over the labels of the group
            if sum(k * (k - 2 * missing[label]) / sizes[label] for label, k in members[group].items()) < 0:
                taken.add(group)
                for label, k in members[group].items():
                    missing[label] -= k
        return taken

    def _where(self, groups: set[str], inside: bool) -> Self:
        chosen = [i for i, group in enumerate(self.groups) if (group in groups) is inside]
        return type(self)(*([column[i] for i in chosen] for column in (self.texts, self.labels, self.groups)))
