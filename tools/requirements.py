"""Print what pyproject.toml asks for: what builds the package, what a group lists, or what it needs to run with extras.

    python tools/requirements.py build              what compiles it, for an install without build isolation
    python tools/requirements.py group coverage     the dependency group "coverage"
    python tools/requirements.py dev docs           what it needs to run, and the extras "dev" and "docs"

The Makefile hands the list to pip, which installs all of it in the ordinary way. Only the package itself is then built
in place, without build isolation and without asking for anything more.
"""

import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


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


if __name__ == "__main__":
    print("\n".join(requirements(*sys.argv[1:])))
