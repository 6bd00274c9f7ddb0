"""Laws of journals, over every classifier: what was not learned is refused, whatever its rows came from."""

import json
import operator
import pickle
from copy import copy
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from sklearn.base import clone

import suffice as sf
from laws import weighed
from laws.estimators import LABELS, EstimatorCase, every_kind_of_rows
from laws.inside import statistics
from laws.test_estimators import rows
from refusals import refused
from suffice.errors import DataError, FileError, InputError, KindError, LabelError, ShapeError, SubtractionError
from suffice.stats import Journal
from suffice.stats.content import cell
from suffice.stats.journal import Key
from suffice.store import registry
from suffice.store.models import from_bytes, to_bytes

FIRST, LAST = np.arange(40), np.arange(40, 60)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (weighed.Texts, weighed.Counts, weighed.Columns):
        monkeypatch.setitem(registry.ESTIMATORS, kind.__name__, kind)


def journaled(case: EstimatorCase, seed: int = 0, journal: Any = "a key") -> tuple[Any, Any, Any]:
    X, y = case.data(seed, 60)
    return clone(case.model).fit(X, y, journal=journal), X, y


@every_kind_of_rows
def test_a_row_is_forgotten_once(case: EstimatorCase) -> None:
    model, X, y = journaled(case)
    plain = clone(case.model).fit(X, y)
    certificate = model.forget(rows(X, LAST), y[LAST], journal="a key")
    assert statistics(model) == statistics(plain.forget(rows(X, LAST), y[LAST]))
    assert certificate.rows == len(certificate.hashes) == 20
    assert certificate.after == sha256(to_bytes(model)).hexdigest() != certificate.before
    before = to_bytes(model)
    twins = [row for row in LAST.tolist() if model.journal_.not_learned(hashed(model, X, y, [row])) is not None]
    order = np.array([*FIRST[:3], twins[0], *FIRST[3:6]])
    with pytest.raises(SubtractionError, match=r"row 3 \(the first is 0\)"):
        model.forget(rows(X, order), y[order], journal="a key")
    assert to_bytes(model) == before


def hashed(model: Any, X: Any, y: Any, which: Any) -> Any:
    examples = model._learned(rows(X, which), y[which], None)
    return Key("a key").hashes(model._reader.row_bytes(examples.source), [*map(cell, examples.y.tolist())])


@every_kind_of_rows
def test_a_row_goes_with_its_own_label_and_weight_alone(case: EstimatorCase) -> None:
    model, X, y = journaled(case)
    seen = {tuple(pair) for pair in hashed(model, X, y, np.arange(60)).tolist()}
    turned = LABELS[(np.searchsorted(LABELS, y) + 1) % 3]
    row = next(row for row in range(60) if tuple(hashed(model, X, turned, [row]).tolist()[0]) not in seen)
    with pytest.raises(SubtractionError, match="not learned with this label"):
        model.forget(rows(X, [row]), turned[[row]], journal="a key")
    with pytest.raises(SubtractionError, match="learned with the weight 1; got 61"):
        model.forget(rows(X, [row]), y[[row]], [61.0], journal="a key")


@every_kind_of_rows
def test_a_row_is_forgotten_with_its_own_weight_or_not_at_all(case: EstimatorCase) -> None:
    """A row of weight 2 is not two rows: a certificate of half of it would be wrong, as the row is in the model."""
    X, y = case.data(0, 60)
    weights = np.where(np.arange(60) % 3, 2.0, 0.0)
    model = clone(case.model).fit(X, y, sample_weight=weights, journal=True)
    before = to_bytes(model)
    for wrong in (1.0, 1.999, 4.0):
        with pytest.raises(SubtractionError, match=r"row 0 .* learned with the weight 2; got "):
            model.forget(rows(X, [1]), y[[1]], [wrong])
    assert to_bytes(model) == before
    some = np.arange(10)
    kept = np.array(
        [tuple(one) for one in _hashes(model, rows(X, some[weights[some] > 0]), y[some[weights[some] > 0]])[0]]
    )
    certificate = model.forget(rows(X, some), y[some], weights[some])
    assert [certificate.rows, *certificate.hashes] == [len(kept), *(f"{a:016x}{b:016x}" for a, b in kept)]
    assert certificate.left == model.journal_.copies(np.unique(kept, axis=0)).sum()


