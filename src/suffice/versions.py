"""Print what is installed, for a bug report."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

__all__ = ["show_versions"]

PACKAGES = ("suffice", "numpy", "scipy", "scikit-learn", "narwhals", "pyarrow")


def show_versions() -> None:
    """Print the versions of Suffice, its dependencies, Python and the platform.

    >>> show_versions()  # doctest: +ELLIPSIS
    suffice       ...
    """
    for package in PACKAGES:
        try:
            found = version(package)
        except PackageNotFoundError:
            found = "not installed"
        print(f"{package:<14}{found}")
    print(f"{'python':<14}{sys.version.split()[0]}")
    print(f"{'platform':<14}{platform.platform()}")
