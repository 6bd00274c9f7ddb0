"""Readers of tables and of word matrices, on files made here and on the real ones where they are."""

import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import io, sparse

import suffice as sf
from datasets.shared import real
from suffice.datasets import read_table, read_xwindows
from suffice.errors import DataError, InputError, PathError

PERSON = "39, State-gov, 77516, Bachelors, 13, Never-married, ?, Not-in-family, White, Male, 2174, 0, 40, ?, <=50K"


@pytest.fixture
def adult(tmp_path: Path) -> Path:
    (tmp_path / "adult.data.gz").write_bytes(gzip.compress(f"{PERSON}\n{PERSON.replace('?', 'Sales')}\n\n".encode()))
    (tmp_path / "adult.test").write_text(f"|1x3 Cross validator\n{PERSON}.\n")
    return tmp_path


def test_adult(adult: Path) -> None:
    table = read_table("adult", adult)
    assert repr(table) == "LabelledTable(3 rows, 15 columns, target 'income')"
    assert table.y.tolist() == ["<=50K"] * 3
    assert table.columns["age"].dtype == np.int64
    assert table.columns["occupation"].tolist() == [None, "Sales", None]
    assert table.X.keys() == table.columns.keys() - {"income"}
    assert (len(read_table("adult", adult, "train")), len(read_table("adult", adult, "test"))) == (2, 1)
    assert len(read_table("adult", adult / "adult.test")) == 1


def test_kinds_of_columns(tmp_path: Path) -> None:
    (tmp_path / "penguins.csv").write_text("species,mass,year,sex\nAdelie,NA,2007,male\nGentoo,3.5,2008,NA\n")
    (tmp_path / "titanic.csv").write_text("survived,age,alone,deck\n0,,True,\n1,4,False,C\n")
    penguins, titanic = read_table("penguins", tmp_path), read_table("titanic", tmp_path)
    np.testing.assert_array_equal(penguins.columns["mass"], [np.nan, 3.5])
    assert penguins.columns["year"].dtype == np.int64
    assert penguins.columns["sex"].tolist() == ["male", None]
    assert titanic.columns["alone"].tolist() == [True, False]
    assert titanic.columns["deck"].tolist() == [None, "C"]
    np.testing.assert_array_equal(titanic.columns["age"], [np.nan, 4])


def test_categories_stay_text(tmp_path: Path) -> None:
    (tmp_path / "car.data").write_text("vhigh,vhigh,2,2,small,low,unacc\n")
    assert read_table("car", tmp_path).columns["doors"].tolist() == ["2"]


def test_a_column_says_the_part(tmp_path: Path) -> None:
    features = ", ".join(["-0.5"] * 10)
    (tmp_path / "vowel-context.data").write_text(f"0, 3, 1, {features}, 0\n1, 4, 0, {features}, 10\n")
    assert read_table("vowel", tmp_path, "train").y.tolist() == [0]
    assert read_table("vowel", tmp_path / "vowel-context.data", "test").columns["speaker"].tolist() == [4]
    assert "split" not in read_table("vowel", tmp_path).columns


def test_errors(adult: Path) -> None:
    with pytest.raises(
        InputError, match=r"'name' of read_table must be one of adult, car, .*; got 'vote'. Did you mean 'votes'"
    ):
        read_table("vote", adult)
    with pytest.raises(InputError, match="subset='all' for 'car', which has no parts; got 'train'"):
        read_table("car", adult, "train")
    with pytest.raises(
        InputError, match=r"'train' of 'adult' from a folder with adult.data and adult.test; got a file"
    ):
        read_table("adult", adult / "adult.test", "train")
    with pytest.raises(PathError, match=r"expects car.data in the folder .*; found adult.data.gz, adult.test"):
        read_table("car", adult)
    with pytest.raises(DataError, match=r"expects 7 values in each row of adult.test; row 1 has 15"):
        read_table("car", adult / "adult.test")
    with pytest.raises(DataError, match=r"a column 'species' in the header of adult.test"):
        read_table("penguins", adult / "adult.test")
    (adult / "car.data").touch()
    with pytest.raises(DataError, match=r"expects rows in car.data; got none"):
        read_table("car", adult)


def test_xwindows(tmp_path: Path) -> None:
    words = np.empty((2, 1), dtype=object)
    words[:, 0] = ["xterm", "dos"]
    X, y = sparse.csc_array(np.eye(2)), np.array([[1], [2]], dtype=np.uint8)
    file = tmp_path / "XwindowsDocData.mat"
    io.savemat(file, {"xtrain": X, "ytrain": y, "xtest": X[::-1], "ytest": y[::-1], "vocab": words})
    train, everything = read_xwindows(tmp_path), read_xwindows(file, "all")
    assert repr(train) == "Bags(2 documents, 2 words, 2 labels)"
    assert train.words == ["xterm", "dos"]
    assert everything.X.toarray().tolist() == [[1, 0], [0, 1], [0, 1], [1, 0]]
    assert everything.y.tolist() == ["X windows", "MS windows", "MS windows", "X windows"]
    io.savemat(file, {"xtrain": X})
    with pytest.raises(DataError, match=r"expects xtrain, ytrain, .* in XwindowsDocData.mat; ytrain is missing"):
        read_xwindows(tmp_path)
    file.write_text("no MATLAB file, but long enough to look like one: " * 9)
    with pytest.raises(DataError, match="to be a MATLAB file"):
        read_xwindows(tmp_path)


@pytest.mark.parametrize(
    ("name", "rows", "classes", "missing"),
    [
        ("adult", 48_842, 2, 6_465),
        ("car", 1_728, 4, 0),
        ("ionosphere", 351, 2, 0),
        ("mushroom", 8_124, 2, 2_480),
        ("penguins", 344, 3, 19),
        ("sonar", 208, 2, 0),
        ("titanic", 891, 2, 869),
        ("votes", 435, 2, 392),
        ("vowel", 990, 11, 0),
    ],
)
def test_real_tables(name: str, rows: int, classes: int, missing: int) -> None:
    table = read_table(name, real(name))
    assert (len(table), len(Counter(table.y.tolist()))) == (rows, classes)
    assert sum(value is None or value != value for column in table.columns.values() for value in column) == missing
    assert {len(column) for column in table.columns.values()} == {rows}


@pytest.mark.parametrize(("name", "train", "test"), [("adult", 32_561, 16_281), ("vowel", 528, 462)])
def test_real_parts(name: str, train: int, test: int) -> None:
    assert len(read_table(name, real(name), "train")) == train
    assert len(read_table(name, real(name), "test")) == test


def test_real_xwindows() -> None:
    train, test = read_xwindows(real("xwindows")), read_xwindows(real("xwindows"), "test")
    assert train.X.shape == test.X.shape == (900, len(train.words)) == (900, 600)
    model = sf.BernoulliNB().fit(train.X, train.y)
    assert 1 - model.score(test.X, test.y) == pytest.approx(0.1867, abs=5e-5)  # the figure recorded with the file
