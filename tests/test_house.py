"""One name is one thing, and a call walks through few files; `tools/house.py` prints further measures."""

import re
from collections import defaultdict
from pathlib import Path

import house
import pytest
import walk

import suffice as sf
from suffice.models.likelihoods.base import Likelihood

ANOTHER_LAYER = {"base.py", "codes.py", "information.py", "pareto.py"} | {
    path.name for path in house.files("models/likelihoods", "estimators/naive_bayes")
}
"""Names of files that come twice for the same thing in another layer, such as a likelihood and its classifier."""


def twice(pairs: list[tuple[str, str]]) -> set[str]:
    places = defaultdict(set)
    for name, place in pairs:
        places[name].add(place)
    return {name for name, where in places.items() if len(where) > 1}


def test_one_name_is_one_thing() -> None:
    assert twice(list(house.class_names(house.files()))) == set()
    assert twice(list(house.file_names(house.files()))) <= ANOTHER_LAYER


def test_the_contract_of_a_likelihood_is_what_the_page_lists() -> None:
    methods, attributes = house.contract(Likelihood)
    assert len(methods) <= 20
    assert len(attributes) <= 6
    page = (Path(__file__).parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = page.split("## The contract of a likelihood\n")[1].split("\n## ")[0]
    listed = re.findall(r"^\| .* \| (`.*) \|$", section, re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(listed))) == sorted([*methods, *attributes])


@pytest.mark.parametrize(
    ("call", "most"), [("NaiveBayes.fit", 46), ("NaiveBayes.explain", 20), ("TextClassifier.fit", 31)]
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
