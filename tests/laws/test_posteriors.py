"""Laws of conjugate families, said once, over all of them."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suffice as sf
from laws.registry import FAMILIES, FamilyCase, positive
from refusals import refused
from suffice.posterior.mean_variance import MeanVariance
from suffice.posterior.predictive import Mass

every_family = pytest.mark.parametrize("case", FAMILIES, ids=str)


def parameters(belief: Any) -> list[Any]:
    return [np.asarray(value) for value in belief._values()]


def parts(found: Any) -> list[Any]:
    """Return what was found of a mean and of a variance, or of the only parameter."""
    return [np.asarray(each) for each in found] if isinstance(found, MeanVariance) else [np.asarray(found)]


def assert_same(got: Any, expected: Any, rtol: float = 1e-9) -> None:
    assert type(got) is type(expected)
    for mine, theirs in zip(parameters(got), parameters(expected), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol * max(1.0, float(np.abs(theirs).max())))


@every_family
@given(data=st.data())
def test_learning_in_two_steps_equals_learning_at_once(case: FamilyCase, data: st.DataObject) -> None:
    prior, first, second = data.draw(case.priors), data.draw(case.rows()), data.draw(case.rows())
    in_steps = prior.update(**case.data(first)).update(**case.data(second))
    assert_same(in_steps, prior.update(**case.data(first + second)))
    assert_same(in_steps, prior.update(statistic(case, first) + statistic(case, second)))


@every_family
@given(data=st.data())
def test_no_data_change_nothing(case: FamilyCase, data: st.DataObject) -> None:
    prior = data.draw(case.priors)
    for kind in case.family.learns_from:
        assert prior.update(kind.zero()) == prior
        assert prior.log_evidence(kind.zero()) == 0


@every_family
@given(data=st.data())
def test_chain_rule(case: FamilyCase, data: st.DataObject) -> None:
    """The evidence of all rows is the product of each row's predictive given those before it."""
    prior, rows = data.draw(case.priors), data.draw(case.rows(1, 20))
    belief, total = prior, 0.0
    for row in rows:
        total += float(belief.predict().log(row))
        belief = belief.update(**case.data([row]))
    assert total == pytest.approx(prior.log_evidence(**case.data(rows)), rel=1e-8, abs=1e-8)


EXPOSED = st.lists(st.tuples(st.integers(0, 60), st.floats(0.01, 50)), min_size=1, max_size=12)


@given(prior=st.builds(sf.Gamma, positive(), positive()), first=EXPOSED, second=EXPOSED)
def test_counts_of_exposures_chain_and_add_up(prior: sf.Gamma, first: Any, second: Any) -> None:
    rows = [*first, *second]
    belief, total = prior, 0.0
    for count, exposure in rows:
        total += float(belief.predict(exposure).log(count))
        belief = belief.update(values=[count], exposures=[exposure])
    values, exposures = zip(*rows, strict=True)
    assert_same(belief, prior.update(values=values, exposures=exposures))
    assert total == pytest.approx(prior.log_evidence(values=values, exposures=exposures), rel=1e-8, abs=1e-8)
    ones, alike = np.ones(len(rows)), prior.log_evidence(values=values)
    assert prior.update(values=values, exposures=ones) == prior.update(values=values)
    assert prior.log_evidence(values=values, exposures=ones) == pytest.approx(alike, rel=1e-12)
    columns = np.stack([values, values], axis=1)
    both = prior.log_evidence(values=columns, exposures=exposures, weights=[2] * len(rows))
    twice = prior.log_evidence(values=values * 2, exposures=exposures * 2)
    np.testing.assert_allclose(both, [twice, twice], rtol=1e-9, atol=1e-9)


@every_family
@settings(max_examples=6)
@given(data=st.data())
def test_the_predictive_sums_to_one(case: FamilyCase, data: st.DataObject) -> None:
    assert case.total(data.draw(case.priors).predict()) == pytest.approx(1, rel=1e-6)


@every_family
@settings(max_examples=8)
@given(data=st.data())
def test_the_predictive_equals_its_oracle(case: FamilyCase, data: st.DataObject) -> None:
    prior, row = data.draw(case.priors), data.draw(case.row)
    assert float(np.exp(prior.predict().log(row))) == pytest.approx(case.oracle(prior, row), rel=1e-6)


@every_family
@given(data=st.data())
def test_an_integer_weight_equals_repetition(case: FamilyCase, data: st.DataObject) -> None:
    prior, rows = data.draw(case.priors), data.draw(case.rows())
    times = data.draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows)).filter(any))
    repeated = [row for row, n in zip(rows, times, strict=True) for _ in range(n)]
    assert_same(prior.update(**case.data(rows), weights=times), prior.update(**case.data(repeated)))
    evidence = prior.log_evidence(**case.data(rows), weights=times)
    assert evidence == pytest.approx(prior.log_evidence(**case.data(repeated)), rel=1e-9, abs=1e-9)


