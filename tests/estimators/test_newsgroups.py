"""Bursty words on real text: 20 Newsgroups, split by date."""

import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import suffice as sf
from suffice.evaluate import log_loss, reliability

pytestmark = pytest.mark.thorough
ARCHIVE = Path(__file__).parents[2].parent / "shared" / "data" / "20news_bydate" / "20news-bydate.tar.gz"


@pytest.fixture(scope="module")
def news() -> Any:
    if not ARCHIVE.exists():
        pytest.skip("20 Newsgroups is not beside the clone (../shared/data)")
    texts: dict[str, list[str]] = {"train": [], "test": []}
    groups: dict[str, list[str]] = {"train": [], "test": []}
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                part, group = member.name.split("/")[-3:-1]
                side = part.rsplit("-", 1)[-1]
                texts[side].append(file.read().decode("latin-1"))
                groups[side].append(group)
    words = CountVectorizer()
    X, Z = words.fit_transform(texts["train"]), words.transform(texts["test"])
    return X, np.array(groups["train"]), Z, np.array(groups["test"])


def perplexities(model: Any, Z: Any, z: Any) -> Any:
    """Return the perplexity of each group's test documents, words in the order they were written."""
    logs = model.predict_joint_log_proba(Z) - model.class_log_prior_
    lengths = np.asarray(Z.sum(axis=1)).ravel()
    return np.array(
        [np.exp(-logs[z == group, c].sum() / lengths[z == group].sum()) for c, group in enumerate(model.classes_)]
    )


def test_an_urn_foresees_text_better_than_the_multinomial(news: Any) -> None:
    X, y, Z, z = news
    plain = sf.MultinomialNB(alpha=1).fit(X, y)
    base = plain.score(Z, z)
    assert base == pytest.approx(0.7728, abs=5e-5)
    urns = sf.DirichletMultinomialNB().fit(X, y)
    assert urns.n_iter_.max() <= 8
    assert urns.score(Z, z) >= base + 0.035
    measured = perplexities(urns, Z, z)
    for alpha in (1, 0.1, 0.01):
        assert (measured < perplexities(sf.MultinomialNB(alpha=alpha).fit(X, y), Z, z)).all()


def test_the_approximation_is_nearly_as_good_and_faster(news: Any) -> None:
    X, y, Z, z = news
    assert sf.DirichletMultinomialNB(method="edcm").fit(X, y).score(Z, z) >= 0.80


@pytest.mark.parametrize(("binary", "loss"), [(False, 0.85), (True, 0.75)], ids=["counts", "binary words"])
def test_tempered_probabilities_are_honest(news: Any, binary: bool, loss: float) -> None:
    X, y, Z, z = news
    if binary:
        X, Z = (X > 0).astype(np.int64), (Z > 0).astype(np.int64)
    plain = sf.MultinomialNB().fit(X, y)
    model = sf.MultinomialNB(alpha="loo", temper="loo").fit(X, y)
    logs = model.predict_log_proba(Z)
    assert log_loss(logs, z, model.classes_) <= loss
    assert reliability(np.exp(logs), z, model.classes_).error <= 0.05
    assert log_loss(plain.predict_log_proba(Z), z, plain.classes_) > 4 * loss  # a guess that knows nothing has 3.0
