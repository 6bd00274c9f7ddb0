"""Few labels: what counts as none, what is chosen, what comes out, what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB as Peer
from sklearn.utils.estimator_checks import parametrize_with_checks

import suffice as sf
from suffice.errors import DataError, InputError, KindError, LabelError
from suffice.estimators.em.semi_supervised import _halves
from suffice.models.choosing.smoothing import Scored, choose_posterior_temper
from suffice.readers.labels import Examples

CLASSES = {"check_classifiers_classes": "has a class named −1, which is no label here"}
CHECKED = [sf.SemiSupervised(sf.GaussianNB()), sf.SemiSupervised(sf.MultinomialNB(), unlabelled_weight=0.5)]


def each_check(estimator: Any, check: Any) -> None:
    check(estimator)


test_estimator_checks: Any = pytest.mark.thorough(
    parametrize_with_checks(CHECKED, expected_failed_checks=lambda estimator: CLASSES)(each_check)
)

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 2, 120)
COUNTS = RNG.poisson(np.where(CODES[:, None], [4, 1, 2], [1, 4, 2]))
KNOWN = np.arange(120) < 10
NAMES = np.array(["ham", "spam"])[CODES]


def labels(nothing: Any, of: Any = NAMES) -> list[Any]:
    return [label if known else nothing for label, known in zip(of.tolist(), KNOWN, strict=True)]


WAYS: list[Any] = [
    labels(None),
    labels(float("nan")),
    labels(-1),
    labels(pd.NA),
    np.array(labels(None), object),
    np.array(labels(-1), object),
    pd.Series(labels(None)),
    pd.Series(labels(None), dtype="string"),
    pd.Series(labels(None), dtype="category"),
    pl.Series(labels(None)),
    pa.array(labels(None)),
]
NUMBERS: list[Any] = [
    np.array(labels(-1, CODES)),
    np.array(labels(float("nan"), CODES)),
    labels(None, CODES),
    pd.Series(labels(None, CODES), dtype="Int64"),
    pl.Series(labels(None, CODES)),
]


@pytest.mark.parametrize("y", WAYS, ids=lambda y: type(y).__name__)
def test_every_way_to_say_that_there_is_no_label(y: Any) -> None:
    model = sf.SemiSupervised(sf.MultinomialNB()).fit(COUNTS, y)
    assert model.classes_.tolist() == ["ham", "spam"]
    assert model.classes_.dtype.kind == "U"
    assert np.array_equal(model.transduction_[KNOWN], NAMES[KNOWN])
    assert np.mean(model.transduction_ == NAMES) > 0.9
    assert model.score(COUNTS, NAMES) == np.mean(model.predict(COUNTS) == NAMES)


@pytest.mark.parametrize("y", NUMBERS, ids=lambda y: type(y).__name__)
def test_numbers_may_be_labels(y: Any) -> None:
    model = sf.SemiSupervised(sf.MultinomialNB()).fit(COUNTS, y)
    assert model.classes_.tolist() == [0, 1]
    assert np.mean(model.transduction_ == CODES) > 0.9


def test_flags_may_be_labels() -> None:
    model = sf.SemiSupervised(sf.MultinomialNB()).fit(COUNTS, labels(None, CODES == 1))
    assert model.classes_.tolist() == [False, True]


@pytest.mark.parametrize(
    ("y", "error", "words"),
    [
        ([None] * 120, LabelError, "Use Mixture"),
        ([-1] * 120, LabelError, "all 120 are missing"),
        (["ham", 1] * 60, LabelError, "one kind, .* got numbers and words"),
        ([True, "ham"] * 60, LabelError, "truth values and words"),
        (["ham", None] * 50, LabelError, "one label per row, 120; got 100"),
        (["ham", None] * 60, LabelError, "two classes"),
        ([-1, 1] * 60, LabelError, "another name"),
        (None, InputError, "requires y to be passed"),
        (np.linspace(0.1, 0.9, 120), ValueError, "Unknown label type"),
    ],
)
def test_labels_that_will_not_do(y: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        sf.SemiSupervised(sf.MultinomialNB()).fit(COUNTS, y)


@pytest.mark.parametrize("wrong", [sf.MultinomialNB, Peer(), None, "nb", sf.CountVectorizer()])
def test_only_classifiers_of_ours(wrong: Any) -> None:
    with pytest.raises(KindError, match="'estimator' parameter of SemiSupervised"):
        sf.SemiSupervised(wrong).fit(COUNTS, labels(None))


def test_what_has_no_bound_is_refused() -> None:
    with pytest.raises(KindError, match=r"^The 'var_smoothing' parameter of GaussianNB must be above 0"):
        sf.SemiSupervised(sf.GaussianNB(var_smoothing=0)).fit(COUNTS, labels(None))
    with pytest.raises(KindError, match="do not add up to one"):
        sf.SemiSupervised(sf.DirichletMultinomialNB(method="edcm")).fit(COUNTS, labels(None))
    belief = sf.NormalInverseGamma(0, 0.1, 2, 2)
    sf.SemiSupervised(sf.GaussianNB(var_smoothing=0, estimate="map", prior=belief)).fit(COUNTS, labels(None))


def test_a_failed_fit_leaves_things_as_they_were() -> None:
    model = sf.SemiSupervised(sf.MultinomialNB()).fit(COUNTS, labels(None))
    before = model.predict_proba(COUNTS)
    with pytest.raises(DataError, match="NaN"):
        model.fit(np.where(COUNTS == 4, np.nan, COUNTS), labels(None))
    with pytest.raises(ValueError, match="unlabelled_weight"):
        clone(model).set_params(unlabelled_weight=-1).fit(COUNTS, labels(None))
    assert np.array_equal(model.predict_proba(COUNTS), before)


def test_rows_given_apart() -> None:
    one = sf.SemiSupervised(sf.MultinomialNB()).fit(COUNTS, labels(None))
    apart = sf.SemiSupervised(sf.MultinomialNB())
    apart.fit(sparse.csr_matrix(COUNTS[KNOWN]), NAMES[KNOWN], unlabelled=sparse.csc_matrix(COUNTS[~KNOWN]))
    np.testing.assert_allclose(apart.predict_proba(COUNTS), one.predict_proba(COUNTS), rtol=1e-9)
    assert np.array_equal(apart.transduction_, np.concatenate([NAMES[KNOWN], one.transduction_[~KNOWN]]))
    with pytest.raises(ValueError, match="3 features"):
        apart.fit(COUNTS[KNOWN], NAMES[KNOWN], unlabelled=COUNTS[~KNOWN, :2])


def test_categories_and_words_that_only_unlabelled_rows_have() -> None:
    X = np.array([["red", "s"], ["blue", "l"], ["red", "m"], ["red", "m"], ["blue", "xl"], ["green", "xl"]])
    model = sf.SemiSupervised(sf.CategoricalNB(alpha=0.1)).fit(X, ["a", "b", None, None, None, None])
    assert model.transduction_.tolist() == ["a", "b", "a", "a", "b", "b"]
    assert [part.tolist() for part in model.estimator_.categories_] == [["blue", "green", "red"], ["l", "m", "s", "xl"]]
    texts = ["ant bee", "cow dog", "bee eel", "dog fox"]
    words = sf.SemiSupervised(sf.TextClassifier()).fit(texts, ["a", "b", None, None])
    assert words.predict(["eel", "fox"]).tolist() == ["a", "b"]
    streamed = sf.SemiSupervised(sf.TextClassifier()).fit(iter(texts), ["a", "b", None, None])
    assert np.array_equal(streamed.predict_proba(texts), words.predict_proba(texts))
    assert words.estimator_.words_.tolist() == ["ant", "bee", "cow", "dog", "eel", "fox"]


def test_words_are_cut_by_all_texts() -> None:
    texts = ["ant bee", "cow dog", "bee eel", "dog fox", "eel bee ant"]
    model = sf.SemiSupervised(sf.TextClassifier(min_df=2), unlabelled_weight=0.1)
    assert model.fit(texts, ["a", "b", None, None, None]).estimator_.words_.tolist() == ["ant", "bee", "dog", "eel"]
    assert model.estimator.min_df == 2


def test_the_target_may_be_a_column() -> None:
    table = pd.DataFrame({"x": COUNTS[:, 0], "y": COUNTS[:, 1], "kind": labels(None)})
    given = sf.SemiSupervised(sf.NaiveBayes()).fit(table.drop(columns="kind"), table["kind"])
    for model in (
        sf.SemiSupervised(sf.NaiveBayes()).fit(table, "kind"),
        sf.SemiSupervised(sf.NaiveBayes()).fit(table, table["kind"]),
    ):
        assert list(model.estimator_.columns_) == ["x", "y"]
        assert np.array_equal(model.predict_proba(table[["x", "y"]]), given.predict_proba(table[["x", "y"]]))
        assert model.feature_names_in_.tolist() == ["x", "y"]


def test_columns_are_settled_by_all_rows() -> None:
    """Six labelled rows have few different numbers, which alone would be taken for categories."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 300)
    table = {"size": rng.normal(4 * kind, 1).round(1), "none": [None] * 300}
    model = sf.SemiSupervised(sf.NaiveBayes()).fit(table, np.where(np.arange(300) < 6, kind, -1))
    assert type(model.estimator_.columns_["size"]) is sf.columns.Gaussian
    assert model.score(table, kind) > 0.9


