"""Text on Spark, beside MLlib's Tokenizer, HashingTF and NaiveBayes, in one session on the same cached DataFrame.

Documents with Zipf's words (`text.py`), 20 classes, in sixteen partitions on local[2]. SUFFICE_SPARK_DOCUMENTS sets
another number of them. Our fit is effort="fast", which chooses a pseudo-count and a temper by 2,000 texts on top of the
counts; "plain" has MLlib's pseudo-count of 1 and chooses nothing. Predictions are written to Spark's "noop" sink.
Writes its table into docs/engines.md.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pyspark.ml import Pipeline
from pyspark.ml.classification import NaiveBayes
from pyspark.ml.feature import HashingTF, Tokenizer
from pyspark.sql import SparkSession
from side_by_side import ROOT, in_turn, keep, machine, markdown, put

import suffice as sf
from suffice.engines import spark
from text import zipf

PAGE = ROOT / "docs" / "engines.md"
DOCUMENTS = int(os.environ.get("SUFFICE_SPARK_DOCUMENTS", "400000"))
AIMS = {"fit, plain": 8, "fit": 8, "predict": 4}
PLAIN: dict[str, Any] = {"alpha": 1.0, "temper": None}
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "6g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def session() -> Any:
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("ERROR")
    return found


def data(here: Any) -> tuple[Any, float]:
    """A cached DataFrame, and its megabytes of text."""
    texts, labels = zipf(DOCUMENTS, 200_000, 20)
    rows = pa.table({"text": texts, "label": labels.astype(float)})
    frame = here.createDataFrame(rows).repartition(16).cache()
    frame.count()
    return frame, sum(map(len, texts)) / 1e6


def ours(frame: Any, **parameters: Any) -> Any:
    return spark.fit(sf.TextClassifier(effort="fast", **parameters), frame, "label", "text")


def mllib(frame: Any) -> Any:
    stages: list[Any] = [
        Tokenizer(inputCol="text", outputCol="words"),
        HashingTF(inputCol="words", outputCol="features"),
        NaiveBayes(),
    ]
    return Pipeline(stages=stages).fit(frame)


def asked(answers: Callable[[], Any]) -> Callable[[], object]:
    return lambda: answers().select("prediction").write.format("noop").mode("overwrite").save()


def main() -> None:
    here = session()
    frame, size = data(here)
    models = {"suffice": ours(frame), "MLlib": mllib(frame)}  # also warms up both
    jobs: dict[str, dict[str, Callable[[], object]]] = {
        "fit, plain": {"suffice": lambda: ours(frame, **PLAIN), "MLlib": lambda: mllib(frame)},
        "fit": {"suffice": lambda: ours(frame), "MLlib": lambda: mllib(frame)},
        "predict": {
            "suffice": asked(lambda: spark.predict(models["suffice"], frame, "text")),
            "MLlib": asked(lambda: models["MLlib"].transform(frame)),
        },
    }
    rows, facts = [], {}
    for name, pair in jobs.items():
        times = in_turn(pair, 3)
        ratio = times["MLlib"] / times["suffice"]
        missed = "" if ratio >= AIMS[name] else " (missed)"
        speeds = [f"{times[who]:.2f} s, {size / times[who]:.0f} MB/s" for who in ("suffice", "MLlib")]
        rows.append([f"{name}, {size:.0f} MB of text", *speeds, f"{ratio:.1f}×", f"{AIMS[name]}×{missed}"])
        facts[name] = {**times, "ratio": ratio}
        print(rows[-1], flush=True)
    head = ["Spark local[2]", "suffice", "MLlib", "ratio", "aim"]
    put(PAGE, "spark", "\n".join([markdown(head, rows), "", machine() + "."]))
    keep("spark", {"megabytes": size, **facts})
    here.stop()


if __name__ == "__main__":
    main()
