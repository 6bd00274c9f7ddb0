"""Names that have changed: an old one is refused with the new one, wherever it is used."""

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.errors import InputError, KeywordError
from suffice.estimators.shell.whole import ATTRIBUTES, MOVED, PARAMETERS

X, Y = np.array([[2, 1, 0], [1, 2, 0], [0, 1, 3], [0, 0, 2]]), ["ham", "ham", "spam", "spam"]

VALUES: dict[str, type[Any]] = {"tokens": sf.Tokens, "term_weighting": sf.TermWeighting}

OLD = [(kind, old, new) for kind, names in PARAMETERS.items() for old, new in names.items()]


@pytest.mark.parametrize(("kind", "old", "new"), OLD)
def test_an_old_parameter_is_refused_with_the_new_one(kind: str, old: str, new: str) -> None:
    make: Any = getattr(sf, kind)
    said = f"The '{old}' parameter of {kind} is now '{new}'; got {old}='loo'."
    for method in (make, make().set_params):
        with pytest.raises(KeywordError) as error:
            method(**{old: "loo"})
        assert str(error.value) == said
    with pytest.raises(KeywordError, match="is now"):
        sf.SemiSupervised(make()).set_params(**{f"estimator__{old}": None})
    with pytest.raises(AttributeError, match=f"is now '{new}'"):
        getattr(make(), old)


@pytest.mark.parametrize(("kind", "old", "new"), OLD)
def test_parameters_are_those_of_the_signature(kind: str, old: str, new: str) -> None:
    make: Any = getattr(sf, kind)
    names = set(inspect.signature(make).parameters)
    assert names == set(make().get_params())
    assert new in names
    assert old not in names
    assert not any(one.kind is one.VAR_KEYWORD for one in inspect.signature(make).parameters.values())
    assert getattr(clone(make(**{new: None})), new) is None


@pytest.mark.parametrize(
    ("kind", "old", "new"), [(k, old, new) for k, names in MOVED.items() for old, new in names.items()]
)
def test_a_parameter_that_is_part_of_a_value_is_refused_with_the_value(kind: str, old: str, new: str) -> None:
    make: Any = getattr(sf, kind)
    value = f"sf.{VALUES[new].__name__}({old}='loo')"
    said = f"The '{old}' parameter of {kind} is now part of '{new}'; got {old}='loo': use {new}={value}."
    for method in (make, make().set_params):
        with pytest.raises(KeywordError) as error:
            method(**{old: "loo"})
        assert str(error.value) == said
    with pytest.raises(AttributeError, match=f"The attribute '{old}' of {kind} is now part of '{new}'"):
        getattr(make(), old)
    assert old not in make().get_params()
    assert old in vars(VALUES[new]())


def test_the_value_that_is_to_be_used_has_all_that_was_given() -> None:
    with pytest.raises(KeywordError) as error:
        sf.TextClassifier().set_params(lowercase=False, use_idf=True, alpha=1.0, stop_words="english")
    assert "got lowercase=False: use tokens=sf.Tokens(lowercase=False, stop_words='english')." in str(error.value)


@pytest.mark.parametrize(("kind", "old"), [(kind, old) for kind, names in ATTRIBUTES.items() for old in names])
def test_an_old_attribute_is_refused(kind: str, old: str) -> None:
    model: Any = getattr(sf, kind, sf.BernoulliNB)()
    with pytest.raises(AttributeError, match=f"The attribute '{old}' of .* is now"):
        getattr(model, old)
    assert not hasattr(model, old)
    assert old not in dir(model)


@pytest.mark.parametrize(
    ("kind", "old", "said"),
    [
        (sf.NaiveBayes, {"fit_prior": True}, "got fit_prior=True: use class_prior='counted'."),
        (sf.TextClassifier, {"fit_prior": False}, "got fit_prior=False: use class_prior='uniform'."),
        (sf.GaussianDiscriminant, {"priors": None}, "got priors=None: use class_prior='counted'."),
        (sf.GaussianDiscriminant, {"priors": [0.5, 0.5]}, "got priors=[0.5, 0.5]."),
    ],
)
def test_an_old_value_is_refused_with_what_to_write_instead(kind: Any, old: dict[str, Any], said: str) -> None:
    with pytest.raises(KeywordError) as error:
        kind(**old)
    assert str(error.value).endswith(f"is now 'class_prior'; {said}")


def test_an_old_pair_of_tempers_is_refused_with_both_parameters() -> None:
    with pytest.raises(InputError, match=r"use temper=0\.5, length_exponent=0\.4\.$"):
        sf.TextClassifier().set_params(temper=(0.5, 0.4)).fit(["cheap pills", "lunch at noon"], ["spam", "ham"])


def test_an_old_class_is_refused_with_the_new_one() -> None:
    with pytest.raises(AttributeError, match=r"^The class 'Table' of suffice\.datasets is now 'LabelledTable'\.$"):
        getattr(sf.datasets, "Table")  # noqa: B009  # which a type checker knows to be missing
    assert not hasattr(sf.datasets, "Table")
    with pytest.raises(AttributeError, match="has no attribute 'Tabel'"):
        getattr(sf.datasets, "Tabel")  # noqa: B009


def test_shares_of_clusters_keep_their_name() -> None:
    assert sf.Mixture(sf.PoissonNB(), n_components=2, random_state=0).fit(X).weights_.sum() == pytest.approx(1)


def test_a_class_of_a_user_has_its_own_names() -> None:
    class MultinomialNB(sf.MultinomialNB):
        def __init__(self, *, weights: Any = "mine") -> None:
            super().__init__()
            self.weights = weights

    assert MultinomialNB(weights="yours").fit(X, Y).weights == "yours"
