"""Model files that an earlier version has left say what their models said, as those in `tests/store` do."""

import warnings

import pytest

import suffice as sf
from golden.files import FILES, held_to, model_file, must_agree
from golden.outputs import Stored, every_stored, plain

MODELS = list(every_stored())


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_file_of_format_1_says_what_its_model_said(model: Stored) -> None:
    frozen = held_to(model.case, model.part)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = plain(model.say(sf.load(model_file(model.case, model.part))))
    must_agree(f"{model.case}/{model.part}", {name: frozen[name] for name in said}, said)


def test_there_is_no_file_that_no_case_asks_for() -> None:
    assert {path.name for path in FILES.iterdir()} == {model_file(model.case, model.part).name for model in MODELS}