@every_kind_of_rows
def test_what_was_learned_is_known_wherever_it_came_from(case: EstimatorCase) -> None:
    model, X, y = journaled(case)
    assert model.has_learned(X, y, journal="a key").all()
    seen = {tuple(pair) for pair in hashed(model, X, y, FIRST).tolist()}
    model.forget(rows(X, LAST), y[LAST], journal="a key")
    expected = [tuple(pair) in seen for pair in hashed(model, X, y, np.arange(60)).tolist()]
    assert model.has_learned(X, y, journal="a key").tolist() == expected
    assert not model.has_learned(X, np.full(60, "another"), journal="a key").any()
    with pytest.raises(InputError, match="key of this model's journal"):
        model.has_learned(X, y)
    with pytest.raises(InputError, match="only if it keeps a journal"):
        clone(case.model).fit(X, y).has_learned(X, y)


def test_a_certificate_tells_how_many_equal_rows_are_left() -> None:
    model = sf.BernoulliNB().fit([[1], [1], [1], [0]], ["a", "a", "b", "b"], journal=True)
    model.partial_fit([[1]], ["a"], sample_weight=[2.0])
    certificate = model.forget([[1], [0]], ["a", "b"])
    assert (certificate.rows, certificate.left, json.loads(certificate.json)["left"]) == (2, 2, 2)
    assert "2 equal left" in repr(certificate)
    with pytest.raises(SubtractionError, match="learned once with this label, and comes more often"):
        model.forget([[1], [1]], ["a", "a"])
    assert model.forget([[1], [1]], ["a", "a"], [2.0, 1.0]).left == 0


def test_rows_that_fade_keep_their_weights_apart() -> None:
    model = sf.BernoulliNB().fit([[1], [0]], ["a", "b"], journal=True).decay(0.9).decay(0.9)
    model.partial_fit([[1]], ["a"])
    assert repr(model.journal_) == "Journal(2 distinct rows, total weight 2.62)"
    assert model.forget([[1]], ["a"], [0.81]).left == 1
    with pytest.raises(SubtractionError, match=r"learned with the weight 1; got 0\.81"):
        model.forget([[1]], ["a"], [0.81])
    assert model.forget([[1]], ["a"]).left == 0


@every_kind_of_rows
def test_journals_add_subtract_and_fade_with_the_counts(case: EstimatorCase) -> None:
    whole, X, y = journaled(case)
    a, b = (clone(case.model).fit(rows(X, part), y[part], journal="a key") for part in (FIRST, LAST))
    assert (a + b).journal_ == (b + a).journal_ == sf.merge([a, b]).journal_ == whole.journal_
    assert (whole - b).journal_ == a.journal_
    batches = clone(case.model).partial_fit(rows(X, FIRST), y[FIRST], classes=LABELS, journal="a key")
    assert batches.partial_fit(rows(X, LAST), y[LAST], journal="a key").journal_ == whole.journal_
    half = copy(whole).decay(0.5)
    assert half.journal_.total == 30
    with pytest.raises(SubtractionError, match=r"learned with the weight 0\.5; got 1"):
        half.forget(rows(X, FIRST), y[FIRST], journal="a key")
    half.forget(rows(X, FIRST), y[FIRST], np.full(40, 0.5), journal="a key")
    assert half.journal_ == b.journal_.scaled(0.5)
    with pytest.raises(SubtractionError, match="not in the journal with this weight, or not as often"):
        a - b


