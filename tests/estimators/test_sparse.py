"""Sparse matrices that are not what they say are refused before scipy writes where they lead."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import suffice as sf

ATTACK = Path(__file__).with_name("sparse_attack.py")


@pytest.mark.thorough
@pytest.mark.parametrize("doors", ["BernoulliNB.predict_proba", pytest.param("", marks=pytest.mark.thorough)])
def test_no_index_leads_out_of_a_matrix(doors: str) -> None:
    one_core = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, ATTACK, doors], capture_output=True, text=True, env=one_core, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) >= (34 if doors else 2000)


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "lil", "dia", "dok"])
def test_good_matrices_of_every_format_are_read(kind: str) -> None:
    X = np.random.default_rng(0).integers(0, 3, (30, 6))
    y = np.arange(30) % 3
    plain = sf.MultinomialNB().fit(X, y)
    for made in (sparse.csr_array(X), sparse.csr_matrix(X)):
        model = sf.MultinomialNB().fit(made.asformat(kind), y)
        np.testing.assert_array_equal(model.predict_log_proba(made.asformat(kind)), plain.predict_log_proba(X))
    empty = sparse.csr_array((4, 6)).asformat(kind)
    np.testing.assert_array_equal(plain.predict(empty), plain.predict(np.zeros((4, 6))))
