"""A warning names the line of whoever called, however many layers there are between."""

import warnings
from typing import Any

import pytest
from sklearn.pipeline import make_pipeline

import suffice as sf


def called_directly(model: Any) -> Any:
    return model.predict([[0, 1]])


def called_by_a_pipeline(model: Any) -> Any:
    return make_pipeline(model).predict([[0, 1]])


@pytest.mark.parametrize("call", [called_directly, called_by_a_pipeline])
def test_a_warning_names_the_line_of_the_user(call: Any) -> None:
    model = sf.BernoulliNB(alpha=0.0).fit([[0, 0], [1, 1]], ["a", "b"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(model)
    assert [(w.filename, w.lineno) for w in caught] == [(__file__, call.__code__.co_firstlineno + 1)]
