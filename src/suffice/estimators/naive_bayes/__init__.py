"""Naive Bayes classifiers, one per file: drop-ins for those of scikit-learn, and others."""
