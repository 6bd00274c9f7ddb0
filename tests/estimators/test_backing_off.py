"""A language model with a background: the formulas of Zhai and Lafferty, by hand and by brute force."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from sklearn.base import clone

import suffice as sf
from suffice.errors import DataError, InputError, KindError, NoUniqueMode
from suffice.models.likelihoods.unigram import LIKE_BACKGROUND, loo_strength
from suffice.models.likelihoods.vocabulary import Vocabulary

RHYME = ["Mary had a little lamb", "its fleece was white as snow", "and everywhere that Mary went the lamb would go"]
MORE = [
    "the lamb was little and the snow was white", "Mary went home and the lamb went home", "white wolves eat lamb",
    "snow on the roof and snow on the road", "the wolf and the lamb",
]  # fmt: skip
ENGLISH = sf.LanguageModel().fit(MORE)
SMOOTHING = pytest.mark.parametrize("smoothing", ["dirichlet", "jelinek_mercer"])


def words_of(texts: list[str]) -> list[str]:
    return [word for text in texts for word in text.lower().split() if len(word) > 1]


def background_by_hand() -> dict[str, Fraction]:
    """The probabilities of the background for the words of both, and the unknown slot."""
    counts, own = Counter(words_of(MORE)), set(words_of(RHYME))
    total = sum(counts.values()) + len(counts) + 1
    p = {word: Fraction(n + 1, total) for word, n in counts.items()}
    new = sorted(own - set(counts))
    half = Fraction(1, total) / 2
    return p | dict.fromkeys(new, half / len(new)) | {"unk": half}


def test_dirichlet_smoothing_by_hand() -> None:
    model = sf.LanguageModel(background=ENGLISH, strength=7).fit(RHYME)
    p, counts = background_by_hand(), Counter(words_of(RHYME))
    assert sum(p.values()) == 1
    expected = {word: (counts[word] + 7 * p[word]) / (sum(counts.values()) + 7) for word in p}
    assert model.words_.tolist() == [*sorted(set(p) - {"unk"}), "unk"]
    np.testing.assert_allclose(model.background_, [float(p[word]) for word in model.words_], rtol=1e-12)
    found = model.probabilities()
    assert found == pytest.approx({word: float(value) for word, value in expected.items()}, rel=1e-12)
    assert sum(found.values()) == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(model.posterior_.alpha, model.counts_ + 7 * model.background_, rtol=1e-12)
    asked = ["the wolf and a unicorn"]
    logs = [np.log(float(expected[word])) for word in ("the", "wolf", "and", "unk")]
    assert model.log_prob(asked)[0] == pytest.approx(sum(logs))
    assert model.perplexity(asked) == pytest.approx(np.exp(-np.mean(logs)))
    with pytest.raises(NoUniqueMode, match=r"Use probabilities\(\) instead"):
        _ = model.mode


def test_a_mixture_by_hand() -> None:
    model = sf.LanguageModel(background=ENGLISH, smoothing="jelinek_mercer", strength=0.3, alpha=0.5).fit(RHYME)
    p, counts = background_by_hand(), Counter(words_of(RHYME))
    expected = {word: Fraction(7, 10) * Fraction(counts[word], sum(counts.values())) + Fraction(3, 10) * p[word]
                for word in p}  # fmt: skip
    found = model.probabilities()
    assert found == pytest.approx({word: float(value) for word, value in expected.items()}, rel=1e-12)
    assert sum(found.values()) == pytest.approx(1, abs=1e-12)
    assert model.top(1)[0] == max(found.items(), key=lambda pair: pair[1])
    np.testing.assert_array_equal(model.posterior_.alpha, model.counts_ + 0.5)  # these texts alone
    logs = [np.log(float(expected[word])) for word in ("the", "wolf", "and", "unk")]
    assert model.log_prob(["the wolf and a unicorn", ""]).tolist() == pytest.approx([sum(logs), 0])
    shares = model.set_params(alpha=1.0).fit(RHYME).mode
    assert shares == pytest.approx({word: counts[word] / sum(counts.values()) for word in p})


@SMOOTHING
def test_without_texts_there_is_the_background(smoothing: Any) -> None:
    for strength in ("loo", 0.5):
        model = sf.LanguageModel(background=ENGLISH, smoothing=smoothing, strength=strength).fit([])
        assert model.probabilities() == pytest.approx(ENGLISH.probabilities(), rel=1e-12)


@SMOOTHING
def test_a_vocabulary_says_which_words_are_known(smoothing: Any) -> None:
    """Other words of the background are unknown; a word that is new to it has half of its unknown slot."""
    model = sf.LanguageModel(["Unicorn", "lamb"], background=ENGLISH, smoothing=smoothing, strength=0.5).fit(RHYME)
    p = ENGLISH.probabilities()
    assert model.words_.tolist() == ["Unicorn", "lamb", "unk"]
    np.testing.assert_allclose(model.background_, [p["unk"] / 2, p["lamb"], 1 - p["lamb"] - p["unk"] / 2], rtol=1e-12)
    assert model.counts_.tolist() == [0, 2, len(words_of(RHYME)) - 2]
    assert sum(model.probabilities().values()) == pytest.approx(1)


def test_names_of_both_and_of_the_unknown() -> None:
    named = sf.LanguageModel(["Lamb", "rest", "Wolf"]).fit(MORE)
    model = sf.LanguageModel(unknown="rest", background=named, strength=2).fit(["the lamb"])
    p = named.probabilities()
    assert model.words_.tolist() == ["Lamb", "the", "Wolf", "rest"]
    np.testing.assert_allclose(
        model.background_, [p["Lamb"], p["unk"] / 2, p["Wolf"], p["rest"] + p["unk"] / 2], rtol=1e-12
    )


def test_backgrounds_stand_behind_each_other() -> None:
    middle = sf.LanguageModel(background=ENGLISH, strength=4).fit(RHYME[:2])
    model = sf.LanguageModel(background=middle, strength=2).fit(RHYME[2:])
    p = middle.probabilities()
    the = model.words_.tolist().index("the")
    assert model.probabilities()["the"] == pytest.approx((1 + 2 * p["the"]) / (model.counts_.sum() + 2))
    assert model.background_[the] == p["the"]
    assert sum(model.probabilities().values()) == pytest.approx(1)


def brute_force(counts: Any, p: Any, smoothing: str, at: float) -> float:
    """Leave each token out in its turn, fit the others, and predict it."""
    tokens = np.repeat(np.arange(len(counts)), counts)
    total = 0.0
    for i, token in enumerate(tokens):
        n = np.bincount(np.delete(tokens, i), minlength=len(counts))
        rest = len(tokens) - 1
        mixed = (n + at * p) / (rest + at) if smoothing == "dirichlet" else (1 - at) * n / rest + at * p
        total += np.log(mixed[token])
    return float(total)


@SMOOTHING
@given(
    counts=st.lists(st.integers(0, 12), min_size=2, max_size=8).filter(lambda counts: sum(counts) > 1),
    seed=st.integers(0, 99),
)
def test_the_strength_that_predicts_left_out_words_best(smoothing: Any, counts: list[int], seed: int) -> None:
    p = np.random.default_rng(seed).dirichlet(np.ones(len(counts)))
    found = loo_strength(np.array(counts, float), p, smoothing)
    best = brute_force(counts, p, smoothing, found)
    if smoothing == "dirichlet":
        others = np.geomspace(1, LIKE_BACKGROUND * sum(counts), 200)
    else:
        others = np.linspace(1 / (sum(counts) + 1), 1, 200)
    assert best >= max(brute_force(counts, p, smoothing, at) for at in others) - 1e-9 * (1 + abs(best))


def test_the_strength_of_texts_is_the_maximum_that_scipy_finds() -> None:
    source = np.random.default_rng(1)
    vocabulary = [f"word{i}" for i in range(40)]
    p = source.dirichlet(np.full(40, 0.7))
    behind = sf.LanguageModel().fit([" ".join(source.choice(vocabulary, 400, p=p)) for _ in range(20)])
    theta = source.dirichlet(60 * p + 1e-9)  # so that about 60 words of the background are worth as much
    texts = [" ".join(source.choice(vocabulary, 50, p=theta)) for _ in range(6)]
    model = sf.LanguageModel(background=behind).fit(texts)
    c, q, n = model.counts_, model.background_, model.counts_.sum()
    met = c > 0

    def loss(x: float) -> float:
        return -float((c[met] * np.log((c[met] - 1 + np.exp(x) * q[met]) / (n - 1 + np.exp(x)))).sum())

    best = optimize.minimize_scalar(loss, bounds=(-5, 12), method="bounded", options={"xatol": 1e-10})
    assert model.strength_ == pytest.approx(np.exp(best.x), rel=1e-5)
    assert 10 < model.strength_ < 400
    np.testing.assert_allclose(model.posterior_.alpha, c + model.strength_ * q, rtol=1e-12)


@SMOOTHING
@pytest.mark.parametrize("strength", ["loo", 0.4])
def test_parts_files_and_clones_equal_one_fit(smoothing: Any, strength: Any, tmp_path: Path) -> None:
    options: dict[str, Any] = {"background": ENGLISH, "smoothing": smoothing, "strength": strength}
    known = sorted({*words_of(RHYME), *words_of(MORE)})
    once = sf.LanguageModel(known, **options).fit(RHYME)
    parts = sf.LanguageModel(known, **options)
    for text in RHYME:
        parts.partial_fit([text])
    sf.save(parts, tmp_path / "model.suffice")
    loaded = sf.load(tmp_path / "model.suffice")
    copied = clone(loaded)
    assert not hasattr(copied, "counts_")
    assert repr(loaded) == repr(once)
    assert copied.get_params(deep=False).keys() == once.get_params(deep=False).keys()
    assert copied.background is loaded.background
    for other in (parts, loaded, copied.fit(RHYME), loaded.partial_fit([])):
        assert other.probabilities() == once.probabilities()
        assert other.posterior_ == once.posterior_
        assert other.strength_ == once.strength_
        assert other.n_texts_ == 3
    assert sf.LanguageModel(**options).fit(RHYME).words_.tolist() == [*known, "unk"]


def test_the_background_is_as_it_is_when_texts_are_learned() -> None:
    behind = sf.LanguageModel().fit(MORE)
    model = sf.LanguageModel(background=behind).fit(RHYME)
    before = model.probabilities()
    behind.partial_fit(["lamb lamb lamb lamb"])
    assert model.probabilities() == before
    assert sf.store.from_bytes(sf.store.to_bytes(model)).probabilities() == before
    assert model.partial_fit([]).probabilities() != before
    model.set_params(background=None).partial_fit([])
    assert not hasattr(model, "background_")
    assert not hasattr(model, "strength_")
    assert set(model.posterior_.alpha - model.counts_) == {1.0}


@pytest.mark.parametrize(
    ("options", "error", "why"),
    [
        ({"background": sf.LanguageModel()}, InputError, "must be a fitted LanguageModel; got one that has learned"),
        ({"background": {"lamb": 0.5}}, KindError, "must be a fitted LanguageModel or None; got dict"),
        ({"background": ENGLISH, "alpha": 0.5}, InputError, "'alpha' parameter of LanguageModel must be left at 1.0"),
        ({"background": ENGLISH, "ngram_range": (1, 2)}, InputError, "must read words as this model does"),
        ({"background": ENGLISH, "smoothing": "jelinek_mercer", "strength": 2}, InputError, "must be a share up to 1"),
        ({"background": ENGLISH, "strength": 0}, ValueError, "'strength' parameter of LanguageModel must be"),
        ({"background": ENGLISH, "strength": "most"}, ValueError, "'strength' parameter of LanguageModel must be"),
        ({"background": ENGLISH, "smoothing": "kneser"}, ValueError, "'smoothing' parameter of LanguageModel must be"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why) as caught:
        sf.LanguageModel(**options).fit(RHYME)
    assert "\n" not in str(caught.value)


def test_a_forged_state_is_refused() -> None:
    model = sf.LanguageModel(["Lamb", "snow"], background=ENGLISH, strength=3).fit(RHYME)
    sound = model._get_state()
    p = model.background_
    for part in ({"background": 2 * p}, {"background": p[1:]}, {"background": [1.0]}, {"background": p - p},
                 {"texts": -1.0}, {"texts": "3"}, {"texts": np.nan}, {"counts": -model.counts_}):  # fmt: skip
        with pytest.raises(DataError):
            clone(model)._set_state({**sound, "statistics": {**sound["statistics"], **part}})
    known = model._known
    for names in (["Lamb"], ["Lamb", "Lamb"], ["Lamb", 3]):
        with pytest.raises(DataError, match="names of a vocabulary must be 2 strings, each once"):
            Vocabulary(known.words, known.slot, np.array(names, object))
