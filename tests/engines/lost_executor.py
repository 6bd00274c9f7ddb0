"""Run by a test, as a process of its own: a fit on a Spark cluster of two real executors, of which one is killed.

The first attempt at the last partition kills the executor that it runs on, and what that one had counted is lost with
it. Prints, as JSON, how often each partition was read, and saves the model.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession

import suffice as sf
from suffice.engines import spark

PARTS, ROWS = 6, 50
CLUSTER = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def rows(part: int) -> Any:
    """Rows that are different in each partition, with a label that only one of them has."""
    texts = [f"word{i % 7} of part{part} number{i % 3}" for i in range(ROWS)]
    return pa.table({"text": texts, "label": [f"c{(i + part) % 3}" if i else f"only{part}" for i in range(ROWS)]})


def first_time(folder: Path, part: int) -> bool:
    """Whether nobody has read this partition before; leaves a mark."""
    attempts = len(list(folder.glob(f"{part}-*")))
    (folder / f"{part}-{os.getpid()}-{time.time_ns()}").touch()
    return attempts == 0


def kill_executor() -> None:
    """The parent of the parent of a Python worker is the executor."""
    status = Path(f"/proc/{os.getppid()}/stat").read_text()
    os.kill(int(status.rpartition(")")[2].split()[1]), signal.SIGKILL)


def main(folder: Path) -> None:
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in CLUSTER.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()

    def read(batches: Iterable[Any]) -> Iterator[Any]:
        for _ in batches:
            context = TaskContext.get()
            assert context is not None
            part = context.partitionId()
            if first_time(folder, part) and part == PARTS - 1:
                kill_executor()
            yield from rows(part).to_batches()

    data = session.range(0, PARTS, 1, PARTS).mapInArrow(read, "text string, label string")
    model = spark.fit(sf.TextClassifier(alpha=1.0, temper=None, weights=None), data, "label", "text")
    reads = [len(list(folder.glob(f"{part}-*"))) for part in range(PARTS)]
    sf.save(model, folder / "model.suffice")
    print(json.dumps(reads))
    session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
