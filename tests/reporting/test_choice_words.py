"""The record of choices in words: what won, by how much, and whether that is more than noise."""

import re
from pathlib import Path
from typing import Any

import suffice as sf
from reporting.data import letters, lights
from suffice.models import choosing
from suffice.models.choices import ChoiceRow
from suffice.reporting.wording import MEANING, choices_in_words


def words(name: str, *options: tuple[str, float, float]) -> Any:
    """Return a choice whose first option is chosen, with differences and standard errors of the others."""
    rows = [ChoiceRow(name, option, k == 0, 0.5 + less, less, error) for k, (option, less, error) in enumerate(options)]
    (found,) = choices_in_words(rows)
    return found


def test_a_clear_difference_and_one_within_noise() -> None:
    clear = words("residuals", ("values, ridge 50", 0, 0), ("none", 0.02, 0.005), ("joint values, ridge 9", 0.1, 1))
    assert clear.chosen == "values, ridge = 50"
    assert clear.why == "The next best option, none, has a clearly higher log loss (0.0200 ± 0.0050 nats per row)."
    noise = words("pseudo-count", ("0.1", 0, 0), ("1", 0.002, 0.005))
    assert noise.why.endswith("(0.0020 ± 0.0050 nats per row), a difference within noise.")
    simple = words("tokens", ("words", 0, 0), ("words and pairs", -0.002, 0.005))
    assert "words and bigrams, has a lower log loss" in simple.why
    assert "the simpler option is taken" in simple.why


def test_options_are_translated() -> None:
    assert words("tokens", ("words and pairs", 0, 0)).chosen == "words and bigrams"
    assert words("numeric columns", ("multivariate normal", 0, 0)).chosen == "one covariance matrix per class"
    joint = words("joint columns", ("60 pairs or triples, κ 1, ridge 0.2, with missing values", 0, 0))
    assert joint.chosen == "60 pairs or triples, κ = 1, ridge = 0.2, missing counts as a value"
    assert words("label noise", ("0.001", 0, 0), ("none", -0.0003, 0.0001)).why.startswith("It costs 0.0003 ± 0.0001")


def test_every_choice_of_the_library_has_words() -> None:
    source = "".join(path.read_text() for path in Path(choosing.__file__).parent.glob("*.py"))
    names = set(re.findall(r'\.note\(\s*"([^"]+)"', source))
    assert len(names) >= 6
    assert names | {"tokens"} == set(MEANING)


def test_choices_of_models() -> None:
    texts, labels = letters(300)
    found = choices_in_words(sf.TextClassifier().fit(texts, labels).choices_)
    assert {one.name for one in found} <= set(MEANING)
    assert all(one.why and one.meaning and one.title for one in found)
    X, y = lights()
    names = [one.name for one in choices_in_words(sf.NaiveBayes().fit(X, y).choices_)]
    assert len(names) == len(set(names))
