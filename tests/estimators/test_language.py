"""The language model of single words."""

import pickle
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer as Peer

import suffice as sf
from suffice.errors import NoUniqueMode, SufficeError

RHYME = ["Mary had a little lamb, little lamb, little lamb", "Mary had a little lamb, its fleece was white as snow"]
WORDS = ["mary", "lamb", "little", "big", "fleece", "white", "black", "snow", "rain"]


def rhyme(**options: Any) -> Any:
    return sf.LanguageModel(WORDS, tokens=sf.Tokens(stop_words=["a", "as"]), **options).fit(RHYME)


def test_the_nursery_rhyme() -> None:
    model = rhyme()
    assert model.words_.tolist() == [*WORDS, "unk"]
    assert model.counts_.tolist() == [2, 4, 4, 0, 1, 1, 0, 1, 0, 4]
    assert model.posterior_ == sf.Dirichlet([3, 5, 5, 1, 2, 2, 1, 2, 1, 5])
    expected = [float(Fraction(n, 27)) for n in (3, 5, 5, 1, 2, 2, 1, 2, 1, 5)]
    assert list(model.probabilities()) == [*WORDS, "unk"]
    np.testing.assert_allclose(list(model.probabilities().values()), expected, rtol=1e-15)


def test_probabilities_of_texts_by_hand() -> None:
    model, new = rhyme(), ["little black lamb", "", "a Xylophone as unk"]
    p = model.probabilities()
    expected = [np.log(p["little"] * p["black"] * p["lamb"]), 0, 2 * np.log(p["unk"])]
    np.testing.assert_allclose(model.log_prob(new), expected)
    assert model.perplexity(new) == pytest.approx(np.exp(-sum(expected) / 5))
    assert model.log_prob([]).tolist() == []
    # one word: plugging in equals integrating out
    counts = np.eye(10)[3]
    assert model.log_prob(["big"])[0] == pytest.approx(model.posterior_.log_evidence(counts=counts))


def test_steps_equal_one_fit() -> None:
    steps = sf.LanguageModel(WORDS, tokens=sf.Tokens(stop_words=["a", "as"]))
    assert steps.partial_fit(RHYME[:1]).partial_fit(iter(RHYME[1:])) is steps
    assert steps.posterior_ == rhyme().posterior_
    assert steps.fit(RHYME).posterior_ == rhyme().posterior_  # fit forgets
    prior = sf.LanguageModel(WORDS).fit([])
    assert set(prior.probabilities().values()) == {0.1}


def test_words_of_the_first_texts() -> None:
    model = sf.LanguageModel().fit(RHYME)
    found = Counter(word for text in RHYME for word in text.lower().replace(",", "").split() if len(word) > 1)
    assert model.words_.tolist() == [*sorted(found), "unk"]
    assert model.counts_.tolist() == [*(found[word] for word in sorted(found)), 0]
    assert model.partial_fit(["Mary met a wolf"]).words_.tolist() == [*sorted(found), "unk"]
    assert model.counts_[-1] == 2
    named = sf.LanguageModel(unknown="lamb").fit(RHYME)
    assert named.words_.tolist() == [*sorted(set(found) - {"lamb"}), "lamb"]
    assert named.counts_[-1] == 4


def test_options_of_words() -> None:
    pairs = sf.LanguageModel(["little lamb"], ngram_range=(2, 2), alpha=[1.0, 3.0]).fit(RHYME)
    assert pairs.counts_[0] == 4
    assert pairs.posterior_.alpha[1] == pairs.counts_[1] + 3
    belief = rhyme(alpha=sf.Dirichlet(np.arange(1.0, 11)))
    np.testing.assert_array_equal(belief.posterior_.alpha, belief.counts_ + np.arange(1, 11))
    case = sf.LanguageModel(["Mary"], tokens=sf.Tokens(lowercase=False)).fit(RHYME)
    assert case.counts_[0] == 2
    letters = sf.LanguageModel(list("abc"), tokens=sf.Tokens(analyzer="char")).fit(["abba"])
    assert letters.counts_.tolist() == [2, 2, 0, 0]
    own = sf.LanguageModel(["a", "b"], tokens=sf.Tokens(tokenizer=str.split, token_pattern=None)).fit(["a b a c"])
    assert own.counts_.tolist() == [2, 1, 1]


