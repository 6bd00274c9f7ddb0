"""Few labelled texts: the pseudo-count comes from the counts, alone and where EM starts."""

import tarfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.datasets import docstrings

ARCHIVE = Path(__file__).parents[2].parent / "shared" / "data" / "20news_bydate" / "20news-bydate.tar.gz"

FEW = ["shares fell on Monday", "the team won the match", "bonds rose and shares fell", "a late goal won it"]
KINDS = ["money", "sport", "money", "sport"]
MORE = ["the keeper was late again", "the bank said bonds would rise", "rain and wind", "a goal came from the keeper"]


def by_hand(known: list[str], everything: list[str]) -> float:
    """Return T / (8 k F) with T tokens of `known` and F distinct words of `everything`."""
    words = CountVectorizer().fit(everything)
    return float(words.transform(known).sum()) / (8 * len(set(KINDS)) * len(words.vocabulary_))


def test_the_pseudo_count_of_few_texts_comes_from_their_counts() -> None:
    model = sf.TextClassifier(temper=None).fit(FEW, KINDS)
    assert model.alpha_ == pytest.approx(by_hand(FEW, FEW), rel=1e-12)
    words = CountVectorizer().fit(FEW)
    peer = MultinomialNB(alpha=model.alpha_).fit(words.transform(FEW), KINDS)
    row = ["shares and bonds"]
    np.testing.assert_allclose(model.predict_proba(row), peer.predict_proba(words.transform(row)), rtol=1e-9)


def test_em_starts_from_the_counts_of_labelled_texts_and_ends_with_those_of_all(monkeypatch: Any) -> None:
    used: list[float] = []

    def climb(self: Any, rows: Any, *how: Any) -> Any:
        used.extend(likelihood.alpha for likelihood in rows.base.likelihoods.values())
        return climbs(self, rows, *how)

    climbs: Any = sf.SemiSupervised._climb
    monkeypatch.setattr(sf.SemiSupervised, "_climb", climb)
    model = sf.SemiSupervised(sf.TextClassifier()).fit(FEW, KINDS, unlabelled=MORE)
    assert used == [pytest.approx(by_hand(FEW, FEW + MORE), rel=1e-12)] * 3  # with all labels, and without each half
    assert model.estimator_.alpha_ == pytest.approx(by_hand(FEW + MORE, FEW + MORE), rel=1e-12)


def test_long_texts_of_few_words_have_a_pseudo_count_of_one_at_most() -> None:
    model = sf.TextClassifier().fit(["one two " * 50, "two three " * 50], ["a", "b"])
    assert model.alpha_ == 1


def test_what_is_given_stays() -> None:
    for alpha in (0.5, 2.0):
        assert sf.TextClassifier(alpha=alpha).fit(FEW, KINDS).alpha_ == alpha
        assert (
            sf.SemiSupervised(sf.TextClassifier(alpha=alpha)).fit(FEW, KINDS, unlabelled=MORE).estimator_.alpha_
            == alpha
        )


def accuracies(learned: tuple[Any, Any], judging: tuple[Any, Any], per_class: int, draws: int) -> Any:
    """Return mean accuracy by EM, on the labels alone, and of scikit-learn's with a small pseudo-count."""
    X, y = learned
    found = defaultdict(list)
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        known = np.concatenate([rng.permutation(np.flatnonzero(y == c))[:per_class] for c in np.unique(y)])
        free = rng.permutation(np.setdiff1d(np.arange(len(y)), known))[:10_000]
        alone = sf.TextClassifier().fit(X[known], y[known])
        both = sf.SemiSupervised(sf.TextClassifier()).fit(X[known], y[known], unlabelled=X[free])
        peer = make_pipeline(CountVectorizer(), MultinomialNB(alpha=0.01)).fit(X[known], y[known])
        for name, model in (("both", both), ("alone", alone), ("peer", peer)):
            found[name].append(np.mean(model.predict(judging[0]) == judging[1]))
    return {name: float(np.mean(values)) for name, values in found.items()}


@pytest.mark.thorough
def test_texts_without_labels_help_on_docstrings() -> None:
    corpus = docstrings()
    texts, names = np.array(corpus.texts, object), np.array(corpus.labels)
    kinds, counts = np.unique(names, return_counts=True)
    usual = np.isin(names, kinds[np.argsort(-counts)[:6]])
    texts, names = texts[usual], names[usual]
    order = np.random.default_rng(0).permutation(len(texts))[:4000]
    learned, judging = ((texts[part], names[part]) for part in (order[1000:], order[:1000]))
    found = accuracies(learned, judging, 3, 3)
    assert found["both"] > found["alone"]
    assert found["both"] > found["peer"]


@pytest.mark.thorough
def test_texts_without_labels_help_on_newsgroups() -> None:
    if not ARCHIVE.exists():
        pytest.skip("20 Newsgroups is not beside the clone (../shared/data)")
    texts, groups = [], []
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() and "-train/" in member.name else None
            if file is not None:
                texts.append(file.read().decode("latin-1"))
                groups.append(member.name.split("/")[-2])
    X, y = np.array(texts, object), np.array(groups)
    order = np.random.default_rng(0).permutation(len(X))
    learned, judging = ((X[part], y[part]) for part in (order[2000:], order[:2000]))
    for per_class in (1, 5):
        found = accuracies(learned, judging, per_class, 2)
        assert found["both"] > found["alone"]
        assert found["both"] > found["peer"]
