import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

import suffice as sf
from refusals import refused
from suffice.concepts.scores import DENSE, Bits

SETS = {"even": {2, 4, 6}, "small": {1, 2, 3}, "all": range(1, 7)}


def test_sets_predicates_rows_and_matrices_are_the_same() -> None:
    domain = range(1, 7)
    tests = {"even": lambda n: n % 2 == 0, "small": lambda n: n <= 3, "all": lambda n: True}
    matrix = np.array([[n in one for n in domain] for one in SETS.values()])
    ways: list[Any] = [
        sf.ConceptLearner(SETS),
        sf.ConceptLearner(tests, domain=domain),
        sf.ConceptLearner(matrix, domain=domain, names=SETS),
        sf.ConceptLearner(matrix.astype(int), domain=domain, names=list(SETS)),
        sf.ConceptLearner(list(matrix), domain=domain, names=SETS),
        sf.ConceptLearner(iter(np.array_split(matrix, 3)), domain=domain, names=SETS),
        sf.ConceptLearner({"even": tests["even"], "small": {1, 2, 3}, "all": matrix[2]}, domain=domain),
    ]
    for way in ways:
        assert way.domain == tuple(domain)
        assert way.hypotheses == tuple(SETS)
        seen = way.observe([2, 4])
        np.testing.assert_allclose(seen.posterior_.posterior, [4 / 5, 0, 1 / 5], rtol=1e-14)
        assert seen.membership([6, 1]) == pytest.approx([1, 0.2])


def test_names_and_domain_by_default() -> None:
    learner = sf.ConceptLearner(np.eye(3, dtype=bool))
    assert learner.hypotheses == learner.domain == (0, 1, 2)
    assert sf.ConceptLearner([{"b"}, {"a", "c"}]).domain == ("a", "b", "c")
    assert sf.ConceptLearner([["b"], [1, "a"]]).domain == ("b", 1, "a")  # no order but theirs


@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (8, 9), (23, 40), (1000, 1200)])
def test_bits_answer_as_the_matrix_does(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(shape))
    matrix = rng.random(shape) < 0.4
    cuts = sorted(rng.integers(0, shape[0], 4))
    bits = Bits.pack(iter(np.split(matrix, cuts)), shape[1])
    assert bits.rows == shape[0]
    assert (bits._numbers is None) == (matrix.size > DENSE)
    np.testing.assert_array_equal(bits.sizes, matrix.sum(axis=1))
    np.testing.assert_array_equal(bits.columns(np.arange(shape[1])), matrix)
    np.testing.assert_array_equal(bits.row(shape[0] - 1), matrix[-1])
    weights = rng.random(shape[0]) * (rng.random(shape[0]) < 0.5)
    np.testing.assert_allclose(bits.weighted(weights), weights @ matrix, rtol=1e-12)


