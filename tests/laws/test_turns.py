"""Many threads may change one model: changes take turns, none is lost, and who asks meanwhile sees a whole state."""

import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy, deepcopy
from threading import Barrier, Event
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from laws.estimators import EstimatorCase, counts, every_kind_of_rows, flags, reals
from suffice.errors import BusyError
from suffice.estimators.shell.atomic import changing

THREADS, ENOUGH = 4, 60.0
"""How many change a model at once, and seconds after which they wait for each other."""


@pytest.fixture(autouse=True)
def restless() -> Iterator[None]:
    """Make threads take over from each other as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*works: Callable[[], Any]) -> list[Any]:
    """Run all of them at once, and give what they gave."""
    start = Barrier(len(works))

    def begun(work: Callable[[], Any]) -> Any:
        start.wait(ENOUGH)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        running: list[Future[Any]] = [pool.submit(begun, work) for work in works]
        return [future.result(ENOUGH) for future in running]


def some(rows: Any, which: slice) -> Any:
    return {name: column[which] for name, column in rows.items()} if isinstance(rows, dict) else rows[which]


def close(case: EstimatorCase, model: Any, expected: Any) -> None:
    rows = case.data(9, 15)[0]
    np.testing.assert_array_equal(model.classes_, expected.classes_)
    np.testing.assert_array_equal(model.class_count_, expected.class_count_)
    np.testing.assert_allclose(model.predict_log_proba(rows), expected.predict_log_proba(rows), rtol=1e-6, atol=1e-8)


@pytest.mark.filterwarnings("ignore")
@every_kind_of_rows
def test_all_rows_are_learned_whoever_brings_them(case: EstimatorCase) -> None:
    each = 6
    X, y = case.data(0, 60)
    Z, z = case.data(1, THREADS * each)
    model = clone(case.model).fit(X, y)
    rows = case.data(2, 5)[0]

    def learner(k: int) -> None:
        for i in range(k * each, (k + 1) * each):
            model.partial_fit(some(Z, slice(i, i + 1)), z[i : i + 1])
            assert len(model.predict(rows)) == 5

    together(*(lambda k=k: learner(k) for k in range(THREADS)))
    close(case, model, clone(case.model).fit(X, y).partial_fit(Z, z))


@pytest.mark.filterwarnings("ignore")
@every_kind_of_rows
def test_changes_of_every_kind_take_turns(case: EstimatorCase) -> None:
    X, y = case.data(0, 60)
    parts = [case.data(seed, 12) for seed in range(1, 5)]
    model = clone(case.model).fit(X, y).partial_fit(*parts[0])
    other = clone(case.model).fit(*case.data(5, 30))

    def again(change: Callable[[], Any], back: Callable[[], Any]) -> None:
        for _ in range(3):
            change()
            back()

    together(
        lambda: again(lambda: model.partial_fit(*parts[1]), lambda: model.forget(*parts[1])),
        lambda: again(lambda: model.merge(other), lambda: model.predict_proba(case.data(6, 5)[0])),
        lambda: again(lambda: model.refresh(X, y), lambda: model.set_params(temper=case.model.temper)),
        lambda: again(lambda: model.partial_fit(*parts[2]), lambda: (model + other) - other),
        lambda: model.forget(*parts[0]),
    )
    expected = clone(case.model).fit(X, y)
    for _ in range(3):
        expected.merge(other).partial_fit(*parts[2])
    close(case, model, expected.refresh(X, y))


@pytest.mark.filterwarnings("ignore")
@every_kind_of_rows
def test_who_asks_sees_a_whole_state(case: EstimatorCase) -> None:
    X, y = case.data(0, 60)
    Z, z = case.data(1, 60, np.array(["b", "c", "d", "e"]))
    more, other = case.data(2, 20), clone(case.model).fit(*case.data(3, 40))
    rows = case.data(4, 8)[0]
    steps: list[Callable[[Any], Any]] = [
        lambda m: m.fit(Z, z),
        lambda m: m.fit(X, y),
        lambda m: m.partial_fit(*more),
        lambda m: m.merge(other),
        lambda m: m.forget(*more),
        lambda m: m.refresh(X, y),
        lambda m: m.set_params(**clone(case.model).get_params(deep=False)),
    ]

    def asked(m: Any) -> tuple[Any, ...]:
        joint, twin = m.predict_joint_log_proba(rows), pickle.loads(pickle.dumps(m))
        odds = m.explain(some(rows, slice(1))).log_odds
        return joint.tobytes(), twin.predict_proba(rows).tobytes(), m.predict(rows).tobytes(), odds, m.temper_

    model = clone(case.model).fit(X, y)
    states = [asked(model)]
    states += [asked(step(model)) for step in steps]
    known = [set(column) for column in zip(*states, strict=True)]
    model = clone(case.model).fit(X, y)
    over = Event()

    def writer() -> None:
        try:
            for step in steps:
                step(model)
        finally:
            over.set()

    def reader() -> int:
        n = 0
        while not over.is_set() or not n:
            for value, possible in zip(asked(model), known, strict=True):
                assert value in possible
            n += 1
        return n

    together(writer, reader, reader)
    assert asked(model) == states[-1]


@pytest.mark.filterwarnings("ignore")
@every_kind_of_rows
def test_readers_and_copies_do_not_wait(case: EstimatorCase) -> None:
    X, y = case.data(0, 60)
    model = clone(case.model).fit(X, y)
    before = model.predict_log_proba(X)
    with changing(model) as changed:
        changed.fit(*case.data(1, 40))
        np.testing.assert_array_equal(model.predict_log_proba(X), before)
        for twin in (copy(model), deepcopy(model), pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
            np.testing.assert_array_equal(twin.predict_log_proba(X), before)
            twin.partial_fit(*case.data(2, 5))  # with a lock of its own
        with pytest.raises(BusyError, match="while another change of it is in progress"):
            model.partial_fit(*case.data(2, 5))
        model.temper = 0.5
    assert model.temper == 0.5
    np.testing.assert_array_equal(model.class_count_, changed.class_count_)


def test_all_that_changes_a_model_is_known_to() -> None:
    for name in [name for name in sf.__all__ if hasattr(getattr(sf, name), "fit")]:
        kind = getattr(sf, name)
        for method in {
            method for method in dir(kind) if not method.startswith("_") and callable(getattr(kind, method))
        }:
            docstring = getattr(kind, method).__doc__ or ""
            gives_itself = re.search(r"Returns\s+-+\s+self : ", docstring) is not None
            changes = getattr(getattr(kind, method), "changes", False)
            assert changes or not gives_itself or method.endswith(("_request", "_output")), f"{name}.{method}"


def test_a_language_model_learns_from_all() -> None:
    model = sf.LanguageModel().fit(["ant bee cow"])
    together(*(lambda k=k: [model.partial_fit([f"ant {k}{i} bee"]) for i in range(40)] for k in range(THREADS)))
    assert model.counts_.sum() == 3 + 3 * 40 * THREADS


RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 60)
OTHERS: dict[str, tuple[Any, Callable[[Any, Any], Any], list[Any]]] = {
    "Mixture": (
        sf.Mixture(sf.GaussianNB(), random_state=0, n_init=1, max_iter=5),
        lambda model, X: model.predict_proba(X[:5]),
        [reals(RNG, 60, CODES), reals(RNG, 40, CODES[:40])],
    ),
    "SemiSupervised": (
        sf.SemiSupervised(sf.MultinomialNB(), max_iter=5),
        lambda model, X: model.predict_proba(X[:5]),
        [counts(RNG, 60, CODES), counts(RNG, 50, CODES[:50])],
    ),
    "SelectInformative": (
        sf.SelectInformative(k=2),
        lambda model, X: model.transform(X[:5]),
        [flags(RNG, 60, CODES), flags(RNG, 50, CODES[:50])],
    ),
    "CountVectorizer": (
        sf.CountVectorizer(),
        lambda model, X: model.transform(["ant bee cow dog eel fox"]).toarray(),
        [["ant bee", "cow"], ["dog eel fox", "ant"]],
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OTHERS)
def test_who_asks_of_anything_fitted_sees_a_whole_state(name: str) -> None:
    made, ask, data = OTHERS[name]
    states = {ask(clone(made).fit(X, CODES[: len(X)]), data[0]).tobytes() for X in data}
    model, over = clone(made).fit(data[0], CODES[: len(data[0])]), Event()
    assert len(states) == 2

    def writer() -> None:
        try:
            for X in data * 8:
                model.fit(X, CODES[: len(X)])
        finally:
            over.set()

    def reader() -> None:
        while not over.is_set():
            assert ask(model, data[0]).tobytes() in states

    together(writer, reader, reader)


def test_two_models_may_merge_each_other() -> None:
    a, b = (sf.MultinomialNB().fit([[1, 2], [3, 1]], ["a", "b"]) for _ in range(2))
    together(*[lambda: [a.merge(b) for _ in range(20)], lambda: [b.merge(a) for _ in range(20)]])
    assert a.class_count_[0] == a.class_count_[1] >= 21
    a.merge(a)


def test_rows_must_not_change_the_model_that_reads_them() -> None:
    model = sf.TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"])
    before = pickle.dumps(model)

    def texts() -> Iterator[str]:
        yield "cheap lunch"
        model.partial_fit(["noon"], ["ham"])
        yield "pills"

    with pytest.raises(BusyError):
        model.partial_fit(texts(), ["ham", "spam"])
    assert pickle.dumps(model) == before
    assert model.partial_fit(["noon"], ["ham"]).class_count_.tolist() == [2, 1]


@pytest.mark.thorough
def test_four_threads_of_three_hundred_texts() -> None:
    model = sf.TextClassifier().partial_fit(["ant bee", "cow dog"], ["a", "b"], classes=["a", "b"])

    def learner(k: int) -> None:
        for i in range(300):
            model.partial_fit([f"word{k} number{i}"], ["a"])
            if i % 3 == 0:
                model.predict(["ant word1"])

    together(*(lambda k=k: learner(k) for k in range(4)))
    assert model.class_count_.tolist() == [1201, 1]


FORK = """
import os, sys, threading
import suffice as sf
from suffice.estimators.shell.atomic import changing
model = sf.MultinomialNB().fit([[1, 2], [3, 1]], ["a", "b"])
held, done = threading.Event(), threading.Event()
def hold():
    with changing(model):
        held.set()
        done.wait()
thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    model.partial_fit([[1, 1]], ["a"])
    os._exit(int(model.class_count_.sum()))
status = os.waitpid(child, 0)[1]
done.set()
thread.join()
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.thorough
def test_a_child_does_not_wait_for_threads_of_its_parent() -> None:
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], timeout=ENOUGH, check=False).returncode == 3
