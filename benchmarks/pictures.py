"""Pictures of docs/explain.md, made of what the page itself does: `python benchmarks/pictures.py`."""

import doctest
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import suffice as sf

DOCS = Path(__file__).parents[1] / "docs"


def names_of(page: Path) -> dict[str, Any]:
    """What the examples of a page leave behind."""
    names: dict[str, Any] = {}
    parser = doctest.DocTestParser()
    for example in parser.get_examples(page.read_text(encoding="utf-8")):
        with redirect_stdout(StringIO()):
            exec(compile(example.source, str(page), "single"), names)
    return names


def main() -> None:
    names = names_of(DOCS / "explain.md")
    told = {"explain_text": names["told"], "explain_table": names["table"].explain(names["penguins"].iloc[8])}
    for name, explanation in told.items():
        sf.plots.waterfall(explanation).save(str(DOCS / f"{name}.svg"))


if __name__ == "__main__":
    main()
