"""What parts send to each other: whole numbers in few bytes, and every number as it was."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from store.cases import models
from suffice.errors import DataError
from suffice.store import registry, to_bytes
from suffice.store.statistics import FEW, narrow, statistics_from_bytes, statistics_to_bytes, wide

CASES = models()
KINDS = ["<f8", "<f4", "<i8", "<i4", "<u8", "<u4"]
WHOLE = st.integers(0, 300) | st.integers(0, 2**16 + 2) | st.integers(2**31 - 2, 2**32 - 1)


def again(array: Any) -> Any:
    found = narrow(array)
    if found is None:
        return array
    numbers, large, steps = found
    return wide(numbers, large, array.dtype.str, steps)


@given(few=st.lists(WHOLE, min_size=1, max_size=12), kind=st.sampled_from(KINDS), rising=st.booleans())
def test_whole_numbers_come_back_to_the_bit(few: list[int], kind: str, rising: bool) -> None:
    numbers = np.resize(np.array(few, np.uint64), 5 * FEW)
    numbers = np.sort(numbers) if rising else numbers
    array = np.minimum(numbers, 2**31 - 1 if kind == "<i4" else 2**32 - 1).astype(kind)
    array = np.minimum(array, np.float32(2**31)) if kind == "<f4" else array
    found = again(array)
    assert found.dtype == array.dtype
    assert found.tobytes() == array.tobytes()


def test_other_numbers_stay_as_they_are() -> None:
    for odd in [0.5, -1.0, -0.0, np.nan, np.inf, 2.0**32, 1e300]:
        array = np.append(np.ones(FEW), odd)
        assert narrow(array) is None


def test_numbers_take_as_few_bytes_as_they_can() -> None:
    counts = np.where(np.arange(1000) % 50 == 0, 1e6, 1.0)
    words = np.concatenate([np.arange(0, 200_000, 7), np.arange(0, 200_000, 5)]).astype(np.int32)
    for array, steps in ((counts, False), (words, True)):
        numbers, large, are_steps = narrow(array)  # type: ignore[misc]
        assert numbers.dtype == np.uint8
        assert are_steps is steps
        assert len(large) <= 20
        np.testing.assert_array_equal(again(array), array)


def test_a_model_comes_back_as_it_was() -> None:
    for name in sorted(name for name, (model, _) in CASES.items() if registry.is_estimator(model)):
        model, _ = CASES[name]
        data = statistics_to_bytes({"model": model})
        assert to_bytes(statistics_from_bytes(data)["model"]) == to_bytes(model)


def test_counts_of_words_travel_in_a_third_of_their_file() -> None:
    """The file of counts alone: weights and residuals, which do not travel, would make it larger."""
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{k}" for k in rng.integers(0, 20_000, 60)) for _ in range(2000)]
    model = sf.TextClassifier(alpha=1.0, temper=None, feature_powers=None, ngram_range=(1, 1))
    model.fit(texts, rng.integers(0, 4, 2000))
    assert len(statistics_to_bytes({"model": model})) < len(to_bytes(model)) / 3


def test_numbers_that_do_not_fit_together_are_refused() -> None:
    numbers, large, steps = narrow(np.where(np.arange(1000) % 50 == 0, 1e6, 1.0))  # type: ignore[misc]
    with pytest.raises(DataError, match="as many that stand apart as positions"):
        wide(numbers, large[1:], "<f8", steps)
    with pytest.raises(DataError, match="known kind"):
        wide(numbers, large, "<c16", steps)


def test_a_model_file_is_not_taken_for_what_parts_send() -> None:
    with pytest.raises(DataError, match="such as a model file"):
        statistics_from_bytes(to_bytes(sf.BernoulliNB().fit([[0], [1]], ["a", "b"])))
