"""The numbers of a report, against those of the library."""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import suffice as sf
from reporting.data import counts, letters, lights, table
from suffice.models.answers.derived import parameter_table
from suffice.models.answers.ranking import believed
from suffice.models.choosing.judge import some_rows
from suffice.reporting import facts as facts_of_report
from suffice.reporting.facts import gather, two_to_show
from suffice.reporting.judged_rows import ALL, looks_learned
from suffice.reporting.labelled_rows import read
from suffice.reporting.shown_rows import marked


def test_rows_that_were_learned_are_judged_without_themselves() -> None:
    texts, labels = letters()
    model = sf.TextClassifier().fit(texts, labels)
    before = set(vars(model))
    found = gather(model, texts, labels, None, None)
    other = deepcopy(model)
    fitted_apart = sf.evaluate.crossfit(other, texts, labels)
    assert np.array_equal(found.judged.probabilities, fitted_apart.probabilities)
    assert found.judged.left_out
    assert found.judged.log_loss == fitted_apart.log_loss
    assert "is evaluated with a model without it: the rows are split into 5 folds" in found.judged.how
    assert set(vars(model)) == before  # the model is as it was


def test_rows_that_are_new_are_judged_as_they_are() -> None:
    texts, labels = letters(200)
    model = sf.TextClassifier().fit(texts[:100], labels[:100])
    found = gather(model, texts[100:], labels[100:], None, None).judged
    assert not found.learned
    assert "do not contain all of these rows" in found.how
    assert found.probabilities == pytest.approx(model.predict_proba(texts[100:]))
    assert found.accuracy == model.score(texts[100:], labels[100:])
    assert (found.overall["low"], found.overall["high"]) == sf.evaluate.share_interval(int(found.overall["right"]), 100)


def test_some_of_the_learned_rows_are_reported_and_held_out_says_which() -> None:
    X, y = counts()
    model = sf.MultinomialNB().fit(X, y)
    assert looks_learned(model, read(model, X, y)) == (ALL, True)
    assert looks_learned(model, read(model, X[:50], y[:50])) == ("", True)
    assert "could contain them" in gather(model, X[:50], y[:50], None, None).judged.how
    assert gather(model, X[:50], y[:50], None, False).judged.left_out
    assert not gather(model, X, y, None, True).judged.left_out


def test_a_journal_knows_which_rows_were_learned() -> None:
    X, y = counts()
    model = sf.MultinomialNB().fit(X, y, journal=True)
    found = gather(model, X[:50], y[:50], None, None).judged
    assert found.left_out
    assert "journal of the model holds these rows" in found.how
    keyed = sf.MultinomialNB().fit(X, y, journal="a key")
    assert "could contain them" in gather(keyed, X[:50], y[:50], None, None).judged.how


def test_half_of_balanced_rows_is_not_taken_for_the_other_half() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.poisson(4, (80, 6)), np.tile([0, 1], 40)
    model = sf.MultinomialNB().fit(X[:40], y[:40])
    assert looks_learned(model, read(model, X[40:], y[40:])) == ("", False)


def test_the_matrix_and_the_classes_add_up() -> None:
    X, y = counts()
    model = sf.BernoulliNB().fit(X, y)
    judged = gather(model, X, y, None, True).judged
    assert judged.confusion.sum() == len(y)
    assert np.trace(judged.confusion) == judged.overall["right"]
    assert [one.rows for one in judged.by_class] == np.bincount(y).tolist()
    assert sum(line["rows"] for line in judged.bins) == len(y)
    expected = sf.evaluate.reliability(model.predict_proba(X), y, model.classes_)
    assert judged.calibration.error == pytest.approx(expected.error)


def test_labels_never_learned_are_left_out_and_reported() -> None:
    texts, labels = letters()
    model = sf.TextClassifier().fit(texts, labels)
    found = gather(model, [*texts, "you"], [*labels, "else"], None, None)
    assert found.data.rows == len(texts)
    assert any("never learned (else)" in one.found for one in found.data.alerts)


def test_examples_are_right_close_and_wrong_or_those_requested() -> None:
    texts, labels = letters(300)
    model = sf.TextClassifier().fit(texts, labels)
    found = gather(model, texts, labels, None, None)
    assert [one.kind for one in found.examples] == ["Right", "A close call", "Wrong"]
    assert [found.examples[0].right, found.examples[2].right] == [True, False]
    for one in found.examples:
        assert one.why is not None
        odds = np.log(one.probability) - np.log(1 - one.probability)  # two classes
        assert one.why.log_odds == pytest.approx(odds, abs=1e-9)
        assert "".join(piece.text for piece in one.pieces) == texts[one.row]
    assert [one.row for one in gather(model, texts, labels, [5, 2], None).examples] == [5, 2]
    with pytest.raises(ValueError, match="whose label the model knows, below 300; got 300"):
        gather(model, texts, labels, [300], None)
    sure = [one.probability for one in found.wrong]
    assert sure == sorted(sure, reverse=True)
    assert all(not one.right for one in found.wrong)


