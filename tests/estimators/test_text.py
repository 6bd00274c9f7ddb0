"""TextClassifier beside scikit-learn's CountVectorizer and its naive Bayes."""

import pickle
import tarfile
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import naive_bayes as peers
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer as Peer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import suffice as sf
from estimators.plain import TextClassifier
from suffice.errors import KindError, SufficeError
from suffice.estimators.texts.options import TextModel
from suffice.models.scoring.results import Estimate

NEWS = Path(__file__).parents[2].parent / "shared" / "data" / "20news_bydate" / "20news-bydate.tar.gz"
RNG = np.random.default_rng(0)
WORDS = np.array(["tea", "rum", "ale", "milk", "water", "gin", "cola", "juice", "soup", "wine"])


def corpus(n: int = 120) -> tuple[list[str], Any]:
    y = RNG.integers(0, 3, n)
    texts = [" ".join(RNG.choice(WORDS, RNG.integers(1, 12), p=np.roll(np.arange(10) + 1, 3 * c) / 55)) for c in y]
    return texts, np.array(["a", "b", "c"])[y]


TEXTS, LABELS = corpus()
PEERS: dict[Any, Any] = {
    "multinomial": peers.MultinomialNB,
    "bernoulli": peers.BernoulliNB,
    "complement": peers.ComplementNB,
}


def test_the_numbers_are_scikit_learns() -> None:
    each_options: Any = [{}, {"ngram_range": (1, 2)}, {"min_df": 3, "max_df": 0.6}, {"max_features": 6}]
    for options in each_options:
        for alpha in [1.0, 0.01, 3.5]:
            for model in PEERS:
                flat = {name: value for name, value in options.items() if name != "max_df"}
                tokens = sf.Tokens(max_df=options.get("max_df", 1.0))
                ours = TextClassifier(model, alpha=alpha, tokens=tokens, **flat).fit(TEXTS, LABELS)
                theirs = make_pipeline(Peer(**options), PEERS[model](alpha=alpha)).fit(TEXTS, LABELS)
                if "max_features" not in options or ours.words_.tolist() == theirs[0].get_feature_names_out().tolist():
                    new = [*TEXTS, "", "tea unheardof tea", "soup rum"]
                    np.testing.assert_allclose(
                        ours.predict_log_proba(new), theirs.predict_log_proba(new), rtol=1e-9, atol=1e-9
                    )
                    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
                joint = ours.predict_joint_log_proba(TEXTS)
                np.testing.assert_allclose(
                    joint, theirs[1].predict_joint_log_proba(theirs[0].transform(TEXTS)), rtol=1e-9
                )


def test_complement_normalised_and_binary_words() -> None:
    for norm, binary in ((True, False), (False, True)):
        tokens, weighting = sf.Tokens(binary=binary), sf.TermWeighting(norm=norm)
        ours = TextClassifier("complement", tokens=tokens, term_weighting=weighting).fit(TEXTS, LABELS)
        theirs = make_pipeline(Peer(binary=binary), peers.ComplementNB(norm=norm)).fit(TEXTS, LABELS)
        np.testing.assert_allclose(ours.predict_proba(TEXTS), theirs.predict_proba(TEXTS), rtol=1e-9)
    ours = TextClassifier(tokens=sf.Tokens(binary=True)).fit(TEXTS, LABELS)
    theirs = make_pipeline(Peer(binary=True), peers.MultinomialNB()).fit(TEXTS, LABELS)
    np.testing.assert_allclose(ours.predict_proba(TEXTS), theirs.predict_proba(TEXTS), rtol=1e-9)


