"""Feature powers of words: rows left out by brute force, gradients by finite differences."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import log_softmax

import suffice as sf
from suffice.models.choosing.counted_words import CountedWords
from suffice.models.choosing.judge import Judged, Sample
from suffice.models.choosing.word_choice import Asked, choose_words
from suffice.models.choosing.word_weights import Split, WordRows, looked_up
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.likelihoods.vocabulary import Cut
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import AS_IT_IS, Temper
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.models.scoring.text_rows import EntryRows, TextRows
from suffice.stats.inputs import COUNT, RowMatrix
from suffice.text import Analysis

WORDS = np.array(["spam", "ham", "eggs", "toast", "tea", "milk", "jam"])
ALPHA = 0.3
SINGLE = 1e-5
"""Words are weighed in single precision."""


def corpus(seed: int, n: int, classes: int = 3) -> tuple[list[str], Any, Any]:
    """Return texts, codes, and the weights of texts."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, n)
    shares = rng.dirichlet(np.full(len(WORDS), 0.8), classes)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 9), p=shares[c])) for c in codes]
    return texts, codes, rng.integers(1, 3, n).astype(float)


def fitted(
    texts: Any, codes: Any, weights: Any, group: Any = None, given: Any = 0.5, **options: Any
) -> tuple[Predictor, Sample]:
    """Return a model of texts, and these as it has learned them."""
    classes = int(codes.max()) + 1
    labels = Labels(codes, weights, classes)
    rows: dict[Any, Any] = {"text": TextRows(texts, Analysis())}
    model = Model.of(np.arange(classes), {"text": Multinomial(ALPHA, **options)}, rows, labels)
    predictor = Predictor(model, ClassPrior(given))
    return predictor, looked_up(Sample(rows, labels, group), predictor)


def weighed(predictor: Predictor, sample: Sample, temper: Temper = AS_IT_IS) -> WordRows:
    return WordRows.of(CountedWords.of(predictor, sample)).tempered(temper)


def matrix(sample: Sample | Judged) -> Any:
    rows = sample.rows["text"]
    assert isinstance(rows, EntryRows)
    return rows.matrix.toarray()


def brute(predictor: Predictor, sample: Sample, temper: Temper, w: Any, b: Any, damped: bool, binary: bool) -> Any:
    """Return −ln p of every document, each by a model without it or its group, made anew."""
    x, codes, weights = matrix(sample), sample.labels.y, sample.labels.given
    counted, losses = np.minimum(x, 1) if binary else x, []
    for i in range(len(codes)):
        out = np.arange(len(codes)) == i if sample.group is None else sample.group == sample.group[i]
        member = np.eye(len(predictor.model.classes))[codes] * (weights * ~out)[:, None]
        table = member.T @ counted
        theta = (table + ALPHA) / (table.sum(axis=1, keepdims=True) + ALPHA * table.shape[1])
        row = np.where(x[i] > 0, 1 + np.log(np.maximum(x[i], 1)), 0.0) if damped else counted[i]
        scores = predictor.log_prior_of(member.sum(axis=0)) + b
        scores = scores + temper.of(np.array([row.sum()])) * (np.log(theta) @ (w * row))
        losses.append(-log_softmax(scores)[codes[i]])
    return np.array(losses)


@pytest.mark.parametrize("given", ["counted", "uniform", 0.5])
@pytest.mark.parametrize("how", ["as often", "damped", "binary"])
@pytest.mark.parametrize("grouped", [False, True])
def test_rows_are_predicted_by_classes_without_them(given: Any, how: str, grouped: bool) -> None:
    texts, codes, weights = corpus(0, 30)
    options = {"damped": how == "damped", "binary": how == "binary"}
    group = np.arange(30) // 4 if grouped else None
    predictor, sample = fitted(texts, codes, weights, group, given, **options)
    temper = Temper(0.8, 0.3)
    rows = weighed(predictor, sample, temper)
    rng = np.random.default_rng(1)
    w, b = rng.uniform(0, 2, rows.size[0]), rng.normal(0, 1, 3)
    expected = brute(predictor, sample, temper, w, b, **options)
    np.testing.assert_allclose(rows.each(rows.own(w), b), rows.weights * expected, rtol=SINGLE, atol=SINGLE)
    np.testing.assert_array_equal(rows.weights, weights)


