"""From a table in Spark to a model file, and back to predictions: python examples/spark_fit.py."""

import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

import suffice as sf
from suffice.engines import spark

MAIL = {"spam": ["cheap pills now", "watches for you, cheap"], "ham": ["lunch at noon?", "are you at lunch, or here?"]}


def main(folder: Path) -> None:
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    rows = [(f"{text} {i}", label) for i in range(50) for label, texts in MAIL.items() for text in texts]
    session.createDataFrame(rows, ["text", "label"]).repartition(5).write.parquet(str(folder / "mail"))

    mail = session.read.parquet(str(folder / "mail"))
    model = spark.fit(sf.TextClassifier(), mail, target="label", features="text")
    sf.save(model, folder / "mail.suffice")

    model = sf.load(folder / "mail.suffice")
    answers = spark.predict(model, mail)
    answers.write.parquet(str(folder / "answers"))
    print(f"{model.class_count_.sum():.0f} texts, classes {model.classes_.tolist()}")
    session.read.parquet(str(folder / "answers")).groupBy("label", "prediction").count().orderBy("label").show()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary))