def test_leave_one_out_sees_when_the_rest_misleads() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    topic = np.where(rng.random(600) < 0.65, y, 1 - y)
    X = np.column_stack([rng.normal(3 * topic, 1), rng.normal(3 * topic, 1), rng.normal(1.5 * y, 1)])
    some = np.where(np.arange(600) < 40, y, -1)
    model = sf.SemiSupervised(sf.GaussianNB(), unlabelled_weight="loo").fit(X, some)
    assert model.unlabelled_weight_ < 0.1
    assert model.losses_[model.unlabelled_weight_] == min(model.losses_.values())
    plain = sf.SemiSupervised(sf.GaussianNB(), unlabelled_weight=model.unlabelled_weight_).fit(X, some)
    assert plain.objective_ == model.objective_
    clear = sf.SemiSupervised(sf.MultinomialNB(), unlabelled_weight="loo").fit(COUNTS, labels(None))
    assert clear.unlabelled_weight_ > 0.1


def test_no_weight_is_no_row() -> None:
    model = sf.SemiSupervised(sf.MultinomialNB(), unlabelled_weight=0).fit(COUNTS, labels(None))
    plain = sf.MultinomialNB().fit(COUNTS[KNOWN], NAMES[KNOWN])
    np.testing.assert_allclose(model.predict_proba(COUNTS), plain.predict_proba(COUNTS))
    assert model.converged_
    with pytest.raises(LabelError, match="give each class a row"):
        sf.SemiSupervised(sf.MultinomialNB()).fit(COUNTS, labels(None), (NAMES == "ham").astype(float))


