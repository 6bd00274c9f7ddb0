"""Fit on Dask, with the counts of a fit in memory: partitions are counted where they lie, and added up in a tree.

The data are DataFrames, Bags or Arrays, on a distributed client or the default scheduler. If a worker dies, Dask counts
its partitions again: the counts of each partition have one place in the tree, so none is counted twice.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from numbers import Real
from typing import Any
from uuid import uuid4

import numpy as np

from suffice.engines.answers import Answering, Held, must_be_free
from suffice.engines.driver import fit_by
from suffice.engines.files import classifier_of
from suffice.engines.jobs import Job, PartResult
from suffice.engines.passes import Engine, Options, Request
from suffice.engines.roles import roles_for
from suffice.engines.row_sources import PAIR, Frame, Matrix, Records, Source
from suffice.errors import DataError, InputError, KindError, MissingLibrary
from suffice.estimators.em.mixture import Mixture
from suffice.later import pa
from suffice.store import to_bytes

try:
    from dask.base import compute
    from dask.delayed import delayed
except ImportError as error:
    raise MissingLibrary("suffice.engines.dask needs Dask.").advise(
        "Install it with: pip install suffice[dask]"
    ) from error

__all__ = ["fit", "predict"]

FAN_IN = 8
"""Parts that are merged at a time, and the most that are left for the caller to merge."""

LOOKED_AT = 1000
"""Records of a Bag that determine the types of its columns."""


def fit(estimator: Any, data: Any, target: Any = None, features: Any = None, *, errors: str = "raise") -> Any:
    """Fit a classifier to a Dask collection: in one pass, or two if likelihoods of columns are chosen.

    Joint columns of ``NaiveBayes`` take one more pass; ``SemiSupervised`` and ``Mixture`` take one for the start of EM
    and one for each step.

    Parameters
    ----------
    estimator : classifier
        A classifier that is fitted by counting, or ``SemiSupervised`` or ``Mixture`` over one. It is fitted in place.
    data : dask DataFrame, Bag or Array
        The rows. A Bag holds dicts, or pairs of a text or row and its label. An Array has one row per example.
    target : str, or dask Array
        The column of labels; if not given, the one whose name says so ("label", "class", ...). For an Array, an Array
        of labels. ``SemiSupervised`` takes null, NaN and −1 as missing labels; ``Mixture`` leaves out the column, if it
        is given.
    features : str or list of str, default=None
        The columns to learn from; if not given, all others. A single column of lists is read as a matrix.
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
    >>> import dask.bag as db
    >>> import suffice as sf
    >>> from suffice.engines import dask
    >>> mail = [("cheap pills", "spam"), ("lunch at noon", "ham"), ("cheap watches", "spam")]
    >>> model = dask.fit(sf.TextClassifier(), db.from_sequence(mail, npartitions=2))
    >>> model.predict(["cheap lunch pills"])
    array(['spam'], dtype='<U4')
    """
    parts, schema, target = _opened(data, target, isinstance(estimator, Mixture))
    return fit_by(DaskEngine(parts), estimator, Request(schema, target, features), Options.of(errors))


def predict(model: Any, data: Any, features: Any = None, *, errors: str = "raise") -> Any:
    """Return the predictions of the rows of a Dask collection, lazily.

    Parameters
    ----------
    model : fitted classifier
        The model, fitted in any way.
    data : dask DataFrame, Bag or Array
        The rows, as for `fit`; a Bag holds rows without labels.
    features : str or list of str, default=None
        The columns of features, if the model does not know their names.
    errors : {"raise", "skip"}, default="raise"
        Whether a row that cannot be read raises an error, or gets no prediction.

    Returns
    -------
    answers : dask DataFrame, Bag or Array
        For a DataFrame, its columns and ``prediction``, its ``probability``, and the probability of every class
        (``p_<class>``). For a Bag, dicts of the first two. For an Array, an Array of labels.

    Examples
    --------
    >>> import dask.bag as db
    >>> import suffice as sf
    >>> from suffice.engines import dask
    >>> model = sf.TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"])
    >>> answers = dask.predict(model, db.from_sequence(["pills", "noon"])).compute(scheduler="threads")
    >>> [one["prediction"] for one in answers]
    ['spam', 'ham']
    """
    skip = Options.of(errors).skip
    predict_in = {"DataFrame": _predict_frame, "Bag": _predict_bag, "Array": _predict_array}[_kind(data)]
    return predict_in(classifier_of(model), data, features, skip)


def _kind(data: Any) -> str:
    """Return the name of the collection type, without importing the other types."""
    names = {base.__name__ for base in type(data).__mro__ if base.__module__.startswith("dask.")}
    found = names & {"DataFrame", "Bag", "Array"}
    if not found or not hasattr(data, "to_delayed"):
        raise KindError("data", "be a dask DataFrame, Bag or Array", got_a=data)
    return found.pop()


class DaskEngine(Engine):
    """The engine over lazy sources, each of which is one part."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    def run(self, job: Job) -> PartResult:
        """Run a job on every part, and merge the results in a tree; the dashboard shows the names of tasks."""
        token = uuid4().hex
        counted, merge, task, lighter = delayed(_counted), delayed(_merged), delayed(job), delayed(job.merging())
        named = enumerate(self.parts)
        level = [counted(task, [part], i, dask_key_name=f"suffice-count-{token}-{i}") for i, part in named]
        height = 0
        while len(level) > FAN_IN:
            height += 1
            level = [
                merge(lighter, level[i : i + FAN_IN], dask_key_name=f"suffice-merge-{token}-{height}-{i}")
                for i in range(0, len(level), FAN_IN)
            ]
        done: Any = compute  # dask has no types for it
        return job.merge(map(PartResult.unpacked, done(*level)))


