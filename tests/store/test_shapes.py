"""A file whose arrays do not fit together, or that asks for more than it holds, is refused when it is read."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suffice as sf
from store.cases import COUNTS, REALS, SPREAD, TEXTS, Y, answer, models
from suffice.errors import KindError, ModelFileError
from suffice.store.file_io import File, digest
from suffice.store.layout import written

CASES = models()
QUICK = {"linear_analysis", "quadratic_analysis", "gaussian", "table", "vectorizer"}
every_model = pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.thorough) for name in CASES]
)


def forged(path: Path, arrays: dict[str, Any], header: dict[str, Any] | None = None) -> None:
    """Write other arrays, and other parts of the header, with the checksums that they should have."""
    file = File(path)
    about = dict(file.layout.metadata)
    tensors = {name: np.asarray(arrays.get(name, file.array(name)).copy(), order="C") for name in file.layout.tensors}
    about.update({part: json.dumps(value) for part, value in (header or {}).items()})
    about["checksums"] = json.dumps({name: digest(np.ascontiguousarray(array)) for name, array in tensors.items()})
    about.pop("header_sha256")
    head, ordered = written(tensors, about)
    path.write_bytes(head + b"".join(array.tobytes() for array in ordered))


def part(path: Path, name: str) -> Any:
    return json.loads(File(path).layout.metadata[name])


def reshaped(array: Any) -> Iterator[tuple[str, Any]]:
    """Yield the numbers in other shapes, fewer of them, and more."""
    for axis, n in enumerate(array.shape):
        if n:
            yield f"cut along {axis}", np.take(array, range(n - 1), axis)
            yield f"one more along {axis}", np.concatenate([array, np.take(array, [n - 1], axis)], axis)
            yield f"twice along {axis}", np.concatenate([array, array], axis)
            yield f"one along {axis}", np.take(array, [0], axis)
        yield f"none along {axis}", np.take(array, range(0), axis)
    yield "turned", array.T
    yield "flat", array.reshape(-1)
    yield "an axis before", array[None]
    yield "an axis behind", array[..., None]
    if array.size:
        yield "a single number", array.reshape(-1)[0].reshape(())


@pytest.mark.filterwarnings("ignore")
@every_model
def test_arrays_that_do_not_fit_are_refused(name: str, tmp_path: Path) -> None:
    model, rows = CASES[name]
    path = tmp_path / "model.suffice"
    sf.save(model, path)
    whole, file = path.read_bytes(), File(path)
    forged(path, {})
    np.testing.assert_array_equal(answer(sf.load(path), rows), answer(model, rows))
    for tensor in file.layout.tensors:
        for how, array in reshaped(file.array(tensor)):
            if array.shape == file.array(tensor).shape:
                continue
            path.write_bytes(whole)
            forged(path, {tensor: array})
            with pytest.raises(ModelFileError):
                pytest.fail(f"{tensor}, {how}, made {sf.load(path)}")


def analysis(kind: Any = sf.LinearDiscriminantAnalysis) -> Any:
    return kind().fit(SPREAD, np.tile(Y, 3))


BEYOND: dict[str, tuple[Any, dict[str, Any]]] = {
    "coordinates of LDA": (analysis(), {"n_components": 10**9}),
    "no coordinates of LDA": (analysis(), {"n_components": 0}),
    "coordinates of a discriminant": (sf.GaussianDiscriminant().fit(REALS, Y), {"n_components": 3}),
    "coordinates below 0": (sf.GaussianDiscriminant().fit(REALS, Y), {"n_components": -1}),
    "clusters": (sf.Mixture(sf.GaussianNB(), random_state=0).fit(REALS), {"n_components": 10**9}),
    "clusters to try": (sf.Mixture(sf.GaussianNB(), random_state=0).fit(REALS), {"max_components": 2**40}),
    "categories": (sf.CategoricalNB().fit(COUNTS, Y), {"min_categories": 10**9}),
    "categories by truth": (sf.CategoricalNB().fit(COUNTS, Y), {"min_categories": True}),
    "shrinkage that svd lacks": (analysis(), {"shrinkage": 0.5}),
    "an unknown share": (analysis(), {"priors": {"$": "list", "of": [{"$": "number", "of": "nan"}, 0.5, 0.5]}}),
    "no share": (analysis(sf.QuadraticDiscriminantAnalysis), {"priors": {"$": "list", "of": [0, 0, 0]}}),
}


@pytest.mark.parametrize("what", BEYOND)
def test_parameters_are_bounded_by_what_was_learned(what: str, tmp_path: Path) -> None:
    model, parameters = BEYOND[what]
    path = tmp_path / "model.suffice"
    sf.save(model, path)
    forged(path, {}, {"parameters": {**part(path, "parameters"), **parameters}})
    with pytest.raises(ModelFileError):
        sf.load(path)


def test_buckets_must_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.suffice"
    sf.save(sf.TextClassifier(tokens=sf.Tokens(hash_bits=6)).fit(TEXTS, Y), path)
    (bits,) = (name for name in File(path).layout.tensors if name.endswith("hash_bits"))
    parameters = part(path, "parameters")
    parameters["tokens"]["of"]["hash_bits"] = 20
    forged(path, {bits: np.array(20)}, {"parameters": parameters})
    assert sf.load(path).tokens.hash_bits == 20
    monkeypatch.setattr("suffice.estimators.shell.stored._memory", lambda: 100 * 2**20)
    with pytest.raises(ModelFileError, match="'hash_bits' must fit into memory"):
        sf.load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("words", {"$": "objects", "of": [1, 2]}),
        ("words", {"$": "objects", "of": ["a", None]}),
        ("words", {"$": "objects", "of": ["a", {"$": "tuple", "of": ["b"]}]}),
        ("columns", {"$": "array", "dtype": "<f8", "of": [0, 1]}),
        ("fixed", 1),
    ],
)
def test_a_vocabulary_is_of_strings(name: str, value: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.suffice"
    sf.save(sf.CountVectorizer().fit(["tea rum"]), path)
    schema = part(path, "schema")
    schema["of"] = [[key, value if key == name else old] for key, old in schema["of"]]
    forged(path, {}, {"schema": schema})
    with pytest.raises(ModelFileError):
        sf.load(path)


def test_a_vocabulary_that_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    model = sf.CountVectorizer(vocabulary=[1, 2], lowercase=False).fit(["tea"])
    with pytest.raises(KindError, match="must hold only strings to be saved; got 1"):
        sf.save(model, tmp_path / "model.suffice")
    assert not list(tmp_path.iterdir())
