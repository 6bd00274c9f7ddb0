"""Files in batches equal tables in memory; what is malformed is reported with its file and line."""

import gzip
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import suffice as sf
from laws.estimators import KINDS, LABELS, mixed, texts
from suffice.engines.files import ReadSoFar, ahead
from suffice.errors import DataError, FileError, InputError, KindError, PathError
from suffice.tables.row_files import Files, Given

ROWS = 300


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, ROWS)
    return pd.DataFrame({**mixed(rng, ROWS, codes), "label": LABELS[codes]})


def write(frame: pd.DataFrame, path: Path) -> Path:
    """Write a table in the format that the name says."""
    name = path.name
    if name.endswith(".parquet"):
        frame.to_parquet(path)
    elif name.endswith(".arrow"):
        with ipc.new_file(path, pa.Schema.from_pandas(frame)) as file:
            for batch in pa.Table.from_pandas(frame).to_batches(max_chunksize=50):
                file.write(batch)
    elif ".jsonl" in name:
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in name else ",")
    return path


NAMES = ["a.csv", "a.tsv", "a.csv.gz", "a.jsonl", "a.jsonl.gz", "a.parquet", "a.arrow"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read batches of a few rows."""
    monkeypatch.setattr("suffice.tables.row_files.BLOCK", 4096)
    monkeypatch.setattr("suffice.tables.row_files.ROWS", 64)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", NAMES)
def test_a_table_in_a_file_is_the_table_in_memory(name: str, tmp_path: Path) -> None:
    frame = table()
    path = write(frame, tmp_path / name)
    assert len(list(Files([path]))) > 2
    alone = sf.NaiveBayes(KINDS, joint=None)  # JSON as pandas writes it has ten digits, by which rows choose otherwise
    from_file = sf.fit_files(alone, path)
    memory = clone(alone).fit(frame.drop(columns="label"), frame["label"].to_numpy())
    assert from_file.columns_ == memory.columns_
    for column in ("flag", "colour", "wait", "events", "note"):
        assert from_file.statistics_[column] == memory.statistics_[column]
    X = frame.drop(columns="label")
    np.testing.assert_allclose(from_file.predict_proba(X), memory.predict_proba(X), rtol=1e-9)
    assert from_file.skipped_rows_ == 0


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", NAMES)
def test_texts_in_a_file_are_the_texts_in_memory(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, ROWS)
    documents = [text + " , and some more" for text in texts(rng, ROWS, codes)]
    path = write(pd.DataFrame({"body": documents, "label": LABELS[codes]}), tmp_path / name)
    from_file = sf.fit_files(sf.TextClassifier(effort="fast"), path)
    memory = sf.TextClassifier(effort="fast").fit(documents, LABELS[codes])
    assert from_file.counts_ == memory.counts_
    assert from_file.alpha_ == memory.alpha_
    np.testing.assert_array_equal(from_file.predict_proba(documents), memory.predict_proba(documents))


def test_a_folder_of_folders_names_its_labels(tmp_path: Path) -> None:
    for label, words in {"ham": ["lunch at noon", "see you"], "spam": ["cheap pills", "caf\xe9"]}.items():
        (tmp_path / label).mkdir()
        for i, text in enumerate(words):
            (tmp_path / label / f"{i}.txt").write_bytes(text.encode("latin-1" if "caf" in text else "utf-8"))
    model = sf.fit_files(sf.TextClassifier(), tmp_path)
    assert model.classes_.tolist() == ["ham", "spam"]
    assert "café" in model.words_
    assert model.class_count_.tolist() == [2, 2]


@pytest.mark.usefixtures("small")
def test_several_files_are_one(tmp_path: Path) -> None:
    frame = table()
    parts = [write(frame[:100], tmp_path / "a.csv"), write(frame[100:], tmp_path / "b.parquet")]
    one, two = (
        sf.fit_files(sf.NaiveBayes(KINDS), write(frame, tmp_path / "c.csv")),
        sf.fit_files(sf.NaiveBayes(KINDS), parts),
    )
    assert one.statistics_["colour"] == two.statistics_["colour"]
    assert one.class_count_.tolist() == two.class_count_.tolist()


@pytest.mark.usefixtures("small")
def test_the_order_of_rows_and_files_changes_nothing(tmp_path: Path) -> None:
    frame = table()
    some, others = write(frame[:100], tmp_path / "a.csv"), write(frame[100:], tmp_path / "b.csv")
    one, two = (sf.fit_files(sf.NaiveBayes(KINDS), paths) for paths in ([some, others], [others, some]))
    assert one.temper_ == two.temper_
    assert one.feature_powers_ == pytest.approx(two.feature_powers_, rel=1e-9)  # moments are sums of real numbers


@pytest.mark.parametrize(("text", "line"), [("a,label\n1,x\n2,y,z\n3,x\n", 3), ("a,label\n1,x\n2\n3,x\n", 3)])
def test_a_row_with_too_many_or_few_values(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(FileError, match=f"bad.csv.*line {line}"):
        list(Files([path]))
    files = Files([path], errors="skip")
    assert sum(batch.num_rows for batch in files) == 2
    assert files.skipped == 1


@pytest.mark.usefixtures("small")
def test_a_word_where_numbers_were(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    rows = [f"{i},{'xy'[i % 2]}" for i in range(2000)]
    rows[1500] = "many,x"
    rows[1600] = "1.5,x"  # a number too, though not a whole one
    path.write_text("\n".join(["a,label", *rows]))
    with pytest.raises(FileError, match="'many' in column 'a' in line 1502"):
        sf.fit_files(sf.NaiveBayes(), path)
    model = sf.fit_files(sf.NaiveBayes(), path, errors="skip")
    assert model.skipped_rows_ == 1
    assert model.class_count_.sum() == 1999


def test_json_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"a": 1, "label": "x"}\n{"a": 2,\n[3]\n{"a": 2.5, "label": "y"}')
    with pytest.raises(FileError, match="line 2"):
        list(Files([path]))
    files = Files([path], errors="skip")
    assert [row for batch in files for row in batch.to_pylist()] == [{"a": 1, "label": "x"}, {"a": 2.5, "label": "y"}]
    assert files.skipped == 2


def test_labels_that_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,label\nred apple,x\nblue sky,\nred pear,x\nblue sea,y\n")
    with pytest.raises(InputError, match="1 row lacks one"):
        sf.fit_files(sf.TextClassifier(), path)
    with pytest.warns(UserWarning, match="1 of 4 rows .* no label in 'label'"):
        assert sf.fit_files(sf.TextClassifier(), path, errors="skip").skipped_rows_ == 1


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("a.xlsx", b"x", "must end in one of"),
        ("a.parquet", b"no parquet", "cannot be read as Parquet"),
        ("a.arrow", b"no arrow, but long enough", "cannot be read as Arrow"),
        ("a.csv", b"", "must start with a line of column names"),
        ("a.csv", b"a,b,c\n1,2,3\n", "must name the column of labels"),
        ("a.csv", b"a,label\n", "have none"),
        ("a.csv", b"a,a,label\n1,2,x\n", "distinct names"),
        ("a.csv.gz", b"not packed", "cannot be read"),
        ("a.csv", "a,label\né,x\né\n".encode("utf-16")[:-1], "cannot be read"),
    ],
)
def test_what_cannot_be_read(name: str, data: bytes, error: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=error):
        sf.fit_files(sf.NaiveBayes(), path)


def test_arguments() -> None:
    with pytest.raises(PathError, match="does not exist"):
        sf.fit_files(sf.NaiveBayes(), "nowhere.csv")
    with pytest.raises(InputError, match="'errors'"):
        Files([Path("-")], errors="ignore")
    with pytest.raises(InputError, match="at least one file"):
        Files([])


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
@pytest.mark.parametrize("estimator", [sf.PoissonNB(), sf.GaussianNB(temper="loo"), sf.LinearDiscriminantAnalysis()])
def test_every_classifier_learns_from_files(estimator: Any, name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, 2 * ROWS)
    X = pd.DataFrame({"n": rng.poisson(2 + codes), "m": rng.poisson(9 - codes)})
    path = write(X.assign(label=LABELS[codes]), tmp_path / name)
    from_file, memory = sf.fit_files(clone(estimator), path), clone(estimator).fit(X, LABELS[codes])
    np.testing.assert_allclose(from_file.predict_proba(X), memory.predict_proba(X), rtol=1e-6)
    found = pa.concat_tables(sf.predict_files(from_file, path))
    assert found["prediction"].to_pylist() == from_file.predict(X).tolist()


def test_what_cannot_be_counted_is_named_by_its_row_or_skipped(tmp_path: Path) -> None:
    frame = pd.DataFrame({"n": [1.0, 2.0, np.inf, 4.0] * 3, "label": ["x", "y"] * 6})
    path = write(frame, tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"'paths'.*row 2 of the files cannot: .*errors='skip'"):
        sf.fit_files(sf.NaiveBayes(), path)
    with pytest.warns(UserWarning, match=r"3 of 12 rows .*cannot be counted"):
        assert sf.fit_files(sf.NaiveBayes(), path, errors="skip").skipped_rows_ == 3


def test_what_needs_all_rows_is_refused(tmp_path: Path) -> None:
    path = write(table()[["wait", "label"]], tmp_path / "a.csv")
    with pytest.raises(InputError, match="needs all rows in memory"):
        sf.fit_files(sf.LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"), path)
    with pytest.raises(KindError, match="classifier of suffice that is fitted by counting; got a CountVectorizer"):
        sf.fit_files(sf.CountVectorizer(), path)


def test_columns_that_are_named_wrongly(tmp_path: Path) -> None:
    path = write(table(), tmp_path / "a.csv")
    with pytest.raises(InputError, match=r"'target'.*Did you mean 'label'"):
        sf.fit_files(sf.NaiveBayes(), path, "lable")
    with pytest.raises(InputError, match="'text'"):
        sf.fit_files(sf.TextClassifier(), path, text="notes")


@pytest.mark.usefixtures("small")
def test_predictions_stream_from_file_to_table(tmp_path: Path) -> None:
    frame = table()
    path = write(frame, tmp_path / "a.csv")
    model = sf.fit_files(sf.NaiveBayes(KINDS), path)
    found = pa.concat_tables(sf.predict_files(model, path))
    X = frame.drop(columns="label")
    assert found["prediction"].to_pylist() == model.predict(X).tolist()
    np.testing.assert_allclose(found["p_b"].to_numpy(), model.predict_proba(X)[:, 1], rtol=1e-9)


def test_a_failure_leaves_the_model_as_it_was(tmp_path: Path) -> None:
    model = sf.TextClassifier().fit(["red apple", "blue sky"], ["x", "y"])
    path = tmp_path / "a.csv"
    path.write_text("text,label\nnew words,x\nbad,row,here\n")
    with pytest.raises(FileError):
        sf.fit_files(model, path)
    assert model.words_.tolist() == ["apple", "blue", "red", "sky"]


def test_the_reader_stops_when_nobody_listens() -> None:
    before = threading.active_count()
    stream = ahead(iter(range(1000)))
    assert next(stream) == 0
    stream.close()
    assert threading.active_count() == before

    def failing() -> Any:
        yield 1
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        list(ahead(failing()))


def test_quotes_lines_within_values_and_marks(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes('\ufeff"the, text",label\n"two\nlines, ""quoted""",x\nplain,y\n'.encode())
    assert next(iter(Files([path]))).to_pydict() == {
        "the, text": ['two\nlines, "quoted"', "plain"],
        "label": ["x", "y"],
    }
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps({"a": None, "b": "é"}).encode()))
    assert next(iter(Files([packed]))).to_pydict() == {"a": [None], "b": ["é"]}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_how_far_it_is(name: str, tmp_path: Path) -> None:
    path = write(table(), tmp_path / name)
    found: list[ReadSoFar] = []
    sf.fit_files(sf.NaiveBayes(KINDS, joint=[("flag", "colour")]), [path, path], tell=found.append)
    assert {one.turn for one in found} == {1, 2}  # columns alone, then together
    for turn in (1, 2):
        mine = [one for one in found if one.turn == turn]
        assert mine[-1].rows == 2 * ROWS
        read = [one.read for one in mine]
        assert read == sorted(read)
        assert 0 < read[0] < read[-1] <= mine[-1].size == 2 * path.stat().st_size


def test_parquet_columns_that_nobody_asks_for_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", "y"]}), path)
    assert next(iter(Files([path], given=Given(keep=("b",))))).column_names == ["b"]
