"""Drop-in: scikit-learn's own tests and checks, with our classes in place of theirs, and the same numbers."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
import sklearn.naive_bayes as peers
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

import suffice as sf
from estimators.plain import OLD_PEERS, NaiveBayes, with_todays_peers
from suffice.readers.labels import Examples

TESTS = Path(__file__).parents[1]
PRIVATE = ["test_gnb_check_update_with_no_data"]  # of GaussianNB._update_mean_variance
DEVICES = ["test_gnb_array_api_compliance"]  # arrays on other devices than this one
SUITES = {"test_naive_bayes.py": 80, "test_discriminant_analysis.py": 61}
"""Their files, and the tests that pass; of the second, every one."""
ALL: list[Any] = [
    sf.BernoulliNB(),
    sf.CategoricalNB(),
    sf.ComplementNB(),
    sf.DirichletMultinomialNB(),
    sf.GaussianDiscriminant(prior="evidence", temper=None),
    sf.GaussianNB(),
    sf.LinearDiscriminantAnalysis(),
    sf.MultinomialNB(),
    NaiveBayes(),
    sf.PoissonNB(),
    sf.ExponentialNB(),
    sf.QuadraticDiscriminantAnalysis(),
]


FRACTIONS = {
    f"check_{name}": "gives fractions, which are no counts, whatever the estimator says it takes"
    for name in (
        "classifiers_one_label_sample_weights",
        "sample_weight_equivalence_on_dense_data",
        "sample_weight_equivalence_on_sparse_data",
    )
}


def each_check(estimator: Any, check: Any) -> None:
    check(estimator)


PARTS = {
    "check_sample_weight_equivalence_on_dense_data": "a row of weight 2 is in one of the parts that judge the prior, a "
    "row that comes twice in two: as with scikit-learn's own estimators that cross-validate"
}


FLAT = {
    f"check_{name}": "gives classes of fewer rows than columns, or rows on a line: no covariance of full rank"
    for name in ("sample_weights_shape", "sample_weights_not_overwritten", "sample_weight_equivalence_on_dense_data")
}


FRACTIONS_OF_WHOLE = {"check_positive_only_tag_during_fit": "subtracts a mean from whole numbers in place"}
FEW = {
    f"check_{name}": "gives classes of fewer rows than columns: no covariance of full rank"
    for name in ("n_features_in_after_fitting", "dtype_object")
}
OLD: dict[type, dict[str, str]] = {
    sf.CategoricalNB: FRACTIONS_OF_WHOLE,
    sf.DirichletMultinomialNB: FRACTIONS_OF_WHOLE,
    sf.QuadraticDiscriminantAnalysis: FEW,
}
"""Checks of scikit-learn 1.6 that fail, and were mended there since."""


def refused(estimator: Any) -> dict[str, str]:
    return always_refused(estimator) | (OLD.get(type(estimator), {}) if OLD_PEERS else {})


def always_refused(estimator: Any) -> dict[str, str]:
    if isinstance(estimator, sf.QuadraticDiscriminantAnalysis):
        last = "check_sample_weight_equivalence_on_dense_data"  # one row, many times: shrunk to nothing
        return FLAT if estimator.solver == "svd" else {last: FLAT[last]}
    if isinstance(estimator, sf.GaussianDiscriminant) and estimator.prior == "loo":
        return PARTS
    if isinstance(estimator, sf.NaiveBayes) and estimator.temper == "loo":
        ((check, why),) = PARTS.items()
        return {check: why, check.replace("dense", "sparse"): why}
    return FRACTIONS if isinstance(estimator, sf.DirichletMultinomialNB) else {}


OF_EACH_READER = (sf.MultinomialNB, sf.CategoricalNB, sf.GaussianDiscriminant, sf.NaiveBayes)
"""One classifier of each way to read rows; the others have the checks in the thorough run."""

VARIANTS = [
    *(one for one in ALL if not isinstance(one, OF_EACH_READER)),
    sf.NaiveBayes(),
    sf.GaussianDiscriminant(),
    sf.GaussianDiscriminant("shared", prior="evidence", temper=None),
    sf.QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
]
test_estimator_checks: Any = parametrize_with_checks(
    [one for one in ALL if isinstance(one, OF_EACH_READER)], expected_failed_checks=refused
)(each_check)


@pytest.mark.thorough
@parametrize_with_checks(VARIANTS, expected_failed_checks=refused)  # type: ignore[untyped-decorator]
def test_estimator_checks_of_others(estimator: Any, check: Any) -> None:
    check(estimator)


class Rounding(sf.DirichletMultinomialNB):
    """Makes counts of what the checks give."""

    def _read(self, X: Any, y: Any, sample_weight: Any, first: bool) -> Examples:
        examples = super()._read(X, y, sample_weight, first)
        return replace(examples, source=(examples.source * 4).astype(np.int64))

    def _source(self, X: Any) -> Any:
        return (super()._source(X) * 4).astype(np.int64)

    def _is_plain(self, X: Any) -> bool:
        return False


@pytest.mark.parametrize("name", FRACTIONS)
def test_rounded_the_checks_that_give_fractions_pass(name: str) -> None:
    getattr(estimator_checks, name)("Rounding", Rounding())


@with_todays_peers  # before, with a tolerance for ln p of nothing
@pytest.mark.parametrize(
    ("file", "least"),
    [pytest.param(*suite, marks=pytest.mark.thorough if "analysis" in suite[0] else ()) for suite in SUITES.items()],
)
def test_scikit_learns_own_tests_pass_with_our_classes(tmp_path: Path, file: str, least: int) -> None:
    theirs = Path(sklearn.__file__).parent / "tests" / file
    left_out = " or ".join(PRIVATE + DEVICES)
    quiet = ["-q", "-c", os.devnull, f"--rootdir={tmp_path}", "-p", "no:cacheprovider"]  # no settings of ours
    command = ["-m", "pytest", *quiet, "-p", "estimators.swap"]
    done = subprocess.run(
        [sys.executable, *command, "-W", "default", "-k", f"not ({left_out})", str(theirs)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed
    assert int(passed[1]) >= least
    assert "failed" not in done.stdout


def data(rows: int = 300, columns: int = 12) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, rows)
    return rng.poisson(1 + (y[:, None] * np.arange(columns)) % 3), y, rng.random(rows)


@pytest.mark.parametrize("name", ["BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"])
@pytest.mark.parametrize("options", [{}, {"alpha": 0.3}, {"fit_prior": False}, {"class_prior": [0.1, 0.2, 0.3, 0.4]}])
def test_the_numbers_are_scikit_learns(name: str, options: dict[str, Any]) -> None:
    for weighted in [False, True]:
        X, y, w = data()
        given = dict(options)
        if name == "GaussianNB":
            given = {} if "class_prior" not in options else {"priors": options["class_prior"]}
            given |= {"var_smoothing": 0.0} if weighted else {}  # their floor forgets the weights, ours does not
        ours, theirs = getattr(sf, name)(**given), getattr(peers, name)(**given)
        assert type(theirs).__module__ == "sklearn.naive_bayes"
        weights = w if weighted else None
        for model in (ours, theirs):
            model.fit(X, y, weights)
        np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=0, atol=1e-10)
        for attribute in (
            a for a, v in vars(theirs).items() if a.endswith("_") and not a.startswith("_") and v is not None
        ):
            got, expected = getattr(ours, attribute), getattr(theirs, attribute)
            for a, b in zip(got, expected, strict=True) if isinstance(expected, list) else [(got, expected)]:
                np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10, err_msg=attribute)


@pytest.mark.parametrize("estimator", ALL, ids=lambda e: type(e).__name__)
def test_batches_equal_one_fit(estimator: Any) -> None:
    X, y, w = data()
    whole, parts = clone(estimator).fit(X, y, w), clone(estimator)
    if isinstance(parts, sf.NaiveBayes):
        parts.set_params(columns=whole.columns_)  # its first batch would settle them
    for rows in np.array_split(np.arange(len(y)), 7):
        parts.partial_fit(X[rows], y[rows], classes=np.unique(y), sample_weight=w[rows])
    np.testing.assert_allclose(parts.predict_log_proba(X), whole.predict_log_proba(X), rtol=0, atol=1e-10)


@pytest.mark.parametrize("estimator", [e for e in ALL if e.__sklearn_tags__().input_tags.sparse], ids=str)
def test_sparse_equals_dense(estimator: Any) -> None:
    X, y, _ = data()
    dense = clone(estimator).fit(X, y).predict_log_proba(X)
    for layout in (sparse.csr_matrix, sparse.csc_array):
        np.testing.assert_allclose(clone(estimator).fit(layout(X), y).predict_log_proba(layout(X)), dense, atol=1e-10)


@pytest.mark.thorough
@pytest.mark.parametrize("estimator", ALL, ids=lambda e: type(e).__name__)
def test_in_scikit_learns_company(estimator: Any) -> None:
    X, y, w = data()
    pipeline = make_pipeline(FunctionTransformer(), clone(estimator)).fit(X, y)
    assert pipeline.score(X, y) > 0.4
    calibrated = CalibratedClassifierCV(clone(estimator), cv=3).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    names = {"GaussianNB": "var_smoothing", "NaiveBayes": "class_prior"}
    name = names.get(type(estimator).__name__, "alpha" if "alpha" in estimator.get_params() else "temper")
    grid: list[Any] = ["uniform", 1.0] if name == "class_prior" else [0.5, 1.0]
    assert GridSearchCV(clone(estimator), {name: grid}, cv=3).fit(X, y).best_params_
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(estimator).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        GridSearchCV(routed, {name: grid[1:]}, cv=3).fit(X, y, sample_weight=w)
