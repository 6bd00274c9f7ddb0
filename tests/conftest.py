"""Hypothesis is set once: the same examples on every run, so that a red test stays red until it is mended."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "suffice", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", deadline=None, max_examples=500, suppress_health_check=list(HealthCheck))
settings.load_profile("suffice")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a file stay on one core where there are several (`pytest -n 2 --dist loadgroup`), and so do engines."""
    for item in items:
        engines = "engines" in item.path.parts and "tests" in item.path.parts
        item.add_marker(pytest.mark.xdist_group("engines" if engines else str(item.path)))
