"""Nobody gets more threads than there are cores: not under joblib, not after fork, not from many threads at once."""

import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, delayed

import suffice as sf
from suffice.parallel import _usable_cores, thread_count

RNG = np.random.default_rng(0)
X, Y = RNG.random((100_000, 20)), RNG.integers(0, 3, 100_000)


def fit(_: int = 0) -> tuple[int, Any]:
    return thread_count(), sf.GaussianNB().fit(X, Y).theta_


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SUFFICE_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(("ours", "common", "expected"), [("3", "", 3), ("", "1", 1), ("2", "1", 2), ("", "x", None)])
def test_the_environment_says_how_many(monkeypatch: pytest.MonkeyPatch, ours: str, common: str, expected: Any) -> None:
    monkeypatch.setenv("SUFFICE_NUM_THREADS", ours)
    monkeypatch.setenv("OMP_NUM_THREADS", common)
    assert thread_count() == (expected or _usable_cores())


@pytest.mark.thorough
def test_a_worker_of_joblib_gets_its_share() -> None:
    workers = _usable_cores()
    for count, theta in Parallel(n_jobs=workers, backend="loky")(delayed(fit)(i) for i in range(workers)):
        assert count == 1
        np.testing.assert_array_equal(theta, fit()[1])


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_kernels_work_after_a_fork_and_in_a_pool() -> None:
    expected = fit()[1]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for count, theta in pool.map(fit, range(4)):
            assert count == 1
            np.testing.assert_array_equal(theta, expected)


def test_threads_of_python_share_the_cores() -> None:
    callers, most, stop = 6, [0], threading.Event()

    def watch() -> None:
        while not stop.is_set():
            most[0] = max(most[0], len(os.listdir("/proc/self/task")))

    if not os.path.isdir("/proc/self/task"):
        pytest.skip("the threads of a process can be counted on Linux only")
    watcher = threading.Thread(target=watch)
    watcher.start()
    before = len(os.listdir("/proc/self/task"))
    with ThreadPoolExecutor(callers) as pool:
        results = list(pool.map(fit, range(60)))
    stop.set()
    watcher.join()
    assert most[0] <= before + callers + _usable_cores() - 1
    for _, theta in results:
        np.testing.assert_array_equal(theta, results[0][1])
