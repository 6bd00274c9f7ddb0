"""Run by a test, as a process of its own: fits on a Spark cluster of two real executors, one of which is slow, or dies.

Executors are on hosts of their own, as far as Spark can tell: it tries no task twice on one host. In the first fit, the
first attempt at the first partition takes for ever, and Spark starts a second one elsewhere. In the second fit, the
first attempt at the last partition kills the executor that it runs on, and what that one had counted is lost with it.
Prints, as JSON, how often each partition was read in either, and saves the models.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark
from pyspark import TaskContext
from pyspark.sql import SparkSession

import suffice as sf
from suffice.engines import spark

PARTS, ROWS = 6, 50
HOSTS = ("127.0.0.1", "127.0.0.2")
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": HOSTS[0],
    "spark.driver.bindAddress": HOSTS[0],
    "spark.executor.memory": "512m",
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.minTaskRuntime": "2s",
}


def rows(part: int) -> Any:
    """Return rows that are different in each partition, with a label that only one of them has."""
    texts = [f"word{i % 7} of part{part} number{i % 3}" for i in range(ROWS)]
    return pa.table({"text": texts, "label": [f"c{(i + part) % 3}" if i else f"only{part}" for i in range(ROWS)]})


def first_time(folder: Path, part: int) -> bool:
    """Return whether nobody has read this partition before, and leave a mark."""
    attempts = len(list(folder.glob(f"{part}-*")))
    (folder / f"{part}-{os.getpid()}-{time.time_ns()}").touch()
    return attempts == 0


def kill_executor() -> None:
    """Kill the executor: the parent of the parent of a Python worker."""
    status = Path(f"/proc/{os.getppid()}/stat").read_text()
    os.kill(int(status.rpartition(")")[2].split()[1]), signal.SIGKILL)


def never(folder: Path) -> None:
    time.sleep(1000)


def die(folder: Path) -> None:
    kill_executor()


def fit(session: Any, folder: Path, victim: int, fate: Any) -> list[int]:
    """Fit, where the first to read a partition meets its fate; how often each was read."""
    folder.mkdir()

    def read(batches: Iterable[Any]) -> Iterator[Any]:
        for _ in batches:
            context = TaskContext.get()
            assert context is not None
            part = context.partitionId()
            if first_time(folder, part) and part == victim:
                fate(folder)
            yield from rows(part).to_batches()

    data = session.range(0, PARTS, 1, PARTS).mapInArrow(read, "text string, label string")
    plain = sf.TextClassifier(alpha=1.0, temper=None, feature_powers=None, ngram_range=(1, 1))  # read once
    model = spark.fit(plain, data, "label", "text")
    sf.save(model, folder / "model.suffice")
    return [len(list(folder.glob(f"{part}-*"))) for part in range(PARTS)]


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """Start a master and two workers, and give their address."""
    with socket.socket() as free:
        free.bind((HOSTS[0], 0))
        port = str(free.getsockname()[1])
    address, plain = f"spark://{HOSTS[0]}:{port}", ("--webui-port", "0")
    jobs = [["master.Master", "--host", HOSTS[0], "--port", port, *plain]]
    for host in HOSTS:
        work = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / host))
        jobs.append(["worker.Worker", "--host", host, *plain, *work, address])
    home = Path(pyspark.__file__).parent
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m"}
    silent: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
    command = str(home / "bin" / "spark-class")
    running = [subprocess.Popen([command, f"org.apache.spark.deploy.{job[0]}", *job[1:]], **silent) for job in jobs]
    try:
        yield address
    finally:
        for process in running:
            process.terminate()


def main(folder: Path) -> None:
    with cluster(folder) as address:
        builder = SparkSession.builder.master(address)
        for name, value in SETTINGS.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        reads = {
            "slow": fit(session, folder / "slow", 0, never),
            "lost": fit(session, folder / "lost", PARTS - 1, die),
        }
        print(json.dumps(reads))
        session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
