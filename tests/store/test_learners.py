"""Learners of concepts are kept as bits and counts, to the bit; a file that does not fit together is refused."""

from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suffice as sf
from store.cases import RULES, models
from store.test_shapes import forged, part
from suffice.concepts import usual_rules
from suffice.errors import ConflictError, KindError, ModelFileError
from suffice.store import describe, file_io
from suffice.store.file_io import File

NAMES = ("number_game", "concepts")


class Colour(Enum):
    """Something that a file cannot hold."""

    RED = 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "learner.suffice"


def again(learner: Any, path: Path) -> Any:
    sf.save(learner, path)
    return sf.load(path)


@pytest.mark.parametrize("name", NAMES)
def test_all_of_a_belief_comes_back_to_the_bit(name: str, path: Path) -> None:
    learner, _ = models()[name]
    loaded = again(learner, path)
    before, after = learner.posterior_, loaded.posterior_
    assert after.names == before.names
    assert [type(one) for one in after.names] == [type(one) for one in before.names]
    assert [(type(one), one) for one in loaded.domain] == [(type(one), one) for one in learner.domain]
    for field in ("sizes", "prior", "log_likelihood", "posterior"):
        np.testing.assert_array_equal(getattr(after, field), getattr(before, field), strict=True)
    for name in ("version_space_", "map_", "mle_", "log_evidence_", "observed_", "sampling", "noise"):
        assert getattr(loaded, name) == getattr(learner, name)
    assert loaded.next_query() == learner.next_query()
    np.testing.assert_array_equal(loaded.information(), learner.information())
    assert (loaded.sample(20, 0) == learner.sample(20, 0)).all()


def test_a_loaded_game_goes_on(path: Path) -> None:
    numbers = range(1, 201)
    game = sf.NumberGame("intervals", 0.5, scale=3, rules={**usual_rules(numbers), **RULES}, numbers=numbers)
    loaded = again(game.observe([16, 4]), path)
    np.testing.assert_array_equal(
        loaded.observe([64, 2]).membership(), game.observe([16, 4, 64, 2]).membership(), strict=True
    )
    np.testing.assert_array_equal(loaded.forget([16, 4]).membership(), game.membership())
    assert loaded.items_of("primes")[:4] == [2, 3, 5, 7]  # what the rule holds, not the function
    with pytest.raises(ConflictError, match="No hypothesis explains"):
        again(sf.ConceptLearner({"a": [1, 2], "b": [2, 3]}).observe([1]), path).observe([3])


@pytest.mark.parametrize(
    "domain",
    [
        list(range(-3, 300)),
        [0.1, -0.0, 1e300, 2.5],
        [2**70, -(2**70), 3],
        [f"word {i}" for i in range(300)],
        [frozenset({1, 2}), ("a", (None, 1.5)), True, "\ud800"],
        list(np.arange(3, dtype=np.int16)),
    ],
    ids=["ints", "reals", "large", "texts", "mixed", "numpy"],
)
def test_items_keep_their_type(domain: list[Any], path: Path) -> None:
    learner = sf.ConceptLearner([domain, domain[:2]], domain=domain)
    loaded = again(learner, path)
    assert [(type(one), repr(one)) for one in loaded.domain] == [(type(one), repr(one)) for one in learner.domain]
    np.testing.assert_array_equal(
        loaded.observe(domain[:1]).membership(domain), learner.observe(domain[:1]).membership(domain)
    )


def test_items_that_a_file_cannot_hold(path: Path) -> None:
    with pytest.raises(KindError, match="must be something that a model file can hold; got a Colour"):
        sf.save(sf.ConceptLearner({"warm": [Colour.RED, "blue"]}), path)
    assert not path.exists()


def test_a_learner_of_your_own_is_refused(path: Path) -> None:
    class Mine(sf.NumberGame):
        """Of a user."""

    with pytest.raises(KindError, match=r"or a learner of concepts; got a .*Mine"):
        sf.save(Mine(), path)


def test_a_large_learner_is_compared_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_io, "MAPPED", 100)
    sf.save(sf.NumberGame("intervals").observe([16]), path)
    assert sf.load(path).membership([16]) == pytest.approx([1.0])
    raw = bytearray(path.read_bytes())
    raw[-5] ^= 1
    path.write_bytes(raw)
    with pytest.raises(ModelFileError, match="match its checksum"):
        sf.load(path)


def test_a_header_says_what_is_in_the_file(path: Path) -> None:
    sf.save(sf.NumberGame(noise=0.125).observe([16]), path)
    found = describe(path)
    assert (found.estimator, found.parameters["noise"], found.classes) == ("NumberGame", 0.125, None)
    assert found.schema["hypotheses"][:2] == ["even", "odd"]
    assert found.tensors[BITS] == ("U8", (4, 100))
    sf.save(sf.Rectangles([2.0, 0.5]).observe([[1, 2]]), path)
    assert describe(path).parameters == {"expected_size": [2.0, 0.5], "sampling": "strong"}


GAME = sf.ConceptLearner({"low": [1, 2, 3], "high": [3, 4], "all": [1, 2, 3, 4]}, [1, 2, 3], noise=0.1)
BITS, PRIOR, SEEN = "schema/2", "parameters/prior", "statistics/0"


