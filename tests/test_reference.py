"""The reference has every public name, once, with an example; the navigation has every page."""

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from choices import spelled
from gallery import ROOT
from mathematics import formula, on_page_content
from reference import PAGES, directives, entry, written

import suffice as sf

DOCS = ROOT / "docs"
REFERENCE = "".join(path.read_text(encoding="utf-8") for path in sorted((DOCS / "reference").glob("*.md")))
LISTED = re.findall(r"^<!-- ::: suffice\.(\S+) -->$", REFERENCE, re.MULTILINE)
HOMES = [
    "concepts",
    "datasets",
    "engines",
    "estimators",
    "evaluate",
    "plots",
    "posterior",
    "readers.columns",
    "reporting",
    "stats",
    "store",
]


def public() -> dict[str, Any]:
    """Return every public class and function by the name it has on its page."""
    found = {name: getattr(sf, name) for name in sf.__all__ if name != "__version__"}
    for home in HOMES:
        module = importlib.import_module(f"suffice.{home}")
        for name in module.__all__:
            thing = getattr(module, name)
            if not any(thing is other for other in found.values()):
                found[f"{home.removeprefix('readers.')}.{name}"] = thing
    return {name: thing for name, thing in found.items() if not inspect.ismodule(thing)}


def test_every_public_name_is_in_the_reference_once() -> None:
    short = [re.sub(r"^plots\.\w+\.(\w+)$", r"plots.\1", name) for name in LISTED]  # a picture in a file of its own
    assert sorted(short) == sorted([*public(), "errors"])


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.md")), ids=lambda path: path.name)
def test_the_reference_is_what_docstrings_say(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == written(text), "run `make reference`"


def test_an_entry_has_signature_parameters_examples_and_members() -> None:
    found = entry("Beta")
    assert found.startswith("## Beta\n\n```python\nsf.Beta(a=1, b=1)\n```\n\nBelief about the probability of heads.\n")
    assert "\n**Parameters**\n\n- **a, b** (float or array):\n  Numbers of heads and tails" in found
    assert "\n```python\n>>> belief = Beta(2, 2)" in found
    assert "\n- `update(statistic=None, *, heads=None, tails=None, values=None, weights=None)`: Return" in found
    assert entry("plots.belief.belief").startswith("## belief\n\n```python\nsf.plots.belief(posterior, ")


def test_the_site_renders_the_reference_itself() -> None:
    page = "# Families\n\nWords.\n\n<!-- ::: suffice.Beta -->\n\nmade\n\n<!-- ::: suffice.Gamma -->\n"
    assert directives(page) == "# Families\n\nWords.\n\n::: suffice.Beta\n\n::: suffice.Gamma\n"
    assert directives(written(page)) == directives(page)


def test_every_public_name_has_an_example() -> None:
    assert [name for name, thing in public().items() if ">>>" not in (inspect.getdoc(thing) or "")] == []


def test_every_page_is_in_the_navigation_once() -> None:
    listed = re.findall(
        r"^ +- (?:[^:\n]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE
    )
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    there |= {path.relative_to(DOCS).with_suffix(".md").as_posix() for path in (DOCS / "gallery").glob("*.py")}
    there |= {"ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"}
    assert sorted(listed) == sorted(there)


def test_every_page_of_the_gallery_has_a_card() -> None:
    text = (DOCS / "gallery" / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^- \[.+\]\((\w+)\.py\): ", text, re.MULTILINE)) == sorted(
        path.stem for path in (DOCS / "gallery").glob("*.py")
    )


def test_formulas_are_drawn() -> None:
    drawn = on_page_content(r'<p><span class="arithmatex">\(\theta \sim \mathrm{Beta}(a &lt; b)\)</span></p>')
    assert drawn.startswith("<p><math")
    assert "<mo>&#x0223C;</mo><mrow><mi>Beta</mi></mrow>" in drawn
    assert "<mo>&#x0003C;</mo>" in drawn
    assert 'display="block"' in formula("x", block=True)
    assert '<mi>ln</mi><mspace width="0.17em" />' in formula(r"\ln x", block=False)


def test_choices_keep_their_default() -> None:
    assert spelled('x : {"a", "b"}, default="b"') == 'x : "a" or "b", default="b"'
    assert spelled("see {x} and x : dict") == "see {x} and x : dict"
