"""Write what `make coverage` found into docs/quality.md: the Python by folder, the C++ by file."""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parent.parent
FOUND = ROOT / "build" / "coverage"
PAGE = ROOT / "docs" / "quality.md"
SOURCE = PurePosixPath("src/suffice")


def share(part: int, total: int) -> str:
    """Return a percentage, with "–" of nothing."""
    return f"{100 * part / total:.1f} %" if total else "–"


def table(head: str, rows: Iterable[tuple[str, int, int, int, int]]) -> str:
    """Return a Markdown table of lines and branches, covered and in all."""
    lines = [f"| {head} | lines | covered | branches | covered |", "|-|-:|-:|-:|-:|"]
    for name, covered, total, taken, ways in rows:
        lines.append(f"| {name} | {total:,} | {share(covered, total)} | {ways:,} | {share(taken, ways)} |")
    return "\n".join(lines)


def python_rows(found: Any) -> list[tuple[str, int, int, int, int]]:
    """Return the coverage of each folder of the package."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for name, file in found["files"].items():
        inside = PurePosixPath(name).relative_to(SOURCE)
        folder = f"`{inside.parts[0]}/`" if len(inside.parts) > 1 else "other files"
        s = file["summary"]
        numbers = (s["covered_lines"], s["num_statements"], s["covered_branches"], s["num_branches"])
        for total in (sums[folder], sums["**all**"]):
            total[:] = [a + b for a, b in zip(total, numbers, strict=True)]
    names = sorted(sums, key=lambda name: (name == "**all**", not name.startswith("`"), name))
    return [(name, *sums[name]) for name in names]  # type: ignore[misc]


def native_rows(found: Any) -> list[tuple[str, int, int, int, int]]:
    """Return the coverage of each file of native/."""
    files = [*found["files"], {**found, "filename": "**all**"}]
    return [
        (
            name if name.startswith("*") else f"`{PurePosixPath(name).name}`",
            *(file[key] for key in ("line_covered", "line_total", "branch_covered", "branch_total")),
        )
        for file in files
        for name in [file["filename"]]
    ]


def replaced(text: str, mark: str, content: str) -> str:
    """Return the text with what stands between two comments named `mark` replaced."""
    before, rest = text.split(f"<!-- {mark} -->\n", 1)
    after = rest.split(f"<!-- end of {mark} -->", 1)[1]
    return f"{before}<!-- {mark} -->\n{content}\n<!-- end of {mark} -->{after}"


def main() -> None:
    """Rewrite the tables of the page."""
    page = PAGE.read_text(encoding="utf-8")
    python = json.loads((FOUND / "python.json").read_text(encoding="utf-8"))
    native = json.loads((FOUND / "native.json").read_text(encoding="utf-8"))
    page = replaced(page, "python", table("Python", python_rows(python)))
    page = replaced(page, "native", table("C++", native_rows(native)))
    PAGE.write_text(page, encoding="utf-8")
    print(table("Python", python_rows(python)), table("C++", native_rows(native)), sep="\n\n")


if __name__ == "__main__":
    main()
