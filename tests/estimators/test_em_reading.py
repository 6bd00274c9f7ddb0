"""How EM reads rows through each classifier: once, as all rows say, and from counts of them elsewhere."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from suffice.errors import KindError
from suffice.estimators.discriminants.gaussian_discriminant import GaussianDiscriminant
from suffice.estimators.em.mixture import Mixture
from suffice.estimators.em.reading import Begun, opened, opened_again
from suffice.estimators.naive_bayes.any_table import NaiveBayes
from suffice.estimators.naive_bayes.categories import BernoulliNB, CategoricalNB
from suffice.estimators.naive_bayes.numbers import GaussianNB, PoissonNB
from suffice.estimators.naive_bayes.words import ComplementNB, DirichletMultinomialNB, MultinomialNB
from suffice.estimators.texts.text_classifier import TextClassifier
from suffice.models.expectation import log_joint
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Labels
from suffice.models.views import Views
from suffice.text import Tokens

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 60)
CLASSES = np.array(["a", "b", "c"])
FLAGS = (RNG.random((60, 5)) < (CODES[:, None] + 1) / 4).astype(int)
COUNTS = RNG.poisson(CODES[:, None] + 1.0, (60, 4))
REALS = RNG.normal(CODES[:, None], 1.0, (60, 2))
TEXTS = [" ".join(f"w{j}" for j in RNG.integers(0, 8 + 4 * c, 6)) for c in CODES.tolist()]
SIZE: Any = REALS[:, 0].copy()
SIZE[::7] = np.nan
NOTE: Any = np.array(TEXTS, object)
NOTE[::5] = None
TABLE = {"size": SIZE, "colour": np.array(["red", "blue", "green"])[CODES], "events": COUNTS[:, 0], "note": NOTE}

CASES: list[Any] = [
    (BernoulliNB(), FLAGS),
    (MultinomialNB(), COUNTS),
    (PoissonNB(), COUNTS),
    (GaussianNB(), REALS),
    (GaussianDiscriminant(prior="evidence", temper=None), REALS),
    (GaussianDiscriminant("shared", prior="evidence", temper=None), REALS),
    (GaussianDiscriminant("diagonal", temper=None), REALS),
    (CategoricalNB(), COUNTS),
    (CategoricalNB(), np.array(list("stuvwxyzabcdef"))[COUNTS]),
    (DirichletMultinomialNB(), COUNTS),
    (TextClassifier(min_df=2, alpha=0.5, feature_powers=None, temper=None), TEXTS),
    (TextClassifier("bernoulli", temper=None), TEXTS),
    (TextClassifier(tokens=Tokens(hash_bits=6), alpha=0.5, feature_powers=None, temper=None), TEXTS),
    (NaiveBayes({"events": "poisson", "note": "text", "size": "gaussian"}, feature_powers=None, temper=None), TABLE),
]
every_case = pytest.mark.parametrize(("model", "X"), CASES, ids=lambda part: str(part) if hasattr(part, "fit") else "")


def begun_of(model: Any, X: Any) -> tuple[Begun, Any]:
    estimator = clone(model)
    source, _ = opened(estimator, X)
    return Begun.of(estimator, [source]), source


def counted(begun: Begun, source: Any, y: Any, classes: Any = CLASSES) -> Any:
    empty, rows = begun.empty(classes, Views()), begun.rows(source)
    return type(empty).of(classes, empty.likelihoods, rows, Labels(y, None, len(classes)))


@every_case
def test_shares_of_one_are_labels(model: Any, X: Any) -> None:
    begun, source = begun_of(model, X)
    by_shares, by_codes = counted(begun, source, np.eye(3)[CODES]), counted(begun, source, CODES)
    np.testing.assert_allclose(by_shares.n, by_codes.n)
    rows = begun.rows(source)
    one, other = (log_joint(Predictor(found, begun.prior), rows) for found in (by_shares, by_codes))
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@every_case
def test_a_model_of_labels_is_a_fit(model: Any, X: Any) -> None:
    begun, source = begun_of(model, X)
    mine, plain = begun.fitted(counted(begun, source, CODES)), clone(model).fit(X, CLASSES[CODES])
    if "min_df" in model.get_params():
        assert mine.words_.tolist() == plain.words_.tolist()
    np.testing.assert_allclose(mine.predict_log_proba(X), plain.predict_log_proba(X), rtol=1e-9, atol=1e-9)
    assert mine.predict(X).tolist() == plain.predict(X).tolist()


@every_case
def test_counts_of_rows_elsewhere_say_the_same(model: Any, X: Any) -> None:
    """Of three classes two are labels, and rows of the third have none."""
    begun, source = begun_of(model, X)
    from_counts = Begun.like(clone(model), clone(model).fit(X, CLASSES[CODES]))
    placed = from_counts.placed(CLASSES[:2], np.array([0, 1, -1]), Views())
    of_rows = counted(begun, source, np.eye(3)[CODES][:, :2], CLASSES[:2])
    np.testing.assert_allclose(placed.n, of_rows.n)
    np.testing.assert_allclose(from_counts.as_one_class().n, [60])
    logs = [
        log_joint(Predictor(found, one.prior), one.rows(source))
        for one, found in ((from_counts, placed), (begun, of_rows))
    ]
    np.testing.assert_allclose(logs[0], logs[1], rtol=1e-9)
    again: Begun = pickle.loads(pickle.dumps(from_counts))
    assert again.likelihoods(Views()) == from_counts.likelihoods(Views())


def test_more_rows_must_be_like_the_first() -> None:
    estimator = MultinomialNB()
    opened(estimator, COUNTS)
    assert opened_again(estimator, COUNTS[:0]) is None
    with pytest.raises(ValueError, match="4 features"):
        opened_again(estimator, COUNTS[:, :2])
    texts = TextClassifier()
    assert opened(texts, iter(TEXTS))[0] == TEXTS


def test_labels_may_be_a_column_of_the_table() -> None:
    table, estimator = {**TABLE, "kind": CLASSES[CODES]}, NaiveBayes()
    source, y = opened(estimator, table, "kind")
    assert source.names == list(TABLE)
    assert np.asarray(y).tolist() == CLASSES[CODES].tolist()


def test_a_column_that_labelled_rows_lack_has_a_block() -> None:
    estimator = NaiveBayes({"events": "poisson", "note": "text", "size": "gaussian"})
    known = {name: values[:20] for name, values in TABLE.items()} | {"note": [None] * 20, "size": [None] * 20}
    parts = [opened(estimator, known)[0], opened_again(estimator, {name: part[20:] for name, part in TABLE.items()})]
    begun = Begun.of(estimator, parts)
    assert list(begun.empty(CLASSES, Views()).blocks) == list(TABLE)
    assert begun.empty(CLASSES, Views()).blocks["note"].t.width > 0


@pytest.mark.parametrize(
    ("model", "X", "words"),
    [
        (ComplementNB(), COUNTS, "no model of its rows"),
        (TextClassifier("complement"), TEXTS, "no model of its rows"),
        (TextClassifier("dirichlet_multinomial"), TEXTS, "urns"),
        (GaussianNB(var_smoothing=0), REALS, "shrink to zero"),
    ],
)
def test_what_is_no_model_of_rows_is_refused(model: Any, X: Any, words: str) -> None:
    with pytest.raises(KindError, match=words):
        Mixture(model).fit(X)
