"""Nothing new escapes the laws: every family and statistic of the library is registered."""

import inspect
import pkgutil
from importlib import import_module

import suffice
from laws.registry import FAMILIES, STATISTICS
from suffice.posterior import Conjugate
from suffice.stats import Statistic


def concrete(base: type) -> set[type]:
    for module in pkgutil.walk_packages(suffice.__path__, "suffice."):
        import_module(module.name)
    found: set[type] = set()
    queue = [base]
    while queue:
        below: list[type] = queue.pop().__subclasses__()
        queue += below
        found |= {kind for kind in below if not inspect.isabstract(kind) and kind.__module__.startswith("suffice.")}
    return found


def test_every_family_is_registered() -> None:
    assert {case.family for case in FAMILIES} == concrete(Conjugate)


def test_every_statistic_is_registered() -> None:
    assert {case.kind for case in STATISTICS} == concrete(Statistic)


def test_every_family_is_public() -> None:
    assert all(getattr(suffice, case.family.__name__) is case.family for case in FAMILIES)
