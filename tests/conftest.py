"""How tests run: the profiles of hypothesis, what only the thorough run has, which tests stay together on one worker.

`make test` is quick: few examples of every law, and the slowest laws over one classifier of each class. `make
test-thorough` (pytest --thorough) has more examples and leaves nothing out. Both draw the same examples on every run,
so that a red test stays red until it is mended; `pytest --hypothesis-profile=hunt` draws new ones each time.
"""

from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "quick", deadline=None, derandomize=True, max_examples=6, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=40)
settings.register_profile("hunt", deadline=None, max_examples=1000, suppress_health_check=list(HealthCheck))

ENGINES = "tests/engines/"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough", action="store_true", help="more examples of every law, every law over every classifier"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "thorough: runs only with --thorough")
    if config.getoption("--hypothesis-profile", default=None) is None:
        settings.load_profile("thorough" if config.getoption("--thorough") else "quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only the thorough run has; put engines first, which one worker tests for longest."""
    left = [] if config.getoption("--thorough") else [item for item in items if item.get_closest_marker("thorough")]
    config.hook.pytest_deselected(items=left)
    kept = set(items).difference(left)
    items[:] = sorted((item for item in items if item in kept), key=lambda item: not item.nodeid.startswith(ENGINES))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return the scheduler for `pytest -n 2`: tests of a file stay on one worker, and tests of engines share theirs.

    So there is one Spark session, and what a file computes once is computed once. Marks and `--dist loadgroup` would do
    the same, but pytest 9.2 keeps a test's name where pytest-xdist 3.8 does not look: every test is a group of its own.
    """
    from xdist.scheduler import LoadScopeScheduling

    config.option.loadscopereorder = False  # in the order in which they were collected, not those of most tests first

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.split("::", 1)[0]
            return ENGINES if path.startswith(ENGINES) else path

    return ByFile(config, log)
