"""A model is never between two states, and many threads may ask it at once."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from laws.estimators import EstimatorCase, every_kind_of_rows

SOURCE = str(Path(sf.__file__).parent)
THREADS = 8


@every_kind_of_rows
def test_many_threads_may_ask_at_once(case: EstimatorCase) -> None:
    X, y = case.data(0, 60)
    rows = case.data(1, 20)[0]
    expected = clone(case.model).fit(X, y).predict_log_proba(rows)
    for _ in range(3):
        model = clone(case.model).fit(X, y)
        model._made = {}  # every view is made by whoever comes first
        start = Barrier(THREADS)

        def ask(_: int, model: Any = model, start: Barrier = start) -> Any:
            start.wait()
            return model.predict_log_proba(rows), model.predict(rows), model.explain(one(rows)).log_odds

        with ThreadPoolExecutor(THREADS) as pool:
            answers = list(pool.map(ask, range(THREADS)))
        for logs, labels, odds in answers:
            np.testing.assert_array_equal(logs, expected)
            np.testing.assert_array_equal(labels, answers[0][1])
            assert odds == answers[0][2]


def one(rows: Any) -> Any:
    return {name: column[:1] for name, column in rows.items()} if isinstance(rows, dict) else rows[:1]


class Interrupted:
    """Ctrl-C at some line of the library; or none, and the lines are counted."""

    def __init__(self, at: int | None = None) -> None:
        self.at, self.lines = at, 0

    def __enter__(self) -> "Interrupted":
        self.before = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self.before)

    def _called(self, frame: Any, event: str, argument: Any) -> Any:
        ours = frame.f_code.co_filename.startswith(SOURCE) and frame.f_code.co_name != "all_or_nothing"
        return self._line if ours else None

    def _line(self, frame: Any, event: str, argument: Any) -> Any:
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                raise KeyboardInterrupt
        return self._line


def changes(case: EstimatorCase) -> dict[str, Callable[[Any], Any]]:
    X, y = case.data(0, 40)
    Z, z = case.data(1, 25)
    other = clone(case.model).fit(Z, z)
    return {
        "fit": lambda model: model.fit(Z, z),
        "partial_fit": lambda model: model.partial_fit(Z, z),
        "merge": lambda model: model.merge(other),
        "forget": lambda model: model.forget(X, y),
        "decay": lambda model: model.decay(0.5),
        "refresh": lambda model: model.refresh(X, y),
    }


def state(model: Any, rows: Any) -> tuple[set[str], list[Any], Any]:
    kept = {name for name in vars(model) if name != "_made"}
    if not hasattr(model, "classes_"):
        return kept, [], None
    return kept, model.classes_.tolist(), model.predict_log_proba(rows)


def same(a: tuple[Any, Any, Any], b: tuple[Any, Any, Any]) -> bool:
    return a[:2] == b[:2] and np.array_equal(a[2], b[2])


@pytest.mark.parametrize("change", ["fit", "partial_fit", "merge", "forget", "decay", "refresh"])
@every_kind_of_rows
def test_whatever_is_interrupted_has_happened_or_not(
    case: EstimatorCase, change: str, pytestconfig: pytest.Config
) -> None:
    model = clone(case.model).fit(*case.data(0, 40))
    rows, run = case.data(2, 10)[0], changes(case)[change]
    before, changed = state(model, rows), copy(model)
    with Interrupted() as counted:
        run(changed)
    after = state(changed, rows)
    points = 12 if pytestconfig.getoption("--thorough") else 5
    for at in np.unique(np.linspace(1, counted.lines, points).astype(int)).tolist():
        victim = copy(model)
        attributes = {name: value for name, value in vars(victim).items() if name != "_made"}
        try:
            with Interrupted(at):
                run(victim)
        except KeyboardInterrupt:
            pass
        found = state(victim, rows)
        assert same(found, before) or same(found, after), f"at line {at} of {counted.lines}"
        if same(found, before) and not same(before, after):
            assert all(vars(victim)[name] is value for name, value in attributes.items())
    assert same(state(model, rows), before)  # copies are models of their own