def test_views_are_fitted_on_labelled_rows_at_the_end() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 400)
    words = np.array(["ant", "bee", "cow", "dog", "eel", "fox"])
    odds = np.where(codes[:, None], [6, 4, 3, 2, 2, 1], [1, 2, 2, 3, 4, 6]) / 18
    pairs = (np.repeat(rng.choice(6, 8, p=line), 2) for line in odds)  # so that a power is due
    texts = [" ".join(words[pair]) for pair in pairs]
    some = np.where(np.arange(400) < 80, codes, -1)
    model = sf.SemiSupervised(sf.TextClassifier()).fit(texts, some)
    inner = model.estimator_
    chosen = inner._predictor.views
    assert chosen.alpha is not None
    assert chosen.temper is not None
    refitted = clone(inner)
    assert refitted.get_params()["temper"] == "loo"
    with pytest.warns(UserWarning, match="Views are chosen on 80 of 400 rows"):
        inner.refresh(texts[:80], some[:80])
    assert inner.temper_.prior == 1
    assert inner.temper_.power != pytest.approx(chosen.temper.power, rel=1e-6)


@pytest.mark.parametrize("weight", [1.0, 0.1])
def test_labels_that_took_no_part_choose_the_temper(weight: float) -> None:
    """Each half is predicted by a fit without it; the power has the least penalized loss.

    It is that of the class prior, too, where this saves more than a nat.
    """
    rng = np.random.default_rng(1)
    codes = np.where(rng.random(300) < 0.7, 0, 1)
    words = [*"abcdefgh"]
    odds = np.where(codes[:, None], [6, 4, 3, 3, 2, 2, 1, 1], [2, 2, 2, 3, 3, 3, 4, 5])
    texts = [" ".join(rng.choice(words, 6, p=line / line.sum())) for line in odds]
    tokens = sf.Tokens(token_pattern=r"\w")
    plain = sf.TextClassifier(vocabulary=words, tokens=tokens, alpha=0.5, temper=None, length_exponent=0)
    some = [*codes[:21].tolist(), *[None] * 279]
    tempered = clone(plain).set_params(temper="loo")
    model = sf.SemiSupervised(tempered, unlabelled_weight=weight, tol=1e-10).fit(texts, some)

    known = Examples(texts[:21], np.array([0, 1]), codes[:21])
    logs, priors, own = [], [], []
    for learned, others in _halves(known, model.estimator_._reader):
        half = sf.SemiSupervised(plain, unlabelled_weight=weight, tol=1e-10)
        half.fit(learned.source, learned.y, unlabelled=texts[21:])
        logs.append(half.estimator_.predict_joint_log_proba(others.source))
        priors.append(np.broadcast_to(half.estimator_.class_log_prior_, logs[-1].shape))
        own.append(others.y)
    joint, prior, truth = np.concatenate(logs), np.concatenate(priors), np.concatenate(own)
    assert sorted(truth) == sorted(codes[:21])

    def least(scores: Any, offset: Any) -> tuple[float, float]:
        """Return the power of the least penalized loss, and the loss."""

        def loss(power: float) -> float:
            powered = offset + power * scores
            return float(np.sum(logsumexp(powered, axis=1) - powered[np.arange(21), truth]))

        found = minimize_scalar(
            lambda x: loss(np.exp(x)) + (1 - np.exp(x)) ** 2 / 2,
            bounds=(-15, 0),
            method="bounded",
            options={"xatol": 1e-9},
        )
        return float(np.exp(found.x)), loss(np.exp(found.x))

    (power, usual), (both, lower) = least(joint - prior, prior), least(joint, np.zeros_like(joint))
    of_prior = 1.0
    if usual - lower > 1:
        power = of_prior = both
    assert 0.01 < power < 0.99
    assert model.estimator_.temper_.power == pytest.approx(power, rel=1e-4)  # where EM stops
    assert model.estimator_.temper_.prior == pytest.approx(of_prior, rel=1e-4)
    whole = sf.SemiSupervised(plain, unlabelled_weight=weight, tol=1e-10).fit(texts, some).estimator_
    shares = whole.class_log_prior_
    found = power * (whole.predict_joint_log_proba(texts) - shares) + of_prior * shares
    expected = found - logsumexp(found, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba(texts), expected, rtol=1e-3, atol=1e-5)