@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
def test_estimates_equal_those_of_the_matrix_classifiers(model: TextModel, estimate: Estimate) -> None:
    kind = sf.MultinomialNB if model == "multinomial" else sf.BernoulliNB
    vectorizer = Peer()
    X = vectorizer.fit_transform(TEXTS)
    matrix = kind(alpha=2.0, estimate=estimate).fit(X, LABELS)
    ours = TextClassifier(model, alpha=2.0, estimate=estimate).fit(TEXTS, LABELS)
    np.testing.assert_allclose(ours.predict_proba(TEXTS), matrix.predict_proba(X), rtol=1e-9, atol=1e-300)


@pytest.mark.filterwarnings("ignore::suffice.models.ImpossibleSampleWarning")
@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
def test_mle_forbids_what_never_was(model: TextModel) -> None:
    texts, labels = ["tea tea", "tea milk", "rum", "rum ale"], ["t", "t", "r", "r"]
    kind = sf.MultinomialNB if model == "multinomial" else sf.BernoulliNB
    vectorizer = Peer().fit(texts)
    matrix = kind(estimate="mle").fit(vectorizer.transform(texts), labels)
    ours = TextClassifier(model, estimate="mle").fit(texts, labels)
    new = ["tea", "rum", "milk", "ale rum", "tea rum", ""]
    np.testing.assert_allclose(ours.predict_proba(new), matrix.predict_proba(vectorizer.transform(new)))


@pytest.mark.parametrize("method", ["dcm", "edcm"])
@pytest.mark.parametrize("alpha", [0.03, 1.0, 0.0])
@pytest.mark.filterwarnings("ignore::suffice.models.ImpossibleSampleWarning")
def test_bursty_models_equal_those_of_the_matrix(method: Literal["dcm", "edcm"], alpha: float) -> None:
    vectorizer = Peer()
    X = vectorizer.fit_transform(TEXTS)
    matrix = sf.DirichletMultinomialNB(method=method, alpha=alpha, class_prior="counted").fit(X, LABELS)
    model: TextModel = "edcm" if method == "edcm" else "dirichlet_multinomial"
    ours = TextClassifier(model, alpha=alpha).fit(TEXTS, LABELS)
    new = [*TEXTS, "", "tea tea tea tea rum", "unheardof"]
    expected = matrix.predict_joint_log_proba(vectorizer.transform(new))
    np.testing.assert_allclose(ours.predict_joint_log_proba(new), expected, rtol=1e-6, atol=1e-6)
    parts = TextClassifier(model, alpha=alpha).partial_fit(TEXTS[:50], LABELS[:50], classes=["a", "b", "c"])
    parts.partial_fit(TEXTS[50:], LABELS[50:])
    np.testing.assert_array_equal(parts.predict_proba(TEXTS), ours.predict_proba(TEXTS))


def test_a_word_that_a_class_has_not_met() -> None:
    texts, labels = ["tea tea", "tea milk", "rum rum rum", "rum ale"], ["t", "t", "r", "r"]
    vectorizer = Peer().fit(texts)
    for model in ("dirichlet_multinomial", "edcm"):
        matrix = sf.DirichletMultinomialNB(method="edcm" if model == "edcm" else "dcm", class_prior="counted").fit(
            vectorizer.transform(texts), labels
        )
        new = ["milk milk", "ale tea", "rum tea tea"]
        ours = TextClassifier(model, alpha=None).fit(texts, labels).predict_log_proba(new)
        np.testing.assert_allclose(ours, matrix.predict_log_proba(vectorizer.transform(new)), rtol=1e-6, atol=1e-9)


def test_transforms_equal_those_made_by_hand() -> None:
    ours = TextClassifier(
        "complement", term_weighting=sf.TermWeighting(sublinear_tf=True, use_idf=True, normalize=True)
    ).fit(TEXTS, LABELS)
    X = Peer().fit_transform(TEXTS).toarray().astype(float)
    idf = np.log(len(X) / (X > 0).sum(axis=0))
    X = np.log1p(X) * idf
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)
    theirs = peers.ComplementNB().fit(X, LABELS)
    np.testing.assert_allclose(ours.predict_proba(TEXTS), theirs.predict_proba(X), rtol=1e-9)


