"""Sparse matrices whose indices lead out of them, at every door. Run by a test in a process of its own: it may die."""

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

import suffice as sf
from suffice.errors import ShapeError
from suffice.stats import BinaryCounts, Bursts, DiagonalMoments, FullMoments, PoissonSums, TokenCounts

ROWS, COLUMNS = 40, 6
Y = np.arange(ROWS) % 3
QUESTIONS = ("predict", "predict_joint_log_proba", "predict_log_proba", "predict_proba", "predict_interval")


def good() -> Any:
    return sparse.csr_array(np.random.default_rng(0).integers(0, 2, (ROWS, COLUMNS)))


def bad() -> Iterator[tuple[str, Any]]:
    """Yield each format, spoilt in each way."""
    far = 2**30
    for kind in ("csr", "csc", "bsr", "coo", "lil"):
        for value in (far, -far, COLUMNS if kind != "csc" else ROWS, -1):
            matrix = good().asformat(kind, copy=True)
            if kind == "coo":
                matrix.coords[0][1] = ROWS if value == COLUMNS else value
            elif kind == "lil":
                matrix.rows[0] = [0, value] if value > 0 else [value, 1]
                matrix.data[0] = [1, 1]
            else:
                matrix.indices[3] = value
            yield f"{kind} index {value}", matrix
        if kind in ("csr", "csc", "bsr"):
            for at, value in ((2, far), (-1, far), (2, -1), (0, 1)):
                matrix = good().asformat(kind, copy=True)
                matrix.indptr[at] = value
                yield f"{kind} indptr[{at}] = {value}", matrix
    matrix = good().asformat("coo", copy=True)
    matrix.coords[1][2] = far
    yield "coo column", matrix
    matrix = good().asformat("dia")
    matrix.offsets = np.append(matrix.offsets, np.int32(1))
    yield "dia offsets", matrix


def doors() -> Iterator[tuple[str, Any]]:
    """Yield what takes a sparse matrix."""
    kinds: list[Any] = [sf.BernoulliNB, sf.ComplementNB, sf.DirichletMultinomialNB, sf.MultinomialNB, sf.PoissonNB]
    for kind in [*kinds, lambda: sf.NaiveBayes(feature_powers=None, temper=None)]:
        model = kind().fit(good(), Y)
        name = type(model).__name__
        yield f"{name}.fit", lambda X, kind=kind: kind().fit(X, Y)
        yield f"{name}.partial_fit", lambda X, kind=kind: kind().partial_fit(X, Y, classes=[0, 1, 2])
        yield f"{name}.forget", lambda X, model=model: model.forget(X, Y)
        yield f"{name}.leave_one_out", lambda X, model=model: model.leave_one_out(X, Y)
        for question in (
            "predict",
            "predict_joint_log_proba",
            "predict_log_proba",
            "predict_proba",
            "predict_interval",
        ):
            if hasattr(model, question):
                yield f"{name}.{question}", getattr(model, question)
    yield "GaussianNB.fit", lambda X: sf.GaussianNB().fit(X, Y)
    selected = sf.SelectInformative(2).fit(good(), Y)
    yield "SelectInformative.fit", lambda X: sf.SelectInformative(2).fit(X, Y)
    yield "SelectInformative.transform", selected.transform
    yield "Mixture.fit", lambda X: sf.Mixture(sf.BernoulliNB(), n_init=1, max_iter=2).fit(X)
    yield "SemiSupervised.fit", lambda X: sf.SemiSupervised(sf.BernoulliNB()).fit(X, np.where(Y == 2, -1, Y))
    for statistic in (BinaryCounts, Bursts, DiagonalMoments, FullMoments, PoissonSums, TokenCounts):
        yield f"{statistic.__name__}.of", lambda X, statistic=statistic: statistic.of(X, Y)


def main(only: str) -> None:
    warnings.simplefilter("ignore")
    tried = 0
    for door, enter in doors():
        if not door.startswith(only):
            continue
        for fault, matrix in bad():
            print(door, fault, file=sys.stderr, flush=True)
            try:
                enter(matrix)
            except ShapeError:
                tried += 1
            except TypeError as error:  # refused for other reasons, before anything is converted
                if "Sparse data" not in str(error) and "has no intervals" not in str(error):
                    raise
            else:
                raise AssertionError(f"{door} took a matrix with {fault}")
    print(tried)


if __name__ == "__main__":
    main(sys.argv[1])
