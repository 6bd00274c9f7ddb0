"""Arrays of a file that no documents could have given are refused."""

from typing import Any

import numpy as np
import pytest

from suffice.errors import DataError, LabelError, ShapeError, SubtractionError
from suffice.stats.word_counts import WordCounts

TEXTS = ["aa aa bb", "bb cc", "cc cc cc dd"]


def arrays(**changed: Any) -> dict[str, Any]:
    found = dict(WordCounts.of(TEXTS, [0, 0, 1], bursts=True).arrays())
    return {**found, **{name: change(found[name].copy()) for name, change in changed.items()}}


def put(at: Any, value: Any) -> Any:
    def change(array: Any) -> Any:
        array[at] = value
        return array

    return change


def test_what_documents_gave_is_taken() -> None:
    assert WordCounts.from_arrays(arrays()) == WordCounts.of(TEXTS, [0, 0, 1], bursts=True)
    assert WordCounts.from_arrays(arrays()) != 3


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"n": lambda a: a.astype(np.float32)}, "'n' parameter of WordCounts must be an array with ndim 1"),
        ({"tokens": lambda a: a[None]}, "'tokens' parameter of WordCounts must be an array"),
        ({"hash_bits": lambda a: np.full_like(a, 31)}, "'hash_bits' parameter of WordCounts must be from 0 to 30"),
        ({"hash_bits": lambda a: np.full_like(a, 4)}, "'bytes' parameter of WordCounts must be empty"),
        ({"n": put(0, -1.0)}, "must not be negative"),
        ({"documents": put(0, np.nan)}, "must not be negative, NaN"),
        ({"tokens": put(0, 2.0**60)}, r"above 2\*\*53"),
        ({"start": lambda a: a[:-1]}, "'start' parameter of WordCounts must have one more"),
        ({"tokens": lambda a: a[:-1]}, "and 'tokens' as many as 'word'"),
        ({"start": put(0, 1)}, "must rise from 0"),
        ({"start": put(1, 100)}, "must rise from 0"),
        ({"word": put(0, -1)}, "'word' parameter of WordCounts must be from 0 to 3"),
        ({"word": put(-1, 4)}, "'word' parameter of WordCounts must be from 0 to 3"),
        ({"word": put(1, 0)}, "'word' parameter of WordCounts must increase"),
        ({"repeats": lambda a: a[:, :2]}, "'repeats' parameter of WordCounts must have 3 columns"),
        ({"repeats": put((0, 2), 1)}, "'repeats' parameter of WordCounts must refer to"),
        ({"lengths": put((0, 0), 9)}, "'lengths' parameter of WordCounts must refer to"),
        ({"repeats": put((0, 1), 3)}, "'repeats' parameter of WordCounts must list words that the class has"),
    ],
)
def test_what_none_could_give_is_refused(changed: Any, words: str) -> None:
    with pytest.raises((DataError, ShapeError), match=words):
        WordCounts.from_arrays(arrays(**changed))


def test_names_must_be_those() -> None:
    given = arrays()
    del given["word"]
    with pytest.raises(DataError, match="must hold"):
        WordCounts.from_arrays(given)


def test_labels_must_be_codes() -> None:
    with pytest.raises(LabelError, match="class codes"):
        WordCounts.of(TEXTS, [0.5, 1.0, 0.0])


def test_documents_that_were_not_there_cannot_be_taken_out() -> None:
    one = WordCounts.of(TEXTS, [0, 0, 1], bursts=True)
    for other in (WordCounts.of(["aa bb", "bb cc", "cc cc cc dd"], [0, 0, 1], bursts=True), one + one):
        with pytest.raises(SubtractionError, match="lack some of their words"):
            one - other
