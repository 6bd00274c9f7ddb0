"""Pictures of the pages explain, concepts and joint, made of what the pages do: `python benchmarks/pictures.py`."""

import doctest
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any

import suffice as sf
from suffice.errors import SufficeError

DOCS = Path(__file__).parents[1] / "docs"


def names_of(page: Path) -> dict[str, Any]:
    """Return the variables that the examples of a page define."""
    names: dict[str, Any] = {}
    parser = doctest.DocTestParser()
    for example in parser.get_examples(page.read_text(encoding="utf-8")):
        with redirect_stdout(StringIO()), suppress(*[SufficeError] if example.exc_msg else []):
            exec(compile(example.source, str(page), "single"), names)
    return names


def explanations() -> None:
    names = names_of(DOCS / "explain.md")
    penguin = names["table"].explain(names["penguins"].iloc[8], against="Chinstrap")
    drawn = {"explain_text": names["explanation"], "explain_table": penguin}
    for name, explanation in drawn.items():
        sf.plots.waterfall(explanation).save(str(DOCS / f"{name}.svg"))


def concepts() -> None:
    names = names_of(DOCS / "concepts.md")
    sf.plots.number_game(names["one"]).save(str(DOCS / "concepts_one.svg"))
    sf.plots.membership(names["near"]).save(str(DOCS / "concepts_near.svg"))


def together() -> None:
    names_of(DOCS / "joint.md")["chart"].save(str(DOCS / "joint.svg"))


def main() -> None:
    explanations()
    concepts()
    together()


if __name__ == "__main__":
    main()
