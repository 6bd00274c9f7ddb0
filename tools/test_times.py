"""Print which files of tests take how long, as a Markdown table, from what `pytest --junitxml` wrote.

.venv/bin/python -m pytest -n 2 --junitxml=build/quick.xml
.venv/bin/python -m pytest -n 2 --thorough --junitxml=build/thorough.xml
.venv/bin/python tools/test_times.py build/quick.xml build/thorough.xml
"""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

SHOWN = 24


def seconds(report: Path) -> tuple[Counter[str], Counter[str]]:
    """Return the seconds and the number of tests of each file; examples in documents and docstrings are one entry."""
    taken: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        place = case.get("classname", "")
        name = place.replace(".", "/") + ".py" if place.startswith("tests") else "examples in docstrings and pages"
        name = name.removeprefix("tests/")
        taken[name] += float(case.get("time", 0))  # type: ignore[assignment]
        tests[name] += 1
    return taken, tests


def main(*reports: str) -> None:
    """Print a row for each of the files that take longest, and one for the rest."""
    times = [seconds(Path(report)) for report in reports]
    (first, count), *others = times
    rows = [name for name, _ in first.most_common(SHOWN)]
    rest = [name for name in first if name not in rows]
    print("| file in `tests/` | cases |" + " seconds |" * len(times))
    print("|-|-:|" + "-:|" * len(times))
    for label, names in [*((f"`{name}`", [name]) for name in rows), (f"{len(rest)} others", rest), ("all", [*first])]:
        cells = (f"{sum(taken[name] for name in names):.1f}" for taken, _ in [(first, count), *others])
        print(f"| {label} | {sum(count[name] for name in names):,} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
