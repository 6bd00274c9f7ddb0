"""Columns that act together, as users meet them."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import suffice as sf
from suffice.engines.driver import fit_by
from suffice.engines.passes import Engine, Options, Request
from suffice.errors import DataError, InputError


def exclusive(n: int = 400, seed: int = 0, noise: float = 0.05) -> tuple[dict[str, Any], Any]:
    """Return rows of two classes that no column tells apart, but two of them together."""
    rng = np.random.default_rng(seed)
    X = {name: rng.choice(["no", "yes"], n) for name in ("a", "b", "c")} | {"x": rng.normal(size=n)}
    y = np.where((X["a"] == X["b"]) ^ (rng.random(n) < noise), "same", "other")
    return X, y


def test_what_no_column_tells_alone_two_tell_together() -> None:
    X, y = exclusive()
    Z, z = exclusive(seed=1)
    alone, joint = sf.NaiveBayes(joint=None).fit(X, y), sf.NaiveBayes().fit(X, y)
    assert alone.score(Z, z) < 0.6
    assert joint.score(Z, z) > 0.9
    assert next(iter(joint.joint_)) == ("a", "b")
    assert joint.feature_powers_["a × b"] > 0.5


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
    model = sf.NaiveBayes(joint=[("a", "b"), ("a", "b", "x")], feature_powers=None).fit(X, y)
    explained = model.explain({"a": "yes", "b": "yes", "c": "no", "x": 0.1}, target="other", against="same")
    said = dict(zip(explained.features, explained.values, strict=True))
    own, other = y == "other", y == "same"
    kappa = model.joint_["a", "b"].kappa  # type: ignore[attr-defined]
    lifts = []
    for rows in (own, other):
        a, b = rows & (X["a"] == "yes"), rows & (X["b"] == "yes")
        lifts.append(((a & b).sum() + kappa) / (a.sum() * b.sum() / rows.sum() + kappa))
    assert lifts[0] < 0.995 < lifts[1] < 9.95
    words = f"jointly {lifts[0]:.2g} times as frequent in other as independence implies, {lifts[1]:.1f} times in same"
    assert said["a × b"] == f"yes, yes: {words}"
    assert "as pairs imply" in said["a × b × x"]
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
    with pytest.warns(UserWarning, match="chose different joint columns") if both[0] != both[1] else _nothing():
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


def written(folder: Path, X: dict[str, Any], y: Any, name: str = "rows.csv") -> Path:
    """Write rows into a file, the labels as "kind"; None is missing."""
    rows = zip(*X.values(), y, strict=True)
    lines = [",".join("" if value is None else str(value) for value in row) for row in rows]
    (folder / name).write_text("\n".join([",".join([*X, "kind"]), *lines]))
    return folder / name


@pytest.mark.parametrize("joint", ["auto", 2, [("a", "b"), ("a", "b", "c")]], ids=str)
def test_rows_in_files_join_the_same_columns(tmp_path: Path, joint: Any) -> None:
    X, y = exclusive()
    del X["x"]
    path = written(tmp_path, X, y)
    model, there = sf.NaiveBayes(joint=joint).fit(X, y), sf.fit_files(sf.NaiveBayes(joint=joint), path, "kind")
    assert ("a", "b") in model.joint_
    assert there.joint_ == model.joint_
    assert there.joint == joint
    assert not there.stale_
    np.testing.assert_array_equal(there.predict_proba(X), model.predict_proba(X))


def test_fewer_rows_say_where_bins_of_many_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = exclusive()
    every = sf.NaiveBayes(joint=[("a", "x")]).fit(X, y).joint_["a", "x"]
    monkeypatch.setattr("suffice.estimators.shell.joint_sets.ENOUGH", 150)
    model = sf.NaiveBayes(joint=[("a", "x")]).fit(X, y)
    there = sf.fit_files(sf.NaiveBayes(joint=[("a", "x")]), written(tmp_path, X, y), "kind")
    (ends,) = (law.edges[1] for law in model.joint_.values())  # type: ignore[attr-defined]
    assert ends != every.edges[1]  # type: ignore[attr-defined]
    assert there.joint_ == model.joint_
    assert there._model.blocks["a × x"].statistic == model._model.blocks["a × x"].statistic


def test_a_file_may_lack_a_column_of_a_set(tmp_path: Path) -> None:
    X, y = exclusive()
    del X["x"]
    more = {"a": X["a"][:50], "c": X["c"][:50]}
    paths = [written(tmp_path, X, y), written(tmp_path, more, y[:50], "more.csv")]
    with pytest.warns(UserWarning, match="treated as missing in every row: 'b'"):
        there = sf.fit_files(sf.NaiveBayes(joint=[("a", "b")]), paths, "kind")
    counted = sf.NaiveBayes(joint=[("a", "b")]).fit(X, y)._model.blocks["a × b"].statistic
    assert there.class_count_.sum() == 450
    assert there._model.blocks["a × b"].statistic == counted


def test_rows_that_are_skipped_are_in_no_set(tmp_path: Path) -> None:
    X, y = exclusive()
    bad = {name: column.astype(object) for name, column in X.items()}
    bad["x"][:3] = "inf"
    kinds: Any = {"x": "gaussian"}
    rest = {name: column[3:] for name, column in X.items()}
    model = sf.NaiveBayes(kinds, joint=[("a", "b")]).fit(rest, y[3:])
    path = written(tmp_path, bad, y)
    there = sf.fit_files(sf.NaiveBayes(kinds, joint=[("a", "b")]), path, "kind", errors="skip")
    assert there.skipped_rows_ == 3
    assert there._model.blocks["a × b"].statistic == model._model.blocks["a × b"].statistic


def test_rows_that_can_be_read_only_once_are_refused() -> None:
    class Once(Engine):
        once = True

        def run(self, job: Any) -> Any:
            raise AssertionError("no pass")

    request = Request(pa.schema([("a", pa.string()), ("b", pa.string()), ("kind", pa.string())]), "kind")
    with pytest.raises(InputError, match=r"joint=2 reads the rows twice.*joint=None"):
        fit_by(Once(), sf.NaiveBayes(joint=2), request, Options())
    with pytest.warns(UserWarning, match="Joint columns are left out"), pytest.raises(AssertionError, match="no pass"):
        fit_by(Once(), sf.NaiveBayes(), request, Options())


def test_rows_that_change_between_passes_are_told(tmp_path: Path) -> None:
    X, y = exclusive()
    path = written(tmp_path, X, y)
    few = {name: column[:-1] for name, column in X.items()}

    def change(*_: object) -> None:
        written(tmp_path, few, y[:-1])

    with pytest.raises(DataError, match="same rows in every pass"):
        sf.fit_files(sf.NaiveBayes(joint=[("a", "b")]), path, "kind", look=change)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("joint", ["auto", [("a", "b")]], ids=str)
def test_learning_without_labels_has_the_columns_alone(tmp_path: Path, joint: Any) -> None:
    X, y = exclusive()
    some = [label if i % 3 else None for i, label in enumerate(y.tolist())]
    for labels in (some, y.tolist()):
        model = sf.SemiSupervised(sf.NaiveBayes(joint=joint)).fit(X, labels)
        alone = sf.SemiSupervised(sf.NaiveBayes(joint=None)).fit(X, labels)
        there = sf.fit_files(sf.SemiSupervised(sf.NaiveBayes(joint=joint)), written(tmp_path, X, labels), "kind")
        assert model.estimator_.joint_ == there.estimator_.joint_ == {}
        np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))
        np.testing.assert_allclose(there.predict_proba(X), alone.predict_proba(X), atol=1e-5)
    mixture, alone_too = (
        sf.Mixture(sf.NaiveBayes(joint=one), n_init=1, random_state=0, max_iter=5).fit(X) for one in (joint, None)
    )
    np.testing.assert_array_equal(mixture.predict_proba(X), alone_too.predict_proba(X))


def test_sets_are_chosen_with_their_weights() -> None:
    X, y = exclusive()
    with pytest.raises(InputError, match="only with feature_powers='loo'"):
        sf.NaiveBayes(joint=2, feature_powers=None).fit(X, y)
    assert sf.NaiveBayes(feature_powers=None).fit(X, y).joint_ == {}
    assert sf.NaiveBayes(effort="fast").fit(X, y).joint_ == {}


def test_groups_stay_on_one_side_of_what_judges() -> None:
    """Two columns together name a person, who always has the same label: that says nothing of other persons."""
    rng = np.random.default_rng(4)
    person = np.repeat(np.arange(100), 6)
    X = {"a": np.array([f"a{k // 10}" for k in person]), "b": np.array([f"b{k % 10}" for k in person])}
    y = rng.integers(0, 2, 100)[person]
    assert list(sf.NaiveBayes(joint=2).fit(X, y).joint_) == [("a", "b")]
    assert sf.NaiveBayes(joint=2).fit(X, y, groups=person).joint_ == {}


def pooled(n: int = 1500, seed: int = 0) -> tuple[dict[str, Any], Any]:
    """Return a column of many values, most of them rare, that tells the class only with another."""
    rng = np.random.default_rng(seed)
    towns = np.array([f"town {k}" for k in range(300)])
    share = 1 / np.arange(1, 301) ** 1.3
    town, b = rng.choice(300, n, p=share / share.sum()), rng.integers(0, 2, n)
    y = np.where((town % 2 == b) ^ (rng.random(n) < 0.05), "odd", "even")
    return {"town": towns[town], "b": np.where(b, "yes", "no"), "x": rng.normal(size=n)}, y


def test_rare_categories_are_pooled() -> None:
    X, y = pooled()
    model = sf.NaiveBayes().fit(X, y)
    law: Any = model.joint_["town", "b"]
    kept = law.edges[0]
    assert len(kept) == 64
    towns, counts = np.unique(X["town"], return_counts=True)
    assert len(towns) > 100
    assert min(counts[np.isin(towns, kept)]) >= max(counts[~np.isin(towns, kept)])
    statistic = model._model.blocks["town × b"].statistic
    assert statistic.count.sum() == len(y)  # pooled, not left out
    assert model.score(X, y) > 0.8 > sf.NaiveBayes(joint=None).fit(X, y).score(X, y)
    rare = towns[~np.isin(towns, kept)][0]
    explained = model.explain({"town": rare, "b": "yes", "x": 0.0})
    line = dict(zip(explained.features, explained.values, strict=True))["town × b"]
    assert line.startswith("another, yes")
    assert rare not in line


def test_pooled_categories_that_are_forgotten_leave_no_name(tmp_path: Path) -> None:
    X, y = pooled()
    model = sf.NaiveBayes().fit(X, y)
    law: Any = model.joint_["town", "b"]
    gone = X["town"] == "town 3"
    assert "town 3" in law.edges[0]
    model.forget({name: column[gone] for name, column in X.items()}, y[gone])
    left: Any = model.joint_["town", "b"]
    assert set(law.edges[0]) - set(left.edges[0]) == {"town 3"}
    sf.save(model, tmp_path / "towns.suffice")
    assert b'town 3"' not in (tmp_path / "towns.suffice").read_bytes()
    assert sf.load(tmp_path / "towns.suffice").joint_.keys() == model.joint_.keys()


def test_declared_sets_pool_what_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = pooled()
    whole: Any = sf.NaiveBayes(joint=[("town", "b")]).fit(X, y).joint_["town", "b"]
    assert whole.edges == (None, None)
    monkeypatch.setattr("suffice.estimators.shell.joint_sets.CELLS", 200)
    cut: Any = sf.NaiveBayes(joint=[("town", "b")]).fit(X, y).joint_["town", "b"]
    assert len(cut.edges[0]) == 5  # with room for classes that come later
    assert cut.edges[1] is None


def test_sets_that_have_no_room_are_named() -> None:
    X, y = pooled()
    with pytest.warns(UserWarning, match=r"memory_limit=1,000 leaves no room for them: .*town × b"):
        model = sf.NaiveBayes(memory_limit=1000).fit(X, y)
    assert ("town", "b") not in model.joint_
    with pytest.raises(ValueError, match="memory_limit"):
        sf.NaiveBayes(memory_limit=0).fit(X, y)


def with_holes(n: int = 900, seed: int = 0) -> tuple[dict[str, Any], Any]:
    """Return two columns of which what is missing tells the class, together, and nothing else does."""
    rng = np.random.default_rng(seed)
    lost = rng.random((2, n)) < 0.5
    y = np.where((lost[0] == lost[1]) ^ (rng.random(n) < 0.05), "same", "other")
    X: dict[str, Any] = {name: rng.choice(["no", "yes"], n).astype(object) for name in ("a", "b", "c")}
    for k, name in enumerate("ab"):
        X[name][lost[k]] = None
    return X, y


def test_what_is_missing_may_be_a_value() -> None:
    X, y = with_holes()
    model = sf.NaiveBayes().fit(X, y)
    law: Any = model.joint_["a", "b"]
    assert law.missing
    Z, z = with_holes(seed=1)
    assert model.score(Z, z) > 0.9 > 0.6 > sf.NaiveBayes(joint=None).fit(X, y).score(Z, z)
    explained = model.explain({"a": None, "b": "yes", "c": "no"})
    assert dict(zip(explained.features, explained.values, strict=True))["a × b"].startswith("missing, yes")
    logs = model.predict_log_proba({"a": [None], "b": ["yes"], "c": ["no"]})[0]
    assert explained.log_odds == pytest.approx(abs(logs[0] - logs[1]))


def test_what_is_missing_in_one_column_may_tell() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1200)
    a = np.array(["u", "v"], object)[rng.integers(0, 2, 1200)]
    a[rng.random(1200) < 0.1 + 0.6 * y] = None
    model = sf.NaiveBayes().fit({"a": a, "b": rng.choice(["p", "q"], 1200)}, y)
    odds = [model.predict_proba({"a": [value], "b": ["p"]})[0, 1] for value in (None, "u")]
    assert odds[0] > 0.7 > 0.4 > odds[1]
    for value in (None, "u"):
        logs = model.predict_log_proba({"a": [value], "b": ["p"]})[0]
        assert model.explain({"a": value, "b": "p"}, 1, 0).log_odds == pytest.approx(logs[1] - logs[0])


MADE = {"categories": exclusive, "towns": pooled, "holes": with_holes}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_chosen_sets_obey_the_laws_of_counts(make: Any) -> None:
    X, y = make()
    model = sf.NaiveBayes().fit(X, y)
    assert model.joint_
    half = len(y) // 2
    first, last = ({name: column[part] for name, column in X.items()} for part in (slice(half), slice(half, None)))
    sets = [name for name in model._model.blocks if hasattr(name, "columns")]
    more = deepcopy(model).partial_fit(first, y[:half])
    assert more.joint_.keys() == model.joint_.keys()
    back = more.forget(first, y[:half])
    for name in sets:
        block = model._model.blocks[name]
        assert back._model.blocks[name].statistic == block.statistic  # to the bit
        parts = [model._reader.rows(model._source(part), {name: block.likelihood})[name] for part in (first, last)]
        codes = np.searchsorted(model.classes_, y)
        labels = [sf.models.scoring.rows.Labels(code, None, 2) for code in (codes[:half], codes[half:])]
        counted = [type(block).of(block.likelihood, *both).statistic for both in zip(parts, labels, strict=True)]
        assert counted[0] + counted[1] == block.statistic
    np.testing.assert_allclose(back.predict_log_proba(X), model.predict_log_proba(X), rtol=1e-12)


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_a_row_left_out_is_predicted_as_by_the_model_without_it(make: Any) -> None:
    X, y = make()
    X.pop("x", None)  # priors of numbers follow the counts
    model = sf.NaiveBayes().fit(X, y)
    assert model.joint_
    left_out = model.leave_one_out(X, y, views="fixed")
    often = [i for i in range(400) if all((column == column[i]).sum() != 1 for column in X.values())]
    for i in often[::23]:  # a category that vanishes with its last row is another vocabulary
        row = {name: column[i : i + 1] for name, column in X.items()}
        rest = deepcopy(model).forget(row, y[i : i + 1])
        np.testing.assert_allclose(rest.predict_proba(row)[0], left_out[i], rtol=1e-9, atol=1e-9)


def test_without_weights_chosen_sets_say_nothing() -> None:
    X, y = exclusive()
    model = sf.NaiveBayes(temper=None).fit(X, y)
    assert model.joint_
    alone = sf.NaiveBayes(temper=None, feature_powers=None).fit(X, y)
    model.set_params(feature_powers=None).refresh(X, y)
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), rtol=1e-12)
    assert model.joint_ == {}


@pytest.mark.thorough
def test_numbers_of_a_cloud_that_merging_drops_speak_again() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 800)
    x = rng.normal(size=800)
    X = {"p": x + y, "q": x - y + 0.3 * rng.normal(size=800)}
    some = [{name: column[part] for name, column in X.items()} for part in (slice(600), slice(600, None))]
    mine, theirs = sf.NaiveBayes().fit(some[0], y[:600]), sf.NaiveBayes(joint="auto").fit(some[1], y[600:])
    assert ("p", "q") in mine.joint_
    theirs = deepcopy(theirs).drop_views()
    with pytest.warns(UserWarning, match="chose different joint columns"):
        both = mine + theirs
    assert both.joint_ == {}
    assert both.stale_
    assert both.feature_powers_["p"] == both.feature_powers_["q"] == 1.0
    assert both.refresh(X, y).joint_.keys() == mine.joint_.keys()


def test_a_wide_table_pairs_the_columns_that_tell_most(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = exclusive(600)
    rng = np.random.default_rng(0)
    wide = {f"noise {k}": rng.choice(["no", "yes"], 600) for k in range(30)}
    wide |= {"a": X["a"], "b": X["b"], "told": np.where(rng.random(600) < 0.7, y, "who knows")}
    monkeypatch.setattr("suffice.models.choosing.table_choice.WORK", 600 * 20)
    found = {name for columns in sf.NaiveBayes(joint=2).fit(wide, y).joint_ for name in columns}
    assert len(found) <= 8


def test_a_class_of_one_row_and_few_groups_choose_what_they_can() -> None:
    rng = np.random.default_rng(0)
    X = {name: rng.integers(0, 3, 300).astype(str) for name in "ab"}
    y = np.where(X["a"] == X["b"], "p", "q")
    for groups in (np.zeros(300, int), np.arange(300) % 2):
        assert sf.NaiveBayes().fit(X, y, groups=groups).predict(X).shape == (300,)
    y[0] = "alone"
    assert sf.NaiveBayes().fit(X, y).joint_
    many = np.arange(150)
    assert sf.NaiveBayes().fit({"a": many % 7, "b": many % 4}, many.astype(str)).joint_ == {}


def test_residuals_stay_where_sets_that_say_nothing_go() -> None:
    rng = np.random.default_rng(0)
    base = rng.integers(0, 6, 3000)
    X = {c: np.where(rng.random(3000) < 0.6, base, rng.integers(0, 6, 3000)).astype(str) for c in "abcdefg"}
    effects = {c: rng.normal(0, 1.2, 6) for c in X}
    z = sum(effects[c][X[c].astype(int)] for c in X) + ((X["a"] == X["b"]) - 0.3)
    y = np.where(rng.random(3000) < 1 / (1 + np.exp(-z)), "p", "q")
    half = [({c: v[part] for c, v in X.items()}, y[part]) for part in (slice(2000), slice(2000, None))]
    model, alone = sf.NaiveBayes().fit(*half[0]), sf.NaiveBayes(joint=None).fit(*half[0])
    assert len(model._predictor.views.weights.residuals) == 7  # type: ignore[union-attr]
    losses = [
        -np.log(one.predict_proba(half[1][0])[np.arange(1000), (half[1][1] == "q").astype(int)]).mean()
        for one in (model, alone)
    ]
    assert losses[0] < losses[1]


@pytest.mark.parametrize("far", [1.7e9, *(pytest.param(far, marks=pytest.mark.thorough) for far in (0.0, 1000.0))])
def test_numbers_far_from_zero_are_told_apart(far: float) -> None:
    rng = np.random.default_rng(0)
    X = {name: far + rng.random(1500) for name in "uv"}
    y = np.where((X["u"] > far + 0.5) ^ (X["v"] > far + 0.5), "p", "q")
    assert sf.NaiveBayes().fit(X, y).score(X, y) > 0.9
    model = sf.NaiveBayes(joint=[("u", "v")]).fit(X, y)
    assert min(model._model.blocks["u × v"].statistic.sizes) > 8


def test_few_numbers_have_a_bin_each_and_later_ones_fall_into_them() -> None:
    rng = np.random.default_rng(0)
    X: dict[str, Any] = {"grade": rng.integers(1, 4, 600), "b": rng.choice(["u", "v"], 600)}
    y = np.where((X["grade"] == 2) == (X["b"] == "u"), "p", "q")
    model = sf.NaiveBayes().fit(X, y)
    law: Any = model.joint_["grade", "b"]
    assert law.edges[0] == (1.5, 2.5)
    line = dict(zip(*_shown(model.explain({"grade": 2, "b": "u"})), strict=True))["grade × b"]
    assert line.startswith("2, u")
    later = {"grade": np.arange(5000), "b": np.resize(["u", "w"], 5000)}
    model.partial_fit(later, np.resize(["p", "q"], 5000))
    assert model._model.blocks["grade × b"].statistic.sizes.tolist() == [3, 3]  # new words are pooled


def _shown(explained: Any) -> tuple[list[Any], list[Any]]:
    return explained.features, explained.values


def test_merged_sets_pool_what_only_one_of_them_knows() -> None:
    X, y = exclusive(1200)
    first, last = ({name: column[part] for name, column in X.items()} for part in (slice(600), slice(600, None)))
    first["a"] = np.where(np.arange(600) % 9 == 0, "perhaps", first["a"])
    mine, theirs = (
        sf.NaiveBayes(joint=2).fit({k: x[k] for k in "ab"}, z) for x, z in ((first, y[:600]), (last, y[600:]))
    )
    both = mine + theirs
    law: Any = both.joint_["a", "b"]
    assert "perhaps" not in law.edges[0]
    assert both._model.blocks["a × b"].statistic.count.sum() == 1200


@pytest.mark.thorough
def test_clouds_of_other_columns_are_not_added() -> None:
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(600, 7)) @ (np.tril(rng.normal(size=(7, 7))) + np.eye(7)).T
    y = np.where(rng.random(600) < 0.5, "p", "q")
    mixed[y == "p"] += np.array([1.5, -1, 0.5, 1, -0.5, 0.8, -1]) * 0.6
    X = {name: mixed[:, k] for k, name in enumerate("abcdefg")}
    mine = sf.NaiveBayes().fit(X | {"c": X["c"].round().clip(-2, 2)}, y)
    theirs = sf.NaiveBayes().fit(X | {"d": X["d"].round().clip(-2, 2)}, y)
    assert [next(iter(one.joint_)) for one in (mine, theirs)] == [tuple("abdefg"), tuple("abcefg")]
    with pytest.warns(UserWarning, match="chose different joint columns"):
        assert (mine + theirs).joint_ == {}


def test_a_column_that_is_called_like_a_set_stays_a_column() -> None:
    X, y = exclusive()
    X["a × b"] = np.random.default_rng(1).choice(["u", "v"], 400)
    model = sf.NaiveBayes(joint=2).fit(X, y)
    assert ("a", "b") not in model.joint_
    assert model.predict(X).shape == (400,)
    with pytest.raises(InputError, match="a column of the table has that name"):
        sf.NaiveBayes(joint=[("a", "b")]).fit(X, y)


def test_declared_sets_add_up_where_a_column_had_no_values() -> None:
    X, y = exclusive()
    mine = sf.NaiveBayes(joint=[("a", "b")]).fit(X, y)
    theirs = sf.NaiveBayes(joint=[("a", "b")]).fit(X | {"a": [None] * 400}, y)
    assert (mine + theirs)._model.blocks["a × b"].statistic == mine._model.blocks["a × b"].statistic


@pytest.mark.thorough
def test_leaving_out_sees_the_sets_that_the_rest_of_a_fold_chose() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    x = rng.normal(size=400)
    X = {"p": x + 0.8 * y, "q": x - 0.8 * y + 0.4 * rng.normal(size=400), "r": rng.normal(size=400)}
    model = sf.NaiveBayes().fit(X, y)
    judged = sf.evaluate.leave_one_out(model, X, y)
    fresh = sf.evaluate.crossfit(model, X, y)
    assert judged.log_loss == pytest.approx(fresh.log_loss, rel=0.1)
