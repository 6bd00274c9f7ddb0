"""Words that are given to a classifier of texts, and vectorizers of scikit-learn that say what words are."""

import inspect
import pickle
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import naive_bayes as peers
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import suffice as sf
from estimators.plain import TextClassifier
from suffice.errors import InputError, KindError, SufficeError
from suffice.estimators.texts.options import TextModel

RNG = np.random.default_rng(3)
WORDS = np.array(["tea", "rum", "ale", "milk", "water", "gin", "cola", "juice", "soup", "wine"])
CODES = RNG.integers(0, 3, 90)
TEXTS = [" ".join(RNG.choice(WORDS, RNG.integers(1, 9), p=np.roll(np.arange(10) + 1, 3 * c) / 55)) for c in CODES]
LABELS = np.array(["a", "b", "c"])[CODES]
NEW = [*TEXTS[:20], "", "tea unheardof tea", "zebra soup rum", "beer"]
GIVEN = ["tea", "zebra", "rum", "apple", "soup", "wine"]
PEERS: dict[Any, Any] = {
    "multinomial": peers.MultinomialNB,
    "bernoulli": peers.BernoulliNB,
    "complement": peers.ComplementNB,
}


def test_the_numbers_are_scikit_learns() -> None:
    each_words: Any = [GIVEN, set(GIVEN), {word: i for i, word in enumerate(GIVEN)}, ["zebra", "apple"]]
    for words in each_words:
        for alpha in [1.0, 0.3]:
            for model in PEERS:
                ours = TextClassifier(model, alpha=alpha, vocabulary=words).fit(TEXTS, LABELS)
                theirs = make_pipeline(CountVectorizer(vocabulary=words), PEERS[model](alpha=alpha)).fit(TEXTS, LABELS)
                np.testing.assert_allclose(
                    ours.predict_log_proba(NEW), theirs.predict_log_proba(NEW), rtol=1e-9, atol=1e-9
                )
                joint = theirs[1].predict_joint_log_proba(theirs[0].transform(NEW))
                np.testing.assert_allclose(ours.predict_joint_log_proba(NEW), joint, rtol=1e-9)
                assert ours.words_.tolist() == sorted(words)
                assert set(ours.counts_.words.strings) == set(WORDS)


def test_pairs_of_words_need_an_ngram_range() -> None:
    words = ["tea rum", "rum", "never met"]
    ours = TextClassifier(vocabulary=words, ngram_range=(1, 2)).fit(TEXTS, LABELS)
    peer = CountVectorizer(vocabulary=words, ngram_range=(1, 2))
    theirs = make_pipeline(peer, peers.MultinomialNB()).fit(TEXTS, LABELS)
    np.testing.assert_allclose(ours.predict_proba(NEW), theirs.predict_proba(NEW), rtol=1e-9)


@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
def test_it_learns_forgets_and_merges(model: TextModel, tmp_path: Path) -> None:
    make: Any = partial(TextClassifier, model, vocabulary=GIVEN)
    whole = make().fit(TEXTS, LABELS)
    parts = make().partial_fit(TEXTS[:30], LABELS[:30], classes=["a", "b", "c"]).partial_fit(TEXTS[30:], LABELS[30:])
    merged = make().fit(TEXTS[:50], LABELS[:50]) + make().fit(TEXTS[50:], LABELS[50:])
    forgot = make().fit([*TEXTS, "zebra apple ox"], [*LABELS, "a"]).forget(["zebra apple ox"], ["a"])
    sf.save(whole, tmp_path / "m.suffice")
    (tmp_path / "mail.csv").write_text("text,label\n" + "\n".join(map(",".join, zip(TEXTS, LABELS, strict=True))))
    counted = sf.fit_files(make(), tmp_path / "mail.csv", "label", text="text")
    for other in (parts, merged, forgot, sf.load(tmp_path / "m.suffice"), counted, pickle.loads(pickle.dumps(whole))):
        np.testing.assert_array_equal(other.predict_log_proba(NEW), whole.predict_log_proba(NEW))
        assert other.words_.tolist() == sorted(GIVEN)
    assert forgot.counts_ == whole.counts_