def test_in_scikit_learns_company() -> None:
    model = rhyme()
    again = pickle.loads(pickle.dumps(model))
    assert again.perplexity(RHYME) == model.perplexity(RHYME)
    assert not hasattr(clone(model), "counts_")
    assert model.get_params()["alpha"] == 1.0
    pd = pytest.importorskip("pandas")
    assert clone(model).fit(pd.Series(RHYME)).posterior_ == model.posterior_


@pytest.mark.parametrize(
    ("options", "texts", "words"),
    [
        ({"vocabulary": []}, RHYME, "must hold at least one word; got none"),
        ({"vocabulary": "mary lamb"}, RHYME, "must be a list of words, such as ['mary', 'lamb']; got a single str"),
        ({"vocabulary": 7}, RHYME, "got a single int"),
        ({"vocabulary": ["mary", None]}, RHYME, "must hold strings; got NoneType"),
        ({"vocabulary": ["mary", "lamb", "mary"]}, RHYME, "each word once; got 'mary' twice"),
        ({"vocabulary": ["mary", "unk"]}, RHYME, "not hold the name of the slot for unknown words; got 'unk'"),
        (
            {"vocabulary": ["lamb", "Mary", "mary"]},
            RHYME,
            "got 'Mary' and 'mary', which are one word, 'mary', as texts",
        ),
        ({"vocabulary": ["mary", "Unk"]}, RHYME, "got 'Unk', which is read as 'unk'"),
        ({"vocabulary": ["lamb", "I", "a"]}, RHYME, "got 'I' (and so 1 more), which is read as no word"),
        ({"unknown": 3}, RHYME, "'unknown' parameter of LanguageModel must be an instance of 'str'"),
        ({"alpha": 0}, RHYME, "'alpha' parameter of LanguageModel must be"),
        ({"alpha": -1.0}, RHYME, "'alpha' parameter of LanguageModel must be"),
        (
            {"alpha": [1.0, 2.0]},
            RHYME,
            "must be one number, or 10: one per word and one for the unknown",
        ),
        ({"alpha": [0.0] * 10}, RHYME, "must be positive"),
        ({}, "a bare string", "such as a list; got a single str"),
        ({}, 5, "such as a list; got int"),
        ({}, ["mary", None], "got NoneType at index 1"),
        ({"vocabulary": None}, ["", "a"], "must hold words, or there must be a 'vocabulary'"),
        ({"tokens": "a"}, RHYME, "'tokens' parameter of LanguageModel must be sf.Tokens(...), a CountVectorizer"),
        (
            {"vocabulary": None, "tokens": sf.Tokens(hash_bits=3)},
            RHYME,
            "must not have 'hash_bits', which is for documents with labels",
        ),
        ({"vocabulary": None, "tokens": Peer(min_df=2)}, RHYME, "must not have 'min_df'"),
        ({"vocabulary": None, "tokens": sf.Tokens(max_df=1)}, RHYME, "must not have 'max_df'"),
        ({"tokens": Peer(vocabulary=["lamb"])}, RHYME, "must be the same where both are given"),
    ],
)
def test_bad_input_is_one_sentence_and_the_model_stays(options: dict[str, Any], texts: Any, words: str) -> None:
    model = rhyme()
    before = model.posterior_
    with pytest.raises((SufficeError, ValueError)) as caught:
        model.set_params(**options).fit(texts)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert model.posterior_ is before


