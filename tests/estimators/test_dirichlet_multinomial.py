"""The classifier of bursty words: what statistics promise, and that bursts are seen."""

from typing import Any, Literal

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.exceptions import ConvergenceWarning

import suffice as sf
from suffice.models import ImpossibleSampleWarning


def corpus(rows: int = 120, words: int = 30) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, rows)
    urns = rng.gamma(0.3, 1, (3, words)) + 0.01
    return np.array([rng.multinomial(rng.integers(1, 80), rng.dirichlet(urns[c])) for c in y]), np.array(list("abc"))[y]


@pytest.fixture(params=["dcm", "edcm"])
def method(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_batches_and_layouts_change_no_bit(method: Literal["dcm", "edcm"]) -> None:
    X, y = corpus()
    whole = sf.DirichletMultinomialNB(method=method).fit(X, y)
    parts = sf.DirichletMultinomialNB(method=method)
    for rows in np.array_split(np.random.default_rng(1).permutation(len(y)), 7):
        parts.partial_fit(sparse.csc_matrix(X[rows].astype(np.float32)), y[rows], classes=["a", "b", "c"])
    np.testing.assert_array_equal(parts.alpha_, whole.alpha_)
    np.testing.assert_array_equal(parts.log_likelihood_, whole.log_likelihood_)
    np.testing.assert_allclose(parts.predict_log_proba(sparse.csr_matrix(X)), whole.predict_log_proba(X), atol=1e-10)


def test_a_weight_of_two_is_a_row_twice(method: Literal["dcm", "edcm"]) -> None:
    X, y = corpus()
    times = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = sf.DirichletMultinomialNB(method=method).fit(X, y, times)
    repeated = sf.DirichletMultinomialNB(method=method).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.alpha_, repeated.alpha_, rtol=1e-10)


def test_probabilities_are_bayes_rule_over_scipys_density() -> None:
    X, y = corpus()
    model = sf.DirichletMultinomialNB(alpha=np.full(30, 0.5)).fit(X, y)
    joint = [stats.dirichlet_multinomial.logpmf(X, a, X.sum(axis=1)) for a in model.alpha_]
    logs = np.stack(joint, axis=1) + model.class_log_prior_
    logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba(X), logs, atol=1e-8)
    own = [logs_c[y == c].sum() for logs_c, c in zip(joint, model.classes_, strict=True)]
    np.testing.assert_allclose(model.log_likelihood_, own)


def test_bursts_tell_classes_apart_that_have_the_same_means() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = np.array([rng.multinomial(40, rng.dirichlet(np.full(20, 0.2 if c else 20.0))) for c in y])
    assert sf.DirichletMultinomialNB().fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.95
    assert sf.MultinomialNB().fit(X[:200], y[:200]).score(X[200:], y[200:]) < 0.65


def test_unseen_words_have_the_share_of_the_prior() -> None:
    X, y = [[2, 1, 0, 0], [1, 2, 0, 0], [0, 1, 3, 0], [0, 2, 2, 0]], [0, 0, 1, 1]
    a = sf.DirichletMultinomialNB(alpha=0.4).fit(X, y).alpha_
    held = np.array([2, 4, 2, 0]) + 1.0
    np.testing.assert_allclose(a[0, 2] / a[0, 3], held[2] / held[3])
    given = sf.DirichletMultinomialNB(alpha=0.4 * held * 4 / held.sum()).fit(X, y).alpha_
    np.testing.assert_allclose(given, a)
    bare = sf.DirichletMultinomialNB(alpha=0).fit(X, y)
    with pytest.warns(ImpossibleSampleWarning, match="1 of 1 row has"):
        p = bare.predict_proba([[1, 0, 1, 0]])
    np.testing.assert_allclose(p, [[0.5, 0.5]])
    np.testing.assert_allclose(bare.predict_proba([[1, 0, 0, 0]]), [[1, 0]])


def test_a_class_without_rows_and_documents_without_words(method: Literal["dcm", "edcm"]) -> None:
    model = sf.DirichletMultinomialNB(method=method, class_prior="uniform")
    model.partial_fit([[2, 0, 1], [0, 3, 1], [0, 0, 0]], [0, 1, 1], classes=[0, 1, 2])
    assert np.isfinite(model.alpha_).all()
    assert (model.alpha_ > 0).all()
    np.testing.assert_allclose(model.predict_proba([[0, 0, 0]]), np.full((1, 3), 1 / 3))
    assert np.isfinite(model.predict_log_proba([[1, 1, 1], [10**6, 0, 3]])).all()


def test_too_few_steps_are_warned_of_at_fit_and_after_batches_at_first_use() -> None:
    X, y = corpus()
    with pytest.warns(
        ConvergenceWarning,
        match=r"3 of 3 classes did not converge in max_iter=1 steps, including that of 'a'\. Increase",
    ):
        model = sf.DirichletMultinomialNB(max_iter=1).fit(X, y)
    model.predict(X)
    model.partial_fit(X, y)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        assert (model.n_iter_ == 1).all()


def test_fractions_are_refused_in_one_sentence(method: Literal["dcm", "edcm"]) -> None:
    X, y = corpus()
    model = sf.DirichletMultinomialNB(method=method).fit(X, y)
    for layout in (np.asarray, sparse.csr_matrix):
        with pytest.raises(ValueError, match=r"'X' must hold whole numbers .* got 0\.5 at \[0, 3\]"):
            sf.DirichletMultinomialNB().fit(layout([[0, 1, 2, 0.5]]), [0])
        with pytest.raises(ValueError, match=r"'X' must hold whole numbers .* got 0\.5 at \[0, 3\]"):
            model.predict(layout([[0, 1, 2, 0.5, *[0] * 26]]))
