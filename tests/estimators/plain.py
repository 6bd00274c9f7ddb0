"""Classifiers without what is fitted on rows: their numbers are those of the formulas, and of scikit-learn."""

from functools import partial

import pytest
import sklearn
from packaging.version import Version

import suffice as sf

OLD_PEERS = Version(sklearn.__version__) < Version("1.9")
"""Whether scikit-learn's discriminants have other numbers than today's, and its checks give classes of few rows."""

with_todays_peers = pytest.mark.skipif(OLD_PEERS, reason="compares with scikit-learn as it is from 1.9 on")

NaiveBayes = partial(sf.NaiveBayes, class_prior="counted", temper=None, feature_powers=None)
TextClassifier = partial(
    sf.TextClassifier,
    alpha=1.0,
    class_prior="counted",
    temper=None,
    feature_powers=None,
    term_weighting=sf.TermWeighting(sublinear_tf=False),
)
