"""Provide empirical Bayes: choose priors and bins that maximize the evidence."""
