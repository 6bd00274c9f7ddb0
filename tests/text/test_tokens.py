"""The compiled tokenizer beside scikit-learn's CountVectorizer, token by token."""

import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer as Peer

import suffice as sf
from estimators.plain import TextClassifier
from suffice.text import Analysis
from suffice.text.documents import special_letters, table

SHARED = Path(__file__).parents[2].parent / "shared" / "data"

ODD = [
    "İstanbul'da ΣΊΣΥΦΟΣ, ΟΔΥΣΣΕΥΣ. ß Straße ǅ ΑΣ' ΑΣ1 ΑΣ\u0345 Σ ΣΣ",
    "a\x00bb cc\x00dd",
    "\ud800abc \udfffx yy",
    "x" * 1_000_000 + " yy",
    "",
    "  \n\t ",
    "👍🏽 emoji 👨‍👩‍👧 naïve café e\u0301a \u0301b",
    "Kelvin K ﬁ ﬂag ⅷ ² ½x ١٢٣ ⅠⅡ ⓐⒷ snake_case __ _a 9",
    "Ⱥⱦ ȺȺ ẞß ﬀ 中文字 한국어 ไทย العَرَبِيَّة हिन्दी",
    "two  spaces\n\nlines\u2003em\u00a0nbsp\x1c\x1dend",
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"lowercase": False},
    {"ngram_range": (1, 3)},
    {"ngram_range": (2, 2)},
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char_wb", "ngram_range": (1, 4)},
    {"analyzer": "char_wb", "ngram_range": (3, 9), "lowercase": False},
    {"strip_accents": "unicode"},
    {"strip_accents": "ascii"},
    {"stop_words": ["the", "and", "yy", "straße"], "ngram_range": (1, 2)},
    {"token_pattern": r"(?u)\b\w+\b"},
    {"tokenizer": str.split, "token_pattern": None},
    {"preprocessor": str.upper},
    {"binary": True},
]


def agree(texts: list[Any], **options: Any) -> None:
    ours, theirs = sf.CountVectorizer(**options), Peer(**options)
    try:
        expected = theirs.fit_transform(texts)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:20]):
            ours.fit_transform(texts)
        return
    got = ours.fit_transform(texts)
    assert ours.vocabulary_ == theirs.vocabulary_
    assert (got != expected).nnz == 0
    assert got.dtype == expected.dtype
    assert (ours.transform(texts[::-1]) != theirs.transform(texts[::-1])).nnz == 0


@pytest.mark.parametrize(
    "options",
    [*OPTIONS[:3], *(pytest.param(option, marks=pytest.mark.thorough) for option in OPTIONS[3:])],
    ids=str,
)
def test_odd_texts(options: dict[str, Any]) -> None:
    agree(ODD, **options)


@given(st.lists(st.text(max_size=40), min_size=1, max_size=6), st.sampled_from(OPTIONS))
def test_any_text(texts: list[str], options: dict[str, Any]) -> None:
    agree(texts, **options)


@given(st.lists(st.text("aZ_ 09\nßİΣσAé-.", max_size=60), min_size=1, max_size=4), st.sampled_from(OPTIONS[:8]))
def test_text_of_few_letters(texts: list[str], options: dict[str, Any]) -> None:
    agree(texts, **options)


@pytest.mark.parametrize("lowercase", [True, False])
def test_long_texts_of_ascii(lowercase: bool) -> None:
    """Words of every length at every place, longer texts than are read at once, and words longer than that."""
    rng = np.random.default_rng(0)
    letters = np.array([chr(code) for code in range(128)])
    texts = ["".join(rng.choice(letters, size)) for size in (0, 1, 63, 64, 65, 4095, 4096, 4097, 30_000)]
    few = np.array(list("aZ_9 -"))
    texts += ["".join(rng.choice(few, size, p=[0.35, 0.2, 0.2, 0.15, 0.05, 0.05])) for size in (8192, 8193, 50_000)]
    texts += [
        "Ab" * 5000 + " x " + "c" * 300,
        " ".join("Q" * n + "q" for n in range(1, 300)),
        "a " * 9000 + "bc " * 9000,
    ]
    texts += [f"{'-' * gap}{'W' * size}" for gap in range(70) for size in (2, 15, 16, 17, 64)]
    agree(texts, lowercase=lowercase)
    agree([*texts, "ß" + texts[8]], lowercase=lowercase)


def test_every_code_point_alone_and_in_company() -> None:
    for plane in (0, 1, 2, 3, 14, 16):  # the others have no letters yet
        letters = [chr(point) for point in range(plane << 16, (plane + 1) << 16)]
        texts = [" ".join(letters), "b".join(letters), "".join(letters), "cc"]
        agree(texts)
        assert Analysis().tokens(texts[1]) == Peer().build_analyzer()(texts[1])


@pytest.mark.thorough
@pytest.mark.skipif(not (SHARED / "udhr").exists(), reason="the declaration of human rights is not beside the clone")
@pytest.mark.parametrize(
    "options",
    [OPTIONS[0], *(pytest.param(OPTIONS[k], marks=pytest.mark.thorough) for k in (2, 5, 7))],
    ids=str,
)
def test_hundreds_of_languages(options: dict[str, Any]) -> None:
    with zipfile.ZipFile(SHARED / "udhr" / "udhr.zip") as archive:
        texts = [archive.read(name).decode("utf-8", "replace") for name in archive.namelist() if name[-1] != "/"]
    assert len(texts) > 300
    agree(texts[:: 1 if not options else 4], **options)


