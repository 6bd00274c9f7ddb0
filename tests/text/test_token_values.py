"""What users say of documents in one value."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.errors import InputError, KindError

DEFAULTS: dict[str, Any] = {"analyzer": "word", "lowercase": True, "stop_words": None, "max_df": 1.0, "hash_bits": None}
GIVEN: list[Any] = [
    sf.Tokens(),
    sf.Tokens(stop_words=["the", "a"], max_df=3),
    sf.Tokens(tokenizer=str.split, token_pattern=None, hash_bits=4),
    sf.TermWeighting(),
    sf.TermWeighting(sublinear_tf=False, norm=True),
]


def test_only_what_differs_is_shown() -> None:
    assert repr(sf.Tokens()) == "Tokens()"
    assert repr(sf.Tokens(**DEFAULTS)) == "Tokens()"
    assert (
        repr(sf.Tokens(stop_words={"the", "a"}, lowercase=False)) == "Tokens(lowercase=False, stop_words=['a', 'the'])"
    )
    assert repr(sf.Tokens(tokenizer=str.split, max_df=2)) == "Tokens(tokenizer=str.split, max_df=2)"
    assert repr(sf.Tokens(max_df=1)) == "Tokens(max_df=1)"  # one document, not all of them
    assert repr(sf.TermWeighting(sublinear_tf=False)) == "TermWeighting(sublinear_tf=False)"
    assert repr(sf.TextClassifier(tokens=sf.Tokens(binary=True))) == "TextClassifier(tokens=Tokens(binary=True))"


@pytest.mark.parametrize("value", GIVEN, ids=repr)
def test_a_value_is_a_value(value: Any) -> None:
    for other in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert other == value
        assert hash(other) == hash(value)
        assert repr(other) == repr(value)
    with pytest.raises(AttributeError):
        value.norm = True


def test_words_to_be_left_out_are_the_same_in_any_collection() -> None:
    listed = sf.Tokens(stop_words=["the", "a"])
    for words in (("a", "the"), {"a", "the"}, frozenset(["a", "the"]), np.array(["the", "a"]), iter(["the", "a"])):
        assert sf.Tokens(stop_words=words) == listed
    assert listed != sf.Tokens(stop_words="english")
    assert sf.Tokens(max_df=1) != sf.Tokens(max_df=1.0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"analyzer": "words"},
            "'analyzer' parameter of Tokens must be 'word', 'char', 'char_wb' or a function; got 'words'.",
        ),
        (
            {"analyzer": None},
            "'analyzer' parameter of Tokens must be",
        ),
        (
            {"lowercase": "yes"},
            "'lowercase' parameter of Tokens must be True or False; got 'yes'.",
        ),
        ({"binary": 1}, "'binary' parameter of Tokens must be True or False; got 1."),
        (
            {"strip_accents": "all"},
            "'strip_accents' parameter of Tokens must be 'ascii', 'unicode', a function or None",
        ),
        (
            {"stop_words": "german"},
            "'stop_words' parameter of Tokens must be 'english', a list of words or None; got 'german'.",
        ),
        ({"stop_words": 7}, "'stop_words' parameter of Tokens must be"),
        ({"stop_words": ["a", 1]}, "'stop_words' parameter of Tokens must be a list of strings"),
        ({"token_pattern": "("}, "'token_pattern' parameter of Tokens must be a regular expression (missing )"),
        (
            {"token_pattern": None},
            "'token_pattern' parameter of Tokens must be a regular expression unless there is a 'tokenizer'",
        ),
        (
            {"token_pattern": 3},
            "'token_pattern' parameter of Tokens must be a regular expression or None",
        ),
        (
            {"tokenizer": "split"},
            "'tokenizer' parameter of Tokens must be a function or None; got 'split'.",
        ),
        ({"preprocessor": 1}, "'preprocessor' parameter of Tokens must be a function or None"),
        (
            {"encoding": "utf-99"},
            "'encoding' parameter of Tokens must be the name of an encoding, such as 'utf-8'; got 'utf-99'.",
        ),
        ({"encoding": "rot13"}, "'encoding' parameter of Tokens must be the name of an encoding"),
        ({"encoding": None}, "'encoding' parameter of Tokens must be the name of an encoding"),
        (
            {"decode_error": "loose"},
            "'decode_error' parameter of Tokens must be 'strict', 'ignore' or 'replace'; got 'loose'.",
        ),
        (
            {"max_df": 1.5},
            "'max_df' parameter of Tokens must be a whole number of documents, at least 1, or a share of them",
        ),
        ({"max_df": 0}, "'max_df' parameter of Tokens must be"),
        ({"max_df": float("nan")}, "'max_df' parameter of Tokens must be"),
        ({"max_df": True}, "'max_df' parameter of Tokens must be"),
        ({"hash_bits": 31}, "'hash_bits' parameter of Tokens must be a whole number from 1 to 30, or None; got 31."),
        ({"hash_bits": 2.0}, "'hash_bits' parameter of Tokens must be"),
        ({"hash_bits": True}, "'hash_bits' parameter of Tokens must be"),
    ],
)
def test_what_cannot_be_is_refused_at_once(options: dict[str, Any], said: str) -> None:
    with pytest.raises((InputError, KindError)) as error:
        sf.Tokens(**options)
    assert f"The {said}" in str(error.value)
    assert "\n" not in str(error.value)


def test_transforms_are_flags() -> None:
    assert sf.TermWeighting(use_idf=np.True_).use_idf is True  # type: ignore[arg-type]
    for name in ("sublinear_tf", "use_idf", "normalize", "norm"):
        with pytest.raises(
            KindError, match=f"The '{name}' parameter of TermWeighting must be True or False; got 'yes'"
        ):
            sf.TermWeighting(**{name: "yes"})  # type: ignore[arg-type]
    with pytest.raises(KindError, match="'norm' parameter of TermWeighting"):
        sf.TermWeighting(norm=None)  # type: ignore[arg-type]


def test_all_is_by_name() -> None:
    make: Any
    for make in (sf.Tokens, sf.TermWeighting):
        with pytest.raises(TypeError):
            make("word")
