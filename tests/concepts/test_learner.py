from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, entropy

import suffice as sf
from concepts import plain
from suffice.errors import ConflictError

DOMAIN = ("a", "b", "c", "d", "e")
SETS = st.frozensets(st.sampled_from(DOMAIN), min_size=1)
NOISES = st.sampled_from([Fraction(0), Fraction(1, 20), Fraction(1, 2)])
SAMPLINGS = st.sampled_from(["strong", "weak"])


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[frozenset[str]], list[int]]:
    """Draw hypotheses and weights, of which one may be zero."""
    sets = draw(st.lists(SETS, min_size=1, max_size=12))
    weights = draw(st.lists(st.integers(0, 4), min_size=len(sets), max_size=len(sets)).filter(any))
    return sets, weights


ITEMS = st.lists(st.sampled_from(DOMAIN), max_size=6)


def learner(sets: Any, weights: Any, sampling: Any = "strong", noise: Any = 0.0) -> sf.ConceptLearner:
    return sf.ConceptLearner(sets, weights, domain=DOMAIN, sampling=sampling, noise=float(noise))


@given(worlds(), ITEMS, st.lists(st.tuples(st.sampled_from(DOMAIN), st.booleans()), max_size=3), SAMPLINGS, NOISES)
def test_everything_equals_exact_fractions(world: Any, items: Any, answers: Any, sampling: Any, noise: Any) -> None:
    sets, weights = world
    drawn = "drawn" if sampling == "strong" else "in"
    facts = [(item, drawn) for item in items] + [(item, "in" if yes else "out") for item, yes in answers]
    joint = plain.joint(sets, [Fraction(w) for w in weights], facts, len(DOMAIN), noise)
    belief = learner(sets, weights, sampling, noise)
    if not any(joint):
        possible = [h for h, w in zip(sets, weights, strict=True) if w]
        with pytest.raises(ConflictError, match="No hypothesis explains") as caught:
            tell(belief, items, answers)
        if not answers:
            assert plain.minimal(possible, [(item, "in") for item in caught.value.examples])
        return
    belief = tell(belief, items, answers)
    posterior = [p / sum(joint) for p in joint]
    np.testing.assert_allclose(belief.posterior_.posterior, np.array(posterior, float), rtol=1e-12, atol=1e-300)
    assert belief.log_evidence_ == pytest.approx(log(sum(joint)))
    expected = plain.membership(sets, posterior, DOMAIN)
    np.testing.assert_allclose(belief.membership(), np.array(expected, float), atol=1e-12)
    best = [k for k, p in enumerate(posterior) if p == max(posterior)]
    assert belief.map_ == best
    plugged = [sum(x in sets[k] for k in best) / len(best) for x in DOMAIN]
    np.testing.assert_allclose(belief.membership(plug_in=True), plugged)
    likely = [plain.likelihood(h, facts, len(DOMAIN), noise) if w else -1 for h, w in zip(sets, weights, strict=True)]
    assert belief.mle_ == [k for k, p in enumerate(likely) if p == max(likely)]
    fits = [w and plain.explained([h], facts) for h, w in zip(sets, weights, strict=True)]
    assert belief.version_space_ == [k for k, fit in enumerate(fits) if fit]


def tell(belief: sf.ConceptLearner, items: Any, answers: Any) -> sf.ConceptLearner:
    belief = belief.observe(items)
    for item, yes in answers:
        belief = belief.answer([item], member=yes)
    return belief


@given(worlds(), ITEMS, ITEMS, SAMPLINGS, NOISES.filter(bool))
def test_steps_are_all_at_once_and_forgetting_is_never_having_seen(
    world: Any, first: Any, then: Any, sampling: Any, noise: Any
) -> None:
    belief = learner(world[0], world[1], sampling, noise)
    steps, whole = belief.observe(first).observe(then), belief.observe([*then, *first])
    assert steps.log_evidence_ == whole.log_evidence_
    np.testing.assert_array_equal(steps.posterior_.posterior, whole.posterior_.posterior)
    np.testing.assert_array_equal(steps.forget(then).posterior_.posterior, belief.observe(first).posterior_.posterior)
    assert steps.observed_ == sorted([*first, *then])


@given(worlds(), ITEMS, st.sampled_from([0.05, 0.3]), SAMPLINGS)
def test_information_is_what_an_answer_is_expected_to_tell(world: Any, items: Any, noise: Any, sampling: Any) -> None:
    """The Kullback-Leibler divergence of the belief after the answer from that before, averaged over answers."""
    belief = learner(world[0], world[1], sampling, noise).observe(items)
    before = belief.posterior_.posterior
    gains = []
    for item in DOMAIN:
        gain = 0.0
        for yes in (True, False):
            after = belief.answer([item], member=yes)
            gain += np.exp(after.log_evidence_ - belief.log_evidence_) * entropy(after.posterior_.posterior, before)
        gains.append(gain)
    np.testing.assert_allclose(belief.information(), gains, atol=1e-9)
    query = belief.next_query()
    if max(gains) > 1e-9:
        assert gains[DOMAIN.index(str(query))] == pytest.approx(max(gains))


