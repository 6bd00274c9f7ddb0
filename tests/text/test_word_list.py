"""Laws of word counts: they add, subtract and unite words by name, whatever the order, the batches and the threads."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.errors import ShapeError, SubtractionError
from suffice.stats.word_counts import WordCounter, WordCounts
from suffice.text import Analysis, WordList

WORD = st.sampled_from(["spam", "ham", "eggs", "tea", "ΣΑΣ", "öl", "x", ""])
CORPUS = st.lists(st.tuples(st.lists(WORD, max_size=8).map(" ".join), st.integers(0, 2)), max_size=12)


def of(corpus: list[tuple[str, int]], weights: Any = None, **options: Any) -> WordCounts:
    texts, labels = [text for text, _ in corpus], [label for _, label in corpus]
    return WordCounts.of(texts, np.array(labels, np.int64), weights, n_classes=3, bursts=True, **options)


@given(CORPUS, CORPUS, CORPUS)
def test_the_algebra(a: Any, b: Any, c: Any) -> None:
    one, two, three = of(a), of(b), of(c)
    assert one + two == two + one == of(a + b) == of(b + a)
    assert (one + two) + three == one + (two + three)
    assert one + two - two == one
    assert sum([one, two]) == one + two
    assert WordCounts.total([one, two, three, one]) == of(a + b + c + a)
    assert WordCounts.from_arrays(one.arrays()) == one
    assert hash(WordCounts.from_arrays(one.arrays())) == hash(one)


@given(CORPUS, CORPUS)
def test_hashed_counts_obey_the_same_laws(a: Any, b: Any) -> None:
    one, two = of(a, hash_bits=4), of(b, hash_bits=4)
    assert one + two == of(a + b, hash_bits=4)
    assert one + two - two == one
    assert one.width == 16
    wide = [of(part, hash_bits=12) for part in (a, b, a)]  # few of the buckets are met
    assert WordCounts.total(wide) == of(a + b + a, hash_bits=12)


@given(CORPUS, st.data())
def test_a_weight_is_a_repetition(corpus: Any, data: Any) -> None:
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(corpus), max_size=len(corpus)))
    repeated = [pair for pair, n in zip(corpus, times, strict=True) for _ in range(n)]
    weighed = of(corpus, np.array(times, float))
    assert weighed == of(repeated)


@given(CORPUS)
def test_counts_are_those_of_plain_python(corpus: Any) -> None:
    counts = of(corpus)
    for w, word in enumerate(counts.words.strings):
        for c in range(3):
            times = [text.lower().split().count(word) for text, label in corpus if label == c]
            assert counts.tokens[c, w] == sum(times)
            assert counts.documents[c, w] == sum(n > 0 for n in times)
            for r in range(2, 9):
                lines = (counts.repeats == [c, w, r]).all(axis=1)
                assert counts.repeat_documents[lines].sum() == times.count(r)
    assert counts.length_documents.sum() == len(corpus)


def test_taking_away_what_was_never_there_is_refused() -> None:
    a, b = of([("spam ham", 0)]), of([("eggs", 0)])
    for whole, part in ((a, b), (a, of([("spam ham", 1)])), (a, of([("spam spam", 0)])), (of([]), a)):
        with pytest.raises(SubtractionError):
            whole - part
    with pytest.raises(ShapeError, match="hash_bits"):
        a + of([], hash_bits=3)
    with pytest.raises(ShapeError, match="classes"):
        a + WordCounts.of(["x y"], [0])


def test_threads_and_batches_change_nothing() -> None:
    rng = np.random.default_rng(0)
    vocabulary = np.array([f"word{i}" for i in range(3000)])
    texts = [" ".join(vocabulary[(3000 ** rng.random(60)).astype(int) - 1]) for _ in range(3000)]
    labels, weights = rng.integers(0, 5, 3000), rng.random(3000)
    for weight in (None, weights):
        results = []
        for n in (1, 2, 5):
            with sf.threads(n):
                results.append(WordCounts.of(texts, labels, weight, n_classes=5, bursts=True))
        assert results[0] == results[1] == results[2]
    counter = WordCounter(Analysis(), 5, bursts=True)
    for at in range(0, 3000, 100):
        counter.add(texts[at : at + 100], labels[at : at + 100])
    assert counter.result() == WordCounts.of(texts, labels, n_classes=5, bursts=True)


@pytest.mark.thorough
@pytest.mark.parametrize(("effort", "most"), [("fast", 1000), ("balanced", 1600)])
def test_many_words_and_classes_need_no_table_of_both(effort: str, most: int) -> None:
    """A million words and a thousand classes, in a process of their own: 8 GB, if there were a table of both."""
    code = """
import resource, sys, numpy as np, suffice as sf
texts = [" ".join(f"w{i}" for i in range(at, at + 1000)) for at in range(0, 1_000_000, 1000)]
sf.TextClassifier
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = sf.TextClassifier(effort=sys.argv[1]).fit(texts, np.arange(1000))
assert model.predict(texts[:5]).tolist() == [0, 1, 2, 3, 4]
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    done = subprocess.run([sys.executable, "-c", code, effort], capture_output=True, text=True, check=True)
    assert float(done.stdout) < most


@pytest.mark.thorough
def test_memory_of_a_stream_does_not_grow_with_the_corpus() -> None:
    """Twenty times as many documents of the same words, in a process of their own: no more than a few MB more."""
    code = """
import resource, sys, numpy as np, suffice as sf
rng, n = np.random.default_rng(0), int(sys.argv[1])
words = np.array([f"word{i}" for i in range(5000)])
texts = (" ".join(words[rng.integers(0, 5000, 50)]) for _ in range(n))
sf.TextClassifier("bernoulli").fit(texts, rng.integers(0, 4, n))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
    peaks = []
    for n in ("20000", "200000"):
        done = subprocess.run([sys.executable, "-c", code, n], capture_output=True, text=True, check=True)
        peaks.append(float(done.stdout))
    assert peaks[1] < peaks[0] + 40, peaks


def test_word_lists() -> None:
    words = WordList.of(["b", "a", "c", "a"])
    assert words.strings.tolist() == ["a", "b", "c"]
    assert words.keep(np.array([True, False, True])).strings.tolist() == ["a", "c"]
    assert WordList.of([]).union(words)[0] == words
    assert hash(words) == hash(WordList.of("abc"))
