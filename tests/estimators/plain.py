"""Classifiers without what is fitted on rows: their numbers are those of the formulas, and of scikit-learn."""

from functools import partial

import suffice as sf

NaiveBayes = partial(sf.NaiveBayes, class_prior="counted", temper=None, feature_powers=None)
TextClassifier = partial(
    sf.TextClassifier,
    alpha=1.0,
    class_prior="counted",
    temper=None,
    feature_powers=None,
    term_weighting=sf.TermWeighting(sublinear_tf=False),
)
