"""Small predictors of matrices, texts and tables."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.likelihoods.text_column import Text
from suffice.models.model import Model, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Labels, MatrixRows, Rows
from suffice.models.scoring.text_rows import TextRows
from suffice.stats.inputs import RowMatrix as Source
from suffice.tables import Table
from suffice.text import Analysis

TEXTS = ["cheap pills, cheap watches", "lunch at noon?", "watches for you", "are you at lunch"]
LABELS = ["s", "h", "s", "h"]
COLUMNS: dict[Name, Likelihood] = {"size": Gaussian(), "note": Text(estimate="mean")}
TABLE = {"size": [1.0, 2.0, 1.5, None], "note": TEXTS}


def counts(seed: int = 0, n: int = 40) -> tuple[Any, Any]:
    """Return a matrix of counts, and labels."""
    rng = np.random.default_rng(seed)
    return rng.poisson(0.8, (n, 5)).astype(float), np.array(list("abc"))[np.arange(n) % 3]


def predictor_of(likelihoods: Mapping[Name, Likelihood], rows: Any, y: Any, **options: Any) -> Predictor:
    """Return the predictor of rows and labels."""
    classes, codes = np.unique(y, return_inverse=True)
    options.setdefault("prior", ClassPrior())
    return Predictor(Model.of(classes, likelihoods, rows, Labels(codes, None, len(classes))), **options)


def matrix(X: Any, names: Any = ()) -> dict[Name, Rows]:
    """Return a matrix as one block."""
    return {"X": MatrixRows(Source.read(X, "X"), names)}


def of_matrix(X: Any, y: Any, likelihood: Likelihood | None = None, **options: Any) -> Predictor:
    """Return the predictor of a matrix of counts."""
    return predictor_of({"X": likelihood or Multinomial()}, matrix(X), y, **options)


def texts(some: Any, hash_bits: int = 0) -> dict[Name, Rows]:
    """Return texts as one block."""
    return {"text": TextRows(some, Analysis(), hash_bits=hash_bits)}


def of_texts(likelihood: Likelihood | None = None, hash_bits: int = 0, **options: Any) -> Predictor:
    """Return the predictor of four texts."""
    return predictor_of({"text": likelihood or Multinomial()}, texts(TEXTS, hash_bits), LABELS, **options)


def table(columns: Any) -> dict[Name, Rows]:
    """Return the columns of a table as blocks."""
    read = Table.read(columns, "X")
    return {name: COLUMNS[name].rows(read[name]) for name in columns}


def of_table(**options: Any) -> Predictor:
    """Return the predictor of a table with a column of numbers and one of texts."""
    return predictor_of(COLUMNS, table(TABLE), LABELS, **options)