@pytest.mark.parametrize(
    ("tensor", "change"),
    [
        (BITS, lambda bits: bits | 1),  # a fourth hypothesis in the padding
        (BITS, lambda bits: bits * 0),
        (BITS, lambda bits: bits.astype(np.int64)),
        (PRIOR, lambda prior: prior * 2),
        (PRIOR, lambda prior: prior * [1, 1, -1]),
        (PRIOR, lambda prior: prior * [1, 1, np.nan]),
        (SEEN, lambda seen: -seen),
        (SEEN, lambda seen: seen * 2**61),
        (SEEN, lambda seen: seen.astype(np.float64)),
    ],
)
def test_arrays_that_cannot_be(tensor: str, change: Any, path: Path) -> None:
    assert again(GAME.observe([3, 3]), path).observed_ == [3, 3]
    forged(path, {tensor: change(File(path).array(tensor))})
    with pytest.raises(ModelFileError, match="must hold a model"):
        sf.load(path)


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("parameters", "noise", 1.5),
        ("parameters", "noise", "much"),
        ("parameters", "sampling", "odd"),
        ("parameters", "sampling", "weak"),  # but examples were drawn
        ("parameters", "more", 1),
        ("schema", "hypotheses", {"$": "list", "of": ["a", "a", "b"]}),
        ("schema", "hypotheses", {"$": "list", "of": [{"$": "list", "of": []}, "a", "b"]}),
        ("schema", "hypotheses", {"$": "list", "of": ["a", "b"]}),
        ("schema", "hypotheses", None),
        ("schema", "domain", {"$": "list", "of": []}),
        ("schema", "domain", {"$": "list", "of": [1, 2, 3, 3]}),
        ("schema", "more", 1),
        ("statistics", "more", 1),
    ],
)
def test_headers_that_cannot_be(name: str, key: str, value: Any, path: Path) -> None:
    sf.save(GAME.observe([3]), path)
    found = part(path, name)
    if name == "parameters":
        found[key] = value
    else:
        found["of"] = [[one, value if one == key else old] for one, old in found["of"]]
        found["of"] += [] if any(one == key for one, _ in found["of"]) else [[key, value]]
    forged(path, {}, {name: found})
    with pytest.raises(ModelFileError, match="must hold a model"):
        sf.load(path)


def test_examples_that_exclude_each_other_are_no_learner(path: Path) -> None:
    sf.save(sf.ConceptLearner({"low": [1, 2], "high": [3, 4]}).observe([1]), path)
    forged(path, {SEEN: np.array([[1, 0, 1, 0], [0] * 4, [0] * 4])})
    with pytest.raises(ModelFileError, match="No hypothesis explains"):
        sf.load(path)


@pytest.mark.parametrize(
    "points", [[], [[1.5, 2.0]], [[1.5, 2.0], [1.5, 3.0]], [[1.1, 2.0, -0.0], [1.5, 3.0, 1e150], [1.3, 2.2, 4.0]]]
)
@pytest.mark.parametrize("size", [None, 0.1])
def test_rectangles_come_back(points: Any, size: Any, path: Path) -> None:
    learner = sf.Rectangles(size).observe(points) if points else sf.Rectangles(size)
    loaded = again(learner, path)
    assert repr(loaded) == repr(learner)
    more = [[0.1, 0.2, 0.3], [7.0, -9.0, 2.0], [1.0, 4.0, 0.5]]
    if points:
        assert loaded.tightest_.tobytes() == learner.tightest_.tobytes()
        more = [one[: len(points[0])] for one in more]
    ask = [[5.0] * len(more[0])]
    np.testing.assert_array_equal(loaded.observe(more).membership(ask), learner.observe(more).membership(ask))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", -1),
        ("n", 0),
        ("n", 1),
        ("n", 2.0),
        ("n", True),
        ("low", None),
        ("low", {"$": "list", "of": [1, 2]}),
        ("more", 1),
    ],
)
def test_statistics_of_rectangles_that_cannot_be(name: str, value: Any, path: Path) -> None:
    sf.save(sf.Rectangles([1.0, 2.0]).observe([[1, 2], [3, 4]]), path)
    found = part(path, "statistics")
    found["of"] = [[one, value if one == name else old] for one, old in found["of"]]
    found["of"] += [] if any(one == name for one, _ in found["of"]) else [[name, value]]
    forged(path, {}, {"statistics": found})
    with pytest.raises(ModelFileError):
        sf.load(path)


@pytest.mark.parametrize("low", [[5.0, 2.0], [np.nan, 2.0], [-np.inf, 2.0], [1.0, -1e200], [[1.0, 2.0]]])
def test_corners_that_cannot_be(low: Any, path: Path) -> None:
    sf.save(sf.Rectangles().observe([[1, 2], [3, 4]]), path)
    forged(path, {"statistics/1": np.array(low)})
    with pytest.raises(ModelFileError, match="must hold a model"):
        sf.load(path)


@pytest.mark.parametrize("given", [{"expected_size": -1.0}, {"sampling": "weak"}, {"more": 1}, {"expected_size": True}])
def test_parameters_of_rectangles_that_cannot_be(given: dict[str, Any], path: Path) -> None:
    sf.save(sf.Rectangles().observe([[1, 2], [3, 4]]), path)
    forged(path, {}, {"parameters": {**part(path, "parameters"), **given}})
    with pytest.raises(ModelFileError, match="must hold a model"):
        sf.load(path)
