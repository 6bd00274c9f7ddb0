"""The documentation says what the code does: tags, lines of code, links, the skeleton."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = sorted((ROOT / "src" / "suffice").rglob("*.py"))
ALL_PAGES = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md"))
PAGES = sorted((ROOT / "docs" / "math").glob("*.md"))
TAGGED = re.compile(r"^\s*(?:>>> )?(?P<code>.+?)  # (?P<tag>[A-Z]{2}-\d+)$", re.MULTILINE)
ROW = re.compile(r"^\| (?P<tag>[A-Z]{2}-\d+) \| .+ \| `(?P<code>[^`]+)` \|$", re.MULTILINE)
HEADER = re.compile(r"^ *(?P<tag>[A-Z]{2}-\d+)  \S", re.MULTILINE)


def found(pattern: re.Pattern[str], paths: list[Path]) -> set[tuple[str, str]]:
    return {(m["tag"], m["code"]) for path in paths for m in pattern.finditer(path.read_text(encoding="utf-8"))}


def test_each_formula_stands_beside_the_line_that_computes_it() -> None:
    in_code, in_docs = found(TAGGED, SOURCE), found(ROW, PAGES)
    assert in_code == in_docs
    assert len(in_code) > 30


def test_the_formulas_of_a_family_are_in_its_docstring_and_on_its_page() -> None:
    families = 0
    for path in SOURCE:
        head = {m["tag"] for m in HEADER.finditer(path.read_text(encoding="utf-8"))}
        if head:
            families += 1
            page = ROOT / "docs" / "math" / f"{path.stem}.md"
            assert head == {m["tag"] for m in ROW.finditer(page.read_text(encoding="utf-8"))}, page.name
    assert families >= 11


def test_no_equation_is_missing() -> None:
    for prefix, last in [
        ("BB", 7),
        ("CL", 7),
        ("DM", 11),
        ("EM", 4),
        ("GD", 5),
        ("GP", 4),
        ("HB", 4),
        ("NG", 5),
        ("NW", 5),
        ("PU", 5),
        ("WP", 3),
    ]:
        tags = {tag for tag, _ in found(ROW, PAGES)}
        assert {f"{prefix}-{i}" for i in range(1, last + 1)} == {tag for tag in tags if tag.startswith(prefix)}


def test_links_lead_somewhere() -> None:
    for page in sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md")):
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)", text):
            assert target.startswith("https://") or (page.parent / target).exists(), target


SEARCHED = {
    "GDPR": "forgetting.md",
    "right to erasure": "forgetting.md",
    "threshold": "decide.md",
    "imbalanced": "decide.md",
    "Bayes factor": "compare.md",
    "calibration": "honest.md",
    "cold start": "unlabelled.md",
    "few labels": "unlabelled.md",
    "DuckDB": "tables.md",
    "command line": "files.md",
    "naiveBayes": "from_r.md",
}


def test_a_search_finds_the_page() -> None:
    """The term is in a heading or the first paragraph, where the search of the site ranks it first."""
    for term, page in SEARCHED.items():
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        first = next(part for part in text.split("\n\n") if not part.startswith("#"))
        assert term.lower() in "\n".join([first, *re.findall(r"^#+ .+$", text, re.MULTILINE)]).lower()


def test_pages_say_what_was_measured_and_no_aims() -> None:
    for page in sorted((ROOT / "docs").glob("*.md")):
        assert not re.search(r"\(missed\)|\(aim\b|\| aim \||this machine", page.read_text(encoding="utf-8"))


def test_pages_have_one_word_for_one_thing() -> None:
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        others = r"\b(judged?|judges|judging|dealt|by heart|clouds?|evidence weights?|feature_weights)\b"
        assert re.findall(others, text, re.IGNORECASE) == []


def test_anchors_lead_to_a_heading() -> None:
    for page in sorted((ROOT / "docs").glob("*.md")):
        for target, anchor in re.findall(r"\]\(([^)#\s]*\.md)?#([^)\s]+)\)", page.read_text(encoding="utf-8")):
            text = (page.parent / target if target else page).read_text(encoding="utf-8")
            anchors = {slug(title) for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
            assert anchor in anchors, (page.name, anchor)


def slug(title: str) -> str:
    """Return the anchor of a heading as MkDocs makes it."""
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())


def test_places_that_the_architecture_names_are_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)
    places = [name for cell in cells for name in _from_one_folder(re.findall(r"`([^`]+)`", cell))]
    assert len(places) > 30
    assert [name for name in places if not any((root / name).exists() for root in (ROOT / "src/suffice", ROOT))] == []


def _from_one_folder(names: list[str]) -> list[str]:
    """Return names of one cell; those without a folder are beside the first, where it has one."""
    folder = names[0].rstrip("/").rpartition("/")[0]
    return [name if "/" in name.rstrip("/") or not folder else f"{folder}/{name}" for name in names]


def test_no_path_of_one_machine_is_in_the_tree() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split(
        "\n"
    )
    for name in listed:
        path = ROOT / name
        if name and path.suffix in (".py", ".md", ".toml", ".hpp", ".cpp", ".pyi", ".txt") and path.is_file():
            assert not re.search(r"/(home|root|Users)/\w", path.read_text(encoding="utf-8")), name
