"""Text on Spark, beside MLlib's Tokenizer, HashingTF and NaiveBayes, in one session on the same cached DataFrame.

Two corpora of SUFFICE_SPARK_MB megabytes (300), in sixteen partitions on local[2]: the docstrings of this installation,
drawn again and again, and Zipf's words (`text.py`) of 20 classes, whose vocabulary is so wide that a partition's counts
are about as large as its text. Our fit is effort="fast", which chooses a pseudo-count and a temper by 2,000 texts on
top of the counts; "plain" has MLlib's pseudo-count of 1 and chooses nothing, "plain, hashed" also has its 2^18 buckets
in place of words. Predictions are written to Spark's "noop" sink. Python workers talk through sockets of the file
system, a setting of Spark's that is not its default. Writes its table into docs/engines.md.
"""

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.ml import Pipeline
from pyspark.ml.classification import NaiveBayes
from pyspark.ml.feature import HashingTF, Tokenizer
from pyspark.sql import SparkSession
from side_by_side import ROOT, in_turn, keep, machine, markdown, put

import suffice as sf
from suffice.engines import spark
from text import english, zipf

PAGE = ROOT / "docs" / "engines.md"
SIZE = float(os.environ.get("SUFFICE_SPARK_MB", "300")) * 1e6
REPEATS = 3
PLAIN: dict[str, Any] = {"alpha": 1.0, "temper": None}
LIKE_MLLIB = {"plain": PLAIN, "plain, hashed": {**PLAIN, "tokens": sf.Tokens(hash_bits=18)}}
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "6g",
    "spark.python.unix.domain.socket.enabled": "true",
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


def wide(size: float) -> tuple[list[str], Any]:
    return zipf(int(size / 580), 200_000, 20)


def data(here: Any, texts: list[str], labels: Any) -> tuple[Any, float]:
    """Return a cached DataFrame, and its megabytes of text."""
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


def computed(answers: Callable[[], Any]) -> Callable[[], object]:
    return lambda: answers().select("prediction").write.format("noop").mode("overwrite").save()


def compare(here: Any, name: str, texts: list[str], labels: Any) -> tuple[list[list[str]], dict[str, Any]]:
    frame, size = data(here, texts, labels)
    models = {"suffice": ours(frame), "MLlib": mllib(frame)}  # also warms up both
    jobs: dict[str, dict[str, Callable[[], object]]] = {
        "fit": {
            "suffice": lambda: ours(frame),
            **{name: partial(ours, frame, **parameters) for name, parameters in LIKE_MLLIB.items()},
            "MLlib": lambda: mllib(frame),
        },
        "predict": {
            "suffice": computed(lambda: spark.predict(models["suffice"], frame, "text")),
            "MLlib": computed(lambda: models["MLlib"].transform(frame)),
        },
    }
    rows, facts = [], {"megabytes": size}
    for what, each in jobs.items():
        times = in_turn(each, REPEATS)
        for who in [who for who in each if who != "MLlib"]:
            ratio = times["MLlib"] / times[who]
            speeds = [f"{times[one]:.1f} s, {size / times[one]:.0f} MB/s" for one in (who, "MLlib")]
            title = f"{name}: {what}{'' if who == 'suffice' else f', {who}'}"
            rows.append([title, *speeds, f"{ratio:.1f}×"])
            facts[f"{what} {who}"] = ratio
            print(rows[-1], flush=True)
    frame.unpersist()
    return rows, facts


def main() -> None:
    here = session()
    rows, facts = [], {}
    for name, make in (("English", english), ("Zipf's words", wide)):
        lines, facts[name] = compare(here, name, *make(SIZE))
        rows += lines
    head = ["Spark local[2]", "suffice", "MLlib", "ratio"]
    put(PAGE, "spark", "\n".join([markdown(head, rows), "", machine() + "."]))
    keep("spark", facts)
    here.stop()


if __name__ == "__main__":
    main()
