"""Fit on Spark, with the counts of a fit in memory: executors count their partitions and add them up in a tree.

The driver receives the merged counts. Spark recomputes the partitions of a lost executor by lineage, and takes the
result of a task that ran twice once: counts are rows of a DataFrame like any other, so none is counted twice.
"""

from __future__ import annotations

from typing import Any

from suffice.engines.answers import Answering, Held, must_be_free
from suffice.engines.driver import fit_by
from suffice.engines.files import classifier_of
from suffice.engines.passes import Options, Request
from suffice.engines.roles import roles_for
from suffice.errors import KindError, MissingLibrary
from suffice.estimators.shell.merging import unfitted
from suffice.store import from_bytes, to_bytes

try:
    from pyspark.ml import Estimator, Model
    from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F
    from pyspark.sql.pandas.functions import arrow_udf
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import DecimalType

    from suffice.engines.spark_passes import ANSWERS, SparkEngine, answers_of
except ImportError as error:
    raise MissingLibrary("suffice.engines.spark needs PySpark.").advise(
        "Install it with: pip install suffice[spark]"
    ) from error

__all__ = ["SparkSufficeEstimator", "SparkSufficeModel", "fit", "predict"]


def fit(estimator: Any, data: DataFrame, target: Any = None, features: Any = None, *, errors: str = "raise") -> Any:
    """Fit a classifier to a Spark DataFrame: in one pass, or two if likelihoods of columns are chosen.

    Joint columns of ``NaiveBayes`` take one more pass; ``SemiSupervised`` and ``Mixture`` take one for the start of EM
    and one for each step.

    Parameters
    ----------
    estimator : classifier
        A classifier that is fitted by counting, or ``SemiSupervised`` or ``Mixture`` over one. It is fitted in place.
    data : pyspark.sql.DataFrame
        The rows. Cache them if they are expensive to compute, since a fit may take several passes.
    target : str, default=None
        The column of labels; if not given, the one whose name says so ("label", "class", ...). ``SemiSupervised``
        takes null, NaN and −1 as missing labels; ``Mixture`` leaves out the column, if it is given.
    features : str or list of str, default=None
        The columns to learn from; if not given, all others. A single column of arrays or vectors is read as a matrix.
    errors : {"raise", "skip"}, default="raise"
        Whether a row that cannot be counted raises an error that names its partition and row, or is skipped and counted
        in ``estimator.skipped_rows_``.

    Returns
    -------
    estimator : object
        The given estimator. Its counts are those of a fit in memory, to the bit; expected counts of EM, to about 1e-9.
        Hyperparameters are chosen on a sample of rows (20,000, or 50,000 texts) picked by their content, as in memory:
        partitions do not matter. EM does not set ``transduction_`` and ``labels_``, which have an entry for each row.

    Examples
    --------
    ``examples/spark_fit.py`` runs; in short::

        mail = session.read.parquet("mail.parquet")
        model = spark.fit(sf.TextClassifier(), mail, target="label", features="text")
        sf.save(model, "mail.suffice")
    """
    data = _plain(data)
    request = Request(to_arrow_schema(data.schema), target, features)
    return fit_by(SparkEngine(data), estimator, request, Options.of(errors))


