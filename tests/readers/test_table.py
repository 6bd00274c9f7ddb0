"""Tables are read as a model knows them: by name or by place, with labels beside or inside, with gaps."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest

from readers.data import CHECKS, CLASSES, counted, drawn, log_proba
from suffice.errors import DataError, InputError, KeywordError, LabelError, ShapeError
from suffice.models.choosing.judge import judge
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.categorical import Categorical
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.poisson import Poisson
from suffice.models.likelihoods.silent import Drop
from suffice.models.predictor import Predictor
from suffice.posterior import Gamma, NormalInverseGamma
from suffice.readers.table import TableReader, one_row
from suffice.readers.table_columns import columns_of
from suffice.tables import Table


def test_labels_are_a_column_or_beside_it() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "y": ["q", "p", "q"]})
    reader = TableReader()
    for y, name in (("y", None), (None, "y"), (frame["y"], None)):
        table, target, (classes, codes) = reader.read(frame, y, name, CHECKS)
        assert (table.names, target) == (["a"], "y")
        assert (classes.tolist(), codes.tolist()) == (["p", "q"], [1, 0, 1])
    table, target, _ = reader.read(frame, ["u", "v", "u"], None, CHECKS)
    assert (table.names, target) == (["a", "y"], None)
    assert reader.without_labels(frame, frame["y"])[0].names == ["a"]
    assert reader.without_labels(frame, "y")[0].names == ["a"]
    assert reader.without_labels(frame, [1, 2, -1])[0].names == ["a", "y"]
    with pytest.raises(KeywordError, match="Labels must be given once"):
        reader.read(frame, "y", "y", CHECKS)
    with pytest.raises(InputError, match="NaiveBayes requires y to be passed"):
        reader.read(frame, None, None, CHECKS)
    with pytest.raises(InputError, match="The target 'z' must be a column of the table"):
        reader.read(frame, "z", None, CHECKS)
    with pytest.raises(LabelError, match="must hold one label per row, 3; got 2"):
        reader.read(frame, ["u", "v"], None, CHECKS)
    with pytest.raises(DataError, match="must have rows"):
        reader.read({"a": []}, [], None, CHECKS)
    with pytest.raises(DataError, match="must have columns to learn from"):
        reader.started(Table.read(np.zeros((3, 0))))


def test_columns_are_found_by_name_or_by_place() -> None:
    reader = TableReader().started(Table.read({"a": [1], "b": [2]}))
    assert reader.aligned(Table.read({"b": [2], "a": [1]})).names == ["a", "b"]
    with pytest.warns(UserWarning, match="Columns ignored, unknown to the model: 'c'"):
        assert reader.aligned(Table.read({"b": [2], "a": [1], "c": [3]})).names == ["a", "b"]
    with pytest.warns(UserWarning, match="Columns missing from the table, treated as missing in every row: 'a'"):
        assert reader.aligned(Table.read({"b": [2]})).names == ["b"]
    with pytest.raises(DataError, match="must have columns that the model knows"):
        reader.aligned(Table.read({"c": [2]}))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert reader.aligned(Table.read(np.array([[5, 6]])))["b"].values.tolist() == [6]
    with pytest.raises(ShapeError, match="X has 3 features, but NaiveBayes is expecting 2"):
        reader.aligned(Table.read(np.array([[5, 6, 7]])))
    by_place = TableReader().started(Table.read(np.array([[5, 6]])))
    with pytest.warns(UserWarning, match="X has feature names, but NaiveBayes was fitted without"):
        assert by_place.aligned(Table.read({"u": [1], "v": [2]})).names == [0, 1]


def test_rows_without_a_value_say_nothing() -> None:
    table, labels = drawn(Categorical, 0, 200)
    model = counted(table, labels)
    reader = TableReader().of(model)
    prior = np.log(model.n / model.n.sum())
    for rows in (Table.read({"a": [None, None], "b": [None, None]}), Table.read({"a": [np.nan] * 2})):
        np.testing.assert_allclose(Predictor(model).log_proba(reader.rows(rows)), np.tile(prior, (2, 1)))
    assert set(reader.rows(Table.read({"b": [1.0]}))) == {"b"}
    dropped = counted(table, labels, columns={"a": "drop", "b": "drop"})
    np.testing.assert_allclose(log_proba(dropped, table.part(slice(0, 3))), np.tile(prior, (3, 1)))
    with pytest.raises(DataError, match="Column 'b' was learned as gaussian but holds text"):
        reader.rows(Table.read({"b": ["x"]}))


FIXED: list[Any] = [
    Gaussian(NormalInverseGamma(0, 1, 2, 2)),
    Poisson(Gamma(2, 1)),
    Categorical(0.5),
    Bernoulli(),
]
"""Likelihoods whose priors do not depend on the rows."""


@pytest.mark.parametrize("likelihood", FIXED, ids=str)
@pytest.mark.parametrize("grouped", [False, True])
def test_leave_one_out_is_a_model_without_the_row_or_its_group(likelihood: Any, grouped: bool) -> None:
    table, labels = drawn(type(likelihood), 3, 60)
    reader = TableReader(columns={"a": likelihood, "b": FIXED[0]}).started(table)
    model = reader.count(table, labels, None, CLASSES)
    group = np.arange(60) // (4 if grouped else 1)
    judged = judge(Predictor(model), reader.of(model).rows(table), labels, group if grouped else None).log_proba()
    for row in (0, 17, 42):
        mine = group == group[row]
        rest = model - reader.count(table.take(mine), labels.take(mine), model, CLASSES)
        expected = Predictor(rest).log_proba(reader.rows(table.take(np.arange(60) == row), rest.likelihoods))
        np.testing.assert_allclose(judged[row], expected[0], atol=1e-9)


def test_the_estimate_is_the_users() -> None:
    table, labels = drawn(Categorical, 0, 100)
    reader = TableReader(estimate="mle", strict=True).started(table)
    model = reader.count(table, labels, None, CLASSES)
    used = model.with_likelihoods(reader.likelihoods(model))
    assert used.likelihoods["a"] == Categorical(estimate="mle", strict=True)
    assert columns_of(used) == {"a": Categorical(), "b": Gaussian()}
    assert reader.likelihoods(used) == {}
    again = used + reader.of(used).count(table, labels, used, CLASSES)  # a declaration does not name the estimate
    declared = replace(reader, columns={"a": "categorical"}).count(table, labels, again, CLASSES)
    assert declared.likelihoods == used.likelihoods
    with pytest.raises(DataError, match="Column 'a' must hold categories seen in training; got '77'"):
        Predictor(used).log_proba(reader.of(used).rows(Table.read({"a": [77]})))


def test_some_rows_and_their_bytes() -> None:
    table, labels = drawn(Drop, 0, 40)
    reader = TableReader().started(table)
    model = reader.count(table, labels, None, CLASSES)
    reader = reader.of(model)
    some = reader.take(table, np.array([1, 5, 7]))
    assert reader.size(some) == 3
    assert list(reader.row_bytes(some)) == [list(reader.row_bytes(table))[i] for i in (1, 5, 7)]
    assert list(reader.row_bytes(some)) == list(reader.row_bytes(some.only(["b"])))
    assert [len(next(iter(rows.values()))) for rows in reader.parts(some)] == [3]


@pytest.mark.parametrize("row", [{"a": 1, "b": "x"}, {"a": [1], "b": ["x"]}, pd.Series({"a": 1, "b": "x"})])
def test_one_row(row: Any) -> None:
    table = one_row(row)
    assert (len(table), table.names) == (1, ["a", "b"])
    assert one_row([1, "x"]).names == [0, 1]
    with pytest.raises(InputError, match="must be one row; got 2"):
        one_row({"a": [1, 2]})
