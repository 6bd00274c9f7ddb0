"""Tables whose first column is of each kind, for the tests of readers."""

from typing import Any

import numpy as np

from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.categorical import Categorical
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.likelihoods.poisson import Poisson
from suffice.models.likelihoods.silent import Drop, Unknown
from suffice.models.likelihoods.text_column import Text
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Labels
from suffice.readers.labels import LabelChecks
from suffice.readers.table import TableReader
from suffice.tables import Table

CHECKS = LabelChecks(np.ravel, lambda y: None)
CLASSES = np.array(["no", "yes"])

DRAWS: dict[Any, Any] = {
    Gaussian: lambda rng, y: rng.normal(y, 1.0),
    Histogram: lambda rng, y: np.exp(1.5 * rng.normal(y, 1.0)),
    Poisson: lambda rng, y: rng.poisson(20 + 5 * y),
    Categorical: lambda rng, y: rng.integers(0, 4, len(y)) + y,
    Bernoulli: lambda rng, y: rng.random(len(y)) < 0.3 + 0.2 * y,
    Text: lambda rng, y: [f"cat {i} dog {i * 7} mat" for i in range(len(y))],
    Drop: lambda rng, y: [f"id{i}" for i in range(len(y))],
    Unknown: lambda rng, y: [None] * len(y),
}


def drawn(kind: Any, seed: int, n: int) -> tuple[Table, Labels]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    columns = {"a": DRAWS[kind](rng, y), "b": np.where(rng.random(n) < 0.2, np.nan, rng.normal(y, 2.0))}
    return Table.read(columns), Labels(y, None, 2)


def counted(table: Table, labels: Labels, model: Model | None = None, **options: Any) -> Model:
    return TableReader(**options).started(table).count(table, labels, model, CLASSES)


def all_rows(*parts: tuple[Table, Labels]) -> tuple[Table, Labels]:
    columns = {name: np.concatenate([_values(table, name) for table, _ in parts]) for name in ("a", "b")}
    return Table.read(columns), Labels(np.concatenate([labels.y for _, labels in parts]), None, 2)


def _values(table: Table, name: str) -> Any:
    column = table[name]
    values = np.asarray(column.values.to_pylist(), object) if column.storage == "string" else column.values
    return values if column.missing is None else np.where(column.missing, np.nan, values)


def log_proba(model: Model, table: Table) -> Any:
    return Predictor(model).log_proba(TableReader().of(model).rows(table))