def _counted(job: Job, sources: list[Source], partition: int) -> bytes:
    return job.count(sources, partition).packed()


def _merged(job: Job, parts: list[bytes]) -> bytes:
    return job.merge(map(PartResult.unpacked, parts)).packed()


def _opened(data: Any, target: Any, alone: bool) -> tuple[list[Any], Any, Any]:
    """Return lazy sources, their common schema, and the name of the target; with `alone`, labels are optional."""
    kind = _kind(data)
    if kind == "DataFrame":
        schema = pa.Schema.from_pandas(data._meta, preserve_index=False)
        return [delayed(Frame)(part) for part in data.to_delayed()], schema, target
    if kind == "Bag":
        data = data.map(_as_pair) if alone else data
        schema, target = _schema_of(data, target)
        return [delayed(_records)(part, schema) for part in data.to_delayed()], schema, target
    X = data.rechunk({1: -1})
    if alone and target is None:
        return [delayed(Matrix)(block) for block in X.to_delayed().ravel()], _PAIRS.remove(1), None
    if not hasattr(target, "to_delayed"):
        raise InputError("target", "be a dask Array of labels if the data are an Array")
    y = target if target.numblocks == X.numblocks[:1] and np.isnan(sum(X.chunks[0])) else target.rechunk(X.chunks[:1])
    blocks = zip(X.to_delayed().ravel(), y.to_delayed().ravel(), strict=True)
    of_labels = pa.null() if y.dtype.kind == "O" else pa.from_numpy_dtype(y.dtype)
    schema = _PAIRS.set(1, pa.field(PAIR[1], of_labels))
    return [delayed(Matrix)(*block) for block in blocks], schema, PAIR[1]


_PAIRS = pa.schema([(PAIR[0], pa.list_(pa.float64())), (PAIR[1], pa.null())])


def _as_pair(row: Any) -> Any:
    """Return a record as a dict or as a pair of row and label; a pair of numbers is a row."""
    pair = isinstance(row, tuple) and len(row) == 2 and not isinstance(row[0], Real)
    return row if isinstance(row, dict) or pair else (row, None)


def _records(part: Any, schema: Any) -> Records:
    return Records(list(part), schema)