def test_words_are_marked_where_they_stand() -> None:
    texts, labels = letters()
    model = sf.TextClassifier(ngram_range=(1, 2), tokens=sf.Tokens(stop_words=["the"])).fit(texts, labels)
    text = "FREE cash, the lunch — unheard"
    why = model.explain(text, "spam")
    pieces, cut = marked(text, why, model._reader.analysis, 1000)
    assert "".join(piece.text for piece in pieces) == text
    assert cut == 0
    by_word = {piece.text: piece for piece in pieces if piece.level}
    assert by_word["FREE"].favours
    assert not by_word["lunch"].favours
    assert "free cash" in by_word["FREE"].tooltip
    assert "the" not in by_word
    assert "unheard" not in by_word
    assert marked(text, why, model._reader.analysis, 12)[1] == len(text) - len("FREE cash,")


def test_beliefs_of_words_are_those_of_the_model() -> None:
    X, y = counts()
    many = np.arange(1.0, 13.0)
    for model in (sf.MultinomialNB(), sf.BernoulliNB(), sf.PoissonNB(), sf.BernoulliNB(alpha=sf.Beta(many, 2 * many))):
        model.fit(X, y)
        words: Any = believed(model._predictor)
        low, high = words.ends(np.arange(12))
        theirs = model.feature_interval(0.95)
        assert low == pytest.approx(theirs[0])
        assert high == pytest.approx(theirs[1])
    texts, labels = letters()
    for kind in ("multinomial", "bernoulli"):
        text = sf.TextClassifier(kind).fit(texts, labels)
        words = believed(text._predictor)
        low, high = words.ends(np.arange(len(words.names)))
        theirs = text.feature_interval(0.95)
        assert low == pytest.approx(theirs[0])
        assert high == pytest.approx(theirs[1])


def test_columns_by_what_they_tell() -> None:
    X, y = table()
    model = sf.NaiveBayes().fit(X, y)
    found = gather(model, X, y, None, None)
    ranked = found.informative.ranked
    assert [line["bits"] for line in ranked] == sorted((line["bits"] for line in ranked), reverse=True)
    assert ranked[-1]["bits"] == pytest.approx(0, abs=0.01)
    assert {view.name for view in found.columns} == {str(name) for name in model.feature_powers_}
    assert {line["name"]: line["missing"] for line in found.data.columns}["town"] == 17
    flag = next(view for view in found.columns if view.name == "flag")
    shown = {(line["class"], line["value"]): line["share"] for line in flag.lines}
    theirs = parameter_table(model.columns_["flag"], model.statistics_["flag"], model.classes_, 0.95)
    assert [shown["no", "True"], shown["yes", "True"]] == pytest.approx(theirs["probability"], rel=1e-3)


def test_columns_that_act_together_by_how_far_they_move_log_odds() -> None:
    X, y = lights()
    model = sf.NaiveBayes(joint=[("lamp", "hour"), ("lamp", "door"), ("lamp", "door", "rain <b>")]).fit(X, y)
    views: Any = gather(model, X, y, None, None).together
    assert next(iter(views.sets)).columns == ("lamp", "door")
    for view in views.sets:
        assert view.weight == model.feature_powers_[view.name] > 0
        block = model._model.blocks[view.name]
        scores = block.scorer.scores(model._reader.rows(read(model, X, y).table)[view.name])
        moved = model.temper_.power * view.weight * np.ptp(scores, axis=1).mean()
        assert view.moves == pytest.approx(moved)
    first = views.lines(views.sets[0])[0]
    assert len(first["classes"]) == 2
    assert sum(cell["rows"] for cell in first["classes"]) == sum(
        (X["lamp"] == first["value"].split(", ")[0]) & (X["door"] == first["value"].split(", ")[1])
    )
    assert not views.gains
    chosen: Any = gather(sf.NaiveBayes(joint=2).fit(X, y), X, y, None, None).together
    assert chosen.gains
    assert chosen.sets[0].gain > 0
    assert gather(sf.NaiveBayes(joint=None).fit(X, y), X, y, None, None).together is None


def test_the_learning_curve_ends_with_all_that_is_learned() -> None:
    texts, labels = letters(400)
    model = sf.TextClassifier().fit(texts, labels)
    curve = gather(model, texts, labels, None, None).curve
    assert curve[-1]["rows"] == 300
    assert [point["rows"] for point in curve] == sorted(point["rows"] for point in curve)
    assert all(point["low"] <= point["share"] <= point["high"] for point in curve)
    few = gather(model, texts[:20], labels[:20], None, None)
    assert few.curve == []
    assert "needs at least 60 rows" in few.no_curve


def test_many_rows_are_judged_by_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_of_report, "MOST_ROWS", 80)
    texts, labels = letters(120)
    model = sf.TextClassifier().fit(texts, labels)
    found = gather(model, texts, labels, [119, 0], None)
    rows = np.union1d(some_rows(120, 80), [0, 119])
    assert found.data.rows == len(rows)
    assert found.judged.left_out
    assert any("picked by a hash" in one.found for one in found.data.alerts)
    assert [one.row for one in found.examples] == [119, 0]
    assert "".join(piece.text for piece in found.examples[0].pieces) == texts[119]


def test_the_two_classes_that_are_mistaken_most() -> None:
    assert two_to_show(np.array([[5, 0, 1], [0, 9, 2], [1, 3, 4]])) == (1, 2)
    assert two_to_show(np.diag([1, 5, 3])) == (1, 2)
    assert two_to_show(np.array([[3]])) == (0, 0)
