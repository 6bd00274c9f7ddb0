"""Whatever copies or carries a model, the model that comes back is the one that was given."""

import io
import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from functools import cache
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from store.cases import TEXTS, Y, answer, models
from suffice.store import registry
from suffice.store.models import to_bytes


def by_joblib(model: Any) -> Any:
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


def by_cloudpickle(model: Any) -> Any:
    return pickle.loads(pytest.importorskip("cloudpickle").dumps(model))


def by_skops(model: Any) -> Any:
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(model)
    own = f"{type(model).__module__}.{type(model).__qualname__}"
    assert set(skops.get_untrusted_types(data=data)) == {own}, "one type to trust"
    return skops.loads(data, trusted=[own])


WAYS: list[Callable[[Any], Any]] = [
    lambda model: pickle.loads(pickle.dumps(model)), by_cloudpickle, by_joblib, by_skops, copy, deepcopy,
]  # fmt: skip
PLAIN = (str, int, float, bool, tuple, list, type(None))
NAMES = ["pickle", "cloudpickle", "joblib", "skops", "copy", "deepcopy"]


@cache
def fitted() -> dict[str, tuple[Any, Any]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    X[:, 2] = X[:, 0] * np.sign(X[:, 1]) + 0.1 * X[:, 2]
    joint = {"width": X[:, 0], "height": X[:, 1], "colour": np.where(X[:, 2] > 0.3, "red", "blue"), 3: X[:, 2]}
    every = {"joint": (sf.NaiveBayes().fit(joint, (X[:, 0] * X[:, 1] > 0).astype(int)), joint), **models()}
    assert every["joint"][0].joint_
    return {name: pair for name, pair in every.items() if registry.is_estimator(pair[0])}


@pytest.mark.parametrize(
    "way",
    [
        way if name in ("pickle", "skops", "copy") else pytest.param(way, marks=pytest.mark.thorough)
        for way, name in zip(WAYS, NAMES, strict=True)
    ],
    ids=NAMES,
)
def test_a_fitted_model_comes_back(way: Callable[[Any], Any]) -> None:
    for name, (model, rows) in fitted().items():
        model.note = "of the user"
        again = way(model)
        assert type(again) is type(model)
        assert again.note == "of the user"
        assert to_bytes(again) == to_bytes(model), name
        np.testing.assert_allclose(answer(again, rows), answer(model, rows), rtol=1e-9, atol=1e-10, err_msg=name)


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_an_unfitted_model_comes_back(way: Callable[[Any], Any]) -> None:
    found = [clone(model) for model, _ in fitted().values()]
    assert {type(model) for model in found} == set(registry.ESTIMATORS.values())
    for model in found:
        if way is by_skops and any(not isinstance(value, PLAIN) for value in model.get_params().values()):
            continue  # values of parameters have types of their own to trust
        again = way(model)
        assert repr(again) == repr(model)
        assert vars(again).keys() == vars(model).keys()


def test_what_scikit_learn_was_asked_for_comes_back() -> None:
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        model = sf.TextClassifier().set_fit_request(sample_weight=True).fit(TEXTS, Y)
        assert pickle.loads(pickle.dumps(model)).get_metadata_routing().fit.requests["sample_weight"] is True
    select = sf.SelectInformative(1).set_output(transform="pandas").fit([[1, 0], [0, 1]], [0, 1])
    assert type(pickle.loads(pickle.dumps(select)).transform([[1, 0]])).__name__ == "DataFrame"


def test_a_model_that_no_file_can_hold_comes_back() -> None:
    model = sf.TextClassifier(tokens=sf.Tokens(tokenizer=str.split)).fit(TEXTS, Y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_log_proba(TEXTS), model.predict_log_proba(TEXTS))


def test_a_state_of_another_model_or_a_damaged_one_is_refused() -> None:
    model = sf.BernoulliNB().fit([[0], [1]], ["a", "b"])
    state = model.__getstate__()
    with pytest.raises(TypeError, match="state must be that of a PoissonNB; got a BernoulliNB"):
        sf.PoissonNB().__setstate__(state)
    (name,) = (key for key, value in state.items() if isinstance(value, bytes))
    with pytest.raises(sf.errors.ModelFileError):
        sf.BernoulliNB().__setstate__({name: state[name][:-8] + b"damaged!"})