@every_kind_of_rows
def test_the_key_is_nowhere_and_another_is_refused(case: EstimatorCase) -> None:
    model, X, y = journaled(case, journal="zanzibarquux")
    for data in (to_bytes(model), pickle.dumps(model)):
        assert b"zanzibarquux" not in data
    again = from_bytes(to_bytes(model))
    assert again.journal_ == model.journal_
    assert to_bytes(again) == to_bytes(model)
    one = rows(X, [0]), y[:1]
    for change in (again.forget, again.partial_fit):
        for wrong, got in ((None, "none"), (True, "none"), ("other", "another"), (b"other", "another")):
            with pytest.raises(InputError, match=f"key of this model's journal; got {got}"):
                change(*one, journal=wrong)
    other = clone(case.model).fit(X, y, journal=b"other")
    with pytest.raises(InputError, match="under one key"):
        again + other
    plain = clone(case.model).fit(X, y)
    for a, b in ((again, plain), (plain, again)):
        for combined in (operator.add, operator.sub):
            with pytest.raises(InputError, match="all keep a journal, or none"):
                combined(a, b)
    with pytest.raises(InputError, match="has learned rows without a journal"):
        plain.partial_fit(*one, journal=True)
    with pytest.raises(InputError, match="fitted without"):
        plain.forget(*one, journal=True)
    with pytest.raises(InputError, match="must not be False"):
        again.partial_fit(*one, journal=False)
    assert to_bytes(again) == to_bytes(model)
    assert (again.drop_journal() + plain).journal_ is None
    assert plain.fit(X, y, journal=True).journal_ is not None
    assert plain.fit(X, y).journal_ is None


@every_kind_of_rows
def test_forgetting_all_leaves_no_journal(case: EstimatorCase) -> None:
    model, X, y = journaled(case, journal=True)
    certificate = model.forget(X, y)
    assert certificate.after is None
    assert not hasattr(model, "classes_")
    assert model._journal is None


TABLE: dict[str, Any] = {
    "n": [1, 2, 3, 0],
    "r": [0.1, -0.0, 2.0, 1e30],
    "c": ["Oslo", None, "Rome", "Zürich"],
    "f": [True, False, True, False],
    "y": ["a", "b", "a", "b"],
}
FORMS: dict[str, Any] = {
    "dict": TABLE,
    "pandas": pd.DataFrame(TABLE),
    "turned": pd.DataFrame(TABLE)[["y", "f", "c", "r", "n"]],
    "categories": pd.DataFrame(TABLE).astype({"c": "category", "n": "float64", "f": "int8"}),
    "nullable": pd.DataFrame(TABLE).astype({"n": "Int64", "r": "Float64", "c": "string", "f": "boolean"}),
    "polars": pl.DataFrame(TABLE),
    "arrow": pa.table(TABLE),
    "narrow": pa.table(TABLE).set_column(0, "n", pa.array(TABLE["n"], pa.uint8())),
}
PLAIN: dict[str, Any] = {"columns": {"r": "gaussian", "n": "gaussian"}, "temper": None, "feature_powers": None}


@pytest.mark.parametrize("form", FORMS)
def test_a_row_of_a_table_is_the_same_whatever_it_came_from(form: str) -> None:
    model = sf.NaiveBayes(**PLAIN).fit(FORMS["dict"], "y", journal=True)
    assert sf.NaiveBayes(**PLAIN).fit(FORMS[form], "y", journal=True).journal_ == model.journal_
    assert model.forget(FORMS[form], "y").rows == 4


def test_a_row_of_a_file_is_the_same_as_in_memory(tmp_path: Path) -> None:
    pd.DataFrame(TABLE).to_csv(tmp_path / "t.csv", index=False)
    pq.write_table(pa.table(TABLE), tmp_path / "t.parquet")
    whole = sf.NaiveBayes(**PLAIN).fit(TABLE, "y", journal="k").journal_
    for name in ("t.csv", "t.parquet"):
        model = sf.fit_files(sf.NaiveBayes(**PLAIN), tmp_path / name, "y", journal="k")
        assert model.journal_ == whole


