"""Files of earlier versions, whose parameters have the names of their time."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import suffice as sf
from store.test_damage import refused, rewritten

TEXTS, LABELS = ["cheap pills", "lunch at noon", "cheap watches", "lunch?"], ["spam", "ham", "spam", "ham"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    model = sf.TextClassifier(alpha=1.0, feature_weights=None, temper=None).fit(TEXTS, LABELS)
    sf.save(model, tmp_path / "m.suffice")
    return tmp_path / "m.suffice"


def changed(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the parameters in a file."""

    def parameters(about: dict[str, str]) -> None:
        given = json.loads(about["parameters"])
        change(given)
        about["parameters"] = json.dumps(given)

    rewritten(path, parameters)


def test_old_names_of_parameters_are_read(path: Path) -> None:
    changed(path, lambda given: given.update(weights=given.pop("feature_weights")))
    assert sf.store.describe(path).parameters["feature_weights"] is None
    model = sf.load(path)
    assert model.feature_weights is None
    assert model.predict(["cheap"]) == ["spam"]


def test_a_parameter_has_one_name(path: Path) -> None:
    changed(path, lambda given: given.update(weights=None))
    assert "'weights' and 'feature_weights'" in refused(path)