def predict(model: Any, data: DataFrame, features: Any = None, *, errors: str = "raise") -> DataFrame:
    """Return a lazy DataFrame with the predictions of a model for its rows.

    Parameters
    ----------
    model : fitted classifier
        The model, fitted in any way.
    data : pyspark.sql.DataFrame
        The rows, as for `fit`.
    features : str or list of str, default=None
        The columns of features, if the model does not know their names.
    errors : {"raise", "skip"}, default="raise"
        Whether a row that cannot be read raises an error, or gets a null prediction.

    Returns
    -------
    data : pyspark.sql.DataFrame
        The rows with three more columns: ``prediction``, its ``probability``, and ``probabilities`` in the order of
        ``model.classes_``.

    Examples
    --------
    ``examples/spark_fit.py`` runs; in short::

        spark.predict(sf.load("mail.suffice"), mail).write.parquet("answers.parquet")
    """
    skip, model = Options.of(errors).skip, classifier_of(model)
    must_be_free(ANSWERS, data.columns)
    plain = _plain(data)
    roles = roles_for(model, to_arrow_schema(plain.schema), features)
    shared = data.sparkSession.sparkContext.broadcast(to_bytes(model))
    answering = Answering(Held(shared), roles, skip)
    label = {"U": "string", "O": "string", "b": "boolean", "f": "double"}.get(model.classes_.dtype.kind, "bigint")
    make: Any = arrow_udf  # its type annotations lack structs
    answer = make(answers_of(answering), f"prediction {label}, probability double, probabilities array<double>")
    given = F.struct(*(plain[name] for name in roles.columns))
    return data.withColumn("__suffice__", answer(given)).select(*data.columns, "__suffice__.*")


def _plain(data: DataFrame) -> DataFrame:
    """Return a DataFrame with decimals cast to doubles."""
    given: Any = data
    if not isinstance(given, DataFrame):
        raise KindError("data", "be a Spark DataFrame", got_a=given)
    decimals = [field.name for field in data.schema if isinstance(field.dataType, DecimalType)]
    return data.withColumns({name: data[name].cast("double") for name in decimals}) if decimals else data


class SparkSufficeModel(Model, MLWritable, MLReadable["SparkSufficeModel"]):
    """A fitted classifier as a stage of a Spark pipeline; `model` is the classifier."""

    def __init__(self, model: Any = None, features: Any = None, errors: str = "raise") -> None:
        super().__init__()
        self.model, self.features, self.errors = model, features, errors

    def _transform(self, dataset: DataFrame) -> DataFrame:
        return predict(self.model, dataset, self.features, errors=self.errors)

    def write(self) -> MLWriter:
        """Return the writer of the stage, which writes Spark's metadata and the model file."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[SparkSufficeModel]:
        """Return the reader of the stage."""
        return _Reader()


class SparkSufficeEstimator(Estimator[SparkSufficeModel]):
    """A classifier as a stage of a Spark pipeline, with `fit` and `transform`.

    Parameters
    ----------
    estimator : classifier
        The classifier, which stays unfitted: each fit makes a new one with its parameters.
    target, features, errors
        As for `fit`.

    Examples
    --------
    ::

        stage = SparkSufficeEstimator(sf.NaiveBayes(), target="income")
        Pipeline(stages=[stage]).fit(people).write().save("pipeline")
    """

    def __init__(self, estimator: Any = None, target: Any = None, features: Any = None, errors: str = "raise") -> None:
        super().__init__()
        self.estimator, self.target, self.features, self.errors = estimator, target, features, errors

    def _fit(self, dataset: DataFrame) -> SparkSufficeModel:
        model = fit(unfitted(self.estimator), dataset, self.target, self.features, errors=self.errors)
        return SparkSufficeModel(model, self.features, self.errors)


class _Writer(MLWriter):
    """A writer of Spark's metadata, and of a table with one row that holds the model file."""

    def __init__(self, instance: SparkSufficeModel) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:
        session, stage = self.sparkSession, self.instance
        extra = {"features": stage.features, "errors": stage.errors}
        DefaultParamsWriter.saveMetadata(stage, path, session, extra)
        row = session.createDataFrame([(bytearray(to_bytes(stage.model)),)], "model binary")
        row.coalesce(1).write.parquet(f"{path}/model")


class _Reader(MLReader[SparkSufficeModel]):
    def load(self, path: str) -> SparkSufficeModel:
        found = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        (row,) = self.sparkSession.read.parquet(f"{path}/model").collect()
        stage = SparkSufficeModel(from_bytes(bytes(row["model"])), found["features"], found["errors"])
        stage._resetUid(found["uid"])
        return stage
