"""Files of earlier versions, whose parameters mean what they meant."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suffice as sf
from store.test_damage import refused, rewritten

X, Y = np.array([[2, 1], [1, 2], [0, 1], [0, 3]]), ["a", "a", "a", "b"]
TEXTS = ["cheap pills", "lunch at noon", "cheap watches", "lunch?"]


def changed(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the parameters in a file."""

    def parameters(about: dict[str, str]) -> None:
        given = json.loads(about["parameters"])
        change(given)
        about["parameters"] = json.dumps(given)

    rewritten(path, parameters)


@pytest.mark.parametrize(
    ("fit_prior", "class_prior", "now", "shares"),
    [
        (True, None, "counted", [0.75, 0.25]),
        (False, None, "uniform", [0.5, 0.5]),
        (False, [0.9, 0.1], [0.9, 0.1], [0.9, 0.1]),
        (True, [6, 2], [0.75, 0.25], [0.75, 0.25]),
    ],
)
@pytest.mark.parametrize("make", [sf.PoissonNB, sf.NaiveBayes, sf.DirichletMultinomialNB, sf.TextClassifier])
def test_whether_the_class_prior_was_fitted(
    tmp_path: Path, make: Any, fit_prior: bool, class_prior: Any, now: Any, shares: Any
) -> None:
    path = tmp_path / "m.suffice"
    sf.save(make().fit(TEXTS if make is sf.TextClassifier else X, Y), path)
    old = {"$": "list", "of": class_prior} if isinstance(class_prior, list) else class_prior
    changed(path, lambda given: given.update(fit_prior=fit_prior, class_prior=old))
    assert sf.store.describe(path).parameters["class_prior"] == now
    model = sf.load(path)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), shares)
    assert "fit_prior" not in model.get_params()


def test_priors_of_a_discriminant(tmp_path: Path) -> None:
    path = tmp_path / "m.suffice"
    sf.save(sf.GaussianDiscriminant(prior="evidence").fit(X, Y), path)

    def older(given: dict[str, Any]) -> None:
        del given["class_prior"]
        given["priors"] = None

    changed(path, older)
    assert sf.load(path).class_prior == "counted"
    np.testing.assert_allclose(sf.load(path).class_prior_, [0.75, 0.25])


def test_the_belief_of_normals(tmp_path: Path) -> None:
    path = tmp_path / "m.suffice"
    model = sf.GaussianNB(estimate="mean", belief="evidence").fit(X, Y)
    sf.save(model, path)
    changed(path, lambda given: given.update(prior=given.pop("belief")))
    np.testing.assert_array_equal(sf.load(path).predict_proba(X), model.predict_proba(X))
    assert sf.load(path).belief == "evidence"


def test_what_no_version_wrote_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.suffice"
    sf.save(sf.PoissonNB().fit(X, Y), path)
    changed(path, lambda given: given.update(fit_prior="yes"))
    assert "'fit_prior' must be true or false" in refused(path)
    sf.save(sf.GaussianNB().fit(X, Y), path)
    changed(path, lambda given: given.update(prior=None))
    assert "'prior' and 'belief'" in refused(path)