def _schema_of(bag: Any, target: Any) -> tuple[Any, Any]:
    """Return the types of columns, by the first records, and the target; integers are read as floats."""
    rows: list[Any] = []
    for part in bag.to_delayed():
        rows = delayed(lambda records: list(islice(records, LOOKED_AT)))(part).compute()
        if rows:
            break
    if not rows:
        raise DataError("data", "hold rows").but("the Bag has none")
    if not isinstance(rows[0], dict):
        target = PAIR[1]
        rows = [dict(zip(PAIR, row, strict=True)) for row in rows if isinstance(row, tuple | list) and len(row) == 2]
    else:
        rows = [row for row in rows if isinstance(row, dict)]
    names = dict.fromkeys(name for row in rows for name in row)
    kinds = {name: _type_of([row.get(name) for row in rows], name == target) for name in names}
    return pa.schema(list(kinds.items())), target


def _type_of(values: list[Any], labels: bool) -> Any:
    """Return the most frequent type of values; integers become floats, unless they are labels."""
    there = [value for value in values if value is not None]
    most = max(Counter(map(type, there)).items(), key=lambda item: item[1])[0] if there else type(None)
    found = pa.array([value for value in there if type(value) is most]).type
    return pa.float64() if pa.types.is_integer(found) and not labels else found


def _predict_frame(model: Any, data: Any, features: Any, skip: bool) -> Any:
    empty = data._meta
    answering = _answering(model, pa.Schema.from_pandas(empty, preserve_index=False), features, skip)
    classes = model.classes_
    names = ["prediction", "probability", *(f"p_{label}" for label in classes.tolist())]
    must_be_free(names, empty.columns)
    kind = "string" if classes.dtype.kind in "UO" else "Int64" if skip and classes.dtype.kind in "iu" else classes.dtype
    columns = dict.fromkeys(names[1:], np.empty(0))
    meta = empty.assign(prediction=np.empty(0)).astype({"prediction": kind}).assign(**columns)
    return data.map_partitions(_frame_answers, delayed(answering), names, kind, meta=meta)


def _frame_answers(frame: Any, answering: Answering, names: list[str], kind: Any, partition_info: Any = None) -> Any:
    labels, best, every = answering.answer(Frame(frame), partition_info["number"] if partition_info else 0)
    answers = frame.assign(prediction=labels).astype({"prediction": kind})
    return answers.assign(probability=best, **{name: every[:, c] for c, name in enumerate(names[2:])})


def _predict_bag(model: Any, data: Any, features: Any, skip: bool) -> Any:
    """Predict a Bag of dicts, or of texts or rows."""
    schema, _ = _schema_of(data.map(_as_record), "")
    return data.map_partitions(_bag_answers, delayed(_answering(model, schema, features, skip)), schema)


def _bag_answers(part: Any, answering: Answering, schema: Any) -> list[dict[str, Any]]:
    records = Records([_as_record(row) for row in part], schema)
    labels, best, _ = answering.answer(records, 0)
    return [{"prediction": label, "probability": p} for label, p in zip(labels, best.tolist(), strict=True)]


def _as_record(row: Any) -> Any:
    return row if isinstance(row, dict) else {PAIR[0]: row}


def _predict_array(model: Any, data: Any, features: Any, skip: bool) -> Any:
    if skip:
        raise InputError("errors", "be 'raise' for an Array, since an Array of labels cannot leave rows out").but(
            "got 'skip'"
        )
    answering = _answering(model, _PAIRS, PAIR[0], skip)
    return data.rechunk({1: -1}).map_blocks(
        _array_answers,
        answering,
        model.classes_.dtype,
        drop_axis=1,
        dtype=model.classes_.dtype,
        meta=model.classes_[:0],
    )


def _array_answers(block: Any, answering: Answering, kind: Any, block_info: Any = None) -> Any:
    place = block_info[0]["chunk-location"][0] if block_info else 0
    return np.array(answering.answer(Matrix(block), place)[0], kind)


def _answering(model: Any, schema: Any, features: Any, skip: bool) -> Answering:
    return Answering(Held(to_bytes(model)), roles_for(model, schema, features), skip)
