"""Workers that die and rows that cannot be counted: nothing counts twice, and nothing is lost unreported."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import suffice as sf
from engines import lost_executor
from engines.clusters import Dask, every_engine, from_map, quiet
from suffice.engines.jobs import CountRows, PartResult
from suffice.engines.roles import Roles
from suffice.engines.row_sources import Source
from suffice.errors import DataError

pytestmark = quiet
PLAIN: dict[str, Any] = {"alpha": 1.0, "temper": None, "feature_powers": None, "ngram_range": (1, 1)}


@pytest.mark.thorough
def test_spark_counts_no_row_twice_where_a_task_is_slow_or_its_executor_is_killed(spark: Any, tmp_path: Path) -> None:
    """A second attempt runs beside the first, or after it. (The session of `spark` says that there is a Java.)"""
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, lost_executor.__file__, str(tmp_path)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment, start_new_session=True, **pipes) as running:
        try:
            printed, errors = running.communicate(timeout=300)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)  # executors too, whatever happened
    assert running.returncode == 0, errors[-2000:]
    reads = json.loads(printed.splitlines()[-1])
    assert reads["slow"] == [2, *[1] * (lost_executor.PARTS - 1)]
    assert reads["lost"][-1] == 2
    assert sum(reads["lost"]) > lost_executor.PARTS + 1  # what the dead one had finished was lost with it
    whole = pa.concat_tables([lost_executor.rows(part) for part in range(lost_executor.PARTS)])
    local = sf.TextClassifier(**PLAIN).fit(whole["text"].to_pylist(), whole["label"].to_numpy())
    for name in reads:
        assert sf.load(tmp_path / name / "model.suffice").counts_ == local.counts_


def _read(part: int, folder: str, slow: float) -> Any:
    """Return rows of a partition, slowly, and leave a mark of who read it."""
    (Path(folder) / f"{part}-{os.getpid()}-{time.time_ns()}").touch()
    time.sleep(slow)
    return lost_executor.rows(part).to_pandas()


@pytest.mark.thorough
def test_a_dask_worker_is_killed_in_the_middle_of_a_fit(tmp_path: Path) -> None:
    import distributed

    local: Any = distributed
    parts, options = 12, {"host": "127.0.0.1", "dashboard_address": None, "processes": True}
    with local.LocalCluster(n_workers=2, threads_per_worker=1, **options) as here, local.Client(here) as client:
        meta = lost_executor.rows(0).slice(0, 0).to_pandas()
        data = from_map(_read, range(parts), folder=str(tmp_path), slow=0.3, meta=meta)
        model = _fit_and_kill(data, min(client.run(os.getpid).values()), tmp_path)
    reads = [len(list(tmp_path.glob(f"{part}-*"))) for part in range(parts)]
    assert min(reads) == 1
    assert max(reads) > 1
    whole = pa.concat_tables([lost_executor.rows(part) for part in range(parts)])
    expected = sf.TextClassifier(**PLAIN).fit(whole["text"].to_pylist(), whole["label"].to_numpy())
    assert model.counts_ == expected.counts_


def _fit_and_kill(data: Any, victim: int, folder: Path) -> Any:
    """Kill a worker when it has read its third partition."""

    def kill() -> None:
        while len(list(folder.glob(f"*-{victim}-*"))) < 3:
            time.sleep(0.01)
        os.kill(victim, signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    model = Dask().fit(sf.TextClassifier(**PLAIN), data, "label", "text")
    thread.join()
    return model


def poisoned() -> dict[str, tuple[Any, Any, Any]]:
    """Return an estimator, rows of which the 37th cannot be counted, and what is said of it."""
    rng = np.random.default_rng(0)
    labels = np.array(["a", "b"])[rng.integers(0, 2, 50)].tolist()
    size, counts = rng.normal(0, 1, 50), rng.integers(0, 5, 50).astype(float)
    infinite, negative, hole = size.copy(), counts.copy(), [*labels]
    infinite[37], negative[37], hole[37] = np.inf, -1.0, None
    return {
        "infinity": (sf.NaiveBayes(), pa.table({"size": infinite, "label": labels}), "finite numbers; got inf"),
        "a negative count": (sf.MultinomialNB(), pa.table({"n": negative, "m": counts, "label": labels}), "egative"),
        "no label": (sf.NaiveBayes(), pa.table({"size": size, "label": hole}), "must hold a label in every row"),
    }


@every_engine
@pytest.mark.parametrize("name", list(poisoned()))
def test_a_poisoned_row_is_named_or_skipped_and_counted(engine: Any, name: str) -> None:
    estimator, table, said = poisoned()[name]
    quick = {"temper": None, "feature_powers": None}
    estimator.set_params(**quick)
    data = engine.split(table, [20, 30])
    with pytest.raises(DataError, match=f"row 7 of partition 2 cannot: .*{said}"):
        engine.fit(estimator, data, "label")
    assert not hasattr(estimator, "classes_")
    model = engine.fit(estimator, data, "label", errors="skip")
    assert model.skipped_rows_ == 1
    good = table.take(pa.array(np.delete(np.arange(50), 37)))
    X, y = good.drop_columns(["label"]), good["label"].to_numpy()
    local = type(estimator)(**quick).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), local.predict_proba(X), rtol=1e-9)
    assert model.class_count_.tolist() == local.class_count_.tolist()


@every_engine
@pytest.mark.parametrize("errors", ["raise", "skip"])
def test_a_vector_that_is_longer_than_the_others_is_named(engine: Any, errors: str) -> None:
    """It could be counted alone, and so it may not be skipped: perhaps the others are wrong."""
    vectors: list[Any] = [[1.0, 2.0]] * 50
    vectors[37] = [1.0, 2.0, 3.0]
    table = pa.table({"v": vectors, "label": ["a", "b"] * 25})
    with pytest.raises(DataError, match=r"row 7 of partition 2 cannot: .* vectors of equal length"):
        engine.fit(sf.GaussianNB(), engine.split(table, [20, 30]), "label", errors=errors)


@every_engine
def test_a_row_that_cannot_be_read_has_no_prediction(engine: Any) -> None:
    table = pa.table({"x": [1.0, -2.0, 3.0], "z": [0.0, 1.0, 9.0], "label": ["a", "b", "b"]})
    model = sf.MultinomialNB().fit(np.array([[1.0, 0.0], [3.0, 9.0]]), np.array(["a", "b"]))
    data = engine.split(table, [0])
    answers = engine.predict(model, data, ["x", "z"], errors="skip")
    first, last = model.predict([[1.0, 0.0], [3.0, 9.0]]).tolist()
    assert answers["prediction"].to_pylist() == [first, None, last]
    with pytest.raises(Exception, match="row 1 of partition 1 cannot"):
        engine.predict(model, data, ["x", "z"])


@every_engine
def test_no_rows_at_all(engine: Any) -> None:
    table = pa.table({"text": ["a"], "label": ["x"]}).slice(0, 0)
    with pytest.raises(DataError, match="must hold rows with a label; there are none"):
        engine.fit(sf.TextClassifier(), engine.split(table, [0, 0]), "label")


def test_labels_of_two_kinds_are_refused_where_they_meet() -> None:
    models = [sf.BernoulliNB().fit([[0], [1]], labels) for labels in ([0, 1], ["a", "b"])]
    job = CountRows(sf.BernoulliNB(), Roles("matrix", "label", ("x",)), 0, skip=False)
    found = job.merge([PartResult({"model": model}, rows=2) for model in models])
    assert "labels of one kind" in found.failed


@pytest.mark.parametrize("skip", [True, False])
def test_a_source_that_breaks_is_not_taken_for_one_without_rows(skip: bool) -> None:
    class Broken(Iterator[Source]):
        def __next__(self) -> Source:
            raise ValueError("cut off")

    job = CountRows(sf.TextClassifier(**PLAIN), Roles("text", "label", ("text",)), 0, skip)
    with pytest.raises(ValueError, match="cut off"):
        job.count(Broken(), 0)
