"""Counts of thresholds against scikit-learn, and the pictures made of them."""

from typing import Any

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    average_precision_score,
    confusion_matrix,
    precision_score,
    recall_score,
    roc_auc_score,
)

import suffice as sf
from reporting.data import counts, table
from suffice.reporting.charts import confidences, reliability
from suffice.reporting.facts import gather
from suffice.reporting.judged_rows import JudgedRows
from suffice.reporting.thresholds import GRID, HEIGHT, LEFT, SHOWN, TOP, WIDTH, sketch, thresholds


def judged(scores: Any, codes: Any, classes: Any = ("no", "yes")) -> JudgedRows:
    """Return rows of two classes with the given probabilities of the second, or of several classes."""
    scores = np.asarray(scores, float)
    probabilities = np.stack([1 - scores, scores], axis=1) if scores.ndim == 1 else scores
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities)
    n = len(logs)
    return JudgedRows(np.asarray(classes), np.asarray(codes), logs, np.ones(n), np.zeros(n, bool), False, "")


def drawn(n: int = 400, ties: bool = False) -> JudgedRows:
    rng = np.random.default_rng(4)
    codes = (rng.random(n) < 0.3).astype(int)
    scores = np.clip(rng.normal(0.35 + 0.3 * codes, 0.2), 0, 1)
    return judged(np.round(scores, 1) if ties else scores, codes)


@pytest.mark.parametrize("ties", [False, True], ids=["all different", "ties"])
def test_each_line_is_scikit_learns(ties: bool) -> None:
    rows = drawn(ties=ties)
    found = thresholds(rows)
    assert found is not None
    one = found.classes[found.first]
    assert one.name == "yes"
    for line in one.lines():
        flagged = rows.probabilities[:, 1] >= line["threshold"]
        table = confusion_matrix(rows.codes, flagged, labels=[0, 1])
        assert table.tolist() == [[line["passed"], line["false"]], [line["missed"], line["found"]]]
        if flagged.any():
            assert line["precision"]["share"] == pytest.approx(precision_score(rows.codes, flagged))
        assert line["recall"]["share"] == pytest.approx(recall_score(rows.codes, flagged))
        assert line["flagged"] == pytest.approx(flagged.mean())
    assert [line["threshold"] for line in one.lines()] == list(SHOWN)
    assert set(SHOWN) <= set(np.round(GRID, 6).tolist())


@pytest.mark.parametrize("ties", [False, True], ids=["all different", "ties"])
def test_ranking_is_scikit_learns(ties: bool) -> None:
    rows = drawn(ties=ties)
    for one in thresholds(rows).classes:  # type: ignore[union-attr]
        scores, own = rows.probabilities[:, one.code], rows.codes == one.code
        assert one.auc == pytest.approx(roc_auc_score(own, scores), abs=1e-12)
        assert one.average_precision == pytest.approx(average_precision_score(own, scores), abs=1e-12)


def test_several_classes_are_each_against_the_rest() -> None:
    X, y = counts(300)
    rows = gather(sf.MultinomialNB().fit(X, y), X, y, None, None).judged
    found = thresholds(rows)
    assert found is not None
    assert [one.code for one in found.classes] == [0, 1, 2]
    assert found.classes[found.first].rows == np.bincount(y).min()  # the rarest comes first
    for one in found.classes:
        flagged = rows.probabilities[:, one.code] >= 0.3
        assert one.line(0.3)["false"] == (flagged & (y != one.code)).sum()
        assert one.line(0.3)["found"] == (flagged & (y == one.code)).sum()


def test_only_held_out_predictions_are_counted() -> None:
    X, y = table()
    model = sf.NaiveBayes().fit(X, y)
    found = gather(model, X, y, None, None)
    apart = sf.evaluate.crossfit(sf.NaiveBayes().fit(X, y), X, y)
    assert found.thresholds is not None
    for line in found.thresholds.classes[1].lines():
        assert line["found"] + line["false"] == (apart.probabilities[:, 1] >= line["threshold"]).sum()


def test_by_hand() -> None:
    one = thresholds(judged([0.1, 0.4, 0.5, 0.9], [0, 1, 0, 1])).classes[1]  # type: ignore[union-attr]
    line = one.line(0.5)
    assert [line[name] for name in ("found", "false", "missed", "passed")] == [1, 1, 1, 1]
    assert one.auc == 0.75
    assert one.average_precision == pytest.approx((1 + 2 / 3) / 2)
    drawn = sketch(one)
    mark = drawn["mark"]
    assert (mark["recall"], mark["y"]) == (LEFT + WIDTH / 2, TOP + HEIGHT / 2)
    assert drawn["base"] == TOP + HEIGHT / 2
    assert [bar["x"] for bar in drawn["bars"] if bar["up"]] == [LEFT + WIDTH * 0.4, LEFT + WIDTH * 0.9]
    assert [bar["x"] for bar in drawn["bars"] if bar["down"]] == [LEFT + WIDTH * 0.1, LEFT + WIDTH * 0.5]


def test_rows_of_one_class_have_no_threshold() -> None:
    assert thresholds(judged([0.2, 0.8], [1, 1])) is None


def test_calibration_of_two_classes_is_scikit_learns() -> None:
    rows = drawn(2000)
    bins = rows.bins
    share, mean = calibration_curve(rows.codes, rows.probabilities[:, 1], n_bins=15)
    assert [one["share"] for one in bins] == pytest.approx(share)
    assert [one["confidence"] for one in bins] == pytest.approx(mean)
    size = np.histogram(rows.probabilities[:, 1], np.linspace(0, 1, 16))[0]
    assert rows.calibration.error == pytest.approx(np.abs(share - mean) @ size[size > 0] / size.sum())


def test_opposite_errors_of_two_classes_do_not_cancel() -> None:
    rows = judged(np.repeat([0.2, 0.8], 100), np.repeat([0, 1, 1], [60, 40, 100]))  # accuracy 80 % at 80 %
    assert [one["confidence"] for one in rows.bins] == pytest.approx([0.2, 0.8])
    assert [one["share"] for one in rows.bins] == [0.4, 1.0]
    assert rows.calibration.error == pytest.approx(0.2)
    spec = reliability(rows)
    assert spec["layer"][-1]["encoding"]["y"]["title"] == "share of yes"
    assert "probability of yes" in str(confidences(rows, "rows"))
    ends = [line["from"] for line in confidences(rows, "rows")["data"]["values"]]
    assert min(ends) == 0.2


def test_of_more_classes_the_predicted_one_is_calibrated() -> None:
    rows = judged([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]], [0, 1, 0], ("a", "b", "c"))
    assert rows.scored is None
    assert rows.calibration.accuracy @ rows.calibration.rows == pytest.approx(2)
    assert reliability(rows)["layer"][-1]["encoding"]["y"]["title"] == "accuracy"
