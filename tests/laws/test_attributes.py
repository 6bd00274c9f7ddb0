"""Whoever asks an object for all that it has, as notebooks and debuggers do, gets it or an AttributeError."""

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from laws.estimators import ESTIMATORS, EstimatorCase, counts, every_kind_of_rows, flags, reals, texts
from laws.registry import FAMILIES
from suffice.attributes import _missing
from suffice.errors import DataError, ImproperPrior, MissingLibrary
from suffice.models.scoring.ellipses import SingularMatrix

DUCKS = ["_repr_html_", "_repr_mimebundle_", "_ipython_display_", "_ipython_canary_method_should_not_exist_", "shape"]


def looked_at(thing: Any) -> None:
    """Look at a thing as a notebook does: what it has, what each of it is, how it is shown."""
    for name in {*dir(thing), *object.__dir__(thing), *DUCKS}:
        there = hasattr(thing, name)
        assert there == (getattr(thing, name, DUCKS) is not DUCKS)
    assert inspect.getmembers(thing)
    for name in ("_repr_html_", "_repr_mimebundle_"):
        if hasattr(thing, name):
            assert getattr(thing, name)()
    assert repr(thing)


STATES: dict[str, Callable[[EstimatorCase], Any]] = {
    "not fitted": lambda case: clone(case.model),
    "fitted": lambda case: clone(case.model).fit(*case.data(0, 60)),
    "of one class": lambda case: clone(case.model).fit(*case.data(0, 60, np.array(["a"]))),
    "of few rows": lambda case: clone(case.model).partial_fit(*case.data(0, 2), classes=["a", "b", "c", "d"]),
    "all forgotten": lambda case: clone(case.model).fit(*case.data(0, 60)).forget(*case.data(0, 60)),
    "changed since": lambda case: changed_since(clone(case.model).fit(*case.data(0, 60))),
}


def changed_since(model: Any) -> Any:
    for name in {"alpha", "temper", "estimate", "priors", "class_prior", "prior", "n_components"} & {*vars(model)}:
        setattr(model, name, (1.0, -1.0, "a"))
    model._made = {}
    return model


@pytest.mark.filterwarnings("ignore")
@every_kind_of_rows
def test_a_classifier_can_be_looked_at(case: EstimatorCase) -> None:
    for state, make in STATES.items():
        try:
            model = make(case)
        except ValueError:
            assert state not in ("not fitted", "fitted", "changed since")
            continue  # some refuse so few rows
        looked_at(model)


RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 60)
OTHERS: dict[str, tuple[Any, Any]] = {
    "Mixture": (sf.Mixture(sf.GaussianNB(), random_state=0), reals(RNG, 60, CODES)),
    "SemiSupervised": (sf.SemiSupervised(sf.MultinomialNB()), counts(RNG, 60, CODES)),
    "SelectInformative": (sf.SelectInformative(k=2), flags(RNG, 60, CODES)),
    "LanguageModel": (sf.LanguageModel(), texts(RNG, 60, CODES)),
    "CountVectorizer": (sf.CountVectorizer(), texts(RNG, 60, CODES)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OTHERS)
def test_what_else_is_fitted_can_be_looked_at(name: str) -> None:
    model, X = OTHERS[name]
    looked_at(clone(model))
    looked_at(clone(model).fit(X, CODES))


def test_all_that_is_fitted_is_looked_at() -> None:
    public = {name for name in sf.__all__ if inspect.isclass(getattr(sf, name)) and hasattr(getattr(sf, name), "fit")}
    assert public == {*OTHERS, *(base.__name__ for case in ESTIMATORS for base in type(case.model).__mro__)} & {
        *sf.__all__
    }


BELIEFS = [sf.Beta(1, 1), sf.Beta(0.5, 0.5), sf.Pareto(1.0, 0.5), sf.Dirichlet([0.5, 1.0]), sf.Gamma(0.5, 1.0)]


@pytest.mark.parametrize("belief", [*BELIEFS, *(case.typical for case in FAMILIES)], ids=repr)
def test_a_belief_can_be_looked_at(belief: Any) -> None:
    looked_at(belief)


def test_what_an_error_was_it_still_is() -> None:
    X, y = reals(RNG, 20, CODES[:20]), CODES[:20]
    model = sf.GaussianNB().fit(X, y)
    assert not hasattr(model, "log_evidence_")
    with pytest.raises(ImproperPrior, match="prior=None") as raised:
        _ = model.log_evidence_
    assert isinstance(raised.value, AttributeError)
    assert type(raised.value).__name__ == "ImproperPrior"
    again = pickle.loads(pickle.dumps(raised.value))
    assert isinstance(again, ImproperPrior)
    assert isinstance(again, AttributeError)
    assert str(again) == str(raised.value)


def test_what_an_error_carries_it_keeps() -> None:
    one = SingularMatrix.of("a column is constant", 1, "spam")
    both: Any = _missing(type(one), one.args, vars(one))
    assert {DataError, AttributeError} < {*type(both).__mro__}
    assert (str(both), both.why, both.code) == (str(one), one.why, one.code)
    for error in (one, both):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.why, again.code) == (type(error), str(one), one.why, one.code)
    assert type(_missing(MissingLibrary, ("no altair",), {})) is AttributeError  # no error is that and an ImportError
