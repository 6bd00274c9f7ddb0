"""Every value in a header is checked before it becomes an object."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.errors import DataError, KindError
from suffice.store import registry, to_bytes
from suffice.store.values import Reader


def reader(**tensors: Any) -> Any:
    file: Any = SimpleNamespace(layout=SimpleNamespace(tensors=tensors), array=tensors.__getitem__)
    return Reader(file)


def test_a_value_is_read() -> None:
    one = reader(t=np.array([1.0, 2.0]), s=np.frombuffer(b"ab", np.uint8), o=np.array([0, 1, 2]))
    assert one.read({"$": "dict", "of": [["k", {"$": "number", "of": "-inf"}]]}) == {"k": -np.inf}
    assert one.read({"$": "array", "dtype": "<f8", "tensor": "t"}).tolist() == [1, 2]
    with pytest.raises(DataError, match="'o' is not"):
        one.done()
    assert one.read({"$": "texts", "bytes": "s", "offset": "o"}) == ["a", "b"]
    one.done()


U4 = np.zeros((2, 3), np.uint32)


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ([], "must name its type"),
        ({"$": 3}, "must name its type"),
        ({"$": "nothing"}, "of a known kind"),
        ({"$": "number", "of": "1"}, "of a known kind"),
        ({"$": "again", "of": 0}, "of a known kind"),
        ({"$": "scalar", "dtype": "|O", "of": 1}, "of a known kind"),
        ({"$": "list", "of": {}}, "in a list"),
        ({"$": "objects", "of": None}, "in a list"),
        ({"$": "dict", "of": [3]}, "in a list"),
        ({"$": "estimator", "of": []}, "an estimator must be one of"),
        ({"$": "estimator", "of": {"estimator": "GaussianNB", "more": 1}}, "must have only known parts"),
        ({"$": "estimator", "of": {"estimator": "GaussianNB", "parameters": 3}}, "must have names"),
        ({"$": "estimator", "of": {"estimator": "GaussianNB", "parameters": {"x": 3}}}, "its own parameters"),
        ({"$": next(iter(registry.STATISTICS)), "of": []}, "must have arrays"),
        ({"$": next(iter(registry.RECORDS)), "of": []}, "must have fields"),
        ({"$": "WordList", "of": {}}, "must have"),
        ({"$": "Temper", "of": {"power": "1", "length": 1.0, "prior": 1.0}}, "'power' parameter of Temper must be"),
        ({"$": "Temper", "of": {"power": True, "length": 1.0, "prior": 1.0}}, "'power' parameter of Temper must be"),
        ({"$": "Temper", "of": {"power": 2**60, "length": 1.0, "prior": 1.0}}, "'power' parameter of Temper must be"),
        ({"$": "Temper", "of": {"length": 1.0, "power": 1.0, "prior": 1.0}}, "A Temper must have"),
        ({"$": "array", "dtype": "<i8", "of": [1.5]}, "labels must be few"),
        ({"$": "array", "dtype": "<i8", "of": [1] * 100_000}, "labels must be few"),
        ({"$": "array", "dtype": "<f8", "tensor": "none"}, "must name an existing tensor"),
        ({"$": "array", "dtype": "<f8", "tensor": ["t"]}, "must name an existing tensor"),
        ({"$": "array", "dtype": "<f4", "tensor": "f"}, "of the kind of its tensor"),
        ({"$": "array", "dtype": "<U3", "tensor": "f"}, "an array of code points"),
        ({"$": "array", "dtype": "<U3", "tensor": "far"}, "valid code points"),
        ({"$": "strings", "bytes": "ff", "offset": "o"}, "must be UTF-8"),
        ({"$": "strings", "bytes": "s", "offset": "falls"}, "offsets that increase"),
        ({"$": "strings", "bytes": "s", "offset": "f"}, "offsets that increase"),
    ],
)
def test_what_no_model_has_is_refused(node: Any, words: str) -> None:
    there = reader(
        f=np.array([1.0, 2.0]),
        far=U4 + 0x110000,
        s=np.frombuffer(b"ab", np.uint8),
        ff=np.frombuffer(b"\xff\xff", np.uint8),
        o=np.array([0, 1, 2]),
        falls=np.array([0, 3, 2]),
    )
    with pytest.raises(DataError, match=words):
        there.read(node)


def test_texts_of_one_length_and_dates_keep_their_type() -> None:
    for labels in (np.array(["ab", "c"] * 40), np.repeat(np.arange(4).astype("M8[D]"), 20)):
        X = np.random.default_rng(0).poisson(1, (80, 2))
        model = sf.MultinomialNB().fit(X, labels)
        again = sf.store.from_bytes(to_bytes(model))
        assert again.classes_.dtype == model.classes_.dtype
        assert (again.classes_ == model.classes_).all()


def test_what_a_file_cannot_hold_is_named() -> None:
    for prior, words in (
        (3j, "a complex"),
        (np.array([1j]), "an array of complex128"),
        (len, "but files hold no code"),
    ):
        model = sf.MultinomialNB().fit([[1, 2], [3, 0]], ["a", "b"])
        model.set_params(class_prior=prior)
        with pytest.raises(KindError, match=words):
            to_bytes(model)
