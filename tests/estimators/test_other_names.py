"""Parameters by the names of scikit-learn's estimators are refused with ours, wherever they are given."""

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.errors import KeywordError
from suffice.estimators.shell.parameter_domains import MOVED, PARAMETERS

X, Y = np.array([[2, 1, 0], [1, 2, 0], [0, 1, 3], [0, 0, 2]]), ["ham", "ham", "spam", "spam"]

VALUES: dict[str, type[Any]] = {"tokens": sf.Tokens, "term_weighting": sf.TermWeighting}

OTHERS = [(kind, other, ours) for kind, names in PARAMETERS.items() for other, ours in names.items()]


@pytest.mark.parametrize(("kind", "other", "ours"), OTHERS)
def test_another_name_is_refused_with_ours(kind: str, other: str, ours: str) -> None:
    make: Any = getattr(sf, kind)
    for method in (make, make().set_params):
        with pytest.raises(KeywordError) as error:
            method(**{other: "loo"})
        assert str(error.value) == f"{kind} takes '{ours}' instead of '{other}'; got {other}='loo'."
    with pytest.raises(KeywordError, match=f"takes '{ours}' instead"):
        sf.SemiSupervised(make()).set_params(**{f"estimator__{other}": None})


@pytest.mark.parametrize(("kind", "other", "ours"), OTHERS)
def test_parameters_are_those_of_the_signature(kind: str, other: str, ours: str) -> None:
    make: Any = getattr(sf, kind)
    names = set(inspect.signature(make).parameters)
    assert names == set(make().get_params())
    assert ours in names
    assert other not in names
    assert not any(one.kind is one.VAR_KEYWORD for one in inspect.signature(make).parameters.values())
    assert getattr(clone(make(**{ours: None})), ours) is None


@pytest.mark.parametrize(
    ("kind", "option", "value"), [(k, option, value) for k, names in MOVED.items() for option, value in names.items()]
)
def test_an_option_that_is_part_of_a_value_is_refused_with_the_value(kind: str, option: str, value: str) -> None:
    make: Any = getattr(sf, kind)
    use = f"{value}=sf.{VALUES[value].__name__}({option}='loo')"
    said = f"{kind} takes '{option}' as a part of '{value}'; got {option}='loo': use {use}."
    for method in (make, make().set_params):
        with pytest.raises(KeywordError) as error:
            method(**{option: "loo"})
        assert str(error.value) == said
    assert option not in make().get_params()
    assert option in vars(VALUES[value]())


def test_the_value_that_is_to_be_used_has_all_that_was_given() -> None:
    with pytest.raises(KeywordError) as error:
        sf.TextClassifier().set_params(lowercase=False, use_idf=True, alpha=1.0, stop_words="english")
    assert "got lowercase=False: use tokens=sf.Tokens(lowercase=False, stop_words='english')." in str(error.value)


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (sf.NaiveBayes, {"fit_prior": True}, "got fit_prior=True: use class_prior='counted'."),
        (sf.TextClassifier, {"fit_prior": False}, "got fit_prior=False: use class_prior='uniform'."),
        (sf.GaussianDiscriminant, {"priors": None}, "got priors=None: use class_prior='counted'."),
        (sf.GaussianDiscriminant, {"priors": [0.5, 0.5]}, "got priors=[0.5, 0.5]."),
    ],
)
def test_a_value_is_refused_with_what_to_write_instead(kind: Any, given: dict[str, Any], said: str) -> None:
    with pytest.raises(KeywordError) as error:
        kind(**given)
    assert str(error.value).endswith(said)


def test_a_class_of_a_user_has_its_own_names() -> None:
    class NaiveBayes(sf.NaiveBayes):
        def __init__(self, *, fit_prior: Any = "mine") -> None:
            super().__init__()
            self.fit_prior = fit_prior

    assert NaiveBayes(fit_prior="yours").fit(X, Y).fit_prior == "yours"
