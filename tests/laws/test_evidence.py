"""The evidence is what one row after the other was predicted with: the chain rule, by learning row by row."""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_matrix
from sklearn.base import clone

import suffice as sf
from laws.estimators import BELIEF, ESTIMATORS, KINDS, LABELS, EstimatorCase, every_estimator
from laws.test_estimators import fitted, rows
from suffice.errors import ImproperPrior, InputError, KindError, LabelError

BY_NAME = {case.name: case for case in ESTIMATORS}
PRIOR = sf.Dirichlet([1.0, 0.5, 2.0])
FIXED = {**KINDS, "size": sf.columns.Gaussian(prior=BELIEF), "events": sf.columns.Poisson(prior=sf.Gamma(1, 1))}
for name in ("wait", "colour", "note"):  # their priors follow the data, or the values met
    del FIXED[name]
CHAINED = [
    ("BernoulliNB", sf.BernoulliNB(alpha=sf.Beta(0.7, 2.0))),
    ("CategoricalNB", sf.CategoricalNB(alpha=0.6, min_categories=5)),
    ("GaussianNB", sf.GaussianNB(estimate="predictive", prior=BELIEF, priors=[0.2, 0.3, 0.5])),
    ("MultinomialNB", sf.MultinomialNB(alpha=0.3, estimate="predictive")),
    ("PoissonNB", sf.PoissonNB(alpha=sf.Gamma(2.0, 0.5))),
    ("ExponentialNB", sf.ExponentialNB(alpha=sf.WaitingRate(2.0, 0.5), class_prior="counted")),
    ("NaiveBayes", sf.NaiveBayes(columns=FIXED, temper=None, feature_powers=None)),
    (
        "TextClassifier",
        sf.TextClassifier(estimate="predictive", alpha=0.3, tokens=sf.Tokens(hash_bits=12), temper=None),
    ),
    ("TextClassifier", sf.TextClassifier("bernoulli", alpha=0.3, tokens=sf.Tokens(hash_bits=6), temper=None)),
]


def some(case: EstimatorCase, seed: int, n: int, labels: Any = LABELS) -> tuple[Any, Any]:
    X, y = case.data(seed, n, labels)
    if isinstance(X, dict):
        X = {name: X[name] for name in FIXED}
    return X, y


@pytest.mark.parametrize(("name", "model"), CHAINED, ids=lambda value: str(value)[:40])
def test_it_is_the_sum_of_what_each_row_was_predicted_with(name: str, model: Any) -> None:
    X, y = some(BY_NAME[name], 2, 25)
    if name != "GaussianNB":
        model = clone(model).set_params(class_prior=PRIOR)
    codes = np.searchsorted(LABELS, y)
    grown, total = clone(model).partial_fit(rows(X, [0, 1, 2]), y[:3], classes=LABELS), 0.0
    start = grown.log_evidence_
    for i in range(3, 25):
        total += grown.predict_joint_log_proba(rows(X, [i]))[0, codes[i]]
        grown.partial_fit(rows(X, [i]), y[i : i + 1])
    if name == "NaiveBayes":  # scores leave ln x! out, the column's evidence has it
        counted = [value for value in X["events"][3:] if value is not None]
        total += stats.poisson.logpmf(counted, 1.0).sum() + len(counted)
    assert grown.log_evidence_ == pytest.approx(start + total, rel=1e-9)


@every_estimator
def test_its_parts_sum_up(case: EstimatorCase) -> None:
    X, y = case.data(1, 60)
    model = fitted(case, X, y)
    if any(word in case.name.lower() for word in ("complement", "urns", "dirichletmultinomial")):
        with pytest.raises(KindError, match="no evidence"):
            model.evidence()
        return
    if case.name == "GaussianNB" or not case.lone:
        with pytest.raises(ImproperPrior, match="prior=None"):
            _ = model.log_evidence_
        return
    found = model.evidence()
    assert np.isfinite(found.total)
    assert found.table.shape == (3, len(found.features))
    np.testing.assert_allclose(found.table.sum(axis=1), found.by_class)
    np.testing.assert_allclose(found.table.sum(axis=0), found.by_feature, atol=1e-9)
    assert found.labels + found.by_feature.sum() == pytest.approx(found.total)
    n = model.class_count_
    if model.get_params().get("class_prior") == 1.0:  # labels one after the other, each order as probable
        orders = stats.multinomial.logpmf(n, n.sum(), n / n.sum()) - n @ np.log(n / n.sum())
        assert found.labels == pytest.approx(stats.dirichlet_multinomial.logpmf(n.astype(int), [1, 1, 1], 60) - orders)
        assert found.belief
    else:
        assert found.labels == pytest.approx(n @ np.log(n / n.sum()))
        assert not found.belief
    assert model.log_evidence_ == found.total
    assert ("class prior: integrated out" if found.belief else "plugged in") in repr(found)


def test_columns_have_the_evidence_they_are_chosen_by() -> None:
    X, y = BY_NAME["NaiveBayes"].data(1, 80)
    model = sf.NaiveBayes(columns=KINDS).fit(X, y)
    found = dict(zip(model.columns_, model.evidence().by_feature, strict=True))
    for name in ("colour", "size", "wait", "events"):
        t: Any = model.statistics_[name]
        column: Any = model.columns_[name].settled(t)
        assert found[name] == pytest.approx(column.log_evidence(t).sum().sum()), name
    edges = sf.columns.Histogram(edges=(1.0, 2.0))
    assert np.isfinite(sf.NaiveBayes(columns={"wait": edges}).fit({"wait": X["wait"]}, y).log_evidence_)
    assert sf.NaiveBayes(columns={"x": "histogram"}).fit({"x": [1.0] * 80}, y).evidence().by_feature == 0


