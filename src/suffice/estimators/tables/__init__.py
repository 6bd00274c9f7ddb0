"""Naive Bayes for tables of any columns."""