def test_batches_equal_one_fit_and_iterators_stream() -> None:
    whole = TextClassifier(min_df=2).fit(TEXTS, LABELS)
    parts = TextClassifier(min_df=2)
    for at in range(0, len(TEXTS), 17):
        parts.partial_fit(iter(TEXTS[at : at + 17]), LABELS[at : at + 17], classes=["a", "b", "c"])
    assert parts.counts_ == whole.counts_
    np.testing.assert_array_equal(parts.predict_proba(TEXTS), whole.predict_proba(TEXTS))


def test_hashing_needs_no_words() -> None:
    model = TextClassifier(tokens=sf.Tokens(hash_bits=18), alpha=1e-6).fit(TEXTS, LABELS)
    named = TextClassifier(alpha=1e-6).fit(TEXTS, LABELS)
    assert (model.predict(TEXTS) == named.predict(TEXTS)).mean() > 0.95
    assert len(model.words_) == 0
    with pytest.raises(SufficeError, match="'hash_bits' of the tokens of TextClassifier must stay 18"):
        model.set_params(tokens=None).partial_fit(["tea"], ["a"])


def test_in_scikit_learns_company() -> None:
    model = TextClassifier()
    assert cross_val_score(model, TEXTS, LABELS, cv=3).mean() > 0.5
    grid = GridSearchCV(model, {"alpha": [0.1, 1.0], "ngram_range": [(1, 1), (1, 2)]}, cv=2).fit(TEXTS, LABELS)
    assert set(grid.best_params_) == {"alpha", "ngram_range"}
    fitted = model.fit(TEXTS, LABELS)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(TEXTS), fitted.predict_proba(TEXTS))
    assert not hasattr(clone(fitted), "classes_")
    assert make_pipeline(TextClassifier()).fit(TEXTS, LABELS).score(TEXTS, LABELS) > 0.6
    weights = np.arange(len(TEXTS)) % 3
    weighed = TextClassifier().fit(TEXTS, LABELS, sample_weight=weights)
    repeated = TextClassifier().fit(np.repeat(TEXTS, weights), np.repeat(LABELS, weights))
    assert weighed.counts_ == repeated.counts_


@pytest.mark.parametrize(
    ("texts", "labels", "options", "words"),
    [
        ("a bare string", ["a"], {}, "such as a list; got a single str"),
        (["tea", 7], ["a", "b"], {}, "must hold strings; got int at index 1"),
        (["tea", None], ["a", "b"], {}, "got NoneType at index 1. Leave out missing texts"),
        (["tea", "rum"], ["a"], {}, "as many texts as there are labels, 1; got more"),
        (["tea"], ["a", "b"], {}, "as many texts as there are labels, 2; got 1"),
        ([], [], {}, "at least one"),
        (["", "x"], ["a", "b"], {}, "must hold words; got texts without any"),
        (["tea", "rum"], ["a", "b"], {"min_df": 2}, "No word is left: min_df=2"),
        (
            ["tea", "rum"],
            ["a", "b"],
            {"min_df": 2, "tokens": sf.Tokens(max_df=1)},
            "'max_df' must not be below 'min_df'",
        ),
        (["tea", "rum"], ["a", "b"], {"ngram_range": (2, 1)}, "ngram_range"),
        (["tea", "rum"], ["a", "b"], {"estimate": "map", "alpha": 0.5}, "alpha of at least 1"),
        (["tea", "rum"], ["a", "b"], {"term_weighting": sf.TermWeighting(use_idf=True)}, "with model='complement'"),
        (["tea", "rum"], ["a", "b"], {"model": "edcm", "min_df": 2}, "how often every word is repeated"),
        (
            ["tea", "rum"],
            ["a", "b"],
            {"estimate": "predictive", "tokens": sf.Tokens(binary=True)},
            "must have binary=False; got binary=True",
        ),
        (5, ["a"], {}, "such as a list; got int"),
        (np.array([["tea"]]), ["a"], {}, "one text per document; got an array of shape"),
    ],
)
def test_bad_input_is_one_sentence_and_the_model_stays(texts: Any, labels: Any, options: Any, words: str) -> None:
    model = TextClassifier().fit(TEXTS, LABELS)
    before = model.counts_
    with pytest.raises((SufficeError, ValueError)) as caught:
        model.set_params(**options).fit(texts, labels)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert model.counts_ is before