@pytest.mark.parametrize(
    ("hypotheses", "more", "message"),
    [
        ([], {}, "at least one hypothesis; got none"),
        ({}, {}, "at least one hypothesis; got none"),
        (np.zeros((0, 3), bool), {}, "at least one hypothesis; got none"),
        ([{1}, set()], {"names": ["one", "none"]}, "must hold at least one item of the domain; 'none' holds none"),
        ({"big": lambda n: n > 9}, {"domain": [1, 2]}, "'big' holds none"),
        ([lambda n: True], {}, "'domain' must list all items if hypotheses are predicates"),
        ([{1, 7}], {"domain": [1, 2]}, "only items of the domain; got 7"),
        ([{1}], {"domain": [1, 2, 1]}, "'domain' must list distinct values; got 1 twice"),
        ([{1}, {2}], {"names": ["a", "a"]}, "'names' must list distinct values; got 'a' twice"),
        ([{1}, {2}], {"names": ["a"]}, "must name each of 2 hypotheses; got 1 names"),
        ({"a": {1}}, {"names": ["b"]}, "got both keys and names"),
        (np.ones((2, 3)), {"domain": [1, 2]}, r"hypotheses × 2 items, as in the domain; got shape \(2, 3\)"),
        (np.full((2, 3), 2), {}, "True and False, or zeros and ones"),
        (np.ones(3, bool), {}, r"hypotheses × items; got shape \(3,\)"),
        ([np.array([True])], {"domain": [1, 2]}, r"a value for each of 2 items; got shape \(1,\)"),
        ([{1}, {2}], {"prior": [1, -1]}, "finite and not negative; got -1 for 1"),
        ([{1}, {2}], {"prior": [1, np.inf]}, "finite and not negative; got inf for 1"),
        ([{1}, {2}], {"prior": [0, 0]}, "at least one hypothesis a weight above zero"),
        ([{1}, {2}], {"prior": [1, 2, 3]}, r"each of 2 hypotheses; got shape \(3,\)"),
        ({"a": {1}}, {"prior": {"b": 1}}, "exactly one weight for each hypothesis; got none for 'a'"),
        ([{1}], {"noise": 1}, "'noise' must be a number from 0 to below 1; got 1"),
        ([{1}], {"sampling": "strange"}, "'sampling' must be 'strong' or 'weak'; got 'strange'"),
    ],
)
def test_impossible_arguments(hypotheses: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sf.ConceptLearner(hypotheses, **more)


@pytest.mark.parametrize(
    ("hypotheses", "more", "message"),
    [
        ("text", {}, "sets, predicates or rows of a boolean matrix; got a str"),
        (3, {}, "got an int"),
        (["cat"], {}, r"must be a list of items; got 'cat'. Write \['cat'\]"),
        ([{1}], {"prior": ["a"]}, "weights as numbers"),
        ([{1}], {"domain": [[1]]}, "hashable items"),
    ],
)
def test_arguments_of_a_wrong_kind(hypotheses: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        sf.ConceptLearner(hypotheses, **more)


def test_items_that_are_no_list_or_not_in_the_domain() -> None:
    learner = sf.ConceptLearner(SETS)
    with pytest.raises(TypeError, match=r"'items' must be a list of items; got 2. Write \[2\] for one item"):
        learner.observe(2)
    for items in ([2, 9], [[2]], np.array([9])):
        with pytest.raises(ValueError, match=r"items of the domain \(1 to 6, 6 in all\); got (9|\[2\])"):
            learner.observe(items)
    with pytest.raises(ValueError, match="Only observed items can be forgotten"):
        learner.observe([2]).forget([2, 2])
    kind: Any = "sets"
    with refused(ValueError, "of", must="be 'hypotheses' or 'items'", got="'sets'"):
        learner.sample(of=kind)
    with pytest.raises(ValueError, match="under sampling='strong' only; got 'weak'"):
        sf.ConceptLearner(SETS, sampling="weak").sample(of="items")


def test_huge_and_tiny_weights_are_a_prior() -> None:
    table = sf.ConceptLearner([{1}, {2}, {3}], [1e308, 1e308, 1e-300]).posterior_
    np.testing.assert_allclose(table.posterior[:2], 0.5)
    assert sf.ConceptLearner([{1, 2}, {2}], [0.0, 1e-320]).observe([2]).map_ == [1]
    assert np.asarray(sf.ConceptLearner([{1}, {2}]).observe(np.array([1])).membership()).tolist() == [1, 0]


def test_arguments_are_explained() -> None:
    known: Any = sf.ConceptLearner
    with pytest.raises(TypeError, match="Did you mean 'noise'"):
        known(SETS, niose=0.1)
    answer: Any = "no"
    with refused(TypeError, "answer.member", must="be True or False", got="'no'"):
        sf.ConceptLearner(SETS).answer([2], member=answer)


def test_many_different_examples_are_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    matrix, items = rng.random((50, 40)) < 0.9, rng.integers(0, 40, 200)
    learner = sf.ConceptLearner(matrix, noise=0.1)
    whole = learner.observe(items).posterior_.posterior
    monkeypatch.setattr("suffice.concepts.scores.TALLIED_AT_ONCE", 150)
    np.testing.assert_array_equal(learner.observe(items).posterior_.posterior, whole)
    inside = matrix[:, items]
    joint = np.log(np.where(inside, 0.9 / matrix.sum(axis=1, keepdims=True), 0) + 0.1 / 40).sum(axis=1)
    np.testing.assert_allclose(whole, softmax(joint))


def test_nothing_heavy_is_imported_until_it_is_needed() -> None:
    code = "import sys, suffice.concepts; print([m for m in ('scipy', 'pyarrow', 'sklearn') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