def test_nothing_to_ask_when_all_is_known() -> None:
    assert learner([{"a"}], None).next_query() is None
    assert learner([{"a", "b"}, {"b", "c"}], None).next_query() == "a"
    assert learner([{"a"}, {"b"}], None, noise=0.5).next_query() is None  # answers by a coin


def test_the_size_principle() -> None:
    small, large = {"a", "b"}, {"a", "b", "c", "d"}
    odds = []
    for n in range(4):
        table = learner({"small": small, "large": large}, None).observe(["a"] * n).posterior_
        odds.append(table["small"] / table["large"])
    assert odds == pytest.approx([1, 2, 4, 8])
    weak = learner({"small": small, "large": large}, None, "weak").observe(["a"] * 3).posterior_
    assert weak["small"] == weak["large"] == 0.5


def test_one_outlier_does_not_empty_the_version_space() -> None:
    sets = {"ab": {"a", "b"}, "de": {"d", "e"}}
    items = ["a", "b", "a", "a", "d"]
    with pytest.raises(ConflictError, match="none explains 'a' and 'd', though some explain any fewer") as caught:
        learner(sets, None).observe(items)
    assert caught.value.examples == ("a", "d")
    noisy = learner(sets, None, noise=0.1).observe(items)
    assert noisy.map_ == ["ab"]
    assert noisy.version_space_ == []
    assert isinstance(caught.value, ValueError)


def test_conflicts_name_answers_and_single_items() -> None:
    with pytest.raises(ConflictError, match="none explains 'e' alone"):
        learner([{"a", "b"}], None).observe(["a", "e"])
    with pytest.raises(ConflictError, match=r"'a' and 'b' \(not in it\)"):
        learner([{"a", "b"}, {"c"}], None).observe(["a"]).answer(["b"], member=False)
    with pytest.raises(ConflictError, match="'c' alone"):  # the one that holds it is ruled out beforehand
        learner([{"a", "b"}, {"c"}], [1, 0]).observe(["c"])


@pytest.mark.parametrize("seed", range(20))
def test_conflicts_of_many_examples_are_minimal(seed: int) -> None:
    """All but one of the items in each hypothesis: only all items together are in conflict; and random ones."""
    rng = np.random.default_rng(seed)
    matrix = ~np.eye(30, dtype=bool) if seed == 0 else rng.random((40, 30)) < 0.8
    with pytest.raises(ConflictError) as caught:
        sf.ConceptLearner(matrix).observe(range(30))
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in matrix]
    assert plain.minimal(sets, [(item, "in") for item in caught.value.examples])


def test_samples_follow_the_posterior() -> None:
    sets = {"ab": {"a", "b"}, "abc": {"a", "b", "c"}}
    belief = learner(sets, [1, 3], noise=0.2).observe(["a"])
    drawn = belief.sample(4000, 0)
    counts = [(drawn == name).sum() for name in sets]
    assert chisquare(counts, belief.posterior_.posterior * 4000).pvalue > 0.01
    items = belief.sample((40, 100), 1, of="items")
    assert items.shape == (40, 100)
    predictive = np.exp([belief.observe([item]).log_evidence_ - belief.log_evidence_ for item in DOMAIN])
    assert predictive.sum() == pytest.approx(1)
    assert chisquare([(items == item).sum() for item in DOMAIN], predictive * 4000).pvalue > 0.01
    assert belief.sample(rng=3) in sets
    assert belief.sample(rng=3, of="items") in DOMAIN


def test_a_belief_does_not_change() -> None:
    belief = learner([{"a", "b"}, {"b", "c"}], None)
    before = belief.membership()
    before[:] = 7
    belief.observe(["a"])
    np.testing.assert_array_equal(belief.membership(), [0.5, 1, 0.5, 0, 0])
    with pytest.raises(ValueError, match="read-only"):
        belief.posterior_.posterior[0] = 1
    assert belief.observed_ == []
    np.testing.assert_array_equal(belief.membership(["c", "a", "c"]), [0.5, 0.5, 0.5])


def test_repr_and_tables() -> None:
    belief = learner({"ab": {"a", "b"}, "all": set(DOMAIN)}, None).observe(["a"])
    assert repr(belief) == "ConceptLearner(2 hypotheses, 5 items; 1 observed, best: ab)"
    frame = belief.posterior_.to_frame("pandas")
    assert frame.hypothesis.tolist() == ["ab", "all"]
    assert frame["size"].tolist() == [2, 5]
    np.testing.assert_allclose(frame.posterior, [5 / 7, 2 / 7])
    np.testing.assert_allclose(np.exp(frame.log_likelihood), [1 / 2, 1 / 5])
    with pytest.raises(ValueError, match="no hypothesis 'x' among the 2"):
        belief.posterior_["x"]
    assert belief.items_of("ab") == ["a", "b"]
    with pytest.raises(ValueError, match="no hypothesis 'x' among the 2"):
        belief.items_of("x")
