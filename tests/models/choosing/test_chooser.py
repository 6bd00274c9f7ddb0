"""What training rows choose, and what they do not."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import log_softmax

import suffice as sf
from suffice.models.choosing import chooser, weights
from suffice.models.choosing.chooser import Wanted, choose
from suffice.models.choosing.judge import judge, some_rows
from suffice.models.choosing.smoothing import Scored, choose_temper
from suffice.models.empirical.covariances import Spread
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.discriminant import Discriminant
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.models.scoring.text_rows import TextRows
from suffice.models.views import ColumnWeights, FeatureWeights, Views, WordWeights
from suffice.stats.inputs import BINARY, COUNT, RowMatrix
from suffice.text import Analysis
from suffice.waiting import Waiting


def counts(n: int = 240, classes: int = 3, width: int = 12) -> tuple[Predictor, dict[Any, Any], Labels]:
    """Return rows of words, of which the first ones come twice."""
    rng = np.random.default_rng(0)
    codes, shares = rng.integers(0, classes, n), rng.dirichlet(np.full(width, 0.7), classes)
    x = np.array([rng.multinomial(rng.integers(1, 20), shares[c]) for c in codes])
    x[:, :4] = x[:, 4:8]
    labels, rows = Labels(codes, None, classes), matrix(x)
    return Predictor(Model.of(np.arange(classes), {"X": Multinomial(1.0)}, rows, labels)), rows, labels


def matrix(x: Any) -> dict[Any, Any]:
    return {"X": MatrixRows(RowMatrix.read(x, "X").must_be(COUNT))}


def texts(n: int) -> tuple[Predictor, dict[Any, Any], Labels]:
    predictor, rows, labels = counts(n)
    written = [" ".join(f"word{j} " * k for j, k in enumerate(row)) for row in rows["X"].numbers.astype(int)]
    words: dict[Any, Any] = {"text": TextRows(written, Analysis())}
    model = Model.of(predictor.model.classes, {"text": Multinomial(1.0, damped=True)}, words, labels)
    return Predictor(model), words, labels


def flags(n: int = 300) -> tuple[Predictor, dict[Any, Any], Labels]:
    """Return three columns, of which two say the same."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, n)
    first, other = (rng.random(n) < np.where(codes, 0.8, 0.3) for _ in range(2))
    names = {"a": first, "again": first, "b": other}
    read: dict[Any, Any] = {
        name: MatrixRows(RowMatrix.read(x[:, None].astype(float), "X").must_be(BINARY)) for name, x in names.items()
    }
    labels = Labels(codes, None, 2)
    likelihoods = dict.fromkeys(read, Bernoulli())
    return Predictor(Model.of(np.array(["no", "yes"]), likelihoods, read, labels)), read, labels


def loss(predictor: Predictor, rows: Any, labels: Labels, views: Views) -> float:
    """Return the leave-one-out log loss with views."""
    alpha, temper = views.alpha, views.temper or Temper()
    model = predictor.model
    if alpha is not None:
        model = model.with_likelihoods({name: block.likelihood.smoothed(alpha) for name, block in model.blocks.items()})
    seen = judge(Predictor(model, predictor.prior, views, temper), rows, labels)
    return float(-seen.log_proba()[np.arange(len(labels)), labels.y].mean())


def test_nothing_is_wanted_and_nothing_chosen() -> None:
    assert not choose(*counts(), None, Wanted())


def test_each_choice_lowers_the_loss() -> None:
    given = counts()
    plain = loss(*given, Views())
    smoothed = choose(*given, None, Wanted(alpha="loo"))
    assert smoothed.alpha is not None
    assert smoothed.temper is None
    both = choose(*given, None, Wanted(alpha="loo", temper="loo"))
    every = choose(*given, None, Wanted(alpha="loo", temper="loo", weights="features", ridge=0.1))
    assert plain > loss(*given, smoothed) > loss(*given, both) > loss(*given, every)


def test_the_pseudo_count_is_the_best_of_a_fine_grid_and_within_bounds() -> None:
    given = counts()
    found = choose(*given, None, Wanted(alpha="loo"))
    grid = [loss(*given, Views(alpha=float(alpha))) for alpha in np.geomspace(1e-5, 10, 60)]
    assert loss(*given, found) <= min(grid) + 1e-4
    bounded = choose(*given, None, Wanted(alpha="loo", alpha_bounds=(1.0, 10.0)))
    assert bounded.alpha is not None
    assert bounded.alpha >= 1


def test_a_temper_by_leave_one_out_is_that_of_the_scores() -> None:
    predictor, rows, labels = counts()
    found = choose(predictor, rows, labels, None, Wanted(temper="loo"))
    assert found.temper is not None
    assert found.temper.power == pytest.approx(
        choose_temper(Scored.of(judge(predictor, rows, labels))).power, rel=1e-12
    )
    assert vars(found) == vars(Views(temper=found.temper))
    flat = choose(predictor, rows, labels, None, Wanted(temper="loo", length_exponent=0.0)).temper
    assert flat is not None
    assert flat.length == 0