def test_it_is_a_view_of_the_counts() -> None:
    model = TextClassifier(min_df=2).fit(TEXTS, LABELS)
    model.set_params(min_df=None, vocabulary=GIVEN).partial_fit(["tea zebra"], ["a"])
    again = TextClassifier(vocabulary=GIVEN).fit([*TEXTS, "tea zebra"], [*LABELS, "a"])
    np.testing.assert_array_equal(model.predict_proba(NEW), again.predict_proba(NEW))
    everything = TextClassifier().fit([*TEXTS, "tea zebra"], [*LABELS, "a"])
    model.set_params(vocabulary=None).refresh([*TEXTS, "tea zebra"], [*LABELS, "a"])
    np.testing.assert_array_equal(model.predict_proba(NEW), everything.predict_proba(NEW))


def test_words_are_weighed_and_explained() -> None:
    texts, labels = [*TEXTS * 4, "tea"], [*LABELS.tolist() * 4, "a"]
    model = sf.TextClassifier(vocabulary=GIVEN, ridge=1.0).fit(texts, labels)
    assert model.feature_powers_.shape == (6,)
    weights = dict(zip(model.words_.tolist(), model.feature_powers_, strict=True))
    assert weights["apple"] == weights["zebra"] == pytest.approx(1.0)
    assert weights["rum"] != 1.0
    told = model.explain("tea rum milk zebra")
    assert {*told.features} == {"tea", "rum", "zebra", "(unknown words)", "(label noise)"}
    logs = np.sort(model.predict_log_proba(["tea rum milk zebra"])[0])
    assert abs(told.log_odds) == pytest.approx(logs[-1] - logs[-2], abs=1e-9)
    assert model.log_evidence_ < 0
    loo = model.leave_one_out(texts, labels, views="fixed")
    assert loo.shape == (361, 3)


def test_transformed_texts_have_a_vocabulary_too() -> None:
    how = sf.TermWeighting(sublinear_tf=True, use_idf=True, normalize=True)
    ours = TextClassifier("complement", vocabulary=GIVEN, term_weighting=how).fit(TEXTS, LABELS)
    X, Z = (
        CountVectorizer(vocabulary=sorted(GIVEN)).transform(texts).toarray().astype(float) for texts in (TEXTS, NEW)
    )
    idf = np.log(len(X) / np.maximum((X > 0).sum(axis=0), 1))
    X, Z = (
        np.log1p(x) * idf / np.maximum(np.linalg.norm(np.log1p(x) * idf, axis=1, keepdims=True), 1e-300) for x in (X, Z)
    )
    np.testing.assert_allclose(ours.predict_proba(NEW), peers.ComplementNB().fit(X, LABELS).predict_proba(Z), rtol=1e-9)
    np.testing.assert_array_equal(
        sf.store.from_bytes(sf.store.to_bytes(ours)).predict_proba(NEW), ours.predict_proba(NEW)
    )


