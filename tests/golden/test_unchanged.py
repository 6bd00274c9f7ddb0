"""Every model says what it said when its numbers were recorded: whole and half counts to the bit, else nine digits.

    PYTHONPATH=tests python -m golden.test_unchanged "Poisson*"

records the numbers of these cases again, where a difference is intended; the commit says why.
"""

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import suffice as sf
from golden.cases import CASES, Case
from golden.data import Data, data_of, take

OUTPUTS = Path(__file__).with_name("outputs")
ROUNDED = {"mean", "mean_lo", "scatter", "scatter_lo", "peak", "log_factorials", "log_factorials_lo"}
"""Sums of reals in statistics; all else that is counted has the same bits."""

ROWS, MOST = 90, 60
"""Rows learned, and the most values of an array that are recorded; of a longer one, these and the sum of all."""

ERRORS = (AttributeError, NotImplementedError, TypeError, ValueError)
"""What a model raises that has no such answer; such an output is left out."""


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, list[float]]]:
    """Yield every array of numbers in a value, with its place."""
    if sparse.issparse(value):
        value = value.toarray()
    if hasattr(value, "arrays"):
        value = value.arrays()
    elif is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, dict):
        for key, part in value.items():
            yield from numbers(part, f"{path}/{key}")
    elif isinstance(value, list | tuple) and any(not np.isscalar(part) for part in value):
        for key, part in enumerate(value):
            yield from numbers(part, f"{path}/{key}")
    elif value is not None and np.asarray(value).dtype.kind in "bif":
        flat = np.asarray(value, np.float64).ravel()
        yield path, flat.tolist() if len(flat) <= MOST else [*flat[:MOST].tolist(), float(flat.sum())]


def counted(model: Any) -> dict[str, Any]:
    """Return what was counted."""
    names = ("class_count_", "feature_count_", "feature_all_", "category_count_", "counts_", "statistics_")
    return {name: getattr(model, name) for name in names if hasattr(model, name)}


def explained(model: Any, row: Any) -> Any:
    """Return the parts of an explanation, whatever their order."""
    found = model.explain(row)
    parts = (found.contributions, found.low, found.high)
    return [found.prior, found.log_odds, *(np.sort(np.ravel(part)) for part in parts if part is not None)]


def left_out(model: Any, X: Any, y: Any, *args: Any, **options: Any) -> Any:
    """Return what a model says of rows that are left out, and how good it is."""
    found = sf.evaluate.leave_one_out(model, X, y, *args, **options)
    return [found.probabilities, found.log_loss, found.accuracy, found.n_singletons]


def partly_labelled(case: Case, data: Data) -> Any:
    """Return a few steps of EM with every third label."""
    y = np.where(np.arange(ROWS) % 3 == 0, data.y, None)
    model = sf.SemiSupervised(case.make(), max_iter=4, tol=0.0).fit(data.X, y)
    return [model.objective_, model.predict_log_proba(data.asked)]


def asked_of(case: Case, data: Data) -> dict[str, Callable[[], Any]]:
    """Return what is asked of a case, by name."""
    if case.name == "LanguageModel":
        words = case.make().fit(data.X)
        return {
            "counts": lambda: words.counts_,
            "log_prob": lambda: words.log_prob([*data.asked, *data.strange]),
            "perplexity": lambda: words.perplexity(data.asked),
        }
    model = case.make().fit(data.X, data.y)
    weighted = case.make().fit(data.X, data.y, data.weights)
    return {
        "counts": lambda: counted(model),
        "weighted counts": lambda: counted(weighted),
        "log_proba": lambda: model.predict_log_proba(data.asked),
        "joint": lambda: model.predict_joint_log_proba(data.asked),
        "strange": lambda: model.predict_log_proba(data.strange),
        "weighted": lambda: weighted.predict_log_proba(data.asked),
        "leave one out": lambda: left_out(model, data.X, data.y),
        "leave groups out": lambda: left_out(weighted, data.X, data.y, data.weights, groups=data.groups),
        "evidence": lambda: [model.log_evidence_, model.evidence(data.X).total],
        "interval": lambda: model.predict_interval(data.asked),
        "feature interval": lambda: model.feature_interval(),
        "explain": lambda: [explained(model, take(data.asked, [i])) for i in range(2)],
        "information": lambda: np.sort(sf.mutual_information(model).by_feature),
        "partly labelled": lambda: partly_labelled(case, data),
    }


def outputs(case: Case) -> dict[str, list[float]]:
    """Return the numbers of a case by name, whatever is warned of meanwhile."""
    found: dict[str, list[float]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, ask in asked_of(case, data_of(case.rows, ROWS)).items():
            with suppress(*ERRORS):
                found |= numbers(ask(), name)
    return found


def recorded(case: Case) -> Path:
    """Return where the numbers of a case are."""
    return OUTPUTS / f"{case.slug}.json"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_numbers_are_those_that_were_recorded(case: Case) -> None:
    before, now = json.loads(recorded(case).read_text()), outputs(case)
    assert list(now) == list(before)
    for name, expected in before.items():
        exact = "counts" in name and name.rpartition("/")[2] not in ROUNDED
        exact = exact and bool((np.mod(np.asarray(expected, np.float64), 0.5) == 0).all())  # sums of others are rounded
        check = np.testing.assert_array_equal if exact else partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-10)
        check(now[name], expected, err_msg=f"{case}: {name}")


def test_nothing_is_recorded_that_no_case_asks_for() -> None:
    assert {path.name for path in OUTPUTS.iterdir()} == {recorded(case).name for case in CASES}


def main(*patterns: str) -> None:
    """Record the numbers of the cases that match a pattern, or that have none yet."""
    OUTPUTS.mkdir(exist_ok=True)
    for case in CASES:
        if any(fnmatchcase(case.name, pattern) for pattern in patterns) or not recorded(case).exists():
            lines = [f"{json.dumps(name)}: {json.dumps(values)}" for name, values in outputs(case).items()]
            recorded(case).write_text("{\n" + ",\n".join(lines) + "\n}\n")
            print(case.name)


if __name__ == "__main__":
    main(*sys.argv[1:])