def test_views_in_force_play_no_part_but_a_given_temper_does() -> None:
    predictor, rows, labels = counts()
    wanted = Wanted(weights="features", ridge=1.0)
    first = choose(predictor, rows, labels, None, wanted).weights
    again = choose(predictor.with_views(Views(weights=first), Temper()), rows, labels, None, wanted).weights
    other = choose(predictor.with_views(Views(), Temper(0.5)), rows, labels, None, wanted).weights
    assert isinstance(first, FeatureWeights)
    assert isinstance(again, FeatureWeights)
    assert isinstance(other, FeatureWeights)
    np.testing.assert_array_equal(first.features, again.features)
    assert np.abs(first.features - other.features).max() > 0.01
    assert first.ridge == 1
    np.testing.assert_allclose(first.features[:4], first.features[4:8], atol=1e-8)  # they say the same
    assert first.features[:8].max() < 1


def test_texts_choose_all_together_and_by_name() -> None:
    predictor, rows, labels = texts(300)
    reported: list[tuple[int, float]] = []

    class Told(Waiting):
        def step(self, number: int, value: float) -> None:
            reported.append((number, value))

    wanted = Wanted(
        alpha="held_out", temper="held_out", weights="features", ridge=1.0, memory_limit=10**9, waiting=Told("", {})
    )
    found = choose(predictor, rows, labels, None, wanted)
    assert found.alpha is not None
    assert found.temper is not None
    assert isinstance(found.weights, WordWeights)
    assert found.weights.words is predictor.model.blocks["text"].t.words
    assert 0 < reported[-1][1] < reported[0][1] < np.log(3)


def test_weights_are_fitted_on_so_many_rows_as_memory_allows() -> None:
    predictor, rows, labels = texts(300)
    wanted = Wanted(weights="features", ridge=1.0, memory_limit=20_000)
    words = predictor.model.blocks["text"].t.document_frequency.sum() / 300
    which = some_rows(300, int(20_000 / 40 / words))
    few: dict[Any, Any] = {"text": rows["text"].take(which)}
    found = choose(predictor, rows, labels, None, wanted).weights
    expected = choose(predictor, few, labels.take(which), None, replace(wanted, memory_limit=10**9)).weights
    assert 50 < len(which) < 300
    assert isinstance(found, WordWeights)
    assert isinstance(expected, WordWeights)
    np.testing.assert_allclose(found.features, expected.features, rtol=1e-4)  # classes are added up in another order


def test_few_rows_choose_less() -> None:
    predictor, rows, labels = texts(40)
    wanted = Wanted(alpha="held_out", temper="held_out", weights="features", least_rows=200, memory_limit=10**9)
    found = choose(predictor, rows, labels, None, wanted)
    assert vars(found) == vars(Views(alpha=1.0, temper=choose_temper(Scored.of(judge(predictor, rows, labels)))))
    assert choose(*texts(100), None, wanted).weights is None
    assert choose(*texts(300), None, replace(wanted, ridge=1.0)).weights is not None


@pytest.mark.parametrize("option", [{"effort": "fast"}, {"least_rows": 1000}])
def test_weights_are_not_fitted(option: dict[str, Any]) -> None:
    assert not choose(*counts(), None, Wanted(weights="features", **option))
    assert not choose(*flags(), None, Wanted(weights="blocks", **option))


def test_a_likelihood_that_cannot_be_weighed_has_no_weights() -> None:
    predictor, rows, labels = counts()
    for likelihood in (Multinomial(0.0), Multinomial(1.0, "predictive"), Multinomial(1.0, "mle")):
        other = Predictor(predictor.model.with_likelihoods({"X": likelihood}))
        assert not likelihood.weighable
        assert not choose(other, rows, labels, None, Wanted(alpha="held_out", weights="features"))


def test_a_pseudo_count_by_evidence_can_be_weighed() -> None:
    predictor, rows, labels = texts(300)
    other = Predictor(predictor.model.with_likelihoods({"text": Multinomial("evidence")}))
    wanted = Wanted(temper="held_out", weights="features", ridge=1.0, memory_limit=10**9)
    settled: Any = other.model.blocks["text"].settled
    same = Predictor(predictor.model.with_likelihoods({"text": settled}))
    one, two = (choose(each, rows, labels, None, wanted) for each in (other, same))
    assert one.temper == two.temper
    assert one.alpha is None


def test_columns_that_say_the_same_share_their_weight() -> None:
    predictor, rows, labels = flags()
    found = choose(predictor, rows, labels, None, Wanted(temper="loo", weights="blocks", ridge=0.1))
    assert isinstance(found.weights, ColumnWeights)
    columns = found.weights.columns
    assert columns["a"] == pytest.approx(columns["again"], rel=1e-6)
    assert columns["b"] > columns["a"]
    assert set(found.weights.classes) == {"no", "yes"}
    assert loss(predictor, rows, labels, found) < loss(predictor, rows, labels, Views(temper=found.temper))