def test_columns_that_are_dropped_or_missing_take_no_part() -> None:
    table = {"x": [1.0, 2.0], "z": [None, None], "id": ["p", "q"], "y": ["a", "b"]}
    dropping = sf.NaiveBayes({"id": "drop"}, temper=None)
    model = clone(dropping).fit(table, "y", journal=True)
    assert model.journal_ == clone(dropping).fit({"x": [1, 2], "id": ["r", "s"]}, ["a", "b"], journal=True).journal_
    with pytest.raises(SubtractionError, match="row 1"):
        model.forget({"x": [1.0, 2.0], "z": [None, 7.0], "id": ["p", "q"]}, ["a", "b"])


def test_a_row_of_a_matrix_is_the_same_dense_or_sparse() -> None:
    X, y = np.array([[0, 2, 0], [1, 0, 3], [0, 0, 0]]), [True, False, True]
    forms = [X, X.astype(np.float32), X.tolist(), pd.DataFrame(X), sparse.csr_matrix(X), sparse.csc_array(X)]
    double = sparse.csr_matrix((np.array([1.0, 1.0, 1.0, 3.0, 0.0]), ([0, 0, 1, 1, 2], [1, 1, 0, 2, 2])), shape=(3, 3))
    journals = [sf.MultinomialNB().fit(form, y, journal=True).journal_ for form in [*forms, double]]
    assert all(journal == journals[0] for journal in journals)
    assert journals[0] == sf.MultinomialNB().fit(X, [1.0, 0.0, 1.0], journal=True).journal_


def test_a_text_is_the_same_whatever_it_came_from() -> None:
    texts, y = ["cheap pills", "lunch at nöön", "cheap pills"], np.array(["a", "b", "a"])
    forms = [texts, tuple(texts), iter(texts), np.array(texts), pd.Series(texts), pl.Series(texts), pa.array(texts)]
    forms += [[text.encode() for text in texts], (text for text in texts), pa.chunked_array([texts[:1], texts[1:]])]
    forms += [list(pa.array(texts)), iter(pa.array(texts))]
    journals: list[Any] = [sf.TextClassifier().fit(form, y, journal=True).journal_ for form in forms]
    assert all(journal == journals[0] for journal in journals)
    assert len(journals[0]) == 2
    model = sf.TextClassifier().fit(texts, y, journal=True)
    assert model.forget(iter(texts[:2]), y[:2]).rows == 2
    stream = sf.TextClassifier().partial_fit(iter(texts), y, classes=["a", "b"], journal=True)
    assert stream.partial_fit(iter(texts), y).journal_ == journals[0] + journals[0]
    with pytest.raises(LabelError):
        model.forget(texts, y[:2])


def test_what_a_tokenizer_of_ones_own_takes() -> None:
    model = sf.TextClassifier(tokens=sf.Tokens(analyzer=list), alpha=1.0, temper=None)
    certificate = model.fit([["a", "b"], ["c"]], [0, 1], journal=True).forget([["a", "b"]], [0])
    assert certificate.before is certificate.after is None  # a file holds no functions
    things: Any = [{}, {}]
    with pytest.raises(KindError, match="text and numbers"):
        sf.TextClassifier(tokens=sf.Tokens(analyzer=lambda x: ["a"]), temper=None).fit(things, [0, 1], journal=True)


def test_numbers_that_float64_does_not_have_are_distinguished() -> None:
    assert cell(2**60) == cell(2.0**60) != cell(2**60 + 1)
    assert cell(1) == cell(1.0) == cell(True) == cell(np.int8(1)) == cell(np.float32(1)) != cell("1")
    assert cell(-0.0) == cell(0)
    table = {"c": [2**60, 2**60 + 1]}
    a, b = (sf.NaiveBayes({"c": "histogram"}, temper=None).fit({"c": [v]}, ["a"], journal=True) for v in table["c"])
    assert a.journal_ != b.journal_


def test_a_weight_of_nothing_was_not_learned() -> None:
    X, y = [[1.0], [2.0], [4.0]], ["a", "a", "b"]
    model = sf.GaussianNB().fit(X, y, [1.0, 0.0, 2.5], journal=True)
    assert model.journal_ is not None
    assert model.journal_.total == 3.5
    with pytest.raises(SubtractionError, match="row 0"):
        model.forget([[2.0]], ["a"])
    assert model.forget([[4.0]], ["b"], [2.5]).rows == 1


