"""Model files that are kept say what they said: those of format version 1 stay readable from the first release on.

    PYTHONPATH=tests python -m store.test_golden

writes them again. Until the first release, a change of the format needs that; after it, a new version with new files.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suffice as sf
from store.cases import answer, models
from suffice.store import describe

FOLDER = Path(__file__).with_name("golden")
ANSWERS = FOLDER / "answers.json"
KEPT = (
    "categorical", "concepts", "discriminant", "journal_counts", "language", "mixture", "multinomial_weighed",
    "semi_supervised", "table", "text", "text_transformed", "text_urns",
)  # fmt: skip


def file_of(name: str) -> Path:
    return FOLDER / f"{name}.suffice"


@pytest.fixture(scope="module")
def fitted() -> dict[str, tuple[Any, Any]]:
    """Return models as they are learned now, with rows to ask about."""
    return models()


@pytest.mark.parametrize("name", KEPT)
def test_a_kept_file_says_what_it_said(name: str, fitted: dict[str, tuple[Any, Any]]) -> None:
    said = np.array(json.loads(ANSWERS.read_text())[name])
    np.testing.assert_allclose(answer(sf.load(file_of(name)), fitted[name][1]), said, rtol=1e-12, atol=1e-12)
    assert describe(file_of(name)).format_version == 1


def test_rows_have_the_hashes_that_they_had(fitted: dict[str, tuple[Any, Any]]) -> None:
    assert sf.load(file_of("journal_counts")).journal_ == fitted["journal_counts"][0].journal_


def main() -> None:
    """Write the files, and what their models say."""
    FOLDER.mkdir(exist_ok=True)
    found = models()
    for name in KEPT:
        sf.save(found[name][0], file_of(name))
    lines = [f"{json.dumps(name)}: {json.dumps(np.asarray(answer(*found[name])).tolist())}" for name in KEPT]
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
