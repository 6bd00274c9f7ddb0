"""Keeps the house small: how many files there are, how long they are, and through how many a call walks."""

import importlib.util
import re
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

import suffice as sf
from suffice.models.likelihoods.base import Likelihood

TOOLS = Path(__file__).parents[1] / "tools"


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"tools_{name}", TOOLS / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


house, walk = tool("house"), tool("walk")

FILES = 122
"""Files of models, readers and estimators, `__init__.py` too, without likelihoods and their classifiers."""

ONE_EACH = ("models/likelihoods", "estimators/naive_bayes")

ANY = 101
"""How often `Any` stands in estimators: where rows are as a reader takes them, or a state is as a file has it."""

ANOTHER_LAYER = {"base.py", "codes.py", "information.py", "pareto.py"} | {path.name for path in house.files(*ONE_EACH)}
"""Names of files that come twice for the same thing in another layer, such as a likelihood and its classifier."""


def twice(pairs: list[tuple[str, str]]) -> set[str]:
    places = defaultdict(set)
    for name, place in pairs:
        places[name].add(place)
    return {name for name, where in places.items() if len(where) > 1}


def test_there_are_no_more_files_than_needed() -> None:
    assert len(house.files(*house.FOLDERS)) - len(house.files(*ONE_EACH)) <= FILES


def test_no_file_is_long() -> None:
    long = {path.relative_to(house.SOURCE).as_posix(): house.lines(path) for path in house.files(*house.FOLDERS)}
    assert {name: n for name, n in long.items() if n > house.LONG} == {}


def test_one_name_is_one_thing() -> None:
    assert twice(list(house.class_names(house.files()))) == set()
    assert twice(list(house.file_names(house.files()))) <= ANOTHER_LAYER


def test_types_say_what_is_meant() -> None:
    paths = house.files()
    assert house.dispatchers(paths) == 0
    assert not [path for path in paths if re.search(r"\bowner: Any\b", path.read_text(encoding="utf-8"))]
    assert max(map(house.own_bases, house.classes())) <= 6
    assert sum(house.names(path, "Any") for path in house.files("estimators")) <= ANY


def test_the_contract_of_a_likelihood_is_what_the_page_lists() -> None:
    methods, attributes = house.contract(Likelihood)
    assert len(methods) <= 20
    assert len(attributes) <= 6
    page = (TOOLS.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = page.split("## The contract of a likelihood\n")[1].split("\n## ")[0]
    listed = re.findall(r"^\| .* \| (`.*) \|$", section, re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(listed))) == sorted([*methods, *attributes])


@pytest.mark.parametrize(
    ("call", "most"), [("NaiveBayes.fit", 54), ("NaiveBayes.explain", 23), ("TextClassifier.fit", 30)]
)
def test_a_call_walks_through_few_files(call: str, most: int) -> None:
    columns, labels = walk.table()
    fitted = sf.NaiveBayes().fit(columns, labels)
    calls = {
        "NaiveBayes.fit": lambda: sf.NaiveBayes().fit(columns, labels),
        "NaiveBayes.explain": lambda: fitted.explain({name: values[:1] for name, values in columns.items()}),
        "TextClassifier.fit": lambda: sf.TextClassifier().fit(*walk.texts()),
    }
    files = walk.traced(calls[call]).files
    assert 5 < len([file for file in files if file.partition("/")[0] in walk.FOLDERS]) <= most