def test_what_is_no_key() -> None:
    cases: Any = ["", b"", 3, 2.5, ["key"]]
    for wrong in cases:
        with refused(InputError, "journal", must="be True or a key"):
            sf.BernoulliNB().fit([[0], [1]], [0, 1], journal=wrong)


def test_a_long_key_is_a_key() -> None:
    a, b = (Key("k" * 64 + end).check for end in "ab")
    assert (a != b).any()


def test_a_certificate_is_written_once(tmp_path: Path) -> None:
    model = sf.BernoulliNB().fit([[0], [1], [1]], ["a", "b", "b"], journal=True)
    sf.save(model, tmp_path / "m.suffice")
    certificate = model.forget([[1]], ["b"])
    certificate.save(tmp_path / "c.json")
    written = json.loads((tmp_path / "c.json").read_text())
    assert written["rows"] == 1
    assert written["hashes"] == list(certificate.hashes)
    assert written["before"] == sha256((tmp_path / "m.suffice").read_bytes()).hexdigest()
    assert written["time"].endswith("+00:00")
    assert "1 row forgotten at" in repr(certificate)
    with pytest.raises(FileError, match="never replaces another"):
        certificate.save(tmp_path / "c.json")
    with pytest.raises(AttributeError):
        certificate.rows = 2


def arrays(**other: Any) -> dict[str, Any]:
    whole = {"first": [1, 1], "second": [2, 3], "count": [1, 1], "check": [0, 0]} | other
    out: dict[str, Any] = {name: np.array(value, np.uint64) for name, value in whole.items() if name != "weight"}
    return out | {"weight": np.array(other.get("weight", [1.0, 2.0]))}


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"first": [1, 0]}, DataError),
        ({"second": [3, 3], "weight": [2.0, 1.0]}, DataError),
        ({"second": [3]}, ShapeError),
        ({"weight": [1.0, 0.0]}, DataError),
        ({"weight": [1.0, float("nan")]}, DataError),
        ({"weight": [1.0, 2.0**60]}, DataError),
        ({"weight": [1, 2]}, DataError),
        ({"count": [1, 0]}, DataError),
        ({"count": [1]}, ShapeError),
        ({"second": [3, 3], "weight": [1.0, 1.0]}, DataError),
        ({"check": [0]}, ShapeError),
        ({"more": [0]}, DataError),
    ],
)
def test_what_no_rows_could_give_is_no_journal(wrong: Any, error: Any) -> None:
    assert Journal.from_arrays(arrays()).total == 3
    assert len(Journal.from_arrays(arrays(second=[3, 3], count=[2, 1]))) == 1
    with pytest.raises(error):
        Journal.from_arrays(arrays(**wrong))


def test_a_forged_journal_is_refused() -> None:
    model = sf.BernoulliNB().fit([[0], [1]], ["a", "b"], journal=True)
    state = model._get_state()
    state["statistics"]["journal"] = state["statistics"]["classes"]
    with pytest.raises(DataError, match="journal"):
        sf.BernoulliNB()._set_state(state)


@every_kind_of_rows
def test_refresh_refuses_rows_that_the_model_does_not_hold(case: EstimatorCase) -> None:
    model, X, y = journaled(case, journal=True)
    model.forget(rows(X, LAST), y[LAST])
    before = to_bytes(model)
    one_more = np.append(FIRST, LAST[0])
    if model.journal_.not_learned(*_hashes(model, rows(X, one_more), y[one_more])) is None:
        pytest.skip("an equal row was learned as often")
    with pytest.raises(SubtractionError):
        model.refresh(rows(X, one_more), y[one_more])
    assert to_bytes(model) == before
    assert not model.refresh(rows(X, FIRST), y[FIRST]).stale_


def _hashes(model: Any, X: Any, y: Any) -> tuple[Any, Any]:
    examples = model._learned(X, y, None)
    return Key(None).hashes(model._reader.row_bytes(examples.source), [*map(cell, examples.y.tolist())]), None
