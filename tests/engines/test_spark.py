"""What only Spark has: vectors, decimals, stages of pipelines, laziness, the shape of its tree."""

from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.feature import Tokenizer
from pyspark.ml.linalg import Vectors

import suffice as sf
from engines.clusters import Spark, quiet
from laws.estimators import LABELS, counts, texts
from suffice.engines import spark as engine
from suffice.engines.spark_passes import _widths
from suffice.errors import InputError, KindError

pytestmark = quiet
ROWS = 40


def drawn(make: Any) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, ROWS)
    return make(rng, ROWS, codes), LABELS[codes]


def sparse(row: Any) -> Any:
    return Vectors.sparse(len(row), [(j, float(value)) for j, value in enumerate(row) if value])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "make",
    [np.ndarray.tolist, Vectors.dense, sparse],
    ids=["array", "dense", "sparse"],
)
def test_a_column_of_vectors_is_a_matrix(spark: Any, make: Any) -> None:
    X, y = drawn(counts)
    data = spark.createDataFrame([(make(row), label) for row, label in zip(X, y.tolist(), strict=True)], ["v", "label"])
    model = engine.fit(sf.MultinomialNB(), data, "label", "v")
    assert (model.feature_count_ == sf.MultinomialNB().fit(X, y).feature_count_).all()
    answers = engine.predict(model, data, "v").select("prediction").collect()
    assert [row[0] for row in answers] == model.predict(X).tolist()


@pytest.mark.thorough
def test_kinds_of_columns_come_from_the_schema(spark: Any) -> None:
    rows = [(Decimal("1.50"), True, "x", "a"), (None, False, None, "b"), (Decimal("2.25"), None, "y", "b")] * 10
    data = spark.createDataFrame(rows, "price decimal(6,2), flag boolean, word string, label string")
    model = engine.fit(sf.NaiveBayes(temper=None, feature_powers=None), data)
    columns: dict[str, Any] = dict(zip(["price", "flag", "word", "label"], zip(*rows, strict=True), strict=True))
    columns["price"] = [None if value is None else float(value) for value in columns["price"]]
    local = sf.NaiveBayes(temper=None, feature_powers=None).fit({k: list(v) for k, v in columns.items()}, "label")
    assert model.columns_ == local.columns_
    assert model.statistics_ == local.statistics_


@pytest.mark.thorough
def test_a_stage_drops_into_a_pipeline_and_is_kept_with_it(spark: Any, tmp_path: Path) -> None:
    X, y = drawn(texts)
    data = Spark(spark).split(pa.table({"text": X, "label": y}), [10])
    stage = engine.SparkSufficeEstimator(sf.TextClassifier(alpha=1.0), "label", "text")
    pipeline: Any = Pipeline(stages=[Tokenizer(inputCol="text", outputCol="words"), stage]).fit(data)
    local = sf.TextClassifier(alpha=1.0).fit(X, y)
    assert pipeline.stages[1].model.counts_ == local.counts_
    assert not hasattr(stage.estimator, "classes_")
    pipeline.write().overwrite().save(str(tmp_path / "pipeline"))
    again: Any = PipelineModel.load(str(tmp_path / "pipeline"))
    assert again.stages[1].uid == pipeline.stages[1].uid
    answers = again.transform(data).select("prediction", "words").collect()
    assert [row[0] for row in answers] == pipeline.stages[1].model.predict(X).tolist()


@pytest.mark.thorough
def test_predictions_are_computed_when_they_are_used(spark: Any) -> None:
    def broken(batches: Any) -> Any:
        raise ValueError("read too early")

    model = sf.TextClassifier().fit(["red apple", "blue sky"], ["x", "y"])
    data = engine.predict(model, spark.range(1).mapInArrow(broken, "text string"), "text")
    assert data.columns == ["text", "prediction", "probability", "probabilities"]
    with pytest.raises(Exception, match="read too early"):
        data.collect()


@pytest.mark.thorough
def test_arguments(spark: Any) -> None:
    wrong: Any = {"a": [1]}
    with pytest.raises(KindError, match="Spark DataFrame; got a dict"):
        engine.fit(sf.NaiveBayes(), wrong, "a")
    data = spark.createDataFrame([("red", "x", 1)], ["text", "label", "prediction"])
    with pytest.raises(InputError, match=r"'target'.*Did you mean 'label'"):
        engine.fit(sf.TextClassifier(), data, "labels")
    model = sf.TextClassifier().fit(["red apple", "blue sky"], ["x", "y"])
    with pytest.raises(InputError, match="no column 'prediction'"):
        engine.predict(model, data)
    with pytest.raises(InputError, match="'errors'"):
        engine.predict(model, data, errors="ignore")


@pytest.mark.parametrize(
    ("cores", "widths"), [(1, [1]), (2, [2]), (8, [8, 1]), (33, [33, 5, 1]), (800, [800, 100, 13, 2, 1])]
)
def test_the_tree_narrows_to_one_or_a_few_cores(cores: int, widths: list[int]) -> None:
    session: Any = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=cores))
    assert _widths(session) == widths
