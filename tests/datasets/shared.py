"""Where the real files are, if they are here: a folder beside the clone. The rest of the tests need none of them."""

from pathlib import Path

import pytest

DATA = Path(__file__).parents[2].parent / "shared" / "data"


def real(name: str) -> Path:
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"the real {name} files are not beside this clone")
    return folder
