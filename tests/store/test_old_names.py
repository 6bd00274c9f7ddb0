"""Files of earlier versions, whose parameters have the names of their time."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import suffice as sf
from store.test_damage import refused, rewritten
from suffice.models.scoring.cells import Temper

TEXTS, LABELS = ["cheap pills", "lunch at noon", "cheap watches", "lunch?"], ["spam", "ham", "spam", "ham"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    model = sf.TextClassifier(alpha=1.0, feature_weights=None, temper=None).fit(TEXTS, LABELS)
    sf.save(model, tmp_path / "m.suffice")
    return tmp_path / "m.suffice"


def changed(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the parameters in a file."""

    def parameters(about: dict[str, str]) -> None:
        given = json.loads(about["parameters"])
        change(given)
        about["parameters"] = json.dumps(given)

    rewritten(path, parameters)


def test_old_names_of_parameters_are_read(path: Path) -> None:
    changed(path, lambda given: given.update(weights=given.pop("feature_weights")))
    assert sf.store.describe(path).parameters["feature_weights"] is None
    model = sf.load(path)
    assert model.feature_weights is None
    assert model.predict(["cheap"]) == ["spam"]


@pytest.mark.parametrize("length", [0.0, 0.4])
def test_a_temper_that_is_a_pair_is_read(path: Path, length: float) -> None:
    def paired(given: dict[str, Any]) -> None:
        del given["length_exponent"]
        given["temper"] = {"$": "tuple", "of": [0.7, length]}

    changed(path, paired)
    model = sf.load(path)
    assert (model.temper, model.length_exponent) == (0.7, length)
    assert model.temper_ == Temper(0.7, length)


def test_rows_that_are_no_documents_have_one_number(tmp_path: Path) -> None:
    path = tmp_path / "flags.suffice"
    sf.save(sf.BernoulliNB().fit([[0], [1]], ["a", "b"]), path)
    changed(path, lambda given: given.update(temper={"$": "tuple", "of": [0.5, 0.0]}))
    assert sf.load(path).temper == 0.5
    changed(path, lambda given: given.update(temper={"$": "tuple", "of": [0.5, 0.4]}))
    assert "only documents have lengths" in refused(path)


TOKENS = {
    "analyzer": "word",
    "lowercase": False,
    "stop_words": {"$": "list", "of": ["at"]},
    "token_pattern": r"(?u)\b\w\w+\b",
    "max_df": 0.9,
    "hash_bits": None,
}


def test_options_of_tokens_are_one_value(path: Path) -> None:
    def older(given: dict[str, Any]) -> None:
        del given["tokens"], given["term_weighting"], given["vocabulary"]
        given.update(TOKENS, sublinear_tf=False, use_idf=False, norm=False)

    changed(path, older)
    tokens = sf.Tokens(lowercase=False, stop_words=["at"], max_df=0.9)
    assert sf.store.describe(path).parameters["tokens"] == tokens
    model = sf.load(path)
    assert (model.tokens, model.term_weighting) == (tokens, sf.TermWeighting(sublinear_tf=False))
    assert model.vocabulary is None
    assert model.predict(["cheap"]) == ["spam"]


def test_options_of_tokens_as_they_are_by_default(path: Path) -> None:
    def older(given: dict[str, Any]) -> None:
        del given["tokens"], given["term_weighting"], given["vocabulary"]
        given.update(lowercase=True, binary=False, normalize=False)

    changed(path, older)
    assert sf.load(path).tokens is sf.load(path).term_weighting is None


def test_options_of_tokens_that_cannot_be(path: Path) -> None:
    changed(path, lambda given: given.update(lowercase=False))
    assert "'tokens' and 'lowercase'" in refused(path)
    changed(path, lambda given: [given.pop("tokens"), given.update(lowercase="no")])
    assert "'lowercase' of Tokens must be True or False" in refused(path)


def test_a_parameter_has_one_name(path: Path) -> None:
    changed(path, lambda given: given.update(weights=None))
    assert "'weights' and 'feature_weights'" in refused(path)