def test_bytes_are_decoded_as_given() -> None:
    texts = ["café été".encode("latin-1"), b"plain bytes"]
    with pytest.raises(UnicodeDecodeError):
        sf.CountVectorizer().fit(texts)
    agree(texts, decode_error="replace")
    agree(texts, decode_error="ignore")
    agree(texts, encoding="latin-1")


def test_special_letters_are_those_that_the_interpreter_cannot_lower_alone() -> None:
    assert set(special_letters()) >= {"Σ".encode(), "İ".encode()}
    lowered = table(True) & ((1 << 21) - 1)
    assert (lowered[lowered] == lowered).all()  # what Python lowered already stays as it is


def test_texts_of_any_kind_give_the_same_counts() -> None:
    import pandas as pd  # type: ignore[import-untyped]
    import polars as pl
    import pyarrow as pa

    texts = ["one two", "", "zwei Straße ΣΑΣ", "two two"] * 50
    expected = TextClassifier().fit(texts, [0, 1] * 100).counts_
    arrow = pa.array(["skip", *texts, "skip"])[1:-1]
    kinds = [
        tuple(texts),
        np.array(texts),
        np.array(texts, object),
        pd.Series(texts),
        pd.Series(texts, dtype="string"),
        pl.Series(texts),
        arrow,
        arrow.cast(pa.large_string()),
        *([arrow.cast(pa.string_view())] if int(pa.__version__.split(".")[0]) >= 18 else []),
        pa.chunked_array([arrow.slice(0, 7), arrow.slice(7)]),
        iter(texts),
        (text for text in texts),
    ]
    for kind in kinds:
        assert TextClassifier().fit(kind, [0, 1] * 100).counts_ == expected


@pytest.mark.parametrize("unit", ["word", "char", "char_wb"])
def test_bytes_that_are_no_utf8(unit: Any) -> None:
    """In Arrow arrays nobody checks them; each stands for U+FFFD, three bytes for one."""
    import pyarrow as pa

    for content in (b"\xff" * 200_000, b"ab\xc3", b"\xe2\x82", "Σ".encode() + b"\xff\xf0\x9f", b"\xff" * 90):
        offsets = pa.py_buffer(np.array([0, len(content)], np.int32).tobytes())
        broken = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(content)])
        texts = pa.chunked_array([broken, pa.array(["plain words"])])
        model = TextClassifier(tokens=sf.Tokens(analyzer=unit), ngram_range=(1, 2)).fit(texts, [0, 1])
        assert unit == "word" or model.predict(texts)[1] == 1
        if unit == "char":
            expected = Peer(analyzer="char").fit([content.decode("utf-8", "replace")]).vocabulary_
            assert set("".join(model.words_)) >= set(expected)


def test_texts_in_odd_containers() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    texts = ["one two", "two three", "one"]
    expected = TextClassifier().fit(texts, [0, 1, 0]).counts_
    for odd in (
        pd.Index(texts),
        pd.Series(texts, dtype="category"),
        pd.Series([text.encode() for text in texts]),
        pl.Series(texts, dtype=pl.Categorical),
        pa.array(texts).dictionary_encode(),
    ):
        assert TextClassifier().fit(odd, [0, 1, 0]).counts_ == expected
    tokens = TextClassifier(tokens=sf.Tokens(tokenizer=list, lowercase=False)).fit(
        [text.split() for text in texts], [0, 1, 0]
    )
    assert tokens.counts_ == expected
    refused: list[tuple[Any, str]] = [
        (pa.table({"text": texts}), "texts in one column; got a Table"),
        (["one", pd.NA, "two"], "NAType at index 1"),
        (pa.chunked_array([["one", "two"], [None]]), "null at index 2"),
        ([np.ones(2), "one", "two"], "got ndarray at index 0"),
    ]
    for odd, words in refused:
        with pytest.raises(TypeError, match=words):
            TextClassifier().fit(odd, [0, 1, 0])
    with pytest.raises(TypeError, match="Tokens must be strings; got 1"):
        TextClassifier(tokens=sf.Tokens(analyzer=lambda text: [1])).fit(texts, [0, 1, 0])
    agree([["a", "b"], ["b"]], tokenizer=list, lowercase=False, token_pattern=None)
    agree(texts, analyzer=lambda text: [(1, text)])


def test_a_vectorizer_is_as_good_as_scikit_learns() -> None:
    texts = ["one two two", "two three", "three four"]
    ours, theirs = sf.CountVectorizer(min_df=2), Peer(min_df=2)
    assert (ours.fit_transform(texts) != theirs.fit_transform(texts)).nnz == 0
    again = pickle.loads(pickle.dumps(ours))
    assert again.get_feature_names_out().tolist() == ["three", "two"]
    assert ours.inverse_transform(ours.transform(texts))[0].tolist() == ["two"]
    fixed = sf.CountVectorizer(vocabulary=["two", "one"]).transform(texts)
    np.testing.assert_array_equal(fixed.toarray(), Peer(vocabulary=["two", "one"]).transform(texts).toarray())
    assert sf.CountVectorizer(input="filename").input == "filename"
