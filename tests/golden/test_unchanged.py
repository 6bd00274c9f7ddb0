"""Every model says what it said when its outputs were frozen; what is wanted otherwise is in `cases.INTENDED`."""

from typing import Any

import pytest

from golden.cases import INTENDED
from golden.files import OUTPUTS, must_agree, output_file, read
from golden.outputs import Part, every_part

PARTS = list(every_part())


def parameters(parts: list[Part]) -> list[Any]:
    return [part if part.quick else pytest.param(part, marks=pytest.mark.thorough) for part in parts]


@pytest.mark.parametrize("part", parameters(PARTS), ids=str)
def test_outputs_are_those_that_were_frozen(part: Part) -> None:
    must_agree(f"{part.case}/{part.name}", read(output_file(part.case))[part.name], part.outputs())


def test_nothing_is_frozen_that_no_case_asks_for() -> None:
    assert {path.name for path in OUTPUTS.iterdir()} == {output_file(part.case).name for part in PARTS}


def test_every_wanted_difference_has_a_reason() -> None:
    assert all(INTENDED.values())
