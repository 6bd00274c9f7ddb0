"""Dask and Spark behind one face, so that a test is written once: rows cut at given places, fitted, predicted."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa
import pytest

SPARK = pytest.param("spark", marks=pytest.mark.thorough)  # a job takes half a second
every_engine = pytest.mark.parametrize("engine", ["dask", SPARK], indirect=True)
quiet = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")

SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""What makes a Java start sooner, and run slower once it has run for long."""

NO_JAVA = "no Java was found: install a JRE of version 17 or later (Debian: apt-get install default-jre-headless)"


def slices(table: Any, cuts: Iterable[int]) -> list[Any]:
    """Yield rows between the cuts, some of them none."""
    ends = [0, *sorted(cuts), table.num_rows]
    return [table.slice(a, b - a) for a, b in pairwise(ends)]


def from_map(read: Any, parts: Any, **kwargs: Any) -> Any:
    """Return a dask DataFrame of what `read` gives for each part."""
    import dask.dataframe as dd

    make: Any = dd.from_map
    return make(read, parts, **kwargs)


class Dask:
    """Partitions as pandas dataframes, on the default scheduler or on a client."""

    name = "dask"

    def split(self, table: Any, cuts: Iterable[int]) -> Any:
        frames = [part.to_pandas(types_mapper=pd.ArrowDtype) for part in slices(table, cuts)]
        return from_map(lambda frame: frame, frames, meta=frames[0].iloc[:0])

    def fit(self, *args: Any, **kwargs: Any) -> Any:
        from suffice.engines import dask

        return dask.fit(*args, **kwargs)

    def predict(self, *args: Any, **kwargs: Any) -> Any:
        """Return a table with ``prediction`` and ``probability``, in the order of the rows."""
        from suffice.engines import dask

        answers = dask.predict(*args, **kwargs).compute()
        return pa.Table.from_pandas(answers, preserve_index=False)


class Spark:
    """Partitions as Arrow batches of one session."""

    name = "spark"

    def __init__(self, session: Any) -> None:
        self.session = session

    def split(self, table: Any, cuts: Iterable[int]) -> Any:
        from pyspark import TaskContext
        from pyspark.sql.pandas.types import from_arrow_schema

        parts = slices(table, cuts)

        def read(batches: Iterable[Any]) -> Iterator[Any]:
            for _ in batches:
                context = TaskContext.get()
                assert context is not None
                yield from parts[context.partitionId()].to_batches()

        rows = self.session.range(0, len(parts), 1, len(parts))
        return rows.mapInArrow(read, from_arrow_schema(table.schema))

    def fit(self, *args: Any, **kwargs: Any) -> Any:
        from suffice.engines import spark

        return spark.fit(*args, **kwargs)

    def predict(self, *args: Any, **kwargs: Any) -> Any:
        from suffice.engines import spark

        return spark.predict(*args, **kwargs).toArrow()


def spark_session() -> Any:
    """Start a session on two cores of this machine, which nobody else can reach."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip(NO_JAVA)
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1", JAVA_TOOL_OPTIONS=SHORT_LIVED)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]")
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session
