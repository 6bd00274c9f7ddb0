"""Estimate the benefit of more rows: models of parts of the rows are merged one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.errors import SufficeError
from suffice.estimators import merge
from suffice.estimators.shell.stored import params_in_files
from suffice.models.choosing.judge import some_rows
from suffice.readers.columns import FAMILIES
from suffice.reporting.judged_rows import share
from suffice.reporting.labelled_rows import LabelledRows
from suffice.stats.content import hashed

__all__ = ["learning_curve"]

MOST, LEAST = 16_000, 60
JUDGED = 4  # one row in four is held out
STEPS = 7


def learning_curve(model: Any, given: LabelledRows) -> tuple[list[dict[str, float]], str]:
    """Return the accuracy on held-out rows by the number of rows learned, and the reason if there is no curve."""
    if len(given) < LEAST:
        return [], f"A learning curve needs at least {LEAST} rows; got {len(given):,}."
    sample = given.take(some_rows(len(given), MOST))
    order = np.argsort(hashed(np.arange(len(sample)) + len(sample)), kind="stable")
    cut = len(sample) // JUDGED
    judged, rest = sample.take(np.sort(order[:cut])), order[cut:]
    least = max(10, 4 * len(model.classes_))
    sizes = [len(rest) >> k for k in reversed(range(STEPS)) if len(rest) >> k >= least] or [len(rest)]
    try:
        return _points(_plain(model), sample, rest, sizes, judged), ""
    except (SufficeError, ValueError) as error:
        return [], f"The learning curve is left out: {error}"


def _points(
    plain: Any, sample: LabelledRows, rest: Any, sizes: list[int], judged: LabelledRows
) -> list[dict[str, float]]:
    points, model, start = list[dict[str, float]](), None, 0
    for size in sizes:
        part = sample.take(np.sort(rest[start:size]))
        one = plain().fit(part.rows, part.labels)
        model, start = one if model is None else merge([model, one]), size
        right = int((model.predict(judged.rows) == judged.labels).sum())
        points.append({"rows": size, **share(right, len(judged))})
    return points


def _plain(model: Any) -> Any:
    """Return a function that makes models with the same parameters and likelihoods, but without slow choices."""
    given = dict(params_in_files(model))
    given |= {name: value for name, value in (("feature_powers", None), ("effort", "fast")) if name in given}
    if "ngram_range" in given:
        given["ngram_range"] = model.ngram_range_
        given["min_df"] = None if given["vocabulary"] is not None else model.min_df_
    if "columns" in given:
        given["columns"] = {name: one for name, one in model.columns_.items() if isinstance(one, FAMILIES)}
    return lambda: type(model)(**given)