def test_groups_are_left_out_together() -> None:
    """Rows that come twice tell each other's class, unless both are left out."""
    predictor, rows, labels = counts(120)
    every = matrix(np.repeat(rows["X"].numbers, 2, axis=0))
    twice = Labels(np.repeat(labels.y, 2), None, 3)
    model = Model.of(predictor.model.classes, predictor.model.likelihoods, every, twice)
    group = np.repeat(np.arange(120), 2)
    alone, together = (choose(Predictor(model), every, twice, by, Wanted(alpha="loo")) for by in (None, group))
    assert alone.alpha is not None
    assert together.alpha is not None
    assert alone.alpha < together.alpha


def test_the_prior_of_covariances_is_judged_by_parts_of_the_rows() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, 60)
    x = rng.normal(0, 1, (60, 8)) * np.linspace(1, 5, 8) + codes[:, None]
    rows: dict[Any, Any] = {"X": MatrixRows(RowMatrix.read(x, "X"))}
    labels = Labels(codes, None, 2)
    predictor = Predictor(Model.of(np.arange(2), {"X": Discriminant()}, rows, labels))
    found = choose(predictor, rows, labels, None, Wanted(prior=True, temper="loo"))
    assert isinstance(found.prior, Spread)
    other = Predictor(predictor.model.with_likelihoods({"X": Discriminant(prior=found.prior)}))
    assert found.temper == choose_temper(Scored.of(judge(other, rows, labels)))


def test_one_class_and_rows_alone_in_their_class() -> None:
    x, labels = np.ones((5, 3)), Labels(np.arange(5), None, 5)
    rows = matrix(x)
    predictor = Predictor(Model.of(np.arange(5), {"X": Multinomial(1.0)}, rows, labels))
    found = choose(predictor, rows, labels, None, Wanted(alpha="loo", temper="loo"))
    assert vars(found) == vars(Views(temper=Temper()))
    one = Labels(np.zeros(5, np.int64), None, 1)
    single = Predictor(Model.of(np.arange(1), {"X": Multinomial(1.0)}, rows, one))
    found = choose(single, rows, one, None, Wanted(temper="loo", weights="features"))
    assert vars(found) == vars(Views(temper=Temper()))


def test_leave_one_out_is_refitting_without_the_row() -> None:
    """The scores that all choices are made by."""
    predictor, rows, labels = counts(30)
    seen, x = judge(predictor, rows, labels).log_proba(), rows["X"].numbers
    for i in range(30):
        kept = np.arange(30) != i
        table = np.array([x[kept & (labels.y == c)].sum(axis=0) for c in range(3)]) + 1.0
        theta = table / table.sum(axis=1, keepdims=True)
        prior = np.log([(kept & (labels.y == c)).sum() / 29 for c in range(3)])
        np.testing.assert_allclose(seen[i], log_softmax(prior + np.log(theta) @ x[i]), rtol=1e-9, atol=1e-12)


def mixed(rows: int, classes: int) -> tuple[dict[str, Any], Any]:
    """Return numbers and words, some of them missing, and labels; one class has a single row."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, classes, rows)
    y[0] = classes
    numbers = {f"n{j}": rng.normal(size=rows) + rng.normal(size=classes + 1)[y] for j in range(3)}
    numbers["n0"][rng.random(rows) < 0.1] = np.nan
    words = rng.choice(["a", "b", "c"], rows)
    return {**numbers, "w": np.where(rng.random(rows) < 0.5, words, np.array(["a", "b"])[y % 2])}, y


@pytest.mark.parametrize("most", [2**25, 4 * 7 * 150])
def test_rows_held_out_part_by_part_choose_the_same(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    X, y = mixed(400, 6)
    monkeypatch.setattr(weights, "SCORES_KEPT", most)
    whole = sf.NaiveBayes(joint=None).fit(X, y)
    monkeypatch.setattr(chooser, "LARGE", 0)
    monkeypatch.setattr(chooser, "SEVERAL_CLASSES", 0)
    monkeypatch.setattr(weights, "PART", 1000)
    parts = sf.NaiveBayes(joint=None).fit(X, y)
    assert parts.temper_.power == pytest.approx(whole.temper_.power, rel=1e-9)
    assert parts.feature_powers_ == pytest.approx(whole.feature_powers_, rel=1e-3, abs=1e-4)
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-4)


def test_many_classes_of_few_rows_have_no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = mixed(400, 60)
    monkeypatch.setattr(chooser, "LARGE", 0)
    found = sf.NaiveBayes(joint=None).fit(X, y)
    without = sf.NaiveBayes(joint=None, feature_powers=None).fit(X, y)
    assert set(found.feature_powers_.values()) == {1.0}
    np.testing.assert_allclose(found.predict_proba(X), without.predict_proba(X), rtol=1e-12)