def test_rows_of_counts_add_the_number_of_their_orders() -> None:
    X, y = BY_NAME["MultinomialNB"].data(3, 40)
    X = X + np.eye(5, dtype=int)[np.arange(40) % 5]
    alpha = np.full(5, 0.7)
    words = sf.MultinomialNB(alpha=0.7).fit(X, y)
    found = words.evidence(X)
    expected = 0.0
    for c in LABELS:
        drawn = X[y == c]
        whole = sum(
            stats.multinomial.logpmf(row, row.sum(), np.full(5, 0.2)) - row.sum() * np.log(0.2) for row in drawn
        )
        total = drawn.sum(axis=0)
        sequence = stats.dirichlet_multinomial.logpmf(total, alpha, total.sum())
        sequence -= stats.multinomial.logpmf(total, total.sum(), np.full(5, 0.2)) - total.sum() * np.log(0.2)
        expected += whole + sequence
    assert found.total - found.labels == pytest.approx(expected)
    events = sf.PoissonNB(alpha=sf.Gamma(2.0, 3.0)).fit(X, y).evidence(X)
    expected = sum(float(sf.Gamma(2, 3).log_evidence(values=X[y == c, j])) for c in LABELS for j in range(5))
    assert events.total - events.labels == pytest.approx(expected)
    assert words.evidence(csr_matrix(X)).total == pytest.approx(found.total)
    with pytest.raises(LabelError, match="rows that the model was fitted on"):
        words.evidence(X[:5])
    texts = [" ".join(np.repeat(["ant", "bee", "cow", "dog", "eel"], row)) for row in X]
    assert sf.TextClassifier(alpha=0.7, class_prior="counted").fit(texts, y).evidence(texts).total == pytest.approx(
        found.total
    )


def test_texts_have_the_evidence_of_their_matrix() -> None:
    X, y = BY_NAME["TextClassifier"].data(5, 50)
    matrix = sf.CountVectorizer().fit_transform(X)
    pairs = [
        (sf.TextClassifier(alpha=0.4), sf.MultinomialNB(alpha=0.4), matrix),
        (sf.TextClassifier("bernoulli", alpha=0.4), sf.BernoulliNB(alpha=0.4), matrix),
        (
            sf.TextClassifier(tokens=sf.Tokens(binary=True), alpha=0.4),
            sf.MultinomialNB(alpha=0.4),
            (matrix > 0).astype(float),
        ),
    ]
    for text, plain, table in pairs:
        mine, theirs = text.fit(X, y).evidence(), plain.fit(table, y).evidence()
        np.testing.assert_allclose(mine.table, theirs.table, atol=1e-12)
        np.testing.assert_allclose(mine.by_feature, theirs.by_feature, atol=1e-10)
        np.testing.assert_allclose(mine.by_class, theirs.by_class)


def test_the_class_prior_as_given_or_believed() -> None:
    X, y = BY_NAME["BernoulliNB"].data(4, 30)
    n = np.unique(y, return_counts=True)[1]
    given = sf.BernoulliNB(class_prior=[0.2, 0.3, 0.5]).fit(X, y).evidence()
    assert given.labels == pytest.approx(n @ np.log([0.2, 0.3, 0.5]))
    uniform = sf.BernoulliNB(fit_prior=False).fit(X, y).evidence()
    assert uniform.labels == pytest.approx(-30 * np.log(3))
    belief = sf.BernoulliNB(class_prior=PRIOR).fit(X, y).evidence()
    assert belief.labels == pytest.approx(PRIOR.log_evidence(counts=n))
    assert belief.belief
    for model in (sf.BernoulliNB(alpha=0), sf.MultinomialNB(alpha=0), sf.CategoricalNB(alpha=0), sf.PoissonNB(alpha=0)):
        with pytest.raises(ImproperPrior, match="alpha=0"):
            _ = model.fit(X, y).log_evidence_


def test_models_are_compared() -> None:
    X, y = BY_NAME["BernoulliNB"].data(4, 60)
    models = {str(alpha): sf.BernoulliNB(alpha=alpha).fit(X, y) for alpha in (0.01, 1, 100)}
    table = sf.compare(models)
    evidence = {name: model.log_evidence_ for name, model in models.items()}
    assert table.names == sorted(evidence, key=lambda name: -evidence[name])
    assert table.probability.sum() == pytest.approx(1)
    assert table.difference[1] == pytest.approx(-sf.bayes_factor(models[table.names[0]], models[table.names[1]]))
    assert list(table.to_dict()) == ["model", "log_evidence", "difference", "probability"]
    assert list(table.to_frame("pandas")["model"]) == table.names
    assert len(table) == 3
    assert "log_evidence" in repr(table)
    with pytest.raises(InputError, match="same rows"):
        sf.bayes_factor(models["1"], sf.BernoulliNB().fit(X[1:], y[1:]))
    number: Any = 3
    with pytest.raises(KindError, match="int"):
        sf.bayes_factor(models["1"], number)
    with pytest.raises(InputError, match="at least one"):
        sf.compare({})


def test_columns_with_learned_priors_explain_themselves() -> None:
    case = BY_NAME["NaiveBayes evidence"]
    X, y = case.data(2, 60)
    model = fitted(case, X, y)
    row = {name: values[1] for name, values in X.items()}
    explanation = model.explain(row, target="a", against="b")
    logs = model.predict_log_proba(rows(X, [1]))[0]
    assert explanation.log_odds == pytest.approx(logs[0] - logs[1])
    assert len(model.top_features("a", 5)) > 0
    for name in X:
        assert len(model.table(name)) > 0
