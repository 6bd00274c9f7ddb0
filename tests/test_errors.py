"""Errors carry fields: a sentence is made of them, and copies keep them."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from refusals import refused
from suffice import errors
from suffice.engines.jobs import failure, told
from suffice.errors import (
    ConflictError,
    DataError,
    InputError,
    KindError,
    LabelError,
    MissingLibrary,
    PathError,
    SufficeError,
    WriteError,
)
from suffice.models.scoring.ellipses import SingularMatrix


def every() -> list[SufficeError]:
    """Return an error of each type, with all its fields."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, SufficeError)]
    return [
        kind("f.x", "be one", got=2, row=3, column="c", path=Path("a.csv"), cause=ValueError("why"))
        .but("it is two", "Leave it out.", python="Use f(x=1).", shell="Use --x 1.")
        for kind in kinds
    ]  # fmt: skip


@pytest.mark.parametrize("error", every(), ids=lambda error: type(error).__name__)
def test_copies_keep_the_text_and_the_fields(error: SufficeError) -> None:
    assert str(error) == "The argument 'x' of f must be one; it is two: why Leave it out. Use f(x=1)."
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert str(again.cause) == "why"
        assert {**vars(again), "cause": ""} == {**vars(error), "cause": ""}
    again = type(error).__new__(type(error))  # as Dask makes copies
    again.args = error.args
    assert str(again) == str(error)


def test_a_sentence_is_made_of_the_fields() -> None:
    for error, sentence in {
        InputError("folds", "be at least 2", got=1): "The argument 'folds' must be at least 2; got 1.",
        InputError("top.k", "be at least 0", got=-1): "The argument 'k' of top must be at least 0; got -1.",
        KindError("NaiveBayes.prior", "be a Beta", got_a=1):
            "The 'prior' parameter of NaiveBayes must be a Beta; got an int.",
        LabelError("X and y", "fit together"): "The arguments 'X' and 'y' must fit together.",
        LabelError("Labels", "be of one kind").but("got two"): "Labels must be of one kind; got two.",
        DataError(column="a", must="be finite").but("got inf"): "Column 'a' must be finite; got inf.",
        PathError(path="a.csv", must="be a file").but("it is a folder"):
            "The file 'a.csv' must be a file; it is a folder.",
        InputError("There are no rows.").advise("Give some."): "There are no rows. Give some.",
        InputError("x", "be a row", got=np.zeros((2, 2))):
            "The argument 'x' must be a row; got array([[0., 0.], [0., 0.]]).",
        DataError("data", "hold rows", cause=InputError("No rows.")).but("part 2 cannot"):
            "The argument 'data' must hold rows; part 2 cannot: No rows.",
    }.items():  # fmt: skip
        assert str(error) == sentence
        assert "\n" not in str(error)


def test_fields_tell_what_came() -> None:
    assert InputError("folds", "be 2", got=1).got == "1"
    assert InputError("folds", "be 2").but("got shape (3,)").got == "shape (3,)"
    assert InputError("folds", "be 2").but("it is a folder").got == "it is a folder"
    assert ConflictError("No hypothesis.", examples=(1, 2)).examples == (1, 2)
    assert MissingLibrary("It needs Altair.").what == "It needs Altair."
    assert WriteError("It is full.", path="a").path == "a"


def test_errors_travel_as_text() -> None:
    inner = InputError("The column 'y'", "hold a label").advise(python="Use skip.", shell="Use --skip.")
    for cause in (inner, ValueError("no label")):
        error = DataError("paths", "hold rows", row=3, column="y", cause=cause).but(
            "row 3 cannot", shell="--errors skip"
        )
        again = failure(told(error))
        assert str(again) == str(error)
        assert {**vars(again), "cause": str(again.cause)} == {**vars(error), "cause": str(cause)}
    assert vars(failure(told(DataError(cause=inner))).cause) == vars(inner)


def test_errors_of_the_library_have_fields() -> None:
    rows, labels = [[1.0, 2.0], [2.0, 1.0], [0.0, 3.0], [1.0, 1.0]], ["a", "b", "a", "b"]
    model = sf.GaussianNB().fit(rows, labels)
    with refused(InputError, "factor", must="at most 1", got="2"):
        model.decay(2)
    with refused(LabelError, "y", got="1"):
        sf.NaiveBayes().fit({"a": [1, 2]}, ["a"])
    with refused(DataError, column="a", row=1):
        sf.NaiveBayes().fit({"a": [1.0, np.inf]}, ["a", "b"])
    with refused(KindError, column="a", row=0):
        sf.NaiveBayes().fit({"a": [object(), object()]}, ["a", "b"])
    kept = sf.NaiveBayes(effort="fast").fit({"a": [1, 2]}, ["a", "b"], journal=True)
    with refused(errors.SubtractionError, row=1):
        kept.forget({"a": [1, 7]}, ["a", "b"])


def test_a_subclass_keeps_fields_of_its_own() -> None:
    error = SingularMatrix("It is singular.", "columns are collinear", 1)
    again = pickle.loads(pickle.dumps(error))
    assert (again.why, again.code, str(again)) == (error.why, error.code, str(error))
