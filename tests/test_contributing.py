"""The worked example of docs/add_a_likelihood.md works: a copy of the tree gets its snippets and passes the checks."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from suffice import _native

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = (ROOT / "docs" / "add_a_likelihood.md").read_text(encoding="utf-8")
SNIPPET = re.compile(
    r"^`(?P<path>[^`\n]+)`, (?:a new file|"
    r"after the line (?P<starts>that starts with )?(?P<ticks>`+)(?P<line>.+?)(?P=ticks))"
    r":\n\n```\w+\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PYTHON = (".py", ".pyi")


@dataclass(frozen=True)
class Snippet:
    """A new file, or lines that go after another one."""

    path: str
    line: str | None
    starts: bool
    text: str

    def apply(self, root: Path) -> None:
        """Write the file, or insert the lines after the only line that is as the page says."""
        target = root / self.path
        if self.line is None:
            assert not target.exists(), f"{self.path} is there already"
            target.write_text(self.text, encoding="utf-8")
            return
        lines = target.read_text(encoding="utf-8").splitlines(keepends=True)
        places = [i for i, line in enumerate(lines) if self._is(line.strip())]
        assert len(places) == 1, f"{self.path} must have one line {self.line!r}; got {len(places)}"
        apart = "\n\n" if self.text.startswith("def ") else ""  # on the page, ruff takes blank lines from the start
        lines.insert(places[0] + 1, apart + self.text)
        target.write_text("".join(lines), encoding="utf-8")

    def _is(self, line: str) -> bool:
        return line.startswith(str(self.line)) if self.starts else line == self.line


SNIPPETS = [Snippet(m["path"], m["line"], bool(m["starts"]), m["text"]) for m in SNIPPET.finditer(SECTION)]
CHANGED = sorted({one.path for one in SNIPPETS if one.path.endswith(PYTHON)})
MODULES = [path for path in CHANGED if path != "src/suffice/__init__.py"]  # mypy reads its stub instead
NEW = [one.path for one in SNIPPETS if one.line is None]


def run(tree: Path, *command: str) -> None:
    """Run a module of Python in a tree, without the editable install: `-S` leaves .pth files unread."""
    places = [str(tree / "src"), *(place for place in sys.path if place.rstrip("/").endswith("site-packages"))]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-S", *command], cwd=tree, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def pytest_in(tree: Path, *options: str) -> None:
    """Run tests in a tree, also those that are for the thorough run alone, with few examples."""
    run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--thorough", "--hypothesis-profile=quick", *options)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the tree with the snippets applied."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("the tree is no clone of git")
    if any((ROOT / name).exists() for name in NEW):
        pytest.skip("the tree has the example already")
    root = tmp_path_factory.mktemp("contributed")
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    compiled = Path(str(_native.__file__))
    shutil.copy(compiled, root / "src" / "suffice" / compiled.name)
    for snippet in SNIPPETS:
        snippet.apply(root)
    return root


def test_every_block_of_the_example_is_applied() -> None:
    assert len(SNIPPETS) == SECTION.count("\n```\n") > 10
    assert len(NEW) == 3


def test_steps_are_counted() -> None:
    steps = [int(number) for number in re.findall(r"^## (\d+)\. ", SECTION, re.MULTILINE)]
    assert steps == list(range(1, len(steps) + 1))


def test_what_the_page_names_is_there() -> None:
    """Files, in code or in links, and targets of make."""
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {*re.findall(r"`make ([a-z-]+)", PAGE), *re.findall(r"^make ([a-z-]+)$", PAGE, re.MULTILINE)} <= {*targets}
    plain = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`((?:tests|tools|docs|native|src|benchmarks|examples)/[\w/.]+)`", plain)) - {*NEW}
    assert len(named) > 15
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.thorough
def test_snippets_have_the_style_of_the_house(tree: Path) -> None:
    ruff = shutil.which("ruff", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if not ruff:
        pytest.skip("ruff is not installed")
    for command in (["check", "--no-cache"], ["format", "--check", "--no-cache"]):
        done = subprocess.run([ruff, *command, *CHANGED], cwd=tree, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.thorough
def test_the_new_column_classifies(tree: Path) -> None:
    run(tree, "-m", "doctest", *(name for name in NEW if name.endswith(".md")))
    code = (
        "import suffice as sf; from scipy.stats import betanbinom; belief = sf.SuccessRate(2, 3).update(values=[4, 0]);"
        "assert sf.__file__.startswith(%r), sf.__file__;"
        "assert abs(belief.predict().pmf(7) - betanbinom.pmf(7, 1, 4, 7)) < 1e-12;"
        "model = sf.NaiveBayes({'x': 'geometric'}).fit({'x': [0, 1, 6, 9]}, list('aabb'));"
        "assert model.predict({'x': [0, 12]}).tolist() == ['a', 'b']"
    )
    run(tree, "-c", code % str(tree))


@pytest.mark.thorough
def test_types_and_layers_hold(tree: Path) -> None:
    run(tree, "-m", "mypy", "--cache-dir", os.devnull, "--python-executable", sys.executable, *MODULES)
    run(tree, "-c", "import sys; from importlinter.cli import lint_imports_command as lint; sys.exit(lint([]))")


@pytest.mark.thorough
def test_the_new_names_are_documented(tree: Path) -> None:
    run(tree, "tools/reference.py")
    pages = ["tests/test_docs.py", "tests/test_reference.py", "tests/test_house.py", "tests/laws/test_registry.py"]
    pytest_in(tree, *pages, *NEW, "-k", "not machine and not links")


@pytest.mark.thorough
def test_the_new_names_obey_the_laws(tree: Path) -> None:
    names = "SuccessRate or BetaGeometric or failures or geometric or every_kind_is_here"
    pytest_in(tree, "tests/laws", "tests/posterior", "tests/estimators", "-k", names)


@pytest.mark.thorough
def test_its_belief_is_drawn_after_one_more_line(tree: Path) -> None:
    path = tree / "src" / "suffice" / "plots" / "curves.py"
    text = path.read_text(encoding="utf-8")
    with_line = text.replace('Beta: "probability", ', 'Beta: "probability", SuccessRate: "probability", ')
    assert with_line.count("SuccessRate") == 1
    path.write_text(with_line.replace("Pareto, WaitingRate", "Pareto, SuccessRate, WaitingRate"), encoding="utf-8")
    code = (
        "import suffice as sf; prior = sf.SuccessRate(1, 1); belief = prior.update(values=[4, 0, 7]);"
        "sf.plots.belief(prior); sf.plots.belief(sf.SuccessRate(0.5, 0.5)); sf.plots.belief([prior, belief]);"
        "chart = sf.plots.belief(belief, prior, show='prior, likelihood, posterior').to_dict();"
        "assert len(chart['layer']) > 2"
    )
    try:
        run(tree, "-c", code)
    finally:
        path.write_text(text, encoding="utf-8")


@pytest.mark.thorough
def test_its_column_is_inspected(tree: Path) -> None:
    code = (
        "import suffice as sf; from suffice.cli.lines import describe_columns, lines_of_columns;"
        "X = {'misses': [0, 1, 6, 9, 0, 2, 8, 5] * 3, 'wait': [1.5, 2.0, 7.0, 9.5] * 6};"
        "kinds = {'misses': 'geometric', 'wait': 'exponential'};"
        "model = sf.NaiveBayes(columns=kinds, joint=None).fit(X, [*'aabb'] * 6);"
        "lines = lines_of_columns(model, describe_columns(model), ['a', 'b'], 80); print(lines);"
        "assert lines[0].startswith('misses: geometric') and 'probability 0.' in lines[1], lines;"
        "assert lines[3].startswith('wait: exponential, rate')"
    )
    run(tree, "-c", code)
