"""Empirical Bayes: priors and bins that make the data most probable."""