def test_words_with_capitals_are_found() -> None:
    names = ["Mary", "LAMB", *WORDS[2:]]
    model = sf.LanguageModel(names, tokens=sf.Tokens(stop_words=["a", "as"])).fit(RHYME)
    assert model.words_.tolist() == [*names, "unk"] == list(model.probabilities()) == list(model.mode)
    assert model.posterior_ == rhyme().posterior_
    assert model.log_prob(["MARY had", "mary Had"]).tolist() == rhyme().log_prob(["mary had"] * 2).tolist()
    assert {row.word for row in model.top(99)} == {*names, "unk"}
    again = sf.store.from_bytes(sf.store.to_bytes(model)).partial_fit(["Mary"])
    assert again.words_.tolist() == [*names, "unk"]
    assert again.counts_[0] == 3
    accents = sf.LanguageModel(["Éclair"], tokens=sf.Tokens(strip_accents="unicode")).fit(["éclair ECLAIR eclair"])
    assert accents.counts_.tolist() == [3, 0]


def test_the_most_probable_words() -> None:
    model = rhyme()
    p = model.probabilities()
    best = sorted(p, key=lambda word: -p[word])  # stable, as top is
    assert [row.word for row in model.top()] == best
    assert model.top(2) == (("lamb", 5 / 27), ("little", 5 / 27))
    assert model.top(np.int64(1))[0].probability == p["lamb"]
    assert repr(model.top(1)) == "What comes next:\n    0.1852  lamb"
    assert repr(model.top(0)) == "What comes next:\n  nothing"
    assert pickle.loads(pickle.dumps(model.top(2))) == model.top(2)
    for wrong in (-1, 2.5, True, "3"):
        with pytest.raises(SufficeError, match="whole number from 0 on"):
            model.top(wrong)


def test_the_most_probable_probabilities() -> None:
    counts = np.array([2, 4, 4, 0, 1, 1, 0, 1, 0, 4])
    assert list(rhyme().mode) == [*WORDS, "unk"]
    np.testing.assert_allclose(list(rhyme().mode.values()), counts / 17, rtol=1e-15)
    np.testing.assert_allclose(list(rhyme(alpha=3.0).mode.values()), (counts + 2) / (17 + 20), rtol=1e-15)
    for none in (rhyme(alpha=0.5), sf.LanguageModel(WORDS).fit([])):
        with pytest.raises(NoUniqueMode, match=r"Use probabilities\(\) instead"):
            _ = none.mode
        assert not hasattr(none, "mode")


def test_perplexity_of_held_out_text_by_hand() -> None:
    """Unknown words count, each with the probability of the one slot; words that are left out do not."""
    model, held_out = rhyme(), ["A black wolf met Mary", "as white as a sheep"]
    p = dict(zip([*WORDS, "unk"], np.array([3, 5, 5, 1, 2, 2, 1, 2, 1, 5]) / 27, strict=True))
    words = ["black", "unk", "unk", "mary", "white", "unk"]
    assert model.perplexity(held_out) == pytest.approx(float(np.prod([p[word] for word in words]) ** (-1 / 6)))
    assert sf.LanguageModel(WORDS).fit([]).perplexity(["lamb wolf"]) == pytest.approx(10)  # all words alike


def test_more_that_is_refused() -> None:
    with pytest.raises(SufficeError, match="perplexity must hold words; got texts without any"):
        rhyme().perplexity(["a as", ""])
    with pytest.raises(SufficeError, match="got a single str"):
        rhyme().log_prob("a bare string")
    for question in ("log_prob", "perplexity"):
        with pytest.raises(NotFittedError):
            getattr(sf.LanguageModel(), question)(RHYME)
    with pytest.raises(NotFittedError):
        sf.LanguageModel().probabilities()


def test_a_bad_text_late_in_a_stream_and_a_vocabulary_without_order() -> None:
    stream: Any = iter(["tea time"] * 20_000 + [None])
    with pytest.raises(TypeError, match="NoneType at index 20000"):
        sf.LanguageModel().fit(stream)
    assert sf.LanguageModel({"tea", "rum", "ale"}).fit(["tea"]).words_.tolist() == ["ale", "rum", "tea", "unk"]
