"""EM whose steps are passes: texts of which one in a hundred has a label, in memory, on Dask and on Spark.

SUFFICE_EM_DOCUMENTS (50,000) docstrings of this installation, drawn again and again, in eight partitions; Dask on a
LocalCluster of two processes and on its default scheduler, Spark on local[2]. All make the same number of steps and end
in the same model, which is asserted. Writes its table into docs/engines.md.
"""

import os
import warnings
from collections.abc import Callable
from typing import Any

import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa
from side_by_side import ROOT, in_turn, keep, machine, markdown, put
from spark import session

import suffice as sf
from suffice.engines import dask, spark

PAGE = ROOT / "docs" / "engines.md"
DOCUMENTS = int(os.environ.get("SUFFICE_EM_DOCUMENTS", "50000"))
PARTS, STEPS = 8, 10


def texts() -> tuple[list[str], Any]:
    """Return docstrings, and labels, most of them missing."""
    corpus, rng = sf.datasets.docstrings(), np.random.default_rng(0)
    which = rng.integers(0, len(corpus.texts), DOCUMENTS)
    labels = np.array(corpus.labels, object)[which]
    labels[rng.random(DOCUMENTS) >= 0.01] = None
    return [corpus.texts[i] for i in which], labels


def model() -> Any:
    plain = sf.TextClassifier(alpha=0.1, min_df=2, temper=None, feature_powers=None)
    return sf.SemiSupervised(plain, max_iter=STEPS, tol=0.0)


def timed(fit: Callable[[], Any]) -> tuple[float, Any]:
    """Time a second fit, and return it with the result of the first, which starts processes and fills caches."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so many steps are not enough
        fitted = fit()
        return in_turn({"fit": fit}, 1)["fit"], fitted


def fits(X: list[str], y: Any) -> dict[str, tuple[float, Any]]:
    found = {"in memory": timed(lambda: model().fit(X, y))}
    cut: Any = dd.from_pandas
    frame = cut(pd.DataFrame({"text": X, "label": y}), npartitions=PARTS)
    found["Dask, threads"] = timed(lambda: dask.fit(model(), frame, "label", "text"))
    local: Any = distributed
    options = {"host": "127.0.0.1", "dashboard_address": None, "processes": True}
    with local.LocalCluster(n_workers=2, threads_per_worker=1, **options) as here, local.Client(here):
        there = frame.persist()
        found["Dask, two processes"] = timed(lambda: dask.fit(model(), there, "label", "text"))
    machine_of_spark = session()
    rows = machine_of_spark.createDataFrame(pa.table({"text": X, "label": pa.array(y, pa.string())}))
    rows = rows.repartition(PARTS).cache()
    found["Spark local[2]"] = timed(lambda: spark.fit(model(), rows, "label", "text"))
    machine_of_spark.stop()
    return found


def main() -> None:
    (X, y), here = texts(), machine()  # before engines say how many threads there may be
    found = fits(X, y)
    plain, local = found["in memory"]
    rows, figures = [], {}
    for name, (seconds, fitted) in found.items():
        np.testing.assert_allclose(fitted.objective_, local.objective_, rtol=1e-9)
        passes = "" if name == "in memory" else f"{1 + len(fitted.objective_)}"
        rows.append([name, passes, f"{seconds:.1f} s", f"{seconds / plain:.1f}×"])
        figures[name] = seconds
        print(rows[-1], flush=True)
    head = [f"{DOCUMENTS:,} texts, {sum(map(len, X)) / 1e6:.0f} MB, {STEPS} steps of EM", "passes", "time", "in memory"]
    put(PAGE, "em", "\n".join([markdown(head, rows), "", here + "."]))
    keep("em_passes", figures)


if __name__ == "__main__":
    main()
