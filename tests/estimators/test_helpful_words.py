"""Messages to users when something is missing, unknown, or alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

import suffice as sf
from laws.estimators import EstimatorCase, every_estimator
from suffice.engines.roles import guess_target, guess_text
from suffice.errors import DataError, InputError, KindError, LabelError
from suffice.models.likelihoods.vocabulary import Cut
from suffice.reporting.facts import gather

TEXTS = ["free money now", "hello dear friend", "free offer", "see you at lunch"]
LABELS: list[Any] = ["spam", "ham", "spam", "ham"]
GAPS = [
    ["spam", None, "spam", "ham"],
    ["spam", float("nan"), "spam", "ham"],
    ("spam", None, "spam", "ham"),
    [None] * 4,
    np.array(["spam", None, "spam", "ham"], object),
    pl.Series(["spam", None, "spam", "ham"]),
    pa.array(["spam", None, "spam", "ham"]),
    list(pa.array(["spam", None, "spam", "ham"])),
    pd.Series(["spam", None, "spam", "ham"], dtype="string"),
    pd.Series(["spam", None, "spam", "ham"], dtype="category"),
]


@pytest.mark.parametrize("y", GAPS, ids=lambda y: type(y).__name__)
def test_a_label_that_is_missing_is_named_by_its_row(y: Any) -> None:
    words = r"first in row \d: every row needs a label\. Leave such rows out, or use SemiSupervised"
    calls: list[Callable[[], Any]] = [
        lambda: sf.TextClassifier().fit(TEXTS, y),
        lambda: sf.TextClassifier().fit(TEXTS, LABELS).partial_fit(TEXTS, y),
        lambda: sf.TextClassifier().fit(TEXTS, LABELS).forget(TEXTS, y),
        lambda: sf.GaussianNB().fit([[1.0], [2.0], [3.0], [4.0]], y),
    ]
    for call in calls:
        with pytest.raises(LabelError, match=words):
            call()
    with pytest.raises(LabelError, match=r"first in row \d: every row needs a label"):
        sf.evaluate.log_loss(np.log(np.full((4, 2), 0.5)), y, ["ham", "spam"])
    with pytest.raises(
        LabelError, match=r"every row.*Leave such rows out, or use SemiSupervised, which learns from them"
    ):
        sf.NaiveBayes().fit({"x": [1, 2, 3, 4]}, y)


@every_estimator
def test_no_classifier_learns_a_label_called_none(case: EstimatorCase) -> None:
    X, y = case.data(0, 12)
    labels = [str(label) for label in y]
    with pytest.raises(LabelError, match="label"):
        clone(case.model).fit(X, [labels[0], float("nan"), *labels[2:]])


def test_arrows_scalars_are_what_they_hold() -> None:
    plain = sf.CountVectorizer().fit_transform(TEXTS).toarray()
    for texts in (list(pa.array(TEXTS)), iter(pa.array(TEXTS, pa.large_string())), tuple(pa.array(TEXTS))):
        np.testing.assert_array_equal(sf.CountVectorizer().fit_transform(texts).toarray(), plain)
    for model, X in ((sf.TextClassifier(), TEXTS), (sf.NaiveBayes(), {"x": [1.0, 2.0, 3.0, 4.0]})):
        assert model.fit(X, list(pa.array(LABELS))).classes_.tolist() == ["ham", "spam"]
    with pytest.raises(KindError, match=r"got NoneType at index 1\. Leave out missing texts, or replace them by ''"):
        sf.CountVectorizer().fit(list(pa.array(["one", None])))
    with pytest.raises(KindError, match="must hold strings; got int at index 0"):
        sf.CountVectorizer().fit(list(pa.array([1, 2])))


def test_a_null_of_polars_is_a_missing_value() -> None:
    with pytest.raises(DataError, match="CategoricalNB needs a value everywhere; NaiveBayes accepts missing values"):
        sf.CategoricalNB().fit(pl.DataFrame({"x": ["a", None, "b"]}), [0, 1, 0])


def test_a_choice_of_tokens_is_not_blamed_on_a_parameter_that_nobody_set() -> None:
    with pytest.raises(DataError, match=r"min_df=5 and max_df=1\.0 drop all"):
        sf.TextClassifier(effort="best", min_df=5).fit(["free money", "hello friend"], ["a", "b"])
    words = sf.TextClassifier().fit(["free money", "hello friend"], ["a", "b"]).counts_
    with pytest.raises(
        DataError, match=r"texts chose pairs .* in at least 2 texts, .* Give more texts, or min_df=1"
    ) as found:
        Cut(2, chosen=True).of(words)
    assert "min_df=2" not in str(found.value)
    with pytest.raises(InputError, match="where texts chose pairs of words or letters: give min_df=1"):
        Cut(2, max_df=1, chosen=True).of(words)


def test_one_row_is_a_row() -> None:
    assert "1 row of 1 class: a 1" in repr(sf.NaiveBayes().fit({"x": [1]}, ["a"]))
    assert repr(sf.evaluate.reliability([[0.9, 0.1]], ["a"], ["a", "b"])).endswith("1 row in 1 bin)")


def test_a_column_that_must_be_named_is_required() -> None:
    with pytest.raises(InputError, match="one of 'a', 'b'; got none, and none of them is called label, labels, target"):
        guess_target(["a", "b"])
    with pytest.raises(InputError, match="one of 'label', 'class'; got none, and more than one of them is called"):
        guess_target(["label", "class"])
    with pytest.raises(InputError, match="column of texts, one of 'a', 'b'; got none, and more than one of them holds"):
        guess_text(pa.table({"a": ["x"], "b": ["y"]}), None)


PRIOR = "was seen in training: the answer is the class prior."


def test_an_answer_that_is_the_prior_says_so() -> None:
    words = sf.TextClassifier().fit([*TEXTS, "free"], [*LABELS, "spam"])
    explanation = words.explain("zxcv qwerty")
    assert explanation.note == f"No word of this text {PRIOR}"
    assert explanation.log_odds == explanation.prior
    assert explanation.note in repr(explanation)
    assert explanation.note in explanation._repr_html_()
    assert words.explain("free zxcv").note == ""
    table = sf.NaiveBayes().fit({"n": [1.0, 2.0, 8.0, 9.0], "c": ["x", "y", "x", "y"]}, LABELS)
    assert table.explain({"n": None, "c": None}).note == f"No value of this row {PRIOR}"
    assert table.explain({"n": None, "c": "never"}).note.startswith("No value of this row was seen in training")
    note = table.explain({"n": 2.0, "c": None}).note
    assert note == "" or "do not distinguish" in note
    codes = sf.CategoricalNB().fit([["x"], ["y"], ["x"]], ["a", "b", "a"])
    assert codes.explain(["z"]).note == "No value of this row was seen in training."
    assert codes.explain(["x"]).note == ""


def notes(model: Any, X: Any, y: Any, held_out: bool) -> str:
    """Return the alerts about rows of which nothing is known."""
    return " ".join(str(one) for one in gather(model, X, y, None, held_out).data.alerts if one.kind == "unknown")


def test_the_report_counts_rows_of_which_nothing_is_known() -> None:
    model = sf.TextClassifier(temper=None, feature_powers=None).fit([*TEXTS, "free lunch"], [*LABELS, "spam"])
    new = ["zxcv", "free", "qwerty asdf", ""]
    assert "3 texts hold no word that was learned" in notes(model, new, LABELS, True)
    assert notes(model, TEXTS, LABELS, True) == ""
    learned = notes(model, [*TEXTS, "free lunch"], [*LABELS, "spam"], False)
    assert "1 text holds no word that was learned" in learned  # "hello dear friend" has no word of another text
    table = sf.NaiveBayes(temper=None, feature_powers=None).fit(
        {"n": [1.0, 2.0, 8.0, 9.0], "c": ["x", "y", "x", "y"]}, LABELS
    )
    holes = pd.DataFrame({"n": [None, None, 2.0, None], "c": ["x", None, None, "never"]})
    assert "2 rows hold no value that was learned" in notes(table, holes, LABELS, True)