@pytest.mark.parametrize("grouped", [False, True])
def test_words_of_a_matrix_are_those_of_texts(grouped: bool) -> None:
    texts, codes, weights = corpus(9, 40)
    group = np.arange(40) // 3 if grouped else None
    predictor, sample = fitted(texts, codes, weights, group)
    rows: dict[Any, Any] = {"X": MatrixRows(RowMatrix.read(matrix(sample), "X").must_be(COUNT))}
    model = Model.of(np.arange(3), {"X": Multinomial(ALPHA)}, rows, sample.labels)
    dense = Predictor(model, predictor.prior), Sample(rows, sample.labels, group)
    rng = np.random.default_rng(1)
    w, b, temper = rng.uniform(0, 2, len(WORDS)), rng.normal(0, 1, 3), Temper(0.7, 0.1)
    one, other = (weighed(*part, temper) for part in ((predictor, sample), dense))
    both = [rows.loss(rows.own(w), b) for rows in (one, other)]
    assert both[0][0] == pytest.approx(both[1][0], rel=SINGLE)
    np.testing.assert_allclose(one.among_all(both[0][1]), other.among_all(both[1][1]), rtol=SINGLE, atol=SINGLE)
    np.testing.assert_allclose(both[0][2], both[1][2], rtol=SINGLE, atol=SINGLE)
    mine, theirs = (rows.among_all(rows.hessian_diagonal(rows.own(w), b)) for rows in (one, other))
    np.testing.assert_allclose(mine, theirs, rtol=10 * SINGLE)  # variances are differences


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 9])
def test_gradient_and_hessian_by_finite_differences(grouped: bool, classes: int) -> None:
    texts, codes, weights = corpus(2, 60, classes)
    predictor, sample = fitted(texts, codes, weights, np.arange(60) // 3 if grouped else None, damped=True)
    temper = Temper(0.7, 0.2)
    rows = weighed(predictor, sample, temper)
    rng, width = np.random.default_rng(3), rows.counted.width
    w, b = rng.uniform(0.2, 2, width), rng.normal(0, 0.5, classes)

    def loss(w: Any, b: Any) -> float:
        return float(rows.weights @ brute(predictor, sample, temper, w, b, damped=True, binary=False))

    value, gradient, terms = rows.loss(rows.own(w), b)
    assert value == pytest.approx(loss(w, b), rel=SINGLE)
    gradient, diagonal = rows.among_all(gradient), rows.among_all(rows.hessian_diagonal(rows.own(w), b))
    for j in range(width):
        step = np.eye(width)[j] * 1e-3
        above, below = loss(w + step, b), loss(w - step, b)
        assert gradient[j] == pytest.approx((above - below) / 2e-3, rel=1e-4, abs=1e-4)
        bent = (rows.loss(rows.own(w + 10 * step), b)[1] - rows.loss(rows.own(w - 10 * step), b)[1]) / 2e-2
        assert diagonal[j] == pytest.approx(rows.among_all(bent)[j], rel=2e-3, abs=2e-3)
    for c in range(classes):
        step = np.eye(classes)[c] * 1e-3
        assert terms[c] == pytest.approx((loss(w, b + step) - loss(w, b - step)) / 2e-3, rel=1e-4, abs=1e-4)


def test_entries_are_scored_as_texts_are() -> None:
    texts, codes, weights = corpus(3, 25)
    for options in ({}, {"damped": True}, {"binary": True}):
        predictor, sample = fitted(texts, codes, weights, **options)
        scorer: Any = predictor.scorers["text"].weighted(np.linspace(0, 2, len(WORDS)))
        expected = scorer.scores(TextRows(texts, Analysis()))
        np.testing.assert_allclose(scorer.scores(sample.rows["text"]), expected, rtol=1e-12)


def test_threads_change_nothing() -> None:
    rows = weighed(*fitted(*corpus(4, 20_000)))  # fewer run on one thread
    ones, none = np.ones(rows.size[0]), np.zeros(3)
    with sf.threads(1):
        alone = rows.loss(ones, none)
    with sf.threads(4):
        together = rows.loss(ones, none)
    assert alone[0] == together[0]
    for a, b in zip(alone[1:], together[1:], strict=True):
        np.testing.assert_array_equal(a, b)


def test_rows_of_no_weight_rows_without_words_and_rows_alone_in_their_class() -> None:
    texts, codes, weights = corpus(5, 40)
    texts[3], codes[7] = "", 3
    rows = weighed(*fitted(texts, codes, weights), Temper(1.0, 0.5))
    ones, none = np.ones(rows.size[0]), np.zeros(4)
    each = rows.each(ones, none)
    assert np.isfinite(each).all()
    assert each[7] == rows.weights[7] == 0
    half = rows.take(np.arange(40) % 2 == 0)
    assert half.loss(ones, none)[0] == pytest.approx(each[::2].sum(), rel=1e-12)


def test_a_split_takes_rows_out_of_the_model_and_keeps_all_words() -> None:
    texts, codes, weights = corpus(7, 60)
    texts = [f"{text} only{i}" for i, text in enumerate(texts)]
    predictor, sample = fitted(texts, codes, weights, cut=Cut(max_features=1000))
    split = Split.of(predictor, sample)
    left, x = split.learned.predictor.model, matrix(sample)
    assert left.blocks["text"].t.width == x.shape[1]
    learned = np.isin(np.arange(60), np.flatnonzero((x[:, None] == matrix(split.learned)).all(axis=2).any(axis=1)))
    member = np.eye(3)[codes] * (weights * learned)[:, None]
    np.testing.assert_allclose(left.blocks["text"].t.tokens.toarray(), member.T @ x)
    np.testing.assert_allclose(left.n, member.sum(axis=0))
    assert len(split.unseen.codes) + learned.sum() == 60


def test_documents_that_judge_are_out_of_the_model() -> None:
    """Each pair of documents shares a word of its own: left out singly, they would tell each other's class."""
    rng = np.random.default_rng(7)
    codes = np.repeat(rng.integers(0, 2, 150), 2)
    texts = [f"pair{i // 2} {' '.join(rng.choice(WORDS, 4))}" for i in range(300)]
    predictor, sample = fitted(texts, codes, np.ones(300), np.arange(300) // 2)
    chosen = choose_words(CountedWords.of(predictor, sample), Asked(residuals=False), None)
    assert chosen.option.ridge > 1
    named = np.char.startswith(predictor.model.blocks["text"].t.words.strings.astype(str), "pair")
    assert chosen.initial.features[named].max() < 1.2


def test_the_kernel_refuses_what_does_not_fit_together() -> None:
    rows = weighed(*fitted(*corpus(8, 10)))
    with pytest.raises(ValueError, match="do not fit"):
        rows.loss(np.ones(2), np.zeros(3))
    with pytest.raises(ValueError, match="do not fit"):
        rows.scores(np.ones(rows.size[0]), np.array([10]))
    wide = replace(rows.counted, x=sparse.csr_matrix(np.ones((10, 99))))
    with pytest.raises((ValueError, IndexError), match=r"do not fit|index|out of"):
        WordRows.of(wide)


def test_scores_are_sums_of_logarithms_without_the_row() -> None:
    texts, codes, weights = corpus(10, 30)
    predictor, sample = fitted(texts, codes, weights, damped=True)
    rows, w, which = weighed(predictor, sample), np.linspace(0, 2, len(WORDS)), np.array([3, 0, 29])
    x, member = matrix(sample), np.eye(3)[codes] * weights[:, None]
    for score, i in zip(rows.scores(rows.own(w), which), which, strict=True):
        table = (member * (np.arange(30) != i)[:, None]).T @ x
        theta = (table + ALPHA) / (table.sum(axis=1, keepdims=True) + ALPHA * x.shape[1])
        row = np.where(x[i] > 0, 1 + np.log(np.maximum(x[i], 1)), 0.0)
        np.testing.assert_allclose(score, np.log(theta) @ (w * row), rtol=SINGLE)


@pytest.mark.parametrize("classes", [3, 40])
def test_a_pseudo_count_for_each_word(classes: int) -> None:
    """Words that a class never had differ then; with many classes, they have whole lines."""
    texts, codes, weights = corpus(11, 200, classes)
    predictor, sample = fitted(texts, codes, weights, damped=True)
    alpha = np.linspace(0.1, 2, len(WORDS))
    counted = CountedWords.of(predictor, sample)
    counted = replace(counted, likelihood=replace(counted.likelihood, alpha=alpha))
    rows, w, x = WordRows.of(counted), np.linspace(0.5, 2, len(WORDS)), matrix(sample)
    member = np.eye(classes)[codes] * weights[:, None]
    for i, score in enumerate(rows.scores(rows.own(w))):
        table = (member * (np.arange(200) != i)[:, None]).T @ x
        theta = (table + alpha) / (table.sum(axis=1, keepdims=True) + alpha.sum())
        row = np.where(x[i] > 0, 1 + np.log(np.maximum(x[i], 1)), 0.0)
        np.testing.assert_allclose(score, np.log(theta) @ (w * row), rtol=SINGLE)


@pytest.mark.parametrize("grouped", [False, True])
def test_counts_without_rows_are_those_of_the_others(grouped: bool) -> None:
    texts, codes, _ = corpus(12, 60)
    weights = np.random.default_rng(0).uniform(0.1, 3, 60)
    group = np.arange(60) // 5 if grouped else None
    predictor, sample = fitted(texts, codes, weights, group)
    out = (np.arange(60) // 5) % 4 == 0
    learned, unseen = CountedWords.of(predictor, sample).without(out)
    member = np.eye(3)[codes] * (weights * ~out)[:, None]
    expected = (member.T @ matrix(sample))[:, learned.used]
    np.testing.assert_allclose(learned.by_word.toarray().T, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(learned.total, expected.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(unseen.n, member.sum(axis=0), rtol=1e-12)
    assert len(learned) + len(unseen) == 60
    assert not len(unseen.removed.row)


def test_rows_that_were_not_learned_are_refused() -> None:
    texts, codes, weights = corpus(13, 40)
    predictor, sample = fitted(texts, codes, weights)
    other = replace(sample, labels=replace(sample.labels, y=np.roll(codes, 1)))
    counted = replace(CountedWords.of(predictor, sample), labels=other.labels)
    with pytest.raises(sf.errors.SubtractionError, match="labels and weights they were learned with"):
        WordRows.of(counted)
    more = replace(sample, labels=replace(sample.labels, weights=weights * 3))
    with pytest.raises(sf.errors.SubtractionError, match=r"got more of class .* than were learned"):
        CountedWords.of(predictor, more)
    heavy = replace(CountedWords.of(predictor, sample), labels=more.labels)
    with pytest.raises(sf.errors.SubtractionError, match="labels and weights they were learned with"):
        heavy.without(np.arange(40) % 2 == 0)


def test_gradients_of_many_rows_keep_their_digits() -> None:
    """All rows alike: their shares of the gradient are all rounded the same way."""
    n = 60_000
    codes = (np.arange(n) >= n // 3).astype(np.int64)
    predictor, sample = fitted(np.where(codes, "spam ham", "spam eggs").tolist(), codes, np.ones(n))
    rows = weighed(predictor, sample)
    w, b, ham = np.zeros(3), np.array([0.5, -0.5]), np.flatnonzero(rows.counted.places == 1)
    step = 1e-3 * (np.arange(3) == ham)
    slope = (rows.loss(w + step, b)[0] - rows.loss(w - step, b)[0]) / 2e-3
    assert abs(slope) > 100
    assert rows.loss(w, b)[1][ham] == pytest.approx(slope, rel=1e-4)


@pytest.mark.thorough
def test_long_texts_without_a_temper_judge_residuals_by_what_they_weigh() -> None:
    """Scores of 400 words are below any bound: rows must not weigh nothing for that, or any residual would pay."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1200)
    shift = 60 * y * (rng.random(1200) < 0.3)
    texts = [" ".join(f"w{(k + more) % 3000}" for k in rng.integers(0, 3000, 400)) for more in shift.tolist()]
    model = sf.TextClassifier(temper=None, ngram_range=(1, 1)).fit(texts, y)
    judged = [row.log_loss for row in model.choices_ if row.choice == "residuals" and row.option != "none"]
    assert judged
    assert min(judged) > 0.3
