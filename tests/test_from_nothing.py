"""On a machine that has never seen the project, no cache, home folder or variable decides what is installed."""

import os
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the Makefile and its scripts are for a POSIX shell")


def run(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, env=variables, cwd=ROOT)


def executable(path: Path, *lines: str) -> None:
    path.write_text("\n".join(["#!/bin/sh", *lines]) + "\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_a_newcomer_has_an_empty_home_and_little_else(tmp_path: Path) -> None:
    pip = tmp_path / ".config" / "pip" / "pip.conf"
    pip.parent.mkdir(parents=True)
    pip.write_text("[global]\n", encoding="utf-8")
    given = {"PYTHONPATH": "x", "CXXFLAGS": "x", "PIP_CACHE_DIR": "x", "XDG_CACHE_HOME": "x", "PIP_INDEX_URL": "there"}
    shown = run(
        "tools/as_newcomer.sh", "sh", "-c", "ls -A ~; env", PATH=os.environ["PATH"], HOME=str(tmp_path), **given
    )
    kept = dict(line.split("=", 1) for line in shown.stdout.splitlines())  # a file in HOME would be a line without "="
    assert kept.pop("PATH") == os.environ["PATH"]
    assert kept.pop("HOME") not in {str(tmp_path), os.environ.get("HOME")}
    assert kept.pop("PIP_INDEX_URL") == "there"
    assert kept.pop("PIP_CONFIG_FILE") == str(pip)
    assert kept.pop("PIP_NO_CACHE_DIR") == "1"
    assert set(kept) <= {"PWD", "OLDPWD", "SHLVL", "_"}


def test_a_newcomer_sees_failure() -> None:
    assert run("tools/as_newcomer.sh", "sh", "-c", "exit 3", PATH=os.environ["PATH"]).returncode == 3


def test_ci_is_a_newcomer() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "make" in line] == [
        "tools/as_newcomer.sh make test",
        "tools/as_newcomer.sh make test-thorough",
        "tools/as_newcomer.sh make test-oldest",
    ]


def test_only_our_own_package_is_built_without_isolation() -> None:
    installs = re.findall(r"^.*--no-build-isolation.*$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert installs
    assert all("--no-deps" in line and line.rstrip(" \\").endswith("--editable .") for line in installs)


def test_what_builds_it_is_listed_once() -> None:
    """So that a requirement removed from where pip looks for it is missing in `make test` as well."""
    build = run(sys.executable, "tools/requirements.py", "build").stdout.split()
    assert build == [*PROJECT["build-system"]["requires"], *PROJECT["dependency-groups"]["compile"]]
    names = {re.split(r"[<>=~! \[]", line)[0] for line in build}
    extras = [line for lines in PROJECT["project"]["optional-dependencies"].values() for line in lines]
    assert not names & {re.split(r"[<>=~! \[]", line)[0] for line in [*extras, *PROJECT["project"]["dependencies"]]}


def test_requirements_of_extras_come_with_those_of_the_library() -> None:
    listed = run(sys.executable, "tools/requirements.py", "dask", "spark").stdout.splitlines()
    extras = PROJECT["project"]["optional-dependencies"]
    assert listed == [*PROJECT["project"]["dependencies"], *extras["dask"], *extras["spark"]]
    grouped = run(sys.executable, "tools/requirements.py", "group", "coverage").stdout.splitlines()
    assert grouped == PROJECT["dependency-groups"]["coverage"]


@pytest.mark.parametrize(("target", "versions"), [("lint", ""), ("test-oldest", ".venv-oldest/")])
def test_what_is_installed_is_constrained(target: str, versions: str) -> None:
    planned = run("make", "--dry-run", "--always-make", target, PATH=os.environ["PATH"]).stdout
    installs = re.findall(r"pip .*--requirement /dev/stdin", planned)
    assert installs
    assert all(f" --constraint {versions}constraints.txt " in line for line in installs)


def test_the_oldest_versions_are_those_that_are_declared() -> None:
    """Each once: a constraint per package, of CI's where none is declared."""
    lines = run(sys.executable, "tools/requirements.py", "oldest").stdout.splitlines()
    oldest = dict(line.split("==") for line in lines)
    assert len(oldest) == len(lines)
    for declared in [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"]]:
        name, version = declared.split(">=")
        assert oldest[name] == version
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower().replace("_", "-").splitlines()
    assert {line.split("==")[0] for line in pinned} <= oldest.keys()
    assert f"hypothesis=={oldest['hypothesis']}" in pinned


def test_a_python_is_tried_by_running_it(tmp_path: Path) -> None:
    """The shim of a version manager is there and fails; what is too old says so; the next one is taken."""
    executable(tmp_path / "python3.11", 'echo "shim: python3.11: command not found" >&2', "exit 127")
    executable(tmp_path / "python3.12", 'echo "is Python 3.10" >&2', "exit 1")
    executable(tmp_path / "python3.13", "exit 0")
    found = run("tools/find_python.sh", PATH=f"{tmp_path}:/usr/bin:/bin")
    assert found.stdout == "python3.13\n"
    assert "passing over python3.11: shim: python3.11: command not found" in found.stderr
    assert "passing over python3.12: is Python 3.10" in found.stderr


def test_a_python_that_is_named_is_the_only_one_tried(tmp_path: Path) -> None:
    executable(tmp_path / "python3.11", "exit 0")
    found = run("tools/find_python.sh", "python9", PATH=f"{tmp_path}:/usr/bin:/bin")
    assert found.returncode == 1
    assert found.stdout == ""
    assert "python9: not found" in found.stderr
    assert "make PYTHON=/path/to/python3.11" in found.stderr
