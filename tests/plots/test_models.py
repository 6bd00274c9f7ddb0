"""Pictures of models show what the models say."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import suffice as sf
from plots.shown import holding, rows, titles
from suffice import plots
from suffice.tables import frame_of

drawn_by: Any = plots  # for arguments that no type allows
SPAM = ["cheap pills now", "cheap watches", "free pills", "lunch now", "lunch at noon", "report at noon"]
LABELS = ["spam"] * 3 + ["ham"] * 3


def frame(X: Any, *names: str) -> Any:
    return frame_of(dict(zip(names, np.asarray(X).T, strict=True)), "pandas")


def blobs(n: int = 60) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    labels = np.array(["low", "high", "far"])[np.arange(n) % 3]
    centres = {"low": (0, 0), "high": (4, 1), "far": (2, 5)}
    points = np.array([centres[label] for label in labels]) + rng.normal(size=(n, 2))
    return frame(points, "length", "depth"), labels


def test_words_of_each_class_by_their_probability() -> None:
    X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 1, 1]])
    model = sf.BernoulliNB().fit(frame(X, "a", "b", "c"), [0, 0, 1, 1])
    chart = plots.words(model, most=2)
    first, second = (rows(panel)[0] for panel in chart.concat)
    assert [line["word"] for line in first] == ["a", "b"]
    assert [line["mean"] for line in first] == pytest.approx([3 / 4, 2 / 4])
    assert [line["word"] for line in second] == ["b", "c"]
    assert (second[0]["low"], second[0]["high"]) == pytest.approx(stats.beta(3, 1).interval(0.95))
    assert titles(chart) == {"share of rows with the feature on"}


@pytest.mark.parametrize("model", ["multinomial", "bernoulli", "complement", "dirichlet_multinomial"])
def test_words_of_texts(model: Any) -> None:
    fitted = sf.TextClassifier(model).fit(SPAM, LABELS)
    chart = plots.words(fitted, classes=["spam"], most=2)
    assert {line["word"] for line in holding(chart, "word")} == {"cheap", "pills"}


def test_words_of_counts() -> None:
    X = np.array([[4, 1, 0], [3, 2, 1], [0, 1, 4], [1, 1, 3]])
    for model in (sf.MultinomialNB(), sf.PoissonNB(), sf.ComplementNB(), sf.DirichletMultinomialNB()):
        chart = plots.words(model.fit(X, ["x", "x", "y", "y"]))
        assert [rows(panel)[0][0]["word"] for panel in chart.concat] == ["0", "2"]
        chart = plots.words(model, feature_names=["tea", "ale", "rum"])
        assert [rows(panel)[0][0]["word"] for panel in chart.concat] == ["tea", "rum"]
    multinomial = rows(plots.words(sf.MultinomialNB().fit(X, ["x", "x", "y", "y"])).concat[0])[0]
    assert [line["mean"] for line in multinomial] == pytest.approx([8 / 14, 4 / 14, 2 / 14])


def test_burstiness_is_what_scipy_expects_of_documents_of_these_lengths() -> None:
    rng = np.random.default_rng(3)
    shares = rng.dirichlet([0.3, 1, 4], 80)
    lengths = rng.integers(0, 30, 80)
    X = np.array([rng.multinomial(n, p) for n, p in zip(lengths, shares, strict=True)])
    y = np.array(["a", "b"])[np.arange(80) % 2]
    model = sf.DirichletMultinomialNB().fit(frame(X, "u", "v", "w"), y)
    lines = holding(plots.burstiness(model, "u", "a"), "share")
    by = {
        name: [line["share"] for line in lines if line["of"] == name]
        for name in ("documents", "multinomial", "Pólya urn")
    }
    k, own, long = np.arange(len(by["documents"])), X[y == "a", 0], X[y == "a"].sum(axis=1)
    np.testing.assert_allclose(by["documents"], [(own == count).mean() for count in k])
    binomial = [stats.binom.pmf(k, n, own.sum() / long.sum()) for n in long]
    np.testing.assert_allclose(by["multinomial"], np.mean(binomial, axis=0))
    alpha = model.alpha_[0]
    urn = [stats.betabinom.pmf(k, n, alpha[0], alpha[1:].sum()) for n in long]
    np.testing.assert_allclose(by["Pólya urn"], np.mean(urn, axis=0))
    assert len(holding(plots.burstiness(model, "u", "a", most=3), "share")) == 3 * 4
    assert titles(plots.burstiness(model, "w")) == {"times in a document", "share of documents"}


def test_the_class_with_most_of_the_word_by_default() -> None:
    X = [[4, 1], [0, 1], [0, 2], [3, 2], [1, 1], [2, 2]]
    model = sf.DirichletMultinomialNB().fit(X, ["rare"] * 3 + ["often"] * 3)
    assert plots.burstiness(model, 0).title.text == "“0” in the documents of often"


def test_information_is_ranked() -> None:
    ranking = sf.mutual_information(sf.TextClassifier("bernoulli").fit(SPAM, LABELS), unit="bits")
    chart = plots.information(ranking, most=4)
    lines = rows(chart)[0]
    assert [(line["feature"], line["information"]) for line in lines] == ranking.top(4)
    assert titles(chart) == {"mutual information with the class, in bits"}
    assert chart.title.text == f"4 of {len(ranking)} features"


@pytest.mark.parametrize("form", ["frame", "array", "scikit-learn", "discriminant"])
def test_boundaries_are_where_the_answer_changes(form: str) -> None:
    X, y = blobs()
    data: Any = X if form == "frame" else X.to_numpy()
    kinds: dict[str, Any] = {"scikit-learn": LinearDiscriminantAnalysis(), "discriminant": sf.GaussianDiscriminant()}
    model = kinds.get(form, sf.GaussianNB())
    chart = plots.boundaries(model.fit(data, y), data, y, steps=20)
    strips, dots = rows(chart)
    assert len(dots) == len(y)
    assert [dot["label"] for dot in dots] == y.tolist()
    colours = chart.to_dict()["layer"][1]["encoding"]["color"]["scale"]
    named = dict(zip(colours["range"], colours["domain"], strict=True))
    middle = np.array([[strip["x"] + 1e-3, (strip["y"] + strip["y2"]) / 2] for strip in strips])
    step = (max(s["x2"] for s in strips) - min(s["x"] for s in strips)) / 20
    middle[:, 0] += step / 2 - 1e-3
    asked = frame(middle, "length", "depth") if form == "frame" else middle
    assert model.predict(asked).tolist() == [named[strip["colour"]] for strip in strips]
    area = sum((s["x2"] - s["x"]) * (s["y2"] - s["y"]) for s in strips)
    sides = [max(s[b] for s in strips) - min(s[a] for s in strips) for a, b in (("x", "x2"), ("y", "y2"))]
    assert area == pytest.approx(sides[0] * sides[1])
    assert titles(chart) == ({"length", "depth"} if form == "frame" else {"feature 0", "feature 1"})


def test_rows_with_missing_values_have_no_dot() -> None:
    X, y = blobs()
    model = sf.NaiveBayes().fit(X, y)
    X.iloc[3, 0] = np.nan
    assert len(rows(plots.boundaries(model, X, y, steps=5))[1]) == len(y) - 1


def test_objective_of_a_model_or_a_list() -> None:
    values = [-120.0, -98.5, -95.1]
    for given in (values, SimpleNamespace(objective_=values), np.array(values)):
        chart = plots.objective(given)
        assert [(line["step"], line["objective"]) for line in rows(chart)[0]] == list(enumerate(values, start=1))
    assert titles(chart) == {"step", "objective (log-probability)"}


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: drawn_by.words(sf.GaussianNB()), "fitted classifier of texts or counts; got a GaussianNB"),
        (lambda: drawn_by.words(sf.GaussianNB().fit([[1.0], [2.0]], [0, 1])), "texts or counts; got a GaussianNB"),
        (lambda: drawn_by.words(counted(), classes=["z"]), r"'classes' must be one of \['x', 'y'\]; got 'z'"),
        (lambda: drawn_by.burstiness(sf.MultinomialNB(), 0), "fitted DirichletMultinomialNB; got a MultinomialNB"),
        (lambda: drawn_by.burstiness(counted(), 9), "one of the model's 3 words; got 9"),
        (lambda: drawn_by.burstiness(counted(), 2, "x"), "class 'x' must contain the word"),
        (lambda: drawn_by.burstiness(counted(method="edcm"), 0), "must have method='dcm'"),
        (lambda: drawn_by.information([("a", 1.0)]), "must be a result of mutual_information; got a list"),
        (lambda: drawn_by.boundaries(sf.GaussianNB(), [[1, 2]], [0]), "fitted classifier with predict_proba"),
        (lambda: drawn_by.boundaries(fitted(), [[1.0]], [0]), "must have 2 columns; got 1"),
        (lambda: drawn_by.boundaries(fitted(), [[1.0, 2.0]], [0, 1]), "a label for each of 1 row"),
        (lambda: drawn_by.boundaries(fitted(), [[1.0, 2.0]], ["z"]), "'y' must be one of"),
        (
            lambda: drawn_by.boundaries(fitted(), {"a": ["x"], "b": [1]}, ["low"]),
            "must hold numbers; got string in 'a'",
        ),
        (lambda: drawn_by.objective(sf.GaussianNB()), "must be a fitted model with 'objective_'"),
        (lambda: drawn_by.objective([]), "a list of finite numbers, at least one"),
        (lambda: drawn_by.objective([1.0, np.inf]), "a list of finite numbers"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw: Any, message: str) -> None:
    with pytest.raises(sf.errors.SufficeError, match=message):
        draw()


def counted(**options: Any) -> Any:
    return sf.DirichletMultinomialNB(**options).fit([[4, 1, 0], [1, 2, 0], [0, 1, 4], [1, 1, 3]], ["x", "x", "y", "y"])


def fitted() -> Any:
    X, y = blobs()
    return sf.GaussianNB().fit(X.to_numpy(), y)


@pytest.mark.thorough
def test_every_picture_can_be_saved(tmp_path: Any) -> None:
    """One of each kind of layout: layers, side by side, facets, on top of each other."""
    game = sf.NumberGame().observe([16])
    charts = [
        plots.belief(sf.Beta(5, 19), sf.Beta(2, 2)),
        plots.number_game(game),
        plots.draws(sf.Dirichlet([1, 2, 3]), size=2),
        plots.filmstrip(sf.Beta(1, 1), [1, 0], frames=2),
    ]
    for k, chart in enumerate(charts):
        path = tmp_path / f"{k}.svg"
        chart.save(str(path))
        drawn = path.read_text()
        assert drawn.startswith("<svg")
        assert "NaN" not in drawn
