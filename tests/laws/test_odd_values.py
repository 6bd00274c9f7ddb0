"""Values that numpy, Arrow or UTF-8 cannot hold are learned as they are, or refused by name: never cut or merged."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from laws import weighed
from laws.estimators import EstimatorCase, every_kind_of_rows, texts
from refusals import refused

N = 40
CODES = np.arange(N) % 2


def labelled(case: EstimatorCase, y: Any) -> Any:
    X, _ = case.data(0, N)
    return clone(case.model).fit(X, y)


def words(first: str, second: str) -> list[str]:
    return [(first, second)[code] for code in CODES]


def objects(values: list[Any]) -> Any:
    out = np.empty(len(values), object)
    out[:] = values
    return out


CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {"list": list, "array": np.array, "objects": objects}


@every_kind_of_rows
@pytest.mark.parametrize(
    "container",
    [pytest.param(make, marks=() if make is np.array else pytest.mark.thorough) for make in CONTAINERS.values()],
    ids=CONTAINERS,
)
def test_labels_are_kept_apart_or_refused(case: EstimatorCase, container: Callable[[list[Any]], Any]) -> None:
    assert labelled(case, container(words("x\0y", "x\0z"))).classes_.tolist() == ["x\0y", "x\0z"]
    ends = container(words("x\0", "x"))
    if ends.dtype.kind == "O" if isinstance(ends, np.ndarray) else True:  # numpy's own strings lost it before
        with pytest.raises(sf.errors.LabelError, match=r"not end in NUL, which numpy drops; got 'x\\x00'"):
            labelled(case, ends)
    for broken in ("a\ud800", "\udfff"):
        model = labelled(case, container(words("a", broken)))
        assert model.classes_.tolist() == ["a", broken]
        if not isinstance(model, weighed.Held):  # classes of the tests have no files
            assert sf.store.from_bytes(sf.store.to_bytes(model)).classes_.tolist() == ["a", broken]
    mixed = [("1", 1)[code] for code in CODES]
    if container is not np.array:  # of numpy's strings only
        with pytest.raises(sf.errors.LabelError, match=r"of one kind; got numbers \(1\) and words \('1'\)"):
            labelled(case, container(mixed))


@every_kind_of_rows
def test_labels_of_pandas_come_back_as_they_are(case: EstimatorCase) -> None:
    pd = pytest.importorskip("pandas")
    for dtype, kind in (("Int64", "i"), ("UInt8", "u"), ("boolean", "b"), ("int64[pyarrow]", "i")):
        model = labelled(case, pd.Series(CODES, dtype=dtype))
        assert model.classes_.dtype.kind == kind
        assert model.predict(case.data(0, N)[0]).dtype.kind == kind
    for mixed in (pd.Series(objects([("1", 1)[code] for code in CODES])), pd.Series(objects(words("x\0", "x")))):
        with pytest.raises(sf.errors.LabelError, match=r"of one kind|not end in NUL"):
            labelled(case, mixed)


@every_kind_of_rows
def test_masked_values_are_missing_or_refused(case: EstimatorCase) -> None:
    X, y = case.data(0, N)
    hidden = np.arange(N) == 7
    with pytest.raises(sf.errors.LabelError, match="first in row 7"):
        labelled(case, np.ma.masked_array(CODES, hidden))
    with refused(sf.errors.SufficeError, "sample_weight", must="hold a value everywhere", got="a masked"):
        clone(case.model).fit(X, y, sample_weight=np.ma.masked_array(np.ones(N), hidden))
    if isinstance(X, np.ndarray):
        masked = np.ma.masked_array(X, np.zeros(X.shape, bool))
        clone(case.model).fit(masked, y)
        masked[7, 0] = np.ma.masked
        for question in (clone(case.model).fit, clone(case.model).fit(X, y).predict):
            with pytest.raises(sf.errors.InputError, match=r"a value everywhere; got a masked one at \(7, 0\)"):
                question(masked, *([y] if "fit" in question.__name__ else []))


def test_masked_cells_of_a_table_and_masked_labels_of_em_are_missing() -> None:
    numbers, hidden = np.random.default_rng(0).normal(size=(N, 2)), np.zeros((N, 2), bool)
    hidden[7] = True, False
    plain = np.where(hidden, np.nan, numbers)
    masked = sf.NaiveBayes().fit(np.ma.masked_array(numbers, hidden), CODES)
    np.testing.assert_array_equal(masked.predict_proba(plain), sf.NaiveBayes().fit(plain, CODES).predict_proba(plain))
    few = sf.SemiSupervised(sf.GaussianNB())
    some = np.ma.masked_array(CODES, np.arange(N) > 9)
    by_mask, by_none = clone(few).fit(numbers, some), clone(few).fit(numbers, np.where(some.mask, -1, CODES))
    np.testing.assert_array_equal(by_mask.predict_proba(numbers), by_none.predict_proba(numbers))


def test_categories_are_kept_apart_or_refused() -> None:
    for container in CONTAINERS.values():
        column = container(words("x\0y", "x\0z"))
        by_name = sf.NaiveBayes({"c": "categorical"}).fit({"c": column}, CODES)
        assert by_name.predict_proba({"c": container(words("x\0y", "x\0z"))})[:2].max() > 0.9
        rows = np.array(column).reshape(-1, 1) if not isinstance(column, list) else [[value] for value in column]
        found: Any = sf.CategoricalNB().fit(rows, CODES).categories_
        assert found[0].tolist() == ["x\0y", "x\0z"]
    for rows in ([[value] for value in words("x\0", "x")], objects(words("x\0", "x"))[:, None]):
        with pytest.raises(sf.errors.InputError, match=r"do not end in NUL, which numpy drops; got 'x\\x00' in row 0"):
            sf.CategoricalNB().fit(rows, CODES)
    broken = [sf.NaiveBayes({"c": "categorical"}).fit({"c": make(words("a\ud800", "b"))}, CODES)
              for make in CONTAINERS.values()]  # fmt: skip
    assert len({model.predict_proba({"c": ["a\ud800", "b"]}).tobytes() for model in broken}) == 1


def test_names_of_columns_may_hold_anything() -> None:
    columns = {"a\0b": np.arange(N) % 3 + CODES, "a\0c": np.arange(N) % 5 + 3.0 * CODES, "a\ud800": CODES + 0.5}
    expected = sf.NaiveBayes().fit(columns, CODES).predict_proba(columns)
    pl, pd = pytest.importorskip("polars"), pytest.importorskip("pandas")
    some = {name: columns[name] for name in ("a\0b", "a\0c")}
    for frame in (pl.DataFrame(some), pl.DataFrame(some).lazy(), pd.DataFrame(some)):
        model = sf.NaiveBayes().fit(frame, CODES)
        assert list(model.columns_) == list(some)
        np.testing.assert_array_equal(model.predict_proba(frame), model.predict_proba(some))
    assert np.isfinite(expected).all()


def test_groups_are_kept_apart_or_refused() -> None:
    X, y = np.random.default_rng(0).normal(size=(N, 2)), CODES
    fit = sf.GaussianDiscriminant().fit
    fit(X, y, groups=words("x\0", "x"))
    for groups in ([("1", 1)[k % 2] for k in range(N)], np.ma.masked_array(np.arange(N), np.arange(N) == 3)):
        with refused(sf.errors.LabelError, "groups", must="hold"):
            fit(X, y, groups=groups)


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    rows = texts(np.random.default_rng(0), N, CODES)
    model = sf.TextClassifier().fit(rows, CODES, journal=True)
    certificate = model.forget(rows[:1], CODES[:1])
    for write in (lambda path: sf.save(model, path), certificate.save):
        with pytest.raises(sf.errors.PathError, match=r"'.*a\\x00b' must not hold NUL"):
            write(str(tmp_path / "a\0b"))
        with pytest.raises(sf.errors.WriteError, match="cannot be written: file name too long"):
            write(tmp_path / ("a" * 300))
    if Path("/dev/full").exists():
        with pytest.raises(sf.errors.WriteError, match="'/dev/full' cannot be written: no space left on device"):
            sf.save(model, "/dev/full")
    assert not list(tmp_path.iterdir())
    for name in ("a\0b", "a" * 300):
        with pytest.raises(sf.errors.PathError, match=r"must not hold NUL|name is too long"):
            sf.load(tmp_path / name)
