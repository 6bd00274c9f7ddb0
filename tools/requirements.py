"""Print what pyproject.toml asks for: what builds the package, what a group lists, or what it needs to run with extras.

    python tools/requirements.py build              what compiles it, for an install without build isolation
    python tools/requirements.py group coverage     the dependency group "coverage"
    python tools/requirements.py dev docs           what it needs to run, and the extras "dev" and "docs"
    python tools/requirements.py oldest             constraints.txt with the oldest declared version of what has one

The Makefile hands the list to pip, which installs all of it in the ordinary way. Only the package itself is then built
in place, without build isolation and without asking for anything more.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = ROOT / "pyproject.toml"
MINIMUM = re.compile(r"([\w-]+)(?:\[.*\])?>=([\d.]+)")


def requirements(*extras: str) -> list[str]:
    """Return the requirements of a build, of dependency groups, or of a run with extras."""
    settings = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    groups = settings["dependency-groups"]
    if extras == ("build",):
        return [*settings["build-system"]["requires"], *groups["compile"]]
    if extras[:1] == ("group",):
        return [line for name in extras[1:] for line in groups[name]]
    optional = settings["project"]["optional-dependencies"]
    return [*settings["project"]["dependencies"], *(line for extra in extras for line in optional[extra])]


def oldest() -> list[str]:
    """Return constraints: the oldest version that is declared of a package, or else the one that CI installs."""
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    versions = {name.replace("_", "-").lower(): version for name, version in (line.split("==") for line in pinned)}
    asked = [*requirements("build"), *requirements("dev")]
    versions |= {found[1]: found[2] for found in map(MINIMUM.match, asked) if found}
    return [f"{name}=={version}" for name, version in sorted(versions.items())]


if __name__ == "__main__":
    print("\n".join(oldest() if sys.argv[1:] == ["oldest"] else requirements(*sys.argv[1:])))
