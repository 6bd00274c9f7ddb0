"""Draw rows from a classifier, and compute the probability density of rows.

Both use the blocks that are densities, untempered and unweighted (JC-7). Joint columns, evidence weights, tempers,
residuals and floors improve classification, but are not part of p(x | c).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from suffice.errors import InputError, KindError
from suffice.later import logsumexp
from suffice.models.answers.derived import sample
from suffice.models.class_prior import ClassPrior
from suffice.models.expectation import log_joint
from suffice.models.likelihoods.base import changed
from suffice.models.likelihoods.discriminant_analysis import LinearAnalysis
from suffice.models.likelihoods.draws import Draw, Drawer, width_of
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.model import Block, Model, Name
from suffice.models.predictor import Predictor, RowsByName
from suffice.models.scoring.cells import AS_IT_IS
from suffice.models.views import Views
from suffice.posterior.base import generator
from suffice.stats.inputs import WHOLE
from suffice.typing import Array, Integers, Rng

PARAMETERS = ("estimate", "each", "once")


@dataclass(frozen=True, eq=False)
class Drawn:
    """Hold the classes of drawn rows and, by name of block, functions that draw all or some of its features."""

    blocks: dict[Name, Drawer]
    codes: Integers

    def rows(self) -> dict[Name, Any]:
        """Return drawn rows of each block, with all features."""
        return {name: draw(None) for name, draw in self.blocks.items()}


def alone(predictor: Predictor) -> Predictor:
    """Return the predictor without corrections; raise KindError if a block with evidence is not a density."""
    model = predictor.model
    blocks = {name: block for name, block in model.alone.items() if not block.likelihood.silent}
    for name, block in blocks.items():
        why = block.likelihood.lacks("density")
        if why:
            of = f"Column {name!r}, {block.likelihood.word}," if len(blocks) > 1 else block.likelihood.word.capitalize()
            raise KindError(f"{of} gives rows no probability: {why}.")
    plain = {name: _as_density(block) for name, block in blocks.items()}
    prior = replace(predictor.prior, flat=False)
    return Predictor(replace(model, blocks=plain), prior, Views(), AS_IT_IS)


def _as_density(block: Block) -> Block:
    """Return the block as a density: the block itself if it is one, so that urns are not fitted again."""
    if isinstance(block.settled, LinearAnalysis):
        return replace(block, likelihood=block.settled.as_density(block.t))
    if getattr(block.settled, "damped", False):  # then a word counts less often than it occurs
        return replace(block, likelihood=changed(block.settled, damped=False))
    return block


def log_density(predictor: Predictor, rows: RowsByName) -> Array:
    """Return ln p(x) of rows, for a predictor of densities."""
    known = {name: rows[name] for name in predictor.model.blocks if name in rows}
    logs = np.asarray(logsumexp(log_joint(predictor, known), axis=1))
    return logs + log_base(predictor, known)


def log_base(predictor: Predictor, rows: RowsByName) -> Array:
    """Return what ln p(x) of rows has beside scores: the densities that these are relative to."""
    logs = np.zeros(len(next(iter(rows.values()))) if rows else 0)
    for name, part in rows.items():
        block = predictor.model.blocks[name]
        if part.present is not None and not part.present.any():
            continue
        if isinstance(block.settled, Histogram):
            base = block.settled.log_base(block.t, part)
            logs += base if part.present is None else np.where(part.present, base, 0.0)
    return logs


def draw_rows(predictor: Predictor, codes: Integers | None, n: int, how: Draw) -> Drawn:
    """Return drawn rows, for a predictor of densities, of the given classes or of classes drawn from the prior.

    Raise ImproperPrior or KindError if parameters are to be drawn from a posterior that there is not.
    """
    model = predictor.model
    if codes is None:
        codes = how.rng.choice(len(model.classes), n, p=_shares(predictor.prior, model, how))
    how = replace(how, codes=codes, rows=float(model.n.sum()))
    if how.parameters != "estimate":
        _must_have_posteriors(model)
    return Drawn({name: partial(_drawn, block, how) for name, block in model.blocks.items()}, codes)


def _must_have_posteriors(model: Model) -> None:
    """Raise ImproperPrior or KindError unless each block has a posterior; that of one feature is enough to tell."""
    for block in model.blocks.values():
        width = width_of(block.t)
        if width:
            block.settled.posterior(block.t, np.arange(1) if width > 1 else None)


def _drawn(block: Block, how: Draw, features: Integers | None) -> Any:
    return sample(block.settled, block.t, replace(how, features=features))


def _shares(prior: ClassPrior, model: Model, how: Draw) -> Array:
    """Return the probability of each class, drawn if parameters are drawn once for all rows."""
    logs = prior.draws(model.n, how.rng, 1)[0] if how.parameters == "once" else prior.log(model.n)
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum())


def must_be_number(n: Any) -> None:
    """Raise InputError unless n is a number of rows."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
        raise InputError("n", "be a number of rows, 0 or more", got=n)


def asked(n: Any, parameters: Any, length: Any, rng: Rng) -> Draw:
    """Return the draw that the arguments describe; raise InputError if one is wrong."""
    if parameters not in PARAMETERS:
        raise InputError("parameters", f"be one of {list(PARAMETERS)}", got=parameters)
    must_be_number(n)
    lengths = None if length is None else WHOLE.read(length, "length").astype(np.int64)
    if lengths is not None and lengths.ndim and lengths.shape != (n,):
        raise InputError("length", f"be one number, or one for each of {n:,} rows").but(
            f"got the shape {lengths.shape}"
        )
    each = None if lengths is None else np.broadcast_to(lengths, (int(n),))
    return Draw(np.zeros(0, np.int64), generator(rng), parameters, each)
