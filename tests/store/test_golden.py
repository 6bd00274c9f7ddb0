"""Files of every format version stay readable, and say what they said."""

import json
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from store.cases import answer, models
from suffice.store import describe, registry

GOLDEN = Path(__file__).with_name("golden")
FILES = sorted(GOLDEN.glob("*/*.suffice"))
MODELS = models()
ROWS = {name: rows for name, (_, rows) in MODELS.items()}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_golden_file_says_what_it_said(path: Path) -> None:
    said = np.array(json.loads(path.with_suffix(".json").read_text()))
    digits = 1e-6 if path.stem == "language_backed" else 1e-12  # an optimizer finds its strength when it is loaded
    np.testing.assert_allclose(answer(sf.load(path), ROWS[path.stem]), said, rtol=digits, atol=1e-12)
    assert describe(path).format_version == int(path.parent.name)


@pytest.mark.parametrize("path", [path for path in FILES if "journal" in path.stem], ids=lambda path: path.stem)
def test_rows_have_the_hashes_that_they_had(path: Path) -> None:
    assert sf.load(path).journal_ == MODELS[path.stem][0].journal_


def test_there_is_one_of_every_model() -> None:
    assert {describe(path).estimator for path in FILES} == {*registry.ESTIMATORS, *registry.LEARNERS}
