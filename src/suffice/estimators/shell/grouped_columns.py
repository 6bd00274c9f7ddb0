"""Choose models of numeric columns when rows are grouped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from suffice.models.choices import Choice
from suffice.models.choosing.chooser import Wanted
from suffice.models.choosing.grouped_kinds import as_normals, choose_kinds
from suffice.models.choosing.judge import Sample
from suffice.models.choosing.table_choice import ENOUGH
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Block, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.removal import group_codes
from suffice.readers.labels import Examples
from suffice.readers.table import TableReader
from suffice.typing import GroupsLike

__all__ = ["kinds_of_groups"]


def kinds_of_groups(
    predictor: Predictor, reader: TableReader, examples: Examples, groups: GroupsLike, wanted: Wanted | None
) -> tuple[dict[Name, Block], tuple[Choice, ...]]:
    """Return the columns that become normal, because held-out groups do not confirm the evidence; and the record.

    If no group can be held out, the models chosen by evidence stay.
    """
    most = ENOUGH if wanted is None else min(ENOUGH, wanted.most_rows)
    few, order, group = examples.picked(reader, most, group_codes(groups, len(examples)))

    def sample_of(laws: Mapping[Name, Likelihood]) -> Sample:
        return replace(Sample(reader.rows(few.source, laws), few.labels).take(order), group=group)

    found = choose_kinds(predictor, sample_of)
    if found is None:
        return {}, ()
    normal, record = found
    return as_normals(predictor.model) if normal else {}, (record,)