@every_family
@given(data=st.data())
def test_a_table_of_beliefs_is_each_of_them(case: FamilyCase, data: st.DataObject) -> None:
    priors, rows = data.draw(st.lists(case.priors, min_size=2, max_size=3)), data.draw(case.rows())
    row = data.draw(case.row)
    table = case.family(*(np.stack(column) for column in zip(*(parameters(p) for p in priors), strict=True)))
    statistic_of_rows = statistic(case, rows)
    learned, evidence = table.update(statistic_of_rows), table.log_evidence(statistic_of_rows)
    density = table.predict().log(row)
    for i, prior in enumerate(priors):
        one = case.family(*(column[i] for column in parameters(learned)))
        assert_same(one, prior.update(**case.data(rows)), 1e-12)
        assert evidence[i] == pytest.approx(prior.log_evidence(**case.data(rows)), rel=1e-12)
        assert density[i] == pytest.approx(prior.predict().log(row), rel=1e-12)


@every_family
@given(data=st.data(), p=st.floats(0.01, 0.99), level=st.floats(0.1, 0.98))
def test_quantiles_undo_the_distribution(case: FamilyCase, data: st.DataObject, p: float, level: float) -> None:
    """Of the belief, and of what it predicts: there the least outcome with enough probability below it."""
    belief = data.draw(case.priors)
    at = belief.quantile(p)
    for place, below in zip(parts(at), parts(belief.cdf(at)), strict=True):
        known = (
            (np.abs(place) > 1e-290) & (np.abs(place - 1) > 1e-9) & np.isfinite(place)
        )  # where numbers tell them apart
        np.testing.assert_allclose(below[known], p, rtol=1e-6)
    lower, upper = (parts(belief.quantile(end)) for end in ((1 - level) / 2, (1 + level) / 2))
    bounds = belief.interval(level)
    ends = bounds if isinstance(at, MeanVariance) else [bounds]
    for low, high, (first, last) in zip(lower, upper, ends, strict=True):
        np.testing.assert_allclose([low, high], [first, last], rtol=1e-9)
    ahead = belief.predict()
    outcome = np.asarray(ahead.quantile(p))
    assert (np.asarray(ahead.cdf(outcome)) >= p * (1 - 1e-6)).all()
    less = outcome - 1 if isinstance(ahead, Mass) else outcome - 1e-3 * np.maximum(np.abs(outcome), 1e-12)
    assert (np.asarray(ahead.cdf(less)) <= p * (1 + 1e-6)).all()


@every_family
@given(data=st.data())
def test_beliefs_are_values(case: FamilyCase, data: st.DataObject) -> None:
    prior = data.draw(case.priors)
    copy = pickle.loads(pickle.dumps(prior))
    assert copy == prior
    assert hash(copy) == hash(prior)
    assert prior != object()
    with pytest.raises(AttributeError):
        prior.anything = 1
    with pytest.raises(AttributeError):
        setattr(prior, next(iter(prior.__dataclass_fields__)), 1)
    name = type(prior).__name__
    assert repr(prior).startswith(f"{name}(")


@every_family
def test_draws_agree_with_mean_variance_and_interval(case: FamilyCase) -> None:
    """By 40,000 draws of the parameter and of the data, within five standard errors."""
    prior, n = case.typical, 40_000
    draws: Any = prior.sample(n, 1)
    ends: Any = prior.interval(0.9)
    means, variances = prior.mean, prior.var
    if not isinstance(draws, tuple):
        draws, ends, means, variances = (draws,), (ends,), (means,), (variances,)
    elif case.family is sf.NormalInverseWishart:
        draws = draws[0], np.diagonal(draws[1], axis1=-2, axis2=-1)
        means = means[0], np.diagonal(means[1])
    for draw, mean, var, (low, high) in zip(draws, means, variances, ends, strict=True):
        np.testing.assert_array_less(np.abs(draw.mean(axis=0) - mean), 5 * np.sqrt(var / n) + 1e-12)
        np.testing.assert_allclose(draw.var(axis=0), var, rtol=0.15)
        np.testing.assert_allclose(((draw >= low) & (draw <= high)).mean(axis=0), 0.9, atol=0.01)
    future = prior.predict()
    sampled = future.sample(n, 2)
    if case.family is sf.Dirichlet:
        sampled = np.eye(3)[sampled]
    np.testing.assert_array_less(np.abs(sampled.mean(axis=0) - future.mean), 5 * np.sqrt(future.var / n) + 1e-12)
    np.testing.assert_allclose(sampled.var(axis=0), future.var, rtol=0.15)


def statistic(case: FamilyCase, rows: list[Any]) -> Any:
    kind = case.family.learns_from[0]
    if case.family is sf.Dirichlet:
        return kind.of(np.eye(4)[rows])
    return kind.of(rows)


@every_family
def test_a_generator_is_no_number_of_draws(case: FamilyCase) -> None:
    for source in (case.typical, case.typical.predict()):
        with refused(ValueError, "size", must="be a number of draws"):
            source.sample(np.random.default_rng(0))
