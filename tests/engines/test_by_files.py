"""Classifiers are chosen for files, and changed by files as by the same rows in memory, completely or not at all."""

from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.engines import classifier_for, forget_files, read_files, refresh_files, update_files
from suffice.errors import InputError, SubtractionError

TEXTS = ["cheap pills", "lunch at noon", "cheap watches", "lunch with you"] * 6
LABELS = np.array(["spam", "ham"] * 12)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with all rows, some of them, and a row with a label of another type."""
    lines = [f"{text},{label}" for text, label in zip(TEXTS, LABELS, strict=True)]
    (tmp_path / "all.csv").write_text("\n".join(["text,label", *lines]))
    (tmp_path / "some.csv").write_text("\n".join(["text,label", *lines[:4]]))
    (tmp_path / "strange.csv").write_text("text,label\nparty tonight,ham\nparty tonight\n")
    (tmp_path / "table.csv").write_text("\n".join(["size,label", *(f"{k}.5,{'ab'[k % 2]}" for k in range(20))]))
    (tmp_path / "empty.csv").write_text("text,label\n")
    return tmp_path


def test_a_classifier_suits_the_rows(folder: Path) -> None:
    assert isinstance(classifier_for(folder / "all.csv"), sf.TextClassifier)
    assert isinstance(classifier_for(folder / "table.csv", effort="fast"), sf.NaiveBayes)
    with pytest.raises(InputError, match="must hold rows; found none in"):
        classifier_for(folder / "empty.csv")
    with pytest.raises(TypeError, match="seperator"):
        classifier_for(folder / "all.csv", seperator=",")


def test_rows_are_read_as_the_model_has_learned_them(folder: Path) -> None:
    model = sf.fit_files(sf.NaiveBayes(effort="fast"), folder / "table.csv")
    X, y, target = read_files(folder / "table.csv", model)
    assert target == "label"
    assert model.score(X, y) == sf.evaluate.validate(model, X, y).accuracy
    with pytest.raises(InputError, match="must hold rows"):
        read_files(folder / "empty.csv", sf.TextClassifier())


def test_more_rows_are_learned_once_or_again(folder: Path) -> None:
    model = sf.TextClassifier().fit(TEXTS[4:], LABELS[4:], journal=True)
    assert update_files(model, folder / "some.csv") == (4, 4)
    assert model.counts_ == sf.TextClassifier().fit(TEXTS, LABELS).counts_
    assert update_files(model, folder / "all.csv", once=True) == (0, 24)
    with pytest.raises(InputError, match="'once' needs a model that keeps a journal"):
        update_files(sf.TextClassifier().fit(TEXTS, LABELS), folder / "some.csv", once=True)


def test_an_error_leaves_the_classifier_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suffice.tables.row_files.BLOCK", 64)  # several batches
    model = sf.TextClassifier().fit(TEXTS, LABELS)
    before = model.counts_
    for change in (update_files, forget_files, refresh_files):
        with pytest.raises(InputError):
            change(model, [folder / "some.csv", folder / "strange.csv"])
        assert model.counts_ == before
    with pytest.warns(UserWarning, match="1 of 6 rows"):
        assert update_files(model, [folder / "some.csv", folder / "strange.csv"], errors="skip") == (5, 0)
    with pytest.raises(SubtractionError):
        forget_files(model, [folder / "all.csv"] * 2)
    assert model.class_count_.sum() == 29


def test_a_row_that_was_not_learned_is_named_by_its_number(folder: Path) -> None:
    model = sf.TextClassifier().fit(TEXTS[:2], LABELS[:2], journal=True)
    for change in (forget_files, refresh_files):
        with pytest.raises(SubtractionError) as caught:
            change(model, folder / "all.csv")
        assert caught.value.row == 2
        assert "was not learned with this label" in caught.value.came


def test_rows_are_forgotten_with_a_certificate(folder: Path) -> None:
    model = sf.TextClassifier().fit(TEXTS, LABELS, journal=True)
    rows, certificate = forget_files(model, folder / "some.csv")
    assert certificate is not None
    assert (rows, certificate.rows, certificate.left) == (4, 4, 20)
    first = certificate.unused_path(folder / "m.suffice")
    assert first.parent == folder
    first.write_text("")
    assert certificate.unused_path(folder / "m.suffice").stem == f"{first.stem}-2"
    assert forget_files(sf.TextClassifier().fit(TEXTS, LABELS), folder / "some.csv") == (4, None)


def test_a_refresh_chooses_what_a_fit_chooses(folder: Path) -> None:
    fitted = sf.fit_files(sf.TextClassifier(), folder / "all.csv")
    model = sf.fit_files(sf.TextClassifier(), folder / "all.csv").drop_views()
    assert refresh_files(model, folder / "all.csv") == 24
    assert repr(model.choices_) == repr(fitted.choices_)
    with pytest.warns(UserWarning, match="hold 4 of 24 rows of the model"):
        refresh_files(model, folder / "some.csv")
