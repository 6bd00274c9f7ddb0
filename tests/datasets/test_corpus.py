"""Texts, labels, groups, and how they are split."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.datasets import Corpus
from suffice.errors import DataError, InputError, ShapeError

rows = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([str(i) for i in range(12)])), min_size=2)


def corpus_of(pairs: list[tuple[str, str]]) -> Corpus:
    return Corpus(
        [f"text {i}" for i in range(len(pairs))], [label for label, _ in pairs], [group for _, group in pairs]
    )


@given(rows, st.floats(0.05, 0.95), st.integers(0, 3))
def test_a_group_is_on_one_side(pairs: list[tuple[str, str]], test: float, seed: int) -> None:
    corpus = corpus_of(pairs)
    if len(set(corpus.groups)) < 2:
        return
    train, held_out = corpus.split(test, seed)
    assert not set(train.groups) & set(held_out.groups)
    assert sorted(train.texts + held_out.texts) == sorted(corpus.texts)
    assert corpus.split(test, seed) == (train, held_out)


def test_labels_are_in_both_parts_in_their_shares() -> None:
    corpus = corpus_of([("ab"[i % 10 == 0], str(i)) for i in range(1000)])
    for seed in range(5):
        train, test = corpus.split(0.3, seed)
        assert test.sizes == {"a": 270, "b": 30}
        assert train.sizes == {"a": 630, "b": 70}
    assert corpus.split(0.3, 0)[1] != corpus.split(0.3, 1)[1]


def test_rows_keep_their_order_and_company() -> None:
    corpus = corpus_of([("a", "1"), ("b", "2"), ("a", "3"), ("b", "1")])
    of = {text: (label, group) for text, label, group in zip(corpus.texts, corpus.labels, corpus.groups, strict=True)}
    for part in corpus.split(0.5):
        assert part.texts == sorted(part.texts)
        assert [of[text] for text in part.texts] == list(zip(part.labels, part.groups, strict=True))


def test_size_and_repr() -> None:
    corpus = Corpus(["x" * 1_000_000, "y" * 500_000], ["a", "b"], ["1", "1"])
    assert len(corpus) == 2
    assert repr(corpus) == "Corpus(2 texts, 2 labels, 1 groups, 1.5 MB)"
    assert corpus.sizes == {"a": 1, "b": 1}


def test_errors() -> None:
    with pytest.raises(ShapeError, match="got 2 texts, 1 labels and 2 groups"):
        Corpus(["a", "b"], ["x"], ["1", "2"])
    with pytest.raises(InputError, match="'test' between 0 and 1, the share held out; got 30"):
        corpus_of([("a", "1"), ("a", "2")]).split(30)
    with pytest.raises(DataError, match="at least 2 groups to hold one out; got 1"):
        corpus_of([("a", "1"), ("a", "1")]).split()
