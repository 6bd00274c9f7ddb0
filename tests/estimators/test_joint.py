"""Columns that act together, as users meet them."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.errors import InputError


def exclusive(n: int = 400, seed: int = 0, noise: float = 0.05) -> tuple[dict[str, Any], Any]:
    """Return rows of two classes that no column tells apart, but two of them together."""
    rng = np.random.default_rng(seed)
    X = {name: rng.choice(["no", "yes"], n) for name in ("a", "b", "c")} | {"x": rng.normal(size=n)}
    y = np.where((X["a"] == X["b"]) ^ (rng.random(n) < noise), "same", "other")
    return X, y


def test_what_no_column_tells_alone_two_tell_together() -> None:
    X, y = exclusive()
    Z, z = exclusive(seed=1)
    alone, joint = sf.NaiveBayes().fit(X, y), sf.NaiveBayes(joint="auto").fit(X, y)
    assert alone.score(Z, z) < 0.6
    assert joint.score(Z, z) > 0.9
    assert next(iter(joint.joint_)) == ("a", "b")
    assert joint.feature_weights_["a × b"] > 0.5


def test_where_columns_act_alone_none_are_joined() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    X = {name: np.where(rng.random(500) < 0.2 + 0.5 * y, "yes", "no") for name in "abcd"}
    assert sf.NaiveBayes(joint="auto").fit(X, y).joint_ == {}
    few = {name: column[:90] for name, column in exclusive()[0].items()}
    assert sf.NaiveBayes(joint="auto").fit(few, exclusive()[1][:90]).joint_ == {}


def test_explanations_have_a_line_for_columns_together_and_add_up() -> None:
    X, y = exclusive()
    model = sf.NaiveBayes(joint=[("a", "b"), ("a", "x")]).fit(X, y)
    row = {name: column[0] for name, column in X.items()}
    explained = model.explain(row)
    assert {"a × b", "a × x"} <= set(explained.features)
    logs = dict(zip(model.classes_, model.predict_log_proba({k: [v] for k, v in row.items()})[0], strict=True))
    assert explained.log_odds == pytest.approx(logs[explained.target] - logs[explained.against], abs=1e-9)


def test_explanations_say_how_many_times_as_often_values_come_together() -> None:
    X, y = exclusive()
    model = sf.NaiveBayes(joint=[("a", "b"), ("a", "b", "x")], feature_weights=None).fit(X, y)
    explained = model.explain({"a": "yes", "b": "yes", "c": "no", "x": 0.1}, target="other", against="same")
    said = dict(zip(explained.features, explained.values, strict=True))
    own, other = y == "other", y == "same"
    kappa = model.joint_["a", "b"].kappa  # type: ignore[attr-defined]
    lifts = []
    for rows in (own, other):
        a, b = rows & (X["a"] == "yes"), rows & (X["b"] == "yes")
        lifts.append(((a & b).sum() + kappa) / (a.sum() * b.sum() / rows.sum() + kappa))
    assert lifts[0] < 0.995 < lifts[1] < 9.95
    words = f"together {lifts[0]:.2g} times as often in other as each alone suggests, {lifts[1]:.1f} times in same"
    assert said["a × b"] == f"yes, yes: {words}"
    assert "as each two suggest" in said["a × b × x"]
    assert words in repr(explained)
    assert words in explained._repr_html_()
    assert said["a"] == "yes"
    assert model.explain({"a": "yes", "b": "maybe", "c": "no", "x": 0.1}).values[-2] == "never seen together"


def test_sets_that_were_chosen_are_a_view() -> None:
    X, y = exclusive()
    model = sf.NaiveBayes(joint="auto").fit(X, y)
    first = {name: column[:100] for name, column in X.items()}
    rest = {name: column[100:] for name, column in X.items()}
    gone = deepcopy(model).forget(first, y[:100])
    assert gone.joint_
    assert gone.stale_
    assert deepcopy(model).forget(first, y[:100], drop_views=True).joint_ == {}
    assert deepcopy(model).drop_views().joint_ == {}
    fresh = sf.NaiveBayes(joint="auto").fit(rest, y[100:])
    again = gone.refresh(rest, y[100:])
    assert again.joint_ == fresh.joint_
    np.testing.assert_allclose(again.predict_proba(X), fresh.predict_proba(X), rtol=1e-9)


def test_models_keep_the_sets_that_both_count_alike() -> None:
    X, y = exclusive(800)
    halves = [({name: column[k::2] for name, column in X.items()}, y[k::2]) for k in (0, 1)]
    a, b = (sf.NaiveBayes(joint=2).fit(*half) for half in halves)
    both = [set(model.joint_) for model in (a, b)]
    assert ("a", "b") in both[0] & both[1]
    with pytest.warns(UserWarning, match="differ between the models") if both[0] != both[1] else _nothing():
        merged = a + b
    assert ("a", "b") in merged.joint_
    counted = merged._model.blocks["a × b"].statistic
    assert counted == sf.NaiveBayes(joint=[("a", "b")]).fit(X, y)._model.blocks["a × b"].statistic


class _nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...


def test_bins_that_differ_are_refused_where_sets_are_declared() -> None:
    X, y = exclusive(800)
    halves = [({name: column[k::2] for name, column in X.items()}, y[k::2]) for k in (0, 1)]
    a, b = (sf.NaiveBayes(joint=[("a", "x")]).fit(*half) for half in halves)
    with pytest.raises(InputError, match="a × x into the same bins"):
        _ = a + b


def test_a_file_keeps_columns_together(tmp_path: Path) -> None:
    X, y = exclusive()
    for joint in ("auto", [("a", "b"), ("a", "b", "x")]):
        model = sf.NaiveBayes(joint=joint).fit(X, y)
        sf.save(model, tmp_path / "joint.suffice")
        read = sf.load(tmp_path / "joint.suffice")
        assert read.joint_ == model.joint_
        np.testing.assert_array_equal(read.predict_proba(X), model.predict_proba(X))
        assert read.partial_fit(X, y).joint_.keys() == model.joint_.keys()


def test_numbers_enter_as_bins_that_are_nobodys_number() -> None:
    X, y = exclusive()
    model = sf.NaiveBayes(joint=[("a", "x")]).fit(X, y)
    (likelihood,) = model.joint_.values()
    ends: Any = likelihood.edges[1]  # type: ignore[attr-defined]
    assert 8 < len(ends) < 16
    assert not set(ends) & set(X["x"].tolist())


def test_evidence_is_that_of_the_columns() -> None:
    X, y = exclusive()
    alone, joint = sf.NaiveBayes().fit(X, y), sf.NaiveBayes(joint=[("a", "b")]).fit(X, y)
    assert joint.log_evidence_ == alone.log_evidence_


@pytest.mark.parametrize(
    ("joint", "match"),
    [
        ([("a",)], "two or three columns"),
        ([("a", "a")], "two or three columns"),
        (["a"], "two or three columns"),
        ([("a", "colour")], "'colour', which is not a column"),
        ([("a", "note")], "'note', which is text"),
        (4, "joint"),
        ("all", "joint"),
    ],
)
def test_what_cannot_be_joined_is_said(joint: Any, match: str) -> None:
    X, y = exclusive(60)
    X |= {"note": [f"some words and some more {k} of {k % 7}" for k in range(60)]}
    with pytest.raises(ValueError, match=match):
        sf.NaiveBayes({"note": "text"}, joint=joint).fit(X, y)


def test_rows_in_parts_are_refused_so_far(tmp_path: Path) -> None:
    X, y = exclusive(60)
    lines = [f"{a},{b},{c}" for a, b, c in zip(X["a"], X["b"], y, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,kind", *lines]))
    with pytest.raises(InputError, match="joint"):
        sf.fit_files(sf.NaiveBayes(joint="auto"), tmp_path / "rows.csv", "kind")


def test_sets_are_chosen_with_their_weights() -> None:
    X, y = exclusive()
    with pytest.raises(InputError, match="only with feature_weights='loo'"):
        sf.NaiveBayes(joint="auto", feature_weights=None).fit(X, y)
    assert sf.NaiveBayes(joint="auto", effort="fast").fit(X, y).joint_ == {}


def test_groups_stay_on_one_side_of_what_judges() -> None:
    """Two columns together name a person, who always has the same label: that says nothing of other persons."""
    rng = np.random.default_rng(4)
    person = np.repeat(np.arange(100), 6)
    X = {"a": np.array([f"a{k // 10}" for k in person]), "b": np.array([f"b{k % 10}" for k in person])}
    y = rng.integers(0, 2, 100)[person]
    assert list(sf.NaiveBayes(joint=2).fit(X, y).joint_) == [("a", "b")]
    assert sf.NaiveBayes(joint=2).fit(X, y, groups=person).joint_ == {}
