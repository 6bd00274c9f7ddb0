"""Print what pyproject.toml asks for: what builds the package, what it needs to run, and what the extras named add.

    python tools/requirements.py build          what compiles it, for an install without build isolation
    python tools/requirements.py dev docs       what it needs to run, and the extras "dev" and "docs"

The Makefile hands the list to pip, which installs all of it in the ordinary way. Only the package itself is then built in
place, without build isolation and without asking for anything more.
"""

import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def requirements(*extras: str) -> list[str]:
    """Return the requirements of a build, or of a run with extras."""
    settings = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    if extras == ("build",):
        return [*settings["build-system"]["requires"], *settings["dependency-groups"]["compile"]]
    optional = settings["project"]["optional-dependencies"]
    return [*settings["project"]["dependencies"], *(line for extra in extras for line in optional[extra])]


if __name__ == "__main__":
    print("\n".join(requirements(*sys.argv[1:])))
