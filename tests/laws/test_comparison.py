"""Evidence compares models of the same data; others are refused, and compare by labels that they have not seen."""

from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from sklearn.base import clone

import suffice as sf
from datasets.shared import real
from laws.estimators import EstimatorCase, every_kind_of_rows
from laws.test_estimators import fitted, rows
from refusals import refused
from suffice.errors import ImproperPrior, InputError, KindError
from suffice.evaluate import crossfit


def has_evidence(model: Any) -> bool:
    try:
        model.evidence()
    except (KindError, ValueError):
        return False
    return True


@every_kind_of_rows
def test_the_same_rows_compare_in_any_order_and_others_do_not(case: EstimatorCase) -> None:
    X, y = case.data(3, 60)
    model = fitted(case, X, y)
    if not has_evidence(model):
        return
    order = np.random.default_rng(0).permutation(60)
    assert sf.bayes_factor(model, fitted(case, rows(X, order), y[order])) == pytest.approx(0, abs=1e-6)
    first = {label: np.flatnonzero(y == label)[0] for label in np.unique(y)}
    other = np.array([first[label] for label in y])  # as many rows of each class, but all the same one
    with pytest.raises(InputError, match=r"same rows and columns; .*(values of|is in)"):
        sf.bayes_factor(model, fitted(case, rows(X, other), y))
    with pytest.raises(InputError, match="rows of each class are"):
        sf.bayes_factor(model, fitted(case, rows(X, np.arange(59)), y[:59]))


@pytest.mark.thorough
def test_a_column_less_does_not_win() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    table = {"x": rng.normal(y, 1.0), "noise": rng.normal(size=300), "z": rng.integers(0, 4, 300).astype(str)}
    few = {name: table[name] for name in ("x", "z")}
    whole, less = sf.NaiveBayes().fit(table, y), sf.NaiveBayes().fit(few, y)
    assert less.log_evidence_ > whole.log_evidence_ + 100  # which says nothing
    for models in ({"whole": whole, "less": less}, {"less": less, "whole": whole}):
        with pytest.raises(InputError, match=r"'noise' is in 'whole' and not in 'less'.*compare\(models, X, y\)"):
            sf.compare(models)
    silent = sf.NaiveBayes(columns={"noise": "drop"}).fit(table, y)
    with pytest.raises(InputError, match="'noise' is in 'whole' and not in 'silent'"):
        sf.compare({"whole": whole, "silent": silent})
    assert sf.compare({"less": less, "silent": silent}).probability == pytest.approx([0.5, 0.5])
    found = sf.compare({"whole": whole, "less": less, "silent": silent}, table, y)
    expected = {"whole": crossfit(whole, table, y), "less": crossfit(less, few, y)}
    for name, one in expected.items():
        assert found["log_loss"][found.names.index(name)] == pytest.approx(one.log_loss, rel=1e-12)
        assert found["accuracy"][found.names.index(name)] == one.accuracy
    assert found.difference[0] == 0 == found.error[0]
    assert (np.diff(found.log_loss) >= 0).all()
    assert list(found.to_frame("pandas").columns) == ["model", "log_loss", "difference", "error", "accuracy"]


def test_a_density_is_no_probability() -> None:
    x, y = np.tile([1.0, 2.0, 3.0, 5.0], 20), np.tile([0, 1], 40)
    kinds = {
        kind: sf.NaiveBayes(columns={"x": kind}).fit({"x": x}, y) for kind in ("gaussian", "histogram", "categorical")
    }
    assert np.isfinite(sf.bayes_factor(kinds["gaussian"], kinds["histogram"]))
    with pytest.raises(InputError, match="for 'x', 'a' has densities of numbers and 'b' has probabilities of values"):
        sf.bayes_factor(kinds["gaussian"], kinds["categorical"])


def test_counts_of_two_kinds_compare_with_their_coefficients_only() -> None:
    X, y = np.random.default_rng(0).poisson(2, (60, 3)), np.arange(60) % 2
    a, b = sf.MultinomialNB().fit(X, y), sf.PoissonNB().fit(X, y)
    assert np.isfinite(sf.bayes_factor(a, b, X))
    with pytest.raises(InputError, match="MultinomialNB has them"):
        sf.bayes_factor(a, b)
    with pytest.raises(InputError, match="probabilities of flags"):
        sf.bayes_factor(sf.BernoulliNB().fit(X, y), a, X)
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 3)), columns=["a", "b", "c"])
    plain, full, shared = (sf.GaussianDiscriminant(kind).fit(frame, y) for kind in ("diagonal", "full", "shared"))
    assert np.isfinite(sf.bayes_factor(shared, full))
    with pytest.raises(InputError, match="densities of numbers given the first row of each class"):
        sf.bayes_factor(plain, full)  # by default, the means of "full" are flat
    with pytest.raises(InputError, match="'c' is in 'a' and not in 'b'"):
        sf.bayes_factor(full, sf.GaussianDiscriminant("full").fit(frame.rename(columns={"c": "d"}), y))


