"""The newcomer's path of README: fit, inspect, explain, predict and report from a file, as it stands there."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cli.test_cli import mails, write

ROOT = Path(__file__).parents[2]


@pytest.mark.thorough
def test_the_path_of_readme_runs(tmp_path: Path) -> None:
    block = re.search(r"```console\n(\$ suffice fit.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block is not None
    for name, seed in {"mail": 0, "new": 1, "test": 2}.items():
        write(tmp_path / f"{name}.csv", mails(seed, 100))
    verbs = []
    for line in block[1].splitlines():
        words = shlex.split(line.removeprefix("$ "), comments=True)
        verbs.append(words[1])
        done = subprocess.run(
            [sys.executable, "-m", "suffice.cli", *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert all(line.startswith("suffice: read ") for line in done.stderr.splitlines()), done.stderr
    assert verbs == ["fit", "inspect", "explain", "predict", "report"]
    assert "<html" in (tmp_path / "report.html").read_text()
    assert len((tmp_path / "answers.csv").read_text().splitlines()) == 101


@pytest.mark.thorough
def test_the_page_about_files_shows_what_is_printed(tmp_path: Path) -> None:
    """To the letter, but for digits: what is fitted may differ in the last of them."""
    block = re.search(r"```console\n(\$ suffice fit.*?)```", (ROOT / "docs" / "files.md").read_text(), re.DOTALL)
    assert block is not None
    for name, seed in {"mail": 0, "new": 1, "test": 2}.items():
        write(tmp_path / f"{name}.csv", mails(seed, 120))
    for part in re.split(r"^\$ ", block[1], flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        words = [sys.executable, "-m", "suffice.cli", *shlex.split(line)[1:]]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert re.sub(r"\d", "0", done.stderr + done.stdout) == re.sub(r"\d", "0", shown)
