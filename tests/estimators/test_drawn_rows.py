"""Rows that a model draws are rows that it reads: of the same types and names, and as probable as by hand."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import stats
from scipy.integrate import trapezoid
from sklearn.exceptions import ConvergenceWarning

import suffice as sf
from suffice.errors import DataError, KindError, LabelError

RNG = np.random.default_rng(0)
N = 60
Y = np.array(["ham", "spam"])[np.arange(N) % 2]
MIXED = pd.DataFrame(
    {"colour": RNG.choice(["r", "g"], N), "size": RNG.choice([1.0, 4.0, 9.0], N), "weight": RNG.choice([0.5, 2.5], N)}
)
TEXTS = ["free pills free", "lunch at noon", "free watches now", "are you at lunch"] * 8
KINDS = ["spam", "ham", "spam", "ham"] * 8


def by_hand(frame: Any, y: Any, row: Any) -> float:
    """Return ln p(x) by the shares of categories in each class, with one more of each."""
    total = 0.0
    for label in np.unique(y):
        part = frame[y == label]
        p = (y == label).mean()
        for name in frame.columns:
            known = frame[name].unique()
            p *= ((part[name] == row[name]).sum() + 1) / (len(part) + len(known))
        total += p
    return float(np.log(total))


@pytest.mark.parametrize("as_frame", [True, False])
def test_categories_keep_their_types(as_frame: bool) -> None:
    """Words beside numbers: as words all of them would be categories that were never seen."""
    X = MIXED if as_frame else MIXED.to_numpy(object)
    model = sf.CategoricalNB().fit(X, Y)
    drawn, _ = model.sample(20, rng=0)
    frame = drawn if as_frame else pd.DataFrame(drawn, columns=MIXED.columns)
    for name in MIXED.columns:
        assert set(frame[name]) <= set(MIXED[name])
    if as_frame:
        assert [frame[name].dtype.kind for name in ("size", "weight")] == ["i", "f"]
    np.testing.assert_allclose(model.score_samples(drawn), [by_hand(MIXED, Y, row) for _, row in frame.iterrows()])


def test_codes_are_whole_numbers() -> None:
    codes = RNG.integers(0, 3, (N, 2))
    drawn, _ = sf.CategoricalNB().fit(codes, Y).sample(5, rng=0)
    assert drawn.dtype.kind == "i"


def test_counts_of_a_frame_are_a_frame() -> None:
    frame = pd.DataFrame(RNG.poisson(3, (N, 2)), columns=["u", "v"])
    model = sf.MultinomialNB().fit(frame, Y)
    drawn, _ = model.sample(6, "ham", rng=0, length=7)
    assert list(drawn.columns) == ["u", "v"]
    assert [kind.kind for kind in drawn.dtypes] == ["i", "i"]
    assert (drawn.sum(axis=1) == 7).all()
    theta = np.exp(model.feature_log_prob_)
    mixed = np.log(np.mean([stats.multinomial.pmf(drawn.to_numpy(), 7, one) for one in theta], axis=0))
    np.testing.assert_allclose(model.score_samples(drawn), mixed)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_tables_keep_their_types(library: str) -> None:
    backend: Any = pytest.importorskip(library)
    flags, kids = RNG.random(N) < 0.5, RNG.poisson(2, N)
    columns = {"flag": flags, "kids": kids, "half": kids / 2 + 0.5, "city": RNG.choice(["a", "b"], N)}
    model = sf.NaiveBayes(columns={"half": "categorical"}, joint=None).fit(backend.DataFrame(columns), Y)
    drawn, _ = model.sample(9, rng=0)
    assert isinstance(drawn, backend.DataFrame)
    kinds = {name: np.asarray(drawn[name]).dtype.kind for name in columns}
    assert {**kinds, "city": ""} == {"flag": "b", "kids": "i", "half": "f", "city": ""}
    assert model.predict(drawn).shape == model.score_samples(drawn).shape == (9,)
    none, labels = model.sample(0)
    assert len(none) == len(labels) == 0
    assert model.score_samples(none).shape == (0,)


def test_a_row_of_which_nothing_is_known_has_probability_one() -> None:
    frame = pd.DataFrame({"age": RNG.normal(40, 9, N), "city": RNG.choice(["a", "b"], N), "flag": RNG.random(N) < 0.5})
    model = sf.NaiveBayes(joint=None).fit(frame, Y)
    nothing = pd.DataFrame({"age": [np.nan], "city": [None], "flag": [None]})
    assert model.score_samples(nothing) == pytest.approx(0.0, abs=1e-12)
    some = frame.iloc[:5].assign(age=np.nan)
    with pytest.warns(UserWarning, match="Columns missing"):
        alone = model.score_samples(some[["city", "flag"]])
    np.testing.assert_allclose(model.score_samples(some), alone)


def test_clusters_of_binned_numbers_have_a_density() -> None:
    """One that integrates to one: with what all clusters share, though they may be alike."""
    x = np.random.default_rng(1).normal(size=200)
    model = sf.Mixture(sf.NaiveBayes(columns={"x": "histogram"}), 2, random_state=0)
    with pytest.warns(ConvergenceWarning, match="coincide"):
        model.fit(pd.DataFrame({"x": x}))
    ends = np.concatenate([np.linspace(-40, -8, 2_000), np.linspace(-8, 8, 40_000), np.linspace(8, 40, 2_000)])
    density = np.exp(model.score_samples(pd.DataFrame({"x": ends})))
    assert trapezoid(density, ends) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series])
def test_labels_of_any_container(kind: Any) -> None:
    model = sf.GaussianNB().fit(RNG.normal(size=(N, 2)), Y)
    assert model.sample(label=kind(["spam", "ham", "ham"]), rng=0)[1].tolist() == ["spam", "ham", "ham"]
    assert model.sample(label=np.str_("spam"))[1].tolist() == ["spam"]
    wrongs: list[Any] = ["eggs", ["spam", "eggs"], [["spam"]], {"spam": 1}]
    for wrong in wrongs:
        with pytest.raises(LabelError, match="must be a label that was learned"):
            model.sample(label=wrong)


@pytest.mark.parametrize(
    "model",
    [
        sf.TextClassifier(),
        sf.TextClassifier("bernoulli"),
        sf.TextClassifier("dirichlet_multinomial"),
        sf.TextClassifier(ngram_range=(1, 2)),
        sf.TextClassifier(estimate="predictive"),
    ],
    ids=str,
)
def test_bags_of_words_are_read_as_their_texts(model: sf.TextClassifier) -> None:
    model.fit(TEXTS, KINDS)
    texts = ["free lunch free", "noon", "nothing that is known", "you at now at"]
    highest = model.ngram_range_[1]
    bags: Any = []
    for text in texts:
        words = text.split()
        runs = [" ".join(words[i : i + n]) for n in range(1, highest + 1) for i in range(len(words) - n + 1)]
        bags.append(dict(Counter(runs)))
    np.testing.assert_allclose(model.predict_proba(bags), model.predict_proba(texts), rtol=1e-9)
    np.testing.assert_allclose(model.score_samples(bags), model.score_samples(texts), rtol=1e-9)
    drawn, labels = model.sample(40, rng=0)
    assert (model.predict(drawn) == labels).mean() > 0.8


def test_drawn_buckets_of_words_are_read() -> None:
    model = sf.TextClassifier(tokens=sf.Tokens(hash_bits=4), temper=None, feature_powers=None, alpha=1.0)
    drawn, _ = model.fit(TEXTS, KINDS).sample(40, rng=0)
    counts = model.counts_.tokens.toarray() + 1.0
    theta = counts / counts.sum(axis=1, keepdims=True)
    by_hand = [np.log(sum(0.5 * np.prod([p[int(j)] ** n for j, n in bag.items()]) for p in theta)) for bag in drawn]
    np.testing.assert_allclose(model.score_samples(drawn), by_hand)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [([{"free": -1}], DataError), ([{"free": "x"}], KindError), ([{"free": np.nan}], DataError)],
)
def test_what_is_no_bag_of_words_is_refused(wrong: Any, error: Any) -> None:
    model = sf.TextClassifier().fit(TEXTS, KINDS)
    with pytest.raises(error, match="The argument 'X'"):
        model.predict(wrong)
    with pytest.raises(KindError, match="texts, or dicts of words and counts; got dict and str"):
        model.predict([{"free": 1}, "free"])  # type: ignore[arg-type]
