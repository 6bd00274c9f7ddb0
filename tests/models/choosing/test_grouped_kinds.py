"""Kinds of columns of numbers where rows belong together: rows of other groups decide, not evidence alone."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest

import suffice as sf
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.histogram import Histogram


def frames(seed: int, speakers: int = 8) -> tuple[pd.DataFrame, Any, Any]:
    """Return frames of speakers, each near its speaker's own middle: bins of all frames are bins of these speakers."""
    rng = np.random.default_rng(seed)
    speaker, y = np.repeat(np.arange(speakers), 60), np.tile(np.repeat(["a", "i", "u"], 20), speakers)
    code = np.searchsorted(["a", "i", "u"], y)
    own = rng.normal(0, 1, (speakers, 3, 4))
    X = code[:, None] * 1.0 + own[speaker, code] + rng.normal(0, 0.05, (len(y), 4))
    return pd.DataFrame(X, columns=list("abcd")), y, speaker


def loss(model: Any, X: Any, y: Any) -> float:
    logs = model.predict_log_proba(X)
    return float(-logs[np.arange(len(y)), np.searchsorted(model.classes_, y)].mean())


@pytest.mark.thorough
@pytest.mark.parametrize("joint", [None, "auto"])
def test_numbers_of_few_speakers_are_normal(joint: Any) -> None:
    X, y, speaker = frames(0)
    test, truth, _ = frames(1)
    apart = sf.NaiveBayes(joint=joint).fit(X, y)
    together = sf.NaiveBayes(joint=joint).fit(X, y, groups=speaker)
    assert all(isinstance(column, Histogram) for column in apart.columns_.values())
    assert all(isinstance(column, Gaussian) for column in together.columns_.values())
    assert loss(together, test, truth) < loss(apart, test, truth)
    (chosen,) = (row for row in together.choices_ if row.choice == "kinds of numeric columns" and row.chosen)
    assert chosen.option == "all normal"


def test_bins_stay_where_other_groups_tell_of_them() -> None:
    rng = np.random.default_rng(2)
    y = rng.choice(["near", "far"], 1200)
    x = np.where(y == "near", rng.normal(0, 0.3, 1200), rng.choice([-3.0, 3.0], 1200) + rng.normal(0, 0.3, 1200))
    X = pd.DataFrame({"x": x, "z": rng.choice([-5.0, 0.0, 5.0], 1200) + rng.normal(0, 0.1, 1200)})
    model = sf.NaiveBayes(joint=None).fit(X, y, groups=np.arange(1200) // 4)
    assert isinstance(model.columns_["x"], Histogram)
    chosen = [row.option for row in model.choices_ if row.choice == "kinds of numeric columns" and row.chosen]
    assert chosen == ["by evidence"]


def test_declared_columns_and_categories_stay() -> None:
    X, y, speaker = frames(0)
    X["size"] = np.arange(len(X)) % 3
    declared: dict[str, Any] = {"a": sf.columns.Histogram(), "b": "histogram"}
    model = sf.NaiveBayes(columns=declared, joint=None).fit(X, y, groups=speaker)
    kinds = {name: type(column).__name__ for name, column in model.columns_.items()}
    assert kinds == {"a": "Histogram", "b": "Histogram", "c": "Gaussian", "d": "Gaussian", "size": "Categorical"}


def test_refresh_is_a_fresh_fit_and_one_group_chooses_nothing() -> None:
    X, y, speaker = frames(4)
    whole = sf.NaiveBayes(joint=None).fit(X, y, groups=speaker)
    half = sf.NaiveBayes(joint=None).fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2])
    half.refresh(X, y, groups=speaker)
    assert {name: type(one) for name, one in half.columns_.items()} == {
        name: type(one) for name, one in whole.columns_.items()
    }
    np.testing.assert_allclose(half.predict_log_proba(X), whole.predict_log_proba(X), atol=1e-6)
    alone = sf.NaiveBayes(joint=None).fit(X, y, groups=np.zeros(len(y)))
    assert all(isinstance(column, Histogram) for column in alone.columns_.values())


def test_the_record_is_kept_and_folds_choose_as_the_model_where_nothing_else_is_chosen() -> None:
    X, y, speaker = frames(0)
    model = sf.NaiveBayes(joint=None, temper=None, feature_powers=None).fit(X, y, groups=speaker)
    assert [row.option for row in model.choices_ if row.chosen] == ["all normal"]
    examples = model._learned(X, y, None)
    inside = speaker == 0
    rest = model._without(
        examples.take(np.flatnonzero(inside), model._reader),
        examples.take(np.flatnonzero(~inside), model._reader),
        speaker[~inside],
    )
    assert all(isinstance(column, Gaussian) for column in rest.columns_.values())


@pytest.mark.parametrize("missing", [np.array([np.nan, *range(479)]), np.full(480, "NaT", "datetime64[D]")])
def test_groups_without_a_name_are_refused(missing: Any) -> None:
    X, y, _ = frames(0)
    with pytest.raises(sf.errors.LabelError, match="missing"):
        sf.NaiveBayes().fit(X, y, groups=missing)