FRAME = {"text": ["tea rum", "rum"]}


@pytest.mark.parametrize("table", [FRAME, pd.DataFrame(FRAME), pl.DataFrame(FRAME), pa.table(FRAME)])
@pytest.mark.parametrize("call", ["fit", "predict", "score", "explain", "partial_fit", "forget"])
def test_a_table_is_not_taken_for_texts(table: Any, call: str) -> None:
    model = TextClassifier().fit(["tea rum", "rum"], ["a", "b"])
    more = () if call in ("predict", "explain") else (["a", "b"],)
    kind, name = type(table).__name__, "x" if call == "explain" else "X"
    with pytest.raises(KindError) as caught:
        getattr(model, call)(table, *more)
    assert str(caught.value) == (
        f"The argument '{name}' must be texts in one column; got a {kind}. Pass {name}['text'], or use NaiveBayes."
    )


@pytest.mark.parametrize("matrix", [sparse.csr_matrix(np.eye(2)), sparse.coo_array(np.eye(2))])
def test_word_counts_are_not_taken_for_texts(matrix: Any) -> None:
    words = "must be raw texts; got a sparse matrix. Drop the vectorizer, or use MultinomialNB on its matrix."
    with pytest.raises(KindError, match=words):
        make_pipeline(TfidfVectorizer(), TextClassifier()).fit(TEXTS, LABELS)
    with pytest.raises(KindError, match=words):
        TextClassifier().fit(matrix, ["a", "b"])
    with pytest.raises(KindError, match=words):
        TextClassifier().fit(TEXTS, LABELS).predict(matrix)


def test_a_new_label_and_a_dict_of_priors_name_the_way_out() -> None:
    model = TextClassifier().fit(["tea", "rum"], ["a", "b"])
    with pytest.raises(SufficeError, match=r"\['z'\] .* fit a model to the new rows and add it: model \+ other\."):
        model.partial_fit(["gin"], ["z"])
    assert (model + TextClassifier().fit(["gin"], ["z"])).classes_.tolist() == ["a", "b", "z"]
    prior: Any = {"a": 0.5, "b": 0.5}
    with pytest.raises(SufficeError, match="in the order of 'classes_'; got a dict"):
        TextClassifier(class_prior=prior).fit(["tea", "rum"], ["a", "b"])


def test_views_are_not_computed_while_batches_come() -> None:
    model = TextClassifier(min_df=2).partial_fit([""], ["a"], classes=["a", "b"]).partial_fit(["tea rum"], ["a"])
    with pytest.raises(SufficeError, match="No word is left: min_df=2"):
        model.predict(["tea"])
    assert model.partial_fit(["tea"], ["b"]).words_.tolist() == ["tea"]
    assert TextClassifier(tokens=sf.Tokens(max_df=1)).fit(["tea rum", "tea"], ["a", "b"]).words_.tolist() == ["rum"]


@pytest.mark.parametrize("weights", [[1, 2, 9], [1], [], 1.0, [[1], [2]], [-1, 1]])
@pytest.mark.parametrize("options", [{}, {"model": "complement", "term_weighting": sf.TermWeighting(use_idf=True)}])
def test_weights_that_do_not_fit(weights: Any, options: dict[str, Any]) -> None:
    with pytest.raises(SufficeError, match="'sample_weight'"):
        TextClassifier(**options).fit(["tea", "rum"], ["a", "b"], sample_weight=weights)