def test_shares_keep_their_power_unless_they_are_wrong() -> None:
    codes, scores = np.arange(40) % 2, 0.1 * np.random.default_rng(0).normal(size=(40, 2))
    right, wrong = (np.log(np.broadcast_to(shares, (40, 2))) for shares in ([0.5, 0.5], [0.999, 0.001]))
    assert choose_posterior_temper(Scored(scores, right, codes, np.ones(40), None)).prior == 1
    assert choose_posterior_temper(Scored(scores, wrong, codes, np.ones(40), None)).prior < 0.2


def test_a_label_alone_in_its_class_is_in_no_half() -> None:
    rows = Examples(np.arange(5).reshape(-1, 1), np.array(["a", "b", "c"]), np.array([0, 0, 0, 1, 2]))
    reader = sf.MultinomialNB().fit([[1], [2]], [0, 1])._reader
    pairs = _halves(rows, reader)
    assert [len(own) for _, own in pairs] == [2, 1]
    assert all(set(rest.y) == {"a", "b", "c"} for rest, _ in pairs)
    assert not _halves(rows.take(np.array([0, 3, 4]), reader), reader)


def test_rows_without_weight_leave_the_temper_to_the_labels() -> None:
    texts, y = ["a a b", "a b b", "b b", "c a", "a a", "b c"], ["x", "y", "y", "x", None, None]
    model = sf.SemiSupervised(sf.TextClassifier(tokens=sf.Tokens(token_pattern=r"\w")), unlabelled_weight=0.0)
    assert model.fit(texts, y).estimator_.temper_.prior == 1


