"""Words of a vocabulary are read as texts are; those that no text can have are refused."""

import re
from typing import Any

import pytest

import suffice as sf
from suffice.errors import InputError
from suffice.text.folding import as_read
from suffice.text.tokens import analysis_of


def read(words: list[str], ngram_range: tuple[int, int] = (1, 1), **options: Any) -> list[str]:
    return as_read(words, analysis_of(sf.Tokens(**options), ngram_range, frozenset({"the"})), "LanguageModel")


def test_words_are_read_as_texts_are() -> None:
    cases: Any = [
        (["Mary", "LAMB"], {}, ["mary", "lamb"]),
        (["Mary", "mary"], {"lowercase": False}, ["Mary", "mary"]),
        (["Zoë"], {"strip_accents": "unicode"}, ["zoe"]),
        (["Little Lamb", "Mary"], {"ngram_range": (1, 2)}, ["little lamb", "mary"]),
        (["Mary"], {"tokenizer": str.split, "token_pattern": None}, ["mary"]),
        (["A b"], {"tokenizer": str.split, "token_pattern": None}, ["a b"]),  # a function may make any token
        (["Mary"], {"preprocessor": str.upper}, ["Mary"]),
        (["a", " "], {"analyzer": "char"}, ["a", " "]),
        ([" Ma", "ry "], {"analyzer": "char_wb", "ngram_range": (3, 3)}, [" ma", "ry "]),
        (["A b"], {"analyzer": lambda document: [document]}, ["A b"]),
        (["I"], {"token_pattern": r"\w+"}, ["i"]),
        (["Tea"], {"token_pattern": r"(?<=#)\w+"}, ["tea"]),  # found in "#tea" only
        (["tea"], {"token_pattern": r"#(\w+)"}, ["tea"]),
        (["-tea"], {"token_pattern": r"\b-\w+"}, ["-tea"]),  # found in "black-tea"
    ]
    for words, options, tokens in cases:
        assert read(words, **options) == tokens


@pytest.mark.parametrize(
    ("words", "options", "why"),
    [
        (["Mary", "mary"], {}, "got 'Mary' and 'mary', which are one word, 'mary'"),
        (["mary", "a"], {}, "got 'a', which is read as no word. Leave it out, or say what a word is"),
        (["c++", "a", "b"], {}, "got 'c++' (and so 2 more), which is read as no word"),
        (["tea-time"], {}, "which is read as 'tea' and 'time'"),
        (["İstanbul"], {}, "which is read as 'stanbul'"),  # a dot that is no letter
        (["little lamb"], {}, "which is 2 words in a row. Leave it out, or use ngram_range=(1, 2)"),
        (["lamb"], {"ngram_range": (2, 3)}, "which is 1 word. Leave it out, or use ngram_range=(1, 3)"),
        (["The"], {"stop_words": "english"}, "got 'The', which 'stop_words' leave out"),
        (["the lamb"], {"stop_words": "english", "ngram_range": (2, 2)}, "which 'stop_words' leave out"),
        (["as"], {"token_pattern": r"\b\w\w\w+\b"}, "which is read as no word"),
        (["abc"], {"analyzer": "char"}, "not read as 1 to 1 letters in a row. Leave it out, or give another"),
        (["a b"], {"analyzer": "char_wb", "ngram_range": (3, 3)}, "not read as 3 to 3 letters in a row"),
    ],
)
def test_what_no_text_can_have_is_refused(words: list[str], options: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=re.escape(why)) as caught:
        read(words, **options)
    assert "\n" not in str(caught.value)