def test_semi_supervised_texts_keep_their_words() -> None:
    some = [label if i % 3 else None for i, label in enumerate(LABELS)]
    model = sf.SemiSupervised(sf.TextClassifier(vocabulary=GIVEN, alpha=1.0), tol=1e-2).fit(TEXTS, some)
    assert model.estimator_.words_.tolist() == sorted(GIVEN)
    clusters = sf.Mixture(sf.TextClassifier(vocabulary=GIVEN, alpha=1.0), 2, n_init=1, random_state=0).fit(TEXTS)
    assert clusters.estimator_.words_.tolist() == sorted(GIVEN)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"vocabulary": []}, "must hold at least one word; got none"),
        ({"vocabulary": ["tea", "rum", "tea"]}, "must hold each word once; got 'tea' twice"),
        ({"vocabulary": ["tea", 3]}, "must hold strings; got int"),
        ({"vocabulary": {"tea", None}}, "must hold strings; got NoneType"),
        ({"vocabulary": iter(["tea"])}, "must be a list of words, such as ['mary', 'lamb']; got an iterator"),
        ({"vocabulary": "tea"}, "must be a list of words, such as ['mary', 'lamb']; got a single str"),
        ({"vocabulary": ["Tea"]}, "must be in lower case, because texts are lowercased; got 'Tea'"),
        ({"vocabulary": ["tea"], "min_df": 2}, "'min_df' must not be given; got min_df=2"),
        ({"vocabulary": ["tea"], "max_features": 2}, "'max_features' must not be given; got max_features=2"),
        ({"vocabulary": ["tea"], "tokens": sf.Tokens(hash_bits=3)}, "'hash_bits' must not be given; got hash_bits=3"),
        ({"vocabulary": ["tea"], "tokens": sf.Tokens(max_df=3)}, "'max_df' must not be given; got max_df=3"),
        ({"vocabulary": ["tea"], "model": "edcm"}, "how often every word is repeated"),
        ({"tokens": "english"}, "must be sf.Tokens(...), a CountVectorizer"),
        ({"tokens": CountVectorizer}, "got the class CountVectorizer"),
        ({"tokens": peers.MultinomialNB()}, "got a MultinomialNB"),
        ({"tokens": CountVectorizer(input="filename")}, "must have input='content', since X holds texts, not files"),
        ({"tokens": TfidfVectorizer(sublinear_tf=True)}, "Use term_weighting=sf.TermWeighting(sublinear_tf=True)"),
        ({"tokens": HashingVectorizer(n_features=1000)}, "whose n_features is a power of two from 2"),
        ({"tokens": HashingVectorizer(n_features=1)}, "whose n_features is a power of two from 2"),
        ({"tokens": CountVectorizer(ngram_range=(1, 2)), "ngram_range": (1, 1)}, "got (1, 1) and (1, 2)"),
        ({"tokens": CountVectorizer(min_df=2), "min_df": 3}, "its 'tokens', a CountVectorizer, must be the same"),
        ({"tokens": CountVectorizer(vocabulary=["rum"]), "vocabulary": ["tea"]}, "got ['tea'] and ['rum']"),
        ({"tokens": CountVectorizer(vocabulary=["rum"]), "min_df": 2}, "'min_df' must not be given"),
        ({"tokens": CountVectorizer(analyzer="words")}, "'analyzer' parameter of Tokens must be"),
        ({"term_weighting": True}, "The 'term_weighting' parameter of TextClassifier must be"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_the_model_stays(options: dict[str, Any], said: str) -> None:
    model = sf.TextClassifier().fit(TEXTS, LABELS)
    before = model.counts_
    with pytest.raises((SufficeError, ValueError)) as error:
        model.set_params(**options).fit(TEXTS, LABELS)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert model.counts_ is before


def test_capital_letters_are_fine_where_they_are_read() -> None:
    tokens = sf.Tokens(lowercase=False)
    assert TextClassifier(vocabulary=["Tea"], tokens=tokens).fit(["Tea", "tea"], ["a", "b"]).words_.tolist() == ["Tea"]


VECTORIZERS: list[tuple[Any, sf.Tokens, dict[str, Any]]] = [
    (CountVectorizer(), sf.Tokens(), {}),
    (
        CountVectorizer(stop_words=["tea"], min_df=5, max_df=0.5),
        sf.Tokens(stop_words=["tea"], max_df=0.5),
        {"min_df": 5},
    ),
    (sf.CountVectorizer(ngram_range=(1, 2), max_features=12), sf.Tokens(), {"ngram_range": (1, 2), "max_features": 12}),
    (TfidfVectorizer(binary=True, vocabulary=GIVEN), sf.Tokens(binary=True), {"vocabulary": GIVEN}),
    (CountVectorizer(analyzer="char_wb", ngram_range=(2, 3)), sf.Tokens(analyzer="char_wb"), {"ngram_range": (2, 3)}),
    (HashingVectorizer(n_features=2**6, lowercase=False), sf.Tokens(hash_bits=6, lowercase=False), {}),
    (CountVectorizer(dtype=np.float32, lowercase=False), sf.Tokens(lowercase=False), {}),
]


@pytest.mark.parametrize(("vectorizer", "tokens", "flat"), VECTORIZERS, ids=lambda one: str(one)[:40])
def test_a_vectorizer_is_read_by_its_options(
    vectorizer: Any, tokens: sf.Tokens, flat: dict[str, Any], tmp_path: Path
) -> None:
    theirs = TextClassifier(tokens=vectorizer).fit(TEXTS, LABELS)
    ours = TextClassifier(tokens=tokens, **flat).fit(TEXTS, LABELS)
    np.testing.assert_array_equal(theirs.predict_log_proba(NEW), ours.predict_log_proba(NEW))
    assert theirs.tokens is vectorizer
    sf.save(theirs, tmp_path / "m.suffice")
    loaded = sf.load(tmp_path / "m.suffice")
    assert loaded.tokens == tokens
    assert {name: getattr(loaded, name) for name in flat} == flat
    np.testing.assert_array_equal(loaded.predict_log_proba(NEW), ours.predict_log_proba(NEW))
    merged = clone(theirs).fit(TEXTS[:50], LABELS[:50]) + ours.partial_fit(TEXTS[:9], LABELS[:9])  # one way to read
    assert merged.class_count_.sum() == 149
    same = TextClassifier(tokens=vectorizer, **flat).fit(TEXTS, LABELS)  # given twice, and alike
    assert same.counts_ == theirs.counts_


def test_counts_of_a_vectorizer_in_parts(tmp_path: Path) -> None:
    (tmp_path / "mail.csv").write_text("text,label\n" + "\n".join(map(",".join, zip(TEXTS, LABELS, strict=True))))
    model = TextClassifier(tokens=CountVectorizer(min_df=4, max_df=0.4, stop_words=["tea"]))
    counted = sf.fit_files(model, tmp_path / "mail.csv", "label", text="text")
    whole = clone(model).fit(TEXTS, LABELS)
    assert counted.counts_ == whole.counts_
    np.testing.assert_array_equal(counted.predict_proba(NEW), whole.predict_proba(NEW))
    own = TextClassifier(tokens=CountVectorizer(tokenizer=str.split))
    assert own.fit(TEXTS, LABELS).predict(TEXTS[:1]).shape == (1,)
    with pytest.raises(KindError, match=r"'tokenizer'.*function"):
        sf.save(own, tmp_path / "m.suffice")


def test_a_class_of_a_user_may_do_anything() -> None:
    class Mine(CountVectorizer):  # type: ignore[misc]
        """With a tokenizer of its own."""

    with pytest.raises(KindError, match="got a Mine, which may override methods: give its options as"):
        sf.TextClassifier(tokens=Mine()).fit(TEXTS, LABELS)


def test_a_grid_of_tokens() -> None:
    model = TextClassifier(tokens=CountVectorizer())
    grid = GridSearchCV(model, {"tokens": [sf.Tokens(), sf.Tokens(binary=True)], "vocabulary": [None, GIVEN]}, cv=2)
    assert grid.fit(TEXTS, LABELS).best_params_["tokens"] in (sf.Tokens(), sf.Tokens(binary=True))
    grid = GridSearchCV(model, {"tokens__binary": [True], "tokens__stop_words": [["tea"]]}, cv=2).fit(TEXTS, LABELS)
    assert "tea" not in grid.best_estimator_.words_
    value = sf.Tokens(stop_words=["tea"])
    assert clone(sf.TextClassifier(tokens=value)).tokens == value
    assert model.set_params(tokens=value).fit(TEXTS, LABELS).tokens is value


@pytest.mark.parametrize("weighting", [None, sf.TermWeighting(use_idf=True)])
def test_a_classifier_is_no_transformer(weighting: sf.TermWeighting | None) -> None:
    """Scikit-learn takes whatever has an attribute `transform` for a transformer, a parameter included."""
    model = sf.TextClassifier("complement", term_weighting=weighting)
    for one in (sf.TextClassifier(), model, make_pipeline(model), clone(model).fit(TEXTS, LABELS)):
        assert not hasattr(one, "transform")
    assert not hasattr(sf.TextClassifier().fit(TEXTS, LABELS), "transform")
    assert not hasattr(model, "set_output")


def test_a_pipeline_may_be_told_the_form_of_its_output() -> None:
    pipeline = make_pipeline(FunctionTransformer(), TextClassifier()).set_output(transform="default")
    expected = TextClassifier().fit(TEXTS, LABELS).predict(NEW)
    np.testing.assert_array_equal(pipeline.fit(TEXTS, LABELS).predict(NEW), expected)


def pairs_that_tell() -> tuple[list[str], list[str]]:
    """Return texts whose class is told by which of two words comes first."""
    rng = np.random.default_rng(0)
    labels = rng.choice(["good", "bad"], 600).tolist()
    first = ["not bad" if label == "good" else "bad not" for label in labels]
    return [f"{rng.choice(GIVEN)} {both} {rng.choice(GIVEN)}" for both in first], labels


def test_what_the_best_effort_chose() -> None:
    model = sf.TextClassifier(effort="best")
    for name in ("ngram_range_", "min_df_"):
        assert not hasattr(model, name)
    model.fit(*pairs_that_tell())
    assert (model.ngram_range_, model.min_df_) == ((1, 2), 2)
    assert (model.ngram_range, model.min_df) == (None, None)
    given = sf.TextClassifier(effort="best", ngram_range=(1, 1)).fit(TEXTS, LABELS)
    assert (given.ngram_range_, given.min_df_) == ((1, 1), 1)
    known = sf.TextClassifier(effort="best", vocabulary=GIVEN).fit(TEXTS, LABELS)
    assert (known.ngram_range_, known.min_df_) == ((1, 1), 1)
    read = sf.TextClassifier(effort="best", tokens=CountVectorizer(min_df=3)).fit(TEXTS, LABELS)
    assert (read.ngram_range_, read.min_df_) == ((1, 1), 3)
    urns = sf.TextClassifier("edcm").fit(TEXTS, LABELS)
    assert (urns.ngram_range_, urns.min_df_) == ((1, 1), 1)
    loaded = sf.store.from_bytes(sf.store.to_bytes(model))
    assert (loaded.ngram_range_, loaded.min_df_) == ((1, 2), 2)


def test_a_language_model_reads_a_vectorizer_too(tmp_path: Path) -> None:
    model = sf.LanguageModel(tokens=CountVectorizer(vocabulary=["tea", "rum"], stop_words=["soup"])).fit(TEXTS)
    plain = sf.LanguageModel(["tea", "rum"], tokens=sf.Tokens(stop_words=["soup"])).fit(TEXTS)
    assert model.words_.tolist() == plain.words_.tolist() == ["tea", "rum", "unk"]
    assert model.posterior_ == plain.posterior_
    sf.save(model, tmp_path / "m.suffice")
    assert repr(sf.load(tmp_path / "m.suffice")) == repr(plain)


def test_seventeen_parameters_in_their_order() -> None:
    assert list(sf.TextClassifier().get_params()) == sorted(NAMES)
    assert list(inspect.signature(sf.TextClassifier).parameters) == NAMES
    with pytest.raises(InputError):
        sf.TextClassifier(vocabulary=[]).fit(TEXTS, LABELS)


NAMES = [
    *("model", "estimate", "alpha", "class_prior", "ngram_range", "vocabulary", "min_df", "max_features", "tokens"),
    *("term_weighting", "temper", "length_exponent", "feature_powers", "ridge", "effort", "memory_limit", "verbose"),
]