def test_what_comes_out_is_an_ordinary_classifier(tmp_path: Path) -> None:
    model = sf.SemiSupervised(sf.MultinomialNB()).fit(COUNTS, labels(None))
    assert model.explain(COUNTS[0]).log_odds == model.estimator_.explain(COUNTS[0]).log_odds
    np.testing.assert_allclose(np.exp(model.predict_log_proba(COUNTS)), model.predict_proba(COUNTS))
    for one in (model, model.estimator_):
        sf.save(one, tmp_path / "model.suffice")
        assert np.array_equal(sf.load(tmp_path / "model.suffice").predict(COUNTS), model.predict(COUNTS))
    lower, upper = model.estimator_.predict_interval(COUNTS[:3])
    assert (lower <= upper).all()
    assert (model.estimator_ + model.estimator_).class_count_.sum() == pytest.approx(240)
    model.estimator_.partial_fit(COUNTS[:5], NAMES[:5])


def test_progress_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    model = sf.SemiSupervised(sf.MultinomialNB(), verbose=True).fit(COUNTS, labels(None))
    printed = capsys.readouterr().err.splitlines()
    assert len(printed) == model.n_iter_ == len(model.objective_)
    assert printed[0].startswith("[SemiSupervised] weight 1, step 0: ")
    sf.SemiSupervised(sf.MultinomialNB()).fit(COUNTS, labels(None))
    assert not capsys.readouterr().err


def test_its_parameters_can_be_searched() -> None:
    search = GridSearchCV(sf.SemiSupervised(sf.MultinomialNB()), {"estimator__alpha": [0.1, 1.0]}, cv=3)
    assert search.fit(COUNTS, NAMES).best_score_ > 0.8


@pytest.mark.parametrize("inner", [sf.TextClassifier(), sf.TextClassifier("bernoulli", temper=None)], ids=repr)
def test_texts_learned_by_shares_come_back_from_a_file_to_the_bit(inner: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    codes = rng.choice(3, 300, p=[0.6, 0.3, 0.1])
    odds = rng.dirichlet(np.ones(16), 3)
    texts = [" ".join(2 * word for word in rng.choice([*"abcdefghijklmnop"], 9, p=odds[code])) for code in codes]
    model = sf.SemiSupervised(inner).fit(texts, [f"c{code}" if i < 30 else None for i, code in enumerate(codes)])
    for one in (model, model.estimator_):
        sf.save(one, tmp_path / "model.suffice")
        again = sf.load(tmp_path / "model.suffice")
        assert (again.predict_proba(texts) == model.predict_proba(texts)).all()
    explanation, logs = model.explain(texts[0]), model.predict_log_proba(texts[:1])[0]
    target, against = (list(model.classes_).index(label) for label in (explanation.target, explanation.against))
    assert explanation.log_odds == pytest.approx(logs[target] - logs[against])
    lower, upper = model.estimator_.predict_interval(texts)
    inside = (lower - 1e-9 <= model.predict_proba(texts)) & (model.predict_proba(texts) <= upper + 1e-9)
    assert inside.mean() > 0.99