def test_parameters_that_change_after_the_fit() -> None:
    plain = TextClassifier().fit(TEXTS, LABELS)
    expected = plain.predict_proba(TEXTS)
    with pytest.raises(SufficeError, match="must be 'dirichlet_multinomial' when it is first fitted"):
        plain.set_params(model="dirichlet_multinomial").partial_fit(["tea"], ["a"])
    np.testing.assert_array_equal(plain.predict_proba(TEXTS), expected)
    idf = TextClassifier("complement", term_weighting=sf.TermWeighting(use_idf=True)).fit(TEXTS, LABELS)
    expected = idf.predict_proba(TEXTS)
    with pytest.raises(SufficeError, match="cannot learn in batches"):
        idf.set_params(term_weighting=None).partial_fit(["tea"], ["a"])
    np.testing.assert_array_equal(idf.predict_proba(TEXTS), expected)
    later = TextClassifier("complement").fit(TEXTS, LABELS).set_params(term_weighting=sf.TermWeighting(use_idf=True))
    assert later.predict(TEXTS).shape == LABELS.shape
    with pytest.raises(SufficeError, match="what a token is must stay"):
        TextClassifier().fit(TEXTS, LABELS).set_params(tokens=sf.Tokens(lowercase=False)).partial_fit(["tea"], ["a"])


def test_more_that_is_refused() -> None:
    with pytest.raises(Exception, match="not fitted"):
        TextClassifier().predict(["tea"])
    with pytest.raises(SufficeError, match="cannot learn in batches"):
        TextClassifier("complement", term_weighting=sf.TermWeighting(use_idf=True)).partial_fit(
            ["tea"], ["a"], classes=["a", "b"]
        )
    model = TextClassifier().fit(TEXTS, LABELS)
    with pytest.raises(SufficeError, match="do not exist in the initial classes"):
        model.partial_fit(["tea"], ["z"])
    odd: Any = ["tea", float("nan")]
    with pytest.raises(SufficeError, match="got float at index 1"):
        model.predict(odd)
    assert model.predict([]).tolist() == []
    assert model.predict_proba([]).shape == (0, 3)


@pytest.mark.thorough
@pytest.mark.skipif(not NEWS.exists(), reason="20 Newsgroups is not beside the clone")
def test_20_newsgroups() -> None:
    parts: dict[str, tuple[list[str], list[str]]] = {"train": ([], []), "test": ([], [])}
    with tarfile.open(NEWS) as archive:
        for member in archive:
            if member.isfile():
                *_, folder, group, _name = member.name.split("/")
                texts, labels = parts[folder.rsplit("-", 1)[1]]
                texts.append(archive.extractfile(member).read().decode("latin-1"))  # type: ignore[union-attr]
                labels.append(group)
    (train, y), (test, expected) = parts["train"], parts["test"]
    vectorizer = Peer()
    X, Z = vectorizer.fit_transform(train), vectorizer.transform(test)
    kinds: dict[TextModel, float] = {"multinomial": 0.7728, "bernoulli": 0.6308}
    for model, accuracy in kinds.items():
        ours = TextClassifier(model).fit(train, y)
        assert round(ours.score(test, expected), 4) == accuracy
        np.testing.assert_array_equal(ours.predict(test), PEERS[model]().fit(X, y).predict(Z))
    urn = TextClassifier("dirichlet_multinomial").fit(train, y)
    assert urn.score(test, expected) >= 0.7728 + 0.03
    rennie = TextClassifier(
        "complement", term_weighting=sf.TermWeighting(sublinear_tf=True, use_idf=True, normalize=True)
    ).fit(train, y)
    assert round(rennie.score(test, expected), 3) >= 0.843
    normed = sf.TermWeighting(sublinear_tf=True, use_idf=True, normalize=True, norm=True)
    assert rennie.set_params(term_weighting=normed).fit(train, y).score(test, expected) >= 0.838
