"""Joint columns of a classifier of tables: declare, choose and count them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Literal, TypeAlias, TypeGuard

import numpy as np

from suffice.errors import InputError
from suffice.models.choices import Choice
from suffice.models.choosing.chooser import NOTHING_SETTLED, Settled, Wanted
from suffice.models.choosing.grouped_kinds import as_normals, choose_kinds
from suffice.models.choosing.judge import Sample
from suffice.models.choosing.residuals import ResidualChoice
from suffice.models.choosing.table_choice import ENOUGH, choose_table
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.cloud import Cloud
from suffice.models.likelihoods.joint import CELLS, Joint
from suffice.models.likelihoods.silent import Drop
from suffice.models.likelihoods.text_column import Text
from suffice.models.model import Block, Model, Name, Together
from suffice.models.predictor import Predictor
from suffice.models.scoring.grouping import Coding
from suffice.models.scoring.joint_rows import JointRows
from suffice.models.scoring.removal import group_codes
from suffice.models.scoring.rows import Rows
from suffice.models.views import ColumnWeights, Views, Weights
from suffice.readers.joint_columns import candidates, counted_together, cuts_of, grouped_alike, many_numbers
from suffice.readers.labels import Examples
from suffice.readers.table import TableReader
from suffice.readers.table_columns import closest
from suffice.tables import Table
from suffice.telling import tell
from suffice.typing import GroupsLike
from suffice.waiting import Waiting

JointColumns: TypeAlias = Literal["auto", 2, 3] | Sequence[tuple[Name, ...]] | None
"""Joint columns: "auto", or the largest number of columns of a chosen set; declared sets; or None."""

CODES = "codes of all columns"

LARGEST_CLOUD = 2**18
"""Largest number of entries in the covariances of a cloud, over all classes."""

BYTES, LISTED = 32, 5
"""Bytes of a joint value in a class, with its lift and score; and number of sets that a warning names."""

SETS, SECONDS, OF_COLUMNS, PAIRED = "columns that act together", 8e-8, 0.05, 2**24
"""Name of the stage; seconds per row, pair of columns and class, and per column; largest number of rows × pairs."""

LEAST = 100
"""Smallest number of rows that choose joint columns."""


CountSets: TypeAlias = Callable[[Mapping[Name, Likelihood]], dict[Name, Block]]
"""Counts joint columns in all rows, in memory or on an engine."""


@dataclass(frozen=True)
class Found:
    """Joint columns that are not counted yet, and the choices that were made with them."""

    laws: Mapping[Name, Likelihood]
    settled: Settled = NOTHING_SETTLED


def is_declared(joint: object) -> TypeGuard[Sequence[tuple[Name, ...]]]:
    """Return whether joint columns are declared, not chosen."""
    return isinstance(joint, list | tuple)


def rows_for_sets(joint: JointColumns, wanted: Wanted | None) -> int:
    """Return the largest number of rows that choose joint columns, or group the values of declared ones.

    Joint columns are chosen with their powers. Without powers, "auto" chooses none, and 2 or 3 raises InputError.
    """
    if joint is None or is_declared(joint):
        return 0 if joint is None else ENOUGH
    weighed = wanted is not None and bool(wanted.weights)
    if not weighed and joint != "auto":
        raise InputError(
            f"The 'joint' parameter of NaiveBayes can be {joint!r} only with feature_powers='loo', since joint "
            "columns are chosen with their powers; got None."
        ).advise(python="Declare the sets, as in joint=[('age', 'job')], or set feature_powers='loo'.")
    return ENOUGH if weighed and wanted is not None and wanted.effort != "fast" else 0


def effective_sets(model: Model, weights: Weights | None) -> dict[Name, Block]:
    """Return all blocks but joint columns without effect, whose power is zero and which have no residuals."""
    if not isinstance(weights, ColumnWeights):
        return dict(model.blocks)
    said = {name for name in model.blocks if weights.of_block(name) > 0 or name in weights.residuals}
    return {name: block for name, block in model.blocks.items() if not isinstance(name, Together) or name in said}


def declared_sets(joint: Iterable[object], reader: TableReader) -> list[Together]:
    """Return the declared sets; raise InputError unless each is two or three columns, and declared once."""
    found = list[Together]()
    for one in joint:
        columns = tuple(one) if isinstance(one, tuple | list) else (one,)
        if len(columns) not in (2, 3) or len({*map(repr, columns)}) != len(columns):
            raise InputError(
                "The 'joint' parameter", "list sets of two or three columns, such as ('age', 'job')", got=one
            )
        for name in columns:
            if not isinstance(name, str | int) or name not in reader.names:
                raise InputError(f"The 'joint' parameter names {name!r}, which is not a column.").advise(
                    closest(name, reader.names)
                )
        if any({*columns} == {*other.columns} for other in found):
            raise InputError("The 'joint' parameter", "list each set of columns once").but(f"got {one!r} again")
        if Together(columns) in reader.names:
            raise InputError(f"The 'joint' parameter names {one!r}, but a column of the table has that name.").advise(
                "Rename the column."
            )
        found.append(Together(columns))
    return found


def declared_laws(
    joint: Iterable[object], reader: TableReader, model: Model, table: Table, known: Container[Name] = ()
) -> dict[Name, Likelihood]:
    """Return the likelihoods of declared sets that are not known yet, with bins by the rows of the table.

    Only rows with a value in each column count, so a set can be added when its last column appears, without loss.
    """
    laws = dict[Name, Likelihood]()
    for one in declared_sets(joint, reader):
        families = {name: model.blocks[name].likelihood for name in one.columns}
        for name, law in families.items():
            if isinstance(law, Drop | Text):
                raise InputError(
                    f"The 'joint' parameter names {name!r}, which is {law.word} and has no values to join."
                ).advise("Leave it out of the set, or declare another model of the column.")
        if one not in known and not any(law.silent for law in families.values()):
            kappa = None if len(one.columns) == 2 else 1.0  # None: by evidence, which only pairs have
            most = int(
                (CELLS / max(8, 2 * len(model.classes))) ** (1 / len(one.columns))
            )  # values per column, so that the table fits
            edges = tuple(cuts_of(table[name], most, later=False) if name in table else None for name in one.columns)
            laws[one] = Joint(kappa, edges)
    return laws


def with_declared(
    joint: JointColumns, reader: TableReader, examples: Examples, model: Model, before: Model | None
) -> Model:
    """Add counts of declared sets that were not counted before, with bins by a sample of rows."""
    if joint is None or isinstance(joint, str | int):
        return model
    few = examples if len(examples) <= ENOUGH else examples.picked(reader.of(model), ENOUGH, None)[0]
    laws = declared_laws(joint, reader, model, few.source, () if before is None else before.blocks)
    more = counted_together(examples.source, examples.labels, laws)
    return replace(model, blocks={**model.blocks, **more}) if more else model


def chosen_sets(
    predictor: Predictor,
    reader: TableReader,
    examples: Examples,
    groups: GroupsLike,
    power: float | None,
    order: int,
    memory_limit: int,
) -> Found:
    """Choose joint columns by a sample of rows: none if they do not improve held-out log loss.

    The choice uses counts of the sample only, so it does not depend on where the other rows are.
    """
    if len(examples) < LEAST or len(predictor.model.classes) < 2:
        return Found({})
    group = None if groups is None else group_codes(groups, len(examples))
    few, by_content, group = examples.picked(reader, ENOUGH, group)
    coding, cuts = candidates(few.source, predictor.model)
    if len(coding.names) < 2:
        return Found({})
    laws = {name: block.likelihood for name, block in predictor.model.voting.items()}
    cloud = cloud_of(coding, few.source, len(predictor.model.classes))
    if cloud is not None:
        laws[cloud] = Cloud()
    rows: dict[Name, Rows] = {**reader.rows(few.source, laws), CODES: JointRows(tuple(coding.codes.T), ())}
    sample = replace(Sample(rows, few.labels).take(by_content), group=group)
    taken = sample.rows[CODES]
    assert isinstance(taken, JointRows)
    counted_already = np.isclose(
        few.counted, predictor.model.n.sum(), rtol=1e-9
    )  # otherwise the model has counted more rows
    known = predictor.model.blocks if counted_already else {}
    new = {name: law for name, law in laws.items() if name not in known}
    counted = Model.of(predictor.model.classes, new, sample.rows, sample.labels)
    blocks = {name: known[name] if name in known else counted.blocks[name] for name in laws}
    counting = replace(predictor, model=replace(counted, blocks=blocks))
    with Waiting("NaiveBayes", {SETS: 1.0}) as waiting:
        waiting.expect(_seconds(len(sample), len(coding.names), len(predictor.model.classes)))
        waiting.stage(SETS)
        choice = choose_table(counting, sample, replace(coding, codes=taken.codes), power, order, cloud, memory_limit)
    if choice is None:
        return Found({})
    found, fit = dict[Name, Likelihood](), _that_fit(choice.sets, coding, len(predictor.model.classes), memory_limit)
    for one, gain in zip(choice.sets[:fit], choice.gains, strict=False):
        if Together(one) in reader.names:  # a column has the name of the set
            continue
        found[Together(one)] = Joint(choice.kappa, tuple(cuts[name] for name in one), gain, choice.missing)
    if choice.cloud and cloud is not None:
        found = {name: law for name, law in found.items() if name != cloud} | {cloud: Cloud(gain=choice.cloud_gain)}
    residuals = None
    if choice.residual is not None:
        residuals = ResidualChoice(choice.residual, choice.of_joint_values, cuts, choice.missing_residuals)
    return Found(found, Settled(choice.ridge, residuals, choice.floor, choice.initial, choice.record))


def _seconds(rows: int, columns: int, classes: int) -> float:
    """Return the expected time of choosing joint columns, in seconds."""
    return OF_COLUMNS * columns + SECONDS * min(rows * columns**2 / 2, PAIRED) * classes


def _that_fit(sets: Sequence[tuple[Name, ...]], coding: Coding, classes: int, memory_limit: int) -> int:
    """Return the number of sets, best first, whose tables fit into memory; warn about the others."""
    sizes = dict(zip(coding.names, coding.sizes, strict=True))
    tables = [BYTES * classes * prod(sizes[name] + 1 for name in columns) for columns in sets]
    fit = int(np.searchsorted(np.cumsum(tables), memory_limit, side="right"))
    if fit < len(sets):
        left = [str(Together(columns)) for columns in sets[fit:]]
        more = f" and {len(left) - LISTED} more" if len(left) > LISTED else ""
        tell(
            f"Joint columns are left out, since memory_limit={memory_limit:,} leaves no room for them: "
            f"{', '.join(left[:LISTED])}{more}.",
            python="Increase memory_limit to keep them.",
        )
    return fit


def cloud_of(coding: Coding, table: Table, classes: int) -> Together | None:
    """Return the numeric columns that may share a covariance (a cloud); None if they are fewer than two, or too many.

    At least half of the rows must have values in all of them, since only such rows count.
    """
    columns = [name for name in coding.names if many_numbers(table[name])]
    if len(columns) < 2 or classes * len(columns) ** 2 > LARGEST_CLOUD:
        return None
    whole = np.logical_and.reduce([table[name].present for name in columns])
    return Together(columns) if 2 * whole.sum() >= len(whole) else None


def common_sets(models: Sequence[Model], declared: bool) -> list[Model]:
    """Return models with the joint columns that all of them count alike; warn about the others, which are dropped.

    Declared sets must be counted alike: raise InputError if bins differ.
    """
    models = grouped_alike(models)
    every = list(dict.fromkeys(name for model in models for name in model.blocks if isinstance(name, Together)))
    alike = [name for name in every if _alike(name, models, declared)]
    if len(alike) == len(every):
        return list(models)
    apart = [name for name in every if name not in alike]
    if declared:
        raise InputError("Models that are combined", f"group the values of {apart[0]} into the same bins").but(
            "got different ones",
            python="Fit one model by partial_fit on a copy of the other, or leave the set out of 'joint'.",
        )
    more = f" and {len(apart) - LISTED} more" if len(apart) > LISTED else ""
    tell(
        "The models chose different joint columns, or binned their numbers differently; dropped: "
        f"{', '.join(apart[:LISTED])}{more}.",
        python="Call refresh(X, y) with all rows to choose them again.",
    )
    kept = {*alike}
    return [
        replace(model, blocks={name: one for name, one in model.blocks.items() if name in kept or name in model.alone})
        for model in models
    ]


def views_without(seen: Predictor, model: Model) -> Views:
    """Return views without the joint columns that a model has lost; columns of a lost cloud get weight 1."""
    views, weights = seen.views, seen.views.weights
    lost = {name: block for name, block in seen.model.blocks.items() if name not in model.blocks}
    if not lost or not isinstance(weights, ColumnWeights):
        return views
    clouds = [name for name, block in lost.items() if isinstance(block.likelihood, Cloud)]
    alone = {column: 1.0 for name in clouds if isinstance(name, Together) for column in name.columns}
    kept = {name: power for name, power in weights.columns.items() if name not in lost}
    residuals = {name: one for name, one in weights.residuals.items() if name not in lost}
    return replace(views, weights=replace(weights, columns=kept | alone, residuals=residuals))


def _alike(name: Name, models: Sequence[Model], declared: bool) -> bool:
    """Return whether models count a set alike; some models may lack a declared set, for want of rows."""
    blocks = [model.blocks.get(name) for model in models]
    laws = [block.likelihood for block in blocks if block is not None]
    alike = [(type(law), getattr(law, "edges", None), getattr(law, "missing", None)) for law in laws]
    return (declared or len(laws) == len(blocks)) and all(one == alike[0] for one in alike)


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