def test_words_left_out_are_other_data() -> None:
    texts, y = ["tea milk", "tea rum", "rum cola", "rum rum tea"] * 20, np.tile(["a", "b"], 40)
    model = sf.TextClassifier(alpha=1.0).fit(texts, y)
    assert np.isfinite(sf.bayes_factor(model, sf.TextClassifier(alpha=0.1).fit(texts, y)))
    with pytest.raises(InputError, match="'cola' is in 'a' and not in 'b'"):
        sf.bayes_factor(model, sf.TextClassifier(alpha=1.0, tokens=sf.Tokens(stop_words=["cola"])).fit(texts, y))
    with pytest.raises(InputError, match="there or not"):
        sf.bayes_factor(model, sf.TextClassifier("bernoulli", alpha=1.0).fit(texts, y))
    some = {"all": sf.TextClassifier(), "few": sf.TextClassifier(tokens=sf.Tokens(stop_words=["cola"]))}
    assert set(sf.compare(some, texts, y).names) == {"all", "few"}


def test_the_error_of_a_difference_is_that_of_paired_rows() -> None:
    rng = np.random.default_rng(0)
    X, y, w = rng.poisson(2, (80, 3)), rng.integers(0, 2, 80), rng.choice([1.0, 3.0], 80)
    models = {"weak": sf.MultinomialNB(alpha=1.0), "strong": sf.MultinomialNB(alpha=1000.0)}
    found = sf.compare(models, X, y, sample_weight=w)
    losses = {name: crossfit(clone(model), X, y, w).losses for name, model in models.items()}
    apart = losses[found.names[1]] - losses[found.names[0]]
    mean = w @ apart / w.sum()
    assert found.difference[1] == pytest.approx(mean)
    assert found.error[1] == pytest.approx(np.sqrt((w**2 * (apart - mean) ** 2).sum()) / w.sum())
    nothing: Any = None
    with refused(InputError, "compare.X", must="hold the rows"):
        sf.compare(models, nothing, y)
    numbers: Any = {"three": 3}
    with pytest.raises(KindError, match="'three' must be a classifier of suffice; got int"):
        sf.compare(numbers, X, y)
    fresh = sf.BernoulliNB()
    with (
        patch.object(sf.BernoulliNB, "fit", side_effect=AssertionError("fitted before the check")),
        pytest.raises(KindError, match=r"'three' .* Use sklearn\.model_selection\.cross_val_predict"),
    ):
        sf.compare({"fresh": fresh, **numbers}, X, y)


@pytest.mark.thorough
def test_titanic_without_a_column() -> None:
    table = sf.datasets.read_table("titanic", real("titanic"))
    columns = {name: values for name, values in table.X.items() if name != "alive"}
    whole = sf.NaiveBayes().fit(columns, table.y)
    less = sf.NaiveBayes().fit({name: values for name, values in columns.items() if name != "fare"}, table.y)
    with pytest.raises(InputError, match="'fare'"):
        sf.compare({"whole": whole, "less": less})
    assert abs(sf.compare({"whole": whole, "less": less}, columns, table.y).difference[1]) < 0.05


def test_a_flat_mean_is_compared_with_flat_means_only() -> None:
    """Its evidence is given the first row, so the difference to one of all rows says nothing."""
    X, y = np.random.default_rng(0).normal(3, 1, (60, 2)), np.arange(60) % 2
    flat, proper = (sf.NormalInverseGamma(0, kappa, 1, 1) for kappa in (0, 1))
    with pytest.raises(ImproperPrior, match="both a kappa above 0"):
        sf.bayes_factor(flat, proper, values=[1.0, 2.0])
    one, two = (sf.NormalInverseGamma(0, kappa, 1, 1) for kappa in ([0, 1], [1, 1]))
    with pytest.raises(ImproperPrior, match="both a kappa above 0"):
        sf.bayes_factor(one, two, values=[[1.0, 2.0]])
    other = sf.NormalInverseGamma(0, 0, 2, 3)
    values = np.array([1.0, 2.0, 4.0])
    expected = flat.update(values=values[:1]).log_evidence(values=values[1:])
    expected -= other.update(values=values[:1]).log_evidence(values=values[1:])
    assert sf.bayes_factor(flat, other, values=values) == pytest.approx(expected)
    models = [sf.GaussianNB(prior=belief).fit(X, y) for belief in (flat, proper, other)]
    with pytest.raises(InputError, match="given the first row of each class"):
        sf.bayes_factor(models[0], models[1])
    assert np.isfinite(sf.bayes_factor(models[0], models[2]))
