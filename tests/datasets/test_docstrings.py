"""The corpus that every installation has."""

import os
import subprocess
import sys
from collections import Counter

import pytest

import suffice as sf
from refusals import refused
from suffice.datasets import Corpus, docstrings
from suffice.datasets.installed import installed, module_name, read
from suffice.datasets.prose import fingerprint, paragraphs
from suffice.errors import InputError

PER_LABEL = 500


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return docstrings(PER_LABEL)


@pytest.mark.thorough
def test_every_installation_has_it(corpus: Corpus) -> None:
    sizes = corpus.sizes
    assert {"python", "numpy", "scipy", "scikit-learn"} <= set(sizes)
    assert "suffice" not in sizes
    assert 4 <= len(sizes) <= 10
    assert all(250 <= size <= PER_LABEL for size in sizes.values()), sizes
    assert sizes["python"] == sizes["numpy"] == sizes["scipy"] == sizes["scikit-learn"] == PER_LABEL
    assert len(corpus) == sum(sizes.values())


@pytest.mark.thorough
def test_no_paragraph_comes_twice(corpus: Corpus) -> None:
    assert len({fingerprint(text) for text in corpus.texts}) == len(corpus)


@pytest.mark.thorough
def test_it_reads_as_prose(corpus: Corpus) -> None:
    assert not [text for text in corpus.texts if ">>>" in text or "\n" in text or "::" in text[-2:]]
    assert all(len(text.split()) >= 10 for text in corpus.texts)
    words = Counter(word for text in corpus.texts for word in text.casefold().split())
    assert words.most_common(1)[0][0] == "the"


@pytest.mark.thorough
def test_no_module_is_most_of_a_label(corpus: Corpus) -> None:
    modules = Counter(zip(corpus.labels, corpus.groups, strict=True))
    assert max(modules.values()) <= PER_LABEL / 10
    assert not [group for group in corpus.groups if {"tests", "idlelib", "_vendor"} & set(group.split("."))]


def test_the_same_installation_gives_the_same_corpus() -> None:
    assert docstrings(50, libraries=["numpy", "python"]) == docstrings(50, libraries=["numpy", "python"])


def test_progress_names_each_library_before_it_is_read() -> None:
    named: list[str] = []
    docstrings(10, libraries=["scipy", "numpy"], progress=named.append)
    assert named == ["scipy", "numpy"]


@pytest.mark.thorough
def test_modules_held_out_are_not_in_training(corpus: Corpus) -> None:
    train, test = corpus.split(test=0.3)
    assert not set(train.groups) & set(test.groups)
    assert len(train) + len(test) == len(corpus)
    for label, size in corpus.sizes.items():
        assert test.sizes[label] == pytest.approx(0.3 * size, abs=0.05 * size)


@pytest.mark.thorough
def test_it_takes_seconds_and_is_silent() -> None:
    code = (
        "import sys, suffice; corpus = suffice.datasets.docstrings(300); "
        "print([name for name in ('antigravity', 'this', 'idlelib', 'tkinter', 'test') if name in sys.modules])"
    )
    began = os.times()
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
    assert os.times().children_user - began.children_user < 20


@pytest.mark.thorough
def test_a_classifier_learns_from_it(corpus: Corpus) -> None:
    from sklearn.feature_extraction.text import CountVectorizer

    train, test = corpus.split()
    vectorizer = CountVectorizer()
    model = sf.MultinomialNB().fit(vectorizer.fit_transform(train.texts), train.labels)
    assert model.score(vectorizer.transform(test.texts), test.labels) > 3 / len(corpus.sizes)


DOCSTRING = """Fit the model to the data, one row for each of the samples.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data to be fitted, one row for each of the *samples*
        and one column for each of the :term:`features`.
    y : ignored

    See Also
    --------
    transform : Apply the fitted model to rows that it has not yet seen.

    Notes
    -----
    The method is described in [1]_, and used like this on a table of numbers::

        model = Model(and=this, code=is_left, out=of_it) for the sake of prose.

    * An item of a list that goes on
      over two lines is one paragraph of its own.

    .. note::
        The body of a note is a paragraph like any of the others.

    .. math::
        this is a formula and it is not to be read as the prose of it.

    Examples
    --------
    >>> print("this is an example that is not to be in the text.")
    this is an example that is not to be in the text.
    """


def test_paragraphs_of_a_docstring() -> None:
    assert list(paragraphs(DOCSTRING)) == [
        "Fit the model to the data, one row for each of the samples.",
        "The data to be fitted, one row for each of the samples and one column for each of the features.",
        "Apply the fitted model to rows that it has not yet seen.",
        "The method is described in, and used like this on a table of numbers:",
        "An item of a list that goes on over two lines is one paragraph of its own.",
        "The body of a note is a paragraph like any of the others.",
    ]


def test_copies_differ_in_case_space_and_punctuation_only() -> None:
    assert fingerprint("The  value,\nas given.") == fingerprint("the value as `given`")
    assert fingerprint("The value") != fingerprint("The values")


def test_what_cannot_be_read_has_no_docstrings(tmp_path_factory: pytest.TempPathFactory) -> None:
    broken = tmp_path_factory.mktemp("source") / "broken.py"
    broken.write_text('"""A docstring."""\ndef (:\n')
    assert read(broken) == []
    assert read(broken.with_name("absent.py")) == []


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a/b.py", "a.b"),
        ("a/__init__.py", "a"),
        ("a/tests/b.py", ""),
        ("a/__main__.py", ""),
        ("this.py", ""),
        ("../../bin/a.py", ""),
        ("a/b.pyi", ""),
        ("a/test_b.py", ""),
    ],
)
def test_modules_that_are_read(file: str, name: str) -> None:
    from pathlib import PurePosixPath

    assert module_name(PurePosixPath(file)) == name


@pytest.mark.thorough
def test_the_libraries_every_installation_has_come_first() -> None:
    names = [library.name for library in installed()]
    assert names[:4] == ["python", "numpy", "scipy", "scikit-learn"]
    assert "suffice" not in names


def test_errors() -> None:
    with refused(InputError, "docstrings.per_label", must="be at least 1", got="0"):
        docstrings(0)
    with pytest.raises(InputError, match=r"such as 'scikit-learn', or 'python'; got 'sklearn'"):
        docstrings(libraries=["numpy", "sklearn"])
    with pytest.raises(InputError, match="other than suffice"):
        docstrings(libraries="suffice")
